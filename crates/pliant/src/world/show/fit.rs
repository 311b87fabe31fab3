//! Triangles cut corners that the coat itself goes round. Where they would cut what it touches they are made finer, with
//! new points on the edge that they had cut; what still is in the way after that gives way a little. Where a surface cannot be
//! made to fit, or would come to pass through itself, it is made again and there, only there, stays farther off everything.

use super::{Neighbours, SHOWN_GAP};
use crate::contact::{Bounds, Coat, Limit, Surface};
use crate::math::Vec3;
use rayon::prelude::*;

/// So often triangles are split.
const SPLITS: usize = 5;
/// And so often points draw back, first by this share of the thickness, then each time by twice as much.
const RETREATS: usize = 7;
const FIRST: f64 = 2e-3;
/// Places that are tried along an edge.
const TRIED: usize = 8;

/// So often a surface is made anew.
const TRIES: usize = 8;

/// The surface of a coat among others, and which of its points were put elsewhere than where they were found; `cut_by` names
/// the triangles of one that are in the way of others, `folds` those that meet others of its own.
pub(super) fn fitting(
    coat: &dyn Coat,
    limits: &mut Neighbours,
    cut_by: impl Fn(&Surface) -> Vec<u32>,
    folds: impl Fn(&Surface, &[bool]) -> Vec<u32>,
) -> (Surface, Vec<bool>) {
    let mut sculptor = coat.sculptor();
    let mut changed: Option<Vec<Bounds>> = None;
    let mut make = |limits: &Neighbours, changed: &Option<Vec<Bounds>>| {
        let surface = seen(sculptor.surface(limits, changed.as_deref()), coat, limits);
        let put = vec![false; surface.points.len()];
        (surface, put)
    };
    for _ in 0..TRIES {
        let (mut surface, mut put) = make(limits, &changed);
        let cut = cut_by(&surface);
        if cut.is_empty() {
            return (surface, put);
        }
        let cut = fit((&mut surface, &mut put), cut, coat, limits, &cut_by);
        let middle = |t: u32| {
            surface.triangles[t as usize].map(|k| surface.points[k as usize]).iter().sum::<Vec3>() / 3.0
        };
        let mut amiss: Vec<Vec3> = cut.into_iter().chain(folds(&surface, &put)).map(middle).collect();
        // Between solids that are close to each other there may be no way out of both.
        amiss.par_extend(
            surface.points.par_iter().with_min_len(64).filter(|p| limits.is_in_one(**p)).copied(),
        );
        if amiss.is_empty() {
            return (surface, put);
        }
        changed = Some(limits.retreats.grow(&amiss, coat.edge()));
    }
    make(limits, &changed)
}

/// A surface among others, without pieces that lie behind something: a thin wall that presses a coat in has some of its field on
/// the far side, too.
fn seen(mut surface: Surface, coat: &dyn Coat, limits: &Neighbours) -> Surface {
    let pieces = surface.pieces();
    let mut is_seen = vec![false; pieces.iter().max().map_or(0, |p| *p as usize + 1)];
    for ((p, owner), piece) in surface.points.iter().zip(&surface.owners).zip(&pieces) {
        let piece = &mut is_seen[*piece as usize];
        *piece = *piece || !limits.hides(coat.core(*owner, *p), *p);
    }
    if is_seen.contains(&false) {
        surface.keep(|k| is_seen[pieces[k as usize] as usize]);
    }
    surface
}

/// Brings triangles of a surface that are cut out of the way, and marks points that it puts somewhere; returns those that are
/// cut after that.
fn fit(
    (surface, put): (&mut Surface, &mut Vec<bool>),
    mut cut: Vec<u32>,
    coat: &dyn Coat,
    limits: &Neighbours,
    cut_by: impl Fn(&Surface) -> Vec<u32>,
) -> Vec<u32> {
    let mut last = usize::MAX;
    for _ in 0..SPLITS {
        // Where there is no room at all, finer triangles are cut as well, four for each.
        if cut.is_empty() || cut.len() >= std::mem::replace(&mut last, cut.len()) {
            break;
        }
        surface.split(&cut, |s, a, b| between(s, [a, b], coat, limits));
        put.resize(surface.points.len(), true);
        cut = cut_by(surface);
    }
    let mut back = FIRST * limits.e;
    for _ in 0..RETREATS {
        if cut.is_empty() {
            break;
        }
        let mut points: Vec<u32> = cut.iter().flat_map(|t| surface.triangles[*t as usize]).collect();
        points.sort_unstable();
        points.dedup();
        for k in points {
            let inward = -surface.normals[k as usize];
            surface.points[k as usize] += inward * back;
            put[k as usize] = true;
        }
        back *= 2.0;
        cut = cut_by(surface);
    }
    cut
}

/// The new point of an edge, and the normal there.
fn between(s: &Surface, ends: [u32; 2], coat: &dyn Coat, limits: &Neighbours) -> (Vec3, Vec3) {
    let [p, q] = ends.map(|k| s.points[k as usize]);
    let outward = ends.map(|k| s.normals[k as usize]).into_iter().sum::<Vec3>().normalize_or(Vec3::Y);
    let gap = SHOWN_GAP * limits.e;
    let along = |t: f64| p.lerp(q, t);
    // Many places are tried, all of them nearer to the middle than twice the edge.
    let limits = &limits.around(along(0.5), 2.0 * p.distance(q));
    let tried = (1..TRIED).map(|k| k as f64 / TRIED as f64);
    let deepest = tried.map(|t| (limits.room(along(t)), t)).min_by(|a, b| a.0.total_cmp(&b.0));
    match deepest {
        Some((room, t)) if room < gap => {
            let from = along(deeper(t, |t| limits.room(along(t))));
            (way_out(from, -outward, p.distance(q), |x| limits.room(x) >= gap), outward)
        }
        _ => onto(along(0.5), outward, 0.25 * p.distance(q), coat, limits),
    }
}

/// The least of a function near a place, where it has but one.
fn deeper(t: f64, room: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (t - 1.0 / TRIED as f64, t + 1.0 / TRIED as f64);
    for _ in 0..20 {
        let third = (high - low) / 3.0;
        if room(low + third) < room(high - third) { high -= third } else { low += third }
    }
    0.5 * (low + high)
}

/// The first place in a direction from which on it is free; an edge that was cut lies there, since both of its faces are
/// equally far from where the cut was deepest.
fn way_out(from: Vec3, direction: Vec3, longest: f64, is_free: impl Fn(Vec3) -> bool) -> Vec3 {
    let (mut low, mut high) = (0.0, longest);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if is_free(from + direction * middle) { high = middle } else { low = middle }
    }
    from + direction * high
}

/// The place of the limited surface near another, and the normal there.
pub(super) fn onto(
    mut p: Vec3,
    mut normal: Vec3,
    farthest: f64,
    coat: &dyn Coat,
    limits: &Neighbours,
) -> (Vec3, Vec3) {
    for _ in 0..6 {
        let (f, gradient) = coat.at(p);
        let (inside, slope) = limits.at(p, f, gradient);
        let steep = slope.length();
        if steep == 0.0 {
            break;
        }
        normal = -slope / steep;
        p += normal * (inside / steep).clamp(-farthest, farthest);
    }
    (p, normal)
}
