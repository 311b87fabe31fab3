//! A mass point outside of a polygonal model.

use super::{Forces, Plane, ReactionConstraint};
use crate::constraint::MassPoint;
use crate::math::Vec3;
use crate::shape::{MeshError, TriMesh, solid_angle};

/// A solid with flat faces that mass points are kept out of.
#[derive(Clone, Debug)]
pub struct PolygonalModel {
    mesh: TriMesh,
    planes: Vec<Plane>,
}

impl PolygonalModel {
    /// From a closed mesh that faces outwards; anything else is refused with what is wrong about it.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        mesh.check_solid()?;
        let plane = |t: usize| Plane::through(mesh.corners(t)[0], mesh.area_vector(t));
        let planes = (0..mesh.triangles.len()).map(plane).collect();
        Ok(Self { mesh, planes })
    }

    /// Whether a place is inside.
    pub fn contains(&self, x: Vec3) -> bool {
        // The faces of a solid are seen all around from inside, and cancel out from outside.
        let seen: f64 = (0..self.planes.len()).map(|t| solid_angle(x, self.mesh.corners(t))).sum();
        seen.abs() > std::f64::consts::TAU
    }

    /// The plane of the polygon nearest to a place.
    pub fn nearest_plane(&self, x: Vec3) -> &Plane {
        // At an edge or a corner several polygons are equally near; the one whose plane is deepest above the place is the
        // one to leave through, as planes of others may already lie below it.
        let rank = |t: &usize| {
            let distance = x.distance(nearest_on_triangle(x, self.mesh.corners(*t)));
            (distance, self.planes[*t].height(x))
        };
        let size = self.mesh.bounds().1.distance(self.mesh.bounds().0);
        let nearer = |a: (f64, f64), b: (f64, f64)| {
            if (a.0 - b.0).abs() > 1e-12 * size { a.0 < b.0 } else { a.1 < b.1 }
        };
        let mut best = 0;
        for t in 1..self.planes.len() {
            if nearer(rank(&t), rank(&best)) {
                best = t;
            }
        }
        &self.planes[best]
    }
}

impl ReactionConstraint {
    /// Keeps the point out of a polygonal model: where it is inside, on the outer side of the nearest polygon
    /// (`[PB88]` appendix B, end).
    ///
    /// ```
    /// use pliant::constraint::{MassPoint, PolygonalModel, ReactionConstraint};
    /// use pliant::math::Vec3;
    /// use pliant::shape::box_mesh;
    ///
    /// let model = PolygonalModel::new(box_mesh(Vec3::ONE, [1, 1, 1])).unwrap();
    /// let out = ReactionConstraint { stiffness: 100.0 };
    /// let inside = MassPoint::at(Vec3::new(0.1, 0.4, 0.0), 1.0);
    /// let forces = out.outside(&inside, &model, Vec3::NEG_Y);
    /// assert!((forces.output - Vec3::Y * 10.0).length() < 1e-12);
    /// ```
    pub fn outside(&self, point: &MassPoint, model: &PolygonalModel, input: Vec3) -> Forces {
        if model.contains(point.position) {
            self.above_plane(point, model.nearest_plane(point.position), input)
        } else {
            Forces::new(input, input)
        }
    }
}

/// The place of a triangle nearest to `x`.
fn nearest_on_triangle(x: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let n = (b - a).cross(c - a);
    let weights = [n.dot((b - x).cross(c - x)), n.dot((c - x).cross(a - x)), n.dot((a - x).cross(b - x))];
    if weights.iter().all(|w| *w >= 0.0) {
        return x - n * (n.dot(x - a) / n.length_squared());
    }
    let on_edge =
        |p: Vec3, q: Vec3| p.lerp(q, ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0));
    let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    edges
        .into_iter()
        .fold(a, |best, e| if e.distance_squared(x) < best.distance_squared(x) { e } else { best })
}
