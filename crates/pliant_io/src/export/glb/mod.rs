//! glTF 2.0 binary (`.glb`): one node and mesh per object, one animation.
//!
//! Rigid motion is the node's translation and rotation, deformation is one morph target per frame on the rest
//! shape, with a weight of one at its own key; all keys are linear, so that between frames motion is linear and a
//! key time that was rounded does no harm. Smooth objects have vertex normals (and morphed normals); flat ones have
//! none, which by the specification means flat shading, and keeps the vertex order of the other formats.
//!
//! An object whose surface is another in every frame is a node with one child and mesh per frame (`frames.rs`).
//!
//! Every frame is written. Blender opens a thousand targets; web viewers in general only promise 256 per mesh, so
//! for the web keep deforming clips below about 250 frames.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::look;
use super::spool::Spool;
use super::staging::{Output, Scratch, Staging};
use super::{FrameSink, SinkInfo};
use bin::Bin;
use frames::Turns;
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::mesh::{Mesh, MorphTarget, Primitive, Semantic};
use gltf_json::scene::{Node, Scene, UnitQuaternion};
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{Accessor, Asset, Index, Material, Root, material};
use pliant::{Frame, ObjectTopology};
use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

mod bin;
mod frames;

/// Opens a `.glb` file.
pub fn open(path: &Path, info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    let clip = Clip::new(info)?;
    let mut staging = Staging::default();
    let out = staging.create(path)?;
    let spool = Spool::new(&clip, &mut staging, path)?;
    let bin = staging.scratch(path)?;
    Ok(Box::new(Glb { clip, out, spool, bin, staging }))
}

/// The bytes of a `.glb` file, made in memory.
pub fn bytes<'f>(
    info: &SinkInfo,
    frames: impl IntoIterator<Item = &'f Frame>,
) -> Result<Vec<u8>, ExportError> {
    let (clip, mut staging, path) = (Clip::new(info)?, Staging::in_memory(), Path::new("memory.glb"));
    let mut spool = Spool::new(&clip, &mut staging, path)?;
    for frame in frames {
        clip.check(frame)?;
        spool.push(&clip, frame)?;
    }
    let mut out = Vec::new();
    write(&clip, spool, staging.scratch(path)?, &mut out, path)?;
    Ok(out)
}

struct Glb {
    clip: Clip,
    out: Output,
    /// Object-wise data come last in the file and are known first: frames wait here.
    spool: Spool,
    /// Becomes the binary chunk, which must follow the JSON chunk that describes it.
    bin: Scratch,
    staging: Staging,
}

impl FrameSink for Glb {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        self.spool.push(&self.clip, frame)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Self { clip, mut out, spool, bin, staging } = *self;
        let path = out.path().to_owned();
        write(&clip, spool, bin, &mut out, &path)?;
        out.close()?;
        staging.commit()
    }
}

/// Everything, once all frames are known; `path` is for messages.
fn write(
    clip: &Clip,
    spool: Spool,
    bin: Scratch,
    out: &mut impl Write,
    path: &Path,
) -> Result<(), ExportError> {
    if spool.frames() == 0 {
        return Err(ExportError::NoFrames { path: path.to_owned() });
    }
    let mut builder =
        Builder { spool, bin: Bin::new(bin, path), animation: empty_animation(), times: None, turns: None };
    builder.build(clip)?;
    let (root, bin, length) = builder.bin.finish()?;
    assemble(&root, bin, length, out, path)
}

struct Builder {
    spool: Spool,
    bin: Bin,
    animation: Animation,
    /// Key times, shared by all samplers of motion.
    times: Option<Index<Accessor>>,
    /// When the surfaces of remeshed objects take turns, once it is known.
    turns: Option<Turns>,
}

impl Builder {
    fn build(&mut self, clip: &Clip) -> Result<(), ExportError> {
        self.bin.root.asset =
            Asset { generator: Some(format!("Pliant {}", env!("CARGO_PKG_VERSION"))), ..Asset::default() };
        if self.spool.frames() > 1 {
            let times: Vec<f32> = (0..self.spool.frames()).map(|k| (k as f64 / clip.fps) as f32).collect();
            self.times = Some(self.bin.times(&times)?);
        }
        let mut nodes = Vec::new();
        for (i, (object, colour)) in clip.objects.iter().zip(look::colours(&clip.objects)).enumerate() {
            let node = if object.remeshed {
                self.frames(i, object, colour, clip.fps)?
            } else {
                self.object(i, object, colour)?
            };
            nodes.push(node);
        }
        let name = Some(clip.title.clone());
        let scene = self.bin.root.push(Scene {
            extensions: None,
            extras: Default::default(),
            name: name.clone(),
            nodes,
        });
        self.bin.root.scene = Some(scene);
        if !self.animation.channels.is_empty() {
            self.animation.name = name;
            let animation = std::mem::replace(&mut self.animation, empty_animation());
            self.bin.root.push(animation);
        }
        Ok(())
    }

    fn object(
        &mut self,
        i: usize,
        object: &ObjectTopology,
        colour: [f32; 3],
    ) -> Result<Index<Node>, ExportError> {
        // An accessor cannot be empty, so an object without surface is a node without mesh.
        let mesh = if object.triangles.is_empty() { None } else { Some(self.mesh(i, object, colour)?) };
        let start = self.spool.pose(0, i)?;
        let node = self.bin.root.push(Node {
            mesh,
            name: Some(object.name.clone()),
            translation: Some(start.translation.as_vec3().to_array()),
            rotation: Some(UnitQuaternion(start.rotation.as_quat().to_array())),
            ..Node::default()
        });
        if self.spool.moves(i) {
            let (mut translations, mut rotations) = (Vec::new(), Vec::new());
            for k in 0..self.spool.frames() {
                let pose = self.spool.pose(k, i)?;
                translations.push(pose.translation.as_vec3().to_array());
                rotations.push(pose.rotation.as_quat().to_array());
            }
            let output = self.bin.vectors(&translations)?;
            self.channel(node, Property::Translation, output);
            let output = self.bin.quaternions(&rotations)?;
            self.channel(node, Property::Rotation, output);
        }
        if mesh.is_some() && object.deforms && self.times.is_some() {
            let output = self.bin.identity_weights(self.spool.frames())?;
            self.channel(node, Property::MorphTargetWeights, output);
        }
        Ok(node)
    }

    fn mesh(
        &mut self,
        i: usize,
        object: &ObjectTopology,
        colour: [f32; 3],
    ) -> Result<Index<Mesh>, ExportError> {
        let mut attributes = BTreeMap::new();
        attributes.insert(Valid(Semantic::Positions), self.bin.vertices(&object.points)?);
        let rest_normals = look::normals(&object.points, &object.triangles);
        if object.smooth {
            attributes.insert(Valid(Semantic::Normals), self.bin.vertices(&rest_normals)?);
        }
        let indices = Some(self.bin.indices(object.triangles.as_flattened())?);
        let mut targets = Vec::new();
        if object.deforms {
            for k in 0..self.spool.frames() {
                let points = self.spool.points(k, i)?;
                let positions = Some(self.bin.vertices(&differences(&points, &object.points))?);
                let normals = if object.smooth {
                    let normals = look::normals(&points, &object.triangles);
                    Some(self.bin.vertices(&differences(&normals, &rest_normals))?)
                } else {
                    None
                };
                targets.push(MorphTarget { positions, normals, tangents: None });
            }
        }
        // Without playing the animation, a viewer shows the first frame.
        let weights = object.deforms.then(|| {
            let mut weights = vec![0.0; targets.len()];
            weights[0] = 1.0;
            weights
        });
        let material = self.bin.root.push(matte(&object.name, colour));
        let primitive = Primitive {
            targets: object.deforms.then_some(targets),
            ..primitive(attributes, indices, material)
        };
        let mesh = Mesh { weights, ..named_mesh(&object.name, primitive) };
        Ok(self.bin.root.push(mesh))
    }

    /// A channel with a key at every frame and linear motion between.
    fn channel(&mut self, node: Index<Node>, property: Property, output: Index<Accessor>) {
        if let Some(input) = self.times {
            self.keys(node, property, Interpolation::Linear, [input, output]);
        }
    }

    fn keys(
        &mut self,
        node: Index<Node>,
        property: Property,
        interpolation: Interpolation,
        [input, output]: [Index<Accessor>; 2],
    ) {
        let sampler = Index::new(self.animation.samplers.len() as u32);
        self.animation.samplers.push(Sampler {
            extensions: None,
            extras: Default::default(),
            input,
            interpolation: Valid(interpolation),
            output,
        });
        let target = Target { extensions: None, extras: Default::default(), node, path: Valid(property) };
        self.animation.channels.push(Channel {
            sampler,
            target,
            extensions: None,
            extras: Default::default(),
        });
    }
}

/// `to - from`, in double precision before the last rounding.
fn differences(to: &[[f32; 3]], from: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let difference = |a: f32, b: f32| (f64::from(a) - f64::from(b)) as f32;
    to.iter().zip(from).map(|(a, b)| std::array::from_fn(|c| difference(a[c], b[c]))).collect()
}

fn matte(name: &str, [r, g, b]: [f32; 3]) -> Material {
    Material {
        name: Some(name.to_owned()),
        pbr_metallic_roughness: material::PbrMetallicRoughness {
            base_color_factor: material::PbrBaseColorFactor([r, g, b, 1.0]),
            metallic_factor: material::StrengthFactor(0.0),
            roughness_factor: material::StrengthFactor(0.6),
            ..Default::default()
        },
        ..Default::default()
    }
}

fn primitive(
    attributes: BTreeMap<Checked<Semantic>, Index<Accessor>>,
    indices: Option<Index<Accessor>>,
    material: Index<Material>,
) -> Primitive {
    Primitive {
        attributes,
        extensions: None,
        extras: Default::default(),
        indices,
        material: Some(material),
        mode: Valid(gltf_json::mesh::Mode::Triangles),
        targets: None,
    }
}

fn named_mesh(name: &str, primitive: Primitive) -> Mesh {
    Mesh {
        extensions: None,
        extras: Default::default(),
        name: Some(name.to_owned()),
        primitives: vec![primitive],
        weights: None,
    }
}

fn empty_animation() -> Animation {
    Animation { extensions: None, extras: Default::default(), channels: vec![], name: None, samplers: vec![] }
}

/// Header, JSON chunk, binary chunk.
fn assemble(
    root: &Root,
    mut bin: Scratch,
    length: u64,
    out: &mut impl Write,
    path: &Path,
) -> Result<(), ExportError> {
    let mut json = root.to_vec().map_err(io::Error::from).at(path)?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() as u64 + if length > 0 { 8 + length } else { 0 };
    let total = u32::try_from(total).map_err(|_| ExportError::TooLarge {
        path: path.to_owned(),
        reason: format!("{total} bytes, at most {}; export fewer frames, or .usda or .abc", u32::MAX),
    })?;
    let mut write = || {
        for number in [0x4654_6c67, 2, total, json.len() as u32, 0x4e4f_534a] {
            out.write_all(&u32::to_le_bytes(number))?;
        }
        out.write_all(&json)?;
        if length == 0 {
            return Ok(());
        }
        out.write_all(&(length as u32).to_le_bytes())?;
        out.write_all(&0x004e_4942_u32.to_le_bytes())?;
        bin.seek(SeekFrom::Start(0))?;
        io::copy(&mut bin, out).map(|_| ())
    };
    write().at(path)
}
