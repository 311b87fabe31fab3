//! Many short loops of points in one list.

use std::ops::Index;

/// Loops of points, one after the other: a list of lists would take several times as much room.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Where each ends.
    ends: Vec<u32>,
    points: Vec<u32>,
}

impl Loops {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|k| &self[k])
    }
}

impl Index<usize> for Loops {
    type Output = [u32];

    fn index(&self, k: usize) -> &[u32] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.points[start as usize..self.ends[k] as usize]
    }
}

impl From<&[Vec<u32>]> for Loops {
    fn from(lists: &[Vec<u32>]) -> Self {
        let mut end = 0;
        let ends = lists.iter().map(|l| {
            end += l.len() as u32;
            end
        });
        Self { ends: ends.collect(), points: lists.concat() }
    }
}
