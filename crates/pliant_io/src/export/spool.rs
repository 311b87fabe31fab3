//! Frames on disk, for formats that store one object after the other instead of one frame after the other.
//!
//! Every frame takes the same number of bytes, so any object of any frame is found by multiplication and memory
//! does not grow with the length of the run.

use super::clip::{Clip, Pose};
use super::error::{At, ExportError};
use super::staging::Staging;
use pliant::Frame;
use pliant::math::{Quat, Vec3};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const POSE_BYTES: usize = 7 * 8;

/// Frames that went in one by one and come out in any order.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    path: PathBuf,
    /// Per object, where it starts inside a frame.
    offsets: Vec<usize>,
    /// Bytes of one frame.
    stride: usize,
    frames: usize,
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
            stride += POSE_BYTES + if object.deforms { object.points.len() * 12 } else { 0 };
        }
        let n = clip.objects.len();
        Ok(Self {
            file: staging.scratch(path)?,
            path: path.to_owned(),
            offsets,
            stride,
            frames: 0,
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
            if object.deforms {
                for x in clip.points(frame, i).as_flattened() {
                    self.buffer.extend_from_slice(&x.to_le_bytes());
                }
            }
        }
        self.file.write_all(&self.buffer).at(&self.path)?;
        self.frames += 1;
        Ok(())
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
        self.read(k * self.stride + self.offsets[i], &mut bytes).at(&self.path)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        let x: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
        Ok(Pose {
            translation: Vec3::new(x[0], x[1], x[2]),
            rotation: Quat::from_xyzw(x[3], x[4], x[5], x[6]),
        })
    }

    /// Points of the deforming object `i` in frame `k`, in its own frame.
    pub fn points(&mut self, k: usize, i: usize) -> Result<Vec<[f32; 3]>, ExportError> {
        let end = self.offsets.get(i + 1).copied().unwrap_or(self.stride);
        let mut bytes = vec![0; end - self.offsets[i] - POSE_BYTES];
        self.read(k * self.stride + self.offsets[i] + POSE_BYTES, &mut bytes).at(&self.path)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let (points, _) = numbers.as_chunks::<3>();
        Ok(points.iter().map(|p| p.map(f32::from_le_bytes)).collect())
    }

    fn read(&mut self, position: usize, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(position as u64))?;
        self.file.read_exact(bytes)
    }
}
