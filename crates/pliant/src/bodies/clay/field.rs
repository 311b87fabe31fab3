//! The coat: a field around the skeletons whose value 1 is the surface (`[DG94]` section 2 and 3).

use super::neighbours::Buckets;
use crate::contact::Bounds;
use crate::math::Vec3;
use std::array::from_fn;

/// How the field of one skeleton falls off; `q` is the distance over the coat's thickness `e`, and all are 1 at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
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
const CORE: f64 = 0.3;

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
        let (value, over_q) = match self {
            Shape::Cubic => cubic(q * q),
            Shape::InverseCube => inverse_cube(q * q),
            Shape::Quadratic => quadratic(q * q),
        };
        (value, over_q * q)
    }
}

/// `(1/q)^3 - (1/R)^3 (4 - 3 q/R)`, `R = 3`, at 1: what the cubic field is divided by.
const AT_ONE: f64 = 1.0 - 3.0 / 27.0;

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
fn rough_inverse_root(square: f32) -> f32 {
    let mut y = f32::from_bits(0x5f37_5a86 - (square.to_bits() >> 1));
    let half = 0.5 * square;
    for _ in 0..2 {
        y = y * (1.5 - half * y * y);
    }
    y
}

/// Value, and slope over `q`, from the square of `q`: without branches, so that several are computed at once.
#[inline(always)]
fn cubic(square: f64) -> (f64, f64) {
    let kept = if square < CORE * CORE { CORE * CORE } else { square };
    let per = inverse_root(kept);
    let q = kept * per;
    let cube = per * per * per;
    let value = (cube - (4.0 - q) * (1.0 / 27.0)) * (1.0 / AT_ONE);
    let slope = (1.0 / 27.0 - 3.0 * cube * per) * per * (1.0 / AT_ONE);
    if square < 9.0 { (value, slope) } else { (0.0, 0.0) }
}

#[inline(always)]
fn inverse_cube(square: f64) -> (f64, f64) {
    let kept = if square < CORE * CORE { CORE * CORE } else { square };
    let per = inverse_root(kept);
    let cube = per * per * per;
    if square < 36.0 { (cube, -3.0 * cube * per * per) } else { (0.0, 0.0) }
}

#[inline(always)]
fn quadratic(square: f64) -> (f64, f64) {
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
}

impl Field {
    /// The field of skeletons at these places, with coats of this thickness.
    pub fn new(shape: Shape, x: &[Vec3], thickness: &[f64]) -> Self {
        let thickest = thickness.iter().copied().fold(0.0, f64::max);
        Self {
            shape,
            buckets: Buckets::new(x, shape.reach() * thickest),
            x: x.to_vec(),
            thickness: thickness.to_vec(),
            thickest,
        }
    }

    /// Farther from every skeleton than this there is nothing `[m]`.
    pub fn reach(&self) -> f64 {
        self.shape.reach() * self.thickest
    }

    /// Calls `each` with every skeleton that is felt at a place: number, value, gradient.
    #[inline]
    pub fn parts(&self, p: Vec3, mut each: impl FnMut(usize, f64, Vec3)) {
        self.buckets.near(p, self.reach(), |i| {
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

    /// The field within a box.
    pub fn within(&self, around: &Bounds) -> Local {
        let mut near: Vec<usize> = vec![];
        let middle = 0.5 * (around.low + around.high);
        self.buckets
            .near(middle, self.reach() + 0.5 * (around.high - around.low).max_element(), |i| near.push(i));
        // In one order wherever the box lies, so that the sums are the same bits for all who ask.
        near.sort_unstable();
        let balls = near.iter().map(|i| self.ball(*i));
        Local { shape: self.shape, near: balls.filter(|b| b.reaches(self.shape, around)).collect() }
    }

    /// The field of all but one within a distance of that one.
    pub fn others(&self, i: usize, distance: f64) -> Felt {
        let mut near = vec![];
        self.buckets.near(self.x[i], self.reach() + distance, |j| near.push(self.ball(j)));
        let mut felt = Felt::default();
        felt.keep(self.shape, &near, |ball| {
            let far = self.shape.reach() * ball.e + distance;
            ball.id as usize != i && self.x[i].distance_squared(ball.at) < far * far
        });
        felt
    }

    /// Calls `each` with the way to, and the thickness of, every skeleton whose lone surface would meet that of one.
    pub fn mates(&self, i: usize, mut each: impl FnMut(Vec3, f64)) {
        let (at, e) = (self.x[i], self.thickness[i]);
        self.buckets.near(at, e + self.thickest, |j| {
            let (d, its) = (self.x[j] - at, self.thickness[j]);
            if j != i && d.length_squared() < (e + its) * (e + its) {
                each(d, its);
            }
        });
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

/// A skeleton that is felt.
#[derive(Clone, Copy, Debug)]
struct Ball {
    id: u32,
    at: Vec3,
    e: f64,
}

impl Ball {
    /// Square of the least distance to a box.
    fn to_box(self, around: &Bounds) -> f64 {
        self.at.distance_squared(self.at.clamp(around.low, around.high))
    }

    fn reaches(&self, shape: Shape, around: &Bounds) -> bool {
        let far = shape.reach() * self.e;
        self.to_box(around) < far * far
    }
}

/// A field in some surroundings.
#[derive(Default)]
pub struct Local {
    shape: Shape,
    near: Vec<Ball>,
}

/// What rounding may do to the field, in single precision and summed over hundreds of skeletons.
const ROUNDING: f64 = 1e-4;

impl Local {
    /// The field within a box inside the one that this is for.
    pub fn within(&self, around: &Bounds) -> Self {
        let near = self.near.iter().copied().filter(|b| b.reaches(self.shape, around)).collect();
        Self { shape: self.shape, near }
    }

    /// The field within a box inside the one that this is for, in place of what `felt` held.
    #[inline(always)]
    pub fn felt_within(&self, around: &Bounds, felt: &mut Felt) {
        felt.keep(self.shape, &self.near, |ball| ball.reaches(self.shape, around));
    }

    /// Whether the field is below 1 in all of a box, for sure: each skeleton's is largest where it is nearest.
    pub fn is_all_outside(&self, around: &Bounds) -> bool {
        let most: f64 = self.near.iter().map(|b| self.shape.at(b.to_box(around).sqrt() / b.e).0).sum();
        most < 1.0 - ROUNDING
    }

    /// Whether the field is above 1 in all of a box, for sure.
    pub fn is_all_inside(&self, around: &Bounds) -> bool {
        let far = |b: &Ball| (b.at - around.low).abs().max((b.at - around.high).abs()).length();
        let least: f64 = self.near.iter().map(|b| self.shape.at(far(b) / b.e).0).sum();
        least > 1.0 + ROUNDING
    }

    /// Values at the corners of a grid, whose coordinates along each axis are given, row by row: in single precision, which
    /// is enough to tell inside from outside, and the same for all who ask.
    #[inline(always)]
    pub fn grid<const N: usize>(&self, along: &[[f64; N]; 3]) -> Vec<[f32; N]> {
        let mut rows = vec![[0.0; N]; N * N];
        match self.shape {
            Shape::Cubic => self.add_to_grid(along, &mut rows, |q, per| {
                (per * per * per - (4.0 - q) * (1.0 / 27.0)) * (1.0 / AT_ONE as f32)
            }),
            Shape::InverseCube => self.add_to_grid(along, &mut rows, |_, per| per * per * per),
            Shape::Quadratic => self.add_to_grid(along, &mut rows, |q, _| (2.0 - q) * (2.0 - q)),
        }
        rows
    }

    /// `shape` gives the value from `q` and one over it.
    #[inline(always)]
    fn add_to_grid<const N: usize>(
        &self,
        along: &[[f64; N]; 3],
        rows: &mut [[f32; N]],
        shape: impl Fn(f32, f32) -> f32,
    ) {
        let far = (self.shape.reach() * self.shape.reach()) as f32;
        let core = if self.shape == Shape::Quadratic { 0.0 } else { (CORE * CORE) as f32 };
        for ball in &self.near {
            let per = 1.0 / ball.e;
            // Squares of the distances along each axis, over the thickness.
            let mut squares = [[0.0; N]; 3];
            for d in 0..3 {
                for (square, c) in squares[d].iter_mut().zip(&along[d]) {
                    let q = ((c - ball.at[d]) * per) as f32;
                    *square = q * q;
                }
            }
            for (layer, z) in rows.chunks_exact_mut(N).zip(&squares[2]) {
                if *z >= far {
                    continue;
                }
                for (row, y) in layer.iter_mut().zip(&squares[1]) {
                    let across = y + z;
                    if across < far {
                        for (v, x) in row.iter_mut().zip(&squares[0]) {
                            let square = x + across;
                            let kept = if square < core { core } else { square };
                            let per = rough_inverse_root(kept);
                            let value = shape(kept * per, per);
                            *v += if square < far { value } else { 0.0 };
                        }
                    }
                }
            }
        }
    }
}

/// Skeletons that are felt about a place, by coordinates, so that what several of them add is computed at once. Filled up
/// to whole fours with some that are out of reach of everything.
#[derive(Clone, Debug, Default)]
pub struct Felt {
    shape: Shape,
    ids: Vec<u32>,
    at: [Vec<f64>; 3],
    /// One over the square of the thickness.
    per: Vec<f64>,
    /// What each adds to the gradient and the value at the place last asked for.
    parts: [Vec<f64>; 4],
}

const LANES: usize = 4;

impl Felt {
    /// Those of some skeletons that are `wanted`. Without a branch, which would be foreseen wrongly too often: each is put,
    /// and stays if it is.
    #[inline(always)]
    fn keep(&mut self, shape: Shape, balls: &[Ball], wanted: impl Fn(&Ball) -> bool) {
        self.shape = shape;
        let room = balls.len() + LANES;
        self.ids.resize(room, 0);
        self.per.resize(room, 0.0);
        self.at.iter_mut().for_each(|c| c.resize(room, 0.0));
        let mut count = 0;
        let [x, y, z] = &mut self.at;
        for ball in balls {
            self.ids[count] = ball.id;
            (x[count], y[count], z[count]) = (ball.at.x, ball.at.y, ball.at.z);
            self.per[count] = 1.0 / (ball.e * ball.e);
            count += usize::from(wanted(ball));
        }
        self.ids.truncate(count);
        let full = count.next_multiple_of(LANES);
        self.per.truncate(full);
        self.per[count..].fill(1.0);
        for c in &mut self.at {
            c.truncate(full);
            c[count..].fill(1e100);
        }
        self.parts.iter_mut().for_each(|p| p.resize(full, 0.0));
    }

    /// Value and gradient at a place.
    #[inline(always)]
    pub fn at(&mut self, p: Vec3) -> (f64, Vec3) {
        match self.shape {
            Shape::Cubic => self.sum(p, cubic),
            Shape::InverseCube => self.sum(p, inverse_cube),
            Shape::Quadratic => self.sum(p, quadratic),
        }
    }

    #[inline(always)]
    fn sum(&mut self, p: Vec3, shape: impl Fn(f64) -> (f64, f64)) -> (f64, Vec3) {
        let n = self.per.len();
        let [x, y, z] = &self.at;
        let (x, y, z, per) = (&x[..n], &y[..n], &z[..n], &self.per[..n]);
        let [gx, gy, gz, f] = &mut self.parts;
        let (gx, gy, gz, f) = (&mut gx[..n], &mut gy[..n], &mut gz[..n], &mut f[..n]);
        for i in 0..n {
            let (dx, dy, dz) = (p.x - x[i], p.y - y[i], p.z - z[i]);
            let (value, over_q) = shape((dx * dx + dy * dy + dz * dz) * per[i]);
            let slope = over_q * per[i];
            f[i] = value;
            gx[i] = dx * slope;
            gy[i] = dy * slope;
            gz[i] = dz * slope;
        }
        let all = |parts: &[f64]| {
            let mut lanes = [0.0; LANES];
            for four in parts.chunks_exact(LANES) {
                lanes = from_fn(|l| lanes[l] + four[l]);
            }
            (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
        };
        (all(f), Vec3::new(all(gx), all(gy), all(gz)))
    }

    /// Who adds most at the place last asked for.
    pub fn strongest(&self) -> u32 {
        let each = self.ids.iter().zip(&self.parts[3]);
        each.fold((0, 0.0), |best, (id, f)| if *f > best.1 { (*id, *f) } else { best }).0
    }

    /// The most that anybody adds there.
    #[inline(always)]
    pub fn largest(&self) -> f64 {
        let mut most = [0.0; LANES];
        for four in self.parts[3].chunks_exact(LANES) {
            most = from_fn(|l| if four[l] > most[l] { four[l] } else { most[l] });
        }
        most.into_iter().fold(0.0, f64::max)
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
