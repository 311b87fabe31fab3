//! Lines 3, 4 and 5 of the step: find, solve, advance without crossing.

use super::World;
use crate::bodies::Body;
use crate::contact::{
    Bounds, Grip, LEAST, Memories, Near, Row, Rows, Solved, Tuning, add_touches, crossings, end_distance,
    pairs,
};
use crate::math::Vec3;
use crate::report::StepReport;
use crate::skin::{Skin, SkinPoint};
use rayon::prelude::*;

/// Rounds of new contacts before positions are corrected.
const SOLVES: u32 = 2;
/// Rounds of new contacts and position correction before bodies are held back.
const ROUNDS: u32 = 6;
/// A gap below this share of the clearance is opened again, to `OPEN`.
const TIGHT: f64 = 0.5;
const OPEN: f64 = 0.75;
const _: () = assert!(LEAST < TIGHT && TIGHT < OPEN);

impl World {
    pub(super) fn tuning(&self) -> Tuning {
        Tuning { clearance: self.spec.scene.clearance }
    }

    /// 3 Who is near whom, and where they touch.
    pub(super) fn find_contacts(&mut self) {
        let tuning = self.tuning();
        let mut woken: Option<Vec<bool>> = None;
        let mut near: Vec<Near> = vec![];
        loop {
            let mut contacts = std::mem::take(&mut self.contacts);
            let sleepers: Vec<usize>;
            let boxes: Vec<Bounds>;
            {
                let info = self.object_info();
                let objects = contacts.trees.objects(&info, &tuning);
                let list = pairs(&objects, woken.as_deref());
                boxes = objects.iter().map(|o| o.bounds).collect();
                let found = contacts.memory.look(&objects, &list, &tuning);
                near.retain(|n| woken.as_ref().is_none_or(|w| !w[n.a as usize] && !w[n.b as usize]));
                near.extend(found);
                sleepers = self.disturbed(&near, &contacts.memory);
            }
            self.contacts = contacts;
            self.boxes = boxes;
            if sleepers.is_empty() {
                break;
            }
            let mut flags = vec![false; self.bodies.len() + self.obstacles.len()];
            for i in sleepers {
                self.rest.wake(i);
                let before = self.bodies[i].momentum();
                self.bodies[i].free_motion(&self.environment, self.h);
                self.report.external_impulse += self.bodies[i].momentum() - before;
                flags[i] = true;
            }
            woken = Some(flags);
        }
        near.sort_by_key(|n| (n.a, n.b));
        self.contacts.near = near;
    }

    /// Sleeping bodies that something awake touches, and all that sleep in touch with them.
    fn disturbed(&self, near: &[Near], memory: &Memories) -> Vec<usize> {
        let asleep = self.rest.asleep();
        let bodies = self.bodies.len();
        let sleeps = |i: u32| (i as usize) < bodies && asleep[i as usize];
        let mut queue: Vec<usize> = vec![];
        let mut found = vec![false; bodies];
        for n in near.iter().filter(|n| !n.touches.is_empty()) {
            for i in [n.a, n.b] {
                if sleeps(i) && !found[i as usize] {
                    found[i as usize] = true;
                    queue.push(i as usize);
                }
            }
        }
        while let Some(i) = queue.pop() {
            for j in memory.partners(i as u32) {
                if sleeps(j) && !found[j as usize] {
                    found[j as usize] = true;
                    queue.push(j as usize);
                }
            }
        }
        (0..bodies).filter(|i| found[*i]).collect()
    }

    /// Skin, whether forces move it, whether it can change.
    pub(super) fn object_info(&self) -> Vec<(&Skin, bool, bool)> {
        let asleep = self.rest.asleep();
        let bodies = self.bodies.iter().zip(asleep).map(|(b, a)| (b.skin(), true, !*a));
        let obstacles = self.obstacles.iter().map(|o| (&o.skin, false, o.moves(self.h)));
        bodies.chain(obstacles).collect()
    }

    /// 4 One problem for all contacts and controls.
    pub(super) fn solve(&mut self) {
        let mut rows = Rows::new(
            self.bodies.iter().map(|b| b.velocity()),
            self.bodies.iter().map(|b| b.twist_mass()).collect(),
        );
        self.contact_rows(&mut rows);
        for (i, control) in self.controls.iter().enumerate() {
            control.rows(i as u32, (self.time(), self.h), &self.bodies, &self.obstacles, &mut rows);
        }
        let kinetic: f64 = self.bodies.iter().map(|b| b.kinetic()).sum();
        let solved = self.solver.solve(&mut rows, None);
        for i in 0..self.bodies.len() {
            if !self.rest.asleep()[i] {
                self.bodies[i].velocity_mut().copy_from_slice(rows.velocity(i));
            }
        }
        self.step_report = StepReport {
            pairs: self.contacts.near.len() as u32,
            kinetic,
            awake: self.rest.asleep().iter().filter(|a| !**a).count() as u32,
            ..StepReport::default()
        };
        self.note(solved);
        self.rows = rows;
    }

    /// After the last solve of the step: what is remembered, what obstacles and controls did.
    fn remember(&mut self, rows: &Rows) {
        self.account(rows);
        self.step_report.contacts = rows.rows.len() as u32;
        let (asleep, bodies) = (self.rest.asleep(), self.bodies.len());
        let idle = |i: u32| (i as usize) >= bodies || asleep[i as usize];
        self.contacts.memory.remember(&self.contacts.near, &rows.rows, |a, b| idle(a) && idle(b));
        for (i, control) in self.controls.iter_mut().enumerate() {
            control.remember(i as u32, &rows.controls);
        }
    }

    /// What obstacles and controls did to the bodies as a whole.
    fn account(&mut self, rows: &Rows) {
        let bodies = self.bodies.len() as u32;
        for row in rows.rows.iter().filter(|r| r.pair.1 >= bodies) {
            let p = row.impulse();
            self.report.external_impulse += p;
            self.report.external_work += p.dot(row.drive);
        }
        for row in &rows.controls {
            if row.b.is_fixed() {
                self.report.external_impulse += row.lambda;
                self.report.external_work += row.lambda.dot(rows.point_velocity(&row.a, &rows.store));
            }
        }
    }

    /// All contacts as rows of the solve, in the order of pairs. Pairs are worked on side by side, each with a store
    /// of its own; the stores are then laid end to end.
    fn contact_rows(&self, rows: &mut Rows) {
        let one = |k: usize| {
            let mut store = vec![];
            let touches = 0..self.contacts.near[k].touches.len();
            let list: Vec<Row> = touches.map(|t| self.row(k, t, rows, &mut store)).collect();
            (list, store)
        };
        let parts: Vec<_> = (0..self.contacts.near.len()).into_par_iter().with_min_len(32).map(one).collect();
        for (mut list, mut store) in parts {
            let base = rows.store.len() as u32;
            for row in &mut list {
                row.a.lever.move_by(base);
                row.b.lever.move_by(base);
            }
            rows.rows.append(&mut list);
            rows.store.append(&mut store);
        }
    }

    /// A contact as a row of the solve; numbers of its levers go to `store`.
    fn row(&self, k: usize, t: usize, rows: &Rows, store: &mut Vec<f64>) -> Row {
        let near = &self.contacts.near[k];
        let mut touch = near.touches[t];
        // Both sides are pushed at one place, so that the pair keeps its angular momentum.
        let middle = 0.5 * (touch.a.at + touch.b.at);
        (touch.a.at, touch.b.at) = (middle, middle);
        let mut side = |object: u32, point: &SkinPoint| match self.bodies.get(object as usize) {
            Some(body) => Grip { body: object, lever: body.lever(point, store) },
            None => Grip::FIXED,
        };
        let (a, b) = (side(near.a, &touch.a), side(near.b, &touch.b));
        let drive = match (near.b as usize).checked_sub(self.bodies.len()) {
            Some(o) => self.obstacles[o].skin.displacement(&touch.b) / self.h,
            None => Vec3::ZERO,
        };
        let n = touch.normal;
        let x = n.any_orthonormal_vector();
        let axes = [n, x, n.cross(x)];
        let response = rows.response(&a, store) + rows.response(&b, store);
        let w = |i: usize, j: usize| axes[i].dot(response * axes[j]);
        let (wx, wy, wxy) = (w(1, 1), w(2, 2), w(1, 2));
        // Largest eigenvalue of the tangential response: a step by its inverse never overshoots.
        let largest = 0.5 * (wx + wy) + (0.25 * (wx - wy) * (wx - wy) + wxy * wxy).sqrt();
        let before = rows.free_velocity(&a, store) - rows.free_velocity(&b, store) - drive;
        let pair = (near.a, near.b);
        let warm = self.contacts.memory.warm(pair, touch.id);
        let friction = self.friction(near.a as usize, near.b as usize);
        let normal = warm.dot(n).max(0.0);
        let mut tangent = [warm.dot(axes[1]), warm.dot(axes[2])];
        let size = (tangent[0] * tangent[0] + tangent[1] * tangent[1]).sqrt();
        if size > friction * normal {
            tangent = tangent.map(|v| v * (friction * normal / size));
        }
        Row {
            pair,
            id: touch.id,
            a,
            b,
            axes,
            drive,
            slack: (touch.gap - near.clearance).max(0.0) / self.h,
            friction,
            lambda: [normal, tangent[0], tangent[1]],
            last: [0.0; 3],
            along: [0.0; 3],
            across: [w(1, 0), w(2, 0)],
            mobility: 1.0 / w(0, 0),
            tangent_mobility: 1.0 / largest,
            before,
            gap: touch.gap,
            at: middle,
            clearance: near.clearance,
            place: (k as u32, t as u32),
        }
    }

    /// Geometric mean of two frictions; an obstacle without one takes the other's.
    fn friction(&self, a: usize, b: usize) -> f64 {
        let of = |i: usize| match i.checked_sub(self.bodies.len()) {
            None => Some(self.bodies[i].friction()),
            Some(k) => self.obstacles[k].friction,
        };
        match (of(a), of(b)) {
            (Some(x), Some(y)) if x == y => x,
            (Some(x), Some(y)) => (x * y).sqrt(),
            (x, y) => x.or(y).unwrap_or(0.0),
        }
    }

    /// 5 Positions, so that nothing crosses.
    pub(super) fn advance_without_crossing(&mut self) {
        let mut rows = std::mem::replace(&mut self.rows, Rows::new(std::iter::empty(), vec![]));
        let mut shift = vec![0.0; rows.y.len()];
        let mut share = vec![1.0; self.bodies.len() + self.obstacles.len()];
        self.aim_all(&rows, &shift, &share, |_| true);
        let mut dirty = vec![true; share.len()];
        let mut rounds = 0;
        loop {
            self.widen(&dirty);
            let found = {
                let skin = |i: u32| self.skin(i as usize);
                crossings(&self.contacts.near, skin, |n| dirty[n.a as usize] || dirty[n.b as usize])
            };
            let needs = self.needs(&rows);
            let tight = needs.iter().any(|n| *n > 0.0);
            if found.is_empty() && !(tight && rounds < ROUNDS) {
                break;
            }
            if rounds < SOLVES && !found.is_empty() {
                // A crossing becomes a new contact and the solve is repeated. Where contacts are known already, the
                // solve has done what it can; there positions follow.
                let known = rows.rows.len();
                for crossing in &found {
                    if self.contacts.near[crossing.near].touches.is_empty() {
                        self.add_rows(crossing, &mut rows);
                    }
                }
                if rows.rows.len() > known {
                    self.solve_again(&mut rows, known);
                    rounds += 1;
                    dirty.fill(true);
                    self.aim_all(&rows, &shift, &share, |_| true);
                    continue;
                }
            }
            if rounds < ROUNDS {
                for crossing in &found {
                    self.add_rows(crossing, &mut rows);
                }
                let needs = self.needs(&rows);
                let step = self.solver.shift(&rows, &needs, 30);
                dirty.fill(false);
                for i in 0..self.bodies.len() {
                    let part = rows.offsets[i] as usize..rows.offsets[i + 1] as usize;
                    for k in part {
                        dirty[i] |= step[k] != 0.0;
                        shift[k] += step[k];
                    }
                }
                // Crossings that no shift answers stay to be seen.
                found.iter().for_each(|c| {
                    let n = &self.contacts.near[c.near];
                    (dirty[n.a as usize], dirty[n.b as usize]) = (true, true);
                });
            } else {
                dirty.fill(false);
                for crossing in &found {
                    let n = &self.contacts.near[crossing.near];
                    let least = share[n.a as usize].min(share[n.b as usize]);
                    // Halve while there is hope, then stop altogether.
                    let next = if rounds < ROUNDS + 6 { 0.5 * least } else { 0.0 };
                    for i in [n.a as usize, n.b as usize] {
                        dirty[i] |= share[i] != next.min(share[i]);
                        share[i] = next.min(share[i]);
                    }
                }
                if !dirty.iter().any(|d| *d) {
                    break;
                }
            }
            rounds += 1;
            self.aim_all(&rows, &shift, &share, |i| dirty[i]);
        }
        self.step_report.position_rounds = rounds.min(ROUNDS);
        self.step_report.held_back = share.iter().filter(|s| **s < 1.0).count() as u32;
        self.remember(&rows);
        self.settle_all();
        self.rows = rows;
    }

    /// Solves again the islands that got new rows (those from `known` on), from the impulses found so far.
    fn solve_again(&mut self, rows: &mut Rows, known: usize) {
        rows.y.copy_from_slice(&rows.free);
        let fresh = rows.rows[known..].iter().flat_map(|r| [r.a, r.b]).filter(|g| !g.is_fixed());
        let fresh: Vec<u32> = fresh.map(|g| g.body).collect();
        let solved = self.solver.solve(rows, Some(&fresh));
        for i in 0..self.bodies.len() {
            if !self.rest.asleep()[i] {
                self.bodies[i].velocity_mut().copy_from_slice(rows.velocity(i));
            }
        }
        self.note(solved);
    }

    /// Takes over what a solve reached.
    fn note(&mut self, solved: Solved) {
        self.step_report.sweeps = self.step_report.sweeps.max(solved.sweeps);
        self.step_report.islands = solved.islands;
        self.step_report.residual = solved.residual;
        self.step_report.contact_work = solved.work;
        self.step_roots = solved.roots;
    }

    /// Aims everything that is awake and that `which` names.
    fn aim_all(&mut self, rows: &Rows, shift: &[f64], share: &[f64], which: impl Fn(usize) -> bool + Sync) {
        let h = self.h;
        let asleep = self.rest.asleep();
        self.bodies.par_iter_mut().with_min_len(32).enumerate().for_each(|(i, body)| {
            if !asleep[i] && which(i) {
                let part = &shift[rows.offsets[i] as usize..rows.offsets[i + 1] as usize];
                if share[i] == 1.0 {
                    body.aim(h, part);
                } else {
                    let less: Vec<f64> = part.iter().map(|s| s * share[i]).collect();
                    body.aim(h * share[i], &less);
                }
            }
        });
        let bodies = self.bodies.len();
        for (k, obstacle) in self.obstacles.iter_mut().enumerate() {
            if which(bodies + k) {
                obstacle.aim(h * share[bodies + k]);
            }
        }
    }

    /// How much each row's gap falls short at the end last aimed at; negative where there is room.
    fn needs(&self, rows: &Rows) -> Vec<f64> {
        rows.rows
            .par_iter()
            .with_min_len(256)
            .map(|row| {
                let gap = self.end_gap(row);
                if gap < TIGHT * row.clearance {
                    OPEN * row.clearance - gap
                } else {
                    (TIGHT * row.clearance - gap).min(0.0)
                }
            })
            .collect()
    }

    fn end_gap(&self, row: &Row) -> f64 {
        let near = &self.contacts.near[row.place.0 as usize];
        let touch = &near.touches[row.place.1 as usize];
        let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
        row.gap + row.axes[0].dot(a.displacement(&touch.a) - b.displacement(&touch.b))
    }

    /// A crossing becomes new rows.
    fn add_rows(&mut self, crossing: &crate::contact::Crossing, rows: &mut Rows) {
        let k = crossing.near;
        let mut near = self.contacts.near[k].clone();
        let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
        let from = add_touches(&mut near, crossing, a, b);
        let to = near.touches.len();
        self.contacts.near[k] = near;
        for t in from..to {
            let mut store = std::mem::take(&mut rows.store);
            let mut row = self.row(k, t, rows, &mut store);
            rows.store = store;
            row.lambda = [0.0; 3];
            rows.rows.push(row);
        }
    }

    /// Objects that left the boxes of the broad phase are looked at again.
    fn widen(&mut self, dirty: &[bool]) {
        let mut escaped = vec![false; dirty.len()];
        for i in (0..dirty.len()).filter(|i| dirty[*i]) {
            let skin = self.skin(i);
            if self.boxes[i].low.is_finite() && !matches!(skin.form.solid, crate::skin::Solid::HalfSpace(_)) {
                let way = Bounds::of(skin.points.iter().chain(&skin.next).copied()).grown(skin.form.radius);
                escaped[i] = !self.boxes[i].contains(&way);
            }
        }
        if !escaped.iter().any(|e| *e) {
            return;
        }
        let tuning = self.tuning();
        let mut contacts = std::mem::take(&mut self.contacts);
        let (found, boxes) = {
            let info = self.object_info();
            let objects = contacts.trees.objects(&info, &tuning);
            let list = pairs(&objects, Some(&escaped));
            let boxes: Vec<Bounds> = objects.iter().map(|o| o.bounds).collect();
            (contacts.memory.look(&objects, &list, &tuning), boxes)
        };
        self.contacts = contacts;
        for (i, bounds) in boxes.into_iter().enumerate() {
            if escaped[i] {
                self.boxes[i] = self.boxes[i].union(bounds);
            }
        }
        let known = &self.contacts.near;
        let fresh: Vec<Near> = found
            .into_iter()
            .filter(|n| !known.iter().any(|k| (k.a, k.b) == (n.a, n.b)))
            .map(|mut n| {
                // Not part of the solve of this step: touching places come from crossings alone.
                n.touches.clear();
                n
            })
            .collect();
        // Appended, so that rows keep their places.
        self.contacts.near.extend(fresh);
    }

    /// Opens the gaps of all touching places without any time passing: for starts that touch.
    pub(super) fn open_gaps(&mut self) {
        let mut rows = Rows::new(
            self.bodies.iter().map(|b| b.velocity()),
            self.bodies.iter().map(|b| b.twist_mass()).collect(),
        );
        self.contact_rows(&mut rows);
        let needs = self.needs(&rows);
        let shift = self.solver.shift(&rows, &needs, 200);
        for (i, body) in self.bodies.iter_mut().enumerate() {
            body.aim(0.0, &shift[rows.offsets[i] as usize..rows.offsets[i + 1] as usize]);
            body.settle(0.0);
        }
    }

    /// Accepts positions; notes gaps and what gravity did.
    fn settle_all(&mut self) {
        let gap = |n: &Near| end_distance(n, self.skin(n.a as usize), self.skin(n.b as usize));
        let gaps: Vec<f64> = self.contacts.near.par_iter().with_min_len(64).map(gap).collect();
        self.step_report.min_distance = gaps.into_iter().fold(f64::INFINITY, f64::min);
        let (h, gravity) = (self.h, self.environment.gravity);
        let asleep = self.rest.asleep();
        let settle = |(body, asleep): (&mut Box<dyn Body>, &bool)| {
            if *asleep {
                return 0.0;
            }
            let (before, mass) = body.centre();
            body.settle(h);
            mass * gravity.dot(body.centre().0 - before)
        };
        let works: Vec<f64> = self.bodies.par_iter_mut().with_min_len(32).zip(asleep).map(settle).collect();
        self.report.external_work += works.iter().sum::<f64>();
        self.obstacles.iter_mut().for_each(|o| o.settle());
    }
}
