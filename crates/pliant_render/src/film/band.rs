//! The samples of some rows: a few for every pixel, more where the few do not agree with each other or with those of the
//! pixels around.

use super::pixel::{Pixel, Wants};
use super::{Exposure, Slice};
use crate::lanes::{Lanes, Machine, Task};
use crate::sampler::{Place, Prepared};
use crate::stage::TOGETHER;
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
    machine: Machine,
    /// Room for a list of samples, and for the first numbers of a few of them: their own, and for the sky.
    wanted: Vec<Place>,
    prepared: [Prepared; 2],
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
        Self {
            slices,
            tracers,
            how,
            machine: Machine::at_hand(),
            wanted: vec![],
            prepared: Default::default(),
        }
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
        self.wanted.clear();
        for x in 0..width {
            self.wanted.extend((0..of).map(|sample| Place { x, y, sample }));
        }
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
        let wanted = std::mem::take(&mut self.wanted);
        // Moments during which the shutter is open take turns with the samples of a pixel.
        let together = if self.slices.len() == 1 { TOGETHER } else { 1 };
        self.machine.run(Samples { band: self, row, wanted: wanted.chunks(together), round });
        self.wanted = wanted;
    }

    /// Takes up to `TOGETHER` samples of one slice.
    #[inline(always)]
    fn samples(&mut self, row: &mut Row, places: &[Place], round: &Round) {
        let Round { of, stream, sky } = *round;
        let slice = row.pixels[places[0].x as usize].count() as usize % self.slices.len();
        let (Slice { lens, plate, .. }, tracer) = (&self.slices[slice], &mut self.tracers[slice]);
        let [own, for_sky] = &mut self.prepared;
        own.begin(places, of, stream);
        own.prepare(if lens.is_wide() { 2 } else { 1 });
        let mut rays = [(Vec3A::ZERO, Vec3A::ZERO); TOGETHER];
        for (k, (ray, place)) in rays.iter_mut().zip(places).enumerate() {
            let ([dx, dy], on_lens) =
                (own.pair(0, k), if lens.is_wide() { own.disc(1, k) } else { Vec2::ZERO });
            *ray = lens.ray(place.x as f32 + dx, place.y as f32 + dy, on_lens);
        }
        let hits = tracer.meet(&rays[..places.len()]);
        let on_sun = if lens.is_wide() { 2 } else { 1 };
        let (mut spots, mut suns, mut glints) = ([None; TOGETHER], [None; TOGETHER], [Vec3A::ZERO; TOGETHER]);
        if hits.iter().any(Option::is_some) {
            // Enough for the usual ways of light: the sun's, and a mirrored one where something mirrors; the sky's.
            let mirrors = hits.iter().flatten().any(|hit| tracer.mirrors(hit));
            own.prepare(if mirrors { on_sun as u32 + 4 } else { on_sun as u32 + 1 });
            if sky {
                for_sky.begin(places, of, stream + 1);
                for_sky.prepare(2);
            }
            for (k, spot) in spots.iter_mut().enumerate() {
                if let Some(hit) = &hits[k] {
                    *spot = Some(tracer.met(hit, rays[k]));
                }
            }
            suns = tracer.sunlight(&spots, |k| own.disc(on_sun, k));
            if mirrors {
                glints = tracer.glints(&spots, &rays, |k| own.disc(on_sun + 1, k));
            }
        }
        for (k, place) in places.iter().enumerate() {
            let mut sampler = own.sampler(k, on_sun as u32 + 2);
            let mut sky_sampler = sky.then(|| for_sky.sampler(k, 0));
            let mut seen = tracer.look(
                rays[k].1,
                spots[k].as_ref(),
                (suns[k].as_ref(), glints[k]),
                &mut sampler,
                sky_sampler.as_mut(),
            );
            let pixel = &mut row.pixels[place.x as usize];
            let catches = plate.is_some_and(|p| p.catches(seen.object));
            // What is transparent brings no light of its own.
            if self.how.alpha && seen.object == SKY {
                seen.other = Vec3A::ZERO;
            }
            pixel.add(&seen, sky, catches);
            if self.how.alpha && catches {
                pixel.darken(&seen);
            }
        }
    }
}

/// Samples to be taken, some at a time.
struct Samples<'a, 'b> {
    band: &'a mut Band<'b>,
    row: &'a mut Row,
    wanted: std::slice::Chunks<'a, Place>,
    round: Round,
}

impl Task for Samples<'_, '_> {
    type Output = ();

    /// All of it is compiled for the machine at hand, not only what goes eight at a time: that needs fewer instructions for the
    /// same numbers.
    #[inline(always)]
    fn on<L: Lanes>(self, _: L) {
        for places in self.wanted {
            self.band.samples(self.row, places, &self.round);
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
