//! VTK PolyData: `NAME.pvd` lists one `NAME_vtp/NAME.0000.vtp` per frame with its time.
//!
//! Positions are in the world. The cell array `object` holds the number of each triangle's object (bodies, then
//! obstacles, as in the scene); the field array `object_names` their names; `TimeValue` the time `[s]`.
//!
//! Where the surface of an object is another in every frame, points have the arrays `Normals`, `colour` (sRGB bytes, which
//! ParaView shows as they are with "Map Scalars" off) and `piece`: which of its object's connected pieces a point belongs
//! to, 0 for objects that keep their surface.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::sequence::numbered;
use super::staging::{Output, Staging};
use super::{FrameSink, SinkInfo, look};
use pliant::Frame;
use pliant::math::Vec3;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Opens a `.pvd` index and its folder of frames.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    let mut staging = Staging::default();
    let mut index = staging.create(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = path.with_file_name(format!("{name}_vtp"));
    staging.folder(&folder)?;
    let frames = folder.join(format!("{name}.vtp"));
    write!(
        index,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n"
    )
    .at(path)?;
    Ok(Box::new(Pvd { clip, index, frames, count: 0, staging }))
}

struct Pvd {
    clip: Clip,
    index: Output,
    /// Name of a frame without its number.
    frames: PathBuf,
    count: usize,
    staging: Staging,
}

impl FrameSink for Pvd {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        let path = numbered(&self.frames, self.count);
        if self.clip.point_count(frame).max(3 * self.clip.triangles(frame).count()) > i32::MAX as usize {
            return Err(ExportError::TooLarge { path, reason: "more than 2^31 indices".into() });
        }
        let mut out = self.staging.create(&path)?;
        write(&self.clip, frame, &mut out).at(&path)?;
        out.close()?;
        let parts = path.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy());
        let relative = parts.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/");
        writeln!(
            self.index,
            "<DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>",
            frame.time,
            escape(&relative)
        )
        .at(self.index.path())?;
        self.count += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if self.count == 0 {
            return Err(ExportError::NoFrames { path: self.index.path().to_owned() });
        }
        writeln!(self.index, "</Collection>\n</VTKFile>").at(self.index.path())?;
        self.index.close()?;
        self.staging.commit()
    }
}

fn write(clip: &Clip, frame: &Frame, out: &mut impl Write) -> io::Result<()> {
    let points = clip.point_count(frame);
    let triangles = clip.triangles(frame).count();
    write!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<PolyData>\n"
    )?;
    field_data(clip, frame, out)?;
    writeln!(
        out,
        "<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{triangles}\">"
    )?;
    // Appended blocks: each a u64 length and the bytes.
    let mut offset = 0;
    let mut array = |kind: &str, name: &str, parts: usize, bytes: usize| {
        let text = format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{parts}\" format=\"appended\" \
             offset=\"{offset}\"/>\n"
        );
        offset += 8 + bytes;
        text
    };
    let coordinates = array("Float32", "Points", 3, points * 12);
    let connectivity = array("Int32", "connectivity", 1, triangles * 12);
    let ends = array("Int32", "offsets", 1, triangles * 4);
    let object = array("Int32", "object", 1, triangles * 4);
    write!(out, "<Points>\n{coordinates}</Points>\n<Polys>\n{connectivity}{ends}</Polys>\n")?;
    writeln!(out, "<CellData Scalars=\"object\">\n{object}</CellData>")?;
    if clip.remeshes() {
        let normals = array("Float32", "Normals", 3, points * 12);
        let colours = array("UInt8", "colour", 3, points * 3);
        let pieces = array("Int32", "piece", 1, points * 4);
        writeln!(
            out,
            "<PointData Normals=\"Normals\" Scalars=\"colour\">\n{normals}{colours}{pieces}</PointData>"
        )?;
    }
    write!(out, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_")?;
    blocks(clip, frame, points, triangles, out)?;
    if clip.remeshes() {
        surface_blocks(clip, frame, points, out)?;
    }
    write!(out, "\n</AppendedData>\n</VTKFile>\n")
}

fn field_data(clip: &Clip, frame: &Frame, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
        frame.time
    )?;
    // VTK writes strings as the codes of their bytes, each string closed by a zero.
    write!(
        out,
        "<Array type=\"String\" Name=\"object_names\" NumberOfTuples=\"{}\" format=\"ascii\">",
        clip.objects.len()
    )?;
    for object in &clip.objects {
        for byte in object.name.bytes().filter(|&b| b != 0) {
            write!(out, "{byte} ")?;
        }
        write!(out, "0 ")?;
    }
    writeln!(out, "</Array>\n</FieldData>")
}

fn blocks(
    clip: &Clip,
    frame: &Frame,
    points: usize,
    triangles: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let objects = 0..clip.objects.len();
    vectors(objects.flat_map(|i| clip.world(frame, i)), points, out)?;
    integers(clip.triangles(frame).flat_map(|(_, t)| t), 3 * triangles, out)?;
    integers((1..=triangles).map(|k| 3 * k), triangles, out)?;
    integers(clip.triangles(frame).map(|(i, _)| i), triangles, out)
}

/// Normals, colours and pieces of all points.
fn surface_blocks(clip: &Clip, frame: &Frame, points: usize, out: &mut impl Write) -> io::Result<()> {
    let objects = 0..clip.objects.len();
    vectors(objects.clone().flat_map(|i| clip.world_normals(frame, i)), points, out)?;
    out.write_all(&(points as u64 * 3).to_le_bytes())?;
    for (i, plain) in look::colours(&clip.objects).into_iter().enumerate() {
        for colour in clip.colours(frame, i, plain) {
            out.write_all(&look::srgb_bytes(colour))?;
        }
    }
    let pieces = |i: usize| {
        let own = frame.objects[i].surface.as_ref().map_or(&[][..], |s| &s.pieces);
        (0..clip.points(frame, i).len()).map(move |k| own.get(k).map_or(0, |p| *p as usize))
    };
    integers(objects.flat_map(pieces), points, out)
}

fn vectors(mut all: impl Iterator<Item = Vec3>, count: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&(count as u64 * 12).to_le_bytes())?;
    all.try_for_each(|v| v.as_vec3().to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes())))
}

fn integers(mut numbers: impl Iterator<Item = usize>, count: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&(count as u64 * 4).to_le_bytes())?;
    numbers.try_for_each(|v| out.write_all(&(v as i32).to_le_bytes()))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
