//! `pliant plot`: energies, momenta, volumes, contacts and controls over time, as SVG.

use crate::{Common, Failure, scenes};
use anyhow::Context;
use pliant_io::export::{At, Staging};
use pliant_render::plot;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `pliant plot`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The recording
    pub recording: PathBuf,
    /// Where to write the page of plots, an .svg; by default beside the recording
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    frames: usize,
    plots: Vec<&'a str>,
    output: &'a Path,
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let output = args.output.clone().unwrap_or_else(|| args.recording.with_extension("svg"));
    if !output.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
        return Err(Failure::input_message(format!("{}: plots are written as .svg", output.display())));
    }
    let recording = scenes::open_recording(&args.recording)?;
    let plots = plot::plots(&recording).map_err(Failure::input)?;
    let mut staging = Staging::default();
    let mut file = staging.create(&output).map_err(Failure::input)?;
    let written = file.write_all(plot::page(&plots).as_bytes()).at(&output);
    written
        .and_then(|()| file.close())
        .and_then(|()| staging.commit())
        .context("plots")
        .map_err(Failure::Run)?;
    common.say(format_args!("wrote {}", output.display()))?;
    let names = plots.iter().map(|p| p.name.as_str()).collect();
    common.say_json(&Report { frames: recording.frame_count(), plots: names, output: &output })
}
