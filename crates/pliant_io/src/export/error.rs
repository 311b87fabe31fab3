//! What can go wrong while exporting.

use std::io;
use std::path::{Path, PathBuf};

/// Why an export failed. Nothing is left under the final name when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file's ending names no format.
    #[error("{}: unknown file ending; known endings are {known}", path.display())]
    UnknownEnding {
        /// The path as given.
        path: PathBuf,
        /// All known endings.
        known: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The topology or the frame rate cannot be exported.
    #[error("cannot export: {0}")]
    BadClip(String),
    /// A frame does not fit the topology, or holds a number that is not finite.
    #[error("cannot export frame {index}: {reason}")]
    BadFrame {
        /// `Frame::index`.
        index: u64,
        /// What is wrong.
        reason: String,
    },
    /// The format holds one surface for all frames, and an object has another in each.
    #[error(
        "{}: `{object}` has another surface in every frame, which this format cannot hold; export {formats}",
        path.display()
    )]
    ChangingSurface {
        /// The file concerned.
        path: PathBuf,
        /// Name of the object.
        object: String,
        /// Endings of the formats that can.
        formats: String,
    },
    /// The sink was finished before any frame came.
    #[error("{}: there is no frame to export", path.display())]
    NoFrames {
        /// The file concerned.
        path: PathBuf,
    },
    /// The format cannot hold this much.
    #[error("{}: too large for this format: {reason}", path.display())]
    TooLarge {
        /// The file concerned.
        path: PathBuf,
        /// Which limit is exceeded, and what to do.
        reason: String,
    },
}

/// Adds the path to an input/output error.
pub trait At<T> {
    /// The same result; an error says which file it concerns.
    fn at(self, path: &Path) -> Result<T, ExportError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, ExportError> {
        self.map_err(|source| ExportError::Io { path: path.to_owned(), source })
    }
}
