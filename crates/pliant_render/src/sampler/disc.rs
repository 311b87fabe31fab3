//! From the unit square to the unit disc.

use std::f32::consts::PI;

/// Spreads a square evenly over the unit disc, keeping neighbours together.
#[inline(always)]
pub(super) fn on_disc([u, v]: [f32; 2]) -> [f32; 2] {
    let (a, b) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    // Choices of numbers, not of ways: which of the two is larger cannot be foreseen.
    let wide = a.abs() > b.abs();
    let (long, short) = if wide { (a, b) } else { (b, a) };
    let (sin, cos) = eighth_turn(if long == 0.0 { 0.0 } else { short / long });
    let (x, y) = if wide { (cos, sin) } else { (sin, cos) };
    [long * x, long * y]
}

/// Sine and cosine of a part, -1 to 1, of an eighth of a turn. Good to six digits, and a fraction of the price of any
/// angle: this is asked for with every ray.
#[inline(always)]
fn eighth_turn(part: f32) -> (f32, f32) {
    let x = part * (PI / 4.0);
    let x2 = x * x;
    let sin = x * (1.0 - x2 * (1.0 / 6.0 - x2 * (1.0 / 120.0 - x2 / 5040.0)));
    let cos = 1.0 - x2 * (0.5 - x2 * (1.0 / 24.0 - x2 * (1.0 / 720.0 - x2 / 40320.0)));
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighth_turns_are_sines_and_cosines() {
        for k in -100..=100 {
            let part = k as f32 / 100.0;
            let ((sin, cos), angle) = (eighth_turn(part), part * PI / 4.0);
            assert!((sin - angle.sin()).abs() < 1e-6 && (cos - angle.cos()).abs() < 1e-6, "{part}");
        }
    }
}
