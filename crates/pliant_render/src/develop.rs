//! From light to pixels: exposure, a shoulder for what is too bright, sRGB. Every part can be undone, so that a
//! photograph can be turned back into light.

use glam::Vec3A;

/// Up to here light is shown as it is; above, ever brighter light comes ever closer to white.
const SHOULDER: f32 = 0.75;

/// The pixel value, 0 to 1, that shows an amount of light.
pub(crate) fn develop(light: Vec3A) -> [f32; 3] {
    light.to_array().map(|x| to_srgb(shoulder(x)))
}

/// The light that a pixel value shows.
pub(crate) fn undevelop(pixel: [f32; 3]) -> Vec3A {
    Vec3A::from_array(pixel.map(|x| from_shoulder(to_linear(x))))
}

/// To 8 bits.
pub(crate) fn quantise(x: f32) -> u8 {
    // A float to int cast saturates and takes NaN to 0.
    (x * 255.0 + 0.5) as u8
}

/// Development to 8 bits by comparison: powers for every pixel would cost more than finding between which two amounts of
/// light it lies.
pub(crate) struct Developer {
    /// The least light that gives each value.
    least: [f32; 256],
    /// The value of the least light with these leading bits: exponent and some of the fraction.
    first: Vec<u8>,
}

/// Bits of a number that are left out of the table.
const TAIL: u32 = 18;

impl Developer {
    pub fn new() -> Self {
        let value = |bits: u32| develop(Vec3A::splat(f32::from_bits(bits)))[0];
        let mut least = [0.0; 256];
        let mut low = 0;
        for (k, least) in least.iter_mut().enumerate().skip(1) {
            // Positive numbers are ordered as their bits are.
            let mut high = f32::INFINITY.to_bits();
            while low < high {
                let middle = low + (high - low) / 2;
                if quantise(value(middle)) as usize >= k { high = middle } else { low = middle + 1 }
            }
            *least = f32::from_bits(low);
        }
        let starts = 0..=f32::INFINITY.to_bits() >> TAIL;
        let below = |start: u32| least.partition_point(|l| *l <= f32::from_bits(start << TAIL)) - 1;
        Self { first: starts.map(|start| below(start) as u8).collect(), least }
    }

    /// The pixel that shows an amount of light.
    pub fn pixel(&self, light: Vec3A) -> [u8; 3] {
        light.to_array().map(|x| self.value(x))
    }

    fn value(&self, x: f32) -> u8 {
        // What is not a number is dark.
        let x = x.max(0.0);
        let mut k = self.first[((x.to_bits() & !SIGN) >> TAIL) as usize];
        while k < 255 && self.least[usize::from(k) + 1] <= x {
            k += 1;
        }
        k
    }
}

const SIGN: u32 = 1 << 31;

fn shoulder(x: f32) -> f32 {
    let over = (x - SHOULDER) / (1.0 - SHOULDER);
    if over <= 0.0 { x.max(0.0) } else { SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over) }
}

fn from_shoulder(y: f32) -> f32 {
    let over = ((y - SHOULDER) / (1.0 - SHOULDER)).min(0.995);
    if over <= 0.0 { y } else { SHOULDER + (1.0 - SHOULDER) * over / (1.0 - over) }
}

fn to_srgb(x: f32) -> f32 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// Linear from sRGB.
pub(crate) fn to_linear(x: f32) -> f32 {
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_survive_the_way_to_light_and_back() {
        for k in 0..=255_u8 {
            let x = f32::from(k) / 255.0;
            assert_eq!(develop(undevelop([x; 3])).map(quantise), [k; 3]);
        }
    }

    #[test]
    fn developer_finds_what_powers_give() {
        let developer = Developer::new();
        let mut light = vec![f32::NAN, -f32::NAN, f32::NEG_INFINITY, -1.0, 0.0, -0.0, 1e-40, 1e30];
        light.extend((0..100_000).map(|k| 1.00025_f32.powi(k - 60_000)));
        for x in light {
            assert_eq!(developer.pixel(Vec3A::splat(x)), develop(Vec3A::splat(x)).map(quantise), "{x}");
        }
        assert_eq!(developer.pixel(Vec3A::splat(f32::INFINITY)), [255; 3]);
    }

    #[test]
    fn brighter_light_is_never_darker() {
        let shown: Vec<f32> = (0..4000).map(|k| develop(Vec3A::splat(k as f32 * 0.01))[0]).collect();
        assert!(shown.windows(2).all(|w| w[0] <= w[1]) && shown.iter().all(|x| (0.0..=1.0).contains(x)));
        assert_eq!(develop(Vec3A::splat(f32::NAN)).map(quantise), [0; 3]);
    }
}
