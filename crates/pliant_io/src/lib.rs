//! Files in and out.

pub mod certify;
pub mod claims;
pub mod export;
pub mod mesh_in;
pub mod recording;
pub mod scene_file;
