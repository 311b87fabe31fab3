//! Files in and out.

pub mod export;
