//! Cells: a grid of equal boxes, as many as a shape fills.

use super::modes::Cell;
use crate::math::Vec3;
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
    /// Rest positions of the nodes `[m]`.
    pub nodes: Vec<Vec3>,
    /// Runs of cells; those with even numbers share no node, nor do those with odd ones.
    pub chunks: Vec<Chunk>,
    /// Rows of cells.
    pub runs: Vec<Run>,
    /// Where the grid begins.
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
/// Cells filled less than this count as filled this much: what hangs on them must weigh something.
const LEAST: f64 = 0.05;
/// Lines of sight per cell and direction by which filling is measured.
const LINES: usize = 5;

const UNUSED: u32 = u32::MAX;

impl Grid {
    /// A box around the origin, filled.
    pub fn of_box(size: Vec3, counts: [usize; 3]) -> Self {
        let cell = Cell::new(std::array::from_fn(|d| size[d] / counts[d] as f64));
        let all = counts.iter().product();
        Self::new(cell, -0.5 * size, counts, vec![1.0; all])
    }

    /// The cells that a closed mesh fills, each at most `size` long and wide. Returns also by how much they fill too
    /// much or too little, taken together.
    pub fn of_mesh(mesh: &TriMesh, size: Vec3) -> (Self, f64) {
        let (low, high) = mesh.bounds();
        let extent = high - low;
        let counts: [usize; 3] =
            std::array::from_fn(|d| ((extent[d] / size[d] - 1e-9).ceil() as usize).max(1));
        let cell = Cell::new(std::array::from_fn(|d| extent[d] / counts[d] as f64));
        let mut filled = filling(mesh, &cell, low, counts);
        // Every point of the mesh rides in a cell.
        for p in &mesh.points {
            let at = cell_at(*p, low, &cell, counts);
            let share = &mut filled[flat(at, counts)];
            *share = share.max(LEAST);
        }
        filled.iter_mut().filter(|f| **f > 0.0).for_each(|f| *f = f.clamp(LEAST, 1.0));
        let ratio = mesh.volume() / (filled.iter().sum::<f64>() * cell.volume);
        (Self::new(cell, low, counts, filled), ratio)
    }

    fn new(cell: Cell, origin: Vec3, counts: [usize; 3], filled: Vec<f64>) -> Self {
        let corners = counts.map(|n| n + 1);
        let mut node_number = vec![UNUSED; corners.iter().product()];
        let mut number = vec![UNUSED; filled.len()];
        let places: Vec<[usize; 3]> = all_of(counts).filter(|at| filled[flat(*at, counts)] > 0.0).collect();
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
                nodes.push(origin + Vec3::from_array(std::array::from_fn(|d| at[d] as f64 * cell.size[d])));
            }
        }
        let cells: Vec<[u32; 8]> = places
            .iter()
            .map(|at| std::array::from_fn(|k| node_number[flat(corner(*at, k), corners)]))
            .collect();
        places.iter().enumerate().for_each(|(n, at)| number[flat(*at, counts)] = n as u32);
        let filled = places.iter().map(|at| filled[flat(*at, counts)]).collect();
        let runs = runs(&places, &cells);
        let chunks = chunks(&places, &cells, &runs);
        Self { cell, cells, filled, nodes, chunks, runs, origin, counts, number }
    }

    /// Nodes that carry a point, with their weights; none if it lies in no cell in use.
    pub fn carriers(&self, p: Vec3) -> Option<Vec<(u32, f64)>> {
        let at = cell_at(p, self.origin, &self.cell, self.counts);
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

fn cell_at(p: Vec3, origin: Vec3, cell: &Cell, counts: [usize; 3]) -> [usize; 3] {
    std::array::from_fn(|d| {
        let along = (p[d] - origin[d]) / cell.size[d];
        (along.max(0.0) as usize).min(counts[d] - 1)
    })
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

/// Share of every cell of a grid that lies inside a closed mesh: lengths inside, along lines parallel to x.
fn filling(mesh: &TriMesh, cell: &Cell, origin: Vec3, counts: [usize; 3]) -> Vec<f64> {
    let lines = [counts[1] * LINES, counts[2] * LINES];
    let step = [cell.size[1] / LINES as f64, cell.size[2] / LINES as f64];
    // Slightly off the middle, so that lines do not run through corners of symmetric meshes.
    let line_at = |d: usize, i: usize| origin[d + 1] + (i as f64 + 0.4937 + 0.0091 * d as f64) * step[d];
    let mut crossings: Vec<Vec<f64>> = vec![vec![]; lines[0] * lines[1]];
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        let range = |d: usize| {
            let (low, high) = (a[d].min(b[d]).min(c[d]), a[d].max(b[d]).max(c[d]));
            let index = |v: f64| ((v - origin[d]) / step[d - 1] - 1.0).max(0.0) as usize;
            index(low)..(index(high) + 3).min(lines[d - 1])
        };
        for j in range(1) {
            for k in range(2) {
                let (y, z) = (line_at(0, j), line_at(1, k));
                if let Some(x) = crossing_along_x([a, b, c], y, z) {
                    crossings[j * lines[1] + k].push(x);
                }
            }
        }
    }
    let (mut inside, mut seen) = (vec![0.0; counts.iter().product()], vec![0u32; counts[1] * counts[2]]);
    for j in 0..lines[0] {
        for k in 0..lines[1] {
            let list = &mut crossings[j * lines[1] + k];
            // A line through an edge may count it twice or not at all; its neighbours speak for it.
            if list.len() % 2 == 1 {
                continue;
            }
            list.sort_by(f64::total_cmp);
            let column = [j / LINES, k / LINES];
            seen[column[0] * counts[2] + column[1]] += 1;
            for pair in list.chunks_exact(2) {
                for i in 0..counts[0] {
                    let low = origin.x + i as f64 * cell.size[0];
                    let length = pair[1].min(low + cell.size[0]) - pair[0].max(low);
                    if length > 0.0 {
                        inside[flat([i, column[0], column[1]], counts)] += length / cell.size[0];
                    }
                }
            }
        }
    }
    for at in all_of(counts) {
        inside[flat(at, counts)] /= f64::from(seen[at[1] * counts[2] + at[2]].max(1));
    }
    inside
}

/// Where a line parallel to x meets a triangle.
fn crossing_along_x(corners: [Vec3; 3], y: f64, z: f64) -> Option<f64> {
    let side = |p: Vec3, q: Vec3| (q.y - p.y) * (z - p.z) - (q.z - p.z) * (y - p.y);
    let [a, b, c] = corners;
    let (u, v, w) = (side(b, c), side(c, a), side(a, b));
    let same = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    same.then(|| (a.x * u + b.x * v + c.x * w) / (u + v + w))
}
