//! The progress bar, and the request to stop.

use crate::Common;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows how far long work has come, on a terminal; otherwise shows nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `total` things called `what`, of which `done` are done.
    pub fn new(common: &Common, what: &str, done: u64, total: u64) -> Self {
        let bar = if common.shows_progress() {
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10))
        } else {
            ProgressBar::hidden()
        };
        let template = format!("{{wide_bar}} {what} {{pos}}/{{len}}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.set_position(done);
        Self { bar }
    }
    /// One more is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is a request to stop after the current frame; a second one ends the process at once.
pub(crate) fn stop_politely_on_interrupt() {
    // Without the handler Ctrl-C ends the process at once, which leaves a valid recording too.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
}

/// Whether to go on.
pub(crate) fn unless_interrupted() -> ControlFlow<()> {
    if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
