//! Scene files: TOML (or JSON with the same keys) to a checked [`SceneSpec`], with errors that name file, line,
//! column and key.

mod error;
mod format_doc;
mod key_path;
mod meshes;
mod nesting;
mod overrides;
mod schema;
pub(crate) mod source;
mod typed;

pub use error::SceneFileError;
pub use format_doc::scene_format_markdown;
pub use meshes::mesh_names;
pub use schema::schema;

use crate::mesh_in;
use overrides::Override;
use pliant::{MeshLibrary, SceneError, SceneSpec};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use toml::de::DeTable;

/// A scene with all it names, ready for `World::new`.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene, checked as far as possible without building it.
    pub spec: SceneSpec,
    /// The scene as TOML with the overrides applied. Recordings store it; [`parse`] reads it again.
    pub text: String,
    /// The meshes the scene names, by the name it gives them. Scales are not yet applied.
    pub meshes: MeshLibrary,
    /// What was repaired, for the user to read.
    pub notes: Vec<String>,
    origin: Origin,
}

impl LoadedScene {
    /// Places an error found later, for instance by `World::new`, in the file (or at the `--set` that caused it).
    pub fn locate(&self, error: &SceneError) -> SceneFileError {
        self.origin.locate(error)
    }
}

/// What the user wrote, before overrides: the text in which places are meant.
#[derive(Clone, Debug)]
struct Origin {
    file: String,
    text: String,
    overrides: Vec<Override>,
}

impl Origin {
    fn locate(&self, error: &SceneError) -> SceneFileError {
        match self.overrides.iter().rev().find(|o| key_path::key_prefix(&error.path, &o.path).is_some()) {
            Some(o) => SceneFileError::without_place(&o.shown, error.clone()),
            None => locate(&self.text, error, &self.file),
        }
    }

    /// Moves an error found in the text with overrides to where the user wrote it.
    fn relocate(&self, error: SceneFileError) -> SceneFileError {
        if self.overrides.is_empty() || error.path.is_empty() {
            return error;
        }
        let mut moved = self.locate(&SceneError::new(error.path, error.message));
        moved.help = error.help;
        moved
    }
}

/// Reads a scene file, applies overrides (`("body.jello.material.young", "2e5")`), checks it and loads its meshes.
/// With `repair`, meshes that do not bound a solid are mended where that is possible.
pub fn load(
    path: &Path,
    overrides: &[(String, String)],
    repair: bool,
) -> Result<LoadedScene, SceneFileError> {
    let file = path.display().to_string();
    let original = source::read_text(path, &file)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mesh = |name: &str| mesh_in::read_mesh(&folder.join(name));
    let cache = |name: &str| mesh_in::read_cache(&folder.join(name));
    load_from(original, file, overrides, repair, &meshes::Read { mesh: &mesh, cache: &cache })
}

/// The same for a scene that is in memory, with the files of its meshes by the names that the scene gives them.
pub fn load_text(
    text: &str,
    file_name: &str,
    files: &BTreeMap<String, Vec<u8>>,
    overrides: &[(String, String)],
) -> Result<LoadedScene, SceneFileError> {
    let given = |name: &str| {
        files.get(name).ok_or_else(|| mesh_in::MeshFileError {
            file: name.into(),
            place: String::new(),
            message: "this file was not given with the scene; add it, or use another shape".into(),
        })
    };
    let mesh = |name: &str| mesh_in::decode_mesh(Path::new(name), given(name)?);
    let cache = |name: &str| mesh_in::decode_cache(Path::new(name), given(name)?);
    load_from(text.into(), file_name.into(), overrides, false, &meshes::Read { mesh: &mesh, cache: &cache })
}

fn load_from(
    original: String,
    file: String,
    overrides: &[(String, String)],
    repair: bool,
    read: &meshes::Read,
) -> Result<LoadedScene, SceneFileError> {
    let plain = as_toml(&original, &file)?.into_owned();
    let mut origin = Origin { file, text: original, overrides: Vec::new() };
    let text = if overrides.is_empty() {
        plain
    } else {
        let (text, applied) = overrides::apply(&plain, &origin.file, overrides)?;
        origin.overrides = applied;
        text
    };
    let spec = parse(&text, &origin.file).map_err(|e| origin.relocate(e))?;
    let (meshes, notes) = meshes::load_all(&spec, read, repair).map_err(|e| origin.locate(&e))?;
    Ok(LoadedScene { spec, text, meshes, notes, origin })
}

/// Reads a scene from text with overrides and checks it; meshes are not loaded. `file_name` is for messages only.
pub fn parse_with(
    text: &str,
    file_name: &str,
    overrides: &[(String, String)],
) -> Result<SceneSpec, SceneFileError> {
    let plain = as_toml(text, file_name)?.into_owned();
    let (changed, applied) = overrides::apply(&plain, file_name, overrides)?;
    let origin = Origin { file: file_name.into(), text: text.into(), overrides: applied };
    parse(&changed, file_name).map_err(|e| origin.relocate(e))
}

/// Reads a scene from text and checks it; meshes are not loaded. `file_name` is for messages only.
pub fn parse(text: &str, file_name: &str) -> Result<SceneSpec, SceneFileError> {
    let plain = as_toml(text, file_name)?;
    let table = parse_toml(&plain, text, file_name)?;
    if table.get_ref().is_empty() {
        let message = "the scene is empty; `pliant new NAME` writes one to start from";
        return Err(SceneFileError::at(file_name, text, 0..0, SceneError::new("", message)));
    }
    typed::check(table.get_ref())
        .map_err(|p| SceneFileError::at(file_name, text, p.span, p.error).with_help(p.help))?;
    let spec = SceneSpec::deserialize(toml::de::Deserializer::from(table.clone())).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let path = key_path::path_at(table.get_ref(), span.start);
        SceneFileError::at(file_name, text, span, SceneError::new(path, error.message()))
    })?;
    pliant::scene_check::check(&spec).map_err(|error| place(table.get_ref(), text, &error, file_name))?;
    Ok(spec)
}

/// Finds the place in the text that an error's path means: the key, or its nearest ancestor that is written down.
pub fn locate(text: &str, error: &SceneError, file_name: &str) -> SceneFileError {
    let Ok(plain) = as_toml(text, file_name) else {
        return SceneFileError::without_place(file_name, error.clone());
    };
    // A text that no longer parses still has a readable part; a place in it is better than none.
    let (table, _) = DeTable::parse_recoverable(&plain);
    place(table.get_ref(), text, error, file_name)
}

fn place(table: &DeTable, text: &str, error: &SceneError, file_name: &str) -> SceneFileError {
    let found = key_path::find(table, &error.path);
    let span = if error.message.starts_with("unknown key") { found.key } else { found.value };
    SceneFileError::at(file_name, text, span, error.clone())
}

/// The scene as TOML, as it is or rewritten from JSON, that is safe to parse.
fn as_toml<'t>(text: &'t str, file_name: &str) -> Result<Cow<'t, str>, SceneFileError> {
    let plain = match source::is_json(text) {
        true => Cow::Owned(source::toml_from_json(text, file_name)?),
        false => Cow::Borrowed(text),
    };
    match nesting::too_deep(&plain) {
        Some(span) => Err(SceneFileError::at(file_name, text, span, SceneError::new("", nesting::message()))),
        None => Ok(plain),
    }
}

/// `plain` is what is parsed, `text` what is shown; they differ for JSON only.
fn parse_toml<'p>(
    plain: &'p str,
    text: &str,
    file_name: &str,
) -> Result<toml::Spanned<DeTable<'p>>, SceneFileError> {
    DeTable::parse(plain).map_err(|error| {
        let Some(span) = error.span() else {
            return SceneFileError::whole(file_name, format!("not valid TOML: {}", error.message()));
        };
        let key = plain.get(span.clone()).unwrap_or_default();
        let (path, message, help) = match error.message() {
            m if m.contains("duplicate key") => {
                (key, "this key was already given".to_owned(), Some("keep one of the two".to_owned()))
            }
            m => ("", format!("not valid TOML: {m}"), None),
        };
        SceneFileError::at(file_name, text, span, SceneError::new(path, message)).with_help(help)
    })
}
