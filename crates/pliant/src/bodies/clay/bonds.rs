//! Forces of all bonds at once: each skeleton sums over its own partners, so threads need not talk to each other and the
//! sums are the same bits on any number of them. Four skeletons are computed in lanes that never meet, so they are the
//! same bits whatever the width of the machine, too.

use super::law::{FADE, Law};
use super::pairs::{FOUR, Pairs, Slot, lanes};
use super::wide::Wide;
use crate::math::Vec3;
use std::array::from_fn;
use std::ops::Range;

/// Force on a skeleton `[N]`, and how stiff its bonds are together `[N/m]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Sum of the forces.
    pub force: Vec3,
    /// Sum of the sizes of the stiffnesses.
    pub stiffness: f64,
}

/// What bonds do to every skeleton.
pub fn pulls(law: &Law, pairs: &Pairs, x: &[Vec3], out: &mut [Pull]) {
    // The distance at rest is the unit of length.
    let places = &pairs.places(x, law.rest)[..];
    let of_fours = pairs.of_fours(|fours, out: &mut [[Pull; FOUR]]| {
        pulp::Arch::new().dispatch(Some { law, pairs, places, fours, out });
    });
    pairs.by_points(&of_fours, out);
}

/// Energy of all bonds `[J]`.
pub fn energy(law: &Law, pairs: &Pairs, x: &[Vec3]) -> f64 {
    let mut sum = 0.0;
    pairs.each(|i, j| sum += law.at(x[i].distance(x[j])).energy);
    sum
}

/// The sums of some fours, with the widest instructions that there are; none of them rounds differently.
struct Some<'a> {
    law: &'a Law,
    pairs: &'a Pairs,
    places: &'a [Slot],
    fours: Range<usize>,
    out: &'a mut [[Pull; FOUR]],
}

impl pulp::WithSimd for Some<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        match (self.law.exponents, self.law.fades) {
            ([8, 4], true) => self.sum::<S, true, true>(simd),
            ([8, 4], false) => self.sum::<S, true, false>(simd),
            (_, true) => self.sum::<S, false, true>(simd),
            (_, false) => self.sum::<S, false, false>(simd),
        }
    }
}

impl Some<'_> {
    #[inline(always)]
    fn sum<S: pulp::Simd, const USUAL: bool, const FADES: bool>(self, simd: S) {
        let bonds = Bonds::new(simd, self.law);
        for (four, out) in self.fours.zip(self.out) {
            let own = lanes(self.places, four);
            let mut sums = [[0.0; FOUR]; 4];
            for part in 0..FOUR / Wide::<S>::COUNT {
                let mut felt = Felt {
                    at: [0, 1, 2].map(
                        #[inline(always)]
                        |k| Wide::load(simd, &own[k], part),
                    ),
                    sums: [bonds.zero; 4],
                };
                for j in self.pairs.of_four(four) {
                    let (d, square) = felt.from(&self.places[*j as usize]);
                    felt.add(d, bonds.at::<USUAL, FADES>(square));
                }
                for l in 0..FOUR {
                    let (d, square) = felt.from(&self.places[FOUR * four + l]);
                    // None has a bond with itself.
                    let mut apart = [0.0; FOUR];
                    apart[l] = 2.0 * bonds.farthest;
                    felt.add(d, bonds.at::<USUAL, FADES>(square + Wide::load(simd, &apart, part)));
                }
                sums.iter_mut().zip(felt.sums).for_each(
                    #[inline(always)]
                    |(sum, value)| value.store(sum, part),
                );
            }
            *out = from_fn(|l| {
                let [x, y, z, stiffness] = sums.map(|s| s[l] * self.law.strength / self.law.rest);
                Pull { force: Vec3::new(x, y, z), stiffness: stiffness / self.law.rest }
            });
        }
    }
}

/// Some skeletons, and what they have felt so far.
struct Felt<S: pulp::Simd> {
    at: [Wide<S>; 3],
    /// Force, and the size of the stiffness.
    sums: [Wide<S>; 4],
}

impl<S: pulp::Simd> Felt<S> {
    /// The way from another, and its square.
    #[inline(always)]
    fn from(&self, p: &Slot) -> ([Wide<S>; 3], Wide<S>) {
        let [x, y, z] = self.at;
        let (dx, dy, dz) = (x.minus(p[0]), y.minus(p[1]), z.minus(p[2]));
        ([dx, dy, dz], dx * dx + dy * dy + dz * dz)
    }

    /// What another does, over that way.
    #[inline(always)]
    fn add(&mut self, [dx, dy, dz]: [Wide<S>; 3], (pull, hard): (Wide<S>, Wide<S>)) {
        let [fx, fy, fz, stiffness] = self.sums;
        self.sums = [fx + dx * pull, fy + dy * pull, fz + dz * pull, stiffness + hard];
    }
}

/// The law in all lanes, where `K` and the distance at rest are 1.
struct Bonds<S: pulp::Simd> {
    simd: S,
    exponents: [i32; 2],
    /// Square of the reach.
    farthest: f64,
    reach: Wide<S>,
    /// Where fading begins, and one over how long it takes.
    from: Wide<S>,
    per: Wide<S>,
    zero: Wide<S>,
    one: Wide<S>,
}

impl<S: pulp::Simd> Bonds<S> {
    #[inline(always)]
    fn new(simd: S, law: &Law) -> Self {
        let reach = law.reach / law.rest;
        let from = FADE * reach;
        Self {
            simd,
            exponents: law.exponents,
            farthest: reach * reach,
            reach: Wide::all(simd, reach * reach),
            from: Wide::all(simd, from),
            per: Wide::all(simd, 1.0 / (reach - from)),
            zero: Wide::all(simd, 0.0),
            one: Wide::all(simd, 1.0),
        }
    }

    #[inline(always)]
    fn all(&self, value: f64) -> Wide<S> {
        Wide::all(self.simd, value)
    }

    /// A power of the distance, from its square.
    #[inline(always)]
    fn power(&self, square: Wide<S>, n: i32) -> Wide<S> {
        let (of, mut times) = if n % 2 == 0 { (square, n / 2) } else { (square.sqrt(), n) };
        let mut power = of;
        while times > 1 {
            power = power * of;
            times -= 1;
        }
        power
    }

    /// Force over the distance, and the size of the stiffness, from its square; see `Law::at` for the fading.
    #[inline(always)]
    fn at<const USUAL: bool, const FADES: bool>(&self, square: Wide<S>) -> (Wide<S>, Wide<S>) {
        let [n, m] = if USUAL { [8.0, 4.0] } else { self.exponents.map(f64::from) };
        let (zero, one) = (self.zero, self.one);
        let inverse = one / square;
        // `r^-m`, and `r^-n` over it: even powers need no root, the usual ones no loop.
        let (b, over) = if USUAL {
            let b = inverse * inverse;
            (b, b)
        } else {
            let [n, m] = self.exponents;
            (self.power(inverse, m), self.power(inverse, n - m))
        };
        let each = square.if_less(self.reach, b * inverse, zero);
        let plain = each * (over - one);
        let stiff = each * (self.all(n + 1.0) * over - self.all(m + 1.0));
        if !FADES {
            return (plain, stiff.abs());
        }
        let r = square.sqrt();
        let late = ((r - self.from) * self.per).max(zero);
        let s = late.if_less(one, late, one);
        let (left, per) = (one - s, self.per);
        let energy = each * square * (over * self.all(1.0 / n) - self.all(1.0 / m));
        let fade = one - s * s * s * (self.all(10.0) - s * (self.all(15.0) - self.all(6.0) * s));
        let slope = self.all(-30.0) * per * (s * s) * (left * left);
        let bend = self.all(-60.0) * per * per * s * left * (left - s);
        let pull = plain * fade - energy * slope * (r * inverse);
        let hard = stiff * fade - self.all(2.0) * plain * r * slope + energy * bend;
        (pull, hard.abs())
    }
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
