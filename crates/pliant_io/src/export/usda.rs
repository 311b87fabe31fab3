//! USD text (`.usda`): `/World/<object>` is an Xform with the rigid motion, `/World/<object>/<object>` the surface,
//! `/World/<object>/<object>_material` its colour.
//!
//! Metres, Y up, time code k is frame k. Points are time samples where the object deforms, in the object's own
//! frame; transforms are double precision. Normals are per vertex where the object is smooth, per face where it is
//! flat. Where the surface is another in every frame, faces, normals and colours are time samples, too. Names become
//! valid identifiers; the scene's name is kept as `displayName`.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::look;
use super::spool::{Mesh, Spool};
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
            let (name, display) = (&names[i], quoted(&object.name));
            self.text(&format!(
                "    def Xform \"{name}\" (\n        displayName = {display}\n    )\n    {{\n"
            ))?;
            let moves = self.spool.moves(i);
            self.attribute("        matrix4d xformOp:transform", "", moves, |spool, k| {
                Ok(matrix(&spool.pose(k, i)?.row_matrix()))
            })?;
            self.text("        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n\n")?;
            self.mesh(i, object, name, colours[i])?;
            let coloured = self.spool.coloured(i);
            self.material(name, colours[i], coloured)?;
            self.text("    }\n")?;
        }
        self.text("}\n")
    }

    fn mesh(
        &mut self,
        i: usize,
        object: &ObjectTopology,
        name: &str,
        colour: [f32; 3],
    ) -> Result<(), ExportError> {
        self.text(&format!(
            "        def Mesh \"{name}\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        \
             {{\n            uniform bool doubleSided = 0\n            \
             rel material:binding = </World/{name}/{name}_material>\n            \
             uniform token orientation = \"rightHanded\"\n            uniform token subdivisionScheme = \"none\"\n"
        ))?;
        let faces = object.remeshed;
        self.attribute("            int[] faceVertexCounts", "", faces, |spool, k| {
            Ok(list(mesh(spool, k, i, object)?.triangles.iter(), |_, text| text.push('3')))
        })?;
        self.attribute("            int[] faceVertexIndices", "", faces, |spool, k| {
            let triangles = mesh(spool, k, i, object)?.triangles;
            Ok(list(triangles.as_flattened().iter(), |v, text| text.push_str(&v.to_string())))
        })?;
        let coloured = self.spool.coloured(i);
        let metadata = if coloured { interpolation("vertex") } else { String::new() };
        self.attribute("            color3f[] primvars:displayColor", &metadata, coloured, |spool, k| {
            let Mesh { points, colours, .. } = if coloured { spool.mesh(k, i)? } else { Mesh::default() };
            Ok(match (coloured, colours.is_empty()) {
                (false, _) => vectors(&[colour]),
                (true, false) => vectors(&colours),
                (true, true) => vectors(&vec![colour; points.len()]),
            })
        })?;
        let varies = object.deforms || object.remeshed;
        self.attribute("            point3f[] points", "", varies, |spool, k| {
            Ok(vectors(&mesh(spool, k, i, object)?.points))
        })?;
        self.attribute("            float3[] extent", "", varies, |spool, k| {
            Ok(extent(&mesh(spool, k, i, object)?.points))
        })?;
        let smooth = object.smooth || object.remeshed;
        let metadata = interpolation(if smooth { "vertex" } else { "uniform" });
        self.attribute("            normal3f[] normals", &metadata, varies, |spool, k| {
            Ok(vectors(&mesh(spool, k, i, object)?.normals))
        })?;
        self.text("        }\n\n")
    }

    /// The material of an object: one colour, or the colours of its points.
    fn material(&mut self, name: &str, [r, g, b]: [f32; 3], coloured: bool) -> Result<(), ExportError> {
        let place = format!("/World/{name}/{name}_material");
        let (diffuse, reader) = if coloured {
            (
                format!(".connect = <{place}/colour.outputs:result>"),
                format!(
                    "\n            def Shader \"colour\"\n            {{\n                \
                     uniform token info:id = \"UsdPrimvarReader_float3\"\n                \
                     float3 inputs:fallback = ({r}, {g}, {b})\n                \
                     string inputs:varname = \"displayColor\"\n                \
                     float3 outputs:result\n            }}\n"
                ),
            )
        } else {
            (format!(" = ({r}, {g}, {b})"), String::new())
        };
        self.text(&format!(
            "        def Material \"{name}_material\"\n        {{\n            token outputs:surface.connect = \
             <{place}/surface.outputs:surface>\n\n            def Shader \"surface\"\n            {{\n                \
             uniform token info:id = \"UsdPreviewSurface\"\n                \
             color3f inputs:diffuseColor{diffuse}\n                float inputs:roughness = 0.6\n                \
             token outputs:surface\n            }}\n{reader}        }}\n"
        ))
    }

    /// An attribute with one value, or with one per frame if it varies.
    fn attribute(
        &mut self,
        declaration: &str,
        metadata: &str,
        varies: bool,
        value: impl Fn(&mut Spool, usize) -> Result<String, ExportError>,
    ) -> Result<(), ExportError> {
        if !varies {
            let text = value(&mut self.spool, 0)?;
            return self.text(&format!("{declaration} = {text}{metadata}\n"));
        }
        if !metadata.is_empty() {
            // Metadata stand on a declaration of their own.
            self.text(&format!("{declaration}{metadata}\n"))?;
        }
        let indent = " ".repeat(declaration.len() - declaration.trim_start().len());
        self.text(&format!("{declaration}.timeSamples = {{\n"))?;
        for k in 0..self.spool.frames() {
            let text = value(&mut self.spool, k)?;
            self.text(&format!("{indent}    {k}: {text},\n"))?;
        }
        self.text(&format!("{indent}}}\n"))
    }
}

/// The surface of object `i` in frame `k`, in its own frame.
fn mesh(spool: &mut Spool, k: usize, i: usize, object: &ObjectTopology) -> Result<Mesh, ExportError> {
    if object.remeshed {
        return spool.mesh(k, i);
    }
    let points = if object.deforms { spool.points(k, i)? } else { object.points.clone() };
    let normals = if object.smooth { look::normals } else { look::face_normals };
    let normals = normals(&points, &object.triangles);
    Ok(Mesh { points, triangles: object.triangles.clone(), normals, colours: vec![] })
}

/// Metadata that say where the values of an attribute hold.
fn interpolation(place: &str) -> String {
    format!(" (\n                interpolation = \"{place}\"\n            )")
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
