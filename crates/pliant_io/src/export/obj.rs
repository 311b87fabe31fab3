//! Wavefront OBJ, one file per frame: world positions, one `o` group per object.

use super::clip::Clip;
use super::look::one_word;
use super::sequence::Sequence;
use super::{ExportError, FrameSink, SinkInfo};
use pliant::Frame;
use std::io::{self, Write};
use std::path::Path;

/// Opens an OBJ sequence: `name.####.obj`, or `name.obj` for `name.0000.obj` and so on.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    Sequence::open(path, info, |clip, frame, out| write(clip, frame, "o", out))
}

/// Writes one frame; `group` is the statement that starts an object.
pub(super) fn write(clip: &Clip, frame: &Frame, group: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Pliant: {}, frame {}, {} s", clip.title, frame.index, frame.time)?;
    let mut base = 1;
    for (i, object) in clip.objects.iter().enumerate() {
        writeln!(out, "{group} {}", one_word(&object.name))?;
        for p in clip.world(frame, i) {
            // Nanometres: finer than the f32 points are.
            writeln!(out, "v {:.9} {:.9} {:.9}", p.x, p.y, p.z)?;
        }
        writeln!(out, "s {}", if object.smooth { "1" } else { "off" })?;
        for [a, b, c] in &object.triangles {
            writeln!(out, "f {} {} {}", base + *a as usize, base + *b as usize, base + *c as usize)?;
        }
        base += object.points.len();
    }
    Ok(())
}
