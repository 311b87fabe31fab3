//! How fast the fastest pair approaches, over its distance.

use super::pairs::{FOUR, Pairs, Slot, lanes};
use super::wide::Wide;
use crate::math::Vec3;
use std::ops::Range;

/// The largest rate at which any pair that is listed comes closer, over its distance `[1/s]`; 0 if none does.
pub fn fastest(pairs: &Pairs, x: &[Vec3], v: &[Vec3]) -> f64 {
    let (places, velocities) = (&pairs.places(x, 1.0)[..], &pairs.vectors(v)[..]);
    let of_fours = pairs.of_fours(|fours, out: &mut [f64]| {
        pulp::Arch::new().dispatch(Some { pairs, places, velocities, fours, out });
    });
    of_fours.into_iter().fold(0.0, f64::max)
}

/// Of some fours.
struct Some<'a> {
    pairs: &'a Pairs,
    places: &'a [Slot],
    velocities: &'a [Slot],
    fours: Range<usize>,
    out: &'a mut [f64],
}

impl pulp::WithSimd for Some<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        for (four, out) in self.fours.zip(self.out) {
            let (own, moves) = (lanes(self.places, four), lanes(self.velocities, four));
            let mut each = [0.0; FOUR];
            for part in 0..FOUR / Wide::<S>::COUNT {
                let [x, y, z] = [0, 1, 2].map(
                    #[inline(always)]
                    |k| Wide::load(simd, &own[k], part),
                );
                let [u, v, w] = [0, 1, 2].map(
                    #[inline(always)]
                    |k| Wide::load(simd, &moves[k], part),
                );
                let mut most = Wide::all(simd, 0.0);
                // With itself it is not a number, and no larger than anything.
                let mates = FOUR as u32 * four as u32..FOUR as u32 * (four as u32 + 1);
                for j in self.pairs.of_four(four).iter().copied().chain(mates) {
                    let (p, q) = (&self.places[j as usize], &self.velocities[j as usize]);
                    let (dx, dy, dz) = (x.minus(p[0]), y.minus(p[1]), z.minus(p[2]));
                    let (du, dv, dw) = (u.minus(q[0]), v.minus(q[1]), w.minus(q[2]));
                    let away = dx * du + dy * dv + dz * dw;
                    let square = dx * dx + dy * dy + dz * dz;
                    most = (Wide::all(simd, 0.0) - away / square).max(most);
                }
                most.store(&mut each, part);
            }
            *out = each.into_iter().fold(0.0, f64::max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_pair_is_found_wherever_it_is() {
        let part = |k: usize, a: f64| (k as f64 * a).fract() * 4.0;
        let x: Vec<Vec3> = (1..=300)
            .map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051)))
            .collect();
        let v: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.y * p.z, p.x - p.z, -p.x * p.y)).collect();
        let mut pairs = Pairs::default();
        pairs.keep_up(&x, 1.0, 0.1);
        // At least that of all within reach, at most that of all there are.
        let known = |far: f64| {
            let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let near = pairs.filter(|(i, j)| x[*i].distance(x[*j]) < far);
            near.map(|(i, j)| (x[i] - x[j], v[i] - v[j]))
                .map(|(d, v)| -v.dot(d) / d.length_squared())
                .fold(0.0, f64::max)
        };
        let found = fastest(&pairs, &x, &v);
        assert!(found >= known(1.0) * (1.0 - 1e-12) && found <= known(9.0) * (1.0 + 1e-12), "{found}");
        // Slots of nobody stand still, too far away to matter.
        assert!(fastest(&pairs, &x, &[Vec3::X; 300]) < 1e-90);
    }
}
