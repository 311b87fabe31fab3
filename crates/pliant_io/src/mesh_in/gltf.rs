//! glTF 2.0, `.gltf` with its buffers and `.glb`: the default scene's triangles, nodes' transforms applied.
//!
//! The `gltf` crate reads and validates the JSON. The bytes are read here, because its own readers trust the
//! ranges that a file claims.

use super::stl::point_from_f32;
use super::weld::Welder;
use super::{Wrong, finite_point};
use crate::scene_file::source::read_bytes;
use base64::prelude::{BASE64_STANDARD, Engine};
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node, Primitive};
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use std::path::Path;

/// Most corners read. Instances of one mesh cost no bytes in the file, so the file's size sets no limit.
const MOST_CORNERS: usize = 200_000_000;
/// Largest external buffer read.
const LARGEST: u64 = 2 << 30;

pub(super) fn decode(bytes: &[u8], folder: &Path) -> Result<TriMesh, Wrong> {
    check_glb_header(bytes)?;
    let (document, mut blob) = document(bytes)?;
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let place = || format!("buffer {}", buffer.index());
        let data = match buffer.source() {
            gltf::buffer::Source::Bin => {
                blob.take().ok_or_else(|| Wrong::at(place(), "the glb file has no data chunk"))?
            }
            gltf::buffer::Source::Uri(uri) => {
                read_uri(uri, folder).map_err(|message| Wrong::at(place(), message))?
            }
        };
        if data.len() < buffer.length() {
            let message =
                format!("announces {} bytes but has {}; the file is cut off", buffer.length(), data.len());
            return Err(Wrong::at(place(), message));
        }
        buffers.push(data);
    }
    let mut builder = Builder { buffers, ..Builder::default() };
    visit_nodes(&document, &mut builder)?;
    let colours = if builder.painted { builder.colours } else { Vec::new() };
    Ok(TriMesh { points: builder.welder.points, triangles: builder.triangles, colours })
}

/// The validated JSON and the data chunk.
fn document(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), Wrong> {
    let wrong = |e: gltf::Error| Wrong::whole(describe(&e));
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(wrong)?;
    // The crate's validation looks at the accessor of POSITION before it has checked that there is one.
    let json = document.into_json();
    for (m, mesh) in json.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            if let Some(bad) = primitive.attributes.values().find(|a| a.value() >= json.accessors.len()) {
                let message =
                    format!("accessor {} does not exist; there are {}", bad.value(), json.accessors.len());
                return Err(Wrong::at(format!("mesh {m}, primitive {p}"), message));
            }
        }
    }
    Ok((Document::from_json(json).map_err(wrong)?, blob))
}

/// The fixed part of a glb file, before the crate computes with its lengths.
fn check_glb_header(bytes: &[u8]) -> Result<(), Wrong> {
    if !bytes.starts_with(b"glTF") {
        return Ok(());
    }
    let claimed = bytes.get(8..12).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    match claimed {
        Some(length) if length as usize > bytes.len() => {
            let message = format!(
                "the header announces {length} bytes, but the file has {}; it is cut off",
                bytes.len()
            );
            Err(Wrong::at("byte 8", message))
        }
        Some(length) if length >= 20 => Ok(()),
        _ => Err(Wrong::at(format!("byte {}", bytes.len().min(8)), "the glb header is cut off or wrong")),
    }
}

fn describe(error: &gltf::Error) -> String {
    match error {
        gltf::Error::Validation(list) => {
            let shown: Vec<String> = list.iter().take(3).map(|(path, e)| format!("{path}: {e}")).collect();
            format!("not valid glTF: {}", shown.join("; "))
        }
        gltf::Error::Deserialize(e) => format!("not valid glTF: {e}"),
        other => format!("not valid glTF: {other}"),
    }
}

fn read_uri(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, text) = data.split_once(";base64,").ok_or("the data in the file is not in base64")?;
        return BASE64_STANDARD
            .decode(text)
            .map_err(|e| format!("the data in the file cannot be decoded: {e}"));
    }
    if uri.contains("://") {
        return Err(format!("`{uri}` is not beside the file; download it and name it by a relative path"));
    }
    let name = percent_decoded(uri).ok_or_else(|| format!("`{uri}` is not a file name"))?;
    read_bytes(&folder.join(&name), LARGEST).map_err(|message| format!("`{name}`: {message}"))
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(b) = rest.next() {
        bytes.push(match b {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b => b,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Goes through the default scene, or the first, or else all nodes that no other holds.
fn visit_nodes(document: &Document, builder: &mut Builder) -> Result<(), Wrong> {
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut waiting: Vec<(Node, Transform)> = match scene {
        Some(scene) => scene.nodes().map(|n| (n, Transform::IDENTITY)).collect(),
        None => {
            let held: std::collections::BTreeSet<usize> =
                document.nodes().flat_map(|n| n.children()).map(|n| n.index()).collect();
            document
                .nodes()
                .filter(|n| !held.contains(&n.index()))
                .map(|n| (n, Transform::IDENTITY))
                .collect()
        }
    };
    // Taken from the end, so turned round to keep the order of the file.
    waiting.reverse();
    let mut seen = vec![false; document.nodes().len()];
    while let Some((node, parent)) = waiting.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            let message = "hangs from two places, or from itself; the nodes of a glTF file must form trees";
            return Err(Wrong::at(format!("node {}", node.index()), message));
        }
        let world = parent.then(node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|m| m.primitives()) {
            let mesh = node.mesh().map_or(0, |m| m.index());
            builder.add(&primitive, &world, &format!("mesh {mesh}, primitive {}", primitive.index()))?;
        }
        let children: Vec<_> = node.children().map(|child| (child, world)).collect();
        waiting.extend(children.into_iter().rev());
    }
    Ok(())
}

/// An affine map, in double precision: columns x, y, z and the translation.
#[derive(Clone, Copy)]
struct Transform {
    axes: [Vec3; 3],
    origin: Vec3,
}

impl Transform {
    const IDENTITY: Self = Self { axes: [Vec3::X, Vec3::Y, Vec3::Z], origin: Vec3::ZERO };

    /// This map after the one of a node's matrix (column by column).
    fn then(&self, matrix: [[f32; 4]; 4]) -> Self {
        let column = |i: usize| Vec3::new(matrix[i][0].into(), matrix[i][1].into(), matrix[i][2].into());
        let turn = |v: Vec3| self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z;
        Self { axes: [0, 1, 2].map(|i| turn(column(i))), origin: self.point(column(3)) }
    }

    fn point(&self, p: Vec3) -> Vec3 {
        self.axes[0] * p.x + self.axes[1] * p.y + self.axes[2] * p.z + self.origin
    }

    /// A mirror turns the outside in; its triangles are reversed.
    fn mirrors(&self) -> bool {
        self.axes[0].cross(self.axes[1]).dot(self.axes[2]) < 0.0
    }
}

#[derive(Default)]
struct Builder {
    buffers: Vec<Vec<u8>>,
    welder: Welder,
    triangles: Vec<[u32; 3]>,
    /// Of each point the colour with which it first came; black without one.
    colours: Vec<[f32; 3]>,
    /// Whether any primitive has colours.
    painted: bool,
    corners: usize,
}

impl Builder {
    fn add(&mut self, primitive: &Primitive, world: &Transform, place: &str) -> Result<(), Wrong> {
        let wrong = |message: String| Wrong::at(place, message);
        if matches!(primitive.mode(), Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
            return Ok(());
        }
        let Some(positions) = primitive.get(&gltf::Semantic::Positions) else {
            return Err(wrong("has no POSITION".into()));
        };
        if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
            return Err(wrong(
                "positions must be vectors of 32-bit floats; export without quantization".into(),
            ));
        }
        let mut point_of = Vec::new();
        for (i, bytes) in self.elements(&positions, 12)?.enumerate() {
            let p = world.point(point_from_f32(bytes));
            finite_point(p, || format!("{place}, point {i}"))?;
            point_of.push(p);
        }
        let colour_of = self.read_colours(primitive, point_of.len(), place)?;
        self.painted |= !colour_of.is_empty();
        let corners = match primitive.indices() {
            Some(indices) => self.read_indices(&indices)?,
            None => (0..point_of.len() as u64).collect(),
        };
        self.corners = self.corners.saturating_add(corners.len()).saturating_add(point_of.len());
        if self.corners > MOST_CORNERS {
            return Err(wrong(format!("the scene has more than {MOST_CORNERS} corners")));
        }
        let mut welded = Vec::with_capacity(corners.len());
        for (i, corner) in corners.iter().enumerate() {
            let at = usize::try_from(*corner).unwrap_or(usize::MAX);
            let Some(p) = point_of.get(at) else {
                let message = format!(
                    "corner {i} (triangle {}) uses point {corner}, but there are {} points",
                    i / 3,
                    point_of.len()
                );
                return Err(wrong(message));
            };
            let point = self.welder.add(*p)?;
            if point as usize == self.colours.len() {
                self.colours.push(colour_of.get(at).copied().unwrap_or_default());
            }
            welded.push(point);
        }
        self.add_triangles(primitive.mode(), &welded, world.mirrors());
        Ok(())
    }

    fn add_triangles(&mut self, mode: Mode, corners: &[u32], mirrored: bool) {
        let start = self.triangles.len();
        match mode {
            Mode::TriangleStrip => {
                let strip = corners.windows(3).enumerate();
                self.triangles.extend(
                    strip.map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] }),
                );
            }
            Mode::TriangleFan => super::fan(corners, &mut self.triangles),
            _ => self.triangles.extend(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
        }
        if mirrored {
            self.triangles[start..].iter_mut().for_each(|t| t.swap(1, 2));
        }
    }

    /// The first set of colours, one for each of `points`; empty if the primitive has none.
    fn read_colours(
        &self,
        primitive: &Primitive,
        points: usize,
        place: &str,
    ) -> Result<Vec<[f32; 3]>, Wrong> {
        let Some(accessor) = primitive.get(&gltf::Semantic::Colors(0)) else { return Ok(Vec::new()) };
        let wrong = |message: String| Wrong::at(place, message);
        let width = match accessor.dimensions() {
            Dimensions::Vec3 => 3,
            Dimensions::Vec4 => 4,
            other => return Err(wrong(format!("COLOR_0 must be of type VEC3 or VEC4; found {other:?}"))),
        };
        let (size, read): (usize, fn(&[u8]) -> f32) = match accessor.data_type() {
            DataType::U8 => (1, |b| f32::from(b[0]) / 255.0),
            DataType::U16 => (2, |b| f32::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0),
            DataType::F32 => (4, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            other => {
                let message = format!("COLOR_0 must hold floats, bytes or 16-bit numbers; found {other:?}");
                return Err(wrong(message));
            }
        };
        if accessor.count() != points {
            let message = format!("COLOR_0 has {} colours for {points} points", accessor.count());
            return Err(wrong(message));
        }
        let colour = |bytes: &[u8]| [0, 1, 2].map(|k| read(&bytes[k * size..(k + 1) * size]));
        let colours: Vec<[f32; 3]> = self.elements(&accessor, width * size)?.map(colour).collect();
        match colours.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
            Some(i) => Err(wrong(format!("the colour {:?} of point {i} is not finite", colours[i]))),
            None => Ok(colours),
        }
    }

    fn read_indices(&self, accessor: &Accessor) -> Result<Vec<u64>, Wrong> {
        let size = accessor.data_type().size();
        let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b));
        Ok(self.elements(accessor, size)?.map(value).collect())
    }

    /// The bytes of each element, once the whole range is known to lie in the buffer.
    fn elements(&self, accessor: &Accessor, size: usize) -> Result<impl Iterator<Item = &[u8]>, Wrong> {
        let wrong = |message: String| Wrong::at(format!("accessor {}", accessor.index()), message);
        if accessor.sparse().is_some() {
            return Err(wrong("is sparse; export plain accessors".into()));
        }
        let view = accessor.view().ok_or_else(|| wrong("has no data".into()))?;
        let count = accessor.count();
        let stride = view.stride().unwrap_or(size).max(1);
        let end = count
            .checked_sub(1)
            .and_then(|n| n.checked_mul(stride)?.checked_add(size)?.checked_add(accessor.offset()))
            .unwrap_or(if count == 0 { 0 } else { usize::MAX });
        let data = self.buffers.get(view.buffer().index());
        let range = view.offset()..view.offset().saturating_add(view.length());
        let Some(bytes) = data.and_then(|d| d.get(range)).filter(|b| end <= b.len() && size <= stride) else {
            let message = format!("announces {count} elements, which do not fit into its part of the data");
            return Err(wrong(message));
        };
        let offset = accessor.offset();
        Ok((0..count).map(move |i| &bytes[offset + i * stride..offset + i * stride + size]))
    }
}
