//! `A = M + s K`: constant, factored once, solved many times ([TW88] Eq. 38 and 39).

use super::stiffness::Stiffness;
use crate::math::{Cholesky, Triangle, Vec3};
use std::sync::OnceLock;

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A sparse Cholesky factor, made once.
    #[default]
    Direct,
    /// Conjugate gradients: no factor to store, for very large grids.
    Iterative,
}

/// A matrix `M + s K` that can be solved with.
pub struct Factor {
    inner: Inner,
    /// Columns of the inverse that were asked for. The matrix never changes, so neither do they.
    columns: Vec<OnceLock<Box<[f64]>>>,
}

enum Inner {
    Direct(Cholesky),
    Iterative { mass: Vec<f64>, stiffness: Stiffness, s: f64, diagonal: Vec<f64> },
}

/// Relative residual at which conjugate gradients stop.
const TOLERANCE: f64 = 1e-13;

impl Factor {
    /// Factors `M + s K`; none if round-off leaves it without a factor.
    pub fn new(mass: &[f64], stiffness: &Stiffness, s: f64, method: Method) -> Option<Self> {
        let n = mass.len();
        let inner = match method {
            Method::Direct => Inner::Direct(direct(mass, stiffness, s)?),
            Method::Iterative => {
                let own = |i: usize| stiffness.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, k)| k);
                Inner::Iterative {
                    diagonal: (0..n).map(|i| mass[i] + s * own(i)).collect(),
                    mass: mass.to_vec(),
                    stiffness: stiffness.clone(),
                    s,
                }
            }
        };
        Some(Self { inner, columns: (0..n).map(|_| OnceLock::new()).collect() })
    }

    /// Bytes of the factor's numbers; 0 if there is none.
    pub fn bytes(&self) -> usize {
        match &self.inner {
            Inner::Direct(factor) => factor.bytes(),
            Inner::Iterative { .. } => 0,
        }
    }

    /// Replaces `b` by `A^-1 b`, all three components at once.
    pub fn solve(&self, b: &mut [Vec3]) {
        self.solve_all([b]);
    }

    /// The same for several at once, which reads the factor but once.
    pub fn solve_all<const N: usize>(&self, all: [&mut [Vec3]; N]) {
        match &self.inner {
            Inner::Direct(Cholesky::Entries(triangle)) => match N {
                1 => solve_small::<N, 3>(triangle, all),
                2 => solve_small::<N, 6>(triangle, all),
                _ => all.into_iter().for_each(|b| solve_small::<1, 3>(triangle, [b])),
            },
            Inner::Direct(factor) => {
                let n = self.columns.len();
                let mut columns = vec![0.0; 3 * N * n];
                for (part, b) in columns.chunks_exact_mut(3 * n).zip(&all) {
                    for (i, v) in b.iter().enumerate() {
                        part[i] = v.x;
                        part[n + i] = v.y;
                        part[2 * n + i] = v.z;
                    }
                }
                factor.solve(&mut columns, 3 * N);
                for (part, b) in columns.chunks_exact(3 * n).zip(all) {
                    for (i, v) in b.iter_mut().enumerate() {
                        *v = Vec3::new(part[i], part[n + i], part[2 * n + i]);
                    }
                }
            }
            Inner::Iterative { mass, stiffness, s, diagonal } => {
                all.into_iter().for_each(|b| conjugate_gradients(mass, stiffness, *s, diagonal, b));
            }
        }
    }

    /// Replaces numbers by `A^-1` times them.
    pub fn solve_numbers(&self, b: &mut [f64]) {
        match &self.inner {
            Inner::Direct(factor) => factor.solve(b, 1),
            Inner::Iterative { .. } => {
                let mut v: Vec<Vec3> = b.iter().map(|x| Vec3::X * *x).collect();
                self.solve(&mut v);
                b.iter_mut().zip(v).for_each(|(b, v)| *b = v.x);
            }
        }
    }

    /// Column `i` of the inverse: how all nodes answer an impulse at one.
    pub fn column(&self, i: usize) -> &[f64] {
        self.columns[i].get_or_init(|| {
            let mut unit = vec![0.0; self.columns.len()];
            unit[i] = 1.0;
            self.solve_numbers(&mut unit);
            unit.into()
        })
    }
}

/// Several three-vectors a node; `W` is three times `N`.
fn solve_small<const N: usize, const W: usize>(triangle: &Triangle, all: [&mut [Vec3]; N]) {
    let gather = |i: usize| -> [f64; W] { std::array::from_fn(|k| all[k / 3][i][k % 3]) };
    let mut x: Vec<[f64; W]> = triangle.order().map(gather).collect();
    triangle.solve(&mut x);
    for (m, b) in all.into_iter().enumerate() {
        for (i, x) in triangle.order().zip(&x) {
            b[i] = Vec3::from_slice(&x[3 * m..]);
        }
    }
}

fn direct(mass: &[f64], stiffness: &Stiffness, s: f64) -> Option<Cholesky> {
    let lower = mass.iter().enumerate().flat_map(|(i, m)| {
        let left = stiffness.row(i).filter(move |(j, _)| *j < i).map(move |(j, k)| (i, j, s * k));
        let own = stiffness.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, k)| k);
        left.chain([(i, i, m + s * own)])
    });
    Cholesky::new(mass.len(), lower)
}

/// Conjugate gradients with the diagonal as preconditioner, on three right-hand sides at once; each component has its
/// own step lengths.
fn conjugate_gradients(mass: &[f64], stiffness: &Stiffness, s: f64, diagonal: &[f64], b: &mut [Vec3]) {
    let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| *a * *b).sum::<Vec3>();
    let ratio = |a: Vec3, b: Vec3| {
        let share = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        Vec3::new(share(a.x, b.x), share(a.y, b.y), share(a.z, b.z))
    };
    let prepared = |r: &[Vec3]| -> Vec<Vec3> { r.iter().zip(diagonal).map(|(r, d)| *r / *d).collect() };
    let mut x = vec![Vec3::ZERO; b.len()];
    let mut r = b.to_vec();
    let mut z = prepared(&r);
    let mut p = z.clone();
    let mut size = dot(&r, &z);
    let enough = size * (TOLERANCE * TOLERANCE);
    for _ in 0..20 * b.len() {
        if size.cmple(enough).all() {
            break;
        }
        let stiff = stiffness.times(&p);
        let ap: Vec<Vec3> = (0..p.len()).map(|i| p[i] * mass[i] + stiff[i] * s).collect();
        let alpha = ratio(size, dot(&p, &ap));
        for i in 0..x.len() {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        z = prepared(&r);
        let next = dot(&r, &z);
        let beta = ratio(next, size);
        size = next;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = *z + beta * *p);
    }
    b.copy_from_slice(&x);
}
