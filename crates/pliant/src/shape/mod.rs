//! Rest shapes: triangle meshes, primitives, mass properties and moments.

mod mesh;

pub use mesh::{MeshError, TriMesh};
