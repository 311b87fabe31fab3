//! Jelly: light is bent where it enters and leaves, coloured on its way, and a little of it scattered.

use super::coat::fresnel;
use super::{Spot, Tracer};
use crate::light::Beam;
use crate::sampler::Sampler;
use crate::stage::PLANE;
use glam::Vec3A;
use pliant::scene::Finish;

/// Part of the light that is scattered near the surface.
pub(super) const MILK: f32 = 0.22;
/// Refractive index of water with gelatin and sugar.
const INDEX: f32 = 1.36;
/// Reflectance straight on.
const STRAIGHT_ON: f32 = 0.023;
/// Thickness at which a white light has taken the jelly's colour, as a part of the action's radius.
const DEPTH: f32 = 0.35;
/// Times a ray may meet the surface from inside before it is given up.
const TURNS: usize = 5;

impl Tracer<'_> {
    /// What is seen in and through jelly.
    pub(super) fn through(
        &mut self,
        spot: &Spot,
        direction: Vec3A,
        sun: Option<&Beam>,
        sampler: &mut Sampler,
    ) -> Vec3A {
        let mirrored = direction - spot.normal * (2.0 * direction.dot(spot.normal));
        let strength = fresnel(Vec3A::splat(STRAIGHT_ON), -direction.dot(spot.normal));
        let mut light = Vec3A::ZERO;
        if mirrored.dot(spot.face) > 0.0 {
            light += self.arriving(spot.above, mirrored, sampler) * strength;
        }
        if let Some(beam) = sun {
            let near = mirrored.dot(beam.direction).max(0.0).powi(400);
            light += beam.light * (near * 3.0).min(2.0);
        }
        light + self.inside(spot, direction, sampler) * (Vec3A::ONE - strength) * (1.0 - MILK)
    }

    fn inside(&mut self, entry: &Spot, direction: Vec3A, sampler: &mut Sampler) -> Vec3A {
        let thickness = DEPTH * self.stage.cast.radius as f32;
        let Some(mut way) = bend(direction, entry.normal, 1.0 / INDEX) else { return Vec3A::ZERO };
        let (mut from, mut passed) = (below(entry), Vec3A::ONE);
        for _ in 0..TURNS {
            let Some(wall) = self.spot(from, way) else { return passed * self.lights.sky(way) };
            if !wall.inside {
                // Something stands in the jelly, or the ray slipped out through an edge.
                return passed * self.mirrored(from, way, self.background(way), sampler);
            }
            passed *= absorbed(entry.colour, wall.distance / thickness);
            // `wall.normal` points towards the ray, that is, inwards.
            match bend(way, wall.normal, INDEX) {
                Some(out) => return passed * self.mirrored(below(&wall), out, self.background(out), sampler),
                None => {
                    way -= wall.normal * (2.0 * way.dot(wall.normal));
                    from = wall.above;
                }
            }
        }
        passed * self.lights.ambient()
    }

    /// Light on its way to a surface: blocked by what is solid, coloured by jelly.
    pub(super) fn passing_gelatin(&mut self, origin: Vec3A, direction: Vec3A, longest: f32) -> Vec3A {
        let (mut from, mut left, mut passed) = (origin, longest, Vec3A::ONE);
        let thickness = DEPTH * self.stage.cast.radius as f32;
        for _ in 0..2 * TURNS {
            let Some(hit) = self.nearest(from, direction, left) else {
                return passed;
            };
            if hit.what >= PLANE {
                return Vec3A::ZERO;
            }
            let ([a, b, c], object) = self.stage.tree.triangle(&hit);
            let surface = self.stage.surface(object);
            if surface.finish != Finish::Gelatin {
                return Vec3A::ZERO;
            }
            let leaving = (b - a).cross(c - a).dot(direction) > 0.0;
            if leaving {
                passed *= absorbed(surface.colour, hit.distance / thickness);
            } else {
                // What is mirrored at the surface does not get through.
                passed *= 0.85;
            }
            let step = hit.distance + 1e-5 * self.stage.cast.radius as f32;
            from += direction * step;
            left -= step;
        }
        passed
    }
}

/// Colour of white light after a way, in units of the depth that gives the jelly's own colour.
fn absorbed(colour: Vec3A, way: f32) -> Vec3A {
    Vec3A::from_array(colour.to_array().map(|c| c.max(0.02).powf(way)))
}

/// Where a ray that goes in begins.
fn below(spot: &Spot) -> Vec3A {
    spot.position - (spot.above - spot.position).length() * spot.face
}

/// Snell's law; nothing if all light is mirrored.
fn bend(direction: Vec3A, normal: Vec3A, ratio: f32) -> Option<Vec3A> {
    let cosine = -direction.dot(normal);
    let rest = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    (rest > 0.0).then(|| (direction * ratio + normal * (ratio * cosine - rest.sqrt())).normalize())
}
