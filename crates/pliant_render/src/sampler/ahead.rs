//! The first numbers of eight samples at once: alone, each would wait for the last of a long chain of multiplications.

use super::disc::on_disc;
use super::{Sampler, hash, index, pair};

/// Samples that are prepared together.
pub(crate) const AT_ONCE: usize = 8;
/// Most pairs of a sample that are made ahead.
pub(super) const AHEAD: usize = 4;

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
    /// Per pair: its two numbers and its place on the disc.
    numbers: [[[f32; AT_ONCE]; 4]; AHEAD],
}

impl Prepared {
    /// Prepares up to `AT_ONCE` samples of a stream, with up to `AHEAD` pairs each.
    pub fn prepare(&mut self, places: &[Place], per_pixel: u32, stream: u32, pairs: u32) {
        self.stream = hash(stream);
        self.made = pairs.min(AHEAD as u32);
        pulp::Arch::new().dispatch(Prepare { places, per_pixel, prepared: self });
    }

    /// The sampler of the k-th place, just as `Sampler::new` would make it.
    pub fn sampler(&self, k: usize) -> Sampler {
        let ahead = std::array::from_fn(|d| std::array::from_fn(|n| self.numbers[d][n][k]));
        Sampler { index: self.indices[k], dimension: 0, stream: self.stream, made: self.made, ahead }
    }
}

struct Prepare<'a> {
    places: &'a [Place],
    per_pixel: u32,
    prepared: &'a mut Prepared,
}

impl pulp::WithSimd for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        // Copies, which nothing else can change meanwhile: the compiler takes eight at a time of these only.
        let mut indices = [0; AT_ONCE];
        for (out, p) in indices.iter_mut().zip(self.places) {
            *out = index(p.x, p.y, p.sample, self.per_pixel);
        }
        for d in 0..self.prepared.made as usize {
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
        self.prepared.indices = indices;
    }
}
