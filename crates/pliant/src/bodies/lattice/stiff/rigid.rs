//! The answer of an implicit step to a push, with rigid motion set apart.
//!
//! ```text
//! Phi G Phi^T + E,   E = A^-1 - Y Gi Y^T,   Y = A^-1 M Phi,   G = (Phi^T M Phi)^-1,   Gi = (Phi^T M Y)^-1
//! ```
//!
//! with `Phi` the rigid motions of the present shape, node blocks `[1, -[q]x]`: as for hybrid bodies, but that `A` now mixes
//! directions.

use super::super::shared::Shared;
use super::matrix::Factored;
use crate::bodies::node_frame::{Modes6, inverse_inertia, moment, total};
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

/// Rigid motion of a shape under a matrix.
pub struct Rigid {
    /// The matrix.
    pub factored: Arc<Factored>,
    /// Inverse inertia of the shape, frame's axes.
    pub inverse_inertia: Mat3,
    /// `A^-1 m (axis x q)` for turns about x, y and z.
    turned: [Vec<Vec3>; 3],
    gi: Modes6,
}

impl Rigid {
    /// For a shape `q`; `b` is solved for in the same go.
    pub fn new(shared: &Shared, factored: Arc<Factored>, q: &[Vec3], b: &mut [Vec3]) -> Self {
        let mass = &shared.mass[..];
        let turn = |axis: Vec3| q.iter().zip(mass).map(|(q, m)| axis.cross(*q) * *m).collect::<Vec<_>>();
        let [mut x, mut y, mut z] = Vec3::AXES.map(turn);
        factored.solve([b, &mut x, &mut y, &mut z]);
        let turned = [x, y, z];
        let columns = |of: [Vec3; 3]| Mat3::from_cols(of[0], of[1], of[2]);
        let shift = columns(factored.still.each_ref().map(|y| total(mass, y)));
        // Rows of `Phi^T M Y` for turns, columns for shifts; and turns by turns.
        let lean = columns(factored.still.each_ref().map(|y| moment(mass, q, y))).transpose();
        let turn = columns(turned.each_ref().map(|y| moment(mass, q, y)));
        let gi = Modes6::new(&[shift, lean, turn]);
        Self { factored, inverse_inertia: inverse_inertia(mass, q), turned, gi }
    }

    /// `E b` from `d = A^-1 b`: takes away what `A^-1` did to rigid motion.
    pub fn elastic(&self, mass: &[f64], q: &[Vec3], d: &mut [Vec3]) {
        let (a, w) = self.gi.solve(total(mass, d), moment(mass, q, d));
        let all = self.factored.still.iter().zip(a.to_array()).chain(self.turned.iter().zip(w.to_array()));
        for (y, share) in all {
            d.iter_mut().zip(y).for_each(|(d, y)| *d -= *y * share);
        }
    }

    /// `Y` at a corner of the skin: what shifts and turns of all make of it, as matrices of columns.
    pub fn at_corner(&self, shared: &Shared, corner: usize) -> [Mat3; 2] {
        [&self.factored.still, &self.turned].map(|y| {
            let [a, b, c] = y.each_ref().map(|y| shared.at_corner(corner, y));
            Mat3::from_cols(a, b, c)
        })
    }

    /// `Gi Y^T` of a corner, from its `Y`: what a push there loses to rigid motion.
    pub fn lost(&self, [shift, turn]: &[Mat3; 2]) -> [Mat3; 2] {
        let (mut lost_shift, mut lost_turn) = (Mat3::ZERO, Mat3::ZERO);
        let (shift, turn) = (shift.transpose(), turn.transpose());
        for (d, axis) in Vec3::AXES.into_iter().enumerate() {
            let (a, w) = self.gi.solve(shift * axis, turn * axis);
            *lost_shift.col_mut(d) = a;
            *lost_turn.col_mut(d) = w;
        }
        [lost_shift, lost_turn]
    }
}
