//! What the commands of `pliant` are made of, as a library, so that tests and other front ends run the same loop.
//!
//! [`simulate`] is the centre: it steps a world and hands every frame to the [`Outputs`] and to a [`Tally`].
//! Each command is one file: its arguments, and an `execute` that says how it went.

pub mod bench;
pub mod certify;
pub mod check;
mod common;
mod expect;
pub mod export;
mod failure;
pub mod list;
pub mod new;
mod outputs;
mod phases;
pub mod pictures;
pub mod plot;
mod progress;
pub mod render;
pub mod resume;
pub mod run;
mod scenes;
pub mod schema;
mod simulate;
mod summary;
mod tally;
pub mod view;

pub use common::Common;
pub use expect::{Expectation, test_expectations};
pub use failure::Failure;
pub use outputs::Outputs;
pub use phases::PhaseClock;
pub use simulate::{SimulateError, simulate};
pub use summary::Summary;
pub use tally::Tally;
