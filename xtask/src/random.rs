//! Numbers nobody chose: SplitMix64.

use std::time::{SystemTime, UNIX_EPOCH};

/// A row of random numbers.
pub struct Random(u64);

impl Random {
    /// Another row each time.
    pub fn from_clock() -> Self {
        Self(SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64))
    }

    /// The row of a number, always the same.
    pub fn of(number: u64) -> Self {
        Self(number)
    }

    /// From 0 to 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From one number to another.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// Ten to a power between two, all powers alike.
    pub fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// A whole number below another.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count - 1)
    }

    /// A unit vector, all directions alike.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [0; 3].map(|_| self.between(-1.0, 1.0));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&length) {
                return v.map(|x| x / length);
            }
        }
    }
}
