//! The coat: a field around the skeletons whose value 1 is the surface (`[DG94]` section 2 and 3).

use super::felt::{Ball, Felt, Local};
use super::neighbours::Buckets;
use super::shaped::Shaped;
use crate::contact::Bounds;
use crate::math::Vec3;

/// How the field of one skeleton falls off; `q` is the distance over the coat's thickness `e`, and all are 1 at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FieldShape")]
pub enum Shape {
    /// The inverse cube, brought to nothing at three thicknesses: never more than the inverse cube, so what merges does
    /// not gain volume.
    #[default]
    Cubic,
    /// The paper's inverse cube, cut off at six thicknesses where it is half a percent.
    InverseCube,
    /// A parabola that ends at two thicknesses.
    Quadratic,
}

/// Closer to a skeleton than this, over the thickness, the field stays what it is there.
pub(super) const CORE: f64 = 0.3;

impl Shape {
    /// Thicknesses after which there is nothing.
    pub fn reach(self) -> f64 {
        match self {
            Shape::Cubic => 3.0,
            Shape::InverseCube => 6.0,
            Shape::Quadratic => 2.0,
        }
    }

    /// Value and slope at `q`.
    #[inline]
    pub fn at(self, q: f64) -> (f64, f64) {
        let (value, over_q) = self.at_square(q * q);
        (value, over_q * q)
    }

    /// Value, and slope over `q`, from the square of `q`.
    #[inline]
    pub(super) fn at_square(self, square: f64) -> (f64, f64) {
        match self {
            Shape::Cubic => cubic(square),
            Shape::InverseCube => inverse_cube(square),
            Shape::Quadratic => quadratic(square),
        }
    }
}

/// `(1/q)^3 - (1/R)^3 (4 - 3 q/R)`, `R = 3`, at 1: what the cubic field is divided by.
pub(super) const AT_ONE: f64 = 1.0 - 3.0 / 27.0;

/// One over a root: a guess from the exponent, and Newton's method until nothing but rounding is left. Roots and divisions
/// take several times as long, and the machine's own guesses are not the same everywhere.
#[inline(always)]
fn inverse_root(square: f64) -> f64 {
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (square.to_bits() >> 1));
    let half = 0.5 * square;
    // The guess is right to 2e-3, and each round squares what is wrong, by one and a half: 5e-6, 3e-11, rounding, and the
    // least of that.
    for _ in 0..4 {
        y = y * (1.5 - half * y * y);
    }
    y
}

/// The same in single precision, to five digits.
#[inline(always)]
pub(super) fn rough_inverse_root(square: f32) -> f32 {
    rough_inverse_root_of_twice(0.5 * square)
}

/// The same of twice a number.
#[inline(always)]
pub(super) fn rough_inverse_root_of_twice(half: f32) -> f32 {
    // Twice the number has one more in its exponent.
    let mut y = f32::from_bits(0x5f37_5a86 - 0x40_0000 - (half.to_bits() >> 1));
    for _ in 0..2 {
        y = y * (1.5 - half * y * y);
    }
    y
}

/// Value, and slope over `q`, from the square of `q`: without branches, so that several are computed at once.
#[inline(always)]
pub(super) fn cubic(square: f64) -> (f64, f64) {
    let kept = if square < CORE * CORE { CORE * CORE } else { square };
    let per = inverse_root(kept);
    let q = kept * per;
    let cube = per * per * per;
    let value = (cube - (4.0 - q) * (1.0 / 27.0)) * (1.0 / AT_ONE);
    let slope = (1.0 / 27.0 - 3.0 * cube * per) * per * (1.0 / AT_ONE);
    if square < 9.0 { (value, slope) } else { (0.0, 0.0) }
}

#[inline(always)]
pub(super) fn inverse_cube(square: f64) -> (f64, f64) {
    let kept = if square < CORE * CORE { CORE * CORE } else { square };
    let per = inverse_root(kept);
    let cube = per * per * per;
    if square < 36.0 { (cube, -3.0 * cube * per * per) } else { (0.0, 0.0) }
}

#[inline(always)]
pub(super) fn quadratic(square: f64) -> (f64, f64) {
    let q = square.sqrt();
    let left = 2.0 - q;
    let kept = if q < 1e-3 { 1e-3 } else { q };
    if square < 4.0 { (left * left, -2.0 * left / kept) } else { (0.0, 0.0) }
}

/// The field of many skeletons.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// How each falls off.
    pub shape: Shape,
    /// Where the skeletons stand.
    pub x: Vec<Vec3>,
    /// Thickness of the coat about each `[m]`.
    pub thickness: Vec<f64>,
    /// The largest of them.
    thickest: f64,
    buckets: Buckets,
    /// Skeletons that are more than points, in the order of their numbers.
    shaped: Vec<Shaped>,
    /// Which of those each skeleton is, if it is one; empty if all are points.
    which: Vec<u32>,
    /// How far any of them reaches from its centre `[m]`.
    extent: f64,
}

/// In `Field::which`, of a point.
const POINT: u32 = u32::MAX;

impl Field {
    /// The field of skeletons at these places, with coats of this thickness.
    pub fn new(shape: Shape, x: &[Vec3], thickness: &[f64]) -> Self {
        Self::with_shapes(shape, x.to_vec(), thickness.to_vec(), vec![])
    }

    /// The same, where some skeletons are more than points.
    pub(super) fn with_shapes(shape: Shape, x: Vec<Vec3>, thickness: Vec<f64>, shaped: Vec<Shaped>) -> Self {
        let mut field = Self { shape, x, thickness, ..Self::default() };
        field.sort(shaped);
        field
    }

    /// Finds its way again among skeletons that now stand elsewhere or have other coats; some of them are more than points.
    pub(super) fn sort(&mut self, shaped: Vec<Shaped>) {
        self.thickest = self.thickness.iter().copied().fold(0.0, f64::max);
        self.buckets = Buckets::new(&self.x, self.shape.reach() * self.thickest);
        if !shaped.is_empty() {
            self.which = vec![POINT; self.x.len()];
            shaped.iter().enumerate().for_each(|(k, s)| self.which[s.id as usize] = k as u32);
            self.extent = shaped.iter().map(|s| s.form.extent()).fold(0.0, f64::max);
        }
        self.shaped = shaped;
    }

    /// A skeleton, if it is more than a point.
    #[inline]
    pub(super) fn shape_of(&self, i: usize) -> Option<&Shaped> {
        self.which.get(i).and_then(|k| self.shaped.get(*k as usize))
    }

    /// Farther from the centre of every skeleton than this there is nothing `[m]`.
    pub fn reach(&self) -> f64 {
        self.shape.reach() * self.thickest + self.extent
    }

    /// Calls `each` with every skeleton that is felt at a place: number, value, gradient.
    #[inline]
    pub fn parts(&self, p: Vec3, mut each: impl FnMut(usize, f64, Vec3)) {
        self.buckets.near(p, self.reach(), |i| {
            if let Some(shaped) = self.shape_of(i) {
                let (f, gradient) = shaped.felt(self.shape, p);
                if f > 0.0 {
                    each(i, f, gradient);
                }
                return;
            }
            let (d, e) = (p - self.x[i], self.thickness[i]);
            let square = d.length_squared();
            let far = self.shape.reach() * e;
            if square < far * far {
                let r = square.sqrt();
                let (f, slope) = self.shape.at(r / e);
                each(i, f, d * (slope / (e * r.max(1e-3 * e))));
            }
        });
    }

    /// The field within a box. Skeletons come in the order of the buckets, which is one order wherever the box lies, so that
    /// the sums are the same bits for all who ask.
    #[inline(always)]
    pub fn within<'a>(&'a self, around: &Bounds, local: &mut Local<'a>) {
        let (low, high) = (around.low, around.high);
        local.shape = self.shape;
        local.near.clear();
        local.shaped.clear();
        self.buckets.in_box(low - Vec3::splat(self.reach()), high + Vec3::splat(self.reach()), |some| {
            if self.shaped.is_empty() {
                local.near.extend(some.iter().map(|i| self.ball(*i as usize)));
                return;
            }
            for i in some.iter().map(|i| *i as usize) {
                match self.shape_of(i) {
                    None => local.near.push(self.ball(i)),
                    Some(shaped) => local.shaped.push(shaped),
                }
            }
        });
        local.keep(around);
    }

    /// The field of all but one within a distance of the centre of that one.
    pub fn others(&self, i: usize, distance: f64) -> Felt<'_> {
        let (mut near, mut shaped) = (vec![], vec![]);
        self.buckets.near(self.x[i], self.reach() + distance, |j| match self.shape_of(j) {
            None => near.push(self.ball(j)),
            Some(other) if j != i => shaped.push(other),
            Some(_) => {}
        });
        let mut felt = Felt::default();
        felt.keep(self.shape, &near, |ball| {
            let far = self.shape.reach() * ball.e + distance;
            ball.id as usize != i && self.x[i].distance_squared(ball.at) < far * far
        });
        felt.keep_shaped(shaped.into_iter());
        felt
    }

    /// Those whose lone surface may meet that of one skeleton, which reaches this far from its centre.
    pub(super) fn mates(&self, i: usize, reach: f64) -> Mates<'_> {
        let at = self.x[i];
        let mut mates = Mates { balls: vec![], shaped: vec![] };
        self.buckets.near(at, reach + self.thickest + self.extent, |j| {
            let (d, its) = (self.x[j] - at, self.thickness[j]);
            match self.shape_of(j) {
                _ if j == i => {}
                Some(other) => mates.shaped.push(other),
                None if d.length_squared() < (reach + its) * (reach + its) => {
                    mates.balls.push((d, its * its))
                }
                None => {}
            }
        });
        mates
    }

    fn ball(&self, i: usize) -> Ball {
        Ball { id: i as u32, at: self.x[i], e: self.thickness[i] }
    }

    /// Value and gradient at a place.
    pub fn at(&self, p: Vec3) -> (f64, Vec3) {
        let (mut sum, mut gradient) = (0.0, Vec3::ZERO);
        self.parts(p, |_, f, g| {
            sum += f;
            gradient += g;
        });
        (sum, gradient)
    }
}

/// Skeletons near one.
pub(super) struct Mates<'a> {
    /// Way from that one, and square of the thickness.
    balls: Vec<(Vec3, f64)>,
    shaped: Vec<&'a Shaped>,
}

impl Mates<'_> {
    /// Whether any of them encloses a place alone, given by the way to it from the centre of that one, which stands at `from`.
    #[inline]
    pub fn enclose(&self, from: Vec3, way: Vec3) -> bool {
        self.balls.iter().any(|(d, square)| d.distance_squared(way) < *square)
            || self.shaped.iter().any(|s| s.way_to(from + way).length_squared() < s.e * s.e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_one_at_one_and_never_gain_volume_by_merging_where_they_claim_so() {
        for shape in [Shape::Cubic, Shape::InverseCube, Shape::Quadratic] {
            assert!((shape.at(1.0).0 - 1.0).abs() < 1e-15);
            for k in 1..80 {
                let q = 0.35 + 0.07 * f64::from(k);
                let d = 1e-6;
                let slope = (shape.at(q + d).0 - shape.at(q - d).0) / (2.0 * d);
                assert!((slope - shape.at(q).1).abs() < 1e-4 * (1.0 + slope.abs()), "{shape:?} {q}");
                if shape == Shape::Cubic && q > 1.0 {
                    assert!(shape.at(q).0 <= q.powi(-3) + 1e-15);
                }
            }
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_value() {
        let x: Vec<Vec3> =
            (0..9).map(|k| Vec3::new(0.1 * f64::from(k), 0.03 * f64::from(k % 3), 0.0)).collect();
        let field = Field::new(Shape::Cubic, &x, &[0.11; 9]);
        let p = Vec3::new(0.33, 0.12, 0.05);
        let (_, g) = field.at(p);
        for d in [Vec3::X, Vec3::Y, Vec3::Z] {
            let slope = (field.at(p + d * 1e-6).0 - field.at(p - d * 1e-6).0) / 2e-6;
            assert!((slope - g.dot(d)).abs() < 1e-5 * (1.0 + slope.abs()));
        }
    }
}
