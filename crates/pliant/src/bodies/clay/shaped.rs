//! Skeletons that are more than points, where they stand: the field about them is one of the distance to their shape.

use super::field::Shape;
use super::form::Form;
use crate::contact::Bounds;
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

/// A skeleton with a shape.
#[derive(Clone, Debug)]
pub struct Shaped {
    /// Which skeleton of the body.
    pub id: u32,
    /// Its centre.
    pub at: Vec3,
    /// From its own axes to those of the world.
    pub turn: Mat3,
    /// What it is.
    pub form: Arc<Form>,
    /// Thickness of the coat about it `[m]`.
    pub e: f64,
}

impl Shaped {
    /// The shortest way from it to a place.
    #[inline]
    pub fn way_to(&self, p: Vec3) -> Vec3 {
        let own = self.turn.transpose() * (p - self.at);
        self.turn * (own - self.form.nearest(own))
    }

    /// What it adds to the field at a place, and the gradient of that.
    #[inline]
    pub fn felt(&self, shape: Shape, p: Vec3) -> (f64, Vec3) {
        let (way, per) = (self.way_to(p), 1.0 / (self.e * self.e));
        let (value, slope_over_q) = shape.at_square(way.length_squared() * per);
        (value, way * (slope_over_q * per))
    }

    /// Between which distances all of a box lies, at least.
    pub fn range_to(&self, around: &Bounds) -> [f64; 2] {
        let half = 0.5 * around.low.distance(around.high);
        let distance = self.way_to(0.5 * (around.low + around.high)).length();
        [(distance - half).max(0.0), distance + half]
    }

    /// Whether it is felt anywhere in a box.
    pub fn reaches(&self, shape: Shape, around: &Bounds) -> bool {
        self.range_to(around)[0] < shape.reach() * self.e
    }
}
