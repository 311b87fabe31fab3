//! Project automation: the same commands by hand and in CI.

mod bench;
mod ci;
mod corrupt;
mod crowds;
mod docs;
mod films;
mod gallery;
mod guard;
mod random;
mod scenes;
mod setup;
mod shell;
mod tidy;
mod validate;
mod web;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci                everything below that checks, from formatting to outside judges
  setup             installs what the judges need: Python environment, system libraries, Node package
  tidy              facts about files: paths, citations, registrations, generated documents
  scenes [WORD...]  runs the scenes whose path contains a WORD (all, if none) and has them judged
  crowds [--count N] [--first K] [--lattices]
                    random crowds of all kinds, or of lattices that fall, known by number, run and judged (those of ci, if no
                    more are asked for)
  films             takes films of a scene and has other programs decode them
  formats           exports two scenes to every format and has other programs read them
  gallery [WORD...] takes the pictures of docs/GALLERY.md (those whose name contains a WORD) and writes it
  docs              writes the generated documents
  web               builds the page of `pliant view` into web/dist: engine as WASM, scenes, TypeScript
  page              the same, then tests the page in Chromium, alone and behind `pliant view`
  validate [WORD...] runs all problems with known answers and writes docs/VALIDATION.md; with WORDs, only runs some
  bench [WORD...]   times our workloads and those of peers in turn and writes docs/BENCHMARKS.md; with WORDs, only some sections
  guard [--write]   counts the instructions of a few kernels and compares them with (or puts them on) record";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words = args.get(1..).unwrap_or_default();
    let result = match args.first().map(String::as_str) {
        Some("ci") => ci::run(),
        Some("setup") => setup::judges().map(|_| ()),
        Some("tidy") => tidy::run(),
        Some("scenes") => scenes::run_alone(words),
        Some("crowds") => crowds::run_alone(words),
        Some("formats") => scenes::formats_alone(),
        Some("gallery") => gallery::write(words),
        Some("films") => films::run_alone(),
        Some("docs") => docs::write(),
        Some("web") => web::build(),
        Some("page") => web::page(),
        Some("validate") => validate::write(words),
        Some("bench") => bench::write(words),
        Some("guard") => guard::run_alone(words),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
