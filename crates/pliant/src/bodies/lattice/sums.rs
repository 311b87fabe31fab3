//! What a lattice body is as a whole: sums over all nodes, made in every step and so without waiting for the last addition.

use super::{BEFORE, Lattice};
use crate::math::Vec3;

/// `sum m v`, by four partial sums: a fixed order of which four additions can be under way at once.
fn weighted(v: &[Vec3], m: &[f64]) -> Vec3 {
    let mut sums = [Vec3::ZERO; 4];
    let (v4, m4) = (v.chunks_exact(4), m.chunks_exact(4));
    let tail: Vec3 = v4.remainder().iter().zip(m4.remainder()).map(|(v, m)| *v * *m).sum();
    for (v, m) in v4.zip(m4) {
        for k in 0..4 {
            sums[k] += v[k] * m[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// `sum m v.v / 2` in the same way.
fn kinetic(v: &[Vec3], m: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (v4, m4) = (v.chunks_exact(4), m.chunks_exact(4));
    let tail: f64 = v4.remainder().iter().zip(m4.remainder()).map(|(v, m)| v.length_squared() * m).sum();
    for (v, m) in v4.zip(m4) {
        for k in 0..4 {
            sums[k] += v[k].length_squared() * m[k];
        }
    }
    0.5 * ((sums[0] + sums[1]) + (sums[2] + sums[3]) + tail)
}

/// The largest speed; not a number if any is not.
fn fastest(v: &[Vec3]) -> f64 {
    // A sum notices what is not a number, which comparisons pass over.
    let (mut most, mut all) = ([0.0f64; 4], [0.0f64; 4]);
    let v4 = v.chunks_exact(4);
    for v in v4.remainder() {
        most[0] = most[0].max(v.length_squared());
        all[0] += v.length_squared();
    }
    for v in v4 {
        for k in 0..4 {
            let square = v[k].length_squared();
            most[k] = most[k].max(square);
            all[k] += square;
        }
    }
    let most = most[0].max(most[1]).max(most[2].max(most[3]));
    if all.iter().sum::<f64>().is_nan() { f64::NAN } else { most.sqrt() }
}

impl Lattice {
    /// Notes where the centre of mass is and how fast the fastest node: whenever places or velocities are final.
    pub(super) fn note_whole(&mut self) {
        let shared = &self.shared;
        self.centre = weighted(&self.x, &shared.mass) / shared.total_mass;
        self.fastest = fastest(&self.v);
    }

    /// Momentum at the end of the step.
    pub(super) fn total_momentum(&self) -> Vec3 {
        let shared = &self.shared;
        let mut p = weighted(&self.v, &shared.mass);
        for (y, node) in self.y[BEFORE..].chunks_exact(3).zip(&shared.outer) {
            p += (Vec3::from_slice(y) - self.v[*node as usize]) * shared.mass[*node as usize];
        }
        if let Some((t, w)) = self.whole() {
            p += (t + w.cross(self.centre - self.middle)) * shared.total_mass;
        }
        if !self.lag.is_empty() {
            p += weighted(&self.lag, &shared.mass);
        }
        p
    }

    /// Kinetic energy at the end of the step.
    pub(super) fn total_kinetic(&self) -> f64 {
        let shared = &self.shared;
        if !self.lag.is_empty() || self.whole().is_some() {
            return kinetic(&self.velocities(), &shared.mass);
        }
        let mut all = kinetic(&self.v, &shared.mass);
        for (y, node) in self.y[BEFORE..].chunks_exact(3).zip(&shared.outer) {
            let (now, before) = (Vec3::from_slice(y), self.v[*node as usize]);
            all += 0.5 * shared.mass[*node as usize] * (now.length_squared() - before.length_squared());
        }
        all
    }
}
