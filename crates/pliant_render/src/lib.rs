//! Pictures and films of recordings, without a GPU.

mod image;
pub mod sink;

pub use image::Image;
