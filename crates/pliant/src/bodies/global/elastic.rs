//! Elastic potential by exact cubature, and plastic flow: [BW92] section 2.3.

use super::basis::{Basis, deformation};
use crate::math::portable::{exp, ln};
use crate::math::{Mat3, Vec3, symmetric_eigen3};
use crate::scene::Material;
use crate::shape::{TriMesh, cubature};

/// Volume ratio below which the guard against inversion acts.
const FLAT: f64 = 0.4;

/// The potential `sum_p w_p (mu E:E + lambda/2 tr(E)^2)`, `E = (F^T F - 1)/2`.
pub struct Elastic<const N: usize> {
    weights: Vec<f64>,
    gradients: Vec<[Vec3; N]>,
    mu: f64,
    lambda: f64,
    /// Stiffness of the guard: `guard/2 (det F - FLAT)^2` where `det F < FLAT`. The law alone resists flattening less
    /// and less; at ordinary strains the guard is zero and the cubature exact.
    guard: f64,
}

impl<const N: usize> Elastic<N> {
    /// Cubature of degree `4 (order - 1)`, which integrates the potential exactly.
    pub fn new(basis: &Basis<N>, mesh: &TriMesh, order: usize, material: &Material) -> Self {
        let points = cubature(mesh, 4 * (order - 1));
        let (young, poisson) = (material.young, material.poisson);
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Self {
            weights: points.iter().map(|p| p.weight).collect(),
            gradients: points.iter().map(|p| basis.gradients(p.at)).collect(),
            mu,
            lambda,
            guard: 3.0 * (lambda.max(0.0) + 2.0 * mu),
        }
    }

    /// Number of cubature points.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Second Piola-Kirchhoff stress of a deformation gradient, and its strain.
    fn stress(&self, f: &Mat3) -> (Mat3, Mat3) {
        let strain = (f.transpose() * *f - Mat3::IDENTITY) * 0.5;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        (strain * (2.0 * self.mu) + Mat3::from_diagonal(Vec3::splat(self.lambda * trace)), strain)
    }

    /// Force on each column of `R`, and how much stiffer than at rest the most stretched point has become.
    pub fn force(&self, r: &[Vec3; N], plastic: &[Mat3]) -> ([Vec3; N], f64) {
        let mut force = [Vec3::ZERO; N];
        let mut largest = 0.0f64;
        let mut guarded = false;
        for (p, gradients) in self.gradients.iter().enumerate() {
            let mut f = deformation(r, gradients);
            let (s, strain) = match plastic.get(p) {
                None => self.stress(&f),
                Some(undo) => {
                    let (s, strain) = self.stress(&(f * *undo));
                    // F_e = F F_p^-1, so the stress is pulled back by the same.
                    (*undo * s * undo.transpose(), strain)
                }
            };
            let size = strain.x_axis.length_squared()
                + strain.y_axis.length_squared()
                + strain.z_axis.length_squared();
            largest = largest.max(size);
            let volume = f.determinant();
            let mut push = f * s;
            if volume < FLAT {
                // d(det F)/dF is the cofactor matrix, whose columns are cross products.
                let cofactor = Mat3::from_cols(
                    f.y_axis.cross(f.z_axis),
                    f.z_axis.cross(f.x_axis),
                    f.x_axis.cross(f.y_axis),
                );
                push += cofactor * (self.guard * (volume - FLAT));
                guarded = true;
            }
            f = push * -self.weights[p];
            for a in 1..N {
                force[a] += f * gradients[a];
            }
        }
        // Tangent stiffness of this law under stretch l is (3 l^2 - 1)/2 = 1 + 3 e times that at rest.
        let guard = if guarded { self.guard / self.mu } else { 0.0 };
        (force, 1.0 + 3.0 * largest.sqrt() + guard)
    }

    /// Elastic energy, and the smallest determinant of the deformation gradient at the cubature points.
    pub fn energy(&self, r: &[Vec3; N], plastic: &[Mat3]) -> (f64, f64) {
        let (mut energy, mut least) = (0.0, f64::INFINITY);
        for (p, gradients) in self.gradients.iter().enumerate() {
            let f = deformation(r, gradients);
            let volume = f.determinant();
            least = least.min(volume);
            energy += 0.5 * self.weights[p] * self.guard * (volume - FLAT).min(0.0).powi(2);
            let f = plastic.get(p).map_or(f, |undo| f * *undo);
            let (s, e) = self.stress(&f);
            let product = s.x_axis.dot(e.x_axis) + s.y_axis.dot(e.y_axis) + s.z_axis.dot(e.z_axis);
            energy += 0.5 * self.weights[p] * product;
        }
        (energy, least)
    }

    /// Volume of the deformed body: `det F` has degree `3 (order - 1)`, so the cubature is exact.
    pub fn volume(&self, r: &[Vec3; N]) -> f64 {
        let at = |(w, g): (&f64, &[Vec3; N])| w * deformation(r, g).determinant();
        self.weights.iter().zip(&self.gradients).map(at).sum()
    }

    /// Stiffness at rest between columns `a` and `b` (from 1), as a 3x3 block.
    pub fn rest_stiffness(&self, a: usize, b: usize) -> Mat3 {
        let mut k = Mat3::ZERO;
        for (w, g) in self.weights.iter().zip(&self.gradients) {
            let (ga, gb) = (g[a], g[b]);
            let outer = |x: Vec3, y: Vec3| Mat3::from_cols(x * y.x, x * y.y, x * y.z);
            let same = Mat3::from_diagonal(Vec3::splat(ga.dot(gb)));
            k += (same * self.mu + outer(gb, ga) * self.mu + outer(ga, gb) * self.lambda) * *w;
        }
        k
    }

    /// Plastic flow: the logarithmic strain returns to the yield surface, volume kept exactly.
    pub fn flow(&self, r: &[Vec3; N], plastic: &mut [Mat3], material: &Material, h: f64) {
        let rate = if material.flow_time > 0.0 { 1.0 - exp(-h / material.flow_time) } else { 1.0 };
        for (gradients, undo) in self.gradients.iter().zip(plastic) {
            let f = deformation(r, gradients) * *undo;
            let (squares, axes) = symmetric_eigen3(&(f.transpose() * f));
            if squares.min_element() <= 0.0 {
                continue;
            }
            let strain = Vec3::from(squares.to_array().map(ln)) * 0.5;
            let shear = strain - Vec3::splat(strain.element_sum() / 3.0);
            let size = shear.length();
            if size > material.yield_strain {
                let back = shear * (rate * (material.yield_strain / size - 1.0));
                let scale = Mat3::from_diagonal(Vec3::from(back.to_array().map(exp)));
                *undo = *undo * axes * scale * axes.transpose();
            }
        }
    }
}
