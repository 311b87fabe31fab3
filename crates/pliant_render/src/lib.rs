//! Pictures and films of recordings, without a GPU.

mod image;
pub mod plot;
pub mod sink;

pub use image::Image;
