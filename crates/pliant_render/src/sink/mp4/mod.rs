//! MP4: H.264, constant picture rate, square pixels, BT.709 colours in limited range.
//!
//! - The quality is constant, not the size of the file: about 47 dB, chosen such that smooth backgrounds show no
//!   steps and do not pulse when a key picture comes, every one and a half seconds.
//! - Width and height must be even (colour is stored for squares of 2 x 2 pixels), at least 16, at most 3840 x 2160 or
//!   2160 x 3840.
//! - Opacity is not kept.
//! - The index stands before the film, so that players can begin before they have all of it; in a film longer
//!   than announced it stands behind.

mod boxes;
mod index;
mod track;
mod yuv;

use super::film::{Film, bad};
use super::{FilmInfo, PictureSink, timing};
use crate::Image;
use boxes::Boxes;
use index::Index;
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use pliant_io::export::{At, ExportError, Output, Staging};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use track::{ParameterSets, Track};
use yuv::Yuv;

/// Step of quantisation, 0 to 51; 6 more double it.
const QUANTISER: u8 = 18;

/// Seconds from key picture to key picture.
const KEY_INTERVAL: f64 = 1.5;

/// Opens a film.
pub(super) fn open(path: &Path, info: &FilmInfo) -> Result<Box<dyn PictureSink>, ExportError> {
    let film = Film::new(path, info)?;
    let film = if info.width >= info.height { film.at_most(3840, 2160)? } else { film.at_most(2160, 3840)? };
    if info.width.min(info.height) < 16 {
        return Err(bad(format!("{} x {} pixels; H.264 needs at least 16 x 16", info.width, info.height)));
    }
    if info.width % 2 + info.height % 2 > 0 {
        let FilmInfo { width, height, .. } = *info;
        let (less, more) = ([width & !1, height & !1], [width, height].map(|size| size.next_multiple_of(2)));
        return Err(bad(format!(
            "H.264 needs even sizes, not {width} x {height}; nearest are {} x {} and {} x {}",
            less[0], less[1], more[0], more[1]
        )));
    }
    let key_interval = key_interval(info);
    let encoder = start_encoder(info, QUANTISER)?;
    let mut staging = Staging::default();
    let mut out = staging.create(path)?;
    let head = Head::write(info.count, key_interval, &mut out).at(path)?;
    let index = Index::new(key_interval, head.film);
    let yuv = Yuv::new(info.width as usize, info.height as usize);
    Ok(Box::new(Mp4 {
        film,
        encoder,
        quantiser: QUANTISER,
        yuv,
        parameter_sets: None,
        head,
        index,
        out,
        staging,
    }))
}

/// Pictures from key picture to key picture.
fn key_interval(info: &FilmInfo) -> u32 {
    (info.fps * KEY_INTERVAL).round().max(1.0) as u32
}

/// An encoder of constant quality, whose bytes do not depend on the machine.
fn start_encoder(info: &FilmInfo, quantiser: u8) -> Result<Encoder, ExportError> {
    Encoder::with_api_config(OpenH264API::from_source(), config(info, quantiser))
        .map_err(|error| bad(format!("the H.264 encoder does not start: {error}")))
}

fn config(info: &FilmInfo, quantiser: u8) -> EncoderConfig {
    EncoderConfig::new()
        .usage_type(UsageType::CameraVideoRealTime)
        .complexity(Complexity::High)
        // One thread: the division into slices, and so the bytes, would depend on their number.
        .num_threads(1)
        // A range of one value leaves this kind of rate control nothing to control.
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(quantiser, quantiser))
        .bitrate(BitRate::from_bps(20_000_000))
        .skip_frames(false)
        .max_frame_rate(FrameRate::from_hz(info.fps as f32))
        .intra_frame_period(IntraFramePeriod::from_num_frames(key_interval(info)))
        // These trade faithfulness of still or busy places for bits.
        .scene_change_detect(false)
        .adaptive_quantization(false)
        .background_detection(false)
        .vui(VuiConfig::bt709())
}

struct Mp4 {
    film: Film,
    encoder: Encoder,
    quantiser: u8,
    yuv: Yuv,
    parameter_sets: Option<ParameterSets>,
    head: Head,
    index: Index,
    out: Output,
    staging: Staging,
}

impl PictureSink for Mp4 {
    fn picture(&mut self, image: &Image) -> Result<(), ExportError> {
        self.film.take(image)?;
        self.yuv.set(&image.pixels);
        let (kind, stream) = self.encode()?;
        let fault = |error: String| self.film.bad_picture(format!("the H.264 encoder failed: {error}"));
        let key = match kind {
            FrameType::IDR => true,
            FrameType::P => false,
            other => return Err(fault(format!("picture of type {other:?}"))),
        };
        let mut sample = Vec::new();
        let sets = track::sample(&stream, &mut sample).map_err(fault)?;
        match &self.parameter_sets {
            None => self.parameter_sets = Some(sets.ok_or_else(|| fault("no parameters".to_owned()))?),
            // The index holds them once, for all pictures.
            Some(first) if sets.is_some_and(|sets| sets != *first) => {
                return Err(fault("other parameters than at first".to_owned()));
            }
            Some(_) => {}
        }
        self.out.write_all(&sample).at(&self.film.path)?;
        let too_many = || self.film.too_large("more than 2^32 pictures".to_owned());
        self.index.push(sample.len() as u32, key).ok_or_else(too_many)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.film.end()?;
        let Some(parameter_sets) = self.parameter_sets.take() else {
            return Err(ExportError::NoFrames { path: self.film.path });
        };
        let (rate, length) = timing::fraction(self.film.info.fps);
        // Players expect clocks much finer than a picture.
        let fine = 10_000_u32.div_ceil(rate);
        let track = Track {
            width: self.film.info.width as u16,
            height: self.film.info.height as u16,
            timescale: rate * fine,
            picture_length: length * fine,
            parameter_sets,
        };
        self.head.complete(&track.movie(&self.index), self.index.end(), &mut self.out).at(&self.film.path)?;
        self.out.close()?;
        self.staging.commit()
    }
}

impl Mp4 {
    /// The picture in `yuv` as a part of an H.264 stream.
    fn encode(&mut self) -> Result<(FrameType, Vec<u8>), ExportError> {
        loop {
            let error = match self.encoder.encode(&self.yuv) {
                Ok(stream) => return Ok((stream.frame_type(), stream.to_vec())),
                Err(error) => error,
            };
            // Pictures of nothing but noise are too much for the encoder. With coarser steps, beginning with a key
            // picture, it takes any.
            self.quantiser += 6;
            if self.quantiser > 51 {
                return Err(self.film.bad_picture(format!("the H.264 encoder failed: {error}")));
            }
            self.encoder = start_encoder(&self.film.info, self.quantiser)?;
        }
    }
}

/// The beginning of the file: its type, a place for the index, the head of the film's bytes.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// Where the place for the index begins.
    place: u64,
    /// Where the box of the film's bytes begins.
    data: u64,
    /// Where the film's bytes begin.
    film: u64,
}

impl Head {
    fn write(count: usize, key_interval: u32, out: &mut Output) -> std::io::Result<Self> {
        let mut head = Boxes::default();
        head.put(b"ftyp", |b| {
            b.bytes(b"isom").u32(0x200).bytes(b"isomiso2avc1mp41");
        });
        let place = head.len();
        head.put(b"free", |b| b.zeros(Index::room(count, key_interval)));
        let data = head.len();
        // The length of `mdat` follows its name, as it may not fit before it; filled in at the end.
        head.u32(1).bytes(b"mdat").u64(0);
        out.write_all(head.as_ref())?;
        Ok(Self { place, data, film: head.len() })
    }

    /// Writes the index and what is now known about the film's bytes, which end at `end`.
    fn complete(self, movie: &[u8], end: u64, out: &mut Output) -> std::io::Result<()> {
        let room = self.data - self.place;
        let rest = room.checked_sub(movie.len() as u64);
        match rest {
            // What remains must be nothing or a box again.
            Some(rest) if rest == 0 || rest >= 8 => {
                out.seek(SeekFrom::Start(self.place))?;
                out.write_all(movie)?;
                if rest > 0 {
                    out.write_all(&(rest as u32).to_be_bytes())?;
                    out.write_all(b"free")?;
                }
            }
            _ => out.write_all(movie)?,
        }
        out.seek(SeekFrom::Start(self.data + 8))?;
        out.write_all(&(end - self.data).to_be_bytes())
    }
}
