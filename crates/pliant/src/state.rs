//! Exact state as bytes: for checkpoints and hashes.

use crate::math::{Mat3, Quat, Vec3};

/// Appends numbers bit by bit.
#[derive(Default)]
pub struct Writer {
    /// What has been written.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// One whole number.
    pub fn u64(&mut self, x: u64) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }
    /// One number, every bit of it.
    pub fn f64(&mut self, x: f64) {
        self.u64(x.to_bits());
    }
    /// A row of numbers.
    pub fn f64s(&mut self, xs: &[f64]) {
        xs.iter().for_each(|x| self.f64(*x));
    }
    /// A vector.
    pub fn vec3(&mut self, v: Vec3) {
        self.f64s(&v.to_array());
    }
    /// A rotation.
    pub fn quat(&mut self, q: Quat) {
        self.f64s(&q.to_array());
    }
    /// A matrix.
    pub fn mat3(&mut self, m: &Mat3) {
        self.f64s(&m.to_cols_array());
    }
}

/// Reads what a `Writer` wrote.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }
    /// One whole number.
    pub fn u64(&mut self) -> Result<u64, String> {
        let (head, rest) = self.bytes.split_first_chunk::<8>().ok_or("the saved state is too short for this scene")?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*head))
    }
    /// One number.
    pub fn f64(&mut self) -> Result<f64, String> {
        self.u64().map(f64::from_bits)
    }
    /// Fills a row of numbers.
    pub fn f64s(&mut self, out: &mut [f64]) -> Result<(), String> {
        out.iter_mut().try_for_each(|x| self.f64().map(|v| *x = v))
    }
    /// A vector.
    pub fn vec3(&mut self) -> Result<Vec3, String> {
        let mut a = [0.0; 3];
        self.f64s(&mut a)?;
        Ok(Vec3::from(a))
    }
    /// A rotation.
    pub fn quat(&mut self) -> Result<Quat, String> {
        let mut a = [0.0; 4];
        self.f64s(&mut a)?;
        Ok(Quat::from_array(a))
    }
    /// A matrix.
    pub fn mat3(&mut self) -> Result<Mat3, String> {
        let mut a = [0.0; 9];
        self.f64s(&mut a)?;
        Ok(Mat3::from_cols_array(&a))
    }
    /// How many values are left.
    pub fn left(&self) -> usize {
        self.bytes.len() / 8
    }
    /// Complains unless everything was read.
    pub fn finish(self) -> Result<(), String> {
        if self.bytes.is_empty() { Ok(()) } else { Err("the saved state is too long for this scene".into()) }
    }
}
