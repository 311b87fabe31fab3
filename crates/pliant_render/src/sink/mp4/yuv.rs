//! Colours as video stores them: brightness for every pixel, colour for every square of 2 x 2 pixels, by BT.709 in
//! limited range (black 16, white 235, colour 16 to 240).

use openh264::formats::YUVSource;

/// Weights of red and blue in the brightness; green has the rest.
const RED: f64 = 0.2126;
const BLUE: f64 = 0.0722;

/// Fixed point: bits behind the point.
const BITS: u32 = 16;

/// One picture. Its sizes are even.
#[derive(Debug)]
pub(super) struct Yuv {
    width: usize,
    height: usize,
    y: Vec<u8>,
    u: Vec<u8>,
    v: Vec<u8>,
}

impl Yuv {
    pub fn new(width: usize, height: usize) -> Self {
        let quarter = width * height / 4;
        Self { width, height, y: vec![0; width * height], u: vec![0; quarter], v: vec![0; quarter] }
    }

    /// Takes over a picture of this size.
    pub fn set(&mut self, pixels: &[[u8; 4]]) {
        let luma = Weights::new([RED, 1.0 - RED - BLUE, BLUE].map(|weight| weight * 219.0 / 255.0), 16, 1);
        for (y, &[r, g, b, _]) in self.y.iter_mut().zip(pixels) {
            *y = luma.apply([r, g, b].map(i32::from));
        }
        let [blue, red] = chroma();
        let pairs = pixels.chunks_exact(2 * self.width);
        let rows = self.u.chunks_exact_mut(self.width / 2).zip(self.v.chunks_exact_mut(self.width / 2));
        for (pair, (us, vs)) in pairs.zip(rows) {
            let (upper, lower) = pair.split_at(self.width);
            let column = |x: usize| [0, 1, 2].map(|c| i32::from(upper[x][c]) + i32::from(lower[x][c]));
            // Colour is placed on the left pixels of a square, as is usual for H.264, so the filter is symmetric
            // about them: 1/4, 1/2, 1/4, in both rows.
            let mut left = column(0);
            for (i, (u, v)) in us.iter_mut().zip(vs).enumerate() {
                let (middle, right) = (column(2 * i), column(2 * i + 1));
                let sum = [0, 1, 2].map(|c| left[c] + 2 * middle[c] + right[c]);
                (*u, *v) = (blue.apply(sum), red.apply(sum));
                left = right;
            }
        }
    }
}

/// The difference of blue and of red from brightness, for sums of 8 pixels.
fn chroma() -> [Weights; 2] {
    let green = 1.0 - RED - BLUE;
    let scale = |room: f64| 224.0 / 255.0 / (2.0 * room);
    let blue = [-RED, -green, 1.0 - BLUE].map(|weight| weight * scale(1.0 - BLUE));
    let red = [1.0 - RED, -green, -BLUE].map(|weight| weight * scale(1.0 - RED));
    [Weights::new(blue, 128, 8), Weights::new(red, 128, 8)]
}

/// A weighted sum of red, green and blue in fixed point.
#[derive(Clone, Copy)]
struct Weights {
    weights: [i32; 3],
    offset: i32,
}

impl Weights {
    fn new(weights: [f64; 3], offset: i32, samples: i32) -> Self {
        let weights =
            weights.map(|weight| (weight / f64::from(samples) * f64::from(1 << BITS)).round() as i32);
        Self { weights, offset: (offset << BITS) + (1 << (BITS - 1)) }
    }

    fn apply(self, rgb: [i32; 3]) -> u8 {
        let [r, g, b] = self.weights;
        ((r * rgb[0] + g * rgb[1] + b * rgb[2] + self.offset) >> BITS) as u8
    }
}

impl YUVSource for Yuv {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.y
    }

    fn u(&self) -> &[u8] {
        &self.u
    }

    fn v(&self) -> &[u8] {
        &self.v
    }
}

#[cfg(test)]
mod tests {
    use super::Yuv;

    #[test]
    fn known_colours_have_the_values_of_the_standard() {
        // The 100 % colour bars of BT.709 in 8 bits.
        let known = [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
            ([255, 255, 0], [219, 16, 138]),
        ];
        for ([r, g, b], [y, u, v]) in known {
            let mut yuv = Yuv::new(4, 2);
            yuv.set(&[[r, g, b, 255]; 8]);
            assert_eq!((yuv.y[5], yuv.u[1], yuv.v[1]), (y, u, v), "{r} {g} {b}");
        }
    }
}
