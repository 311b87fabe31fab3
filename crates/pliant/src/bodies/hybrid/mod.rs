//! Hybrid bodies: a rigid reference frame plus a linear elastic displacement ([TW88]).
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `weights` | stiffness: a preset's name, or `w0 w1 w2` / `w00 w10 w01 w20 w11 w02` / ..., see `weights.rs` | from `young` and the section |
//! | `thickness` | wall of a closed shell `[m]` | a twentieth of the smallest extent |
//! | `form` | `shell` or `solid` | `solid` for boxes, else `shell` |
//! | `resolution` | cells along x, y, z (solids); rings and nodes around (sphere, ellipsoid, torus) | 4; 9 and 12 |
//! | `refine` | how often the triangles of a smooth skin are cut in four, so that it is round between the nodes | 0 |
//! | `solver` | `direct` (factored once) or `iterative` (conjugate gradients) | `direct` |
//! | `planar` | whether the body lives in the plane z = 0: Flatland | false |
//! | `creep_time` | time in which the reference shape follows the present one `[s]` | 0: never |
//! | `fracture_strain` | strain at which it breaks: a number, a function of material coordinates, or paint | never |
//!
//! `x = c + R (r + e)` ([TW88] Eq. 5): reference `r`, displacement `e`, frame `(c, R)`. The printed equations of motion
//! leave six coordinates too many, and their lagged solution diverges. Here the frame is the one in which the
//! displacement holds no rigid motion, `sum m e = 0` and `sum m r x e = 0`; the state is `c, R, e` and the velocities of
//! the nodes in the frame's axes, `z`. The elastic force is the exact gradient of `E(e)` ([TW88] Eq. 13), so it has
//! neither net force nor torque.
//!
//! Free flight is the implicit midpoint of `flight.rs`: energy and momenta kept. A step with contact or forces solves one
//! linear system with a matrix that never changes, for the velocity `u` with which the step's way is made:
//!
//! ```text
//! A u = M z + T h F + T (h f + J^T lambda) on the elastic part,   A = M + (T^2 h^2 + T h beta) K, factored once
//! e+ = e + h (u - w x q),   z+ = z + (u - z)/T,   c+ = c + h v,   R+ turns at fixed angular momentum
//! ```
//!
//! Rigid motion takes impulses at full length and ends with the velocity it moved with. `T = 1` is linearly implicit
//! Euler, which loses most of a bounce; `T = 1/2` the midpoint, which rings for ever. In between, contact takes energy
//! and never gives any: the work of an impulse is `lambda . u`, and `u` does not approach.
//!
//! Yield: where strain exceeds `yield_strain`, the reference absorbs the excess (`flow.rs`).
//!
//! Fracture: where strain exceeds `fracture_strain`, rows of the energy are deleted, and pieces that come apart become
//! bodies of their own (`fracture/mod.rs`).

mod carrier;
mod factor;
mod flight;
mod flow;
mod fracture;
mod levers;
mod prepare;
mod rigid_modes;
mod shared;
mod spline;
mod stiffness;
mod weights;

use super::node_frame::{fit, inverse_inertia, keep_momentum, moment};
use super::scaffold::Scaffold;
use super::{Body, BodyKind, Breaks, Hold, Lever, Patch, Prototype, Start};
use crate::environment::Environment;
use crate::frame::{Inner, Measures, ObjectFrame, ObjectTopology};
use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, turn};
use crate::scene::BodySpec;
use crate::shape::enclosed_volume;
use crate::skin::{Skin, SkinPoint};
use crate::state::{Reader, Writer};
use carrier::Carrier;
use flight::{Landed, fly};
use levers::Braces;
use rigid_modes::RigidModes;
use shared::Shared;
use std::sync::Arc;

pub use factor::{Factor, Method};
pub use spline::{Row as SplineRow, Spline};
pub use stiffness::Stiffness;
pub use weights::{Term, Weights};

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "hybrid",
    summary: "a rigid frame and a linear elastic displacement: curves, shells, solids",
    own_keys: |generator| generator.subschema_for::<prepare::HybridKeys>(),
    example: prepare::example,
    prepare: prepare::prepare,
};

struct Form {
    shared: Arc<Shared>,
}

impl Prototype for Form {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        Box::new(Hybrid::new(&self.shared, start))
    }
    fn check_start(&self, spec: &BodySpec) -> Result<(), (&'static str, String)> {
        if self.shared.planar { prepare::stays_in_plane(spec) } else { Ok(()) }
    }
}

/// One hybrid body.
struct Hybrid {
    shared: Arc<Shared>,
    /// The reference component about the centre of mass, frame's axes. Inelastic bodies change it.
    reference: Vec<Vec3>,
    /// The frame.
    centre: Vec3,
    rotation: Quat,
    /// The displacement component, frame's axes.
    e: Vec<Vec3>,
    /// Velocity of the centre of mass `[m/s]`.
    velocity: Vec3,
    /// Velocities of the nodes relative to it, frame's axes.
    z: Vec<Vec3>,
    /// Forces gathered for this step, as impulses on nodes, world axes.
    gathered: Vec<(u32, Vec3)>,
    /// And as impulses of torque on the whole.
    gathered_torque: Vec3,
    /// Whether something touched it in the last step; then most likely in this one, too.
    touched: bool,
    /// Length of this step `[s]`.
    h: f64,
    /// How it moves in this step.
    motion: Motion,
    /// Translation, one, torque impulse, impulses at braced nodes: see `Patch`.
    y: Vec<f64>,
    /// Nodes that are braced, in the order of their slots.
    braced: Vec<u32>,
    /// What levers need of them.
    braces: Braces,
    /// Slot of each node.
    slot_of: Vec<u32>,
    skin: Skin,
    /// Facets that have broken, in order, of a body that can break.
    cracks: Vec<u32>,
    /// Whether that calls for other copies of nodes than it has.
    comes_apart: bool,
    /// Where the step last aimed at would end: centre, rotation, displacement.
    next: (Vec3, Quat, Vec<Vec3>),
    /// The velocities with which that way is made, see `velocities`; none if something has changed since.
    way: Option<(Vec3, Vec<Vec3>)>,
}

/// How a body moves in a step.
enum Motion {
    /// As it stands.
    Still,
    /// Touched by nothing: where free flight ends.
    Flight(Landed),
    /// Pushed at: velocities before any push, and how they answer.
    Contact {
        /// Velocities of the way, frame's axes.
        z: Vec<Vec3>,
        /// The elastic part of the velocities before the step.
        before: Vec<Vec3>,
        /// The turning of the whole that is in `z`.
        spin: Vec3,
        modes: Box<RigidModes>,
    },
}

const NO_SLOT: u32 = u32::MAX;

/// Where in the step the elastic force of a step with contact is taken: 1/2 is the middle, 1 the end.
pub(super) const IMPLICIT: f64 = 0.6;

impl Hybrid {
    fn new(shared: &Arc<Shared>, start: &Start) -> Self {
        let n = shared.mass.len();
        let centre = start.position + start.rotation * shared.centre;
        let spin = start.rotation.inverse() * start.spin;
        let mut body = Self {
            reference: shared.reference.clone(),
            centre,
            rotation: start.rotation,
            e: vec![Vec3::ZERO; n],
            velocity: start.velocity,
            z: shared.reference.iter().map(|r| spin.cross(*r)).collect(),
            gathered: vec![],
            gathered_torque: Vec3::ZERO,
            touched: false,
            h: shared.step,
            motion: Motion::Still,
            y: vec![],
            braced: vec![],
            braces: Braces::default(),
            slot_of: vec![NO_SLOT; n],
            skin: Skin::new(shared.form.clone(), vec![Vec3::ZERO; shared.carriers.len()]),
            cracks: shared.broken.as_ref().map_or_else(Vec::new, |b| b.cut.opened.clone()),
            comes_apart: false,
            next: (centre, start.rotation, vec![Vec3::ZERO; n]),
            way: None,
            shared: shared.clone(),
        };
        body.show_now();
        body.forget();
        body
    }

    /// Places of the nodes about the centre, frame's axes.
    fn shape(&self) -> Vec<Vec3> {
        self.reference.iter().zip(&self.e).map(|(r, e)| *r + *e).collect()
    }

    /// Writes `skin.next` from `next`.
    fn show_next(&mut self) {
        let (centre, rotation, e) = &self.next;
        let r = Mat3::from_quat(*rotation);
        for (to, carrier) in self.skin.next.iter_mut().zip(&self.shared.carriers) {
            *to = *centre + r * carrier.place(|k| self.reference[k] + e[k]);
        }
    }

    /// The skin as the body stands.
    fn show_now(&mut self) {
        self.next = (self.centre, self.rotation, self.e.clone());
        self.show_next();
        self.skin.points.copy_from_slice(&self.skin.next);
    }

    /// No impulses, no braces.
    fn forget(&mut self) {
        self.way = None;
        self.y.clear();
        self.y.extend([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        self.braced.iter().for_each(|n| self.slot_of[*n as usize] = NO_SLOT);
        self.braced.clear();
        self.braces.clear();
        self.gathered.clear();
        self.gathered_torque = Vec3::ZERO;
    }

    fn masked(&self, v: Vec3) -> Vec3 {
        if self.shared.planar { Vec3::new(v.x, v.y, 0.0) } else { v }
    }

    /// Inverse inertia of the shape the step began with; in a plane only about z.
    fn inverse_inertia(&self, modes: &RigidModes) -> Mat3 {
        self.in_plane(modes.inverse_inertia)
    }

    fn in_plane(&self, inertia: Mat3) -> Mat3 {
        if self.shared.planar { Mat3::from_diagonal(Vec3::new(0.0, 0.0, inertia.z_axis.z)) } else { inertia }
    }

    /// Linearly implicit Euler: velocities before any push.
    fn prepare_contact(&mut self) {
        if matches!(self.motion, Motion::Contact { .. }) {
            return;
        }
        self.way = None;
        let shared = self.shared.clone();
        let (mass, h) = (&shared.mass[..], self.h);
        let contact = shared.contact(self.h);
        let q = self.shape();
        let of_shape = inverse_inertia(mass, &q);
        let inertia = self.in_plane(of_shape);
        let spin = inertia * moment(mass, &q, &self.z);
        let before: Vec<Vec3> = self.z.iter().zip(&q).map(|(z, q)| *z - spin.cross(*q)).collect();
        let mut b = shared.force(&self.reference, &self.e, &q);
        for ((b, z), m) in b.iter_mut().zip(&before).zip(mass) {
            *b = *b * (IMPLICIT * h) + *z * *m;
        }
        let back = self.rotation.inverse();
        let (mut push, mut torque) = (Vec3::ZERO, back * self.gathered_torque);
        for (node, impulse) in &self.gathered {
            let p = back * self.masked(*impulse);
            b[*node as usize] += IMPLICIT * p;
            torque += q[*node as usize].cross(p);
            push += self.masked(*impulse);
        }
        self.velocity += push / shared.total_mass;
        let w = spin + inertia * torque;
        let mut eta = RigidModes::load(mass, &q);
        contact.factor.solve_all([&mut b, &mut eta]);
        let modes = RigidModes::solved(mass, &contact.still, (q, of_shape), eta);
        modes.elastic(mass, &contact.still, &mut b);
        b.iter_mut().zip(&modes.q).for_each(|(b, q)| *b += w.cross(*q));
        self.motion = Motion::Contact { z: b, before, spin: w, modes: Box::new(modes) };
    }

    /// What impulses in the coordinates of `y` do: to the centre, as a turn, to the displacement (frame's axes).
    fn answer_to(&self, y: &[f64], modes: &RigidModes) -> (Vec3, Vec3, Option<Vec<Vec3>>) {
        let shared = &self.shared;
        let contact = shared.contact(self.h);
        let back = self.rotation.inverse();
        let mut shift = Vec3::from_slice(y);
        let mut torque = back * Vec3::from_slice(&y[4..]);
        let mut elastic: Option<Vec<Vec3>> = None;
        for (slot, node) in self.braced.iter().enumerate() {
            let p = self.masked(Vec3::from_slice(&y[Patch::BEFORE + 3 * slot..]));
            if p == Vec3::ZERO {
                continue;
            }
            let p = back * p;
            shift += self.rotation * p / shared.total_mass;
            torque += modes.q[*node as usize].cross(p);
            let d = elastic.get_or_insert_with(|| vec![Vec3::ZERO; modes.q.len()]);
            for (d, a) in d.iter_mut().zip(contact.factor.column(*node as usize)) {
                *d += p * (IMPLICIT * *a);
            }
        }
        if let Some(d) = &mut elastic {
            modes.elastic(&shared.mass, &contact.still, d);
        }
        (shift, self.inverse_inertia(modes) * torque, elastic)
    }

    /// Velocity of the centre and of the nodes relative to it, with all impulses of this step.
    fn velocities(&self) -> (Vec3, Vec<Vec3>) {
        let Motion::Contact { z, modes, .. } = &self.motion else {
            return (self.velocity + Vec3::from_slice(&self.y), self.z.clone());
        };
        let (v, w, elastic) = self.answer_to(&self.y, modes);
        let mut z = z.clone();
        for (z, q) in z.iter_mut().zip(&modes.q) {
            *z += w.cross(*q);
        }
        if let Some(d) = elastic {
            z.iter_mut().zip(d).for_each(|(z, d)| *z += d);
        }
        (self.velocity + v, z)
    }

    /// Air slows every node down by its share of the surface.
    fn drag(&mut self, environment: &Environment, h: f64) {
        let shared = self.shared.clone();
        let turn = Mat3::from_quat(self.rotation);
        let wind = turn.transpose() * (environment.wind - self.velocity);
        let share = shared.drag_area / shared.mass.len() as f64;
        for (z, m) in self.z.iter_mut().zip(&shared.mass) {
            *z = environment.slowed(*z, wind, (shared.material.drag, share), *m, h);
        }
        let mean = shared.centred(&mut self.z);
        self.velocity += turn * mean;
        self.velocity = self.masked(self.velocity);
    }

    fn place_of(&self, p: &SkinPoint) -> ([usize; 3], Vec3) {
        let corners = p.corners.iter().map(|c| &self.shared.carriers[*c as usize]);
        let (nodes, weights) = Carrier::between(corners.zip(p.weights));
        (nodes.map(|n| n as usize), Vec3::from(weights))
    }

    /// A point of the skin, frame's axes.
    fn carried_by(&self, carrier: &Carrier) -> Vec3 {
        carrier.place(|k| self.reference[k] + self.e[k])
    }
}

impl Body for Hybrid {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.h = h;
        self.way = None;
        self.velocity += h * self.masked(environment.gravity);
        if environment.air_density > 0.0 {
            self.drag(environment, h);
        }
        self.motion = Motion::Still;
        let pushed = !self.gathered.is_empty() || self.gathered_torque != Vec3::ZERO;
        match if pushed || self.touched {
            None
        } else {
            fly(&self.shared, h, &self.reference, &self.e, &self.z)
        } {
            Some(landed) => self.motion = Motion::Flight(landed),
            None => self.prepare_contact(),
        }
        self.aim(h, &[]);
    }

    fn skin(&self) -> &Skin {
        &self.skin
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
        let whole = |shift: &[f64]| if shift.is_empty() { Vec3::ZERO } else { Vec3::from_slice(shift) };
        match &self.motion {
            Motion::Flight(landed) if h == self.h => {
                self.next = (
                    self.centre + h * self.velocity + whole(shift),
                    (self.rotation * landed.turn).normalize(),
                    landed.e.clone(),
                );
            }
            motion => {
                let (v, z) = self.way.take().unwrap_or_else(|| self.velocities());
                let still;
                let (q, inverse) = match motion {
                    Motion::Contact { modes, .. } => (&modes.q, modes.inverse_inertia),
                    _ => {
                        still = self.shape();
                        (&still, inverse_inertia(&self.shared.mass, &still))
                    }
                };
                let momentum = moment(&self.shared.mass, q, &z);
                let w = inverse * momentum;
                let mut centre = self.centre + h * v;
                let mut rotation = turn(self.rotation, self.rotation * momentum, &inverse, h);
                let mut e: Vec<Vec3> = (0..q.len()).map(|i| self.e[i] + h * (z[i] - w.cross(q[i]))).collect();
                if let Motion::Contact { modes, .. } = motion
                    && shift.iter().any(|s| *s != 0.0)
                {
                    let (d, w, elastic) = self.answer_to(shift, modes);
                    centre += d;
                    rotation = (rotation_by(self.rotation * w) * rotation).normalize();
                    elastic.into_iter().flatten().zip(&mut e).for_each(|(d, e)| *e += d);
                } else {
                    centre += whole(shift);
                }
                // Rigid motion that has crept into the displacement goes into the frame, so that what the skin carries
                // beside the nodes turns as it will when the step is accepted.
                let q: Vec<Vec3> = self.reference.iter().zip(&e).map(|(r, e)| *r + *e).collect();
                let small = fit(&self.shared.mass, &q, &self.reference);
                let back = Mat3::from_quat(small).transpose();
                for ((e, q), r) in e.iter_mut().zip(&q).zip(&self.reference) {
                    *e = back * *q - *r;
                }
                self.next = (centre, (rotation * small).normalize(), e);
                self.way = Some((v, z));
            }
        }
        self.show_next();
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; self.y.len()];
        shift[..3].copy_from_slice(&self.masked(d).to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        let shared = self.shared.clone();
        let (v, z) = self.way.take().unwrap_or_else(|| self.velocities());
        let (centre, rotation, e) = std::mem::take(&mut self.next);
        match std::mem::replace(&mut self.motion, Motion::Still) {
            Motion::Flight(landed) if h == self.h => {
                self.e = landed.e;
                self.z = landed.z;
                self.velocity = v;
            }
            motion => {
                let mut z = z;
                if let Motion::Contact { before, modes, .. } = motion {
                    // From the velocity of the way to that at its end.
                    let w = self.inverse_inertia(&modes) * moment(&shared.mass, &modes.q, &z);
                    for ((z, before), q) in z.iter_mut().zip(&before).zip(&modes.q) {
                        *z += (1.0 / IMPLICIT - 1.0) * (*z - w.cross(*q) - *before);
                    }
                }
                // Velocities keep their direction in the world while the frame turns away below them: seen from the
                // frame this is the gyroscopic force. What that does to the angular momentum is made good.
                let momentum = self.rotation * moment(&shared.mass, &self.shape(), &z);
                let turned = Mat3::from_quat(rotation.inverse() * self.rotation);
                self.z = z.into_iter().map(|z| turned * z).collect();
                self.e = e;
                let q = self.shape();
                keep_momentum(&shared.mass, &q, &mut self.z, rotation.inverse() * momentum);
                self.velocity = v;
            }
        }
        self.centre = centre;
        self.rotation = rotation;
        if h > 0.0 {
            self.touched = !self.braced.is_empty();
            self.flow(h);
        }
        self.fit_frame();
        if h > 0.0 {
            self.crack();
        }
        self.forget();
        self.show_now();
    }

    fn momentum(&self) -> Vec3 {
        let impulses: Vec3 =
            (0..self.braced.len()).map(|k| Vec3::from_slice(&self.y[Patch::BEFORE + 3 * k..])).sum();
        (self.velocity + Vec3::from_slice(&self.y)) * self.shared.total_mass + self.masked(impulses)
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
        let inside = self.rotation.inverse() * (world - self.centre);
        let q = self.shape();
        let nearest = (0..q.len())
            .min_by(|i, j| q[*i].distance_squared(inside).total_cmp(&q[*j].distance_squared(inside)))?;
        Some(
            self.shared.centre + inside - self.e[nearest] - self.reference[nearest]
                + self.shared.reference[nearest],
        )
    }

    fn measure(&self) -> Measures {
        let (v, z) = self.velocities();
        let q = self.shape();
        let momentum = self.momentum();
        let spin = self.rotation * moment(&self.shared.mass, &q, &z);
        let inner: f64 = z.iter().zip(&self.shared.mass).map(|(z, m)| m * z.length_squared()).sum();
        Measures {
            mass: self.shared.total_mass,
            centre: self.centre,
            momentum,
            angular_momentum: spin + self.centre.cross(momentum),
            kinetic: 0.5 * (self.shared.total_mass * v.length_squared() + inner),
            elastic: self.shared.energy(&self.e),
            volume: enclosed_volume(&self.skin.points, &self.shared.mesh.triangles),
            least_jacobian: self.least_jacobian(&q),
            asleep: false,
        }
    }

    fn speed(&self) -> f64 {
        let square = |z: &Vec3| z.length_squared();
        let inner = self.z.iter().map(square).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        (self.velocity.length_squared() + inner).sqrt()
    }
    fn stop(&mut self) {
        self.velocity = Vec3::ZERO;
        self.z.fill(Vec3::ZERO);
        self.motion = Motion::Still;
        self.way = None;
        self.forget();
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        let (nodes, weights) = self.place_of(p);
        let r = Mat3::from_quat(self.rotation);
        let mut place = Vec3::ZERO;
        for k in (0..3).filter(|k| weights[*k] != 0.0) {
            self.gathered.push((nodes[k] as u32, impulse * weights[k]));
            place += (self.reference[nodes[k]] + self.e[nodes[k]]) * weights[k];
        }
        self.gathered_torque += (p.at - self.centre - r * place).cross(impulse);
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn breaks(&self) -> Option<&dyn Breaks> {
        self.shared.broken.as_ref().map(|_| self as &dyn Breaks)
    }

    fn cut(&mut self, at: Vec3, across: Vec3) -> bool {
        self.crack_along(at, across)
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        // A piece is shown as part of the whole that it was.
        let whole = self.shared.broken.as_ref().map(|b| &b.whole);
        let (mesh, centre, nodes) = match whole {
            Some(w) => (&w.mesh, w.centre, w.mass.len()),
            None => (&self.shared.mesh, self.shared.centre, self.e.len()),
        };
        ObjectTopology {
            name: name.into(),
            kind: KIND.name.into(),
            deforms: true,
            remeshed: whole.is_some(),
            smooth: self.shared.smooth,
            triangles: mesh.triangles.clone(),
            points: mesh.points.iter().map(|p| (*p - centre).as_vec3().to_array()).collect(),
            rest_volume: mesh.volume(),
            incompressible: false,
            freedoms: if self.shared.planar { 2 } else { 3 } * nodes as u32,
            cell_edges: self.scaffold().map_or_else(Vec::new, |s| s.edges(&self.shared.cells)),
        }
    }
    fn frame(&self) -> ObjectFrame {
        let inner = self.scaffold().map_or_else(Vec::new, |s| s.inner);
        let place = |carrier: &Carrier| self.carried_by(carrier).as_vec3().to_array();
        ObjectFrame {
            translation: self.centre,
            rotation: self.rotation,
            points: self.shared.carriers.iter().map(place).collect(),
            surface: self.shared.broken.as_ref().map(|_| self.surface()),
            nodes: Inner::new(inner.iter().map(|k| self.reference[*k as usize] + self.e[*k as usize])),
            ..ObjectFrame::default()
        }
    }

    fn save(&self, out: &mut Writer) {
        out.vec3(self.centre);
        out.quat(self.rotation);
        out.vec3(self.velocity);
        out.u64(u64::from(self.touched));
        self.e.iter().chain(&self.z).for_each(|v| out.vec3(*v));
        if self.absorbs() {
            self.reference.iter().for_each(|v| out.vec3(*v));
        }
        if self.shared.broken.is_some() {
            out.u64(self.cracks.len() as u64);
            self.cracks.iter().for_each(|f| out.u64(u64::from(*f)));
        }
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.centre = from.vec3()?;
        self.rotation = from.quat()?;
        self.velocity = from.vec3()?;
        self.touched = from.u64()? != 0;
        for v in self.e.iter_mut().chain(&mut self.z) {
            *v = from.vec3()?;
        }
        if self.absorbs() {
            for v in &mut self.reference {
                *v = from.vec3()?;
            }
        }
        if self.shared.broken.is_some() {
            self.load_cracks(from)?;
        }
        self.motion = Motion::Still;
        self.forget();
        self.show_now();
        Ok(())
    }
}

impl Hybrid {
    /// Takes rigid motion out of the displacement and into the frame.
    fn fit_frame(&mut self) {
        let shared = self.shared.clone();
        let mean = shared.centred(&mut self.e);
        if self.absorbs() {
            let middle = shared.centred(&mut self.reference);
            self.centre += self.rotation * (mean + middle);
        } else {
            self.centre += self.rotation * mean;
        }
        let q = self.shape();
        let turn = fit(&shared.mass, &q, &self.reference);
        if turn == Quat::IDENTITY {
            return;
        }
        let back = Mat3::from_quat(turn).transpose();
        for ((e, q), r) in self.e.iter_mut().zip(&q).zip(&self.reference) {
            *e = back * *q - *r;
        }
        self.z.iter_mut().for_each(|z| *z = back * *z);
        self.rotation = (self.rotation * turn).normalize();
    }

    /// How nodes of a solid are numbered where they are looked at; not where it can break, for then its cells change.
    fn scaffold(&self) -> Option<Scaffold> {
        let shared = self.shared.as_ref();
        if shared.cells.is_empty() || shared.broken.is_some() {
            return None;
        }
        let carriers = shared.carriers.iter().enumerate();
        let on_nodes = carriers.filter(|(_, c)| **c == Carrier::node(c.nodes[0], Vec3::ZERO));
        let on_nodes = on_nodes.map(|(point, c)| (point as u32, c.nodes[0]));
        Some(Scaffold::new(self.e.len(), shared.carriers.len(), on_nodes))
    }

    /// Smallest volume of a solid's cells against that at rest, at their corners.
    fn least_jacobian(&self, q: &[Vec3]) -> f64 {
        let corner = |at: &[Vec3], cell: &[u32; 8], k: usize| {
            let here = at[cell[k] as usize];
            let edge = |bit: usize| {
                let other = at[cell[k ^ bit] as usize];
                if k & bit == 0 { other - here } else { here - other }
            };
            edge(4).cross(edge(2)).dot(edge(1))
        };
        let mut least = 1.0f64;
        for cell in &self.shared.cells {
            for k in 0..8 {
                least = least.min(corner(q, cell, k) / corner(&self.shared.reference, cell, k));
            }
        }
        least
    }
}

#[cfg(test)]
mod tests;
