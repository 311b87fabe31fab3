//! Mesh files to triangles: obj, ply, stl, glb and gltf.
//!
//! A file is data from outside: whatever its bytes, the answer is a mesh with finite points and indices in range, or an
//! error that names the file and the place. Nothing is allocated because a header claims it.

mod gltf;
mod obj;
mod pc2;
mod ply;
mod stl;
mod weld;

use crate::scene_file::source::read_bytes;
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use std::path::Path;

/// Largest mesh file read.
const LARGEST: u64 = 2 << 30;

/// Why a mesh file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {}{message}", if .place.is_empty() { String::new() } else { format!("{place}: ") })]
pub struct MeshFileError {
    /// The file.
    pub file: String,
    /// Where in the file: a line, a face, an accessor. Empty for the file as a whole.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// An error without the file's name, which the formats do not know.
#[derive(Debug)]
struct Wrong {
    place: String,
    message: String,
}

impl Wrong {
    fn at(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    fn whole(message: impl Into<String>) -> Self {
        Self::at("", message)
    }

    fn in_file(self, path: &Path) -> MeshFileError {
        MeshFileError { file: path.display().to_string(), place: self.place, message: self.message }
    }
}

/// Reads a mesh, in the format its ending names. Polygons are cut into fans of triangles, all objects of the file are
/// one mesh, transforms of glTF nodes are applied. Corners of stl and glTF that lie exactly on each other are one point.
pub fn read_mesh(path: &Path) -> Result<TriMesh, MeshFileError> {
    // An unknown ending is said before a missing file: the name is wrong in either case.
    format_of(path)
        .and_then(|_| read_bytes(path, LARGEST).map_err(Wrong::whole))
        .map_err(|wrong| wrong.in_file(path))
        .and_then(|bytes| decode_mesh(path, &bytes))
}

/// The same from bytes already in memory. `path` gives the format and the folder of a `.gltf` file's buffers.
pub fn decode_mesh(path: &Path, bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let decode = || {
        let format = format_of(path)?;
        if bytes.is_empty() {
            return Err(Wrong::whole("the file is empty"));
        }
        let mesh = match format {
            Format::Obj => obj::decode(bytes),
            Format::Ply => ply::decode(bytes),
            Format::Stl => stl::decode(bytes),
            Format::Gltf => gltf::decode(bytes, path.parent().unwrap_or(Path::new(""))),
        }?;
        check(&mesh)?;
        Ok(mesh)
    };
    decode().map_err(|wrong: Wrong| wrong.in_file(path))
}

/// Places of the points of a mesh over time.
#[derive(Clone, Debug, PartialEq)]
pub struct PointCache {
    /// How many points.
    pub points: usize,
    /// Their places in each sample.
    pub samples: Vec<Vec<Vec3>>,
}

/// Reads a point cache, `.pc2`.
pub fn read_cache(path: &Path) -> Result<PointCache, MeshFileError> {
    let bytes = read_bytes(path, LARGEST).map_err(|e| Wrong::whole(e).in_file(path))?;
    decode_cache(path, &bytes)
}

/// The same from bytes already in memory.
pub fn decode_cache(path: &Path, bytes: &[u8]) -> Result<PointCache, MeshFileError> {
    pc2::decode(bytes).map_err(|wrong| wrong.in_file(path))
}

enum Format {
    Obj,
    Ply,
    Stl,
    Gltf,
}

fn format_of(path: &Path) -> Result<Format, Wrong> {
    let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    match ending.as_str() {
        "obj" => Ok(Format::Obj),
        "ply" => Ok(Format::Ply),
        "stl" => Ok(Format::Stl),
        "glb" | "gltf" => Ok(Format::Gltf),
        "" => Err(Wrong::whole("the name has no ending; known: obj, ply, stl, glb, gltf")),
        other => {
            Err(Wrong::whole(format!("the ending `{other}` is unknown; known: obj, ply, stl, glb, gltf")))
        }
    }
}

/// What every mesh promises, whatever the format. Formats check earlier where they can name a better place.
fn check(mesh: &TriMesh) -> Result<(), Wrong> {
    if mesh.triangles.is_empty() {
        return Err(Wrong::whole("the file holds no faces"));
    }
    for (i, p) in mesh.points.iter().enumerate() {
        finite_point(*p, || format!("point {i}"))?;
    }
    for (i, corners) in mesh.triangles.iter().enumerate() {
        for &corner in corners {
            index_in_range(i64::from(corner), mesh.points.len(), || format!("triangle {i}"))?;
        }
    }
    Ok(())
}

fn finite_point(p: Vec3, place: impl Fn() -> String) -> Result<(), Wrong> {
    if p.is_finite() {
        return Ok(());
    }
    Err(Wrong::at(place(), format!("the coordinates ({}, {}, {}) are not finite", p.x, p.y, p.z)))
}

/// The index as the engine holds it, if there is such a point. Points are counted from 0.
fn index_in_range(index: i64, points: usize, place: impl Fn() -> String) -> Result<u32, Wrong> {
    match u32::try_from(index) {
        Ok(i) if (i as usize) < points => Ok(i),
        _ => Err(Wrong::at(place(), format!("point {index} is out of range; the file has {points} points"))),
    }
}

/// Cuts a polygon into a fan of triangles around its first corner.
fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
}
