//! Mouldable bodies: past the yield strain the rest metric follows the present one.
//!
//! The paper's flow (`[PB88]` Eq. 75) moves the rest metric towards the present one by their difference, which shrinks
//! the rest volume of whatever is pressed. Here the strain is logarithmic and only what changes shape flows, so the rest
//! volume is kept exactly: with `M` the inverse rest metric, `M = K K^T`, `K^T G K = Q L Q^T`, strains `e = ln(L)/2` less
//! their mean, `M <- K Q exp(-2 s e) Q^T K^T` where `s` brings the strain back to the yield limit, or a part of the way.

use super::forces::Cells;
use super::law::{Inverse, UNMOULDED};
use super::metric::{metric, units};
use crate::math::portable::{cbrt, exp, exp_m1, ln};
use crate::math::{Mat3, Vec3, symmetric_eigen3};

/// How a body is moulded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mouldable {
    /// Norm of the strain up to which it springs back; 0 always.
    pub yield_strain: f64,
    /// Time it takes to flow `[s]`.
    pub flow_time: f64,
    /// Norm of the strain from its first shape beyond which it does not flow.
    pub limit: f64,
}

fn full(s: &Inverse<f64>) -> Mat3 {
    Mat3::from_cols(Vec3::new(s[0], s[3], s[4]), Vec3::new(s[3], s[1], s[5]), Vec3::new(s[4], s[5], s[2]))
}

/// Lower triangular `K` with `K K^T = m`.
fn lower(m: &Mat3) -> Mat3 {
    let at = |i: usize, j: usize| m.col(j)[i];
    let a = at(0, 0).sqrt();
    let (b, c) = (at(1, 0) / a, at(2, 0) / a);
    let d = (at(1, 1) - b * b).sqrt();
    let e = (at(2, 1) - b * c) / d;
    let f = (at(2, 2) - c * c - e * e).sqrt();
    Mat3::from_cols(Vec3::new(a, b, c), Vec3::new(0.0, d, e), Vec3::new(0.0, 0.0, f))
}

/// Logarithmic strains without their mean.
fn shape_strains(squares: Vec3) -> Vec3 {
    let e = squares.map(|s| 0.5 * ln(s.max(1e-12)));
    e - Vec3::splat((e.x + e.y + e.z) / 3.0)
}

impl Mouldable {
    /// Lets the cells flow for a time `h`.
    pub fn flow(&self, cells: &Cells, x: &[Vec3], inverse: &mut Vec<Inverse<f64>>, h: f64) {
        if self.yield_strain <= 0.0 {
            return;
        }
        let share = if self.flow_time > 0.0 { -exp_m1(-h / self.flow_time) } else { 1.0 };
        let least = self.yield_strain * self.yield_strain;
        let units = units(&cells.grid.cell);
        for c in 0..cells.grid.cells.len() {
            let modes = cells.modes(c, x);
            // The metric cannot tell a mirror image: what is inside out has to come back, and must not be moulded to stay.
            if modes.volume() <= 0.0 {
                continue;
            }
            let g: Inverse<f64> = {
                let all = metric(&modes);
                std::array::from_fn(|e| all[e] * units[e])
            };
            let old = inverse.get(c).copied().unwrap_or(UNMOULDED);
            let (m, g) = (full(&old), full(&g));
            // tr(M G) of a small change of shape is 3 + 2 |e|^2: most cells need no more than this.
            let mg = m * g;
            let size = cbrt(mg.determinant().max(1e-12));
            if (mg.x_axis.x + mg.y_axis.y + mg.z_axis.z) / size - 3.0 < least {
                continue;
            }
            let k = lower(&m);
            let (squares, q) = symmetric_eigen3(&(k.transpose() * g * k));
            let e = shape_strains(squares);
            let norm = e.length();
            if norm.is_nan() || norm <= self.yield_strain {
                continue;
            }
            let s = share * (1.0 - self.yield_strain / norm);
            let kq = k * q;
            let new = kq * Mat3::from_diagonal((e * (-2.0 * s)).map(exp)) * kq.transpose();
            if shape_strains(symmetric_eigen3(&new).0).length() > self.limit {
                continue;
            }
            if inverse.is_empty() {
                inverse.resize(cells.grid.cells.len(), UNMOULDED);
            }
            inverse[c] = [new.x_axis.x, new.y_axis.y, new.z_axis.z, new.y_axis.x, new.z_axis.x, new.z_axis.y];
        }
    }
}
