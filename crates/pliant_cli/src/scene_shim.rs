//! Stands in for `pliant_io::scene_file` until it is merged.
#![allow(missing_docs)]

use pliant::{MeshLibrary, SceneError, SceneSpec};
use std::path::Path;

pub struct LoadedScene {
    pub spec: SceneSpec,
    pub text: String,
    pub meshes: MeshLibrary,
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SceneFileError(String);

pub fn load(
    path: &Path,
    overrides: &[(String, String)],
    _repair: bool,
) -> Result<LoadedScene, SceneFileError> {
    let name = path.display().to_string();
    let mut text = std::fs::read_to_string(path).map_err(|e| SceneFileError(format!("{name}: {e}")))?;
    for (key, value) in overrides {
        text = text
            .lines()
            .map(|l| {
                let short = key.rsplit('.').next().unwrap_or(key);
                if l.starts_with(short) { format!("{short} = {value}\n") } else { format!("{l}\n") }
            })
            .collect();
    }
    Ok(LoadedScene { spec: parse(&text, &name)?, text, meshes: MeshLibrary::new(), notes: vec![] })
}

pub fn parse(text: &str, file_name: &str) -> Result<SceneSpec, SceneFileError> {
    toml::from_str(text).map_err(|e| SceneFileError(format!("{file_name}: {e}")))
}

pub fn locate(_text: &str, error: &SceneError, file_name: &str) -> SceneFileError {
    SceneFileError(format!("{file_name}: {error}"))
}

pub fn schema() -> serde_json::Value {
    serde_json::Value::Object(serde_json::Map::new())
}
