//! Products and inverses of small matrices.

use super::{Mat3, Vec3, symmetric_eigen3};

/// `[v]x`.
pub fn skew(v: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, v.z, -v.y), Vec3::new(-v.z, 0.0, v.x), Vec3::new(v.y, -v.x, 0.0))
}

/// `a b^T`.
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Inverse of a symmetric matrix; what has no inertia (a straight rod about its own axis) does not answer.
pub fn pseudo_inverse(m: &Mat3) -> Mat3 {
    if is_regular(m) {
        return m.inverse();
    }
    let (values, vectors) = symmetric_eigen3(m);
    let largest = values.abs().max_element();
    let mut inverse = Mat3::ZERO;
    for k in 0..3 {
        if values[k] > 1e-9 * largest {
            let v = vectors.col(k);
            inverse += outer(v / values[k], v);
        }
    }
    inverse
}

/// Whether a positive matrix can be inverted as it is.
pub fn is_regular(m: &Mat3) -> bool {
    m.determinant() > 1e-9 * m.x_axis.x.max(m.y_axis.y).max(m.z_axis.z).powi(3)
}

/// Sum of products. Four partial sums: a fixed order that the compiler can keep in vector registers.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
