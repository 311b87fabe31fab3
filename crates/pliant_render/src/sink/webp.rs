//! WebP: an animation that loops for ever, or one picture.
//!
//! - A film of one picture is kept exactly. The pictures of an animation are compressed with a small loss, about
//!   40 dB; opacity, if asked for, without any.
//! - Of each picture only the rectangle that changed is written.
//! - WebP counts time in milliseconds: pictures last one millisecond more or less, the film as long as it should.
//!   Viewers slow down pictures of less than eleven milliseconds, so of films with more than 90 pictures per second
//!   only every second, third ... is written.

use super::change::Rectangle;
use super::film::{self, Film, bad};
use super::timing::Ticks;
use super::{FilmInfo, PictureSink};
use crate::Image;
use pliant_io::export::{At, ExportError, Output, Staging};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use webp::{Encoder, PixelLayout, WebPConfig};

/// Quality of the pictures of an animation, up to 100.
const QUALITY: f32 = 90.0;

/// Largest width and height.
const LARGEST: u32 = 16_383;

/// Bytes of a file's or a chunk's name and length.
const HEAD: usize = 8;

/// Opens an animation or a single picture.
pub(super) fn open(path: &Path, info: &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError> {
    let film = Film::new(path, info)?.at_most(LARGEST, LARGEST)?;
    let mut config = WebPConfig::new().map_err(|()| bad("the WebP encoder does not start".to_owned()))?;
    config.quality = QUALITY;
    let mut staging = Staging::default();
    let mut out = staging.create(path)?;
    let still = info.count == 1;
    let mut written = 0;
    if still {
        config.lossless = 1;
        // Colours under transparent pixels are kept, too.
        config.exact = 1;
    } else {
        let head = animation_head(info);
        out.write_all(&head).at(path)?;
        written = head.len() as u64;
    }
    let ticks = Ticks::new(info.fps, 1000.0, 11.0);
    Ok(Box::new(Webp { film, config, ticks, still, shown: Vec::new(), out, written, staging }))
}

struct Webp {
    film: Film,
    config: WebPConfig,
    ticks: Ticks,
    still: bool,
    /// The last picture.
    shown: Vec<[u8; 4]>,
    out: Output,
    /// Bytes in the file.
    written: u64,
    staging: Staging,
}

impl PictureSink for Webp {
    fn picture(&mut self, image: &Image) -> Result<(), ExportError> {
        let number = self.film.take(image)?;
        if self.still && number > 0 {
            return Err(self.film.bad_picture("only one was announced".to_owned()));
        }
        if self.still {
            let area = Rectangle::whole(image.width, image.height);
            let file = self.encode(image, area)?;
            return self.append(&file);
        }
        if !number.is_multiple_of(self.ticks.stride) {
            return Ok(());
        }
        let area = match self.shown.is_empty() {
            true => Rectangle::whole(image.width, image.height),
            false => Rectangle::of_change(image.width, &self.shown, &image.pixels).begun_at_even(),
        };
        let file = self.encode(image, area)?;
        let head = frame_head(area, self.ticks.duration(number));
        self.append(&chunk(b"ANMF", &[&head, picture_chunks(&file)].concat()))?;
        self.shown.clone_from(&image.pixels);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.film.end()?;
        let path = &self.film.path;
        self.out.seek(SeekFrom::Start(4)).at(path)?;
        let length = (self.written - HEAD as u64) as u32;
        self.out.write_all(&length.to_le_bytes()).at(path)?;
        self.out.close()?;
        self.staging.commit()
    }
}

impl Webp {
    /// A part of `image` as a WebP file.
    fn encode(&self, image: &Image, area: Rectangle) -> Result<Vec<u8>, ExportError> {
        let alpha = self.film.info.alpha;
        let part = Image {
            width: area.width as u32,
            height: area.height as u32,
            pixels: area.rows(image.width).flat_map(|row| &image.pixels[row]).copied().collect(),
        };
        let bytes = film::bytes(&part, alpha);
        let layout = if alpha { PixelLayout::Rgba } else { PixelLayout::Rgb };
        let encoded = Encoder::new(&bytes, layout, part.width, part.height).encode_advanced(&self.config);
        let fault = |error| self.film.bad_picture(format!("the WebP encoder failed: {error:?}"));
        Ok(encoded.map_err(fault)?.to_vec())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.written += bytes.len() as u64;
        if self.written > u64::from(u32::MAX) {
            return Err(self.film.too_large("more than 4 GiB; make a film in MP4".to_owned()));
        }
        self.out.write_all(bytes).at(&self.film.path)
    }
}

/// Everything before the first picture of an animation. The file's length is filled in at the end.
fn animation_head(info: &FilmInfo) -> Vec<u8> {
    const ANIMATION: u8 = 0x02;
    const ALPHA: u8 = 0x10;
    let flags = ANIMATION | if info.alpha { ALPHA } else { 0 };
    let mut canvas = vec![flags, 0, 0, 0];
    canvas.extend(u24(info.width - 1));
    canvas.extend(u24(info.height - 1));
    // A transparent background; a number of repetitions of 0 means no end.
    let loops = [0; 6];
    [b"RIFF\0\0\0\0WEBP".as_slice(), &chunk(b"VP8X", &canvas), &chunk(b"ANIM", &loops)].concat()
}

/// What an animation says about a picture: place, size, how long it is shown `[ms]`, and that it replaces what is
/// there.
fn frame_head(area: Rectangle, duration: u32) -> Vec<u8> {
    const REPLACE: u8 = 0x02;
    let numbers =
        [area.left as u32 / 2, area.top as u32 / 2, area.width as u32 - 1, area.height as u32 - 1, duration];
    numbers.into_iter().flat_map(u24).chain([REPLACE]).collect()
}

/// The chunks of a still WebP file that belong into a picture of an animation: all but the description of the
/// canvas.
fn picture_chunks(file: &[u8]) -> &[u8] {
    let chunks = &file[12.min(file.len())..];
    match chunks.get(4..HEAD) {
        Some(length) if chunks.starts_with(b"VP8X") => {
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
            &chunks[(HEAD + length).min(chunks.len())..]
        }
        _ => chunks,
    }
}

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    // Chunks begin at even places.
    let padding = &[0][..content.len() % 2];
    [name, &(content.len() as u32).to_le_bytes(), content, padding].concat()
}

fn u24(v: u32) -> [u8; 3] {
    let [a, b, c, _] = v.to_le_bytes();
    [a, b, c]
}
