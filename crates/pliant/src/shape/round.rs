//! Finer triangles for surfaces that are meant to be smooth.

use super::TriMesh;
use super::mesh::sorted;
use super::net::normals;
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Every triangle cut in four, with the middles of edges on a smooth surface through the corners. Comes with the ends of the
/// edge that each new point lies on; new points follow the old ones.
pub fn rounded(mesh: &TriMesh) -> (TriMesh, Vec<[u32; 2]>) {
    let normals = normals(mesh);
    let mut fine = TriMesh { triangles: Vec::with_capacity(4 * mesh.triangles.len()), ..mesh.clone() };
    let ends = mesh.edges();
    let mut middles = BTreeMap::new();
    for [a, b] in &ends {
        middles.insert([*a, *b], fine.points.len() as u32);
        let side = |k: u32| (mesh.points[k as usize], normals[k as usize]);
        fine.points.push(middle_of_curve(side(*a), side(*b)));
        if mesh.is_painted() {
            let (c, d) = (mesh.colours[*a as usize], mesh.colours[*b as usize]);
            fine.colours.push([0, 1, 2].map(|k| 0.5 * (c[k] + d[k])));
        }
    }
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| middles[&sorted(p, q)]);
        fine.triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    (fine, ends)
}

/// The middle of the cubic curve between two points that leaves and arrives at right angles to their normals.
fn middle_of_curve((p, n): (Vec3, Vec3), (q, m): (Vec3, Vec3)) -> Vec3 {
    let way = q - p;
    let (leaves, arrives) = (way - n * n.dot(way), way - m * m.dot(way));
    0.5 * (p + q) + 0.125 * (leaves - arrives)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{box_mesh, sphere_net, torus_mesh};

    /// Volume and distance from the true surface get better as those of a smooth surface do, the mesh stays closed, and
    /// all old points stay.
    #[test]
    fn a_coarse_ball_becomes_round() {
        let (coarse, _) = sphere_net(Vec3::splat(0.5), 9, 14);
        let true_volume = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        let worst = |m: &TriMesh| m.points.iter().map(|p| (p.length() - 0.5).abs()).fold(0.0, f64::max);
        let (fine, ends) = rounded(&coarse);
        let (finer, _) = rounded(&fine);
        assert_eq!(fine.points[..coarse.points.len()], coarse.points[..]);
        assert_eq!(fine.points.len(), coarse.points.len() + ends.len());
        for m in [&fine, &finer] {
            assert_eq!(m.check_solid(), Ok(()));
            assert_eq!(m.euler(), coarse.euler());
            assert!(worst(m) < 2e-3, "{}", worst(m));
        }
        let missing = [&coarse, &fine, &finer].map(|m| 1.0 - m.volume() / true_volume);
        assert!(missing[1] < 0.3 * missing[0] && missing[2] < 0.35 * missing[1], "{missing:?}");
    }

    #[test]
    fn a_torus_stays_a_torus_and_flat_faces_inside_stay_flat() {
        let (fine, _) = rounded(&torus_mesh(1.0, 0.3, 24, 12));
        assert_eq!(fine.check_solid(), Ok(()));
        assert_eq!(fine.euler(), 0);
        // The middle of a face of 4 x 4 squares is far from any edge.
        let flat = box_mesh(Vec3::ONE, [4, 4, 4]);
        let (fine, ends) = rounded(&flat);
        let inner = |k: u32| {
            flat.points[k as usize].abs().max_element() == 0.5
                && flat.points[k as usize].abs().to_array().iter().filter(|x| **x == 0.5).count() == 1
        };
        for (p, [a, b]) in
            fine.points[flat.points.len()..].iter().zip(ends).filter(|(_, [a, b])| inner(*a) && inner(*b))
        {
            let straight = 0.5 * (flat.points[a as usize] + flat.points[b as usize]);
            assert!(p.distance(straight) < 1e-15);
        }
    }
}
