//! Options that every command shares.

use crate::Failure;
use anyhow::Context;
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// Options that every command shares.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Threads to use; by default one per processor. Results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Print nothing but errors and what was asked for
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print the result as JSON on standard output
    #[arg(long, global = true)]
    pub json: bool,
}

impl Common {
    /// Sets the number of threads for the whole process. Call once, before any work.
    pub fn apply(&self) -> Result<(), Failure> {
        let Some(n) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n as usize).build_global();
        pool.context("cannot start the threads").map_err(Failure::Input)
    }

    /// Whether a progress bar is of use to anyone.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Prints text for people, unless they asked for silence or JSON.
    pub(crate) fn say(&self, text: impl std::fmt::Display) -> Result<(), Failure> {
        if self.quiet || self.json { Ok(()) } else { print(text) }
    }

    /// Prints a result as JSON, if asked for.
    pub(crate) fn say_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        if self.json { print(serde_json::to_string_pretty(value).map_err(Failure::run)?) } else { Ok(()) }
    }

    /// A remark that is no error, on standard error.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("note: {text}");
        }
    }
}

/// Prints a line. A reader that has gone away (`pliant list | head -1`) is no failure of ours.
pub(crate) fn print(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::run(anyhow::Error::new(e).context("standard output")))
        }
        _ => Ok(()),
    }
}
