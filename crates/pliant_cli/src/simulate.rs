//! The loop that every simulating command runs.

use crate::{Outputs, PhaseClock, Tally};
use pliant::{Frame, StepError, World};
use pliant_io::export::ExportError;
use pliant_io::recording::RecordingError;
use std::ops::ControlFlow;

/// Why a run ended before its last frame. What was recorded up to then stays.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The engine could not go on.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The recording could not be written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// An exporter failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Someone asked to stop.
    #[error("stopped after frame {frame}")]
    Stopped {
        /// Index of the last whole frame.
        frame: u64,
    },
}

/// Simulates until `frame_count` frames (the start included) have gone to `outputs` and `tally`.
///
/// A fresh world's first frame is the start itself. A world that was loaded from a checkpoint goes on after the
/// frames that `tally` has already seen. `watch` sees each frame last and may ask to stop.
pub fn simulate(
    world: &mut World,
    frame_count: u64,
    outputs: &mut Outputs,
    tally: &mut Tally,
    clock: &mut PhaseClock,
    watch: &mut dyn FnMut(&Frame) -> ControlFlow<()>,
) -> Result<(), SimulateError> {
    while tally.frames < frame_count {
        // From inside the pool, so that a step does not change threads for every little loop.
        let frame = match tally.frames {
            0 => world.frame(),
            _ => rayon::scope(|_| world.next_frame(clock))?,
        };
        clock.stop();
        outputs.frame(&frame, world)?;
        tally.add(&frame);
        if watch(&frame).is_break() && tally.frames < frame_count {
            return Err(SimulateError::Stopped { frame: frame.index });
        }
    }
    Ok(())
}
