//! Taking a picture: samples per pixel, more where they are needed, then a filter, then development.

mod band;
mod pixel;

use crate::camera::Lens;
use crate::develop::{Developer, quantise};
use crate::filter::{ALONE, Layer, Layout};
use crate::image::Image;
use crate::lanes::Machine;
use crate::light::Lights;
use crate::matte::Plate;
use crate::stage::{Stage, Waiting};
use crate::trace::{Rays, Tracer};
use band::Band;
use glam::Vec3A;
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
    layout: Layout,
    light: Vec<f32>,
    other: Vec<f32>,
    guides: Vec<f32>,
    /// Pixels whose light may be put together, and those whose other light may.
    groups: [Vec<f32>; 2],
    colour: Vec<Vec3A>,
    room: Vec<f32>,
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
        self.make_room([width, height]);
        let Self { layout, light, other, guides, groups, colour, room } = self;
        let (layout, [groups, other_groups]) = (*layout, groups);
        let mut alpha = vec![1.0; if how.alpha { count } else { 0 }];
        let (one, four) = (layout.rows(BAND, 1), layout.rows(BAND, 4));
        let parts = (light.par_chunks_mut(four), other.par_chunks_mut(four), colour.par_chunks_mut(band));
        let facts =
            (guides.par_chunks_mut(four), groups.par_chunks_mut(one), other_groups.par_chunks_mut(one));
        let alphas = if how.alpha {
            alpha.par_chunks_mut(band).map(Some).collect()
        } else {
            none(count.div_ceil(band))
        };
        let rays: Vec<Rays> = (parts, facts, alphas.into_par_iter())
            .into_par_iter()
            .enumerate()
            .map(|(k, ((light, other, colour), (guides, groups, other_groups), mut alpha))| {
                let tracers = slices.iter().map(|s| tracer(s, lights, how, log_rays)).collect();
                let mut band = Band::new(slices, tracers, how);
                band.take(k * BAND..k * BAND + colour.len() / width, |row, pixels| {
                    for (x, pixel) in pixels.iter().enumerate() {
                        let i = row * width + x;
                        let (own, around, guide) = (pixel.light(), pixel.other(), pixel.guide());
                        for (k, place) in layout.four([x, row]).into_iter().enumerate() {
                            (light[place], other[place], guides[place]) = (own[k], around[k], guide[k]);
                        }
                        let place = layout.place([x, row], 0, 1);
                        [groups[place], other_groups[place]] = pixel.groups();
                        colour[i] = pixel.colour();
                        if let Some(alpha) = &mut alpha {
                            alpha[i] = pixel.alpha();
                        }
                    }
                });
                band.rays()
            })
            .collect();
        let machine = Machine::at_hand();
        Layer { layout, values: light, guides, groups }.filter(room, machine);
        Layer { layout, values: other, guides, groups: other_groups }.filter(room, machine);
        colour.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, colour) in row.iter_mut().enumerate() {
                let [red, green, blue, _] = layout.four([x, y]);
                let of = |part: &[f32]| Vec3A::new(part[red], part[green], part[blue]);
                *colour = (*colour * of(light) + of(other)) * how.gain;
            }
        });
        Negative {
            size: how.size,
            light: std::mem::take(colour),
            alpha: how.alpha.then_some(alpha),
            rays: Rays::joined(rays.into_iter()),
        }
    }

    /// Memory for a picture of some size.
    fn make_room(&mut self, size: [usize; 2]) {
        let layout = Layout::new(size);
        if layout == self.layout && self.colour.len() == size[0] * size[1] {
            return;
        }
        self.layout = layout;
        for numbers in [&mut self.light, &mut self.other, &mut self.guides, &mut self.room] {
            numbers.clear();
            numbers.resize(layout.all(4), 0.0);
        }
        for groups in &mut self.groups {
            groups.clear();
            groups.resize(layout.all(1), ALONE);
        }
        self.colour.resize(size[0] * size[1], Vec3A::ZERO);
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
    /// A dark picture of the same size.
    pub fn blank(&self) -> Self {
        Self {
            size: self.size,
            light: vec![Vec3A::ZERO; self.light.len()],
            alpha: self.alpha.as_ref().map(|a| vec![0.0; a.len()]),
            rays: Rays::default(),
        }
    }

    /// Adds a part of the light of another picture of the same size.
    pub fn add(&mut self, other: &Self, part: f32) {
        self.light.iter_mut().zip(&other.light).for_each(|(to, from)| *to += *from * part);
        if let (Some(to), Some(from)) = (&mut self.alpha, &other.alpha) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from * part);
        }
    }

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
