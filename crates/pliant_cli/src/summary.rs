//! What a run tells its user at the end.

use crate::tally::hex;
use crate::{PhaseClock, Tally};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The result of a run. Distances that are infinite because nothing came near are `null` in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Title of the scene.
    pub title: String,
    /// Frames, the start included.
    pub frames: u64,
    /// Frames that were there before this process began.
    pub resumed_frames: u64,
    /// Steps of the engine.
    pub steps: u64,
    /// Simulated time `[s]`.
    pub simulated_seconds: f64,
    /// Time this process took `[s]`.
    pub wall_seconds: f64,
    /// Simulated time over time taken, of what this process simulated.
    pub real_time_factor: f64,
    /// Threads used.
    pub threads: usize,
    /// Hash of the exact state at the end, hexadecimal.
    pub final_hash: String,
    /// Most contacts at once.
    pub max_contacts: u32,
    /// Deepest penetration `[m]`.
    pub max_penetration: f64,
    /// Largest relative change of a body's volume.
    pub max_volume_error: f64,
    /// Largest work of contact in one step over the kinetic energy.
    pub max_contact_work: f64,
    /// Largest distance of a controlled point from its target `[m]`.
    pub max_control_error: f64,
    /// Each control, in scene order.
    pub controls: Vec<ControlSummary>,
    /// Largest remaining change of a contact's velocity in the last sweep of a step's solve, over the largest relative speed
    /// at a contact before contact acted.
    pub relative_residual: f64,
    /// Steps in which that was more than 1e-6.
    pub unsolved_steps: u64,
    /// Smallest gap `[m]`.
    pub min_distance: f64,
    /// Bodies held back to just before a crossing, summed over steps.
    pub held_back: u64,
    /// Kinetic and elastic energy at the start `[J]`.
    pub initial_energy: f64,
    /// Kinetic and elastic energy at the end `[J]`.
    pub final_energy: f64,
    /// Work put in by gravity, air, controls and moving obstacles `[J]`.
    pub external_work: f64,
    /// Seconds per phase of the step.
    pub phases: BTreeMap<&'static str, f64>,
    /// Files written.
    pub outputs: Vec<PathBuf>,
    /// Hash of the exact state per frame, hexadecimal; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_hashes: Option<Vec<String>>,
}

/// What one control did.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ControlSummary {
    /// Largest total force, over frames `[N]`.
    pub max_force: f64,
    /// Time of the first frame in which it was broken `[s]`.
    pub broke_at: Option<f64>,
}

impl Summary {
    /// Sums up a run whose first `resumed_frames` frames, up to time `resumed_time`, were there before.
    pub fn new(tally: &Tally, clock: &PhaseClock, wall: Duration, resumed: (u64, f64)) -> Self {
        let (resumed_frames, resumed_time) = resumed;
        let [initial_energy, final_energy] = tally.energies();
        let wall_seconds = wall.as_secs_f64();
        Self {
            title: String::new(),
            frames: tally.frames,
            resumed_frames,
            steps: tally.steps,
            simulated_seconds: tally.time,
            wall_seconds,
            real_time_factor: (tally.time - resumed_time) / wall_seconds.max(1e-9),
            threads: rayon::current_num_threads(),
            final_hash: tally.final_hash(),
            max_contacts: tally.max_contacts,
            max_penetration: tally.max_penetration,
            max_volume_error: tally.max_volume_error,
            max_contact_work: tally.max_contact_work,
            max_control_error: tally.max_control_error,
            controls: tally
                .controls
                .iter()
                .map(|(max_force, broke_at)| ControlSummary { max_force: *max_force, broke_at: *broke_at })
                .collect(),
            relative_residual: tally.relative_residual,
            unsolved_steps: tally.unsolved,
            min_distance: tally.min_distance,
            held_back: tally.held_back,
            initial_energy,
            final_energy,
            external_work: tally.external_work,
            phases: clock.seconds().collect(),
            outputs: vec![],
            frame_hashes: None,
        }
    }

    /// Adds the hash of every frame.
    pub fn with_hashes(mut self, tally: &Tally) -> Self {
        self.frame_hashes = Some(tally.hashes.iter().map(|h| hex(*h)).collect());
        self
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self;
        if !s.title.is_empty() {
            writeln!(f, "{}", s.title)?;
        }
        writeln!(f, "simulated    {:.3} s in {} frames, {} steps", s.simulated_seconds, s.frames, s.steps)?;
        let threads = if s.threads == 1 { "1 thread".into() } else { format!("{} threads", s.threads) };
        writeln!(
            f,
            "took         {:.3} s on {threads}, {:.3} x real time",
            s.wall_seconds, s.real_time_factor
        )?;
        if s.resumed_frames > 0 {
            writeln!(f, "resumed      after {} frames that were there", s.resumed_frames)?;
        }
        writeln!(f, "contacts     up to {} at once", s.max_contacts)?;
        writeln!(f, "penetration  {:.3e} m at worst", s.max_penetration)?;
        if s.min_distance.is_finite() {
            writeln!(f, "closest      {:.3e} m", s.min_distance)?;
        }
        if s.unsolved_steps > 0 {
            writeln!(
                f,
                "solve        {} of {} steps ended above {:.0e} of the speeds at contacts, the worst at {:.1e}",
                s.unsolved_steps,
                s.steps,
                pliant::SOLVED,
                s.relative_residual
            )?;
        } else {
            writeln!(f, "solve        within {:.1e} of the speeds at contacts", s.relative_residual)?;
        }
        for (k, control) in s.controls.iter().enumerate() {
            let broke = control.broke_at.map_or(String::new(), |t| format!(", broken at {t:.4} s"));
            writeln!(f, "control {k:<4} up to {:.4e} N{broke}", control.max_force)?;
        }
        writeln!(f, "volume       changed by {:.3e} at most, relative to rest", s.max_volume_error)?;
        writeln!(
            f,
            "energy       {:.6e} J at the start, {:.6e} J at the end, {:.6e} J put in",
            s.initial_energy, s.final_energy, s.external_work
        )?;
        write!(f, "state        {}", s.final_hash)?;
        for path in &s.outputs {
            write!(f, "\nwrote        {}", path.display())?;
        }
        Ok(())
    }
}
