//! The run as all writers see it: checked, with world positions.

use super::error::ExportError;
use super::{SinkInfo, look};
use pliant::math::{Mat3, Quat, Vec3};
use pliant::{Frame, ObjectFrame, ObjectTopology, Surface};
use std::borrow::Cow;

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
            let name = &object.name;
            if let Some(reason) = misfit(object, state) {
                return bad(format!("`{name}` {reason}"));
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
        let (object, points) = (&self.objects[i], &frame.objects[i].points);
        if points.is_empty() && !object.remeshed { &object.points } else { points }
    }

    /// Whether any object has another surface in every frame.
    pub fn remeshes(&self) -> bool {
        self.objects.iter().any(|o| o.remeshed)
    }

    /// Points of object `i` in the world `[m]`.
    pub fn world<'a>(&'a self, frame: &'a Frame, i: usize) -> impl Iterator<Item = Vec3> + 'a {
        let pose = self.pose(frame, i);
        self.points(frame, i).iter().map(move |&p| pose.translation + pose.rotation * as_vec3(p))
    }

    /// Normals at the points of object `i` in the world: those of its surface, or of the triangles around each point.
    pub fn world_normals<'a>(&'a self, frame: &'a Frame, i: usize) -> impl Iterator<Item = Vec3> + 'a {
        let (object, state, turn) = (&self.objects[i], &frame.objects[i], self.pose(frame, i).rotation);
        let normals = match &state.surface {
            Some(surface) => Cow::Borrowed(&surface.normals),
            None => Cow::Owned(look::normals(self.points(frame, i), &object.triangles)),
        };
        (0..normals.len()).map(move |k| turn * as_vec3(normals[k]))
    }

    /// Linear colours at the points of object `i`: those of its surface, or `plain` everywhere.
    pub fn colours<'a>(
        &'a self,
        frame: &'a Frame,
        i: usize,
        plain: [f32; 3],
    ) -> impl Iterator<Item = [f32; 3]> + 'a {
        let own = frame.objects[i].surface.as_ref().map_or(&[][..], |s| &s.colours);
        let count = self.points(frame, i).len();
        (0..count).map(move |k| own.get(k).copied().unwrap_or(plain))
    }

    /// Points of all objects together.
    pub fn point_count(&self, frame: &Frame) -> usize {
        (0..self.objects.len()).map(|i| self.points(frame, i).len()).sum()
    }

    /// Triangles of all objects, numbered through, each with the number of its object.
    pub fn triangles<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = (usize, [usize; 3])> + 'a {
        let mut base = 0;
        self.objects.iter().enumerate().flat_map(move |(i, object)| {
            let first = base;
            base += self.points(frame, i).len();
            frame.objects[i].triangles(object).iter().map(move |t| (i, t.map(|v| first + v as usize)))
        })
    }
}

/// Why an object in a frame does not fit what was announced of it, if it does not.
fn misfit(object: &ObjectTopology, state: &ObjectFrame) -> Option<String> {
    let n = state.points.len();
    match &state.surface {
        Some(_) if !object.remeshed => Some("has a surface of its own that was not announced".into()),
        None if object.remeshed => Some("lacks the surface of this frame".into()),
        Some(surface) => surface_misfit(surface, n),
        None if n != 0 && n != object.points.len() => {
            Some(format!("has {n} points instead of {}", object.points.len()))
        }
        None => None,
    }
}

/// Why a surface does not fit its `n` points.
fn surface_misfit(surface: &Surface, n: usize) -> Option<String> {
    if surface.triangles.as_flattened().iter().any(|&v| v as usize >= n) {
        return Some(format!("has a triangle with a point number beyond its {n} points"));
    }
    let (normals, colours, pieces) = (surface.normals.len(), surface.colours.len(), surface.pieces.len());
    if normals != n || pieces != n || (colours != n && colours != 0) {
        return Some(format!("has {n} points with {normals} normals, {colours} colours, {pieces} pieces"));
    }
    let numbers = [&surface.normals, &surface.colours].into_iter().flat_map(|v| v.as_flattened());
    (!numbers.into_iter().all(|x| x.is_finite())).then(|| "has a normal or colour that is not finite".into())
}

/// Widens a point.
pub(super) fn as_vec3(p: [f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}
