//! Integrals of monomials over the inside of a closed mesh, and the mass properties that follow.

use super::TriMesh;
use super::gauss::integrate;
use crate::math::{Mat3, Vec3};

/// All integrals of `x^i y^j z^k` with `i + j + k <= degree` over a solid `[m^(3+i+j+k)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    degree: usize,
    /// By `exponents` order.
    values: Vec<f64>,
}

impl Moments {
    /// Exact moments (to round-off) of the inside of a closed mesh, wherever it lies. Meant for degrees up to 12.
    pub fn of(mesh: &TriMesh, degree: usize) -> Moments {
        let exponents: Vec<[usize; 3]> = exponents(degree).collect();
        let values = integrate(mesh, degree, exponents.len(), || {
            let mut powers = vec![[1.0; 3]; degree + 1];
            let exponents = &exponents;
            move |p: Vec3, out: &mut [f64]| {
                for n in 1..=degree {
                    powers[n] = [0, 1, 2].map(|k| powers[n - 1][k] * p[k]);
                }
                for (value, &[i, j, k]) in out.iter_mut().zip(exponents) {
                    *value = powers[i][0] * powers[j][1] * powers[k][2];
                }
            }
        });
        Moments { degree, values }
    }
    /// The highest total degree available.
    pub fn degree(&self) -> usize {
        self.degree
    }
    /// The integral of `x^i y^j z^k`.
    ///
    /// # Panics
    /// If `i + j + k` is more than the degree asked for.
    pub fn get(&self, i: usize, j: usize, k: usize) -> f64 {
        let d = i + j + k;
        assert!(d <= self.degree, "moment ({i}, {j}, {k}) is above degree {}", self.degree);
        // Monomials below degree d, then those of degree d with more of y and z in front, then more of z.
        let below = d * (d + 1) * (d + 2) / 6;
        let rest = j + k;
        self.values[below + rest * (rest + 1) / 2 + k]
    }
}

/// All exponents up to a total degree: by degree, then descending in x, then in y.
pub(super) fn exponents(degree: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..=degree).flat_map(|d| (0..=d).flat_map(move |rest| (0..=rest).map(move |k| [d - rest, rest - k, k])))
}

/// Volume, centre and inertia of a solid of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume `[m^3]`, which is the mass at density 1.
    pub volume: f64,
    /// Centre of mass `[m]`.
    pub centre: Vec3,
    /// Inertia tensor about the centre `[m^5]`; times the density it is in `[kg m^2]`.
    pub inertia: Mat3,
}

/// Mass properties of the inside of a closed mesh, at density 1.
pub fn mass_properties(mesh: &TriMesh) -> MassProperties {
    let (volume, centre, covariance) = volume_centre_covariance(mesh);
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    MassProperties { volume, centre, inertia: Mat3::from_diagonal(Vec3::splat(trace)) - covariance }
}

/// Volume, centre and `∫ (x - centre) (x - centre)^T dV`.
pub(super) fn volume_centre_covariance(mesh: &TriMesh) -> (f64, Vec3, Mat3) {
    // About the middle of the mesh first, where the parallel-axis term cancels little.
    let (low, high) = mesh.bounds();
    let middle = 0.5 * (low + high);
    let m = Moments::of(&mesh.map(|p| p - middle), 2);
    let volume = m.get(0, 0, 0);
    let offset = Vec3::new(m.get(1, 0, 0), m.get(0, 1, 0), m.get(0, 0, 1)) / volume;
    let (xy, xz, yz) = (m.get(1, 1, 0), m.get(1, 0, 1), m.get(0, 1, 1));
    let about_middle = Mat3::from_cols(
        Vec3::new(m.get(2, 0, 0), xy, xz),
        Vec3::new(xy, m.get(0, 2, 0), yz),
        Vec3::new(xz, yz, m.get(0, 0, 2)),
    );
    let shift = Mat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z) * volume;
    (volume, middle + offset, about_middle - shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::shape::{box_mesh, sphere_mesh, torus_mesh};
    use std::f64::consts::PI;

    /// `∫ x^n dx` from `a` to `b`.
    fn power(a: f64, b: f64, n: usize) -> f64 {
        let n = n as i32 + 1;
        (b.powi(n) - a.powi(n)) / f64::from(n)
    }

    #[test]
    fn box_moments_match_closed_forms_wherever_it_lies() {
        let size = Vec3::new(1.0, 0.5, 2.0);
        for shift in [Vec3::ZERO, Vec3::new(0.2, -0.4, 0.1), Vec3::new(30.0, -20.0, 10.0)] {
            let mesh = box_mesh(size, [2, 1, 3]).map(|p| p + shift);
            let (a, b) = mesh.bounds();
            let m = Moments::of(&mesh, 12);
            let reach = a.abs().max(b.abs());
            for [i, j, k] in exponents(12) {
                let exact = power(a.x, b.x, i) * power(a.y, b.y, j) * power(a.z, b.z, k);
                let scale = reach.x.powi(i as i32) * reach.y.powi(j as i32) * reach.z.powi(k as i32);
                assert!((m.get(i, j, k) - exact).abs() < 1e-12 * scale, "{shift} {i} {j} {k}");
            }
        }
    }

    #[test]
    fn the_lookup_agrees_with_the_order_of_exponents() {
        let m = Moments { degree: 5, values: (0..56).map(f64::from).collect() };
        for (n, [i, j, k]) in exponents(5).enumerate() {
            assert_eq!(m.get(i, j, k), n as f64);
        }
        assert_eq!(exponents(4).count(), 35);
        assert_eq!(exponents(8).count(), 165);
    }

    #[test]
    fn a_tetrahedron_matches_dirichlets_formula() {
        // ∫ x^i y^j z^k over the unit simplex = i! j! k! / (i + j + k + 3)!
        let mesh = TriMesh {
            points: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..TriMesh::default()
        };
        let f = |n: usize| (1..=n).map(|v| v as f64).product::<f64>();
        let m = Moments::of(&mesh, 10);
        for [i, j, k] in exponents(10) {
            let exact = f(i) * f(j) * f(k) / f(i + j + k + 3);
            assert!((m.get(i, j, k) / exact - 1.0).abs() < 1e-11, "{i} {j} {k}");
        }
    }

    #[test]
    fn a_turned_and_moved_box_has_the_closed_form_inertia() {
        let s = Vec3::new(1.0, 2.0, 3.0);
        let q = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(1.1);
        let at = Vec3::new(100.0, -50.0, 20.0);
        let p = mass_properties(&box_mesh(s, [1, 1, 1]).map(|x| q * x + at));
        let v = 6.0;
        let local = v / 12.0 * Vec3::new(s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y);
        let r = Mat3::from_quat(q);
        let exact = r * Mat3::from_diagonal(local) * r.transpose();
        assert!((p.volume - v).abs() < 1e-11 && p.centre.distance(at) < 1e-11);
        assert!((p.inertia - exact).to_cols_array().iter().all(|e| e.abs() < 1e-10));
    }

    #[test]
    fn ball_and_ring_converge_to_their_closed_forms() {
        let ball = mass_properties(&sphere_mesh(0.5, 5));
        let mass = 4.0 / 3.0 * PI * 0.125;
        assert!((ball.volume / mass - 1.0).abs() < 2e-3);
        assert!((ball.inertia.x_axis.x / (0.4 * mass * 0.25) - 1.0).abs() < 3e-3);
        let (r, a) = (1.0, 0.3);
        let ring = mass_properties(&torus_mesh(r, a, 200, 100));
        let mass = 2.0 * PI * PI * r * a * a;
        assert!((ring.volume / mass - 1.0).abs() < 2e-3);
        // About the axis m (R^2 + 3/4 a^2), across it m (4 R^2 + 5 a^2) / 8.
        assert!((ring.inertia.y_axis.y / (mass * (r * r + 0.75 * a * a)) - 1.0).abs() < 3e-3);
        assert!((ring.inertia.x_axis.x / (mass * (4.0 * r * r + 5.0 * a * a) / 8.0) - 1.0).abs() < 3e-3);
    }
}
