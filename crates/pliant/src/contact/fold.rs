//! A skin that can fold onto itself: which of its smallest parts may come to touch each other.
//!
//! Two such parts are a corner and a face, or two edges, without a common corner: everything else that could touch is made of
//! them. Those that are near each other are listed with room to spare. The list serves until the skin has changed its form by
//! as much as that room, however far it has moved and turned as a whole: distances do not change by that.

use super::advance::end_gap;
use super::bounds::{Bounds, Tree};
use super::distance::separation;
use super::narrow::{Near, cloud, examine, finish};
use super::solid::closest_weights;
use super::{Object, Tuning};
use crate::math::{Mat3, Quat, Vec3, outer, rotation_of};
use crate::pieces::Parts;
use crate::skin::{Skin, SkinForm, SkinPoint};
use std::collections::BTreeMap;

/// Parts that are nearer at rest than this share of an edge are not told apart: there is less between them than a cell.
const JOINED: f64 = 0.3;
/// The gap kept is at most this share of the least distance at rest of those that are.
const SHARE_OF_REST: f64 = 0.5;
/// A list is made anew when so many times as many pairs as it has have been looked at.
const WORTH: usize = 3;
/// Room to spare, as a share of an edge.
const SPARE: f64 = 0.5;
/// Points by which the motion of the whole is told.
const SOME: usize = 64;

/// Parts of a skin that are near each other. What is found does not depend on when the list was made, or a run that was
/// resumed would go on otherwise: it holds all that `meeting` says may meet, and that knows of no list.
#[derive(Clone, Default)]
pub struct Fold {
    /// Where the points were when the list was made, from their middle.
    reference: Vec<Vec3>,
    /// All pairs nearer than this were listed `[m]`.
    margin: f64,
    /// The pairs, the nearest first, with their distances then.
    pairs: Vec<Pair>,
    /// How many of them may be near each other by now.
    near: usize,
    /// Pairs looked at since the list was made.
    spent: usize,
    /// What `meeting` said of the step as it was last aimed at `[m]`.
    meeting: f64,
}

/// Two parts and their distance.
type Pair = (f64, u32, u32);

impl Fold {
    /// Sees to it that all pairs are listed that can meet in the step as it is now aimed at. `least_stretch` bounds distances by
    /// those at rest.
    pub fn follow(&mut self, skin: &Skin, tuning: &Tuning, least_stretch: impl Fn() -> Option<f64>) {
        let Some(folding) = &skin.form.folding else { return };
        self.meeting = meeting(skin, clearance(&skin.form, tuning));
        // A new list is worth its while where the old one makes one look at ever more that is not near.
        if self.spent <= WORTH * self.pairs.len()
            && let Some(near) = self.count_near(skin, self.meeting)
        {
            self.near = near;
            self.spent += near;
            return;
        }
        self.reference.clear();
        let middle = middle(&skin.points);
        self.reference.extend(skin.points.iter().map(|p| *p - middle));
        let reach = self.reach(skin, self.meeting);
        match least_stretch().map(|stretch| stretch * folding.gap).filter(|gap| *gap > reach) {
            // All are farther apart than that.
            Some(gap) => {
                self.margin = gap;
                self.pairs.clear();
            }
            None => {
                self.margin = reach + SPARE * folding.edge;
                self.pairs = close_parts(&skin.form, &folding.parts, &skin.points, self.margin);
                let joined = &folding.joined;
                self.pairs.retain(|p| joined.is_empty() || joined.binary_search(&(p.1, p.2)).is_err());
            }
        }
        self.near = self.pairs.partition_point(|p| p.0 <= reach);
        self.spent = 0;
    }

    /// Whether nothing can meet in the step as it is now aimed at. If not, something may.
    pub fn is_clear(&self, skin: &Skin, tuning: &Tuning) -> bool {
        self.count_near(skin, meeting(skin, clearance(&skin.form, tuning))) == Some(0)
    }

    /// How many of the pairs may come near each other in this step; none if there may be others as well.
    fn count_near(&self, skin: &Skin, meeting: f64) -> Option<usize> {
        if self.reference.len() != skin.points.len() {
            return None;
        }
        let reach = self.reach(skin, meeting);
        (reach <= self.margin).then(|| self.pairs.partition_point(|p| p.0 <= reach))
    }

    /// Pairs that were farther apart than this when the list was made do not meet: they have come nearer to each other by no
    /// more than twice what the points of the skin have moved since, but for a motion of the whole.
    fn reach(&self, skin: &Skin, meeting: f64) -> f64 {
        meeting + 2.0 * deviation(&self.reference, &skin.points).0
    }
}

/// Pairs that are farther apart than this at the start of the step do not meet in it: each part moves by no more than the points
/// of the skin do, but for a motion of the whole.
fn meeting(skin: &Skin, clearance: f64) -> f64 {
    let middle = middle(&skin.points);
    let start: Vec<Vec3> = skin.points.iter().map(|p| *p - middle).collect();
    let (way, turn) = deviation(&start, &skin.next);
    // Between two turned places straight lines pass a little nearer to the middle.
    (2.0 * clearance + 2.0 * way) / turn.w.abs().max(0.5)
}

/// By how much any point has moved from a reference, but for a motion of the whole, and how that turns it. Any motion of the
/// whole will do.
fn deviation(reference: &[Vec3], points: &[Vec3]) -> (f64, Quat) {
    let middle = middle(points);
    let some = points.len() / SOME + 1;
    let pairs = || points.iter().zip(reference);
    let sum = pairs().step_by(some).fold(Mat3::ZERO, |s, (p, r)| s + outer(*p - middle, *r));
    let turn = rotation_of(&sum);
    let matrix = Mat3::from_quat(turn);
    let square = pairs().map(|(p, r)| (*p - middle - matrix * *r).length_squared()).fold(0.0, f64::max);
    (square.sqrt(), turn)
}

fn middle(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len() as f64
}

/// Gap that a skin keeps to itself `[m]`.
fn clearance(form: &SkinForm, tuning: &Tuning) -> f64 {
    let rest = form.folding.as_ref().map_or(f64::INFINITY, |f| f.gap);
    (tuning.clearance * form.size).min(SHARE_OF_REST * rest)
}

/// Looks at an object and itself.
pub fn look(number: u32, object: &Object, tuning: &Tuning) -> Near {
    let skin = object.skin;
    let clearance = clearance(&skin.form, tuning);
    let (gap, size) = (f64::INFINITY, skin.form.size);
    let mut near = Near { a: number, b: number, clearance, gap, size, ..Near::default() };
    let mut parts: Vec<(u32, u32)> = vec![];
    for (_, a, b) in &object.own.pairs[..object.own.near] {
        // They meet in this step only if they are no farther apart than they move towards each other.
        let reach = object.own.meeting.min(2.0 * clearance + approach(skin, *a, *b));
        if distance(&skin.form, &skin.points, *a, *b) <= reach {
            parts.push((*a, *b));
        }
    }
    // In an order that does not depend on when the list was made.
    parts.sort_unstable();
    for (a, b) in parts {
        let reach = 2.0 * clearance + approach(skin, a, b);
        let pieces = (Some(a), Some(b));
        let (ca, cb) = (cloud(skin, pieces.0, false), cloud(skin, pieces.1, false));
        let apart = separation(&ca, &cb, ca.get(0) - cb.get(0));
        examine(&mut near, object, object, pieces, apart, reach);
    }
    keep_telling(&mut near, skin);
    finish(&mut near, object, object);
    near
}

/// Where two parts of a skin lie flat on each other every edge crosses many. Of the places around a corner, and of those that
/// look the same way, the one that would end closest stands for all.
fn keep_telling(near: &mut Near, skin: &Skin) {
    let heaviest = |p: &SkinPoint| {
        let k = (0..3).max_by(|i, j| p.weights[*i].total_cmp(&p.weights[*j])).unwrap_or(0);
        p.corners[k]
    };
    let direction = |n: Vec3| {
        let axis = n.abs().to_array().iter().enumerate().max_by(|x, y| x.1.total_cmp(y.1)).map_or(0, |x| x.0);
        2 * axis + usize::from(n[axis] > 0.0)
    };
    let mut best: BTreeMap<(u32, usize), (f64, usize)> = BTreeMap::new();
    for (k, touch) in near.touches.iter().enumerate() {
        let gap = end_gap(touch, skin, skin);
        for (corner, normal) in [(heaviest(&touch.a), touch.normal), (heaviest(&touch.b), -touch.normal)] {
            let known = best.entry((corner, direction(normal))).or_insert((gap, k));
            if gap < known.0 {
                *known = (gap, k);
            }
        }
    }
    let mut kept: Vec<usize> = best.into_values().map(|(_, k)| k).collect();
    kept.sort_unstable();
    kept.dedup();
    near.touches = kept.into_iter().map(|k| near.touches[k]).collect();
}

/// How much nearer two parts can come in this step.
fn approach(skin: &Skin, a: u32, b: u32) -> f64 {
    let way = |i: &u32| skin.next[*i as usize] - skin.points[*i as usize];
    let mut square = 0.0f64;
    for i in skin.form.pieces.corners(a) {
        for j in skin.form.pieces.corners(b) {
            square = square.max((way(i) - way(j)).length_squared());
        }
    }
    square.sqrt()
}

/// Parts without a common corner that are too near each other at rest to be told apart, and the least distance of all others.
pub fn parts_at_rest(form: &SkinForm, parts: &Parts, points: &[Vec3], edge: f64) -> (Vec<(u32, u32)>, f64) {
    let near = JOINED * edge;
    let mut joined: Vec<_> = close_parts(form, parts, points, near).iter().map(|p| (p.1, p.2)).collect();
    joined.sort_unstable();
    let mut margin = 2.0 * near;
    loop {
        let least = close_parts(form, parts, points, margin).iter().map(|p| p.0).find(|d| *d > near);
        if least.is_some() || margin > 4.0 * form.size {
            return (joined, least.unwrap_or(margin));
        }
        margin *= 2.0;
    }
}

/// Distance of a corner from a face, or of two edges.
fn distance(form: &SkinForm, points: &[Vec3], a: u32, b: u32) -> f64 {
    let at = |i: u32| points[i as usize];
    match (form.pieces.corners(a), form.pieces.corners(b)) {
        ([i], [j, k, l]) => {
            let triangle = [at(*j), at(*k), at(*l)];
            let w = closest_weights(at(*i), triangle);
            at(*i).distance(triangle[0] * w[0] + triangle[1] * w[1] + triangle[2] * w[2])
        }
        ([i, j], [k, l]) => distance_of_segments([at(*i), at(*j)], [at(*k), at(*l)]),
        _ => 0.0,
    }
}

fn distance_of_segments([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let on = |x: f64| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    // The nearest places of the lines; where one of them lies beyond an end, the other follows it.
    let s = on((uv * vw - vv * uw) / (uu * vv - uv * uv));
    let t = on((uv * s + vw) / vv);
    let s = on((uv * t - uw) / uu);
    (w + u * s - v * t).length()
}

/// Parts without a common corner that are nearer to each other than `margin`, the nearest first.
fn close_parts(form: &SkinForm, parts: &Parts, points: &[Vec3], margin: f64) -> Vec<Pair> {
    let around = |corners: &[u32]| Bounds::of(corners.iter().map(|i| points[*i as usize]));
    let faces: Vec<Bounds> = form.faces.iter().map(|f| around(f)).collect();
    let edges: Vec<Bounds> = form.edges.iter().map(|e| around(e)).collect();
    let mut found = vec![];
    let mut add = |a: u32, b: u32| {
        let distance = distance(form, points, a, b);
        if distance <= margin {
            found.push((distance, a, b));
        }
    };
    let tree = Tree::build(&edges);
    for (i, own) in form.edges.iter().enumerate() {
        let bounds = edges[i].grown(margin);
        tree.query(&bounds, |j| {
            let other = &form.edges[j as usize];
            let apart = j as usize > i && !own.contains(&other[0]) && !own.contains(&other[1]);
            if apart && edges[j as usize].overlaps(&bounds) {
                add(parts.edges + i as u32, parts.edges + j);
            }
        });
    }
    let tree = Tree::build(&faces);
    for (i, p) in points.iter().enumerate() {
        let bounds = Bounds { low: *p, high: *p }.grown(margin);
        tree.query(&bounds, |j| {
            let apart = !form.faces[j as usize].contains(&(i as u32));
            if apart && faces[j as usize].overlaps(&bounds) {
                add(parts.corners + i as u32, parts.faces[j as usize]);
            }
        });
    }
    found.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    found
}
