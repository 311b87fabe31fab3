//! `pliant schema`: the JSON Schema of scene files, for editors, or that of certificates.

use crate::{Common, Failure, common::print};
use pliant_io::{certify, scene_file};

/// Arguments of `pliant schema`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The schema of what `pliant certify` writes, instead of that of scene files
    #[arg(long)]
    pub certificate: bool,
}

/// Runs the command.
pub fn execute(args: &Args, _: &Common) -> Result<(), Failure> {
    let schema = if args.certificate { certify::schema() } else { scene_file::schema() };
    print(serde_json::to_string_pretty(&schema).map_err(Failure::run)?)
}
