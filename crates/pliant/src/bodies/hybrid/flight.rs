//! Free flight: implicit midpoint seen from the turning frame.
//!
//! In the axes of the frame the nodes have places `q = r + e` and velocities `z` (relative to the centre of mass):
//!
//! ```text
//! z' = F(e)/m - w x z,     e' = z - w x q,     R' = R [w]x,     w such that  sum m r x e' = 0
//! ```
//!
//! Gyroscopic terms ([TW88] Eq. 9c: centrifugal, Coriolis, transverse) are all in `w x z`. At the midpoint the elastic
//! force does exactly the work that its energy loses, because `E` is quadratic in `e` and `F` has neither net force nor
//! torque; `w x z` does none. So energy is kept. The angular momentum in world axes is carried over as it is. With
//! stiffness beyond all bounds what is left is the midpoint rule of a rigid body.
//!
//! The unknown is `z` at the midpoint; a quasi-Newton iteration with the one factored matrix finds it.

use super::shared::Shared;
use crate::bodies::node_frame::{inertia_of, keep_momentum, moment, spread};
use crate::math::{Quat, Vec3, cayley, pseudo_inverse};

/// State at the end of a step.
pub struct Landed {
    /// Turn of the frame over the step, in its own axes.
    pub turn: Quat,
    pub e: Vec<Vec3>,
    pub z: Vec<Vec3>,
}

/// A spin that turns the body further than this in a step is left to the other integrator `[rad]`.
const LARGEST_TURN: f64 = 0.5;
const ITERATIONS: u32 = 40;
/// Squared relative change at which the iteration ends; what is left is ten times smaller still.
const ENOUGH: f64 = 1e-19;

/// One step from `(e, z)`; none if the iteration does not converge.
pub fn fly(shared: &Shared, h: f64, reference: &[Vec3], e: &[Vec3], z: &[Vec3]) -> Option<Landed> {
    let mass = &shared.mass[..];
    let flight = shared.flight(h);
    let modes = &flight.modes;
    let place = |e: &[Vec3]| -> Vec<Vec3> { reference.iter().zip(e).map(|(r, e)| *r + *e).collect() };
    let spin = |q: &[Vec3], z: &[Vec3]| {
        let s = inertia_of(&spread(mass, q, reference));
        let turned = moment(mass, reference, z);
        pseudo_inverse(&s) * turned
    };
    let mut q = place(e);
    let mut zm = z.to_vec();
    let mut w = spin(&q, &zm);
    if w.length() * h > LARGEST_TURN {
        return None;
    }
    let mut last = f64::INFINITY;
    for _ in 0..ITERATIONS {
        // First the spin that leaves no turn in the rate: any left over would look like strain to the stiff force.
        w = spin(&q, &zm);
        let rate: Vec<Vec3> = zm.iter().zip(&q).map(|(z, q)| *z - w.cross(*q)).collect();
        let em: Vec<Vec3> = e.iter().zip(&rate).map(|(e, v)| *e + 0.5 * h * *v).collect();
        q = place(&em);
        // Elastic force of the displacement and, Kelvin-Voigt, of its rate.
        let strained: Vec<Vec3> = em.iter().zip(&rate).map(|(e, v)| *e + *v * shared.beta).collect();
        let force = shared.force(reference, &strained, &q);
        let mut step: Vec<Vec3> = (0..zm.len())
            .map(|i| (z[i] - zm[i] - 0.5 * h * w.cross(zm[i])) * mass[i] + 0.5 * h * force[i])
            .collect();
        // Rigid part at full length, elastic part through the factor.
        let turning: Vec3 = modes.q.iter().zip(&step).map(|(r, b)| r.cross(*b)).sum();
        let turn = modes.inverse_inertia * turning;
        let shift = step.iter().sum::<Vec3>() / shared.total_mass;
        flight.factor.solve(&mut step);
        modes.elastic(mass, &flight.still, &mut step);
        let mut change = 0.0f64;
        let mut size = 0.0f64;
        for ((zm, d), r) in zm.iter_mut().zip(&step).zip(&modes.q) {
            let d = *d + shift + turn.cross(*r);
            *zm += d;
            change = change.max(d.length_squared());
            size = size.max(zm.length_squared());
        }
        if !change.is_finite() {
            return None;
        }
        // Converged, or as far as round-off lets it.
        let stalled = change >= last && change <= 1e-20 * size;
        last = change;
        if change <= ENOUGH * size || stalled {
            return Some(land(shared, reference, (e, z), (&em, &zm), cayley(h * w)));
        }
    }
    None
}

/// From the midpoint to the end.
fn land(
    shared: &Shared,
    reference: &[Vec3],
    (e, z): (&[Vec3], &[Vec3]),
    (em, zm): (&[Vec3], &[Vec3]),
    turn: Quat,
) -> Landed {
    let mass = &shared.mass[..];
    let e1: Vec<Vec3> = em.iter().zip(e).map(|(m, e)| 2.0 * *m - *e).collect();
    let mut z1: Vec<Vec3> = zm.iter().zip(z).map(|(m, z)| 2.0 * *m - *z).collect();
    let before: Vec<Vec3> = reference.iter().zip(e).map(|(r, e)| *r + *e).collect();
    let q1: Vec<Vec3> = reference.iter().zip(&e1).map(|(r, e)| *r + *e).collect();
    let kept = turn.inverse() * moment(mass, &before, z);
    keep_momentum(mass, &q1, &mut z1, kept);
    Landed { turn, e: e1, z: z1 }
}
