//! A mass point on a path.

use super::{Forces, ReactionConstraint};
use crate::constraint::MassPoint;
use crate::math::Vec3;

/// Where a point should be now, and how it should move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// `[m]`.
    pub position: Vec3,
    /// `[m/s]`.
    pub velocity: Vec3,
    /// `[m/s^2]`. Left at zero on a path that accelerates, the point stays behind by `m a / k`.
    pub acceleration: Vec3,
}

impl ReactionConstraint {
    /// Follows a path without speeding up or slowing down: `[PB88]` Eq. 33-36.
    ///
    /// ```
    /// use pliant::constraint::{MassPoint, ReactionConstraint, Target};
    /// use pliant::math::Vec3;
    ///
    /// let hand = ReactionConstraint { stiffness: 100.0 };
    /// let point = MassPoint::at(Vec3::ZERO, 2.0);
    /// let target = Target { acceleration: Vec3::Y, ..Target::default() };
    /// let forces = hand.follow(&point, &target, Vec3::NEG_Y * 19.62);
    /// assert_eq!(forces.output, Vec3::Y * 2.0);
    /// assert_eq!(forces.on_other, Vec3::NEG_Y * 21.62);
    /// ```
    pub fn follow(&self, point: &MassPoint, target: &Target, input: Vec3) -> Forces {
        // [PB88] Eq. 36. Differs from it: without the force that the path's own acceleration takes, the point lags.
        let output = point.mass * target.acceleration
            + self.damping(point) * (target.velocity - point.velocity)
            + self.stiffness * (target.position - point.position);
        Forces::new(input, output)
    }
}
