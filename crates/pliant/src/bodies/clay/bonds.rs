//! Forces of all bonds at once. Each pair is computed once, four partners of a skeleton at a time in lanes, and acts on
//! both: so momentum is kept to round-off. Who adds what to whom, and in which order, depends on the list of pairs alone, so
//! sums are the same bits on any number of threads and whatever the width of the machine.

use super::law::{FADE, Law};
use super::pairs::{Pairs, Part};
use super::wide::{FOUR, Lanes, Machine, Wide, Work, widely};
use crate::math::Vec3;
use std::array::from_fn;

/// Force on a skeleton `[N]`, and how stiff its bonds are together `[N/m]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Sum of the forces.
    pub force: Vec3,
    /// Sum of the sizes of the stiffnesses.
    pub stiffness: f64,
}

/// What bonds do to every skeleton.
pub fn pulls(law: &Law, pairs: &mut Pairs, x: &[Vec3], out: &mut [Pull]) {
    // The distance at rest is the unit of length.
    pairs.place(x, 1.0 / law.rest);
    let per = law.strength / law.rest;
    let stiff = per / law.rest;
    pairs.sum_over_parts(
        |part, places, felt| widely(Some { law, part, places, felt }),
        |Lanes([x, y, z, stiffness])| Pull { force: Vec3::new(x, y, z) * per, stiffness: stiffness * stiff },
        out,
    );
}

/// Energy of all bonds `[J]`.
pub fn energy(law: &Law, pairs: &Pairs, x: &[Vec3]) -> f64 {
    let mut sum = 0.0;
    pairs.each(|i, j| sum += law.at(x[i].distance(x[j])).energy);
    sum
}

/// The sums of a part of the list.
struct Some<'a> {
    law: &'a Law,
    part: &'a Part,
    places: &'a [Lanes],
    felt: &'a mut [Lanes],
}

impl Work for Some<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        match (self.law.exponents, self.law.fades) {
            ([8, 4], true) => self.sum::<M, true, true>(machine),
            ([8, 4], false) => self.sum::<M, true, false>(machine),
            (_, true) => self.sum::<M, false, true>(machine),
            (_, false) => self.sum::<M, false, false>(machine),
        }
    }
}

impl Some<'_> {
    #[inline(always)]
    fn sum<M: Machine, const USUAL: bool, const FADES: bool>(self, machine: M) {
        let bonds = Bonds::new(machine, self.law);
        // Of one length, so that one look tells that a slot is in both.
        let count = self.places.len();
        let (places, felt) = (self.places, &mut self.felt[..count]);
        let opposite = Wide::load(machine, &Lanes([-1.0, -1.0, -1.0, 1.0]));
        for i in 0..self.part.len() {
            let [x, y, z] = Wide::coordinates(machine, &places[i]);
            let mut sums = [bonds.zero; FOUR];
            let (fours, left) = self.part.of(i);
            let last = fours.len();
            for (k, four) in (1..).zip(fours) {
                let [px, py, pz] = Wide::columns(
                    machine,
                    four.map(
                        #[inline(always)]
                        |j| &places[j],
                    ),
                );
                let (dx, dy, dz) = (px - x, py - y, pz - z);
                let mut square = dx * dx + dy * dy + dz * dz;
                if k == last {
                    square = square + Wide::load(machine, &bonds.apart[left]);
                }
                let (pull, hard) = bonds.at::<USUAL, FADES>(square);
                let acts = [dx * pull, dy * pull, dz * pull, hard];
                for d in 0..FOUR {
                    sums[d] = sums[d] + acts[d];
                }
                let rows = Wide::rows(machine, acts);
                for (j, row) in four.into_iter().zip(rows) {
                    let felt = &mut felt[j];
                    (Wide::load(machine, felt) + row).store(felt);
                }
            }
            let [a, b, c, d] = Wide::rows(machine, sums);
            let felt = &mut felt[i];
            (Wide::load(machine, felt) + opposite * ((a + b) + (c + d))).store(felt);
        }
    }
}

/// The law in all lanes, where `K` and the distance at rest are 1.
struct Bonds<M: Machine> {
    machine: M,
    exponents: [i32; 2],
    /// What puts those after so many of a four out of reach.
    apart: [Lanes; FOUR + 1],
    /// Square of the reach.
    reach: Wide<M>,
    /// Where fading begins, and one over how long it takes.
    from: Wide<M>,
    per: Wide<M>,
    zero: Wide<M>,
    one: Wide<M>,
}

impl<M: Machine> Bonds<M> {
    #[inline(always)]
    fn new(machine: M, law: &Law) -> Self {
        let reach = law.reach / law.rest;
        let from = FADE * reach;
        Self {
            machine,
            exponents: law.exponents,
            apart: from_fn(|left| Lanes(from_fn(|l| if l < left { 0.0 } else { 2.0 * reach * reach }))),
            reach: Wide::all(machine, reach * reach),
            from: Wide::all(machine, from),
            per: Wide::all(machine, 1.0 / (reach - from)),
            zero: Wide::all(machine, 0.0),
            one: Wide::all(machine, 1.0),
        }
    }

    #[inline(always)]
    fn all(&self, value: f64) -> Wide<M> {
        Wide::all(self.machine, value)
    }

    /// A power of the distance, from its square.
    #[inline(always)]
    fn power(&self, square: Wide<M>, n: i32) -> Wide<M> {
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
    fn at<const USUAL: bool, const FADES: bool>(&self, square: Wide<M>) -> (Wide<M>, Wide<M>) {
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
        let each = square.where_less(self.reach, b * inverse);
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
    use super::super::wide::Plain;
    use super::*;

    #[test]
    fn sums_are_those_of_the_law_for_any_exponents_faded_or_cut() {
        // Enough for more than one part of the list.
        let part = |k: usize, a: f64| (k as f64 * a).fract() * 8.0;
        let x: Vec<Vec3> = (1..=2400)
            .map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051)))
            .collect();
        for (exponents, fades) in [([8, 4], true), ([8, 4], false), ([12, 6], true), ([9, 5], true)] {
            let law = Law { exponents, strength: 2.0, rest: 0.7, reach: 1.5, fades };
            let mut pairs = Pairs::default();
            pairs.keep_up(&x, law.reach, 0.1);
            let mut found = vec![Pull::default(); x.len()];
            pulls(&law, &mut pairs, &x, &mut found);
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

    #[test]
    fn sums_are_the_same_bits_with_plain_numbers_and_on_any_number_of_threads() {
        let part = |k: usize, a: f64| (k as f64 * a).fract() * 14.0;
        let x: Vec<Vec3> = (1..=3300)
            .map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051)))
            .collect();
        let on = |threads: usize, law: &Law, plainly: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut pairs = Pairs::default();
                pairs.keep_up(&x, law.reach, 0.1);
                pairs.place(&x, 1.0 / law.rest);
                let mut sums = vec![[0; FOUR]; x.len()];
                let each = |part: &Part, places: &[Lanes], felt: &mut [Lanes]| {
                    let some = Some { law, part, places, felt };
                    if plainly { some.run(Plain) } else { widely(some) }
                };
                pairs.sum_over_parts(each, |sum| sum.0.map(f64::to_bits), &mut sums);
                sums
            })
        };
        for fades in [false, true] {
            let law = Law { exponents: [8, 4], strength: 2.0, rest: 0.7, reach: 1.5, fades };
            let known = on(1, &law, true);
            assert!(known == on(1, &law, false) && known == on(3, &law, false), "{fades}");
        }
    }
}
