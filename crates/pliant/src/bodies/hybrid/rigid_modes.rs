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
use super::frame::{inertia_of, moment, spread, total};
use crate::math::{Mat3, Vec3, pseudo_inverse, skew};

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

/// Inverse inertia of a shape.
pub fn inverse_inertia(mass: &[f64], q: &[Vec3]) -> Mat3 {
    pseudo_inverse(&inertia_of(&spread(mass, q, q)))
}

/// A symmetric 6x6 matrix in Cholesky form; directions without weight are left out.
struct Modes6([[f64; 6]; 6]);

impl Modes6 {
    /// From its blocks: translation, between, rotation.
    fn new([tt, tr, rr]: &[Mat3; 3]) -> Self {
        let mut l = [[0.0; 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                l[i][j] = tt.col(j)[i];
                l[i + 3][j] = tr.col(i)[j];
                l[i + 3][j + 3] = 0.5 * (rr.col(j)[i] + rr.col(i)[j]);
            }
        }
        let diagonal: [f64; 6] = std::array::from_fn(|i| l[i][i]);
        for j in 0..6 {
            let square = l[j][j] - l[j][..j].iter().map(|v| v * v).sum::<f64>();
            let root = if square > 1e-9 * diagonal[j] { square.sqrt() } else { f64::INFINITY };
            l[j][j] = root;
            for i in j + 1..6 {
                let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                l[i][j] = (l[i][j] - sum) / root;
            }
        }
        Self(l)
    }

    fn solve(&self, t: Vec3, w: Vec3) -> (Vec3, Vec3) {
        let l = &self.0;
        let mut x = [t.x, t.y, t.z, w.x, w.y, w.z];
        for i in 0..6 {
            let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for i in (0..6).rev() {
            let sum: f64 = (i + 1..6).map(|k| l[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]))
    }
}
