//! Opening a recording, whole or broken off.

use super::block::{self, Block, Kind};
use super::bytes::{Malformed, Reader};
use super::codec::{self, Header};
use super::{At, MAGIC, RecordingError, VERSION};
use pliant::{Frame, MeshLibrary, Topology};
use std::fmt::Debug;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where a recording is read from: a file, or memory.
trait Source: Read + Seek + Send + Debug {}
impl<T: Read + Seek + Send + Debug> Source for T {}

/// A recording, opened for reading. Frames are read from the file when asked for.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: Mutex<Box<dyn Source>>,
    header: Header,
    topology: Topology,
    /// Behind the topology: where a run without checkpoints begins again.
    beginning: u64,
    frames: Vec<Block>,
    /// Each with the number of frames that precede it.
    checkpoints: Vec<(Block, u64)>,
    complete: bool,
    ignored: u64,
}

/// The exact state of the engine after some frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// `Frame::index` of the frame with the same state.
    pub frame: u64,
    /// Bytes of `World::save`.
    pub state: Vec<u8>,
}

impl Recording {
    /// Opens a recording up to its last whole block.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::open(path).at(path)?;
        let metadata = file.metadata().at(path)?;
        if !metadata.is_file() {
            return Err(RecordingError::NotARecording { path: path.to_owned() });
        }
        // The length now: a run may still be writing, and what comes later is not ours.
        Self::read(path, Box::new(file), metadata.len())
    }

    /// Reads a recording that is in memory; `name` is for messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, RecordingError> {
        let size = bytes.len() as u64;
        Self::read(Path::new(name), Box::new(Cursor::new(bytes)), size)
    }

    fn read(path: &Path, source: Box<dyn Source>, size: u64) -> Result<Self, RecordingError> {
        let mut input = BufReader::with_capacity(1 << 16, source);
        let first = read_magic(&mut input, size, path)?;
        let no_beginning = || RecordingError::NoBeginning { path: path.to_owned() };
        let mut next = |start| block::scan(&mut input, start, size).at(path);

        let header_block = next(first)?.filter(|b| b.kind == Kind::Header).ok_or_else(no_beginning)?;
        let topology_block =
            next(header_block.end())?.filter(|b| b.kind == Kind::Topology).ok_or_else(no_beginning)?;
        let beginning = topology_block.end();
        let mut index = Index { end: beginning, ..Index::default() };
        while let Some(block) = next(index.end)? {
            if !index.accept(block) {
                break;
            }
        }

        let file = Mutex::new(input.into_inner());
        let damaged = |what: &str| RecordingError::Damaged { path: path.to_owned(), what: what.into() };
        let payload = |block: &Block| read_payload(&file, block, path);
        let header = Header::read(&payload(&header_block)?).map_err(|Malformed| damaged("header"))?;
        let topology =
            codec::read_topology(&payload(&topology_block)?).map_err(|Malformed| damaged("topology"))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            topology,
            beginning,
            frames: index.frames,
            checkpoints: index.checkpoints,
            complete: index.complete,
            ignored: size - index.end,
        })
    }

    /// Where it was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Engine version, frame rate, scene text, meshes.
    pub fn header(&self) -> &Header {
        &self.header
    }
    /// What does not change from frame to frame.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
    /// The scene file's text, with all changes from the command line applied.
    pub fn scene_text(&self) -> &str {
        &self.header.scene
    }
    /// Meshes the scene names.
    pub fn meshes(&self) -> &MeshLibrary {
        &self.header.meshes
    }
    /// Whole frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }
    /// Whether the run was completed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
    /// Bytes at the end that belong to no whole block.
    pub fn ignored_bytes(&self) -> u64 {
        self.ignored
    }

    /// Reads one frame.
    pub fn frame(&self, index: usize) -> Result<Frame, RecordingError> {
        let block = self.frames.get(index).ok_or_else(|| RecordingError::NoSuchFrame {
            path: self.path.clone(),
            index,
            count: self.frames.len(),
        })?;
        let payload = read_payload(&self.file, block, &self.path)?;
        match codec::read_frame(&payload, &self.topology) {
            Ok(frame) if frame.index == index as u64 => Ok(frame),
            _ => Err(self.damaged(format!("frame {index}"))),
        }
    }

    /// All frames in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = Result<Frame, RecordingError>> + '_ {
        (0..self.frames.len()).map(|i| self.frame(i))
    }

    /// The last exact state, if one was recorded.
    pub fn last_checkpoint(&self) -> Result<Option<Checkpoint>, RecordingError> {
        let Some((block, frames)) = self.checkpoints.last() else { return Ok(None) };
        let payload = read_payload(&self.file, block, &self.path)?;
        let mut r = Reader::new(&payload);
        match r.u64() {
            Ok(frame) if frame == *frames - 1 => {
                Ok(Some(Checkpoint { frame, state: r.remainder().to_vec() }))
            }
            _ => Err(self.damaged("checkpoint".into())),
        }
    }

    /// Where a resumed run goes on: the length to which the file is cut, and how many frames stay.
    pub(super) fn resume_point(&self) -> (u64, u64) {
        self.checkpoints.last().map_or((self.beginning, 0), |(block, frames)| (block.end(), *frames))
    }

    fn damaged(&self, what: String) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), what }
    }
}

/// Blocks after the topology.
#[derive(Default)]
struct Index {
    frames: Vec<Block>,
    checkpoints: Vec<(Block, u64)>,
    complete: bool,
    /// Behind the last accepted block.
    end: u64,
}

impl Index {
    /// Takes a block unless it is out of order; then nothing from it on is of use.
    fn accept(&mut self, block: Block) -> bool {
        let frames = self.frames.len() as u64;
        match block.kind {
            _ if self.complete => return false,
            Kind::Header | Kind::Topology => return false,
            Kind::Frame => self.frames.push(block),
            Kind::Checkpoint if frames == 0 => return false,
            Kind::Checkpoint => self.checkpoints.push((block, frames)),
            Kind::End => self.complete = true,
        }
        self.end = block.end();
        true
    }
}

/// Checks magic and version; returns where the first block begins.
fn read_magic(input: &mut impl Read, size: u64, path: &Path) -> Result<u64, RecordingError> {
    let mut head = Vec::new();
    input.by_ref().take(MAGIC.len() as u64 + 4).read_to_end(&mut head).at(path)?;
    if !head.starts_with(&MAGIC[..MAGIC.len().min(head.len())]) || size == 0 {
        return Err(RecordingError::NotARecording { path: path.to_owned() });
    }
    let Some((_, version)) = head.split_last_chunk::<4>().filter(|(magic, _)| magic.len() == MAGIC.len())
    else {
        return Err(RecordingError::NoBeginning { path: path.to_owned() });
    };
    match u32::from_le_bytes(*version) {
        VERSION => Ok(head.len() as u64),
        found => Err(RecordingError::Version { path: path.to_owned(), found }),
    }
}

/// Reads a block again and checks it again: the file may have changed since it was indexed.
fn read_payload(
    file: &Mutex<Box<dyn Source>>,
    block: &Block,
    path: &Path,
) -> Result<Vec<u8>, RecordingError> {
    let mut whole = vec![0; block.size() as usize];
    {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(block.start)).at(path)?;
        file.read_exact(&mut whole).at(path)?;
    }
    let what = || format!("block at byte {}", block.start);
    block
        .payload(&whole)
        .map(<[u8]>::to_vec)
        .ok_or_else(|| RecordingError::Damaged { path: path.to_owned(), what: what() })
}
