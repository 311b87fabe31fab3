//! PLY (binary, little endian), one file per frame: world positions, faces with the number of their object.
//!
//! Object numbers are those of the scene: bodies, then obstacles. The header lists their names as comments,
//! `comment object 0 ball`. Where the surface of an object is another in every frame, all vertices have normals and colours
//! (sRGB bytes, as programs read them), too.

use super::clip::Clip;
use super::look;
use super::sequence::Sequence;
use super::staging::Output;
use super::{ExportError, FrameSink, SinkInfo};
use pliant::Frame;
use pliant::math::Vec3;
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
        writeln!(out, "comment object {i} {}", look::one_word(&object.name))?;
    }
    writeln!(out, "element vertex {}", clip.point_count(frame))?;
    writeln!(out, "property float x\nproperty float y\nproperty float z")?;
    if clip.remeshes() {
        writeln!(out, "property float nx\nproperty float ny\nproperty float nz")?;
        writeln!(out, "property uchar red\nproperty uchar green\nproperty uchar blue")?;
    }
    writeln!(out, "element face {}", clip.triangles(frame).count())?;
    writeln!(out, "property list uchar int vertex_indices\nproperty int object\nend_header")?;
    for (i, plain) in look::colours(&clip.objects).into_iter().enumerate() {
        if clip.remeshes() {
            let normals = clip.world_normals(frame, i);
            for ((p, n), colour) in clip.world(frame, i).zip(normals).zip(clip.colours(frame, i, plain)) {
                vector(p, out)?;
                vector(n, out)?;
                out.write_all(&look::srgb_bytes(colour))?;
            }
        } else {
            clip.world(frame, i).try_for_each(|p| vector(p, out))?;
        }
    }
    for (i, triangle) in clip.triangles(frame) {
        out.write_all(&[3])?;
        for v in triangle {
            out.write_all(&(v as i32).to_le_bytes())?;
        }
        out.write_all(&(i as i32).to_le_bytes())?;
    }
    Ok(())
}

fn vector(v: Vec3, out: &mut Output) -> io::Result<()> {
    v.as_vec3().to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
}
