//! The one solve: non-penetration, Coulomb friction and controls, by projected Gauss-Seidel on velocities
//! ([BW92] Eq. 11 and 12 in one).
//!
//! Islands are independent. A large island is swept colour by colour, several threads on one colour; the order of
//! work, and so every bit of the result, does not depend on how many threads there are.

use super::few::{self, Few};
use super::islands::{Island, islands, roots};
use super::job::{End, Job, Shared};
use super::line::{Line, Trail, Velocities};
use super::polish::{Levers, MOST_ROWS, polish};
use super::rows::{ControlRow, Grip, Rows, push, velocity};
use crate::math::{Disjoint, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// How far to take the solve.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solver {
    /// Sweeps over large islands, if the scene insists.
    pub sweeps: Option<u32>,
    /// Length of the step `[s]`.
    pub h: f64,
}

/// What the solve reached.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// Largest number of sweeps over an island.
    pub sweeps: u32,
    /// Largest change of a contact's velocity in a last sweep `[m/s]`.
    pub residual: f64,
    /// The same over the largest relative speed before contact of the same island.
    pub relative_residual: f64,
    /// Number of islands.
    pub islands: u32,
    /// Work of all contacts `[J]`.
    pub work: f64,
    /// Root of each body's island.
    pub roots: Vec<u32>,
}

impl Solver {
    /// Solves for all impulses; velocities in `rows.y` become those after contact. Given bodies, only their islands
    /// are solved; the others keep the impulses they have.
    pub fn solve(&self, rows: &mut Rows, only: Option<&[u32]>) -> Solved {
        let roots = roots(rows, rows.offsets.len() - 1);
        let (islands, mut lines) = islands(rows, &roots);
        let wanted = wanted(&roots, only);
        let limit = self.limit(lines.len());
        let least = rows.rows.iter().map(|r| r.clearance).fold(f64::INFINITY, f64::min);
        let enough = ENOUGH * least / self.h;
        let mut solved = Solved { islands: islands.len() as u32, ..Solved::default() };
        let mut scratch = Scratch::new(rows.y.len(), lines.len());
        let shared = scratch.share(
            &mut lines,
            &mut rows.controls,
            Velocities {
                y: Disjoint::new(&mut rows.y),
                store: &rows.store,
                offsets: &rows.offsets,
                masses: &rows.masses,
            },
        );
        let results = each_island(&shared, &islands, &|island, sweep| {
            if !wanted[roots[island.bodies[0] as usize] as usize] {
                shared.apply_all(island);
                return Reached { work: shared.work(island).0, ..Reached::default() };
            }
            shared.settle(island, &rows.free, sweep, (limit, enough))
        });
        for reached in results {
            solved.sweeps = solved.sweeps.max(reached.sweeps);
            solved.residual = solved.residual.max(reached.residual);
            solved.relative_residual = solved.relative_residual.max(reached.relative_residual);
            solved.work += reached.work;
        }
        for line in &lines {
            rows.rows[line.row as usize].lambda = line.lambda;
        }
        solved.roots = roots;
        solved
    }

    /// One that makes so many sweeps at most, and no more than a quarter of what it would make over so many rows.
    pub fn roughly(&self, sweeps: u32, rows: usize) -> Self {
        Self { sweeps: Some(sweeps.min(self.limit(rows).div_ceil(4))), ..*self }
    }

    /// A fixed amount of work for the whole step, the same sweeps for every island: few contacts are solved to the
    /// end, many as well as the time allows.
    fn limit(&self, rows: usize) -> u32 {
        let few = (EXACT as f64 / rows.max(1) as f64).powi(3) * f64::from(SWEEPS);
        let affordable = few.clamp(f64::from(LEAST_SWEEPS), 2000.0) as u32;
        self.sweeps.unwrap_or(affordable)
    }
}

/// Change of a contact's velocity at which sweeps end, as a share of the largest before contact: where bodies are stiff,
/// and where their points give way.
const STIFF: f64 = 1e-8;
const SOFT: f64 = 1e-5;
/// The same where only those lines are solved for that push.
const FINE: f64 = 1e-7;
/// Rounds in which more lines may be found to push.
const ROUNDS: u32 = 20;
/// Lines that lack less than this share of what the worst lacks wait for the next round.
const WORST: f64 = 0.1;
/// So few contacts are always solved to the end.
const FEW: usize = 8;
/// Sweeps that even the largest pile gets.
const LEAST_SWEEPS: u32 = 33;
/// Share of the clearance by which a gap may err in a step of a large pile.
const ENOUGH: f64 = 0.02;
/// Change of a contact's velocity at which sweeps may end if they make no progress, as a share of the largest before contact.
const BEARABLE: f64 = 1e-3;
/// Sweeps over this many rows; fewer rows get more.
const SWEEPS: u32 = 33;
const EXACT: usize = 700;

/// Of fewer lines a colour has so few that threads would wait for each other longer than they work.
const WORTH_SHARING: usize = 1000;

/// The roots of islands that hold any of the bodies, or all.
fn wanted(roots: &[u32], only: Option<&[u32]>) -> Vec<bool> {
    let mut wanted = vec![only.is_none(); roots.len()];
    only.into_iter().flatten().for_each(|b| wanted[roots[*b as usize] as usize] = true);
    wanted
}

/// The sides of a line that move, each with the sign of its push.
fn sides(line: &Line) -> impl Iterator<Item = (Grip, f64)> {
    [(line.a, 1.0), (line.b, -1.0)].into_iter().filter(|(grip, _)| !grip.is_fixed())
}

/// Room for acceleration.
struct Scratch {
    trails: Vec<Trail>,
    y_last: Vec<f64>,
    y_along: Vec<f64>,
}

impl Scratch {
    fn new(velocities: usize, lines: usize) -> Self {
        Self {
            trails: vec![Trail::default(); lines],
            y_last: vec![0.0; velocities],
            y_along: vec![0.0; velocities],
        }
    }

    fn share<'a>(
        &'a mut self,
        lines: &'a mut [Line],
        controls: &'a mut [ControlRow],
        v: Velocities<'a>,
    ) -> Shared<'a> {
        Shared {
            lines: Disjoint::new(lines),
            trails: Disjoint::new(&mut self.trails),
            controls: Disjoint::new(controls),
            v,
            y_last: Disjoint::new(&mut self.y_last),
            y_along: Disjoint::new(&mut self.y_along),
        }
    }
}

/// What the solve of one island reached, as in `Solved`.
#[derive(Default)]
struct Reached {
    sweeps: u32,
    residual: f64,
    relative_residual: f64,
    work: f64,
}
/// Sweeps an island: at most so many times, until they come to an end.
type Sweeper<'a> = &'a dyn Fn(u32, End) -> (u32, f64);

/// Works on every island: large ones one after the other with all threads, small ones side by side.
fn each_island(
    shared: &Shared,
    islands: &[Island],
    work: &(dyn Fn(&Island, Sweeper) -> Reached + Sync),
) -> Vec<Reached> {
    let (large, small): (Vec<&Island>, Vec<&Island>) = islands.iter().partition(|i| i.is_large());
    let mut results: Vec<Reached> = vec![];
    for island in large {
        results.push(work(island, &|limit, end| {
            let job = Job::new(shared, island, limit, end);
            if rayon::current_num_threads() == 1 || island.lines.len() < WORTH_SHARING {
                job.work(0, 1)
            } else {
                rayon::broadcast(|ctx| job.work(ctx.index(), ctx.num_threads()))[0]
            }
        }));
    }
    let alone =
        |island: &&Island| work(island, &|limit, end| Job::new(shared, island, limit, end).work(0, 1));
    results.extend(small.par_iter().map(alone).collect::<Vec<_>>());
    results
}

impl Shared<'_> {
    /// Sweeps an island until it is solved, and sees to it that contact has not added energy.
    fn settle(&self, island: &Island, free: &[f64], sweep: Sweeper, (limit, enough): (u32, f64)) -> Reached {
        let scale = self.lines_of(island).iter().map(|l| l.before.length()).fold(0.0, f64::max);
        let soft = self.is_soft(island);
        let fine = if soft { SOFT } else { STIFF };
        // In a large pile sweeps end before that; then positions need not be put right any better.
        let tolerance = if limit == LEAST_SWEEPS { enough } else { fine * scale + 1e-14 };
        // Controls promise to be exact. Where every point gives way by itself, velocities tell impulses apart, and what is left
        // undone would be made good by shifts, which bend.
        let bearable = if soft || !island.controls.is_empty() { 0.0 } else { enough.min(BEARABLE * scale) };
        let end = End { solved: tolerance, bearable };
        self.apply_all(island);
        if island.controls.is_empty() {
            self.temper(island, free);
        }
        let alone = limit >= 300 && island.controls.is_empty();
        let small = alone && island.lines.len() <= MOST_ROWS;
        let first = if small { limit.min(100) } else { limit };
        let solved = if alone && soft { self.solve_few(island, free, FINE * scale + 1e-14) } else { None };
        let solved = solved.filter(|(_, residual)| *residual <= tolerance);
        let (mut sweeps, mut residual) = solved.unwrap_or_else(|| sweep(first, end));
        if small && !soft && residual > 1e-6 * scale {
            let levers = Levers { store: self.v.store, offsets: self.v.offsets, masses: self.v.masses };
            if let Some(better) = polish(self.lines_of(island), &levers, 1e-3 * tolerance.max(1e-9 * scale)) {
                self.take(island, free, better);
            }
            // The last word is a sweep: it tells how good the impulses are.
            let last = sweep(20, end);
            sweeps += last.0;
            residual = last.1;
        }
        let (mut work, mut size) = self.work(island);
        if work > 1e-12 * size {
            self.reset(island, free);
            self.apply_all(island);
            let again = sweep(limit, end);
            sweeps += again.0;
            residual = again.1;
            (work, size) = self.work(island);
            if work > 1e-12 * size {
                work = self.weaken(island);
            }
        }
        let relative_residual = if scale > 0.0 { residual / scale } else { 0.0 };
        Reached { sweeps, residual, relative_residual, work }
    }

    /// Solves for the lines that push; sweeps and the largest change of a velocity in the last. None if there are too many,
    /// or levers do not allow it; impulses then are as good as was found.
    fn solve_few(&self, island: &Island, free: &[f64], tolerance: f64) -> Option<(u32, f64)> {
        let start = self.lines_of(island).to_vec();
        let mut few = Few::new(&start, &self.v)?;
        (0..start.len()).filter(|k| start[*k].lambda != [0.0; 3]).for_each(|k| few.choose(k));
        let (mut all, mut change, mut enough) = (0, 0.0f64, f64::INFINITY);
        let mut stuck = false;
        for _ in 0..ROUNDS {
            // The first round goes with those that pushed before.
            if all > 0 || few.len() == 0 {
                // Approach where nothing pushes, beyond what the gap allows.
                let lacks = |k: usize| -(self.v.across(&start[k]).dot(start[k].n) + start[k].slack);
                let others = (0..start.len()).filter(|k| !few.holds(*k)).map(|k| (k, lacks(k)));
                let lacking: Vec<(usize, f64)> = others.filter(|(_, lack)| *lack > 0.0).collect();
                let worst = lacking.iter().map(|(_, lack)| *lack).fold(0.0, f64::max);
                if stuck || worst.max(change) <= tolerance {
                    return Some((all, worst.max(change)));
                }
                // As long as lines are missing, the others need be no better than these.
                enough = WORST * worst;
                let chosen = lacking.into_iter().filter(|(_, lack)| *lack > enough.max(tolerance));
                chosen.for_each(|(k, _)| few.choose(k));
                if few.len() > few::MOST {
                    return None;
                }
            }
            let (sweeps, last) = few.solve(enough.max(tolerance));
            (all, change, stuck) = (all + sweeps, last, last > enough.max(tolerance));
            let mut impulses = vec![[0.0; 3]; start.len()];
            few.impulses().for_each(|(k, p)| impulses[k] = p);
            self.take(island, free, impulses);
        }
        None
    }

    /// Whether many points share the contact, each of which gives way: then the last digits of each matter to nobody.
    pub(super) fn is_soft(&self, island: &Island) -> bool {
        let soft = |l: &Line| l.a.lever.is_soft() || l.b.lever.is_soft();
        island.lines.len() > FEW && self.lines_of(island).iter().any(soft)
    }

    fn lines_of(&self, island: &Island) -> &[Line] {
        self.lines(island.lines.clone())
    }

    /// Applies remembered impulses.
    fn apply_all(&self, island: &Island) {
        for line in self.lines_of(island) {
            let p = line.impulse();
            if p != Vec3::ZERO {
                self.v.push(&line.a, p);
                self.v.push(&line.b, -p);
            }
        }
        for k in &island.controls {
            let row = self.control(*k);
            self.v.push(&row.a, row.lambda);
            self.v.push(&row.b, -row.lambda);
        }
    }

    /// Remembered impulses may be too large, and the descent of the sweeps would start above no impulse at all. So
    /// they are first scaled to the lowest point of their own line.
    fn temper(&self, island: &Island, free: &[f64]) {
        let (mut along, mut change) = (0.0, 0.0);
        for line in self.lines_of(island).iter().filter(|l| l.pushes()) {
            let p = line.impulse();
            along += p.dot(line.before) + line.lambda[0] * line.slack;
            change += p.dot(self.v.across(line) - line.before);
        }
        if change > 0.0 && along + change > 0.0 {
            self.scale(island, free, (-along / change).clamp(0.0, 1.0));
        }
    }

    /// Work of an island's contacts, `lambda.v+ - 1/2 lambda^T W lambda` and the size of its terms.
    /// Without controls `W lambda = v+ - v*`; with them it has to be formed.
    fn work(&self, island: &Island) -> (f64, f64) {
        let (mut work, mut size) = (0.0, 0.0);
        if island.controls.is_empty() {
            for line in self.lines_of(island).iter().filter(|l| l.pushes()) {
                let after = self.v.across(line);
                let p = line.impulse();
                work += 0.5 * p.dot(after + line.before);
                size += 0.5 * p.length() * (after.length() + line.before.length());
            }
            return (work, size);
        }
        let answer = self.answer(island);
        for line in self.lines_of(island).iter().filter(|l| l.pushes()) {
            let (after, own) = (self.v.across(line), self.across_of(line, &answer));
            let p = line.impulse();
            work += p.dot(after - 0.5 * own);
            size += p.length() * (after.length() + own.length());
        }
        (work, size)
    }

    /// What an island's contacts alone have done to the velocities: `A^-1 J^T lambda`, with room for all bodies.
    fn answer(&self, island: &Island) -> Vec<f64> {
        let v = &self.v;
        let mut answer = vec![0.0; v.offsets.last().map_or(0, |n| *n as usize)];
        for line in self.lines_of(island).iter().filter(|l| l.pushes()) {
            for (grip, sign) in sides(line) {
                let mass = &v.masses[grip.body as usize];
                push(grip.lever, &mut answer[self.part(grip.body)], line.impulse() * sign, v.store, mass);
            }
        }
        answer
    }

    /// Relative velocity at a line in what contacts have done.
    fn across_of(&self, line: &Line, answer: &[f64]) -> Vec3 {
        let of = |(grip, sign): (Grip, f64)| {
            // Some bodies count what they do without any impulse by a number that is one; here it is zero.
            velocity(grip.lever, &answer[self.part(grip.body)], self.v.store) * sign
        };
        sides(line).map(of).sum()
    }

    /// Where a body's velocity stands among all.
    fn part(&self, body: u32) -> Range<usize> {
        self.v.offsets[body as usize] as usize..self.v.offsets[body as usize + 1] as usize
    }

    /// Back to no impulse at all.
    fn reset(&self, island: &Island, free: &[f64]) {
        self.lines(island.lines.clone()).iter_mut().for_each(|l| l.lambda = [0.0; 3]);
        self.forget(island);
        for body in &island.bodies {
            let from = self.v.offsets[*body as usize] as usize;
            let y = self.v.body(*body);
            y.copy_from_slice(&free[from..from + y.len()]);
        }
    }

    /// Acceleration begins anew.
    fn forget(&self, island: &Island) {
        self.trails(island.lines.clone()).fill(Trail::default());
        island.bodies.iter().for_each(|b| self.body_of(&self.y_along, *b).fill(0.0));
    }

    /// Scales an island's impulses down to where they no longer add energy. Sweeps that were stopped early and rounding are
    /// all that can bring us here; the position check sees to the gaps. Controls keep the impulses they have: what they
    /// miss by that is of the size of the energy taken away, and theirs to make good in the next step.
    fn weaken(&self, island: &Island) -> f64 {
        let answer = self.answer(island);
        let (mut along, mut change) = (0.0, 0.0);
        for line in self.lines_of(island).iter().filter(|l| l.pushes()) {
            let (p, own) = (line.impulse(), self.across_of(line, &answer));
            along += p.dot(self.v.across(line) - own);
            change += p.dot(own);
        }
        let share =
            if along < 0.0 && change > 0.0 { (-2.0 * along / change * (1.0 - 1e-9)).min(1.0) } else { 0.0 };
        for line in self.lines(island.lines.clone()) {
            line.lambda = line.lambda.map(|l| l * share);
        }
        for body in &island.bodies {
            let answer = &answer[self.part(*body)];
            self.v.body(*body).iter_mut().zip(answer).for_each(|(y, a)| *y -= (1.0 - share) * a);
        }
        self.work(island).0
    }

    /// Takes a share of all impulses; velocities follow in proportion.
    fn scale(&self, island: &Island, free: &[f64], share: f64) {
        for line in self.lines(island.lines.clone()) {
            line.lambda = line.lambda.map(|l| l * share);
        }
        for body in &island.bodies {
            let from = self.v.offsets[*body as usize] as usize;
            for (y, free) in self.v.body(*body).iter_mut().zip(&free[from..]) {
                *y = free + share * (*y - free);
            }
        }
    }

    /// Replaces all impulses of an island.
    fn take(&self, island: &Island, free: &[f64], impulses: Vec<[f64; 3]>) {
        self.reset(island, free);
        for (line, lambda) in self.lines(island.lines.clone()).iter_mut().zip(impulses) {
            line.lambda = lambda;
        }
        self.apply_all(island);
    }
}
