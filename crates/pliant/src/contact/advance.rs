//! The guarantee: a state free of intersections stays free.
//!
//! After the solve every pair near each other is checked on its straight way through the step.

use super::distance::{gap_along, separation};
use super::narrow::{Near, Plane, cloud, over_plane, touches_at};
use super::sweep::{Sweep, Way, first_crossing};
use crate::math::Vec3;
use crate::skin::{Skin, Solid};
use rayon::prelude::*;

/// A pair that would come too close.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Index of the pair in `Contacts::near`.
    pub near: usize,
    /// Index of the plane in the pair.
    pub plane: usize,
    /// Time of the step just before which it happens.
    pub t: f64,
    /// Normal then.
    pub normal: Vec3,
}

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
        .filter_map(|(k, n)| {
            let (a, b) = (skin(n.a), skin(n.b));
            crossing(k, n, (a, b), (&a.points, &a.next), (&b.points, &b.next))
        })
        .collect()
}

/// The first place where a pair would come too close on the given ways.
pub fn crossing(k: usize, near: &Near, (a, b): (&Skin, &Skin), pa: Path, pb: Path) -> Option<Crossing> {
    let least = LEAST * near.clearance;
    if let Solid::HalfSpace(n) = b.form.solid {
        // The plane itself may move; its normal stays within a step.
        let height = |points: &[Vec3], foot: Vec3| {
            points.iter().map(|x| n.dot(*x - foot)).fold(f64::INFINITY, f64::min) - a.form.radius
        };
        let end = height(pa.1, pb.1[0]);
        if end >= least {
            return None;
        }
        let start = height(pa.0, pb.0[0]);
        if end >= (1.0 - 1e-6) * start {
            return None;
        }
        let t = if start > end { ((start - least) / (start - end)).clamp(0.0, 1.0) } else { 0.0 };
        return Some(Crossing { near: k, plane: 0, t, normal: n });
    }
    for (p, plane) in near.planes.iter().enumerate() {
        let sweep = sweep_of(near, plane, (a, b), pa, pb);
        if let Some((t, normal)) = first_crossing(&sweep, plane.normal) {
            return Some(Crossing { near: k, plane: p, t, normal });
        }
    }
    None
}

fn sweep_of<'a>(
    near: &Near,
    plane: &Plane,
    (a, b): (&'a Skin, &'a Skin),
    pa: Path<'a>,
    pb: Path<'a>,
) -> Sweep<'a> {
    let way = |skin: &'a Skin, face: Option<u32>, (from, to): Path<'a>| Way {
        from,
        to,
        corners: face.map(|f| &skin.form.faces[f as usize][..]),
    };
    Sweep {
        a: way(a, plane.a, pa),
        b: way(b, plane.b, pb),
        radii: a.form.radius + b.form.radius,
        least: LEAST * near.clearance,
    }
}

/// Adds the touching places of a crossing to its pair; returns how many there were before.
pub fn add_touches(near: &mut Near, crossing: &Crossing, a: &Skin, b: &Skin) -> usize {
    let before = near.touches.len();
    let plane = near.planes[crossing.plane];
    if let Solid::HalfSpace(n) = b.form.solid {
        for i in 0..a.points.len() {
            let known = near.touches.iter().any(|t| t.a.corners == [i as u32; 3] && t.a.weights[0] == 1.0);
            let end = n.dot(a.next[i] - b.next[0]) - a.form.radius;
            if !known && end < LEAST * near.clearance {
                near.touches.push(over_plane(a, i, n, b.points[0]));
            }
        }
    } else {
        let sweep = sweep_of(near, &plane, (a, b), (&a.points, &a.next), (&b.points, &b.next));
        // Where the pieces are about to meet: as late as they are still apart.
        for t in [crossing.t, 0.5 * crossing.t, 0.0] {
            if touches_at(near, (a, b), (plane.a, plane.b), &sweep, t, crossing.normal) {
                break;
            }
        }
    }
    before
}

/// Smallest gap of a pair at the end of the step.
pub fn end_distance(near: &Near, a: &Skin, b: &Skin) -> f64 {
    if let Solid::HalfSpace(n) = b.form.solid {
        return a.next.iter().map(|x| n.dot(*x - b.next[0])).fold(f64::INFINITY, f64::min) - a.form.radius;
    }
    let radii = a.form.radius + b.form.radius;
    let of = |plane: &Plane| {
        let (ca, cb) = (cloud(a, plane.a, true), cloud(b, plane.b, true));
        let along = gap_along(&ca, &cb, plane.normal) - radii;
        // The old plane gives a bound; where it is not good enough, the distance itself.
        if along >= 0.5 * near.clearance {
            along
        } else {
            separation(&ca, &cb, plane.normal).map_or(along, |s| s.gap - radii)
        }
    };
    near.planes.iter().map(of).fold(f64::INFINITY, f64::min)
}
