//! Sums over all cells: forces, how they change, energy.
//!
//! Row by row, a block of cells at a time, chunk by chunk: first the even chunks, then the odd ones, so that no two threads
//! write to one node, and every node adds up in the same order however many threads there are. What two neighbours in a row
//! do to the nodes between them is added up first, so neither does the order depend on where blocks end.

use super::field::{BLOCK, Field};
use super::grid::{Chunk, Grid, Run};
use super::lanes::{Dual, V3, Work, widely};
use super::law::{Elastic, Inverse, Law, Moduli, UNMOULDED, larger};
use super::modes::Modes;
use super::part::{Part, WHOLE};
use crate::math::{Disjoint, Vec3};
use rayon::prelude::*;
use std::ops::Range;
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

/// The same, with velocities, as forces need it.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// Places of the nodes `[m]`.
    pub x: &'a Field,
    /// Their velocities `[m/s]`.
    pub v: &'a Field,
    /// Inverse rest metric of each cell; empty if none has been moulded.
    pub inverse: &'a [Inverse<f64>],
}

/// Runs over all chunks, each adding to its own nodes of `out`.
fn each_chunk(grid: &Grid, out: &mut Field, work: impl Fn(&Chunk, [&mut [f64]; 3]) + Sync) {
    let out = out.0.each_mut().map(|c| Disjoint::new(c));
    let one = |chunk: &Chunk| {
        #[allow(unsafe_code, reason = "chunks of one parity share no node")]
        // SAFETY: chunks are runs of whole layers, so that only neighbours share nodes, and neighbours differ in parity.
        let part = out.each_ref().map(|c| unsafe { c.part(chunk.nodes.start, chunk.nodes.end) });
        work(chunk, part);
    };
    for parity in 0..2 {
        let some = grid.chunks.iter().skip(parity).step_by(2);
        if grid.chunks.len() < 3 || rayon::current_num_threads() == 1 {
            some.for_each(one);
        } else {
            some.collect::<Vec<_>>().into_par_iter().for_each(one);
        }
    }
}

/// A row of nodes along a block.
type Row<'a> = &'a [f64; BLOCK + 1];
/// Components of the four rows of a block.
type Rows<'a> = [Row<'a>; 12];

#[inline(always)]
fn rows(field: &Field, nodes: [usize; 4]) -> Rows<'_> {
    let row = |k: usize| field.0[k % 3][nodes[k / 3]..].first_chunk();
    std::array::from_fn(|k| row(k).expect("a field has room for a block behind its end"))
}

/// Corners of a cell of a block.
#[inline(always)]
fn corners(r: &Rows, l: usize) -> [V3<f64>; 8] {
    let corner = |k: usize, l: usize| V3([r[3 * k][l], r[3 * k + 1][l], r[3 * k + 2][l]]);
    let h = l + 1;
    [
        corner(0, l),
        corner(1, l),
        corner(2, l),
        corner(3, l),
        corner(0, h),
        corner(1, h),
        corner(2, h),
        corner(3, h),
    ]
}

/// What a block does to its nodes: by cells to the nodes at their lower ends along z, and at their upper ends, those one place
/// on. Beside it how much stiffer and more viscous than at rest cells are at most, by their places in blocks.
struct Done {
    low: [[f64; BLOCK]; 12],
    high: [[f64; BLOCK + 1]; 12],
    more: [[f64; BLOCK]; 2],
}

impl Done {
    fn new() -> Self {
        Self { low: [[0.0; BLOCK]; 12], high: [[0.0; BLOCK + 1]; 12], more: [[1.0; BLOCK]; 2] }
    }

    #[inline(always)]
    fn put(&mut self, l: usize, c: [V3<f64>; 8]) {
        for r in 0..4 {
            for d in 0..3 {
                self.low[3 * r + d][l] = c[r].0[d];
                self.high[3 * r + d][l + 1] = c[r + 4].0[d];
            }
        }
    }
}

/// What is asked of a block, by numbers that are known when this is compiled: a law, or none; whether cells have been moulded;
/// what is made of velocities; whether some cells are filled in part only.
struct Block<'a, const LAW: u8, const MOULDED: bool, const RATE: u8, const CUT: bool> {
    moduli: &'a Moduli,
    /// Of each cell, 0 beyond the last.
    weight: &'a [f64; BLOCK],
    inverse: &'a [[f64; BLOCK]; 6],
    part: &'a [[f64; BLOCK]; 10],
    x: Rows<'a>,
    v: Rows<'a>,
}

const NO_LAW: u8 = 0;
const NEO_HOOKEAN: u8 = 1;
const ST_VENANT_KIRCHHOFF: u8 = 2;

/// Velocities have no say; viscous forces are added; forces are those of a whole step, whose middle this is.
const STILL: u8 = 0;
const VISCOUS: u8 = 1;
const OVER_STEP: u8 = 2;

/// The step over which forces are wanted: its length, and the viscous time, since that of the moduli is then 1.
#[derive(Clone, Copy, Default)]
struct Over {
    step: f64,
    viscous_time: f64,
}

/// What is lacking beyond this, over the shear modulus, is more than round-off; and a share beyond so many steps comes from
/// dividing by nearly nothing.
const ROUND_OFF: f64 = 1e-15;
const MOST_STEPS: f64 = 100.0;

impl Over {
    /// Which share of a force that takes so much power makes up for energy that is lacking over the step.
    #[inline(always)]
    fn share(&self, lacking: f64, power: f64, round_off: f64) -> f64 {
        let share = lacking / (self.step * power);
        if lacking.abs() > round_off && share.abs() < MOST_STEPS * self.step { share } else { 0.0 }
    }
}

impl<const LAW: u8, const MOULDED: bool, const RATE: u8, const CUT: bool> Work
    for Block<'_, LAW, MOULDED, RATE, CUT>
{
    type Output = Done;
    #[inline(always)]
    fn run(self, done: &mut Done) {
        let moduli = self.moduli;
        for l in 0..BLOCK {
            let part: Part<f64> = std::array::from_fn(|k| self.part[k][l]);
            let modes = |rows: &Rows| {
                let m = Modes::of(corners(rows, l));
                if CUT { m.within(&part) } else { m }
            };
            let on_cell = |g: Modes<f64>| if CUT { g.of_part(&part) } else { g };
            let m = modes(&self.x);
            let i = &self.inverse;
            let inverse = [i[0][l], i[1][l], i[2][l], i[3][l], i[4][l], i[5][l]];
            let inverse = if MOULDED { Some(&inverse) } else { None };
            if LAW == NO_LAW {
                let g = moduli.viscous(&m, &modes(&self.v));
                done.put(l, on_cell(g).corners(-self.weight[l]));
                continue;
            }
            let (mut g, more) = if LAW == NEO_HOOKEAN {
                (moduli.neo_hookean(&m, inverse), moduli.stiffening::<false>(&m, inverse))
            } else {
                (moduli.st_venant_kirchhoff(&m, inverse), moduli.stiffening::<true>(&m, inverse))
            };
            if RATE == VISCOUS {
                g = g.plus(&moduli.viscous(&m, &modes(&self.v)));
            }
            for (most, more) in done.more.iter_mut().zip(more) {
                let here = if self.weight[l] > 0.0 { more } else { 1.0 };
                most[l] = larger(most[l], here);
            }
            done.put(l, on_cell(g).corners(-self.weight[l]));
        }
    }
}

/// The same over a step. A kernel of its own, since the other must stay small enough for registers.
struct StepBlock<'a, const LAW: u8, const MOULDED: bool, const RATE: u8, const CUT: bool> {
    block: Block<'a, LAW, MOULDED, RATE, CUT>,
    over: Over,
}

impl<const LAW: u8, const MOULDED: bool, const RATE: u8, const CUT: bool> Work
    for StepBlock<'_, LAW, MOULDED, RATE, CUT>
{
    type Output = Done;
    #[inline(always)]
    fn run(self, done: &mut Done) {
        let Block { moduli, weight, inverse, part, x, v } = self.block;
        let Over { step, viscous_time } = self.over;
        for l in 0..BLOCK {
            let part: Part<f64> = std::array::from_fn(|k| part[k][l]);
            let modes = |rows: &Rows| {
                let m = Modes::of(corners(rows, l));
                if CUT { m.within(&part) } else { m }
            };
            let (m, rate) = (modes(&x), modes(&v));
            let half = rate.times(0.5 * step);
            let (before, after) = (m.plus(&half.times(-1.0)), m.plus(&half));
            let inverse = inverse.map(|e| e[l]);
            let (g, gained, more) = if LAW == NEO_HOOKEAN {
                let energy = |m: &Modes<f64>| moduli.neo_hookean_energy(m, &inverse);
                let more = moduli.stiffening::<false>(&m, Some(&inverse));
                (moduli.neo_hookean_over(&m, &half, &inverse), energy(&after) - energy(&before), more)
            } else {
                let energy = |m: &Modes<f64>| moduli.st_venant_kirchhoff_energy(m, &inverse);
                let more = moduli.stiffening::<true>(&m, Some(&inverse));
                (moduli.st_venant_kirchhoff_over(&m, &half, &inverse), energy(&after) - energy(&before), more)
            };
            let along = moduli.viscous(&m, &rate);
            let lacking = gained - step * g.dot(&rate);
            let share = self.over.share(lacking, along.dot(&rate), ROUND_OFF * moduli.mu);
            let g = g.plus(&along.times(viscous_time + share));
            for (most, more) in done.more.iter_mut().zip(more) {
                let here = if weight[l] > 0.0 { more } else { 1.0 };
                most[l] = larger(most[l], here);
            }
            done.put(l, if CUT { g.of_part(&part) } else { g }.corners(-weight[l]));
        }
    }
}

/// Adds what a block did to the nodes, but for the last ones along z, which the next block of the row has as its first.
struct Scatter<'a> {
    done: &'a mut Done,
    first: [usize; 4],
    cells: usize,
}

impl<'a> Work for Scatter<'a> {
    type Output = [&'a mut [f64]; 3];
    #[inline(always)]
    fn run(self, out: &mut [&'a mut [f64]; 3]) {
        for r in 0..4 {
            for d in 0..3 {
                let (low, high) = (&self.done.low[3 * r + d], &mut self.done.high[3 * r + d]);
                let out = &mut out[d][self.first[r]..];
                match out.first_chunk_mut::<BLOCK>() {
                    // Everything is read before anything is written, or it could not be done side by side.
                    Some(out) if self.cells == BLOCK => {
                        *out = std::array::from_fn(|l| out[l] + (low[l] + high[l]));
                    }
                    _ => (0..self.cells).for_each(|l| out[l] += low[l] + high[l]),
                }
                high[0] = high[self.cells];
            }
        }
    }
}

/// Works on a block with the widest registers that there are.
#[inline(always)]
fn work<const LAW: u8, const MOULDED: bool, const RATE: u8, const CUT: bool>(
    block: Block<LAW, MOULDED, RATE, CUT>,
    over: Over,
    done: &mut Done,
) {
    if RATE == OVER_STEP {
        widely(StepBlock { block, over }, done);
    } else {
        widely(block, done);
    }
}

/// Everything of one row of cells.
struct OfRun<'a> {
    cells: &'a Cells,
    moduli: &'a Moduli,
    over: Over,
    motion: Motion<'a>,
}

impl OfRun<'_> {
    fn add<const LAW: u8, const MOULDED: bool, const RATE: u8>(
        &self,
        run: &Run,
        first_node: usize,
        done: &mut Done,
        out: &mut [&mut [f64]; 3],
    ) {
        let (mut inverse, mut part) = (UNMOULDED.map(|m| [m; BLOCK]), [[0.0; BLOCK]; 10]);
        done.high.iter_mut().for_each(|h| h[0] = 0.0);
        for at in (0..run.cells.len()).step_by(BLOCK) {
            let count = (run.cells.len() - at).min(BLOCK);
            let nodes = run.nodes.map(|n| n + at);
            let cells = run.cells.start + at..run.cells.start + at + count;
            let stiff = &self.cells.stiff[cells.clone()];
            let few: [f64; BLOCK];
            let weight = match stiff.first_chunk() {
                Some(all) => all,
                None => {
                    few = std::array::from_fn(|l| stiff.get(l).copied().unwrap_or(0.0));
                    &few
                }
            };
            if MOULDED {
                let known = self.motion.inverse.get(cells.clone()).unwrap_or(&[]);
                let of_cells = known.iter().chain(std::iter::repeat(&UNMOULDED));
                for (l, m) in of_cells.take(BLOCK).enumerate() {
                    (0..6).for_each(|e| inverse[e][l] = m[e]);
                }
            }
            let (x, v) = (rows(self.motion.x, nodes), rows(self.motion.v, nodes));
            let (moduli, over, parts) =
                (self.moduli, self.over, self.cells.grid.parts.get(cells).unwrap_or(&[]));
            if RATE == OVER_STEP || parts.iter().any(|p| *p != WHOLE) {
                for (l, p) in parts.iter().chain(std::iter::repeat(&WHOLE)).take(BLOCK).enumerate() {
                    (0..10).for_each(|k| part[k][l] = p[k]);
                }
                let (inverse, part) = (&inverse, &part);
                let block = Block::<LAW, MOULDED, RATE, true> { moduli, weight, inverse, part, x, v };
                work(block, over, done);
            } else {
                let (inverse, part) = (&inverse, &part);
                let block = Block::<LAW, MOULDED, RATE, false> { moduli, weight, inverse, part, x, v };
                work(block, over, done);
            }
            let first = nodes.map(|n| n - first_node);
            let mut parts = out.each_mut().map(|c| &mut **c);
            widely(Scatter { done, first, cells: count }, &mut parts);
        }
        for (component, out) in out.iter_mut().enumerate() {
            for r in 0..4 {
                out[run.nodes[r] + run.cells.len() - first_node] += done.high[3 * r + component][0];
            }
        }
    }
}

impl Cells {
    fn sum<const LAW: u8, const MOULDED: bool, const RATE: u8>(
        &self,
        motion: Motion,
        step: f64,
        out: &mut Field,
    ) -> [f64; 2] {
        out.clear();
        let (mut elastic, mut over) = (self.elastic, Over::default());
        if RATE == OVER_STEP {
            over = Over { step, viscous_time: std::mem::replace(&mut elastic.viscous_time, 1.0) };
        }
        let moduli = Moduli::new(&elastic, &self.grid.cell);
        let of_run = OfRun { cells: self, moduli: &moduli, over, motion };
        let most = [1.0f64; 2].map(|one| AtomicU64::new(one.to_bits()));
        each_chunk(&self.grid, out, |chunk, mut out| {
            let mut done = Done::new();
            for run in &self.grid.runs[chunk.runs.clone()] {
                of_run.add::<LAW, MOULDED, RATE>(run, chunk.nodes.start, &mut done, &mut out);
            }
            for (most, more) in most.iter().zip(&done.more) {
                // Positive numbers are ordered as their bits are.
                let here = more.iter().fold(1.0, |a, b| larger(a, *b));
                most.fetch_max(here.to_bits(), Ordering::Relaxed);
            }
        });
        most.map(|m| f64::from_bits(m.into_inner()))
    }

    /// Elastic forces; `out` is overwritten. Returns how much stiffer than at rest the stiffest cell is, and how much more
    /// viscous the most viscous.
    pub fn elastic_forces(&self, motion: Motion, out: &mut Field) -> [f64; 2] {
        self.by_law::<STILL>(motion, out)
    }

    /// The same with viscous forces, in one go.
    pub fn forces(&self, motion: Motion, out: &mut Field) -> [f64; 2] {
        self.by_law::<VISCOUS>(motion, out)
    }

    /// The same over a step in whose middle nodes stand as they do, and whose way they make at their velocities. The elastic forces
    /// then do the work over it that elastic energy loses, exactly: those in the middle, and along viscous ones what these lack.
    /// That is Simo and Tarnow's step where energy is quadratic in the metric. One kernel serves all cells, moulded and cut or not.
    pub fn forces_over(&self, motion: Motion, step: f64, out: &mut Field) -> [f64; 2] {
        match self.elastic.law {
            Law::NeoHookean => self.sum::<NEO_HOOKEAN, true, OVER_STEP>(motion, step, out),
            Law::StVenantKirchhoff => self.sum::<ST_VENANT_KIRCHHOFF, true, OVER_STEP>(motion, step, out),
        }
    }

    fn by_law<const RATE: u8>(&self, motion: Motion, out: &mut Field) -> [f64; 2] {
        match (self.elastic.law, motion.inverse.is_empty()) {
            (Law::NeoHookean, true) => self.sum::<NEO_HOOKEAN, false, RATE>(motion, 0.0, out),
            (Law::NeoHookean, false) => self.sum::<NEO_HOOKEAN, true, RATE>(motion, 0.0, out),
            (Law::StVenantKirchhoff, true) => self.sum::<ST_VENANT_KIRCHHOFF, false, RATE>(motion, 0.0, out),
            (Law::StVenantKirchhoff, false) => self.sum::<ST_VENANT_KIRCHHOFF, true, RATE>(motion, 0.0, out),
        }
    }

    /// Viscous forces alone; `out` is overwritten.
    pub fn viscous_forces(&self, motion: Motion, out: &mut Field) {
        self.sum::<NO_LAW, false, VISCOUS>(motion, 0.0, out);
    }

    /// The modes of what is filled of a cell.
    pub fn modes(&self, cell: usize, x: &[Vec3]) -> Modes<f64> {
        let whole = modes_of(&self.grid.cells[cell], x);
        self.grid.parts.get(cell).map_or(whole, |part| whole.within(part))
    }

    /// How the elastic forces change, times -1, when the nodes move by `d`: the stiffness matrix times `d`.
    pub fn stiffness_times(&self, state: State, d: &[Vec3], out: &mut [Vec3]) {
        out.fill(Vec3::ZERO);
        let moduli = Moduli::new(&self.elastic, &self.grid.cell);
        for (c, nodes) in self.grid.cells.iter().enumerate() {
            let (m, dm) = (self.modes(c, state.x), self.modes(c, d));
            let both = Modes(std::array::from_fn(|k| dual(m.0[k], dm.0[k])));
            let inverse = state.inverse.get(c).unwrap_or(&UNMOULDED).map(|v| Dual { value: v, change: 0.0 });
            let g = moduli.gradient(&both, Some(&inverse));
            let change = Modes(g.0.map(|v| V3(v.0.map(|n| n.change))));
            for (n, f) in nodes.iter().zip(change.of_part(self.grid.part(c)).corners(self.stiff[c])) {
                out[*n as usize] += Vec3::from_array(f.0);
            }
        }
    }

    /// Elastic energy `[J]`.
    pub fn energy(&self, state: State) -> f64 {
        let moduli = Moduli::new(&self.elastic, &self.grid.cell);
        let x = Field::of(state.x);
        let mut sum = 0.0;
        for run in &self.grid.runs {
            for at in (0..run.cells.len()).step_by(BLOCK) {
                let cells = run.cells.start + at..run.cells.end.min(run.cells.start + at + BLOCK);
                let mut inverse = UNMOULDED.map(|m| [m; BLOCK]);
                for (l, m) in state.inverse.get(cells.clone()).into_iter().flatten().enumerate() {
                    (0..6).for_each(|e| inverse[e][l] = m[e]);
                }
                let mut here = [0.0; BLOCK];
                let x = rows(&x, run.nodes.map(|n| n + at));
                let (moduli, inverse, part) = (&moduli, &inverse, &self.parts_of(cells.clone()));
                match self.elastic.law {
                    Law::NeoHookean => widely(Energy::<NEO_HOOKEAN> { moduli, inverse, part, x }, &mut here),
                    Law::StVenantKirchhoff => {
                        widely(Energy::<ST_VENANT_KIRCHHOFF> { moduli, inverse, part, x }, &mut here);
                    }
                }
                here.iter().zip(&self.stiff[cells]).for_each(|(energy, stiff)| sum += energy * stiff);
            }
        }
        sum
    }

    /// What is filled of each cell of a block; all beyond the last.
    fn parts_of(&self, cells: Range<usize>) -> [[f64; BLOCK]; 10] {
        let mut parts = WHOLE.map(|whole| [whole; BLOCK]);
        for (l, part) in self.grid.parts.get(cells).into_iter().flatten().enumerate() {
            (0..10).for_each(|k| parts[k][l] = part[k]);
        }
        parts
    }
}

/// Energy of each cell of a block per rest volume.
struct Energy<'a, const LAW: u8> {
    moduli: &'a Moduli,
    inverse: &'a [[f64; BLOCK]; 6],
    part: &'a [[f64; BLOCK]; 10],
    x: Rows<'a>,
}

impl<const LAW: u8> Work for Energy<'_, LAW> {
    type Output = [f64; BLOCK];
    #[inline(always)]
    fn run(self, energy: &mut [f64; BLOCK]) {
        let i = self.inverse;
        for l in 0..BLOCK {
            let inverse = [i[0][l], i[1][l], i[2][l], i[3][l], i[4][l], i[5][l]];
            let part: Part<f64> = std::array::from_fn(|k| self.part[k][l]);
            let m = Modes::of(corners(&self.x, l)).within(&part);
            energy[l] = if LAW == NEO_HOOKEAN {
                self.moduli.neo_hookean_energy(&m, &inverse)
            } else {
                self.moduli.st_venant_kirchhoff_energy(&m, &inverse)
            };
        }
    }
}

/// The smallest volume at a Gauss point of what is filled of each cell of a block, over that at rest but for `per_volume`.
struct Least<'a> {
    x: Rows<'a>,
    part: &'a [[f64; BLOCK]; 10],
}

impl Work for Least<'_> {
    type Output = [f64; BLOCK];
    #[inline(always)]
    fn run(self, least: &mut [f64; BLOCK]) {
        let s = 1.0 / 3f64.sqrt();
        for g in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|d| if g >> d & 1 == 1 { s } else { -s });
            for l in 0..BLOCK {
                let part: Part<f64> = std::array::from_fn(|k| self.part[k][l]);
                let [e1, e2, e3, q1, q2, q3, q4] = Modes::of(corners(&self.x, l)).within(&part).0;
                let along_x = e1 + q1.scaled(y) + q2.scaled(z) + q4.scaled(y * z);
                let along_y = e2 + q1.scaled(x) + q3.scaled(z) + q4.scaled(x * z);
                let along_z = e3 + q2.scaled(x) + q3.scaled(y) + q4.scaled(x * y);
                let here = along_x.cross(along_y).dot(along_z);
                least[l] = if here < least[l] { here } else { least[l] };
            }
        }
    }
}

impl Cells {
    /// Smallest volume at a Gauss point of a cell over that at rest. Not at its corners: one that is pressed flat on a table
    /// with its three edges has none left, and nothing is wrong with that.
    pub fn least_jacobian(&self, x: &[Vec3]) -> f64 {
        let x = Field::of(x);
        let mut least = f64::INFINITY;
        for run in &self.grid.runs {
            for at in (0..run.cells.len()).step_by(BLOCK) {
                let mut here = [f64::INFINITY; BLOCK];
                let count = (run.cells.len() - at).min(BLOCK);
                let first = run.cells.start + at;
                let part = &self.parts_of(first..first + count);
                widely(Least { x: rows(&x, run.nodes.map(|n| n + at)), part }, &mut here);
                least = here[..count].iter().copied().fold(least, f64::min);
            }
        }
        least * self.grid.cell.per_volume()
    }
}

/// Modes with their changes beside them.
pub fn dual(value: V3<f64>, change: V3<f64>) -> V3<Dual> {
    V3(std::array::from_fn(|i| Dual { value: value.0[i], change: change.0[i] }))
}

/// The modes of one cell.
pub fn modes_of(nodes: &[u32; 8], x: &[Vec3]) -> Modes<f64> {
    Modes::of(nodes.map(|n| V3(x[n as usize].to_array())))
}
