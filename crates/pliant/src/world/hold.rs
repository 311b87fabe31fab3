//! The last resort of line 5: what would still cross is moved one at a time, as far as there is room.
//!
//! All others take their step first, while those concerned stand where they began. Then each of these goes its own way
//! with everything else standing still, and stops where it would meet another. So every motion is proven free of
//! crossings by itself; whoever was in the way of one gets out of it by its own step, and the one tries again.

use super::World;
use crate::contact::{Crossing, Line, Rows, crossing, touches_as_they_stand};
use crate::math::Vec3;

/// Rounds in which everyone concerned may try to go on.
const PASSES: u32 = 4;
/// Sweeps of the pushes that stop what was held back.
const PUSHES: u32 = 10;

/// Who is held back and how far each has come.
struct Held {
    /// Number of the object among the held; none if it moves freely.
    slot: Vec<Option<u32>>,
    /// The objects.
    objects: Vec<usize>,
    /// Where each stands.
    pose: Vec<Vec<Vec3>>,
    /// Which part of its step it has made.
    share: Vec<f64>,
    /// Pairs of each object.
    pairs: Vec<Vec<u32>>,
}

impl World {
    /// Holds back what `found` names, and whatever else would run into it.
    pub(super) fn hold_back(&mut self, rows: &mut Rows, found: &[Crossing]) {
        let mut held = self.concerned(found);
        let mut stops: Vec<Option<Crossing>> = vec![None; held.objects.len()];
        // Bodies first: they may get out of an obstacle's way.
        for _ in 0..PASSES {
            let mut progress = false;
            for k in 0..held.objects.len() {
                if held.share[k] < 1.0 {
                    let (moved, stop) = self.go_on(k, &mut held, rows);
                    progress |= moved;
                    stops[k] = stop;
                }
            }
            if !progress {
                break;
            }
        }
        self.step_report.held_back = held.share.iter().filter(|s| **s < 1.0).count() as u32;
        let stops: Vec<Crossing> = stops.into_iter().flatten().collect();
        self.push_apart(rows, &stops);
    }

    /// Those named, and all who would run into them if they stood still.
    fn concerned(&self, found: &[Crossing]) -> Held {
        let n = self.bodies.len() + self.obstacles.len();
        let mut pairs = vec![vec![]; n];
        for (k, near) in self.contacts.near.iter().enumerate() {
            pairs[near.a as usize].push(k as u32);
            pairs[near.b as usize].push(k as u32);
        }
        let mut marked = vec![false; n];
        let mut queue: Vec<usize> = vec![];
        let moves = |i: usize| self.skin(i).points != self.skin(i).next;
        for c in found {
            let near = &self.contacts.near[c.near];
            for i in [near.a as usize, near.b as usize] {
                if !std::mem::replace(&mut marked[i], true) {
                    queue.push(i);
                }
            }
        }
        while let Some(i) = queue.pop() {
            for k in &pairs[i] {
                let near = &self.contacts.near[*k as usize];
                let j = (near.a ^ near.b) as usize ^ i;
                if marked[j] || !moves(j) {
                    continue;
                }
                let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
                let to_a = if marked[near.a as usize] { &a.points } else { &a.next };
                let to_b = if marked[near.b as usize] { &b.points } else { &b.next };
                if !crossing(*k as usize, near, (a, b), (&a.points, to_a), (&b.points, to_b)).is_empty() {
                    marked[j] = true;
                    queue.push(j);
                }
            }
        }
        let objects: Vec<usize> = (0..n).filter(|i| marked[*i] && moves(*i)).collect();
        let mut slot = vec![None; n];
        objects.iter().enumerate().for_each(|(k, i)| slot[*i] = Some(k as u32));
        Held {
            pose: objects.iter().map(|i| self.skin(*i).points.clone()).collect(),
            share: vec![0.0; objects.len()],
            slot,
            objects,
            pairs,
        }
    }

    /// Takes one object as far as there is room; says whether it got anywhere, and what stopped it.
    fn go_on(&mut self, k: usize, held: &mut Held, rows: &Rows) -> (bool, Option<Crossing>) {
        let (object, from) = (held.objects[k], held.share[k]);
        let mut stop = None;
        let mut to = 1.0;
        for _ in 0..3 {
            self.aim_share(object, to, rows);
            let Some(met) = self.met_on_the_way(object, held) else {
                held.share[k] = to;
                held.pose[k].copy_from_slice(&self.skin(object).next);
                return (true, stop);
            };
            to = from + (to - from) * 0.9 * met.t;
            stop = stop.or(Some(met));
            if to - from < 0.02 {
                break;
            }
        }
        self.aim_share(object, from, rows);
        (false, stop)
    }

    /// Aims one object at a part of its step.
    fn aim_share(&mut self, object: usize, share: f64, rows: &Rows) {
        match object.checked_sub(self.bodies.len()) {
            Some(k) => self.obstacles[k].aim(self.h * share),
            None => {
                let less = rows.shift(object, self.h * share);
                self.bodies[object].aim(self.h * share, &less);
            }
        }
    }

    /// The first thing an object meets between where it stands and where it aims, all else standing still.
    fn met_on_the_way(&self, object: usize, held: &Held) -> Option<Crossing> {
        let path = |i: usize| {
            let skin = self.skin(i);
            match held.slot[i] {
                Some(k) if i == object => (&held.pose[k as usize][..], &skin.next[..]),
                Some(k) => (&held.pose[k as usize][..], &held.pose[k as usize][..]),
                None => (&skin.next[..], &skin.next[..]),
            }
        };
        let met = held.pairs[object].iter().flat_map(|k| {
            let near = &self.contacts.near[*k as usize];
            let (a, b) = (near.a as usize, near.b as usize);
            crossing(*k as usize, near, (self.skin(a), self.skin(b)), path(a), path(b))
        });
        met.min_by(|x, y| x.t.total_cmp(&y.t))
    }

    /// What was held back has not moved as its velocity says. Pushes between it and what stopped it take that velocity
    /// away: they keep momentum and never add energy.
    fn push_apart(&mut self, rows: &mut Rows, stops: &[Crossing]) {
        let mut stopped = vec![false; self.contacts.near.len()];
        stops.iter().for_each(|c| stopped[c.near] = true);
        for stop in stops {
            // Everybody now aims at where it stands in the end.
            let mut near = std::mem::take(&mut self.contacts.near[stop.near]);
            let (a, b) = (self.skin(near.a as usize), self.skin(near.b as usize));
            let from = near.touches.len();
            touches_as_they_stand(&mut near, (stop.pieces, stop.normal), (a, &a.next), (b, &b.next));
            self.contacts.near[stop.near] = near;
            self.rows_of_touches(stop.near, from, rows);
        }
        let concerned = rows.rows.iter().enumerate().filter(|(_, r)| stopped[r.place.0 as usize]);
        let mut lines: Vec<Line> = concerned.map(|(k, row)| Line::new(row, k as u32)).collect();
        let velocities = rows.velocities();
        for _ in 0..PUSHES {
            let work = lines.iter_mut().map(|line| velocities.part(line)).sum::<f64>();
            self.step_report.contact_work += work;
            if work == 0.0 {
                break;
            }
        }
        for line in &lines {
            rows.rows[line.row as usize].lambda = line.lambda;
        }
        self.take_velocities(rows);
    }
}
