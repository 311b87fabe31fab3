//! What is sure of all places in a box, from one look at its middle.
//!
//! The field of a skeleton falls as the square `s` of the distance grows, ever less steeply: it is convex in `s`, so it is never
//! below a straight line that touches it. In a box about `m` that reaches `h` to each side, `s` is `|d|^2 + |h|^2 + 2 d . c` at a
//! corner `c` from the middle, where `d` leads from the skeleton to `m`. Lines that touch the fields at `t = |d|^2 + |h|^2` make
//!
//! ```text
//! f(m + c) >= sum f(t) + c . sum 2 d f'(t)
//! ```
//!
//! and their sum is a parabola that bends downwards, so in no other place of the box it is less than at one of the corners. No
//! place in the box need be looked at, and what is lost shrinks with the square of the box.

use crate::bodies::clay::felt::{Ball, Local};
use crate::bodies::clay::field::{AT_ONE, Shape, rough_inverse_root};
use crate::contact::Bounds;
use crate::math::Vec3;
use std::array::from_fn;

/// Numbers worked on at once.
const LANES: usize = 16;

/// Skeletons by coordinates: places from the origin, and one over the square of the thickness.
type Lanes = [[f32; LANES]; 4];

/// Skeletons in single precision, filled up with some that are out of reach.
#[derive(Default)]
pub struct Rough {
    shape: Shape,
    /// What places are counted from.
    pub origin: Vec3,
    balls: Vec<Lanes>,
}

/// What single precision and a rough root may do to a sum, over its size.
const ROUNDING: f32 = 1e-3;
/// Closer to a skeleton than this, over the thickness, the line that touches the field here stands for it. It is not as steep as
/// those that touch the field closer, which say too little of places farther off, and stays below what the field is at its core.
const TOUCHED: f32 = 1.4;
/// Closer than this a skeleton is enough by itself.
const ENOUGH: f32 = 0.5;
/// Farther than anything reaches.
const FAR: f32 = 1e12;
/// Nobody.
const EMPTY: Lanes = [[FAR; LANES], [FAR; LANES], [FAR; LANES], [1.0; LANES]];

impl Rough {
    /// Skeletons about a place.
    #[inline(always)]
    pub fn fill(&mut self, shape: Shape, balls: &[Ball], origin: Vec3) {
        (self.shape, self.origin) = (shape, origin);
        self.balls.clear();
        self.balls.extend(balls.chunks(LANES).map(|some| {
            let mut lanes = EMPTY;
            for (l, ball) in some.iter().enumerate() {
                let at = ball.at - origin;
                let all = [at.x, at.y, at.z, 1.0 / (ball.e * ball.e)];
                (0..4).for_each(|d| lanes[d][l] = all[d] as f32);
            }
            lanes
        }));
    }

    /// Takes those of others that are no farther from a box than some thicknesses.
    #[inline(always)]
    pub fn fill_from(&mut self, others: &Self, within: &Bounds, thicknesses: f32) {
        (self.shape, self.origin) = (others.shape, others.origin);
        let (middle, half) = self.about(within);
        let far = thicknesses * thicknesses;
        self.balls.resize(others.balls.len() + 1, EMPTY);
        let mut count = 0;
        for some in &others.balls {
            let [x, y, z, per] = some;
            let near: [u8; LANES] =
                from_fn(|l| u8::from(apart(middle, half, [x[l], y[l], z[l]]) * per[l] < far));
            for l in 0..LANES {
                let to = &mut self.balls[count / LANES];
                (0..4).for_each(|d| to[d][count % LANES] = some[d][l]);
                count += usize::from(near[l]);
            }
        }
        self.balls.truncate(count.div_ceil(LANES));
        if let Some(last) = self.balls.last_mut() {
            for l in (count - 1) % LANES + 1..LANES {
                (0..4).for_each(|d| last[d][l] = EMPTY[d][l]);
            }
        }
    }

    /// Middle of a box and how far it reaches to each side.
    #[inline(always)]
    fn about(&self, within: &Bounds) -> ([f32; 3], [f32; 3]) {
        let middle = 0.5 * (within.low + within.high) - self.origin;
        (middle.as_vec3().to_array(), (0.5 * (within.high - within.low)).as_vec3().to_array())
    }

    /// Whether the field is above 1 in all of a box, for sure. `near` has those that are more than points.
    #[inline(always)]
    pub fn is_inside(&self, within: &Bounds, near: &Local) -> bool {
        let (middle, half) = self.about(within);
        let least = match self.shape {
            Shape::Cubic => self.least(middle, half, |q, per| {
                let cube = per * per * per;
                let value = (cube - (4.0 - q) * (1.0 / 27.0)) * (1.0 / AT_ONE as f32);
                (value, (1.0 / 27.0 - 3.0 * cube * per) * per * (1.0 / AT_ONE as f32))
            }),
            // What is left where it ends is taken off, or it would not be convex there.
            Shape::InverseCube => self.least(middle, half, |_, per| {
                let cube = per * per * per;
                (cube - 1.0 / 216.0, -3.0 * cube * per * per)
            }),
            Shape::Quadratic => {
                self.least(middle, half, |q, per| ((2.0 - q) * (2.0 - q), -2.0 * (2.0 - q) * per))
            }
        };
        let shaped = near.shaped.iter().map(|s| near.shape.at(s.range_to(within)[1] / s.e).0);
        f64::from(least) + shaped.sum::<f64>() > 1.0
    }

    /// Whether the field is below 1 in all of a box, for sure: each skeleton's is largest where it is nearest.
    #[inline(always)]
    pub fn is_outside(&self, within: &Bounds, near: &Local) -> bool {
        let (middle, half) = self.about(within);
        let most = match self.shape {
            Shape::Cubic => self.most(middle, half, |q, per| {
                (per * per * per - (4.0 - q) * (1.0 / 27.0)) * (1.0 / AT_ONE as f32)
            }),
            Shape::InverseCube => self.most(middle, half, |_, per| per * per * per),
            Shape::Quadratic => self.most(middle, half, |q, _| (2.0 - q) * (2.0 - q)),
        };
        let shaped = near.shaped.iter().map(|s| near.shape.at(s.range_to(within)[0] / s.e).0);
        f64::from(most) + shaped.sum::<f64>() < 1.0
    }

    /// Less than the field anywhere in a box. `shape` gives a value and the slope over `q` from `q` and one over it.
    #[inline(always)]
    fn least(&self, middle: [f32; 3], half: [f32; 3], shape: impl Fn(f32, f32) -> (f32, f32)) -> f32 {
        let reach = (self.shape.reach() * self.shape.reach()) as f32;
        let corner = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
        let mut sums = [[0.0; LANES]; 4];
        for [x, y, z, per] in &self.balls {
            for l in 0..LANES {
                let d = [middle[0] - x[l], middle[1] - y[l], middle[2] - z[l]];
                let square = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + corner) * per[l];
                let kept = if square < TOUCHED * TOUCHED { TOUCHED * TOUCHED } else { square };
                let over = rough_inverse_root(kept);
                let (value, over_q) = shape(kept * over, over);
                let value = value + 0.5 * over_q * (square - kept);
                let (value, slope) = if square < reach { (value, over_q * per[l]) } else { (0.0, 0.0) };
                sums[0][l] += value;
                sums[1][l] += d[0] * slope;
                sums[2][l] += d[1] * slope;
                sums[3][l] += d[2] * slope;
            }
        }
        let [f, gx, gy, gz] = sums.map(all);
        f - (gx.abs() * half[0] + gy.abs() * half[1] + gz.abs() * half[2]) - ROUNDING * (1.0 + f)
    }

    /// More than the field anywhere in a box, if that is less than 1.
    #[inline(always)]
    fn most(&self, middle: [f32; 3], half: [f32; 3], shape: impl Fn(f32, f32) -> f32) -> f32 {
        let reach = (self.shape.reach() * self.shape.reach()) as f32;
        let mut sum = [0.0; LANES];
        for [x, y, z, per] in &self.balls {
            for l in 0..LANES {
                let square = apart(middle, half, [x[l], y[l], z[l]]) * per[l];
                let kept = if square < ENOUGH * ENOUGH { ENOUGH * ENOUGH } else { square };
                let over = rough_inverse_root(kept);
                let value = shape(kept * over, over);
                sum[l] += if square < reach { value } else { 0.0 };
            }
        }
        all(sum) + ROUNDING
    }
}

/// Square of the distance from a box, given by its middle and how far it reaches, to a place.
#[inline(always)]
fn apart(middle: [f32; 3], half: [f32; 3], p: [f32; 3]) -> f32 {
    let along = |axis: usize| {
        let d = (middle[axis] - p[axis]).abs() - half[axis];
        if d > 0.0 { d } else { 0.0 }
    };
    let (x, y, z) = (along(0), along(1), along(2));
    x * x + y * y + z * z
}

#[inline(always)]
fn all(lanes: [f32; LANES]) -> f32 {
    let eight: [f32; 8] = from_fn(|l| lanes[l] + lanes[l + 8]);
    let four: [f32; 4] = from_fn(|l| eight[l] + eight[l + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a box holds at all its places, and much is said of boxes that are not large.
    #[test]
    fn what_is_sure_of_a_box_holds_everywhere_in_it() {
        let part = |k: usize, a: f64| (k as f64 * a).fract();
        let place = |k: usize| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051));
        for shape in [Shape::Cubic, Shape::InverseCube, Shape::Quadratic] {
            let near: Vec<Ball> = (0..50)
                .map(|k| Ball { id: k as u32, at: place(k + 1), e: 0.12 + 0.1 * part(k, 0.3) })
                .collect();
            let local = Local { shape, near, shaped: vec![] };
            let mut rough = Rough::default();
            rough.fill(shape, &local.near, Vec3::splat(0.4));
            let field = |p: Vec3| -> f64 {
                let each = |b: &Ball| shape.at_square(b.at.distance_squared(p) / (b.e * b.e)).0;
                local.near.iter().map(each).sum()
            };
            let (mut inside, mut outside) = (0, 0);
            for k in 0..4000 {
                let middle = 1.6 * place(k + 100) - Vec3::splat(0.3);
                let half = Vec3::new(part(k, 0.1), part(k, 0.23), part(k, 0.37)) * 0.15;
                let within = Bounds { low: middle - half, high: middle + half };
                let sure = [rough.is_inside(&within, &local), rough.is_outside(&within, &local)];
                (inside, outside) = (inside + usize::from(sure[0]), outside + usize::from(sure[1]));
                for n in 0..125 {
                    let at = Vec3::new((n % 5) as f64, (n / 5 % 5) as f64, (n / 25) as f64) * 0.5 - Vec3::ONE;
                    let f = field(middle + at * half);
                    assert!(if sure[0] { f > 1.0 } else { !sure[1] || f < 1.0 }, "{shape:?} {k} {f}");
                }
            }
            assert!(inside > 200 && outside > 200, "{shape:?} {inside} {outside}");
        }
    }

    /// Those near a box are all taken and nobody twice, however many there are.
    #[test]
    fn those_near_a_box_are_all_taken() {
        for count in [0, 1, 15, 16, 17, 100] {
            let ball = |k: u32| Ball { id: k, at: Vec3::X * 0.1 * f64::from(k), e: 1.0 };
            let balls: Vec<Ball> = (0..count).map(ball).collect();
            let (mut all, mut some) = (Rough::default(), Rough::default());
            all.fill(Shape::Cubic, &balls, Vec3::ZERO);
            some.fill_from(&all, &Bounds { low: Vec3::splat(-1.0), high: Vec3::new(1.001, 1.0, 1.0) }, 0.5);
            let kept = some.balls.iter().flat_map(|lanes| lanes[0]).filter(|x| *x < FAR);
            assert_eq!(kept.count(), (count as usize).min(16));
            assert_eq!(some.balls.len(), (count as usize).min(16).div_ceil(LANES));
        }
    }
}
