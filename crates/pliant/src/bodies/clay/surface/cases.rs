//! What the surface does in a cube, for each of the 256 ways in which its corners lie inside or outside.
//!
//! On a face whose diagonal corners are inside, the surface keeps them apart. Both cubes at a face decide so, and no
//! triangle lies in a face, so every edge of a triangle belongs to exactly two of them.

use std::sync::OnceLock;

/// Edges of a cube: the first corner, one bit an axis, and the axis along which it leads to the second.
pub const EDGES: [(usize, usize); 12] =
    [(0, 0), (2, 0), (4, 0), (6, 0), (0, 1), (1, 1), (4, 1), (5, 1), (0, 2), (1, 2), (2, 2), (3, 2)];

/// Triangles by the edges on which their corners lie, counter-clockwise seen from outside; by the corners inside, one bit
/// each.
pub fn cases() -> &'static [Vec<[u8; 3]>; 256] {
    static CASES: OnceLock<[Vec<[u8; 3]>; 256]> = OnceLock::new();
    CASES.get_or_init(|| std::array::from_fn(triangles))
}

fn triangles(inside: usize) -> Vec<[u8; 3]> {
    let mut next = ways(inside);
    let mut found = vec![];
    for first in 0..12 {
        let mut polygon = vec![];
        let mut edge = first;
        while let Some(to) = next[edge].take() {
            polygon.push(edge as u8);
            edge = to;
        }
        if !polygon.is_empty() {
            found.extend(fan(&polygon).expect("one of its points sees all others across the cube"));
        }
    }
    found
}

/// From each cut edge to the next along the surface, inside on the left seen from outside of the cube.
fn ways(inside: usize) -> [Option<usize>; 12] {
    let is_in = |c: usize| inside >> c & 1 == 1;
    let mut next = [None; 12];
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in 0..2 {
            // Counter-clockwise seen from outside.
            let mut around = [0, 1 << u, 1 << u | 1 << v, 1 << v].map(|c| c | side << axis);
            if side == 0 {
                around.reverse();
            }
            for k in 0..4 {
                let (before, here) = (around[(k + 3) % 4], around[k]);
                if is_in(here) && !is_in(before) {
                    let last = (k..k + 4).find(|m| !is_in(around[(m + 1) % 4])).expect("one is outside");
                    next[edge_between(before, here)] =
                        Some(edge_between(around[last % 4], around[(last + 1) % 4]));
                }
            }
        }
    }
    next
}

fn edge_between(a: usize, b: usize) -> usize {
    let (first, axis) = (a & b, (a ^ b).trailing_zeros() as usize);
    EDGES.iter().position(|e| *e == (first, axis)).expect("corners of one edge")
}

/// Cuts a polygon into triangles from one of its points, along lines of which none lies in a face of the cube. Such fans
/// never cross themselves; other ways of cutting may.
fn fan(polygon: &[u8]) -> Option<Vec<[u8; 3]>> {
    let n = polygon.len();
    let at = |k: usize| polygon[k % n];
    let tip = (0..n).find(|k| (2..n - 1).all(|far| !share_face(at(*k), at(k + far))))?;
    Some((1..n - 1).map(|k| [at(tip), at(tip + k), at(tip + k + 1)]).collect())
}

fn share_face(a: u8, b: u8) -> bool {
    let ((ca, along_a), (cb, along_b)) = (EDGES[usize::from(a)], EDGES[usize::from(b)]);
    (0..3).any(|axis| axis != along_a && axis != along_b && (ca ^ cb) >> axis & 1 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::shape::triangles_meet;

    #[test]
    fn one_corner_inside_makes_one_triangle_that_looks_away_from_it() {
        let all = cases();
        assert!(all[0].is_empty() && all[255].is_empty());
        assert_eq!(all[1].len(), 1);
        let axes = all[1][0].map(|e| EDGES[usize::from(e)].1);
        assert!([[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(&axes), "{axes:?}");
    }

    /// Wherever on their edges the points lie, triangles of one cube do not cross each other.
    #[test]
    fn triangles_of_a_cube_never_cross() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1e-3 + 0.998 * ((seed >> 11) as f64 / (1u64 << 53) as f64)
        };
        for case in cases() {
            for _ in 0..200 {
                let points: [Vec3; 12] = std::array::from_fn(|e| {
                    let (corner, axis) = EDGES[e];
                    let mut p = [corner & 1, corner >> 1 & 1, corner >> 2 & 1].map(|b| b as f64);
                    p[axis] = random();
                    Vec3::from(p)
                });
                let at = |t: &[u8; 3]| t.map(|e| points[usize::from(e)]);
                for (k, a) in case.iter().enumerate() {
                    for b in &case[k + 1..] {
                        let names = |t: &[u8; 3]| t.map(u32::from);
                        assert!(!triangles_meet(names(a), at(a), names(b), at(b)), "{case:?}");
                    }
                }
            }
        }
    }
}
