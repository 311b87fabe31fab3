//! Line 5 of the step: positions, so that nothing crosses.

use super::{MANY, World};
use crate::bodies::{Body, Lever, TwistMass};
use crate::contact::{
    Care, Crossing, Grip, LEAST, Layers, Links, Near, Row, Rows, crossings, end_distance, end_gap, shift,
};
use crate::math::Vec3;
use rayon::prelude::*;

/// Rounds of new contacts, each with a solve of its own.
const SOLVES: u32 = 2;
/// Rounds of position correction before bodies are held back.
const ROUNDS: u32 = 12;
/// A gap that would end below this share of the clearance is opened again, to `OPEN`.
const TIGHT: f64 = 0.5;
const OPEN: f64 = 0.75;
const _: () = assert!(LEAST < TIGHT && TIGHT < OPEN);
/// Changes of a gap by less than this share of the clearance are not made.
const SLIGHT: f64 = 1e-3;
/// In large scenes gaps open by at most this share of the clearance in a step.
const OPENING: f64 = 0.1;

impl World {
    /// 5 Positions, so that nothing crosses: velocities are followed, but for small shifts that keep gaps open; pairs
    /// that meet only because of contact become new contacts; what is left is held back.
    pub(super) fn advance_without_crossing(&mut self) {
        let mut rows = std::mem::replace(&mut self.rows, Rows::new(std::iter::empty(), vec![]));
        let mut links = Links::new(self.bodies.len());
        let mut found = vec![];
        let everyone = vec![true; self.bodies.len() + self.obstacles.len()];
        self.follow(&mut rows, &mut links, everyone, &mut found);
        for _ in 0..SOLVES {
            let known = rows.rows.len();
            let met: Vec<Crossing> = found.iter().filter(|c| self.is_new(c)).copied().collect();
            met.iter().for_each(|c| self.add_rows(c, &mut rows));
            if rows.rows.len() == known {
                break;
            }
            let changed = self.solve_again(&mut rows, known);
            self.follow(&mut rows, &mut links, changed, &mut found);
        }
        let mut rounds = 0;
        while !found.is_empty() && rounds < ROUNDS {
            found.iter().for_each(|c| self.add_rows(c, &mut rows));
            let moved = self.open_up(&mut rows, &mut links, &found);
            self.look_again(&mut found, &moved);
            rounds += 1;
        }
        self.step_report.position_rounds = rounds;
        if !found.is_empty() {
            self.hold_back(&mut rows, &found);
        }
        self.remember(&rows);
        rows.forget_velocities();
        self.settle_all();
        self.rows = rows;
    }

    /// Whether a crossing is news: of a pair that did not touch yet, or of a skin that bends, whose contact may have grown
    /// by more points. Elsewhere a shift will do.
    fn is_new(&self, crossing: &Crossing) -> bool {
        let near = &self.contacts.near[crossing.near];
        let bends = |i: u32| !self.skin(i as usize).form.stays_flat;
        near.touches.is_empty() || bends(near.a) || bends(near.b)
    }

    /// Aims those whose velocity has changed at where it leads, shifts what would come too close, and looks who crosses.
    fn follow(
        &mut self,
        rows: &mut Rows,
        links: &mut Links,
        mut changed: Vec<bool>,
        found: &mut Vec<Crossing>,
    ) {
        for i in (0..self.bodies.len()).filter(|i| changed[*i]) {
            let part = rows.part(i);
            rows.u[part.clone()].copy_from_slice(&rows.y[part]);
        }
        self.aim_all(rows, &changed);
        let moved = if self.bodies.len() > MANY {
            self.make_room_from_the_ground_up(rows, links, &changed)
        } else {
            self.open_up(rows, links, &[])
        };
        changed.iter_mut().zip(moved).for_each(|(c, m)| *c |= m);
        self.look_again(found, &changed);
    }

    /// The least shift of all, in the mass metric, that leaves no row too close. In large piles only what crosses and is
    /// moved by that is looked at. Tells who was shifted.
    fn open_up(&mut self, rows: &mut Rows, links: &mut Links, found: &[Crossing]) -> Vec<bool> {
        links.take_in(&rows.rows);
        let need = |row: &Row| {
            let end = self.end_gap(row);
            let least = if end < TIGHT * row.clearance { OPEN } else { TIGHT };
            (least * row.clearance - end) / self.h
        };
        let everywhere = self.bodies.len() <= MANY;
        let mut crosses = vec![everywhere; self.contacts.near.len()];
        found.iter().for_each(|c| crosses[c.near] = true);
        let seeds: Vec<u32> = (0..rows.rows.len() as u32)
            .filter(|k| {
                let row = &rows.rows[*k as usize];
                crosses[row.place.0 as usize] && need(row) > 0.0
            })
            .collect();
        let before = rows.u.clone();
        if !seeds.is_empty() {
            let (sweeps, enough) = if everywhere { (60, 0.02) } else { (20, 0.1) };
            shift(rows, links, seeds, need, Care { sweeps, enough, slight: SLIGHT / self.h });
        }
        self.aim_shifted(rows, &before)
    }

    /// The same for large piles: there a shift here needs a shift of all that lies above. Turning brings corners closer
    /// than velocities tell; what it took at the end last aimed at is allowed for.
    fn make_room_from_the_ground_up(
        &mut self,
        rows: &mut Rows,
        links: &mut Links,
        changed: &[bool],
    ) -> Vec<bool> {
        let known = links.known();
        links.take_in(&rows.rows);
        let stale =
            |k: usize, row: &Row| k >= known || changed[row.pair.0 as usize] || changed[row.pair.1 as usize];
        let room = |(k, row): (usize, &Row)| {
            stale(k, row).then(|| {
                let across = rows.displacement(&row.a) - rows.displacement(&row.b) - row.drive;
                let turned = (self.end_gap(row) - row.gap - row.axes[0].dot(across) * self.h).min(0.0);
                let wanted = row.clearance.min(row.gap.max(TIGHT * row.clearance) + OPENING * row.clearance);
                (row.gap + turned - wanted) / self.h
            })
        };
        let rooms: Vec<Option<f64>> = rows.rows.par_iter().with_min_len(256).enumerate().map(room).collect();
        let mut layers = Layers::new(&self.heights(), self.h);
        for (row, room) in rows.rows.iter_mut().zip(rooms) {
            if let Some(room) = room {
                row.room = room;
                layers.look_at(row);
            }
        }
        let before = rows.u.clone();
        layers.displace(rows, links);
        self.aim_shifted(rows, &before)
    }

    /// Aims those whose displacement is no longer what it was; tells who they are.
    fn aim_shifted(&mut self, rows: &Rows, before: &[f64]) -> Vec<bool> {
        let mut shifted = vec![false; self.bodies.len() + self.obstacles.len()];
        for (i, shifted) in shifted.iter_mut().enumerate().take(self.bodies.len()) {
            *shifted = rows.u[rows.part(i)] != before[rows.part(i)];
        }
        self.aim_all(rows, &shifted);
        shifted
    }

    /// Heights of all bodies, against gravity.
    fn heights(&self) -> Vec<f64> {
        let up = -self.environment.gravity;
        self.bodies.iter().map(|b| up.dot(b.centre().0)).collect()
    }

    /// Who would come too close, where somebody has moved since that was last found.
    fn look_again(&mut self, found: &mut Vec<Crossing>, moved: &[bool]) {
        found.retain(|c| {
            let n = &self.contacts.near[c.near];
            !moved[n.a as usize] && !moved[n.b as usize]
        });
        found.extend(self.crossings(moved));
    }

    /// Pairs that would come too close, among those of which one has changed.
    fn crossings(&mut self, dirty: &[bool]) -> Vec<Crossing> {
        self.widen(dirty);
        let skin = |i: u32| self.skin(i as usize);
        crossings(&self.contacts.near, skin, |n| dirty[n.a as usize] || dirty[n.b as usize])
    }

    /// Aims all bodies that are awake and marked.
    fn aim_all(&mut self, rows: &Rows, marked: &[bool]) {
        let (h, asleep) = (self.h, self.rest.asleep());
        self.bodies.par_iter_mut().with_min_len(32).enumerate().for_each(|(i, body)| {
            if !asleep[i] && marked[i] {
                body.aim(h, &rows.shift(i, h));
            }
        });
    }

    /// Gap of a row at the end last aimed at.
    fn end_gap(&self, row: &Row) -> f64 {
        let near = &self.contacts.near[row.place.0 as usize];
        let touch = &near.touches[row.place.1 as usize];
        let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
        end_gap(touch, a, b)
    }

    /// Opens the gaps of all touching places without any time passing, moving bodies as a whole: for starts that touch.
    /// Either everybody gives way according to mass, or each to those below it.
    pub(super) fn open_gaps(&mut self, from_the_ground_up: bool) {
        let point = |b: &dyn Body| TwistMass { inverse_mass: 1.0 / b.centre().1, ..TwistMass::default() };
        let masses = self.bodies.iter().map(|b| point(b.as_ref())).collect();
        let mut rows = Rows::new(self.bodies.iter().map(|_| &[0.0; 6][..]), masses);
        let mut touching = Rows::new(
            self.bodies.iter().map(|b| b.velocity()),
            self.bodies.iter().map(|b| b.twist_mass()).collect(),
        );
        self.contact_rows(&mut touching);
        let whole = |grip: &mut Grip| {
            if !grip.is_fixed() {
                grip.lever = Lever::Twist { arm: Vec3::ZERO };
            }
        };
        for mut row in touching.rows {
            whole(&mut row.a);
            whole(&mut row.b);
            let inverse =
                |g: &Grip| if g.is_fixed() { 0.0 } else { rows.masses[g.body as usize].inverse_mass };
            row.mobility = 1.0 / (inverse(&row.a) + inverse(&row.b));
            row.room = row.gap - OPEN * row.clearance;
            row.drive = Vec3::ZERO;
            rows.rows.push(row);
        }
        let mut links = Links::new(self.bodies.len());
        links.take_in(&rows.rows);
        if from_the_ground_up {
            let mut layers = Layers::new(&self.heights(), 1.0);
            rows.rows.iter().for_each(|row| layers.look_at(row));
            layers.displace(&mut rows, &links);
        } else {
            let seeds = (0..rows.rows.len() as u32).filter(|k| rows.rows[*k as usize].room < 0.0).collect();
            let care = Care { sweeps: 200, enough: 0.02, slight: SLIGHT };
            shift(&mut rows, &links, seeds, |row| -row.room, care);
        }
        for (body, u) in self.bodies.iter_mut().zip(rows.u.chunks_exact(6)) {
            let shift = body.moved_by(Vec3::from_slice(u));
            body.aim(0.0, &shift);
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
