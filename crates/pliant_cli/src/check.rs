//! `pliant check`: validates scenes and, on request, tests what they promise.

use crate::progress::Progress;
use crate::run::{self, Changes};
use crate::{
    Common, Expectation, Failure, Outputs, PhaseClock, Tally, certify, scenes, simulate, test_expectations,
};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Arguments of `pliant check`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scene files or folders of them
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Simulate each scene and test its [expect] table
    #[arg(long)]
    pub run: bool,
    /// Also check every frame as `pliant certify` does; implies --run
    #[arg(long)]
    pub certify: bool,
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
    let (scene, mut world) = run::build(&report.scene, &args.changes, common)?;
    if !args.run && !args.certify {
        return Ok(());
    }
    let (header, topology) = (run::header(&scene), world.topology());
    // Gone with everything in it when this function returns.
    let folder = tempfile::TempDir::new().map_err(Failure::run)?;
    let recording = folder.path().join("check.pliant");
    let mut outputs = if args.certify {
        Outputs::open(std::slice::from_ref(&recording), &header, &topology, &scene.spec.scene.title)?
    } else {
        Outputs::default()
    };
    let mut tally = Tally::new(&topology);
    let progress = Progress::new(common, "frames", 0, header.frame_count);
    let watch = &mut |_: &_| {
        progress.advance();
        ControlFlow::Continue(())
    };
    let clock = &mut PhaseClock::default();
    simulate(&mut world, header.frame_count, &mut outputs, &mut tally, clock, watch)
        .and_then(|()| outputs.finish())
        .map_err(|e| Failure::Run(anyhow::Error::new(e).context(report.scene.display().to_string())))?;
    drop(progress);

    report.expectations = scene.spec.expect.map(|e| test_expectations(&e, &tally)).unwrap_or_default();
    let mut good = report.expectations.iter().all(|e| e.pass);
    if args.certify {
        let certificate = certify::examine(&recording, common)?;
        good &= certificate.ok;
        report.certificate = Some(certificate.verdict);
    }
    if good { Ok(()) } else { Err(Failure::Unmet) }
}
