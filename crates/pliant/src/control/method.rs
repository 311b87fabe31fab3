//! Paths and holds by the methods of [PB88], to compare with exact rows.
//!
//! **Penalty**: a force on each point, explicitly.
//!
//! **Reaction**: [PB88] Eq. 36 asks that the acceleration of a point be `a* + 2 r (v* - v) + r^2 (x* - x)`, whatever other
//! forces act; with `r = sqrt(k/m)`. Those other forces are not known before the solve, so it is the solve that must take
//! them away: the point gets a row like that of an exact control, which asks for the velocity after that acceleration. With
//! `v` and `x` taken at the end of the step this is stable for every `r`, and
//!
//! ```text
//! v+ = (v + h a* + 2 r h v*+ + r^2 h (x*+ - x)) / (1 + r h)^2   ->   (x*+ - x) / h   as r grows
//! ```
//!
//! so the exact rows are reaction constraints that act at once.

use super::Control;
use crate::bodies::Body;
use crate::math::Vec3;
use crate::scene::{ControlMethod, ControlSpec};
use crate::state::{Reader, Writer};

/// Room for the forces of rubber bands.
pub(super) fn start_pulls(spec: &ControlSpec, corners: &[u32]) -> Vec<Vec3> {
    let bands = if spec.method == ControlMethod::Penalty { corners.len() } else { 0 };
    vec![Vec3::ZERO; bands]
}

/// How the corners of a control move, seen from step to step.
pub(super) struct Trail {
    /// Time of the last look `[s]`.
    time: f64,
    /// Place and velocity of each corner then.
    corners: Vec<[Vec3; 2]>,
}

impl Trail {
    /// A trail for the method that needs it. Nothing has moved yet, so corners have the velocity of the whole.
    pub fn start(spec: &ControlSpec, corners: &[u32], body: &dyn Body) -> Option<Self> {
        let velocity = body.momentum() / body.centre().1;
        let corner = |c: &u32| [body.skin().points[*c as usize], velocity];
        (spec.method == ControlMethod::Reaction)
            .then(|| Self { time: 0.0, corners: corners.iter().map(corner).collect() })
    }

    /// Looks where the corners are at the start of the step from `t` on.
    pub fn look(&mut self, t: f64, corners: &[u32], body: &dyn Body) {
        for ([place, velocity], corner) in self.corners.iter_mut().zip(corners) {
            let now = body.skin().points[*corner as usize];
            if t > self.time {
                *velocity = (now - *place) / (t - self.time);
            }
            *place = now;
        }
        self.time = t;
    }

    /// Of some corners.
    pub fn of(&self, corners: &[usize]) -> Self {
        Self { time: self.time, corners: corners.iter().map(|k| self.corners[*k]).collect() }
    }

    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        out.f64(self.time);
        self.corners.iter().flatten().for_each(|p| out.vec3(*p));
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.time = from.f64()?;
        for vector in self.corners.iter_mut().flatten() {
            *vector = from.vec3()?;
        }
        Ok(())
    }
}

impl Control {
    /// Stretches the rubber bands for the step from `t` on.
    pub(super) fn pull_bands(&mut self, t: f64, body: &dyn Body) {
        let (holds, count) = (self.holds(t), self.sharing as f64);
        let stiffness = self.spec.stiffness.unwrap_or(0.0) / count;
        let limit = self.spec.max_force.unwrap_or(f64::INFINITY) / count;
        for k in 0..self.pulls.len() {
            let x = body.skin().points[self.corners[k] as usize];
            // [PB88] Eq. 6, with c half the stiffness.
            let pull = stiffness * (self.target(k, t) - x);
            self.pulls[k] = if holds { pull.clamp_length_max(limit) } else { Vec3::ZERO };
        }
    }

    /// The velocity that corner `k` should have at the end of the step from `t` to `t + h`.
    pub(super) fn target_velocity(&self, k: usize, (t, h): (f64, f64), bodies: &[Box<dyn Body>]) -> Vec3 {
        let body = bodies[self.body].as_ref();
        let miss = self.target(k, t + h) - body.skin().points[self.corners[k] as usize];
        let (Some(trail), Some(stiffness)) = (&self.trail, self.spec.stiffness) else {
            return miss / h;
        };
        let rate_h = h * (stiffness / body.centre().1).sqrt();
        let [_, velocity] = trail.corners[k];
        let along = |t: f64| (self.target(k, t) - self.target(k, t - h)) / h;
        // [PB88] Eq. 36 with the acceleration of the path, which it leaves out, and critical damping put right.
        let asked =
            velocity + along(t + h) - along(t) + 2.0 * rate_h * along(t + h) + rate_h * rate_h * miss / h;
        asked / (1.0 + rate_h).powi(2)
    }
}
