//! Alembic properties: samples as they come, headers at the end.
//!
//! A sample equal to the one before is not written again; a property that never changes is stored once. Only the
//! places of samples are kept in memory, eight bytes each.

use super::super::error::ExportError;
use super::hash::murmur;
use super::ogawa::{Child, EMPTY_DATA, Ogawa};

/// Type of one number, with Alembic's code for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pod {
    Bool = 0,
    U8 = 1,
    U32 = 5,
    I32 = 6,
    F32 = 10,
    F64 = 11,
}

/// What a property is before it has samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    /// Name inside its compound.
    pub name: &'static str,
    /// Whether a sample is an array of values or one value.
    pub array: bool,
    /// Type of the numbers.
    pub pod: Pod,
    /// Numbers per value.
    pub extent: u32,
    /// Place of the metadata in the archive's table.
    pub metadata: u32,
    /// Time sampling: 0 has none, 1 is the frame rate.
    pub sampling: u32,
}

/// A scalar or array property with samples.
#[derive(Debug)]
pub(super) struct Property {
    declaration: Declaration,
    /// Samples given.
    count: usize,
    /// Places of the samples up to the last that differs from the one before it.
    places: Vec<Child>,
    hash: [u8; 16],
}

impl Property {
    /// A property without samples.
    pub fn new(declaration: Declaration) -> Self {
        Self { declaration, count: 0, places: Vec::new(), hash: [0; 16] }
    }

    /// Takes the next sample.
    pub fn push(&mut self, file: &mut Ogawa, bytes: &[u8]) -> Result<(), ExportError> {
        let hash = murmur(bytes);
        if self.count == 0 || hash != self.hash {
            // The last sample held until now; fill up with its place.
            let last = self.places.last().copied().unwrap_or(EMPTY_DATA);
            self.places.resize(self.count, last);
            self.places.push(file.data(&[&hash, bytes])?);
            self.hash = hash;
        }
        self.count += 1;
        Ok(())
    }

    /// Whether all samples are equal.
    pub fn is_constant(&self) -> bool {
        self.places.len() <= 1
    }

    /// Says that equal samples are one. Not for properties whose number of samples carries meaning.
    pub fn collapse(&mut self) {
        if self.is_constant() {
            self.count = self.count.min(1);
        }
    }

    /// Writes the property's group and appends its header to those of its compound.
    pub fn finish(&self, file: &mut Ogawa, headers: &mut Vec<u8>) -> Result<Child, ExportError> {
        let first = self.first_changed();
        let last = if first == 0 { 0 } else { self.places.len() - 1 };
        let mut children = Vec::new();
        // Samples before the first change are not repeated in the group.
        for &place in self.places.iter().take(1).chain(self.places.iter().skip(first.max(1))) {
            children.push(place);
            if self.declaration.array {
                // Dimensions follow from the size.
                children.push(EMPTY_DATA);
            }
        }
        self.header(first as u32, last as u32, headers);
        file.group(&children)
    }

    /// Index of the first sample that differs from sample 0; 0 if none does.
    fn first_changed(&self) -> usize {
        self.places.iter().position(|p| *p != self.places[0]).unwrap_or(0)
    }

    fn header(&self, first: u32, last: u32, headers: &mut Vec<u8>) {
        let d = &self.declaration;
        let count = self.count as u32;
        let constant = last == 0;
        let explicit = !constant && (first != 1 || last != count - 1);
        let hint = size_hint(self.count.max(d.name.len()));
        let kind = if d.array { 2 } else { 1 };
        let info = kind
            | hint << 2
            | (d.pod as u32) << 4
            | u32::from(d.sampling != 0) << 8
            | u32::from(explicit) << 9
            | 1 << 10
            | u32::from(constant) << 11
            | d.extent << 12
            | d.metadata << 20;
        headers.extend_from_slice(&info.to_le_bytes());
        number(count, hint, headers);
        if explicit {
            number(first, hint, headers);
            number(last, hint, headers);
        }
        if d.sampling != 0 {
            number(d.sampling, hint, headers);
        }
        number(d.name.len() as u32, hint, headers);
        headers.extend_from_slice(d.name.as_bytes());
    }
}

/// Appends the header of a compound property.
pub(super) fn compound_header(name: &str, metadata: u32, headers: &mut Vec<u8>) {
    let hint = size_hint(name.len());
    headers.extend_from_slice(&(hint << 2 | metadata << 20).to_le_bytes());
    number(name.len() as u32, hint, headers);
    headers.extend_from_slice(name.as_bytes());
}

/// How wide the numbers of a header are: 0, 1, 2 for one, two, four bytes.
fn size_hint(largest: usize) -> u32 {
    match largest {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        _ => 2,
    }
}

fn number(value: u32, hint: u32, headers: &mut Vec<u8>) {
    headers.extend_from_slice(&value.to_le_bytes()[..1 << hint]);
}
