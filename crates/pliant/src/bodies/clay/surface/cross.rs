//! Where the surface meets an edge between a corner inside and one outside.

use super::corners::FAINT;
use crate::bodies::clay::felt::Felt;
use crate::contact::Limit;
use crate::math::Vec3;

/// Improvements of a point along its edge.
const ROUNDS: usize = 12;
/// Points keep this share of their edge away from its ends, so that points of different edges stay apart.
const MARGIN: f64 = 1e-4;
/// A step along the edge, over its length, after which no further one is needed: what is left is about its square times the
/// edge over the thickness, some 1e-7 thicknesses.
const ENOUGH: f64 = 1e-3;
/// A field that says nothing of how far away the surface is.
const TELLING: [f64; 2] = [0.1, 2.0];

/// About where the inside function is 1 between a place inside and one outside, from its values there and, if they are known,
/// as far again to both sides. Fields fall about as the inverse cube, so one over a root of them runs nearly straight.
#[inline(always)]
pub fn begin([inside, outside]: [f64; 2], beyond: Option<[f64; 2]>) -> f64 {
    let straight = |f: f64| 1.0 / f.sqrt();
    let (a, b) = (straight(inside), straight(outside.max(0.05)));
    let mut t = (1.0 - a) / (b - a);
    let tells = |f: f64| f > TELLING[0] && f < TELLING[1];
    if let Some([before, after]) = beyond.filter(|[p, q]| [*p, *q, inside, outside].into_iter().all(tells)) {
        // A parabola's worth of bend on either side, and the cubic between.
        let (bend_a, bend_b) = (straight(before) - 2.0 * a + b, a - 2.0 * b + straight(after));
        for _ in 0..2 {
            let u = 1.0 - t;
            let bow = (bend_a * (1.0 + u) + bend_b * (1.0 + t)) * (1.0 / 6.0);
            t = (1.0 - a + t * u * bow) / (b - a);
        }
    }
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// Where the inside function is 1 between a place inside and one outside, and its gradient there: Newton's method, kept
/// between the two.
#[inline(always)]
pub fn cross(
    [inside, outside]: [Vec3; 2],
    start: f64,
    felt: &mut Felt,
    limit: Option<&dyn Limit>,
) -> (Vec3, Vec3) {
    let way = outside - inside;
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = start;
    let mut slope = Vec3::ZERO;
    for _ in 0..ROUNDS {
        let (f, gradient) = value(inside + way * t, felt, limit);
        slope = gradient;
        if f > 1.0 {
            low = t
        } else {
            high = t
        }
        let next = t + (1.0 - f) / slope.dot(way);
        let next = if next >= low && next <= high { next } else { 0.5 * (low + high) };
        let next = next.clamp(MARGIN, 1.0 - MARGIN);
        let moved = (next - t).abs();
        t = next;
        // What is left is about the square of it.
        if moved < ENOUGH {
            break;
        }
    }
    (inside + way * t, slope)
}

#[inline(always)]
fn value(p: Vec3, field: &mut Felt, limit: Option<&dyn Limit>) -> (f64, Vec3) {
    let (f, gradient) = field.at(p);
    match limit {
        Some(limit) if f > FAINT => {
            let (f, gradient) = limit.at(p, f, gradient);
            (f + 1.0, gradient)
        }
        _ => (f, gradient),
    }
}
