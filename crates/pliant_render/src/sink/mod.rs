//! Where pictures go: one file or folder per format, behind one trait.
//!
//! | ending | what is written |
//! |---|---|
//! | `.png` | one picture, or one file per picture: `name.####.png` or `name.png` ([`png`]) |
//! | `.mp4` | H.264 film ([`mp4`]) |
//! | `.gif` | looping animation in 255 colours ([`gif`]) |
//! | `.webp` | looping animation in all colours, or one exact picture ([`webp`]) |
//!
//! Files are written beside their final name and renamed by [`PictureSink::finish`]; a sink dropped before that
//! leaves nothing behind. The memory a sink needs does not grow with the film. Same pictures, same bytes.

use crate::Image;
use pliant_io::export::ExportError;
use std::path::Path;

mod change;
mod film;
pub mod gif;
pub mod mp4;
pub mod png;
mod timing;
pub mod webp;

/// Takes the pictures of one film, in order.
pub trait PictureSink {
    /// Takes the next picture.
    fn picture(&mut self, image: &Image) -> Result<(), ExportError>;
    /// Completes the file and gives it its final name. Without this call nothing is kept.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// What a sink needs to know before the first picture.
#[derive(Clone, Copy, Debug)]
pub struct FilmInfo {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Pictures per second.
    pub fps: f64,
    /// Pictures to come, if all goes well.
    pub count: usize,
    /// Whether the pictures' opacity is kept.
    pub alpha: bool,
}

type Open = fn(&Path, &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError>;

/// The registry: a new format is one file and one line here.
const FORMATS: &[(&str, Open)] =
    &[(".png", png::open), (".mp4", mp4::open), (".gif", gif::open), (".webp", webp::open)];

/// File endings that [`open`] knows, each with its dot.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(ending, _)| *ending)
}

/// Opens the sink that belongs to the ending of `path`.
pub fn open(path: &Path, info: &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError> {
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy().to_ascii_lowercase()));
    match FORMATS.iter().find(|(known, _)| Some(*known) == ending.as_deref()) {
        Some((_, open)) => Ok(Box::new(Guarded { sink: open(path, info)?, failed: None })),
        None => Err(ExportError::UnknownEnding {
            path: path.to_owned(),
            known: endings().collect::<Vec<_>>().join(", "),
        }),
    }
}

/// A sink that takes nothing more after an error, so that half a picture never gets a final name.
struct Guarded {
    sink: Box<dyn PictureSink>,
    /// What went wrong, if anything did.
    failed: Option<String>,
}

impl Guarded {
    fn check(&self) -> Result<(), ExportError> {
        match &self.failed {
            None => Ok(()),
            Some(error) => Err(film::bad(format!("it failed before: {error}"))),
        }
    }
}

impl PictureSink for Guarded {
    fn picture(&mut self, image: &Image) -> Result<(), ExportError> {
        self.check()?;
        self.sink.picture(image).inspect_err(|error| self.failed = Some(error.to_string()))
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.check()?;
        self.sink.finish()
    }
}
