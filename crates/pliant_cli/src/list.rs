//! `pliant list`: kinds of bodies, materials, file formats, shipped scenes.

use crate::scenes::{self, FOLDER};
use crate::{Common, Failure, scene_file};
use pliant_io::export;
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
        kinds: kinds(),
        materials: vec![],
        outputs: std::iter::once(".pliant".to_owned()).chain(export::endings().map(String::from)).collect(),
        scenes: shipped_scenes()?,
    };
    common.say_json(&listing)?;
    common.say(text(&listing))
}

fn text(listing: &Listing) -> String {
    let mut lines = vec!["kinds of bodies".to_owned()];
    lines.extend(listing.kinds.iter().map(|k| format!("  {:<12} {}", k.name, k.summary)));
    if !listing.materials.is_empty() {
        lines.push("materials".into());
        lines.extend(listing.materials.iter().map(|m| format!("  {:<12} {}", m.name, m.summary)));
    }
    lines.push(format!("outputs\n  {}", listing.outputs.join(" ")));
    if listing.scenes.is_empty() {
        lines.push(format!("scenes\n  none found under ./{FOLDER}; pliant new NAME writes one"));
    } else {
        lines.push("scenes".into());
        lines.extend(listing.scenes.iter().map(|s| format!("  {}: {}", s.file.display(), s.title)));
    }
    lines.join("\n")
}

/// Stands in for `pliant::KINDS` until it exists.
fn kinds() -> Vec<Entry> {
    let known = [
        ("rigid", "does not deform"),
        ("global", "deforms as a whole, by a low-order polynomial"),
        ("hybrid", "a rigid frame with elastic deformation around it"),
        ("lattice", "a block of elastic cells"),
        ("clay", "keeps the shape it is given, breaks and melts"),
    ];
    known.map(|(name, summary)| Entry { name: name.into(), summary: summary.into() }).into()
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
