//! Little-endian numbers in and out of a byte buffer. The reading side trusts nothing.

use pliant::Inner;
use pliant::math::{Quat, Vec3};

/// Appends to a buffer.
#[derive(Default)]
pub(super) struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }
    pub fn u32(&mut self, v: u32) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u64(&mut self, v: u64) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn f32(&mut self, v: f32) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn f64(&mut self, v: f64) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn bool(&mut self, v: bool) {
        self.u8(u8::from(v));
    }
    pub fn count(&mut self, n: usize) {
        self.u64(n as u64);
    }
    pub fn text(&mut self, v: &str) {
        self.count(v.len());
        self.bytes.extend_from_slice(v.as_bytes());
    }
    pub fn vec3(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|c| self.f64(c));
    }
    pub fn quat(&mut self, q: Quat) {
        q.to_array().into_iter().for_each(|c| self.f64(c));
    }
    pub fn vec3_f32(&mut self, v: [f32; 3]) {
        v.into_iter().for_each(|c| self.f32(c));
    }
    pub fn points(&mut self, points: &[[f32; 3]]) {
        self.count(points.len());
        self.bytes.reserve(12 * points.len());
        for p in points {
            self.vec3_f32(*p);
        }
    }
    pub fn inner(&mut self, inner: &Inner) {
        self.count(inner.places.len());
        if inner.places.is_empty() {
            return;
        }
        inner.ends.into_iter().for_each(|end| self.vec3_f32(end));
        self.bytes.reserve(6 * inner.places.len());
        for place in inner.places.iter().flatten() {
            self.bytes.extend_from_slice(&place.to_le_bytes());
        }
    }
    pub fn edges(&mut self, edges: &[[u32; 2]]) {
        self.count(edges.len());
        self.bytes.reserve(8 * edges.len());
        edges.iter().flatten().for_each(|i| self.u32(*i));
    }
    pub fn triangles(&mut self, triangles: &[[u32; 3]]) {
        self.count(triangles.len());
        self.bytes.reserve(12 * triangles.len());
        for t in triangles {
            t.iter().for_each(|i| self.u32(*i));
        }
    }
}

/// The bytes do not hold what they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Reads from a buffer; every read checks what is left.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, Malformed>;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
    /// Whether everything has been used.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
    /// Everything must have been used.
    pub fn end(self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed) }
    }
    /// All that is left.
    pub fn remainder(self) -> &'a [u8] {
        self.rest
    }
    fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n).ok_or(Malformed)?;
        self.rest = rest;
        Ok(head)
    }
    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*head)
    }
    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.array::<1>()?[0])
    }
    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub fn f32(&mut self) -> Read<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }
    pub fn f64(&mut self) -> Read<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }
    pub fn bool(&mut self) -> Read<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
    /// A number of items of at least `size` bytes each. Refused unless that many bytes are left, so that no
    /// claimed number ever makes us allocate more than the file holds.
    pub fn count(&mut self, size: usize) -> Read<usize> {
        let n = usize::try_from(self.u64()?).map_err(|_| Malformed)?;
        match n.checked_mul(size) {
            Some(total) if total <= self.rest.len() => Ok(n),
            _ => Err(Malformed),
        }
    }
    pub fn text(&mut self) -> Read<String> {
        let n = self.count(1)?;
        String::from_utf8(self.take(n)?.to_vec()).map_err(|_| Malformed)
    }
    pub fn vec3(&mut self) -> Read<Vec3> {
        Ok(Vec3::new(self.f64()?, self.f64()?, self.f64()?))
    }
    pub fn quat(&mut self) -> Read<Quat> {
        Ok(Quat::from_xyzw(self.f64()?, self.f64()?, self.f64()?, self.f64()?))
    }
    pub fn vec3_f32(&mut self) -> Read<[f32; 3]> {
        Ok([self.f32()?, self.f32()?, self.f32()?])
    }
    pub fn points(&mut self) -> Read<Vec<[f32; 3]>> {
        let n = self.count(12)?;
        (0..n).map(|_| self.vec3_f32()).collect()
    }
    pub fn inner(&mut self) -> Read<Inner> {
        let n = self.count(6)?;
        if n == 0 {
            return Ok(Inner::default());
        }
        let ends = [self.vec3_f32()?, self.vec3_f32()?];
        let mut u16 = || Ok(u16::from_le_bytes(self.array()?));
        let places = (0..n).map(|_| Ok([u16()?, u16()?, u16()?])).collect::<Read<_>>()?;
        Ok(Inner { ends, places })
    }
    pub fn edges(&mut self) -> Read<Vec<[u32; 2]>> {
        let n = self.count(8)?;
        (0..n).map(|_| Ok([self.u32()?, self.u32()?])).collect()
    }
    /// Triangles over `points` corners.
    pub fn triangles(&mut self, points: usize) -> Read<Vec<[u32; 3]>> {
        let n = self.count(12)?;
        let corner = |i: u32| if (i as usize) < points { Ok(i) } else { Err(Malformed) };
        (0..n).map(|_| Ok([corner(self.u32()?)?, corner(self.u32()?)?, corner(self.u32()?)?])).collect()
    }
}
