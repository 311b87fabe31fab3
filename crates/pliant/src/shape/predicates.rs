//! Exact signs: which side of a plane or line a point lies on, and whether triangles meet.
//!
//! All decisions rest on the signs of determinants evaluated exactly (crate `robust`), so they never contradict
//! each other, whatever the rounding.

use crate::math::Vec3;
use robust::{Coord, Coord3D};
use smallvec::SmallVec;

/// Sign of `det(b - a, c - a, d - a)`: positive if `d` lies on the side to which the triangle `abc` faces.
pub fn side_of_plane(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let p = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // `robust` counts the other side as positive.
    -robust::orient3d(p(a), p(b), p(c), p(d))
}

/// A point with one coordinate left out: an exact projection.
pub fn flat(p: Vec3, axis: usize) -> [f64; 2] {
    [p[(axis + 1) % 3], p[(axis + 2) % 3]]
}

/// Positive if `a`, `b`, `c` turn counter-clockwise.
pub fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let p = |v: [f64; 2]| Coord { x: v[0], y: v[1] };
    robust::orient2d(p(a), p(b), p(c))
}

/// Positive if `d` lies inside the circle through the counter-clockwise triangle `abc`.
pub fn inside_circle(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> f64 {
    let p = |v: [f64; 2]| Coord { x: v[0], y: v[1] };
    robust::incircle(p(a), p(b), p(c), p(d))
}

/// Whether two triangles of one mesh meet anywhere but in the points or the edge they share by index.
///
/// `i` and `j` are the point indices of the corners `p` and `q`. Touching counts as meeting.
pub fn triangles_meet(i: [u32; 3], p: [Vec3; 3], j: [u32; 3], q: [Vec3; 3]) -> bool {
    let shared: SmallVec<[(usize, usize); 9]> =
        (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).filter(|&(a, b)| i[a] == j[b]).collect();
    match shared[..] {
        // Most that are close to each other lie on one side of the other's plane.
        [] if is_beside(p, q) || is_beside(q, p) => false,
        [] => (0..3).any(|k| {
            segment_meets_triangle(p[k], p[(k + 1) % 3], q) || segment_meets_triangle(q[k], q[(k + 1) % 3], p)
        }),
        // Sharing a corner, they also meet elsewhere exactly if the opposite edge of one reaches the other:
        // the common part is convex, holds the corner, and must end on one of these edges.
        [(a, b)] => {
            segment_meets_triangle(p[(a + 1) % 3], p[(a + 2) % 3], q)
                || segment_meets_triangle(q[(b + 1) % 3], q[(b + 2) % 3], p)
        }
        // Sharing an edge, they overlap exactly if they are coplanar and lie on the same side of it.
        [(a0, b0), (a1, b1)] => {
            let (e0, e1) = (p[a0], p[a1]);
            let (c, d) = (p[3 - a0 - a1], q[3 - b0 - b1]);
            side_of_plane(e0, e1, c, d) == 0.0
                && (0..3).any(|x| {
                    let [e0, e1, c, d] = [e0, e1, c, d].map(|v| flat(v, x));
                    turn(e0, e1, c) * turn(e0, e1, d) > 0.0
                })
        }
        _ => true,
    }
}

/// Whether all corners of a triangle lie on one side of the plane of another, none on it.
fn is_beside(p: [Vec3; 3], [a, b, c]: [Vec3; 3]) -> bool {
    let first = side_of_plane(a, b, c, p[0]);
    first != 0.0 && p[1..].iter().all(|x| side_of_plane(a, b, c, *x) * first.signum() > 0.0)
}

/// Whether the closed segment `pq` touches the closed triangle.
pub fn segment_meets_triangle(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    let (sp, sq) = (side_of_plane(a, b, c, p), side_of_plane(a, b, c, q));
    if (sp > 0.0 && sq > 0.0) || (sp < 0.0 && sq < 0.0) {
        return false;
    }
    if sp == 0.0 && sq == 0.0 {
        return coplanar_segment_meets_triangle(p, q, [a, b, c]);
    }
    let s = [side_of_plane(p, q, a, b), side_of_plane(p, q, b, c), side_of_plane(p, q, c, a)];
    !(s.iter().any(|&v| v > 0.0) && s.iter().any(|&v| v < 0.0))
}

fn coplanar_segment_meets_triangle(p: Vec3, q: Vec3, corners: [Vec3; 3]) -> bool {
    // Any projection that keeps the triangle's area keeps the question.
    let area = |x: usize| turn(flat(corners[0], x), flat(corners[1], x), flat(corners[2], x));
    let axis = (0..3).fold(0, |best, x| if area(x).abs() > area(best).abs() { x } else { best });
    let (p, q) = (flat(p, axis), flat(q, axis));
    let t = corners.map(|c| flat(c, axis));
    let inside = |p| {
        let s = [turn(t[0], t[1], p), turn(t[1], t[2], p), turn(t[2], t[0], p)];
        !(s.iter().any(|&v| v > 0.0) && s.iter().any(|&v| v < 0.0))
    };
    inside(p) || inside(q) || (0..3).any(|k| segments_meet(p, q, t[k], t[(k + 1) % 3]))
}

/// Whether two closed segments in the plane touch.
pub fn segments_meet(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let (s0, s1) = (turn(a, b, c), turn(a, b, d));
    let (s2, s3) = (turn(c, d, a), turn(c, d, b));
    if s0 == 0.0 && s1 == 0.0 {
        // On one line: they touch if their extents overlap in both coordinates.
        return (0..2).all(|k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]));
    }
    let apart = |u: f64, v: f64| (u > 0.0 && v > 0.0) || (u < 0.0 && v < 0.0);
    !apart(s0, s1) && !apart(s2, s3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn the_side_a_triangle_faces_is_positive() {
        assert!(side_of_plane(P[0], P[1], P[2], Vec3::Z) > 0.0);
        assert!(turn([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]) > 0.0);
        assert!(inside_circle([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]) > 0.0);
    }

    #[test]
    fn crossing_touching_and_separate_triangles_are_told_apart() {
        let at =
            |z0: f64, z1: f64| [Vec3::new(0.2, 0.2, z0), Vec3::new(0.3, 0.2, z1), Vec3::new(0.2, 0.3, z1)];
        let q = [3, 4, 5];
        assert!(triangles_meet([0, 1, 2], P, q, at(-1.0, 1.0)), "pierced");
        assert!(triangles_meet([0, 1, 2], P, q, at(0.0, 1.0)), "touched by a corner");
        assert!(triangles_meet([0, 1, 2], P, q, at(0.0, 0.0)), "coplanar and inside");
        assert!(!triangles_meet([0, 1, 2], P, q, at(1e-300, 1.0)), "just above");
        assert!(!triangles_meet([0, 1, 2], P, q, at(0.0, 0.0).map(|v| v + Vec3::X)), "coplanar beside");
    }

    #[test]
    fn neighbours_meet_only_when_folded_onto_each_other() {
        let fold = [Vec3::X, Vec3::ZERO, Vec3::new(0.4, 0.1, 0.0)];
        assert!(triangles_meet([0, 1, 2], P, [1, 0, 3], fold));
        let open = [Vec3::X, Vec3::ZERO, Vec3::new(0.4, -0.1, 0.0)];
        assert!(!triangles_meet([0, 1, 2], P, [1, 0, 3], open));
        let corner = [Vec3::ZERO, Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.5, 0.5, -1.0)];
        assert!(triangles_meet([0, 1, 2], P, [0, 3, 4], corner));
        let away = [Vec3::ZERO, Vec3::new(-0.5, 0.5, 1.0), Vec3::new(-0.5, 0.5, -1.0)];
        assert!(!triangles_meet([0, 1, 2], P, [0, 3, 4], away));
    }
}
