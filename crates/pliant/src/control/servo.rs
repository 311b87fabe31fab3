//! Servos: a body as a whole follows places and attitudes, all its points free to deform and to touch.
//!
//! The rows ask for the velocity of the target plus a share of what is missing, `v* + (x* - x)/T`. They stand in the one
//! solve beside all contacts, so whatever weight rests on the body is carried and no error remains, unless the force runs
//! into its limit.

use super::{Control, least_mobility};
use crate::bodies::{Body, Hold};
use crate::contact::{ControlRow, Grip, Rows};
use crate::math::portable::{axis_of, rotation_by};
use crate::math::{Mat3, Quat, Vec3, pseudo_inverse};
use crate::scene::{interpolate, rotation_from_degrees};

/// Time in which most of an error is made good `[s]`, unless the scene says otherwise.
const RESPONSE: f64 = 0.1;

impl Control {
    /// Rows of a servo for the step from `t` to `t + h`.
    pub(super) fn servo_rows(
        &self,
        number: u32,
        (t, h): (f64, f64),
        bodies: &[Box<dyn Body>],
        rows: &mut Rows,
    ) {
        let body = bodies[self.body].as_ref();
        let response = self.spec.response.unwrap_or(RESPONSE).max(h);
        let (now, then) = (self.centre_target(t), self.centre_target(t + h));
        let along = (then - now) / h + (now - body.centre().0) / response;
        self.servo_row((number, 0), Hold::Centre, along, self.spec.max_force.map(|f| f * h), bodies, rows);
        if let (Some(now), Some(then)) = (self.attitude_target(t), self.attitude_target(t + h)) {
            let turn =
                axis_of(then * now.inverse()) / h + axis_of(now * body.rotation().inverse()) / response;
            self.servo_row((number, 1), Hold::Spin, turn, self.spec.max_torque.map(|f| f * h), bodies, rows);
        }
    }

    fn servo_row(
        &self,
        (number, which): (u32, usize),
        hold: Hold,
        target: Vec3,
        limit: Option<f64>,
        bodies: &[Box<dyn Body>],
        rows: &mut Rows,
    ) {
        let lever = bodies[self.body].hold(&hold, &mut rows.store);
        let a = Grip { body: self.body as u32, lever };
        let response = rows.response(&a, &rows.store);
        let limit = limit.unwrap_or(f64::INFINITY);
        rows.controls.push(ControlRow {
            control: number,
            a,
            b: Grip::FIXED,
            holds: [hold; 2],
            target,
            along_which: Mat3::IDENTITY,
            give: 0.0,
            mobility: pseudo_inverse(&response),
            least_mobility: least_mobility(&response),
            lambda: self.impulses[which].clamp_length_max(limit),
            last: Vec3::ZERO,
            along: Vec3::ZERO,
            limit,
        });
    }

    /// How far the body is from where it should be at time `t`: its centre of mass, and its farthest point by the turn that is
    /// missing `[m]`.
    pub(super) fn servo_error(&self, t: f64, bodies: &[Box<dyn Body>]) -> f64 {
        let body = bodies[self.body].as_ref();
        let centre = body.centre().0;
        let off = (self.centre_target(t) - centre).length();
        let turn = self.attitude_target(t).map_or(0.0, |to| axis_of(to * body.rotation().inverse()).length());
        let farthest = body.skin().points.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
        off.max(turn * farthest)
    }

    /// Where the centre of mass should be.
    fn centre_target(&self, t: f64) -> Vec3 {
        let keys = &self.spec.keys;
        let along = interpolate(keys.iter().map(|k| (k.t, Vec3::from(k.at))), t).unwrap_or(Vec3::ZERO);
        self.start.0 + along - keys.first().map_or(Vec3::ZERO, |k| Vec3::from(k.at))
    }

    /// The attitude it should have; none if no key says.
    fn attitude_target(&self, t: f64) -> Option<Quat> {
        let mut keys = self.spec.keys.iter().filter_map(|k| Some((k.t, rotation_from_degrees(k.rotation?))));
        let mut before = keys.next()?;
        for after in keys {
            if t < after.0 {
                let share = ((t - before.0) / (after.0 - before.0)).clamp(0.0, 1.0);
                return Some(
                    rotation_by(axis_of(after.1 * before.1.conjugate()) * share) * before.1 * self.start.1,
                );
            }
            before = after;
        }
        Some(before.1 * self.start.1)
    }
}
