//! Exact intersection of triangles: every decision is the sign of a determinant computed without rounding error.
//!
//! Triangles and segments are closed sets, so touching counts as intersecting. Triangles without area are seen as
//! empty: their edges belong to neighbours, which are tested.

use pliant::math::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Corners of a triangle.
pub(super) type Triangle = [Vec3; 3];

/// Positive, zero or negative as `d` lies on one side, in, or on the other side of the plane of `a`, `b`, `c`.
fn orient([a, b, c, d]: [Vec3; 4]) -> f64 {
    let p = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    orient3d(p(a), p(b), p(c), p(d))
}

fn same_side(signs: &[f64]) -> bool {
    signs.iter().all(|s| *s > 0.0) || signs.iter().all(|s| *s < 0.0)
}

/// Whether two triangles without common corners have a common point.
pub(super) fn triangles_intersect(s: &Triangle, t: &Triangle) -> bool {
    let sides = |s: &Triangle, t: &Triangle| t.map(|p| orient([s[0], s[1], s[2], p]));
    if same_side(&sides(s, t)) || same_side(&sides(t, s)) {
        return false;
    }
    // Where two triangles meet, an edge of one meets the other.
    let edge = |t: &Triangle, i: usize| [t[i], t[(i + 1) % 3]];
    (0..3).any(|i| segment_hits(edge(s, i), t) || segment_hits(edge(t, i), s))
}

/// Whether two triangles with exactly one common corner meet anywhere else. What they have in common besides the
/// corner is a segment from it, whose other end lies on the opposite edge of one of them.
pub(super) fn corner_neighbours_intersect(corner: Vec3, s: [Vec3; 2], t: [Vec3; 2]) -> bool {
    segment_hits(s, &[corner, t[0], t[1]]) || segment_hits(t, &[corner, s[0], s[1]])
}

/// Whether two triangles with exactly one common edge meet anywhere else: only when folded flat onto each other.
pub(super) fn edge_neighbours_intersect(edge: [Vec3; 2], s: Vec3, t: Vec3) -> bool {
    let [u, v] = edge;
    if orient([u, v, s, t]) != 0.0 {
        return false;
    }
    // In the common plane: are both opposite corners on the same side of the edge?
    Plane::of(&[u, v, s]).is_some_and(|plane| same_side(&[plane.orient([u, v, s]), plane.orient([u, v, t])]))
}

/// Whether a segment and a triangle have a common point.
fn segment_hits([p, q]: [Vec3; 2], t: &Triangle) -> bool {
    let [a, b, c] = *t;
    let sides = [orient([a, b, c, p]), orient([a, b, c, q])];
    if same_side(&sides) {
        return false;
    }
    if sides == [0.0, 0.0] {
        return Plane::of(t).is_some_and(|plane| plane.segment_hits([p, q], t));
    }
    // The line meets the plane in one point; it passes all edges on the same side if that point is inside.
    let turns = [orient([p, q, a, b]), orient([p, q, b, c]), orient([p, q, c, a])];
    turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0)
}

/// Number of times, with sign, that the way from `p` to `q` leaves through the triangle (positive) or enters.
/// `None` if the way touches an edge or a corner, or `p` or `q` touches the plane within it.
pub(super) fn crossing([p, q]: [Vec3; 2], t: &Triangle) -> Option<i32> {
    let [a, b, c] = *t;
    let (from, to) = (orient([a, b, c, p]), orient([a, b, c, q]));
    if same_side(&[from, to]) {
        return Some(0);
    }
    let turns = [orient([p, q, a, b]), orient([p, q, b, c]), orient([p, q, c, a])];
    let missed = turns.iter().any(|s| *s > 0.0) && turns.iter().any(|s| *s < 0.0);
    match missed {
        true => Some(0),
        false if from == 0.0 || to == 0.0 || turns.contains(&0.0) => None,
        // `orient` is positive below a counter-clockwise triangle.
        false => Some(if from > 0.0 { 1 } else { -1 }),
    }
}

/// A coordinate plane onto which a triangle projects without losing its area.
struct Plane {
    dropped: usize,
}

impl Plane {
    fn of(t: &Triangle) -> Option<Self> {
        (0..3).map(|dropped| Plane { dropped }).find(|plane| plane.orient(*t) != 0.0)
    }

    fn orient(&self, [a, b, c]: [Vec3; 3]) -> f64 {
        let p = |v: Vec3| match self.dropped {
            0 => Coord { x: v.y, y: v.z },
            1 => Coord { x: v.z, y: v.x },
            _ => Coord { x: v.x, y: v.y },
        };
        orient2d(p(a), p(b), p(c))
    }

    fn segment_hits(&self, [p, q]: [Vec3; 2], t: &Triangle) -> bool {
        let edges = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        self.holds(p, t) || edges.iter().any(|e| self.segments_meet([p, q], *e))
    }

    fn holds(&self, p: Vec3, t: &Triangle) -> bool {
        let [a, b, c] = *t;
        let turns = [self.orient([a, b, p]), self.orient([b, c, p]), self.orient([c, a, p])];
        turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0)
    }

    fn segments_meet(&self, [p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> bool {
        let across = [self.orient([p, q, a]), self.orient([p, q, b])];
        let along = [self.orient([a, b, p]), self.orient([a, b, q])];
        if across == [0.0; 2] && along == [0.0; 2] {
            // All on one line: they meet where their extents do.
            let (low, high) = (p.min(q), p.max(q));
            let (low2, high2) = (a.min(b), a.max(b));
            return low.cmple(high2).all() && low2.cmple(high).all();
        }
        !same_side(&across) && !same_side(&along)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    const FLAT: Triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn piercing_touching_and_missing_triangles_are_told_apart() {
        let upright = |z: f64| [v(0.2, 0.2, z), v(0.3, 0.2, z + 1.0), v(0.2, 0.3, z + 1.0)];
        assert!(triangles_intersect(&FLAT, &upright(-0.5)));
        assert!(triangles_intersect(&FLAT, &upright(0.0)), "touching");
        assert!(!triangles_intersect(&FLAT, &upright(f64::MIN_POSITIVE)), "the smallest gap");
        let aside = upright(-0.5).map(|p| p + v(2.0, 0.0, 0.0));
        assert!(!triangles_intersect(&FLAT, &aside));
    }

    #[test]
    fn coplanar_triangles_intersect_where_they_overlap() {
        let small = FLAT.map(|p| p * 0.25 + v(0.1, 0.1, 0.0));
        assert!(triangles_intersect(&FLAT, &small) && triangles_intersect(&small, &FLAT), "nested");
        assert!(triangles_intersect(&FLAT, &FLAT.map(|p| p + v(0.5, 0.0, 0.0))));
        assert!(!triangles_intersect(&FLAT, &FLAT.map(|p| p + v(1.5, 0.0, 0.0))));
        let line = [v(0.1, 0.1, 0.0), v(0.2, 0.2, 0.0), v(0.3, 0.3, 0.0)];
        assert!(!triangles_intersect(&[v(5.0, 0.0, 0.0); 3], &FLAT), "a point far away");
        assert!(triangles_intersect(&FLAT, &line), "its edges lie in the triangle");
    }

    #[test]
    fn neighbours_intersect_only_beyond_what_they_share() {
        let other = [v(-1.0, 0.0, 0.0), v(0.0, -1.0, 0.0)];
        assert!(!corner_neighbours_intersect(FLAT[0], [FLAT[1], FLAT[2]], other));
        let through = [v(1.0, 1.0, -1.0), v(1.0, 1.0, 1.0)];
        assert!(corner_neighbours_intersect(FLAT[0], [FLAT[1], FLAT[2]], through));
        let edge = [FLAT[0], FLAT[1]];
        assert!(!edge_neighbours_intersect(edge, FLAT[2], v(0.3, -1.0, 0.0)), "flat");
        assert!(!edge_neighbours_intersect(edge, FLAT[2], v(0.3, 1.0, 1e-300)), "nearly folded");
        assert!(edge_neighbours_intersect(edge, FLAT[2], v(0.3, 1.0, 0.0)), "folded");
    }

    #[test]
    fn crossings_count_the_way_out() {
        let way = [v(0.2, 0.2, -1.0), v(0.2, 0.2, 1.0)];
        let back = [way[1], way[0]];
        assert_eq!(crossing(way, &FLAT), Some(1), "FLAT is counter-clockwise seen from +z");
        assert_eq!(crossing(back, &FLAT), Some(-1));
        assert_eq!(crossing(way.map(|p| p + v(2.0, 0.0, 0.0)), &FLAT), Some(0));
        assert_eq!(crossing([v(0.5, 0.0, -1.0), v(0.5, 0.0, 1.0)], &FLAT), None, "through an edge");
    }
}
