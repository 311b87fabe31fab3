//! `cargo xtask tidy`: what the documents and the layout promise, as far as a program can check it as a fact.

use crate::shell::{ask, command, root, shown};
use crate::{docs, scenes};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that the contact code must not know.
const KIND_NAMES: &[&str] = &["rigid", "global", "hybrid", "lattice", "clay"];
/// Functions of the system, whose last digit differs from one to another; `math/portable.rs` has others in their place.
const SYSTEM_FUNCTIONS: &[&str] = &[
    ".sin()",
    ".cos()",
    ".tan()",
    ".sin_cos()",
    ".exp()",
    ".exp_m1()",
    ".ln()",
    ".ln_1p()",
    ".log2()",
    ".log10()",
    ".powf(",
    ".cbrt()",
    ".acos()",
    ".asin()",
    ".atan()",
    ".atan2(",
    ".hypot(",
    ".tanh()",
    ".angle_between(",
    ".slerp(",
    "_scaled_axis(",
    "::from_rotation_",
    "::from_axis_angle(",
];
/// What reaches out of the engine, which prints nothing, reads nothing and knows no clock.
const OUTSIDE: &[&str] =
    &["print!(", "println!(", "dbg!(", "std::env", "std::fs", "std::io", "std::net", "std::time"];
/// Files whose text is checked.
const TEXT: &[&str] = &["rs", "md", "toml", "py", "mjs"];

/// Runs every check and lists all that is wrong.
pub fn run() -> Result<()> {
    let files = files()?;
    let checks: &[(&str, Vec<String>)] = &[
        ("paths named in documents exist", paths(&files)?),
        ("citations resolve in docs/references.md", citations(&files)?),
        ("contact knows no kind of body", contact_names(&files)?),
        (
            "the engine computes the same bits on every system",
            called(&files, SYSTEM_FUNCTIONS, "use crate::math::portable"),
        ),
        ("the engine keeps to itself", called(&files, OUTSIDE, "the engine prints, reads and times nothing")),
        ("every folder in bodies/ is registered", registrations()?),
        ("every dependency has its reason in ARCHITECTURE.md", dependencies()?),
        ("scenes can be built", scene_files()?),
        ("generated documents are up to date", generated()?),
    ];
    let mut wrong = 0;
    for (name, faults) in checks {
        println!("  {} {name}", if faults.is_empty() { "ok    " } else { "FAILED" });
        faults.iter().for_each(|f| println!("         {f}"));
        wrong += faults.len();
    }
    ensure!(wrong == 0, "{wrong} things are not tidy");
    Ok(())
}

/// A tracked (or new, not ignored) text file: its path as documents name it, and its text.
struct File {
    path: String,
    text: String,
}

impl File {
    fn ends_with(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }
    /// Lines with their numbers, from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, l)| (i + 1, l))
    }
}

fn files() -> Result<Vec<File>> {
    let listed = ask(&mut command(&["git", "ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let mut names: Vec<String> = String::from_utf8(listed.stdout)?.lines().map(String::from).collect();
    if !listed.status.success() || names.is_empty() {
        // An unpacked archive is no repository.
        names = walk(&root())?;
    }
    names.retain(|n| TEXT.iter().any(|e| n.ends_with(&format!(".{e}"))) && root().join(n).is_file());
    names
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).with_context(|| path.clone())?;
            Ok(File { path, text })
        })
        .collect()
}

fn walk(folder: &Path) -> Result<Vec<String>> {
    let mut all = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", ".venv", "node_modules", ".git", "out"].contains(&name.as_str()) {
                all.extend(walk(&path)?);
            }
        } else {
            all.push(shown(&path));
        }
    }
    all.sort();
    Ok(all)
}

/// Links and code spans in Markdown, and `docs/...` in source comments.
fn paths(files: &[File]) -> Result<Vec<String>> {
    let tops: BTreeSet<String> = fs::read_dir(root())?
        .filter_map(|e| e.ok().map(|e| e.file_name().to_string_lossy().into_owned()))
        .chain(["docs", "bench", "web"].map(String::from))
        .collect();
    let mut faults = vec![];
    for file in files {
        let here = root().join(&file.path).parent().map(Path::to_path_buf).unwrap_or_default();
        for (number, line) in file.lines() {
            let mut named: Vec<(String, PathBuf)> = vec![];
            if file.ends_with(".md") {
                for link in between(line, "](", ")") {
                    let target = link.split('#').next().unwrap_or_default();
                    if !target.is_empty() && !target.contains("://") {
                        named.push((target.into(), here.join(target)));
                    }
                }
                for span in between(line, "`", "`") {
                    named.extend(as_path(span, &tops).map(|p| (p.clone(), root().join(p))));
                }
            } else if file.ends_with(".rs") && line.trim_start().starts_with("//") {
                for word in line.split(|c: char| c.is_whitespace() || "`()[],;:".contains(c)) {
                    let word = word.trim_end_matches('.');
                    if word.starts_with("docs/") && word.ends_with(".md") {
                        named.push((word.into(), root().join(word)));
                    }
                }
            }
            for (name, path) in named {
                if !path.exists() {
                    faults.push(format!("{}:{number}: {name} does not exist", file.path));
                }
            }
        }
    }
    Ok(faults)
}

/// A code span that is a path in this repository: starts with one of its folders and holds no placeholder.
fn as_path(span: &str, tops: &BTreeSet<String>) -> Option<String> {
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let first = span.split('/').next()?;
    let placeholder = span.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or_default();
        !stem.is_empty() && !part.ends_with(".md") && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    });
    // What is made on the spot is not in the repository.
    let made = ["target", "out", ".venv"].contains(&first);
    (plain && span.contains('/') && tops.contains(first) && !placeholder && !made).then(|| span.to_string())
}

/// Text between two marks, on one line.
fn between<'a>(line: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let (mut rest, mut found) = (line, vec![]);
    while let Some(start) = rest.find(open) {
        let after = &rest[start + open.len()..];
        let Some(end) = after.find(close) else { break };
        found.push(&after[..end]);
        rest = &after[end + close.len()..];
    }
    found
}

/// `[BW92]`: capital letters (a few small ones allowed), two digits, perhaps a letter.
fn citations(files: &[File]) -> Result<Vec<String>> {
    let references = fs::read_to_string(root().join("docs/references.md")).context("docs/references.md")?;
    let known: BTreeSet<&str> = references
        .lines()
        .filter_map(|l| l.strip_prefix("- **["))
        .filter_map(|l| l.split(']').next())
        .collect();
    ensure!(!known.is_empty(), "docs/references.md lists nothing as `- **[KEY]** ...`");
    let mut faults = vec![];
    for file in files {
        for (number, line) in file.lines() {
            for key in between_brackets(line) {
                if is_citation(key) && !known.contains(key) {
                    faults.push(format!("{}:{number}: [{key}] is not in docs/references.md", file.path));
                }
            }
        }
    }
    Ok(faults)
}

fn between_brackets(line: &str) -> impl Iterator<Item = &str> {
    line.split('[').skip(1).filter_map(|rest| rest.split(']').next())
}

fn is_citation(key: &str) -> bool {
    let letters =
        key.trim_end_matches(|c: char| c.is_ascii_lowercase()).trim_end_matches(|c: char| c.is_ascii_digit());
    let rest = &key[letters.len()..];
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let tail = rest.len() - digits;
    letters.starts_with(|c: char| c.is_ascii_uppercase())
        && (1..=6).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && letters.chars().filter(char::is_ascii_uppercase).count() * 2 >= letters.len()
        && digits == 2
        && tail <= 1
}

/// Contact sees bodies through the questions all of them answer.
fn contact_names(files: &[File]) -> Result<Vec<String>> {
    let mut faults = vec![];
    let mut seen = 0;
    for file in files.iter().filter(|f| f.path.starts_with("crates/pliant/src/contact/")) {
        seen += 1;
        for (number, line) in file.lines() {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words.flat_map(|w| w.split('_')) {
                if KIND_NAMES.contains(&word.to_ascii_lowercase().as_str()) {
                    faults.push(format!("{}:{number}: {word}", file.path));
                }
            }
        }
    }
    ensure!(seen > 0, "there is no crates/pliant/src/contact/");
    Ok(faults)
}

/// Words that stand in the engine's code, tests and comments apart.
fn called(files: &[File], words: &[&str], instead: &str) -> Vec<String> {
    let engine = files.iter().filter(|f| f.path.starts_with("crates/pliant/src/") && f.ends_with(".rs"));
    let engine = engine.filter(|f| !f.path.contains("/tests"));
    let lines = engine.flat_map(|f| {
        let tests = f.lines().find(|(_, l)| l.starts_with("mod tests {")).map_or(usize::MAX, |(n, _)| n);
        f.lines().filter(move |(n, _)| *n < tests).map(move |(n, l)| (f, n, l))
    });
    let code = lines.filter(|(_, _, l)| !l.trim_start().starts_with("//"));
    let called = code.flat_map(|(f, n, l)| {
        let found = words.iter().filter(move |word| l.contains(**word));
        found.map(move |word| format!("{}:{n}: `{word}`: {instead}", f.path))
    });
    called.collect()
}

fn registrations() -> Result<Vec<String>> {
    let bodies = root().join("crates/pliant/src/bodies");
    let registered: BTreeSet<&str> = pliant::KINDS.iter().map(|k| k.name).collect();
    let mut faults = vec![];
    for entry in fs::read_dir(&bodies)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !registered.contains(name.as_str()) {
            faults.push(format!("{} is not in KINDS", shown(&path)));
        }
    }
    for name in registered {
        if !bodies.join(name).is_dir() {
            faults.push(format!("kind \"{name}\" has no folder in {}", shown(&bodies)));
        }
    }
    Ok(faults)
}

fn dependencies() -> Result<Vec<String>> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let reasons = fs::read_to_string(root().join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let mut names: BTreeSet<String> = dependency_names(&manifest, "[workspace.dependencies]");
    for entry in fs::read_dir(root().join("crates"))? {
        let text = fs::read_to_string(entry?.path().join("Cargo.toml"))?;
        for table in ["[dependencies]", "[dev-dependencies]", "[build-dependencies]"] {
            names.extend(dependency_names(&text, table));
        }
    }
    names.retain(|n| !n.starts_with("pliant") && !reasons.contains(&format!("| `{n}` |")));
    Ok(names.into_iter().map(|n| format!("`{n}` has no row in the table of dependencies")).collect())
}

/// Keys of one table of a manifest.
fn dependency_names(manifest: &str, table: &str) -> BTreeSet<String> {
    let lines =
        manifest.lines().skip_while(|l| l.trim() != table).skip(1).take_while(|l| !l.starts_with('['));
    let keys =
        lines.filter(|l| l.contains('=') && !l.starts_with('#')).filter_map(|l| l.split(['=', '.']).next());
    keys.map(|k| k.trim().to_string()).collect()
}

fn scene_files() -> Result<Vec<String>> {
    let mut faults = vec![];
    for scene in scenes::all()? {
        if let Err(error) = build(&scene) {
            faults.push(format!("{error:#}"));
        }
    }
    Ok(faults)
}

/// Reads a scene, builds its world and looks for what every scene must have.
fn build(scene: &Path) -> Result<()> {
    let name = shown(scene);
    let loaded = pliant_io::scene_file::load(scene, &[], false)?;
    pliant::World::new(&loaded.spec, &loaded.meshes).map_err(|e| loaded.locate(&e))?;
    docs::head_comment(scene)?;
    let Some(expect) = &loaded.spec.expect else { bail!("{name}: has no [expect] table") };
    ensure!(expect.max_penetration == Some(0.0), "{name}: must expect max_penetration = 0");
    ensure!(!loaded.spec.scene.title.is_empty(), "{name}: has no title");
    Ok(())
}

fn generated() -> Result<Vec<String>> {
    let mut faults = vec![];
    for (path, text) in docs::generated()? {
        if fs::read_to_string(root().join(path)).ok().as_deref() != Some(&text) {
            faults.push(format!("{path} differs from what `cargo xtask docs` writes"));
        }
    }
    Ok(faults)
}
