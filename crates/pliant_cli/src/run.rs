//! `pliant run`: simulates a scene.

use crate::outputs::{self, RECORDING};
use crate::pictures::{Look, Pictures, is_picture};
use crate::progress::{Progress, stop_politely_on_interrupt, unless_interrupted};
use crate::{Common, Failure, Outputs, PhaseClock, SimulateError, Summary, Tally, simulate};
use pliant::World;
use pliant_io::recording::{Header, MAGIC, Recording};
use pliant_io::scene_file::{self, LoadedScene};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `pliant run`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The scene file
    pub scene: PathBuf,
    /// Where to write, by file ending; may be given several times. By default a recording beside the scene
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Vec<PathBuf>,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: Changes,
    /// With --json, also print the hash of the exact state of every frame
    #[arg(long)]
    pub hashes: bool,
    /// How pictures are taken.
    #[command(flatten)]
    pub look: Look,
}

/// Changes to a scene from the command line.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Changes {
    /// Change any key of the scene, such as body.jello.material.young=2e5; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Repair meshes that bound no solid, where possible, instead of refusing them
    #[arg(long)]
    pub repair: bool,
    /// Pull bodies that intersect at the start apart before time zero, instead of refusing the scene
    #[arg(long)]
    pub untangle: bool,
}

impl Changes {
    /// Whether the scene stays as it is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && !self.repair && !self.untangle
    }
}

pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("write KEY=VALUE, such as scene.duration=2".into()),
    }
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let paths = match args.output.as_slice() {
        [] => vec![args.scene.with_extension(RECORDING)],
        given => given.to_vec(),
    };
    outputs::check_paths(&paths)?;
    let (scene, mut world) = build(&args.scene, &args.changes, common)?;
    let header = header(&scene);
    let topology = world.topology();
    let (films, mut files): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(|p| is_picture(p));
    let folder = args.scene.parent().unwrap_or(Path::new(""));
    let count = (header.frame_count as usize, header.fps);
    let pictures = Pictures::open(&films, &scene.spec, folder, &args.look, count, None)?;
    // Pictures are taken from a recording, when it is known where everything goes; one that nobody asked for is
    // thrown away afterwards.
    let scratch = Scratch::beside(films.first().filter(|_| !files.iter().any(|p| outputs::is_recording(p))))?;
    files.extend(scratch.path());
    let mut outputs = Outputs::open(&files, &header, &topology, &scene.spec.scene.title)?;

    stop_politely_on_interrupt();
    let began = Instant::now();
    let (mut tally, mut clock) = (Tally::new(&topology), PhaseClock::default());
    let progress = Progress::new(common, "frames", 0, header.frame_count);
    let result = simulate(&mut world, header.frame_count, &mut outputs, &mut tally, &mut clock, &mut |_| {
        progress.advance();
        unless_interrupted()
    });
    drop(progress);
    result.and_then(|()| outputs.finish()).map_err(|e| stopped(e, &paths))?;
    if let Some(path) = files.iter().find(|p| outputs::is_recording(p) && !films.is_empty()) {
        pictures.take(&Recording::open(path).map_err(Failure::run)?, common)?;
    }

    let mut summary = Summary::new(&tally, &clock, began.elapsed(), (0, 0.0));
    if args.hashes {
        summary = summary.with_hashes(&tally);
    }
    summary.title.clone_from(&scene.spec.scene.title);
    summary.outputs = paths;
    common.say(&summary)?;
    common.say_json(&summary)
}

/// A folder beside a picture for a recording that is not kept.
struct Scratch(Option<tempfile::TempDir>);

impl Scratch {
    fn beside(picture: Option<&PathBuf>) -> Result<Self, Failure> {
        let Some(picture) = picture else { return Ok(Self(None)) };
        let folder = picture.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".pliant-").tempdir_in(folder);
        let made = made.map_err(|e| Failure::input_message(format!("{}: {e}", folder.display())))?;
        Ok(Self(Some(made)))
    }

    fn path(&self) -> Option<PathBuf> {
        self.0.as_ref().map(|folder| folder.path().join(format!("run.{RECORDING}")))
    }
}

/// Reads a scene and builds its world. Every error here is the user's to correct.
pub(crate) fn build(
    path: &Path,
    changes: &Changes,
    common: &Common,
) -> Result<(LoadedScene, World), Failure> {
    refuse_recording(path)?;
    let mut set = changes.set.clone();
    if changes.untangle {
        set.push(("scene.untangle".into(), "true".into()));
    }
    let scene = scene_file::load(path, &set, changes.repair).map_err(Failure::input)?;
    scene.notes.iter().for_each(|note| common.note(note));
    let world = World::new(&scene.spec, &scene.meshes).map_err(|e| Failure::input(scene.locate(&e)))?;
    for (name, by) in world.untangled() {
        let [x, y, z] = by.to_array();
        common.note(format!("{name} was moved by ({x:.4}, {y:.4}, {z:.4}) m, off what it intersected"));
    }
    Ok((scene, world))
}

/// What a recording of a scene begins with.
pub(crate) fn header(scene: &LoadedScene) -> Header {
    Header {
        engine: env!("CARGO_PKG_VERSION").into(),
        fps: scene.spec.scene.fps,
        frame_count: scene.spec.scene.frame_count() as u64 + 1,
        scene: scene.text.clone(),
        meshes: scene.meshes.clone(),
    }
}

/// The failure of a run that ended early, with what can be done about it.
pub(crate) fn stopped(error: SimulateError, paths: &[PathBuf]) -> Failure {
    let kept = paths.iter().find(|p| outputs::is_recording(p));
    let hint = match (&error, kept) {
        (SimulateError::Stopped { .. }, Some(rec)) => {
            format!("; go on with: pliant resume {}", rec.display())
        }
        (SimulateError::Step(_), Some(rec)) => format!("; frames up to then are in {}", rec.display()),
        _ => String::new(),
    };
    Failure::run(anyhow::anyhow!("{error}{hint}"))
}

/// A recording given as a scene is an easy mistake; its bytes would only give a puzzling syntax error.
fn refuse_recording(path: &Path) -> Result<(), Failure> {
    let mut head = [0; MAGIC.len()];
    match std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head)) {
        Ok(()) if head == MAGIC => Err(Failure::input_message(format!(
            "{0}: is a recording, not a scene; use pliant resume, export or certify",
            path.display()
        ))),
        _ => Ok(()),
    }
}
