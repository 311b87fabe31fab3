//! Line 3 of the step: who is near whom, and where they touch.

use super::World;
use crate::contact::{Bounds, Known, Memories, Near, Tuning, pairs};
use crate::skin::Solid;
use std::collections::BTreeMap;

impl World {
    pub(super) fn tuning(&self) -> Tuning {
        Tuning { clearance: self.spec.scene.clearance }
    }

    /// 3 Who is near whom, and where they touch.
    pub(super) fn find_contacts(&mut self) {
        self.find_coat_touches();
        let tuning = self.tuning();
        self.contacts.near = vec![];
        let mut woken: Option<Vec<bool>> = None;
        let mut near: Vec<Near> = vec![];
        loop {
            let mut contacts = std::mem::take(&mut self.contacts);
            let sleepers: Vec<usize>;
            let rooms: Vec<Bounds>;
            {
                let info = self.object_info();
                let objects = contacts.boxes.objects(&info, &tuning);
                let list = pairs(&objects, woken.as_deref());
                rooms = objects.iter().map(|o| o.bounds).collect();
                let found = contacts.memory.look(&objects, &list, &tuning);
                near.retain(|n| woken.as_ref().is_none_or(|w| !w[n.a as usize] && !w[n.b as usize]));
                near.extend(found);
                sleepers = self.disturbed(&near, &contacts.memory);
            }
            self.contacts = contacts;
            self.rooms = rooms;
            if sleepers.is_empty() {
                break;
            }
            let mut flags = vec![false; self.bodies.len() + self.obstacles.len()];
            for i in sleepers {
                self.rouse(i);
                flags[i] = true;
            }
            woken = Some(flags);
        }
        near.sort_by_key(|n| (n.a, n.b));
        self.contacts.near = near;
    }

    /// Wakes a body in the middle of the step, so that it moves as all others do.
    pub(super) fn rouse(&mut self, i: usize) {
        self.rest.wake(i);
        let before = self.bodies[i].momentum();
        self.bodies[i].free_motion(&self.environment, self.h);
        self.report.external_impulse += self.bodies[i].momentum() - before;
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

    /// All bodies and obstacles as contact is told of them.
    pub(super) fn object_info(&self) -> Vec<Known<'_>> {
        let asleep = self.rest.asleep();
        let bodies = self.bodies.iter().zip(asleep).map(|(b, asleep)| Known {
            skin: b.skin(),
            body: Some(b.as_ref()),
            moves: true,
            active: !*asleep,
        });
        let obstacles = self.obstacles.iter().map(|o| Known {
            skin: &o.skin,
            body: None,
            moves: false,
            active: o.moves(self.h),
        });
        bodies.chain(obstacles).collect()
    }

    /// Objects that left the room they were given are looked at again, and so is what can touch itself.
    pub(super) fn widen(&mut self, dirty: &[bool]) {
        let tuning = self.tuning();
        let mut escaped = vec![false; dirty.len()];
        let mut folding: Vec<u32> = vec![];
        for i in (0..dirty.len()).filter(|i| dirty[*i]) {
            let skin = self.skin(i);
            let half_space = matches!(skin.form.solid, Solid::HalfSpace(_));
            let way = Bounds::of(skin.points.iter().chain(&skin.next).copied()).grown(skin.form.radius);
            escaped[i] = !half_space && !self.rooms[i].contains(&way);
            // Whoever is clear needs no second look; it would find nothing.
            let folds = skin.form.folding.is_some() && !escaped[i];
            if folds && !self.contacts.boxes.is_clear_of_itself(i, skin, &tuning) {
                folding.push(i as u32);
            }
        }
        if folding.is_empty() && !escaped.iter().any(|e| *e) {
            return;
        }
        let mut contacts = std::mem::take(&mut self.contacts);
        let (found, rooms) = {
            let info = self.object_info();
            let objects = contacts.boxes.objects(&info, &tuning);
            let mut list = pairs(&objects, Some(&escaped));
            list.extend(folding.iter().map(|i| (*i, *i)));
            let rooms: Vec<Bounds> = objects.iter().map(|o| o.bounds).collect();
            (contacts.memory.look(&objects, &list, &tuning), rooms)
        };
        self.contacts = contacts;
        for (i, room) in rooms.into_iter().enumerate() {
            if escaped[i] {
                self.rooms[i] = self.rooms[i].union(room);
            }
        }
        let known: BTreeMap<(u32, u32), usize> =
            self.contacts.near.iter().enumerate().map(|(k, n)| ((n.a, n.b), k)).collect();
        let mut fresh: Vec<Near> = vec![];
        for mut near in found {
            // Not part of the solve of this step: touching places come from crossings alone.
            near.touches.clear();
            match known.get(&(near.a, near.b)) {
                // What could meet itself no longer does.
                Some(_) if near.a == near.b && near.planes.is_empty() => {}
                // Other pieces are in reach now.
                Some(k) => self.contacts.near[*k].planes = near.planes,
                None => fresh.push(near),
            }
        }
        // Appended, so that rows keep their places.
        self.contacts.near.extend(fresh);
    }
}
