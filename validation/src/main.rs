//! Problems with known numbers, held against Pliant. `cargo xtask validate` runs them and writes docs/VALIDATION.md.
//!
//! usage: `pliant_validation [--fast] [--report FOLDER] [--stamp TEXT] [WORD...]`
//!
//! Without words all problems are run, with words those whose name contains one; `--fast` leaves out what takes long.
//! Exits with 1 if a number is outside its tolerance and the problem does not say why.

mod chart;
mod lab;
mod problem;
mod problems;
mod report;

use anyhow::{Context, Result, bail};
use problem::{Answer, Problem};
use rayon::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// A problem with its name and what came out.
pub struct Solved {
    name: &'static str,
    problem: &'static Problem,
    answer: Answer,
}

#[derive(Default)]
struct Options {
    fast: bool,
    report: Option<PathBuf>,
    stamp: String,
    words: Vec<String>,
}

fn main() -> Result<ExitCode> {
    let options = options()?;
    let wanted = |(name, problem): &&(&str, Problem)| {
        (!options.fast || problem.fast)
            && (options.words.is_empty() || options.words.iter().any(|w| name.contains(w.as_str())))
    };
    let chosen: Vec<_> = problems::ALL.iter().filter(wanted).collect();
    // One after the other in the pool's order: the longest are listed first, so that none is left to the end.
    let solved = chosen.par_iter().with_max_len(1).map(|(name, problem)| solve(name, problem));
    let solved: Vec<Solved> = solved.collect::<Result<_>>()?;
    if let Some(folder) = &options.report {
        report::write(folder, &options.stamp, &solved)?;
    }
    let unexplained = solved.iter().filter(|s| !s.answer.inside() && s.problem.outside.is_none()).count();
    let outside = solved.iter().filter(|s| !s.answer.inside()).count();
    println!("{} problems, {outside} outside tolerance, {unexplained} of them unexplained", solved.len());
    Ok(ExitCode::from(u8::from(unexplained > 0)))
}

fn options() -> Result<Options> {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--fast" => options.fast = true,
            "--report" => options.report = Some(words.next().context("--report needs a folder")?.into()),
            "--stamp" => options.stamp = words.next().context("--stamp needs a text")?,
            other if other.starts_with('-') => bail!("there is no option {other}"),
            _ => options.words.push(word),
        }
    }
    Ok(options)
}

fn solve(name: &'static str, problem: &'static Problem) -> Result<Solved> {
    let began = Instant::now();
    let answer = (problem.solve)().with_context(|| format!("problem {name}"))?;
    let mut text = format!("{name} ({:.1} s)\n", began.elapsed().as_secs_f64());
    for line in &answer.lines {
        let verdict = if line.inside() { "inside" } else { "OUTSIDE" };
        text += &format!(
            "  {:50} known {:12} ours {:12} off {:10} of {:8} {verdict}\n",
            line.name,
            report::number(line.known),
            report::number(line.ours),
            report::error(line),
            report::allowed(line)
        );
    }
    print!("{text}");
    Ok(Solved { name, problem, answer })
}
