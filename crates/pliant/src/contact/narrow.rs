//! Narrow phase: from two skins near each other to touching places, and the planes that prove them apart.

use super::bounds::Bounds;
use super::distance::{Cloud, Separation, gap_along, separation};
use super::sweep::{Sweep, Way, first_crossing};
use super::touch::{Piece, Touch, reduce, touches};
use super::{Object, Tuning};
use crate::math::Vec3;
use crate::skin::{Skin, SkinPoint, Solid};

/// Two objects near each other, and what is known of them in this step.
#[derive(Clone, Debug)]
pub struct Near {
    /// The first object.
    pub a: u32,
    /// The second.
    pub b: u32,
    /// Planes that separate pieces of the two at the start of the step.
    pub planes: Vec<Plane>,
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
    /// Piece of the first object: all, or a face.
    pub a: Option<u32>,
    /// Piece of the second.
    pub b: Option<u32>,
    /// From the second to the first; zero if the pieces meet.
    pub normal: Vec3,
    /// Gap along the normal, radii taken off.
    pub gap: f64,
}

/// The points of a piece of a skin at the start or the end of the step.
pub fn cloud<'a>(skin: &'a Skin, face: Option<u32>, end: bool) -> Cloud<'a> {
    Cloud {
        points: if end { &skin.next } else { &skin.points },
        corners: face.map(|f| &skin.form.faces[f as usize][..]),
    }
}

/// Looks at two objects. `guess` is the normal of the last step.
pub fn look(a: (u32, &Object), b: (u32, &Object), guess: Option<Vec3>, tuning: &Tuning) -> Near {
    let (sa, sb) = (a.1.skin, b.1.skin);
    let size = sa.form.size.min(sb.form.size);
    let clearance = tuning.clearance * size;
    let mut near =
        Near { a: a.0, b: b.0, planes: vec![], touches: vec![], clearance, gap: f64::INFINITY, size };
    let drift = (a.1.drift - b.1.drift).length() + a.1.spread + b.1.spread;
    // Either may be stopped by a third in this step; half of its way is looked ahead for that.
    let stopped = 0.5 * a.1.drift.length().max(b.1.drift.length());
    let reach = 2.0 * clearance + drift.max(stopped);
    if let Solid::HalfSpace(n) = sb.form.solid {
        return above_plane(near, a.1, b.1, n, reach);
    }
    let whole = |o: &Object| o.skin.form.solid == Solid::Hull || (o.moves && o.skin.points.len() <= 400);
    if whole(a.1) && whole(b.1) {
        let both_hulls = sa.form.solid == Solid::Hull && sb.form.solid == Solid::Hull;
        let (ca, cb) = (cloud(sa, None, false), cloud(sb, None, false));
        // Where the plane of the last step still keeps them far apart, nothing better is needed.
        let gap = guess.map_or(0.0, |n| gap_along(&ca, &cb, n) - sa.form.radius - sb.form.radius);
        if let Some(normal) = guess.filter(|_| gap > reach) {
            near.gap = gap;
            near.planes.push(Plane { a: None, b: None, normal, gap });
            return near;
        }
        let apart = separation(&ca, &cb, guess.unwrap_or(sa.points[0] - sb.points[0]));
        if both_hulls || apart.is_some() {
            examine(&mut near, a.1, b.1, (None, None), apart, reach);
            finish(&mut near, a.1, b.1);
            return near;
        }
    }
    let mut pairs = vec![];
    face_pairs(a.1, b.1, reach, &mut pairs);
    for (fa, fb) in pairs {
        let guess = centre(sa, fa) - centre(sb, fb);
        let apart = separation(&cloud(sa, fa, false), &cloud(sb, fb, false), guess);
        examine(&mut near, a.1, b.1, (fa, fb), apart, reach);
    }
    finish(&mut near, a.1, b.1);
    near
}

/// Faces of one near faces (or the whole) of the other.
pub fn face_pairs(a: &Object, b: &Object, reach: f64, out: &mut Vec<(Option<u32>, Option<u32>)>) {
    let sweep = |o: &Object, f: u32| face_bounds(o.skin, f);
    match (a.skin.form.solid, b.skin.form.solid) {
        (Solid::Hull, _) => {
            let bounds = a.bounds.grown(reach);
            b.faces.query(&bounds, |f| {
                if sweep(b, f).overlaps(&bounds) {
                    out.push((None, Some(f)));
                }
            });
        }
        (_, Solid::Hull) => {
            let bounds = b.bounds.grown(reach);
            a.faces.query(&bounds, |f| {
                if sweep(a, f).overlaps(&bounds) {
                    out.push((Some(f), None));
                }
            });
        }
        _ => {
            for f in 0..a.skin.form.faces.len() as u32 {
                let bounds = sweep(a, f).grown(reach);
                if !bounds.overlaps(&b.bounds) {
                    continue;
                }
                b.faces.query(&bounds, |g| {
                    if sweep(b, g).overlaps(&bounds) {
                        out.push((Some(f), Some(g)));
                    }
                });
            }
        }
    }
    out.sort_unstable();
}

/// Whether a pair is looked at by its hulls though a surface may be hollow: a plane between the hulls proves it apart, but
/// hulls that meet prove nothing.
pub fn is_coarse(near: &Near, a: &Skin, b: &Skin) -> bool {
    let coarse = |skin: &Skin, piece: Option<u32>| piece.is_none() && skin.form.solid == Solid::Faces;
    let plane = matches!(b.form.solid, Solid::HalfSpace(_));
    !plane && near.planes.iter().any(|p| coarse(a, p.a) || coarse(b, p.b))
}

/// From now on the pair is looked at face by face.
pub fn split(near: &mut Near, a: &Skin, b: &Skin) {
    if !is_coarse(near, a, b) {
        return;
    }
    let way = |s: &Skin| s.points.iter().zip(&s.next).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
    let reach = 2.0 * near.clearance + 0.5 * way(a).max(way(b));
    let pieces = |s: &Skin| -> Vec<(Option<u32>, Bounds)> {
        if s.form.solid == Solid::Hull {
            let all = s.points.iter().chain(&s.next).copied();
            return vec![(None, Bounds::of(all).grown(s.form.radius))];
        }
        (0..s.form.faces.len() as u32).map(|f| (Some(f), face_bounds(s, f))).collect()
    };
    let radii = a.form.radius + b.form.radius;
    let others = pieces(b);
    near.planes.clear();
    for (fa, bounds) in pieces(a) {
        let bounds = bounds.grown(reach);
        for (fb, _) in others.iter().filter(|(_, other)| other.overlaps(&bounds)) {
            let guess = centre(a, fa) - centre(b, *fb);
            let apart = separation(&cloud(a, fa, false), &cloud(b, *fb, false), guess);
            let (normal, gap) = apart.map_or((Vec3::ZERO, 0.0), |s| (s.normal, s.gap - radii));
            near.planes.push(Plane { a: fa, b: *fb, normal, gap });
        }
    }
}

/// Box around a face's way through the step.
pub fn face_bounds(skin: &Skin, face: u32) -> Bounds {
    let corners = &skin.form.faces[face as usize];
    Bounds::of(corners.iter().flat_map(|i| [skin.points[*i as usize], skin.next[*i as usize]]))
        .grown(skin.form.radius)
}

fn centre(skin: &Skin, face: Option<u32>) -> Vec3 {
    match face {
        None => skin.points.iter().sum::<Vec3>() / skin.points.len() as f64,
        Some(f) => {
            let corners = &skin.form.faces[f as usize];
            corners.iter().map(|i| skin.points[*i as usize]).sum::<Vec3>() / corners.len() as f64
        }
    }
}

/// Gaps above this many clearances are looked at where the pieces would meet.
const FAR: f64 = 2.0;

type FacePair = (Option<u32>, Option<u32>);

/// Notes the plane between two pieces and the places where they touch.
fn examine(
    near: &mut Near,
    a: &Object,
    b: &Object,
    (fa, fb): FacePair,
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
    if gap > reach {
        return;
    }
    // Far movers are looked at where they would meet, or not at all if they would miss.
    let size = a.skin.form.size.min(b.skin.form.size);
    if reach > 0.5 * size && gap > FAR * near.clearance {
        let way = |skin: &'_ Skin, face: Option<u32>| face.map(|f| skin.form.faces[f as usize].clone());
        let (ca, cb) = (way(a.skin, fa), way(b.skin, fb));
        let sweep = Sweep {
            a: Way { from: &a.skin.points, to: &a.skin.next, corners: ca.as_deref() },
            b: Way { from: &b.skin.points, to: &b.skin.next, corners: cb.as_deref() },
            radii,
            least: 0.5 * near.clearance,
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
fn touching(near: &mut Near, a: &Object, b: &Object, (fa, fb): FacePair) {
    // Towards the middle of the whole body: a face alone would shrink within its own plane.
    let shrunk = |skin: &Skin| -> Vec<Vec3> {
        let middle = centre(skin, None);
        skin.points.iter().map(|p| middle + (*p - middle) * (1.0 - TOUCHING)).collect()
    };
    let (xa, xb) = (shrunk(a.skin), shrunk(b.skin));
    let corners = |skin: &'_ Skin, face: Option<u32>| face.map(|f| skin.form.faces[f as usize].clone());
    let (ca, cb) = (corners(a.skin, fa), corners(b.skin, fb));
    let guess = centre(a.skin, fa) - centre(b.skin, fb);
    let apart = separation(
        &Cloud { points: &xa, corners: ca.as_deref() },
        &Cloud { points: &xb, corners: cb.as_deref() },
        guess,
    );
    let radii = a.skin.form.radius + b.skin.form.radius;
    let normal = apart.as_ref().filter(|s| s.gap > radii * (1.0 - TOUCHING)).map_or(Vec3::ZERO, |s| s.normal);
    near.gap = near.gap.min(0.0);
    near.planes.push(Plane { a: fa, b: fb, normal, gap: 0.0 });
    if let (Some(apart), true) = (apart, normal != Vec3::ZERO) {
        let (pa, pb) =
            (Piece { skin: a.skin, face: fa, points: &xa }, Piece { skin: b.skin, face: fb, points: &xb });
        touches(&pa, &pb, &apart, near.clearance, &mut near.touches);
    }
}

/// Touching places of two pieces as they stand at time `t` of the step, with the gaps they have at its start; false if
/// the pieces overlap then.
pub fn touches_at(
    near: &mut Near,
    (sa, sb): (&Skin, &Skin),
    (fa, fb): FacePair,
    sweep: &Sweep,
    t: f64,
    fallback: Vec3,
) -> bool {
    let (xa, xb) = (sweep.a.points(t), sweep.b.points(t));
    let (all_a, all_b) =
        (Cloud { points: &xa, corners: sweep.a.corners }, Cloud { points: &xb, corners: sweep.b.corners });
    let Some(apart) = separation(&all_a, &all_b, fallback) else { return false };
    let from = near.touches.len();
    let (pa, pb) = (Piece { skin: sa, face: fa, points: &xa }, Piece { skin: sb, face: fb, points: &xb });
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

/// Adds the touching places of a plane's pieces as they stand at given positions, with the gaps they have there.
pub fn touches_as_they_stand(
    near: &mut Near,
    plane: usize,
    (a, xa): (&Skin, &[Vec3]),
    (b, xb): (&Skin, &[Vec3]),
) {
    let Plane { a: fa, b: fb, normal, .. } = near.planes[plane];
    let from = near.touches.len();
    if let Solid::HalfSpace(n) = b.form.solid {
        for (i, x) in xa.iter().enumerate() {
            if n.dot(*x - xb[0]) - a.form.radius <= near.clearance {
                near.touches.push(over_plane(a, i, n, b.points[0]));
            }
        }
    } else {
        let corners = |s: &'_ Skin, f: Option<u32>| f.map(|f| s.form.faces[f as usize].clone());
        let (ca, cb) = (corners(a, fa), corners(b, fb));
        let all = |points, corners| Cloud { points, corners };
        if let Some(apart) = separation(&all(xa, ca.as_deref()), &all(xb, cb.as_deref()), normal) {
            let (pa, pb) = (Piece { skin: a, face: fa, points: xa }, Piece { skin: b, face: fb, points: xb });
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
    finish(&mut near, a, b);
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

/// Drops doubles and keeps a handful for each direction in which the two meet: four hold a flat face, eight a bending
/// one.
fn finish(near: &mut Near, a: &Object, b: &Object) {
    let close = 1e-6 * a.skin.form.size.min(b.skin.form.size);
    let mut kept = 0;
    for k in 0..near.touches.len() {
        let t = near.touches[k];
        let same =
            |u: &Touch| u.a.at.distance_squared(t.a.at) < close * close && u.normal.dot(t.normal) > 0.999;
        if !near.touches[..kept].iter().any(same) {
            near.touches[kept] = t;
            kept += 1;
        }
    }
    near.touches.truncate(kept);
    let flat = a.skin.form.stays_flat && b.skin.form.stays_flat;
    let most = if flat { 4 } else { 8 };
    let expected = |t: &Touch| t.gap + t.normal.dot(a.skin.displacement(&t.a) - b.skin.displacement(&t.b));
    if near.planes.len() > 1 {
        // Many pieces see much that is merely in the neighbourhood.
        near.touches.retain(|t| t.gap.min(expected(t)) < 2.0 * near.clearance);
    }
    if near.touches.len() <= most {
        return;
    }
    let mut unique = std::mem::take(&mut near.touches);
    while let Some(first) = unique.first().copied() {
        let (mut alike, rest): (Vec<Touch>, Vec<Touch>) =
            unique.into_iter().partition(|t| t.normal.dot(first.normal) > ALIKE);
        reduce(&mut alike, most, expected);
        near.touches.append(&mut alike);
        unique = rest;
    }
}

/// Normals closer to each other than this count as one direction: 18 degrees.
const ALIKE: f64 = 0.95;
