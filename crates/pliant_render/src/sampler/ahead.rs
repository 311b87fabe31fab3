//! The first numbers of eight samples at once: alone, each would wait for the last of a long chain of multiplications.

use super::disc::on_disc;
use super::{Sampler, hash, index, pair};

/// Samples that are prepared together.
pub(crate) const AT_ONCE: usize = 8;
/// Pairs of each sample that are made ahead: most samples need no more.
pub(super) const AHEAD: usize = 4;

/// Which sample of which pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub x: u32,
    pub y: u32,
    pub sample: u32,
}

/// Samplers for up to `AT_ONCE` samples, each as `Sampler::new` would make it.
pub(crate) fn samplers(places: &[Place], per_pixel: u32, stream: u32) -> impl Iterator<Item = Sampler> {
    let mut lanes = [Place::default(); AT_ONCE];
    let count = places.len().min(AT_ONCE);
    lanes[..count].copy_from_slice(&places[..count]);
    let stream = hash(stream);
    let Made { indices, numbers } = pulp::Arch::new().dispatch(Make { lanes, per_pixel, stream });
    (0..count).map(move |k| {
        let ahead = std::array::from_fn(|d| std::array::from_fn(|n| numbers[d][n][k]));
        Sampler { index: indices[k], dimension: 0, stream, ahead: Some(ahead) }
    })
}

struct Make {
    lanes: [Place; AT_ONCE],
    per_pixel: u32,
    stream: u32,
}

struct Made {
    indices: [u32; AT_ONCE],
    /// Per pair: its two numbers and its place on the disc.
    numbers: [[[f32; AT_ONCE]; 4]; AHEAD],
}

impl pulp::WithSimd for Make {
    type Output = Made;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Made {
        let mut made = Made { indices: [0; AT_ONCE], numbers: [[[0.0; AT_ONCE]; 4]; AHEAD] };
        for (out, p) in made.indices.iter_mut().zip(&self.lanes) {
            *out = index(p.x, p.y, p.sample, self.per_pixel);
        }
        for (d, [x, y, disc_x, disc_y]) in made.numbers.iter_mut().enumerate() {
            let seed = hash((d as u32 + 1) ^ self.stream);
            for k in 0..AT_ONCE {
                let both = pair(made.indices[k], seed);
                let disc = on_disc(both);
                (x[k], y[k]) = (both[0], both[1]);
                (disc_x[k], disc_y[k]) = (disc[0], disc[1]);
            }
        }
        made
    }
}
