//! Writing a recording, block by block.

use super::block::{self, Kind};
use super::codec::{self, Header};
use super::{At, MAGIC, Recording, RecordingError, VERSION, checkpoint_interval};
use pliant::{Frame, Topology};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes frames and checkpoints. Dropped without [`Recorder::finish`], it leaves a valid recording that can be
/// resumed.
#[derive(Debug)]
pub struct Recorder {
    file: File,
    path: PathBuf,
    /// Frames between checkpoints.
    interval: u64,
    /// Frames of the completed run.
    frame_count: u64,
    /// Frames written so far.
    written: u64,
    last_hash: [u64; 2],
    /// Kept from block to block, so that recording a frame does not allocate.
    buffer: Vec<u8>,
}

impl Recorder {
    /// Whether [`Recorder::create`] may have this name: it is free, or an older recording that nobody is writing.
    pub fn check_name(path: &Path) -> Result<(), RecordingError> {
        refuse_foreign(path)
    }

    /// Begins a recording. An older recording of the same name is replaced; any other file is left alone.
    pub fn create(path: &Path, header: &Header, topology: &Topology) -> Result<Self, RecordingError> {
        refuse_foreign(path)?;
        let temporary = temporary_name(path);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary).at(path)?;
        let begun = begin(file, header, topology).at(path).and_then(|file| {
            lock(&file, path)?;
            fs::rename(&temporary, path).at(path)?;
            Ok(file)
        });
        let file = begun.inspect_err(|_| {
            // Best effort: the error that is returned matters more.
            let _ = fs::remove_file(&temporary);
        })?;
        Ok(Self::new(file, path, header))
    }

    /// Goes on with a recording after its last whole checkpoint, or after its beginning if there is none. What
    /// came later is cut off. The next frame has the index [`Recorder::written`].
    pub fn resume(recording: &Recording) -> Result<Self, RecordingError> {
        let path = recording.path();
        let mut file = OpenOptions::new().read(true).write(true).open(path).at(path)?;
        lock(&file, path)?;
        let (length, written) = recording.resume_point();
        let last_hash = match written.checked_sub(1) {
            Some(last) => recording.frame(last as usize)?.state_hash,
            None => [0; 2],
        };
        file.set_len(length).at(path)?;
        file.seek(SeekFrom::Start(length)).at(path)?;
        Ok(Self { written, last_hash, ..Self::new(file, path, recording.header()) })
    }

    fn new(file: File, path: &Path, header: &Header) -> Self {
        Self {
            file,
            path: path.to_owned(),
            interval: checkpoint_interval(header.fps),
            frame_count: header.frame_count,
            written: 0,
            last_hash: [0; 2],
            buffer: Vec::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Frames written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether a checkpoint belongs after the frame just written.
    pub fn checkpoint_due(&self) -> bool {
        let last = self.written.saturating_sub(1);
        self.written > 0
            && (self.written == self.frame_count || (last > 0 && last.is_multiple_of(self.interval)))
    }

    /// Appends a frame.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RecordingError> {
        self.append(Kind::Frame, |w| codec::write_frame(frame, w))?;
        self.written += 1;
        self.last_hash = frame.state_hash;
        Ok(())
    }

    /// Appends the exact state (`World::save`) that belongs to the frame just written.
    pub fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordingError> {
        let frame = self.written.saturating_sub(1);
        self.append(Kind::Checkpoint, |w| {
            w.u64(frame);
            w.bytes.extend_from_slice(state);
        })
    }

    /// Marks the recording as complete.
    pub fn finish(mut self) -> Result<(), RecordingError> {
        let (written, hash) = (self.written, self.last_hash);
        self.append(Kind::End, |w| write_end(w, written, hash))?;
        self.file.sync_all().at(&self.path)
    }

    /// One block, one write: a kill leaves either all of it in the file, or a part that readers ignore.
    fn append(
        &mut self,
        kind: Kind,
        fill: impl FnOnce(&mut super::bytes::Writer),
    ) -> Result<(), RecordingError> {
        self.buffer = block::build(std::mem::take(&mut self.buffer), kind, fill);
        self.file.write_all(&self.buffer).at(&self.path)
    }
}

/// Magic, version, header and topology.
fn begin(mut file: File, header: &Header, topology: &Topology) -> std::io::Result<File> {
    file.write_all(&beginning(header, topology))?;
    // On the disk before the rename: after a power cut the name must not stand for an empty file.
    file.sync_all()?;
    Ok(file)
}

fn beginning(header: &Header, topology: &Topology) -> Vec<u8> {
    let mut start = Vec::from(MAGIC);
    start.extend_from_slice(&VERSION.to_le_bytes());
    start.extend(block::build(Vec::new(), Kind::Header, |w| header.write(w)));
    start.extend(block::build(Vec::new(), Kind::Topology, |w| codec::write_topology(topology, w)));
    start
}

/// A whole recording in memory, without checkpoints. Frames are numbered from 0 in the order in which they come.
pub fn to_bytes<'f>(
    header: &Header,
    topology: &Topology,
    frames: impl IntoIterator<Item = &'f Frame>,
) -> Vec<u8> {
    let mut bytes = beginning(header, topology);
    let (mut written, mut last_hash) = (0, [0; 2]);
    for frame in frames {
        let frame = Frame { index: written, ..frame.clone() };
        bytes.extend(block::build(Vec::new(), Kind::Frame, |w| codec::write_frame(&frame, w)));
        (written, last_hash) = (written + 1, frame.state_hash);
    }
    bytes.extend(block::build(Vec::new(), Kind::End, |w| write_end(w, written, last_hash)));
    bytes
}

fn write_end(w: &mut super::bytes::Writer, written: u64, hash: [u64; 2]) {
    w.u64(written);
    w.u64(hash[0]);
    w.u64(hash[1]);
}

/// A recording or an empty file may be replaced, unless someone is recording into it.
fn refuse_foreign(path: &Path) -> Result<(), RecordingError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e).at(path),
    };
    let foreign = || RecordingError::Foreign { path: path.to_owned() };
    let metadata = file.metadata().at(path)?;
    if !metadata.is_file() {
        return Err(foreign());
    }
    if metadata.len() > 0 {
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(|_| foreign())?;
        if magic != MAGIC {
            return Err(foreign());
        }
    }
    lock(&file, path)
}

/// Keeps a second process from writing the same recording. The system drops the lock when the process ends, even
/// by a kill. Only on Unix: elsewhere locks also keep readers out, and watching a run must stay possible.
fn lock(file: &File, path: &Path) -> Result<(), RecordingError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(RecordingError::Busy { path: path.to_owned() }),
        // File systems without locks are no reason not to record.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}

/// A hidden name in the same folder, so that the rename is atomic.
fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}
