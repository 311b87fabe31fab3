//! `pliant new`: a commented scene to start from.

use crate::{Common, Failure};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// The scene that `pliant new` writes; `NAME` stands for the file's name.
pub const STARTER: &str = include_str!("starter.toml");

/// Arguments of `pliant new`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Name of the scene; the file is NAME.toml
    pub name: PathBuf,
}

#[derive(Serialize)]
struct Report {
    scene: PathBuf,
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    let mut path = args.name.clone().into_os_string();
    if args.name.extension().is_none_or(|e| e != "toml") {
        path.push(".toml");
    }
    let path = PathBuf::from(path);
    let at = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::input_message(format!("{}: exists already; choose another name", path.display()))
        }
        _ => Failure::input_message(format!("{}: {e}", path.display())),
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = STARTER.replace("NAME", &stem);
    // `create_new` leaves no moment in which a file of that name could be lost.
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(at)?;
    file.write_all(text.as_bytes()).map_err(at)?;
    common.say(format_args!("wrote {0}; run it with: pliant run {0}", path.display()))?;
    common.say_json(&Report { scene: path })
}
