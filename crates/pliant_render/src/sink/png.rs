//! PNG: one picture, or one numbered file per picture.
//!
//! A film of one picture gets the name as it is, unless that holds a `#`; any other film is a sequence, where `#`
//! characters in the name are replaced by the picture's number; without any, the number goes before the ending:
//! `name.png` becomes `name.0000.png`. The colours are kept exactly and marked as sRGB; opacity is kept if asked
//! for.

use super::film::{self, Film};
use super::{FilmInfo, PictureSink};
use crate::Image;
use pliant_io::export::{At, ExportError, Staging, numbered};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};
use std::io::{self, Write};
use std::path::Path;

/// Opens one picture or a sequence.
pub(super) fn open(path: &Path, info: &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError> {
    // PNG counts to 2^31 - 1.
    let film = Film::new(path, info)?.at_most(i32::MAX as u32, i32::MAX as u32)?;
    let named_for_many = path.file_name().is_some_and(|name| name.to_string_lossy().contains('#'));
    let mut staging = Staging::default();
    // A folder that cannot be written to is reported now and not after the first picture was made.
    staging.scratch(path)?;
    Ok(Box::new(Png { single: info.count == 1 && !named_for_many, film, staging }))
}

struct Png {
    film: Film,
    single: bool,
    staging: Staging,
}

impl PictureSink for Png {
    fn picture(&mut self, image: &Image) -> Result<(), ExportError> {
        let number = self.film.take(image)?;
        if self.single && number > 0 {
            return Err(self.film.bad_picture("only one was announced".to_owned()));
        }
        let path = match self.single {
            true => self.film.path.clone(),
            false => numbered(&self.film.path, number),
        };
        let mut out = self.staging.create(&path)?;
        write(image, self.film.info.alpha, &mut out).at(&path)?;
        out.close()
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.film.end()?;
        self.staging.commit()
    }
}

/// Writes `image` as a whole PNG file.
fn write(image: &Image, alpha: bool, out: &mut impl Write) -> io::Result<()> {
    let mut encoder = Encoder::new(out, image.width, image.height);
    encoder.set_color(if alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    encoder.set_compression(Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&film::bytes(image, alpha))?;
        writer.finish()
    });
    written.map_err(|error| match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    })
}
