//! `pliant list`: kinds of bodies, materials, file formats, shipped scenes.

use crate::scenes::{self, FOLDER};
use crate::{Common, Failure};
use pliant::KINDS;
use pliant::material::PRESETS;
use pliant_io::{export, scene_file};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `pliant list`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {}

#[derive(Serialize)]
struct Listing {
    kinds: Vec<Entry>,
    materials: Vec<Entry>,
    outputs: Vec<String>,
    scenes: Vec<SceneEntry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    summary: String,
}

#[derive(Serialize)]
struct SceneEntry {
    file: PathBuf,
    title: String,
}

/// Runs the command.
pub fn execute(_: &Args, common: &Common) -> Result<(), Failure> {
    let listing = Listing {
        kinds: KINDS.iter().map(|k| entry(k.name, k.summary)).collect(),
        materials: PRESETS.iter().map(|(name, summary, _)| entry(name, summary)).collect(),
        outputs: std::iter::once(".pliant".to_owned())
            .chain(export::endings().chain(pliant_render::sink::endings()).map(String::from))
            .collect(),
        scenes: shipped_scenes()?,
    };
    common.say_json(&listing)?;
    common.say(text(&listing))
}

fn text(listing: &Listing) -> String {
    let mut lines = vec!["kinds of bodies".to_owned()];
    lines.extend(listing.kinds.iter().map(|k| format!("  {:<12} {}", k.name, k.summary)));
    lines.push("materials".into());
    lines.extend(listing.materials.iter().map(|m| format!("  {:<12} {}", m.name, m.summary)));
    lines.push(format!("outputs\n  {}", listing.outputs.join(" ")));
    if listing.scenes.is_empty() {
        lines.push(format!("scenes\n  none found under ./{FOLDER}; pliant new NAME writes one"));
    } else {
        lines.push("scenes".into());
        lines.extend(listing.scenes.iter().map(|s| format!("  {}: {}", s.file.display(), s.title)));
    }
    lines.join("\n")
}

fn entry(name: &str, summary: &str) -> Entry {
    Entry { name: name.into(), summary: summary.into() }
}

fn shipped_scenes() -> Result<Vec<SceneEntry>, Failure> {
    let folder = Path::new(FOLDER);
    if !folder.is_dir() {
        return Ok(vec![]);
    }
    // A folder without scenes is no mistake here.
    let files = scenes::expand(&[folder.to_owned()]).unwrap_or_default();
    let title = |file: &Path| {
        let text = std::fs::read_to_string(file).ok()?;
        scene_file::parse(&text, &file.display().to_string()).ok().map(|spec| spec.scene.title)
    };
    let entry = |file: PathBuf| SceneEntry { title: title(&file).unwrap_or("cannot be read".into()), file };
    Ok(files.into_iter().map(entry).collect())
}
