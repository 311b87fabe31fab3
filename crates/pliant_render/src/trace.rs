//! What one ray brings back: light from the sun, the sky and lamps, once bounced; reflections; jelly.

mod coat;
mod gelatin;
mod spot;
mod sun;

use crate::light::{Beam, Lights, cosine};
use crate::matte::Plate;
use crate::sampler::Sampler;
use crate::stage::{Hit, PLANE, Stage, TOGETHER, Waiting};
use glam::Vec3A;
use pliant::scene::Finish;
pub(crate) use spot::Spot;

/// Part of the sky's light that surfaces give each other after the first bounce.
const FURTHER_BOUNCES: f32 = 0.35;
/// Beyond this haze a place shows nothing but the horizon.
const HORIZON: f32 = 0.995;
/// Brightest a single reflected ray may be: brighter ones would show as lone specks.
const BRIGHTEST: f32 = 4.0;

/// What is seen through one point of the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Light of the sun and the lamps that falls on the surface.
    pub light: Vec3A,
    /// Light of the sky and of what is around, if it was asked for.
    pub sky: Vec3A,
    /// On a surface of the photograph, the light that would be there without bodies; `light` is then all there is with
    /// them. Zero elsewhere.
    pub alone: Vec3A,
    /// The surface's colour, by which `light` is multiplied.
    pub colour: Vec3A,
    /// What is mirrored, shines through, or is the sky.
    pub other: Vec3A,
    pub normal: Vec3A,
    pub distance: f32,
    /// `SKY` if there is none.
    pub object: u32,
    /// Whether it lies on an endless plane, which has no steps.
    pub endless: bool,
    /// Whether `other` is too detailed for a wide filter.
    pub detailed: bool,
}

/// In place of an object's number.
pub(crate) const SKY: u32 = u32::MAX;

/// Follows rays through one stage. One per thread: it counts its rays.
pub(crate) struct Tracer<'a> {
    pub stage: &'a Stage<'a>,
    pub lights: &'a Lights,
    /// The photograph behind the scene, if there is one.
    pub plate: Option<Plate<'a>>,
    /// Lines along the edges of triangles, this many pixels wide; 0 for none.
    pub wire: f32,
    /// Size of a pixel at distance 1.
    pub pixel: f32,
    pub rays: Rays,
    /// Room that every walk through the tree needs.
    pub waiting: Waiting,
}

/// Rays cast so far, and what they were if that is asked for.
#[derive(Debug, Default)]
pub(crate) struct Rays {
    pub count: u64,
    /// Origin, direction, longest distance, and whether any hit was enough.
    pub log: Option<Vec<(Vec3A, Vec3A, f32, bool)>>,
}

impl Rays {
    /// All rays of several tracers, in their order.
    pub fn joined(parts: impl Iterator<Item = Rays>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.count += part.count;
            if let Some(log) = part.log {
                all.log.get_or_insert_default().extend(log);
            }
        }
        all
    }

    fn add(&mut self, origin: Vec3A, direction: Vec3A, longest: f32, any: bool) {
        self.count += 1;
        if let Some(log) = &mut self.log {
            log.push((origin, direction, longest, any));
        }
    }
}

impl Tracer<'_> {
    /// What neighbouring rays from the camera meet.
    pub fn meet(&mut self, rays: &[(Vec3A, Vec3A)]) -> [Option<Hit>; TOGETHER] {
        rays.iter().for_each(|(origin, direction)| self.rays.add(*origin, *direction, f32::INFINITY, false));
        let Stage { tree, planes, .. } = self.stage;
        tree.nearest_of(&mut self.waiting, rays, planes)
    }

    /// Whether what a ray met mirrors its surroundings.
    pub fn mirrors(&self, hit: &Hit) -> bool {
        let Stage { tree, planes, .. } = self.stage;
        let object = match planes.get((hit.what ^ PLANE) as usize) {
            Some(plane) => plane.object,
            None => tree.triangle(hit).1,
        };
        self.stage.surface(object).finish != Finish::Matte
    }

    /// What is seen along a ray from the camera, which meets something or nothing, with what comes of the sun and of its
    /// reflection. Light from the sky, which changes slowly from place to place, is looked for only with a sampler of its own.
    #[inline(always)]
    pub fn look(
        &mut self,
        direction: Vec3A,
        spot: Option<&Spot>,
        (sun, glint): (Option<&Beam>, Vec3A),
        sampler: &mut Sampler,
        sky: Option<&mut Sampler>,
    ) -> Sample {
        match spot {
            Some(spot) => self.shade(spot, direction, (sun, glint), sampler, sky),
            None => Sample {
                light: Vec3A::ZERO,
                sky: Vec3A::ZERO,
                alone: Vec3A::ZERO,
                colour: Vec3A::ZERO,
                other: self.background(direction),
                normal: Vec3A::ZERO,
                distance: f32::INFINITY,
                object: SKY,
                endless: true,
                detailed: false,
            },
        }
    }

    fn background(&self, direction: Vec3A) -> Vec3A {
        match &self.plate {
            Some(plate) => plate.behind(direction),
            None => self.lights.backdrop(direction),
        }
    }

    #[inline(always)]
    fn shade(
        &mut self,
        spot: &Spot,
        direction: Vec3A,
        (sun, glint): (Option<&Beam>, Vec3A),
        sampler: &mut Sampler,
        sky: Option<&mut Sampler>,
    ) -> Sample {
        let surface = self.stage.surface(spot.object);
        let mut sample = Sample {
            light: Vec3A::ZERO,
            sky: Vec3A::ZERO,
            alone: Vec3A::ZERO,
            colour: spot.colour,
            other: Vec3A::ZERO,
            normal: spot.normal,
            distance: spot.distance,
            object: spot.object,
            endless: spot.endless,
            detailed: surface.shows_surroundings(),
        };
        if let Some(plate) = self.plate.filter(|p| p.catches(spot.object)) {
            (sample.light, sample.alone) = self.caught(spot, sampler, &plate);
            sample.colour = plate.behind(direction);
            return sample;
        }
        if spot.haze > HORIZON {
            sample.colour = Vec3A::ZERO;
            sample.other = self.background(direction);
            return sample;
        }
        if surface.finish == Finish::Gelatin {
            sample.light = self.direct_under(sun, spot, sampler) * gelatin::MILK;
            if let Some(sky) = sky {
                sample.sky = self.around(spot, sky) * gelatin::MILK;
            }
            sample.other = self.through(spot, direction, sun, sampler);
        } else {
            let coat = surface.coat();
            let mut kept = Vec3A::ONE;
            if let Some((roughness, straight_on)) = coat {
                let reflected = self.reflection(spot, direction, (roughness, straight_on), glint, sampler);
                sample.other = reflected.0;
                kept -= reflected.1;
            }
            // A metal has no colour below its surface.
            if surface.finish != Finish::Metal {
                sample.light = self.direct_under(sun, spot, sampler) * kept;
                if let Some(sky) = sky {
                    sample.sky = self.around(spot, sky) * kept;
                }
            }
        }
        if spot.haze > 0.0 {
            let clear = 1.0 - spot.haze;
            sample.light *= clear;
            sample.sky *= clear;
            sample.other = sample.other * clear + self.background(direction) * spot.haze;
        }
        sample
    }

    /// All light that falls on a surface.
    #[inline(always)]
    fn diffuse(&mut self, spot: &Spot, sampler: &mut Sampler) -> Vec3A {
        self.direct(spot, sampler) + self.around(spot, sampler)
    }

    /// Light from all around: that of the open sky, which is known, and the difference that one direction makes where
    /// something is in the way of the sky. Under an open sky there is none, and no grain.
    #[inline(always)]
    fn around(&mut self, spot: &Spot, sampler: &mut Sampler) -> Vec3A {
        let direction = cosine(spot.normal, sampler.disc());
        let open = direction.dot(spot.face) > 0.0;
        let seen = if open { self.arriving(spot.above, direction, sampler) } else { Vec3A::ZERO };
        self.lights.open_sky(spot.normal) + seen - self.lights.sky(direction)
    }

    /// Light straight from the sun and the lamps.
    #[inline(always)]
    fn direct(&mut self, spot: &Spot, sampler: &mut Sampler) -> Vec3A {
        let sun = self.lights.sun(sampler.disc());
        self.beam(spot, sun) + self.lamplight(spot, sampler)
    }

    /// The same where it is known what arrives of the sun.
    #[inline(always)]
    fn direct_under(&mut self, sun: Option<&Beam>, spot: &Spot, sampler: &mut Sampler) -> Vec3A {
        let sunlight = match sun {
            Some(beam) => beam.light * spot.normal.dot(beam.middle),
            None => Vec3A::ZERO,
        };
        sunlight + self.lamplight(spot, sampler)
    }

    #[inline(always)]
    fn lamplight(&mut self, spot: &Spot, sampler: &mut Sampler) -> Vec3A {
        if self.lights.has_lamps() {
            let choice = sampler.number();
            let lamp = self.lights.lamp(spot.position, choice, sampler.disc());
            return self.beam(spot, lamp);
        }
        Vec3A::ZERO
    }

    #[inline(always)]
    fn beam(&mut self, spot: &Spot, beam: Option<Beam>) -> Vec3A {
        let Some(beam) = beam else { return Vec3A::ZERO };
        let facing = spot.normal.dot(beam.middle);
        if facing <= 0.0 {
            return Vec3A::ZERO;
        }
        beam.light * facing * self.passing(spot.above, beam.direction, beam.distance)
    }

    /// What comes from a direction: the sky, or the nearest surface under sun and sky.
    #[inline(always)]
    fn arriving(&mut self, origin: Vec3A, direction: Vec3A, sampler: &mut Sampler) -> Vec3A {
        let Some(hit) = self.nearest(origin, direction, f32::INFINITY) else {
            return self.lights.sky(direction);
        };
        // Of light from all around, nobody can tell whether it comes from a smooth surface or from its triangles.
        let spot = self.met_flat(&hit, (origin, direction));
        if let Some(photographed) = self.photographed(&spot) {
            return photographed;
        }
        let light = self.direct(&spot, sampler) + self.lights.ambient() * FURTHER_BOUNCES;
        (spot.colour * light).lerp(self.lights.sky(direction), spot.haze)
    }

    /// What a mirror shows: like `arriving`, but with the shade of what is around the place seen.
    /// Where there is nothing, `behind` is seen.
    #[inline(always)]
    fn mirrored(&mut self, origin: Vec3A, direction: Vec3A, behind: Vec3A, sampler: &mut Sampler) -> Vec3A {
        let Some(spot) = self.spot(origin, direction) else { return behind };
        if let Some(photographed) = self.photographed(&spot) {
            return photographed;
        }
        let light = self.diffuse(&spot, sampler);
        (spot.colour * light).min(Vec3A::splat(BRIGHTEST)).lerp(self.lights.sky(direction), spot.haze)
    }

    /// What the photograph shows at a place on one of its surfaces.
    fn photographed(&self, spot: &Spot) -> Option<Vec3A> {
        self.plate.filter(|p| p.catches(spot.object))?.seen_at(spot.position)
    }

    /// Light on a surface of the photograph with the bodies and without them, from the same directions.
    fn caught(&mut self, spot: &Spot, sampler: &mut Sampler, plate: &Plate) -> (Vec3A, Vec3A) {
        let mut again = sampler.clone();
        let with = self.diffuse(spot, sampler);
        let mut without = Tracer {
            stage: plate.empty,
            lights: self.lights,
            plate: self.plate,
            wire: 0.0,
            pixel: self.pixel,
            rays: Rays::default(),
            waiting: std::mem::take(&mut self.waiting),
        };
        let alone = without.diffuse(spot, &mut again);
        self.rays.count += without.rays.count;
        self.waiting = without.waiting;
        (with, alone.max(Vec3A::splat(1e-4)))
    }

    /// The first thing on a ray's way.
    #[inline(always)]
    fn nearest(&mut self, origin: Vec3A, direction: Vec3A, longest: f32) -> Option<Hit> {
        self.rays.add(origin, direction, longest, false);
        let Stage { tree, planes, .. } = self.stage;
        tree.nearest(&mut self.waiting, (origin, direction), longest, planes)
    }

    /// How much of the light passes along a way: none if anything solid stands in it.
    #[inline(always)]
    fn passing(&mut self, origin: Vec3A, direction: Vec3A, longest: f32) -> Vec3A {
        if self.stage.has_gelatin {
            return self.passing_gelatin(origin, direction, longest);
        }
        self.rays.add(origin, direction, longest, true);
        let Stage { tree, planes, .. } = self.stage;
        let blocked = tree.is_blocked(&mut self.waiting, (origin, direction), longest, planes);
        if blocked { Vec3A::ZERO } else { Vec3A::ONE }
    }
}
