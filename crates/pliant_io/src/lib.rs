//! Files in and out.

pub mod export;
pub mod recording;
