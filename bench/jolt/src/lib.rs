//! Jolt's scenes, compiled by build.rs, and the clocks and rows of our own benchmark.

use std::ffi::c_int;

#[path = "../../src/lib.rs"]
pub mod shared;

/// A scene that lives on the other side.
#[repr(C)]
pub struct Scene {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    /// A cube of that many cells along a side.
    pub fn jello_new(cells: c_int) -> *mut Scene;
    /// One step.
    pub fn jello_step(scene: *mut Scene, seconds: f64);
    /// Writes the heights of the centre and of the cube.
    pub fn jello_look(scene: *const Scene, centre: *mut f64, height: *mut f64);
    /// That many layers of 100 boxes above the steps.
    pub fn stairs_new(layers: c_int) -> *mut Scene;
    /// One step, in which contacts are measured if `look` says so.
    pub fn stairs_step(scene: *mut Scene, seconds: f64, look: bool);
    /// The deepest penetration measured.
    pub fn stairs_deepest(scene: *const Scene) -> f64;
}

/// A number on the command line, by its place.
pub fn argument(place: usize, default: Option<f64>) -> f64 {
    let given = std::env::args().nth(place);
    let given = given.map(|a| a.parse().unwrap_or_else(|_| panic!("{a} should be a number")));
    given.or(default).unwrap_or_else(|| panic!("argument {place} is missing"))
}
