//! Blocks: the unit that is written at once and checked at once.

use super::bytes::Writer;
use std::io::{self, Read};

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Header = 1,
    Topology = 2,
    Frame = 3,
    Checkpoint = 4,
    End = 5,
}

impl Kind {
    fn from_u32(v: u32) -> Option<Self> {
        [Kind::Header, Kind::Topology, Kind::Frame, Kind::Checkpoint, Kind::End]
            .into_iter()
            .find(|k| *k as u32 == v)
    }
}

/// Bytes before the payload: kind and length.
const HEAD: u64 = 12;
/// Bytes after the payload: the checksum.
const TAIL: u64 = 4;

/// Where a whole block lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub kind: Kind,
    /// First byte of the head.
    pub start: u64,
    /// Bytes of payload.
    pub length: u64,
}

impl Block {
    /// Just behind the block.
    pub fn end(&self) -> u64 {
        self.start + HEAD + self.length + TAIL
    }
    /// Bytes of the whole block.
    pub fn size(&self) -> u64 {
        HEAD + self.length + TAIL
    }
    /// The payload within the bytes of the whole block, if its checksum is right.
    pub fn payload<'a>(&self, whole: &'a [u8]) -> Option<&'a [u8]> {
        let (checked, crc) = whole.split_last_chunk::<{ TAIL as usize }>()?;
        let right = whole.len() as u64 == self.size()
            && checked.starts_with(&head(self.kind, self.length))
            && crc32fast::hash(checked) == u32::from_le_bytes(*crc);
        right.then(|| &checked[HEAD as usize..])
    }
}

fn head(kind: Kind, length: u64) -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[..4].copy_from_slice(&(kind as u32).to_le_bytes());
    head[4..].copy_from_slice(&length.to_le_bytes());
    head
}

/// A whole block, its payload appended by `fill`. Built in `buffer` so that it can go out in one write.
pub(super) fn build(buffer: Vec<u8>, kind: Kind, fill: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut w = Writer { bytes: buffer };
    w.bytes.clear();
    w.bytes.extend_from_slice(&head(kind, 0));
    fill(&mut w);
    let length = w.bytes.len() as u64 - HEAD;
    w.bytes[..HEAD as usize].copy_from_slice(&head(kind, length));
    let crc = crc32fast::hash(&w.bytes);
    w.u32(crc);
    w.bytes
}

/// Finds the next whole block at `start`, given that the file ends at `end`. `None`: broken off, damaged or of
/// an unknown kind; the rest of the file is of no use.
pub(super) fn scan(file: &mut impl Read, start: u64, end: u64) -> io::Result<Option<Block>> {
    let left = end - start;
    if left < HEAD + TAIL {
        return Ok(None);
    }
    let mut head = [0; HEAD as usize];
    file.read_exact(&mut head)?;
    let [k0, k1, k2, k3, length @ ..] = head;
    let length = u64::from_le_bytes(length);
    let Some(kind) = Kind::from_u32(u32::from_le_bytes([k0, k1, k2, k3])) else { return Ok(None) };
    // The claimed length counts for nothing until it fits into what is left.
    if length > left - HEAD - TAIL {
        return Ok(None);
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head);
    let mut remaining = length;
    let mut chunk = vec![0; 1 << 16];
    while remaining > 0 {
        let n = remaining.min(chunk.len() as u64) as usize;
        file.read_exact(&mut chunk[..n])?;
        crc.update(&chunk[..n]);
        remaining -= n as u64;
    }
    let mut tail = [0; TAIL as usize];
    file.read_exact(&mut tail)?;
    Ok((crc.finalize() == u32::from_le_bytes(tail)).then_some(Block { kind, start, length }))
}
