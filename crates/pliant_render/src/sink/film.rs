//! What every sink checks: the film as announced, each picture, and that there was one.

use super::FilmInfo;
use crate::Image;
use pliant_io::export::ExportError;
use std::path::{Path, PathBuf};

/// The film a sink was opened for, and how far it has come.
#[derive(Debug)]
pub(super) struct Film {
    pub info: FilmInfo,
    pub path: PathBuf,
    /// Pictures taken so far.
    taken: usize,
}

impl Film {
    /// Checks what every format needs.
    pub fn new(path: &Path, info: &FilmInfo) -> Result<Self, ExportError> {
        let FilmInfo { width, height, fps, .. } = *info;
        if width == 0 || height == 0 {
            return Err(bad(format!("pictures of {width} x {height} pixels show nothing")));
        }
        // The limits are far outside what is watched, and far inside what clocks of the formats can count.
        if !(0.01..=1000.0).contains(&fps) {
            return Err(bad(format!("{fps} pictures per second; between 0.01 and 1000 are possible")));
        }
        Ok(Self { info: *info, path: path.to_owned(), taken: 0 })
    }

    /// Refuses films larger than the format knows.
    pub fn at_most(self, width: u32, height: u32) -> Result<Self, ExportError> {
        if self.info.width > width || self.info.height > height {
            return Err(self.too_large(format!(
                "{} x {} pixels, at most {width} x {height}",
                self.info.width, self.info.height
            )));
        }
        Ok(self)
    }

    /// Counts the next picture and checks it against the announcement; returns its number, from 0.
    pub fn take(&mut self, image: &Image) -> Result<usize, ExportError> {
        self.taken += 1;
        let FilmInfo { width, height, .. } = self.info;
        if (image.width, image.height) != (width, height) {
            return Err(self.bad_picture(format!(
                "it has {} x {} pixels, the film {width} x {height}",
                image.width, image.height
            )));
        }
        if image.pixels.len() as u128 != u128::from(width) * u128::from(height) {
            return Err(self.bad_picture(format!(
                "it holds {} pixels instead of {width} x {height}",
                image.pixels.len()
            )));
        }
        Ok(self.taken - 1)
    }

    /// To be called when the film is over: an empty one is an error.
    pub fn end(&self) -> Result<(), ExportError> {
        match self.taken {
            0 => Err(ExportError::NoFrames { path: self.path.clone() }),
            _ => Ok(()),
        }
    }

    /// An error of the picture taken last.
    pub fn bad_picture(&self, reason: String) -> ExportError {
        ExportError::BadFrame { index: self.taken.saturating_sub(1) as u64, reason }
    }

    /// The film goes beyond what the format can hold.
    pub fn too_large(&self, reason: String) -> ExportError {
        ExportError::TooLarge { path: self.path.clone(), reason }
    }
}

/// The film cannot be what was announced.
pub(super) fn bad(reason: String) -> ExportError {
    ExportError::BadClip(reason)
}

/// All bytes of a picture: red, green, blue and, if it is kept, opacity.
pub(super) fn bytes(image: &Image, alpha: bool) -> Vec<u8> {
    match alpha {
        true => image.pixels.as_flattened().to_vec(),
        false => image.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect(),
    }
}
