//! How skeletons pull and push each other (`[DG94]` Eq. 1), and what that makes of a block of them.

use crate::math::Vec3;

/// `F(r) = K (r0^n / r^(n+1) - r0^m / r^(m+1))`, let fade to nothing before a largest distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Repulsion and attraction.
    pub exponents: [i32; 2],
    /// `K`, an energy `[J]`.
    pub strength: f64,
    /// Distance at which two alone are at rest `[m]`.
    pub rest: f64,
    /// Distance from which on nothing is felt `[m]`.
    pub reach: f64,
    /// Whether energy fades smoothly over the last quarter of the reach; if not, it is cut off.
    pub fades: bool,
}

/// Energy, force along the line from the other, and stiffness at a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bond {
    /// `[J]`.
    pub energy: f64,
    /// `[N]`, positive where they push each other apart.
    pub force: f64,
    /// Second derivative of the energy `[N/m]`.
    pub stiffness: f64,
}

/// Where fading begins, as a share of the reach.
pub const FADE: f64 = 0.75;

impl Law {
    /// What two skeletons do to each other at a distance.
    #[inline]
    pub fn at(&self, r: f64) -> Bond {
        if r >= self.reach {
            return Bond::default();
        }
        let [n, m] = self.exponents;
        let q = self.rest / r;
        let (a, b) = (self.strength * q.powi(n), self.strength * q.powi(m));
        let (nf, mf) = (f64::from(n), f64::from(m));
        let plain = Bond {
            energy: a / nf - b / mf,
            force: (a - b) / r,
            stiffness: ((nf + 1.0) * a - (mf + 1.0) * b) / (r * r),
        };
        let from = FADE * self.reach;
        if !self.fades || r <= from {
            return plain;
        }
        // 1 - 10 s^3 + 15 s^4 - 6 s^5: level at both ends, twice.
        let width = self.reach - from;
        let s = (r - from) / width;
        let fade = 1.0 - s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
        let slope = -30.0 * s * s * (1.0 - s) * (1.0 - s) / width;
        let bend = -60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (width * width);
        Bond {
            energy: plain.energy * fade,
            force: plain.force * fade - plain.energy * slope,
            stiffness: plain.stiffness * fade - 2.0 * plain.force * slope + plain.energy * bend,
        }
    }
}

/// Skeletons packed as closely as balls can be, one at the origin, at a nearest distance of 1; all others within `reach`.
fn packed(reach: f64) -> Vec<Vec3> {
    let cells = (reach * 2f64.sqrt()).ceil() as i32 + 1;
    let mut all = vec![];
    for i in -cells..=cells {
        for j in -cells..=cells {
            for k in -cells..=cells {
                let p = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) / 2f64.sqrt();
                if (i + j + k) % 2 == 0 && (i, j, k) != (0, 0, 0) && p.length() < reach {
                    all.push(p);
                }
            }
        }
    }
    all
}

/// A large block of skeletons in their closest packing.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// Distance of neighbours in a block at rest, over that of two alone.
    pub spacing: f64,
    /// Young's modulus of many grains at random times the cube of `rest`, over `K`.
    pub young: f64,
    /// Largest tension from all sides that it bears, times the cube of `rest`, over `K`.
    pub tear: f64,
}

impl Packing {
    /// Of the law with these exponents, this reach (over `rest`) and this fading.
    pub fn of(exponents: [i32; 2], reach: f64) -> Self {
        let law = Law { exponents, strength: 1.0, rest: 1.0, reach, fades: true };
        let lattice = packed(2.0 * reach);
        // The pull of one half of the block on the other vanishes at rest: sum of r F(r).
        let pull =
            |d: f64| lattice.iter().map(|p| p.length() * d * law.at(p.length() * d).force).sum::<f64>();
        let (mut low, mut high) = (0.7, 1.05);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if pull(middle) > 0.0 { low = middle } else { high = middle }
        }
        let d = 0.5 * (low + high);
        // Elastic constants of a lattice of pairs at rest: c_ijkl = 1/(2V) sum k x_i x_j x_k x_l / r^2.
        let volume = d.powi(3) / 2f64.sqrt();
        let (mut c11, mut c12) = (0.0, 0.0);
        for p in &lattice {
            let x = *p * d;
            let r = x.length();
            let bond = law.at(r);
            let k = (bond.stiffness + bond.force / r) / (r * r);
            c11 += k * x.x.powi(4) / (2.0 * volume);
            c12 += k * x.x * x.x * x.y * x.y / (2.0 * volume);
        }
        let c44 = c12;
        let bulk = (c11 + 2.0 * c12) / 3.0;
        // Grains at random stiffen each other less than all strained alike, more than all stressed alike (Hill).
        let alike = (c11 - c12 + 3.0 * c44) / 5.0;
        let stressed = 5.0 * (c11 - c12) * c44 / (4.0 * c44 + 3.0 * (c11 - c12));
        let shear = 0.5 * (alike + stressed);
        // Tension by the virial of a block drawn out on all sides; it rises to where bonds begin to give way.
        let tension = |d: f64| -pull(d) * 2f64.sqrt() / (6.0 * d.powi(3));
        let tear = (0..400).map(|k| tension(d * (1.0 + 1e-3 * f64::from(k)))).fold(0.0, f64::max);
        Self { spacing: d, young: 9.0 * bulk * shear / (3.0 * bulk + shear), tear }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Law = Law { exponents: [8, 4], strength: 2.0, rest: 0.1, reach: 0.3, fades: false };

    #[test]
    fn force_and_stiffness_are_derivatives_of_the_energy() {
        for fades in [false, true] {
            let law = Law { fades, ..PLAIN };
            for k in 1..60 {
                let (r, d) = (0.06 + 0.0039 * f64::from(k), 1e-7);
                let slope = |f: &dyn Fn(f64) -> f64| (f(r + d) - f(r - d)) / (2.0 * d);
                let b = law.at(r);
                assert!(
                    (b.force + slope(&|r| law.at(r).energy)).abs() < 1e-6 * (1.0 + b.force.abs()),
                    "{r} {b:?}"
                );
                assert!(
                    (b.stiffness + slope(&|r| law.at(r).force)).abs() < 1e-5 * (1.0 + b.stiffness.abs()),
                    "{r}"
                );
            }
        }
    }

    #[test]
    fn the_deepest_bond_and_the_strongest_pull_are_where_the_paper_has_them() {
        let bond = PLAIN.at(PLAIN.rest);
        assert!((bond.energy + PLAIN.strength / 8.0).abs() < 1e-15 && bond.force.abs() < 1e-12);
        assert!((bond.stiffness - PLAIN.strength * 4.0 / PLAIN.rest.powi(2)).abs() < 1e-9);
        let strongest = PLAIN.at(PLAIN.rest * (9.0f64 / 5.0).powf(0.25));
        assert!(strongest.stiffness.abs() < 1e-9);
        assert!((strongest.force * PLAIN.rest / PLAIN.strength + 0.213).abs() < 1e-3);
    }

    #[test]
    fn a_packing_at_rest_is_stiff_and_a_little_denser_than_two_alone() {
        let p = Packing::of([8, 4], 2.0);
        assert!(p.spacing > 0.9 && p.spacing < 1.0 && p.young > 0.0, "{p:?}");
        // Farther reach pulls it closer together.
        assert!(Packing::of([8, 4], 3.0).spacing < p.spacing);
    }
}
