//! The place on a surface that a ray meets.

use super::Tracer;
use crate::stage::{Hit, PLANE, Stage};
use glam::Vec3A;

/// How far rays start above a surface, as a part of the action's radius and of the distance from its middle.
const LIFT: f32 = 2e-6;
/// Distance from the middle, in radii of the action, at which a floor begins to fade into the horizon.
const CLEAR: f32 = 4.0;

/// A place on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub position: Vec3A,
    /// Where rays that leave on the side of the normal begin.
    pub above: Vec3A,
    /// Of the smooth surface, towards the ray.
    pub normal: Vec3A,
    /// Of the triangle, towards the ray.
    pub face: Vec3A,
    pub colour: Vec3A,
    pub object: u32,
    pub distance: f32,
    /// Part of its light that is lost in the distance.
    pub haze: f32,
    /// Whether it was met from inside.
    pub inside: bool,
    /// Whether it lies on an endless plane.
    pub endless: bool,
}

impl Tracer<'_> {
    /// The first place on a ray's way.
    #[inline(always)]
    pub(super) fn spot(&mut self, origin: Vec3A, direction: Vec3A) -> Option<Spot> {
        let hit = self.nearest(origin, direction, f32::INFINITY)?;
        Some(self.met(&hit, (origin, direction)))
    }

    /// The place where a ray met something.
    #[inline(always)]
    pub fn met(&self, hit: &Hit, ray: (Vec3A, Vec3A)) -> Spot {
        let mut spot = self.met_flat(hit, ray);
        if let Some(normals) = self.stage.bends.get(hit.what as usize) {
            self.bend(&mut spot, hit, normals, ray.1);
        }
        spot
    }

    /// The same as if surfaces were made of flat triangles.
    #[inline(always)]
    pub(super) fn met_flat(&self, hit: &Hit, (origin, direction): (Vec3A, Vec3A)) -> Spot {
        let position = origin + direction * hit.distance;
        if hit.what < PLANE {
            self.on_face(hit, position, direction)
        } else {
            on_plane(self.stage, hit, position)
        }
    }

    /// Turns a place on a triangle into one on the smooth surface through its corners.
    #[inline(always)]
    fn bend(&self, spot: &mut Spot, hit: &Hit, normals: &[Vec3A; 3], direction: Vec3A) {
        let ([a, b, c], _) = self.stage.tree.triangle(hit);
        let [v, w] = hit.weights;
        let weights = [1.0 - v - w, v, w];
        let side = if spot.inside { -1.0 } else { 1.0 };
        let (flat, position) = (spot.face, spot.position);
        let blended = normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2];
        let mut normal = blended.normalize_or(flat) * side;
        // A smooth normal may turn away from a ray that grazes the triangle; then it would show darkness.
        let towards = normal.dot(direction);
        if towards > -1e-3 {
            normal = (normal - direction * (towards + 1e-3)).normalize_or(flat);
        }
        spot.normal = normal;
        // Shadows of a triangle on its own smooth surface begin too early where it is curved; rays start on the curved
        // surface through the corners instead [Hani21].
        if normal.dot(flat) <= 0.999_99 {
            let smooth =
                normals.iter().zip([a, b, c]).zip(weights).fold(Vec3A::ZERO, |sum, ((n, p), weight)| {
                    let n = *n * side;
                    sum + weight * (position - n * (position - p).dot(n).min(0.0))
                });
            spot.above += smooth - position;
        }
    }

    #[inline(always)]
    fn on_face(&self, hit: &Hit, position: Vec3A, direction: Vec3A) -> Spot {
        let stage = self.stage;
        let [v, w] = hit.weights;
        let weights = [1.0 - v - w, v, w];
        let blend = |[a, b, c]: [Vec3A; 3]| a * weights[0] + b * weights[1] + c * weights[2];
        let ([a, b, c], object) = stage.tree.triangle(hit);
        let flat = (b - a).cross(c - a).normalize_or(Vec3A::Y);
        let inside = flat.dot(direction) > 0.0;
        let flat = if inside { -flat } else { flat };
        let lift = LIFT * (stage.cast.radius as f32 + position.abs().max_element()) * 4.0;
        let surface = stage.surface(object);
        let points = || stage.tree.faces[hit.what as usize].points;
        let painted = stage.painted.as_ref().map(|colours| points().map(|p| colours[p as usize]));
        let mut colour = match painted {
            Some([Some(a), Some(b), Some(c)]) => blend([a, b, c]),
            _ if surface.squares.is_none() => surface.colour,
            _ => surface.colour_at(blend(points().map(|p| stage.rest[p as usize]))),
        };
        if self.wire > 0.0 && stage.cast.topology.objects[object as usize].is_body() {
            colour *= 1.0 - 0.85 * self.on_wire(weights, [a, b, c], hit.distance);
        }
        Spot {
            position,
            above: position + flat * lift,
            normal: flat,
            face: flat,
            colour,
            object,
            distance: hit.distance,
            haze: 0.0,
            inside,
            endless: false,
        }
    }

    /// How much a place lies on the edge of its triangle, for lines of a width in pixels.
    fn on_wire(&self, weights: [f32; 3], [a, b, c]: [Vec3A; 3], distance: f32) -> f32 {
        let double_area = (b - a).cross(c - a).length();
        let height = |edge: Vec3A| double_area / edge.length().max(1e-20);
        let nearest =
            (weights[0] * height(c - b)).min(weights[1] * height(a - c)).min(weights[2] * height(b - a));
        let pixels = nearest / (self.pixel * distance);
        (0.5 * self.wire + 0.5 - pixels).clamp(0.0, 1.0)
    }
}

fn on_plane(stage: &Stage, hit: &Hit, position: Vec3A) -> Spot {
    let plane = stage.planes[(hit.what - PLANE) as usize];
    let radius = stage.cast.radius as f32;
    let far = position.length() / radius;
    let beyond = ((far - CLEAR) / (3.0 * CLEAR)).max(0.0);
    let centre = stage.cast.centre.as_vec3a();
    // Squares of a level plane must not depend on the last bits of its height.
    let rest = position + centre - plane.normal * (position + centre).dot(plane.normal);
    Spot {
        position,
        above: position + plane.normal * (LIFT * (radius + position.abs().max_element()) * 4.0),
        normal: plane.normal,
        face: plane.normal,
        colour: stage.surface(plane.object).colour_at(rest),
        object: plane.object,
        distance: hit.distance,
        haze: if beyond > 0.0 { 1.0 - (-beyond * beyond).exp() } else { 0.0 },
        inside: false,
        endless: true,
    }
}
