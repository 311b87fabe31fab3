//! Loads the mesh files that a scene names.

use crate::mesh_in;
use pliant::scene::ShapeSpec;
use pliant::shape::TriMesh;
use pliant::{MeshLibrary, SceneError, SceneSpec};
use std::path::Path;

/// All meshes of a scene, each file once, and what was repaired. Paths are relative to `folder`.
pub(super) fn load_all(
    spec: &SceneSpec,
    folder: &Path,
    repair: bool,
) -> Result<(MeshLibrary, Vec<String>), SceneError> {
    let mut meshes = MeshLibrary::new();
    let mut notes = Vec::new();
    for (path, file) in mesh_files(spec) {
        if meshes.contains_key(file) {
            continue;
        }
        let mesh =
            mesh_in::read_mesh(&folder.join(file)).map_err(|e| SceneError::new(&path, e.to_string()))?;
        let (mesh, repairs) =
            make_solid(mesh, repair).map_err(|e| SceneError::new(&path, format!("{file}: {e}")))?;
        notes.extend(repairs.into_iter().map(|note| format!("{file}: {note}")));
        meshes.insert(file.to_owned(), mesh);
    }
    Ok((meshes, notes))
}

/// Checks that a mesh bounds a solid, or makes it so.
fn make_solid(mesh: TriMesh, repair: bool) -> Result<(TriMesh, Vec<String>), String> {
    if repair {
        return mesh.repaired().map_err(|fault| format!("{fault} (--repair cannot do this)"));
    }
    match mesh.check_solid() {
        Ok(()) => Ok((mesh, Vec::new())),
        Err(fault) if mesh.repaired().is_ok() => Err(format!("{fault}, or let --repair do it")),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Every mesh file with the key that names it, in the order of the scene.
fn mesh_files(spec: &SceneSpec) -> Vec<(String, &str)> {
    fn visit<'s>(shape: &'s ShapeSpec, path: String, found: &mut Vec<(String, &'s str)>) {
        match shape {
            ShapeSpec::Mesh(mesh) => found.push((format!("{path}.mesh"), mesh.file())),
            ShapeSpec::Parts(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    visit(&part.shape, format!("{path}.parts[{i}].shape"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (i, body) in spec.body.iter().enumerate() {
        visit(&body.shape, format!("body[{i}].shape"), &mut found);
    }
    for (i, obstacle) in spec.obstacle.iter().enumerate() {
        visit(&obstacle.shape, format!("obstacle[{i}].shape"), &mut found);
    }
    found
}
