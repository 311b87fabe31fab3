//! Triangle meshes.

use crate::math::Vec3;

/// A triangle mesh, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Corner positions `[m]`.
    pub points: Vec<Vec3>,
    /// Corner indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// What is wrong with a mesh as the boundary of a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No triangles at all.
    #[error("the mesh has no triangles")]
    Empty,
}
