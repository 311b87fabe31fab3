//! PC2 point cache: world positions of all objects, one after the other, in one cache, with the mesh it moves in
//! `NAME.obj` beside it.
//!
//! Both files are Y up. In Blender: import `NAME.obj` with its default settings (it becomes one object, turned
//! upright by its own rotation), add a Mesh Cache modifier, choose `NAME.pc2`, set the start frame to 0 and leave
//! the axes at their defaults. The base mesh is the first frame. Objects whose surface is another in every frame have no
//! such mesh and are refused.
//!
//! Header, 32 bytes, little endian: `POINTCACHE2\0`, i32 version 1, i32 points, f32 start frame 0, f32 step 1,
//! i32 frames. Then per frame three f32 per point.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::staging::{Output, Staging};
use super::{FrameSink, SinkInfo, endings, obj};
use pliant::Frame;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Opens a point cache.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    if let Some(object) = clip.objects.iter().find(|o| o.remeshed) {
        let able: Vec<&str> = endings().filter(|e| *e != ".pc2").collect();
        return Err(ExportError::ChangingSurface {
            path: path.to_owned(),
            object: object.name.clone(),
            formats: able.join(", "),
        });
    }
    let mut staging = Staging::default();
    let mut out = staging.create(path)?;
    let base = Some(staging.create(&path.with_extension("obj"))?);
    let points = count(clip.objects.iter().map(|o| o.points.len()).sum(), "points", path)?;
    header(&mut out, points, 0).at(path)?;
    Ok(Box::new(Pc2 { clip, base, out, points, frames: 0, staging }))
}

struct Pc2 {
    clip: Clip,
    /// The mesh's file, until the first frame is known.
    base: Option<Output>,
    out: Output,
    points: i32,
    frames: usize,
    staging: Staging,
}

impl FrameSink for Pc2 {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        if let Some(mut base) = self.base.take() {
            // `g` and not `o`: importers split at `o`, and the cache fits only the whole.
            obj::write(&self.clip, frame, "g", &mut base).at(base.path())?;
            base.close()?;
        }
        for i in 0..self.clip.objects.len() {
            for p in self.clip.world(frame, i) {
                for x in p.as_vec3().to_array() {
                    self.out.write_all(&x.to_le_bytes()).at(self.out.path())?;
                }
            }
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        let path = self.out.path().to_owned();
        if self.frames == 0 {
            return Err(ExportError::NoFrames { path });
        }
        let frames = count(self.frames, "frames", &path)?;
        self.out.seek(SeekFrom::Start(0)).at(&path)?;
        header(&mut self.out, self.points, frames).at(&path)?;
        self.out.close()?;
        self.staging.commit()
    }
}

fn header(out: &mut impl Write, points: i32, frames: i32) -> std::io::Result<()> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all(&1_i32.to_le_bytes())?;
    out.write_all(&points.to_le_bytes())?;
    out.write_all(&0_f32.to_le_bytes())?;
    out.write_all(&1_f32.to_le_bytes())?;
    out.write_all(&frames.to_le_bytes())
}

fn count(n: usize, what: &str, path: &Path) -> Result<i32, ExportError> {
    i32::try_from(n).map_err(|_| ExportError::TooLarge {
        path: path.to_owned(),
        reason: format!("{n} {what}, at most {}", i32::MAX),
    })
}
