//! How fast the fastest pair approaches, over its distance.

use super::pairs::{Pairs, Part};
use super::wide::{Lanes, Machine, Wide, Work, widely};
use crate::math::Vec3;

/// The largest rate at which any pair that is listed comes closer, over its distance `[1/s]`; 0 if none does.
pub fn fastest(pairs: &mut Pairs, x: &[Vec3], v: &[Vec3]) -> f64 {
    pairs.place(x, 1.0);
    pairs.most_over_parts(v, |part, places, velocities| widely(Some { part, places, velocities }))
}

/// Of a part of the list.
struct Some<'a> {
    part: &'a Part,
    places: &'a [Lanes],
    velocities: &'a [Lanes],
}

impl Work for Some<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<M: Machine>(self, machine: M) -> f64 {
        let count = self.places.len();
        let (places, velocities) = (self.places, &self.velocities[..count]);
        let zero = Wide::all(machine, 0.0);
        let mut most = zero;
        for i in 0..self.part.len() {
            let [x, y, z] = Wide::coordinates(machine, &places[i]);
            let [u, v, w] = Wide::coordinates(machine, &velocities[i]);
            for four in self.part.of(i).0 {
                let [px, py, pz] = Wide::columns(machine, four.map(|j| &places[j]));
                let [pu, pv, pw] = Wide::columns(machine, four.map(|j| &velocities[j]));
                let (dx, dy, dz) = (x - px, y - py, z - pz);
                let (du, dv, dw) = (u - pu, v - pv, w - pw);
                let away = dx * du + dy * dv + dz * dw;
                let square = dx * dx + dy * dy + dz * dz;
                most = (zero - away / square).max(most);
            }
        }
        most.lanes().into_iter().fold(0.0, f64::max)
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
        let found = fastest(&mut pairs, &x, &v);
        assert!(found >= known(1.0) * (1.0 - 1e-12) && found <= known(9.0) * (1.0 + 1e-12), "{found}");
        // What moves together comes no closer.
        assert_eq!(fastest(&mut pairs, &x, &[Vec3::X; 300]), 0.0);
    }
}
