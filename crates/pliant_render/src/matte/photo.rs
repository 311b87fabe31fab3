//! A photograph, as light.

use crate::develop::undevelop;
use crate::image::Image;
use glam::Vec3A;
use pliant::scene_check::MOST_PIXELS;
use std::fs::File;
use std::io::{BufRead, BufReader};
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
        let file = File::open(path).map_err(io)?;
        if file.metadata().map_err(io)?.is_dir() {
            return Err(io(std::io::Error::other("is a folder")));
        }
        let mut file = BufReader::new(file);
        let is_png = file.fill_buf().map_err(io)?.starts_with(&PNG);
        let image = if is_png { read_png(file) } else { read_jpeg(file) };
        let image = image.map_err(|reason| PhotoError::Unreadable { path: path.to_owned(), reason })?;
        Ok(Self::new(&image))
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

/// What a PNG begins with.
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// What is wrong if an edge is longer than any picture's; asked before memory for it is.
fn size_of(width: u32, height: u32) -> Result<(), String> {
    match width.max(height) {
        0..=MOST_PIXELS => Ok(()),
        most => Err(format!("{most} pixels along an edge are more than {MOST_PIXELS}")),
    }
}

/// Pixels of so many bytes each.
fn pixels<const N: usize>(bytes: &[u8], rgb: impl Fn(&[u8; N]) -> [u8; 3]) -> Vec<[u8; 4]> {
    let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
    bytes.as_chunks().0.iter().map(|p| opaque(rgb(p))).collect()
}

/// Any PNG; what shines through is taken as if it did not.
fn read_png(file: BufReader<File>) -> Result<Image, String> {
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let (width, height) = reader.info().size();
    size_of(width, height)?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("its pixels do not fit into memory")?];
    let frame = reader.next_frame(&mut bytes).map_err(|e| e.to_string())?;
    let bytes = &bytes[..frame.buffer_size()];
    let pixels = match frame.color_type {
        png::ColorType::Grayscale => pixels(bytes, |[v]| [*v; 3]),
        png::ColorType::GrayscaleAlpha => pixels(bytes, |[v, _]| [*v; 3]),
        png::ColorType::Rgba => pixels(bytes, |[r, g, b, _]| [*r, *g, *b]),
        png::ColorType::Rgb | png::ColorType::Indexed => pixels(bytes, |rgb| *rgb),
    };
    Ok(Image { width, height, pixels })
}

fn read_jpeg(file: BufReader<File>) -> Result<Image, String> {
    let mut decoder = zune_jpeg::JpegDecoder::new(file);
    let wrong = |e: zune_jpeg::errors::DecodeErrors| e.to_string();
    decoder.decode_headers().map_err(wrong)?;
    let info = decoder.info().ok_or("it has no size")?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    size_of(width, height)?;
    Ok(Image { width, height, pixels: pixels(&decoder.decode().map_err(wrong)?, |rgb| *rgb) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::{BitDepth, ColorType};

    /// Colours of a file with these bytes, pixel by pixel.
    fn read(bytes: &[u8]) -> Result<Vec<[u8; 3]>, PhotoError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let photo = Photo::open(file.path())?;
        let back = |v: &Vec3A| crate::develop::develop(*v).map(|x| (x * 255.0).round() as u8);
        Ok(photo.light.iter().map(back).collect())
    }

    fn png(colour: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == ColorType::Indexed {
            encoder.set_palette(vec![9, 8, 7, 200, 100, 50]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn every_kind_of_png_shows_its_colours() {
        let two = [[200, 100, 50], [9, 8, 7]];
        for (colour, depth, data, expected) in [
            (ColorType::Rgb, BitDepth::Eight, &[200, 100, 50, 9, 8, 7][..], two),
            (ColorType::Rgba, BitDepth::Eight, &[200, 100, 50, 0, 9, 8, 7, 255], two),
            (ColorType::Rgb, BitDepth::Sixteen, &[200, 1, 100, 2, 50, 3, 9, 4, 8, 5, 7, 6], two),
            (ColorType::Indexed, BitDepth::One, &[0b1000_0000], two),
            (ColorType::Grayscale, BitDepth::Four, &[0xf3], [[255; 3], [51; 3]]),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, &[70, 1, 80, 2], [[70; 3], [80; 3]]),
        ] {
            assert_eq!(read(&png(colour, depth, data)).unwrap(), expected, "{colour:?} {depth:?}");
        }
    }

    /// Red beside blue, 16 by 8 pixels, written by Pillow, which reads (201, 40, 30) and (20, 60, 181).
    const JPEG: &str = "\
        ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a07\
        0706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffdb0043010304\
        0405040509050509140d0b0d141414141414141414141414141414141414141414141414141414141414141414141414\
        1414141414141414141414141414ffc00011080008001003011100021101031101ffc400140001000000000000000000\
        00000000000007ffc40014100100000000000000000000000000000000ffc40016010101010000000000000000000000\
        0000090708ffc40014110100000000000000000000000000000000ffda000c03010002110311003f00124a9b60784206\
        bbffd9";

    #[test]
    fn a_jpeg_shows_its_colours() {
        let digits = |k: usize| u8::from_str_radix(&JPEG[2 * k..2 * k + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..JPEG.len() / 2).map(digits).collect();
        let found = read(&bytes).unwrap();
        assert_eq!(found.len(), 16 * 8);
        for (k, pixel) in found.iter().enumerate() {
            let expected = if k % 16 < 8 { [201, 40, 30] } else { [20, 60, 181] };
            assert!((0..3).all(|d| pixel[d].abs_diff(expected[d]) <= 2), "{pixel:?} at {k}");
        }
        assert!(matches!(read(&bytes[..100]), Err(PhotoError::Unreadable { .. })));
        assert!(matches!(read(b"nothing of the kind"), Err(PhotoError::Unreadable { .. })));
    }
}
