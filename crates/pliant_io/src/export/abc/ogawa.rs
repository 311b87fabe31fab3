//! The Ogawa container: a tree of groups and data blocks, children before parents.
//!
//! ```text
//! file    "Ogawa", u8 frozen (0xff when complete), 00 01, u64 place of the root group
//! group   u64 number of children, u64 per child: place, top bit set for data, 0 for an empty group
//! data    u64 length, bytes
//! ```

use super::super::error::{At, ExportError};
use super::super::staging::Output;
use std::io::{self, Seek, SeekFrom, Write};

/// Place of a child as a group stores it.
pub(super) type Child = u64;

/// Marks a child as data.
const DATA: u64 = 1 << 63;
/// Data of length zero, which take no place.
pub(super) const EMPTY_DATA: Child = DATA;
/// A group without children, which takes no place.
pub(super) const EMPTY_GROUP: Child = 0;

/// A container being written.
pub(super) struct Ogawa {
    /// The file.
    pub out: Output,
    position: u64,
}

impl Ogawa {
    /// Starts a container; until it is finished, readers see it as not frozen.
    pub fn new(mut out: Output) -> Result<Self, ExportError> {
        out.write_all(b"Ogawa\0\0\x01\0\0\0\0\0\0\0\0").at(out.path())?;
        Ok(Self { out, position: 16 })
    }

    /// Writes a data block made of `parts`.
    pub fn data(&mut self, parts: &[&[u8]]) -> Result<Child, ExportError> {
        let length: usize = parts.iter().map(|p| p.len()).sum();
        if length == 0 {
            return Ok(EMPTY_DATA);
        }
        let place = self.position;
        self.write(&(length as u64).to_le_bytes())?;
        for part in parts {
            self.write(part)?;
        }
        Ok(place | DATA)
    }

    /// Writes a group.
    pub fn group(&mut self, children: &[Child]) -> Result<Child, ExportError> {
        if children.is_empty() {
            return Ok(EMPTY_GROUP);
        }
        let place = self.position;
        self.write(&(children.len() as u64).to_le_bytes())?;
        for child in children {
            self.write(&child.to_le_bytes())?;
        }
        Ok(place)
    }

    /// Enters the root group, freezes and closes the file.
    pub fn finish(mut self, root: Child) -> Result<(), ExportError> {
        let mut patch = || -> io::Result<()> {
            self.out.seek(SeekFrom::Start(8))?;
            self.out.write_all(&root.to_le_bytes())?;
            self.out.seek(SeekFrom::Start(5))?;
            self.out.write_all(&[0xff])
        };
        patch().at(self.out.path())?;
        self.out.close()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes).at(self.out.path())
    }
}
