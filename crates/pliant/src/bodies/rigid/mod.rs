//! Rigid bodies: six degrees of freedom.
//!
//! | key | meaning | default |
//! |---|---|---|
//! | (none) | a rigid body reads only what every body has | |
//!
//! State: centre of mass, orientation, velocity and *angular momentum*. Torque-free motion is stepped by the
//! midpoint rule on the rotation group: with the angular momentum `L` fixed in space and `l = R^T L`,
//!
//! ```text
//! w_m = I^-1 (l0 + l1)/2,   R1 = R0 cay(h w_m),   l1 = cay(-h w_m) l0
//! ```
//!
//! so `L` is kept exactly, and the energy `l . I^-1 l / 2`, a quadratic invariant, is kept too.

use super::{Blueprint, Body, BodyKind, Hold, Lever, Prototype, Start, TwistMass};
use crate::contact::wide;
use crate::environment::Environment;
use crate::frame::{Measures, ObjectFrame, ObjectTopology};
use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, turn};
use crate::scene::{BodySpec, Material, SceneError, ShapeSpec};
use crate::shape::{TriMesh, mass_properties};
use crate::skin::{Skin, SkinForm, SkinPoint};
use crate::state::{Reader, Writer};
use std::sync::Arc;

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "rigid",
    summary: "six degrees of freedom; exact mass properties of any closed mesh",
    own_keys: |generator| generator.subschema_for::<RigidKeys>(),
    example,
    prepare,
};

/// A rigid body has no keys of its own.
#[derive(Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct RigidKeys {}

fn example() -> BodySpec {
    BodySpec::new("block", "rigid", ShapeSpec::Box([0.2, 0.3, 0.4]))
}

fn prepare(blueprint: &Blueprint) -> Result<Box<dyn Prototype>, SceneError> {
    super::own_keys::<RigidKeys>(blueprint.spec, blueprint.path, &[])?;
    let shape = blueprint.shape;
    let unit = mass_properties(&shape.mesh);
    let density = blueprint.material.density;
    let shift = |p: Vec3| p - unit.centre;
    let (form, corners) = match &shape.round {
        Some(round) => {
            let corners: Vec<_> = round.points.iter().map(|p| shift(*p)).collect();
            (SkinForm::round(&corners, round.radius), corners)
        }
        None => {
            (SkinForm::flat(&shape.mesh, shape.convex), shape.mesh.points.iter().map(|p| shift(*p)).collect())
        }
    };
    let (mass, inertia) = exact_round_mass(shape).unwrap_or((unit.volume, unit.inertia));
    let reach = corners.iter().map(|p: &Vec3| p.length()).fold(0.0, f64::max) + form.radius;
    Ok(Box::new(RigidForm {
        shared: Arc::new(Shared {
            centre: unit.centre,
            mesh: shape.mesh.map(shift),
            smooth: shape.smooth,
            volume: mass,
            mass: mass * density,
            inertia: inertia * density,
            inverse_inertia: (inertia * density).inverse(),
            area: frontal_area(&shape.mesh),
            reach,
            corners,
            form: Arc::new(form),
            material: blueprint.material.clone(),
        }),
    }))
}

/// Balls are balls, whatever mesh shows them: volume and inertia of the rounded shape itself.
fn exact_round_mass(shape: &crate::shape::Shape) -> Option<(f64, Mat3)> {
    let round = shape.round.as_ref()?;
    let r = round.radius;
    let ball = 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
    match round.points.as_slice() {
        [_] => Some((ball, Mat3::from_diagonal(Vec3::splat(0.4 * ball * r * r)))),
        [p, q] => {
            // A cylinder of length l and two half balls whose centres of mass lie 3r/8 beyond its ends.
            let l = p.distance(*q);
            let tube = std::f64::consts::PI * r * r * l;
            let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
            let across =
                tube * (l * l / 12.0 + r * r / 4.0) + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
            let axis = (*q - *p).normalize_or(Vec3::Y);
            let outer = Mat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
            Some((tube + ball, Mat3::IDENTITY * across + outer * (along - across)))
        }
        _ => None,
    }
}

/// A quarter of the surface: the mean shadow of a convex body.
pub(super) fn frontal_area(mesh: &TriMesh) -> f64 {
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.points[i as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    0.25 * mesh.triangles.iter().map(area).sum::<f64>()
}

/// What copies share.
#[derive(Debug)]
struct Shared {
    /// Centre of mass in the rest shape's own coordinates.
    centre: Vec3,
    /// Rest shape about the centre of mass.
    mesh: TriMesh,
    smooth: bool,
    volume: f64,
    mass: f64,
    inertia: Mat3,
    inverse_inertia: Mat3,
    area: f64,
    /// Farthest point of the body from its centre of mass.
    reach: f64,
    /// Skin points about the centre of mass.
    corners: Vec<Vec3>,
    form: Arc<SkinForm>,
    material: Material,
}

struct RigidForm {
    shared: Arc<Shared>,
}

impl Prototype for RigidForm {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        let shared = self.shared.clone();
        let centre = start.position + start.rotation * shared.centre;
        let spin_in_body = start.rotation.inverse() * start.spin;
        let momentum = start.rotation * (shared.inertia * spin_in_body);
        let points = shared.corners.iter().map(|p| centre + start.rotation * *p).collect();
        let mut body = Rigid {
            skin: Skin::new(shared.form.clone(), points),
            centre,
            rotation: start.rotation,
            momentum,
            y: [0.0; 6],
            free_spin: start.spin,
            inverse_inertia: Mat3::ZERO,
            next: (centre, start.rotation, momentum),
            shared,
        };
        body.y[..3].copy_from_slice(&start.velocity.to_array());
        body.y[3..].copy_from_slice(&start.spin.to_array());
        body.turn_inertia();
        Box::new(body)
    }
}

/// One rigid body.
struct Rigid {
    shared: Arc<Shared>,
    skin: Skin,
    centre: Vec3,
    rotation: Quat,
    /// Angular momentum about the centre of mass, world axes, as of the last free motion.
    momentum: Vec3,
    /// Velocity of the centre and angular velocity.
    y: [f64; 6],
    /// Angular velocity after free motion, to tell what contact added.
    free_spin: Vec3,
    /// World axes.
    inverse_inertia: Mat3,
    /// Centre, orientation and angular momentum last aimed at.
    next: (Vec3, Quat, Vec3),
}

impl Rigid {
    fn velocity_of_centre(&self) -> Vec3 {
        Vec3::from_slice(&self.y[..3])
    }
    fn spin(&self) -> Vec3 {
        Vec3::from_slice(&self.y[3..])
    }
    fn turn_inertia(&mut self) {
        let r = Mat3::from_quat(self.rotation);
        self.inverse_inertia = r * self.shared.inverse_inertia * r.transpose();
    }
    fn inertia_times(&self, w: Vec3) -> Vec3 {
        self.rotation * (self.shared.inertia * (self.rotation.inverse() * w))
    }
    /// Angular momentum now: that of free motion plus what contact added.
    fn momentum_now(&self) -> Vec3 {
        let added = self.spin() - self.free_spin;
        if added == Vec3::ZERO { self.momentum } else { self.momentum + self.inertia_times(added) }
    }
}

impl Body for Rigid {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.momentum = self.momentum_now();
        self.turn_inertia();
        let mut v = self.velocity_of_centre() + h * environment.gravity;
        if environment.air_density > 0.0 {
            // Implicit in the factor, so that any wind is stable.
            let relative = v - environment.wind;
            let factor =
                environment.drag_factor(self.shared.material.drag, self.shared.area, relative.length());
            v = environment.wind + relative / (1.0 + h * factor / self.shared.mass);
            let size = self.shared.reach * self.shared.reach;
            let brake =
                environment.drag_factor(self.shared.material.drag, self.shared.area, self.spin().length())
                    * size
                    * self.shared.reach;
            self.momentum /= 1.0 + h * brake / (0.4 * self.shared.mass * size);
        }
        let w = self.inverse_inertia * self.momentum;
        self.free_spin = w;
        self.y[..3].copy_from_slice(&v.to_array());
        self.y[3..].copy_from_slice(&w.to_array());
        self.aim(h, &[0.0; 6]);
    }

    fn skin(&self) -> &Skin {
        &self.skin
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }
    fn lever(&self, p: &SkinPoint, _: &mut Vec<f64>) -> Lever {
        Lever::Twist { arm: p.at - self.centre }
    }
    fn carried(&self, p: &SkinPoint) -> Vec3 {
        let (centre, rotation, _) = self.next;
        centre + rotation * (self.rotation.inverse() * (p.at - self.centre)) - p.at
    }
    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        if hold == Hold::Centre {
            return Lever::Twist { arm: Vec3::ZERO };
        }
        let unit = |d: usize| (0..6).map(|k| f64::from(u8::from(k == d + 3))).collect();
        let answer = |d: usize| {
            let w = self.inverse_inertia.col(d);
            vec![0.0, 0.0, 0.0, w.x, w.y, w.z]
        };
        wide(store, &[0, 1, 2].map(unit), &[0, 1, 2].map(answer))
    }
    fn rotation(&self) -> Quat {
        self.rotation
    }
    fn twist_mass(&self) -> TwistMass {
        TwistMass { inverse_mass: 1.0 / self.shared.mass, inverse_inertia: self.inverse_inertia }
    }
    fn aim(&mut self, h: f64, shift: &[f64]) {
        let momentum = self.momentum_now();
        let mut centre = self.centre + h * self.velocity_of_centre();
        let mut rotation = turn(self.rotation, momentum, &self.shared.inverse_inertia, h);
        if shift.iter().any(|s| *s != 0.0) {
            centre += Vec3::from_slice(&shift[..3]);
            rotation = (rotation_by(Vec3::from_slice(&shift[3..])) * rotation).normalize();
        }
        self.next = (centre, rotation, momentum);
        let r = Mat3::from_quat(rotation);
        for (to, corner) in self.skin.next.iter_mut().zip(&self.shared.corners) {
            *to = centre + r * *corner;
        }
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        vec![d.x, d.y, d.z, 0.0, 0.0, 0.0]
    }

    fn settle(&mut self, _: f64) {
        (self.centre, self.rotation, self.momentum) = self.next;
        self.skin.points.copy_from_slice(&self.skin.next);
        self.turn_inertia();
        // The angular velocity that belongs to the kept angular momentum at the new orientation.
        let w = self.inverse_inertia * self.momentum;
        self.free_spin = w;
        self.y[3..].copy_from_slice(&w.to_array());
    }

    fn momentum(&self) -> Vec3 {
        self.shared.mass * self.velocity_of_centre()
    }
    fn kinetic(&self) -> f64 {
        let l = self.rotation.inverse() * self.momentum_now();
        0.5 * self.momentum().dot(self.velocity_of_centre()) + 0.5 * l.dot(self.shared.inverse_inertia * l)
    }
    fn centre(&self) -> (Vec3, f64) {
        (self.centre, self.shared.mass)
    }
    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        Some(self.shared.centre + self.rotation.inverse() * (world - self.centre))
    }

    fn measure(&self) -> Measures {
        let momentum = self.momentum();
        Measures {
            mass: self.shared.mass,
            centre: self.centre,
            momentum,
            angular_momentum: self.momentum_now() + self.centre.cross(momentum),
            kinetic: self.kinetic(),
            elastic: 0.0,
            volume: self.shared.volume,
            least_jacobian: 1.0,
            asleep: false,
        }
    }

    fn speed(&self) -> f64 {
        self.velocity_of_centre().length().max(self.spin().length() * self.shared.reach)
    }
    fn stop(&mut self) {
        self.y = [0.0; 6];
        self.momentum = Vec3::ZERO;
        self.free_spin = Vec3::ZERO;
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        let v = self.velocity_of_centre() + impulse / self.shared.mass;
        let w = self.spin() + self.inverse_inertia * (p.at - self.centre).cross(impulse);
        self.y[..3].copy_from_slice(&v.to_array());
        self.y[3..].copy_from_slice(&w.to_array());
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        ObjectTopology {
            name: name.into(),
            kind: KIND.name.into(),
            deforms: false,
            remeshed: false,
            smooth: self.shared.smooth,
            triangles: self.shared.mesh.triangles.clone(),
            points: self.shared.mesh.points.iter().map(|p| p.as_vec3().to_array()).collect(),
            rest_volume: self.shared.volume,
            incompressible: false,
            freedoms: 6,
            cell_edges: vec![],
        }
    }
    fn frame(&self) -> ObjectFrame {
        ObjectFrame { translation: self.centre, rotation: self.rotation, ..ObjectFrame::default() }
    }

    fn save(&self, out: &mut Writer) {
        out.vec3(self.centre);
        out.quat(self.rotation);
        out.vec3(self.momentum);
        out.vec3(self.free_spin);
        out.f64s(&self.y);
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.centre = from.vec3()?;
        self.rotation = from.quat()?;
        self.momentum = from.vec3()?;
        self.free_spin = from.vec3()?;
        from.f64s(&mut self.y)?;
        self.turn_inertia();
        let r = Mat3::from_quat(self.rotation);
        for (i, corner) in self.shared.corners.iter().enumerate() {
            self.skin.points[i] = self.centre + r * *corner;
        }
        self.skin.next.copy_from_slice(&self.skin.points);
        Ok(())
    }
}
