//! The answer of an implicit step to a push, with rigid motion set apart.
//!
//! `A^-1 = (M + s K)^-1` knows nothing of frames: it would brake a body that only turns. The answer of the body is
//!
//! ```text
//! Phi G Phi^T + E,   E = A^-1 - Y Gi Y^T,   Y = A^-1 M Phi,   G = (Phi^T M Phi)^-1,   Gi = (Phi^T M Y)^-1
//! ```
//!
//! with `Phi` the rigid motions of the present shape, node blocks `[1, -[q]x]`. It equals the inverse of
//! `M + s P^T K P` with `P` taking rigid motion away, yet keeps the rigid limit to round-off. In the stiff limit `E`
//! vanishes and a rigid body remains.

use super::factor::Factor;
use crate::bodies::node_frame::{Modes6, inertia_of, inverse_inertia, moment, spread, total};
use crate::math::{Mat3, Vec3, skew};

/// Rigid modes of one shape under one factor.
pub struct RigidModes {
    /// The shape: positions about the centre of mass in the body's axes.
    pub q: Vec<Vec3>,
    /// Inverse inertia of the shape, body axes.
    pub inverse_inertia: Mat3,
    /// `A^-1 m q`.
    eta: Vec<Vec3>,
    /// `Gi`, as its factor.
    gi: Modes6,
}

impl RigidModes {
    /// For a shape `q`; `still` is `A^-1 m`.
    pub fn new(mass: &[f64], factor: &Factor, still: &[f64], q: Vec<Vec3>) -> Self {
        let mut eta = Self::load(mass, &q);
        factor.solve(&mut eta);
        let inertia = inverse_inertia(mass, &q);
        Self::solved(mass, still, (q, inertia), eta)
    }

    /// `m q`, of which `eta` is the solution.
    pub fn load(mass: &[f64], q: &[Vec3]) -> Vec<Vec3> {
        q.iter().zip(mass).map(|(q, m)| *q * *m).collect()
    }

    /// The same, with the inverse inertia known and `eta` solved for already.
    pub fn solved(
        mass: &[f64],
        still: &[f64],
        (q, inverse_inertia): (Vec<Vec3>, Mat3),
        eta: Vec<Vec3>,
    ) -> Self {
        let along: f64 = mass.iter().zip(still).map(|(m, y)| m * y).sum();
        let lean = skew(total(mass, &eta)) * -1.0;
        // sum m [q]^T [eta] = sum m ((q.eta) 1 - eta q^T)
        let turn = inertia_of(&spread(mass, &eta, &q));
        let gi = Modes6::new(&[Mat3::from_diagonal(Vec3::splat(along)), lean, turn]);
        Self { q, inverse_inertia, eta, gi }
    }

    /// `E b` from `d = A^-1 b`: takes away what `A^-1` did to rigid motion.
    pub fn elastic(&self, mass: &[f64], still: &[f64], d: &mut [Vec3]) {
        let (a, w) = self.gi.solve(total(mass, d), moment(mass, &self.q, d));
        for ((d, y), eta) in d.iter_mut().zip(still).zip(&self.eta) {
            *d -= a * *y + w.cross(*eta);
        }
    }

    /// `Gi Y_a^T` of a node, as its parts for translation and rotation: what a push there loses to rigid motion.
    pub fn lost(&self, still: &[f64], a: usize) -> [Mat3; 2] {
        let (mut shift, mut turn) = (Mat3::ZERO, Mat3::ZERO);
        for (d, unit) in Vec3::AXES.into_iter().enumerate() {
            // Y_a^T unit = (still_a unit, eta_a x unit)
            let (t, w) = self.gi.solve(unit * still[a], self.eta[a].cross(unit));
            *shift.col_mut(d) = t;
            *turn.col_mut(d) = w;
        }
        [shift, turn]
    }

    /// `eta` of a node.
    pub fn eta(&self, node: usize) -> Vec3 {
        self.eta[node]
    }
}
