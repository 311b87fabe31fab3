//! The guarantee: a state free of intersections stays free.
//!
//! After the solve every pair near each other is checked on its straight way through the step. A pair that would come
//! too close is parted by the least shift in the mass metric; what still is too close after that is held back to
//! just before the crossing, together with whatever it touches.

use super::narrow::{Near, Plane, still_apart, touches_at};
use super::sweep::{Sweep, first_crossing};
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
pub const LEAST: f64 = 0.25;

/// Pairs that would come too close, among those for which `changed` says so.
pub fn crossings<'a>(near: &[Near], skin: impl Fn(u32) -> &'a Skin + Sync, changed: impl Fn(&Near) -> bool + Sync) -> Vec<Crossing> {
    near.par_iter()
        .with_min_len(64)
        .enumerate()
        .filter(|(_, n)| changed(n))
        .filter_map(|(k, n)| crossing(k, n, skin(n.a), skin(n.b)))
        .collect()
}

fn crossing(k: usize, near: &Near, a: &Skin, b: &Skin) -> Option<Crossing> {
    let least = LEAST * near.clearance;
    for (p, plane) in near.planes.iter().enumerate() {
        if let Solid::HalfSpace(n) = b.form.solid {
            // The plane itself may move; its normal stays within a step.
            let foot = b.next[0];
            let low = a.next.iter().map(|x| n.dot(*x - foot)).fold(f64::INFINITY, f64::min) - a.form.radius;
            if low < least.min(0.9 * plane.gap) {
                let t = if plane.gap > low { ((plane.gap - least) / (plane.gap - low)).clamp(0.0, 1.0) } else { 0.0 };
                return Some(Crossing { near: k, plane: p, t, normal: n });
            }
            continue;
        }
        let enough = plane.gap >= least && plane.normal != Vec3::ZERO && still_apart(a, b, plane, least);
        if enough {
            continue;
        }
        let sweep = sweep_of(near, plane, a, b);
        if let Some((t, normal)) = first_crossing(&sweep, plane.normal) {
            return Some(Crossing { near: k, plane: p, t, normal });
        }
    }
    None
}

fn sweep_of<'a>(near: &Near, plane: &Plane, a: &'a Skin, b: &'a Skin) -> Sweep<'a> {
    Sweep { a: (a, plane.a), b: (b, plane.b), radii: a.form.radius + b.form.radius, least: LEAST * near.clearance }
}

/// Adds the touching places of a crossing to its pair; returns how many there were before.
pub fn add_touches(near: &mut Near, crossing: &Crossing, a: &Skin, b: &Skin) -> usize {
    let before = near.touches.len();
    let plane = near.planes[crossing.plane];
    if !matches!(b.form.solid, Solid::HalfSpace(_)) {
        let sweep = sweep_of(near, &plane, a, b);
        touches_at(near, &sweep, crossing.t, crossing.normal);
    }
    before
}
