//! Loads the mesh files that a scene names.

use crate::mesh_in::MeshFileError;
use pliant::scene::ShapeSpec;
use pliant::shape::TriMesh;
use pliant::{MeshLibrary, SceneError, SceneSpec};

/// Reads the mesh file of a name that a scene gives.
pub(super) type ReadMesh<'a> = dyn Fn(&str) -> Result<TriMesh, MeshFileError> + 'a;

/// Names of all mesh files that a scene needs, relative to its own place.
pub fn mesh_names(spec: &SceneSpec) -> Vec<String> {
    let mut names: Vec<String> = mesh_files(spec).iter().map(|f| f.file.to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// All meshes of a scene, each file once, and what was repaired.
pub(super) fn load_all(
    spec: &SceneSpec,
    read: &ReadMesh,
    repair: bool,
) -> Result<(MeshLibrary, Vec<String>), SceneError> {
    let mut meshes = MeshLibrary::new();
    let mut notes = Vec::new();
    let mut files = mesh_files(spec);
    // A file that is a solid in one place and a sheet in another must be a solid: solids first.
    files.sort_by_key(|f| !f.solid);
    for MeshFile { path, file, solid } in files {
        if meshes.contains_key(file) {
            continue;
        }
        let mesh = read(file).map_err(|e| SceneError::new(&path, e.to_string()))?;
        if !solid {
            // Whether it can be a sheet is decided where sheets are built.
            meshes.insert(file.to_owned(), mesh);
            continue;
        }
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

/// A mesh file that a scene names.
struct MeshFile<'s> {
    /// The key that names it.
    path: String,
    file: &'s str,
    /// Whether it must bound a solid; a sheet may be open.
    solid: bool,
}

/// Every mesh file, in the order of the scene.
fn mesh_files(spec: &SceneSpec) -> Vec<MeshFile<'_>> {
    fn visit<'s>(shape: &'s ShapeSpec, path: String, found: &mut Vec<MeshFile<'s>>) {
        match shape {
            ShapeSpec::Mesh(mesh) => {
                found.push(MeshFile { path: format!("{path}.mesh"), file: mesh.file(), solid: true });
            }
            ShapeSpec::Sheet(sheet) => {
                found.push(MeshFile { path: format!("{path}.sheet.file"), file: &sheet.file, solid: false });
            }
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
