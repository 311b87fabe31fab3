//! Taking a picture: samples per pixel, more where they are needed, then a filter, then development.

use crate::camera::Lens;
use crate::develop::{develop, quantise};
use crate::filter::{self, Layer};
use crate::image::Image;
use crate::light::Lights;
use crate::matte::Plate;
use crate::sampler::Sampler;
use crate::stage::Stage;
use crate::trace::{Rays, SKY, Sample, Tracer};
use glam::{Vec3A, Vec4};
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const BAND: usize = 8;
/// How many times more samples pixels get where neighbouring samples see different things.
const MORE_AT_EDGES: u32 = 4;

/// How a picture is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposure {
    pub size: [u32; 2],
    /// Samples per pixel, a power of two.
    pub samples: u32,
    /// Factor on all light.
    pub gain: f32,
    /// Whether the sky and caught shadows stay transparent.
    pub alpha: bool,
    /// Lines along triangles, in pixels.
    pub wire: f32,
}

/// Sums over the samples of one pixel.
#[derive(Clone, Copy, Default)]
struct Pixel {
    light: Vec3A,
    colour: Vec3A,
    other: Vec3A,
    /// Of the two multiplied and added, sample by sample.
    whole: Vec3A,
    normal: Vec3A,
    /// Of inverse distances, which are linear across the picture of a plane.
    nearness: f32,
    brightness_squared: f32,
    covered: f32,
    shade: f32,
    object: u32,
    count: u32,
    mixed: bool,
    detailed: bool,
}

impl Pixel {
    fn add(&mut self, sample: &Sample, catches: bool) {
        let first = self.count == 0;
        let nearness = 1.0 / sample.distance;
        if first {
            self.object = sample.object;
        } else {
            let mean = self.normal.normalize_or_zero();
            let bent = sample.normal.dot(mean) < 0.95 && sample.object != SKY;
            let stepped = (nearness * self.count as f32 - self.nearness).abs() > 0.1 * self.nearness;
            self.mixed |= sample.object != self.object || bent || (stepped && sample.object != SKY);
        }
        self.light += sample.light;
        self.colour += sample.colour;
        self.other += sample.other;
        self.whole += sample.light * sample.colour + sample.other;
        self.normal += sample.normal;
        self.nearness += nearness;
        self.brightness_squared += brightness(sample.light).powi(2);
        self.detailed |= sample.detailed;
        self.count += 1;
        if catches {
            self.shade += 1.0 - brightness(sample.light).min(1.0);
        } else if sample.object != SKY {
            self.covered += 1.0;
        }
    }
}

fn brightness(light: Vec3A) -> f32 {
    light.dot(Vec3A::new(0.2126, 0.7152, 0.0722))
}

/// One moment of the time during which the shutter is open.
pub(crate) struct Slice<'a> {
    pub stage: Stage<'a>,
    pub lens: Lens,
    pub plate: Option<Plate<'a>>,
}

/// Light per pixel, ready to be developed, and the rays it took.
pub(crate) struct Negative {
    pub size: [u32; 2],
    pub light: Vec<Vec3A>,
    /// Opacity, if it is kept.
    pub alpha: Option<Vec<f32>>,
    pub rays: Rays,
}

/// Takes a picture. With several slices, samples are dealt out among them in turn.
pub(crate) fn expose(slices: &[Slice], lights: &Lights, how: &Exposure, log_rays: bool) -> Negative {
    let [width, height] = how.size.map(|n| n as usize);
    let mut pixels = vec![Pixel::default(); width * height];
    let rays: Vec<Rays> = pixels
        .par_chunks_mut(width * BAND)
        .enumerate()
        .map(|(band, pixels)| {
            let mut tracers: Vec<Tracer> = slices.iter().map(|s| tracer(s, lights, how, log_rays)).collect();
            for (i, pixel) in pixels.iter_mut().enumerate() {
                let (x, y) = ((i % width) as u32, (band * BAND + i / width) as u32);
                fill(pixel, x, y, slices, &mut tracers, how);
            }
            let mut rays = Rays { count: 0, log: log_rays.then(Vec::new) };
            for tracer in tracers {
                rays.count += tracer.rays.count;
                if let (Some(all), Some(own)) = (&mut rays.log, tracer.rays.log) {
                    all.extend(own);
                }
            }
            rays
        })
        .collect();
    let mut all = Rays { count: 0, log: log_rays.then(Vec::new) };
    for band in rays {
        all.count += band.count;
        if let (Some(log), Some(own)) = (&mut all.log, band.log) {
            log.extend(own);
        }
    }
    let alpha = how.alpha.then(|| {
        pixels.iter().map(|p| ((p.covered + p.shade) / p.count.max(1) as f32).clamp(0.0, 1.0)).collect()
    });
    Negative { size: how.size, light: join(&pixels, how), alpha, rays: all }
}

fn tracer<'a>(slice: &'a Slice, lights: &'a Lights, how: &Exposure, log_rays: bool) -> Tracer<'a> {
    Tracer {
        stage: &slice.stage,
        lights,
        plate: slice.plate,
        wire: how.wire,
        pixel: slice.lens.across.length(),
        rays: Rays { count: 0, log: log_rays.then(Vec::new) },
    }
}

fn fill(pixel: &mut Pixel, x: u32, y: u32, slices: &[Slice], tracers: &mut [Tracer], how: &Exposure) {
    for sample in 0..how.samples * MORE_AT_EDGES {
        // Samples that every pixel has are spread evenly over neighbouring pixels too; the others only over their own.
        let mut sampler = match sample.checked_sub(how.samples) {
            None => Sampler::new(x, y, sample, how.samples, 0),
            Some(_) if !(pixel.mixed || pixel.detailed) => break,
            Some(extra) => Sampler::new(x, y, extra, how.samples * MORE_AT_EDGES, 1),
        };
        let k = sample as usize % slices.len();
        let [dx, dy] = sampler.pair();
        let on_lens = if slices[k].lens.is_wide() { sampler.pair() } else { [0.5; 2] };
        let (origin, direction) = slices[k].lens.ray(x as f32 + dx, y as f32 + dy, on_lens);
        let seen = tracers[k].look(origin, direction, &mut sampler);
        let catches = slices[k].plate.is_some_and(|p| p.catches(seen.object));
        pixel.add(&seen, catches);
    }
}

/// Filters what is noisy and puts the parts of the light together again.
fn join(pixels: &[Pixel], how: &Exposure) -> Vec<Vec3A> {
    let size = how.size.map(|n| n as usize);
    let mean = |sum: Vec3A, p: &Pixel| sum / p.count.max(1) as f32;
    let guide = |p: &Pixel| {
        let n = p.normal.normalize_or_zero();
        Vec4::new(n.x, n.y, n.z, p.nearness / p.count.max(1) as f32)
    };
    let spread = |p: &Pixel| {
        // Variance of the mean brightness, from the samples of the pixel itself.
        let n = p.count.max(1) as f32;
        let m = brightness(p.light) / n;
        ((p.brightness_squared / n - m * m).max(0.0) / n).max(1e-8)
    };
    let guides: Vec<Vec4> = pixels.par_iter().map(guide).collect();
    let group = |p: &Pixel| if p.mixed { filter::ALONE } else { p.object };
    let groups: Vec<u32> = pixels.par_iter().map(group).collect();
    let light = Layer {
        values: pixels.par_iter().map(|p| mean(p.light, p).extend(spread(p))).collect(),
        guides: &guides,
        groups: &groups,
    };
    let light = light.filtered(size);
    // What is mirrored is grainy in rough coats only.
    let grainy = |p: &Pixel| p.other != Vec3A::ZERO && p.object != SKY && !p.detailed;
    let coated: Vec<u32> =
        pixels.par_iter().map(|p| if grainy(p) { group(p) } else { filter::ALONE }).collect();
    let other = Layer {
        values: pixels.par_iter().map(|p| mean(p.other, p).extend(2e-4)).collect(),
        guides: &guides,
        groups: &coated,
    };
    let other = if pixels.par_iter().any(grainy) { other.filtered(size) } else { other.values };
    (0..pixels.len())
        .into_par_iter()
        .map(|i| {
            let p = &pixels[i];
            let light = if p.mixed {
                mean(p.whole, p)
            } else {
                mean(p.colour, p) * Vec3A::from(light[i].truncate()) + Vec3A::from(other[i].truncate())
            };
            light * how.gain
        })
        .collect()
}

impl Negative {
    /// The finished picture.
    pub fn developed(&self) -> Image {
        let mut pixels = vec![[0; 4]; self.light.len()];
        pixels.par_iter_mut().enumerate().for_each(|(i, pixel)| {
            let alpha = self.alpha.as_ref().map_or(1.0, |a| a[i]);
            // Straight alpha: the colour of what covers, not of what it covers together with nothing.
            let light = if alpha > 1e-3 { self.light[i] / alpha } else { Vec3A::ZERO };
            let [r, g, b] = develop(light).map(quantise);
            *pixel = [r, g, b, quantise(alpha)];
        });
        Image { width: self.size[0], height: self.size[1], pixels }
    }
}
