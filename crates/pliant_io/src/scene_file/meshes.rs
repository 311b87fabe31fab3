//! Loads the mesh files that a scene names.

use crate::mesh_in::{MeshFileError, PointCache};
use pliant::scene::ShapeSpec;
use pliant::shape::TriMesh;
use pliant::{MeshLibrary, SceneError, SceneSpec};

/// Reads files of names that a scene gives.
pub(super) struct Read<'a> {
    /// A mesh.
    pub mesh: &'a dyn Fn(&str) -> Result<TriMesh, MeshFileError>,
    /// A cache of points.
    pub cache: &'a dyn Fn(&str) -> Result<PointCache, MeshFileError>,
}

/// Names of all mesh files that a scene needs, relative to its own place.
pub fn mesh_names(spec: &SceneSpec) -> Vec<String> {
    let mut names: Vec<String> = mesh_files(spec).into_iter().map(|f| f.file).collect();
    names.extend(spec.control.iter().filter_map(|c| c.motion.as_ref()?.cache.clone()));
    names.sort();
    names.dedup();
    names
}

/// All meshes of a scene, each file once, and what was repaired.
pub(super) fn load_all(
    spec: &SceneSpec,
    read: &Read,
    repair: bool,
) -> Result<(MeshLibrary, Vec<String>), SceneError> {
    let mut meshes = MeshLibrary::new();
    let mut notes = Vec::new();
    let mut files = mesh_files(spec);
    // A file that is a solid in one place and a sheet in another must be a solid: solids first.
    files.sort_by_key(|f| !f.solid);
    for MeshFile { path, file, solid } in files {
        if meshes.contains_key(&file) {
            continue;
        }
        let mesh = (read.mesh)(&file).map_err(|e| SceneError::new(&path, e.to_string()))?;
        if !solid {
            // Whether it can be a sheet is decided where sheets are built.
            meshes.insert(file, mesh);
            continue;
        }
        let (mesh, repairs) =
            make_solid(mesh, repair).map_err(|e| SceneError::new(&path, format!("{file}: {e}")))?;
        notes.extend(repairs.into_iter().map(|note| format!("{file}: {note}")));
        meshes.insert(file, mesh);
    }
    for (i, motion) in spec.control.iter().enumerate().filter_map(|(i, c)| Some((i, c.motion.as_ref()?))) {
        let Some(file) = &motion.cache else { continue };
        let at = |message: String| SceneError::new(format!("control[{i}].motion.cache"), message);
        let cache = (read.cache)(file).map_err(|e| at(e.to_string()))?;
        let points = meshes.get(&motion.mesh).map_or(0, |mesh| mesh.points.len());
        if cache.points != points {
            let message = format!("{file} has {} points, {} has {points}", cache.points, motion.mesh);
            return Err(at(message));
        }
        for (n, points) in cache.samples.into_iter().enumerate() {
            meshes.insert(motion.frame(n), TriMesh { points, ..TriMesh::default() });
        }
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
struct MeshFile {
    /// The key that names it.
    path: String,
    file: String,
    /// Whether it must bound a solid; a sheet may be open.
    solid: bool,
}

/// Every mesh file, in the order of the scene.
fn mesh_files(spec: &SceneSpec) -> Vec<MeshFile> {
    fn visit(shape: &ShapeSpec, path: String, found: &mut Vec<MeshFile>) {
        match shape {
            ShapeSpec::Mesh(mesh) => {
                found.push(MeshFile {
                    path: format!("{path}.mesh"),
                    file: mesh.file().to_owned(),
                    solid: true,
                });
            }
            ShapeSpec::Sheet(sheet) => {
                found.push(MeshFile {
                    path: format!("{path}.sheet.file"),
                    file: sheet.file.clone(),
                    solid: false,
                });
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
    for (i, motion) in spec.control.iter().enumerate().filter_map(|(i, c)| Some((i, c.motion.as_ref()?))) {
        let path = format!("control[{i}].motion.mesh");
        let names: Vec<String> = match motion.count() {
            Some(count) => (0..count).map(|n| motion.frame(n)).collect(),
            None => vec![motion.mesh.clone()],
        };
        found.extend(names.into_iter().map(|file| MeshFile { path: path.clone(), file, solid: false }));
    }
    found
}
