//! Taking a picture: samples per pixel, more where they are needed, then a filter, then development.

mod band;
mod pixel;

use crate::camera::Lens;
use crate::develop::{Developer, quantise};
use crate::filter::{Layer, Room};
use crate::image::Image;
use crate::light::Lights;
use crate::matte::Plate;
use crate::stage::{Stage, Waiting};
use crate::trace::{Rays, Tracer};
use band::Band;
use glam::{Vec3A, Vec4};
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const BAND: usize = 16;

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

/// Memory for what is known of every pixel. One picture leaves it to the next: the system takes longer to find fresh
/// memory than some of the work on it takes.
#[derive(Debug, Default)]
pub(crate) struct Darkroom {
    light: Vec<Vec4>,
    other: Vec<Vec4>,
    colour: Vec<Vec3A>,
    guides: Vec<Vec4>,
    groups: Vec<[u32; 2]>,
    room: Room,
}

/// Light per pixel, ready to be developed, and the rays it took.
pub(crate) struct Negative {
    pub size: [u32; 2],
    pub light: Vec<Vec3A>,
    /// Opacity, if it is kept.
    pub alpha: Option<Vec<f32>>,
    pub rays: Rays,
}

impl Darkroom {
    /// Takes a picture. With several slices, samples are dealt out among them in turn.
    pub fn expose(&mut self, slices: &[Slice], lights: &Lights, how: &Exposure, log_rays: bool) -> Negative {
        let [width, height] = how.size.map(|n| n as usize);
        let (count, band) = (width * height, width * BAND);
        let Self { light, other, colour, guides, groups, room } = self;
        light.resize(count, Vec4::ZERO);
        other.resize(count, Vec4::ZERO);
        colour.resize(count, Vec3A::ZERO);
        guides.resize(count, Vec4::ZERO);
        groups.resize(count, [0; 2]);
        let mut alpha = vec![1.0; if how.alpha { count } else { 0 }];
        let parts = (light.par_chunks_mut(band), other.par_chunks_mut(band), colour.par_chunks_mut(band));
        let facts = (guides.par_chunks_mut(band), groups.par_chunks_mut(band));
        let alphas = if how.alpha {
            alpha.par_chunks_mut(band).map(Some).collect()
        } else {
            none(count.div_ceil(band))
        };
        let rays: Vec<Rays> = (parts, facts, alphas.into_par_iter())
            .into_par_iter()
            .enumerate()
            .map(|(k, ((light, other, colour), (guides, groups), mut alpha))| {
                let tracers = slices.iter().map(|s| tracer(s, lights, how, log_rays)).collect();
                let mut band = Band::new(slices, tracers, how);
                band.take(k * BAND..k * BAND + light.len() / width, |row, pixels| {
                    for (i, pixel) in pixels.iter().enumerate().map(|(x, pixel)| (row * width + x, pixel)) {
                        (light[i], other[i], colour[i]) = (pixel.light(), pixel.other(), pixel.colour());
                        (guides[i], groups[i]) = (pixel.guide(), pixel.groups());
                        if let Some(alpha) = &mut alpha {
                            alpha[i] = pixel.alpha();
                        }
                    }
                });
                band.rays()
            })
            .collect();
        Layer { values: light, guides, group: |i: usize| groups[i][0] }.filter([width, height], room);
        Layer { values: other, guides, group: |i: usize| groups[i][1] }.filter([width, height], room);
        colour.par_iter_mut().zip(&*light).zip(&*other).for_each(|((colour, light), other)| {
            *colour = (*colour * Vec3A::from_vec4(*light) + Vec3A::from_vec4(*other)) * how.gain;
        });
        Negative {
            size: how.size,
            light: std::mem::take(colour),
            alpha: how.alpha.then_some(alpha),
            rays: Rays::joined(rays.into_iter()),
        }
    }

    /// Takes back the memory of a picture that is finished.
    pub fn take_back(&mut self, negative: Negative) {
        self.colour = negative.light;
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

impl Negative {
    /// The finished picture.
    pub fn developed(&self) -> Image {
        let developer = Developer::new();
        let mut pixels = vec![[0; 4]; self.light.len()];
        pixels.par_iter_mut().enumerate().for_each(|(i, pixel)| {
            let alpha = self.alpha.as_ref().map_or(1.0, |a| a[i]);
            // Straight alpha: the colour of what covers, not of what it covers together with nothing.
            let light = if alpha > 1e-3 { self.light[i] / alpha } else { Vec3A::ZERO };
            let [r, g, b] = developer.pixel(light);
            *pixel = [r, g, b, quantise(alpha)];
        });
        Image { width: self.size[0], height: self.size[1], pixels }
    }
}
