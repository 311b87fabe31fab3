//! The key to the colours, and captions.

use super::canvas::Letters;
use super::{Canvas, Field, Paint};
use crate::develop::{develop, quantise};

const PAPER: [u8; 4] = [255, 255, 255, 215];
const INK: [u8; 4] = [30, 30, 30, 255];

/// Draws the scale of a quantity at the lower left.
pub(crate) fn legend(canvas: &mut Canvas, paint: &Paint, height: f64) {
    let (title, unit) = match paint.field {
        Field::Strain => ("strain", "%"),
        Field::Volume => ("volume change", "%"),
        Field::Pressure => ("contact pressure", "Pa"),
    };
    let factor = if unit == "%" { 100.0 } else { 1.0 };
    let (bar, left, thick) = (200.0, 22.0, 14.0);
    let top = height - 74.0;
    canvas.rectangle([left - 10.0, top - 8.0], [bar + 56.0, 72.0], PAPER);
    canvas.text(Letters::Small, &format!("{title} [{unit}]"), [left, top - 2.0], INK);
    let steps = bar as usize;
    for k in 0..steps {
        let part = (k as f64 + 0.5) / bar;
        let value = paint.scale.low + part * (paint.scale.high - paint.scale.low);
        let [r, g, b] = develop(paint.scale.colour(value)).map(quantise);
        canvas.rectangle([left + k as f64, top + 18.0], [1.0, thick], [r, g, b, 255]);
    }
    let ends =
        [(paint.scale.low, 0.0), (0.5 * (paint.scale.low + paint.scale.high), 0.5), (paint.scale.high, 1.0)];
    for (value, part) in ends {
        let text = short(value * factor);
        let x = left + part * bar - 0.5 * Letters::Small.width(&text) * if part == 0.0 { 0.0 } else { 1.0 };
        canvas.text(Letters::Small, &text, [x, top + 20.0 + thick], INK);
    }
}

/// Writes a line on a pale strip at the lower left of a part of the picture.
pub(crate) fn caption(canvas: &mut Canvas, text: &str, [left, bottom]: [f64; 2]) {
    canvas.rectangle([left, bottom - 42.0], [Letters::Large.width(text) + 24.0, 42.0], PAPER);
    canvas.text(Letters::Large, text, [left + 12.0, bottom - 37.0], INK);
}

/// Three digits, with a power of ten where needed.
fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if !(1e-2..1e4).contains(&size) {
        format!("{x:.1e}")
    } else if size >= 100.0 {
        format!("{x:.0}")
    } else if size >= 10.0 {
        format!("{x:.1}")
    } else {
        format!("{x:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 12.34, 0.5, -3.0, 123.4, 1.5e6, 2e-5].map(short);
        assert_eq!(texts, ["0", "12.3", "0.50", "-3.00", "123", "1.5e6", "2.0e-5"]);
    }
}
