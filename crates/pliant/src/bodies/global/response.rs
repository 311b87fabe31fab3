//! The implicit integrator's answer to a push: `A^-1`, mode by mode, leaving rigid motion alone.

use super::elastic::Elastic;
use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, dot, symmetric_eigen};
use crate::scene::Material;

/// Elastic modes at rest (without the constant column, which only translates).
pub struct Modes {
    /// Degrees of freedom: three per non-constant column.
    n: usize,
    /// Squared frequencies `[1/s^2]`.
    pub squares: Vec<f64>,
    /// One mode per row.
    pub shapes: Vec<f64>,
    /// Kelvin-Voigt time `[s]`: damping is `tau K`.
    tau: f64,
    /// `A^-1` for an unstretched body at the usual step.
    at_rest: Vec<f64>,
    /// The usual step `[s]`.
    pub step: f64,
}

/// Stretch up to which the answer at rest still serves.
const MILD: f64 = 1.1;

impl Modes {
    /// Modes of a body; `damping` is the ratio of the lowest elastic one.
    pub fn new<const N: usize>(elastic: &Elastic<N>, material: &Material, step: f64) -> Self {
        let n = 3 * (N - 1);
        let mut k = vec![0.0; n * n];
        for a in 1..N {
            for b in 1..N {
                let block = elastic.rest_stiffness(a, b);
                for i in 0..3 {
                    for j in 0..3 {
                        k[(3 * (a - 1) + i) * n + 3 * (b - 1) + j] = block.col(j)[i];
                    }
                }
            }
        }
        let (mut squares, shapes) = symmetric_eigen(&k, n);
        let largest = squares.iter().cloned().fold(0.0, f64::max);
        // Three rotations cost no energy; round-off must not make them stiff.
        squares.iter_mut().filter(|s| **s < 1e-9 * largest).for_each(|s| *s = 0.0);
        let lowest = squares.iter().cloned().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min).sqrt();
        let tau = if lowest.is_finite() { 2.0 * material.damping / lowest } else { 0.0 };
        let mut modes = Self { n, squares, shapes, tau, at_rest: vec![], step };
        modes.at_rest = modes.inverse(1.0, step);
        modes
    }

    /// `A^-1` in body axes for a stiffening factor and a step.
    fn inverse(&self, stiffening: f64, h: f64) -> Vec<f64> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        for (m, square) in self.squares.iter().enumerate() {
            // Explicit (and undamped) while the step resolves the mode, backward Euler where it does not.
            let implicit = (h * h * stiffening * square - 1.0).max(0.0);
            let weight = 1.0 / (1.0 + h * self.tau * square + implicit);
            let shape = &self.shapes[m * n..(m + 1) * n];
            for i in 0..n {
                let left = weight * shape[i];
                let row = &mut out[i * n..(i + 1) * n];
                for j in 0..n {
                    row[j] += left * shape[j];
                }
            }
        }
        out
    }

    /// `A^-1` in world axes for the present shape:
    /// `Phi G Phi^T + A^-1 - Y Gi Y^T` with `Phi` the rotations of the *present* shape, `Y = A^-1 Phi`.
    pub fn answer<const N: usize>(
        &self,
        r: &[Vec3; N],
        q: Quat,
        stiffening: f64,
        h: f64,
        out: &mut Vec<f64>,
    ) {
        let n = self.n;
        let stretched;
        let body_axes = if stiffening <= MILD && h == self.step {
            &self.at_rest
        } else {
            stretched = self.inverse(stiffening.max(1.0), h);
            &stretched
        };
        out.clear();
        out.resize(n * n, 0.0);
        let turn = Mat3::from_quat(q);
        let back = turn.transpose();
        for a in 0..N - 1 {
            for b in 0..=a {
                let block = turn * block_at(body_axes, n, a, b) * back;
                set_block(out, n, a, b, &block);
                if a != b {
                    set_block(out, n, b, a, &block.transpose());
                }
            }
        }
        // Rotations about x, y, z of the present shape: column d has blocks e_d x r_a.
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let mut phi = vec![0.0; 3 * n];
        for d in 0..3 {
            for a in 0..N - 1 {
                phi[d * n + 3 * a..d * n + 3 * a + 3].copy_from_slice(&axes[d].cross(r[a + 1]).to_array());
            }
        }
        let mut y = vec![0.0; 3 * n];
        for d in 0..3 {
            for i in 0..n {
                y[d * n + i] = dot(&out[i * n..(i + 1) * n], &phi[d * n..(d + 1) * n]);
            }
        }
        let gram = |u: &[f64], v: &[f64]| {
            let mut m = Mat3::ZERO;
            for i in 0..3 {
                for j in 0..3 {
                    m.col_mut(j)[i] = dot(&u[i * n..(i + 1) * n], &v[j * n..(j + 1) * n]);
                }
            }
            m.inverse()
        };
        let g = gram(&phi, &phi);
        let gi = gram(&phi, &y);
        let at = |v: &[f64], i: usize| Vec3::new(v[i], v[n + i], v[2 * n + i]);
        for i in 0..n {
            let left_phi = g.transpose() * at(&phi, i);
            let left_y = gi.transpose() * at(&y, i);
            for j in 0..n {
                out[i * n + j] += left_phi.x * phi[j] + left_phi.y * phi[n + j] + left_phi.z * phi[2 * n + j]
                    - (left_y.x * y[j] + left_y.y * y[n + j] + left_y.z * y[2 * n + j]);
            }
        }
    }
}

/// Replaces `v` by `A^-1 v`.
pub fn apply(answer: &[f64], v: &mut [f64]) {
    let n = v.len();
    let old = v.to_vec();
    for i in 0..n {
        v[i] = dot(&answer[i * n..(i + 1) * n], &old);
    }
}

/// Appends the answers to unit impulses along x, y and z at a point with basis values `z`: three runs of `3 N`.
pub fn columns<const N: usize>(answer: &[f64], z: &[f64; N], store: &mut Vec<f64>) {
    let n = 3 * (N - 1);
    let start = store.len();
    store.resize(start + 9 * N, 0.0);
    for d in 0..3 {
        let run = &mut store[start + d * 3 * N..start + (d + 1) * 3 * N];
        run[d] = z[0];
        // The matrix is symmetric: its row (a, d) is its column (a, d).
        for a in 1..N {
            let row = &answer[(3 * (a - 1) + d) * n..(3 * (a - 1) + d + 1) * n];
            for (to, x) in run[3..].iter_mut().zip(row) {
                *to += z[a] * x;
            }
        }
    }
}

/// The rotation nearest to the deformation, from a nearby guess: turns until the torque between the present and
/// the rest columns vanishes.
pub fn rotation_of<const N: usize>(r: &[Vec3; N], rest: &[Vec3; N], guess: Quat) -> Quat {
    let mut a = Mat3::ZERO;
    for k in 1..N {
        a.x_axis += r[k] * rest[k].x;
        a.y_axis += r[k] * rest[k].y;
        a.z_axis += r[k] * rest[k].z;
    }
    let mut q = guess;
    for _ in 0..40 {
        let m = Mat3::from_quat(q);
        let torque = m.x_axis.cross(a.x_axis) + m.y_axis.cross(a.y_axis) + m.z_axis.cross(a.z_axis);
        let stiffness = m.x_axis.dot(a.x_axis) + m.y_axis.dot(a.y_axis) + m.z_axis.dot(a.z_axis);
        // Newton on so(3): (tr(B) 1 - B_s) w = torque with B the stretch seen in world axes.
        let b = a * m.transpose();
        let symmetric = (b + b.transpose()) * 0.5;
        let matrix = Mat3::from_diagonal(Vec3::splat(stiffness)) - symmetric;
        let newton = matrix.determinant() > 1e-6 * stiffness.abs().powi(3);
        let w = if newton { matrix.inverse() * torque } else { torque / (stiffness.abs() + 1e-300) };
        q = (rotation_by(w.clamp_length_max(1.0)) * q).normalize();
        if w.length_squared() < 1e-30 {
            break;
        }
    }
    q
}

fn block_at(m: &[f64], n: usize, a: usize, b: usize) -> Mat3 {
    let column = |j: usize| {
        Vec3::new(m[3 * a * n + 3 * b + j], m[(3 * a + 1) * n + 3 * b + j], m[(3 * a + 2) * n + 3 * b + j])
    };
    Mat3::from_cols(column(0), column(1), column(2))
}

fn set_block(m: &mut [f64], n: usize, a: usize, b: usize, block: &Mat3) {
    for i in 0..3 {
        for j in 0..3 {
            m[(3 * a + i) * n + 3 * b + j] = block.col(j)[i];
        }
    }
}
