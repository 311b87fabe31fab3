//! A photograph, as light.

use crate::develop::undevelop;
use crate::image::Image;
use glam::Vec3A;
use std::path::{Path, PathBuf};

/// A photograph with its pixels as light.
#[derive(Clone, Debug)]
pub struct Photo {
    width: u32,
    height: u32,
    light: Vec<Vec3A>,
    mean: Vec3A,
}

/// Why a photograph cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PhotoError {
    /// The file is missing or cannot be read.
    #[error("photograph {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no picture that can be read.
    #[error("photograph {}: {reason}; give a PNG or JPEG", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Photo {
    /// Reads a PNG or JPEG.
    pub fn open(path: &Path) -> Result<Self, PhotoError> {
        let io = |source| PhotoError::Io { path: path.to_owned(), source };
        let file = std::fs::File::open(path).map_err(io)?;
        if file.metadata().map_err(io)?.is_dir() {
            return Err(io(std::io::Error::other("is a folder")));
        }
        let unreadable =
            |e: image::ImageError| PhotoError::Unreadable { path: path.to_owned(), reason: e.to_string() };
        let mut reader =
            image::ImageReader::new(std::io::BufReader::new(file)).with_guessed_format().map_err(io)?;
        // Refused before memory for it is asked for.
        let mut limits = image::Limits::default();
        limits.max_image_width = Some(pliant::scene_check::MOST_PIXELS);
        limits.max_image_height = Some(pliant::scene_check::MOST_PIXELS);
        reader.limits(limits);
        let pixels = reader.decode().map_err(unreadable)?.to_rgba8();
        let (width, height) = pixels.dimensions();
        Ok(Self::new(&Image { width, height, pixels: pixels.pixels().map(|p| p.0).collect() }))
    }

    /// From a picture.
    pub fn new(image: &Image) -> Self {
        let as_light = |p: &[u8; 4]| undevelop([p[0], p[1], p[2]].map(|x| f32::from(x) / 255.0));
        let light: Vec<Vec3A> = image.pixels.iter().map(as_light).collect();
        let mean = light.iter().fold(Vec3A::ZERO, |a, b| a + *b) / light.len().max(1) as f32;
        Self { width: image.width, height: image.height, light, mean }
    }

    /// Pixels across and down.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    pub(crate) fn mean(&self) -> Vec3A {
        self.mean
    }

    pub(crate) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        x >= 0.0 && y >= 0.0 && x <= f64::from(self.width) && y <= f64::from(self.height)
    }

    /// Light at a place in pixels from the top left, between pixels' centres in proportion; beyond the edges that of
    /// the edge.
    pub(crate) fn light(&self, [x, y]: [f64; 2]) -> Vec3A {
        let along = |at: f64, count: u32| {
            let at = (at - 0.5).clamp(0.0, f64::from(count - 1));
            let low = at.floor();
            (low as usize, (low as usize + 1).min(count as usize - 1), (at - low) as f32)
        };
        if self.light.is_empty() {
            return Vec3A::ZERO;
        }
        let ((x0, x1, u), (y0, y1, v)) = (along(x, self.width), along(y, self.height));
        let at = |x: usize, y: usize| self.light[y * self.width as usize + x];
        at(x0, y0).lerp(at(x1, y0), u).lerp(at(x0, y1).lerp(at(x1, y1), u), v)
    }
}
