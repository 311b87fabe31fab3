//! `pliant resume`: goes on with a run that was stopped or killed.

use crate::progress::{Progress, stop_politely_on_interrupt, unless_interrupted};
use crate::{Common, Failure, Outputs, PhaseClock, Summary, Tally, run, scenes, simulate};
use anyhow::{Context, anyhow, ensure};
use pliant::World;
use pliant_io::recording::{Recorder, Recording};
use pliant_io::scene_file;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `pliant resume`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The recording
    pub recording: PathBuf,
    /// With --json, also print the hash of the exact state of every frame
    #[arg(long)]
    pub hashes: bool,
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let recording = Recording::open(&args.recording).map_err(Failure::input)?;
    let began = Instant::now();
    let (mut tally, mut clock) = (Tally::new(recording.topology()), PhaseClock::default());
    let kept;
    if recording.is_complete() {
        for frame in recording.frames() {
            tally.add(&frame.map_err(Failure::input)?);
        }
        kept = (tally.frames, tally.time);
        common.note(format!("{} is complete; nothing to do", args.recording.display()));
    } else {
        if recording.ignored_bytes() > 0 {
            common.note(format!("ignoring {} bytes after the last whole block", recording.ignored_bytes()));
        }
        let mut world = restore(&recording, &mut tally)
            .with_context(|| format!("{}: cannot be resumed", args.recording.display()))
            .map_err(Failure::Input)?;
        kept = (tally.frames, tally.time);
        finish(&mut world, &recording, &mut tally, &mut clock, common)?;
    }
    let mut summary = Summary::new(&tally, &clock, began.elapsed(), kept);
    if args.hashes {
        summary = summary.with_hashes(&tally);
    }
    summary.title = scenes::recorded_title(&recording);
    summary.outputs = vec![args.recording.clone()];
    common.say(&summary)?;
    common.say_json(&summary)
}

/// Builds the world as it was at the last checkpoint, or at the start, and tallies the frames up to it. Changes
/// nothing in the file.
fn restore(recording: &Recording, tally: &mut Tally) -> anyhow::Result<World> {
    let (header, here) = (recording.header(), env!("CARGO_PKG_VERSION"));
    // Another version may compute other bits, and then the result would not be that of one run.
    ensure!(header.engine == here, "it was made by version {}, this is version {here}", header.engine);
    let spec = scene_file::parse(recording.scene_text(), "the scene in the recording")?;
    let mut world = World::new(&spec, recording.meshes())?;
    ensure!(world.topology() == *recording.topology(), "this program builds its scene differently");
    if let Some(checkpoint) = recording.last_checkpoint()? {
        world.load(&checkpoint.state).map_err(|e| anyhow!(e))?;
        for index in 0..=checkpoint.frame {
            tally.add(&recording.frame(index as usize)?);
        }
        let same = tally.hashes.last() == Some(&world.frame().state_hash);
        ensure!(same, "the state at frame {} does not have the recorded hash", checkpoint.frame);
    }
    Ok(world)
}

/// Simulates the rest into the recording.
fn finish(
    world: &mut World,
    recording: &Recording,
    tally: &mut Tally,
    clock: &mut PhaseClock,
    common: &Common,
) -> Result<(), Failure> {
    let mut outputs = Outputs::resumed(Recorder::resume(recording).map_err(Failure::input)?);
    stop_politely_on_interrupt();
    let total = recording.header().frame_count;
    let progress = Progress::new(common, "frames", tally.frames, total);
    let result = simulate(world, total, &mut outputs, tally, clock, &mut |_| {
        progress.advance();
        unless_interrupted()
    });
    drop(progress);
    let paths = [recording.path().to_owned()];
    result.and_then(|()| outputs.finish()).map_err(|e| run::stopped(e, &paths))
}
