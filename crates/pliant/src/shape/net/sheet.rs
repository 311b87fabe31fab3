//! Triangle surfaces as thin sheets, and closed meshes as nets.

use super::surface::Surface;
use super::{Net, Weave};
use crate::math::Vec3;
use crate::math::portable;
use crate::shape::TriMesh;

/// A triangle surface, open or closed, with a skin on both sides, `thickness` apart `[m]`, joined at its rim.
///
/// Needs what `check_sheet` demands.
pub fn sheet_net(surface: &TriMesh, thickness: f64) -> (TriMesh, Net) {
    let normals = normals(surface);
    Surface::of(surface).wall(&normals, thickness, Weave::Mesh { triangles: surface.triangles.clone() })
}

/// A closed mesh whose points are the nodes and the skin at once.
pub fn mesh_net(mesh: &TriMesh) -> (TriMesh, Net) {
    Surface::of(mesh).closed(Weave::Mesh { triangles: mesh.triangles.clone() })
}

/// Both sides of a surface and what joins them at its rim. The points of the side it faces come first.
pub(super) fn thickened(surface: &TriMesh, normals: &[Vec3], thickness: f64) -> TriMesh {
    let count = surface.points.len() as u32;
    let side = |s: f64| surface.points.iter().zip(normals).map(move |(p, n)| *p + 0.5 * s * thickness * *n);
    let mut mesh = TriMesh {
        points: side(1.0).chain(side(-1.0)).collect(),
        triangles: surface.triangles.clone(),
        colours: surface.colours.repeat(2),
    };
    mesh.triangles.extend(surface.triangles.iter().map(|&[a, b, c]| [a + count, c + count, b + count]));
    for [a, b] in rim(surface) {
        mesh.triangles.extend([[b, a, a + count], [b, a + count, b + count]]);
    }
    mesh
}

/// Edges with one triangle, in the direction of that triangle.
fn rim(surface: &TriMesh) -> Vec<[u32; 2]> {
    let uses = surface.edge_groups();
    uses.chunk_by(|a, b| a.edge == b.edge)
        .filter(|group| group.len() == 1)
        .map(|group| {
            let [a, b] = group[0].edge;
            if group[0].forward { [a, b] } else { [b, a] }
        })
        .collect()
}

/// Unit normals at the points: those of the triangles around, weighted by their angles there, so that the way a face is
/// cut into triangles does not matter. Zero where they cancel.
pub(in super::super) fn normals(mesh: &TriMesh) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; mesh.points.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let normal = mesh.area_vector(t).normalize_or_zero();
        let p = mesh.corners(t);
        for k in 0..3 {
            let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
            sums[corners[k] as usize] += portable::angle_between(a, b) * normal;
        }
    }
    sums.into_iter().map(Vec3::normalize_or_zero).collect()
}

/// Whether a mesh is one piece of surface with two sides, all its points in use; otherwise what is wrong and what would
/// be right.
pub(super) fn check_sheet(mesh: &TriMesh) -> Result<(), String> {
    mesh.check_points().map_err(|e| e.to_string())?;
    let place = |p: Vec3| format!("({:.6}, {:.6}, {:.6})", p.x, p.y, p.z);
    if let Some(t) = (0..mesh.triangles.len()).find(|&t| mesh.is_degenerate(t)) {
        let at = place(mesh.triangle_centre(t));
        return Err(format!("triangle {t} at {at} has no area; remove it or merge its points"));
    }
    for group in mesh.edge_groups().chunk_by(|a, b| a.edge == b.edge) {
        let [a, b] = group[0].edge.map(|i| mesh.points[i as usize]);
        let at = place(0.5 * (a + b));
        match group {
            [_] => {}
            [a, b] if a.forward != b.forward => {}
            [a, b] => {
                return Err(format!(
                    "triangles {} and {} at {at} are wound in opposite ways; turn one of them (a surface with only \
                     one side cannot be a sheet)",
                    a.triangle, b.triangle
                ));
            }
            _ => {
                return Err(format!(
                    "triangle {} has an edge at {at} with {} triangles in all; an edge of a sheet has one or two",
                    group[0].triangle,
                    group.len()
                ));
            }
        }
    }
    let pieces = mesh.parts().iter().max().map_or(0, |last| last + 1);
    if pieces != 1 {
        return Err(format!(
            "the mesh has {pieces} separate pieces; a sheet is one piece, so weld their common points or make each \
             a body of its own"
        ));
    }
    let mut edges_of_rim = vec![0; mesh.points.len()];
    rim(mesh).iter().flatten().for_each(|&i| edges_of_rim[i as usize] += 1);
    if let Some(i) = edges_of_rim.iter().position(|&n| n > 2) {
        let at = place(mesh.points[i]);
        return Err(format!("parts of the surface meet only in the point {at}; separate or join them"));
    }
    if let Some(i) = normals(mesh).iter().position(|n| *n == Vec3::ZERO) {
        let at = place(mesh.points[i]);
        return Err(format!(
            "the triangles around the point {at} face in opposite directions; smooth it there"
        ));
    }
    Ok(())
}
