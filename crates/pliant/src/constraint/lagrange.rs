//! The basic Lagrange constraint: multipliers that are found on the way.

use super::problem::descend;
use super::{Problem, Sense};

/// Descends in the state and ascends in the multipliers, `[PB88]` Eq. 17-21.
///
/// Converges where the energy damps motion along the gradients of the conditions; [`Augmented`](super::Augmented) adds
/// that damping. Descent in the multipliers, too, would be Eq. 15 and 16: a negative `rate`, which runs away, because the
/// solution is a saddle and no minimum.
#[derive(Clone, Debug)]
pub struct Lagrange {
    /// Growth of a multiplier per unit of its condition's value: 1 in Eq. 18. The text's `k g` in place of `g` is a rate
    /// of `k^2`: faster oscillations, and no sooner an end.
    pub rate: f64,
    multipliers: Vec<f64>,
}

impl Lagrange {
    /// Multipliers 0 for every condition of the problem.
    pub fn new(problem: &Problem) -> Self {
        Self { rate: 1.0, multipliers: vec![0.0; problem.conditions().len()] }
    }

    /// The multipliers, in the order of the conditions; see [`Sense`] for their signs.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// One step: the state first, then the multipliers from where it went.
    pub fn step(&mut self, problem: &Problem, x: &mut [f64], dt: f64) {
        // [PB88] Eq. 20.
        descend(x, &problem.force_with(x, |i, _, _| self.multipliers[i]), dt);
        let values = problem.values(x);
        for ((lambda, condition), g) in self.multipliers.iter_mut().zip(problem.conditions()).zip(values) {
            // [PB88] Eq. 21, and for an inequality the same with a push that never becomes a pull.
            match condition.sense {
                Sense::Equal => *lambda += dt * self.rate * g,
                Sense::AtLeast => *lambda = (*lambda - dt * self.rate * g).max(0.0),
            }
        }
    }
}
