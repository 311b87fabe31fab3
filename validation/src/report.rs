//! docs/VALIDATION.md and its pictures.

use crate::Solved;
use crate::problem::{Line, Tolerance};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# Validation

Problems of mechanics whose answers are known, and what Pliant makes of them. Each is one file in
`validation/src/problems/`; each runs the engine as users do, from a scene's text to frames and measures. `cargo xtask
validate` runs them all and writes this page; `cargo xtask ci` runs those marked *quick* and fails if one leaves its
tolerance.
";

/// Writes the page and its pictures into the folder of documents.
pub fn write(folder: &Path, stamp: &str, solved: &[Solved]) -> Result<()> {
    let pictures = folder.join("validation");
    fs::create_dir_all(&pictures).with_context(|| pictures.display().to_string())?;
    let mut sorted: Vec<&Solved> = solved.iter().collect();
    sorted.sort_by_key(|s| s.name);
    let mut kept = vec![];
    for s in &sorted {
        for (k, chart) in s.answer.charts.iter().enumerate() {
            let name = picture(s.name, k);
            fs::write(pictures.join(&name), chart.svg()).with_context(|| name.clone())?;
            kept.push(name);
        }
    }
    for entry in fs::read_dir(&pictures)? {
        let path = entry?.path();
        if !kept.iter().any(|k| path.ends_with(k)) {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    let path = folder.join("VALIDATION.md");
    let new = folder.join("VALIDATION.md.new");
    fs::write(&new, page(stamp, &sorted)).with_context(|| new.display().to_string())?;
    fs::rename(&new, &path).with_context(|| path.display().to_string())
}

fn picture(name: &str, k: usize) -> String {
    if k == 0 { format!("{name}.svg") } else { format!("{name}_{}.svg", k + 1) }
}

fn page(stamp: &str, solved: &[&Solved]) -> String {
    let inside = solved.iter().filter(|s| s.answer.inside()).count();
    let mut out = HEAD.to_string();
    // Writing to a string cannot fail.
    _ = writeln!(out, "\n{stamp}\n");
    _ = writeln!(out, "**{} problems, {inside} inside tolerance.**", solved.len());
    let outside: Vec<&&Solved> = solved.iter().filter(|s| !s.answer.inside()).collect();
    if !outside.is_empty() {
        _ = writeln!(out, "\nOutside:\n");
    }
    for s in outside {
        let why = s.problem.outside.unwrap_or("not explained yet.");
        _ = writeln!(out, "- [{}](#{}): {why}", s.problem.title, anchor(s.problem.title));
    }
    _ = writeln!(out, "\n| problem | worst number | known | ours | off by | allowed | |");
    _ = writeln!(out, "|---|---|---|---|---|---|---|");
    for s in solved {
        let over = |l: &Line| l.error().abs() / allowed_size(l).max(1e-300);
        let Some(worst) = s.answer.lines.iter().max_by(|a, b| over(a).total_cmp(&over(b))) else { continue };
        _ = writeln!(
            out,
            "| [{}](#{}) | {} | {} | {} | {} | {} | {} |",
            s.problem.title,
            anchor(s.problem.title),
            worst.name,
            number(worst.known),
            number(worst.ours),
            error(worst),
            allowed(worst),
            if s.answer.inside() { "inside" } else { "**outside**" }
        );
    }
    for s in solved {
        section(&mut out, s);
    }
    out
}

fn section(out: &mut String, s: &Solved) {
    let p = s.problem;
    _ = writeln!(out, "\n## {}\n\n{}\n", p.title, p.setup);
    _ = writeln!(out, "*Known from*: {}", p.source);
    _ = writeln!(out, "*Tolerance*: {}", p.why);
    let quick = if p.fast { " (quick)" } else { "" };
    _ = writeln!(out, "*File*: `validation/src/problems/{}.rs`{quick}\n", s.name);
    if let Some(why) = p.outside.filter(|_| !s.answer.inside()) {
        _ = writeln!(out, "*Outside because*: {why}\n");
    }
    _ = writeln!(out, "| | known | ours | off by | allowed | |\n|---|---|---|---|---|---|");
    for l in &s.answer.lines {
        let verdict = if l.inside() { "inside" } else { "**outside**" };
        _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {verdict} |",
            l.name,
            number(l.known),
            number(l.ours),
            error(l),
            allowed(l)
        );
    }
    for (k, chart) in s.answer.charts.iter().enumerate() {
        _ = writeln!(out, "\n![{}](validation/{})", chart.title, picture(s.name, k));
    }
}

/// The anchor that Markdown gives a heading.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Five digits, with a power of ten only where it helps.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{x:.4e}");
    }
    let digits = (4 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// How far off a number is.
pub fn error(line: &Line) -> String {
    let e = line.error();
    match line.tolerance {
        Tolerance::Share(_) => format!("{} %", short(100.0 * e)),
        Tolerance::Size(_) => short(e),
    }
}

/// How far off it may be.
pub fn allowed(line: &Line) -> String {
    match line.tolerance {
        Tolerance::Share(t) => format!("{} %", short(100.0 * t)),
        Tolerance::Size(t) => short(t),
    }
}

fn allowed_size(line: &Line) -> f64 {
    let (Tolerance::Share(t) | Tolerance::Size(t)) = line.tolerance;
    t
}

fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e4).contains(&size) => {
            let digits = (1 - size.log10().floor() as i32).max(0) as usize;
            format!("{x:.digits$}")
        }
        _ => format!("{x:.1e}"),
    }
}
