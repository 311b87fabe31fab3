//! Gauss-Legendre points and their use over the inside of a closed mesh.

use super::TriMesh;
use crate::math::Vec3;
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
            let mut x = -(PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..8 {
                let (value, slope) = legendre(n, x);
                x -= value / slope;
            }
            let slope = legendre(n, x).1;
            (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Calls `visit` with points and signed weights that integrate polynomials of this degree exactly over the inside.
///
/// EQUATIONS 4.1: conical points of the signed tetrahedra `x = u (A + v ((B - A) + w (C - B)))`, weight `D u^2 v`.
/// The apex is the middle of the mesh instead of the origin, so that a far-away mesh loses no digits.
pub fn for_each_gauss_point(mesh: &TriMesh, degree: usize, mut visit: impl FnMut(Vec3, f64)) {
    // u carries two more powers than the polynomial: 2 n - 1 >= degree + 2.
    let rule = gauss(degree / 2 + 2);
    let (low, high) = mesh.bounds();
    let apex = 0.5 * (low + high);
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t).map(|p| p - apex);
        let d = a.dot(b.cross(c));
        for &(v, wv) in &rule {
            for &(w, ww) in &rule {
                let on_face = a + v * ((b - a) + w * (c - b));
                for &(u, wu) in &rule {
                    visit(apex + u * on_face, d * u * u * v * wu * wv * ww);
                }
            }
        }
    }
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
