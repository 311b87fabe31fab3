//! Reaction constraints: forces on a mass point, less those that would break the constraint, plus those that fulfil it.

mod path;
mod plane;
mod polygons;

pub use path::Target;
pub use plane::Plane;
pub use polygons::PolygonalModel;

use super::MassPoint;
use crate::math::Vec3;

/// A constraint that works on the net force of one mass point: `[PB88]` section 4.
///
/// What would break the constraint is taken out of the force, and a critically damped pull towards it is added. So the
/// result does not depend on the load, and no extra equations are needed; but a point can have only one such constraint
/// at a time, and its other forces must be known. For points of a [`World`](crate::World), whose other forces are not,
/// the rows of its solve do the same: see `method = "reaction"` of the controls in docs/SCENE_FORMAT.md.
///
/// ```
/// use pliant::constraint::{MassPoint, Plane, ReactionConstraint};
/// use pliant::math::Vec3;
///
/// let hold = ReactionConstraint { stiffness: 400.0 };
/// let table = Plane::new(Vec3::Y, 0.0);
/// let mut ball = MassPoint::at(Vec3::new(0.0, 0.3, 0.0), 1.0);
/// for _ in 0..3000 {
///     let weight = Vec3::NEG_Y * 9.81;
///     let forces = hold.above_plane(&ball, &table, weight);
///     ball.step(forces.output, 1e-3);
/// }
/// assert!(ball.position.y.abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReactionConstraint {
    /// `k`: how strongly the point is brought to where it should be `[N/m]`. With mass `m` the error falls as
    /// `exp(-sqrt(k/m) t)`; no load changes that. Steps of symplectic Euler are stable up to `0.828 sqrt(m/k)`.
    pub stiffness: f64,
}

/// What a reaction constraint makes of a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces {
    /// The net force the point must now have, in place of the input `[N]`: `[PB88]` Eq. 7.
    pub output: Vec3,
    /// What the object on the other side of the constraint receives, input less output `[N]`.
    pub on_other: Vec3,
}

impl Forces {
    fn new(input: Vec3, output: Vec3) -> Self {
        Self { output, on_other: input - output }
    }

    /// What the constraint adds to the input `[N]`: the opposite of what the other object receives.
    pub fn added(&self) -> Vec3 {
        -self.on_other
    }
}

impl ReactionConstraint {
    /// The damping `c` that brings a mass to its place soonest without overshoot `[N s/m]`.
    pub fn damping(&self, point: &MassPoint) -> f64 {
        // Differs from [PB88] after Eq. 8: sqrt(2 k) is critical for a mass of 1/2 only; 1 kg overshoots by 4 %.
        2.0 * (self.stiffness * point.mass).sqrt()
    }
}
