//! A mesh that moves, as it was animated elsewhere.

use crate::MeshLibrary;
use crate::math::Vec3;
use crate::scene::{MotionSpec, SceneError};
use crate::skin::SkinPoint;

/// Places of the points of a mesh over time.
#[derive(Debug)]
pub(super) struct Motion {
    frames: Vec<Vec<Vec3>>,
    /// The surface.
    pub triangles: Vec<[u32; 3]>,
    fps: f64,
}

impl Motion {
    /// From the meshes of a scene.
    pub fn new(spec: &MotionSpec, meshes: &MeshLibrary, path: &str) -> Result<Self, SceneError> {
        let at = |key: &str| format!("{path}.motion.{key}");
        let absent = |name: &str| format!("the mesh file `{name}` is not there");
        let surface = spec.cache.as_ref().map_or_else(|| spec.frame(0), |_| spec.mesh.clone());
        let surface = meshes.get(&surface).ok_or_else(|| SceneError::new(at("mesh"), absent(&surface)))?;
        let key = if spec.cache.is_some() { "cache" } else { "mesh" };
        let mut frames = vec![];
        for number in 0..spec.count().unwrap_or(usize::MAX) {
            let name = spec.frame(number);
            let points = match meshes.get(&name) {
                Some(mesh) => &mesh.points,
                None if spec.count().is_none() => break,
                None => return Err(SceneError::new(at(key), absent(&name))),
            };
            if points.len() != surface.points.len() {
                let message = format!(
                    "all frames must have the same points: `{name}` has {}, the first has {}",
                    points.len(),
                    surface.points.len()
                );
                return Err(SceneError::new(at(key), message));
            }
            frames.push(points.clone());
        }
        if frames.len() < 2 {
            let message = format!("a motion needs two frames or more; found {}", frames.len());
            return Err(SceneError::new(at(key), message));
        }
        Ok(Self { frames, triangles: surface.triangles.clone(), fps: spec.fps })
    }

    /// Places of all points when it begins.
    pub fn start(&self) -> &[Vec3] {
        &self.frames[0]
    }

    /// Where a point of the surface is, a time after it began: along curves with one velocity on both sides of every frame.
    pub fn at(&self, point: &SkinPoint, time: f64) -> Vec3 {
        let last = self.frames.len() - 1;
        let along = (time * self.fps).clamp(0.0, last as f64);
        let from = (along as usize).min(last - 1);
        let u = along - from as f64;
        let frame = |n: usize| -> Vec3 {
            (0..3).map(|k| self.frames[n][point.corners[k] as usize] * point.weights[k]).sum()
        };
        let (b, c) = (frame(from), frame(from + 1));
        // Beyond the ends as the parabola through three frames has it; the straight line if there are but two.
        let a = match from {
            0 if last > 1 => 3.0 * (b - c) + frame(2),
            0 => 2.0 * b - c,
            _ => frame(from - 1),
        };
        let d = match from + 2 {
            after if after <= last => frame(after),
            _ if last > 1 => 3.0 * (c - b) + frame(from - 1),
            _ => 2.0 * c - b,
        };
        // Catmull and Rom's curve.
        let (v, w) = (0.5 * (c - a), 0.5 * (d - b));
        let bend = 3.0 * (c - b) - 2.0 * v - w;
        let twist = 2.0 * (b - c) + v + w;
        b + u * (v + u * (bend + u * twist))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{TriMesh, box_mesh};

    fn spec() -> MotionSpec {
        MotionSpec { mesh: "a.##.obj".into(), frames: Some([7, 16]), cache: None, fps: 10.0 }
    }

    fn library(place: impl Fn(f64) -> Vec3) -> MeshLibrary {
        let mesh = box_mesh(Vec3::ONE, [1, 1, 1]);
        (7..=16)
            .map(|n| (format!("a.{n:02}.obj"), mesh.map(|p| p + place(f64::from(n - 7) / 10.0))))
            .collect()
    }

    #[test]
    fn places_are_those_of_frames_and_velocities_do_not_jump() {
        let place = |t: f64| Vec3::new(t * t, (3.0 * t).sin(), 1.0 - t);
        let motion = Motion::new(&spec(), &library(place), "control[0]").unwrap();
        let point = SkinPoint { corners: [0, 1, 2], weights: [0.2, 0.3, 0.5], at: Vec3::ZERO };
        let begin = motion.at(&point, 0.0);
        for n in 0..10 {
            let t = f64::from(n) / 10.0;
            assert!((motion.at(&point, t) - begin).distance(place(t) - place(0.0)) < 1e-14);
        }
        for n in 1..900 {
            let t = f64::from(n) / 1000.0;
            let e = 1e-6;
            let [before, after] = [t - e, t].map(|t| (motion.at(&point, t + e) - motion.at(&point, t)) / e);
            // An acceleration of 9 m/s^2 changes it by some 1e-5 within that time.
            assert!(before.distance(after) < 1e-4, "{t}: {before} {after}");
            let way = motion.at(&point, t) - begin;
            // Of third order between frames.
            assert!(way.distance(place(t) - place(0.0)) < 2e-3, "{t}: {way}");
        }
        assert_eq!(motion.at(&point, 5.0), motion.at(&point, 0.9));
    }

    #[test]
    fn frames_that_are_missing_or_have_other_points_are_named() {
        let mut meshes = library(|_| Vec3::ZERO);
        let frame = meshes.remove("a.09.obj").unwrap();
        let e = Motion::new(&spec(), &meshes, "control[2]").unwrap_err();
        assert!(e.path == "control[2].motion.mesh" && e.message.contains("a.09.obj"), "{e}");
        meshes.insert("a.09.obj".into(), TriMesh { points: frame.points[1..].to_vec(), ..frame });
        let e = Motion::new(&spec(), &meshes, "control[2]").unwrap_err();
        assert!(e.message.contains("a.09.obj") && e.message.contains("has 7, the first has 8"), "{e}");
    }
}
