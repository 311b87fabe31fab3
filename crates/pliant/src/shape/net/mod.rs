//! Nets: the nodes that a spline body moves, how they are joined, and the closed surface that they carry.

mod bricks;
mod curve;
mod frames;
mod from_scene;
pub(crate) mod numbers;
mod path;
mod revolve;
mod sheet;
mod surface;

pub use bricks::{Bricks, Facet, Spot};
pub use curve::{Section, curve_net};
pub(super) use from_scene::{build_curve, build_grid, build_revolve, build_sheet, build_tube};
pub use revolve::{Turning, revolve_net, sphere_net};
pub(super) use sheet::normals;
pub use sheet::{mesh_net, sheet_net};
pub use surface::{block_net, grid_net, torus_net, tube_net};

use crate::math::Vec3;

/// Nodes of a curve, a surface or a solid, how they are joined, and which of them carries each point of the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Rest positions `[m]`.
    pub nodes: Vec<Vec3>,
    /// How they are joined.
    pub weave: Weave,
    /// Length `[m]`, area `[m^2]` or volume `[m^3]` that each node stands for; together they are the whole.
    pub measure: Vec<f64>,
    /// Area of the cross-section of a curve `[m^2]`, thickness of a surface `[m]`, 1 for a solid; none where the shape
    /// does not say, as for closed surfaces without a wall.
    pub section: Option<f64>,
    /// Distance across the cross-section where it is thinnest `[m]`, which bending depends on; none for solids and
    /// where the shape does not say.
    pub thickness: Option<f64>,
    /// For every point of the shape's mesh the node that carries it.
    pub carriers: Vec<u32>,
}

/// How the nodes of a net are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weave {
    /// Nodes in a row.
    Line {
        /// Whether the last is joined to the first.
        closed: bool,
    },
    /// Rows of nodes; node (i, j) is number `i * counts[1] + j`.
    Sheet {
        /// How many nodes each way, poles not counted.
        counts: [usize; 2],
        /// In which directions the last is joined to the first.
        wrap: [bool; 2],
        /// Whether the rows are rings between two poles: the last two nodes, that beside the first ring before the
        /// other.
        poles: bool,
    },
    /// Layers of rows of nodes; node (i, j, k) is number `(i * counts[1] + j) * counts[2] + k`.
    Block {
        /// How many nodes each way.
        counts: [usize; 3],
    },
    /// Triangles between nodes.
    Mesh {
        /// Nodes of each triangle.
        triangles: Vec<[u32; 3]>,
    },
}

/// Each of `count` nodes carries one point: itself.
fn carry_themselves(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

#[cfg(test)]
mod tests;
