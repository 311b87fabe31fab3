//! One file per frame.

use super::clip::Clip;
use super::error::{At, ExportError};
use super::staging::{Output, Staging};
use super::{FrameSink, SinkInfo};
use pliant::Frame;
use std::path::{Path, PathBuf};

/// Writes one frame into one file.
pub(super) type WriteFrame = fn(&Clip, &Frame, &mut Output) -> std::io::Result<()>;

/// Sink for numbered files. `#` characters in the name are replaced by the frame's number; without any, the
/// number goes before the ending: `name.obj` becomes `name.0000.obj`.
pub(super) struct Sequence {
    clip: Clip,
    path: PathBuf,
    write: WriteFrame,
    count: usize,
    staging: Staging,
}

impl Sequence {
    /// Opens a sequence written with `write`.
    pub fn open(path: &Path, info: &SinkInfo, write: WriteFrame) -> Result<Box<dyn FrameSink>, ExportError> {
        let clip = Clip::new(info)?;
        let mut staging = Staging::default();
        // A folder that cannot be written to is reported now and not after the first simulated frame.
        staging.scratch(path)?;
        Ok(Box::new(Self { clip, path: path.to_owned(), write, count: 0, staging }))
    }
}

impl FrameSink for Sequence {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.clip.check(frame)?;
        let mut out = self.staging.create(&numbered(&self.path, self.count))?;
        (self.write)(&self.clip, frame, &mut out).at(&self.path)?;
        self.count += 1;
        out.close()
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        if self.count == 0 {
            return Err(ExportError::NoFrames { path: self.path });
        }
        self.staging.commit()
    }
}

/// The name of file `k`: the last run of `#` gives place and width of the number.
pub fn numbered(path: &Path, k: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(last) = name.rfind('#') else {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        return path.with_extension(format!("{k:04}.{ending}"));
    };
    let start = name[..=last].trim_end_matches('#').len();
    let width = last + 1 - start;
    path.with_file_name(format!("{}{k:0width$}{}", &name[..start], &name[last + 1..]))
}

#[cfg(test)]
mod tests {
    use super::numbered;
    use std::path::Path;

    #[test]
    fn number_takes_the_place_of_hashes_or_goes_before_the_ending() {
        let name = |text: &str, k| numbered(Path::new(text), k).to_string_lossy().into_owned();
        assert_eq!(name("out/a.####.obj", 7), "out/a.0007.obj");
        assert_eq!(name("out/a.#.obj", 12), "out/a.12.obj");
        assert_eq!(name("a#b_##.ply", 3), "a#b_03.ply");
        assert_eq!(name("a.b.obj", 12345), "a.b.12345.obj");
    }
}
