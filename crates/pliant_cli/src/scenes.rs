//! Finding scene files.

use crate::Failure;
use pliant_io::recording::Recording;
use pliant_io::scene_file;
use std::path::{Path, PathBuf};

/// Where shipped scenes are looked for, from the current folder.
pub(crate) const FOLDER: &str = "scenes";

/// Replaces every folder by the scene files in and below it, in the order of their names.
pub(crate) fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut scenes = vec![];
    for path in paths {
        if path.is_dir() {
            let before = scenes.len();
            collect(path, &mut scenes)
                .map_err(|e| Failure::input_message(format!("{}: {e}", path.display())))?;
            if scenes.len() == before {
                return Err(Failure::input_message(format!("{}: holds no .toml file", path.display())));
            }
        } else {
            scenes.push(path.clone());
        }
    }
    Ok(scenes)
}

/// Opens a recording that has something to show.
pub(crate) fn open_recording(path: &Path) -> Result<Recording, Failure> {
    let recording = Recording::open(path).map_err(Failure::input)?;
    if recording.frame_count() == 0 {
        return Err(Failure::input_message(format!("{}: has no whole frame yet", path.display())));
    }
    Ok(recording)
}

/// Title of the scene in a recording. Recordings of other versions may hold scenes that this one cannot read; a
/// missing title is no reason not to show them.
pub(crate) fn recorded_title(recording: &Recording) -> String {
    let spec = scene_file::parse(recording.scene_text(), "the scene in the recording");
    spec.map(|s| s.scene.title).unwrap_or_default()
}

fn collect(folder: &Path, scenes: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries =
        std::fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, scenes)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            scenes.push(path);
        }
    }
    Ok(())
}
