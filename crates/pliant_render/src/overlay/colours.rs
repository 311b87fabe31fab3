//! Colour scales that keep their order in grey and for people who do not see red or green.

use glam::Vec3A;

/// From nothing (dark blue) over green to much (yellow), at equal steps of lightness.
const RISING: [[u8; 3]; 6] = [
    [0x36, 0x1f, 0x66],
    [0x35, 0x55, 0x8c],
    [0x22, 0x87, 0x8d],
    [0x3d, 0xb2, 0x72],
    [0x9f, 0xd5, 0x3c],
    [0xfb, 0xe8, 0x2b],
];
/// From less (blue) over none (pale grey) to more (red).
const BOTH_WAYS: [[u8; 3]; 5] =
    [[0x1f, 0x4e, 0xa3], [0x84, 0xac, 0xdb], [0xe6, 0xe4, 0xe1], [0xe3, 0x93, 0x74], [0xb0, 0x20, 0x2a]];

/// A range of values and their colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
}

impl Scale {
    /// Linear RGB of a value; those beyond the ends have the ends' colours.
    pub fn colour(&self, value: f64) -> Vec3A {
        let span = self.high - self.low;
        let part = if span > 0.0 { ((value - self.low) / span).clamp(0.0, 1.0) } else { 0.0 };
        let stops: &[[u8; 3]] = if self.low < 0.0 { &BOTH_WAYS } else { &RISING };
        let place = part as f32 * (stops.len() - 1) as f32;
        let k = (place as usize).min(stops.len() - 2);
        let linear =
            |c: [u8; 3]| Vec3A::from_array(c.map(|x| crate::develop::to_linear(f32::from(x) / 255.0)));
        linear(stops[k]).lerp(linear(stops[k + 1]), place - k as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_colours_get_lighter_and_ends_hold() {
        let scale = Scale { low: 0.0, high: 2.0 };
        let grey = |v: f64| scale.colour(v).dot(Vec3A::new(0.2126, 0.7152, 0.0722));
        assert!((0..40).all(|k| grey(f64::from(k) * 0.05) < grey(f64::from(k + 1) * 0.05)));
        assert_eq!(scale.colour(-1.0), scale.colour(0.0));
        assert_eq!(scale.colour(3.0), scale.colour(2.0));
        assert_eq!(Scale { low: 1.0, high: 1.0 }.colour(1.0), scale.colour(0.0));
    }
}
