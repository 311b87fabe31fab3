//! The field in some surroundings: those skeletons that are felt there, in a form that many are computed from at once.

use super::field::{AT_ONE, CORE, Shape, cubic, inverse_cube, quadratic, rough_inverse_root};
use super::shaped::Shaped;
use crate::contact::Bounds;
use crate::math::Vec3;
use std::array::from_fn;

/// A skeleton that is felt: a point.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    pub id: u32,
    pub at: Vec3,
    pub e: f64,
}

impl Ball {
    /// Square of the least distance to a box.
    fn to_box(self, around: &Bounds) -> f64 {
        self.at.distance_squared(self.at.clamp(around.low, around.high))
    }

    pub fn reaches(&self, shape: Shape, around: &Bounds) -> bool {
        let far = shape.reach() * self.e;
        self.to_box(around) < far * far
    }
}

/// A field in some surroundings.
#[derive(Default)]
pub struct Local<'a> {
    pub shape: Shape,
    pub near: Vec<Ball>,
    pub shaped: Vec<&'a Shaped>,
}

/// What rounding may do to the field, in single precision and summed over hundreds of skeletons.
const ROUNDING: f64 = 1e-4;

impl<'a> Local<'a> {
    /// The field within a box inside the one that this is for.
    pub fn within(&self, around: &Bounds) -> Self {
        let mut near = Vec::with_capacity(self.near.len());
        near.extend(self.near.iter().filter(|b| b.reaches(self.shape, around)));
        let shaped = self.shaped.iter().copied().filter(|s| s.reaches(self.shape, around)).collect();
        Self { shape: self.shape, near, shaped }
    }

    /// The field within a box inside the one that this is for, in place of what `felt` held.
    #[inline(always)]
    pub fn felt_within(&self, around: &Bounds, felt: &mut Felt<'a>) {
        felt.keep(self.shape, &self.near, |ball| ball.reaches(self.shape, around));
        felt.keep_shaped(self.shaped.iter().copied().filter(|s| s.reaches(self.shape, around)));
    }

    /// Whether the field is below 1 in all of a box, for sure: each skeleton's is largest where it is nearest.
    pub fn is_all_outside(&self, around: &Bounds) -> bool {
        let most: f64 =
            self.near.iter().map(|b| self.shape.at_square(b.to_box(around) / (b.e * b.e)).0).sum();
        let shaped: f64 = self.shaped.iter().map(|s| self.shape.at(s.range_to(around)[0] / s.e).0).sum();
        most + shaped < 1.0 - ROUNDING
    }

    /// Whether the field is above 1 in all of a box, for sure.
    pub fn is_all_inside(&self, around: &Bounds) -> bool {
        let far = |b: &Ball| (b.at - around.low).abs().max((b.at - around.high).abs()).length_squared();
        let least: f64 = self.near.iter().map(|b| self.shape.at_square(far(b) / (b.e * b.e)).0).sum();
        let shaped: f64 = self.shaped.iter().map(|s| self.shape.at(s.range_to(around)[1] / s.e).0).sum();
        least + shaped > 1.0 + ROUNDING
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
        for shaped in &self.shaped {
            for (n, v) in rows.as_flattened_mut().iter_mut().enumerate() {
                let p = Vec3::new(along[0][n % N], along[1][n / N % N], along[2][n / (N * N)]);
                *v += shaped.felt(self.shape, p).0 as f32;
            }
        }
        rows
    }

    /// `shape` gives the value from `q` and one over it. Rows are worked on by twos, as many numbers as the widest registers
    /// hold. Nobody takes away from the field, so rows that are inside for certain are done with.
    #[inline(always)]
    fn add_to_grid<const N: usize>(
        &self,
        along: &[[f64; N]; 3],
        rows: &mut [[f32; N]],
        shape: impl Fn(f32, f32) -> f32,
    ) {
        const { assert!(N.is_multiple_of(2)) };
        let far = (self.shape.reach() * self.shape.reach()) as f32;
        let core = if self.shape == Shape::Quadratic { 0.0 } else { (CORE * CORE) as f32 };
        let (twos, _) = rows.as_chunks_mut::<2>();
        let mut done = vec![false; twos.len()];
        for some in self.near.chunks(BETWEEN) {
            for ball in some {
                let per = 1.0 / ball.e;
                // Squares of the distances along each axis, over the thickness.
                let mut squares = [[0.0; N]; 3];
                for d in 0..3 {
                    for (square, c) in squares[d].iter_mut().zip(&along[d]) {
                        let q = ((c - ball.at[d]) * per) as f32;
                        *square = q * q;
                    }
                }
                let [x, y, z] = squares;
                let x = [x; 2];
                let layers = twos.chunks_exact_mut(N / 2).zip(done.chunks_exact(N / 2));
                for ((layer, done), z) in layers.zip(&z).filter(|(_, z)| **z < far) {
                    for ((two, done), y) in layer.iter_mut().zip(done).zip(y.as_chunks::<2>().0) {
                        if *done || y[0].min(y[1]) + z >= far {
                            continue;
                        }
                        let across = y.map(|y| [y + z; N]);
                        let places = x.as_flattened().iter().zip(across.as_flattened());
                        for (v, (x, across)) in two.as_flattened_mut().iter_mut().zip(places) {
                            let square = x + across;
                            let kept = if square < core { core } else { square };
                            let per = rough_inverse_root(kept);
                            let value = shape(kept * per, per);
                            *v += if square < far { value } else { 0.0 };
                        }
                    }
                }
            }
            for (done, two) in done.iter_mut().zip(&*twos) {
                *done |= two.as_flattened().iter().fold(f32::INFINITY, |least, v| least.min(*v)) > PLENTY;
            }
        }
    }
}

/// Skeletons after which it is seen which rows are inside for certain.
const BETWEEN: usize = 8;
/// A field that is inside whatever rounding does, and still tells about how far.
const PLENTY: f32 = 2.0;

/// Skeletons that are felt about a place, by coordinates, so that what several of them add is computed at once. Filled up
/// to whole eights with some that are out of reach of everything.
#[derive(Clone, Debug, Default)]
pub struct Felt<'a> {
    shape: Shape,
    ids: Vec<u32>,
    at: [Vec<f64>; 3],
    /// One over the square of the thickness.
    per: Vec<f64>,
    /// What each adds to the gradient and the value at the place last asked for.
    parts: [Vec<f64>; 4],
    /// Those that are more than points, and what each adds to the value there.
    shaped: Vec<(&'a Shaped, f64)>,
}

const LANES: usize = 8;

impl<'a> Felt<'a> {
    /// Those of some skeletons that are `wanted`. Without a branch, which would be foreseen wrongly too often: each is put,
    /// and stays if it is.
    #[inline(always)]
    pub fn keep(&mut self, shape: Shape, balls: &[Ball], wanted: impl Fn(&Ball) -> bool) {
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

    pub fn keep_shaped(&mut self, shaped: impl Iterator<Item = &'a Shaped>) {
        self.shaped.clear();
        self.shaped.extend(shaped.map(|s| (s, 0.0)));
    }

    /// Value and gradient at a place.
    #[inline(always)]
    pub fn at(&mut self, p: Vec3) -> (f64, Vec3) {
        let (mut sum, mut gradient) = match self.shape {
            Shape::Cubic => self.sum(p, cubic),
            Shape::InverseCube => self.sum(p, inverse_cube),
            Shape::Quadratic => self.sum(p, quadratic),
        };
        for (shaped, part) in &mut self.shaped {
            let (f, slope) = shaped.felt(self.shape, p);
            *part = f;
            sum += f;
            gradient += slope;
        }
        (sum, gradient)
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
            for some in parts.chunks_exact(LANES) {
                lanes = from_fn(|l| lanes[l] + some[l]);
            }
            ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
        };
        (all(f), Vec3::new(all(gx), all(gy), all(gz)))
    }

    /// Who adds most at the place last asked for.
    pub fn strongest(&self) -> u32 {
        let shaped = self.shaped.iter().map(|(s, f)| (s.id, *f));
        let each = self.ids.iter().zip(&self.parts[3]).map(|(id, f)| (*id, *f)).chain(shaped);
        each.fold((0, 0.0), |best, (id, f)| if f > best.1 { (id, f) } else { best }).0
    }

    /// The most that anybody adds there.
    #[inline(always)]
    pub fn largest(&self) -> f64 {
        let mut most = [0.0; LANES];
        for some in self.parts[3].chunks_exact(LANES) {
            most = from_fn(|l| if some[l] > most[l] { some[l] } else { most[l] });
        }
        most.into_iter().chain(self.shaped.iter().map(|(_, f)| *f)).fold(0.0, f64::max)
    }
}
