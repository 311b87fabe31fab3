//! Convex hull of points, by exact incremental construction.

use super::TriMesh;
use super::predicates::side_of_plane;
use crate::math::Vec3;
use std::collections::BTreeSet;

/// Points nearer than this, relative to the size of the set, are the same point.
const SAME: f64 = 1e-9;

/// The convex hull of points, or nothing if they do not span a volume.
pub fn convex_hull(points: &[Vec3]) -> Option<TriMesh> {
    let mut cloud = TriMesh { points: points.to_vec(), ..TriMesh::default() };
    if points.iter().any(|p| !p.is_finite()) {
        return None;
    }
    cloud.weld(SAME);
    loop {
        let mut mesh = exact_hull(&cloud.points)?;
        // A point almost on an edge or face of the hull of the others makes a sliver; the hull without it is the
        // same but for rounding.
        let Some(sliver) = (0..mesh.triangles.len()).find(|&t| is_sliver(&mesh, t)) else {
            mesh.drop_unused();
            return Some(mesh);
        };
        cloud.points.remove(middle_corner(&mesh, sliver));
    }
}

/// Height over longest edge under 1e-9.
fn is_sliver(mesh: &TriMesh, t: usize) -> bool {
    let [a, b, c] = mesh.corners(t);
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    mesh.area_vector(t).length() < SAME * longest
}

/// The corner opposite to the longest edge.
fn middle_corner(mesh: &TriMesh, t: usize) -> usize {
    let c = mesh.corners(t);
    let opposite = |k: usize| c[(k + 1) % 3].distance_squared(c[(k + 2) % 3]);
    let k = (1..3).fold(0, |best, k| if opposite(k) > opposite(best) { k } else { best });
    mesh.triangles[t][k] as usize
}

/// Adds the points one by one: the faces that strictly see the new point go, and their outline is joined to it.
///
/// Because "sees" is decided exactly and strictly, a new triangle is never degenerate: a point on the line of an edge is
/// in the planes of both its faces, so the edge is not on the outline.
fn exact_hull(points: &[Vec3]) -> Option<TriMesh> {
    let first = first_tetrahedron(points)?;
    let [a, b, c, d] = first;
    let mut faces = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    for (i, &p) in points.iter().enumerate() {
        if first.contains(&(i as u32)) {
            continue;
        }
        let sees = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|v| points[v as usize]);
            side_of_plane(a, b, c, p) > 0.0
        };
        let (gone, kept): (Vec<_>, Vec<_>) = faces.iter().copied().partition(sees);
        if gone.is_empty() {
            continue;
        }
        let directed: BTreeSet<[u32; 2]> =
            gone.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        faces = kept;
        faces.extend(
            directed.iter().filter(|&&[a, b]| !directed.contains(&[b, a])).map(|&[a, b]| [a, b, i as u32]),
        );
    }
    Some(TriMesh { points: points.to_vec(), triangles: faces, ..TriMesh::default() })
}

/// Four points far apart, ordered so that `d` lies behind the triangle `abc`; nothing if all are on a plane.
fn first_tetrahedron(points: &[Vec3]) -> Option<[u32; 4]> {
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        let better =
            |best: usize, i: usize| if measure(points[i]) > measure(points[best]) { i } else { best };
        (1..points.len()).fold(0, better)
    };
    let origin = *points.first()?;
    let a = farthest(&|p| p.distance_squared(origin));
    let b = farthest(&|p| p.distance_squared(points[a]));
    let along = points[b] - points[a];
    let c = farthest(&|p| along.cross(p - points[a]).length_squared());
    let normal = along.cross(points[c] - points[a]);
    let d = farthest(&|p| normal.dot(p - points[a]).abs());
    let size = along.length();
    let height = normal.normalize_or_zero().dot(points[d] - points[a]);
    if normal.length() <= SAME * size * size || height.abs() <= SAME * size {
        return None;
    }
    let [a, b, c, d] = [a, b, c, d].map(|i| i as u32);
    Some(if height < 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::shape::{box_mesh, is_convex, sphere_mesh};

    #[test]
    fn the_hull_of_a_grid_is_its_box() {
        let mut points = vec![];
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..4 {
                    points.push(Vec3::new(f64::from(i), 2.0 * f64::from(j), 0.5 * f64::from(k)));
                }
            }
        }
        let mesh = convex_hull(&points).expect("spans a volume");
        assert_eq!(mesh.check_solid(), Ok(()));
        assert!((mesh.volume() - 3.0 * 6.0 * 1.5).abs() < 1e-12 && is_convex(&mesh));
    }

    #[test]
    fn a_turned_grid_with_rounding_still_gives_a_clean_box() {
        let turn = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(0.3);
        let mesh = box_mesh(Vec3::ONE, [5, 5, 5]).map(|p| turn * p);
        let hull = convex_hull(&mesh.points).expect("spans a volume");
        assert_eq!(hull.check_solid(), Ok(()));
        assert!((hull.volume() - 1.0).abs() < 1e-12 && is_convex(&hull));
    }

    #[test]
    fn the_hull_of_a_sphere_is_itself() {
        let ball = sphere_mesh(1.0, 2);
        let mesh = convex_hull(&ball.points).expect("spans a volume");
        assert_eq!(mesh.points.len(), ball.points.len());
        assert!((mesh.volume() / ball.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn flat_and_few_points_have_none() {
        let flat: Vec<Vec3> = (0..9).map(|i| Vec3::new(f64::from(i % 3), f64::from(i / 3), 1.0)).collect();
        assert_eq!(convex_hull(&flat), None);
        assert_eq!(convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Y]), None);
        assert_eq!(convex_hull(&[]), None);
    }
}
