//! A skin that can fold onto itself: which of its smallest parts may come to touch each other.
//!
//! Two such parts are a corner and a face, or two edges, without a common corner: everything else that could touch is made of
//! them. Those that are near each other are listed with room to spare. The list serves until the skin has changed its form by
//! as much as that room, however far it has moved, turned and been stretched as a whole: distances then shrink by no more than the
//! least of the stretches. In most steps not even that has to be looked at: the skin has hardly changed since it last was.

use super::advance::end_gap;
use super::bounds::{Bounds, Tree};
use super::distance::separation;
use super::narrow::{Near, cloud, examine, finish};
use super::solid::closest_weights;
use super::{Object, Tuning};
use crate::math::{Mat3, Quat, Vec3, is_regular, outer, rotation_of, symmetric_eigen3};
use crate::pieces::Parts;
use crate::skin::{Folding, Skin, SkinForm, SkinPoint};
use std::collections::BTreeMap;

/// Parts that are nearer at rest than this share of an edge are not told apart: a gap half as wide would be lost in round-off.
const JOINED: f64 = 1e-5;
/// The gap kept is at most this share of the least distance at rest of those that are.
const SHARE_OF_REST: f64 = 0.5;
/// A list is made anew when so many times as many pairs as it has have been looked at: that takes about as long as a new one.
const WORTH: usize = 16;
/// Room to spare, as a share of an edge.
const SPARE: f64 = 0.5;
/// Points by which the motion of the whole is told.
const SOME: usize = 64;

/// Parts of a skin that are near each other. What is found does not depend on when the list was made, or a run that was
/// resumed would go on otherwise: it holds all that `ways` say may meet, and they know of no list.
#[derive(Clone, Default)]
pub struct Fold {
    /// Where the points were when the list was made, from their middle.
    reference: Vec<Vec3>,
    /// Pairs that are not listed were farther apart then than the budgets of both together: each part has the largest of its
    /// points `[m]`.
    budgets: Vec<f64>,
    /// The pairs, the nearest first, with their distances then.
    pairs: Vec<Pair>,
    /// How many of them may be near each other by now, and how.
    near: usize,
    shrunk: Shrunk,
    /// Points as they were when that was last looked at, and how far each of them may then move without meeting any other,
    /// but for a motion of all that does not turn `[m]`.
    seen: Vec<Vec3>,
    calm: f64,
    /// Pairs looked at since the list was made.
    spent: usize,
    /// Of the step as it was last aimed at; see `ways`.
    ways: Vec<f64>,
}

/// Two parts and their distance.
type Pair = (f64, u32, u32);

/// How distances have changed since the list was made: they are at least `stretch` times what they were, but for `nearer` `[m]`.
#[derive(Clone, Copy, Default)]
struct Shrunk {
    stretch: f64,
    nearer: f64,
}

/// What is known of a list when it is looked at again.
struct Count {
    near: usize,
    shrunk: Shrunk,
    calm: f64,
}

impl Fold {
    /// Sees to it that all pairs are listed that can meet in the step as it is now aimed at. `least_stretch` bounds distances by
    /// those at rest.
    pub fn follow(&mut self, skin: &Skin, tuning: &Tuning, least_stretch: impl Fn() -> Option<f64>) {
        let Some(folding) = &skin.form.folding else { return };
        let clearance = clearance(&skin.form, tuning);
        if self.is_calm(skin, clearance) {
            self.near = 0;
            return;
        }
        self.ways = ways(skin, clearance);
        // A new list is worth its while where the old one makes one look at ever more that is not near.
        let counted =
            if self.spent <= WORTH * self.pairs.len() { self.count(skin, &self.ways) } else { None };
        let count = match counted {
            Some(count) => {
                self.spent += count.near;
                count
            }
            None => {
                self.make_list(skin, folding, least_stretch());
                self.spent = 0;
                let near = self.pairs.partition_point(|p| p.0 <= 2.0 * largest(&self.ways));
                let shrunk = Shrunk { stretch: 1.0, nearer: 0.0 };
                let least = self.budgets.iter().copied().fold(f64::INFINITY, f64::min);
                Count { near, shrunk, calm: least.min(self.half_of_nearest(shrunk)) }
            }
        };
        (self.near, self.shrunk, self.calm) = (count.near, count.shrunk, count.calm);
        self.seen.clone_from(&skin.points);
    }

    /// Lists the pairs as the skin now stands.
    fn make_list(&mut self, skin: &Skin, folding: &Folding, least_stretch: Option<f64>) {
        self.reference.clear();
        let middle = middle(&skin.points);
        self.reference.extend(skin.points.iter().map(|p| *p - middle));
        let reach = 2.0 * largest(&self.ways);
        self.budgets.clear();
        match least_stretch.map(|stretch| stretch * folding.gap).filter(|gap| *gap > reach) {
            // All are farther apart than that.
            Some(gap) => {
                self.budgets.resize(self.ways.len(), 0.5 * gap);
                self.pairs.clear();
            }
            None => {
                self.budgets.extend(self.ways.iter().map(|way| way + 0.5 * SPARE * folding.edge));
                let budget = |i: u32| self.budgets[i as usize];
                self.pairs = close_parts(&skin.form, &folding.parts, &skin.points, budget);
                let joined = &folding.joined;
                self.pairs.retain(|p| joined.is_empty() || joined.binary_search(&(p.1, p.2)).is_err());
            }
        }
    }

    /// Whether so little has changed that nothing can meet in the step as it is now aimed at. Costs far less than to look closely.
    fn is_calm(&self, skin: &Skin, clearance: f64) -> bool {
        self.seen.len() == skin.points.len()
            && clearance < self.calm
            && unlike(&self.seen, &skin.points) + unlike(&skin.points, &skin.next) + clearance
                < (1.0 - 1e-9) * self.calm
    }

    /// Whether nothing can meet in the step as it is now aimed at. If not, something may.
    pub fn is_clear(&self, skin: &Skin, tuning: &Tuning) -> bool {
        let clearance = clearance(&skin.form, tuning);
        if self.is_calm(skin, clearance) {
            return true;
        }
        let ways = ways(skin, clearance);
        self.count(skin, &ways).is_some_and(|count| {
            let reach = |pair| together(&skin.form, &ways, pair);
            self.pairs[..count.near].iter().all(|pair| is_far(pair, count.shrunk, reach(pair)))
        })
    }

    /// How many of the pairs may come near each other in a step with given ways, and what has become of distances; none if
    /// there may be others as well.
    fn count(&self, skin: &Skin, ways: &[f64]) -> Option<Count> {
        if self.reference.len() != skin.points.len() {
            return None;
        }
        let (moved, stretch) = deformation(&self.reference, &skin.points);
        let mut least = f64::INFINITY;
        for ((moved, way), budget) in moved.iter().zip(ways).zip(&self.budgets) {
            let left = stretch * budget - moved;
            if *way > left {
                return None;
            }
            least = least.min(left);
        }
        let shrunk = Shrunk { stretch, nearer: 2.0 * largest(&moved) };
        let reach = 2.0 * largest(ways) + shrunk.nearer;
        let near = self.pairs.partition_point(|p| stretch * p.0 <= reach);
        Some(Count { near, shrunk, calm: least.min(self.half_of_nearest(shrunk)) })
    }

    /// Half the distance of the nearest pair, at least.
    fn half_of_nearest(&self, shrunk: Shrunk) -> f64 {
        self.pairs.first().map_or(f64::INFINITY, |p| 0.5 * shrunk.of(p.0))
    }
}

impl Shrunk {
    /// The least that may have become of a distance; but for rounding.
    fn of(self, listed: f64) -> f64 {
        (1.0 - 1e-9) * self.stretch * listed - self.nearer
    }
}

/// The largest motion of a point, but for the mean of all.
fn unlike(from: &[Vec3], to: &[Vec3]) -> f64 {
    let ways = || from.iter().zip(to).map(|(p, q)| *q - *p);
    let drift = ways().sum::<Vec3>() / from.len() as f64;
    // A comparison that is not a number is not calm.
    if !drift.is_finite() {
        return f64::INFINITY;
    }
    ways().map(|way| (way - drift).length_squared()).fold(0.0, |a, b| if a > b { a } else { b }).sqrt()
}

/// How near each point may come to another in this step by its own motion, but for a motion of the whole: two parts that are
/// farther apart at its start than the largest of one and of the other together do not meet.
fn ways(skin: &Skin, clearance: f64) -> Vec<f64> {
    let middle = middle(&skin.points);
    let start: Vec<Vec3> = skin.points.iter().map(|p| *p - middle).collect();
    let (mut ways, turn) = deviations(&start, &skin.next);
    // Between two turned places straight lines pass a little nearer to the middle.
    let per = 1.0 / turn.w.abs().max(0.5);
    ways.iter_mut().for_each(|way| *way = (clearance + *way) * per);
    ways
}

/// How near two parts may come to each other in a step with given ways.
fn together(form: &SkinForm, ways: &[f64], (_, a, b): &Pair) -> f64 {
    let of = |part: u32| form.pieces.corners(part).iter().map(|i| ways[*i as usize]).fold(0.0, f64::max);
    of(*a) + of(*b)
}

/// Whether a pair is farther apart than `reach` for sure, by what the list tells.
fn is_far((listed, ..): &Pair, shrunk: Shrunk, reach: f64) -> bool {
    shrunk.of(*listed) > reach
}

fn largest(list: &[f64]) -> f64 {
    list.iter().copied().fold(0.0, f64::max)
}

/// By how much each point has moved from a reference, but for a motion of the whole, and how that turns it. Any motion of the
/// whole will do.
fn deviations(reference: &[Vec3], points: &[Vec3]) -> (Vec<f64>, Quat) {
    let middle = middle(points);
    let some = points.len() / SOME + 1;
    let pairs = || points.iter().zip(reference);
    let sum = pairs().step_by(some).fold(Mat3::ZERO, |s, (p, r)| s + outer(*p - middle, *r));
    let turn = rotation_of(&sum);
    let matrix = Mat3::from_quat(turn);
    (pairs().map(|(p, r)| (*p - middle - matrix * *r).length()).collect(), turn)
}

/// The same but for a motion of the whole that may also stretch it, and the least of its stretches: distances are at least that
/// times what they were, but for how far their ends have moved. Any such motion will do.
fn deformation(reference: &[Vec3], points: &[Vec3]) -> (Vec<f64>, f64) {
    let middle = middle(points);
    let some = points.len() / SOME + 1;
    let pairs = || points.iter().zip(reference);
    let (mut across, mut own) = (Mat3::ZERO, Mat3::ZERO);
    for (p, r) in pairs().step_by(some) {
        across += outer(*p - middle, *r);
        own += outer(*r, *r);
    }
    if !is_regular(&own) {
        return (deviations(reference, points).0, 1.0);
    }
    let matrix = across * own.inverse();
    let (squares, _) = symmetric_eigen3(&(matrix.transpose() * matrix));
    let moved = pairs().map(|(p, r)| (*p - middle - matrix * *r).length()).collect();
    (moved, (1.0 - 1e-9) * squares.min_element().max(0.0).sqrt())
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
    let own = object.own;
    for pair in &own.pairs[..own.near] {
        let (_, a, b) = *pair;
        // What the list tells is enough for most.
        let reach = together(&skin.form, &own.ways, pair);
        if is_far(pair, own.shrunk, reach) {
            continue;
        }
        // They meet in this step only if they are no farther apart than they move towards each other.
        let reach = reach.min(2.0 * clearance + approach(skin, a, b));
        if !is_far(pair, own.shrunk, reach) && distance(&skin.form, &skin.points, a, b) <= reach {
            parts.push((a, b));
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
    let mut joined: Vec<_> =
        close_parts(form, parts, points, |_| 0.5 * near).iter().map(|p| (p.1, p.2)).collect();
    joined.sort_unstable();
    let mut margin = 2.0 * near;
    loop {
        let least =
            close_parts(form, parts, points, |_| 0.5 * margin).iter().map(|p| p.0).find(|d| *d > near);
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

/// Parts without a common corner that are nearer to each other than their budgets together, the nearest first. The budget of
/// a part is the largest of its points.
fn close_parts(form: &SkinForm, parts: &Parts, points: &[Vec3], budget: impl Fn(u32) -> f64) -> Vec<Pair> {
    let around = |corners: &[u32]| {
        let own = corners.iter().map(|i| budget(*i)).fold(0.0, f64::max);
        (Bounds::of(corners.iter().map(|i| points[*i as usize])).grown(own), own)
    };
    let (faces, face_budgets): (Vec<Bounds>, Vec<f64>) = form.faces.iter().map(around).unzip();
    let (edges, edge_budgets): (Vec<Bounds>, Vec<f64>) = form.edges.iter().map(|e| around(e)).unzip();
    let mut found = vec![];
    let mut add = |a: u32, b: u32, margin: f64| {
        let distance = distance(form, points, a, b);
        if distance <= margin {
            found.push((distance, a, b));
        }
    };
    let tree = Tree::build(&edges);
    for (i, own) in form.edges.iter().enumerate() {
        tree.query(&edges[i], |j| {
            let (k, other) = (j as usize, &form.edges[j as usize]);
            let apart = k > i && !own.contains(&other[0]) && !own.contains(&other[1]);
            if apart && edges[k].overlaps(&edges[i]) {
                add(parts.edges + i as u32, parts.edges + j, edge_budgets[i] + edge_budgets[k]);
            }
        });
    }
    let tree = Tree::build(&faces);
    for i in 0..points.len() as u32 {
        let (bounds, own) = around(&[i]);
        tree.query(&bounds, |j| {
            let k = j as usize;
            if !form.faces[k].contains(&i) && faces[k].overlaps(&bounds) {
                add(parts.corners + i, parts.faces[k], own + face_budgets[k]);
            }
        });
    }
    // Numbers that are not negative are in the order of their bits.
    found.sort_unstable_by_key(|p| (p.0.to_bits(), p.1, p.2));
    found
}
