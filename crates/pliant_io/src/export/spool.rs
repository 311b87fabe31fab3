//! Frames on disk, for formats that store one object after the other instead of one frame after the other.
//!
//! Every frame takes the same number of bytes, so any object of any frame is found by multiplication and memory
//! does not grow with the length of the run. Surfaces that differ in size from frame to frame stand in a file of their
//! own; the frame says where.

use super::clip::{Clip, Pose};
use super::error::{At, ExportError};
use super::staging::{Scratch, Staging};
use pliant::math::{Quat, Vec3};
use pliant::{Frame, ObjectTopology};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const POSE_BYTES: usize = 7 * 8;
/// Where a surface begins, and how many points, triangles and colours it has.
const PLACE_BYTES: usize = 4 * 8;

/// The surface of a remeshed object in one frame, in the object's own frame.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    pub points: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// One per point.
    pub normals: Vec<[f32; 3]>,
    /// One per point, linear; none if the frame has one colour.
    pub colours: Vec<[f32; 3]>,
}

/// Frames that went in one by one and come out in any order.
#[derive(Debug)]
pub(super) struct Spool {
    file: Scratch,
    path: PathBuf,
    /// Per object, where it starts inside a frame.
    offsets: Vec<usize>,
    /// Bytes of one frame.
    stride: usize,
    frames: usize,
    /// Surfaces of remeshed objects, if there are such.
    surfaces: Option<Scratch>,
    /// Bytes in `surfaces`.
    surfaces_length: u64,
    /// Per object, whether a surface of it had colours.
    coloured: Vec<bool>,
    /// Per object, its first and its latest pose.
    poses: Vec<Option<(Pose, Pose)>>,
    /// Per object, whether its pose ever changed.
    moves: Vec<bool>,
    buffer: Vec<u8>,
}

impl Spool {
    /// An empty spool in the folder of `path`.
    pub fn new(clip: &Clip, staging: &mut Staging, path: &Path) -> Result<Self, ExportError> {
        let mut stride = 0;
        let mut offsets = Vec::new();
        for object in &clip.objects {
            offsets.push(stride);
            stride += POSE_BYTES + shape_bytes(object);
        }
        let n = clip.objects.len();
        Ok(Self {
            file: staging.scratch(path)?,
            path: path.to_owned(),
            offsets,
            stride,
            frames: 0,
            surfaces: if clip.remeshes() { Some(staging.scratch(path)?) } else { None },
            surfaces_length: 0,
            coloured: vec![false; n],
            poses: vec![None; n],
            moves: vec![false; n],
            buffer: Vec::new(),
        })
    }

    /// Takes the next frame, already checked.
    pub fn push(&mut self, clip: &Clip, frame: &Frame) -> Result<(), ExportError> {
        self.buffer.clear();
        for (i, object) in clip.objects.iter().enumerate() {
            let pose = self.continue_pose(i, clip.pose(frame, i));
            let (t, r) = (pose.translation, pose.rotation);
            for x in [t.x, t.y, t.z, r.x, r.y, r.z, r.w] {
                self.buffer.extend_from_slice(&x.to_le_bytes());
            }
            if object.remeshed {
                self.push_surface(frame, i)?;
            } else if object.deforms {
                for x in clip.points(frame, i).as_flattened() {
                    self.buffer.extend_from_slice(&x.to_le_bytes());
                }
            }
        }
        self.file.write_all(&self.buffer).at(&self.path)?;
        self.frames += 1;
        Ok(())
    }

    /// Stores the surface of object `i` and adds its place to the frame.
    fn push_surface(&mut self, frame: &Frame, i: usize) -> Result<(), ExportError> {
        let state = &frame.objects[i];
        let (Some(surface), Some(file)) = (&state.surface, &mut self.surfaces) else { return Ok(()) };
        let sizes = [state.points.len(), surface.triangles.len(), surface.colours.len()];
        self.buffer.extend_from_slice(&self.surfaces_length.to_le_bytes());
        sizes.iter().for_each(|n| self.buffer.extend_from_slice(&(*n as u64).to_le_bytes()));
        self.coloured[i] |= !surface.colours.is_empty();
        let mut bytes: Vec<u8> =
            surface.triangles.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        for vectors in [&state.points, &surface.normals, &surface.colours] {
            bytes.extend(vectors.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        }
        self.surfaces_length += bytes.len() as u64;
        file.write_all(&bytes).at(&self.path)
    }

    /// Chooses the sign of the quaternion so that interpolation between frames takes the short way.
    fn continue_pose(&mut self, i: usize, mut pose: Pose) -> Pose {
        match &mut self.poses[i] {
            None => self.poses[i] = Some((pose, pose)),
            Some((first, last)) => {
                if last.rotation.dot(pose.rotation) < 0.0 {
                    pose.rotation = -pose.rotation;
                }
                self.moves[i] |= pose != *first;
                *last = pose;
            }
        }
        pose
    }

    /// Frames taken so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether the pose of object `i` ever changed.
    pub fn moves(&self, i: usize) -> bool {
        self.moves[i]
    }

    /// Where object `i` is in frame `k`.
    pub fn pose(&mut self, k: usize, i: usize) -> Result<Pose, ExportError> {
        let mut bytes = [0; POSE_BYTES];
        read(&mut self.file, (k * self.stride + self.offsets[i]) as u64, &mut bytes).at(&self.path)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        let x: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
        Ok(Pose {
            translation: Vec3::new(x[0], x[1], x[2]),
            rotation: Quat::from_xyzw(x[3], x[4], x[5], x[6]),
        })
    }

    /// Whether the surface of object `i` had colours in any frame.
    pub fn coloured(&self, i: usize) -> bool {
        self.coloured[i]
    }

    /// Points of the deforming object `i` in frame `k`, in its own frame.
    pub fn points(&mut self, k: usize, i: usize) -> Result<Vec<[f32; 3]>, ExportError> {
        let end = self.offsets.get(i + 1).copied().unwrap_or(self.stride);
        let mut bytes = vec![0; end - self.offsets[i] - POSE_BYTES];
        let place = k * self.stride + self.offsets[i] + POSE_BYTES;
        read(&mut self.file, place as u64, &mut bytes).at(&self.path)?;
        Ok(vectors(&bytes))
    }

    /// The surface of the remeshed object `i` in frame `k`.
    pub fn mesh(&mut self, k: usize, i: usize) -> Result<Mesh, ExportError> {
        let Some(file) = &mut self.surfaces else { return Ok(Mesh::default()) };
        let mut place = [0; PLACE_BYTES];
        let at = k * self.stride + self.offsets[i] + POSE_BYTES;
        read(&mut self.file, at as u64, &mut place).at(&self.path)?;
        let (numbers, _) = place.as_chunks::<8>();
        let numbers: Vec<u64> = numbers.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let [points, triangles, colours] = [1, 2, 3].map(|n| 12 * numbers[n] as usize);
        let mut bytes = vec![0; triangles + 2 * points + colours];
        read(file, numbers[0], &mut bytes).at(&self.path)?;
        let (corners, rest) = bytes.split_at(triangles);
        let (points, rest) = rest.split_at(points);
        let (normals, colours) = rest.split_at(points.len());
        let (corners, _) = corners.as_chunks::<4>();
        let (triangles, _) = corners.as_chunks::<3>();
        Ok(Mesh {
            points: vectors(points),
            triangles: triangles.iter().map(|t| t.map(u32::from_le_bytes)).collect(),
            normals: vectors(normals),
            colours: vectors(colours),
        })
    }
}

/// Bytes that say in every frame what an object's shape is.
fn shape_bytes(object: &ObjectTopology) -> usize {
    match (object.remeshed, object.deforms) {
        (true, _) => PLACE_BYTES,
        (false, true) => object.points.len() * 12,
        (false, false) => 0,
    }
}

fn vectors(bytes: &[u8]) -> Vec<[f32; 3]> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let (points, _) = numbers.as_chunks::<3>();
    points.iter().map(|p| p.map(f32::from_le_bytes)).collect()
}

fn read(file: &mut Scratch, position: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(position))?;
    file.read_exact(bytes)
}
