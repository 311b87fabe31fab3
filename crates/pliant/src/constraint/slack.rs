//! Inequalities as equalities with one more unknown.

use super::Function;

/// The inequality `h >= 0` as the equality `h - z^2 = 0`, with the slack variable `z` in the state: `[PB88]` Eq. 22.
///
/// The inequality itself must leave the slot of `z` alone. Start `z` away from 0, where its slope vanishes. The one-sided
/// form, [`Problem::at_least`](super::Problem::at_least), needs no extra unknown and has no such place.
///
/// ```
/// use pliant::constraint::{Augmented, Problem, Slack};
///
/// // Minimise (x + 1)^2 subject to x >= 0; the state is (x, z).
/// let energy = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] + 1.0);
///     (x[0] + 1.0).powi(2)
/// };
/// let positive = |x: &[f64], gradient: &mut [f64]| { gradient[0] = 1.0; x[0] };
/// let positive = Slack { inequality: positive, at: 1 };
/// let problem = Problem::new(&energy).equal(&positive);
/// let mut method = Augmented::new(&problem, 5.0);
/// method.multiplier_time = 1.0;
/// let mut state = [0.5, 1.0];
/// for _ in 0..30_000 {
///     method.step(&problem, &mut state, 0.002);
/// }
/// assert!(state[0].abs() < 1e-9);
/// ```
pub struct Slack<F> {
    /// `h`.
    pub inequality: F,
    /// Where in the state `z` stands.
    pub at: usize,
}

impl<F: Function> Function for Slack<F> {
    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let h = self.inequality.evaluate(x, gradient);
        let z = x[self.at];
        gradient[self.at] = -2.0 * z;
        h - z * z
    }
}
