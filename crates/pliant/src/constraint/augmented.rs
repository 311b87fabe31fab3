//! The augmented Lagrangian: multipliers and rubber bands together.

use super::problem::descend;
use super::{Condition, Problem};

/// Multipliers that are found on the way, with a rubber band per condition that damps: `[PB88]` Eq. 25 and 26.
///
/// With `p = lambda + c g` for an equality and `p = max(0, lambda - c h)` for an inequality,
///
/// ```text
/// x'      = -grad f - p grad g      or      -grad f + p grad h
/// lambda' = (p - lambda) / tau
/// ```
///
/// which for an equality is `lambda' = g` of Eq. 26 when `tau = c`, as it is unless
/// [`multiplier_time`](Self::multiplier_time) says otherwise. The rubber band does not move the solution, because it is
/// slack there.
#[derive(Clone, Debug)]
pub struct Augmented {
    strength: f64,
    /// `tau`: time in which multipliers take over what the rubber bands carry.
    pub multiplier_time: f64,
    /// Largest absolute value of any multiplier. Conditions that contradict each other drive theirs up without end
    /// (`[PB88]` Eq. 85); with a limit they settle at a compromise with bounded forces.
    pub limit: f64,
    multipliers: Vec<f64>,
}

impl Augmented {
    /// Multipliers 0 for every condition of the problem, rubber bands of strength `c`.
    ///
    /// # Panics
    ///
    /// If the strength is not above 0: without rubber bands this is [`Lagrange`](super::Lagrange).
    pub fn new(problem: &Problem, strength: f64) -> Self {
        assert!(strength > 0.0, "the strength of an augmented Lagrangian must be above 0; it is {strength}");
        let multipliers = vec![0.0; problem.conditions().len()];
        Self { strength, multiplier_time: strength, limit: f64::INFINITY, multipliers }
    }

    /// The multipliers, in the order of the conditions; see [`Sense`](super::Sense) for their signs.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// One step: the state first, then the multipliers from where it went.
    pub fn step(&mut self, problem: &Problem, x: &mut [f64], dt: f64) {
        let c = self.strength;
        // [PB88] Eq. 25.
        let augmented = |i: usize, condition: &Condition, value: f64| {
            condition.sense.augment(self.multipliers[i], c, value)
        };
        descend(x, &problem.force_with(x, augmented), dt);
        let values = problem.values(x);
        for ((lambda, condition), value) in self.multipliers.iter_mut().zip(problem.conditions()).zip(values)
        {
            // [PB88] Eq. 26.
            *lambda += dt / self.multiplier_time * (condition.sense.augment(*lambda, c, value) - *lambda);
            *lambda = lambda.clamp(-self.limit, self.limit);
        }
    }
}
