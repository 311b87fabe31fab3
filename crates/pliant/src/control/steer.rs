//! A control under a hand: its targets are given while the world runs.

use super::Control;
use crate::bodies::Body;
use crate::math::Vec3;
use crate::scene::PointKey;

impl Control {
    /// From where its targets are at time `t` they go to the displacement `to` within a time; there they stay. From now on
    /// it uses no more than `max_force` `[N]`.
    pub fn steer(&mut self, t: f64, to: Vec3, within: f64, max_force: f64) {
        let key = |t: f64, at: Vec3| PointKey { t, at: at.to_array(), rotation: None };
        let now = self.displacement(t);
        let keys = &mut self.spec.keys;
        if keys.is_empty() {
            keys.push(key(self.spec.from, Vec3::ZERO));
        }
        // The first key, from which displacements count, stays; of the others the last before now, whence the present
        // velocity is read.
        keys.retain(|k| k.t < t);
        if keys.len() > 2 {
            keys.drain(1..keys.len() - 1);
        }
        keys.extend([key(t, now), key(t + within, to)]);
        self.spec.max_force = Some(max_force);
    }

    /// The middle of its points, and of where they should be at time `t`.
    pub fn middles(&self, t: f64, body: &dyn Body) -> [Vec3; 2] {
        let count = self.corners.len() as f64;
        let at = self.corners.iter().map(|c| body.skin().points[*c as usize]).sum::<Vec3>() / count;
        if !self.begun {
            return [at, at];
        }
        [at, (0..self.corners.len()).map(|k| self.target(k, t)).sum::<Vec3>() / count]
    }
}
