//! Splitting long edges without changing the shape.

use super::TriMesh;
use super::mesh::sorted;
use std::collections::BTreeMap;

/// The same surface with every edge no longer than `longest_edge` `[m]`.
///
/// All too long edges are halved at once, and each triangle is cut in two, three or four according to how many of its
/// edges were, until none is too long; neighbours see the same new points, so the mesh stays closed. A length that is
/// not positive leaves the mesh as it is. New points are painted as the fainter end of their edge: what is held where it was
/// painted must not spread towards points that were not.
pub fn refine(mesh: &TriMesh, longest_edge: f64) -> TriMesh {
    let mut mesh = mesh.clone();
    if !longest_edge.is_finite() || longest_edge <= 0.0 {
        return mesh;
    }
    while split_once(&mut mesh, longest_edge) {}
    mesh
}

/// Halves all too long edges; returns whether there were any.
fn split_once(mesh: &mut TriMesh, longest_edge: f64) -> bool {
    let painted = mesh.is_painted();
    let mut middle: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for [a, b] in mesh.edges() {
        let (p, q) = (mesh.points[a as usize], mesh.points[b as usize]);
        if p.distance(q) > longest_edge {
            middle.insert([a, b], mesh.points.len() as u32);
            mesh.points.push(0.5 * (p + q));
            if painted {
                let (c, d) = (mesh.colours[a as usize], mesh.colours[b as usize]);
                mesh.colours.push([0, 1, 2].map(|k| c[k].min(d[k])));
            }
        }
    }
    if middle.is_empty() {
        return false;
    }
    let mut triangles = Vec::with_capacity(2 * mesh.triangles.len());
    for &t in &mesh.triangles {
        let cut = [0, 1, 2].map(|k| middle.get(&sorted(t[k], t[(k + 1) % 3])).copied());
        split_triangle(mesh, t, cut, &mut triangles);
    }
    mesh.triangles = triangles;
    true
}

/// Cuts a triangle at the middles of its edges; `cut[k]` lies between corners `k` and `k + 1`.
fn split_triangle(mesh: &TriMesh, t: [u32; 3], cut: [Option<u32>; 3], out: &mut Vec<[u32; 3]>) {
    if let [Some(ab), Some(bc), Some(ca)] = cut {
        let [a, b, c] = t;
        out.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        return;
    }
    // Turned so that the first edge is cut and, of two cut edges, the other is the second.
    let Some(k) = (0..3).find(|&k| cut[k].is_some() && cut[(k + 2) % 3].is_none()) else {
        out.push(t);
        return;
    };
    let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
    let (Some(ab), other) = (cut[k], cut[(k + 1) % 3]) else { return };
    let Some(bc) = other else {
        out.extend([[a, ab, c], [ab, b, c]]);
        return;
    };
    // The corner b goes; the quadrilateral a, ab, bc, c is cut along its shorter diagonal.
    out.push([ab, b, bc]);
    let length = |i: u32, j: u32| mesh.points[i as usize].distance_squared(mesh.points[j as usize]);
    if length(a, bc) < length(ab, c) {
        out.extend([[a, ab, bc], [a, bc, c]]);
    } else {
        out.extend([[a, ab, c], [ab, bc, c]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::shape::{box_mesh, stairs_mesh, torus_mesh};

    #[test]
    fn refined_meshes_keep_volume_and_closedness() {
        for (mesh, length) in [
            (box_mesh(Vec3::new(1.0, 2.0, 0.3), [1, 1, 1]), 0.17),
            (stairs_mesh(5, 0.3, 0.2, 1.5), 0.2),
            (torus_mesh(1.0, 0.3, 12, 6), 0.1),
        ] {
            let fine = refine(&mesh, length);
            assert_eq!(fine.check_solid(), Ok(()));
            assert_eq!(fine.euler(), mesh.euler());
            assert!((fine.volume() / mesh.volume() - 1.0).abs() < 1e-13);
            let longest = fine
                .edges()
                .iter()
                .map(|e| fine.points[e[0] as usize].distance(fine.points[e[1] as usize]))
                .fold(0.0, f64::max);
            assert!(longest <= length && longest > 0.4 * length);
            assert_eq!(fine, refine(&mesh, length), "deterministic");
        }
    }

    #[test]
    fn short_edges_and_senseless_lengths_change_nothing() {
        let mesh = box_mesh(Vec3::ONE, [2, 2, 2]);
        assert_eq!(refine(&mesh, 1.0), mesh);
        assert_eq!(refine(&mesh, 0.0), mesh);
        assert_eq!(refine(&mesh, f64::NAN), mesh);
    }
}
