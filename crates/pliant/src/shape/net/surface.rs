//! Sheets and blocks whose nodes lie on a lattice.

use super::sheet::thickened;
use super::{Net, Weave, carry_themselves};
use crate::math::Vec3;
use crate::math::portable;
use crate::shape::TriMesh;
use crate::shape::primitives::{box_mesh, push_quad, torus_mesh};
use std::f64::consts::TAU;

/// A triangle surface between nodes, and the area each node stands for.
pub(super) struct Surface {
    pub mesh: TriMesh,
    pub measure: Vec<f64>,
}

impl Surface {
    /// Nodes without triangles.
    pub fn new(nodes: Vec<Vec3>) -> Self {
        Self { measure: vec![0.0; nodes.len()], mesh: TriMesh { points: nodes, ..TriMesh::default() } }
    }

    /// The triangles of a mesh, and what is painted on it.
    pub fn of(mesh: &TriMesh) -> Self {
        let mut surface = Self::new(mesh.points.clone());
        mesh.triangles.iter().for_each(|t| surface.triangle(*t));
        surface.mesh.colours.clone_from(&mesh.colours);
        surface
    }

    /// Adds a triangle, a third of its area for each corner.
    pub fn triangle(&mut self, corners: [u32; 3]) {
        self.mesh.triangles.push(corners);
        self.share(1, &corners);
    }

    /// Adds a quad, a quarter of its area for each corner, so that the diagonal prefers none.
    pub fn quad(&mut self, corners: [u32; 4], other_diagonal: bool) {
        push_quad(&mut self.mesh, corners, other_diagonal);
        self.share(2, &corners);
    }

    /// Adds the quads of a lattice whose node (i, j) is number `i * counts[1] + j`. They face along `j x i`.
    pub fn lattice(&mut self, counts: [usize; 2], wrap: [bool; 2]) {
        let at = |i: usize, j: usize| ((i % counts[0]) * counts[1] + j % counts[1]) as u32;
        let cells = [0, 1].map(|k| if wrap[k] { counts[k] } else { counts[k].saturating_sub(1) });
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                let quad = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
                self.quad(quad, (i + j) % 2 == 1);
            }
        }
    }

    fn share(&mut self, triangles: usize, corners: &[u32]) {
        let count = self.mesh.triangles.len();
        let area: f64 = (count - triangles..count).map(|t| 0.5 * self.mesh.area_vector(t).length()).sum();
        corners.iter().for_each(|&c| self.measure[c as usize] += area / corners.len() as f64);
    }

    /// A closed surface that is its own skin.
    pub fn closed(self, weave: Weave) -> (TriMesh, Net) {
        let net = Net {
            nodes: self.mesh.points.clone(),
            weave,
            carriers: carry_themselves(self.measure.len()),
            measure: self.measure,
            section: None,
            thickness: None,
        };
        (self.mesh, net)
    }

    /// A wall with a skin on both sides.
    pub fn wall(self, normals: &[Vec3], thickness: f64, weave: Weave) -> (TriMesh, Net) {
        let nodes = self.measure.len();
        let net = Net {
            weave,
            measure: self.measure,
            section: Some(thickness),
            thickness: Some(thickness),
            carriers: carry_themselves(nodes).repeat(2),
            nodes: self.mesh.points.clone(),
        };
        (thickened(&self.mesh, normals, thickness), net)
    }
}

/// A flat sheet in the xz plane around the origin, `size` along x and z `[m]`; the rows of nodes run along z. A cell
/// count of zero is taken as one.
pub fn grid_net(size: [f64; 2], cells: [usize; 2], thickness: f64) -> (TriMesh, Net) {
    let cells = cells.map(|c| c.max(1));
    let counts = cells.map(|c| c + 1);
    let along = |k: usize, i: usize| size[k] * (i as f64 / cells[k] as f64 - 0.5);
    let nodes: Vec<Vec3> = (0..counts[0] * counts[1])
        .map(|n| Vec3::new(along(0, n / counts[1]), 0.0, along(1, n % counts[1])))
        .collect();
    let normals = vec![Vec3::Y; nodes.len()];
    let mut surface = Surface::new(nodes);
    surface.lattice(counts, [false; 2]);
    surface.wall(&normals, thickness, Weave::Sheet { counts, wrap: [false; 2], poles: false })
}

/// A pipe along y around the origin; `radius` to the middle of its wall, `cells` along and around (at least 1 and 3).
/// The rows of nodes are rings.
pub fn tube_net(radius: f64, length: f64, cells: [usize; 2], thickness: f64) -> (TriMesh, Net) {
    let (along, around) = (cells[0].max(1), cells[1].max(3));
    let ring = ring(around);
    let (mut nodes, mut normals) = (vec![], vec![]);
    for i in 0..=along {
        let middle = Vec3::Y * (length * (i as f64 / along as f64 - 0.5));
        nodes.extend(ring.iter().map(|out| middle + radius * *out));
        normals.extend_from_slice(&ring);
    }
    let (counts, wrap) = ([along + 1, around], [false, true]);
    let mut surface = Surface::new(nodes);
    surface.lattice(counts, wrap);
    surface.wall(&normals, thickness, Weave::Sheet { counts, wrap, poles: false })
}

/// A ring around y as a closed surface: `major` to the middle of the tube, `minor` the tube's radius `[m]`, `counts`
/// nodes along the ring and around the tube (at least 3 each).
pub fn torus_net(major: f64, minor: f64, counts: [usize; 2]) -> (TriMesh, Net) {
    let counts = counts.map(|c| c.max(3));
    let mesh = torus_mesh(major, minor, counts[0] as u32, counts[1] as u32);
    let wrap = [true; 2];
    let mut surface = Surface::new(mesh.points);
    surface.lattice(counts, wrap);
    // The lattice faces along tube x ring, which is inwards.
    surface.mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface.closed(Weave::Sheet { counts, wrap, poles: false })
}

/// A solid block with full side lengths `size` `[m]` around the origin; nodes at the corners of its cells, of which
/// those on the boundary carry the skin. A cell count of zero is taken as one.
pub fn block_net(size: Vec3, cells: [usize; 3]) -> (TriMesh, Net) {
    let cells = cells.map(|c| c.max(1));
    let counts = cells.map(|c| c + 1);
    let along = |k: usize, i: usize| size[k] * (i as f64 / cells[k] as f64 - 0.5);
    // A node at the end of a row stands for half a cell.
    let part = |k: usize, i: usize| {
        let cell = size[k] / cells[k] as f64;
        if i == 0 || i == cells[k] { 0.5 * cell } else { cell }
    };
    let (mut nodes, mut measure) = (vec![], vec![]);
    for n in 0..counts.iter().product() {
        let (i, j, k) = (n / (counts[1] * counts[2]), n / counts[2] % counts[1], n % counts[2]);
        nodes.push(Vec3::new(along(0, i), along(1, j), along(2, k)));
        measure.push(part(0, i) * part(1, j) * part(2, k));
    }
    let mesh = box_mesh(size, cells.map(|c| c as u32));
    let number = |p: &Vec3| {
        let at = |k: usize| ((p[k] / size[k] + 0.5) * cells[k] as f64).round() as usize;
        ((at(0) * counts[1] + at(1)) * counts[2] + at(2)) as u32
    };
    let carriers = mesh.points.iter().map(number).collect();
    let net =
        Net { nodes, weave: Weave::Block { counts }, measure, section: Some(1.0), thickness: None, carriers };
    (mesh, net)
}

/// Unit directions around y from +x, counter-clockwise seen from above.
pub(super) fn ring(around: usize) -> Vec<Vec3> {
    (0..around)
        .map(|k| {
            let (sin, cos) = portable::sin_cos(TAU * k as f64 / around as f64);
            Vec3::new(cos, 0.0, -sin)
        })
        .collect()
}
