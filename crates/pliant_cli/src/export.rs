//! `pliant export`: turns a recording into files for other programs.

use crate::outputs::{check_paths, is_recording};
use crate::pictures::{Look, Pictures, is_picture};
use crate::progress::Progress;
use crate::{Common, Failure, Outputs, scenes};
use pliant_io::scene_file;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `pliant export`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The recording
    pub recording: PathBuf,
    /// Where to write, by file ending; may be given several times
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    pub output: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    frames: usize,
    complete: bool,
    outputs: &'a [PathBuf],
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    check_paths(&args.output)?;
    if let Some(path) = args.output.iter().find(|p| is_recording(p)) {
        let message =
            format!("{}: a recording is where the export comes from; copy the file", path.display());
        return Err(Failure::input_message(message));
    }
    let recording = scenes::open_recording(&args.recording)?;
    let frames = recording.frame_count();
    if !recording.is_complete() {
        let total = recording.header().frame_count;
        common.note(format!("{} holds {frames} of {total} frames", args.recording.display()));
    }
    let title = scenes::recorded_title(&recording);
    let (films, files): (Vec<PathBuf>, Vec<PathBuf>) =
        args.output.iter().cloned().partition(|p| is_picture(p));
    let pictures = if films.is_empty() {
        None
    } else {
        let spec = scene_file::parse(recording.scene_text(), "the scene in the recording");
        let folder = args.recording.parent().unwrap_or(Path::new(""));
        let spec = spec.map_err(Failure::input)?;
        let count = (frames, recording.header().fps);
        Some(Pictures::open(&films, &spec, folder, &Look::default(), count, None)?)
    };

    let mut header = recording.header().clone();
    header.frame_count = frames as u64;
    let mut outputs = Outputs::open(&files, &header, recording.topology(), &title)?;
    let progress = Progress::new(common, "frames", 0, frames as u64);
    for frame in recording.frames() {
        outputs.export_frame(&frame.map_err(Failure::run)?).map_err(Failure::run)?;
        progress.advance();
    }
    outputs.finish().map_err(Failure::run)?;
    drop(progress);
    if let Some(pictures) = pictures {
        pictures.take(&recording, common)?;
    }
    for path in &args.output {
        common.say(format_args!("wrote {} ({frames} frames)", path.display()))?;
    }
    common.say_json(&Report { frames, complete: recording.is_complete(), outputs: &args.output })
}
