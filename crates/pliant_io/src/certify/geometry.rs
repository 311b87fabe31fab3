//! One frame's geometry: what passes through what, what lies inside what, how near things are.

use super::distance::triangles_squared;
use super::predicates::{crossing, triangles_intersect};
use super::skin::Placed;
use super::tree::Aabb;
use pliant::math::Vec3;
use std::f64::consts::PI;

/// A place where non-penetration is violated, and by which objects (the same twice: by itself).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    pub objects: [usize; 2],
    pub place: Vec3,
    pub what: &'static str,
}

/// Findings about one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Geometry {
    pub violations: Vec<Violation>,
    /// Per object the distance to the nearest other `[m]`; infinite beyond the reach.
    pub distances: Vec<f64>,
}

/// Examines all objects at one moment; `None` stands for an object that is not finite. Obstacles are not compared
/// with each other. Distances are exact up to `reach`.
pub(super) fn examine(objects: &[Option<Placed>], reach: f64) -> Geometry {
    let mut violations = vec![];
    for (i, object) in objects.iter().enumerate() {
        if let Some(place) = object.as_ref().and_then(Placed::self_intersection) {
            violations.push(Violation { objects: [i, i], place, what: "passes through itself" });
        }
    }
    let mut distances = vec![f64::INFINITY; objects.len()];
    let mut squared = vec![reach * reach; objects.len()];
    for (i, j) in near_pairs(objects, reach) {
        let (Some(a), Some(b)) = (&objects[i], &objects[j]) else { continue };
        if let Some((place, what)) = violation(a, b) {
            violations.push(Violation { objects: [i, j], place, what });
            (distances[i], distances[j]) = (0.0, 0.0);
            (squared[i], squared[j]) = (0.0, 0.0);
            continue;
        }
        // Only a distance that is new to at least one of the two is worth finding.
        let bound = squared[i].max(squared[j]);
        let found = a.fitted().distance_squared(b.fitted(), bound, triangles_squared);
        for k in [i, j] {
            if found < squared[k] {
                squared[k] = found;
                distances[k] = found.sqrt();
            }
        }
    }
    add_sunken(objects, &mut violations);
    violations.sort_by_key(|v| v.objects);
    Geometry { violations, distances }
}

/// Pairs with at least one body whose boxes are within reach, nearest boxes first.
fn near_pairs(objects: &[Option<Placed>], reach: f64) -> Vec<(usize, usize)> {
    let mut boxes: Vec<(usize, bool, Aabb)> = objects
        .iter()
        .enumerate()
        .filter_map(|(i, o)| o.as_ref().map(|o| (i, o.skin.is_body, o.bounds())))
        .filter(|(_, _, b)| b.min.x <= b.max.x)
        .collect();
    boxes.sort_by(|a, b| a.2.min.x.total_cmp(&b.2.min.x).then(a.0.cmp(&b.0)));
    let mut pairs = vec![];
    for (n, (i, body, a)) in boxes.iter().enumerate() {
        for (j, other_body, b) in &boxes[n + 1..] {
            if b.min.x > a.max.x + reach {
                break;
            }
            let gap = a.gap_squared(b);
            if (*body || *other_body) && gap <= reach * reach {
                pairs.push((gap, *i.min(j), *i.max(j)));
            }
        }
    }
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    pairs.into_iter().map(|(_, i, j)| (i, j)).collect()
}

fn violation(a: &Placed, b: &Placed) -> Option<(Vec3, &'static str)> {
    let meet = |s: u32, t: u32| triangles_intersect(&a.triangles()[s as usize], &b.triangles()[t as usize]);
    if let Some((s, t)) = a.fitted().find_pair(b.fitted(), meet) {
        return Some((a.meeting_place(s, b, t), "intersect"));
    }
    inside(a, b).or_else(|| inside(b, a)).map(|p| (p, "one is inside the other"))
}

/// A point of `inner` inside the solid `outer`. Their surfaces do not meet, so one point per connected part tells.
fn inside(outer: &Placed, inner: &Placed) -> Option<Vec3> {
    if !outer.skin.closed {
        return None;
    }
    let bounds = outer.bounds();
    let points = inner.skin.part_points.iter().map(|i| inner.points[*i as usize]);
    points.filter(|p| bounds.contains(*p)).find(|p| winding(outer, *p) != 0)
}

/// How often the surface winds around a point.
fn winding(outer: &Placed, p: Vec3) -> i32 {
    // Almost along x, so that the box around the way out is thin; askew, so that edges are seldom hit.
    let bounds = outer.bounds();
    let q = p + (bounds.max.x - p.x + 1e-3 * bounds.diagonal()) * Vec3::new(1.0, 0.013_759, -0.009_173);
    let mut sum = Some(0);
    outer.fitted().visit(&Aabb::of([p, q]), |t| {
        sum = sum.zip(crossing([p, q], t)).map(|(n, more)| n + more);
    });
    sum.unwrap_or_else(|| winding_by_angle(outer, p))
}

/// The same by adding up solid angles: slower, and indifferent to edges.
fn winding_by_angle(outer: &Placed, p: Vec3) -> i32 {
    let angle = |t: &[Vec3; 3]| {
        let [a, b, c] = t.map(|v| v - p);
        let [la, lb, lc] = [a.length(), b.length(), c.length()];
        let across = a.dot(b.cross(c));
        2.0 * across.atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    let sum: f64 = outer.triangles().iter().map(angle).sum();
    (sum / (4.0 * PI)).round() as i32
}

/// Bodies that are wholly or partly below the ground. The ground is shown as a finite sheet, and what passed
/// through it between two frames no longer intersects it, however deep it has sunk since.
fn add_sunken(objects: &[Option<Placed>], violations: &mut Vec<Violation>) {
    for (g, ground) in objects.iter().enumerate() {
        let Some(ground) = ground.as_ref().filter(|o| o.skin.ground) else { continue };
        for (i, body) in objects.iter().enumerate() {
            let known = || violations.iter().any(|v| v.objects == [i.min(g), i.max(g)]);
            let Some(body) = body.as_ref().filter(|o| o.skin.is_body) else { continue };
            if let Some(place) = below(ground, body).filter(|_| !known()) {
                let objects = [i.min(g), i.max(g)];
                violations.push(Violation { objects, place, what: "one is below the ground" });
            }
        }
    }
}

/// A point of the body below a sheet.
fn below(ground: &Placed, body: &Placed) -> Option<Vec3> {
    let first = ground.triangles().first()?;
    let normal = (first[1] - first[0]).cross(first[2] - first[0]).normalize_or_zero();
    let over =
        |p: Vec3, t: &[Vec3; 3]| (0..3).all(|i| (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(normal) >= 0.0);
    let is_below =
        |p: &&Vec3| (**p - first[0]).dot(normal) < 0.0 && ground.triangles().iter().any(|t| over(**p, t));
    body.points.iter().find(is_below).copied()
}
