//! `A = M + s K` of a lattice near a pose, factored once for as long as its cells stay near it.
//!
//! `K` is that of the cells at rest, each turned as it stands in the pose and as much stiffer as it has become there: always
//! symmetric and without negative directions, which the exact derivative of the forces is not.

use super::super::forces::{Cells, modes_of};
use super::super::law::{Law, Moduli};
use super::super::limit::matrices_at_rest;
use super::super::modes::Modes;
use super::super::part::{Part, WHOLE};
use super::super::shared::Shared;
use crate::math::{Cholesky, Mat3, Vec3, rotation_of};
use std::sync::{Arc, Mutex, OnceLock};

/// A matrix that can be solved with.
pub struct Factored {
    factor: Cholesky,
    /// `A^-1 m` of a motion of all along x, y and z.
    pub still: [Vec<Vec3>; 3],
    /// Answers at all corners of the skin to a push at one, once asked for.
    columns: Vec<OnceLock<Box<[Mat3]>>>,
}

impl Factored {
    /// Near a pose of the nodes, or near rest if there is none. A matrix so stiff that round-off leaves it without a factor is
    /// taken a little less stiff; places are held by forces, which are exact.
    pub fn new(shared: &Shared, pose: &[Vec3], s: f64) -> Self {
        let n = 3 * shared.mass.len();
        let mut s = s;
        let factor = loop {
            let own = (0..n).map(|i| (i, i, shared.mass[i / 3]));
            match Cholesky::new(n, own.chain(stiffness(&shared.cells, pose, s))) {
                Some(factor) => break factor,
                None => s *= 0.1,
            }
        };
        let mut new = Self {
            factor,
            still: [vec![], vec![], vec![]],
            columns: (0..shared.carriers.len()).map(|_| OnceLock::new()).collect(),
        };
        let moved = |axis: Vec3| shared.mass.iter().map(|m| axis * *m).collect::<Vec<Vec3>>();
        new.still = Vec3::AXES.map(moved);
        let mut still = std::mem::take(&mut new.still);
        new.solve(still.each_mut().map(|c| &mut c[..]));
        new.still = still;
        new
    }

    /// Replaces right-hand sides by solutions.
    pub fn solve<const N: usize>(&self, all: [&mut [Vec3]; N]) {
        let mut columns: Vec<f64> = all.iter().flat_map(|b| b.iter()).flat_map(|v| v.to_array()).collect();
        self.factor.solve(&mut columns, N);
        let solved = columns.chunks_exact(3).map(Vec3::from_slice);
        all.into_iter().flatten().zip(solved).for_each(|(b, x)| *b = x);
    }

    /// How all corners of the skin answer a push at one: matrices from pushes to velocities, in the frame's axes.
    pub fn column(&self, shared: &Shared, corner: usize) -> &[Mat3] {
        self.columns[corner].get_or_init(|| {
            let mut load = [0, 1, 2].map(|_| vec![Vec3::ZERO; shared.mass.len()]);
            for (slot, w) in shared.carriers.of(corner) {
                let node = shared.outer[*slot as usize] as usize;
                load.iter_mut().zip(Vec3::AXES).for_each(|(load, axis)| load[node] += axis * *w);
            }
            self.solve(load.each_mut().map(|c| &mut c[..]));
            let at = |k: usize| load.each_ref().map(|c| shared.at_corner(k, c));
            (0..shared.carriers.len()).map(|k| Mat3::from_cols(at(k)[0], at(k)[1], at(k)[2])).collect()
        })
    }
}

/// Entries of `s K` in and below the diagonal; entries of one place are to be added up.
fn stiffness(cells: &Cells, pose: &[Vec3], s: f64) -> impl Iterator<Item = (usize, usize, f64)> {
    let at_rest = |part: &Part<f64>| matrices_at_rest(&cells.elastic, &cells.grid.cell, part, 1.0)[0].clone();
    let moduli = Moduli::new(&cells.elastic, &cells.grid.cell);
    let whole = at_rest(&WHOLE);
    cells.grid.cells.iter().zip(&cells.stiff).enumerate().flat_map(move |(c, (nodes, weight))| {
        let own = Some(cells.grid.part(c)).filter(|part| **part != WHOLE).map(at_rest);
        let rest = own.as_ref().unwrap_or(&whole);
        let block = |a: usize, b: usize| {
            Mat3::from_cols_array(&std::array::from_fn(|k| rest[(3 * b + k / 3) * 24 + 3 * a + k % 3]))
        };
        let (turn, stiffer) = match pose.is_empty() {
            true => (cells.grid.axes, 1.0),
            false => {
                let m = cells.modes(c, pose);
                (turning(cells, &m), stiffening(cells.elastic.law, &moduli, &m))
            }
        };
        let weight = s * weight * stiffer;
        let mut entries = Vec::with_capacity(300);
        for (a, row) in nodes.iter().enumerate() {
            for (b, column) in nodes.iter().enumerate().filter(|(_, column)| *column <= row) {
                let block = turn * block(a, b) * turn.transpose() * weight;
                let (row, column) = (3 * *row as usize, 3 * *column as usize);
                for j in 0..3 {
                    let first = if row == column { j } else { 0 };
                    entries.extend((first..3).map(|i| (row + i, column + j, block.col(j)[i])));
                }
            }
        }
        entries
    })
}

fn turning(cells: &Cells, m: &Modes<f64>) -> Mat3 {
    let f = |k: usize| Vec3::from_array(m.0[k].0) * cells.grid.cell.per[k];
    Mat3::from_quat(rotation_of(&Mat3::from_cols(f(0), f(1), f(2))))
}

fn stiffening(law: Law, moduli: &Moduli, m: &Modes<f64>) -> f64 {
    match law {
        Law::NeoHookean => moduli.stiffening::<false>(m, None)[0],
        Law::StVenantKirchhoff => moduli.stiffening::<true>(m, None)[0],
    }
}

/// Whether an edge of a cell differs between two poses by more than a share of its length.
pub fn is_far(cells: &Cells, x: &[Vec3], pose: &[Vec3], share: f64) -> bool {
    let most = share * share;
    cells.grid.cells.iter().any(|nodes| {
        let (now, then) = (modes_of(nodes, x), modes_of(nodes, pose));
        (0..3).any(|k| {
            let (now, then) = (Vec3::from_array(now.0[k].0), Vec3::from_array(then.0[k].0));
            let (change, allowed) = (now.distance_squared(then), most * then.length_squared());
            change > allowed || change.is_nan()
        })
    })
}

/// What copies share beside `Shared`: nodes at rest about the centre of mass, and matrices near rest.
pub struct AtRest {
    /// Nodes at rest about the centre of mass.
    pub reference: Vec<Vec3>,
    /// By lengths of steps.
    factors: Mutex<Vec<(f64, Arc<Factored>)>>,
}

impl AtRest {
    /// Of a body.
    pub fn new(shared: &Shared) -> Self {
        let reference = shared.cells.grid.nodes.iter().map(|p| *p - shared.centre).collect();
        Self { reference, factors: Mutex::default() }
    }

    /// The matrix near rest for steps of a length; `s` is what its stiffness is multiplied by.
    pub fn factored(&self, shared: &Shared, h: f64, s: f64) -> Arc<Factored> {
        let mut all = self.factors.lock().unwrap_or_else(|broken| broken.into_inner());
        if let Some((_, known)) = all.iter().find(|(length, _)| *length == h) {
            return known.clone();
        }
        let new = Arc::new(Factored::new(shared, &[], s));
        all.push((h, new.clone()));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::forces::State;
    use super::*;
    use crate::bodies::Blueprint;
    use crate::bodies::lattice::prepare;
    use crate::scene::Material;
    use crate::shape;

    /// What a solve returns, times mass and stiffness, is what it was given, though many cells add to one entry.
    #[test]
    fn solutions_fulfil_their_equations() {
        let (spec, material) = (prepare::example(), Material::default());
        let built = shape::build(&spec.shape, &Default::default(), "shape").unwrap();
        let blueprint =
            Blueprint { spec: &spec, path: "body", shape: &built, material: &material, step: 1.0 / 60.0 };
        let (shared, _) = prepare::shared(&blueprint).unwrap();
        let s = 3e-5;
        let factored = Factored::new(&shared, &[], s);
        let rest = &shared.cells.grid.nodes;
        let given: Vec<Vec3> =
            (0..rest.len()).map(|i| Vec3::new((i % 7) as f64 - 3.0, (i % 5) as f64, 1.0)).collect();
        let mut x = given.clone();
        factored.solve([&mut x]);
        let mut stiff = vec![Vec3::ZERO; x.len()];
        shared.cells.stiffness_times(State { x: rest, inverse: &[] }, &x, &mut stiff);
        for i in 0..x.len() {
            let back = x[i] * shared.mass[i] + stiff[i] * s;
            assert!(back.distance(given[i]) < 1e-9, "{i}: {back} for {}", given[i]);
        }
    }
}
