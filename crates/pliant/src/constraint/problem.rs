//! What is to be minimised, and under which conditions.

use super::Function;

/// Minimise an energy, subject to conditions: `[PB88]` Eq. 2 and 5, with inequalities.
pub struct Problem<'a> {
    energy: &'a dyn Function,
    conditions: Vec<Condition<'a>>,
}

/// A function that must vanish, or must not be negative.
#[derive(Clone, Copy)]
pub struct Condition<'a> {
    /// The function.
    pub function: &'a dyn Function,
    /// What it must be.
    pub sense: Sense,
}

/// What a condition asks of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// `g = 0`. Its multiplier is the `lambda` of `[PB88]` Eq. 9: the force is `-lambda` times the gradient.
    Equal,
    /// `h >= 0`. Its multiplier is never negative: the force is `+lambda` times the gradient, away from the limit.
    AtLeast,
}

impl Sense {
    /// Force along the gradient per unit of the multiplier.
    pub(super) fn sign(self) -> f64 {
        match self {
            Sense::Equal => -1.0,
            Sense::AtLeast => 1.0,
        }
    }

    /// A multiplier together with the rubber band of strength `c` at a value of the function, in one.
    pub(super) fn augment(self, multiplier: f64, c: f64, value: f64) -> f64 {
        match self {
            // [PB88] Eq. 25.
            Sense::Equal => multiplier + c * value,
            // Differs from [PB88] Eq. 23: its square has no slope on the limit, so that its multiplier grows for ever and
            // the limit is never reached. This one lets go by itself and has the full slope.
            Sense::AtLeast => (multiplier - c * value).max(0.0),
        }
    }
}

impl<'a> Problem<'a> {
    /// An energy without conditions.
    pub fn new(energy: &'a dyn Function) -> Self {
        Self { energy, conditions: vec![] }
    }

    /// Adds the condition `g = 0`.
    pub fn equal(mut self, g: &'a dyn Function) -> Self {
        self.conditions.push(Condition { function: g, sense: Sense::Equal });
        self
    }

    /// Adds the condition `h >= 0`.
    pub fn at_least(mut self, h: &'a dyn Function) -> Self {
        self.conditions.push(Condition { function: h, sense: Sense::AtLeast });
        self
    }

    /// The conditions, in the order in which they were added.
    pub fn conditions(&self) -> &[Condition<'a>] {
        &self.conditions
    }

    /// The energy at a state.
    pub fn energy(&self, x: &[f64]) -> f64 {
        self.energy.evaluate(x, &mut vec![0.0; x.len()])
    }

    /// The functions of all conditions at a state.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.conditions.iter().map(|c| c.function.evaluate(x, &mut vec![0.0; x.len()])).collect()
    }

    /// Minus the gradient of the energy: the force without any condition.
    pub fn force(&self, x: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; x.len()];
        self.energy.evaluate(x, &mut gradient);
        gradient.iter().map(|g| -g).collect()
    }

    /// The force with all conditions, each with the multiplier that `multiplier` chooses by the number of the condition, the
    /// condition and its value.
    pub(super) fn force_with(
        &self,
        x: &[f64],
        multiplier: impl Fn(usize, &Condition, f64) -> f64,
    ) -> Vec<f64> {
        let mut force = self.force(x);
        let mut gradient = vec![0.0; x.len()];
        for (i, condition) in self.conditions.iter().enumerate() {
            gradient.fill(0.0);
            let value = condition.function.evaluate(x, &mut gradient);
            let pull = condition.sense.sign() * multiplier(i, condition, value);
            force.iter_mut().zip(&gradient).for_each(|(f, g)| *f += pull * g);
        }
        force
    }
}

/// One step of gradient descent, `[PB88]` Eq. 3.
pub(super) fn descend(x: &mut [f64], force: &[f64], dt: f64) {
    x.iter_mut().zip(force).for_each(|(x, f)| *x += dt * f);
}
