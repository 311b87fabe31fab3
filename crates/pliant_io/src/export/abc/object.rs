//! One exported object: an xform with a polymesh under it.

use super::super::clip::Pose;
use super::super::error::ExportError;
use super::super::look;
use super::ogawa::{Child, Ogawa};
use super::property::{Declaration, Pod, Property, compound_header};
use super::{
    BOX, CORNER_NORMAL, MESH, MESH_OBJECT, POINT, VERTEX_COLOUR, VERTEX_NORMAL, XFORM, object_group,
};
use pliant::{ObjectFrame, ObjectTopology, Surface};

/// Op code of a 4 by 4 matrix.
const MATRIX_OP: u8 = 0x30;
/// Matrix numbers that can change in a rigid motion: all but the last column.
const CHANNELS: [u32; 12] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];

/// Properties of one object, filled frame by frame.
#[derive(Debug)]
pub(super) struct Object {
    /// Unique name.
    pub name: String,
    inherits: Property,
    ops: Property,
    values: Property,
    bounds: Property,
    points: Property,
    indices: Property,
    counts: Property,
    normals: Property,
    /// Colours of the points, if the surface brings some.
    colours: Option<Property>,
    /// Colour of points that have none of their own.
    plain: [f32; 3],
    started: bool,
}

impl Object {
    /// An object without frames.
    pub fn new(name: String, plain: [f32; 3], topology: &ObjectTopology) -> Self {
        let scalar = |name, pod, extent, metadata, sampling| {
            Property::new(Declaration { name, array: false, pod, extent, metadata, sampling })
        };
        let array = |name, pod, extent, metadata| {
            Property::new(Declaration { name, array: true, pod, extent, metadata, sampling: 1 })
        };
        Self {
            name,
            inherits: scalar(".inherits", Pod::Bool, 1, 0, 1),
            ops: scalar(".ops", Pod::U8, 1, 0, 0),
            values: scalar(".vals", Pod::F64, 16, 0, 1),
            bounds: scalar(".selfBnds", Pod::F64, 6, BOX, 1),
            points: array("P", Pod::F32, 3, POINT),
            indices: array(".faceIndices", Pod::I32, 1, 0),
            counts: array(".faceCounts", Pod::I32, 1, 0),
            normals: array(
                "N",
                Pod::F32,
                3,
                if topology.smooth || topology.remeshed { VERTEX_NORMAL } else { CORNER_NORMAL },
            ),
            colours: None,
            plain,
            started: false,
        }
    }

    /// Takes the next frame.
    pub fn frame(
        &mut self,
        file: &mut Ogawa,
        topology: &ObjectTopology,
        state: &ObjectFrame,
        pose: &Pose,
        points: &[[f32; 3]],
    ) -> Result<(), ExportError> {
        // Readers count the samples of `.inherits`, so these constants get one per frame.
        self.inherits.push(file, &[1])?;
        self.ops.push(file, &[MATRIX_OP])?;
        self.values.push(file, pose.row_matrix().map(f64::to_le_bytes).as_flattened())?;
        if !self.started || topology.remeshed {
            self.faces(file, state.triangles(topology))?;
        }
        if !self.started || topology.deforms || topology.remeshed {
            let (low, high) = look::bounds(points);
            let corners: Vec<u8> =
                [low, high].as_flattened().iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect();
            self.bounds.push(file, &corners)?;
            self.points.push(file, &bytes(points))?;
            let normals = match &state.surface {
                Some(surface) => bytes(&surface.normals),
                None => bytes(&normals(points, topology)),
            };
            self.normals.push(file, &normals)?;
        }
        if let Some(surface) = &state.surface {
            self.paint(file, surface, points.len())?;
        }
        self.started = true;
        Ok(())
    }

    fn faces(&mut self, file: &mut Ogawa, triangles: &[[u32; 3]]) -> Result<(), ExportError> {
        // Alembic's faces are clockwise seen from outside.
        let corners = triangles.iter().flat_map(|&[a, b, c]| [a, c, b]);
        let corners: Vec<u8> = corners.flat_map(u32::to_le_bytes).collect();
        self.indices.push(file, &corners)?;
        let counts: Vec<u8> = triangles.iter().flat_map(|_| 3_i32.to_le_bytes()).collect();
        self.counts.push(file, &counts)
    }

    /// Takes the colours of the next surface.
    fn paint(&mut self, file: &mut Ogawa, surface: &Surface, points: usize) -> Result<(), ExportError> {
        if !self.started && !surface.colours.is_empty() {
            self.colours = Some(Property::new(Declaration {
                name: "Cs",
                array: true,
                pod: Pod::F32,
                extent: 3,
                metadata: VERTEX_COLOUR,
                sampling: 1,
            }));
        }
        match &mut self.colours {
            Some(property) if surface.colours.is_empty() => {
                property.push(file, &bytes(&vec![self.plain; points]))
            }
            Some(property) => property.push(file, &bytes(&surface.colours)),
            None => Ok(()),
        }
    }

    /// Writes groups and headers; returns the xform's group.
    pub fn finish(&mut self, file: &mut Ogawa) -> Result<Child, ExportError> {
        let geometry = self.geometry(file)?;
        let mesh = schema(file, ".geom", MESH, geometry)?;
        let mesh = object_group(file, mesh, &[])?;
        let motion = self.motion(file)?;
        let xform = schema(file, ".xform", XFORM, motion)?;
        object_group(file, xform, &[(format!("{}Shape", self.name), MESH_OBJECT, mesh)])
    }

    fn geometry(&mut self, file: &mut Ogawa) -> Result<Child, ExportError> {
        let mut properties =
            [&mut self.bounds, &mut self.points, &mut self.indices, &mut self.counts, &mut self.normals];
        properties.iter_mut().for_each(|p| p.collapse());
        let Some(colours) = &mut self.colours else {
            return compound(file, properties.iter().map(|p| &**p), None);
        };
        colours.collapse();
        let parameters = compound(file, [&*colours], None)?;
        compound(file, properties.iter().map(|p| &**p), Some((".arbGeomParams", parameters)))
    }

    fn motion(&mut self, file: &mut Ogawa) -> Result<Child, ExportError> {
        // Without this flag readers take the transform for the identity.
        let mut set = Property::new(Declaration {
            name: "isNotConstantIdentity",
            array: false,
            pod: Pod::Bool,
            extent: 1,
            metadata: 0,
            sampling: 0,
        });
        set.push(file, &[1])?;
        if self.values.is_constant() {
            [&mut self.inherits, &mut self.ops, &mut self.values].into_iter().for_each(Property::collapse);
            return compound(file, [&self.inherits, &self.ops, &self.values, &set], None);
        }
        let mut channels = Property::new(Declaration {
            name: ".animChans",
            array: true,
            pod: Pod::U32,
            extent: 1,
            metadata: 0,
            sampling: 1,
        });
        channels.push(file, CHANNELS.map(u32::to_le_bytes).as_flattened())?;
        compound(file, [&self.inherits, &self.ops, &self.values, &set, &channels], None)
    }
}

/// Writes a compound of plain properties and at most one compound, by its name.
fn compound<'a>(
    file: &mut Ogawa,
    properties: impl IntoIterator<Item = &'a Property>,
    inner: Option<(&str, Child)>,
) -> Result<Child, ExportError> {
    let mut headers = Vec::new();
    let mut children = Vec::new();
    for property in properties {
        children.push(property.finish(file, &mut headers)?);
    }
    if let Some((name, child)) = inner {
        compound_header(name, 0, &mut headers);
        children.push(child);
    }
    children.push(file.data(&[&headers])?);
    file.group(&children)
}

/// Writes an object's properties: one compound with its schema.
fn schema(file: &mut Ogawa, name: &str, metadata: u32, content: Child) -> Result<Child, ExportError> {
    let mut headers = Vec::new();
    compound_header(name, metadata, &mut headers);
    let headers = file.data(&[&headers])?;
    file.group(&[content, headers])
}

/// One normal per point of a smooth object, per corner of a flat one.
fn normals(points: &[[f32; 3]], topology: &ObjectTopology) -> Vec<[f32; 3]> {
    if topology.smooth {
        return look::normals(points, &topology.triangles);
    }
    look::face_normals(points, &topology.triangles).into_iter().flat_map(|n| [n; 3]).collect()
}

fn bytes(points: &[[f32; 3]]) -> Vec<u8> {
    points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect()
}
