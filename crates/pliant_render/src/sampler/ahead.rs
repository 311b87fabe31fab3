//! The first numbers of eight samples at once: alone, each would wait for the last of a long chain of multiplications.

use super::disc::on_disc;
use super::{Sampler, hash, index, pair};
use glam::Vec2;

/// Samples that are prepared together.
pub(super) const AT_ONCE: usize = 8;
/// Most pairs of a sample that are made ahead.
pub(super) const AHEAD: usize = 5;

/// Per pair: its two numbers and its place on the disc, of each sample.
pub(super) type Ahead = [[[f32; AT_ONCE]; 4]; AHEAD];
/// No pair that was made ahead.
pub(super) static NOTHING: Ahead = [[[0.0; AT_ONCE]; 4]; AHEAD];

/// Which sample of which pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub x: u32,
    pub y: u32,
    pub sample: u32,
}

/// What eight samplers begin with.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    stream: u32,
    made: u32,
    indices: [u32; AT_ONCE],
    numbers: Ahead,
}

impl Prepared {
    /// Begins with up to `AT_ONCE` samples of a stream.
    pub fn begin(&mut self, places: &[Place], per_pixel: u32, stream: u32) {
        self.stream = hash(stream);
        self.made = 0;
        for (out, p) in self.indices.iter_mut().zip(places) {
            *out = index(p.x, p.y, p.sample, per_pixel);
        }
    }

    /// Makes pairs ahead, up to `AHEAD` of each sample, as far as they are not made yet.
    pub fn prepare(&mut self, pairs: u32) {
        let made = self.made;
        self.made = made.max(pairs.min(AHEAD as u32));
        pulp::Arch::new().dispatch(Prepare { made, prepared: self });
    }

    /// A pair of the k-th sample that was made.
    pub fn pair(&self, number: usize, k: usize) -> [f32; 2] {
        [self.numbers[number][0][k], self.numbers[number][1][k]]
    }

    /// The same, spread over the unit disc.
    pub fn disc(&self, number: usize, k: usize) -> Vec2 {
        Vec2::new(self.numbers[number][2][k], self.numbers[number][3][k])
    }

    /// The sampler of the k-th place, just as `Sampler::new` would make it, after some pairs were taken from it.
    pub fn sampler(&self, k: usize, taken: u32) -> Sampler<'_> {
        let Self { stream, made, ref indices, ref numbers } = *self;
        Sampler { index: indices[k], dimension: taken, stream, made, ahead: numbers, lane: k % AT_ONCE }
    }
}

struct Prepare<'a> {
    /// Pairs that are made already.
    made: u32,
    prepared: &'a mut Prepared,
}

impl pulp::WithSimd for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        // A copy, which nothing else can change meanwhile: the compiler takes eight at a time of these only.
        let indices = self.prepared.indices;
        for d in self.made as usize..self.prepared.made as usize {
            let seed = hash((d as u32 + 1) ^ self.prepared.stream);
            let [mut x, mut y, mut disc_x, mut disc_y] = [[0.0; AT_ONCE]; 4];
            for k in 0..AT_ONCE {
                let both = pair(indices[k], seed);
                let disc = on_disc(both);
                (x[k], y[k]) = (both[0], both[1]);
                (disc_x[k], disc_y[k]) = (disc[0], disc[1]);
            }
            self.prepared.numbers[d] = [x, y, disc_x, disc_y];
        }
    }
}
