//! Continuous check: do two convex pieces stay apart on their straight ways through the step?
//!
//! For a fixed direction `n` the gap `min_a n.x(t) - max_b n.x(t)` is a concave function of time when the points
//! move on straight lines. So one plane that separates at both ends of an interval separates throughout: a proof
//! from a few dot products. Where no one plane serves, the interval is halved.

use super::distance::{Cloud, gap_along, separation};
use crate::math::Vec3;
use crate::skin::Skin;

/// Two pieces on their way through the step.
pub struct Sweep<'a> {
    /// Skin and face (or the whole) of the first.
    pub a: (&'a Skin, Option<u32>),
    /// Of the second.
    pub b: (&'a Skin, Option<u32>),
    /// Sum of the radii.
    pub radii: f64,
    /// Gap that must remain, radii taken off.
    pub least: f64,
}

/// Halvings of the step before a close call counts as a crossing.
const DEPTH: u32 = 8;

impl Sweep<'_> {
    /// All points of a skin at time `t` of the step.
    pub fn points(&self, (skin, _): (&Skin, Option<u32>), t: f64) -> Vec<Vec3> {
        (0..skin.points.len()).map(|i| skin.at(i, t)).collect()
    }

    /// The piece's own points at time `t`.
    fn piece(&self, (skin, face): (&Skin, Option<u32>), t: f64, out: &mut Vec<Vec3>) {
        out.clear();
        match face {
            None => out.extend((0..skin.points.len()).map(|i| skin.at(i, t))),
            Some(f) => out.extend(skin.form.faces[f as usize].iter().map(|i| skin.at(*i as usize, t))),
        }
    }
}

/// The time just before which the pieces come closer than `least`, and the normal then; none if they never do.
pub fn first_crossing(sweep: &Sweep, guess: Vec3) -> Option<(f64, Vec3)> {
    let (mut a0, mut b0) = (vec![], vec![]);
    sweep.piece(sweep.a, 0.0, &mut a0);
    sweep.piece(sweep.b, 0.0, &mut b0);
    let (mut a1, mut b1) = (vec![], vec![]);
    let mut normal = guess;
    let mut t0 = 0.0f64;
    let mut width = 1.0f64;
    let finest = 0.5f64.powi(DEPTH as i32);
    while t0 < 1.0 {
        let t1: f64 = (t0 + width).min(1.0);
        sweep.piece(sweep.a, t1, &mut a1);
        sweep.piece(sweep.b, t1, &mut b1);
        match plane_over(sweep, (&a0, &b0), (&a1, &b1), normal) {
            Some(n) => {
                normal = n;
                t0 = t1;
                std::mem::swap(&mut a0, &mut a1);
                std::mem::swap(&mut b0, &mut b1);
                width = (2.0 * width).min(1.0);
            }
            None if width > finest => width *= 0.5,
            None => return Some((t0, normal)),
        }
    }
    None
}

/// A direction along which the pieces are apart at both ends of an interval.
fn plane_over(
    sweep: &Sweep,
    (a0, b0): (&[Vec3], &[Vec3]),
    (a1, b1): (&[Vec3], &[Vec3]),
    guess: Vec3,
) -> Option<Vec3> {
    fn whole(points: &[Vec3]) -> Cloud<'_> {
        Cloud { points, corners: None }
    }
    let start = |n: Vec3| gap_along(&whole(a0), &whole(b0), n) - sweep.radii;
    let end = |n: Vec3| gap_along(&whole(a1), &whole(b1), n) - sweep.radii;
    // At the start the pieces may already be closer than asked; they must not come closer still.
    let serves = |n: Vec3, wanted: f64| start(n) >= wanted.min(0.5 * sweep.least) && end(n) >= wanted;
    let at_start = separation(&whole(a0), &whole(b0), guess)?;
    let wanted = sweep.least.min(0.9 * (at_start.gap - sweep.radii));
    if wanted <= 0.0 {
        return None;
    }
    if guess.length_squared() > 0.5 && serves(guess, wanted) {
        return Some(guess);
    }
    if serves(at_start.normal, wanted) {
        return Some(at_start.normal);
    }
    let at_end = separation(&whole(a1), &whole(b1), at_start.normal)?;
    if serves(at_end.normal, wanted) {
        return Some(at_end.normal);
    }
    let between = (at_start.normal + at_end.normal).normalize_or(at_start.normal);
    serves(between, wanted).then_some(between)
}
