//! Forces of all bonds at once: each skeleton sums over its own partners, so threads need not talk to each other and the
//! sums are the same bits on any number of them.

use super::law::{FADE, Law};
use super::neighbours::Pairs;
use crate::math::Vec3;
use rayon::prelude::*;

/// Force on a skeleton `[N]`, and how stiff its bonds are together `[N/m]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Sum of the forces.
    pub force: Vec3,
    /// Sum of the sizes of the stiffnesses.
    pub stiffness: f64,
}

/// Partners are taken so many at a time.
const AT_ONCE: usize = 64;
/// And added up in so many lanes.
const LANES: usize = 4;
/// The least number of skeletons that is worth a thread's while.
const SHARE: usize = 256;

/// What bonds do to every skeleton.
pub fn pulls(law: &Law, pairs: &Pairs, x: &[Vec3], out: &mut [Pull]) {
    let places = pairs.sorted(x);
    let sorted: Vec<Pull> = (0..x.len())
        .into_par_iter()
        .with_min_len(SHARE)
        .fold_chunks(SHARE, Vec::new, |mut all: Vec<Pull>, slot| {
            all.push(pulp::Arch::new().dispatch(One { law, pairs, places: &places, slot }));
            all
        })
        .flatten_iter()
        .collect();
    pairs.unsort(&sorted, out);
}

/// Energy of all bonds `[J]`.
pub fn energy(law: &Law, pairs: &Pairs, x: &[Vec3]) -> f64 {
    let mut sum = 0.0;
    pairs.each(|i, j| sum += law.at(x[i].distance(x[j])).energy);
    sum
}

/// One skeleton's sum, with the widest instructions that there are; none of them rounds differently.
struct One<'a> {
    law: &'a Law,
    pairs: &'a Pairs,
    places: &'a [Vec3],
    slot: usize,
}

impl pulp::WithSimd for One<'_> {
    type Output = Pull;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Pull {
        // The usual exponents without a loop over powers.
        match (self.law.exponents, self.law.fades) {
            ([8, 4], true) => self.sum::<true>(|q2| (q2 * q2 * (q2 * q2), q2 * q2)),
            ([8, 4], false) => self.sum::<false>(|q2| (q2 * q2 * (q2 * q2), q2 * q2)),
            ([n, m], true) => self.sum::<true>(|q2| (q2.sqrt().powi(n), q2.sqrt().powi(m))),
            ([n, m], false) => self.sum::<false>(|q2| (q2.sqrt().powi(n), q2.sqrt().powi(m))),
        }
    }
}

impl One<'_> {
    /// `powers` gives those of the rest distance over the distance, from its square.
    #[inline(always)]
    fn sum<const FADES: bool>(self, powers: impl Fn(f64) -> (f64, f64)) -> Pull {
        let law = self.law;
        let [n, m] = law.exponents.map(f64::from);
        let (reach, rest) = (law.reach * law.reach, law.rest * law.rest);
        let from = FADE * law.reach;
        let per = 1.0 / (law.reach - from);
        let at = self.places[self.slot];
        let mut sums = [[0.0; LANES]; 4];
        for some in self.pairs.of_slot(self.slot).chunks(AT_ONCE) {
            let [mut dx, mut dy, mut dz, mut w, mut k] = [[0.0; AT_ONCE]; 5];
            // What is left over stays out of reach.
            let count = some.len().next_multiple_of(LANES);
            dx[..count].fill(2.0 * law.reach);
            for (l, j) in some.iter().enumerate() {
                let d = at - self.places[*j as usize];
                (dx[l], dy[l], dz[l]) = (d.x, d.y, d.z);
            }
            for l in 0..count {
                let square = dx[l] * dx[l] + dy[l] * dy[l] + dz[l] * dz[l];
                let inverse = 1.0 / square;
                let (a, b) = powers(rest * inverse);
                // Force over the distance, and stiffness; see `Law::at` for the fading.
                let plain = (a - b) * inverse;
                let stiff = ((n + 1.0) * a - (m + 1.0) * b) * inverse;
                let (mut pull, mut hard) = (plain, stiff);
                if FADES {
                    let r = square.sqrt();
                    let late = (r - from) * per;
                    let s = if late > 0.0 { late } else { 0.0 };
                    let energy = a / n - b / m;
                    let fade = 1.0 - s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
                    let slope = -30.0 * s * s * (1.0 - s) * (1.0 - s) * per;
                    let bend = -60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * per * per;
                    let over_r = 1.0 / r;
                    pull = plain * fade - energy * slope * over_r;
                    hard = stiff * fade - 2.0 * plain * r * slope + energy * bend;
                }
                let felt = square < reach;
                w[l] = if felt { pull } else { 0.0 };
                k[l] = if felt { hard.abs() } else { 0.0 };
            }
            let [x, y, z, stiffness] = &mut sums;
            add_products(x, &dx[..count], &w[..count]);
            add_products(y, &dy[..count], &w[..count]);
            add_products(z, &dz[..count], &w[..count]);
            for some in k[..count].chunks_exact(LANES) {
                (0..LANES).for_each(|l| stiffness[l] += some[l]);
            }
        }
        let [x, y, z, stiffness] = sums.map(|s| ((s[0] + s[1]) + (s[2] + s[3])) * law.strength);
        Pull { force: Vec3::new(x, y, z), stiffness }
    }
}

#[inline(always)]
fn add_products(sum: &mut [f64; LANES], a: &[f64], b: &[f64]) {
    let mut lanes = *sum;
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        (0..LANES).for_each(|l| lanes[l] += a[l] * b[l]);
    }
    *sum = lanes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_law_for_any_exponents_faded_or_cut() {
        let part = |k: usize, a: f64| (k as f64 * a).fract() * 4.0;
        let x: Vec<Vec3> = (1..=300)
            .map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051)))
            .collect();
        for (exponents, fades) in [([8, 4], true), ([8, 4], false), ([12, 6], true), ([9, 5], true)] {
            let law = Law { exponents, strength: 2.0, rest: 0.7, reach: 1.5, fades };
            let mut pairs = Pairs::default();
            pairs.keep_up(&x, law.reach, 0.1);
            let mut found = vec![Pull::default(); x.len()];
            pulls(&law, &pairs, &x, &mut found);
            for (i, pull) in found.iter().enumerate() {
                let mut known = Pull::default();
                for (j, p) in x.iter().enumerate().filter(|(j, _)| *j != i) {
                    let d = x[i] - *p;
                    let bond = law.at(d.length());
                    known.force += d * (bond.force / d.length());
                    known.stiffness += bond.stiffness.abs();
                    assert_ne!(i, j);
                }
                let size = known.stiffness * law.rest;
                assert!(pull.force.distance(known.force) < 1e-12 * size, "{exponents:?} {i}");
                assert!((pull.stiffness / known.stiffness - 1.0).abs() < 1e-12, "{exponents:?} {i}");
            }
            let total: Vec3 = found.iter().map(|p| p.force).sum();
            let size: f64 = found.iter().map(|p| p.force.length()).sum();
            assert!(total.length() < 1e-13 * size);
        }
    }
}
