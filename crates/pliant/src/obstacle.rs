//! What bodies touch but never move: fixed, or moving on keyframes.

use crate::frame::{ObjectFrame, ObjectTopology};
use crate::math::{Quat, Vec3};
use crate::scene::{ObstacleSpec, SceneError, ShapeSpec, interpolate, rotation_from_degrees};
use crate::shape::{self, TriMesh};
use crate::skin::{Skin, SkinForm};
use crate::state::{Reader, Writer};
use crate::world::MeshLibrary;
use std::sync::Arc;

/// Half the side of the square that stands for a plane in pictures and exports `[m]`.
const PLANE_EXTENT: f64 = 50.0;

/// One obstacle.
pub struct Obstacle {
    /// Unique name.
    pub name: String,
    /// What can be touched.
    pub skin: Skin,
    /// Coulomb friction; none takes that of the body.
    pub friction: Option<f64>,
    spec: ObstacleSpec,
    /// Skin points in the obstacle's own frame.
    corners: Vec<Vec3>,
    /// What is shown.
    mesh: TriMesh,
    smooth: bool,
    /// The obstacle's own time: it lags behind the world's where something stopped it.
    clock: f64,
    next_clock: f64,
}

impl Obstacle {
    /// Builds an obstacle of a scene.
    pub fn new(spec: &ObstacleSpec, meshes: &MeshLibrary, path: &str) -> Result<Self, SceneError> {
        let (form, corners, mesh, smooth) = match &spec.shape {
            ShapeSpec::Plane { normal, offset } => {
                let n = Vec3::from(*normal).try_normalize().ok_or_else(|| {
                    SceneError::new(format!("{path}.shape.plane.normal"), "the normal must not be zero")
                })?;
                if !spec.keys.is_empty() && spec.keys.iter().any(|k| k.rotation != [0.0; 3]) {
                    return Err(SceneError::new(
                        format!("{path}.keys"),
                        "a plane cannot turn on keyframes; use a box",
                    ));
                }
                let foot = n * *offset;
                let turn = rotation_from_degrees(spec.rotation);
                (SkinForm::half_space(turn * n), vec![foot], plane_mesh(n, foot), false)
            }
            other => {
                let shape = shape::build(other, meshes, &format!("{path}.shape"))?;
                match &shape.round {
                    Some(r) => (SkinForm::round(&r.points, r.radius), r.points.clone(), shape.mesh, true),
                    None => (
                        SkinForm::flat(&shape.mesh, shape.convex),
                        shape.mesh.points.clone(),
                        shape.mesh,
                        shape.smooth,
                    ),
                }
            }
        };
        let mut form = form;
        // Obstacles are as large as they are: the body sets the gap kept.
        form.size = f64::INFINITY;
        let mut obstacle = Self {
            name: spec.name.clone(),
            skin: Skin::new(Arc::new(form), corners.clone()),
            friction: spec.friction,
            spec: spec.clone(),
            corners,
            mesh,
            smooth,
            clock: 0.0,
            next_clock: 0.0,
        };
        obstacle.aim(0.0);
        obstacle.settle();
        Ok(obstacle)
    }

    fn pose(&self, t: f64) -> (Vec3, Quat) {
        let at = |pick: fn(&crate::scene::PoseKey) -> [f64; 3]| {
            interpolate(self.spec.keys.iter().map(|k| (k.t, Vec3::from(pick(k)))), t).unwrap_or(Vec3::ZERO)
        };
        let turn = rotation_from_degrees(at(|k| k.rotation).to_array());
        (Vec3::from(self.spec.position) + at(|k| k.at), turn * rotation_from_degrees(self.spec.rotation))
    }

    /// Whether it moves within the next `h` seconds.
    pub fn moves(&self, h: f64) -> bool {
        self.spec.keys.len() > 1 && self.pose(self.clock) != self.pose(self.clock + h)
    }

    /// Aims at where it will be after `h` seconds.
    pub fn aim(&mut self, h: f64) {
        self.next_clock = self.clock + h;
        let (at, turn) = self.pose(self.next_clock);
        for (to, p) in self.skin.next.iter_mut().zip(&self.corners) {
            *to = at + turn * *p;
        }
    }

    /// Accepts the pose last aimed at.
    pub fn settle(&mut self) {
        self.clock = self.next_clock;
        self.skin.points.copy_from_slice(&self.skin.next);
    }

    /// Where a place given in the obstacle's own frame is, now or at the end of the step aimed at.
    pub fn place(&self, own: Vec3, end: bool) -> Vec3 {
        let (at, turn) = self.pose(if end { self.next_clock } else { self.clock });
        at + turn * own
    }

    /// Its attitude now.
    pub fn rotation(&self) -> Quat {
        self.pose(self.clock).1
    }

    /// A world place in the obstacle's own frame.
    pub fn own(&self, place: Vec3) -> Vec3 {
        let (at, turn) = self.pose(self.clock);
        turn.inverse() * (place - at)
    }

    /// What does not change from frame to frame.
    pub fn topology(&self) -> ObjectTopology {
        ObjectTopology {
            name: self.name.clone(),
            kind: "obstacle".into(),
            deforms: false,
            remeshed: false,
            smooth: self.smooth,
            triangles: self.mesh.triangles.clone(),
            points: self.mesh.points.iter().map(|p| p.as_vec3().to_array()).collect(),
            rest_volume: 0.0,
            incompressible: false,
            freedoms: 0,
            cell_edges: vec![],
        }
    }

    /// Pose for a frame.
    pub fn frame(&self) -> ObjectFrame {
        let (translation, rotation) = self.pose(self.clock);
        ObjectFrame { translation, rotation, ..ObjectFrame::default() }
    }

    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        out.f64(self.clock);
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.clock = from.f64()?;
        self.aim(0.0);
        self.settle();
        Ok(())
    }
}

/// A large square in place of an endless plane.
fn plane_mesh(n: Vec3, foot: Vec3) -> TriMesh {
    let x = n.any_orthonormal_vector() * PLANE_EXTENT;
    let y = n.cross(x.normalize()) * PLANE_EXTENT;
    TriMesh {
        points: vec![foot - x - y, foot + x - y, foot + x + y, foot - x + y],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..TriMesh::default()
    }
}
