//! Files in and out.

pub mod mesh_in;
pub mod scene_file;
pub mod export;
pub mod recording;
