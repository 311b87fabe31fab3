//! Contact between all skins: who is near whom, where they touch, what they exchange, and that nothing crosses.
//!
//! Contact sees bodies only as skins that move and as levers that answer pushes. It never asks which kind a body is.

mod advance;
mod bounds;
mod coat;
mod coat_memory;
mod distance;
mod few;
mod fold;
mod held;
mod islands;
mod job;
mod layers;
mod line;
mod links;
mod narrow;
mod nearby;
mod polish;
mod rows;
mod shift;
mod solid;
mod solve;
mod surface;
mod sweep;
mod touch;

pub(crate) use advance::{Crossing, LEAST, add_touches, crossing, crossings, end_distance, end_gap};
pub use bounds::Bounds;
pub(crate) use bounds::Tree;
pub use coat::{Coat, Limit, Pressed, Sample, Sculptor};
pub(crate) use coat::{CoatTouch, Other, Press, press, touches_of_coats, touches_of_solid};
pub use coat_memory::CoatMemory;
use fold::Fold;
pub(crate) use fold::parts_at_rest;
pub(crate) use layers::Layers;
pub(crate) use line::Line;
pub(crate) use links::Links;
pub(crate) use narrow::{Near, touches_as_they_stand};
pub(crate) use nearby::solve_near;
pub(crate) use rows::{ControlRow, Grip, Row, Rows, wide};
#[cfg(test)]
pub(crate) use rows::{push, velocity};
pub(crate) use shift::{Care, shift};
pub(crate) use solid::Probe;
pub(crate) use solve::{Solved, Solver};
pub use surface::{Surface, flat_volume};
pub(crate) use touch::Touch;

use crate::bodies::Body;
use crate::math::Vec3;
use crate::skin::{Skin, Solid};
use crate::state::{Reader, Writer};
use rayon::prelude::*;

/// A body or an obstacle as contact is told of it.
pub struct Known<'a> {
    /// What can be touched.
    pub skin: &'a Skin,
    /// The body, if it is one whose own contact is looked for.
    pub body: Option<&'a dyn Body>,
    /// Whether forces move it.
    pub moves: bool,
    /// Whether it can change in this step: awake, or a moving obstacle.
    pub active: bool,
}

/// What contact knows of a body or an obstacle in this step.
pub struct Object<'a> {
    /// What can be touched.
    pub skin: &'a Skin,
    /// Box around its way through the step, with room for contact to change it.
    pub bounds: Bounds,
    /// Mean displacement over the step, as far as known before contact.
    pub drift: Vec3,
    /// Largest deviation of a point from that.
    pub spread: f64,
    /// Whether forces move it.
    pub moves: bool,
    /// Whether it can change in this step: awake, or a moving obstacle.
    pub active: bool,
    /// Boxes around its pieces, if it is an obstacle that has any.
    pub faces: &'a [Bounds],
    /// Parts of its own that may come to touch each other.
    own: &'a Fold,
}

/// Numbers that steer contact.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Gap kept, as a fraction of the thinner object's size.
    pub clearance: f64,
}

/// What is remembered of a pair from step to step.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    pair: (u32, u32),
    normal: Vec3,
    /// Feature and impulse, sorted by feature.
    impulses: Vec<(u64, Vec3)>,
}

/// The contacts of a world.
#[derive(Default)]
pub struct Contacts {
    /// Pairs near each other in this step, sorted.
    pub near: Vec<Near>,
    /// What is remembered from step to step.
    pub memory: Memories,
    /// Boxes around pieces of obstacles.
    pub boxes: PieceBoxes,
}

/// What is remembered of all pairs, sorted by pair.
#[derive(Default)]
pub struct Memories(Vec<Memory>);

/// What is kept of objects to find things faster; nothing that happens depends on it. Boxes around the pieces of obstacles,
/// and parts of soft skins that are near each other.
#[derive(Default)]
pub struct PieceBoxes(Vec<Kept>);

/// What is kept of one object.
#[derive(Clone, Default)]
struct Kept {
    boxes: Vec<Bounds>,
    /// Whether they are about a step in which it moved.
    swept: bool,
    fold: Fold,
}

impl Contacts {
    /// Prepares for a number of objects.
    pub fn new(objects: usize) -> Self {
        Self { boxes: PieceBoxes::new(objects), ..Self::default() }
    }
}

impl PieceBoxes {
    /// For a number of objects.
    pub fn new(objects: usize) -> Self {
        Self(vec![Kept::default(); objects])
    }

    /// Obstacles may stand elsewhere than they did.
    pub fn forget(&mut self) {
        self.0.fill(Kept::default());
    }

    /// Whether no part of an object can meet another of its own in this step as it is now aimed at.
    pub(crate) fn is_clear_of_itself(&self, object: usize, skin: &Skin, tuning: &Tuning) -> bool {
        self.0[object].fold.is_clear(skin, tuning)
    }

    /// Describes the objects for this step.
    pub fn objects<'a>(&'a mut self, info: &[Known<'a>], tuning: &Tuning) -> Vec<Object<'a>> {
        let step = |(Known { skin, body, moves, active }, kept): (&Known, &mut Kept)| {
            let (around, drift, spread) = if *active {
                let (drift, spread) = drift_and_spread(skin);
                (Bounds::of(skin.points.iter().chain(&skin.next).copied()), drift, spread)
            } else {
                (Bounds::of(skin.points.iter().copied()), Vec3::ZERO, 0.0)
            };
            if let (true, Some(body)) = (*active, body) {
                kept.fold.follow(skin, tuning, || body.least_stretch());
            }
            let pieces = skin.form.pieces.len();
            if !*moves && (*active || kept.swept || kept.boxes.len() != pieces) {
                kept.boxes = (0..pieces as u32).map(|p| narrow::piece_bounds(skin, p)).collect();
                kept.swept = *active;
            }
            // Contact may change a body's way; obstacles go where they go.
            let extra =
                if *moves { 2.0 * tuning.clearance * skin.form.size + 0.25 * drift.length() } else { 0.0 };
            let room = skin.form.radius + extra;
            (around.grown(room), drift, spread)
        };
        let numbers: Vec<_> = info.par_iter().zip(self.0.par_iter_mut()).map(step).collect();
        info.iter()
            .zip(numbers)
            .zip(&self.0)
            .map(|((i, (bounds, drift, spread)), kept)| Object {
                skin: i.skin,
                bounds,
                drift,
                spread,
                moves: i.moves,
                active: i.active,
                faces: &kept.boxes,
                own: &kept.fold,
            })
            .collect()
    }
}

/// Mean displacement of a skin's points over the step, and the largest deviation of one from that.
fn drift_and_spread(skin: &Skin) -> (Vec3, f64) {
    let ways = || skin.points.iter().zip(&skin.next).map(|(p, q)| *q - *p);
    let drift = ways().sum::<Vec3>() / skin.points.len() as f64;
    (drift, ways().map(|way| (way - drift).length_squared()).fold(0.0, f64::max).sqrt())
}

/// Broad phase: pairs whose boxes overlap, of which at least one can change and at least one is moved by forces.
pub(crate) fn pairs(objects: &[Object], only: Option<&[bool]>) -> Vec<(u32, u32)> {
    let boxes: Vec<Bounds> = objects.iter().map(|o| o.bounds).collect();
    let everywhere = |o: &Object| matches!(o.skin.form.solid, Solid::HalfSpace(_));
    let finite: Vec<u32> = (0..objects.len() as u32).filter(|i| !everywhere(&objects[*i as usize])).collect();
    let planes: Vec<u32> = (0..objects.len() as u32).filter(|i| everywhere(&objects[*i as usize])).collect();
    let tree = Tree::build(&finite.iter().map(|i| boxes[*i as usize]).collect::<Vec<_>>());
    let of = |i: &u32| {
        let mut found = vec![];
        let (o, bounds) = (&objects[*i as usize], &boxes[*i as usize]);
        if !o.moves {
            return found;
        }
        if o.active && o.skin.form.folding.is_some() && only.is_none_or(|w| w[*i as usize]) {
            found.push((*i, *i));
        }
        tree.query(bounds, |k| {
            let j = finite[k as usize];
            let other = &objects[j as usize];
            // Obstacles come after bodies, so each pair is found once, from its first body.
            let once = j > *i && (o.active || other.active);
            let wanted = only.is_none_or(|w| w[*i as usize] || w[j as usize]);
            if once && wanted && bounds.overlaps(&boxes[j as usize]) {
                found.push((*i, j));
            }
        });
        for j in &planes {
            let other = &objects[*j as usize];
            if let Solid::HalfSpace(n) = other.skin.form.solid {
                let nearest = Vec3::select(n.cmpgt(Vec3::ZERO), bounds.low, bounds.high);
                let wanted = only.is_none_or(|w| w[*i as usize]);
                if wanted
                    && (o.active || other.active)
                    && n.dot(nearest - other.skin.points[0]) <= other.spread + other.drift.length()
                {
                    found.push((*i, *j));
                }
            }
        }
        found.sort_unstable();
        found
    };
    finite.par_iter().with_min_len(64).map(of).collect::<Vec<_>>().concat()
}

impl Memories {
    /// The normals and impulses remembered of a pair.
    fn recall(&self, pair: (u32, u32)) -> Option<&Memory> {
        self.0.binary_search_by_key(&pair, |m| m.pair).ok().map(|k| &self.0[k])
    }

    /// Objects that touched an object in the last step.
    pub(crate) fn partners(&self, object: u32) -> impl Iterator<Item = u32> + '_ {
        let touching = self.0.iter().filter(move |m| m.pair.0 == object || m.pair.1 == object);
        touching.filter(|m| !m.impulses.is_empty()).map(move |m| m.pair.0 ^ m.pair.1 ^ object)
    }

    /// Looks at pairs of objects.
    pub(crate) fn look(&self, objects: &[Object], pairs: &[(u32, u32)], tuning: &Tuning) -> Vec<Near> {
        pairs
            .par_iter()
            .with_min_len(16)
            .map(|(a, b)| {
                if a == b {
                    return fold::look(*a, &objects[*a as usize], tuning);
                }
                let guess = self.recall((*a, *b)).map(|m| m.normal);
                narrow::look((*a, &objects[*a as usize]), (*b, &objects[*b as usize]), guess, tuning)
            })
            .collect()
    }

    /// Impulse remembered for a touching place.
    pub(crate) fn warm(&self, pair: (u32, u32), id: u64) -> Vec3 {
        let Some(memory) = self.recall(pair) else { return Vec3::ZERO };
        let at = memory.impulses.partition_point(|(i, _)| *i < id);
        memory.impulses.get(at).filter(|(i, _)| *i == id).map_or(Vec3::ZERO, |(_, p)| *p)
    }

    /// Remembers this step for the next. `kept` tells which remembered pairs stay though they were not looked at
    /// (both asleep).
    pub(crate) fn remember(&mut self, near: &[Near], rows: &[Row], kept: impl Fn(u32, u32) -> bool) {
        let mut next: Vec<Memory> = near
            .iter()
            .filter(|n| !n.planes.is_empty())
            .map(|n| Memory {
                pair: (n.a, n.b),
                normal: n.planes.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).map_or(Vec3::Y, |p| p.normal),
                impulses: Vec::with_capacity(n.touches.len()),
            })
            .collect();
        for row in rows {
            if let Ok(k) = next.binary_search_by_key(&row.pair, |m| m.pair) {
                next[k].impulses.push((row.id, row.impulse()));
            }
        }
        // Of features that there are twice the first stays in front.
        next.iter_mut().for_each(|m| m.impulses.sort_by_key(|(id, _)| *id));
        let old = std::mem::take(&mut self.0);
        next.extend(old.into_iter().filter(|m| kept(m.pair.0, m.pair.1)));
        next.sort_by_key(|m| m.pair);
        next.dedup_by_key(|m| m.pair);
        self.0 = next;
    }

    /// Forgets an object that came apart, and makes room for so many more behind it.
    pub(crate) fn make_room(&mut self, object: u32, more: u32) {
        self.0.retain(|m| m.pair.0 != object && m.pair.1 != object);
        let up = |i: u32| if i > object { i + more } else { i };
        self.0.iter_mut().for_each(|m| m.pair = (up(m.pair.0), up(m.pair.1)));
    }

    /// Exact state, for checkpoints.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.0.len() as u64);
        for m in &self.0 {
            out.u64(u64::from(m.pair.0) << 32 | u64::from(m.pair.1));
            out.vec3(m.normal);
            out.u64(m.impulses.len() as u64);
            for (id, impulse) in &m.impulses {
                out.u64(*id);
                out.vec3(*impulse);
            }
        }
    }

    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.0.clear();
        let count = from.u64()? as usize;
        if count > from.left() {
            return Err("the saved state is damaged".into());
        }
        for _ in 0..count {
            let key = from.u64()?;
            let normal = from.vec3()?;
            let places = from.u64()? as usize;
            if places > from.left() {
                return Err("the saved state is damaged".into());
            }
            let mut impulses = Vec::with_capacity(places);
            for _ in 0..places {
                impulses.push((from.u64()?, from.vec3()?));
            }
            impulses.sort_by_key(|(id, _)| *id);
            self.0.push(Memory { pair: ((key >> 32) as u32, key as u32), normal, impulses });
        }
        Ok(())
    }
}
