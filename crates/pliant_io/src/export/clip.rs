//! The run as all writers see it: checked, with world positions.

use super::SinkInfo;
use super::error::ExportError;
use pliant::math::{Mat3, Quat, Vec3};
use pliant::{Frame, ObjectTopology};

/// Objects, rate and title of a run.
#[derive(Debug)]
pub(super) struct Clip {
    /// Objects of the topology.
    pub objects: Vec<ObjectTopology>,
    /// Frames per second `[1/s]`.
    pub fps: f64,
    /// Title of the scene, on one line.
    pub title: String,
}

/// Where an object's frame is, with a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// Origin of the object's frame `[m]`.
    pub translation: Vec3,
    /// Orientation.
    pub rotation: Quat,
}

impl Pose {
    /// The 16 numbers of the matrix for row vectors (USD, Alembic): rows are the images of the axes, then the
    /// translation.
    pub fn row_matrix(&self) -> [f64; 16] {
        let m = Mat3::from_quat(self.rotation);
        let (x, y, z, t) = (m.x_axis, m.y_axis, m.z_axis, self.translation);
        [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0]
    }
}

impl Clip {
    /// Copies what is needed of `info`, refusing what no format could hold.
    pub fn new(info: &SinkInfo) -> Result<Self, ExportError> {
        if !(info.fps.is_finite() && info.fps > 0.0) {
            return Err(ExportError::BadClip(format!("{} frames per second", info.fps)));
        }
        for object in &info.topology.objects {
            let n = object.points.len();
            if object.triangles.as_flattened().iter().any(|&v| v as usize >= n) {
                return Err(ExportError::BadClip(format!(
                    "`{}` has a triangle with a point number beyond its {n} points",
                    object.name
                )));
            }
            if !object.points.as_flattened().iter().all(|x| x.is_finite()) {
                return Err(ExportError::BadClip(format!(
                    "`{}` has a rest point that is not finite",
                    object.name
                )));
            }
        }
        Ok(Self {
            objects: info.topology.objects.clone(),
            fps: info.fps,
            title: info.title.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    }

    /// Whether `frame` fits the topology and is finite.
    pub fn check(&self, frame: &Frame) -> Result<(), ExportError> {
        let bad = |reason: String| Err(ExportError::BadFrame { index: frame.index, reason });
        if frame.objects.len() != self.objects.len() {
            return bad(format!("{} objects instead of {}", frame.objects.len(), self.objects.len()));
        }
        for (object, state) in self.objects.iter().zip(&frame.objects) {
            let (name, n) = (&object.name, state.points.len());
            if n != 0 && n != object.points.len() {
                return bad(format!("`{name}` has {n} points instead of {}", object.points.len()));
            }
            let finite = state.translation.is_finite()
                && state.rotation.is_finite()
                && state.points.as_flattened().iter().all(|x| x.is_finite());
            if !finite {
                return bad(format!("`{name}` has a position that is not finite"));
            }
            if state.rotation.length_squared() < 1e-12 {
                return bad(format!("`{name}` has no orientation (zero quaternion)"));
            }
        }
        Ok(())
    }

    /// Where object `i` is.
    pub fn pose(&self, frame: &Frame, i: usize) -> Pose {
        let state = &frame.objects[i];
        Pose { translation: state.translation, rotation: state.rotation.normalize() }
    }

    /// Points of object `i` in its own frame; the rest points where the frame gives none.
    pub fn points<'a>(&'a self, frame: &'a Frame, i: usize) -> &'a [[f32; 3]] {
        let points = &frame.objects[i].points;
        if points.is_empty() { &self.objects[i].points } else { points }
    }

    /// Points of object `i` in the world `[m]`.
    pub fn world<'a>(&'a self, frame: &'a Frame, i: usize) -> impl Iterator<Item = Vec3> + 'a {
        let pose = self.pose(frame, i);
        self.points(frame, i).iter().map(move |&p| pose.translation + pose.rotation * as_vec3(p))
    }

    /// Points of all objects together.
    pub fn point_count(&self) -> usize {
        self.objects.iter().map(|o| o.points.len()).sum()
    }

    /// Triangles of all objects, numbered through, each with the number of its object.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, [usize; 3])> + '_ {
        let mut base = 0;
        self.objects.iter().enumerate().flat_map(move |(i, object)| {
            let first = base;
            base += object.points.len();
            object.triangles.iter().map(move |t| (i, t.map(|v| first + v as usize)))
        })
    }
}

/// Widens a point.
pub(super) fn as_vec3(p: [f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}
