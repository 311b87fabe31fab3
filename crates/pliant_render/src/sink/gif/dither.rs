//! Mixes colours from those of the palette, in a pattern that stands still: a pixel that does not change is shown
//! the same in every picture.

use super::palette::Palette;

/// Bayer's pattern: which of 64 neighbouring pixels go first to the other colour.
const PATTERN: usize = 8;

/// Colours remembered, a power of two.
const MEMORY: usize = 1 << 18;

/// How a colour is mixed: `share` of 64 pixels get `other`, the rest `nearest`.
#[derive(Clone, Copy, Debug)]
struct Mix {
    nearest: u8,
    other: u8,
    share: u8,
    /// Whether the mix is far from what it should be.
    poor: bool,
}

/// Distance beyond which a mix counts as poor, in steps of 255.
const POOR: f64 = 20.0;

/// A palette and what is known about mixing its colours.
#[derive(Debug)]
pub(super) struct Dither {
    pub palette: Palette,
    /// Mixes found so far; later ones overwrite earlier ones at the same place.
    memory: Vec<Option<([u8; 3], Mix)>>,
    thresholds: [[u8; PATTERN]; PATTERN],
    /// Pixels poorly mixed since this was last set to zero.
    pub poor: usize,
}

impl Dither {
    pub fn new(palette: Palette) -> Self {
        Self { palette, memory: vec![None; MEMORY], thresholds: thresholds(), poor: 0 }
    }

    /// The palette's index for `colour` at pixel `x`, `y`.
    pub fn index(&mut self, colour: [u8; 3], x: usize, y: usize) -> u8 {
        let mix = self.mix(colour);
        self.poor += usize::from(mix.poor);
        match mix.share > self.thresholds[y % PATTERN][x % PATTERN] {
            true => mix.other,
            false => mix.nearest,
        }
    }

    fn mix(&mut self, colour: [u8; 3]) -> Mix {
        let [r, g, b] = colour.map(usize::from);
        let place = (r << 16 | g << 8 | b).wrapping_mul(0x9E37_79B1) >> 7 & (MEMORY - 1);
        match self.memory[place] {
            Some((known, mix)) if known == colour => mix,
            _ => {
                let mix = find(&self.palette, colour);
                self.memory[place] = Some((colour, mix));
                mix
            }
        }
    }
}

/// Mixes the nearest colour with the one that makes the mix best: near to what it should be, and of colours not
/// too far apart.
fn find(palette: &Palette, colour: [u8; 3]) -> Mix {
    /// How much a coarse pattern counts against a wrong colour.
    const COARSENESS: f64 = 0.05;
    let wanted = colour.map(i32::from);
    let nearest = palette.nearest(wanted);
    let from = palette.colour(nearest).map(i32::from);
    let gone = minus(wanted, from);
    let mut best = (dot(gone, gone), nearest, 0.0);
    let mut missed = best.0;
    for other in 0..palette.transparent() {
        let way = minus(palette.colour(other).map(i32::from), from);
        let (along, length) = (dot(way, gone), dot(way, way));
        if along <= 0.0 {
            continue;
        }
        let part = (along / length).min(1.0);
        let miss = dot(gone, gone) - part * (2.0 * along - part * length);
        let cost = miss + COARSENESS * part * (1.0 - part) * length;
        if cost < best.0 {
            best = (cost, other, part);
            missed = miss;
        }
    }
    let (_, other, part) = best;
    let share = (part * (PATTERN * PATTERN) as f64).round() as u8;
    Mix { nearest, other, share, poor: missed > POOR * POOR }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: [i32; 3], b: [i32; 3]) -> [f64; 3] {
    [0, 1, 2].map(|c| f64::from(a[c] - b[c]))
}

/// Each of 0 to 63 once, such that low numbers lie far apart.
fn thresholds() -> [[u8; PATTERN]; PATTERN] {
    let mut table = [[0; PATTERN]; PATTERN];
    for (y, row) in table.iter_mut().enumerate() {
        for (x, value) in row.iter_mut().enumerate() {
            // Bits of x ^ y and y, interleaved, the lowest first.
            *value = (0..3).fold(0, |v, bit| v << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)) as u8;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Dither, Palette, thresholds};

    #[test]
    fn pattern_holds_each_number_once() {
        let mut all = thresholds().concat();
        assert_eq!([all[0], all[1], all[8], all[9]], [0, 32, 48, 16]);
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn mean_of_a_mix_is_the_colour() {
        let mut dither = Dither::new(Palette::of([[0; 3], [200; 3]].into_iter()));
        for grey in [0, 25, 50, 100, 150, 175, 200] {
            let shown = (0..64).map(|i| {
                let index = dither.index([grey; 3], i % 8, i / 8);
                f64::from(dither.palette.colour(index)[0])
            });
            let mean = shown.sum::<f64>() / 64.0;
            assert!((mean - f64::from(grey)).abs() < 2.0, "{grey} is shown as {mean}");
        }
        assert_eq!(dither.poor, 0);
        dither.index([255, 0, 0], 0, 0);
        assert_eq!(dither.poor, 1);
    }
}
