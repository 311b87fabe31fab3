//! Where each picture stands in the file. The only thing that grows with the film: four bytes per picture.

use super::boxes::Boxes;

/// Room for everything of the index that does not depend on the number of pictures.
const FIXED: usize = 2048;

/// Lengths and places of the pictures.
#[derive(Debug)]
pub(super) struct Index {
    /// Pictures per chunk.
    chunk: u32,
    /// Bytes of each picture.
    lengths: Vec<u32>,
    /// Numbers of the key pictures, from 1.
    keys: Vec<u32>,
    /// Where each chunk begins.
    chunks: Vec<u64>,
    /// Where the next picture will stand.
    end: u64,
}

impl Index {
    /// An index of chunks of so many pictures, the first of which stands at `start`.
    pub fn new(chunk: u32, start: u64) -> Self {
        Self { chunk, lengths: Vec::new(), keys: Vec::new(), chunks: Vec::new(), end: start }
    }

    /// Bytes to keep free for the index of a film of `count` pictures. None if that is a number no film has:
    /// then the index goes to the end of the file.
    pub fn room(count: usize, chunk: u32) -> usize {
        let chunks = count / chunk as usize + 1;
        match count {
            0..=10_000_000 => FIXED + 4 * count + (4 + 8) * chunks,
            _ => 0,
        }
    }

    /// Adds a picture of so many bytes behind the others; none if there are too many to count.
    pub fn push(&mut self, length: u32, key: bool) -> Option<()> {
        if self.count().is_multiple_of(self.chunk) {
            self.chunks.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
        let number = u32::try_from(self.lengths.len()).ok()?;
        if key {
            self.keys.push(number);
        }
        Some(())
    }

    /// Number of pictures.
    pub fn count(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// Where the last picture ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The tables of a track whose pictures last `picture_length` ticks.
    pub fn write(&self, picture_length: u32, b: &mut Boxes) {
        b.put_full(b"stts", 0, 0, |b| {
            b.u32(1).u32(self.count()).u32(picture_length);
        });
        b.put_full(b"stss", 0, 0, |b| {
            b.u32(self.keys.len() as u32);
            self.keys.iter().for_each(|&number| _ = b.u32(number));
        });
        self.write_chunks(b);
        b.put_full(b"stsz", 0, 0, |b| {
            b.u32(0).u32(self.count());
            self.lengths.iter().for_each(|&length| _ = b.u32(length));
        });
        match self.chunks.last().is_none_or(|&last| u32::try_from(last).is_ok()) {
            true => b.put_full(b"stco", 0, 0, |b| {
                b.u32(self.chunks.len() as u32);
                self.chunks.iter().for_each(|&place| _ = b.u32(place as u32));
            }),
            false => b.put_full(b"co64", 0, 0, |b| {
                b.u32(self.chunks.len() as u32);
                self.chunks.iter().for_each(|&place| _ = b.u64(place));
            }),
        }
    }

    /// How many pictures each chunk has: all the same number, but perhaps the last.
    fn write_chunks(&self, b: &mut Boxes) {
        let rest = self.count() % self.chunk;
        let whole = self.count() / self.chunk;
        let mut runs = Vec::new();
        if whole > 0 {
            runs.push((1, self.chunk));
        }
        if rest > 0 {
            runs.push((whole + 1, rest));
        }
        b.put_full(b"stsc", 0, 0, |b| {
            b.u32(runs.len() as u32);
            for (first, pictures) in runs {
                b.u32(first).u32(pictures).u32(1);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Boxes, Index};

    #[test]
    fn films_beyond_four_gigabytes_are_indexed_with_long_places() {
        let mut index = Index::new(1, 1 << 33);
        index.push(7, true);
        let mut boxes = Boxes::default();
        index.write(1, &mut boxes);
        let bytes = boxes.as_ref();
        assert!(bytes.ends_with(&(1_u64 << 33).to_be_bytes()));
        assert!(bytes.windows(4).any(|name| name == b"co64"));
        assert_eq!(index.end(), (1 << 33) + 7);
    }
}
