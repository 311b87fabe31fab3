//! `pliant certify`: checks every frame of a recording, independently of the solver.

use crate::progress::Progress;
use crate::{Common, Failure, scenes};
use anyhow::Context;
use pliant_io::certify::{Certificate, certify};
use std::path::{Path, PathBuf};

/// Arguments of `pliant certify`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The recording; the certificate goes to RECORDING.certificate.json
    pub recording: PathBuf,
}

/// Failures that are printed; the certificate has them all.
const SHOWN: usize = 20;

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let certificate = examine(&args.recording, common)?;
    let path = Certificate::path_for(&args.recording);
    certificate.write(&path).with_context(|| path.display().to_string()).map_err(Failure::Run)?;
    common.say(text(&certificate))?;
    common.say(format_args!("wrote        {}", path.display()))?;
    common.say_json(&certificate)?;
    if certificate.ok { Ok(()) } else { Err(Failure::Unmet) }
}

/// Examines a recording, showing progress.
pub(crate) fn examine(path: &Path, common: &Common) -> Result<Certificate, Failure> {
    let recording = scenes::open_recording(path)?;
    let progress = Progress::new(common, "frames", 0, recording.frame_count() as u64);
    certify(&recording, &|| progress.advance()).map_err(Failure::input)
}

fn text(c: &Certificate) -> String {
    let closest = if c.min_distance.is_finite() {
        format!("{:.3e} m", c.min_distance)
    } else {
        format!("beyond {:.3e} m", c.limits.distance_reach)
    };
    let control = c.limits.control_error.map_or("not limited".into(), |l| format!("limit {l:.1e}"));
    let mut lines = vec![
        c.verdict.clone(),
        format!("intersecting {} frames", c.intersecting_frames),
        format!("inverted     {} times", c.inverted_elements),
        format!("unsound      {} surfaces made anew", c.open_surfaces),
        format!("closest      {closest}"),
        format!(
            "volume       off by {:.3e} at most (limit {:.1e})",
            c.max_volume_error, c.limits.volume_error
        ),
        format!("control      off by {:.3e} m at most ({control})", c.max_control_error),
        format!("momentum     {:.3e} from nowhere (limit {:.1e})", c.momentum_error, c.limits.momentum_error),
        format!("energy       {:.3e} from nowhere (limit {:.1e})", c.energy_gain, c.limits.energy_gain),
    ];
    lines.extend(c.notes.iter().map(|note| format!("note         {note}")));
    lines.extend(c.failures.iter().take(SHOWN).map(|finding| format!("fault        {finding}")));
    let hidden = c.failures.len().saturating_sub(SHOWN) + c.failures_omitted;
    if hidden > 0 {
        lines.push(format!("             and {hidden} more"));
    }
    lines.join("\n")
}
