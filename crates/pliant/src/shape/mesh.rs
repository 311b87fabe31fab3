//! Triangle meshes and what can be wrong with them.

use crate::math::Vec3;

/// A triangle mesh, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Corner positions `[m]`.
    pub points: Vec<Vec3>,
    /// Corner indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Red, green and blue painted on each point, 0 to 1 as the file stores them; empty where nothing is painted.
    pub colours: Vec<[f32; 3]>,
}

/// What is wrong with a mesh as the boundary of a solid. Triangles are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No triangles at all.
    #[error("the mesh has no triangles; give a closed surface")]
    Empty,
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} uses point {index}, but the mesh has only {points} points; renumber it")]
    BadIndex {
        /// Which triangle.
        triangle: usize,
        /// The index that does not exist.
        index: u32,
        /// How many points there are.
        points: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error(
        "point {point} of triangle {triangle} is not finite: {}; give it ordinary coordinates",
        place(at)
    )]
    NotFinite {
        /// A triangle that uses the point.
        triangle: usize,
        /// Which point.
        point: u32,
        /// Its coordinates.
        at: Vec3,
    },
    /// A triangle without area.
    #[error("triangle {triangle} at {} has no area; remove it or merge its points", place(at))]
    Degenerate {
        /// Which triangle.
        triangle: usize,
        /// Its centre.
        at: Vec3,
    },
    /// An edge with a triangle on one side only.
    #[error("triangle {triangle} has an open edge at {}; close the hole there", place(at))]
    OpenEdge {
        /// The triangle at the hole.
        triangle: usize,
        /// Middle of the edge.
        at: Vec3,
    },
    /// An edge with more than two triangles.
    #[error(
        "triangles {triangle} and {other} share an edge at {} with {count} triangles in all; an edge of a solid \
         has two, so remove inner or doubled faces",
        place(at)
    )]
    CrowdedEdge {
        /// Lowest triangle at the edge.
        triangle: usize,
        /// Highest triangle at the edge.
        other: usize,
        /// How many triangles meet there.
        count: usize,
        /// Middle of the edge.
        at: Vec3,
    },
    /// Two neighbours wound in opposite ways.
    #[error("triangles {triangle} and {other} at {} are wound in opposite ways; turn one of them", place(at))]
    Winding {
        /// One of the two.
        triangle: usize,
        /// The other.
        other: usize,
        /// Middle of their edge.
        at: Vec3,
    },
    /// Two sheets of the surface meet in one point only.
    #[error(
        "triangles {triangle} and {other} belong to sheets that meet only in the point {}; separate or join them",
        place(at)
    )]
    PinchedPoint {
        /// A triangle of the one sheet.
        triangle: usize,
        /// A triangle of the other.
        other: usize,
        /// The shared point.
        at: Vec3,
    },
    /// The surface, or a part of it, faces inwards.
    #[error("the surface around triangle {triangle} at {} faces inwards; turn all its triangles", place(at))]
    InsideOut {
        /// First triangle of the part.
        triangle: usize,
        /// Its centre.
        at: Vec3,
    },
    /// An outward-facing part lies inside another one.
    #[error(
        "the part that begins with triangle {triangle} at {} lies inside another part; remove it, or turn it if it \
         is meant as a cavity",
        place(at)
    )]
    Nested {
        /// First triangle of the inner part.
        triangle: usize,
        /// Its centre.
        at: Vec3,
    },
    /// The surface passes through or touches itself.
    #[error("triangles {triangle} and {other} cross or touch near {}; move them apart", place(at))]
    SelfIntersection {
        /// The lower index of the two.
        triangle: usize,
        /// The higher index.
        other: usize,
        /// A place between them.
        at: Vec3,
    },
}

impl MeshError {
    /// The triangle the error is about; none for an empty mesh.
    pub fn triangle(&self) -> Option<usize> {
        use MeshError::*;
        match *self {
            Empty => None,
            BadIndex { triangle, .. }
            | NotFinite { triangle, .. }
            | Degenerate { triangle, .. }
            | OpenEdge { triangle, .. }
            | CrowdedEdge { triangle, .. }
            | Winding { triangle, .. }
            | PinchedPoint { triangle, .. }
            | InsideOut { triangle, .. }
            | Nested { triangle, .. }
            | SelfIntersection { triangle, .. } => Some(triangle),
        }
    }
}

fn place(at: &Vec3) -> String {
    format!("({:.6}, {:.6}, {:.6})", at.x, at.y, at.z)
}

/// Volume within triangles between points `[m^3]`.
pub(crate) fn enclosed_volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    // Tetrahedra with the middle of the mesh, not the origin, so that a far-away mesh loses no digits.
    let (low, high) = bounds_of(points);
    let centre = 0.5 * (low + high);
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| points[i as usize] - centre);
        a.dot(b.cross(c))
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

impl TriMesh {
    /// The enclosed volume `[m^3]`; negative if the mesh is inside out.
    pub fn volume(&self) -> f64 {
        enclosed_volume(&self.points, &self.triangles)
    }
    /// Smallest and largest coordinates `[m]`; both zero without points.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        bounds_of(&self.points)
    }
    /// Every edge once, as sorted pairs `a < b` of point indices.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(|&[a, b, c]| [sorted(a, b), sorted(b, c), sorted(c, a)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
    /// The same triangles with every point moved by `f`. A reflection turns the mesh inside out.
    pub fn map(&self, f: impl Fn(Vec3) -> Vec3) -> TriMesh {
        TriMesh {
            points: self.points.iter().map(|&p| f(p)).collect(),
            triangles: self.triangles.clone(),
            colours: self.colours.clone(),
        }
    }
    /// Corner positions of a triangle.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|i| self.points[i as usize])
    }
    /// Twice the area of a triangle along its outward normal `[m^2]`.
    pub fn area_vector(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a)
    }
    /// Centre of a triangle `[m]`.
    pub fn triangle_centre(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (a + b + c) / 3.0
    }
    /// Whether every point has a colour.
    pub fn is_painted(&self) -> bool {
        !self.colours.is_empty() && self.colours.len() == self.points.len()
    }
    /// Adds another mesh's points and triangles. Paint stays only if both are painted: half of it would mean nothing.
    pub fn append(&mut self, other: &TriMesh) {
        let first = self.points.len() as u32;
        if (self.is_painted() || first == 0) && other.is_painted() {
            self.colours.extend_from_slice(&other.colours);
        } else {
            self.colours.clear();
        }
        self.points.extend_from_slice(&other.points);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + first)));
    }
}

/// Smallest and largest coordinates of points; both zero without points.
pub(super) fn bounds_of(points: &[Vec3]) -> (Vec3, Vec3) {
    let Some(&first) = points.first() else { return (Vec3::ZERO, Vec3::ZERO) };
    points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)))
}

/// An edge without direction.
pub(super) fn sorted(a: u32, b: u32) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}

#[cfg(test)]
impl TriMesh {
    /// Points less edges plus triangles: 2 for a ball, 0 for a ring.
    pub(super) fn euler(&self) -> i64 {
        self.points.len() as i64 - self.edges().len() as i64 + self.triangles.len() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::box_mesh;

    #[test]
    fn far_box_keeps_its_volume_and_bounds() {
        let mesh = box_mesh(Vec3::new(1.0, 2.0, 3.0), [1, 1, 1]).map(|p| p + Vec3::splat(1e4));
        assert!((mesh.volume() - 6.0).abs() < 1e-10);
        let (low, high) = mesh.bounds();
        assert_eq!(high - low, Vec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn paint_moves_with_the_points_and_survives_only_beside_paint() {
        let plain = box_mesh(Vec3::ONE, [1, 1, 1]);
        let red = TriMesh { colours: vec![[1.0, 0.0, 0.0]; plain.points.len()], ..plain.clone() };
        assert_eq!(red.map(|p| 2.0 * p).colours, red.colours);
        let mut both = TriMesh::default();
        both.append(&red);
        both.append(&red.map(|p| p + Vec3::splat(3.0)));
        assert!(both.is_painted());
        both.append(&plain.map(|p| p - Vec3::splat(3.0)));
        assert!(both.colours.is_empty());
    }

    #[test]
    fn edges_are_unique_and_sorted() {
        let mesh = box_mesh(Vec3::ONE, [1, 1, 1]);
        let edges = mesh.edges();
        assert_eq!(edges.len(), 18, "E = 3 F / 2");
        assert!(edges.windows(2).all(|w| w[0] < w[1]) && edges.iter().all(|e| e[0] < e[1]));
    }
}
