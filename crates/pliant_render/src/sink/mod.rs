//! Where pictures go: PNG and PNG sequences, H.264 in MP4, GIF, animated WebP. One file per format.

use crate::Image;
use pliant_io::export::ExportError;

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
