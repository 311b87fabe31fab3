//! Pictures and films of recordings, without a GPU.
//!
//! [`Studio`] sets up camera, lights and surfaces of a scene; [`Studio::picture`] takes a picture of a frame by tracing
//! rays; [`sink`] writes pictures and films. The same frames give the same pixels on any number of threads.

mod camera;
mod develop;
mod film;
mod filter;
mod image;
mod lanes;
mod light;
mod material;
mod matte;
mod overlay;
pub mod plot;
mod sampler;
pub mod sink;
mod stage;
mod studio;
mod trace;

pub use camera::Camera;
pub use image::Image;
pub use matte::{MatteError, Photo, PhotoError, Solved, solve};
pub use overlay::{Field, Overlays};
pub use studio::{Measured, Moment, Settings, Studio};
