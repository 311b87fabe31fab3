//! Files in and out.

pub mod certify;
pub mod export;
pub mod recording;
