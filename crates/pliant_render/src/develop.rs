//! From light to pixels: exposure, a shoulder for what is too bright, sRGB. Every part can be undone, so that a
//! photograph can be turned back into light.

use glam::Vec3A;

/// Up to here light is shown as it is; above, ever brighter light comes ever closer to white.
const SHOULDER: f32 = 0.75;

/// The pixel value, 0 to 1, that shows an amount of light.
pub(crate) fn develop(light: Vec3A) -> [f32; 3] {
    light.to_array().map(|x| to_srgb(shoulder(x)))
}

/// The light that a pixel value shows.
pub(crate) fn undevelop(pixel: [f32; 3]) -> Vec3A {
    Vec3A::from_array(pixel.map(|x| from_shoulder(to_linear(x))))
}

/// To 8 bits.
pub(crate) fn quantise(x: f32) -> u8 {
    // A float to int cast saturates and takes NaN to 0.
    (x * 255.0 + 0.5) as u8
}

fn shoulder(x: f32) -> f32 {
    let over = (x - SHOULDER) / (1.0 - SHOULDER);
    if over <= 0.0 { x.max(0.0) } else { SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over) }
}

fn from_shoulder(y: f32) -> f32 {
    let over = ((y - SHOULDER) / (1.0 - SHOULDER)).min(0.995);
    if over <= 0.0 { y } else { SHOULDER + (1.0 - SHOULDER) * over / (1.0 - over) }
}

fn to_srgb(x: f32) -> f32 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// Linear from sRGB.
pub(crate) fn to_linear(x: f32) -> f32 {
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_survive_the_way_to_light_and_back() {
        for k in 0..=255_u8 {
            let x = f32::from(k) / 255.0;
            assert_eq!(develop(undevelop([x; 3])).map(quantise), [k; 3]);
        }
    }

    #[test]
    fn brighter_light_is_never_darker() {
        let shown: Vec<f32> = (0..4000).map(|k| develop(Vec3A::splat(k as f32 * 0.01))[0]).collect();
        assert!(shown.windows(2).all(|w| w[0] <= w[1]) && shown.iter().all(|x| (0.0..=1.0).contains(x)));
        assert_eq!(develop(Vec3A::splat(f32::NAN)).map(quantise), [0; 3]);
    }
}
