//! The certificate: plain data, and its file.

use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What was found in a recording. Distances beyond the search's reach are `null` in JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Certificate {
    /// Whether nothing failed.
    pub ok: bool,
    /// One sentence for people.
    pub verdict: String,
    /// Frames examined.
    pub frames: usize,
    /// Whether the run was completed; an unfinished recording is examined up to its last whole frame.
    pub complete: bool,
    /// Frames in which something passes through, or lies inside, something else or itself.
    pub intersecting_frames: usize,
    /// How many times, over all frames and bodies, a body was inverted somewhere.
    pub inverted_elements: usize,
    /// How many times, over all frames and bodies with a new surface in every frame, that surface was not closed, not
    /// manifold, or not turned outwards throughout.
    pub open_surfaces: usize,
    /// Frames with a number that is not finite.
    pub non_finite_frames: usize,
    /// Smallest distance between any two objects in any frame `[m]`.
    #[schemars(with = "Option<f64>")]
    pub min_distance: f64,
    /// Largest relative deviation of an incompressible body's volume from its rest volume.
    pub max_volume_error: f64,
    /// Largest distance of a controlled point from its target `[m]`, by controls that claim to be exact.
    pub max_control_error: f64,
    /// The same by those that do not: springs, hands, limited forces. It is told, not judged.
    pub max_soft_control_error: f64,
    /// Largest momentum that no impulse accounts for, relative to the largest momentum of the run.
    pub momentum_error: f64,
    /// Largest energy that no work accounts for, relative to the largest energy of the run.
    pub energy_gain: f64,
    /// What was judged, and by which limits.
    pub limits: Limits,
    /// What could not be tested, and why.
    pub notes: Vec<String>,
    /// What failed, in the order of time; at most [`super::MAX_FAILURES`].
    pub failures: Vec<Finding>,
    /// Failures beyond those listed.
    pub failures_omitted: usize,
    /// Every frame.
    pub per_frame: Vec<FrameEntry>,
}

/// Limits beyond which the certificate is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Limits {
    /// On `max_volume_error`.
    pub volume_error: f64,
    /// On `max_control_error` `[m]`.
    pub control_error: f64,
    /// On `momentum_error`.
    pub momentum_error: f64,
    /// On `energy_gain`.
    pub energy_gain: f64,
    /// Distances are searched up to this `[m]`.
    pub distance_reach: f64,
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// `Frame::index`.
    pub frame: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Names of the objects concerned; empty if it concerns all.
    pub objects: Vec<String>,
    /// Where, if at a place `[m]`.
    pub place: Option<[f64; 3]>,
    /// What is wrong.
    pub what: String,
}

/// One frame's findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FrameEntry {
    /// `Frame::index`.
    pub frame: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Whether anything passes through, or lies inside, anything else or itself.
    pub intersecting: bool,
    /// Bodies that are inverted somewhere.
    pub inverted_elements: usize,
    /// Bodies whose surface, made for this frame, is not sound.
    pub open_surfaces: usize,
    /// Smallest distance between any two objects `[m]`.
    #[schemars(with = "Option<f64>")]
    pub min_distance: f64,
    /// Largest relative deviation of an incompressible body's volume.
    pub max_volume_error: f64,
    /// Largest distance of a controlled point from its target `[m]`, by controls that claim to be exact.
    pub max_control_error: f64,
    /// The same by those that do not.
    pub max_soft_control_error: f64,
    /// Momentum that no impulse accounts for, relative.
    pub momentum_error: f64,
    /// Energy that no work accounts for, relative; negative where energy was lost.
    pub energy_gain: f64,
    /// Every body.
    pub bodies: Vec<BodyEntry>,
}

/// One body in one frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BodyEntry {
    /// Name from the scene.
    pub name: String,
    /// Whether it passes through, or lies inside, anything, or passes through itself.
    pub intersecting: bool,
    /// Whether it is inverted somewhere; never so where every frame has a new surface.
    pub inverted: bool,
    /// Whether its surface, made for this frame, is not sound.
    pub open_surface: bool,
    /// Distance to the nearest other object `[m]`.
    #[schemars(with = "Option<f64>")]
    pub min_distance: f64,
    /// Relative deviation of the volume from that at rest; `null` for a skin that bounds no solid, and for one that is made
    /// anew in every frame.
    pub volume_error: Option<f64>,
    /// Smallest determinant of the deformation gradient, as the engine measured it.
    pub least_jacobian: f64,
}

/// JSON Schema of certificates.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Certificate).to_value()
}

impl Certificate {
    /// What to look at first: the first fault that has a place, or else the first of all.
    pub fn worst(&self) -> Option<&Finding> {
        self.failures.iter().find(|f| f.place.is_some()).or(self.failures.first())
    }

    /// Where the certificate of a recording is kept: `REC.certificate.json`.
    pub fn path_for(recording: &Path) -> PathBuf {
        let mut name = recording.as_os_str().to_owned();
        name.push(".certificate.json");
        name.into()
    }

    /// Writes it as JSON: beside, then renamed, so that no half certificate is ever seen.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        let written = std::fs::File::create_new(&temporary)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&temporary, path));
        written.inspect_err(|_| {
            // Best effort: the error that is returned matters more.
            let _ = std::fs::remove_file(&temporary);
        })
    }
}
