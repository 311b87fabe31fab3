//! Files in and out.

pub mod recording;
