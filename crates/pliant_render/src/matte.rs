//! Bodies in a photograph ([TW88] figure 3): the camera is found from marked points, planes that stand for the surfaces
//! in the photograph catch the bodies' shadows, and everything else of the picture is the photograph itself.

mod photo;
mod solve;

pub use photo::{Photo, PhotoError};
pub use solve::{MatteError, Solved, solve};

use crate::camera::Camera;
use crate::stage::Stage;
use glam::Vec3A;
use pliant::math::Vec3;

/// The photograph as the tracer sees it.
#[derive(Clone, Copy)]
pub(crate) struct Plate<'a> {
    pub photo: &'a Photo,
    pub camera: &'a Camera,
    /// Subtracted from every position.
    pub centre: Vec3,
    /// The scene without bodies.
    pub empty: &'a Stage<'a>,
    /// Per object, whether it catches shadows.
    pub catchers: &'a [bool],
}

impl Plate<'_> {
    /// Whether an object stands for a surface in the photograph.
    pub fn catches(&self, object: u32) -> bool {
        self.catchers.get(object as usize).copied().unwrap_or(false)
    }

    /// The photograph in a direction from the camera.
    pub fn behind(&self, direction: Vec3A) -> Vec3A {
        let place = self.camera.eye + direction.as_dvec3();
        match self.camera.project(place) {
            Some((pixel, _)) => self.photo.light(pixel),
            // Behind the camera, where only reflections look: the photograph's mean is the best guess.
            None => self.photo.mean(),
        }
    }

    /// The photograph at a place in space, if it is in the picture.
    pub fn seen_at(&self, position: Vec3A) -> Option<Vec3A> {
        let (pixel, _) = self.camera.project(self.centre + position.as_dvec3())?;
        self.photo.contains(pixel).then(|| self.photo.light(pixel))
    }
}
