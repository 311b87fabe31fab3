//! The guarantee: a state free of intersections stays free.
//!
//! After the solve every pair near each other is checked on its straight way through the step.

use super::distance::{gap_along, separation};
use super::narrow::{Near, PiecePair, cloud, halves, over_plane, touches_at};
use super::sweep::{HALVINGS, Sweep, Way, first_crossing};
use super::touch::Touch;
use crate::math::Vec3;
use crate::skin::{Skin, Solid};
use rayon::prelude::*;
use smallvec::SmallVec;

/// A pair that would come too close.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Index of the pair in `Contacts::near`.
    pub near: usize,
    /// The pieces.
    pub pieces: PiecePair,
    /// Time of the step just before which it happens.
    pub t: f64,
    /// Normal then.
    pub normal: Vec3,
}

/// Crossings of one pair that are told apart.
const ENOUGH: usize = 4;

/// Touching places that a crossing of two faces adds.
const PLACES: usize = 2;

/// Where a pair crosses, most often nowhere.
pub type Places = SmallVec<[Crossing; 1]>;

/// The gap that must remain after any step, as a share of the clearance.
pub const LEAST: f64 = 0.1;

/// From where to where all points of a skin move.
pub type Path<'a> = (&'a [Vec3], &'a [Vec3]);

/// Pairs that would come too close, among those for which `changed` says so.
pub fn crossings<'a>(
    near: &[Near],
    skin: impl Fn(u32) -> &'a Skin + Sync,
    changed: impl Fn(&Near) -> bool + Sync,
) -> Vec<Crossing> {
    near.par_iter()
        .with_min_len(64)
        .enumerate()
        .filter(|(_, n)| changed(n))
        .flat_map_iter(|(k, n)| {
            let (a, b) = (skin(n.a), skin(n.b));
            crossing(k, n, (a, b), (&a.points, &a.next), (&b.points, &b.next))
        })
        .collect()
}

/// Where a pair would come too close on the given ways: the pieces that would meet, none if there are none.
pub fn crossing(k: usize, near: &Near, (a, b): (&Skin, &Skin), pa: Path, pb: Path) -> Places {
    let mut found = Places::new();
    let least = LEAST * near.clearance;
    if let Solid::HalfSpace(n) = b.form.solid {
        // The plane itself may move; its normal stays within a step.
        let height = |points: &[Vec3], foot: Vec3| {
            points.iter().map(|x| n.dot(*x - foot)).fold(f64::INFINITY, f64::min) - a.form.radius
        };
        let end = height(pa.1, pb.1[0]);
        let start = height(pa.0, pb.0[0]);
        if end < least && end < (1.0 - 1e-6) * start {
            let t = if start > end { ((start - least) / (start - end)).clamp(0.0, 1.0) } else { 0.0 };
            found.push(Crossing { near: k, pieces: (None, None), t, normal: n });
        }
        return found;
    }
    let mut todo: SmallVec<[(PiecePair, Vec3); 32]> = SmallVec::new();
    for plane in &near.planes {
        todo.push(((plane.a, plane.b), plane.normal));
        while let Some((pieces, guess)) = todo.pop() {
            let parts = halves((a, pieces.0), (b, pieces.1));
            // Surfaces that bend may have hollows into which the other fits: larger pieces are tried once, then parted.
            let sweep = Sweep {
                a: Way::new(a, pieces.0, pa),
                b: Way::new(b, pieces.1, pb),
                radii: a.form.radius + b.form.radius,
                least,
                halvings: if parts.is_some() { 0 } else { HALVINGS },
            };
            if let Some((t, normal)) = first_crossing(&sweep, guess) {
                match parts {
                    Some(parts) => todo.extend(parts.map(|p| (p, guess))),
                    None => found.push(Crossing { near: k, pieces, t, normal }),
                }
                // A body that flies through another meets all of its faces; some say enough.
                if found.len() == ENOUGH {
                    return found;
                }
            }
        }
    }
    found
}

/// Adds the touching places of a crossing to its pair; returns how many there were before.
pub fn add_touches(near: &mut Near, crossing: &Crossing, a: &Skin, b: &Skin) -> usize {
    let before = near.touches.len();
    if let Solid::HalfSpace(n) = b.form.solid {
        for i in 0..a.points.len() {
            let known = near.touches.iter().any(|t| t.a.corners == [i as u32; 3] && t.a.weights[0] == 1.0);
            let end = n.dot(a.next[i] - b.next[0]) - a.form.radius;
            if !known && end < LEAST * near.clearance {
                near.touches.push(over_plane(a, i, n, b.points[0]));
            }
        }
    } else {
        let sweep = Sweep {
            a: Way::of(a, crossing.pieces.0),
            b: Way::of(b, crossing.pieces.1),
            radii: a.form.radius + b.form.radius,
            least: LEAST * near.clearance,
            halvings: HALVINGS,
        };
        // Where the pieces are about to meet: as late as they are still apart.
        for t in [crossing.t, 0.5 * crossing.t, 0.0] {
            if touches_at(near, (a, b), crossing.pieces, &sweep, t, crossing.normal) {
                break;
            }
        }
        // One of many faces: those of its places that would end closest stand for all.
        if crossing.pieces != (None, None) {
            let fresh = &mut near.touches[before..];
            fresh.sort_by(|t, u| end_gap(t, a, b).total_cmp(&end_gap(u, a, b)));
            near.touches.truncate(before + PLACES);
        }
    }
    before
}

/// Gap of a touching place at the end of the step.
pub fn end_gap(t: &Touch, a: &Skin, b: &Skin) -> f64 {
    t.gap + t.normal.dot(a.displacement(&t.a) - b.displacement(&t.b))
}

/// Smallest gap of a pair at the end of the step.
pub fn end_distance(near: &Near, a: &Skin, b: &Skin) -> f64 {
    if let Solid::HalfSpace(n) = b.form.solid {
        return a.next.iter().map(|x| n.dot(*x - b.next[0])).fold(f64::INFINITY, f64::min) - a.form.radius;
    }
    let radii = a.form.radius + b.form.radius;
    let mut least = f64::INFINITY;
    let mut todo: SmallVec<[PiecePair; 32]> = SmallVec::new();
    for plane in &near.planes {
        todo.push((plane.a, plane.b));
        while let Some((pa, pb)) = todo.pop() {
            let (ca, cb) = (cloud(a, pa, true), cloud(b, pb, true));
            let along = gap_along(&ca, &cb, plane.normal) - radii;
            // The old plane gives a bound; where it is not good enough, the distance itself.
            if along >= 0.5 * near.clearance {
                least = least.min(along);
                continue;
            }
            match (separation(&ca, &cb, plane.normal), halves((a, pa), (b, pb))) {
                (Some(s), None) => least = least.min(s.gap - radii),
                (Some(s), Some(_)) if s.gap - radii >= 0.5 * near.clearance => {
                    least = least.min(s.gap - radii)
                }
                (_, Some(parts)) => todo.extend(parts),
                (None, None) => least = least.min(along),
            }
        }
    }
    least
}
