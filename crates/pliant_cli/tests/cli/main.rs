//! The command line as a user meets it. One binary, because linking the engine takes longer than its tests.

mod commands;
mod common;
mod render;
mod resume;
mod view;
