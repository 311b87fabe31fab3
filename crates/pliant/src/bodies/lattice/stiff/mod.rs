//! Lattices too stiff for explicit steps: the same cells, masses and forces, stepped implicitly about a frame.
//!
//! Nodes stand at `x = c + R q`. The frame takes rigid motion, whose steps are exact however stiff the body is; what is
//! left are small changes of `q`, and the velocity `u` with which they are made solves one linear system:
//!
//! ```text
//! A u = M z + T h F(q) + T (h f + J^T lambda) on the elastic part,   A = M + T h (T h + tau) K
//! q+ = q + h (u - w x q),   z+ = z + (u - z)/T,   c+ = c + h v,   R+ turns at fixed angular momentum
//! ```
//!
//! `F` are the exact forces of the cells, so what stands still is in the balance that the law asks for; `K` is a matrix near
//! them (`matrix.rs`), `tau` the viscous time. As for hybrid bodies, `T` is a little more than a half: swings that the step
//! does not resolve fade, and contact takes energy and never gives any.

mod levers;
mod matrix;
mod rigid;

use super::field::Field;
use super::forces::Motion as CellMotion;
use super::shared::Shared;
use super::stretch;
use crate::bodies::node_frame::{fit, inverse_inertia, keep_momentum, moment, total};
use crate::bodies::points::{self, Points};
use crate::bodies::{Body, Hold, Lever, Patch, Start};
use crate::environment::Environment;
use crate::frame::{Measures, ObjectFrame, ObjectTopology};
use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, turn};
use crate::skin::{Skin, SkinPoint};
use crate::state::{Reader, Writer};
use levers::Brace;
use matrix::is_far;
use rigid::Rigid;
use std::sync::Arc;

pub use matrix::{AtRest, Factored};

/// Where in the step elastic forces are taken: 1/2 is the middle, 1 the end.
const IMPLICIT: f64 = 0.6;
/// By so much of its length an edge of a cell may have changed against the pose before the matrix is made anew: at most, and
/// over the angle through which the fastest swing goes in a step.
const FAR: f64 = 0.2;
const WRONG: f64 = 0.5;
/// Share of the speed of waves below which nothing is pressed together by much, and the part of a cell that a step goes
/// above it.
const GENTLE: f64 = 0.1;
const PART_OF_CELL: f64 = 0.5;
const NO_SLOT: u32 = u32::MAX;

/// One stiff lattice.
pub struct Stiff {
    shared: Arc<Shared>,
    at_rest: Arc<AtRest>,
    /// The frame.
    centre: Vec3,
    rotation: Quat,
    /// Places of the nodes about the centre of mass, frame's axes.
    q: Vec<Vec3>,
    /// Velocity of the centre of mass `[m/s]`.
    velocity: Vec3,
    /// Velocities of the nodes relative to it, frame's axes.
    z: Vec<Vec3>,
    /// The pose for which the matrix is made; empty if it is rest.
    pose: Vec<Vec3>,
    /// That matrix and the length of step it serves, unless the pose is rest.
    posed: Option<(f64, Arc<Factored>)>,
    /// Impulses gathered for this step, on nodes, world axes, and as a torque on the whole.
    gathered: Vec<(u32, Vec3)>,
    gathered_torque: Vec3,
    /// How corners of the skin were pushed in the last step `[N]`: most likely they will be again. Without that a body held by
    /// one end would seem to fold up there in every step.
    pushed: Vec<(u32, Vec3)>,
    /// Length of this step `[s]`.
    h: f64,
    /// How it moves in this step; none if it stands.
    motion: Option<Motion>,
    /// Translation, one, torque impulse, impulses at braced corners: see `Patch`.
    y: Vec<f64>,
    /// Corners of the skin that are braced, in the order of their slots; what levers need of them; slot of each corner.
    braced: Vec<u32>,
    braces: Vec<Brace>,
    slot_of: Vec<u32>,
    skin: Skin,
    /// Where the step last aimed at would end: centre, rotation, shape.
    next: (Vec3, Quat, Vec<Vec3>),
    /// The velocities with which that way is made, see `velocities`; none if something has changed since.
    way: Option<(Vec3, Vec<Vec3>)>,
}

/// Velocities before any push, and how they answer.
struct Motion {
    /// Velocities of the way, frame's axes.
    z: Vec<Vec3>,
    /// The elastic part of the velocities before the step.
    before: Vec<Vec3>,
    /// The turning of the whole that is in `z`.
    spin: Vec3,
    rigid: Rigid,
}

impl Stiff {
    /// A body at a pose with a starting motion.
    pub fn new(shared: &Arc<Shared>, at_rest: &Arc<AtRest>, start: &Start) -> Self {
        let centre = start.position + start.rotation * shared.centre;
        let spin = start.rotation.inverse() * start.spin;
        let corners = shared.carriers.len();
        let mut body = Self {
            centre,
            rotation: start.rotation,
            q: at_rest.reference.clone(),
            velocity: start.velocity,
            z: at_rest.reference.iter().map(|r| spin.cross(*r)).collect(),
            pose: vec![],
            posed: None,
            gathered: vec![],
            gathered_torque: Vec3::ZERO,
            pushed: vec![],
            h: 0.0,
            motion: None,
            y: vec![],
            braced: vec![],
            braces: vec![],
            slot_of: vec![NO_SLOT; corners],
            skin: Skin::new(shared.form.clone(), vec![Vec3::ZERO; corners]),
            next: (centre, start.rotation, vec![]),
            way: None,
            shared: shared.clone(),
            at_rest: at_rest.clone(),
        };
        body.show_now();
        body.forget();
        body
    }

    /// Writes `skin.next` from `next`.
    fn show_next(&mut self) {
        let (centre, rotation, q) = &self.next;
        let r = Mat3::from_quat(*rotation);
        for (k, to) in self.skin.next.iter_mut().enumerate() {
            *to = *centre + r * self.shared.at_corner(k, q);
        }
    }

    /// The skin as the body stands.
    fn show_now(&mut self) {
        self.next = (self.centre, self.rotation, self.q.clone());
        self.show_next();
        self.skin.points.copy_from_slice(&self.skin.next);
    }

    /// No impulses, no braces.
    fn forget(&mut self) {
        self.let_go();
        self.gathered.clear();
        self.gathered_torque = Vec3::ZERO;
    }

    fn let_go(&mut self) {
        self.way = None;
        self.y.clear();
        self.y.extend([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        self.braced.iter().for_each(|n| self.slot_of[*n as usize] = NO_SLOT);
        self.braced.clear();
        self.braces.clear();
    }

    /// Writes `skin.next` as the step would lead if it were pushed as in the last one: contact is looked for along that way.
    fn aim_as_before(&mut self, h: f64) {
        for (slot, (corner, force)) in self.pushed.iter().enumerate() {
            self.slot_of[*corner as usize] = slot as u32;
            self.braced.push(*corner);
            self.y.extend((*force * h).to_array());
        }
        self.aim(h, &[]);
        self.let_go();
    }

    /// Chooses the pose for which the matrix is made: rest if that is near, else the last one while it serves.
    fn choose_pose(&mut self) {
        let cells = &self.shared.cells;
        // A cell turned by an angle against the pose resists along a direction that the matrix takes for a soft one, with the
        // square of the angle. That must stay below what inertia does over the step, or steps would not be stable.
        let angle = WRONG / (IMPLICIT * self.h * self.shared.limits.fastest_swing());
        let far = angle.min(FAR);
        let leaves_rest = if self.pose.is_empty() { far } else { 0.5 * far };
        if !is_far(cells, &self.q, &self.at_rest.reference, leaves_rest) {
            self.pose.clear();
            self.posed = None;
        } else if self.pose.is_empty() || is_far(cells, &self.q, &self.pose, far) {
            self.pose.clone_from(&self.q);
            self.posed = None;
        }
    }

    fn factored(&mut self) -> Arc<Factored> {
        let s = IMPLICIT * self.h * (IMPLICIT * self.h + self.shared.cells.elastic.viscous_time);
        if self.pose.is_empty() {
            return self.at_rest.factored(&self.shared, self.h, s);
        }
        match &self.posed {
            Some((h, factored)) if *h == self.h => factored.clone(),
            _ => {
                let new = Arc::new(Factored::new(&self.shared, &self.pose, s));
                self.posed = Some((self.h, new.clone()));
                new
            }
        }
    }

    /// Exact elastic forces, frame's axes.
    fn forces(&self) -> Vec<Vec3> {
        let x = Field::of(&self.q);
        let (mut out, mut all) = (Field::new(self.q.len()), vec![Vec3::ZERO; self.q.len()]);
        self.shared.cells.elastic_forces(CellMotion { x: &x, v: &x, inverse: &[] }, &mut out);
        out.get(&mut all);
        all
    }

    /// Velocities before any push, and the ground for answers to pushes.
    fn prepare_step(&mut self) {
        self.choose_pose();
        let factored = self.factored();
        let shared = self.shared.clone();
        let (mass, h, q) = (&shared.mass[..], self.h, &self.q);
        let inertia = inverse_inertia(mass, q);
        let spin = inertia * moment(mass, q, &self.z);
        let before: Vec<Vec3> = self.z.iter().zip(q).map(|(z, q)| *z - spin.cross(*q)).collect();
        let mut b = self.forces();
        for (((b, before), m), q) in b.iter_mut().zip(&before).zip(mass).zip(q) {
            // What turns wants to fly apart; the part of it that is rigid motion is taken away with all other such.
            let flung = spin.cross(spin.cross(*q)) * *m;
            *b = (*b - flung) * (IMPLICIT * h) + *before * *m;
        }
        let back = self.rotation.inverse();
        let (mut push, mut torque) = (Vec3::ZERO, back * self.gathered_torque);
        for (node, impulse) in &self.gathered {
            let p = back * *impulse;
            b[*node as usize] += IMPLICIT * p;
            torque += q[*node as usize].cross(p);
            push += *impulse;
        }
        self.velocity += push / shared.total_mass;
        let spin = spin + inertia * torque;
        let rigid = Rigid::new(&shared, factored, q, &mut b);
        rigid.elastic(mass, q, &mut b);
        b.iter_mut().zip(q).for_each(|(b, q)| *b += spin.cross(*q));
        self.motion = Some(Motion { z: b, before, spin, rigid });
    }

    /// What impulses in the coordinates of `y` do: to the centre, as a turn, to the shape (frame's axes).
    fn answer_to(&self, y: &[f64], rigid: &Rigid) -> (Vec3, Vec3, Option<Vec<Vec3>>) {
        let shared = &self.shared;
        let back = self.rotation.inverse();
        let mut shift = Vec3::from_slice(y);
        let mut torque = back * Vec3::from_slice(&y[4..]);
        let mut elastic: Option<Vec<Vec3>> = None;
        for (slot, corner) in self.braced.iter().enumerate() {
            let p = Vec3::from_slice(&y[Patch::BEFORE + 3 * slot..]);
            if p == Vec3::ZERO {
                continue;
            }
            shift += p / shared.total_mass;
            let p = back * p;
            torque += shared.at_corner(*corner as usize, &self.q).cross(p);
            let load = elastic.get_or_insert_with(|| vec![Vec3::ZERO; self.q.len()]);
            for (slot, w) in shared.carriers.of(*corner as usize) {
                load[shared.outer[*slot as usize] as usize] += p * (IMPLICIT * w);
            }
        }
        if let Some(d) = &mut elastic {
            rigid.factored.solve([d]);
            rigid.elastic(&shared.mass, &self.q, d);
        }
        (shift, rigid.inverse_inertia * torque, elastic)
    }

    /// Velocity of the centre and of the nodes relative to it, with all impulses of this step.
    fn velocities(&self) -> (Vec3, Vec<Vec3>) {
        let Some(Motion { z, rigid, .. }) = &self.motion else {
            return (self.velocity + Vec3::from_slice(&self.y), self.z.clone());
        };
        let (v, w, elastic) = self.answer_to(&self.y, rigid);
        let mut z = z.clone();
        z.iter_mut().zip(&self.q).for_each(|(z, q)| *z += w.cross(*q));
        z.iter_mut().zip(elastic.into_iter().flatten()).for_each(|(z, d)| *z += d);
        (self.velocity + v, z)
    }

    /// Air slows every outer node down by its share of the surface.
    fn drag(&mut self, environment: &Environment, h: f64) {
        let shared = self.shared.clone();
        let share = shared.drag_area / shared.outer.len() as f64;
        let r = Mat3::from_quat(self.rotation);
        for node in &shared.outer {
            let (m, fast) = (shared.mass[*node as usize], self.velocity + r * self.z[*node as usize]);
            let slow = environment.slowed(fast, environment.wind, (shared.material.drag, share), m, h);
            self.gathered.push((*node, (slow - fast) * m));
        }
    }

    /// Rigid motion that has crept into a shape goes into the rotation.
    fn refit(&self, rotation: Quat, q: &mut [Vec3]) -> Quat {
        let small = fit(&self.shared.mass, q, &self.at_rest.reference);
        if small == Quat::IDENTITY {
            return rotation;
        }
        let back = Mat3::from_quat(small).transpose();
        q.iter_mut().for_each(|q| *q = back * *q);
        (rotation * small).normalize()
    }

    /// Places of the nodes and their velocities, world axes.
    fn in_the_world(&self) -> (Vec<Vec3>, Vec<Vec3>) {
        let r = Mat3::from_quat(self.rotation);
        let (v, z) = self.velocities();
        let places = self.q.iter().map(|q| self.centre + r * *q).collect();
        (places, z.iter().map(|z| v + r * *z).collect())
    }
}

impl Body for Stiff {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.h = h;
        self.way = None;
        self.velocity += h * environment.gravity;
        if environment.air_density > 0.0 {
            self.drag(environment, h);
        }
        self.prepare_step();
        self.aim_as_before(h);
    }

    /// What meets something at a fair share of the speed of its own waves is pressed together by as much; a step must not do
    /// all of that at once.
    fn longest_step(&self) -> f64 {
        let (shared, speed) = (&self.shared, self.speed());
        let waves = (shared.material.young / shared.material.density).sqrt();
        let edge = shared.cells.grid.cell.size.iter().copied().fold(f64::INFINITY, f64::min);
        if speed < GENTLE * waves { f64::INFINITY } else { PART_OF_CELL * edge / speed }
    }

    fn skin(&self) -> &Skin {
        &self.skin
    }
    fn least_stretch(&self) -> Option<f64> {
        let shared = &self.shared;
        shared.is_box.then(|| stretch::least_stretch(&shared.cells.grid, &self.q)).flatten()
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        self.way = None;
        &mut self.y
    }
    fn brace(&mut self, points: &[SkinPoint]) -> bool {
        self.brace_for(points)
    }
    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        self.lever_at(p, store)
    }
    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        self.lever_of_frame(hold, store)
    }
    fn rotation(&self) -> Quat {
        self.rotation
    }

    fn aim(&mut self, h: f64, shift: &[f64]) {
        let mass = &self.shared.mass[..];
        let (v, z) = self.way.take().unwrap_or_else(|| self.velocities());
        let inverse = match &self.motion {
            Some(motion) => motion.rigid.inverse_inertia,
            None => inverse_inertia(mass, &self.q),
        };
        let momentum = moment(mass, &self.q, &z);
        let w = inverse * momentum;
        let mut centre = self.centre + h * v;
        let mut rotation = turn(self.rotation, self.rotation * momentum, &inverse, h);
        let mut q: Vec<Vec3> = self.q.iter().zip(&z).map(|(q, z)| *q + h * (*z - w.cross(*q))).collect();
        match &self.motion {
            Some(motion) if shift.iter().any(|s| *s != 0.0) => {
                let (d, w, elastic) = self.answer_to(shift, &motion.rigid);
                centre += d;
                rotation = (rotation_by(self.rotation * w) * rotation).normalize();
                elastic.into_iter().flatten().zip(&mut q).for_each(|(d, q)| *q += d);
            }
            _ if !shift.is_empty() => centre += Vec3::from_slice(shift),
            _ => (),
        }
        rotation = self.refit(rotation, &mut q);
        self.next = (centre, rotation, q);
        self.way = Some((v, z));
        self.show_next();
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; self.y.len()];
        shift[..3].copy_from_slice(&d.to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        let shared = self.shared.clone();
        if h > 0.0 {
            let pushes = self.y[Patch::BEFORE..].chunks_exact(3).map(|p| Vec3::from_slice(p) / h);
            let pushed = self.braced.iter().copied().zip(pushes);
            self.pushed = pushed.filter(|(_, p)| *p != Vec3::ZERO).collect();
        }
        let (v, mut z) = self.way.take().unwrap_or_else(|| self.velocities());
        let (centre, rotation, q) = std::mem::take(&mut self.next);
        let momentum = self.rotation * moment(&shared.mass, &self.q, &z);
        let before = self.motion.take().map_or_else(Vec::new, |motion| motion.before);
        // From the velocities of the way to those at its end, without the turning of the whole: swings keep their direction
        // in the world while the frame turns away below them.
        let w = inverse_inertia(&shared.mass, &self.q) * (self.rotation.inverse() * momentum);
        z.iter_mut().zip(&self.q).for_each(|(z, q)| *z -= w.cross(*q));
        z.iter_mut().zip(&before).for_each(|(z, before)| *z += (1.0 / IMPLICIT - 1.0) * (*z - *before));
        let turned = Mat3::from_quat(rotation.inverse() * self.rotation);
        self.z = z.into_iter().map(|z| turned * z).collect();
        keep_momentum(&shared.mass, &q, &mut self.z, rotation.inverse() * momentum);
        self.velocity = v;
        (self.centre, self.rotation, self.q) = (centre, rotation, q);
        let mean = total(&shared.mass, &self.q) / shared.total_mass;
        self.q.iter_mut().for_each(|q| *q -= mean);
        self.centre += self.rotation * mean;
        self.forget();
        self.show_now();
    }

    fn momentum(&self) -> Vec3 {
        let impulses: Vec3 = self.y[Patch::BEFORE..].chunks_exact(3).map(Vec3::from_slice).sum();
        (self.velocity + Vec3::from_slice(&self.y)) * self.shared.total_mass + impulses
    }
    fn kinetic(&self) -> f64 {
        let (v, z) = self.velocities();
        let inner: f64 = z.iter().zip(&self.shared.mass).map(|(z, m)| m * z.length_squared()).sum();
        0.5 * (self.shared.total_mass * v.length_squared() + inner)
    }
    fn centre(&self) -> (Vec3, f64) {
        (self.centre, self.shared.total_mass)
    }
    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        self.shared.material_point(&self.q, self.rotation.inverse() * (world - self.centre))
    }
    fn measure(&self) -> Measures {
        let (x, v) = self.in_the_world();
        let all = Points { x: &x, v: &v, mass: &self.shared.mass };
        self.shared.measure(&all, self.centre, &[], &self.skin)
    }
    fn speed(&self) -> f64 {
        let inner = points::fastest(&self.z);
        (self.velocity.length_squared() + inner * inner).sqrt()
    }
    fn stop(&mut self) {
        self.velocity = Vec3::ZERO;
        self.z.fill(Vec3::ZERO);
        self.motion = None;
        self.pushed.clear();
        self.forget();
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        let r = Mat3::from_quat(self.rotation);
        let mut place = Vec3::ZERO;
        for (slot, w) in self.shared.carriers_of(p) {
            let node = self.shared.outer[slot as usize];
            self.gathered.push((node, impulse * w));
            place += self.q[node as usize] * w;
        }
        self.gathered_torque += (p.at - self.centre - r * place).cross(impulse);
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }
    fn topology(&self, name: &str) -> ObjectTopology {
        self.shared.topology(name)
    }
    fn frame(&self) -> ObjectFrame {
        let r = Mat3::from_quat(self.rotation);
        let x: Vec<Vec3> = self.q.iter().map(|q| self.centre + r * *q).collect();
        self.shared.frame((self.centre, self.rotation), &x, &self.skin)
    }

    fn save(&self, out: &mut Writer) {
        out.vec3(self.centre);
        out.quat(self.rotation);
        out.vec3(self.velocity);
        out.u64(u64::from(!self.pose.is_empty()));
        self.q.iter().chain(&self.z).chain(&self.pose).for_each(|v| out.vec3(*v));
        out.u64(self.pushed.len() as u64);
        for (corner, force) in &self.pushed {
            out.u64(u64::from(*corner));
            out.vec3(*force);
        }
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.centre = from.vec3()?;
        self.rotation = from.quat()?;
        self.velocity = from.vec3()?;
        let nodes = if from.u64()? != 0 { self.q.len() } else { 0 };
        self.pose.resize(nodes, Vec3::ZERO);
        for v in self.q.iter_mut().chain(&mut self.z).chain(&mut self.pose) {
            *v = from.vec3()?;
        }
        self.pushed.clear();
        for _ in 0..from.u64()? {
            let corner = from.u64()?;
            if corner >= self.slot_of.len() as u64 {
                return Err("the saved state is damaged".into());
            }
            self.pushed.push((corner as u32, from.vec3()?));
        }
        self.posed = None;
        self.motion = None;
        self.forget();
        self.show_now();
        Ok(())
    }
}
