//! Union of convex solids into one closed mesh without inner faces.
//!
//! Every triangle of every part is cut along the surfaces of the other parts, and the pieces that lie inside another
//! part, or against it, are left out:
//!
//! 1. cut lines: where the plane of a triangle meets the triangles of other parts;
//! 2. points of all cuts go into one table, in which near points are one, so that neighbours agree;
//! 3. every line is split at every point of the table on it, so that no T-junction remains;
//! 4. constrained triangulation of each cut triangle; each cell is kept or dropped as a whole.
//!
//! Rounding can defeat this where surfaces nearly coincide without being equal. The result is checked, other
//! tolerances are tried, and what still fails is refused.

use super::cut::{SortedPoints, clip, crossing, overlap, section};
use super::mesh::bounds_of;
use super::predicates::flat;
use super::repair::Welder;
use super::triangulate::cells;
use super::{MeshError, TriMesh};
use crate::math::Vec3;

/// Why parts could not be joined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnionError {
    /// Two parts share only an edge or a point, where the joined surface would not be that of a solid.
    #[error("part {part} and part {other} touch only in an edge or a point near ({:.6}, {:.6}, {:.6})", at.x, at.y, at.z)]
    Touch {
        /// The one part, counted from 0.
        part: usize,
        /// The other; the same if its own pieces touch there.
        other: usize,
        /// Where.
        at: Vec3,
    },
    /// The joined surface is not that of a solid.
    #[error("joining part {part} with the others leaves a faulty surface: {fault}")]
    Fault {
        /// The part, counted from 0.
        part: usize,
        /// What is wrong there.
        fault: MeshError,
    },
    /// The cuts of one triangle contradict each other.
    #[error("part {part} cannot be cut near ({:.6}, {:.6}, {:.6})", at.x, at.y, at.z)]
    Cut {
        /// The part, counted from 0.
        part: usize,
        /// Where.
        at: Vec3,
    },
}

impl UnionError {
    /// The part the error is about, counted from 0.
    pub fn part(&self) -> usize {
        match *self {
            UnionError::Touch { part, .. }
            | UnionError::Fault { part, .. }
            | UnionError::Cut { part, .. } => part,
        }
    }
}

/// The union of convex solids (each must pass `check_solid` and `is_convex`) as one closed mesh.
pub fn union_of_convex(parts: &[TriMesh]) -> Result<TriMesh, UnionError> {
    let all: Vec<Vec3> = parts.iter().flat_map(|p| p.points.iter().copied()).collect();
    let (low, high) = bounds_of(&all);
    let size = (high - low).max_element();
    let mut first_error = None;
    for tolerance in [1e-9, 1e-8, 1e-10, 1e-7] {
        match Cutter::new(parts, tolerance * size).run() {
            Ok(mesh) => return Ok(mesh),
            Err(e) => first_error = first_error.or(Some(e)),
        }
    }
    Err(first_error.unwrap_or(UnionError::Fault { part: 0, fault: MeshError::Empty }))
}

/// One triangle of one part and the lines that cut it.
struct Face {
    part: usize,
    triangle: usize,
    /// Point indices; the first three are its own edges.
    lines: Vec<[u32; 2]>,
}

struct Cutter<'a> {
    parts: &'a [TriMesh],
    bounds: Vec<(Vec3, Vec3)>,
    /// Unit outward normal of every triangle of every part.
    normals: Vec<Vec<Vec3>>,
    tolerance: f64,
    table: Welder,
}

impl<'a> Cutter<'a> {
    fn new(parts: &'a [TriMesh], tolerance: f64) -> Self {
        let grow = Vec3::splat(tolerance);
        let bounds = parts.iter().map(|p| p.bounds()).map(|(l, h)| (l - grow, h + grow)).collect();
        let normals = parts
            .iter()
            .map(|p| (0..p.triangles.len()).map(|t| p.area_vector(t).normalize_or_zero()).collect())
            .collect();
        Cutter { parts, bounds, normals, tolerance, table: Welder::new(tolerance) }
    }

    fn run(mut self) -> Result<TriMesh, UnionError> {
        let mut faces = self.faces();
        for face in &mut faces {
            self.cut(face);
        }
        let sorted = SortedPoints::new(&self.table.points);
        let mut mesh = TriMesh { points: self.table.points.clone(), ..TriMesh::default() };
        let mut source = vec![];
        for face in &faces {
            let lines = sorted.split(&face.lines, self.tolerance);
            let pieces = self.pieces(face, &lines)?;
            source.extend(std::iter::repeat_n(face.part, pieces.len()));
            mesh.triangles.extend(pieces);
        }
        mesh.drop_unused();
        match mesh.check_solid() {
            Ok(()) => Ok(mesh),
            Err(
                MeshError::CrowdedEdge { triangle, other, at, .. }
                | MeshError::PinchedPoint { triangle, other, at },
            ) => Err(UnionError::Touch { part: source[triangle], other: source[other], at }),
            Err(fault) => {
                let part = fault.triangle().and_then(|t| source.get(t).copied()).unwrap_or(0);
                Err(UnionError::Fault { part, fault })
            }
        }
    }

    /// All triangles with their own edges.
    fn faces(&mut self) -> Vec<Face> {
        let mut faces = vec![];
        for (part, mesh) in self.parts.iter().enumerate() {
            let index: Vec<u32> = mesh.points.iter().map(|&p| self.table.add(p)).collect();
            for (triangle, t) in mesh.triangles.iter().enumerate() {
                let [a, b, c] = t.map(|i| index[i as usize]);
                faces.push(Face { part, triangle, lines: vec![[a, b], [b, c], [c, a]] });
            }
        }
        faces
    }

    /// Adds to a face the lines along which other parts meet it, and the points where these cross.
    fn cut(&mut self, face: &mut Face) {
        let corners = self.parts[face.part].corners(face.triangle);
        let normal = self.normals[face.part][face.triangle];
        let (low, high) = bounds_of(&corners);
        for other in 0..self.parts.len() {
            if other == face.part || !overlap((low, high), self.bounds[other]) {
                continue;
            }
            let grow = Vec3::splat(self.tolerance);
            for t in 0..self.parts[other].triangles.len() {
                let q = self.parts[other].corners(t);
                let (q_low, q_high) = bounds_of(&q);
                if !overlap((low, high), (q_low - grow, q_high + grow)) {
                    continue;
                }
                for [a, b] in section(q, corners[0], normal, self.tolerance) {
                    if let Some((a, b)) = clip(a, b, corners, normal, self.tolerance) {
                        let line = [self.table.add(a), self.table.add(b)];
                        let turned = [line[1], line[0]];
                        if line[0] != line[1] && !face.lines.contains(&line) && !face.lines.contains(&turned)
                        {
                            face.lines.push(line);
                        }
                    }
                }
            }
        }
        for i in 0..face.lines.len() {
            for k in 0..i {
                let [a, b] = face.lines[i].map(|p| self.table.points[p as usize]);
                let [c, d] = face.lines[k].map(|p| self.table.points[p as usize]);
                if let Some(p) = crossing(a, b, c, d, normal) {
                    self.table.add(p);
                }
            }
        }
    }

    /// The triangles of a face that belong to the union's surface.
    fn pieces(&self, face: &Face, lines: &[[u32; 2]]) -> Result<Vec<[u32; 3]>, UnionError> {
        let normal = self.normals[face.part][face.triangle];
        let corners = face.lines[..3].iter().map(|l| l[0]).collect::<Vec<_>>();
        if lines.len() == 3 {
            let whole = [corners[0], corners[1], corners[2]];
            return Ok(if self.is_outer(face, normal, &[whole]) { vec![whole] } else { vec![] });
        }
        let mut points: Vec<u32> = lines.iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        // Projected along the largest component of the normal, which keeps the winding if it is positive.
        let axis = normal.abs().max_position();
        let plane: Vec<[f64; 2]> =
            points.iter().map(|&p| flat(self.table.points[p as usize], axis)).collect();
        let local = |p: u32| points.binary_search(&p).unwrap_or(0);
        let constraints: Vec<[usize; 2]> = lines.iter().map(|l| l.map(local)).collect();
        let Some(cells) = cells(&plane, &constraints) else {
            let at = self.parts[face.part].triangle_centre(face.triangle);
            return Err(UnionError::Cut { part: face.part, at });
        };
        let mut kept = vec![];
        for cell in cells {
            let cell: Vec<[u32; 3]> = cell
                .into_iter()
                .map(|t| {
                    let [a, b, c] = t.map(|i| points[i]);
                    if normal[axis] > 0.0 { [a, b, c] } else { [a, c, b] }
                })
                .collect();
            if self.is_outer(face, normal, &cell) {
                kept.extend(cell);
            }
        }
        Ok(kept)
    }

    /// Whether a cell of a face lies outside all other parts. Where two parts share a face, the first keeps it if
    /// they lie on the same side of it; otherwise it is an inner wall and both lose it.
    fn is_outer(&self, face: &Face, normal: Vec3, cell: &[[u32; 3]]) -> bool {
        let at = self.largest_centre(cell);
        (0..self.parts.len()).filter(|&j| j != face.part).all(|j| {
            if !overlap((at, at), self.bounds[j]) {
                return true;
            }
            let mut highest = f64::NEG_INFINITY;
            let mut against = None;
            for (t, &n) in self.normals[j].iter().enumerate() {
                let height = n.dot(at - self.parts[j].corners(t)[0]);
                highest = highest.max(height);
                if height.abs() <= 2.0 * self.tolerance && n.dot(normal).abs() > 1.0 - 1e-9 {
                    against = Some(n.dot(normal) > 0.0);
                }
            }
            if highest > 2.0 * self.tolerance {
                return true;
            }
            match against {
                Some(same_side) => same_side && face.part < j,
                None => highest > 0.0,
            }
        })
    }

    /// Centre of the largest triangle: the point of the cell that is safest to judge by.
    fn largest_centre(&self, cell: &[[u32; 3]]) -> Vec3 {
        let mut best = (-1.0, Vec3::ZERO);
        for t in cell {
            let [a, b, c] = t.map(|p| self.table.points[p as usize]);
            let area = (b - a).cross(c - a).length();
            if area > best.0 {
                best = (area, (a + b + c) / 3.0);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::shape::{box_mesh, capsule_mesh, cylinder_mesh, sphere_mesh};
    use std::f64::consts::PI;

    fn cube(at: [f64; 3], size: [f64; 3]) -> TriMesh {
        box_mesh(Vec3::from(size), [1, 1, 1]).map(|p| p + Vec3::from(at))
    }

    fn joined(parts: &[TriMesh]) -> TriMesh {
        let mesh = union_of_convex(parts).expect("joins");
        assert_eq!(mesh.check_solid(), Ok(()));
        mesh
    }

    #[test]
    fn overlapping_boxes_have_the_closed_form_volume() {
        let mesh = joined(&[cube([0.0; 3], [1.0; 3]), cube([0.3, 0.4, 0.5], [1.0; 3])]);
        assert!((mesh.volume() - (2.0 - 0.7 * 0.6 * 0.5)).abs() < 1e-12);
        assert_eq!(mesh.euler(), 2);
    }

    #[test]
    fn flush_boxes_lose_their_common_wall() {
        let whole = joined(&[cube([0.0; 3], [1.0; 3]), cube([1.0, 0.0, 0.0], [1.0; 3])]);
        assert!((whole.volume() - 2.0).abs() < 1e-13);
        let inner =
            (0..whole.triangles.len()).filter(|&t| (whole.triangle_centre(t).x - 0.5).abs() < 1e-9).count();
        assert_eq!(inner, 0);
        // A leg under a plate, and an L with faces in common planes.
        let leg = joined(&[cube([0.0; 3], [2.0, 0.2, 1.0]), cube([0.5, -0.6, 0.1], [0.1, 1.0, 0.1])]);
        assert!((leg.volume() - (0.4 + 0.01)).abs() < 1e-12);
        let l = joined(&[cube([0.0; 3], [1.0; 3]), cube([0.75, 0.0, 0.0], [1.5, 0.5, 1.0])]);
        assert!((l.volume() - (1.0 + 1.0 * 0.5)).abs() < 1e-12);
    }

    #[test]
    fn equal_nested_and_separate_parts_are_handled() {
        let one = joined(&[cube([0.0; 3], [1.0; 3]), cube([0.0; 3], [1.0; 3])]);
        assert!((one.volume() - 1.0).abs() < 1e-13 && one.triangles.len() == 12);
        let nested = joined(&[cube([0.0; 3], [0.5; 3]), cube([0.1, 0.0, 0.0], [1.0; 3])]);
        assert!((nested.volume() - 1.0).abs() < 1e-13 && nested.triangles.len() == 12);
        let apart = joined(&[cube([0.0; 3], [1.0; 3]), cube([3.0, 0.0, 0.0], [1.0; 3])]);
        assert!((apart.volume() - 2.0).abs() < 1e-13 && apart.euler() == 4);
    }

    #[test]
    fn a_frame_of_four_bars_is_a_ring() {
        let bar = |x: f64, y: f64, w: f64, h: f64| cube([x, y, 0.0], [w, h, 0.2]);
        let parts = [
            bar(0.0, 0.9, 2.0, 0.2),
            bar(0.0, -0.9, 2.0, 0.2),
            bar(0.9, 0.0, 0.2, 2.0),
            bar(-0.9, 0.0, 0.2, 2.0),
        ];
        let mesh = joined(&parts);
        assert!((mesh.volume() - 0.2 * (4.0 - 1.6 * 1.6)).abs() < 1e-12);
        assert_eq!(mesh.euler(), 0);
        let turn = Quat::from_rotation_x(0.4) * Quat::from_rotation_y(1.2);
        let turned: Vec<TriMesh> = parts.iter().map(|p| p.map(|x| turn * x)).collect();
        let mesh = joined(&turned);
        assert!((mesh.volume() - 0.2 * (4.0 - 1.6 * 1.6)).abs() < 1e-9);
    }

    #[test]
    fn round_parts_join() {
        let ball = |x: f64| sphere_mesh(1.0, 3).map(|p| p + Vec3::X * x);
        let mesh = joined(&[ball(0.0), ball(1.0)]);
        // Two unit balls at distance 1: 8/3 pi less a lens of 5/12 pi.
        let exact = (8.0 / 3.0 - 5.0 / 12.0) * PI;
        assert!((mesh.volume() / exact - 1.0).abs() < 0.02);
        assert_eq!(mesh.euler(), 2);
        let dumbbell =
            joined(&[ball(-2.0), ball(2.0), cylinder_mesh(0.3, 4.0, 32).map(|p| Vec3::new(p.y, -p.x, p.z))]);
        assert_eq!(dumbbell.euler(), 2);
        let cross = joined(&[
            capsule_mesh(0.2, 1.0, 24),
            capsule_mesh(0.2, 1.0, 24).map(|p| Vec3::new(p.y, -p.x, p.z)),
        ]);
        assert_eq!(cross.euler(), 2);
    }

    #[test]
    fn parts_that_touch_in_an_edge_are_refused() {
        let e = union_of_convex(&[cube([0.0; 3], [1.0; 3]), cube([1.0, 1.0, 0.0], [1.0; 3])]);
        let Err(UnionError::Touch { part, other, at }) = e else { panic!("{e:?}") };
        assert!(part + other == 1 && at.distance(Vec3::new(0.5, 0.5, at.z)) < 1e-9);
    }

    #[test]
    fn the_union_does_not_depend_on_order_or_place() {
        // The volume is the check: a lost or doubled piece would change it.
        let turn = Quat::from_rotation_x(0.3) * Quat::from_rotation_z(0.9);
        for seed in 0..12 {
            let wave = |n: usize, f: f64| 0.5 + 0.5 * ((seed * 31 + n) as f64 * f).sin();
            let part = |n: usize| {
                let size = Vec3::new(wave(n, 1.1), wave(n, 2.3), wave(n, 3.7)) + 0.2;
                let q = Quat::from_rotation_y(6.0 * wave(n, 0.7)) * Quat::from_rotation_z(6.0 * wave(n, 1.9));
                let at = Vec3::new(wave(n, 4.1), wave(n, 5.3), wave(n, 6.7));
                let mesh = match n % 3 {
                    0 => box_mesh(size, [1, 1, 1]),
                    1 => sphere_mesh(0.6 * size.x, 2),
                    _ => cylinder_mesh(0.5 * size.x, size.y, 16),
                };
                mesh.map(|p| q * p + at)
            };
            let mut parts: Vec<TriMesh> = (0..4).map(part).collect();
            let volume = joined(&parts).volume();
            let moved: Vec<TriMesh> = parts.iter().map(|m| m.map(|p| turn * p + Vec3::ONE)).collect();
            assert!((joined(&moved).volume() / volume - 1.0).abs() < 1e-9, "seed {seed}");
            parts.reverse();
            assert!((joined(&parts).volume() / volume - 1.0).abs() < 1e-9, "seed {seed}");
        }
    }
}
