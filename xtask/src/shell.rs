//! Running other programs.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// A path as it is written in documents: relative to the root, with forward slashes.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string().replace('\\', "/")
}

/// A command in the root of the repository, from its words.
pub fn command<S: AsRef<std::ffi::OsStr>>(words: &[S]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(root());
    command
}

/// Runs a command whose output goes to ours; fails unless it ends with 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", text(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", text(command));
    }
    Ok(())
}

/// Runs a command and keeps what it prints; fails only if it cannot be started.
pub fn ask(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot start {}", text(command)))
}

/// Whether a command starts and ends with 0; prints nothing.
pub fn works<S: AsRef<std::ffi::OsStr>>(words: &[S]) -> bool {
    ask(&mut command(words)).is_ok_and(|o| o.status.success())
}

/// The last line that a failed command printed: the one that says what went wrong.
pub fn last_line(output: &Output) -> String {
    [&output.stderr, &output.stdout]
        .into_iter()
        .find_map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            text.lines().map(str::trim).rfind(|l| !l.is_empty()).map(str::to_string)
        })
        .unwrap_or_default()
}

/// The command as a person would type it.
fn text(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
