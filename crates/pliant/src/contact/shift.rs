//! Displacements in small scenes: the least change, in the mass metric, that opens gaps that would be too small.

use super::rows::{ControlRow, Grip, Row, Rows, push, velocity};
use crate::math::Vec3;

/// Changes `rows.u` so that every row opens by what `needs` names: one per row, negative where there is room.
/// Velocities stay as they are; controlled points stay where they are.
pub fn shift(rows: &mut Rows, needs: &[f64], sweeps: u32) {
    let mut w = vec![0.0; rows.u.len()];
    let mut work =
        Shift { rows, w: &mut w, lambda: vec![0.0; rows.rows.len()], moved: vec![false; rows.offsets.len()] };
    let enough = 0.02 * needs.iter().copied().fold(0.0, f64::max);
    // Only what has moved, or has to, is looked at.
    let mut active: Vec<u32> = vec![];
    let mut listed = vec![false; rows.rows.len()];
    let mut grown = true;
    for sweep in 0..sweeps {
        if std::mem::take(&mut grown) {
            for (k, row) in rows.rows.iter().enumerate() {
                if !listed[k] && (needs[k] > 0.0 || work.has_moved(&row.a) || work.has_moved(&row.b)) {
                    listed[k] = true;
                    active.push(k as u32);
                }
            }
            active.sort_unstable();
        }
        let mut change = 0.0f64;
        for i in 0..active.len() {
            let k = active[if sweep % 2 == 0 { i } else { active.len() - 1 - i }] as usize;
            let (by, fresh) = work.open(k, needs[k]);
            change = change.max(by);
            grown |= fresh;
        }
        for row in &rows.controls {
            grown |= work.hold(row);
        }
        if change < enough {
            break;
        }
    }
    rows.u.iter_mut().zip(&w).for_each(|(u, w)| *u += w);
}

struct Shift<'a> {
    rows: &'a Rows,
    /// The shift so far.
    w: &'a mut [f64],
    /// Multiplier of each row.
    lambda: Vec<f64>,
    moved: Vec<bool>,
}

impl Shift<'_> {
    fn has_moved(&self, grip: &Grip) -> bool {
        !grip.is_fixed() && self.moved[grip.body as usize]
    }

    fn at(&self, grip: &Grip) -> Vec3 {
        if grip.is_fixed() {
            return Vec3::ZERO;
        }
        let b = grip.body as usize;
        let part = self.rows.offsets[b] as usize..self.rows.offsets[b + 1] as usize;
        velocity(grip.lever, &self.w[part], &self.rows.store)
    }

    /// Whether this moves a body that had not moved.
    fn push(&mut self, grip: &Grip, p: Vec3) -> bool {
        if grip.is_fixed() {
            return false;
        }
        let b = grip.body as usize;
        let part = self.rows.offsets[b] as usize..self.rows.offsets[b + 1] as usize;
        push(grip.lever, &mut self.w[part], p, &self.rows.store, &self.rows.masses[b]);
        !std::mem::replace(&mut self.moved[b], true)
    }

    /// Opens one gap; returns by how much, and whether that set a new body in motion.
    fn open(&mut self, k: usize, need: f64) -> (f64, bool) {
        let row: &Row = &self.rows.rows[k];
        let opening = row.axes[0].dot(self.at(&row.a) - self.at(&row.b));
        let wanted = (self.lambda[k] + (need - opening) * row.mobility).max(0.0);
        let step = wanted - self.lambda[k];
        if step == 0.0 {
            return (0.0, false);
        }
        self.lambda[k] = wanted;
        let p = row.axes[0] * step;
        let fresh = self.push(&row.a, p) | self.push(&row.b, -p);
        ((step / row.mobility).abs(), fresh)
    }

    fn hold(&mut self, row: &ControlRow) -> bool {
        if !self.has_moved(&row.a) && !self.has_moved(&row.b) {
            return false;
        }
        let step = row.mobility * (self.at(&row.b) - self.at(&row.a));
        self.push(&row.a, step) | self.push(&row.b, -step)
    }
}
