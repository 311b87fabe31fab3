//! A film to write, and ways to compare.

use pliant_io::export::ExportError;
use pliant_render::Image;
use pliant_render::sink::{self, FilmInfo};
use std::path::Path;

/// A film of this size and length at 30 pictures per second.
pub fn film(width: u32, height: u32, count: usize) -> FilmInfo {
    FilmInfo { width, height, fps: 30.0, count, alpha: false }
}

/// Picture `k`: a smooth still background and a shaded disc that moves over it.
pub fn picture(info: &FilmInfo, k: usize) -> Image {
    let (w, h) = (f64::from(info.width), f64::from(info.height));
    let mut image = Image::filled(info.width, info.height, [0; 4]);
    let centre = [w * (0.2 + 0.015 * k as f64 % 0.6), h * 0.5];
    let radius = 0.25 * h;
    for (i, pixel) in image.pixels.iter_mut().enumerate() {
        let (x, y) = ((i as u32 % info.width) as f64, (i as u32 / info.width) as f64);
        let (dx, dy) = ((x - centre[0]) / radius, (y - centre[1]) / radius);
        let inside = 1.0 - dx * dx - dy * dy;
        let light = if inside > 0.0 { 60.0 + 160.0 * inside.sqrt() } else { 0.0 };
        let cover = (0.5 + inside * radius * 0.5).clamp(0.0, 1.0);
        let ground = [200.0 - 60.0 * y / h, 205.0 - 50.0 * y / h + 10.0 * x / w, 215.0 - 40.0 * y / h];
        let body = [light, light * 0.5, light * 0.25];
        let mix = |c: usize| (ground[c] * (1.0 - cover) + body[c] * cover).round() as u8;
        let alpha = if info.alpha { (cover * 255.0) as u8 } else { 255 };
        *pixel = [mix(0), mix(1), mix(2), alpha];
    }
    image
}

/// Writes the pictures of `info` to `path`.
pub fn write(path: &Path, info: &FilmInfo) -> Result<(), ExportError> {
    let mut sink = sink::open(path, info)?;
    for k in 0..info.count {
        sink.picture(&picture(info, k))?;
    }
    sink.finish()
}

/// Peak signal to noise ratio `[dB]` over red, green and blue.
pub fn psnr(a: &[[u8; 4]], b: &[[u8; 4]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let square = |(a, b): (&[u8; 4], &[u8; 4])| {
        (0..3).map(|c| (f64::from(a[c]) - f64::from(b[c])).powi(2)).sum::<f64>()
    };
    let mean = a.iter().zip(b).map(square).sum::<f64>() / (3 * a.len()) as f64;
    10.0 * (255.0 * 255.0 / mean).log10()
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
