//! USD text (`.usda`): `/World/<object>` is an Xform with the rigid motion, `/World/<object>/mesh` the surface.
//!
//! Metres, Y up, time code k is frame k. Points are time samples where the object deforms, in the object's own
//! frame; transforms are double precision. Smooth objects carry vertex normals. Names become valid identifiers;
//! the scene's name is kept as `displayName`.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::look;
use super::spool::Spool;
use super::staging::{Output, Staging};
use super::{FrameSink, SinkInfo};
use pliant::{Frame, ObjectTopology};
use std::io::Write;
use std::path::Path;

/// Opens a `.usda` file.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    let mut staging = Staging::default();
    let out = staging.create(path)?;
    let spool = Spool::new(&clip, &mut staging, path)?;
    Ok(Box::new(Usda { clip, out, spool, staging }))
}

struct Usda {
    clip: Clip,
    out: Output,
    /// USD stores attribute by attribute, all times of one together: frames wait here.
    spool: Spool,
    staging: Staging,
}

impl FrameSink for Usda {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        self.spool.push(&self.clip, frame)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Self { clip, out, spool, staging } = *self;
        if spool.frames() == 0 {
            return Err(ExportError::NoFrames { path: out.path().to_owned() });
        }
        let mut writer = Writer { out, spool };
        writer.layer(&clip)?;
        writer.out.close()?;
        staging.commit()
    }
}

struct Writer {
    out: Output,
    spool: Spool,
}

impl Writer {
    fn text(&mut self, text: &str) -> Result<(), ExportError> {
        self.out.write_all(text.as_bytes()).at(self.out.path())
    }

    fn layer(&mut self, clip: &Clip) -> Result<(), ExportError> {
        let (last, fps, title) = (self.spool.frames() - 1, clip.fps, quoted(&clip.title));
        self.text(&format!(
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {title}\n    endTimeCode = {last}\n    \
             framesPerSecond = {fps}\n    metersPerUnit = 1\n    startTimeCode = 0\n    \
             timeCodesPerSecond = {fps}\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\" (\n    \
             kind = \"component\"\n)\n{{\n"
        ))?;
        let names = look::identifiers(&clip.objects);
        let colours = look::colours(&clip.objects);
        for (i, object) in clip.objects.iter().enumerate() {
            let display = quoted(&object.name);
            self.text(&format!(
                "    def Xform \"{}\" (\n        displayName = {display}\n    )\n    {{\n",
                names[i]
            ))?;
            self.transform(i)?;
            self.mesh(i, object, colours[i])?;
            self.text("    }\n")?;
        }
        self.text("}\n")
    }

    fn transform(&mut self, i: usize) -> Result<(), ExportError> {
        if self.spool.moves(i) {
            self.samples("matrix4d xformOp:transform", |spool, k| {
                Ok(matrix(&spool.pose(k, i)?.row_matrix()))
            })?;
        } else {
            let rest = matrix(&self.spool.pose(0, i)?.row_matrix());
            self.text(&format!("        matrix4d xformOp:transform = {rest}\n"))?;
        }
        self.text("        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n\n")
    }

    fn mesh(&mut self, i: usize, object: &ObjectTopology, colour: [f32; 3]) -> Result<(), ExportError> {
        let counts = list(object.triangles.iter(), |_, text| text.push('3'));
        let indices = list(object.triangles.as_flattened().iter(), |v, text| text.push_str(&v.to_string()));
        self.text(&format!(
            "        def Mesh \"mesh\"\n        {{\n            uniform bool doubleSided = 0\n            \
             int[] faceVertexCounts = {counts}\n            int[] faceVertexIndices = {indices}\n            \
             uniform token orientation = \"rightHanded\"\n            color3f[] primvars:displayColor = {}\n            \
             uniform token subdivisionScheme = \"none\"\n",
            vectors(&[colour])
        ))?;
        if object.deforms {
            self.samples("    point3f[] points", |spool, k| Ok(vectors(&spool.points(k, i)?)))?;
            self.samples("    float3[] extent", |spool, k| Ok(extent(&spool.points(k, i)?)))?;
            if object.smooth {
                self.samples("    normal3f[] normals", |spool, k| {
                    Ok(vectors(&look::normals(&spool.points(k, i)?, &object.triangles)))
                })?;
            }
        } else {
            self.text(&format!("            point3f[] points = {}\n", vectors(&object.points)))?;
            self.text(&format!("            float3[] extent = {}\n", extent(&object.points)))?;
            if object.smooth {
                let normals = vectors(&look::normals(&object.points, &object.triangles));
                self.text(&format!("            normal3f[] normals = {normals} (\n                "))?;
                self.text("interpolation = \"vertex\"\n            )\n")?;
            }
        }
        self.text("        }\n")
    }

    /// An attribute with one value per frame.
    fn samples(
        &mut self,
        attribute: &str,
        value: impl Fn(&mut Spool, usize) -> Result<String, ExportError>,
    ) -> Result<(), ExportError> {
        if attribute.contains("normals") {
            // Metadata stands on a declaration of its own; the samples follow.
            self.text(&format!(
                "        {attribute} (\n                interpolation = \"vertex\"\n            )\n"
            ))?;
        }
        self.text(&format!("        {attribute}.timeSamples = {{\n"))?;
        for k in 0..self.spool.frames() {
            let text = value(&mut self.spool, k)?;
            self.text(&format!("            {k}: {text},\n"))?;
        }
        self.text("        }\n")
    }
}

fn matrix(m: &[f64; 16]) -> String {
    let rows = m.chunks_exact(4).map(|r| format!("({}, {}, {}, {})", r[0], r[1], r[2], r[3]));
    format!("( {} )", rows.collect::<Vec<_>>().join(", "))
}

fn vectors(points: &[[f32; 3]]) -> String {
    use std::fmt::Write;
    list(points.iter(), |p, text| {
        // Writing into a String cannot fail.
        let _ = write!(text, "({}, {}, {})", p[0], p[1], p[2]);
    })
}

fn extent(points: &[[f32; 3]]) -> String {
    let (low, high) = look::bounds(points);
    vectors(&[low, high])
}

fn list<T>(items: impl Iterator<Item = T>, mut item: impl FnMut(T, &mut String)) -> String {
    let mut text = String::from("[");
    for (k, value) in items.enumerate() {
        if k > 0 {
            text.push_str(", ");
        }
        item(value, &mut text);
    }
    text.push(']');
    text
}

fn quoted(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}
