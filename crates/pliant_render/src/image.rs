//! A finished picture.

/// Pixels as they are shown: sRGB with straight alpha, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// `width * height` pixels: red, green, blue, opacity.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// Puts another picture on this one, its top left corner at `at`; what goes beyond the edges is cut off.
    pub fn paste(&mut self, other: &Image, at: [u32; 2]) {
        let width = other.width.min(self.width.saturating_sub(at[0])) as usize;
        for y in 0..other.height.min(self.height.saturating_sub(at[1])) {
            let from = (y * other.width) as usize;
            let to = ((y + at[1]) * self.width + at[0]) as usize;
            self.pixels[to..to + width].copy_from_slice(&other.pixels[from..from + width]);
        }
    }

    /// The pixel `x` from the left and `y` from the top.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }
}
