//! Sums over all cells: forces, how they change, energy.
//!
//! Four cells at a time, chunk by chunk: first the even chunks, then the odd ones, so that no two threads write to one
//! node, and every node adds up in the same order however many threads there are.

use super::grid::{Chunk, Grid};
use super::lanes::{Dual, Four, LANES, Number, V3, Work, widely};
use super::law::{Elastic, Inverse, UNMOULDED};
use super::modes::{Cell, Modes};
use crate::math::{Disjoint, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cells of a body with what they are made of.
#[derive(Debug)]
pub struct Cells {
    /// Which nodes.
    pub grid: Grid,
    /// What.
    pub elastic: Elastic,
    /// Rest volume of each cell times its share of stiffness `[m^3]`.
    pub stiff: Vec<f64>,
}

/// Where the cells are and how they have been moulded.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// Places of the nodes `[m]`.
    pub x: &'a [Vec3],
    /// Inverse rest metric of each cell; empty if none has been moulded.
    pub inverse: &'a [Inverse<f64>],
}

/// Four cells that are worked on together; the last ones of a chunk may be fewer, then some stand in without weight.
struct Batch {
    cells: [usize; LANES],
    weight: Four,
}

#[inline(always)]
fn batches(chunk: &Chunk, weights: &[f64]) -> impl Iterator<Item = Batch> {
    let range = chunk.cells.clone();
    (0..range.len().div_ceil(LANES)).map(move |b| {
        let cells: [usize; LANES] = std::array::from_fn(|l| (range.start + b * LANES + l).min(range.end - 1));
        let weight = |l: usize| if range.start + b * LANES + l < range.end { weights[cells[l]] } else { 0.0 };
        Batch { cells, weight: Four(std::array::from_fn(weight)) }
    })
}

/// Runs over all chunks, each adding to its own nodes of `out`.
pub fn each_chunk<T: Send>(grid: &Grid, out: &mut [T], work: impl Fn(&Chunk, &mut [T]) + Sync) {
    let out = Disjoint::new(out);
    let one = |chunk: &Chunk| {
        #[allow(unsafe_code, reason = "chunks of one parity share no node")]
        // SAFETY: chunks are runs of whole layers, so that only neighbours share nodes, and neighbours differ in parity.
        let part = unsafe { out.part(chunk.nodes.start, chunk.nodes.end) };
        work(chunk, part);
    };
    for parity in 0..2 {
        let some: Vec<&Chunk> = grid.chunks.iter().skip(parity).step_by(2).collect();
        if some.len() < 2 {
            some.into_iter().for_each(one);
        } else {
            some.into_par_iter().for_each(one);
        }
    }
}

impl Cells {
    /// Corners of four cells.
    #[inline(always)]
    fn gather(&self, x: &[Vec3], batch: &Batch) -> [V3<Four>; 8] {
        let cells = batch.cells.map(|c| &self.grid.cells[c]);
        std::array::from_fn(|k| {
            let p = cells.map(|c| x[c[k] as usize]);
            V3([Four(p.map(|p| p.x)), Four(p.map(|p| p.y)), Four(p.map(|p| p.z))])
        })
    }

    /// Adds to the corners of four cells.
    #[inline(always)]
    fn scatter(&self, forces: [V3<Four>; 8], batch: &Batch, chunk: &Chunk, out: &mut [Vec3]) {
        for k in 0..8 {
            let [x, y, z] = forces[k].0.map(|v| v.0);
            for l in 0..LANES {
                let node = self.grid.cells[batch.cells[l]][k] as usize - chunk.nodes.start;
                out[node] += Vec3::new(x[l], y[l], z[l]);
            }
        }
    }

    #[inline(always)]
    fn modes(&self, x: &[Vec3], batch: &Batch) -> Modes<Four> {
        self.grid.cell.modes(self.gather(x, batch))
    }

    #[inline(always)]
    fn inverse(&self, state: &State, batch: &Batch) -> Inverse<Four> {
        if state.inverse.is_empty() {
            UNMOULDED.map(Four::of)
        } else {
            let all = batch.cells.map(|c| state.inverse[c]);
            std::array::from_fn(|e| Four(all.map(|m| m[e])))
        }
    }

    /// Elastic forces; `out` is overwritten. Returns how much stiffer than at rest the stiffest cell is, and how much
    /// more viscous the most viscous.
    pub fn forces(&self, state: State, out: &mut [Vec3]) -> [f64; 2] {
        out.fill(Vec3::ZERO);
        let most = [1.0f64; 2].map(|one| AtomicU64::new(one.to_bits()));
        each_chunk(&self.grid, out, |chunk, out| {
            let here = match state.inverse.is_empty() {
                true => widely(ElasticForces::<false> { cells: self, state, chunk, out }),
                false => widely(ElasticForces::<true> { cells: self, state, chunk, out }),
            };
            for (most, here) in most.iter().zip(here) {
                // Positive numbers are ordered as their bits are.
                let here = here.0.into_iter().fold(1.0, f64::max);
                most.fetch_max(here.to_bits(), Ordering::Relaxed);
            }
        });
        most.map(|m| f64::from_bits(m.into_inner()))
    }

    /// Viscous forces of nodes that move with `v`; `out` is overwritten.
    pub fn viscous_forces(&self, x: &[Vec3], v: &[Vec3], out: &mut [Vec3]) {
        out.fill(Vec3::ZERO);
        each_chunk(&self.grid, out, |chunk, out| widely(ViscousForces { cells: self, x, v, chunk, out }));
    }

    /// How the elastic forces change, times -1, when the nodes move by `d`: the stiffness matrix times `d`.
    pub fn stiffness_times(&self, state: State, d: &[Vec3], out: &mut [Vec3]) {
        out.fill(Vec3::ZERO);
        let cell = &self.grid.cell;
        let dual = |value: V3<Four>, change: V3<Four>| {
            V3(std::array::from_fn(|i| Dual { value: value.0[i], change: change.0[i] }))
        };
        each_chunk(&self.grid, out, |chunk, out| {
            for batch in batches(chunk, &self.stiff) {
                let (m, dm) = (self.modes(state.x, &batch), self.modes(d, &batch));
                let both = Modes(std::array::from_fn(|k| dual(m.0[k], dm.0[k])));
                let inverse = self.inverse(&state, &batch).map(|v| Dual { value: v, change: Four::of(0.0) });
                let g = self.elastic.gradient(&both, Some(&inverse), cell);
                let change = Modes(g.0.map(|v| V3(v.0.map(|n| n.change))));
                self.scatter(cell.corners(&change, batch.weight), &batch, chunk, out);
            }
        });
    }

    /// Elastic energy `[J]`.
    pub fn energy(&self, state: State) -> f64 {
        let each = |chunk: &Chunk| -> f64 {
            batches(chunk, &self.stiff)
                .map(|batch| {
                    let m = self.modes(state.x, &batch);
                    let e = self.elastic.energy(&m, &self.inverse(&state, &batch), &self.grid.cell);
                    (e * batch.weight).0.iter().sum::<f64>()
                })
                .sum()
        };
        self.grid.chunks.iter().map(each).sum()
    }
}

struct ElasticForces<'a, const MOULDED: bool> {
    cells: &'a Cells,
    state: State<'a>,
    chunk: &'a Chunk,
    out: &'a mut [Vec3],
}

impl<const MOULDED: bool> Work for ElasticForces<'_, MOULDED> {
    type Output = [Four; 2];
    #[inline(always)]
    fn run(self) -> [Four; 2] {
        let (cells, cell) = (self.cells, &self.cells.grid.cell);
        let mut most = [Four::of(1.0); 2];
        for batch in batches(self.chunk, &cells.stiff) {
            let m = cells.modes(self.state.x, &batch);
            let inverse = if MOULDED { Some(cells.inverse(&self.state, &batch)) } else { None };
            let g = cells.elastic.gradient(&m, inverse.as_ref(), cell);
            let more = cells.elastic.stiffening(&m, inverse.as_ref(), cell);
            most = [most[0].max(more[0]), most[1].max(more[1])];
            cells.scatter(cell.corners(&g, -batch.weight), &batch, self.chunk, self.out);
        }
        most
    }
}

struct ViscousForces<'a> {
    cells: &'a Cells,
    x: &'a [Vec3],
    v: &'a [Vec3],
    chunk: &'a Chunk,
    out: &'a mut [Vec3],
}

impl Work for ViscousForces<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (cells, cell) = (self.cells, &self.cells.grid.cell);
        for batch in batches(self.chunk, &cells.stiff) {
            let (m, rate) = (cells.modes(self.x, &batch), cells.modes(self.v, &batch));
            let g = cells.elastic.viscous(&m, &rate, cell);
            cells.scatter(cell.corners(&g, -batch.weight), &batch, self.chunk, self.out);
        }
    }
}

/// The modes of one cell.
pub fn modes_of(cell: &Cell, nodes: &[u32; 8], x: &[Vec3]) -> Modes<f64> {
    cell.modes(nodes.map(|n| V3(x[n as usize].to_array())))
}
