//! Axes: which range is shown, where a value lies, and which values are marked.

/// About how many values are marked on an axis.
const TICKS: usize = 5;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    Linear,
    /// By powers of ten; only positive values have a place.
    Log,
}

/// A range of values along a line on the paper.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    spread: Spread,
    /// Ends of the range; powers of ten if logarithmic.
    range: [f64; 2],
    /// Where they lie on the paper.
    paper: [f64; 2],
}

/// A marked value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub place: f64,
    pub label: String,
}

impl Axis {
    /// An axis on which `values` have room: those that have a place on it, and at least one round number more.
    pub fn new(spread: Spread, values: impl Iterator<Item = f64>, paper: [f64; 2]) -> Self {
        let shown = values.filter(|&v| has_place(spread, v)).map(|v| unit(spread, v));
        let range =
            shown.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        let range = match (range[0] <= range[1], spread) {
            (false, Spread::Linear) => [0.0, 1.0],
            (false, Spread::Log) => [-3.0, 0.0],
            (true, Spread::Linear) => linear_range(range),
            (true, Spread::Log) => [(range[0] - 0.02).floor(), (range[1] + 0.02).ceil()],
        };
        Self { spread, range, paper }
    }

    /// An axis that ends where the values end.
    pub fn tight(values: impl Iterator<Item = f64> + Clone, paper: [f64; 2]) -> Self {
        let values = values.filter(|v| v.is_finite());
        let range =
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        let range = match range {
            [low, high] if low < high => range,
            [low, high] if low == high => [low, low + 1.0],
            _ => [0.0, 1.0],
        };
        Self { spread: Spread::Linear, range, paper }
    }

    /// Where `value` lies on the paper, if it can be shown.
    pub fn place(&self, value: f64) -> Option<f64> {
        has_place(self.spread, value).then(|| {
            let part = (unit(self.spread, value) - self.range[0]) / (self.range[1] - self.range[0]);
            self.paper[0] + part * (self.paper[1] - self.paper[0])
        })
    }

    /// The power of ten, a multiple of three, that labels leave out.
    pub fn exponent(&self) -> i32 {
        let largest = self.range[0].abs().max(self.range[1].abs());
        let decades = largest.log10();
        match self.spread {
            Spread::Linear if !(-1.0..4.0).contains(&decades) => decades.div_euclid(3.0) as i32 * 3,
            _ => 0,
        }
    }

    /// Round values, about [`TICKS`] of them.
    pub fn ticks(&self) -> Vec<Tick> {
        let [low, high] = self.range;
        let step = match self.spread {
            Spread::Linear => round_step((high - low) / TICKS as f64),
            Spread::Log => ((high - low) / TICKS as f64).ceil().max(1.0),
        };
        let exponent = self.exponent();
        let scale = 10_f64.powi(exponent);
        let decimals = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let tick = |i: i64| {
            let value = i as f64 * step;
            let label = match self.spread {
                Spread::Linear => format!("{:.decimals$}", value / scale + 0.0).replace('-', "\u{2212}"),
                Spread::Log => power_of_ten(value as i32),
            };
            let part = (value - low) / (high - low);
            Tick { place: self.paper[0] + part * (self.paper[1] - self.paper[0]), label }
        };
        (first..=last).map(tick).collect()
    }
}

fn has_place(spread: Spread, value: f64) -> bool {
    value.is_finite() && (spread == Spread::Linear || value > 0.0)
}

fn unit(spread: Spread, value: f64) -> f64 {
    match spread {
        Spread::Linear => value,
        Spread::Log => value.log10(),
    }
}

/// A little more than the values need, up to round numbers, and zero if it is not far.
fn linear_range([low, high]: [f64; 2]) -> [f64; 2] {
    let (mut low, mut high) = (low, high);
    let largest = low.abs().max(high.abs());
    if largest < 1e-300 {
        return [0.0, 1.0];
    }
    // What differs by rounding only is constant.
    if high - low <= 1e-9 * largest {
        (low, high) = (low - 0.1 * largest, high + 0.1 * largest);
    }
    if low > 0.0 && low < 0.5 * high {
        low = 0.0;
    }
    if high < 0.0 && high > 0.5 * low {
        high = 0.0;
    }
    // Twice, as the wider range may have wider steps.
    for _ in 0..2 {
        let step = round_step((high - low) / TICKS as f64);
        low = (low / step + 1e-6).floor() * step;
        high = (high / step - 1e-6).ceil() * step;
    }
    [low, high]
}

/// The nearest of 1, 2, 5, 10, 20, 50 ... that is not less.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// `10⁻³` and the like.
pub(super) fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = exponent
        .to_string()
        .chars()
        .map(|c| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]))
        .collect::<String>();
    format!("10{raised}")
}

#[cfg(test)]
mod tests {
    use super::{Axis, Spread, power_of_ten};

    fn labels(spread: Spread, values: &[f64]) -> Vec<String> {
        let axis = Axis::new(spread, values.iter().copied(), [0.0, 100.0]);
        axis.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        assert_eq!(labels(Spread::Linear, &[0.3, 9.7]), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(Spread::Linear, &[-0.011, 0.028]),
            ["\u{2212}20", "\u{2212}10", "0", "10", "20", "30"]
        );
        assert_eq!(labels(Spread::Linear, &[99.2, 100.9]), ["99.0", "99.5", "100.0", "100.5", "101.0"]);
        assert_eq!(labels(Spread::Log, &[2e-6, 0.5]), ["10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
        assert_eq!(power_of_ten(12), "10¹²");
    }

    #[test]
    fn large_and_small_numbers_share_a_power_of_ten() {
        let exponent = |value| Axis::new(Spread::Linear, [0.0, value].into_iter(), [0.0, 1.0]).exponent();
        assert_eq!([0.5, 999.0, 4e4, 7e6, 2e-4, 3e-9].map(exponent), [0, 0, 3, 6, -6, -9]);
    }

    #[test]
    fn constant_missing_and_huge_values_have_an_axis() {
        for values in [
            &[][..],
            &[0.0],
            &[7.0, 7.0],
            &[f64::NAN, f64::INFINITY],
            &[1e300, -1e300],
            &[5e-324],
            &[1.0, 1.0 + 1e-15],
        ] {
            for spread in [Spread::Linear, Spread::Log] {
                let axis = Axis::new(spread, values.iter().copied(), [300.0, 10.0]);
                let ticks = axis.ticks();
                assert!((2..20).contains(&ticks.len()), "{values:?}: {ticks:?}");
                assert!(
                    ticks.iter().all(|tick| (9.9..=300.1).contains(&tick.place)),
                    "{values:?}: {ticks:?}"
                );
                let places = values.iter().filter_map(|&v| axis.place(v));
                assert!(places.into_iter().all(|place| (9.9..=300.1).contains(&place)), "{values:?}");
            }
        }
    }
}
