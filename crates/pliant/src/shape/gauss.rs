//! Gauss-Legendre points and their use over the inside of a closed mesh.

use super::TriMesh;
use crate::math::Vec3;
use crate::math::portable;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Value of the Legendre polynomial `P_n` and its derivative at `x` inside (-1, 1).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

/// `n` points and weights on [0, 1], exact for polynomials of degree `2 n - 1`. `n` is at least 1.
pub fn gauss(n: usize) -> Vec<(f64, f64)> {
    if n <= 1 {
        return vec![(0.5, 1.0)];
    }
    (0..n)
        .map(|i| {
            // Newton from Chebyshev's points converges to round-off in a few steps for every n in use.
            let mut x = -portable::cos(PI * (i as f64 + 0.75) / (n as f64 + 0.5));
            for _ in 0..8 {
                let (value, slope) = legendre(n, x);
                x -= value / slope;
            }
            let slope = legendre(n, x).1;
            (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Integrals over the inside of a closed mesh of `count` polynomials of at most this degree, exact but for rounding.
///
/// `evaluator` makes a function that writes the polynomials' values at a point.
///
/// Conical points of the signed tetrahedra `x = u (A + v ((B - A) + w (C - B)))`, weight `D u^2 v`.
/// The apex is the middle of the mesh instead of the origin, so that a far-away mesh loses no digits.
pub fn integrate<F>(mesh: &TriMesh, degree: usize, count: usize, evaluator: impl Fn() -> F + Sync) -> Vec<f64>
where
    F: FnMut(Vec3, &mut [f64]),
{
    // u carries two more powers than the polynomial: 2 n - 1 >= degree + 2.
    let rule = gauss(degree / 2 + 2);
    let (low, high) = mesh.bounds();
    let apex = 0.5 * (low + high);
    let over_triangles = |triangles: &[[u32; 3]]| {
        let mut evaluate = evaluator();
        let mut values = vec![0.0; count];
        let mut sums = vec![0.0; count];
        for t in triangles {
            let [a, b, c] = t.map(|i| mesh.points[i as usize] - apex);
            let d = a.dot(b.cross(c));
            for &(v, wv) in &rule {
                for &(w, ww) in &rule {
                    let on_face = a + v * ((b - a) + w * (c - b));
                    for &(u, wu) in &rule {
                        evaluate(apex + u * on_face, &mut values);
                        let weight = d * u * u * v * wu * wv * ww;
                        sums.iter_mut().zip(&values).for_each(|(s, x)| *s += weight * x);
                    }
                }
            }
        }
        sums
    };
    // Chunks of fixed size, added in order: the same bits with any number of threads, and less rounding than one
    // long sum.
    let chunks: Vec<Vec<f64>> = mesh.triangles.par_chunks(16).map(over_triangles).collect();
    let mut total = vec![0.0; count];
    for chunk in &chunks {
        total.iter_mut().zip(chunk).for_each(|(t, x)| *t += x);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_points_integrate_powers_exactly() {
        for n in 1..=9 {
            let rule = gauss(n);
            assert_eq!(rule.len(), n);
            for power in 0..2 * n {
                let sum: f64 = rule.iter().map(|&(x, w)| w * x.powi(power as i32)).sum();
                assert!((sum - 1.0 / (power as f64 + 1.0)).abs() < 2e-15, "n {n} power {power}");
            }
        }
    }
}
