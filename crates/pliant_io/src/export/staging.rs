//! Files that stand beside their final name until all of them are whole.

use super::error::{At, ExportError};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart the temporary files of one process; the process id tells apart processes.
static SERIAL: AtomicU64 = AtomicU64::new(0);

/// All files of one export. Dropped without [`Staging::commit`], it removes what it made.
#[derive(Debug, Default)]
pub struct Staging {
    /// Temporary name and final name, in the order in which they were made; scratch files have no final name.
    files: Vec<(PathBuf, Option<PathBuf>)>,
    /// Folders made here, removed again if they stay empty.
    folders: Vec<PathBuf>,
    /// Whether intermediate results stay in memory, where there is no disk.
    in_memory: bool,
}

impl Staging {
    /// A file that gets the name `path` on commit.
    pub fn create(&mut self, path: &Path) -> Result<Output, ExportError> {
        let temporary = temporary_name(path);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary).at(path)?;
        self.files.push((temporary, Some(path.to_owned())));
        Ok(Output { writer: BufWriter::with_capacity(1 << 16, file), path: path.to_owned() })
    }

    /// A staging that never touches a disk: it has room for intermediate results only.
    pub fn in_memory() -> Self {
        Self { files: Vec::new(), folders: Vec::new(), in_memory: true }
    }

    /// Room for intermediate results: a file in the folder of `path`, never kept, or memory.
    pub fn scratch(&mut self, path: &Path) -> Result<Scratch, ExportError> {
        if self.in_memory {
            return Ok(Scratch::Memory(Cursor::new(Vec::new())));
        }
        let temporary = temporary_name(path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&temporary).at(path)?;
        self.files.push((temporary, None));
        Ok(Scratch::File(file))
    }

    /// Makes the folder `path` unless it is there.
    pub fn folder(&mut self, path: &Path) -> Result<(), ExportError> {
        match fs::create_dir(path) {
            Ok(()) => self.folders.push(path.to_owned()),
            Err(_) if path.is_dir() => {}
            Err(error) => return Err(error).at(path),
        }
        Ok(())
    }

    /// Gives every file its final name. All outputs must have been closed.
    ///
    /// The file made first is renamed last: it is the one the user named and must not stand without its companions.
    pub fn commit(mut self) -> Result<(), ExportError> {
        for (temporary, path) in self.files.iter().rev() {
            if let Some(path) = path {
                fs::rename(temporary, path).at(path)?;
            }
        }
        self.files.retain(|(_, path)| path.is_none());
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Errors are ignored on purpose: there is no one to tell, and a file already renamed is not found here.
        for (temporary, _) in &self.files {
            let _ = fs::remove_file(temporary);
        }
        for folder in &self.folders {
            // Fails, as it should, when the folder holds committed files.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A hidden name in the same folder, so that renaming never copies and is atomic.
fn temporary_name(path: &Path) -> PathBuf {
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{serial}.part", std::process::id()))
}

/// Room for intermediate results, to be written and read anywhere.
#[derive(Debug)]
pub enum Scratch {
    /// On disk.
    File(File),
    /// In memory.
    Memory(Cursor<Vec<u8>>),
}

impl Read for Scratch {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Scratch::File(file) => file.read(bytes),
            Scratch::Memory(memory) => memory.read(bytes),
        }
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Scratch::File(file) => file.write(bytes),
            Scratch::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Scratch::File(file) => file.flush(),
            Scratch::Memory(_) => Ok(()),
        }
    }
}

impl Seek for Scratch {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match self {
            Scratch::File(file) => file.seek(position),
            Scratch::Memory(memory) => memory.seek(position),
        }
    }
}

/// A buffered file of a [`Staging`].
#[derive(Debug)]
pub struct Output {
    writer: BufWriter<File>,
    path: PathBuf,
}

impl Output {
    /// The final name, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes everything through to the disk, so that a full disk or a crash cannot leave a hole behind the
    /// final name.
    pub fn close(mut self) -> Result<(), ExportError> {
        self.writer.flush().and_then(|()| self.writer.get_ref().sync_all()).at(&self.path)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.writer.seek(position)
    }
}
