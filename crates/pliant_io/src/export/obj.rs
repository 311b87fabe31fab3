//! Wavefront OBJ, one file per frame: world positions, one `o` group per object.
//!
//! Objects whose surface is another in every frame come with their normals. If they have colours, all points have some,
//! because readers want all or none: behind the positions, sRGB from 0 to 1.

use super::clip::Clip;
use super::look;
use super::sequence::Sequence;
use super::{ExportError, FrameSink, SinkInfo};
use pliant::{Frame, ObjectFrame};
use std::io::{self, Write};
use std::path::Path;

/// Opens an OBJ sequence: `name.####.obj`, or `name.obj` for `name.0000.obj` and so on.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    Sequence::open(path, info, |clip, frame, out| write(clip, frame, "o", out))
}

/// Writes one frame; `group` is the statement that starts an object.
pub(super) fn write(clip: &Clip, frame: &Frame, group: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Pliant: {}, frame {}, {} s", clip.title, frame.index, frame.time)?;
    // OBJ counts positions and normals from 1, each through the whole file.
    let (mut base, mut first_normal) = (1, 1);
    let coloured = |o: &ObjectFrame| o.surface.as_ref().is_some_and(|s| !s.colours.is_empty());
    let coloured = frame.objects.iter().any(coloured);
    let plain = look::colours(&clip.objects);
    for (i, object) in clip.objects.iter().enumerate() {
        writeln!(out, "{group} {}", look::one_word(&object.name))?;
        let surface = frame.objects[i].surface.as_ref();
        for (p, colour) in clip.world(frame, i).zip(clip.colours(frame, i, plain[i])) {
            // Nanometres: finer than the f32 points are.
            write!(out, "v {:.9} {:.9} {:.9}", p.x, p.y, p.z)?;
            if coloured {
                let [r, g, b] = colour.map(look::srgb);
                write!(out, " {r:.4} {g:.4} {b:.4}")?;
            }
            writeln!(out)?;
        }
        if surface.is_some() {
            for n in clip.world_normals(frame, i) {
                writeln!(out, "vn {:.6} {:.6} {:.6}", n.x, n.y, n.z)?;
            }
        }
        let smooth = object.smooth || object.remeshed;
        writeln!(out, "s {}", if smooth { "1" } else { "off" })?;
        for t in frame.objects[i].triangles(object) {
            let [a, b, c] = t.map(|v| base + v as usize);
            if surface.is_some() {
                let [x, y, z] = t.map(|v| first_normal + v as usize);
                writeln!(out, "f {a}//{x} {b}//{y} {c}//{z}")?;
            } else {
                writeln!(out, "f {a} {b} {c}")?;
            }
        }
        base += clip.points(frame, i).len();
        first_normal += surface.map_or(0, |s| s.normals.len());
    }
    Ok(())
}
