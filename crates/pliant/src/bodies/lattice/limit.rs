//! How long an explicit step may be, and how fast the body swings: from the stiffness matrix of cells at rest.

use super::forces::{Cells, State};
use super::lanes::{Dual, V3};
use super::law::{Elastic, UNMOULDED};
use super::modes::{Cell, Modes};
use crate::math::{Vec3, dot, symmetric_eigen};

/// Share of the longest stable step that is taken.
const SAFE: f64 = 0.9;

/// Largest eigenvalues of the elastic and of the viscous matrix of a cell at rest, its mass lumped, for a density.
fn fastest(elastic: &Elastic, cell: &Cell, density: f64) -> (f64, f64) {
    let corner = |k: usize| V3(std::array::from_fn(|d| if k >> d & 1 == 1 { cell.size[d] } else { 0.0 }));
    let rest: [V3<f64>; 8] = std::array::from_fn(corner);
    let m = cell.modes(rest);
    let mass = density * cell.volume / 8.0;
    let (mut stiff, mut viscous) = (vec![], vec![]);
    for i in 0..24 {
        let d: [V3<f64>; 8] =
            std::array::from_fn(|k| V3(std::array::from_fn(|a| if i == 3 * k + a { 1.0 } else { 0.0 })));
        let dm = cell.modes(d);
        let both = Modes(std::array::from_fn(|k| {
            V3(std::array::from_fn(|a| Dual { value: m.0[k].0[a], change: dm.0[k].0[a] }))
        }));
        let inverse = UNMOULDED.map(|v| Dual { value: v, change: 0.0 });
        let g = elastic.gradient(&both, Some(&inverse), cell);
        let change = Modes(g.0.map(|v| V3(v.0.map(|n| n.change))));
        let column = |modes: &Modes<f64>| cell.corners(modes, cell.volume / mass);
        stiff.extend(column(&change).iter().flat_map(|v| v.0));
        viscous.extend(column(&elastic.viscous(&m, &dm, cell)).iter().flat_map(|v| v.0));
    }
    let most = |matrix: &[f64]| symmetric_eigen(matrix, 24).0.into_iter().fold(0.0, f64::max);
    (most(&stiff), most(&viscous))
}

/// What explicit steps must reckon with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest step of elastic motion `[s]`.
    pub step: f64,
    /// The fastest decay of viscous motion `[1/s]`.
    pub decay: f64,
}

impl Limits {
    /// Of cells at rest.
    pub fn new(elastic: &Elastic, cell: &Cell, density: f64) -> Self {
        let (w2, decay) = fastest(elastic, cell, density);
        Self { step: SAFE * 2.0 / w2.sqrt(), decay }
    }
}

/// Angular frequency of the slowest elastic swing `[rad/s]`, by the best that displacements of second degree can do.
pub fn slowest_swing(cells: &Cells, mass: &[f64]) -> f64 {
    let nodes = &cells.grid.nodes;
    let total: f64 = mass.iter().sum();
    let centre = nodes.iter().zip(mass).map(|(p, m)| *p * *m).sum::<Vec3>() / total;
    let size = nodes.iter().map(|p| (*p - centre).length()).fold(0.0, f64::max);
    let products: [fn(Vec3) -> f64; 10] = [
        |_| 1.0,
        |p| p.x,
        |p| p.y,
        |p| p.z,
        |p| p.x * p.x,
        |p| p.y * p.y,
        |p| p.z * p.z,
        |p| p.x * p.y,
        |p| p.x * p.z,
        |p| p.y * p.z,
    ];
    // A basis that is orthonormal in the mass metric.
    let flat = |v: &[Vec3]| -> Vec<f64> { v.iter().flat_map(|p| p.to_array()).collect() };
    let weights: Vec<f64> = mass.iter().flat_map(|m| [*m; 3]).collect();
    let inner =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).zip(&weights).map(|((a, b), m)| a * b * m).sum() };
    let mut basis: Vec<Vec<f64>> = vec![];
    for product in products {
        for d in 0..3 {
            let mut v: Vec<f64> = nodes
                .iter()
                .flat_map(|p| {
                    let mut u = [0.0; 3];
                    u[d] = product((*p - centre) / size);
                    u
                })
                .collect();
            let before = inner(&v, &v);
            for _ in 0..2 {
                for b in &basis {
                    let along = inner(&v, b);
                    v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
                }
            }
            let norm = inner(&v, &v);
            if norm > 1e-10 * before {
                v.iter_mut().for_each(|v| *v /= norm.sqrt());
                basis.push(v);
            }
        }
    }
    let mut out = vec![Vec3::ZERO; nodes.len()];
    let state = State { x: nodes, inverse: &[] };
    let n = basis.len();
    let mut matrix = vec![0.0; n * n];
    for j in 0..n {
        let d: Vec<Vec3> = basis[j].chunks_exact(3).map(Vec3::from_slice).collect();
        cells.stiffness_times(state, &d, &mut out);
        let kd = flat(&out);
        for i in 0..n {
            matrix[i * n + j] = dot(&basis[i], &kd);
        }
    }
    let mut values = symmetric_eigen(&matrix, n).0;
    values.sort_by(f64::total_cmp);
    // Six of them are rigid motions.
    values.get(6).map_or(0.0, |w2| w2.max(0.0).sqrt())
}
