//! Where a surface cannot be made to fit between all others it stays farther off them, about those places only.

use crate::contact::Bounds;
use crate::math::Vec3;

/// How much farther off it stays at first, over the thickness; each time it is twice as much.
const FIRST: f64 = 0.04;
/// How far about a place, in edges of the cubes that the surface is made of; each time it is so many times as much.
const ABOUT: f64 = 2.0;
const WIDER: f64 = 1.5;

/// A place where the surface stays farther off.
#[derive(Clone, Copy, Debug)]
struct Retreat {
    at: Vec3,
    /// How far about it `[m]`.
    radius: f64,
    /// By how much, over the thickness; less farther from it.
    by: f64,
}

/// All such places.
#[derive(Clone, Debug, Default)]
pub(super) struct Retreats(Vec<Retreat>);

impl Retreats {
    /// Takes in places where a surface did not fit: one that is known draws back farther. Returns boxes about those that have
    /// changed.
    pub(super) fn grow(&mut self, amiss: &[Vec3], edge: f64) -> Vec<Bounds> {
        let known = self.0.len();
        let mut again = vec![false; known];
        for place in amiss {
            let near = |r: &Retreat| r.at.distance_squared(*place) < r.radius * r.radius;
            match self.0.iter().position(near) {
                Some(k) if k < known => again[k] = true,
                Some(_) => {}
                None => self.0.push(Retreat { at: *place, radius: ABOUT * edge, by: FIRST }),
            }
        }
        for (retreat, _) in self.0.iter_mut().zip(&again).filter(|(_, again)| **again) {
            retreat.by *= 2.0;
            retreat.radius *= WIDER;
        }
        again.resize(self.0.len(), true);
        let changed = self.0.iter().zip(again).filter(|(_, again)| *again);
        changed.map(|(r, _)| Bounds { low: r.at, high: r.at }.grown(r.radius)).collect()
    }

    /// How much farther off the surface stays at a place, over the thickness.
    #[inline]
    pub(super) fn at(&self, p: Vec3) -> f64 {
        let of = |r: &Retreat| {
            let left = 1.0 - p.distance_squared(r.at) / (r.radius * r.radius);
            r.by * left.max(0.0) * left
        };
        self.0.iter().map(of).fold(0.0, f64::max)
    }

    /// No more than this anywhere.
    pub(super) fn most(&self) -> f64 {
        self.0.iter().map(|r| r.by).fold(0.0, f64::max)
    }

    /// Those that matter within `radius` of a place.
    pub(super) fn about(&self, p: Vec3, radius: f64) -> Self {
        let near = |r: &&Retreat| r.at.distance(p) < r.radius + radius;
        Self(self.0.iter().filter(near).copied().collect())
    }
}
