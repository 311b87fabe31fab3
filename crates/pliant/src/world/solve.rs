//! Line 4 of the step: contacts and controls as rows of one problem.

use super::{MANY, World};
use crate::bodies::Hold;
use crate::contact::{ControlRow, Crossing, Grip, Row, Rows, Solved, Touch, add_touches, solve_near};
use crate::math::Vec3;
use crate::report::StepReport;
use crate::skin::SkinPoint;
use rayon::prelude::*;

/// Solves for what controlled points miss, and the miss that nobody sees `[m]`.
const TARGET_ROUNDS: u32 = 3;
const TARGET_MISS: f64 = 1e-8;
/// Pairs that are made into rows together.
const RUN: usize = 64;

impl World {
    /// 4 One problem for all contacts and controls.
    pub(super) fn solve(&mut self) {
        self.brace_all();
        let mut rows = Rows::new(
            self.bodies.iter().map(|b| b.velocity()),
            self.bodies.iter().map(|b| b.twist_mass()).collect(),
        );
        // The room of the last step's rows serves again.
        rows.rows = std::mem::take(&mut self.rows.rows);
        rows.rows.clear();
        rows.store = std::mem::take(&mut self.rows.store);
        rows.store.clear();
        self.contact_rows(&mut rows);
        self.press_coats(&mut rows);
        for (i, control) in self.controls.iter().enumerate() {
            control.rows(i as u32, (self.time(), self.h), &self.bodies, &self.obstacles, &mut rows);
        }
        let kinetic: f64 = self.bodies.iter().map(|b| b.kinetic()).sum();
        let solved = self.solver.solve(&mut rows, None);
        self.take_velocities(&rows);
        self.step_report = StepReport {
            pairs: self.contacts.near.len() as u32,
            kinetic,
            awake: self.rest.asleep().iter().filter(|a| !**a).count() as u32,
            ..StepReport::default()
        };
        self.note(solved);
        self.take_turns(&mut rows);
        self.share_pushes(&mut rows);
        self.account_presses();
        self.meet_targets(&mut rows);
        self.rows = rows;
    }

    /// Bodies that turn do not end where their velocity points. What controlled points miss by that is asked for on top.
    fn meet_targets(&mut self, rows: &mut Rows) {
        let held = |r: &ControlRow| {
            matches!(r.holds[0], Hold::Point(_)) && r.lambda.length() < r.limit && r.give == 0.0
        };
        let mut bodies: Vec<u32> = vec![];
        for row in rows.controls.iter().filter(|r| held(r)) {
            bodies.extend([row.a, row.b].iter().filter(|g| !g.is_fixed()).map(|g| g.body));
        }
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return;
        }
        let wanted: Vec<Vec3> = rows.controls.iter().map(|r| r.target * self.h).collect();
        for _ in 0..TARGET_ROUNDS {
            bodies.iter().for_each(|b| self.bodies[*b as usize].aim(self.h, &[]));
            let mut worst = 0.0f64;
            for (row, wanted) in rows.controls.iter_mut().zip(&wanted).filter(|(r, _)| held(r)) {
                let way = |grip: &Grip, hold: &Hold| match hold {
                    Hold::Point(p) if !grip.is_fixed() => self.bodies[grip.body as usize].carried(p),
                    _ => Vec3::ZERO,
                };
                let missed =
                    row.along_which * (*wanted - (way(&row.a, &row.holds[0]) - way(&row.b, &row.holds[1])));
                worst = worst.max(missed.length());
                row.target += missed / self.h;
            }
            if worst < TARGET_MISS {
                break;
            }
            rows.y.copy_from_slice(&rows.free);
            let solved = self.solver.solve(rows, Some(&bodies));
            self.note(solved);
            self.take_velocities(rows);
        }
    }

    /// Every body learns where it will be pushed in this step.
    fn brace_all(&mut self) {
        let mut points: Vec<Vec<SkinPoint>> = vec![vec![]; self.bodies.len()];
        for near in &self.contacts.near {
            for touch in &near.touches {
                for (object, point) in [(near.a, &touch.a), (near.b, &touch.b)] {
                    if let Some(list) = points.get_mut(object as usize) {
                        list.push(*point);
                    }
                }
            }
        }
        for control in &self.controls {
            control.points(self.time(), &self.bodies, |body, point| {
                if let Some(list) = points.get_mut(body) {
                    list.push(point);
                }
            });
        }
        self.pressed_points(|body, point| {
            if let Some(list) = points.get_mut(body) {
                list.push(point);
            }
        });
        self.bodies.par_iter_mut().with_min_len(8).zip(&points).for_each(|(body, points)| {
            body.brace(points);
        });
    }

    /// Braces the bodies of a pair for new touching places, and asks for levers anew where that changed them.
    fn brace_pair(&mut self, k: usize, from: usize, rows: &mut Rows) {
        let near = &self.contacts.near[k];
        for (object, first) in [(near.a, true), (near.b, false)] {
            let touches = self.contacts.near[k].touches[from..].iter();
            let points: Vec<SkinPoint> = touches.map(|t| if first { t.a } else { t.b }).collect();
            let Some(body) = self.bodies.get_mut(object as usize) else { continue };
            let outdated = body.brace(&points);
            rows.make_room(object as usize, body.velocity().len());
            if !outdated {
                continue;
            }
            let body = &self.bodies[object as usize];
            for row in &mut rows.rows {
                let touch = self.aligned(row.place);
                if row.a.body == object && !row.a.is_fixed() {
                    row.a.lever = body.lever(&touch.a, &mut rows.store);
                }
                if row.b.body == object && !row.b.is_fixed() {
                    row.b.lever = body.lever(&touch.b, &mut rows.store);
                }
            }
            for row in &mut rows.controls {
                for (grip, hold) in [(&mut row.a, &row.holds[0]), (&mut row.b, &row.holds[1])] {
                    if grip.body == object && !grip.is_fixed() {
                        grip.lever = body.hold(hold, &mut rows.store);
                    }
                }
            }
        }
    }

    /// A touching place, with both sides pushed at one point if both can move, so that the pair keeps its angular
    /// momentum.
    fn aligned(&self, (k, t): (u32, u32)) -> Touch {
        let near = &self.contacts.near[k as usize];
        let mut touch = near.touches[t as usize];
        if (near.b as usize) < self.bodies.len() {
            let middle = 0.5 * (touch.a.at + touch.b.at);
            (touch.a.at, touch.b.at) = (middle, middle);
        }
        touch
    }

    /// After the last solve of the step: what is remembered, what obstacles and controls did.
    pub(super) fn remember(&mut self, rows: &Rows) {
        self.account(rows);
        self.step_report.contacts = rows.rows.len() as u32;
        let (asleep, bodies) = (self.rest.asleep(), self.bodies.len());
        let idle = |i: u32| (i as usize) >= bodies || asleep[i as usize];
        self.contacts.memory.remember(&self.contacts.near, &rows.rows, |a, b| idle(a) && idle(b));
        for (i, control) in self.controls.iter_mut().enumerate() {
            self.report.external_work += control.remember(i as u32, self.h, rows);
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
        let t = self.time();
        self.report.external_work += self.controls.iter().map(|c| c.work(t, &self.bodies)).sum::<f64>();
        for row in &rows.controls {
            if row.give > 0.0 {
                // The control itself knows the work of springs.
                if row.b.is_fixed() {
                    self.report.external_impulse += row.lambda;
                }
            } else if row.b.is_fixed() {
                if row.holds[0] != Hold::Spin {
                    self.report.external_impulse += row.lambda;
                }
                self.report.external_work += row.lambda.dot(rows.point_velocity(&row.a, &rows.store));
            }
        }
    }

    /// All contacts as rows of the solve, in the order of pairs. Runs of pairs are worked on side by side, each with a store
    /// of its own; the stores are then laid end to end.
    pub(super) fn contact_rows(&self, rows: &mut Rows) {
        let some = |pairs: std::ops::Range<usize>, rows: &Rows, mut store: Vec<f64>| {
            let mut list = vec![];
            for k in pairs {
                for t in 0..self.contacts.near[k].touches.len() {
                    list.push(self.row(k, t, rows, &mut store));
                }
            }
            (list, store)
        };
        let pairs = self.contacts.near.len();
        if pairs <= RUN {
            // One run needs no store of its own.
            let store = std::mem::take(&mut rows.store);
            let (list, store) = some(0..pairs, rows, store);
            rows.rows.extend(list);
            rows.store = store;
            return;
        }
        let runs = (0..pairs.div_ceil(RUN)).into_par_iter();
        let parts: Vec<_> = runs.map(|i| some(i * RUN..((i + 1) * RUN).min(pairs), rows, vec![])).collect();
        rows.rows.reserve(parts.iter().map(|(list, _)| list.len()).sum());
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
        let middle = 0.5 * (near.touches[t].a.at + near.touches[t].b.at);
        let touch = self.aligned((k as u32, t as u32));
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
        let response = rows.response_between(&a, &b, store);
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
            room: 0.0,
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
    pub(super) fn friction(&self, a: usize, b: usize) -> f64 {
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

    /// Solves again what new rows (those from `known` on) concern, from the impulses found so far; tells whose velocity
    /// that changed.
    pub(super) fn solve_again(&mut self, rows: &mut Rows, known: usize) -> Vec<bool> {
        let fresh = rows.rows[known..].iter().flat_map(|r| [r.a, r.b]).filter(|g| !g.is_fixed());
        let fresh: Vec<u32> = fresh.map(|g| g.body).collect();
        let mut changed = vec![false; self.bodies.len() + self.obstacles.len()];
        if self.bodies.len() > MANY && rows.controls.is_empty() {
            self.step_report.contact_work = solve_near(rows, &fresh);
            for (i, body) in self.bodies.iter().enumerate() {
                changed[i] = body.velocity() != rows.velocity(i);
            }
        } else {
            changed.fill(true);
            rows.y.copy_from_slice(&rows.free);
            let solved = self.solver.solve(rows, Some(&fresh));
            self.note(solved);
        }
        self.take_velocities(rows);
        changed
    }

    /// Bodies that are awake get their velocities from the solve.
    pub(super) fn take_velocities(&mut self, rows: &Rows) {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            if !self.rest.asleep()[i] {
                body.velocity_mut().copy_from_slice(rows.velocity(i));
            }
        }
    }

    /// Takes over what a solve reached.
    pub(super) fn note(&mut self, solved: Solved) {
        self.step_report.sweeps = self.step_report.sweeps.max(solved.sweeps);
        self.step_report.islands = solved.islands;
        self.step_report.residual = solved.residual;
        self.step_report.relative_residual = solved.relative_residual;
        self.step_report.contact_work = solved.work;
        self.step_roots = solved.roots;
    }

    /// A crossing becomes new rows.
    pub(super) fn add_rows(&mut self, crossing: &Crossing, rows: &mut Rows) {
        let k = crossing.near;
        let mut near = std::mem::take(&mut self.contacts.near[k]);
        let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
        let from = add_touches(&mut near, crossing, a, b);
        self.contacts.near[k] = near;
        self.rows_of_touches(k, from, rows);
    }

    /// Rows for the touching places of a pair from `from` on, without impulses.
    pub(super) fn rows_of_touches(&mut self, k: usize, from: usize, rows: &mut Rows) {
        self.brace_pair(k, from, rows);
        for t in from..self.contacts.near[k].touches.len() {
            let mut store = std::mem::take(&mut rows.store);
            let mut row = self.row(k, t, rows, &mut store);
            rows.store = store;
            row.lambda = [0.0; 3];
            rows.rows.push(row);
        }
    }
}
