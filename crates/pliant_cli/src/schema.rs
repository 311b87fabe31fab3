//! `pliant schema`: the JSON Schema of scene files, for editors.

use crate::{Common, Failure, common::print};
use pliant_io::scene_file;

/// Arguments of `pliant schema`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn execute(_: &Args, _: &Common) -> Result<(), Failure> {
    print(serde_json::to_string_pretty(&scene_file::schema()).map_err(Failure::run)?)
}
