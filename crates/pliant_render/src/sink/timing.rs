//! Time in the formats: which pictures are shown, and how long, in units the format can count.

/// Pictures of an animation whose pictures last whole ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// Every `stride`-th picture is shown.
    pub stride: usize,
    ticks_per_picture: f64,
}

impl Ticks {
    /// As many pictures per second as `fps`, or an even part of them, such that none lasts less than `least` ticks.
    pub fn new(fps: f64, ticks_per_second: f64, least: f64) -> Self {
        let ticks = ticks_per_second / fps;
        // A hair is allowed for, or a rate such as 50 would be halved by the rounding of its reciprocal.
        let stride = (least / ticks - 1e-9).ceil().max(1.0);
        Self { stride: stride as usize, ticks_per_picture: ticks }
    }

    /// How long picture `k` is shown. Rounding does not add up: any number of pictures together last as long as
    /// they should, to half a tick.
    pub fn duration(self, k: usize) -> u32 {
        let until = |k: usize| (k as f64 * self.ticks_per_picture).round();
        (until(k + self.stride) - until(k)) as u32
    }
}

/// `fps` as a fraction, for clocks that tick `numerator` times a second and pictures that last `denominator`
/// ticks: the fraction with the smallest numbers that is `fps` to within rounding.
pub(super) fn fraction(fps: f64) -> (u32, u32) {
    // Convergents of the continued fraction.
    let (mut before, mut now) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = fps;
    loop {
        let whole = rest.floor();
        let next = (whole as u64 * now.0 + before.0, whole as u64 * now.1 + before.1);
        if next.0.max(next.1) > 1_000_000_000 {
            break;
        }
        (before, now) = (now, next);
        if ((now.0 as f64 / now.1 as f64) / fps - 1.0).abs() < 1e-12 {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    (now.0 as u32, now.1 as u32)
}

#[cfg(test)]
mod tests {
    use super::{Ticks, fraction};

    #[test]
    fn rates_become_the_fractions_that_were_meant() {
        assert_eq!(fraction(60.0), (60, 1));
        assert_eq!(fraction(24.0), (24, 1));
        assert_eq!(fraction(29.97), (2997, 100));
        assert_eq!(fraction(30_000.0 / 1001.0), (30_000, 1001));
        assert_eq!(fraction(24_000.0 / 1001.0), (24_000, 1001));
        assert_eq!(fraction(0.01), (1, 100));
        assert_eq!(fraction(1000.0 / 3.0), (1000, 3));
        let (ticks, length) = fraction(std::f64::consts::PI);
        assert!((f64::from(ticks) / f64::from(length) - std::f64::consts::PI).abs() < 1e-11);
    }

    #[test]
    fn durations_add_up() {
        let ticks = Ticks::new(24.0, 100.0, 2.0);
        assert_eq!(ticks.stride, 1);
        assert_eq!((0..24).map(|k| ticks.duration(k)).sum::<u32>(), 100);
        assert!((0..24).all(|k| [4, 5].contains(&ticks.duration(k))));
    }

    #[test]
    fn fast_films_are_thinned_evenly() {
        let stride = |fps| Ticks::new(fps, 100.0, 2.0).stride;
        assert_eq!([30.0, 50.0, 60.0, 100.0, 120.0, 1000.0].map(stride), [1, 1, 2, 2, 3, 20]);
        let ticks = Ticks::new(60.0, 100.0, 2.0);
        assert_eq!((0..60).step_by(2).map(|k| ticks.duration(k)).sum::<u32>(), 100);
    }
}
