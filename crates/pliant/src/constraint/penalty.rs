//! The penalty method: a rubber band per condition.

use super::problem::descend;
use super::{Problem, Sense};

/// Minimises `f + sum c g^2`, `[PB88]` Eq. 4 and 6. An inequality pulls only where it is broken.
///
/// No state, no extra equations, and no exact answer: a load `F` moves the result by `F / 2c` off the condition, and a
/// strength that makes this small makes the equations stiff.
///
/// ```
/// use pliant::constraint::{Penalty, Problem};
///
/// let weight = |_: &[f64], gradient: &mut [f64]| { gradient[0] = 9.81; 0.0 };
/// let height = |x: &[f64], gradient: &mut [f64]| { gradient[0] = 1.0; x[0] };
/// let problem = Problem::new(&weight).at_least(&height);
/// let band = Penalty { strength: 500.0 };
/// let mut x = [0.1];
/// for _ in 0..20_000 {
///     band.step(&problem, &mut x, 1e-3);
/// }
/// assert!((x[0] + 9.81 / (2.0 * 500.0)).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// `c`: half the stiffness of the rubber band.
    pub strength: f64,
}

impl Penalty {
    /// The energy with all rubber bands, `[PB88]` Eq. 6.
    pub fn energy(&self, problem: &Problem, x: &[f64]) -> f64 {
        let broken =
            |(sense, value): (Sense, f64)| if sense == Sense::Equal { value } else { value.min(0.0) };
        let senses = problem.conditions().iter().map(|c| c.sense);
        let squares: f64 = senses.zip(problem.values(x)).map(broken).map(|g| g * g).sum();
        problem.energy(x) + self.strength * squares
    }

    /// Minus the gradient of that energy: the force on a state in motion, and its velocity in gradient descent.
    pub fn force(&self, problem: &Problem, x: &[f64]) -> Vec<f64> {
        // The slope of c g^2 is 2 c g.
        problem.force_with(x, |_, condition, value| condition.sense.augment(0.0, 2.0 * self.strength, value))
    }

    /// One step of gradient descent on that energy.
    pub fn step(&self, problem: &Problem, x: &mut [f64], dt: f64) {
        let force = self.force(problem, x);
        descend(x, &force, dt);
    }
}
