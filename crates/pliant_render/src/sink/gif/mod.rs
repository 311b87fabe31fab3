//! GIF: an animation that loops for ever.
//!
//! - 255 colours, chosen from the first picture, and mixed in a pattern that stands still, so that still regions do
//!   not flicker. New ones are chosen only when a picture comes whose colours cannot be mixed from the old.
//! - GIF counts time in hundredths of a second: pictures last one hundredth more or less, the film as long as it
//!   should. Viewers slow down pictures of less than two hundredths, so of films with more than 50 pictures per
//!   second only every second, third ... is written: 60 become 30, 100 become 50.
//! - Of each picture only the rectangle that changed is written.
//! - Opacity, if asked for, is all or nothing, from one half up.

mod dither;
mod palette;

use super::change::Rectangle;
use super::film::Film;
use super::timing::Ticks;
use super::{FilmInfo, PictureSink};
use crate::Image;
use dither::Dither;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use palette::Palette;
use pliant_io::export::{At, ExportError, Output, Staging};
use std::borrow::Cow;
use std::path::Path;

/// Opens an animation.
pub(super) fn open(path: &Path, info: &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError> {
    let film = Film::new(path, info)?.at_most(u16::MAX.into(), u16::MAX.into())?;
    let mut staging = Staging::default();
    let out = staging.create(path)?;
    let ticks = Ticks::new(info.fps, 100.0, 2.0);
    Ok(Box::new(Gif { film, ticks, stage: Stage::Empty(out), shown: Vec::new(), staging }))
}

struct Gif {
    film: Film,
    ticks: Ticks,
    stage: Stage,
    /// Colours on the screen.
    shown: Vec<[u8; 3]>,
    staging: Staging,
}

/// The palette stands at the beginning of the file, so nothing can be written before the first picture.
enum Stage {
    Empty(Output),
    Running(Box<Running>),
    /// An error came up.
    Broken,
}

struct Running {
    encoder: Encoder<Output>,
    dither: Dither,
    /// Pixels of the picture the palette was made from that it shows poorly.
    poor_at_first: usize,
    /// Whether the palette is not that at the beginning of the file.
    renewed: bool,
}

impl PictureSink for Gif {
    fn picture(&mut self, image: &Image) -> Result<(), ExportError> {
        let number = self.film.take(image)?;
        if !number.is_multiple_of(self.ticks.stride) {
            return Ok(());
        }
        let path = self.film.path.clone();
        let running = match std::mem::replace(&mut self.stage, Stage::Broken) {
            Stage::Empty(out) => {
                Running::start(out, image, self.film.info.alpha).map_err(io_error).at(&path)?
            }
            Stage::Running(running) => running,
            Stage::Broken => return Err(self.film.bad_picture("an earlier one failed".to_owned())),
        };
        self.write(running, image, self.ticks.duration(number)).map_err(io_error).at(&path)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.film.end()?;
        match self.stage {
            Stage::Running(running) => {
                running.encoder.into_inner().map_err(io_error).at(&self.film.path)?.close()?;
                self.staging.commit()
            }
            _ => Err(self.film.bad_picture("an earlier one failed".to_owned())),
        }
    }
}

impl Gif {
    fn write(
        &mut self,
        mut running: Box<Running>,
        image: &Image,
        duration: u32,
    ) -> Result<(), EncodingError> {
        let FilmInfo { width, height, alpha, .. } = self.film.info;
        let mut indices = running.indices(image, alpha);
        let palette = &running.dither.palette;
        let transparent = palette.transparent();
        // Where pixels may become transparent again, a picture must replace the last one as a whole.
        let area = match alpha || self.shown.is_empty() {
            true => Rectangle::whole(width, height),
            false => {
                let now: Vec<_> = indices.iter().map(|&index| palette.colour(index)).collect();
                let area = Rectangle::of_change(width, &self.shown, &now);
                // What stays as it is compresses best if it is transparent.
                let still = self.shown.iter().zip(&now).map(|(before, now)| before == now);
                indices.iter_mut().zip(still).filter(|(_, still)| *still).for_each(|(i, _)| *i = transparent);
                self.shown = now;
                area
            }
        };
        if !alpha && self.shown.is_empty() {
            self.shown = indices.iter().map(|&index| palette.colour(index)).collect();
        }
        let buffer: Vec<u8> = area.rows(width).flat_map(|row| &indices[row]).copied().collect();
        running.encoder.write_frame(&Frame {
            delay: duration as u16,
            dispose: if alpha { DisposalMethod::Background } else { DisposalMethod::Keep },
            transparent: Some(transparent),
            left: area.left as u16,
            top: area.top as u16,
            width: area.width as u16,
            height: area.height as u16,
            palette: running.renewed.then(|| palette.bytes()),
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })?;
        self.stage = Stage::Running(running);
        Ok(())
    }
}

impl Running {
    fn start(out: Output, image: &Image, alpha: bool) -> Result<Box<Self>, EncodingError> {
        let dither = Dither::new(Palette::of(opaque(image, alpha)));
        let (width, height) = (image.width as u16, image.height as u16);
        let mut encoder = Encoder::new(out, width, height, &dither.palette.bytes())?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut running = Self { encoder, dither, poor_at_first: usize::MAX, renewed: false };
        running.map(image, alpha);
        running.poor_at_first = running.dither.poor;
        Ok(Box::new(running))
    }

    /// The picture in colours of the palette, which is renewed if it has become too poor.
    fn indices(&mut self, image: &Image, alpha: bool) -> Vec<u8> {
        let indices = self.map(image, alpha);
        // Some hundreds of pixels in a picture of usual size: a small body of a new colour.
        let bearable = self.poor_at_first.saturating_mul(2).saturating_add(image.pixels.len() / 1000);
        if self.dither.poor <= bearable {
            return indices;
        }
        self.dither = Dither::new(Palette::of(opaque(image, alpha)));
        self.renewed = true;
        let indices = self.map(image, alpha);
        self.poor_at_first = self.dither.poor;
        indices
    }

    fn map(&mut self, image: &Image, alpha: bool) -> Vec<u8> {
        self.dither.poor = 0;
        let transparent = self.dither.palette.transparent();
        let mut indices = Vec::with_capacity(image.pixels.len());
        for (y, row) in image.pixels.chunks_exact(image.width as usize).enumerate() {
            indices.extend(row.iter().enumerate().map(|(x, &[r, g, b, a])| match alpha && a < 128 {
                true => transparent,
                false => self.dither.index([r, g, b], x, y),
            }));
        }
        indices
    }
}

/// Colours of the pixels that are shown.
fn opaque(image: &Image, alpha: bool) -> impl Iterator<Item = [u8; 3]> {
    image.pixels.iter().filter(move |pixel| !alpha || pixel[3] >= 128).map(|&[r, g, b, _]| [r, g, b])
}

fn io_error(error: EncodingError) -> std::io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => std::io::Error::other(other),
    }
}
