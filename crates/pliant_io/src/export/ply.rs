//! PLY (binary, little endian), one file per frame: world positions, faces with the number of their object.
//!
//! Object numbers are those of the scene: bodies, then obstacles. The header lists their names as comments,
//! `comment object 0 ball`.

use super::clip::Clip;
use super::look::one_word;
use super::sequence::Sequence;
use super::staging::Output;
use super::{ExportError, FrameSink, SinkInfo};
use pliant::Frame;
use std::io::{self, Write};
use std::path::Path;

/// Opens a PLY sequence: `name.####.ply`, or `name.ply` for `name.0000.ply` and so on.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    Sequence::open(path, info, write)
}

fn write(clip: &Clip, frame: &Frame, out: &mut Output) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(out, "comment Pliant: {}, frame {}, {} s", clip.title, frame.index, frame.time)?;
    for (i, object) in clip.objects.iter().enumerate() {
        writeln!(out, "comment object {i} {}", one_word(&object.name))?;
    }
    writeln!(out, "element vertex {}", clip.point_count())?;
    writeln!(out, "property float x\nproperty float y\nproperty float z")?;
    writeln!(out, "element face {}", clip.triangles().count())?;
    writeln!(out, "property list uchar int vertex_indices\nproperty int object\nend_header")?;
    for i in 0..clip.objects.len() {
        for p in clip.world(frame, i) {
            for x in p.as_vec3().to_array() {
                out.write_all(&x.to_le_bytes())?;
            }
        }
    }
    for (i, triangle) in clip.triangles() {
        out.write_all(&[3])?;
        for v in triangle {
            out.write_all(&(v as i32).to_le_bytes())?;
        }
        out.write_all(&(i as i32).to_le_bytes())?;
    }
    Ok(())
}
