//! Narrow phase: from two skins near each other to touching places, and the planes that prove them apart.

use super::advance::end_gap;
use super::bounds::Bounds;
use super::distance::{Cloud, Separation, axis_between, gap_along, separation, separation_within};
use super::sweep::{HALVINGS, Sweep, Way, first_crossing};
use super::touch::{Piece, Touch, reduce, touches};
use super::{Object, Tuning};
use crate::math::Vec3;
use crate::skin::{Skin, SkinPoint, Solid};
use smallvec::{SmallVec, smallvec};

/// Two objects near each other, and what is known of them in this step.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// The first object.
    pub a: u32,
    /// The second.
    pub b: u32,
    /// Planes that separate pieces of the two at the start of the step. Together the pieces are all that could meet.
    pub planes: SmallVec<[Plane; 1]>,
    /// Touching places.
    pub touches: Vec<Touch>,
    /// Gap to be kept `[m]`.
    pub clearance: f64,
    /// Smallest gap at the start `[m]`.
    pub gap: f64,
    /// Size of the thinner object `[m]`.
    pub size: f64,
}

/// A plane between two pieces.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Piece of the first object, or all of it.
    pub a: Option<u32>,
    /// Piece of the second.
    pub b: Option<u32>,
    /// From the second to the first; zero if the pieces meet.
    pub normal: Vec3,
    /// Gap along the normal, radii taken off.
    pub gap: f64,
}

/// The points of a piece of a skin at the start or the end of the step.
pub fn cloud(skin: &Skin, piece: Option<u32>, end: bool) -> Cloud<'_> {
    Cloud { points: if end { &skin.next } else { &skin.points }, corners: skin.corners(piece) }
}

/// Looks at two objects. `guess` is the normal of the last step.
pub fn look(a: (u32, &Object), b: (u32, &Object), guess: Option<Vec3>, tuning: &Tuning) -> Near {
    let (sa, sb) = (a.1.skin, b.1.skin);
    let size = sa.form.size.min(sb.form.size);
    let clearance = tuning.clearance * size;
    let mut near = Near { a: a.0, b: b.0, clearance, gap: f64::INFINITY, size, ..Near::default() };
    let drift = (a.1.drift - b.1.drift).length() + a.1.spread + b.1.spread;
    // Either may be stopped by a third in this step; half of its way is looked ahead for that.
    let stopped = 0.5 * a.1.drift.length().max(b.1.drift.length());
    let reach = 2.0 * clearance + drift.max(stopped);
    if let Solid::HalfSpace(n) = sb.form.solid {
        return above_plane(near, a.1, b.1, n, reach);
    }
    let guess = guess.unwrap_or_else(|| centre(sa, None) - centre(sb, None)).normalize_or(Vec3::Y);
    let radii = sa.form.radius + sb.form.radius;
    // Of an obstacle with very many faces only those in reach are looked at.
    let mut todo: SmallVec<[PiecePair; 32]> = smallvec![(None, (!b.1.faces.is_empty()).then_some(0))];
    while let Some((pa, pb)) = todo.pop() {
        if beyond(a.1, b.1, pb) {
            continue;
        }
        let (ca, cb) = (cloud(sa, pa, false), cloud(sb, pb, false));
        let parts = halves((sa, pa), (sb, pb));
        if let Some(parts) = parts.filter(|_| ca.len().max(cb.len()) > MANY) {
            todo.extend(parts);
            continue;
        }
        // Where a plane known before keeps them far apart, nothing better is needed.
        let gap = gap_along(&ca, &cb, guess) - radii;
        if gap > reach || is_aside(&near, (sa, sb), (pa, pb), guess, gap) {
            near.gap = near.gap.min(gap);
            near.planes.push(Plane { a: pa, b: pb, normal: guess, gap });
            continue;
        }
        // So does a plane across an axis: of the pieces of two bodies most lie side by side.
        if pa.is_some() || pb.is_some() {
            let (normal, gap) = axis_between(&ca, &cb);
            if gap - radii > reach {
                near.gap = near.gap.min(gap - radii);
                near.planes.push(Plane { a: pa, b: pb, normal, gap: gap - radii });
                continue;
            }
        }
        if parts.is_none() && flat_on_flat(&mut near, (sa, sb), (pa, pb)) {
            continue;
        }
        let apart = separation_within(&ca, &cb, guess, reach + radii);
        let plane = apart.as_ref().map(|s| Plane { a: pa, b: pb, normal: s.normal, gap: s.gap - radii });
        match (parts, plane) {
            (None, _) => examine(&mut near, a.1, b.1, (pa, pb), apart, reach),
            // Hulls that are apart touch like convex bodies, where they are no more than slightly hollow. Where nothing but
            // their closest points is found to touch, it may be over a hollow: then the parts are looked at.
            (Some(parts), Some(plane))
                if plane.gap >= 0.5 * clearance && is_even((sa, pa)) && is_even((sb, pb)) =>
            {
                let known = (near.planes.len(), near.touches.len());
                examine(&mut near, a.1, b.1, (pa, pb), apart, reach);
                if near.touches[known.1..].iter().any(|t| t.is_of_hulls()) {
                    near.planes.truncate(known.0);
                    near.touches.truncate(known.1);
                    todo.extend(parts);
                }
            }
            // A piece may be hollow: its hull says where it is not, but not where it touches.
            (Some(_), Some(plane))
                if plane.gap > reach || is_aside(&near, (sa, sb), (pa, pb), plane.normal, plane.gap) =>
            {
                near.gap = near.gap.min(plane.gap);
                near.planes.push(plane);
            }
            (Some(parts), _) => todo.extend(parts),
        }
    }
    finish(&mut near, a.1, b.1);
    near
}

/// Two single faces of which one lies over the other: its plane separates them, and the touching places are along its
/// normal. False if it is not that simple.
fn flat_on_flat(near: &mut Near, (a, b): (&Skin, &Skin), (pa, pb): PiecePair) -> bool {
    let (Some(fa), Some(fb)) = (pa, pb) else { return false };
    let radii = a.form.radius + b.form.radius;
    for normal in [b.face_normal(fb), -a.face_normal(fa)] {
        let gap = gap_along(&cloud(a, pa, false), &cloud(b, pb, false), normal) - radii;
        if gap < 0.5 * near.clearance {
            continue;
        }
        let known = near.touches.len();
        let plane = Separation { normal, gap: gap + radii, witness: SmallVec::new() };
        let (from, to) = (Piece::at_start(a, pa), Piece::at_start(b, pb));
        touches(&from, &to, &plane, CLOSE * near.clearance, &mut near.touches);
        if near.touches.len() > known {
            near.gap = near.gap.min(gap);
            near.planes.push(Plane { a: pa, b: pb, normal, gap });
            return true;
        }
    }
    false
}

/// Whether two pieces among many are no more than in the neighbourhood: neither close at the start nor at the end.
fn is_aside(near: &Near, (a, b): (&Skin, &Skin), (pa, pb): PiecePair, normal: Vec3, gap: f64) -> bool {
    let far = CLOSE * near.clearance;
    let end = || gap_along(&cloud(a, pa, true), &cloud(b, pb, true), normal) - a.form.radius - b.form.radius;
    (pa.is_some() || pb.is_some()) && gap >= far && end() >= far
}

/// Clearances up to which places among many pieces count as touching.
const CLOSE: f64 = 2.0;

/// Pieces with more corners than this are parted at once.
const MANY: usize = 400;

/// Whether a piece of an obstacle lies outside the room a body has in this step. Only obstacles keep boxes: they may have
/// very many faces.
fn beyond(a: &Object, b: &Object, piece: Option<u32>) -> bool {
    piece.and_then(|p| b.faces.get(p as usize)).is_some_and(|bounds| !bounds.overlaps(&a.bounds))
}

/// The larger of two pieces in two, beside the other; none if neither can be parted: a face, or a skin that is convex.
pub fn halves((a, pa): (&Skin, Option<u32>), (b, pb): (&Skin, Option<u32>)) -> Option<[PiecePair; 2]> {
    let parts = |s: &Skin, piece: Option<u32>| match s.form.solid {
        Solid::Faces => s.form.pieces.halves(piece.unwrap_or(0)),
        _ => None,
    };
    let count = |s: &Skin, piece: Option<u32>| s.form.pieces.faces(piece.unwrap_or(0)).len();
    match (parts(a, pa), parts(b, pb)) {
        (Some(x), Some(y)) => Some(if count(a, pa) >= count(b, pb) {
            x.map(|p| (Some(p), pb))
        } else {
            y.map(|p| (pa, Some(p)))
        }),
        (Some(x), None) => Some(x.map(|p| (Some(p), pb))),
        (None, Some(y)) => Some(y.map(|p| (pa, Some(p)))),
        (None, None) => None,
    }
}

/// Whether all of a piece looks about the same way, or it is all of a body: then what its hull touches it touches itself.
/// Where every point moves on its own, each face counts with its own normal.
fn is_even((skin, piece): (&Skin, Option<u32>)) -> bool {
    piece.is_none_or(|p| skin.form.places != usize::MAX && skin.form.pieces.is_even(p))
}

/// Box around a piece's way through the step.
pub fn piece_bounds(skin: &Skin, piece: u32) -> Bounds {
    let corners = skin.form.pieces.corners(piece);
    Bounds::of(corners.iter().flat_map(|i| [skin.points[*i as usize], skin.next[*i as usize]]))
        .grown(skin.form.radius)
}

fn centre(skin: &Skin, piece: Option<u32>) -> Vec3 {
    match skin.corners(piece) {
        None => skin.points.iter().sum::<Vec3>() / skin.points.len() as f64,
        Some(corners) => {
            corners.iter().map(|i| skin.points[*i as usize]).sum::<Vec3>() / corners.len() as f64
        }
    }
}

/// Gaps above this many clearances are looked at where the pieces would meet.
const FAR: f64 = 2.0;

/// Pieces of two objects.
pub type PiecePair = (Option<u32>, Option<u32>);

/// Notes the plane between two pieces and the places where they touch.
pub fn examine(
    near: &mut Near,
    a: &Object,
    b: &Object,
    (fa, fb): PiecePair,
    apart: Option<Separation>,
    reach: f64,
) {
    let radii = a.skin.form.radius + b.skin.form.radius;
    let Some(apart) = apart else {
        touching(near, a, b, (fa, fb));
        return;
    };
    let gap = apart.gap - radii;
    near.gap = near.gap.min(gap);
    near.planes.push(Plane { a: fa, b: fb, normal: apart.normal, gap });
    if gap > reach || is_aside(near, (a.skin, b.skin), (fa, fb), apart.normal, gap) {
        return;
    }
    // Far movers are looked at where they would meet, or not at all if they would miss.
    let size = a.skin.form.size.min(b.skin.form.size);
    if reach > 0.5 * size && gap > FAR * near.clearance {
        let sweep = Sweep {
            a: Way::of(a.skin, fa),
            b: Way::of(b.skin, fb),
            radii,
            least: 0.5 * near.clearance,
            halvings: HALVINGS,
        };
        if let Some((t, normal)) = first_crossing(&sweep, apart.normal) {
            touches_at(near, (a.skin, b.skin), (fa, fb), &sweep, t, normal);
        }
        return;
    }
    let (pa, pb) = (Piece::at_start(a.skin, fa), Piece::at_start(b.skin, fb));
    touches(&pa, &pb, &apart, reach, &mut near.touches);
}

/// Depth up to which an overlap counts as touching, as a share of the size. Scenes put boxes exactly on each other.
const TOUCHING: f64 = 1e-5;

/// Two pieces that are not apart: if they are once both are shrunk a little, they merely touch; else they overlap,
/// which is noted by a plane without a normal.
fn touching(near: &mut Near, a: &Object, b: &Object, (fa, fb): PiecePair) {
    // Towards the middle of the whole body: a face alone would shrink within its own plane.
    let shrunk = |skin: &Skin| -> Vec<Vec3> {
        let middle = centre(skin, None);
        skin.points.iter().map(|p| middle + (*p - middle) * (1.0 - TOUCHING)).collect()
    };
    let (xa, xb) = (shrunk(a.skin), shrunk(b.skin));
    let guess = centre(a.skin, fa) - centre(b.skin, fb);
    let apart = separation(
        &Cloud { points: &xa, corners: a.skin.corners(fa) },
        &Cloud { points: &xb, corners: b.skin.corners(fb) },
        guess,
    );
    let radii = a.skin.form.radius + b.skin.form.radius;
    let normal = apart.as_ref().filter(|s| s.gap > radii * (1.0 - TOUCHING)).map_or(Vec3::ZERO, |s| s.normal);
    near.gap = near.gap.min(0.0);
    near.planes.push(Plane { a: fa, b: fb, normal, gap: 0.0 });
    if let (Some(apart), true) = (apart, normal != Vec3::ZERO) {
        let (pa, pb) =
            (Piece { skin: a.skin, piece: fa, points: &xa }, Piece { skin: b.skin, piece: fb, points: &xb });
        touches(&pa, &pb, &apart, near.clearance, &mut near.touches);
    }
}

/// Touching places of two pieces as they stand at time `t` of the step, with the gaps they have at its start; false if
/// the pieces overlap then.
pub fn touches_at(
    near: &mut Near,
    (sa, sb): (&Skin, &Skin),
    (fa, fb): PiecePair,
    sweep: &Sweep,
    t: f64,
    fallback: Vec3,
) -> bool {
    let (xa, xb) = (sweep.a.points(t), sweep.b.points(t));
    let (all_a, all_b) =
        (Cloud { points: &xa, corners: sweep.a.corners }, Cloud { points: &xb, corners: sweep.b.corners });
    let Some(apart) = separation(&all_a, &all_b, fallback) else { return false };
    let from = near.touches.len();
    let (pa, pb) = (Piece { skin: sa, piece: fa, points: &xa }, Piece { skin: sb, piece: fb, points: &xb });
    touches(&pa, &pb, &apart, 2.0 * near.clearance + apart.gap - sweep.radii, &mut near.touches);
    for touch in &mut near.touches[from..] {
        let start = |s: &Skin, p: &SkinPoint| -> Vec3 {
            (0..3).map(|k| s.points[p.corners[k] as usize] * p.weights[k]).sum()
        };
        let (a, b) = (start(sa, &touch.a), start(sb, &touch.b));
        touch.gap = touch.normal.dot(a - b) - sweep.radii;
        touch.a.at = a - touch.normal * sa.form.radius;
        touch.b.at = b + touch.normal * sb.form.radius;
    }
    drop_known(near, from);
    true
}

/// Adds the touching places of two pieces as they stand at given positions, with the gaps they have there.
pub fn touches_as_they_stand(
    near: &mut Near,
    ((fa, fb), normal): (PiecePair, Vec3),
    (a, xa): (&Skin, &[Vec3]),
    (b, xb): (&Skin, &[Vec3]),
) {
    let from = near.touches.len();
    if let Solid::HalfSpace(n) = b.form.solid {
        for (i, x) in xa.iter().enumerate() {
            if n.dot(*x - xb[0]) - a.form.radius <= near.clearance {
                near.touches.push(over_plane(a, i, n, b.points[0]));
            }
        }
    } else {
        let (ca, cb) =
            (Cloud { points: xa, corners: a.corners(fa) }, Cloud { points: xb, corners: b.corners(fb) });
        if let Some(apart) = separation(&ca, &cb, normal) {
            let (pa, pb) =
                (Piece { skin: a, piece: fa, points: xa }, Piece { skin: b, piece: fb, points: xb });
            touches(&pa, &pb, &apart, near.clearance + apart.gap, &mut near.touches);
        }
    }
    drop_known(near, from);
}

/// What is known already needs no second row.
fn drop_known(near: &mut Near, from: usize) {
    let (known, new) = near.touches.split_at(from);
    let close = 0.02 * near.size;
    let same = |t: &Touch, u: &Touch| {
        t.id == u.id && t.normal.dot(u.normal) > 0.999_999 && t.a.at.distance_squared(u.a.at) < close * close
    };
    let fresh: Vec<Touch> = new.iter().filter(|t| !known.iter().any(|u| same(t, u))).copied().collect();
    near.touches.truncate(from);
    near.touches.extend(fresh);
}

/// Every corner over a half space.
fn above_plane(mut near: Near, a: &Object, b: &Object, n: Vec3, reach: f64) -> Near {
    let foot = b.skin.points[0];
    let radius = a.skin.form.radius;
    for (i, x) in a.skin.points.iter().enumerate() {
        let gap = n.dot(*x - foot) - radius;
        near.gap = near.gap.min(gap);
        if gap <= reach {
            near.touches.push(over_plane(a.skin, i, n, foot));
        }
    }
    near.planes.push(Plane { a: None, b: None, normal: n, gap: near.gap });
    // Every corner is there once.
    keep_most(&mut near, a, b);
    near
}

/// A corner over a half space.
pub fn over_plane(skin: &Skin, i: usize, n: Vec3, foot: Vec3) -> Touch {
    let at = skin.points[i] - n * skin.form.radius;
    let gap = n.dot(at - foot);
    Touch {
        a: SkinPoint::corner(i as u32, at),
        b: SkinPoint::corner(0, at - n * gap),
        normal: n,
        gap,
        id: i as u64,
    }
}

/// Places of two skins nearer to each other than this share of their size are one.
const SAME: f64 = 1e-6;
/// The same of skins that move as a whole: a corner just beside an edge is a place over a face and two of edges, which a body
/// cannot tell apart. Impulses would wander between them without end.
const BESIDE: f64 = 0.02;

/// Drops doubles and keeps as many for each direction in which the two meet as the softer needs to be held.
pub fn finish(near: &mut Near, a: &Object, b: &Object) {
    let expected = |t: &Touch| end_gap(t, a.skin, b.skin);
    if near.planes.len() > 1 {
        // Many pieces see much that is merely in the neighbourhood.
        near.touches.retain(|t| t.gap.min(expected(t)) < CLOSE * near.clearance);
    }
    let most = a.skin.form.places.max(b.skin.form.places);
    let share = if most == usize::MAX { SAME } else { BESIDE };
    let close = share * a.skin.form.size.min(b.skin.form.size);
    let mut kept = 0;
    for k in 0..near.touches.len() {
        let t = near.touches[k];
        let same =
            |u: &Touch| u.a.at.distance_squared(t.a.at) < close * close && u.normal.dot(t.normal) > 0.999;
        match near.touches[..kept].iter().position(same) {
            // The closer of the two stands for both; features that are as close as each other do not take turns.
            Some(known) => {
                if expected(&t) < expected(&near.touches[known]) - 0.1 * near.clearance {
                    near.touches[known] = t;
                }
            }
            None => {
                near.touches[kept] = t;
                kept += 1;
            }
        }
    }
    near.touches.truncate(kept);
    keep_most(near, a, b);
}

/// Keeps as many places for each direction in which the two meet as the softer needs to be held.
fn keep_most(near: &mut Near, a: &Object, b: &Object) {
    let most = a.skin.form.places.max(b.skin.form.places);
    if near.touches.len() > most {
        let all = std::mem::take(&mut near.touches);
        let expected = |t: &Touch| end_gap(t, a.skin, b.skin);
        thin_out(near, all, most, expected);
    }
    // They stay for the whole step.
    near.touches.shrink_to_fit();
}

/// Keeps the most telling places of each direction.
fn thin_out(near: &mut Near, mut unique: Vec<Touch>, most: usize, expected: impl Fn(&Touch) -> f64) {
    while let Some(first) = unique.first().copied() {
        let (mut alike, rest): (Vec<Touch>, Vec<Touch>) =
            unique.into_iter().partition(|t| t.normal.dot(first.normal) > ALIKE);
        reduce(&mut alike, most, &expected);
        near.touches.append(&mut alike);
        unique = rest;
    }
}

/// Normals closer to each other than this count as one direction: 18 degrees.
const ALIKE: f64 = 0.95;
