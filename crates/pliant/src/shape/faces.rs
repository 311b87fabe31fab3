//! Convex flat faces of a mesh: coplanar triangles merged.

use super::TriMesh;
use crate::math::Vec3;
use std::collections::BTreeMap;

/// Cosine of the angle between normals below which two triangles count as bent.
const COPLANAR: f64 = 1.0 - 1e-10;

/// Faces as loops of corners, counter-clockwise from outside, and the edges between faces that are not coplanar.
/// Coplanar neighbours are merged as long as the face stays convex.
pub fn merge_coplanar(mesh: &TriMesh) -> (Vec<Vec<u32>>, Vec<[u32; 2]>) {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.points[i as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let normals: Vec<Vec3> = mesh.triangles.iter().map(normal).collect();
    let mut faces: Vec<Option<Vec<u32>>> = mesh.triangles.iter().map(|t| Some(t.to_vec())).collect();
    let mut owner: Vec<usize> = (0..faces.len()).collect();
    let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (f, t) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            let (i, j) = (t[k], t[(k + 1) % 3]);
            sides.entry([i.min(j), i.max(j)]).or_default().push(f);
        }
    }
    let mut edges = vec![];
    for (edge, users) in &sides {
        let [f, g] = users.as_slice() else {
            edges.push(*edge);
            continue;
        };
        if normals[*f].dot(normals[*g]) < COPLANAR {
            edges.push(*edge);
            continue;
        }
        let (f, g) = (root(&owner, *f), root(&owner, *g));
        if f == g {
            continue;
        }
        let (Some(a), Some(b)) = (&faces[f], &faces[g]) else { continue };
        if let Some(joined) = join(a, b, *edge, &mesh.points, normals[f]) {
            faces[f] = Some(joined);
            faces[g] = None;
            owner[g] = f;
        }
    }
    (faces.into_iter().flatten().collect(), edges)
}

fn root(owner: &[usize], mut f: usize) -> usize {
    while owner[f] != f {
        f = owner[f];
    }
    f
}

/// Joins two loops along an edge if the result is convex.
fn join(a: &[u32], b: &[u32], [i, j]: [u32; 2], points: &[Vec3], normal: Vec3) -> Option<Vec<u32>> {
    let rotated = |face: &[u32]| -> Option<Vec<u32>> {
        let n = face.len();
        let at = (0..n).find(|k| {
            let (p, q) = (face[*k], face[(*k + 1) % n]);
            (p, q) == (i, j) || (p, q) == (j, i)
        })?;
        // Starts after the shared edge: first its end, last its beginning.
        Some((0..n).map(|k| face[(at + 1 + k) % n]).collect())
    };
    let (a, b) = (rotated(a)?, rotated(b)?);
    let mut loop_: Vec<u32> = a.clone();
    loop_.extend_from_slice(&b[1..b.len() - 1]);
    let n = loop_.len();
    let mut kept = vec![];
    for k in 0..n {
        let at = |m: usize| points[loop_[m % n] as usize];
        let (before, here, after) = (at(k + n - 1), at(k), at(k + 1));
        let turn = (here - before).cross(after - here).dot(normal);
        let scale = (here - before).length() * (after - here).length();
        if turn < -1e-9 * scale {
            return None;
        }
        kept.push(loop_[k]);
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_six_square_faces_and_twelve_edges() {
        let p = |x: i32| Vec3::new((x & 1) as f64, (x >> 1 & 1) as f64, (x >> 2 & 1) as f64);
        let mesh = TriMesh {
            points: (0..8).map(p).collect(),
            triangles: vec![
                [0, 2, 3],
                [0, 3, 1],
                [4, 5, 7],
                [4, 7, 6],
                [0, 1, 5],
                [0, 5, 4],
                [2, 6, 7],
                [2, 7, 3],
                [0, 4, 6],
                [0, 6, 2],
                [1, 3, 7],
                [1, 7, 5],
            ],
            ..TriMesh::default()
        };
        let (faces, edges) = merge_coplanar(&mesh);
        assert_eq!((faces.len(), edges.len()), (6, 12));
        assert!(faces.iter().all(|f| f.len() == 4));
    }
}
