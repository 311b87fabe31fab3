//! Taking a picture: samples per pixel, more where they are needed, then a filter, then development.

mod pixel;

use crate::camera::Lens;
use crate::develop::{develop, quantise};
use crate::filter::Layer;
use crate::image::Image;
use crate::light::Lights;
use crate::matte::Plate;
use crate::sampler::Sampler;
use crate::stage::{Stage, Waiting};
use crate::trace::{Rays, SKY, Tracer};
use glam::{Vec3A, Vec4};
use pixel::{Pixel, Wants};
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const BAND: usize = 16;
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
    let (count, band) = (width * height, width * BAND);
    let mut light = vec![Vec4::ZERO; count];
    let mut other = vec![Vec4::ZERO; count];
    let mut colour = vec![Vec3A::ZERO; count];
    let mut guides = vec![Vec4::ZERO; count];
    let mut groups = vec![[0; 2]; count];
    let mut alpha = vec![1.0; if how.alpha { count } else { 0 }];
    let parts = (light.par_chunks_mut(band), other.par_chunks_mut(band), colour.par_chunks_mut(band));
    let facts = (guides.par_chunks_mut(band), groups.par_chunks_mut(band));
    let alphas =
        if how.alpha { alpha.par_chunks_mut(band).map(Some).collect() } else { none(count.div_ceil(band)) };
    let rays: Vec<Rays> = (parts, facts, alphas.into_par_iter())
        .into_par_iter()
        .enumerate()
        .map(|(k, ((light, other, colour), (guides, groups), mut alpha))| {
            let mut tracers: Vec<Tracer> = slices.iter().map(|s| tracer(s, lights, how, log_rays)).collect();
            let pixels = band_of_pixels(k * BAND, light.len(), slices, &mut tracers, how);
            for (i, pixel) in pixels.iter().enumerate() {
                (light[i], other[i], colour[i]) = (pixel.light(), pixel.other(), pixel.colour());
                (guides[i], groups[i]) = (pixel.guide(), pixel.groups());
                if let Some(alpha) = &mut alpha {
                    alpha[i] = pixel.alpha();
                }
            }
            Rays::joined(tracers.into_iter().map(|t| t.rays))
        })
        .collect();
    let [own, coated] = [0, 1].map(|k| groups.par_iter().map(|g| g[k]).collect::<Vec<u32>>());
    let light = Layer { values: light, guides: &guides, groups: &own }.filtered([width, height]);
    let other = Layer { values: other, guides: &guides, groups: &coated }.filtered([width, height]);
    let whole = |i: usize| (colour[i] * Vec3A::from_vec4(light[i]) + Vec3A::from_vec4(other[i])) * how.gain;
    Negative {
        size: how.size,
        light: (0..count).into_par_iter().map(whole).collect(),
        alpha: how.alpha.then_some(alpha),
        rays: Rays::joined(rays.into_iter()),
    }
}

fn none<'a>(count: usize) -> Vec<Option<&'a mut [f32]>> {
    (0..count).map(|_| None).collect()
}

fn tracer<'a>(slice: &'a Slice, lights: &'a Lights, how: &Exposure, log_rays: bool) -> Tracer<'a> {
    Tracer {
        stage: &slice.stage,
        lights,
        plate: slice.plate,
        wire: how.wire,
        pixel: slice.lens.across.length(),
        rays: Rays { count: 0, log: log_rays.then(Vec::new) },
        waiting: Waiting::new(),
    }
}

/// Takes the samples of some rows: a few for every pixel, more where the few do not agree with each other or with those
/// of the pixels around.
fn band_of_pixels(
    top: usize,
    count: usize,
    slices: &[Slice],
    tracers: &mut [Tracer],
    how: &Exposure,
) -> Vec<Pixel> {
    let width = how.size[0] as usize;
    let mut pixels = vec![Pixel::default(); count];
    let base = (how.samples / 2).max(1);
    let place = |i: usize| ((i % width) as u32, (top + i / width) as u32);
    for (i, pixel) in pixels.iter_mut().enumerate() {
        take(pixel, place(i), (0..base, base, 0), true, slices, tracers, how);
    }
    let next_to = |i: usize| {
        let (x, row) = (i % width, i / width);
        let across = (x + 1 < width).then_some(i + 1);
        (i, [across, (row + 1 < count / width).then_some(i + width)])
    };
    let mut unsure: Vec<bool> = pixels.iter().map(|p| p.wants() > Wants::Nothing).collect();
    for (i, others) in (0..count).map(next_to) {
        for j in others.into_iter().flatten().filter(|j| pixels[i].is_unlike(&pixels[*j])) {
            (unsure[i], unsure[j]) = (true, true);
        }
    }
    for (i, pixel) in pixels.iter_mut().enumerate().filter(|(i, _)| unsure[*i]) {
        if pixel.wants() < Wants::Many {
            // What is noisy is so because of the sun more often than because of the sky, whose light varies slowly.
            take(pixel, place(i), (0..how.samples - base, base, 2), false, slices, tracers, how);
        }
        if pixel.wants() == Wants::Many {
            let edges = how.samples * MORE_AT_EDGES;
            take(pixel, place(i), (0..edges - pixel.count(), edges, 4), true, slices, tracers, how);
        }
    }
    pixels
}

/// Takes samples of one pixel: which, of how many to a pixel, and from which stream. With `sky`, each looks for the sky.
fn take(
    pixel: &mut Pixel,
    (x, y): (u32, u32),
    (which, of, stream): (std::ops::Range<u32>, u32, u32),
    sky: bool,
    slices: &[Slice],
    tracers: &mut [Tracer],
    how: &Exposure,
) {
    for sample in which {
        let mut sampler = Sampler::new(x, y, sample, of, stream);
        let mut for_sky = sky.then(|| Sampler::new(x, y, sample, of, stream + 1));
        let k = pixel.count() as usize % slices.len();
        let [dx, dy] = sampler.pair();
        let on_lens = if slices[k].lens.is_wide() { sampler.pair() } else { [0.5; 2] };
        let (origin, direction) = slices[k].lens.ray(x as f32 + dx, y as f32 + dy, on_lens);
        let mut seen = tracers[k].look(origin, direction, &mut sampler, for_sky.as_mut());
        let catches = slices[k].plate.is_some_and(|p| p.catches(seen.object));
        // What is transparent brings no light of its own.
        if how.alpha && seen.object == SKY {
            seen.other = Vec3A::ZERO;
        }
        pixel.add(&seen, sky, catches);
        if how.alpha && catches {
            pixel.darken(&seen);
        }
    }
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
