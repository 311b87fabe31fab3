//! Boxes, the building blocks of MP4 files: a length, four letters, and a content that may be boxes again.

/// Bytes of boxes under construction, big endian.
#[derive(Debug, Default)]
pub(super) struct Boxes(Vec<u8>);

impl Boxes {
    /// A box named `name` with what `content` writes.
    pub fn put(&mut self, name: &[u8; 4], content: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.u32(0).bytes(name);
        content(self);
        let length = (self.0.len() - start) as u32;
        self.0[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// A box whose content begins with a version and flags.
    pub fn put_full(&mut self, name: &[u8; 4], version: u8, flags: u32, content: impl FnOnce(&mut Self)) {
        self.put(name, |b| {
            b.u32(u32::from(version) << 24 | flags);
            content(b);
        });
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn zeros(&mut self, count: usize) {
        self.0.resize(self.0.len() + count, 0);
    }

    pub fn u8(&mut self, v: u8) -> &mut Self {
        self.bytes(&[v])
    }

    pub fn u16(&mut self, v: u16) -> &mut Self {
        self.bytes(&v.to_be_bytes())
    }

    pub fn u32(&mut self, v: u32) -> &mut Self {
        self.bytes(&v.to_be_bytes())
    }

    pub fn u64(&mut self, v: u64) -> &mut Self {
        self.bytes(&v.to_be_bytes())
    }

    /// A time or length: 64 bits in boxes of version 1, 32 in those of version 0.
    pub fn time(&mut self, version: u8, v: u64) -> &mut Self {
        if version == 1 { self.u64(v) } else { self.u32(v as u32) }
    }

    /// No rotation, no scaling.
    pub fn identity_matrix(&mut self) -> &mut Self {
        for v in [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30] {
            self.u32(v);
        }
        self
    }

    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

impl AsRef<[u8]> for Boxes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
