//! Functions with gradients: closures over a flat state, or over points.

use crate::math::Vec3;

/// A function of a flat state, with its gradient. Closures of the same form are functions.
pub trait Function {
    /// Returns the value at `x` and writes the gradient, which comes filled with zeros.
    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64;
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> Function for F {
    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self(x, gradient)
    }
}

/// A function of points, as one of the flat state `x0, y0, z0, x1, ...`.
///
/// ```
/// use pliant::constraint::{Function, OverPoints};
/// use pliant::math::Vec3;
///
/// let apart = OverPoints(|p: &[Vec3], gradient: &mut [Vec3]| {
///     let d = p[1] - p[0];
///     gradient[1] = d.normalize();
///     gradient[0] = -gradient[1];
///     d.length() - 2.0
/// });
/// let mut gradient = [0.0; 6];
/// assert_eq!(apart.evaluate(&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0], &mut gradient), 1.0);
/// assert_eq!(gradient, [0.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
/// ```
pub struct OverPoints<F>(pub F);

impl<F: Fn(&[Vec3], &mut [Vec3]) -> f64> Function for OverPoints<F> {
    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let points: Vec<Vec3> = x.chunks_exact(3).map(Vec3::from_slice).collect();
        let mut slopes = vec![Vec3::ZERO; points.len()];
        let value = self.0(&points, &mut slopes);
        for (out, slope) in gradient.chunks_exact_mut(3).zip(slopes) {
            out.copy_from_slice(&slope.to_array());
        }
        value
    }
}
