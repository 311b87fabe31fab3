//! `pliant certify`: checks every frame of a recording, independently of the solver.

use crate::pictures::{Look, Pictures, Show};
use crate::progress::Progress;
use crate::{Common, Failure, scenes};
use anyhow::Context;
use pliant::scene::CameraSpec;
use pliant_io::certify::{Certificate, Finding, certify};
use pliant_io::scene_file;
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
    if let Some(fault) = certificate.worst() {
        let picture = picture(&args.recording, fault, certificate.limits.distance_reach, common)?;
        common.say(format_args!("wrote        {}", picture.display()))?;
    }
    common.say_json(&certificate)?;
    if certificate.ok { Ok(()) } else { Err(Failure::Unmet) }
}

/// Examines a recording, showing progress.
pub(crate) fn examine(path: &Path, common: &Common) -> Result<Certificate, Failure> {
    let recording = scenes::open_recording(path)?;
    let progress = Progress::new(common, "frames", 0, recording.frame_count() as u64);
    certify(&recording, &|| progress.advance()).map_err(Failure::input)
}

/// Takes a picture of a fault from nearby, with all edges drawn: `RECORDING.fault.png`.
fn picture(path: &Path, fault: &Finding, size: f64, common: &Common) -> Result<PathBuf, Failure> {
    let recording = scenes::open_recording(path)?;
    let mut spec =
        scene_file::parse(recording.scene_text(), "the scene in the recording").map_err(Failure::input)?;
    if let Some(place) = fault.place {
        let from = |k: usize, along: f64| place[k] + along * 2.0 * size;
        spec.camera = CameraSpec {
            at: Some([from(0, 0.5), from(1, 0.5), from(2, 0.8)]),
            look_at: Some(place),
            fov: 30.0,
            size: [960, 720],
            ..CameraSpec::default()
        };
    }
    spec.matte = None;
    let mut name = path.as_os_str().to_owned();
    name.push(".fault.png");
    let picture = PathBuf::from(name);
    let look = Look { samples: Some(8), overlay: vec!["wire".into(), "time".into()], ..Look::default() };
    let frames = (recording.frame_count(), recording.header().fps);
    let show = Some(Show::Still(fault.time));
    let pictures = Pictures::open(std::slice::from_ref(&picture), &spec, Path::new(""), &look, frames, show)?;
    pictures.take(&recording, common)?;
    Ok(picture)
}

fn text(c: &Certificate) -> String {
    let closest = if c.min_distance.is_finite() {
        format!("{:.3e} m", c.min_distance)
    } else {
        format!("beyond {:.3e} m", c.limits.distance_reach)
    };
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
        format!(
            "control      off by {:.3e} m at most (limit {:.1e}); soft ones and hands by {:.3e} m",
            c.max_control_error, c.limits.control_error, c.max_soft_control_error
        ),
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
