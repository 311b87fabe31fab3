//! Steps of free flight that keep energy and momenta, however much cells deform: the energy-momentum step.
//!
//! ```text
//! M (v1 - v0) = h F(x + h u/2, u),   u = (v0 + v1)/2,   x1 = x + h u
//! ```
//!
//! with forces that do over the step exactly the work that elastic energy loses (`Cells::forces_over`). They come from numbers
//! that rigid motion does not change, at the places in the middle of the step, so momenta are kept whatever they are. `u` is
//! found by Chebyshev's iteration: the equation is near a linear one, whose matrix `1 + h^2/4 M^-1 K` has eigenvalues from 1
//! up to what the limits say. What contact pushes at is `u`, and the end of the step has its velocity on top of that.

use super::Lattice;
use super::field::Field;
use super::forces::Motion;
use super::motion::Scratch;
use crate::math::Vec3;

/// The stiffest of the matrix over its softest that a step is taken with; a longer step is cut.
const STIFFEST: f64 = 3.0;
/// By so much stiffer than cells are they are taken to be.
const MARGIN: f64 = 1.1;
/// What `u` is off by, as a share of it: as good as nothing, and at most. For so many rounds nothing may be gained.
const EXACT: f64 = 1e-15;
const NEAR: f64 = 1e-10;
const PATIENCE: usize = 6;
/// Rounds at most.
const ROUNDS: usize = 400;
/// So often a step is halved at most.
const HALVINGS: u32 = 7;

/// Chebyshev's iteration for an equation whose matrix has eigenvalues from 1 on.
#[derive(Default)]
struct Chebyshev {
    /// What is beyond 1 of the largest eigenvalue.
    beyond: f64,
    rounds: usize,
    share: f64,
    direction: Field,
}

impl Chebyshev {
    /// Adds to `u` what follows from what is missing.
    fn add_to(&mut self, u: &mut Field, missing: &Field) {
        let (centre, radius) = (1.0 + 0.5 * self.beyond, 0.5 * self.beyond);
        let kept = match self.rounds {
            0 => 0.0,
            1 => 0.5 * (radius * self.share).powi(2),
            _ => 0.25 * (radius * self.share).powi(2),
        };
        self.share = if self.rounds == 0 { 1.0 / centre } else { 1.0 / (centre - kept / self.share) };
        self.rounds += 1;
        self.direction.scale_by(kept);
        self.direction.add(missing, 1.0);
        u.add(&self.direction, self.share);
    }
}

impl Lattice {
    /// Over a step; what acts from outside is as in other steps. `v` becomes the velocity of its way.
    pub(super) fn fly_conserving(&mut self, room: &mut Scratch, gravity: Vec3, h: f64) {
        let mut parts = (self.beyond_one(h, [1.0; 2]) / STIFFEST).sqrt().ceil().max(1.0);
        for _ in 0..HALVINGS {
            room.x.set(&self.x);
            room.v.set(&self.v);
            if (0..parts as usize).all(|_| self.fly_part(room, gravity, h / parts)) {
                break;
            }
            parts *= 2.0;
        }
        for (i, (from, v)) in self.x.iter().zip(&mut self.v).enumerate() {
            let way = (room.x.at(i) - *from) / h;
            self.lag.push(room.v.at(i) - way);
            *v = way;
        }
    }

    /// What is beyond 1 of the largest eigenvalue, where cells are so much stiffer and more viscous than at rest.
    fn beyond_one(&self, h: f64, [stiffer, thicker]: [f64; 2]) -> f64 {
        let limits = &self.shared.limits;
        (0.5 * h * limits.fastest_swing()).powi(2) * stiffer + 0.5 * h * limits.decay * thicker
    }

    /// Whether a way was found.
    fn fly_part(&self, room: &mut Scratch, gravity: Vec3, h: f64) -> bool {
        let shared = &self.shared;
        let Scratch { x, v, rate, outside, .. } = room;
        let (mut u, mut middle, mut found) = (v.clone(), x.clone(), v.clone());
        let (mut least, mut waited) = (f64::INFINITY, 0);
        let mut chebyshev = Chebyshev { direction: Field::new(v.len()), ..Chebyshev::default() };
        for _ in 0..ROUNDS {
            middle.set_to(x, 1.0);
            middle.add(&u, 0.5 * h);
            let motion = Motion { x: &middle, v: &u, inverse: &self.inverse };
            let beyond = self.beyond_one(h, shared.cells.forces_over(motion, h, rate));
            rate.scale_and_add(&shared.inverse_mass, gravity);
            shared.outer.iter().zip(outside.iter()).for_each(|(node, a)| rate.add_at(*node as usize, *a));
            // What `u` is still off by.
            rate.scale_by(0.5 * h);
            rate.add(v, 1.0);
            rate.add(&u, -1.0);
            let (missing, size) = (rate.largest(), u.largest());
            if missing < least {
                (least, waited) = (missing, 0);
                found.set_to(&u, 1.0);
            } else {
                waited += 1;
            }
            if missing <= EXACT * size || waited > PATIENCE || !missing.is_finite() {
                break;
            }
            if beyond > MARGIN * chebyshev.beyond {
                (chebyshev.beyond, chebyshev.rounds) = (MARGIN * beyond, 0);
            }
            chebyshev.add_to(&mut u, rate);
        }
        x.add(&found, h);
        // From the velocity before to that after, through the mean of both.
        v.scale_by(-1.0);
        v.add(&found, 2.0);
        least <= NEAR * found.largest().max(h * gravity.length())
    }
}
