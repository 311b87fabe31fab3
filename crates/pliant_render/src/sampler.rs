//! Where the samples of a picture fall: points that are spread evenly over every pixel, over every square block of
//! pixels and over the whole picture at once.
//!
//! A two-dimensional Sobol sequence, scrambled as Owen proposed by hashing [Burl20], is laid along a Z-curve through the
//! picture ([AW20]). Each pixel takes the next 2^k points; so do each block of 2 x 2, 4 x 4 ... pixels, which is why a
//! filter over a few pixels sees as evenly spread samples as one pixel with many.

mod ahead;
mod disc;

pub(crate) use ahead::{Place, Prepared};

use ahead::{AHEAD, AT_ONCE, Ahead, NOTHING};
use disc::on_disc;
use glam::Vec2;

/// The points of one sample of one pixel; each call gives the next pair of numbers in 0..1.
#[derive(Clone, Debug)]
pub(crate) struct Sampler<'a> {
    /// Number of the sample, its bits reversed.
    index: u32,
    dimension: u32,
    stream: u32,
    /// How many pairs were made ahead, those of several samplers, and which of them this is.
    made: u32,
    ahead: &'a Ahead,
    lane: usize,
}

impl Sampler<'_> {
    /// Sample number `sample` of `per_pixel` (a power of two) of the pixel at `x`, `y`. Different streams have nothing
    /// to do with each other.
    pub fn new(x: u32, y: u32, sample: u32, per_pixel: u32, stream: u32) -> Self {
        let index = index(x, y, sample, per_pixel);
        Self { index, dimension: 0, stream: hash(stream), made: 0, ahead: &NOTHING, lane: 0 }
    }

    /// The next pair.
    #[inline(always)]
    pub fn pair(&mut self) -> [f32; 2] {
        self.dimension += 1;
        match self.made() {
            Some(made) => [made[0][self.lane], made[1][self.lane]],
            None => pair(self.index, hash(self.dimension ^ self.stream)),
        }
    }

    /// The next pair, spread over the unit disc.
    #[inline(always)]
    pub fn disc(&mut self) -> Vec2 {
        self.dimension += 1;
        match self.made() {
            Some(made) => Vec2::new(made[2][self.lane], made[3][self.lane]),
            None => on_disc(pair(self.index, hash(self.dimension ^ self.stream))).into(),
        }
    }

    #[inline(always)]
    fn made(&self) -> Option<&[[f32; AT_ONCE]; 4]> {
        let known = self.dimension <= self.made;
        known.then(|| &self.ahead[(self.dimension as usize - 1) % AHEAD])
    }

    /// The next single number.
    pub fn number(&mut self) -> f32 {
        self.pair()[0]
    }
}

/// Number of a sample along the Z-curve, its bits reversed.
#[inline(always)]
fn index(x: u32, y: u32, sample: u32, per_pixel: u32) -> u32 {
    let pixel = spread(x) | spread(y) << 1;
    pixel.wrapping_mul(per_pixel).wrapping_add(sample).reverse_bits()
}

#[inline(always)]
fn pair(index: u32, seed: u32) -> [f32; 2] {
    // Shuffled in blocks of powers of two, so that neighbouring pixels are not paired the same way twice.
    let index = scramble_reversed(index, seed);
    let x = scramble_reversed(index, seed.wrapping_mul(0x9e37_79b1));
    let y = scramble_reversed(pascal(index), seed.wrapping_mul(0x85eb_ca77));
    [unit(x), unit(y)]
}

/// Puts a zero between any two bits of a 16-bit number.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let mut x = x & 0xffff;
    x = (x | x << 8) & 0x00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

/// The second dimension of Sobol's sequence before its bits are reversed: the index times Pascal's triangle modulo 2.
#[inline(always)]
fn pascal(mut x: u32) -> u32 {
    x ^= x >> 16 & 0x0000_ffff;
    x ^= x >> 8 & 0x00ff_00ff;
    x ^= x >> 4 & 0x0f0f_0f0f;
    x ^= x >> 2 & 0x3333_3333;
    x ^ x >> 1 & 0x5555_5555
}

/// Owen's scrambling, by the bits from the highest on, of the number whose bits are those of `x` reversed.
#[inline(always)]
fn scramble_reversed(x: u32, seed: u32) -> u32 {
    mix_upwards(x, seed).reverse_bits()
}

/// Changes each bit by a function of the bits below it ([LK11] with the constants of [Vegd20]).
#[inline(always)]
fn mix_upwards(mut x: u32, seed: u32) -> u32 {
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul(seed >> 16 | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^ x.wrapping_mul(0x53a2_2864)
}

fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x21f0_aaad);
    x ^= x >> 15;
    x = x.wrapping_mul(0xd35a_2d97);
    x ^ x >> 15
}

/// To 0..1 without reaching 1.
#[inline(always)]
fn unit(x: u32) -> f32 {
    // Signed numbers have an instruction for this everywhere.
    (x >> 8) as i32 as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every box of area 1/n, of any shape that halves the sides, holds one of n points.
    fn is_net(points: &[[f32; 2]]) -> bool {
        let n = points.len();
        let log = n.ilog2();
        (0..=log).all(|k| {
            let (across, down) = (1 << k, n >> k);
            let mut taken = vec![false; n];
            points.iter().all(|p| {
                let cell = (p[0] * across as f32) as usize * down + (p[1] * down as f32) as usize;
                !std::mem::replace(&mut taken[cell], true)
            })
        })
    }

    #[test]
    fn samples_of_a_pixel_and_of_blocks_of_pixels_are_nets() {
        for block in [1, 2, 4, 8] {
            for (x0, y0) in [(0, 0), (8, 24), (640, 352)] {
                for skipped in 0..3 {
                    let mut points = vec![];
                    for (x, y, s) in
                        (0..block).flat_map(|x| (0..block).flat_map(move |y| (0..4).map(move |s| (x, y, s))))
                    {
                        let mut sampler = Sampler::new(x0 + x, y0 + y, s, 4, 0);
                        (0..skipped).for_each(|_| _ = sampler.pair());
                        points.push(sampler.pair());
                    }
                    assert!(is_net(&points), "block of {block} at {x0}, {y0}, pair {skipped}");
                }
            }
        }
    }

    #[test]
    fn what_is_made_ahead_is_what_would_come() {
        let places: Vec<Place> = (0..5).map(|k| Place { x: 7 * k, y: 3, sample: k % 2 }).collect();
        let mut prepared = Prepared::default();
        for (k, made) in (0..places.len()).flat_map(|k| (0..5).map(move |made| (k, made))) {
            prepared.begin(&places, 2, 1);
            prepared.prepare(made / 2);
            prepared.prepare(made);
            let (mut sampler, p) = (prepared.sampler(k, 0), places[k]);
            let mut plain = Sampler::new(p.x, p.y, p.sample, 2, 1);
            for k in 0..3 * AHEAD {
                assert_eq!(sampler.clone().pair(), plain.clone().pair(), "pair {k}");
                assert_eq!(sampler.disc(), plain.disc(), "disc {k}");
            }
        }
    }

    #[test]
    fn pairs_of_different_dimensions_are_unrelated() {
        let n = 4096;
        let both: Vec<[f32; 2]> = (0..n)
            .map(|i| {
                let mut s = Sampler::new(i % 64, i / 64, 0, 1, 0);
                [s.number() - 0.5, s.number() - 0.5]
            })
            .collect();
        let correlation: f32 = both.iter().map(|p| p[0] * p[1]).sum::<f32>() * 12.0 / n as f32;
        assert!(correlation.abs() < 0.05, "{correlation}");
    }
}
