//! Rest shapes: triangle meshes, primitives, mass properties and moments.

mod faces;
mod mesh;

pub use faces::merge_coplanar;
pub use mesh::{MeshError, TriMesh};
