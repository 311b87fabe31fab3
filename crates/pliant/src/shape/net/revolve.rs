//! Closed surfaces around an axis: rings of nodes between two poles.

use super::surface::{Surface, ring};
use super::{Net, Weave};
use crate::math::Vec3;
use crate::math::portable;
use crate::shape::TriMesh;
use std::f64::consts::{PI, TAU};

/// Part of the way from a pole to the other over which bumps grow to their full depth.
const FADE: f64 = 0.25;

/// How a profile is turned about its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// Nodes of a ring, at least 3.
    pub around: usize,
    /// How many bumps each ring has.
    pub bumps: u32,
    /// Height of a bump as a fraction of the radius.
    pub depth: f64,
    /// Angle by which the axis is bent into an arc in the xy plane `[radians]`; the lower end stays.
    pub bend: f64,
}

impl Turning {
    /// Neither bumps nor bend.
    pub fn plain(around: usize) -> Self {
        Self { around, bumps: 0, depth: 0.0, bend: 0.0 }
    }
}

/// A profile of radius and height `[m]` turned about y: its ends are the poles (their radius is not used), every point
/// between becomes a ring. The profile must run upwards where the solid lies between it and the axis.
pub fn revolve_net(profile: &[[f64; 2]], turning: Turning, thickness: Option<f64>) -> (TriMesh, Net) {
    let around = turning.around.max(3);
    let rings = profile.len().saturating_sub(2);
    let bend = Bend::new(profile, turning.bend);
    let out = ring(around);
    let mut nodes = vec![];
    for (i, [radius, height]) in profile.iter().enumerate().skip(1).take(rings) {
        let way = i as f64 / (rings + 1) as f64;
        let depth = turning.depth * grown(way.min(1.0 - way) / FADE);
        for (k, out) in out.iter().enumerate() {
            let angle = TAU * k as f64 / around as f64;
            let radius = radius * (1.0 + depth * portable::cos(f64::from(turning.bumps) * angle));
            nodes.push(bend.place(radius * *out + Vec3::Y * *height));
        }
    }
    for [_, height] in profile.first().into_iter().chain(profile.last()) {
        nodes.push(bend.place(Vec3::Y * *height));
    }
    let (mesh, net) = between_poles(nodes, rings, around);
    (mesh, Net { section: thickness, thickness, ..net })
}

/// An ellipsoid as a closed surface, with its poles on the y axis and `rings` rings of `around` nodes between them (at
/// least 1 and 3).
pub fn sphere_net(semi_axes: Vec3, rings: usize, around: usize) -> (TriMesh, Net) {
    let (rings, around) = (rings.max(1), around.max(3));
    let out = ring(around);
    let mut nodes = vec![];
    for i in 0..rings {
        let (sin, cos) = portable::sin_cos(PI * ((i + 1) as f64 / (rings + 1) as f64 - 0.5));
        nodes.extend(out.iter().map(|o| semi_axes * (cos * *o + sin * Vec3::Y)));
    }
    nodes.extend([-semi_axes.y * Vec3::Y, semi_axes.y * Vec3::Y]);
    between_poles(nodes, rings, around)
}

/// Joins rings from the lower pole to the upper one; the poles are the last two nodes.
fn between_poles(nodes: Vec<Vec3>, rings: usize, around: usize) -> (TriMesh, Net) {
    let (counts, wrap) = ([rings, around], [false, true]);
    let mut surface = Surface::new(nodes);
    surface.lattice(counts, wrap);
    if let Some(last) = rings.checked_sub(1) {
        let (bottom, top) = ((rings * around) as u32, (rings * around + 1) as u32);
        let at = |ring: usize, k: usize| (ring * around + k % around) as u32;
        for k in 0..around {
            surface.triangle([bottom, at(0, k + 1), at(0, k)]);
            surface.triangle([top, at(last, k), at(last, k + 1)]);
        }
    }
    surface.closed(Weave::Sheet { counts, wrap, poles: true })
}

/// From 0 to 1 with level ends.
fn grown(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// The y axis bent into an arc, and all around it with it.
pub(super) struct Bend {
    bottom: f64,
    /// Angle per length, about z `[1/m]`.
    pub curvature: f64,
}

impl Bend {
    pub fn new(profile: &[[f64; 2]], angle: f64) -> Self {
        let bottom = profile.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let top = profile.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
        Self { bottom, curvature: if top > bottom { angle / (top - bottom) } else { 0.0 } }
    }

    fn place(&self, p: Vec3) -> Vec3 {
        if self.curvature == 0.0 {
            return p;
        }
        let (sin, cos) = portable::sin_cos(self.curvature * (p.y - self.bottom));
        let axis = Vec3::new((cos - 1.0) / self.curvature, self.bottom + sin / self.curvature, 0.0);
        axis + p.x * Vec3::new(cos, sin, 0.0) + Vec3::Z * p.z
    }
}
