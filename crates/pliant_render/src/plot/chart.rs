//! A chart: curves over time with axes, ticks and a legend, as SVG.

use super::axis::{Axis, Spread, power_of_ten};
use super::svg;
use std::fmt::Write;

/// Size of every chart.
pub(super) const WIDTH: f64 = 640.0;
pub(super) const HEIGHT: f64 = 300.0;

/// Where the curves are. The legend stands to the right of it, so that it covers nothing.
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 158.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = HEIGHT - 42.0;

/// Colours that can be told apart with any kind of colour vision (after Okabe and Ito, without the yellow that
/// cannot be seen on white), and dashes for those who print in grey and for curves that lie on each other.
const STYLES: [(&str, &str); 8] = [
    ("#0072b2", "none"),
    ("#d55e00", "7 3"),
    ("#009e73", "2 3"),
    ("#000000", "9 3 2 3"),
    ("#cc79a7", "none"),
    ("#e69f00", "7 3"),
    ("#56b4e9", "2 3"),
    ("#7f7f7f", "9 3 2 3"),
];

/// Most curves of a chart.
pub(super) const MOST_CURVES: usize = STYLES.len();

/// Points of a curve beyond which it is thinned: several for each pixel.
const MOST_POINTS: usize = 4000;

/// Most letters of a name in the legend.
const MOST_LETTERS: usize = 20;

#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// A word for file names.
    pub name: &'static str,
    pub title: &'static str,
    /// Unit of the values; empty for mere numbers.
    pub unit: &'static str,
    pub spread: Spread,
    /// Of every value `[s]`.
    pub times: Vec<f64>,
    /// Up to [`MOST_CURVES`] are drawn.
    pub curves: Vec<Curve>,
}

#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// Its name in the legend; empty if the title says it all.
    pub label: String,
    /// One for each time.
    pub values: Vec<f64>,
}

impl Curve {
    pub fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self { label: label.into(), values }
    }
}

impl Chart {
    /// The axis of time.
    pub fn across(&self) -> Axis {
        Axis::tight(self.times.iter().copied(), [LEFT, RIGHT])
    }

    /// The axis of values.
    pub fn up(&self) -> Axis {
        let values = self.curves.iter().take(MOST_CURVES).flat_map(|curve| curve.values.iter().copied());
        Axis::new(self.spread, values, [BOTTOM, TOP])
    }

    /// The whole picture.
    pub fn svg(&self) -> String {
        let mut out = svg::open(WIDTH, HEIGHT);
        // Writing to a string cannot fail.
        _ = self.write_axes(&mut out);
        for (curve, style) in self.curves.iter().zip(STYLES) {
            _ = self.write_curve(&mut out, curve, style);
        }
        _ = self.write_legend(&mut out);
        out + svg::CLOSE
    }

    fn write_axes(&self, out: &mut String) -> std::fmt::Result {
        let (across, up) = (self.across(), self.up());
        let title = svg::escape(self.title);
        writeln!(out, "<text x=\"{LEFT}\" y=\"18\" font-size=\"14\" font-weight=\"bold\">{title}</text>")?;
        writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"{}\" text-anchor=\"end\" fill=\"#444\">{}</text>",
            TOP - 10.0,
            self.unit_label(up.exponent())
        )?;
        writeln!(out, "<g stroke=\"#e0e0e0\" stroke-width=\"1\">")?;
        for tick in up.ticks() {
            let y = tick.place;
            writeln!(out, "<line x1=\"{LEFT}\" y1=\"{y:.2}\" x2=\"{RIGHT}\" y2=\"{y:.2}\"/>")?;
        }
        writeln!(out, "</g>\n<g fill=\"#222\" text-anchor=\"end\">")?;
        for tick in up.ticks() {
            writeln!(out, "<text x=\"{}\" y=\"{:.2}\">{}</text>", LEFT - 6.0, tick.place + 4.0, tick.label)?;
        }
        writeln!(out, "</g>\n<g fill=\"#222\" text-anchor=\"middle\">")?;
        let exponent = across.exponent();
        for tick in across.ticks() {
            writeln!(out, "<text x=\"{:.2}\" y=\"{}\">{}</text>", tick.place, BOTTOM + 18.0, tick.label)?;
        }
        let seconds = if exponent == 0 { "s".to_owned() } else { format!("{} s", power_of_ten(exponent)) };
        writeln!(
            out,
            "<text x=\"{}\" y=\"{}\">time [{seconds}]</text>\n</g>",
            0.5 * (LEFT + RIGHT),
            BOTTOM + 35.0
        )?;
        writeln!(out, "<g stroke=\"#444\" stroke-width=\"1\">")?;
        for tick in across.ticks() {
            let x = tick.place;
            writeln!(out, "<line x1=\"{x:.2}\" y1=\"{BOTTOM}\" x2=\"{x:.2}\" y2=\"{}\"/>", BOTTOM + 4.0)?;
        }
        // Zero is worth a line where it lies inside.
        if let Some(zero) = up.place(0.0).filter(|zero| (TOP..BOTTOM).contains(zero)) {
            writeln!(
                out,
                "<line x1=\"{LEFT}\" y1=\"{zero:.2}\" x2=\"{RIGHT}\" y2=\"{zero:.2}\" stroke=\"#999\"/>"
            )?;
        }
        writeln!(out, "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\"/>\n</g>")
    }

    /// What stands above the axis: the unit and the power of ten left out of the numbers.
    fn unit_label(&self, exponent: i32) -> String {
        let unit = svg::escape(self.unit);
        match (exponent, unit.is_empty()) {
            (0, _) => unit,
            (_, true) => power_of_ten(exponent),
            (_, false) => format!("{} {unit}", power_of_ten(exponent)),
        }
    }

    fn write_curve(&self, out: &mut String, curve: &Curve, (colour, dash): (&str, &str)) -> std::fmt::Result {
        let (across, up) = (self.across(), self.up());
        writeln!(
            out,
            "<g class=\"curve\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linejoin=\"round\" stroke-dasharray=\"{dash}\">"
        )?;
        let places =
            self.times.iter().zip(&curve.values).map(|(&t, &v)| Some((across.place(t)?, up.place(v)?)));
        let places: Vec<_> = places.collect();
        for run in places.split(Option::is_none) {
            let run: Vec<_> = run.iter().copied().flatten().collect();
            match thinned(&run).as_slice() {
                [] => {}
                [(x, y)] => writeln!(
                    out,
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2\" fill=\"{colour}\" stroke=\"none\"/>"
                )?,
                run => {
                    let points: Vec<_> = run.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
                    writeln!(out, "<polyline points=\"{}\"/>", points.join(" "))?;
                }
            }
        }
        writeln!(out, "</g>")
    }

    fn write_legend(&self, out: &mut String) -> std::fmt::Result {
        let (up, x) = (self.up(), RIGHT + 14.0);
        writeln!(out, "<g class=\"legend\">")?;
        let named = self.curves.iter().zip(STYLES).filter(|(curve, _)| !curve.label.is_empty());
        for (i, (curve, (colour, dash))) in named.enumerate() {
            let y = TOP + 6.0 + 19.0 * i as f64;
            let none = if curve.values.iter().any(|&v| up.place(v).is_some()) { "" } else { " (none)" };
            let name = svg::escape(&(shortened(&curve.label) + none));
            writeln!(
                out,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\"/>",
                x + 24.0
            )?;
            writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#222\">{name}</text>",
                x + 30.0,
                y + 4.0
            )?;
        }
        writeln!(out, "</g>")
    }
}

/// Keeps the lowest and the highest of neighbouring points where there are more than can be seen.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let bunch = points.len().div_ceil(MOST_POINTS / 2);
    let extremes = |bunch: &[(f64, f64)]| {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let mut both: Vec<_> = bunch
            .iter()
            .min_by(by_height)
            .into_iter()
            .chain(bunch.iter().max_by(by_height))
            .copied()
            .collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        both
    };
    points.chunks(bunch).flat_map(extremes).collect()
}

fn shortened(name: &str) -> String {
    match name.chars().count() > MOST_LETTERS {
        true => name.chars().take(MOST_LETTERS - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}
