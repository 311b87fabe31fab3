//! A mass point on a plane, or on one side of it.

use super::{Forces, ReactionConstraint};
use crate::constraint::MassPoint;
use crate::math::Vec3;

/// The plane `normal . x = offset`; the normal points to the allowed side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    normal: Vec3,
    offset: f64,
}

impl Plane {
    /// From a normal of any length and the distance from the origin along it `[m]`.
    pub fn new(normal: Vec3, offset: f64) -> Self {
        Self { normal: normal.normalize(), offset }
    }

    /// Through a point.
    pub fn through(point: Vec3, normal: Vec3) -> Self {
        let normal = normal.normalize();
        Self { normal, offset: normal.dot(point) }
    }

    /// Unit normal.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Signed distance of a place, positive on the allowed side `[m]`.
    pub fn height(&self, x: Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

impl ReactionConstraint {
    /// Brings the point to the plane and keeps it there, free along it: `[PB88]` Eq. 37-41.
    ///
    /// If the plane moves, give the point's velocity relative to it.
    pub fn on_plane(&self, point: &MassPoint, plane: &Plane, input: Vec3) -> Forces {
        let n = plane.normal;
        // [PB88] Eq. 39, then Eq. 41: in this order a point at rest is not lifted by rounding.
        let free = input - input.dot(n) * n;
        Forces::new(input, free + self.pull_to(point, plane) * n)
    }

    /// Keeps the point on the allowed side of the plane; never pulls it in: `[PB88]` Eq. 42.
    ///
    /// It acts only beyond the plane, so a point that rounding lifts above it falls for one step: rest is known up to
    /// `g dt^2`. Steps above `0.732 sqrt(m/k)` throw the point up again and again.
    pub fn above_plane(&self, point: &MassPoint, plane: &Plane, input: Vec3) -> Forces {
        // Differs from [PB88] Eq. 42, whose second inequality is the wrong way round: so printed the point falls through.
        let breaks = plane.height(point.position) < 0.0;
        if breaks && input.dot(plane.normal) < self.pull_to(point, plane) {
            self.on_plane(point, plane, input)
        } else {
            Forces::new(input, input)
        }
    }

    /// Force along the normal that brings the point to the plane.
    fn pull_to(&self, point: &MassPoint, plane: &Plane) -> f64 {
        // [PB88] Eq. 40.
        let (height, speed) = (plane.height(point.position), plane.normal.dot(point.velocity));
        -(self.stiffness * height + self.damping(point) * speed)
    }
}
