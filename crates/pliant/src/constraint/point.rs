//! Mass points and their motion under given forces.

use crate::math::Vec3;

/// A point with mass: a particle, a node of an element, or a point of a body with the mass it answers with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassPoint {
    /// `[m]`.
    pub position: Vec3,
    /// `[m/s]`.
    pub velocity: Vec3,
    /// `[kg]`.
    pub mass: f64,
}

impl MassPoint {
    /// At rest.
    pub fn at(position: Vec3, mass: f64) -> Self {
        Self { position, velocity: Vec3::ZERO, mass }
    }

    /// One step of symplectic Euler: the velocity from the force, then the position from that velocity.
    pub fn step(&mut self, force: Vec3, dt: f64) {
        self.velocity += force * (dt / self.mass);
        self.position += self.velocity * dt;
    }
}
