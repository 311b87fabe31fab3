//! What comes in: scenes and meshes, right and wrong. One binary, because linking the engine takes longer than its tests.

mod bad_bytes;
mod bad_common;
mod bad_depth;
mod bad_meshes;
mod bad_overrides;
mod bad_scenes;
mod following;
mod hybrid_bad_scenes;
mod joint_bad_scenes;
mod lattice_bad_scenes;
mod net_shapes;
mod painted_weights;
