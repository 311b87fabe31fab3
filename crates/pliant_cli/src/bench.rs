//! `pliant bench`: time per phase and thread count, as CSV.

use crate::common::print;
use crate::run::{self, Changes};
use crate::scenes::{self, FOLDER};
use crate::{Common, Failure, Outputs, PhaseClock, Tally, simulate};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `pliant bench`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scene files or folders; by default ./scenes
    pub scenes: Vec<PathBuf>,
    /// Thread counts to compare; by default 1 and as many as --threads allows
    #[arg(long, value_delimiter = ',', value_name = "N,N...", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub thread_counts: Vec<u32>,
    /// Repetitions; the fastest counts
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Stop after this many frames
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: Changes,
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    scene: String,
    kinds: String,
    bodies: usize,
    threads: usize,
    frames: u64,
    steps: u64,
    phase: &'static str,
    seconds: f64,
    microseconds_per_step: f64,
    real_time_factor: f64,
}

const COLUMNS: &str =
    "scene,kinds,bodies,threads,frames,steps,phase,seconds,microseconds_per_step,real_time_factor";

impl Row {
    fn csv(&self) -> String {
        let Row { scene, kinds, bodies, threads, frames, steps, phase, .. } = self;
        format!(
            "{scene},{kinds},{bodies},{threads},{frames},{steps},{phase},{:.6},{:.3},{:.3}",
            self.seconds, self.microseconds_per_step, self.real_time_factor
        )
    }
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let given = if args.scenes.is_empty() { vec![PathBuf::from(FOLDER)] } else { args.scenes.clone() };
    let scenes = scenes::expand(&given)?;
    let all = rayon::current_num_threads();
    let counts: BTreeSet<usize> = match args.thread_counts.as_slice() {
        [] => [1, all].into(),
        given => given.iter().map(|n| *n as usize).collect(),
    };
    // Every scene must be right before the first one is timed.
    for scene in &scenes {
        run::build(scene, &args.changes, common)?;
    }
    let mut rows = vec![];
    if !common.json {
        print(COLUMNS)?;
    }
    for scene in &scenes {
        for threads in &counts {
            let new = fastest(scene, *threads, args, common)?;
            if !common.json {
                new.iter().try_for_each(|row| print(row.csv()))?;
            }
            rows.extend(new);
        }
    }
    common.say_json(&rows)
}

/// The rows of the fastest repetition.
fn fastest(scene: &Path, threads: usize, args: &Args, common: &Common) -> Result<Vec<Row>, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    let mut best: Option<Vec<Row>> = None;
    for _ in 0..args.repeat {
        let rows = pool.install(|| time(scene, args, common))?;
        let total = |rows: &[Row]| rows.first().map_or(f64::INFINITY, |r| r.seconds);
        if best.as_ref().is_none_or(|b| total(&rows) < total(b)) {
            best = Some(rows);
        }
    }
    Ok(best.unwrap_or_default())
}

/// One run, without any output: a row for the whole and one per phase.
fn time(path: &Path, args: &Args, common: &Common) -> Result<Vec<Row>, Failure> {
    let (scene, mut world) = run::build(path, &args.changes, common)?;
    let topology = world.topology();
    let (mut tally, mut clock) = (Tally::new(&topology), PhaseClock::default());
    let full = run::header(&scene).frame_count;
    let frame_count = args.frames.map_or(full, |n| full.min(n.saturating_add(1)));
    let began = Instant::now();
    let watch = &mut |_: &_| ControlFlow::Continue(());
    simulate(&mut world, frame_count, &mut Outputs::default(), &mut tally, &mut clock, watch)
        .map_err(|e| Failure::run(anyhow::Error::new(e).context(path.display().to_string())))?;
    let wall = began.elapsed().as_secs_f64();

    let bodies = || topology.objects.iter().filter(|o| o.is_body());
    let kinds: BTreeSet<&str> = bodies().map(|o| o.kind.as_str()).collect();
    let row = |phase, seconds: f64| Row {
        scene: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        kinds: kinds.iter().copied().collect::<Vec<_>>().join("+"),
        bodies: bodies().count(),
        threads: rayon::current_num_threads(),
        frames: tally.frames,
        steps: tally.steps,
        phase,
        seconds,
        microseconds_per_step: 1e6 * seconds / tally.steps.max(1) as f64,
        real_time_factor: tally.time / seconds.max(1e-9),
    };
    Ok(std::iter::once(("total", wall)).chain(clock.seconds()).map(|(phase, s)| row(phase, s)).collect())
}
