//! Few points with positive weights that integrate polynomials exactly over a solid.
//!
//! Non-negative least squares over candidate points inside the solid picks at most as many as
//! there are moments. Everything is done in coordinates in which the solid has unit covariance, with polynomials
//! orthonormal over the candidates, so that thin or far-away solids lose no digits.

use super::TriMesh;
use super::gauss::integrate;
use super::moments::{exponents, volume_centre_covariance};
use super::nnls::{Solution, dot, non_negative_least_squares, norm, subtract};
use super::predicates::{flat, turn};
use crate::math::portable;
use crate::math::{Mat3, Vec3};
use std::f64::consts::PI;

/// One point of a cubature rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubaturePoint {
    /// Where, inside the solid `[m]`.
    pub at: Vec3,
    /// Positive weight `[m^3]`; the weights add up to the volume.
    pub weight: f64,
}

/// At most `C(degree + 3, 3)` points with positive weights, inside the solid, exact for polynomials up to `degree`.
///
/// Degrees 0 and 1 give one point, the centre of mass (which lies outside a ring: for these degrees the place does not
/// matter to the integral). The mesh must be a solid (`check_solid`).
pub fn cubature(mesh: &TriMesh, degree: usize) -> Vec<CubaturePoint> {
    let (volume, centre, covariance) = volume_centre_covariance(mesh);
    if degree <= 1 {
        return vec![CubaturePoint { at: centre, weight: volume }];
    }
    let from_unit = unit_frame(mesh, centre, covariance * (1.0 / volume));
    let to_unit = from_unit.inverse();
    let unit = mesh.map(|p| to_unit * (p - centre));
    let moments = legendre_moments(&unit, degree);
    let mut best: Option<(Solution, Vec<Vec3>)> = None;
    // More candidates, should the first ones not span the moments with positive weights.
    for per_moment in [12, 24, 48, 96] {
        let candidates = points_inside(&unit, per_moment * moments.len());
        let solution = fit(&candidates, &moments, degree);
        let done = solution.residual <= TOLERANCE;
        if best.as_ref().is_none_or(|b| solution.residual < b.0.residual) {
            best = Some((solution, candidates));
        }
        if done {
            break;
        }
    }
    let Some((solution, candidates)) = best else { return vec![] };
    let scale = from_unit.determinant();
    let to_point =
        |(j, x): (usize, f64)| CubaturePoint { at: centre + from_unit * candidates[j], weight: scale * x };
    solution.terms.into_iter().map(to_point).collect()
}

/// Residual at which the moments count as matched, relative to the volume.
const TOLERANCE: f64 = 2e-14;

/// The linear map from coordinates in which the solid has a covariance of one shape in all directions and fits
/// into [-1, 1]^3.
fn unit_frame(mesh: &TriMesh, centre: Vec3, c: Mat3) -> Mat3 {
    // Cholesky factor of the covariance.
    let xx = c.x_axis.x.sqrt();
    let (xy, xz) = (c.x_axis.y / xx, c.x_axis.z / xx);
    let yy = (c.y_axis.y - xy * xy).sqrt();
    let yz = (c.y_axis.z - xy * xz) / yy;
    let zz = (c.z_axis.z - xz * xz - yz * yz).sqrt();
    let factor = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(0.0, yy, yz), Vec3::new(0.0, 0.0, zz));
    let inverse = factor.inverse();
    let reach = mesh.points.iter().map(|&p| (inverse * (p - centre)).abs().max_element()).fold(0.0, f64::max);
    factor * reach
}

/// Products of normalised Legendre polynomials up to a total degree, in the order of `exponents`.
struct Basis {
    exponents: Vec<[usize; 3]>,
    /// Values of `sqrt(2 n + 1) P_n` along the three axes.
    table: Vec<[f64; 3]>,
    /// `sqrt(2 n + 1)` and the two factors of the recurrence.
    factors: Vec<[f64; 3]>,
}

impl Basis {
    fn new(degree: usize) -> Self {
        let factor = |n: f64| [(2.0 * n + 1.0).sqrt(), (2.0 * n + 1.0) / (n + 1.0), n / (n + 1.0)];
        Basis {
            exponents: exponents(degree).collect(),
            table: vec![[0.0; 3]; degree + 1],
            factors: (0..=degree).map(|n| factor(n as f64)).collect(),
        }
    }
    fn evaluate(&mut self, p: Vec3, out: &mut [f64]) {
        for x in 0..3 {
            // (n + 1) P_(n+1) = (2 n + 1) x P_n - n P_(n-1)
            let (mut before, mut value) = (0.0, 1.0);
            for (row, [scale, a, b]) in self.table.iter_mut().zip(&self.factors) {
                row[x] = scale * value;
                (before, value) = (value, a * p[x] * value - b * before);
            }
        }
        for (value, &[i, j, k]) in out.iter_mut().zip(&self.exponents) {
            *value = self.table[i][0] * self.table[j][1] * self.table[k][2];
        }
    }
}

fn legendre_moments(mesh: &TriMesh, degree: usize) -> Vec<f64> {
    integrate(mesh, degree, exponents(degree).count(), || {
        let mut basis = Basis::new(degree);
        move |p: Vec3, out: &mut [f64]| basis.evaluate(p, out)
    })
}

/// Positive weights for some of the candidates.
fn fit(candidates: &[Vec3], moments: &[f64], degree: usize) -> Solution {
    let mut basis = Basis::new(degree);
    // One row per polynomial, over all candidates.
    let mut rows = vec![vec![0.0; candidates.len()]; moments.len()];
    let mut values = vec![0.0; moments.len()];
    for (c, &p) in candidates.iter().enumerate() {
        basis.evaluate(p, &mut values);
        rows.iter_mut().zip(&values).for_each(|(row, &value)| row[c] = value);
    }
    // Gram-Schmidt over the candidates, applied to the moments alike, makes the rows orthonormal.
    let mut b = moments.to_vec();
    let mut kept: Vec<usize> = vec![];
    for n in 0..rows.len() {
        let (before, from) = rows.split_at_mut(n);
        let row = &mut from[0];
        let length = norm(row);
        for _ in 0..2 {
            for &k in &kept {
                let d = dot(&before[k], row);
                subtract(row, d, &before[k]);
                b[n] -= d * b[k];
            }
        }
        let left = norm(row);
        // A polynomial that vanishes on the solid (next to the others) has no say.
        if left > 1e-11 * length {
            row.iter_mut().for_each(|v| *v /= left);
            b[n] /= left;
            kept.push(n);
        }
    }
    let b: Vec<f64> = kept.iter().map(|&n| b[n]).collect();
    let columns: Vec<Vec<f64>> =
        (0..candidates.len()).map(|c| kept.iter().map(|&n| rows[n][c]).collect()).collect();
    let size = norm(&b);
    let mut solution = non_negative_least_squares(&columns, &b, TOLERANCE * size);
    solution.residual /= size;
    solution
}

/// About `count` points inside the solid, the same every time: on lines along x, y and z in turn through a
/// low-discrepancy pattern, denser towards the surface, where positive rules need them.
fn points_inside(mesh: &TriMesh, count: usize) -> Vec<Vec3> {
    // Generalised golden ratio in three dimensions: 1/g, 1/g^2, 1/g^3 with g^4 = g + 1.
    const STEP: [f64; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_2];
    let (low, high) = mesh.bounds();
    let size = high - low;
    let depth = portable::cbrt(count as f64).max(2.0);
    let mut points = Vec::with_capacity(count + 64);
    let mut line = 0;
    while points.len() < count && line < 64 * count {
        line += 1;
        let axis = line % 3;
        let f = STEP.map(|s| (0.5 + line as f64 * s).fract());
        let (corner, extent) = (flat(low, axis), flat(size, axis));
        let across = [0, 1].map(|k| corner[k] + f[k] * extent[k]);
        for [from, to] in spans_inside(mesh, axis, across) {
            // Every span gets at least one point, so that thin places are not missed, at a depth of the pattern,
            // so that it is not always their middle.
            let n = (depth * (to - from) / size[axis]).round().max(1.0);
            for k in 0..n as u32 {
                let t = 0.5 - 0.5 * portable::cos(PI * (f64::from(k) + f[2]) / n);
                let mut p = Vec3::ZERO;
                p[axis] = from + t * (to - from);
                p[(axis + 1) % 3] = across[0];
                p[(axis + 2) % 3] = across[1];
                points.push(p);
            }
        }
    }
    points
}

/// Where the line along an axis through `at` runs inside the solid. Lines that graze an edge are left out.
fn spans_inside(mesh: &TriMesh, axis: usize, at: [f64; 2]) -> Vec<[f64; 2]> {
    let mut hits: Vec<(f64, i32)> = vec![];
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        let c = corners.map(|p| flat(p, axis));
        let beyond = |k: usize| c.iter().all(|p| p[k] < at[k]) || c.iter().all(|p| p[k] > at[k]);
        if beyond(0) || beyond(1) {
            continue;
        }
        let s = [turn(c[1], c[2], at), turn(c[2], c[0], at), turn(c[0], c[1], at)];
        if s.iter().any(|&v| v > 0.0) && s.iter().any(|&v| v < 0.0) {
            continue;
        }
        let sum = s[0] + s[1] + s[2];
        if s.contains(&0.0) || sum == 0.0 {
            return vec![];
        }
        let height = (s[0] * corners[0][axis] + s[1] * corners[1][axis] + s[2] * corners[2][axis]) / sum;
        // A triangle that faces backwards is an entry.
        hits.push((height, if sum < 0.0 { 1 } else { -1 }));
    }
    hits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let mut inside = 0;
    let mut spans = vec![];
    for pair in hits.windows(2) {
        inside += pair[0].1;
        if inside > 0 && pair[1].0 > pair[0].0 {
            spans.push([pair[0].0, pair[1].0]);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::check::solid_angle;
    use crate::shape::{Moments, box_mesh, sphere_mesh, stairs_mesh, torus_mesh};

    fn solids() -> Vec<(&'static str, TriMesh)> {
        vec![
            ("box", box_mesh(Vec3::new(1.0, 0.2, 3.0), [1, 1, 1])),
            ("far box", box_mesh(Vec3::ONE, [2, 2, 2]).map(|p| p + Vec3::new(5.0, -3.0, 2.0))),
            ("ball", sphere_mesh(0.5, 2)),
            ("ring", torus_mesh(1.0, 0.25, 24, 12)),
            ("thin ring", torus_mesh(1.0, 0.02, 48, 8)),
            ("stairs", stairs_mesh(4, 0.3, 0.2, 1.0)),
            (
                "sheared plate",
                box_mesh(Vec3::new(1.0, 0.01, 1.0), [1, 1, 1]).map(|p| p + Vec3::Y * (p.x - p.z)),
            ),
        ]
    }

    fn check(name: &str, mesh: &TriMesh, degree: usize) {
        let rule = cubature(mesh, degree);
        let (d, count) = (degree, rule.len());
        assert!(count <= (d + 1) * (d + 2) * (d + 3) / 6, "{name}: {count} points");
        for p in &rule {
            assert!(p.weight > 0.0, "{name}");
            let angle: f64 = (0..mesh.triangles.len()).map(|t| solid_angle(p.at, mesh.corners(t))).sum();
            assert!((angle / (4.0 * PI) - 1.0).abs() < 1e-6, "{name}: {} is outside", p.at);
        }
        let m = Moments::of(mesh, degree);
        let (low, high) = mesh.bounds();
        let reach = low.abs().max(high.abs());
        for [i, j, k] in exponents(degree) {
            let power = |p: Vec3| p.x.powi(i as i32) * p.y.powi(j as i32) * p.z.powi(k as i32);
            let sum: f64 = rule.iter().map(|c| c.weight * power(c.at)).sum();
            let error = (sum - m.get(i, j, k)).abs() / (power(reach) * mesh.volume());
            assert!(error < 1e-12, "{name}: moment {i} {j} {k} off by {error}");
        }
    }

    #[test]
    fn degree_4_rules_match_all_moments() {
        for (name, mesh) in solids() {
            check(name, &mesh, 4);
        }
    }

    #[test]
    fn degree_8_rules_match_all_moments() {
        for (name, mesh) in solids() {
            check(name, &mesh, 8);
        }
    }

    #[test]
    fn products_of_random_linear_forms_are_integrated() {
        // Four linear forms through the ring, against a much finer rule.
        let mesh = torus_mesh(1.0, 0.25, 24, 12);
        let (coarse, fine) = (cubature(&mesh, 4), cubature(&mesh, 8));
        for s in 0..20 {
            let form = |n: u32, p: Vec3| {
                let a = f64::from(7 * s + 3 * n + 1);
                (a * 0.7).sin() + p.dot(Vec3::new((1.3 * a).cos(), (2.1 * a).sin(), (0.4 * a).cos()))
            };
            let product = |p: Vec3| (0..4).map(|n| form(n, p)).product::<f64>();
            let sum = |rule: &[CubaturePoint]| rule.iter().map(|c| c.weight * product(c.at)).sum::<f64>();
            assert!((sum(&coarse) - sum(&fine)).abs() < 1e-12);
        }
    }

    #[test]
    fn one_point_carries_the_volume() {
        let mesh = box_mesh(Vec3::new(1.0, 2.0, 3.0), [1, 1, 1]).map(|p| p + Vec3::X);
        let rule = cubature(&mesh, 0);
        assert_eq!(rule.len(), 1);
        assert!((rule[0].weight - 6.0).abs() < 1e-14 && rule[0].at.distance(Vec3::X) < 1e-14);
    }

    #[test]
    fn the_same_mesh_gives_the_same_bits() {
        let mesh = torus_mesh(1.0, 0.25, 24, 12);
        assert_eq!(cubature(&mesh, 4), cubature(&mesh, 4));
    }
}
