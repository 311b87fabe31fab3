//! Joints between any two: ball, hinge, slider and spring, each a few rows of the one solve.
//!
//! A joint is a list of ties. A tie holds a place of the body and a place of the other together, in all directions or in
//! some: a ball has one tie, a hinge two on its axis, a slider two on its axis that may slide along it and one beside it
//! that keeps the body from turning. Places move with the nearest point of the skin; what lies off the skin turns with a
//! body that is a frame, and keeps its distance from that point otherwise. So no joint asks which kind a body is.
//!
//! A spring pulls with `k (l - l0) + c l'`. Where the step resolves it (`w = h^2 k W <= 1`, with `W` the response along
//! it) it is stepped explicitly and loses nothing; a stiffer one takes the force after the share `1 - 1/w` of the step, so
//! it is damped instead of exploding.

use super::{Control, grip, least_mobility, nearest_point, place};
use crate::bodies::{Body, Hold};
use crate::contact::{ControlRow, Grip, Rows};
use crate::math::{Mat3, Quat, Vec3, outer, pseudo_inverse};
use crate::obstacle::Obstacle;
use crate::scene::ControlKind;
use crate::skin::SkinPoint;
use crate::state::{Reader, Writer};

/// The least response of a spring's force to speed, over the mass that it moves: it stands in for none.
const LEAST_DRAG: f64 = 1e-6;

/// A place that moves with a body or an obstacle.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The nearest point of a body's skin when the joint began.
    point: SkinPoint,
    /// From there to the place, in axes that turn with the body; of an obstacle, the place in its own frame.
    offset: Vec3,
}

/// Two places, of the body and of the other, that are held together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    ends: [End; 2],
    /// Attitudes of both when the joint began.
    attitudes: [Quat; 2],
    /// Axis of the joint, and a direction across it, when it began.
    axis: Vec3,
    side: Vec3,
    /// Length of a spring without force `[m]`.
    length: f64,
}

/// Room for the ties of a kind of control.
pub(super) fn start_ties(kind: ControlKind) -> Vec<Tie> {
    let count = match kind {
        ControlKind::Ball | ControlKind::Spring => 1,
        ControlKind::Hinge => 2,
        ControlKind::Slider => 3,
        _ => 0,
    };
    let end = End { point: SkinPoint::corner(0, Vec3::ZERO), offset: Vec3::ZERO };
    let tie =
        Tie { ends: [end; 2], attitudes: [Quat::IDENTITY; 2], axis: Vec3::Y, side: Vec3::X, length: 0.0 };
    vec![tie; count]
}

/// One side of a tie as it stands now.
struct Side {
    at: Vec3,
    point: SkinPoint,
}

impl Control {
    /// Notes which places belong together when a joint begins.
    pub(crate) fn aim_joint(&mut self, t: f64, bodies: &[Box<dyn Body>], obstacles: &[Obstacle]) {
        let (Some(to), Some(at)) = (self.to, self.spec.at) else { return };
        if self.begun || !self.acts(t) || !self.spec.kind.is_joint() {
            return;
        }
        self.begun = true;
        let at = Vec3::from(at);
        let axis = Vec3::from(self.spec.axis.unwrap_or([0.0, 1.0, 0.0])).normalize_or(Vec3::Y);
        let side = axis.any_orthonormal_vector();
        // Places as far apart as the body reaches hold it best.
        let skin = bodies[self.body].skin();
        let reach = |d: Vec3| {
            let most = skin.points.iter().map(|p| d.dot(*p - at)).fold(f64::NEG_INFINITY, f64::max);
            at + d * (most + skin.form.radius)
        };
        let ends = [[reach(axis); 2], [reach(-axis); 2]];
        let places = match self.spec.kind {
            ControlKind::Hinge => ends.to_vec(),
            ControlKind::Slider => {
                [ends[0], ends[1], [at + side * ends[0][0].distance(ends[1][0]); 2]].to_vec()
            }
            ControlKind::Spring => vec![[at, Vec3::from(self.spec.end.unwrap_or_default())]],
            _ => vec![[at; 2]],
        };
        let attitudes = [self.body, to].map(|i| attitude(i, bodies, obstacles));
        for (tie, places) in self.ties.iter_mut().zip(places) {
            let ends = [end(self.body, places[0], bodies, obstacles), end(to, places[1], bodies, obstacles)];
            let length = self.spec.length.unwrap_or(places[0].distance(places[1]));
            *tie = Tie { ends, attitudes, axis, side, length };
        }
    }

    /// Where a joint will push which body.
    pub(super) fn joint_points(&self, bodies: &[Box<dyn Body>], mut tell: impl FnMut(usize, SkinPoint)) {
        for tie in &self.ties {
            for (k, object) in [Some(self.body), self.to].into_iter().enumerate() {
                if let Some(i) = object.filter(|i| *i < bodies.len()) {
                    tell(i, side(tie, k, i, bodies).point);
                }
            }
        }
    }

    /// Rows of a joint for a step of length `h`.
    pub(super) fn joint_rows(
        &self,
        number: u32,
        h: f64,
        bodies: &[Box<dyn Body>],
        obstacles: &[Obstacle],
        rows: &mut Rows,
    ) {
        let Some(to) = self.to else { return };
        for (k, tie) in self.ties.iter().enumerate() {
            let mine = side(tie, 0, self.body, bodies);
            let (theirs, drive) = match to.checked_sub(bodies.len()) {
                None => (side(tie, 1, to, bodies), Vec3::ZERO),
                Some(o) => {
                    let own = tie.ends[1].offset;
                    let (at, end) = (obstacles[o].place(own, false), obstacles[o].place(own, true));
                    (Side { at, point: SkinPoint::corner(0, at) }, (end - at) / h)
                }
            };
            let mut point = theirs.point;
            if self.spec.kind == ControlKind::Slider {
                // The rail is pushed where the body is on it.
                point.at = mine.at;
            }
            let a = grip(self.body, &mine.point, bodies, rows);
            let b = if to < bodies.len() { grip(to, &point, bodies, rows) } else { Grip::FIXED };
            let response = rows.response(&a, &rows.store) + rows.response(&b, &rows.store);
            let apart = theirs.at - mine.at;
            let (along_which, mobility, target, give) = if self.spec.kind == ControlKind::Spring {
                let n = (-apart).normalize_or(Vec3::Y);
                let w = n.dot(response * n);
                let (stiffness, damper) =
                    (self.spec.stiffness.unwrap_or(0.0), self.spec.damping.unwrap_or(0.0));
                let unresolved = (1.0 - 1.0 / (h * h * stiffness * w).max(1.0)).max(0.0);
                let drag = (h * (unresolved * h * stiffness + damper)).max(LEAST_DRAG / w);
                let start = -h * stiffness * (apart.length() - tie.length);
                let axis = outer(n, n);
                (axis, axis * (drag / (1.0 + drag * w)), n * (start / drag + n.dot(drive)), 1.0 / drag)
            } else {
                let which = self.directions(k, tie, attitude(to, bodies, obstacles));
                let mobility = pseudo_inverse(&(which * response * which));
                (which, mobility, which * (apart / h + drive), 0.0)
            };
            rows.controls.push(ControlRow {
                control: number,
                a,
                b,
                holds: [Hold::Point(mine.point), Hold::Point(point)],
                target,
                along_which,
                give,
                mobility,
                least_mobility: least_mobility(&response),
                lambda: along_which * self.impulses[k],
                last: Vec3::ZERO,
                along: Vec3::ZERO,
                limit: f64::INFINITY,
            });
        }
    }

    /// Projects on the directions in which tie `k` holds.
    fn directions(&self, k: usize, tie: &Tie, attitude: Quat) -> Mat3 {
        if self.spec.kind != ControlKind::Slider {
            return Mat3::IDENTITY;
        }
        let turned = |d: Vec3| attitude * (tie.attitudes[1].inverse() * d);
        let axis = turned(tie.axis);
        if k < 2 {
            return Mat3::IDENTITY - outer(axis, axis);
        }
        let across = axis.cross(turned(tie.side));
        outer(across, across)
    }

    /// Largest distance by which places that a joint holds together are apart; a spring holds none.
    pub(super) fn joint_error(&self, bodies: &[Box<dyn Body>], obstacles: &[Obstacle]) -> f64 {
        let Some(to) = self.to.filter(|_| self.spec.kind != ControlKind::Spring) else { return 0.0 };
        let apart = |(k, tie): (usize, &Tie)| {
            let theirs = match to.checked_sub(bodies.len()) {
                None => side(tie, 1, to, bodies).at,
                Some(o) => obstacles[o].place(tie.ends[1].offset, false),
            };
            let which = self.directions(k, tie, attitude(to, bodies, obstacles));
            (which * (theirs - side(tie, 0, self.body, bodies).at)).length()
        };
        self.ties.iter().enumerate().map(apart).fold(0.0, f64::max)
    }
}

/// Attitude of a body or an obstacle.
fn attitude(object: usize, bodies: &[Box<dyn Body>], obstacles: &[Obstacle]) -> Quat {
    match object.checked_sub(bodies.len()) {
        None => bodies[object].rotation(),
        Some(o) => obstacles[o].rotation(),
    }
}

/// A place as the end of a tie.
fn end(object: usize, at: Vec3, bodies: &[Box<dyn Body>], obstacles: &[Obstacle]) -> End {
    match object.checked_sub(bodies.len()) {
        Some(o) => End { point: SkinPoint::corner(0, at), offset: obstacles[o].own(at) },
        None => {
            let skin = bodies[object].skin();
            let point = nearest_point(&skin.points, &skin.form.triangles, at);
            End { point, offset: at - point.at }
        }
    }
}

/// Where side `k` of a tie is, on body `i`.
fn side(tie: &Tie, k: usize, i: usize, bodies: &[Box<dyn Body>]) -> Side {
    let (body, mut point) = (bodies[i].as_ref(), tie.ends[k].point);
    // Only a body that is a frame has places off its skin that turn with it.
    let is_frame = body.twist_mass().inverse_mass > 0.0;
    let turn = if is_frame { body.rotation() * tie.attitudes[k].inverse() } else { Quat::IDENTITY };
    point.at = place(body.skin(), &point, false) + turn * tie.ends[k].offset;
    Side { at: point.at, point }
}

impl Tie {
    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        for end in &self.ends {
            out.vec3(end.offset);
            for k in 0..3 {
                out.u64(u64::from(end.point.corners[k]));
                out.f64(end.point.weights[k]);
            }
        }
        self.attitudes.iter().for_each(|q| out.quat(*q));
        out.vec3(self.axis);
        out.vec3(self.side);
        out.f64(self.length);
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for end in &mut self.ends {
            end.offset = from.vec3()?;
            for k in 0..3 {
                end.point.corners[k] = from.u64()? as u32;
                end.point.weights[k] = from.f64()?;
            }
        }
        for q in &mut self.attitudes {
            *q = from.quat()?;
        }
        self.axis = from.vec3()?;
        self.side = from.vec3()?;
        self.length = from.f64()?;
        Ok(())
    }
}
