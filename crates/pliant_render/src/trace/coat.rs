//! Reflections in a coat of some roughness (microfacets with the GGX distribution).

use super::{BRIGHTEST, Spot, Tracer};
use crate::light::sides;
use crate::sampler::Sampler;
use glam::{Vec2, Vec3A, Vec3Swizzles};

impl Tracer<'_> {
    /// Light mirrored towards the eye, and the part of the light that the coat keeps from what is below it.
    #[inline(always)]
    pub(super) fn reflection(
        &mut self,
        spot: &Spot,
        direction: Vec3A,
        (roughness, straight_on): (f32, Vec3A),
        glint: Vec3A,
        sampler: &mut Sampler,
    ) -> (Vec3A, Vec3A) {
        let alpha = roughness * roughness;
        let facing = -direction.dot(spot.normal);
        let [x, y] = sides(spot.normal);
        let eye = Vec3A::new(-direction.dot(x), -direction.dot(y), facing);
        let facet = visible_facet(eye, alpha, sampler.disc());
        let facet = x * facet.x + y * facet.y + spot.normal * facet.z;
        let mirrored = direction - facet * (2.0 * direction.dot(facet));
        let strength = fresnel(straight_on, -direction.dot(facet));
        let mut light = Vec3A::ZERO;
        if mirrored.dot(spot.face) > 0.0 {
            let masked = masking(mirrored.dot(spot.normal), alpha);
            light = self
                .mirrored(spot.above, mirrored, self.lights.sky(mirrored), sampler)
                .min(Vec3A::splat(BRIGHTEST))
                * strength
                * masked;
        }
        // The sun is not part of the sky; its highlight is computed from its side.
        light += glint.min(Vec3A::splat(BRIGHTEST));
        (light, fresnel(straight_on, facing))
    }
}

/// Schlick's approximation.
#[inline(always)]
pub(super) fn fresnel(straight_on: Vec3A, cosine: f32) -> Vec3A {
    let away = 1.0 - cosine.clamp(0.0, 1.0);
    straight_on + (Vec3A::ONE - straight_on) * away.powi(5)
}

/// A facet as often as it is seen from `eye` (in the surface's frame) [Heit18].
#[inline(always)]
fn visible_facet(eye: Vec3A, alpha: f32, disc: Vec2) -> Vec3A {
    let stretched = Vec3A::new(alpha * eye.x, alpha * eye.y, eye.z).normalize();
    let flat = stretched.xy().length_squared();
    let t1 = if flat > 1e-12 { Vec3A::new(-stretched.y, stretched.x, 0.0) / flat.sqrt() } else { Vec3A::X };
    let t2 = stretched.cross(t1);
    let s = 0.5 * (1.0 + stretched.z);
    let v = (1.0 - s) * (1.0 - disc.x * disc.x).max(0.0).sqrt() + s * disc.y;
    let n = t1 * disc.x + t2 * v + stretched * (1.0 - disc.x * disc.x - v * v).max(0.0).sqrt();
    Vec3A::new(alpha * n.x, alpha * n.y, n.z.max(1e-6)).normalize()
}

/// Part of the mirrored light that other facets do not hide.
#[inline(always)]
fn masking(cosine: f32, alpha: f32) -> f32 {
    let c2 = (cosine * cosine).max(1e-6);
    2.0 / (1.0 + (1.0 + alpha * alpha * (1.0 - c2) / c2).sqrt())
}

/// Brightness of a light's reflection, times pi because brightness is irradiance over pi.
#[inline(always)]
pub(super) fn highlight(
    normal: Vec3A,
    eye: Vec3A,
    light: Vec3A,
    (roughness, straight_on): (f32, Vec3A),
) -> Vec3A {
    let alpha = roughness * roughness;
    let (to_eye, to_light) = (normal.dot(eye), normal.dot(light));
    if to_eye <= 0.0 || to_light <= 0.0 {
        return Vec3A::ZERO;
    }
    let half = (eye + light).normalize_or(normal);
    let (c, a2) = (normal.dot(half), alpha * alpha);
    let spread = c * c * (a2 - 1.0) + 1.0;
    // D G F / (4 cos cos), times cos of the light; the pi of D and that of the definition cancel.
    let shape = a2 / (spread * spread) * masking(to_eye, alpha) * masking(to_light, alpha) / (4.0 * to_eye);
    fresnel(straight_on, half.dot(eye)) * shape
}
