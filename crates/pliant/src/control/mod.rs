//! What the animator does: paths, holds, attachments, joints, servos, hands: each a few rows of the one solve; forces and
//! thrusters.

mod hand;
mod joint;
mod method;
mod motion;
mod part;
mod select;
mod servo;

pub use hand::{Grasp, Held};

use crate::MeshLibrary;
use crate::bodies::{Body, Hold};
use crate::contact::{ControlRow, Rows};
use crate::frame::ControlFrame;
use crate::math::{Mat3, Quat, Vec3, outer, pseudo_inverse, symmetric_eigen3};
use crate::obstacle::Obstacle;
use crate::scene::{ControlKind, ControlMethod, ControlSpec, SceneError, interpolate};
use crate::skin::{Skin, SkinPoint};
use crate::state::{Reader, Writer};
use select::{nothing_selected, select, spread_out};
use std::sync::Arc;

/// One control.
pub struct Control {
    spec: ControlSpec,
    /// Which of the scene's controls it is; one that acts on a body that came apart is there for every piece.
    number: usize,
    /// Corners that share its force, on all pieces.
    sharing: usize,
    body: usize,
    /// Attached to this body or obstacle (bodies first).
    to: Option<usize>,
    /// Controlled corners of the body's skin.
    corners: Vec<u32>,
    /// Where each corner was when the control began, or the point it is glued to.
    anchors: Vec<Anchor>,
    /// Whether it has begun.
    begun: bool,
    /// Impulses of the last step, one per corner; a servo has two, of force and of torque.
    impulses: Vec<Vec3>,
    /// Centre of mass and attitude of the body when the control began.
    start: (Vec3, Quat),
    /// Forces of rubber bands in this step, one per corner; empty with other methods.
    pulls: Vec<Vec3>,
    /// The mesh that it follows.
    motion: Option<Arc<motion::Motion>>,
    /// How the corners move, where the method asks for it.
    trail: Option<method::Trail>,
    /// Places that a joint holds together.
    ties: Vec<joint::Tie>,
    /// Whether it was pulled harder than it bears.
    broken: bool,
    /// The hand that it is, if it is one.
    hand: Option<hand::Hand>,
    /// Relative velocities of what springs and hands pull at, after the last step; empty before the first one.
    speeds: Vec<Vec3>,
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    /// World position, or offset from the glued point.
    at: Vec3,
    /// Point of the other skin.
    point: SkinPoint,
}

impl Control {
    /// Builds a control of a scene; `find` gives the number of a named body or obstacle.
    pub fn new(
        spec: &ControlSpec,
        number: usize,
        path: &str,
        find: impl Fn(&str) -> Option<usize>,
        bodies: &[Box<dyn Body>],
        meshes: &MeshLibrary,
    ) -> Result<Self, SceneError> {
        let missing = |key: &str, name: &str| {
            SceneError::new(format!("{path}.{key}"), format!("there is no body or obstacle named \"{name}\""))
        };
        let body =
            find(&spec.body).filter(|i| *i < bodies.len()).ok_or_else(|| missing("body", &spec.body))?;
        let to = match &spec.to {
            Some(name) => Some(find(name).ok_or_else(|| missing("to", name))?),
            None => None,
        };
        let skin = bodies[body].skin();
        let mut corners = select(&spec.select, skin);
        if corners.is_empty() {
            return Err(SceneError::new(format!("{path}.select"), nothing_selected(&spec.select, skin)));
        }
        if skin.form.stays_flat {
            corners = spread_out(&corners, skin, 4);
        }
        let motion = match &spec.motion {
            Some(motion) => Some(Arc::new(motion::Motion::new(motion, meshes, path)?)),
            None => None,
        };
        Ok(Self { motion, ..Self::of_corners(spec, number, (body, to), corners, bodies) })
    }

    /// A control of some corners of a body, which may lead to another.
    fn of_corners(
        spec: &ControlSpec,
        number: usize,
        (body, to): (usize, Option<usize>),
        corners: Vec<u32>,
        bodies: &[Box<dyn Body>],
    ) -> Self {
        let point = SkinPoint::corner(0, Vec3::ZERO);
        let ties = joint::start_ties(spec.kind);
        let rows = match spec.kind {
            ControlKind::Servo => 2,
            kind if kind.is_joint() => ties.len(),
            _ => corners.len(),
        };
        Self {
            ties,
            broken: false,
            hand: None,
            motion: None,
            speeds: vec![],
            start: (Vec3::ZERO, Quat::IDENTITY),
            spec: spec.clone(),
            number,
            sharing: corners.len(),
            body,
            to,
            anchors: vec![Anchor { at: Vec3::ZERO, point }; corners.len()],
            impulses: vec![Vec3::ZERO; rows],
            pulls: method::start_pulls(spec, &corners),
            trail: method::Trail::start(spec, &corners, bodies[body].as_ref()),
            corners,
            begun: false,
        }
    }

    /// Which of the scene's controls it is.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The body it acts on.
    pub fn body(&self) -> usize {
        self.body
    }

    /// What it leads to: a body or an obstacle, bodies first.
    pub fn to(&self) -> Option<usize> {
        self.to
    }

    /// Whether it acts at a time.
    pub fn acts(&self, t: f64) -> bool {
        !self.broken && t >= self.spec.from && self.spec.until.is_none_or(|u| t < u)
    }

    /// Notes where the points are when the control begins, how they move, and how far rubber bands are stretched.
    pub fn aim(
        &mut self,
        t: f64,
        body: &dyn Body,
        skins: &dyn Fn(usize) -> Vec<Vec3>,
        forms: &dyn Fn(usize) -> Vec<[u32; 3]>,
    ) {
        if let Some(trail) = &mut self.trail {
            trail.look(t, &self.corners, body);
        }
        if !self.begun && self.acts(t) && !self.spec.kind.is_joint() {
            self.begin(body, skins, forms);
        }
        self.pull_bands(t, body);
    }

    fn begin(
        &mut self,
        body: &dyn Body,
        skins: &dyn Fn(usize) -> Vec<Vec3>,
        forms: &dyn Fn(usize) -> Vec<[u32; 3]>,
    ) {
        self.begun = true;
        self.start = (body.centre().0, body.rotation());
        let mine = skins(self.body);
        for (corner, anchor) in self.corners.iter().zip(&mut self.anchors) {
            let x = mine[*corner as usize];
            anchor.at = x;
            if let (ControlKind::Attach, Some(to)) = (self.spec.kind, self.to) {
                anchor.point = nearest_point(&skins(to), &forms(to), x);
                anchor.at = x - anchor.point.at;
            }
            if let Some(motion) = &self.motion {
                anchor.point = nearest_point(motion.start(), &motion.triangles, x);
                anchor.at = x - anchor.point.at;
            }
        }
    }

    /// Forces act before the solve.
    pub fn force(&self, t: f64, h: f64, body: &mut dyn Body) {
        if let Some(force) = self.force_at(t, body) {
            let each = force * (h / self.sharing as f64);
            for corner in &self.corners {
                let at = body.skin().points[*corner as usize];
                body.push(&SkinPoint::corner(*corner, at), each);
            }
        }
        for (corner, pull) in self.corners.iter().zip(&self.pulls) {
            let at = body.skin().points[*corner as usize];
            body.push(&SkinPoint::corner(*corner, at), *pull * h);
        }
    }

    /// Work of a force over the step from `t` on, from where its points went.
    pub(crate) fn work(&self, t: f64, bodies: &[Box<dyn Body>]) -> f64 {
        let skin = bodies[self.body].skin();
        let way = |c: &u32| skin.next[*c as usize] - skin.points[*c as usize];
        let Some(force) = self.force_at(t, bodies[self.body].as_ref()) else {
            return self.corners.iter().zip(&self.pulls).map(|(c, pull)| pull.dot(way(c))).sum();
        };
        force.dot(self.corners.iter().map(way).sum::<Vec3>() / self.sharing as f64)
    }

    /// The total force of a force or a thruster `[N]`, while it acts.
    fn force_at(&self, t: f64, body: &dyn Body) -> Option<Vec3> {
        let force = self.spec.force.as_ref().filter(|_| self.acts(t))?.at(t);
        match self.spec.kind {
            ControlKind::Force => Some(force),
            ControlKind::Thruster => Some(body.rotation() * force),
            _ => None,
        }
    }

    /// Whether it has targets in the step from `t` on.
    fn holds(&self, t: f64) -> bool {
        !matches!(self.spec.kind, ControlKind::Force | ControlKind::Thruster) && self.begun && self.acts(t)
    }

    /// Whether it has rows in the step from `t` on.
    fn has_rows(&self, t: f64) -> bool {
        self.holds(t) && self.spec.method != ControlMethod::Penalty
    }

    /// Projects on the directions in which points are held: all, but for planes.
    fn held_directions(&self) -> Mat3 {
        match self.spec.normal {
            Some(normal) if self.spec.kind == ControlKind::Plane => {
                let n = Vec3::from(normal).normalize();
                outer(n, n)
            }
            _ => Mat3::IDENTITY,
        }
    }

    /// Where corner `k` should be at time `t`, for paths, holds and planes and for what follows a mesh.
    fn target(&self, k: usize, t: f64) -> Vec3 {
        let Anchor { at, point } = &self.anchors[k];
        *at + match &self.motion {
            Some(motion) => motion.at(point, t - self.spec.from),
            None => self.displacement(t),
        }
    }

    /// How far from where it began a path has come at time `t`.
    fn displacement(&self, t: f64) -> Vec3 {
        let along =
            interpolate(self.spec.keys.iter().map(|q| (q.t, Vec3::from(q.at))), t).unwrap_or(Vec3::ZERO);
        let first = self.spec.keys.first().map_or(Vec3::ZERO, |q| Vec3::from(q.at));
        // Displacements count from the first key, so that a path that starts elsewhere does not jump.
        along - first
    }

    /// The point of another body's skin to which corner `k` is glued.
    fn glued(&self, k: usize, skin: &Skin) -> SkinPoint {
        let mut point = self.anchors[k].point;
        point.at = place(skin, &point, false);
        point
    }

    /// Where this control will push which body in the step from `t` on.
    pub(crate) fn points(&self, t: f64, bodies: &[Box<dyn Body>], mut tell: impl FnMut(usize, SkinPoint)) {
        if !self.has_rows(t) {
            return;
        }
        if self.spec.kind == ControlKind::Servo {
            // Any place will do: the body must know that it is pushed.
            tell(self.body, SkinPoint::corner(0, bodies[self.body].skin().points[0]));
            return;
        }
        if self.spec.kind.is_joint() {
            self.joint_points(bodies, tell);
            return;
        }
        for (k, corner) in self.corners.iter().enumerate() {
            tell(self.body, SkinPoint::corner(*corner, bodies[self.body].skin().points[*corner as usize]));
            if let Some(to) = self.to.filter(|to| *to < bodies.len() && self.spec.kind == ControlKind::Attach)
            {
                tell(to, self.glued(k, bodies[to].skin()));
            }
        }
    }

    /// Adds this control's rows for the step from `t` to `t + h`.
    pub(crate) fn rows(
        &self,
        number: u32,
        (t, h): (f64, f64),
        bodies: &[Box<dyn Body>],
        obstacles: &[Obstacle],
        rows: &mut Rows,
    ) {
        if !self.has_rows(t) {
            return;
        }
        if let Some(hand) = &self.hand {
            self.hand_rows((number, hand), (t, h), bodies, rows);
            return;
        }
        if self.spec.kind == ControlKind::Servo {
            self.servo_rows(number, (t, h), bodies, rows);
            return;
        }
        if self.spec.kind.is_joint() {
            self.joint_rows(number, h, bodies, obstacles, rows);
            return;
        }
        let (skin, along_which) = (bodies[self.body].skin(), self.held_directions());
        for (k, corner) in self.corners.iter().enumerate() {
            let x = skin.points[*corner as usize];
            let own = SkinPoint::corner(*corner, x);
            let a = grip(self.body, &own, bodies, rows);
            let mut other = own;
            let (b, target) = match self.to.filter(|_| self.spec.kind == ControlKind::Attach) {
                None => (crate::contact::Grip::FIXED, self.target_velocity(k, (t, h), bodies)),
                Some(to) if to < bodies.len() => {
                    other = self.glued(k, bodies[to].skin());
                    let wanted = other.at + self.anchors[k].at;
                    (grip(to, &other, bodies, rows), (wanted - x) / h)
                }
                Some(to) => {
                    let point = &self.anchors[k].point;
                    let end = place(&obstacles[to - bodies.len()].skin, point, true);
                    (crate::contact::Grip::FIXED, (end + self.anchors[k].at - x) / h)
                }
            };
            let response = rows.response(&a, &rows.store) + rows.response(&b, &rows.store);
            let limit = self.spec.max_force.map_or(f64::INFINITY, |f| f * h / self.sharing as f64);
            rows.controls.push(ControlRow {
                control: number,
                a,
                b,
                holds: [Hold::Point(own), Hold::Point(other)],
                target: along_which * target,
                along_which,
                give: 0.0,
                mobility: pseudo_inverse(&(along_which * response * along_which)),
                least_mobility: least_mobility(&response),
                lambda: self.impulses[k].clamp_length_max(limit),
                last: Vec3::ZERO,
                along: Vec3::ZERO,
                limit,
            });
        }
    }

    /// Remembers the impulses of a step of length `h`, and breaks where they are more than it bears. Gives the work of what
    /// is a spring: no body holds its energy, so what it takes and gives back is work from outside.
    pub(crate) fn remember(&mut self, number: u32, h: f64, rows: &Rows) -> f64 {
        let mine = rows.controls.iter().filter(|r| r.control == number);
        let (mut work, mut speeds) = (0.0, vec![]);
        let mut any = false;
        for (k, (impulse, row)) in self.impulses.iter_mut().zip(mine).enumerate() {
            *impulse = row.lambda;
            any = true;
            if row.give > 0.0 {
                let after =
                    rows.point_velocity(&row.a, &rows.store) - rows.point_velocity(&row.b, &rows.store);
                // The mean of before and after the step: so kinetic energy changes, and so nothing adds up where a load
                // hangs still and free motion begins to fall anew in every step.
                let before = self.speeds.get(k).copied().unwrap_or(after);
                work += 0.5 * row.lambda.dot(before + after);
                speeds.push(after);
            }
        }
        self.speeds = speeds;
        if !any {
            self.impulses.fill(Vec3::ZERO);
        }
        self.broken |= self.spec.break_force.is_some_and(|most| self.total_force(h).length() > most);
        work
    }

    /// Whether it is a spring.
    fn gives_way(&self) -> bool {
        self.hand.is_some() || self.spec.kind == ControlKind::Spring
    }

    /// Whether it claims that its points are at their targets; what is soft, or weak, lags behind by design.
    pub fn is_exact(&self) -> bool {
        let soft = matches!(self.spec.kind, ControlKind::Force | ControlKind::Thruster | ControlKind::Spring);
        self.hand.is_none()
            && !soft
            && self.spec.method == ControlMethod::Exact
            && self.spec.max_force.is_none()
            && self.spec.max_torque.is_none()
    }

    /// Largest distance of a controlled point from its target at time `t`.
    pub fn error(&self, t: f64, bodies: &[Box<dyn Body>], obstacles: &[Obstacle]) -> f64 {
        if !self.holds(t) {
            return 0.0;
        }
        if self.spec.kind == ControlKind::Servo {
            return self.servo_error(t, bodies);
        }
        if let Some([point, hand]) = self.held(t, bodies) {
            return point.distance(hand);
        }
        if self.spec.kind.is_joint() {
            return self.joint_error(bodies, obstacles);
        }
        let (skin, along_which) = (bodies[self.body].skin(), self.held_directions());
        let distance = |k: usize| {
            let x = skin.points[self.corners[k] as usize];
            let wanted = match self.to.filter(|_| self.spec.kind == ControlKind::Attach) {
                None => self.target(k, t),
                Some(to) => {
                    let other = if to < bodies.len() {
                        bodies[to].skin()
                    } else {
                        &obstacles[to - bodies.len()].skin
                    };
                    place(other, &self.anchors[k].point, false) + self.anchors[k].at
                }
            };
            (along_which * (x - wanted)).length()
        };
        (0..self.corners.len()).map(distance).fold(0.0, f64::max)
    }

    /// Total force in the last step `[N]`.
    pub fn total_force(&self, h: f64) -> Vec3 {
        let forces = if self.spec.kind == ControlKind::Servo { 1 } else { self.impulses.len() };
        self.impulses[..forces].iter().sum::<Vec3>() / h + self.pulls.iter().sum::<Vec3>()
    }

    /// What it did in the last step, which was of length `h` and ended at time `t`.
    pub fn frame(
        &self,
        (t, h): (f64, f64),
        bodies: &[Box<dyn Body>],
        obstacles: &[Obstacle],
    ) -> ControlFrame {
        ControlFrame {
            force: self.total_force(h),
            broken: self.broken,
            exact: self.is_exact(),
            error: self.error(t, bodies, obstacles),
        }
    }

    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        out.u64(u64::from(self.begun));
        out.u64(u64::from(self.broken));
        self.ties.iter().for_each(|tie| tie.save(out));
        out.vec3(self.start.0);
        out.quat(self.start.1);
        self.impulses.iter().chain(&self.pulls).for_each(|p| out.vec3(*p));
        if let Some(trail) = &self.trail {
            trail.save(out);
        }
        if let Some(hand) = &self.hand {
            hand.save(out);
        }
        if self.gives_way() {
            out.u64(self.speeds.len() as u64);
            self.speeds.iter().for_each(|v| out.vec3(*v));
        }
        for anchor in &self.anchors {
            out.vec3(anchor.at);
            for k in 0..3 {
                out.u64(u64::from(anchor.point.corners[k]));
                out.f64(anchor.point.weights[k]);
            }
        }
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.begun = from.u64()? != 0;
        self.broken = from.u64()? != 0;
        for tie in &mut self.ties {
            tie.load(from)?;
        }
        self.start = (from.vec3()?, from.quat()?);
        for vector in self.impulses.iter_mut().chain(&mut self.pulls) {
            *vector = from.vec3()?;
        }
        if let Some(trail) = &mut self.trail {
            trail.load(from)?;
        }
        if let Some(hand) = &mut self.hand {
            hand.load(from)?;
        }
        if self.gives_way() {
            let count = from.u64()? as usize;
            if count > self.impulses.len() {
                return Err("the saved state is damaged".into());
            }
            self.speeds = (0..count).map(|_| from.vec3()).collect::<Result<_, _>>()?;
        }
        for anchor in &mut self.anchors {
            anchor.at = from.vec3()?;
            for k in 0..3 {
                anchor.point.corners[k] = from.u64()? as u32;
                anchor.point.weights[k] = from.f64()?;
            }
        }
        Ok(())
    }
}

fn grip(body: usize, point: &SkinPoint, bodies: &[Box<dyn Body>], rows: &mut Rows) -> crate::contact::Grip {
    crate::contact::Grip { body: body as u32, lever: bodies[body].lever(point, &mut rows.store) }
}

fn place(skin: &Skin, p: &SkinPoint, end: bool) -> Vec3 {
    let points = if end { &skin.next } else { &skin.points };
    (0..3).map(|k| points[p.corners[k] as usize] * p.weights[k]).sum()
}

/// One over a bound on the largest response.
fn least_mobility(m: &Mat3) -> f64 {
    let size = symmetric_eigen3(m).0.max_element();
    if size > 0.0 { 1.0 / size } else { 0.0 }
}

/// The point of a skin nearest to a place.
fn nearest_point(points: &[Vec3], triangles: &[[u32; 3]], x: Vec3) -> SkinPoint {
    let mut best = SkinPoint::corner(0, points[0]);
    for (i, p) in points.iter().enumerate() {
        if p.distance_squared(x) < best.at.distance_squared(x) {
            best = SkinPoint::corner(i as u32, *p);
        }
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| points[i as usize]);
        let n = (b - a).cross(c - a);
        let square = n.length_squared();
        let w = [n.dot((b - x).cross(c - x)), n.dot((c - x).cross(a - x)), n.dot((a - x).cross(b - x))]
            .map(|v| v / square);
        if w.iter().all(|v| *v >= 0.0) {
            let at = a * w[0] + b * w[1] + c * w[2];
            if at.distance_squared(x) < best.at.distance_squared(x) {
                best = SkinPoint { corners: *t, weights: w, at };
            }
        }
    }
    best
}
