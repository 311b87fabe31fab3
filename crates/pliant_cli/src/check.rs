//! `pliant check`: validates scenes and tests what they promise, by a run or by a recording of one.

use crate::progress::Progress;
use crate::run::{self, Changes};
use crate::{
    Common, Expectation, Failure, Outputs, PhaseClock, Tally, certify, outputs, scenes, simulate,
    test_expectations,
};
use pliant::World;
use pliant::scene::Expect;
use pliant_io::scene_file::{self, LoadedScene};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Arguments of `pliant check`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scene files, folders of them, or recordings, which are tested without another run
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Simulate each scene and test its expect table
    #[arg(long)]
    pub run: bool,
    /// Also check every frame as `pliant certify` does; implies --run
    #[arg(long)]
    pub certify: bool,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: Changes,
}

#[derive(Serialize)]
struct Report {
    scene: PathBuf,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    expectations: Vec<Expectation>,
    /// The certificate's verdict, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let mut worst = Ok(());
    let mut reports = vec![];
    for scene in scenes::expand(&args.scenes)? {
        let mut report = Report { scene, ok: true, error: None, expectations: vec![], certificate: None };
        if let Err(failure) = check(&mut report, args, common) {
            report.ok = false;
            report.error = failure.message();
            failure.report();
            // Wrong input outranks an unmet expectation.
            if worst.is_ok() || matches!(failure, Failure::Input(_)) {
                worst = Err(failure);
            }
        }
        common.say(format_args!(
            "{}: {}",
            report.scene.display(),
            if report.ok { "ok" } else { "FAILED" }
        ))?;
        for expectation in &report.expectations {
            common.say(format_args!("  {expectation}"))?;
        }
        if let Some(verdict) = &report.certificate {
            common.say(format_args!("  certificate {verdict}"))?;
        }
        reports.push(report);
    }
    common.say_json(&reports)?;
    // The messages are out already; only the exit code is left to say.
    worst.map_err(|failure| match failure {
        Failure::Input(_) => Failure::WrongInput,
        Failure::Run(_) | Failure::Unmet | Failure::WrongInput => Failure::Unmet,
    })
}

fn check(report: &mut Report, args: &Args, common: &Common) -> Result<(), Failure> {
    // Gone with everything in it when this function returns.
    let folder = tempfile::TempDir::new().map_err(Failure::run)?;
    let mut recording = folder.path().join("check.pliant");
    let (expect, tally) = if outputs::is_recording(&report.scene) {
        recording.clone_from(&report.scene);
        recorded(&recording, &args.changes)?
    } else {
        let (scene, world) = run::build(&report.scene, &args.changes, common)?;
        if !args.run && !args.certify {
            return Ok(());
        }
        let kept = args.certify.then_some(&recording);
        let tally = simulated(&report.scene, &scene, world, kept, common)?;
        (scene.spec.expect, tally)
    };
    report.expectations = expect.map(|e| test_expectations(&e, &tally)).unwrap_or_default();
    let mut good = report.expectations.iter().all(|e| e.pass);
    if args.certify {
        let certificate = certify::examine(&recording, common)?;
        good &= certificate.ok;
        report.certificate = Some(certificate.verdict);
    }
    if good { Ok(()) } else { Err(Failure::Unmet) }
}

/// What a scene promises, and its whole run, as recorded.
fn recorded(path: &Path, changes: &Changes) -> Result<(Option<Expect>, Tally), Failure> {
    let wrong = |what: &str| Err(Failure::input_message(format!("{}: {what}", path.display())));
    if !changes.is_empty() {
        return wrong(
            "is a recording; --set, --repair and --untangle change scenes, so give its scene instead",
        );
    }
    let recording = scenes::open_recording(path)?;
    if !recording.is_complete() {
        return wrong("is not complete; pliant resume completes it");
    }
    let spec =
        scene_file::parse(recording.scene_text(), "the scene in the recording").map_err(Failure::input)?;
    let mut tally = Tally::new(recording.topology());
    for frame in recording.frames() {
        tally.add(&frame.map_err(Failure::input)?);
    }
    Ok((spec.expect, tally))
}

/// Simulates a whole scene, into a recording if a path for one is given.
fn simulated(
    path: &Path,
    scene: &LoadedScene,
    mut world: World,
    recording: Option<&PathBuf>,
    common: &Common,
) -> Result<Tally, Failure> {
    let (header, topology) = (run::header(scene), world.topology());
    let paths = recording.map_or(&[][..], std::slice::from_ref);
    let mut outputs = Outputs::open(paths, &header, &topology, &scene.spec.scene.title)?;
    let mut tally = Tally::new(&topology);
    let progress = Progress::new(common, "frames", 0, header.frame_count);
    let watch = &mut |_: &_| {
        progress.advance();
        ControlFlow::Continue(())
    };
    let clock = &mut PhaseClock::default();
    simulate(&mut world, header.frame_count, &mut outputs, &mut tally, clock, watch)
        .and_then(|()| outputs.finish())
        .map_err(|e| Failure::Run(anyhow::Error::new(e).context(path.display().to_string())))?;
    Ok(tally)
}
