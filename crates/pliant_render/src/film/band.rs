//! The samples of some rows: a few for every pixel, more where the few do not agree with each other or with those of the
//! pixels around.

use super::pixel::{Pixel, Wants};
use super::{Exposure, Slice};
use crate::sampler::{AT_ONCE, Place, Prepared, Sampler};
use crate::trace::{Rays, SKY, Tracer};
use glam::{Vec2, Vec3A};
use std::ops::Range;

/// How many times more samples pixels get where neighbouring samples see different things.
const MORE_AT_EDGES: u32 = 4;

/// Takes samples row by row; no more than two rows are kept, so that they stay near the processor.
pub(super) struct Band<'a> {
    slices: &'a [Slice<'a>],
    tracers: Vec<Tracer<'a>>,
    how: &'a Exposure,
    /// Room for a list of samples.
    wanted: Vec<Place>,
}

/// Samples out of how many to a pixel, from which stream, and whether each looks for the sky.
#[derive(Clone, Copy)]
struct Round {
    of: u32,
    stream: u32,
    sky: bool,
}

/// One row, and which of its pixels may need more samples.
#[derive(Default)]
struct Row {
    y: u32,
    pixels: Vec<Pixel>,
    unsure: Vec<bool>,
}

impl<'a> Band<'a> {
    pub fn new(slices: &'a [Slice<'a>], tracers: Vec<Tracer<'a>>, how: &'a Exposure) -> Self {
        Self { slices, tracers, how, wanted: vec![] }
    }

    /// Takes some rows and hands over each when it is finished, with its number in the band.
    pub fn take(&mut self, rows: Range<usize>, mut finished: impl FnMut(usize, &[Pixel])) {
        let [mut above, mut row] = [Row::default(), Row::default()];
        for (k, y) in rows.clone().enumerate() {
            self.few(&mut row, y as u32);
            row.compare();
            // The row above has now been held against all its neighbours.
            if k > 0 {
                above.compare_to(&mut row);
                self.more(&mut above);
                finished(k - 1, &above.pixels);
            }
            std::mem::swap(&mut above, &mut row);
        }
        self.more(&mut above);
        finished(rows.len() - 1, &above.pixels);
    }

    /// All rays that were cast.
    pub fn rays(self) -> Rays {
        Rays::joined(self.tracers.into_iter().map(|t| t.rays))
    }

    /// The first samples of a row.
    fn few(&mut self, row: &mut Row, y: u32) {
        let (width, of) = (self.how.size[0], few(self.how));
        row.y = y;
        row.pixels.clear();
        row.pixels.resize(width as usize, Pixel::default());
        let all = (0..width).flat_map(|x| (0..of).map(move |sample| Place { x, y, sample }));
        self.wanted.clear();
        self.wanted.extend(all);
        self.expose(row, Round { of, stream: 0, sky: true });
        row.unsure.clear();
        row.unsure.extend(row.pixels.iter().map(|p| p.wants() > Wants::Nothing));
    }

    /// Further samples of those pixels of a row that may need them.
    fn more(&mut self, row: &mut Row) {
        let (few, enough) = (few(self.how), self.how.samples);
        self.want(row, |pixel| if pixel.wants() < Wants::Many { enough - few } else { 0 });
        // What is noisy is so because of the sun more often than because of the sky, whose light varies slowly.
        self.expose(row, Round { of: few, stream: 2, sky: false });
        let many = enough * MORE_AT_EDGES;
        self.want(row, |pixel| if pixel.wants() == Wants::Many { many - pixel.count() } else { 0 });
        self.expose(row, Round { of: many, stream: 4, sky: true });
    }

    /// Lists as many samples of each unsure pixel as `count` says.
    fn want(&mut self, row: &Row, count: impl Fn(&Pixel) -> u32) {
        self.wanted.clear();
        for (x, pixel) in row.pixels.iter().enumerate().filter(|(x, _)| row.unsure[*x]) {
            let place = |sample| Place { x: x as u32, y: row.y, sample };
            self.wanted.extend((0..count(pixel)).map(place));
        }
    }

    /// Takes the samples of the list.
    fn expose(&mut self, row: &mut Row, round: Round) {
        let Round { of, stream, sky } = round;
        let wanted = std::mem::take(&mut self.wanted);
        let [mut own, mut for_sky] = [Prepared::default(), Prepared::default()];
        for some in wanted.chunks(AT_ONCE) {
            // Enough for the usual ways of light: a mirrored one and the sun's, and the sky's.
            own.prepare(some, of, stream, 4);
            if sky {
                for_sky.prepare(some, of, stream + 1, 2);
            }
            for (k, place) in some.iter().enumerate() {
                let pixel = &mut row.pixels[place.x as usize];
                self.sample(pixel, place, own.sampler(k), sky.then(|| for_sky.sampler(k)));
            }
        }
        self.wanted = wanted;
    }

    /// Takes one sample.
    fn sample(&mut self, pixel: &mut Pixel, place: &Place, mut sampler: Sampler, mut sky: Option<Sampler>) {
        let k = pixel.count() as usize % self.slices.len();
        let Slice { lens, plate, .. } = &self.slices[k];
        let [dx, dy] = sampler.pair();
        let on_lens = if lens.is_wide() { sampler.disc() } else { Vec2::ZERO };
        let (origin, direction) = lens.ray(place.x as f32 + dx, place.y as f32 + dy, on_lens);
        let mut seen = self.tracers[k].look(origin, direction, &mut sampler, sky.as_mut());
        let catches = plate.is_some_and(|p| p.catches(seen.object));
        // What is transparent brings no light of its own.
        if self.how.alpha && seen.object == SKY {
            seen.other = Vec3A::ZERO;
        }
        pixel.add(&seen, sky.is_some(), catches);
        if self.how.alpha && catches {
            pixel.darken(&seen);
        }
    }
}

/// Samples that every pixel gets.
fn few(how: &Exposure) -> u32 {
    (how.samples / 2).max(1)
}

impl Row {
    /// Marks neighbours that see different things.
    fn compare(&mut self) {
        for x in 1..self.pixels.len() {
            if self.pixels[x - 1].is_unlike(&self.pixels[x]) {
                (self.unsure[x - 1], self.unsure[x]) = (true, true);
            }
        }
    }

    /// Marks neighbours in this row and the one below that see different things.
    fn compare_to(&mut self, below: &mut Row) {
        for x in 0..self.pixels.len() {
            if self.pixels[x].is_unlike(&below.pixels[x]) {
                (self.unsure[x], below.unsure[x]) = (true, true);
            }
        }
    }
}
