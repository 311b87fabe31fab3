//! Coats in the step: where they touch, and what they exchange before the hard contacts are solved.

use super::World;
use crate::contact::{
    Bounds, CoatTouch, Grip, Line, Other, Press, Pressed, Probe, Rows, press, touches_of_coats,
    touches_of_solid,
};
use crate::math::Vec3;
use crate::skin::{Skin, SkinPoint, Solid};
use rayon::prelude::*;

/// Turns that coats and hard contacts take at most, and the change of an impulse at which they end, as a share of the
/// largest.
const TURNS: u32 = 12;
const SETTLED: f64 = 1e-3;
/// Sweeps over contacts in all turns but the last: the other side is about to change anyway.
const ROUGHLY: u32 = 25;

impl World {
    /// Where coats may be pressed in this step. Who sleeps there wakes up, even if nothing presses yet: an impulse on a
    /// sleeper would be lost.
    pub(super) fn find_coat_touches(&mut self) {
        let coats: Vec<usize> = (0..self.bodies.len()).filter(|i| self.bodies[*i].coat().is_some()).collect();
        let touches: Vec<CoatTouch> = coats.par_iter().flat_map_iter(|i| self.touches_of(*i)).collect();
        for touch in &touches {
            for i in [touch.pair.0 as usize, touch.pair.1 as usize] {
                if self.rest.asleep().get(i) == Some(&true) {
                    self.rouse(i);
                }
            }
        }
        self.coat_touches = touches;
    }

    /// A body with a coat and another that reaches its skeletons: a coat may be pressed in at the start, but not that far.
    pub(super) fn coats_that_overlap(&self) -> Option<(usize, usize)> {
        let all = 0..self.bodies.len() + self.obstacles.len();
        let coats = (0..self.bodies.len()).filter(|i| self.bodies[*i].coat().is_some());
        let mut pairs = coats.flat_map(|i| all.clone().map(move |j| (i, j))).filter(|(i, j)| i != j);
        pairs.find(|(i, j)| self.reaches_skeletons(*i, *j))
    }

    /// Whether anything reaches the skeletons of a body with a coat.
    pub(super) fn reaches_skeletons(&self, i: usize, j: usize) -> bool {
        let (own, other) = (self.skin(i), self.skin(j));
        let around = Bounds::of(own.points.iter().copied());
        if let Some(theirs) = self.bodies.get(j).and_then(|b| b.coat()) {
            let reached = |p: &Vec3| theirs.at(*p).0 > 1.0;
            return around.overlaps(&theirs.bounds()) && own.points.iter().any(reached);
        }
        let Some(its) = reach(other, &around) else { return false };
        // Inside is known by the nearest face, however far that is.
        let probe = Probe::new(other, &other.points, &its);
        let far = (around.high - around.low).length() + (its.high - its.low).length();
        own.points.iter().any(|p| probe.nearest(*p, far).is_some_and(|n| n.distance < 0.0))
    }

    fn touches_of(&self, i: usize) -> Vec<CoatTouch> {
        let Some(coat) = self.bodies[i].coat() else { return vec![] };
        let mut found = vec![];
        let around = coat.bounds().grown(coat.thickness());
        for j in (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i) {
            let pair = (i as u32, j as u32);
            match self.bodies.get(j).and_then(|b| b.coat()) {
                Some(other) if j > i && around.overlaps(&other.bounds()) => {
                    found.extend(touches_of_coats(pair, coat, other));
                }
                Some(_) => {}
                None => {
                    let skin = self.skin(j);
                    if reach(skin, &around).is_some() {
                        let probe = Probe::new(skin, &skin.points, &around.grown(2.0 * coat.thickness()));
                        found.extend(touches_of_solid(pair, coat, &probe));
                    }
                }
            }
        }
        found
    }

    /// Points of skins that coats will push, for bracing.
    pub(super) fn pressed_points(&self, mut each: impl FnMut(usize, SkinPoint)) {
        for touch in &self.coat_touches {
            if let Other::Skin(p) = touch.other {
                each(touch.pair.1 as usize, p);
            }
        }
    }

    /// Coats push first; what they do is part of the free motion that hard contacts start from. Of those they expect what
    /// the last step found: a light plate under a heavy lump gives way to it, unless it lies on the ground.
    pub(super) fn press_coats(&mut self, rows: &mut Rows) {
        self.presses = self.coat_touches.iter().map(|t| self.press_row(t, rows)).collect();
        if !self.presses.is_empty() {
            self.begin_presses(rows);
            expect_contacts(rows);
            self.press_on(rows);
        }
    }

    /// Forces of coats hardly change within a step: to begin with they are as at its start, and friction as in the last one.
    fn begin_presses(&mut self, rows: &mut Rows) {
        let velocities = rows.velocities();
        for (p, touch) in self.presses.iter_mut().zip(&self.coat_touches) {
            p.begin(self.coat_memory.recall(touch));
            velocities.push(&p.a, p.impulse());
            velocities.push(&p.b, -p.impulse());
        }
        rows.free.copy_from_slice(&rows.y);
        rows.begin_anew();
    }

    /// Where hard contacts did something else than was expected, coats do, too. They take turns until neither changes the
    /// other.
    pub(super) fn take_turns(&mut self, rows: &mut Rows) {
        if self.presses.is_empty() || rows.rows.is_empty() {
            return;
        }
        for turn in 1..=TURNS {
            let is_last = self.press_on(rows) <= SETTLED || turn == TURNS;
            let solved = if is_last {
                self.solver.solve(rows, None)
            } else {
                self.solver.roughly(ROUGHLY, rows.rows.len()).solve(rows, None)
            };
            self.note(solved);
            if is_last {
                break;
            }
        }
        self.take_velocities(rows);
    }

    /// Coats push bodies that move as `rows.y` says. Velocities become those without contact, from which it is solved anew.
    /// Returns the largest change of an impulse, over the largest.
    fn press_on(&mut self, rows: &mut Rows) -> f64 {
        let (last, y) = (self.presses.clone(), rows.y.clone());
        press(&mut self.presses, rows);
        for (free, (new, old)) in rows.free.iter_mut().zip(rows.y.iter().zip(&y)) {
            *free += new - old;
        }
        rows.begin_anew();
        let pairs = || self.presses.iter().zip(&last);
        let change = pairs().map(|(p, q)| p.impulse().distance(q.impulse())).fold(0.0, f64::max);
        change / pairs().map(|(p, _)| p.impulse().length()).fold(1e-300, f64::max)
    }

    /// What coats did in this step: to what is outside, and to themselves.
    pub(super) fn account_presses(&mut self) {
        for p in self.presses.iter().filter(|p| p.pair.1 as usize >= self.bodies.len()) {
            self.report.external_impulse += p.impulse();
            self.report.external_work += p.impulse().dot(p.drive);
        }
        self.coat_memory.remember(&self.coat_touches, &self.presses);
        for i in (0..self.bodies.len()).filter(|i| self.bodies[*i].coat().is_some()).collect::<Vec<_>>() {
            let felt = self.coat_touches.iter().zip(&self.presses).filter(|(t, _)| t.seed.0 as usize == i);
            let mut felt = felt.map(|(t, p)| Pressed { seed: t.seed.1, volume: t.volume, held: p.holds() });
            self.bodies[i].pressed(&mut felt);
        }
    }

    /// Body and energy of every pressed place: as the last solve left it or, before the first, as coats stand `[J]`.
    pub(super) fn press_energies(&self) -> Vec<(usize, f64)> {
        if self.ticks > 0 {
            return self.presses.iter().map(|p| (p.pair.0 as usize, p.energy())).collect();
        }
        let pressed = self.coat_touches.iter().filter(|t| t.force > 0.0);
        pressed.map(|t| (t.pair.0 as usize, 0.5 * t.force * t.force / t.stiffness)).collect()
    }

    fn press_row(&self, touch: &CoatTouch, rows: &mut Rows) -> Press {
        let (i, j) = (touch.pair.0 as usize, touch.pair.1 as usize);
        let mut store = std::mem::take(&mut rows.store);
        let on_coat = |body: usize, store: &mut Vec<f64>| {
            let coat = self.bodies[body].coat().expect("only coats are pressed");
            Grip { body: body as u32, lever: coat.lever(touch.at, store) }
        };
        let a = on_coat(i, &mut store);
        let (b, drive) = match (touch.other, j.checked_sub(self.bodies.len())) {
            (Other::Coat, _) => (on_coat(j, &mut store), Vec3::ZERO),
            (Other::Skin(p), Some(k)) => (Grip::FIXED, self.obstacles[k].skin.displacement(&p) / self.h),
            (Other::Skin(p), None) => {
                (Grip { body: j as u32, lever: self.bodies[j].lever(&p, &mut store) }, Vec3::ZERO)
            }
        };
        let n = touch.normal;
        let x = n.any_orthonormal_vector();
        let axes = [n, x, n.cross(x)];
        let response = rows.response(&a, &store) + rows.response(&b, &store);
        rows.store = store;
        let w = |k: usize, l: usize| axes[k].dot(response * axes[l]);
        // Across the normal, where a push is answered most.
        let (mean, half) = (0.5 * (w(1, 1) + w(2, 2)), 0.5 * (w(1, 1) - w(2, 2)));
        let across = mean + (half * half + w(1, 2) * w(1, 2)).sqrt();
        let give = 1.0 / (touch.stiffness * self.h * self.h);
        Press {
            pair: touch.pair,
            a,
            b,
            at: touch.at,
            axes,
            drive,
            start: touch.force * self.h,
            pull: touch.pull * self.h,
            give,
            friction: self.friction(i, j),
            mobility: [1.0 / (w(0, 0) + give), 1.0 / across],
            lambda: [0.0; 3],
        }
    }
}

/// Velocities as remembered impulses would make them. These may be too large, as after a blow, and are scaled to the lowest
/// point of their line.
fn expect_contacts(rows: &mut Rows) {
    let lines: Vec<Line> = rows.rows.iter().enumerate().map(|(k, row)| Line::new(row, k as u32)).collect();
    let velocities = rows.velocities();
    for line in &lines {
        velocities.push(&line.a, line.impulse());
        velocities.push(&line.b, -line.impulse());
    }
    let (mut along, mut change) = (0.0, 0.0);
    for line in &lines {
        along += line.impulse().dot(line.before) + line.lambda[0] * line.slack;
        change += line.impulse().dot(velocities.across(line) - line.before);
    }
    let share = if change > 0.0 { (-along / change).clamp(0.0, 1.0) } else { 0.0 };
    for (y, free) in rows.y.iter_mut().zip(&rows.free) {
        *y = free + share * (*y - free);
    }
}

/// The box of a skin if any of it may lie in another; half spaces may always.
pub(super) fn reach(skin: &Skin, around: &Bounds) -> Option<Bounds> {
    let its = Bounds::of(skin.points.iter().copied()).grown(skin.form.radius);
    (matches!(skin.form.solid, Solid::HalfSpace(_)) || its.overlaps(around)).then_some(its)
}
