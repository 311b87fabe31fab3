//! The rows of each body, as lists that grow with the rows.

use super::rows::{Grip, Row};

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The rows of each body.
pub struct Links {
    /// The last row of each body.
    last: Vec<u32>,
    /// For both sides of each row: the row of the same body before it.
    before: Vec<[u32; 2]>,
}

impl Links {
    /// No rows yet.
    pub fn new(bodies: usize) -> Self {
        Self { last: vec![NONE; bodies], before: vec![] }
    }

    /// How many rows there are.
    pub fn known(&self) -> usize {
        self.before.len()
    }

    /// Takes in rows that have come since.
    pub fn take_in(&mut self, rows: &[Row]) {
        for (k, row) in rows.iter().enumerate().skip(self.before.len()) {
            let mut before = [NONE; 2];
            for (grip, before) in [&row.a, &row.b].into_iter().zip(&mut before) {
                if !grip.is_fixed() {
                    *before = std::mem::replace(&mut self.last[grip.body as usize], k as u32);
                }
            }
            self.before.push(before);
        }
    }

    /// A body's rows, newest first: the number of each, the body's own side and the other.
    pub fn of<'a>(&'a self, body: u32, rows: &'a [Row]) -> impl Iterator<Item = Side<'a>> {
        let mut k = self.last[body as usize];
        std::iter::from_fn(move || {
            let row = rows.get(k as usize)?;
            let first = row.a.body == body && !row.a.is_fixed();
            let (own, other, sign) = if first { (&row.a, &row.b, 1.0) } else { (&row.b, &row.a, -1.0) };
            let side = Side { number: k, row, own, other, sign };
            k = self.before[k as usize][usize::from(!first)];
            Some(side)
        })
    }
}

/// A row as one of its bodies sees it.
pub struct Side<'a> {
    /// Number of the row.
    pub number: u32,
    /// The row.
    pub row: &'a Row,
    /// The body's side.
    pub own: &'a Grip,
    /// The other side.
    pub other: &'a Grip,
    /// 1 if the normal points towards the body, else -1.
    pub sign: f64,
}
