//! The field in some surroundings: those skeletons that are felt there, in a form that many are computed from at once.

use super::field::{AT_ONE, CORE, Shape, cubic, inverse_cube, quadratic, rough_inverse_root_of_twice};
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

impl<'a> Local<'a> {
    /// Takes those of others that are felt in a box inside the one that those are for.
    #[inline(always)]
    pub fn take(&mut self, others: &Self, around: &Bounds) {
        self.shape = others.shape;
        copy_if(&others.near, &mut self.near, |ball| ball.reaches(others.shape, around));
        self.shaped.clear();
        self.shaped.extend(others.shaped.iter().copied().filter(|s| s.reaches(self.shape, around)));
    }

    /// Keeps those that are felt in a box.
    #[inline(always)]
    pub fn keep(&mut self, around: &Bounds) {
        let mut count = 0;
        for i in 0..self.near.len() {
            let ball = self.near[i];
            self.near[count] = ball;
            count += usize::from(ball.reaches(self.shape, around));
        }
        self.near.truncate(count);
        self.shaped.retain(|s| s.reaches(self.shape, around));
    }

    /// Whether nobody is felt.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.shaped.is_empty()
    }

    /// The field within a box inside the one that this is for, in place of what `felt` held.
    #[inline(always)]
    pub fn felt_within(&self, around: &Bounds, felt: &mut Felt<'a>) {
        felt.keep(self.shape, &self.near, |ball| ball.reaches(self.shape, around));
        felt.keep_shaped(self.shaped.iter().copied().filter(|s| s.reaches(self.shape, around)));
    }
}

/// Copies those skeletons that are wanted. Without a branch, which would be foreseen wrongly too often: each is put, and stays
/// if it is.
#[inline(always)]
fn copy_if(from: &[Ball], to: &mut Vec<Ball>, wanted: impl Fn(&Ball) -> bool) {
    to.resize(from.len() + 1, Ball { id: 0, at: Vec3::ZERO, e: 1.0 });
    let mut count = 0;
    for ball in from {
        to[count] = *ball;
        count += usize::from(wanted(ball));
    }
    to.truncate(count);
}

/// Skeletons that are felt about a place, by coordinates, so that what several of them add is computed at once. Filled up
/// to whole eights with some that are out of reach of everything.
#[derive(Clone, Debug, Default)]
pub struct Felt<'a> {
    shape: Shape,
    kept: Vec<Ball>,
    ids: Vec<u32>,
    at: [Vec<f64>; 3],
    /// One over the square of the thickness.
    per: Vec<f64>,
    /// The most that any adds to the value at the place last asked for, and which of them, counted by eights: for those that
    /// are first, second and so on of an eight.
    best: [(f64, u64); LANES],
    /// Those that are more than points, and what each adds to the value there.
    shaped: Vec<(&'a Shaped, f64)>,
}

const LANES: usize = 8;

/// Corners along the edge of the grids on which values are asked for.
pub const TILE: usize = 4;

impl<'a> Felt<'a> {
    /// Those of some skeletons that are `wanted`.
    #[inline(always)]
    pub fn keep(&mut self, shape: Shape, balls: &[Ball], wanted: impl Fn(&Ball) -> bool) {
        self.shape = shape;
        copy_if(balls, &mut self.kept, wanted);
        let full = self.kept.len().next_multiple_of(LANES);
        self.ids.clear();
        self.ids.extend(self.kept.iter().map(|ball| ball.id));
        let nowhere = Ball { id: 0, at: Vec3::splat(1e100), e: 1.0 };
        self.kept.resize(full, nowhere);
        self.per.clear();
        self.per.extend(self.kept.iter().map(|ball| 1.0 / (ball.e * ball.e)));
        for (d, c) in self.at.iter_mut().enumerate() {
            c.clear();
            c.extend(self.kept.iter().map(|ball| ball.at[d]));
        }
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
        let [x, y, z] = &self.at;
        let (x, y, z, per) = (eights(x), eights(y), eights(z), eights(&self.per));
        let n = per.len();
        let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
        let mut sums = [[0.0; LANES]; 4];
        let (mut best, mut which) = ([0.0; LANES], [0; LANES]);
        for k in 0..n {
            let (x, y, z, per) = (&x[k], &y[k], &z[k], &per[k]);
            for l in 0..LANES {
                let (dx, dy, dz) = (p.x - x[l], p.y - y[l], p.z - z[l]);
                let (value, over_q) = shape((dx * dx + dy * dy + dz * dz) * per[l]);
                let slope = over_q * per[l];
                sums[0][l] += value;
                sums[1][l] += dx * slope;
                sums[2][l] += dy * slope;
                sums[3][l] += dz * slope;
                which[l] = if value > best[l] { k as u64 } else { which[l] };
                best[l] = if value > best[l] { value } else { best[l] };
            }
        }
        self.best = from_fn(|l| (best[l], which[l]));
        let [f, gx, gy, gz] = sums.map(|lanes| {
            ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
        });
        (f, Vec3::new(gx, gy, gz))
    }

    /// Values at the corners of a small grid, whose coordinates along each axis are given, row by row: in single precision,
    /// which is enough to tell inside from outside, and the same for all who ask.
    #[inline(always)]
    pub fn grid(&self, along: &[[f64; TILE]; 3]) -> [[f32; TILE * TILE]; TILE] {
        let mut layers = match self.shape {
            // With `u = a q`, `a^4 = 2/27`, both terms have one factor: `a^3 (1/u^3 + u/2 - (4/27)/a^3)`.
            Shape::Cubic => {
                let scale = (2.0f64 / 27.0).sqrt().sqrt();
                let most = scale.powi(3);
                let end = ((4.0 / 27.0) / most) as f32;
                let value = |half: f32, per: f32| per * (per * per + half) - end;
                self.sum_on_grid(along, scale, most / AT_ONE, value)
            }
            Shape::InverseCube => self.sum_on_grid(along, 1.0, 1.0, |_, per| per * per * per),
            Shape::Quadratic => {
                let value = |half: f32, per: f32| (2.0 - half * per) * (2.0 - half * per);
                self.sum_on_grid(along, 2.0, 1.0, value)
            }
        };
        for (shaped, _) in &self.shaped {
            for (n, v) in layers.as_flattened_mut().iter_mut().enumerate() {
                let p = Vec3::new(along[0][n % TILE], along[1][n / TILE % TILE], along[2][n / (TILE * TILE)]);
                *v += shaped.felt(self.shape, p).0 as f32;
            }
        }
        layers
    }

    /// `value` gives what a skeleton adds, over `unit`, from half the square of `u` and one over `u`, where `u` is `scale` times
    /// `q`. One skeleton after the other, so that the sum is the same bits whoever else is in the list; a layer is as many
    /// numbers as the widest registers hold.
    #[inline(always)]
    fn sum_on_grid(
        &self,
        along: &[[f64; TILE]; 3],
        scale: f64,
        unit: f64,
        value: impl Fn(f32, f32) -> f32,
    ) -> [[f32; TILE * TILE]; TILE] {
        let half = |q: f64| 0.5 * scale * scale * q * q;
        let far = half(self.shape.reach()) as f32;
        let core = if self.shape == Shape::Quadratic { 0.0 } else { half(CORE) as f32 };
        let over = half(1.0);
        let mut layers = [[0.0; TILE * TILE]; TILE];
        let n = self.ids.len();
        let [x, y, z] = [0, 1, 2].map(|d| &self.at[d][..n]);
        let per = &self.per[..n];
        for i in 0..n {
            // Of the distances along each axis.
            let per = over * per[i];
            let squares = |along: &[f64; TILE], x: f64| -> [f32; TILE] {
                from_fn(|c| ((along[c] - x) * (along[c] - x) * per) as f32)
            };
            let (x, y, z) = (squares(&along[0], x[i]), squares(&along[1], y[i]), squares(&along[2], z[i]));
            let across: [f32; TILE * TILE] = from_fn(|n| x[n % TILE] + y[n / TILE]);
            for (layer, z) in layers.iter_mut().zip(z) {
                for (v, across) in layer.iter_mut().zip(across) {
                    let half = across + z;
                    let kept = if half < core { core } else { half };
                    let added = value(kept, rough_inverse_root_of_twice(kept));
                    *v += if half < far { added } else { 0.0 };
                }
            }
        }
        layers.map(|layer| layer.map(|v| v * unit as f32))
    }

    /// Who adds most at the place last asked for; the first of them if there are several.
    #[inline(always)]
    pub fn strongest(&self) -> u32 {
        let mut most = 0.0;
        for (f, _) in &self.best {
            most = if *f > most { *f } else { most };
        }
        let mut first = u64::MAX;
        for (l, (f, k)) in self.best.iter().enumerate() {
            let i = LANES as u64 * k + l as u64;
            first = if *f == most && i < first { i } else { first };
        }
        let most = (most, first as usize);
        let point = (self.ids.get(most.1).copied().unwrap_or(0), most.0);
        let shaped = self.shaped.iter().map(|(s, f)| (s.id, *f));
        shaped.fold(point, |best, (id, f)| if f > best.1 { (id, f) } else { best }).0
    }

    /// The most that anybody adds there.
    #[inline(always)]
    pub fn largest(&self) -> f64 {
        self.best.iter().map(|(f, _)| *f).chain(self.shaped.iter().map(|(_, f)| *f)).fold(0.0, f64::max)
    }
}

fn eights(of: &[f64]) -> &[[f64; LANES]] {
    of.as_chunks().0
}
