//! `cargo xtask guard`: counts the instructions of a few kernels under valgrind and compares them with those on record. No
//! clock, so it holds on a busy machine; a band of 5 %, so a kernel that became a tenth slower is found.

use crate::setup;
use crate::shell::{ask, command, last_line, root, run};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const RECORD: &str = "bench/guard/counts.txt";
/// How far a count may lie from that on record, to either side.
const BAND: f64 = 0.05;
/// Runs of a kernel in the two counts whose difference is taken.
const TIMES: [u32; 2] = [1, 3];

type Counts = BTreeMap<String, u64>;

/// Compares with the record; with `--write` replaces it.
pub fn run_alone(words: &[String]) -> Result<()> {
    let counts = count()?;
    if words.iter().any(|w| w == "--write") {
        return write(&counts);
    }
    compare(&counts)
}

/// Counts and compares.
pub fn check() -> Result<()> {
    compare(&count()?)
}

fn count() -> Result<Counts> {
    setup::valgrind()?;
    // Together with the problems, so that the engine is built once, with one set of features.
    let packages = ["--package", "pliant_guard", "--package", "pliant_validation"];
    run(command(&["cargo", "build", "--release", "--quiet"]).args(packages))?;
    let binary = root().join("target/release/pliant_guard");
    let names = ask(&mut command(&[&binary]))?;
    let names = String::from_utf8_lossy(&names.stdout).into_owned();
    let mut counts = Counts::new();
    for name in names.lines() {
        let [few, many] = TIMES.map(|times| instructions(&binary, name, times));
        let (few, many) = (few?, many?);
        ensure!(many > few, "{name}: more runs must take more instructions");
        counts.insert(name.into(), (many - few) / u64::from(TIMES[1] - TIMES[0]));
    }
    ensure!(!counts.is_empty(), "pliant_guard names no kernel");
    Ok(counts)
}

/// Instructions of a whole run.
fn instructions(binary: &PathBuf, kernel: &str, times: u32) -> Result<u64> {
    let out = root().join(format!("target/guard-{kernel}-{times}.out"));
    let mut words = command(&["valgrind", "--tool=callgrind"]);
    words
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(binary)
        .args([kernel, &times.to_string()]);
    let output = ask(&mut words)?;
    if !output.status.success() {
        bail!("{kernel} under valgrind: {}", last_line(&output));
    }
    let text = fs::read_to_string(&out).with_context(|| out.display().to_string())?;
    let line = text.lines().rev().find_map(|l| l.strip_prefix("totals: ").or(l.strip_prefix("summary: ")));
    let count =
        line.and_then(|l| l.trim().parse().ok()).with_context(|| format!("{}: no totals", out.display()))?;
    fs::remove_file(&out)?;
    Ok(count)
}

fn write(counts: &Counts) -> Result<()> {
    let rows: String = counts.iter().map(|(name, n)| format!("{name} {n}\n")).collect();
    let head = "# Instructions of each kernel, written by `cargo xtask guard --write` with ";
    fs::write(root().join(RECORD), format!("{head}{}\n{rows}", compiler()?))?;
    println!("wrote {RECORD}");
    Ok(())
}

fn compiler() -> Result<String> {
    let output = ask(&mut command(&["rustc", "--version"]))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn compare(counts: &Counts) -> Result<()> {
    let text = fs::read_to_string(root().join(RECORD)).context(RECORD)?;
    let rows = text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(' '));
    let record: Counts = rows.filter_map(|(name, n)| Some((name.to_string(), n.parse().ok()?))).collect();
    let mut off = vec![];
    for (name, now) in counts {
        let then =
            *record.get(name).with_context(|| format!("{RECORD} lacks {name}: cargo xtask guard --write"))?;
        let change = *now as f64 / then as f64 - 1.0;
        println!("{name:24} {then:12} -> {now:12} instructions, {:+.2} %", 100.0 * change);
        if change.abs() > BAND {
            off.push(format!("{name} {:+.1} %", 100.0 * change));
        }
    }
    if let Some(gone) = record.keys().find(|name| !counts.contains_key(*name)) {
        bail!("{RECORD} names {gone}, which is no kernel: cargo xtask guard --write");
    }
    ensure!(
        off.is_empty(),
        "instructions left their band of 5 %: {}. If that is meant, put the new counts on record: cargo xtask guard --write \
         (counted with {}; the record says with which they were made)",
        off.join(", "),
        compiler()?
    );
    Ok(())
}
