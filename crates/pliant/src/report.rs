//! What one step did, and how a step can fail.

use serde::{Deserialize, Serialize};

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Pairs of objects near each other.
    pub pairs: u32,
    /// Contact points in the solve.
    pub contacts: u32,
    /// Sweeps of the solver over the largest island.
    pub sweeps: u32,
    /// Groups of bodies that touch each other.
    pub islands: u32,
    /// Largest change of a contact's velocity in the last sweep of the solve `[m/s]`.
    pub residual: f64,
    /// The same over the largest relative speed at a contact of the same island before contact acted.
    pub relative_residual: f64,
    /// Smallest gap after the step `[m]`.
    pub min_distance: f64,
    /// Work of contact in this step `[J]` (`[BW92]` section 3.2).
    pub contact_work: f64,
    /// Kinetic energy before contact acted `[J]`.
    pub kinetic: f64,
    /// Largest distance of a controlled point from its target `[m]`.
    pub control_error: f64,
    /// Rounds of position correction.
    pub position_rounds: u32,
    /// Bodies held back to just before a crossing.
    pub held_back: u32,
    /// Bodies awake.
    pub awake: u32,
}

/// A step that could not be completed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A number stopped being finite.
    #[error(
        "body \"{body}\" stopped being finite at {time:.6} s in {phase}: use more substeps, or a softer or heavier body"
    )]
    NonFinite {
        /// Name of the body.
        body: String,
        /// Which line of the step.
        phase: &'static str,
        /// Simulated time `[s]`.
        time: f64,
    },
}
