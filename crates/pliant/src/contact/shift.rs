//! The least change of displacements, in the mass metric, that opens gaps that would be too small.

use super::links::Links;
use super::rows::{ControlRow, Grip, Row, Rows, push, velocity};
use crate::math::Vec3;

/// Changes `rows.u` so that every row opens by what `need` says, which is negative where there is room. Begins with the
/// rows `seeds` and goes on to those of bodies that this moves. Velocities stay as they are; controlled points stay
/// where they are.
pub fn shift(rows: &mut Rows, links: &Links, seeds: Vec<u32>, need: impl Fn(&Row) -> f64, care: Care) {
    let mut w = vec![0.0; rows.u.len()];
    let mut work = Shift { rows, w: &mut w, moved: vec![0; rows.offsets.len()], now: 1, fresh: vec![] };
    let mut listed = vec![false; rows.rows.len()];
    seeds.iter().for_each(|k| listed[*k as usize] = true);
    let mut active: Vec<Active> = seeds.into_iter().map(|k| Active::new(rows, k, &need)).collect();
    let enough = care.enough * active.iter().map(|a| a.need).fold(0.0, f64::max);
    for sweep in 0..care.sweeps {
        // Only what has moved, or has to, is looked at.
        if !work.fresh.is_empty() {
            for body in std::mem::take(&mut work.fresh) {
                for side in links.of(body, &rows.rows) {
                    if !std::mem::replace(&mut listed[side.number as usize], true) {
                        active.push(Active::new(rows, side.number, &need));
                    }
                }
            }
            // What was there is in order already, which this sort makes use of.
            active.sort_by_key(|a| a.row);
        }
        let mut change = 0.0f64;
        for i in 0..active.len() {
            let at = if sweep % 2 == 0 { i } else { active.len() - 1 - i };
            // Of a large pile most is at rest while a corner of it is put right.
            if work.concerns(&active[at]) {
                change = change.max(work.open(&mut active[at], care.slight));
            }
        }
        for row in &rows.controls {
            work.hold(row);
        }
        if change <= enough {
            break;
        }
    }
    rows.u.iter_mut().zip(&w).for_each(|(u, w)| *u += w);
}

/// How far gaps are opened.
#[derive(Clone, Copy)]
pub struct Care {
    /// Sweeps at most.
    pub sweeps: u32,
    /// They end when none changes more than this share of the largest need.
    pub enough: f64,
    /// Changes by less than this share of a clearance, over the length of the step, are let be `[1/s]`.
    pub slight: f64,
}

/// A row that is looked at.
struct Active {
    row: u32,
    /// By how much it has to open.
    need: f64,
    /// Its multiplier.
    lambda: f64,
    /// When it was last looked at; zero if never.
    seen: u64,
}

impl Active {
    fn new(rows: &Rows, row: u32, need: &impl Fn(&Row) -> f64) -> Self {
        Self { row, need: need(&rows.rows[row as usize]), lambda: 0.0, seen: 0 }
    }
}

struct Shift<'a> {
    rows: &'a Rows,
    /// The shift so far.
    w: &'a mut [f64],
    /// When each body last moved; zero if it has not.
    moved: Vec<u64>,
    /// Counts the moves.
    now: u64,
    /// Bodies that have moved for the first time.
    fresh: Vec<u32>,
}

impl Shift<'_> {
    fn has_moved(&self, grip: &Grip) -> bool {
        !grip.is_fixed() && self.moved[grip.body as usize] > 0
    }

    /// Whether a row may need another look: nobody has seen it yet, or a side of it has moved since.
    fn concerns(&self, active: &Active) -> bool {
        let row = &self.rows.rows[active.row as usize];
        let since = |grip: &Grip| !grip.is_fixed() && self.moved[grip.body as usize] > active.seen;
        active.seen == 0 || since(&row.a) || since(&row.b)
    }

    fn at(&self, grip: &Grip) -> Vec3 {
        if !self.has_moved(grip) {
            return Vec3::ZERO;
        }
        velocity(grip.lever, &self.w[self.rows.part(grip.body as usize)], &self.rows.store)
    }

    fn push(&mut self, grip: &Grip, p: Vec3) {
        if grip.is_fixed() {
            return;
        }
        let b = grip.body as usize;
        push(grip.lever, &mut self.w[self.rows.part(b)], p, &self.rows.store, &self.rows.masses[b]);
        if std::mem::replace(&mut self.moved[b], self.now) == 0 {
            self.fresh.push(grip.body);
        }
    }

    /// Opens one gap; returns by how much. Less than a `slight` share of the clearance is let be.
    fn open(&mut self, active: &mut Active, slight: f64) -> f64 {
        active.seen = self.now;
        let row: &Row = &self.rows.rows[active.row as usize];
        let opening = row.axes[0].dot(self.at(&row.a) - self.at(&row.b));
        let wanted = (active.lambda + (active.need - opening) * row.mobility).max(0.0);
        let step = wanted - active.lambda;
        let opened = (step / row.mobility).abs();
        if opened <= slight * row.clearance {
            return 0.0;
        }
        active.lambda = wanted;
        self.now += 1;
        let p = row.axes[0] * step;
        self.push(&row.a, p);
        self.push(&row.b, -p);
        active.seen = self.now;
        opened
    }

    fn hold(&mut self, row: &ControlRow) {
        if self.has_moved(&row.a) || self.has_moved(&row.b) {
            let step = row.mobility * (self.at(&row.b) - self.at(&row.a));
            self.now += 1;
            self.push(&row.a, step);
            self.push(&row.b, -step);
        }
    }
}
