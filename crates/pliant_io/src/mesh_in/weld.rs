//! Points that lie exactly on each other become one: stl and glTF repeat a corner for every face or seam.

use super::Wrong;
use pliant::math::Vec3;
use std::collections::HashMap;

/// Numbers points by their exact coordinates, in the order of their first use.
#[derive(Default)]
pub(super) struct Welder {
    /// Only looked up, never iterated, so its order cannot reach the result.
    known: HashMap<[u64; 3], u32>,
    pub points: Vec<Vec3>,
}

impl Welder {
    pub fn add(&mut self, p: Vec3) -> Result<u32, Wrong> {
        // Adding zero turns -0 into 0, which is the same place.
        let key = (p + Vec3::ZERO).to_array().map(f64::to_bits);
        let next =
            u32::try_from(self.points.len()).map_err(|_| Wrong::whole("more than 4294967295 points"))?;
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.points.push(p);
        }
        Ok(index)
    }
}
