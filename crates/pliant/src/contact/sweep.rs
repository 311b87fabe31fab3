//! Continuous check: do two convex pieces stay apart on their straight ways?
//!
//! A plane that turns from `n0` to `n1` while the points move from `p` to `q` has heights `n(t).x(t)` that are quadratic
//! in time, with the Bernstein coefficients `n0.p`, `(n0.q + n1.p)/2` and `n1.q`. Such a height never leaves the range of
//! its coefficients. So if the least height of one piece exceeds the greatest of the other in all three, the plane
//! separates the pieces throughout: a proof from a few dot products, good for pieces that turn together. Where no such
//! plane serves, the interval is halved.

use super::bounds::Bounds;
use super::distance::{Cloud, gap_along, separation};
use crate::math::Vec3;
use crate::skin::Skin;
use smallvec::SmallVec;

/// The way of a convex piece: its points move on straight lines.
#[derive(Clone, Copy)]
pub struct Way<'a> {
    /// Where all points of its skin begin.
    pub from: &'a [Vec3],
    /// Where they end.
    pub to: &'a [Vec3],
    /// Which of them belong to the piece; all if absent.
    pub corners: Option<&'a [u32]>,
}

impl<'a> Way<'a> {
    /// A piece of a skin, or all of it, from where to where its points move.
    pub fn new(skin: &'a Skin, piece: Option<u32>, (from, to): (&'a [Vec3], &'a [Vec3])) -> Self {
        Self { from, to, corners: skin.corners(piece) }
    }
    /// The same over the step as it is aimed at.
    pub fn of(skin: &'a Skin, piece: Option<u32>) -> Self {
        Self::new(skin, piece, (&skin.points, &skin.next))
    }
    /// The piece at the beginning.
    pub fn start(&self) -> Cloud<'a> {
        Cloud { points: self.from, corners: self.corners }
    }
    /// The piece at the end.
    pub fn end(&self) -> Cloud<'a> {
        Cloud { points: self.to, corners: self.corners }
    }
    /// Box around all of the way.
    fn bounds(&self) -> Bounds {
        self.start().bounds().union(self.end().bounds())
    }
    /// All points of the skin at a time between 0 and 1.
    pub fn points(&self, t: f64) -> Vec<Vec3> {
        self.from.iter().zip(self.to).map(|(p, q)| *p + (*q - *p) * t).collect()
    }
    /// The piece's own points at a time between 0 and 1.
    fn piece(&self, t: f64, out: &mut Points) {
        let at = |i: usize| self.from[i] + (self.to[i] - self.from[i]) * t;
        out.clear();
        match self.corners {
            None => out.extend((0..self.from.len()).map(at)),
            Some(corners) => out.extend(corners.iter().map(|i| at(*i as usize))),
        }
    }
}

/// The points of a piece, most often few.
type Points = SmallVec<[Vec3; 8]>;

/// Two pieces on their ways.
#[derive(Clone, Copy)]
pub struct Sweep<'a> {
    /// The first.
    pub a: Way<'a>,
    /// The second.
    pub b: Way<'a>,
    /// Sum of the radii.
    pub radii: f64,
    /// Gap that must remain, radii taken off.
    pub least: f64,
    /// How often the way may be halved before a close call counts as a crossing.
    pub halvings: u32,
}

/// Halvings where nothing finer can be looked at.
pub const HALVINGS: u32 = 6;

/// The time just before which the pieces come closer than `least`, and the normal then; none if they never do.
pub fn first_crossing(sweep: &Sweep, guess: Vec3) -> Option<(f64, Vec3)> {
    if guess != Vec3::ZERO {
        let start = gap_along(&sweep.a.start(), &sweep.b.start(), guess) - sweep.radii;
        if start >= sweep.least
            && gap_along(&sweep.a.end(), &sweep.b.end(), guess) - sweep.radii >= sweep.least
        {
            return None;
        }
    }
    // Most pieces of two that are near pass each other at a distance that their boxes tell.
    if !sweep.a.bounds().grown(sweep.radii + sweep.least).overlaps(&sweep.b.bounds()) {
        return None;
    }
    let (mut a0, mut b0) = (Points::new(), Points::new());
    sweep.a.piece(0.0, &mut a0);
    sweep.b.piece(0.0, &mut b0);
    let (mut a1, mut b1) = (Points::new(), Points::new());
    let mut normal = guess;
    let mut t0 = 0.0f64;
    let mut width = 1.0f64;
    let finest = 0.5f64.powi(sweep.halvings as i32);
    while t0 < 1.0 {
        let t1: f64 = (t0 + width).min(1.0);
        sweep.a.piece(t1, &mut a1);
        sweep.b.piece(t1, &mut b1);
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

/// A plane that separates the pieces throughout an interval; returns its normal at the end.
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
    // Halfway, as seen by a plane that turns.
    let between = |n0: Vec3, n1: Vec3| {
        let height = |p: &Vec3, q: &Vec3| 0.5 * (n0.dot(*q) + n1.dot(*p));
        let least = a0.iter().zip(a1).map(|(p, q)| height(p, q)).fold(f64::INFINITY, f64::min);
        let most = b0.iter().zip(b1).map(|(p, q)| height(p, q)).fold(f64::NEG_INFINITY, f64::max);
        least - most - sweep.radii
    };
    // At the start the pieces may already be closer than asked; they must not come closer still.
    let near = start(guess);
    let at_start = if guess != Vec3::ZERO && near >= sweep.least {
        (guess, near)
    } else {
        let s = separation(&whole(a0), &whole(b0), guess)?;
        (s.normal, s.gap - sweep.radii)
    };
    let wanted = sweep.least.min((1.0 - 1e-6) * at_start.1);
    if wanted <= 0.0 {
        return None;
    }
    // A fixed plane is the special case without turning.
    if end(at_start.0) >= wanted {
        return Some(at_start.0);
    }
    let at_end = separation(&whole(a1), &whole(b1), at_start.0)?;
    let n1 = at_end.normal;
    if at_end.gap - sweep.radii < wanted {
        return None;
    }
    if start(n1) >= 0.5 * wanted || between(at_start.0, n1) >= 0.5 * wanted {
        return Some(n1);
    }
    // The guess may be a poor plane at the start though it separates.
    let best = separation(&whole(a0), &whole(b0), at_start.0)?;
    (between(best.normal, n1) >= 0.5 * wanted).then_some(n1)
}
