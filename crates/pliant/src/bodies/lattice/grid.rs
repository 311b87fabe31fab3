//! Cells: a grid of equal boxes, as many as a shape fills.

use super::filling::filling;
use super::modes::Cell;
use super::part::{Part, WHOLE, part, speck};
use crate::math::{Mat3, Vec3};
use crate::shape::{Sets, TriMesh};
use std::ops::Range;

/// The cells of a body and the nodes at their corners.
#[derive(Debug)]
pub struct Grid {
    /// The rest cell.
    pub cell: Cell,
    /// Corners of each cell: number `i + 2j + 4k` lies at `(i, j, k)`.
    pub cells: Vec<[u32; 8]>,
    /// Share of each cell that the shape fills.
    pub filled: Vec<f64>,
    /// Which part of each cell that is; empty if all are full.
    pub parts: Vec<Part<f64>>,
    /// Rest positions of the nodes `[m]`.
    pub nodes: Vec<Vec3>,
    /// Runs of cells; those with even numbers share no node, nor do those with odd ones.
    pub chunks: Vec<Chunk>,
    /// Rows of cells.
    pub runs: Vec<Run>,
    /// Its axes, as columns.
    pub axes: Mat3,
    /// Where the grid begins, along its axes.
    origin: Vec3,
    /// Cells along each axis.
    pub counts: [usize; 3],
    /// Number of each cell of the whole grid among those in use.
    number: Vec<u32>,
}

/// Some layers of cells.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Its rows of cells.
    pub runs: Range<usize>,
    /// The nodes they have.
    pub nodes: Range<usize>,
}

/// Cells one behind the other along z. Their nodes stand in four rows, numbered one by one.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its cells.
    pub cells: Range<usize>,
    /// First node of each row: `(0, 0)`, `(1, 0)`, `(0, 1)` and `(1, 1)` in x and y.
    pub nodes: [usize; 4],
}

/// A chunk has at least this many cells, so that it is worth a thread's while.
const CHUNK: usize = 256;
/// Cells filled by less than this share, or by all but this, are empty, or full: round-off.
const NOTHING: f64 = 1e-9;
/// Cells filled less than this count as filled this much: what hangs on them must weigh something.
const LEAST: f64 = 0.01;
/// A point so near to a face, in cells, lies on it.
const ON_FACE: f64 = 1e-6;

const UNUSED: u32 = u32::MAX;

impl Grid {
    /// A box around the origin, filled.
    pub fn of_box(size: Vec3, counts: [usize; 3]) -> Self {
        let cell = Cell::new(std::array::from_fn(|d| size[d] / counts[d] as f64));
        let all = counts.iter().product();
        Self::new(cell, (Mat3::IDENTITY, -0.5 * size), counts, &vec![(1.0, WHOLE); all])
    }

    /// The cells along some axes that a closed mesh fills, each at most `size` long and wide.
    pub fn of_mesh(mesh: &TriMesh, axes: Mat3, size: Vec3) -> Self {
        let mesh = &mesh.map(|p| axes.transpose() * p);
        let (low, high) = mesh.bounds();
        let extent = high - low;
        let counts: [usize; 3] =
            std::array::from_fn(|d| ((extent[d] / size[d] - 1e-9).ceil() as usize).max(1));
        let cell = Cell::new(std::array::from_fn(|d| extent[d] / counts[d] as f64));
        let filled = |moments: &super::part::Moments| match moments[0] {
            share if share < NOTHING => (0.0, WHOLE),
            share if share > 1.0 - NOTHING => (1.0, WHOLE),
            share => (share.max(LEAST), part(moments)),
        };
        let mut all: Vec<(f64, Part<f64>)> =
            filling(mesh, low, cell.size, counts).iter().map(filled).collect();
        // Every point of the mesh rides in a cell.
        for p in &mesh.points {
            let at = home(*p, (low, &cell, counts), |n| all[n].0);
            let here = &mut all[flat(at, counts)];
            if here.0 == 0.0 {
                let along: [f64; 3] =
                    std::array::from_fn(|d| 2.0 * ((p[d] - low[d]) / cell.size[d] - at[d] as f64) - 1.0);
                *here = (LEAST, speck(along.map(|a| a.clamp(-1.0, 1.0))));
            }
        }
        Self::new(cell, (axes, low), counts, &all)
    }

    fn new(cell: Cell, (axes, origin): (Mat3, Vec3), counts: [usize; 3], all: &[(f64, Part<f64>)]) -> Self {
        let corners = counts.map(|n| n + 1);
        let mut node_number = vec![UNUSED; corners.iter().product()];
        let mut number = vec![UNUSED; all.len()];
        let places: Vec<[usize; 3]> = all_of(counts).filter(|at| all[flat(*at, counts)].0 > 0.0).collect();
        for at in &places {
            for k in 0..8 {
                node_number[flat(corner(*at, k), corners)] = 0;
            }
        }
        let mut nodes = vec![];
        for at in all_of(corners) {
            let slot = &mut node_number[flat(at, corners)];
            if *slot != UNUSED {
                *slot = nodes.len() as u32;
                let along = origin + Vec3::from_array(std::array::from_fn(|d| at[d] as f64 * cell.size[d]));
                nodes.push(axes * along);
            }
        }
        let cells: Vec<[u32; 8]> = places
            .iter()
            .map(|at| std::array::from_fn(|k| node_number[flat(corner(*at, k), corners)]))
            .collect();
        places.iter().enumerate().for_each(|(n, at)| number[flat(*at, counts)] = n as u32);
        let (filled, mut parts): (Vec<f64>, Vec<Part<f64>>) =
            places.iter().map(|at| all[flat(*at, counts)]).unzip();
        if filled.iter().all(|f| *f == 1.0) {
            parts.clear();
        }
        let runs = runs(&places, &cells);
        let chunks = chunks(&places, &cells, &runs);
        Self { cell, cells, filled, parts, nodes, chunks, runs, axes, origin, counts, number }
    }

    /// Nodes that carry a point, with their weights; none if it lies in no cell in use.
    pub fn carriers(&self, p: Vec3) -> Option<Vec<(u32, f64)>> {
        let p = self.axes.transpose() * p;
        let share = |n: usize| self.filled.get(self.number[n] as usize).copied().unwrap_or(0.0);
        let at = home(p, (self.origin, &self.cell, self.counts), share);
        let number = self.number[flat(at, self.counts)];
        let nodes = self.cells.get(number as usize)?;
        let along: [f64; 3] = std::array::from_fn(|d| {
            ((p[d] - self.origin[d]) / self.cell.size[d] - at[d] as f64).clamp(0.0, 1.0)
        });
        let weight = |k: usize| -> f64 {
            (0..3).map(|d| if k >> d & 1 == 1 { along[d] } else { 1.0 - along[d] }).product()
        };
        Some((0..8).map(|k| (nodes[k], weight(k))).filter(|(_, w)| *w > 1e-9).collect())
    }

    /// Middle of a cell at rest.
    pub fn middle(&self, cell: usize) -> Vec3 {
        self.cells[cell].iter().map(|n| self.nodes[*n as usize]).sum::<Vec3>() / 8.0
    }

    /// Which part of a cell is filled.
    pub fn part(&self, cell: usize) -> &Part<f64> {
        self.parts.get(cell).unwrap_or(&WHOLE)
    }

    /// Groups of cells that hang together; 1 for a body.
    pub fn pieces(&self) -> usize {
        let mut sets = Sets::new(self.nodes.len());
        for cell in &self.cells {
            cell[1..].iter().for_each(|n| sets.join(cell[0] as usize, *n as usize));
        }
        (0..self.nodes.len()).filter(|i| sets.root(*i) == *i).count()
    }
}

fn flat(at: [usize; 3], counts: [usize; 3]) -> usize {
    (at[0] * counts[1] + at[1]) * counts[2] + at[2]
}

fn all_of(counts: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [a, b, c] = counts;
    (0..a * b * c).map(move |n| [n / c / b, n / c % b, n % c])
}

fn corner(at: [usize; 3], k: usize) -> [usize; 3] {
    std::array::from_fn(|d| at[d] + (k >> d & 1))
}

/// The cell that a point lies in; if it lies on a face, the fullest of those that meet there.
fn home(
    p: Vec3,
    (origin, cell, counts): (Vec3, &Cell, [usize; 3]),
    share: impl Fn(usize) -> f64,
) -> [usize; 3] {
    let along: [f64; 3] = std::array::from_fn(|d| ((p[d] - origin[d]) / cell.size[d]).max(0.0));
    let plain: [usize; 3] = std::array::from_fn(|d| (along[d] as usize).min(counts[d] - 1));
    let mut best = plain;
    for k in 1..8 {
        let other: [usize; 3] = std::array::from_fn(|d| {
            let (at, beyond) = (plain[d], along[d] - plain[d] as f64);
            match k >> d & 1 == 1 {
                true if beyond < ON_FACE => at.saturating_sub(1),
                true if beyond > 1.0 - ON_FACE => (at + 1).min(counts[d] - 1),
                _ => at,
            }
        });
        if share(flat(other, counts)) > share(flat(best, counts)) {
            best = other;
        }
    }
    best
}

fn runs(places: &[[usize; 3]], cells: &[[u32; 8]]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (c, [i, j, k]) in places.iter().copied().enumerate() {
        match runs.last_mut() {
            Some(run) if k > 0 && places[c - 1] == [i, j, k - 1] => run.cells.end = c + 1,
            _ => runs.push(Run { cells: c..c + 1, nodes: std::array::from_fn(|r| cells[c][r] as usize) }),
        }
    }
    runs
}

fn chunks(places: &[[usize; 3]], cells: &[[u32; 8]], runs: &[Run]) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = vec![];
    let mut from = 0;
    while from < cells.len() {
        let mut to = from;
        // Whole layers.
        while to < cells.len() && (to - from < CHUNK || places[to][0] == places[to - 1][0]) {
            to += 1;
        }
        let nodes = cells[from..to].iter().flatten();
        let (low, high) = nodes.fold((u32::MAX, 0), |(l, h), n| (l.min(*n), h.max(*n)));
        let before = |cell: usize| runs.partition_point(|r| r.cells.start < cell);
        chunks.push(Chunk { runs: before(from)..before(to), nodes: low as usize..high as usize + 1 });
        from = to;
    }
    chunks
}
