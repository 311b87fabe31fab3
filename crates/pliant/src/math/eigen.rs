//! Eigenvalues of small symmetric matrices by Jacobi rotations: short, deterministic, accurate for every size used
//! here (at most 60).

use super::{Mat3, Vec3};

/// Eigenvalues and eigenvectors (one per row) of a symmetric matrix given row by row.
pub fn symmetric_eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut v = vec![0.0; n * n];
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
    let scale: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].powi(2)).sum();
        if off <= 1e-32 * scale {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[p * n + q];
                if apq == 0.0 {
                    continue;
                }
                // The rotation that makes entry (p, q) vanish, by the smaller angle.
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                    let (x, y) = (v[p * n + k], v[q * n + k]);
                    v[p * n + k] = c * x - s * y;
                    v[q * n + k] = s * x + c * y;
                }
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), v)
}

/// The same for a 3x3 matrix: eigenvalues, and eigenvectors as columns.
pub fn symmetric_eigen3(m: &Mat3) -> (Vec3, Mat3) {
    let (values, rows) = symmetric_eigen(&m.transpose().to_cols_array(), 3);
    (Vec3::from_slice(&values), Mat3::from_cols_slice(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let n = 12;
        let mut m = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                m[i * n + j] = 1.0 / (1.0 + i as f64 + j as f64) + if i == j { i as f64 } else { 0.0 };
            }
        }
        let (values, rows) = symmetric_eigen(&m, n);
        for i in 0..n {
            for j in 0..n {
                let built: f64 = (0..n).map(|k| values[k] * rows[k * n + i] * rows[k * n + j]).sum();
                assert!((built - m[i * n + j]).abs() < 1e-12, "entry {i},{j}");
            }
        }
    }
}
