//! Sweeps over one island, shared between workers.
//!
//! Gauss-Seidel alone crawls on towers and large mass ratios, so its steps are taken as gradients of a nonsmooth
//! nonlinear conjugate gradient method [SNE10]: after a sweep, the impulses go on along the direction of the sweeps
//! before, unless the sweep got worse. A last plain sweep makes them admissible.

use super::held::Held;
use super::islands::Island;
use super::line::{Line, Trail, Velocities};
use super::rows::ControlRow;
use crate::math::Disjoint;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Everything sweeps need, shared between threads.
pub struct Shared<'a> {
    /// Lines of all islands.
    pub lines: Disjoint<'a, Line>,
    /// Their way so far.
    pub trails: Disjoint<'a, Trail>,
    /// Controls of all islands.
    pub controls: Disjoint<'a, ControlRow>,
    /// Velocities of all bodies.
    pub v: Velocities<'a>,
    /// Velocities before the present sweep.
    pub y_last: Disjoint<'a, f64>,
    /// Direction of acceleration of the velocities.
    pub y_along: Disjoint<'a, f64>,
}

impl Shared<'_> {
    #[allow(
        clippy::mut_from_ref,
        unsafe_code,
        reason = "colours and islands are handed to one thread at a time"
    )]
    pub fn lines(&self, range: Range<usize>) -> &mut [Line] {
        // SAFETY: islands are disjoint ranges, each colour of an island is shared out in disjoint parts, and a barrier
        // stands between colours.
        unsafe { self.lines.part(range.start, range.end) }
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "as for lines")]
    pub fn trails(&self, range: Range<usize>) -> &mut [Trail] {
        // SAFETY: as for lines.
        unsafe { self.trails.part(range.start, range.end) }
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "controls are worked on by one thread")]
    pub fn control(&self, k: u32) -> &mut ControlRow {
        // SAFETY: a control row belongs to one island, whose controls are swept by one thread.
        unsafe { &mut self.controls.part(k as usize, k as usize + 1)[0] }
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "a body belongs to one thread at a time")]
    pub fn body_of<'s>(&'s self, array: &'s Disjoint<'_, f64>, body: u32) -> &'s mut [f64] {
        let b = body as usize;
        // SAFETY: bodies are shared out among workers, with a barrier before and after.
        unsafe { array.part(self.v.offsets[b] as usize, self.v.offsets[b + 1] as usize) }
    }

    fn sweep_controls(&self, island: &Island, held: Option<&Held>) -> f64 {
        let mut change = held.map_or(0.0, |held| held.hold(self));
        for k in island.controls.iter().filter(|k| !held.is_some_and(|held| held.has(**k))) {
            let row = self.control(*k);
            let v = self.v.at(&row.a) - self.v.at(&row.b);
            let mut wanted = row.lambda + row.mobility * (row.target - v - row.lambda * row.give);
            if wanted.length_squared() > row.limit * row.limit {
                // At its limit the pull must point along what is missing: a step by a scalar, then onto the ball.
                let missing = row.target - v - row.lambda * row.give;
                wanted = (row.lambda + missing * row.least_mobility).clamp_length_max(row.limit);
            }
            let step = wanted - row.lambda;
            row.last = row.lambda;
            row.lambda = wanted;
            change = change.max((step / row.least_mobility).length());
            self.v.push(&row.a, step);
            self.v.push(&row.b, -step);
        }
        change
    }

    /// Sum over some lines of the squared change of the last sweep, each weighed by its own response.
    #[inline(always)]
    fn change_norm(&self, range: Range<usize>) -> f64 {
        let pairs = self.lines(range.clone()).iter().zip(self.trails(range));
        pairs
            .map(|(line, trail)| {
                let d = |k: usize| line.lambda[k] - trail.last[k];
                d(0) * d(0) * line.response[0] + (d(1) * d(1) + d(2) * d(2)) * line.response[1]
            })
            .sum()
    }

    fn control_norm(&self, island: &Island) -> f64 {
        let of = |k: &u32| {
            let row = self.control(*k);
            (row.lambda - row.last).length_squared() / row.least_mobility
        };
        island.controls.iter().map(of).sum()
    }
}

/// Fewer sweeps than this are made without acceleration.
const HASTE: u32 = 20;

/// Lines whose changes are summed together: the order of additions must not depend on who adds.
const BLOCK: usize = 256;

/// When sweeps end.
#[derive(Clone, Copy)]
pub struct End {
    /// Nothing changes by more than this any longer `[m/s]`.
    pub solved: f64,
    /// Or by no more than this, and further sweeps hardly change that: what is left is where several places share a load
    /// that their bodies do not tell apart, and impulses wander between them while velocities stay `[m/s]`.
    pub bearable: f64,
}

/// Sweeps after which progress is looked at, and the share of the least change that must have been made by then.
const WATCH: u32 = 40;
const PROGRESS: f64 = 0.5;

/// One island's sweeps.
pub struct Job<'a> {
    shared: &'a Shared<'a>,
    island: &'a Island,
    limit: u32,
    end: End,
    held: Option<Held>,
    barrier: Barrier,
    /// Bits of the largest change in this sweep.
    largest: AtomicU64,
    /// Bits of the sums of changes, block by block.
    norms: Vec<AtomicU64>,
}

impl<'a> Job<'a> {
    /// Sweeps over an island until they come to an end, at most `limit` times.
    pub fn new(shared: &'a Shared<'a>, island: &'a Island, limit: u32, end: End) -> Self {
        // One more for the controls.
        let norms = (0..island.lines.len().div_ceil(BLOCK) + 1).map(|_| AtomicU64::new(0)).collect();
        Self {
            shared,
            island,
            limit,
            end,
            held: Held::new(shared, island),
            barrier: Barrier::default(),
            largest: AtomicU64::new(0),
            norms,
        }
    }

    /// One worker's part; all get the same answer: sweeps made and the largest change in the last.
    pub fn work(&self, worker: usize, workers: usize) -> (u32, f64) {
        pulp::Arch::new().dispatch(Part { job: self, worker, workers })
    }

    #[inline(always)]
    fn sweep(&self, worker: usize, workers: usize) -> (u32, f64) {
        let (shared, island) = (self.shared, self.island);
        let share = |n: usize| n * worker / workers..n * (worker + 1) / workers;
        let blocks = share(self.norms.len() - 1);
        let mine = || {
            let first = island.lines.start;
            first + blocks.start * BLOCK..(first + blocks.end * BLOCK).min(island.lines.end)
        };
        let bodies = &island.bodies[share(island.bodies.len())];
        let (mut norm, mut change) = (0.0f64, 0.0);
        // Of very many lines, or where all points of a soft skin have theirs, most do not push.
        let many = island.is_large() || shared.is_soft(island);
        // A few sweeps are over before acceleration pays.
        let hurry = self.limit >= HASTE;
        let (mut least, mut least_before) = (f64::INFINITY, f64::INFINITY);
        for sweep in 0..self.limit {
            if hurry {
                for (line, trail) in shared.lines(mine()).iter().zip(shared.trails(mine())) {
                    trail.last = line.lambda;
                }
                for body in bodies {
                    shared.body_of(&shared.y_last, *body).copy_from_slice(shared.v.body(*body));
                }
            }
            self.barrier.wait(workers);
            if worker == 0 {
                self.largest.store(0, Ordering::Relaxed);
            }
            let mut most = 0.0f64;
            if worker == 0 {
                most = shared.sweep_controls(island, self.held.as_ref());
                for line in shared.lines(island.alone.clone()) {
                    most = shared.v.relax(line).max(most);
                }
            }
            self.barrier.wait(workers);
            for k in 0..island.colours.len() {
                // There and back: what the last line learns reaches the first at once.
                let back = sweep % 2 == 1;
                let colour = &island.colours[if back { island.colours.len() - 1 - k } else { k }];
                let cut = |at: usize| island.cut(colour, at, workers);
                let part = shared.lines(cut(worker)..cut(worker + 1));
                // A plain loop: what is called through a closure would not get the wide registers.
                for at in 0..part.len() {
                    let line = &mut part[if back { part.len() - 1 - at } else { at }];
                    let change = if many { shared.v.relax_some(line) } else { shared.v.relax(line) };
                    most = change.max(most);
                }
                self.barrier.wait(workers);
            }
            // Largest of non-negative numbers: the same in any order.
            self.largest.fetch_max(most.to_bits(), Ordering::Relaxed);
            if hurry {
                for b in blocks.clone() {
                    let from = island.lines.start + b * BLOCK;
                    let sum = shared.change_norm(from..(from + BLOCK).min(island.lines.end));
                    self.norms[b].store(sum.to_bits(), Ordering::Relaxed);
                }
            }
            if worker == 0 {
                let last = self.norms.len() - 1;
                self.norms[last].store(shared.control_norm(island).to_bits(), Ordering::Relaxed);
            }
            self.barrier.wait(workers);
            change = f64::from_bits(self.largest.load(Ordering::Relaxed));
            least = least.min(change);
            if change <= self.end.solved || sweep + 1 == self.limit {
                return (sweep + 1, change);
            }
            if (sweep + 1).is_multiple_of(WATCH) {
                if change <= self.end.bearable && least > PROGRESS * least_before {
                    return (sweep + 1, change);
                }
                (least_before, least) = (least, f64::INFINITY);
            }
            if !hurry {
                continue;
            }
            let sums = self.norms.iter().map(|n| f64::from_bits(n.load(Ordering::Relaxed)));
            let new = sums.sum::<f64>();
            let beta = if sweep == 0 || norm <= 0.0 || new > norm { 0.0 } else { new / norm };
            norm = new;
            self.go_on(beta, mine(), bodies, worker);
        }
        (self.limit, change)
    }

    /// Moves impulses and velocities along the direction of the sweeps before, and turns that direction.
    #[inline(always)]
    fn go_on(&self, beta: f64, mine: Range<usize>, bodies: &[u32], worker: usize) {
        let shared = self.shared;
        for (line, trail) in shared.lines(mine.clone()).iter_mut().zip(shared.trails(mine)) {
            for k in 0..3 {
                let step = line.lambda[k] - trail.last[k];
                let along = beta * trail.along[k];
                line.lambda[k] += along;
                trail.along[k] = along + step;
            }
        }
        if worker == 0 {
            for k in &self.island.controls {
                let row = shared.control(*k);
                let step = row.lambda - row.last;
                let along = row.along * beta;
                row.lambda += along;
                row.along = along + step;
            }
        }
        for body in bodies {
            let (y, last) = (shared.v.body(*body), shared.body_of(&shared.y_last, *body));
            let direction = shared.body_of(&shared.y_along, *body);
            for ((y, last), direction) in y.iter_mut().zip(last).zip(direction) {
                let step = *y - *last;
                let along = beta * *direction;
                *y += along;
                *direction = along + step;
            }
        }
    }
}

/// A worker's part, with the widest registers that the machine has: levers of soft bodies are long rows of numbers. The
/// order of additions is that of the source, so the result is the same on every machine.
struct Part<'a> {
    job: &'a Job<'a>,
    worker: usize,
    workers: usize,
}

impl pulp::WithSimd for Part<'_> {
    type Output = (u32, f64);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.job.sweep(self.worker, self.workers)
    }
}

/// Lets all workers through once all have come.
#[derive(Default)]
struct Barrier {
    waiting: AtomicUsize,
    round: AtomicUsize,
}

impl Barrier {
    fn wait(&self, workers: usize) {
        if workers == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == workers {
            self.waiting.store(0, Ordering::Release);
            self.round.fetch_add(1, Ordering::AcqRel);
        } else {
            let mut spins = 0u32;
            while self.round.load(Ordering::Acquire) == round {
                spins += 1;
                // Another process may own the other core: do not burn its time slice.
                if spins > 2000 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
        }
    }
}
