//! Vectors, small dense algebra, cubature: pure functions that know nothing of the engine.

/// Three-vector, f64.
pub type Vec3 = glam::DVec3;
/// Three-by-three matrix, column major, f64.
pub type Mat3 = glam::DMat3;
/// Unit quaternion, f64.
pub type Quat = glam::DQuat;

mod eigen;
pub use eigen::{symmetric_eigen, symmetric_eigen3};

pub(crate) mod portable;

mod cholesky;
pub(crate) use cholesky::Cholesky;

mod triangle;
pub(crate) use triangle::Triangle;

mod widely;
pub(crate) use widely::{Work, widely};

mod disjoint;
pub(crate) use disjoint::Disjoint;

mod small;
pub(crate) use small::{dot, is_regular, outer, pseudo_inverse, skew};

mod spin;
pub(crate) use spin::{cayley, rotation_of, turn};
