//! Lines, dots and letters on a finished picture.

use crate::image::Image;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use tiny_skia::{Color, FillRule, LineCap, Paint, PathBuilder, PixmapMut, PixmapRef, Stroke, Transform};

/// A picture that is drawn on. Places are in pixels from the top left.
pub(crate) struct Canvas {
    pixels: tiny_skia::Pixmap,
}

/// Heights of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letters {
    Small,
    /// For pictures that are shown smaller than they are.
    Large,
}

impl Letters {
    fn height(self) -> RasterHeight {
        match self {
            Letters::Small => RasterHeight::Size16,
            Letters::Large => RasterHeight::Size32,
        }
    }

    /// Pixels that a text takes across.
    pub fn width(self, text: &str) -> f64 {
        let wide = get_raster(' ', FontWeight::Regular, self.height()).map_or(0, |g| g.width());
        (text.chars().count() * wide) as f64
    }
}

/// Red, green, blue, opacity.
pub(crate) type Ink = [u8; 4];

impl Canvas {
    /// Nothing if the picture has no pixels.
    pub fn new(image: &Image) -> Option<Self> {
        let mut pixels = tiny_skia::Pixmap::new(image.width, image.height)?;
        for (to, from) in pixels.data_mut().chunks_exact_mut(4).zip(&image.pixels) {
            let [r, g, b, a] = *from;
            to.copy_from_slice(&[times(r, a), times(g, a), times(b, a), a]);
        }
        Some(Self { pixels })
    }

    /// The picture with what was drawn.
    pub fn image(&self) -> Image {
        let pixels = self.pixels.pixels().iter().map(|p| {
            let p = p.demultiply();
            [p.red(), p.green(), p.blue(), p.alpha()]
        });
        Image { width: self.pixels.width(), height: self.pixels.height(), pixels: pixels.collect() }
    }

    /// How bright a pixel is, 0 to 255; nothing beside the picture.
    pub fn brightness(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let inside = |at: f64, size: u32| (0.0..f64::from(size)).contains(&at);
        if !inside(x, self.pixels.width()) || !inside(y, self.pixels.height()) {
            return None;
        }
        let pixel = self.pixels.pixel(x as u32, y as u32)?;
        let part = |of: f64, value: u8| of * f64::from(value);
        Some(part(0.2126, pixel.red()) + part(0.7152, pixel.green()) + part(0.0722, pixel.blue()))
    }

    pub fn line(&mut self, points: &[[f64; 2]], width: f64, ink: Ink) {
        let mut path = PathBuilder::new();
        for (i, [x, y]) in points.iter().map(|p| p.map(|x| x as f32)).enumerate() {
            if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        if let Some(path) = path.finish() {
            let stroke = Stroke { width: width as f32, line_cap: LineCap::Round, ..Stroke::default() };
            self.pixels.stroke_path(&path, &paint(ink), &stroke, Transform::identity(), None);
        }
    }

    pub fn polygon(&mut self, points: &[[f64; 2]], ink: Ink) {
        let mut path = PathBuilder::new();
        for (i, [x, y]) in points.iter().map(|p| p.map(|x| x as f32)).enumerate() {
            if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        path.close();
        if let Some(path) = path.finish() {
            self.pixels.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }

    pub fn dot(&mut self, [x, y]: [f64; 2], radius: f64, ink: Ink) {
        if let Some(path) = PathBuilder::from_circle(x as f32, y as f32, radius as f32) {
            self.pixels.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }

    pub fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], ink: Ink) {
        self.polygon(&[[x, y], [x + width, y], [x + width, y + height], [x, y + height]], ink);
    }

    /// An arrow with a light rim, so that it shows on dark and on light.
    pub fn arrow(&mut self, from: [f64; 2], to: [f64; 2], width: f64, ink: Ink) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy);
        if length < 1.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let head = (4.0 * width).min(0.6 * length);
        let neck = [to[0] - ux * head, to[1] - uy * head];
        let rim = [255, 255, 255, 150];
        for (w, h, ink) in [(width + 2.0, 0.5 * head + 1.5, rim), (width, 0.5 * head, ink)] {
            self.line(&[from, neck], w, ink);
            let grow = if w > width { 1.5 } else { 0.0 };
            let tip = [to[0] + ux * grow * 1.5, to[1] + uy * grow * 1.5];
            let left = [neck[0] - uy * h - ux * grow, neck[1] + ux * h - uy * grow];
            let right = [neck[0] + uy * h - ux * grow, neck[1] - ux * h - uy * grow];
            self.polygon(&[tip, left, right], ink);
        }
    }

    /// Writes from `at`, the top left corner. Characters without a shape become `?`.
    pub fn text(&mut self, letters: Letters, text: &str, at: [f64; 2], ink: Ink) {
        let mut x = at[0].round() as i32;
        for c in text.chars() {
            let glyph = |c| get_raster(c, FontWeight::Regular, letters.height());
            let Some(glyph) = glyph(c).or_else(|| glyph('?')) else { continue };
            let mut mask = Vec::with_capacity(glyph.width() * glyph.height() * 4);
            for strength in glyph.pixels() {
                let a = times(*strength, ink[3]);
                mask.extend([times(ink[0], a), times(ink[1], a), times(ink[2], a), a]);
            }
            if let Some(letter) = PixmapRef::from_bytes(&mask, glyph.width() as u32, glyph.height() as u32) {
                let mut target: PixmapMut = self.pixels.as_mut();
                target.draw_pixmap(
                    x,
                    at[1].round() as i32,
                    letter,
                    &Default::default(),
                    Transform::identity(),
                    None,
                );
            }
            x += glyph.width() as i32;
        }
    }
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba8(ink[0], ink[1], ink[2], ink[3]));
    paint
}

/// Product of two numbers that stand for 0 to 1.
fn times(a: u8, b: u8) -> u8 {
    ((u16::from(a) * u16::from(b) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_where_it_was_drawn() {
        let blank = Image::filled(60, 40, [10, 20, 30, 255]);
        let mut canvas = Canvas::new(&blank).expect("it has pixels");
        assert_eq!(canvas.image(), blank);
        canvas.dot([30.0, 20.0], 5.0, [255, 0, 0, 255]);
        canvas.text(Letters::Small, "M", [0.0, 0.0], [255; 4]);
        let image = canvas.image();
        assert_eq!(image.at(30, 20), [255, 0, 0, 255]);
        assert_eq!(image.at(50, 35), [10, 20, 30, 255]);
        let letter = (0..10).flat_map(|x| (0..16).map(move |y| (x, y)));
        assert!(letter.filter(|(x, y)| image.at(*x, *y)[0] > 100).count() > 5);
        assert_eq!(canvas.brightness([30.5, 20.5]).map(f64::round), Some(54.0), "red is a fifth of white");
        assert_eq!([[-1.0, 5.0], [60.0, 5.0]].map(|at| canvas.brightness(at)), [None; 2]);
        assert!(Canvas::new(&Image::filled(0, 5, [0; 4])).is_none());
    }
}
