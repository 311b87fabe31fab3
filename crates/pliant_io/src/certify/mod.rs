//! An independent check of a recording, frame by frame.
//!
//! Nothing here shares code with the solver: positions come from the recorded f32 frames, intersections are decided
//! by exact predicates, volumes by the divergence theorem, budgets by adding up. What is checked:
//!
//! - no two objects intersect, none lies inside another or below the ground, no deforming skin passes through itself;
//! - no body is inverted: its skin's volume and its smallest Jacobian are positive;
//! - a surface that is made anew in every frame is closed, manifold and turned outwards; having no rest shape, such a body
//!   is not tested for inversion and volume;
//! - incompressible bodies keep their volume;
//! - momentum changes by external impulses alone, and energy grows by external work alone;
//! - controlled points are where they should be, by controls that claim to be exact: springs and hands lag by design;
//! - every number is finite.

mod budget;
mod certificate;
mod distance;
mod frame;
mod geometry;
mod predicates;
mod skin;
mod surface;
#[cfg(test)]
mod tests;
mod tree;

pub use certificate::{BodyEntry, Certificate, Finding, FrameEntry, Limits, schema};

use crate::recording::{Recording, RecordingError};
use frame::FrameCheck;
use rayon::prelude::*;
use skin::Skin;

/// Largest relative deviation of an incompressible body's volume from its rest volume. The skin is a polyhedron
/// that only approximates the body, so exact incompressibility still shows as some change.
pub const VOLUME_TOLERANCE: f64 = 1e-2;

/// Largest momentum that no impulse accounts for, relative to the largest momentum of the run.
pub const MOMENTUM_TOLERANCE: f64 = 1e-6;

/// Largest energy that no work accounts for, relative to the largest energy of the run.
pub const ENERGY_TOLERANCE: f64 = 1e-2;

/// Largest distance of a controlled point from its target, relative to the size of the largest body.
pub const CONTROL_TOLERANCE: f64 = 1e-3;

/// Failures that a certificate lists.
pub const MAX_FAILURES: usize = 1000;

/// Examines every frame of a recording, in parallel; `progress` is told of each one that is done.
pub fn certify(recording: &Recording, progress: &(dyn Fn() + Sync)) -> Result<Certificate, RecordingError> {
    let skins: Vec<Skin> = recording.topology().objects.iter().map(Skin::new).collect();
    let size = skins.iter().filter(|s| s.is_body).map(|s| s.diagonal).fold(0.0, f64::max);
    let limits = Limits {
        volume_error: VOLUME_TOLERANCE,
        control_error: CONTROL_TOLERANCE * size,
        momentum_error: MOMENTUM_TOLERANCE,
        energy_gain: ENERGY_TOLERANCE,
        // Beyond one body's size, "far" is all there is to say, and crowds stay cheap.
        distance_reach: size,
    };
    let mut checks = (0..recording.frame_count())
        .into_par_iter()
        .map(|i| {
            let check = FrameCheck::new(&recording.frame(i)?, &skins, &limits);
            progress();
            Ok(check)
        })
        .collect::<Result<Vec<_>, RecordingError>>()?;
    let totals: Vec<_> = checks.iter().map(|c| c.totals).collect();
    for (check, (momentum, energy)) in checks.iter_mut().zip(budget::errors(&totals)) {
        check.judge_budget(momentum, energy, &limits);
    }
    Ok(sum_up(checks, limits, notes(recording, &skins), recording))
}

fn sum_up(checks: Vec<FrameCheck>, limits: Limits, notes: Vec<String>, recording: &Recording) -> Certificate {
    let mut c = Certificate {
        frames: checks.len(),
        complete: recording.is_complete(),
        min_distance: f64::INFINITY,
        limits,
        notes,
        ..Certificate::default()
    };
    let mut failed = 0;
    for check in checks {
        let f = check.entry;
        c.intersecting_frames += usize::from(f.intersecting);
        c.inverted_elements += f.inverted_elements;
        c.open_surfaces += f.open_surfaces;
        c.non_finite_frames += usize::from(check.non_finite);
        c.min_distance = c.min_distance.min(f.min_distance);
        c.max_volume_error = c.max_volume_error.max(f.max_volume_error);
        c.max_control_error = c.max_control_error.max(f.max_control_error);
        c.max_soft_control_error = c.max_soft_control_error.max(f.max_soft_control_error);
        c.momentum_error = c.momentum_error.max(f.momentum_error);
        c.energy_gain = c.energy_gain.max(f.energy_gain);
        failed += check.findings.len();
        let room = MAX_FAILURES.saturating_sub(c.failures.len());
        c.failures.extend(check.findings.into_iter().take(room));
        c.per_frame.push(f);
    }
    c.failures_omitted = failed - c.failures.len();
    c.ok = failed == 0;
    c.verdict = verdict(&c, failed);
    c
}

fn verdict(c: &Certificate, failed: usize) -> String {
    let part = if c.complete { "" } else { " of an unfinished run" };
    if c.ok {
        return format!("good: {} frames{part} without a fault", c.frames);
    }
    let first = c.failures.first().map(ToString::to_string).unwrap_or_default();
    format!("FAILED: {failed} faults in {} frames{part}; the first: {first}", c.frames)
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "frame {} ({:.4} s): ", self.frame, self.time)?;
        if !self.objects.is_empty() {
            write!(f, "{}: ", self.objects.join(", "))?;
        }
        write!(f, "{}", self.what)?;
        match self.place {
            Some([x, y, z]) => write!(f, " at [{x:.5}, {y:.5}, {z:.5}]"),
            None => Ok(()),
        }
    }
}

fn notes(recording: &Recording, skins: &[Skin]) -> Vec<String> {
    let untested = skins.iter().filter(|s| s.has_untested_parts()).map(|s| {
        format!("{}: its skin overlaps itself at rest; those parts are not tested against each other", s.name)
    });
    let mut notes: Vec<String> = untested.collect();
    if recording.ignored_bytes() > 0 {
        notes.push(format!("{} bytes after the last whole block were ignored", recording.ignored_bytes()));
    }
    notes
}
