//! Whitened polynomials: [BW92] section 2.2.

use crate::math::{Mat3, Vec3};
use crate::shape::{Moments, TriMesh, mass_properties};

/// All monomials of total degree 0, 1, 2, ..., constant first, in a fixed order.
pub fn monomials(count: usize) -> Vec<[usize; 3]> {
    let mut all = vec![];
    for degree in 0.. {
        for i in (0..=degree).rev() {
            for j in (0..=degree - i).rev() {
                all.push([i, j, degree - i - j]);
            }
        }
        if all.len() >= count {
            break;
        }
    }
    all.truncate(count);
    all
}

/// `N` polynomials with `integral of density * z_a z_b = delta_ab` over the rest shape; the first is constant.
pub struct Basis<const N: usize> {
    exponents: Vec<[usize; 3]>,
    /// Lower triangular `C^-1`: whitened from plain monomials.
    whiten: Vec<[f64; N]>,
    /// Centre of mass in the rest shape's coordinates.
    pub centre: Vec3,
    /// Monomials are taken in units of this length, for conditioning `[m]`.
    scale: f64,
    /// Mass `[kg]`.
    pub mass: f64,
    /// Columns of `R` at rest: `p = sum_a rest_a z_a(p)`.
    pub rest: [Vec3; N],
}

impl<const N: usize> Basis<N> {
    /// The basis of a closed mesh; none if the mass matrix is singular.
    pub fn new(mesh: &TriMesh, density: f64) -> Option<Self> {
        let exponents = monomials(N);
        let solid = mass_properties(mesh);
        let (low, high) = mesh.bounds();
        let scale = 0.5 * (high - low).max_element();
        let degree = exponents.last().map_or(0, |e| e.iter().sum::<usize>());
        let moments = Moments::of(&mesh.map(|p| (p - solid.centre) / scale), 2 * degree);
        // [BW92] Eq. 5 over body space.
        let mut m = vec![[0.0; N]; N];
        for a in 0..N {
            for b in 0..N {
                let e: [usize; 3] = std::array::from_fn(|d| exponents[a][d] + exponents[b][d]);
                m[a][b] = density * scale.powi(3) * moments.get(e[0], e[1], e[2]);
            }
        }
        let c = cholesky(&m)?;
        let whiten = invert_lower(&c);
        let mut basis =
            Self { exponents, whiten, centre: solid.centre, scale, mass: m[0][0], rest: [Vec3::ZERO; N] };
        // p = centre + scale * (x, y, z): in whitened terms the columns are rows of C.
        for d in 0..3 {
            let a = 1 + d;
            for b in 0..N {
                basis.rest[b][d] = scale * c[a][b];
            }
            basis.rest[0][d] += solid.centre[d] * c[0][0];
        }
        Some(basis)
    }

    /// Values of the polynomials at a point of the rest shape.
    pub fn at(&self, p: Vec3) -> [f64; N] {
        let x = (p - self.centre) / self.scale;
        let mut plain = [0.0; N];
        for a in 0..N {
            let [i, j, k] = self.exponents[a];
            plain[a] = x.x.powi(i as i32) * x.y.powi(j as i32) * x.z.powi(k as i32);
        }
        std::array::from_fn(|a| (0..=a).map(|b| self.whiten[a][b] * plain[b]).sum())
    }

    /// Gradients of the polynomials at a point of the rest shape `[1/m]`.
    pub fn gradients(&self, p: Vec3) -> [Vec3; N] {
        let x = ((p - self.centre) / self.scale).to_array();
        let power = |e: usize, x: f64| x.powi(e as i32);
        let slope = |e: usize, x: f64| if e == 0 { 0.0 } else { e as f64 * x.powi(e as i32 - 1) };
        let mut plain = [Vec3::ZERO; N];
        for a in 0..N {
            let [i, j, k] = self.exponents[a];
            plain[a] = Vec3::new(
                slope(i, x[0]) * power(j, x[1]) * power(k, x[2]),
                power(i, x[0]) * slope(j, x[1]) * power(k, x[2]),
                power(i, x[0]) * power(j, x[1]) * slope(k, x[2]),
            ) / self.scale;
        }
        std::array::from_fn(|a| (0..=a).map(|b| self.whiten[a][b] * plain[b]).sum())
    }

    /// Deformation gradient at a point of the rest shape.
    pub fn gradient_of(&self, r: &[Vec3; N], p: Vec3) -> Mat3 {
        deformation(r, &self.gradients(p))
    }

    /// The inverse map D^-1 ([BW92] section 4.1): the point of the rest shape that stands at `world`, by Newton
    /// iteration from a guess; none if it does not converge.
    pub fn invert(&self, r: &[Vec3; N], world: Vec3, guess: Vec3) -> Option<Vec3> {
        let mut p = guess;
        for _ in 0..50 {
            let error = super::combine(r, &self.at(p)) - world;
            let f = self.gradient_of(r, p);
            if f.determinant().abs() < 1e-12 {
                return None;
            }
            let mut step = f.inverse() * error;
            // A bounded step keeps the iteration inside the region where the polynomial is tame.
            let longest = 0.5 * self.scale;
            if step.length() > longest {
                step *= longest / step.length();
            }
            p -= step;
            if step.length() <= 1e-14 * self.scale {
                return Some(p);
            }
        }
        let error = super::combine(r, &self.at(p)) - world;
        (error.length() <= 1e-10 * self.scale).then_some(p)
    }
}

/// `F = sum_a r_a (grad z_a)^T`.
#[inline]
pub fn deformation<const N: usize>(r: &[Vec3; N], gradients: &[Vec3; N]) -> Mat3 {
    let mut f = Mat3::ZERO;
    for a in 1..N {
        let g = gradients[a];
        f.x_axis += r[a] * g.x;
        f.y_axis += r[a] * g.y;
        f.z_axis += r[a] * g.z;
    }
    f
}

/// Lower triangular factor of a symmetric positive definite matrix.
fn cholesky<const N: usize>(m: &[[f64; N]]) -> Option<Vec<[f64; N]>> {
    let mut c = vec![[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let rest: f64 = (0..j).map(|k| c[i][k] * c[j][k]).sum();
            let value = m[i][j] - rest;
            if i == j {
                if value.is_nan() || value <= 1e-13 * m[i][i] {
                    return None;
                }
                c[i][i] = value.sqrt();
            } else {
                c[i][j] = value / c[j][j];
            }
        }
    }
    Some(c)
}

fn invert_lower<const N: usize>(c: &[[f64; N]]) -> Vec<[f64; N]> {
    let mut inverse = vec![[0.0; N]; N];
    for j in 0..N {
        inverse[j][j] = 1.0 / c[j][j];
        for i in j + 1..N {
            let sum: f64 = (j..i).map(|k| c[i][k] * inverse[k][j]).sum();
            inverse[i][j] = -sum / c[i][i];
        }
    }
    inverse
}
