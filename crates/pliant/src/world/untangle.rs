//! Starts that intersect: bodies are pulled apart before time zero.
//!
//! Body by body, in scene order, each gives way to the obstacles and to those before it: by the shortest of a set of
//! straight moves that leaves it free of all of them. Every try is a place of its own, so nothing has to be followed through
//! anything, and one that is free stays where it is.

use super::World;
use super::build::overlaps;
use crate::contact::pairs;
use crate::math::Vec3;
use crate::scene::SceneError;

/// The first try, as a share of the body's size, and how much farther each next one goes.
const FIRST: f64 = 0.02;
const FARTHER: f64 = 1.3;
/// Moves end beyond this many sizes of all that is there.
const REACH: f64 = 2.0;
/// Halvings of the way between the last place that was taken and the first that is free.
const HALVINGS: u32 = 8;

impl World {
    /// Who was moved before time zero, and by how much.
    pub fn untangled(&self) -> impl Iterator<Item = (&str, Vec3)> {
        self.untangled.iter().map(|(i, by)| (self.names[*i].as_str(), *by))
    }

    /// Pulls bodies apart, or says which pair cannot be parted.
    pub(super) fn untangle(&mut self, paths: &[String]) -> Result<(), SceneError> {
        let boxes = self.bodies.iter().flat_map(|b| b.skin().points.iter());
        let (low, high) =
            boxes.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        let all = (high - low).length();
        for i in 0..self.bodies.len() {
            let Some(first) = self.met(i) else { continue };
            let own = self.bodies[i].skin().form.size;
            let by = self.way_out(i, FIRST * own, REACH * all.max(own)).ok_or_else(|| {
                let (a, b) = (&self.names[i], &self.names[first]);
                let message = format!(
                    "\"{a}\" and \"{b}\" intersect at the start and cannot be parted; move one of them"
                );
                SceneError::new(format!("{}.position", paths[i]), message)
            })?;
            self.untangled.push((i, by));
        }
        Ok(())
    }

    /// Moves a body by the shortest of a set of moves that leaves it free; tells by how much.
    fn way_out(&mut self, i: usize, first: f64, reach: f64) -> Option<Vec3> {
        let directions = directions();
        let (mut taken, mut length) = (0.0, first);
        while length <= reach {
            for d in &directions {
                if self.free_at(i, *d * length) {
                    let (mut near, mut far) = (taken, length);
                    for _ in 0..HALVINGS {
                        let middle = 0.5 * (near + far);
                        if self.free_at(i, *d * middle) { far = middle } else { near = middle }
                    }
                    self.move_whole(i, *d * far);
                    return Some(*d * far);
                }
            }
            taken = length;
            length *= FARTHER;
        }
        None
    }

    /// Whether a body would be free after a move.
    fn free_at(&mut self, i: usize, by: Vec3) -> bool {
        self.move_whole(i, by);
        let free = self.met(i).is_none();
        self.move_whole(i, -by);
        free
    }

    fn move_whole(&mut self, i: usize, by: Vec3) {
        let body = &mut self.bodies[i];
        let shift = body.moved_by(by);
        body.aim(0.0, &shift);
        body.settle(0.0);
    }

    /// An obstacle, or a body before it in the scene, that a body intersects.
    fn met(&mut self, i: usize) -> Option<usize> {
        let earlier = |j: usize| j < i || j >= self.bodies.len();
        let tuning = self.tuning();
        let mut contacts = std::mem::take(&mut self.contacts);
        let hard = {
            let info = self.object_info();
            let objects = contacts.boxes.objects(&info, &tuning);
            let mut only = vec![false; objects.len()];
            only[i] = true;
            let list: Vec<(u32, u32)> = pairs(&objects, Some(&only))
                .into_iter()
                .filter(|(a, b)| earlier(if *a as usize == i { *b as usize } else { *a as usize }))
                .collect();
            let near = contacts.memory.look(&objects, &list, &tuning);
            near.iter().find(|n| overlaps(n)).map(|n| (n.a ^ n.b ^ i as u32) as usize)
        };
        self.contacts = contacts;
        let coated = |k: usize| self.bodies.get(k).is_some_and(|b| b.coat().is_some());
        hard.or_else(|| {
            let mut others = (0..self.bodies.len() + self.obstacles.len()).filter(|j| earlier(*j));
            others.find(|j| {
                (coated(i) && self.reaches_skeletons(i, *j)) || (coated(*j) && self.reaches_skeletons(*j, i))
            })
        })
    }
}

/// Up first: what was set too deep into the ground comes out of it. Then sideways, then all else.
fn directions() -> Vec<Vec3> {
    let mut all = vec![Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::NEG_Y];
    for x in [-1.0, 0.0, 1.0] {
        for y in [1.0, 0.0, -1.0] {
            for z in [-1.0, 0.0, 1.0] {
                let d: Vec3 = Vec3::new(x, y, z);
                if d.length_squared() > 1.5 {
                    all.push(d.normalize());
                }
            }
        }
    }
    all
}
