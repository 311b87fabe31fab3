//! `cargo xtask ci`: every check, in the order in which a mistake is cheapest to find. All of it is built as users get it, so
//! that nothing is built twice.

use crate::scenes::Score;
use crate::shell::{self, command, works};
use crate::{crowds, films, guard, scenes, setup, tidy, validate, web};
use anyhow::{Context, Result, ensure};
use std::time::Instant;

/// Runs every check. The first that fails ends it, except that scenes and formats are judged to the end.
pub fn run() -> Result<()> {
    let began = Instant::now();
    step("components", components)?;
    step("fmt", || shell::run(&mut command(&["cargo", "fmt", "--all", "--check"])))?;
    step("clippy", || {
        shell::run(&mut command(&[
            "cargo",
            "clippy",
            "--release",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("tidy", tidy::run)?;
    step("test", || {
        shell::run(&mut command(&["cargo", "test", "--release", "--workspace", "--no-fail-fast", "--quiet"]))
    })?;
    step("doc", || {
        let mut doc = command(&["cargo", "doc", "--release", "--workspace", "--no-deps", "--quiet"]);
        shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    step("setup", || setup::judges().map(|_| ()))?;
    step("web", web::build)?; // First, so that the binary is built once, with the page in it.
    step("build", scenes::build)?;
    step("page", web::test)?;
    step("validation", validate::check)?;
    step("guard", guard::check)?;
    let mut score = Score::default();
    step("scenes", || scenes::judge_all(&[], &mut score))?;
    step("crowds", || crowds::check(&mut score))?;
    step("formats", || scenes::judge_formats(&mut score))?;
    step("films", || films::judge(&mut score))?;
    println!("\nall steps took {:.0} s", began.elapsed().as_secs_f64());
    score.finish()
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n== {name}");
    let began = Instant::now();
    work().with_context(|| format!("step {name}"))?;
    println!("== {name}: {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Formatter and linter come with the toolchain, but not with every installation of it.
fn components() -> Result<()> {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !works(&["cargo", tool, "--version"]) {
            works(&["rustup", "component", "add", component]);
            ensure!(works(&["cargo", tool, "--version"]), "run: rustup component add {component}");
        }
    }
    Ok(())
}
