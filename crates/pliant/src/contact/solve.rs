//! The one solve: non-penetration, Coulomb friction and controls, by projected Gauss-Seidel on velocities
//! (EQUATIONS 4.5, 5.1).
//!
//! Islands are independent. A large island is swept colour by colour, several threads on one colour; the order of
//! work, and so every bit of the result, does not depend on how many threads there are.

use super::islands::{Group, Island, colour, islands, roots};
use super::polish::{Levers, MOST_ROWS, polish};
use super::rows::{ControlRow, Row, Rows, push, velocity};
use crate::bodies::{Lever, TwistMass};
use crate::math::{Disjoint, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Islands with at least this many rows are swept by colours.
const LARGE: usize = 256;

/// How far to take the solve.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solver {
    /// Sweeps over large islands, if the scene insists.
    pub sweeps: Option<u32>,
}

/// What the solve reached.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// Largest number of sweeps over an island.
    pub sweeps: u32,
    /// Largest change of a contact's velocity in a last sweep `[m/s]`.
    pub residual: f64,
    /// Number of islands.
    pub islands: u32,
    /// Work of all contacts `[J]`.
    pub work: f64,
    /// Root of each body's island.
    pub roots: Vec<u32>,
}

/// Everything rows need, shared between threads.
struct Shared<'a> {
    rows: Disjoint<'a, Row>,
    controls: Disjoint<'a, ControlRow>,
    y: Disjoint<'a, f64>,
    /// Velocities before the present sweep, and the direction of acceleration.
    y_last: Disjoint<'a, f64>,
    y_along: Disjoint<'a, f64>,
    store: &'a [f64],
    offsets: &'a [u32],
    masses: &'a [TwistMass],
}

impl Solver {
    /// Solves for all impulses; velocities in `rows.y` become those after contact. Given bodies, only their islands
    /// are solved; the others keep the impulses they have.
    pub fn solve(&self, rows: &mut Rows, only: Option<&[u32]>) -> Solved {
        let bodies = rows.offsets.len() - 1;
        let roots = roots(rows, bodies);
        let islands = islands(rows, &roots);
        let mut wanted = vec![only.is_none(); bodies];
        only.into_iter().flatten().for_each(|b| wanted[roots[*b as usize] as usize] = true);
        let (open, done): (Vec<&Island>, Vec<&Island>) = islands
            .iter()
            .partition(|i| i.bodies.first().is_some_and(|b| wanted[roots[*b as usize] as usize]));
        let (large, small): (Vec<&Island>, Vec<&Island>) = open.into_iter().partition(|i| i.rows >= LARGE);
        let colours: Vec<_> = large.iter().map(|i| colour(&i.groups, rows)).collect();
        let before = rows.free.clone();
        let (mut y_last, mut y_along) = (before.clone(), vec![0.0; before.len()]);
        let limit = self.limit(rows.rows.len());
        let mut solved = Solved { islands: islands.len() as u32, ..Solved::default() };
        {
            let shared = Shared {
                rows: Disjoint::new(&mut rows.rows),
                controls: Disjoint::new(&mut rows.controls),
                y: Disjoint::new(&mut rows.y),
                y_last: Disjoint::new(&mut y_last),
                y_along: Disjoint::new(&mut y_along),
                store: &rows.store,
                offsets: &rows.offsets,
                masses: &rows.masses,
            };
            let mut results: Vec<(u32, f64, f64)> = vec![];
            for island in done {
                shared.apply_all(island);
                results.push((0, 0.0, shared.work(island).0));
            }
            for (island, (colours, rest)) in large.iter().zip(&colours) {
                let sweep = |limit, tolerance| {
                    let job = Job::new(&shared, island, colours, rest, limit, tolerance);
                    if rayon::current_num_threads() == 1 {
                        job.work(0, 1)
                    } else {
                        rayon::broadcast(|ctx| job.work(ctx.index(), ctx.num_threads()))[0]
                    }
                };
                results.push(shared.settle(island, &before, sweep, limit));
            }
            let alone = |island: &&Island| {
                let all = [island.groups.clone()];
                let sweep =
                    |limit, tolerance| Job::new(&shared, island, &all, &[], limit, tolerance).work(0, 1);
                shared.settle(island, &before, sweep, limit)
            };
            results.extend(small.par_iter().map(alone).collect::<Vec<_>>());
            for (sweeps, residual, work) in results {
                solved.sweeps = solved.sweeps.max(sweeps);
                solved.residual = solved.residual.max(residual);
                solved.work += work;
            }
        }
        solved.roots = roots;
        solved
    }

    /// A fixed amount of work for the whole step, the same sweeps for every island: few contacts are solved to the
    /// end, many as well as the time allows.
    fn limit(&self, rows: usize) -> u32 {
        let affordable = (200_000 / rows.max(1)).clamp(40, 2000) as u32;
        self.sweeps.unwrap_or(affordable)
    }

    /// Positions: the least shift of all bodies (in the mass metric) that opens the gaps named by `needs`
    /// (one per row, negative where there is room). Velocities stay as they are.
    pub fn shift(&self, rows: &Rows, needs: &[f64], sweeps: u32) -> Vec<f64> {
        let mut w = vec![0.0; rows.y.len()];
        let mut lambda = vec![0.0f64; rows.rows.len()];
        let mut moved = vec![false; rows.offsets.len()];
        for sweep in 0..sweeps {
            let mut change = 0.0f64;
            for k in 0..rows.rows.len() {
                let k = if sweep % 2 == 0 { k } else { rows.rows.len() - 1 - k };
                let row = &rows.rows[k];
                let idle = |lever: Lever, body: u32| matches!(lever, Lever::Fixed) || !moved[body as usize];
                if needs[k] <= 0.0 && idle(row.a.lever, row.a.body) && idle(row.b.lever, row.b.body) {
                    continue;
                }
                let part = |body: u32| {
                    rows.offsets[body as usize] as usize..rows.offsets[body as usize + 1] as usize
                };
                let mut opening = 0.0;
                for (grip, sign) in [(row.a, 1.0), (row.b, -1.0)] {
                    if !matches!(grip.lever, Lever::Fixed) {
                        opening +=
                            sign * row.axes[0].dot(velocity(grip.lever, &w[part(grip.body)], &rows.store));
                    }
                }
                let wanted = (lambda[k] + (needs[k] - opening) * row.mobility).max(0.0);
                let step = wanted - lambda[k];
                if step == 0.0 {
                    continue;
                }
                lambda[k] = wanted;
                change = change.max((step / row.mobility).abs());
                for (grip, sign) in [(row.a, 1.0), (row.b, -1.0)] {
                    if !matches!(grip.lever, Lever::Fixed) {
                        let mass = &rows.masses[grip.body as usize];
                        push(
                            grip.lever,
                            &mut w[part(grip.body)],
                            row.axes[0] * (sign * step),
                            &rows.store,
                            mass,
                        );
                        moved[grip.body as usize] = true;
                    }
                }
            }
            for row in &rows.controls {
                let body = |b: u32| rows.offsets[b as usize] as usize..rows.offsets[b as usize + 1] as usize;
                let idle = |lever: Lever, b: u32| matches!(lever, Lever::Fixed) || !moved[b as usize];
                if idle(row.a.lever, row.a.body) && idle(row.b.lever, row.b.body) {
                    continue;
                }
                let mut slip = Vec3::ZERO;
                for (grip, sign) in [(row.a, 1.0), (row.b, -1.0)] {
                    if !matches!(grip.lever, Lever::Fixed) {
                        slip += velocity(grip.lever, &w[body(grip.body)], &rows.store) * sign;
                    }
                }
                let step = row.mobility * -slip;
                for (grip, sign) in [(row.a, 1.0), (row.b, -1.0)] {
                    if !matches!(grip.lever, Lever::Fixed) {
                        let mass = &rows.masses[grip.body as usize];
                        push(grip.lever, &mut w[body(grip.body)], step * sign, &rows.store, mass);
                        moved[grip.body as usize] = true;
                    }
                }
            }
            if change < 0.02 * needs.iter().cloned().fold(0.0, f64::max) {
                break;
            }
        }
        w
    }
}

impl Shared<'_> {
    /// Sweeps an island until it is solved, and sees to it that contact has not added energy: with a warm start the
    /// descent begins at remembered impulses, which may be too large; then it begins again at none.
    fn settle(
        &self,
        island: &Island,
        before: &[f64],
        sweep: impl Fn(u32, f64) -> (u32, f64),
        limit: u32,
    ) -> (u32, f64, f64) {
        let scale = self.rows_of(island).map(|r| r.before.length()).fold(0.0, f64::max);
        let tolerance = 1e-8 * scale + 1e-14;
        self.apply_all(island);
        let small = island.controls.is_empty() && island.rows <= MOST_ROWS;
        let first = if small { limit.min(100) } else { limit };
        let (mut sweeps, mut residual) = sweep(first, tolerance);
        if small && residual > 1e-6 * scale {
            let rows: Vec<&Row> = self.rows_of(island).collect();
            let levers = Levers { store: self.store, offsets: self.offsets, masses: self.masses };
            if let Some(better) = polish(&rows, &levers, 1e-3 * tolerance.max(1e-9 * scale)) {
                self.take(island, before, better);
            }
            // The last word is a sweep: it tells how good the impulses are.
            let last = sweep(20, tolerance);
            sweeps += last.0;
            residual = last.1;
        }
        let (mut work, mut size) = self.work(island);
        if island.controls.is_empty() && work > 1e-12 * size {
            self.reset(island, before);
            let again = sweep(limit, tolerance);
            sweeps += again.0;
            residual = again.1;
            (work, size) = self.work(island);
            if work > 1e-12 * size {
                work = self.weaken(island, before);
            }
        }
        (sweeps, residual, work)
    }

    #[allow(
        clippy::mut_from_ref,
        unsafe_code,
        reason = "an island's rows are handed to one thread at a time"
    )]
    fn group(&self, group: Group) -> &mut [Row] {
        // SAFETY: groups are disjoint runs of rows, and a group is worked on by one thread at a time: islands are
        // disjoint, and within an island each colour gives a group to one thread, with a barrier between colours.
        unsafe { self.rows.part(group.from as usize, group.to as usize) }
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "a body belongs to one thread at a time")]
    fn body(&self, body: u32) -> &mut [f64] {
        let b = body as usize;
        // SAFETY: bodies of different islands differ, and groups of one colour share no body.
        unsafe { self.y.part(self.offsets[b] as usize, self.offsets[b + 1] as usize) }
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "controls are worked on by one thread")]
    fn control(&self, k: u32) -> &mut ControlRow {
        // SAFETY: a control row belongs to one island, whose controls are swept by one thread.
        unsafe { &mut self.controls.part(k as usize, k as usize + 1)[0] }
    }

    fn rows_of<'s>(&'s self, island: &'s Island) -> impl Iterator<Item = &'s Row> + 's {
        island.groups.iter().flat_map(|g| self.group(*g).iter())
    }

    fn point_velocity(&self, lever: Lever, body: u32) -> Vec3 {
        match lever {
            Lever::Fixed => Vec3::ZERO,
            _ => velocity(lever, self.body(body), self.store),
        }
    }

    fn push(&self, lever: Lever, body: u32, p: Vec3) {
        if !matches!(lever, Lever::Fixed) {
            push(lever, self.body(body), p, self.store, &self.masses[body as usize]);
        }
    }

    /// Applies remembered impulses.
    fn apply_all(&self, island: &Island) {
        for row in self.rows_of(island) {
            let p = row.impulse();
            if p != Vec3::ZERO {
                self.push(row.a.lever, row.a.body, p);
                self.push(row.b.lever, row.b.body, -p);
            }
        }
        for k in &island.controls {
            let row = self.control(*k);
            self.push(row.a.lever, row.a.body, row.lambda);
            self.push(row.b.lever, row.b.body, -row.lambda);
        }
    }

    /// Work of an island's contacts, `1/2 lambda.(v+ + v*)` = EQUATIONS 4.5, and the size of its terms.
    fn work(&self, island: &Island) -> (f64, f64) {
        let (mut work, mut size) = (0.0, 0.0);
        for row in self.rows_of(island) {
            let after = self.point_velocity(row.a.lever, row.a.body)
                - self.point_velocity(row.b.lever, row.b.body)
                - row.drive;
            let p = row.impulse();
            work += 0.5 * p.dot(after + row.before);
            size += 0.5 * p.length() * (after.length() + row.before.length());
        }
        (work, size)
    }

    /// Back to no impulse at all.
    fn reset(&self, island: &Island, before: &[f64]) {
        for group in &island.groups {
            for row in self.group(*group) {
                row.lambda = [0.0; 3];
                row.along = [0.0; 3];
                for grip in [row.a, row.b] {
                    if !matches!(grip.lever, Lever::Fixed) {
                        let from = self.offsets[grip.body as usize] as usize;
                        let y = self.body(grip.body);
                        y.copy_from_slice(&before[from..from + y.len()]);
                        self.body_of(&self.y_along, grip.body).fill(0.0);
                    }
                }
            }
        }
    }

    /// Scales an island's impulses down to where they no longer add energy. Rounding and the last friction update
    /// are all that can bring us here; the position check sees to the gaps.
    fn weaken(&self, island: &Island, before: &[f64]) -> f64 {
        let (mut along, mut change) = (0.0, 0.0);
        for row in self.rows_of(island) {
            let after = self.point_velocity(row.a.lever, row.a.body)
                - self.point_velocity(row.b.lever, row.b.body)
                - row.drive;
            let p = row.impulse();
            along += p.dot(row.before);
            change += p.dot(after - row.before);
        }
        let scale =
            if along < 0.0 && change > 0.0 { (-2.0 * along / change * (1.0 - 1e-9)).min(1.0) } else { 0.0 };
        let scaled: Vec<[f64; 3]> = self.rows_of(island).map(|r| r.lambda.map(|l| l * scale)).collect();
        self.take(island, before, scaled);
        self.work(island).0
    }

    /// Replaces all impulses of an island.
    fn take(&self, island: &Island, before: &[f64], impulses: Vec<[f64; 3]>) {
        self.reset(island, before);
        let mut next = impulses.into_iter();
        for group in &island.groups {
            for row in self.group(*group) {
                row.lambda = next.next().unwrap_or_default();
            }
        }
        self.apply_all(island);
    }

    fn sweep_controls(&self, island: &Island) -> f64 {
        let mut change = 0.0f64;
        for k in &island.controls {
            let row = self.control(*k);
            let v =
                self.point_velocity(row.a.lever, row.a.body) - self.point_velocity(row.b.lever, row.b.body);
            let mut wanted = row.lambda + row.mobility * (row.target - v);
            if wanted.length_squared() > row.limit * row.limit {
                // At its limit the pull must point along what is missing: a step by a scalar, then onto the ball.
                wanted = (row.lambda + (row.target - v) * row.least_mobility).clamp_length_max(row.limit);
            }
            let step = wanted - row.lambda;
            row.last = row.lambda;
            row.lambda = wanted;
            change = change.max((step / row.least_mobility).length());
            self.push(row.a.lever, row.a.body, step);
            self.push(row.b.lever, row.b.body, -step);
        }
        change
    }

    #[inline]
    fn sweep_group(&self, group: Group) -> f64 {
        let mut change = 0.0f64;
        for row in self.group(group) {
            let v = self.point_velocity(row.a.lever, row.a.body)
                - self.point_velocity(row.b.lever, row.b.body)
                - row.drive;
            let old = row.lambda;
            row.last = old;
            // EQUATIONS 5.1: first the normal, then the tangent pair projected on the disc.
            let normal = (old[0] - (v.dot(row.axes[0]) + row.slack) * row.mobility).max(0.0);
            let step = normal - old[0];
            let mut t = [
                old[1] - (v.dot(row.axes[1]) + row.across[0] * step) * row.tangent_mobility,
                old[2] - (v.dot(row.axes[2]) + row.across[1] * step) * row.tangent_mobility,
            ];
            let (most, size) = (row.friction * normal, (t[0] * t[0] + t[1] * t[1]).sqrt());
            if size > most {
                t = [t[0] * (most / size), t[1] * (most / size)];
            }
            let (dx, dy) = (t[0] - old[1], t[1] - old[2]);
            if step == 0.0 && dx == 0.0 && dy == 0.0 {
                continue;
            }
            row.lambda = [normal, t[0], t[1]];
            let p = row.axes[0] * step + row.axes[1] * dx + row.axes[2] * dy;
            change = change.max(step.abs() / row.mobility).max(dx.abs().max(dy.abs()) / row.tangent_mobility);
            self.push(row.a.lever, row.a.body, p);
            self.push(row.b.lever, row.b.body, -p);
        }
        change
    }

    /// Sum over an island's rows of the squared change of the last sweep, each weighed by its own response: in a fixed
    /// order, whoever computed the changes.
    fn change_norm(&self, island: &Island) -> f64 {
        let mut sum = 0.0;
        for row in self.rows_of(island) {
            let d = |k: usize| row.lambda[k] - row.last[k];
            sum += d(0) * d(0) / row.mobility + (d(1) * d(1) + d(2) * d(2)) / row.tangent_mobility;
        }
        for k in &island.controls {
            let row = self.control(*k);
            sum += (row.lambda - row.last).length_squared() / row.least_mobility;
        }
        sum
    }

    #[allow(clippy::mut_from_ref, unsafe_code, reason = "a body belongs to one thread at a time")]
    fn body_of<'s>(&'s self, array: &'s Disjoint<'_, f64>, body: u32) -> &'s mut [f64] {
        let b = body as usize;
        // SAFETY: as for `body`: bodies are shared out among workers, with a barrier before and after.
        unsafe { array.part(self.offsets[b] as usize, self.offsets[b + 1] as usize) }
    }
}

/// Sweeps of one island, shared between workers.
///
/// Gauss-Seidel alone crawls on towers and large mass ratios, so its steps are taken as gradients of a nonsmooth
/// nonlinear conjugate gradient method [SNE10]: after a sweep, the impulses go on along the direction of the sweeps
/// before, unless the sweep got worse. A last plain sweep makes them admissible.
struct Job<'a> {
    shared: &'a Shared<'a>,
    island: &'a Island,
    colours: &'a [Vec<Group>],
    rest: &'a [Group],
    limit: u32,
    tolerance: f64,
    barrier: Barrier,
    largest: AtomicU64,
    stride: AtomicU64,
}

impl<'a> Job<'a> {
    fn new(
        shared: &'a Shared<'a>,
        island: &'a Island,
        colours: &'a [Vec<Group>],
        rest: &'a [Group],
        limit: u32,
        tolerance: f64,
    ) -> Self {
        let (barrier, largest, stride) = (Barrier::default(), AtomicU64::new(0), AtomicU64::new(0));
        Self { shared, island, colours, rest, limit, tolerance, barrier, largest, stride }
    }

    /// One worker's part; all get the same answer: sweeps made and the largest change in the last.
    fn work(&self, worker: usize, workers: usize) -> (u32, f64) {
        let shared = self.shared;
        let share = |n: usize| n * worker / workers..n * (worker + 1) / workers;
        let (mut norm, mut change) = (0.0f64, 0.0);
        for sweep in 0..self.limit {
            for body in &self.island.bodies[share(self.island.bodies.len())] {
                shared.body_of(&shared.y_last, *body).copy_from_slice(shared.body(*body));
            }
            if worker == 0 {
                self.largest.store(0, Ordering::Relaxed);
            }
            self.barrier.wait(workers);
            let mut mine = 0.0f64;
            if worker == 0 {
                mine = shared.sweep_controls(self.island);
                for group in self.rest {
                    mine = shared.sweep_group(*group).max(mine);
                }
            }
            self.barrier.wait(workers);
            for k in 0..self.colours.len() {
                // There and back: what the last row learns reaches the first at once.
                let back = sweep % 2 == 1;
                let groups = &self.colours[if back { self.colours.len() - 1 - k } else { k }];
                let part = share(groups.len());
                if back {
                    groups[part].iter().rev().for_each(|g| mine = shared.sweep_group(*g).max(mine));
                } else {
                    groups[part].iter().for_each(|g| mine = shared.sweep_group(*g).max(mine));
                }
                self.barrier.wait(workers);
            }
            // Largest of non-negative numbers: the same in any order.
            self.largest.fetch_max(mine.to_bits(), Ordering::Relaxed);
            self.barrier.wait(workers);
            change = f64::from_bits(self.largest.load(Ordering::Relaxed));
            if change <= self.tolerance || sweep + 1 == self.limit {
                return (sweep + 1, change);
            }
            if worker == 0 {
                let new = shared.change_norm(self.island);
                let beta = if sweep == 0 || norm <= 0.0 || new > norm { 0.0 } else { new / norm };
                norm = new;
                self.stride.store(beta.to_bits(), Ordering::Relaxed);
            }
            self.barrier.wait(workers);
            let beta = f64::from_bits(self.stride.load(Ordering::Relaxed));
            self.go_on(beta, share);
            self.barrier.wait(workers);
        }
        (self.limit, change)
    }

    /// Moves impulses and velocities along the direction of the sweeps before, and turns that direction.
    fn go_on(&self, beta: f64, share: impl Fn(usize) -> std::ops::Range<usize>) {
        let shared = self.shared;
        for group in &self.island.groups[share(self.island.groups.len())] {
            for row in shared.group(*group) {
                for k in 0..3 {
                    let step = row.lambda[k] - row.last[k];
                    let along = beta * row.along[k];
                    row.lambda[k] += along;
                    row.along[k] = along + step;
                }
            }
        }
        for k in &self.island.controls[share(self.island.controls.len())] {
            let row = shared.control(*k);
            let step = row.lambda - row.last;
            let along = row.along * beta;
            row.lambda += along;
            row.along = along + step;
        }
        for body in &self.island.bodies[share(self.island.bodies.len())] {
            let (y, last) = (shared.body(*body), shared.body_of(&shared.y_last, *body));
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
