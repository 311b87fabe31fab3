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

    /// The pixel `x` from the left and `y` from the top.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }
}
