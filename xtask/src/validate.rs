//! `cargo xtask validate`: runs every problem with a known answer and writes docs/VALIDATION.md.

use crate::shell::{ask, command, run};
use anyhow::Result;
use std::fs;

/// Runs all problems and writes the report with its pictures; with words, only runs those whose name contains one.
pub fn write(words: &[String]) -> Result<()> {
    let mut validation = validation();
    if words.is_empty() {
        validation.args(["--report", "docs", "--stamp"]).arg(stamp()?);
    }
    run(validation.args(words))
}

/// Runs the quick problems; fails if one leaves its tolerance.
pub fn check() -> Result<()> {
    run(validation().arg("--fast"))
}

fn validation() -> std::process::Command {
    command(&["cargo", "run", "--release", "--quiet", "--package", "pliant_validation", "--"])
}

/// When and where: the only line of a report that may differ between two runs.
pub fn stamp() -> Result<String> {
    let date = ask(&mut command(&["date", "-u", "+%Y-%m-%d"]))?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_string();
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about
        .lines()
        .find_map(|l| l.strip_prefix("model name"))
        .map(|l| l.trim_start_matches([':', '\t', ' ']));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(format!("Written on {date} on {} ({threads} threads).", model.unwrap_or("an unnamed machine")))
}
