//! Pictures for the report: curves and points over any quantity, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 150.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = HEIGHT - 44.0;

/// Colours that can be told apart with any kind of colour vision.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00"];

/// One picture.
#[derive(Clone, Default)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// What is along x and y, with units.
    pub axes: [String; 2],
    /// Whether x and y are logarithmic.
    pub logarithmic: [bool; 2],
    /// What is drawn.
    pub curves: Vec<Curve>,
}

/// One curve, or a row of points.
#[derive(Clone, Default)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Places.
    pub points: Vec<(f64, f64)>,
    /// Whether dots are drawn in place of a line: known numbers.
    pub dots: bool,
}

impl Chart {
    /// A picture without curves.
    pub fn new(title: &str, x: &str, y: &str) -> Self {
        Self { title: title.into(), axes: [x.into(), y.into()], ..Self::default() }
    }

    /// Both axes logarithmic.
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = [true, true];
        self
    }

    /// Adds a line.
    pub fn line(mut self, name: &str, points: Vec<(f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points, dots: false });
        self
    }

    /// Adds dots.
    pub fn dots(mut self, name: &str, points: Vec<(f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points, dots: true });
        self
    }

    /// The whole document.
    pub fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
             <text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{}</text>\n",
            escape(&self.title)
        );
        let across = Axis::new(self.logarithmic[0], self.all(|p| p.0), [LEFT, RIGHT]);
        let up = Axis::new(self.logarithmic[1], self.all(|p| p.1), [BOTTOM, TOP]);
        // Writing to a string cannot fail.
        _ = self.write_axes(&mut out, &across, &up);
        for (i, (curve, colour)) in self.curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
            _ = write_curve(&mut out, curve, colour, &across, &up);
            _ = write_legend(&mut out, curve, colour, i);
        }
        out + "</svg>\n"
    }

    fn all(&self, part: fn(&(f64, f64)) -> f64) -> Vec<f64> {
        self.curves.iter().flat_map(|c| c.points.iter().map(part)).filter(|v| v.is_finite()).collect()
    }

    fn write_axes(&self, out: &mut String, across: &Axis, up: &Axis) -> std::fmt::Result {
        for (value, label) in across.ticks() {
            let x = across.place(value);
            writeln!(out, "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#e6e6e6\"/>")?;
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                BOTTOM + 16.0
            )?;
        }
        for (value, label) in up.ticks() {
            let y = up.place(value);
            writeln!(out, "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#e6e6e6\"/>")?;
            writeln!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                y + 4.0
            )?;
        }
        writeln!(out, "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"#444\"/>")?;
        let middle = 0.5 * (LEFT + RIGHT);
        let (x, y) = (escape(&self.axes[0]), escape(&self.axes[1]));
        writeln!(out, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{x}</text>", HEIGHT - 8.0)?;
        let half = 0.5 * (TOP + BOTTOM);
        writeln!(
            out,
            "<text transform=\"translate(14 {half}) rotate(-90)\" text-anchor=\"middle\">{y}</text>"
        )
    }
}

fn write_curve(out: &mut String, curve: &Curve, colour: &str, x: &Axis, y: &Axis) -> std::fmt::Result {
    let places = curve.points.iter().filter(|p| x.shows(p.0) && y.shows(p.1));
    let places: Vec<(f64, f64)> = places.map(|p| (x.place(p.0), y.place(p.1))).collect();
    if curve.dots {
        for (x, y) in places {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>")?;
        }
        return Ok(());
    }
    let list: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
        list.join(" ")
    )
}

fn write_legend(out: &mut String, curve: &Curve, colour: &str, i: usize) -> std::fmt::Result {
    let (x, y) = (RIGHT + 12.0, TOP + 10.0 + 19.0 * i as f64);
    if curve.dots {
        writeln!(out, "<circle cx=\"{}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>", x + 10.0)?;
    } else {
        writeln!(out, "<path d=\"M{x} {y}h20\" stroke=\"{colour}\" stroke-width=\"1.6\"/>")?;
    }
    writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"11\">{}</text>",
        x + 26.0,
        y + 4.0,
        escape(&curve.name)
    )
}

/// Values to places.
struct Axis {
    logarithmic: bool,
    low: f64,
    high: f64,
    to: [f64; 2],
}

impl Axis {
    fn new(logarithmic: bool, values: Vec<f64>, to: [f64; 2]) -> Self {
        let values = values.into_iter().filter(|v| !logarithmic || *v > 0.0);
        let values: Vec<f64> = values.map(|v| if logarithmic { v.log10() } else { v }).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low < high { (low, high) } else { (low - 1.0, low + 1.0) };
        let room = if logarithmic { 0.1 } else { 0.04 * (high - low) };
        Self { logarithmic, low: low - room, high: high + room, to }
    }

    fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.logarithmic || value > 0.0)
    }

    fn place(&self, value: f64) -> f64 {
        let v = if self.logarithmic { value.log10() } else { value };
        self.to[0] + (v - self.low) / (self.high - self.low) * (self.to[1] - self.to[0])
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        let range = self.high - self.low;
        if self.logarithmic {
            let every = (range / 6.0).ceil().max(1.0) as i32;
            let powers = (self.low.ceil() as i32)..=(self.high.floor() as i32);
            return powers.filter(|k| k % every == 0).map(|k| (10f64.powi(k), format!("1e{k}"))).collect();
        }
        let rough = range / 5.0;
        let unit = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * unit).find(|s| *s >= rough).unwrap_or(unit);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let numbers = (self.low / step).ceil() as i64..=(self.high / step).floor() as i64;
        numbers.map(|k| (k as f64 * step, format!("{:.digits$}", k as f64 * step))).collect()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
