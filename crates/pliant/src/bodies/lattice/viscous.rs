//! Velocities over a step, with viscous forces however thick: stabilised explicit steps.
//!
//! While nodes stay where they are, `v' = a - V v`: forces and pushes that do not depend on velocities, and viscous ones, linear
//! in them. Plain explicit steps would have to be as short as the fastest decay. With `s` evaluations of `V` they may be
//! longer by nearly `s^2` [SV80], so syrup costs its square root.
//!
//! * Thin: two stages, of which the first is part of the same sum over the cells as the elastic forces. Of second order as long
//!   as decays are slow, so a body that turns, whose velocities point inwards after a step as much as they point outwards
//!   before, is not held up. Both stages have all of `a`: `v+ = v + h (1 - c h V)(a - V v)` stands still where `a = V v` and only
//!   there, so viscosity has no say in what a load at rest does. A part of `a` that came before or after would be weighed
//!   differently from what balances it.
//! * Thick: all that `a` does, then stages for `v' = -V v`. Were `a` spread over the stages, or half of it left for the end, what
//!   contact pushes at a node would not have reached its neighbours when the step ends, and the next step's guess of the push
//!   would be late.
//!
//! Neither ever turns a velocity around, which elastic forces would take for a swing and feed: with `0 <= R <= 1` the share of
//! a velocity that is left, swings are stable as if there were no viscosity. Nothing but viscous forces of velocities is
//! added, which neither push nor turn.

use super::field::Field;
use super::forces::{Cells, Motion};

/// How far below 1 the slowest of the fast decays is kept.
const DAMPING: f64 = 0.05;
/// The thickest that is computed, in steps over the time of the fastest decay at rest: some 400 stages. What is thicker moves
/// as if it were so thick.
pub const THICKEST: f64 = 1.5e5;
/// How near to `z = 1/c`, below, the fastest decay may come.
const NEAR: f64 = 0.9;
/// Up to this, in steps over the time of the fastest decay, two stages will do.
pub const THIN: f64 = 3.6;
/// Up to this there is room to become thicker when stretched.
pub const NEARLY_THICK: f64 = 0.85 * THIN;

/// What viscous forces act on.
pub struct Viscous<'a> {
    /// The cells.
    pub cells: &'a Cells,
    /// One over the mass of each node.
    pub inverse_mass: &'a [f64],
}

/// Room for stages.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    force: Field,
    now: Field,
    last: Field,
    next: Field,
}

impl Stages {
    /// For so many nodes.
    pub fn new(nodes: usize) -> Self {
        let field = || Field::new(nodes);
        Self { force: field(), now: field(), last: field(), next: field() }
    }

    /// Thin: lets velocities change for a time `h`, which at first do so at a `rate`, viscous forces included. `fastest` bounds
    /// the fastest decay.
    pub fn thin(
        &mut self,
        body: &Viscous,
        (x, v): (&Field, &mut Field),
        rate: &Field,
        (h, fastest): (f64, f64),
    ) {
        // A mode that decays as `exp(-z)` gets `1 - z + c z^2`: between 0 and 1 up to `z = 1/c` as long as `c` is at least a
        // quarter, and of second order with a half.
        let c = (NEAR / (h * fastest)).min(0.5);
        body.cells.viscous_forces(Motion { x, v: rate, inverse: &[] }, &mut self.force);
        for ((v, rate), force) in v.0.iter_mut().zip(&rate.0).zip(&self.force.0) {
            let each = v.iter_mut().zip(rate).zip(force).zip(body.inverse_mass);
            each.for_each(|(((v, rate), force), m)| *v += h * (rate + force * (c * h * m)));
        }
    }

    /// Thick: lets velocities decay for a time `h` by viscous forces alone.
    ///
    /// Twice half the time: the stages of one may turn a velocity around; two of them never do.
    pub fn thick(&mut self, body: &Viscous, (x, v): (&Field, &mut Field), (h, fastest): (f64, f64)) {
        for _ in 0..2 {
            self.decay(body, x, v, (0.5 * h, fastest));
        }
    }

    fn decay(&mut self, body: &Viscous, x: &Field, v: &mut Field, (h, fastest): (f64, f64)) {
        let stages = (h * fastest / (2.0 - 4.0 / 3.0 * DAMPING)).sqrt().ceil().max(1.0);
        let (count, w0) = (stages as usize, 1.0 + DAMPING / (stages * stages));
        // Chebyshev polynomials and their derivatives at w0.
        let (mut t, mut dt) = (vec![1.0, w0], vec![0.0, 1.0]);
        for j in 2..=count {
            t.push(2.0 * w0 * t[j - 1] - t[j - 2]);
            dt.push(2.0 * t[j - 1] + 2.0 * w0 * dt[j - 1] - dt[j - 2]);
        }
        let w1 = t[count] / dt[count];
        self.last.set_to(v, 1.0);
        self.now.set_to(v, 1.0);
        self.change(body, x, v);
        self.now.add(&self.force, h * w1 / w0);
        for j in 2..=count {
            let now = std::mem::take(&mut self.now);
            self.change(body, x, &now);
            self.next.set_to(&now, 2.0 * w0 * t[j - 1] / t[j]);
            self.next.add(&self.last, -t[j - 2] / t[j]);
            self.next.add(&self.force, h * 2.0 * w1 * t[j - 1] / t[j]);
            self.now = std::mem::replace(&mut self.last, now);
            std::mem::swap(&mut self.now, &mut self.next);
        }
        std::mem::swap(v, &mut self.now);
    }

    /// Into `force`, the acceleration by viscous forces of velocities.
    fn change(&mut self, body: &Viscous, x: &Field, v: &Field) {
        body.cells.viscous_forces(Motion { x, v, inverse: &[] }, &mut self.force);
        self.force.scale(body.inverse_mass);
    }
}
