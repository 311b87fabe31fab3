//! Seconds per phase of the step. The engine has no clock; this one listens to it.

use pliant::PhaseObserver;
use std::time::{Duration, Instant};

/// Adds up the time between one phase's beginning and the next.
#[derive(Clone, Debug, Default)]
pub struct PhaseClock {
    running: Option<(&'static str, Instant)>,
    /// In the order in which phases first began.
    totals: Vec<(&'static str, Duration)>,
}

impl PhaseClock {
    /// Ends the running phase.
    pub fn stop(&mut self) {
        if let Some((name, since)) = self.running.take() {
            let spent = since.elapsed();
            match self.totals.iter_mut().find(|(known, _)| *known == name) {
                Some((_, total)) => *total += spent,
                None => self.totals.push((name, spent)),
            }
        }
    }
    /// Seconds per phase so far, without the one that is running.
    pub fn seconds(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.totals.iter().map(|(name, total)| (*name, total.as_secs_f64()))
    }
}

impl PhaseObserver for PhaseClock {
    fn phase(&mut self, name: &'static str) {
        self.stop();
        self.running = Some((name, Instant::now()));
    }
}
