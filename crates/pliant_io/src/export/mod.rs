//! Exporters: frames in, files that other programs open out.
//!
//! | ending | what is written | opens in |
//! |---|---|---|
//! | `.glb` | glTF 2.0: node motion and one morph target per frame ([`glb`]) | Blender, Godot, web viewers |
//! | `.usda` | USD text: one Xform and Mesh per object, time samples ([`usda`]) | Blender, Houdini, usdview |
//! | `.abc` | Alembic (Ogawa): one xform and polymesh per object ([`abc`]) | Blender, Houdini, Maya, Unreal |
//! | `.pc2` | point cache of all objects with `NAME.obj` beside it ([`pc2`]) | Blender, Maya, 3ds Max |
//! | `.obj` | one file per frame, `name.####.obj` or `name.obj` ([`obj`]) | everything |
//! | `.ply` | one file per frame, `name.####.ply` or `name.ply` ([`ply`]) | MeshLab, Open3D, trimesh |
//! | `.pvd` | index of one `.vtp` per frame in `NAME_vtp/` ([`vtp`]) | ParaView, pyvista |
//!
//! An object whose surface is another in every frame (`ObjectTopology::remeshed`) is exported with the triangles, normals
//! and colours of each frame; `.pc2` cannot hold it and refuses.
//!
//! Everywhere: metres, Y up, right handed, the first frame is frame 0 at time 0, frame k is at k / fps.
//! Files are written beside their final name and renamed by [`FrameSink::finish`]; a sink dropped before that
//! leaves nothing behind.

use pliant::{Frame, Topology};
use std::path::Path;

pub mod abc;
mod clip;
mod error;
pub mod glb;
mod look;
pub mod obj;
pub mod pc2;
pub mod ply;
mod sequence;
mod spool;
mod staging;
pub mod usda;
pub mod vtp;

pub use error::{At, ExportError};
pub use sequence::numbered;
pub use staging::{Output, Staging};

/// Takes the frames of one run, in order.
pub trait FrameSink {
    /// Takes the next frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError>;

    /// Completes the files and gives them their final names. Without this call nothing is kept.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// What a sink needs to know before the first frame.
#[derive(Clone, Copy, Debug)]
pub struct SinkInfo<'a> {
    /// Objects of the run.
    pub topology: &'a Topology,
    /// Frames per second `[1/s]`.
    pub fps: f64,
    /// Frames that are expected; a run that is stopped early may give fewer, one that goes on may give more.
    pub frame_count: usize,
    /// Title of the scene.
    pub title: &'a str,
}

type Open = fn(&Path, &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError>;

/// The registry: a new format is one file and one line here.
const FORMATS: &[(&str, Open)] = &[
    (".glb", glb::open),
    (".usda", usda::open),
    (".abc", abc::open),
    (".pc2", pc2::open),
    (".obj", obj::open),
    (".ply", ply::open),
    (".pvd", vtp::open),
];

/// File endings that [`open`] knows, each with its dot.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(ending, _)| *ending)
}

/// Opens the sink that belongs to the ending of `path`.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy().to_ascii_lowercase()));
    match FORMATS.iter().find(|(known, _)| Some(*known) == ending.as_deref()) {
        Some((_, open)) => open(path, info),
        None => Err(ExportError::UnknownEnding {
            path: path.to_owned(),
            known: endings().collect::<Vec<_>>().join(", "),
        }),
    }
}
