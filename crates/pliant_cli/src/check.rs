//! `pliant check`: validates scenes and, on request, tests what they promise.

use crate::progress::Progress;
use crate::run::{self, Changes};
use crate::{Common, Expectation, Failure, Outputs, PhaseClock, Tally, scenes, simulate, test_expectations};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Arguments of `pliant check`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scene files or folders of them
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Simulate each scene and test its [expect] table
    #[arg(long)]
    pub run: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub changes: Changes,
}

#[derive(Serialize)]
struct Report {
    scene: PathBuf,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    expectations: Vec<Expectation>,
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let mut worst = Ok(());
    let mut reports = vec![];
    for scene in scenes::expand(&args.scenes)? {
        let mut report = Report { scene, ok: true, error: None, expectations: vec![] };
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
    let (scene, mut world) = run::build(&report.scene, &args.changes, common)?;
    if !args.run {
        return Ok(());
    }
    let frame_count = run::header(&scene).frame_count;
    let mut tally = Tally::new(&world.topology());
    let progress = Progress::new(common, "frames", 0, frame_count);
    let watch = &mut |_: &_| {
        progress.advance();
        ControlFlow::Continue(())
    };
    let outputs = &mut Outputs::default();
    simulate(&mut world, frame_count, outputs, &mut tally, &mut PhaseClock::default(), watch)
        .map_err(|e| at(&report.scene, e))?;
    drop(progress);
    report.expectations = scene.spec.expect.map(|e| test_expectations(&e, &tally)).unwrap_or_default();
    if report.expectations.iter().all(|e| e.pass) { Ok(()) } else { Err(Failure::Unmet) }
}

fn at(scene: &Path, error: impl Into<anyhow::Error>) -> Failure {
    Failure::Run(error.into().context(scene.display().to_string()))
}
