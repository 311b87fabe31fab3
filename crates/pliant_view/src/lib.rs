//! A session with a world that somebody watches and plays with.
//!
//! [`Session`] takes commands as JSON text and answers with messages as bytes. It has no clock, no thread and no socket:
//! it simulates one frame when it is asked for one, so whoever shows the frames sets the pace. The same session runs
//! behind `pliant view` and, as WASM, inside the page itself; the page in `web/` cannot tell which it has.

mod command;
mod describe;
mod hand;
mod history;
mod message;
mod session;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use command::Command;
pub use session::{Session, Settings};
