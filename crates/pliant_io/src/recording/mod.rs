//! Recordings: one file that holds a run, survives being killed, and can be gone on with.
//!
//! ```text
//! magic "PLIANT\x1a\n" (8 bytes), version (u32)
//! block*: kind (u32), length (u64), payload, crc32 of kind + length + payload (u32)
//! ```
//! All numbers are little endian. Blocks come in this order:
//!
//! | block | payload | how many |
//! |---|---|---|
//! | header | engine version, frame rate, frames to come, scene text, meshes, their colours if any is painted | 1 |
//! | topology | objects: names, triangles, rest points, edges of cells | 1 |
//! | frame | f32 points, f64 transforms, u16 places of what is inside, contacts, measures, forces and errors of controls, report, state hash | 1 per frame |
//! | checkpoint | frame it follows, `World::save` bytes | after every second of simulated time and after the last frame |
//! | end | number of frames, last state hash | 1 when the run was completed |
//!
//! Nothing in the file depends on the clock, the machine or the number of threads, so two runs of one scene give
//! the same bytes, and so does a run that was killed and resumed.
//!
//! A recording is written under its final name, one whole block per write: a kill at any byte leaves a file that
//! opens up to its last whole block. Only the beginning (header and topology) is written beside and renamed, so
//! that an older recording of the same name is replaced by a valid one at once.

mod block;
mod bytes;
mod codec;
mod reader;
mod recorder;
#[cfg(test)]
mod tests;

pub use codec::Header;
pub use reader::{Checkpoint, Recording};
pub use recorder::{Recorder, to_bytes};

use std::io;
use std::path::{Path, PathBuf};

/// First bytes of every recording. The odd ones show up if a transfer mangles line ends or stops at Ctrl-Z.
pub const MAGIC: [u8; 8] = *b"PLIANT\x1a\n";

/// Version of the format; readers refuse any other.
pub const VERSION: u32 = 5;

/// Simulated time between two checkpoints `[s]`: what a kill costs at most when resumed.
pub const CHECKPOINT_SECONDS: f64 = 1.0;

/// Frames between two checkpoints, at least one.
pub fn checkpoint_interval(fps: f64) -> u64 {
    (fps * CHECKPOINT_SECONDS).round().max(1.0) as u64
}

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else has this name, and recordings only replace recordings.
    #[error("{}: exists and is not a recording; delete it first or choose another name", path.display())]
    Foreign {
        /// The file concerned.
        path: PathBuf,
    },
    /// Not a recording at all.
    #[error("{}: not a Pliant recording", path.display())]
    NotARecording {
        /// The file concerned.
        path: PathBuf,
    },
    /// Written by a format this program does not know.
    #[error("{}: recording format {found}, but this program reads format {VERSION}", path.display())]
    Version {
        /// The file concerned.
        path: PathBuf,
        /// Version found.
        found: u32,
    },
    /// The file breaks off before the first frame could begin, so there is nothing to show or to go on with.
    #[error("{}: broken off or damaged before its first frame; run the scene again", path.display())]
    NoBeginning {
        /// The file concerned.
        path: PathBuf,
    },
    /// A block's checksum is right but its contents make no sense, or a block changed since the file was opened.
    #[error("{}: damaged {what}", path.display())]
    Damaged {
        /// The file concerned.
        path: PathBuf,
        /// Which block.
        what: String,
    },
    /// Another process is writing this file.
    #[error("{}: another process is recording into it", path.display())]
    Busy {
        /// The file concerned.
        path: PathBuf,
    },
    /// There is no such frame.
    #[error("{}: there is no frame {index}; the recording has {count}", path.display())]
    NoSuchFrame {
        /// The file concerned.
        path: PathBuf,
        /// Index asked for.
        index: usize,
        /// Frames there are.
        count: usize,
    },
}

/// Adds the path to an input/output error.
trait At<T> {
    fn at(self, path: &Path) -> Result<T, RecordingError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, RecordingError> {
        self.map_err(|source| RecordingError::Io { path: path.to_owned(), source })
    }
}
