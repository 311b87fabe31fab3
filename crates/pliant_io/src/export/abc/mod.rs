//! Alembic (`.abc`, Ogawa container): `/<object>` is an xform with the rigid motion, `/<object>/<object>Shape` a
//! polymesh.
//!
//! Metres and Y up (Alembic has no tag for either; Blender assumes Y up). Frame k is at time k / fps. Faces are
//! clockwise, as Alembic wants. Normals are per vertex where the object is smooth; flat objects have them per corner,
//! because readers shade smoothly without. Frames are written as they come; what does not change is written once. Where
//! the surface is another in every frame, faces have a sample per frame, too, and so do colours (`Cs`, linear) if the
//! first frame has some.
//!
//! The layout was learnt from the official library's files; see `docs` of the Alembic project for the schemas.

use super::clip::Clip;
use super::error::ExportError;
use super::look;
use super::staging::Staging;
use super::{FrameSink, SinkInfo};
use object::Object;
use ogawa::{Child, EMPTY_GROUP, Ogawa};
use pliant::Frame;
use std::path::Path;

mod hash;
mod object;
mod ogawa;
mod property;

/// The archive's table of metadata; properties and objects refer to it by place, 0 being none.
const METADATA: [&str; 9] = [
    "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    "schema=AbcGeom_Xform_v3",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    "interpretation=box",
    "geoScope=vtx;interpretation=point",
    "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
    "arrayExtent=1;geoScope=fvr;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
    "arrayExtent=1;geoScope=vtx;interpretation=rgb;isGeomParam=true;podExtent=3;podName=float32_t",
];
const XFORM_OBJECT: u32 = 1;
const XFORM: u32 = 2;
const MESH_OBJECT: u32 = 3;
const MESH: u32 = 4;
const BOX: u32 = 5;
const POINT: u32 = 6;
const VERTEX_NORMAL: u32 = 7;
const CORNER_NORMAL: u32 = 8;
const VERTEX_COLOUR: u32 = 9;

/// Opens an `.abc` file.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    let mut staging = Staging::default();
    let file = Ogawa::new(staging.create(path)?)?;
    let looks = look::identifiers(&clip.objects).into_iter().zip(look::colours(&clip.objects));
    let objects = looks.zip(&clip.objects).map(|((name, colour), o)| Object::new(name, colour, o)).collect();
    Ok(Box::new(Abc { clip, file, objects, frames: 0, staging }))
}

struct Abc {
    clip: Clip,
    file: Ogawa,
    objects: Vec<Object>,
    frames: usize,
    staging: Staging,
}

impl FrameSink for Abc {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        for (i, object) in self.objects.iter_mut().enumerate() {
            let (topology, state) = (&self.clip.objects[i], &frame.objects[i]);
            let (pose, points) = (self.clip.pose(frame, i), self.clip.points(frame, i));
            object.frame(&mut self.file, topology, state, &pose, points)?;
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Self { clip, mut file, mut objects, frames, staging } = *self;
        if frames == 0 {
            return Err(ExportError::NoFrames { path: file.out.path().to_owned() });
        }
        let mut children = Vec::new();
        for object in &mut objects {
            children.push((object.name.clone(), XFORM_OBJECT, object.finish(&mut file)?));
        }
        let top = object_group(&mut file, EMPTY_GROUP, &children)?;
        let root = archive(&mut file, &clip, frames, top)?;
        file.finish(root)?;
        staging.commit()
    }
}

/// Writes the group of an object: properties, children, headers of the children.
fn object_group(
    file: &mut Ogawa,
    properties: Child,
    children: &[(String, u32, Child)],
) -> Result<Child, ExportError> {
    let mut group = vec![properties];
    let mut headers = Vec::new();
    for (name, metadata, child) in children {
        group.push(*child);
        headers.extend_from_slice(&(name.len() as u32).to_le_bytes());
        headers.extend_from_slice(name.as_bytes());
        headers.push(*metadata as u8);
    }
    // Two hashes of properties and children, which readers only compare between objects: zero says nothing.
    headers.extend_from_slice(&[0; 32]);
    group.push(file.data(&[&headers])?);
    file.group(&group)
}

/// Writes the root group.
fn archive(file: &mut Ogawa, clip: &Clip, frames: usize, top: Child) -> Result<Child, ExportError> {
    let title: String = clip.title.chars().map(|c| if matches!(c, ';' | '=') { ',' } else { c }).collect();
    let about = format!(
        "FramesPerTimeUnit={};_ai_Application=Pliant {};_ai_Description={title}",
        clip.fps,
        env!("CARGO_PKG_VERSION")
    );
    let mut samplings = Vec::new();
    for (count, step) in [(1, 1.0), (frames as u32, 1.0 / clip.fps)] {
        samplings.extend_from_slice(&u32::to_le_bytes(count));
        samplings.extend_from_slice(&f64::to_le_bytes(step));
        // One stored time, the first.
        samplings.extend_from_slice(&1_u32.to_le_bytes());
        samplings.extend_from_slice(&0_f64.to_le_bytes());
    }
    let mut table = Vec::new();
    for text in METADATA {
        table.push(text.len() as u8);
        table.extend_from_slice(text.as_bytes());
    }
    let children = [
        file.data(&[&0_i32.to_le_bytes()])?,
        file.data(&[&10803_i32.to_le_bytes()])?,
        top,
        file.data(&[about.as_bytes()])?,
        file.data(&[&samplings])?,
        file.data(&[&table])?,
    ];
    file.group(&children)
}
