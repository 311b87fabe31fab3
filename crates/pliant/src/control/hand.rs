//! A hand: a damped spring of bounded force between a patch of a body and a place that is led about.
//!
//! Each point of the patch takes a share of the pull, most in the middle and none at the rim. Its row asks for
//! `share (k (x_hand - x_patch) + c (v_hand - v))`, with the velocity at the end of the step, so that it is stable however
//! light the point is. Places are measured from the middle of the patch, and what points do beside its motion as a whole is
//! not damped, so that the patch may turn and bend as it likes. No point takes more than its share of the largest force. A
//! body that is a frame is held at one place.
//!
//! What the skin of a soft and heavy body does not bear is carried by the body as a whole: a force on all of its mass, which
//! strains nothing.

use super::{Control, least_mobility};
use crate::bodies::{Body, Hold};
use crate::contact::{ControlRow, Grip, Rows};
use crate::math::{Mat3, Quat, Vec3, pseudo_inverse};
use crate::scene::{ControlKind, ControlSpec};
use crate::skin::SkinPoint;
use crate::state::{Reader, Writer};

/// A patch reaches at least this many times as far as its nearest point is away: clay is held by skeletons that lie below
/// its surface.
const REACH: f64 = 1.7;
/// A patch has at most this many points; of more, those that lie far from each other.
const MOST_POINTS: usize = 96;

/// How a hand takes hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp {
    /// Points within this distance are taken `[m]`.
    pub radius: f64,
    /// Of the spring `[N/m]`.
    pub stiffness: f64,
    /// Force over the speed at which patch and hand come apart `[N s/m]`.
    pub damping: f64,
    /// Largest total force `[N]`.
    pub max_force: f64,
    /// Part of the force that acts on the body as a whole, from 0 to 1.
    pub carried: f64,
}

/// What a hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Number of the body in `Topology::objects`.
    pub object: usize,
    /// The middle of the patch `[m]`.
    pub point: Vec3,
    /// The hand `[m]`.
    pub hand: Vec3,
    /// Total force on the body in the last step `[N]`.
    pub force: Vec3,
}

/// The hand of a control.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    grasp: Grasp,
    /// Part of what the patch takes that each corner takes; together one, over all pieces of the body.
    shares: Vec<f64>,
    /// Where it was and is going to be, with times.
    way: [(f64, Vec3); 2],
    /// From the corner of a body that is a frame to the held place, and the body's attitude, when it was taken.
    offset: (Vec3, Quat),
}

impl Control {
    /// A hand that takes hold of a body about a place on it.
    pub fn hand(
        number: usize,
        body: usize,
        at: Vec3,
        grasp: Grasp,
        t: f64,
        bodies: &[Box<dyn Body>],
    ) -> Self {
        let skin = bodies[body].skin();
        let distance = |c: &u32| skin.points[*c as usize].distance(at);
        let mut corners: Vec<u32> = (0..skin.points.len() as u32).collect();
        corners.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        let radius = grasp.radius.max(REACH * distance(&corners[0])).max(f64::MIN_POSITIVE);
        let is_frame = bodies[body].twist_mass().inverse_mass > 0.0;
        let taken = corners.iter().take_while(|c| distance(c) < radius).count().max(1);
        corners.truncate(if is_frame { 1 } else { taken });
        if corners.len() > MOST_POINTS {
            corners = super::spread_out(&corners, skin, MOST_POINTS);
        }
        let share = |c: &u32| (1.0 - (distance(c) / radius).powi(2)).max(1e-9).powi(2);
        let total: f64 = corners.iter().map(share).sum();
        let shares: Vec<f64> = corners.iter().map(|c| share(c) / total).collect();
        let offset = if is_frame { at - skin.points[corners[0] as usize] } else { Vec3::ZERO };
        // What it would be in a scene: a hold from now on.
        let hold = ControlSpec { from: t, ..ControlSpec::new("", ControlKind::Hold) };
        let mut control = Self::of_corners(&hold, number, (body, None), corners, bodies);
        // The last one is of the body as a whole.
        control.impulses.push(Vec3::ZERO);
        let mut hand = Hand { grasp, shares, way: [(t, at); 2], offset: (offset, bodies[body].rotation()) };
        // From the middle of the patch on, wherever that is: nothing is pulled yet.
        hand.way = [(t, hand.middle(&control.corners, bodies[body].as_ref())); 2];
        control.hand = Some(hand);
        control
    }

    /// Leads a hand from where it is at time `t` to a place, within a time; there it stays. From now on it uses no more than
    /// `max_force` `[N]`.
    pub fn lead(&mut self, t: f64, to: Vec3, within: f64, max_force: f64) {
        if let Some(hand) = &mut self.hand {
            hand.way = [(t, hand.at(t)), (t + within, to)];
            hand.grasp.max_force = max_force;
        }
    }

    /// The middle of the patch that a hand holds, and the hand at time `t`.
    pub fn held(&self, t: f64, bodies: &[Box<dyn Body>]) -> Option<[Vec3; 2]> {
        let hand = self.hand.as_ref()?;
        Some([hand.middle(&self.corners, bodies[self.body].as_ref()), hand.at(t)])
    }

    /// Rows of a hand for the step from `t` to `t + h`.
    pub(super) fn hand_rows(
        &self,
        (number, hand): (u32, &Hand),
        (t, h): (f64, f64),
        bodies: &[Box<dyn Body>],
        rows: &mut Rows,
    ) {
        let Grasp { stiffness, damping, max_force, carried, .. } = hand.grasp;
        let body = bodies[self.body].as_ref();
        let (now, then) = (hand.at(t), hand.at(t + h));
        // What pulls where nothing moves, over what slows down what does.
        let pull = stiffness * (then - hand.middle(&self.corners, body)) + damping / h * (then - now);
        let slows = h * stiffness + damping;
        let points = self.corners.iter().map(|c| SkinPoint::corner(*c, hand.place(*c, body)));
        let patch = points.zip(&hand.shares).map(|(p, share)| (Hold::Point(p), (1.0 - carried) * share));
        let held: Vec<(Hold, f64)> = patch.chain([(Hold::Centre, carried * hand.total())]).collect();
        let mut grips = vec![];
        for (hold, _) in &held {
            grips.push(Grip { body: self.body as u32, lever: body.hold(hold, &mut rows.store) });
        }
        let free: Vec<Vec3> = grips.iter().map(|a| rows.point_velocity(a, &rows.store)).collect();
        let mean = hand.mean(free.iter().copied());
        for (k, ((hold, share), a)) in
            held.into_iter().zip(grips).enumerate().filter(|(_, ((_, s), _))| *s > 0.0)
        {
            let give = 1.0 / (h * share * slows);
            let response = rows.response(&a, &rows.store) + Mat3::from_diagonal(Vec3::splat(give));
            let limit = max_force * share * h;
            rows.controls.push(ControlRow {
                control: number,
                a,
                b: Grip::FIXED,
                holds: [hold; 2],
                target: pull / slows + free[k] - mean,
                along_which: Mat3::IDENTITY,
                give,
                mobility: pseudo_inverse(&response),
                least_mobility: least_mobility(&response),
                lambda: self.impulses[k].clamp_length_max(limit),
                last: Vec3::ZERO,
                along: Vec3::ZERO,
                limit,
            });
        }
    }
}

impl Hand {
    /// Where the hand is at a time.
    fn at(&self, t: f64) -> Vec3 {
        let [(t0, from), (t1, to)] = self.way;
        if t >= t1 { to } else { from.lerp(to, ((t - t0) / (t1 - t0)).clamp(0.0, 1.0)) }
    }

    /// Where a held corner, or the held place of a body that is a frame, stands.
    fn place(&self, corner: u32, body: &dyn Body) -> Vec3 {
        let (offset, attitude) = self.offset;
        body.skin().points[corner as usize] + body.rotation() * (attitude.inverse() * offset)
    }

    fn middle(&self, corners: &[u32], body: &dyn Body) -> Vec3 {
        self.mean(corners.iter().map(|c| self.place(*c, body)))
    }

    /// The mean of what its corners have, by their shares.
    fn mean(&self, of: impl Iterator<Item = Vec3>) -> Vec3 {
        of.zip(&self.shares).map(|(v, share)| v * *share).sum::<Vec3>() / self.total()
    }

    /// The same hand on some of its corners.
    pub fn of(&self, corners: &[usize]) -> Self {
        Self { shares: corners.iter().map(|k| self.shares[*k]).collect(), ..self.clone() }
    }

    /// Total of its shares.
    pub fn total(&self) -> f64 {
        self.shares.iter().sum()
    }

    /// Makes its shares parts of a whole.
    pub fn divide(&mut self, whole: f64) {
        self.shares.iter_mut().for_each(|s| *s /= whole);
    }

    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        self.shares.iter().for_each(|s| out.f64(*s));
        for (t, at) in self.way {
            out.f64(t);
            out.vec3(at);
        }
        out.f64(self.grasp.max_force);
        out.vec3(self.offset.0);
        out.quat(self.offset.1);
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for share in &mut self.shares {
            *share = from.f64()?;
        }
        for (t, at) in &mut self.way {
            (*t, *at) = (from.f64()?, from.vec3()?);
        }
        self.grasp.max_force = from.f64()?;
        self.offset = (from.vec3()?, from.quat()?);
        Ok(())
    }
}
