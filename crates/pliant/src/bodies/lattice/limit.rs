//! How long an explicit step may be, and how fast the body swings: from the stiffness matrix of cells at rest.

use super::field::Field;
use super::forces::{Cells, Motion, State, dual};
use super::grid::Grid;
use super::lanes::V3;
use super::law::{Elastic, Moduli};
use super::modes::{Cell, Modes};
use super::part::{Part, WHOLE};
use super::viscous::NEARLY_THICK;
use crate::math::{Vec3, dot, symmetric_eigen};

/// Shares of the longest step that the world is asked for: usually, and of what is a little viscous. The second leaves room for
/// cells a fifth stiffer than at rest, as in a body that stands on the floor; stiffer ones have the step cut.
const SHORTER: f64 = 0.6;
const DAMPED: f64 = 0.91;
/// Share of the longest stable step that is taken.
const SAFE: f64 = 0.9;

/// The elastic and the viscous matrix of a part of a cell at rest, 24 by 24, per rest volume and times a factor.
pub fn matrices_at_rest(elastic: &Elastic, cell: &Cell, part: &Part<f64>, factor: f64) -> [Vec<f64>; 2] {
    let corner = |k: usize| V3(std::array::from_fn(|d| if k >> d & 1 == 1 { cell.size[d] } else { 0.0 }));
    let rest: [V3<f64>; 8] = std::array::from_fn(corner);
    let (m, moduli) = (Modes::of(rest).within(part), Moduli::new(elastic, cell));
    let (mut stiff, mut viscous) = (vec![], vec![]);
    for i in 0..24 {
        let d: [V3<f64>; 8] =
            std::array::from_fn(|k| V3(std::array::from_fn(|a| if i == 3 * k + a { 1.0 } else { 0.0 })));
        let dm = Modes::of(d).within(part);
        let both = Modes(std::array::from_fn(|k| dual(m.0[k], dm.0[k])));
        let change = Modes(moduli.gradient(&both, None).0.map(|v| V3(v.0.map(|n| n.change))));
        stiff.extend(change.of_part(part).corners(factor).iter().flat_map(|v| v.0));
        viscous.extend(moduli.viscous(&m, &dm).of_part(part).corners(factor).iter().flat_map(|v| v.0));
    }
    [stiff, viscous]
}

/// Largest eigenvalues of the elastic and of the viscous matrix of a cell at rest, its mass lumped, for a density.
fn fastest(elastic: &Elastic, cell: &Cell, density: f64) -> (f64, f64) {
    let mass = density * cell.volume / 8.0;
    let [stiff, viscous] = matrices_at_rest(elastic, cell, &WHOLE, cell.volume / mass);
    let most = |matrix: &[f64]| symmetric_eigen(matrix, 24).0.into_iter().fold(0.0, f64::max);
    (most(&stiff), most(&viscous))
}

/// Cells along each side of the block whose fastest swing stands for that of a filled box.
const BLOCK: usize = 4;
/// So often the block is shaken to find it, and by so much more than found it may be squared.
const SHAKES: usize = 80;
const MARGIN: f64 = 1.03;

/// The same of a box of many full cells. A box is made of blocks, so none of its swings is faster than the fastest of a block
/// (a matrix that is a sum has no larger eigenvalue than the largest of its parts); and neighbours keep the cells of a block
/// from what one cell alone could do, such as swelling in all directions at once.
fn fastest_of_box(elastic: &Elastic, grid: &Grid, density: f64) -> (f64, f64) {
    let counts = grid.counts.map(|n| n.min(BLOCK));
    let size = Vec3::from_array(std::array::from_fn(|d| grid.cell.size[d] * counts[d] as f64));
    let grid = Grid::of_box(size, counts);
    let mut mass = vec![0.0; grid.nodes.len()];
    grid.cells.iter().flatten().for_each(|n| mass[*n as usize] += density * grid.cell.volume / 8.0);
    let stiff = vec![grid.cell.volume; grid.cells.len()];
    let cells = Cells { grid, elastic: *elastic, stiff };
    let rest = cells.grid.nodes.clone();
    let elastic = |d: &[Vec3], out: &mut [Vec3]| {
        cells.stiffness_times(State { x: &rest, inverse: &[] }, d, out);
    };
    (MARGIN * most_shaken(&mass, elastic), MARGIN * most_viscous(&cells, &mass))
}

/// The same of a body whose cells are filled in part.
fn fastest_of_cut(cells: &Cells, mass: &[f64]) -> (f64, f64) {
    let (still, x) = (Field::new(mass.len()), Field::of(&cells.grid.nodes));
    // By small displacements either way, since forces are quicker to sum up than their derivatives.
    let little = 1e-5 * cells.grid.cell.size.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut moved, mut ahead, mut behind) = (still.clone(), still.clone(), still.clone());
    let elastic = |d: &[Vec3], out: &mut [Vec3]| {
        let most = d.iter().map(|d| d.length()).fold(1e-300, f64::max);
        let d = Field::of(d);
        for (f, way) in [(&mut ahead, little / most), (&mut behind, -little / most)] {
            moved.set_to(&x, 1.0);
            moved.add(&d, way);
            cells.elastic_forces(Motion { x: &moved, v: &still, inverse: &[] }, f);
        }
        let per = 0.5 * most / little;
        out.iter_mut().enumerate().for_each(|(i, out)| *out = (behind.at(i) - ahead.at(i)) * per);
    };
    (MARGIN * most_shaken(mass, elastic), MARGIN * most_viscous(cells, mass))
}

fn most_viscous(cells: &Cells, mass: &[f64]) -> f64 {
    let x = Field::of(&cells.grid.nodes);
    most_shaken(mass, |d: &[Vec3], out: &mut [Vec3]| {
        let mut f = Field::new(mass.len());
        cells.viscous_forces(Motion { x: &x, v: &Field::of(d), inverse: &[] }, &mut f);
        f.get(out);
        out.iter_mut().for_each(|f| *f = -*f);
    })
}

/// Largest eigenvalue of a symmetric positive matrix over masses, by powers.
fn most_shaken(mass: &[f64], mut times: impl FnMut(&[Vec3], &mut [Vec3])) -> f64 {
    // Neighbours move against each other in the fastest swings; anything that is no eigenvector will do.
    let mut d: Vec<Vec3> = (0..mass.len())
        .map(|i| Vec3::from_array([3, 5, 7].map(|p| ((i * i * p + 11 * i) % 17) as f64 - 8.0)))
        .collect();
    let mut out = vec![Vec3::ZERO; mass.len()];
    let mut most = 0.0;
    for _ in 0..SHAKES {
        let square: f64 = d.iter().zip(mass).map(|(d, m)| d.length_squared() * m).sum();
        d.iter_mut().for_each(|d| *d /= square.sqrt());
        times(&d, &mut out);
        most = d.iter().zip(&out).map(|(d, f)| d.dot(*f)).sum();
        d.iter_mut().zip(&out).zip(mass).for_each(|((d, f), m)| *d = *f / *m);
        if most <= 0.0 {
            return 0.0;
        }
    }
    most
}

/// What explicit steps must reckon with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest step of elastic motion `[s]`.
    pub step: f64,
    /// The fastest decay of viscous motion `[1/s]`.
    pub decay: f64,
    /// Share of `step` that the world is asked for: squeezed cells are stiffer than at rest, and contact is better met by
    /// short steps of the world than by cut ones.
    pub world_share: f64,
}

impl Limits {
    /// Angular frequency of the fastest elastic swing `[rad/s]`.
    pub fn fastest_swing(&self) -> f64 {
        2.0 * SAFE / self.step
    }

    /// The longest explicit step that the world is asked for `[s]`.
    pub fn longest_step(&self) -> f64 {
        self.world_share * self.step
    }

    /// Of cells at rest. Only boxes that are a little viscous are given the longer steps of boxes, as long as those are thin: where
    /// nothing damps swings, or contact has to guess what thick or incompressible bodies pass on within a step, shorter ones
    /// are more accurate.
    pub fn new(cells: &Cells, mass: &[f64], density: f64, incompressible: bool) -> Self {
        let step = |w2: f64| SAFE * 2.0 / w2.sqrt();
        let (elastic, grid) = (&cells.elastic, &cells.grid);
        let (w2, decay) = fastest(elastic, &grid.cell, density);
        if !grid.parts.is_empty() {
            // Nodes of cells that are filled in part have less mass for their stiffness.
            let cut = fastest_of_cut(cells, mass);
            return Self { step: step(w2.max(cut.0)), decay: decay.max(cut.1), world_share: SHORTER };
        }
        if decay > 0.0 && !incompressible && grid.cells.len() == grid.counts.iter().product::<usize>() {
            let (of_box, decay) = fastest_of_box(elastic, grid, density);
            let thin = (DAMPED * step(of_box)).min(NEARLY_THICK / decay);
            if thin >= SHORTER * step(w2) {
                return Self { step: step(of_box), decay, world_share: thin / step(of_box) };
            }
        }
        Self { step: step(w2), decay, world_share: SHORTER }
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
