//! How a lattice body answers pushes: at points of its skin, and as a whole.

use super::{BEFORE, Lattice};
use crate::bodies::{Body, Hold, Lever, points};
use crate::contact::wide;
use crate::math::{Mat3, Vec3, pseudo_inverse, skew};
use crate::skin::SkinPoint;

impl Lattice {
    /// How a skin point answers: by the nodes that carry it.
    pub(super) fn lever_at(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let at = store.len() as u32;
        let carriers = self.shared.carriers_of(p);
        store.extend((p.at - self.middle).to_array());
        for (slot, w) in &carriers {
            let mass = self.shared.mass[self.shared.outer[*slot as usize] as usize];
            store.extend([(BEFORE as u32 + 3 * *slot) as f64, *w, w / mass]);
        }
        Lever::Nodes { at, count: carriers.len() as u32 }
    }

    /// How the whole answers.
    pub(super) fn lever_of_frame(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let shared = &self.shared;
        let n = self.y.len();
        let none = || [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let (mut rows, mut answers) = (none(), none());
        let inverse = pseudo_inverse(&points::inertia(&self.x, &shared.mass, self.centre().0));
        let spins = hold == Hold::Spin;
        // What a node's velocity adds to that of the whole.
        let share = |node: u32| {
            let m = shared.mass[node as usize];
            match spins {
                true => inverse * skew(self.x[node as usize] - self.middle) * m,
                false => Mat3::from_diagonal(Vec3::splat(m / shared.total_mass)),
            }
        };
        let mut put = |to: usize, m: Mat3| {
            for d in 0..3 {
                (0..3).for_each(|e| rows[d][to + e] = m.col(e)[d]);
            }
        };
        let (own, answer) = match spins {
            true => (4, inverse),
            false => (0, Mat3::from_diagonal(Vec3::splat(1.0 / shared.total_mass))),
        };
        put(own, Mat3::IDENTITY);
        let mut still = self.v.clone();
        for (slot, node) in shared.outer.iter().enumerate() {
            put(BEFORE + 3 * slot, share(*node));
            still[*node as usize] = Vec3::ZERO;
        }
        let inner: Vec3 = (0..still.len() as u32).map(|i| share(i) * still[i as usize]).sum();
        for d in 0..3 {
            rows[d][3] = inner[d];
            (0..3).for_each(|e| answers[d][own + e] = answer.col(d)[e]);
        }
        wide(store, &rows, &answers)
    }
}
