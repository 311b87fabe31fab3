//! Whether a mesh bounds a solid: closed, two triangles at every edge, wound outwards, not meeting itself.

use super::mesh::{bounds_of, sorted};
use super::predicates::triangles_meet;
use super::tree::BoxTree;
use super::{MeshError, TriMesh};
use crate::math::Vec3;
use crate::math::portable;
use std::f64::consts::PI;

/// Height over longest edge below which a triangle counts as having no area: its normal has no correct digit.
const FLATNESS: f64 = 1e-12;

impl TriMesh {
    /// Whether the mesh bounds a solid; otherwise the first thing that is wrong, which triangle, and where.
    ///
    /// Several separate parts are allowed, and so are cavities: parts that face inwards inside another part.
    pub fn check_solid(&self) -> Result<(), MeshError> {
        self.check_points()?;
        if let Some(triangle) = (0..self.triangles.len()).find(|&t| self.is_degenerate(t)) {
            return Err(MeshError::Degenerate { triangle, at: self.triangle_centre(triangle) });
        }
        self.check_edges()?;
        self.check_fans()?;
        // Which part lies inside which is a question only if none cross.
        self.check_crossings()?;
        self.check_facing()
    }

    /// Indices and coordinates.
    pub(super) fn check_points(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for &index in corners {
                match self.points.get(index as usize) {
                    None => return Err(MeshError::BadIndex { triangle, index, points: self.points.len() }),
                    Some(p) if !p.is_finite() => {
                        return Err(MeshError::NotFinite { triangle, point: index, at: *p });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a triangle has no area to speak of.
    pub(super) fn is_degenerate(&self, triangle: usize) -> bool {
        let [a, b, c] = self.corners(triangle);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        (b - a).cross(c - a).length() <= FLATNESS * longest
    }

    /// Two triangles at every edge, which run along it in opposite directions.
    fn check_edges(&self) -> Result<(), MeshError> {
        let mut worst: Option<MeshError> = None;
        for group in self.edge_groups().chunk_by(|a, b| a.edge == b.edge) {
            let edge = group[0].edge;
            let at = 0.5 * (self.points[edge[0] as usize] + self.points[edge[1] as usize]);
            let triangle = group[0].triangle;
            let error = match group {
                [] | [_] => MeshError::OpenEdge { triangle, at },
                [a, b] if a.forward == b.forward => MeshError::Winding { triangle, other: b.triangle, at },
                [_, _] => continue,
                [.., b] => MeshError::CrowdedEdge { triangle, other: b.triangle, count: group.len(), at },
            };
            // The lowest triangle is the one people look for first.
            if worst.as_ref().is_none_or(|w| error.triangle() < w.triangle()) {
                worst = Some(error);
            }
        }
        worst.map_or(Ok(()), Err)
    }

    /// Every edge of every triangle, sorted by edge, then triangle.
    pub(super) fn edge_groups(&self) -> Vec<EdgeUse> {
        let mut uses: Vec<EdgeUse> = self
            .triangles
            .iter()
            .enumerate()
            .flat_map(|(triangle, t)| {
                (0..3).map(move |k| {
                    let (a, b) = (t[k], t[(k + 1) % 3]);
                    EdgeUse { edge: sorted(a, b), triangle, forward: a < b }
                })
            })
            .collect();
        uses.sort_unstable_by_key(|u| (u.edge, u.triangle));
        uses
    }

    /// Around every point the triangles form one closed fan. Needs `check_edges` to have passed.
    fn check_fans(&self) -> Result<(), MeshError> {
        // Corner 3 t + k lies at point `triangles[t][k]`; corners that share an edge belong to the same fan.
        let mut fans = Sets::new(3 * self.triangles.len());
        let corner = |t: usize, p: u32| 3 * t + self.triangles[t].iter().position(|&i| i == p).unwrap_or(0);
        for pair in self.edge_groups().chunks_exact(2) {
            for p in pair[0].edge {
                fans.join(corner(pair[0].triangle, p), corner(pair[1].triangle, p));
            }
        }
        let mut fan_of_point: Vec<Option<usize>> = vec![None; self.points.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            for (k, &p) in corners.iter().enumerate() {
                let fan = fans.root(3 * t + k);
                let first = *fan_of_point[p as usize].get_or_insert(fan);
                if first != fan {
                    let at = self.points[p as usize];
                    return Err(MeshError::PinchedPoint { triangle: first / 3, other: t, at });
                }
            }
        }
        Ok(())
    }

    /// Outer parts face outwards, cavities inwards.
    fn check_facing(&self) -> Result<(), MeshError> {
        let part = self.parts();
        let count = part.iter().max().map_or(0, |m| m + 1);
        let volumes = self.part_volumes(&part, count);
        for (p, &volume) in volumes.iter().enumerate() {
            let triangle = part.iter().position(|&q| q == p).unwrap_or(0);
            let at = self.triangle_centre(triangle);
            let depth = if count == 1 { 0 } else { self.depth_of_part(&part, p) };
            match (depth, volume > 0.0) {
                (0, true) | (1, false) => {}
                (d, false) if d <= 0 => return Err(MeshError::InsideOut { triangle, at }),
                _ => return Err(MeshError::Nested { triangle, at }),
            }
        }
        Ok(())
    }

    /// How often the other parts wind around part `p`.
    pub(super) fn depth_of_part(&self, part: &[usize], p: usize) -> i64 {
        let Some(seed) = part.iter().position(|&q| q == p) else { return 0 };
        let at = self.triangle_centre(seed);
        let angle: f64 =
            (0..part.len()).filter(|&t| part[t] != p).map(|t| solid_angle(at, self.corners(t))).sum();
        (angle / (4.0 * PI)).round() as i64
    }

    /// Signed volume of each part.
    pub(super) fn part_volumes(&self, part: &[usize], count: usize) -> Vec<f64> {
        let (low, high) = self.bounds();
        let centre = 0.5 * (low + high);
        let mut volumes = vec![0.0; count];
        for (t, &p) in part.iter().enumerate() {
            let [a, b, c] = self.corners(t).map(|x| x - centre);
            volumes[p] += a.dot(b.cross(c)) / 6.0;
        }
        volumes
    }

    /// The connected part of each triangle, numbered by their first triangles.
    pub(crate) fn parts(&self) -> Vec<usize> {
        let mut sets = Sets::new(self.points.len());
        for &[a, b, c] in &self.triangles {
            sets.join(a as usize, b as usize);
            sets.join(a as usize, c as usize);
        }
        let mut number: Vec<Option<usize>> = vec![None; self.points.len()];
        let mut count = 0;
        self.triangles
            .iter()
            .map(|t| {
                let root = sets.root(t[0] as usize);
                *number[root].get_or_insert_with(|| {
                    count += 1;
                    count - 1
                })
            })
            .collect()
    }

    /// No two triangles meet except where they share points.
    fn check_crossings(&self) -> Result<(), MeshError> {
        let tree = BoxTree::new(self);
        for (triangle, &corners) in self.triangles.iter().enumerate() {
            let p = self.corners(triangle);
            let (low, high) = bounds_of(&p);
            let mut found: Option<usize> = None;
            tree.query(low, high, |other| {
                if other > triangle && found.is_none_or(|f| other < f) {
                    let q = self.corners(other);
                    let (q_low, q_high) = bounds_of(&q);
                    let near = low.cmple(q_high).all() && high.cmpge(q_low).all();
                    if near && triangles_meet(corners, p, self.triangles[other], q) {
                        found = Some(other);
                    }
                }
                true
            });
            if let Some(other) = found {
                let at = meeting_place(p, self.corners(other));
                return Err(MeshError::SelfIntersection { triangle, other, at });
            }
        }
        Ok(())
    }
}

/// One edge of one triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeUse {
    pub edge: [u32; 2],
    pub triangle: usize,
    /// Whether the triangle runs along it from the lower to the higher index.
    pub forward: bool,
}

/// Disjoint sets; the root is always the smallest member, so results do not depend on the order of joins.
pub(crate) struct Sets(Vec<usize>);

impl Sets {
    pub fn new(n: usize) -> Self {
        Sets((0..n).collect())
    }
    pub fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
    /// The set of each member, counted from 0 in the order of their first members.
    pub fn names(&mut self) -> Vec<u32> {
        let mut names = vec![u32::MAX; self.0.len()];
        let mut count = 0;
        (0..self.0.len())
            .map(|i| {
                let name = &mut names[self.root(i)];
                if *name == u32::MAX {
                    *name = count;
                    count += 1;
                }
                *name
            })
            .collect()
    }
}

/// Signed angle under which a triangle is seen from `at`; an outward mesh around it adds up to `4 pi`.
/// [VOS83] Eq. 8: tan(omega / 2) = a . (b x c) / (abc + (a . b) c + (b . c) a + (c . a) b).
pub(crate) fn solid_angle(at: Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|p| p - at);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * portable::atan2(a.dot(b.cross(c)), below)
}

/// Middle of the overlap of the two bounding boxes: close enough to find the place.
fn meeting_place(p: [Vec3; 3], q: [Vec3; 3]) -> Vec3 {
    let ((a, b), (c, d)) = (bounds_of(&p), bounds_of(&q));
    0.5 * (a.max(c) + b.min(d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{box_mesh, sphere_mesh};

    fn cube() -> TriMesh {
        box_mesh(Vec3::ONE, [1, 1, 1])
    }

    #[test]
    fn a_cube_and_a_hollow_ball_are_solids() {
        assert_eq!(cube().check_solid(), Ok(()));
        let mut hollow = sphere_mesh(1.0, 1);
        let mut inner = sphere_mesh(0.5, 1);
        inner.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        hollow.append(&inner);
        assert_eq!(hollow.check_solid(), Ok(()));
    }

    #[test]
    fn faulty_numbers_are_named() {
        assert_eq!(TriMesh::default().check_solid(), Err(MeshError::Empty));
        let mut m = cube();
        m.triangles[4][1] = 99;
        assert_eq!(m.check_solid(), Err(MeshError::BadIndex { triangle: 4, index: 99, points: 8 }));
        let mut m = cube();
        let last = m.triangles[0][0] as usize;
        m.points[last].y = f64::NAN;
        assert!(matches!(m.check_solid(), Err(MeshError::NotFinite { triangle: 0, .. })));
        let mut m = cube();
        m.triangles[7][1] = m.triangles[7][0];
        assert!(matches!(m.check_solid(), Err(MeshError::Degenerate { triangle: 7, .. })));
    }

    #[test]
    fn a_hole_is_found_at_its_lowest_neighbour() {
        let mut m = cube();
        let removed = m.triangles.pop().expect("a cube has triangles");
        let Err(MeshError::OpenEdge { triangle, at }) = m.check_solid() else { panic!("hole missed") };
        let shared = m.triangles[triangle].iter().filter(|i| removed.contains(i)).count();
        assert_eq!(shared, 2, "the named triangle shares an edge with the removed one");
        assert!(at.abs().max_element() <= 0.5);
    }

    #[test]
    fn doubled_faces_and_turned_triangles_are_named() {
        let mut m = cube();
        m.triangles.push(m.triangles[3]);
        let Err(MeshError::CrowdedEdge { triangle, other, count: 3, .. }) = m.check_solid() else {
            panic!("missed")
        };
        assert!(triangle <= 3 && other == 12, "the copy is the last one there");
        let mut m = cube();
        m.triangles[0].swap(0, 1);
        assert!(matches!(m.check_solid(), Err(MeshError::Winding { triangle: 0, .. })));
    }

    #[test]
    fn two_cubes_that_share_a_corner_point_are_pinched() {
        let mut m = cube();
        let top = m.points.iter().position(|p| *p == Vec3::splat(0.5)).expect("corner") as u32;
        let other = cube().map(|p| p + Vec3::ONE);
        let low = other.points.iter().position(|p| *p == Vec3::splat(0.5)).expect("corner") as u32;
        m.append(&other);
        for t in &mut m.triangles[12..] {
            *t = t.map(|i| if i == low + 8 { top } else { i });
        }
        let Err(MeshError::PinchedPoint { triangle, other, at }) = m.check_solid() else { panic!("missed") };
        assert!(triangle < 12 && other >= 12 && at == Vec3::splat(0.5));
    }

    #[test]
    fn facing_is_judged_part_by_part() {
        let mut m = cube();
        m.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(matches!(m.check_solid(), Err(MeshError::InsideOut { triangle: 0, .. })));
        let mut pair = cube();
        pair.append(&m.map(|p| p + 3.0 * Vec3::X));
        assert!(matches!(pair.check_solid(), Err(MeshError::InsideOut { triangle: 12, .. })));
        let mut nested = cube();
        nested.append(&cube().map(|p| 0.5 * p));
        assert!(matches!(nested.check_solid(), Err(MeshError::Nested { triangle: 12, .. })));
    }

    #[test]
    fn overlapping_and_touching_parts_meet() {
        let shifted = |x: f64| {
            let mut m = cube();
            m.append(&cube().map(|p| p + Vec3::new(x, 0.3, 0.2)));
            m.check_solid()
        };
        let Err(MeshError::SelfIntersection { triangle, other, at }) = shifted(0.7) else { panic!("missed") };
        assert!(triangle < 12 && other >= 12 && at.x > 0.1 && at.x < 0.6);
        assert!(matches!(shifted(1.0), Err(MeshError::SelfIntersection { .. })));
        assert_eq!(shifted(1.0 + 1e-12), Ok(()));
    }
}
