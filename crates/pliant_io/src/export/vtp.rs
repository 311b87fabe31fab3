//! VTK PolyData: `NAME.pvd` lists one `NAME_vtp/NAME.0000.vtp` per frame with its time.
//!
//! Positions are in the world. The cell array `object` holds the number of each triangle's object (bodies, then
//! obstacles, as in the scene); the field array `object_names` their names; `TimeValue` the time `[s]`.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::sequence::numbered;
use super::staging::{Output, Staging};
use super::{FrameSink, SinkInfo};
use pliant::Frame;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Opens a `.pvd` index and its folder of frames.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    if clip.point_count().max(3 * clip.triangles().count()) > i32::MAX as usize {
        return Err(ExportError::TooLarge { path: path.to_owned(), reason: "more than 2^31 indices".into() });
    }
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
    let points = clip.point_count();
    let triangles = clip.triangles().count();
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
    write!(out, "<CellData Scalars=\"object\">\n{object}</CellData>\n</Piece>\n</PolyData>\n")?;
    write!(out, "<AppendedData encoding=\"raw\">\n_")?;
    blocks(clip, frame, points, triangles, out)?;
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
    out.write_all(&(points as u64 * 12).to_le_bytes())?;
    for i in 0..clip.objects.len() {
        for p in clip.world(frame, i) {
            for x in p.as_vec3().to_array() {
                out.write_all(&x.to_le_bytes())?;
            }
        }
    }
    integers(clip.triangles().flat_map(|(_, t)| t), 3 * triangles, out)?;
    integers((1..=triangles).map(|k| 3 * k), triangles, out)?;
    integers(clip.triangles().map(|(i, _)| i), triangles, out)
}

fn integers(mut numbers: impl Iterator<Item = usize>, count: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&(count as u64 * 4).to_le_bytes())?;
    numbers.try_for_each(|v| out.write_all(&(v as i32).to_le_bytes()))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
