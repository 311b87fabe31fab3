//! The way of one ray through the tree.

use super::grow::{BLOCK, Block, Grown, Node};
use super::{Hit, TOGETHER};
use crate::lanes::Lanes;
use glam::Vec3A;

/// Directions flatter than this along an axis count as this: one over it is still a number.
const FLAT: f32 = 1e-18;
/// Boxes are this much too large, so that rounding never loses a triangle on their border.
pub(super) const WIDER: f32 = 1.0 + 6.0 * f32::EPSILON;
/// Rounding of products with the origin, as a part of them.
pub(super) const SLACK: f32 = 4.0 * f32::EPSILON;

/// What waits to be looked at, as two halves of a number: the bits of the distance at which a child begins, which are ordered
/// as the distances are, and its name; or, where the order does not matter, which children of a node are left, and the node.
pub(crate) type Waiting = Vec<u64>;

#[inline(always)]
pub(super) fn joined(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

#[inline(always)]
pub(super) fn halves(whole: u64) -> (u32, u32) {
    ((whole >> 32) as u32, whole as u32)
}

/// Room for all that may have to wait.
#[inline(always)]
pub(super) fn room<'a>(waiting: &'a mut Waiting, grown: &Grown) -> &'a mut [u64] {
    // Once for each thread, not for each ray.
    if waiting.len() < grown.waiting {
        waiting.resize(grown.waiting, 0);
    }
    &mut waiting[..]
}

/// A ray, each of its numbers eight times.
struct Ray<L: Lanes> {
    origin: [L::Eight; 3],
    direction: [L::Eight; 3],
    /// One over the direction, and that times the origin: for the bounds met first, and for those met last.
    inverse: [[L::Eight; 3]; 2],
    start: [[L::Eight; 3]; 2],
    /// Per axis, which bounds it meets first and which last.
    first: [usize; 3],
    last: [usize; 3],
}

/// One over a direction's part, or something very large.
#[inline(always)]
pub(super) fn inverse(d: f32) -> f32 {
    1.0 / if d.abs() < FLAT { FLAT.copysign(d) } else { d }
}

#[inline(always)]
fn dot<L: Lanes>(lanes: L, a: [L::Eight; 3], b: [L::Eight; 3]) -> L::Eight {
    let [x, y, z] = [lanes.mul(a[0], b[0]), lanes.mul(a[1], b[1]), lanes.mul(a[2], b[2])];
    lanes.add(lanes.add(x, y), z)
}

#[inline(always)]
fn cross<L: Lanes>(lanes: L, a: [L::Eight; 3], b: [L::Eight; 3]) -> [L::Eight; 3] {
    [
        lanes.sub(lanes.mul(a[1], b[2]), lanes.mul(b[1], a[2])),
        lanes.sub(lanes.mul(a[2], b[0]), lanes.mul(b[2], a[0])),
        lanes.sub(lanes.mul(a[0], b[1]), lanes.mul(b[0], a[1])),
    ]
}

#[inline(always)]
pub(super) fn splat<L: Lanes>(lanes: L, v: Vec3A) -> [L::Eight; 3] {
    [lanes.splat(v.x), lanes.splat(v.y), lanes.splat(v.z)]
}

#[inline(always)]
pub(super) fn load<L: Lanes>(lanes: L, v: &[[f32; 8]; 3]) -> [L::Eight; 3] {
    [lanes.load(&v[0]), lanes.load(&v[1]), lanes.load(&v[2])]
}

#[inline(always)]
fn sub<L: Lanes>(lanes: L, a: [L::Eight; 3], b: [L::Eight; 3]) -> [L::Eight; 3] {
    [lanes.sub(a[0], b[0]), lanes.sub(a[1], b[1]), lanes.sub(a[2], b[2])]
}

impl<L: Lanes> Ray<L> {
    #[inline(always)]
    fn new(lanes: L, origin: Vec3A, direction: Vec3A) -> Self {
        let inverse = Vec3A::new(inverse(direction.x), inverse(direction.y), inverse(direction.z));
        let start = origin * inverse;
        let slack = start.abs() * SLACK;
        let [x, y, z] = [inverse.x < 0.0, inverse.y < 0.0, inverse.z < 0.0].map(usize::from);
        Self {
            origin: splat(lanes, origin),
            direction: splat(lanes, direction),
            inverse: [splat(lanes, inverse), splat(lanes, inverse * WIDER)],
            start: [splat(lanes, start + slack), splat(lanes, start * WIDER - slack)],
            first: [3 * x, 1 + 3 * y, 2 + 3 * z],
            last: [3 - 3 * x, 4 - 3 * y, 5 - 3 * z],
        }
    }

    /// Which children the ray meets within a distance, and where it enters each.
    #[inline(always)]
    fn children(&self, lanes: L, node: &Node, longest: L::Eight) -> (u32, L::Eight) {
        let [a, b, c] = self.crossings::<0>(lanes, node, self.first);
        let enter = lanes.max(lanes.max(a, b), lanes.max(c, lanes.splat(0.0)));
        let [a, b, c] = self.crossings::<1>(lanes, node, self.last);
        let leave = lanes.min(lanes.min(a, b), lanes.min(c, longest));
        (lanes.le(enter, leave), enter)
    }

    #[inline(always)]
    fn crossings<const LAST: usize>(&self, lanes: L, node: &Node, [x, y, z]: [usize; 3]) -> [L::Eight; 3] {
        let (inverse, start) = (&self.inverse[LAST], &self.start[LAST]);
        [
            lanes.mul_sub(lanes.load(&node.bounds[x]), inverse[0], start[0]),
            lanes.mul_sub(lanes.load(&node.bounds[y]), inverse[1], start[1]),
            lanes.mul_sub(lanes.load(&node.bounds[z]), inverse[2], start[2]),
        ]
    }

    /// Which triangles the ray meets, and where: distances and weights.
    #[inline(always)]
    fn triangles(&self, lanes: L, block: &Block, longest: L::Eight) -> (u32, [L::Eight; 3]) {
        block.crossed_by(lanes, self.origin, self.direction, longest)
    }
}

impl Block {
    /// Which triangles a ray meets, and where: distances and weights.
    #[inline(always)]
    pub(super) fn crossed<L: Lanes>(
        &self,
        lanes: L,
        origin: Vec3A,
        direction: Vec3A,
        longest: L::Eight,
    ) -> (u32, [L::Eight; 3]) {
        self.crossed_by(lanes, splat(lanes, origin), splat(lanes, direction), longest)
    }

    #[inline(always)]
    fn crossed_by<L: Lanes>(
        &self,
        lanes: L,
        origin: [L::Eight; 3],
        direction: [L::Eight; 3],
        longest: L::Eight,
    ) -> (u32, [L::Eight; 3]) {
        let to = sub(lanes, load(lanes, &self.corner), origin);
        let [edge1, edge2] = [load(lanes, &self.edge1), load(lanes, &self.edge2)];
        crossing(lanes, to, direction, [edge1, edge2, load(lanes, &self.normal)], longest)
    }

    /// Of some triangles of this block, which has this number and which a ray meets at these distances and weights, the nearest.
    #[inline(always)]
    pub(super) fn nearest<L: Lanes>(
        &self,
        lanes: L,
        number: u32,
        mut met: u32,
        [t, u, v]: [L::Eight; 3],
        reach: &mut f32,
        found: &mut Option<Hit>,
    ) {
        let t = lanes.store(t);
        let mut first = TOGETHER;
        while met != 0 {
            let k = met.trailing_zeros() as usize & 7;
            met &= met - 1;
            if t[k] < *reach {
                *reach = t[k];
                first = k;
            }
        }
        if first < TOGETHER {
            let weights = [lanes.store(u)[first], lanes.store(v)[first]];
            let what = self.first + first as u32;
            *found = Some(Hit { distance: *reach, what, weights, block: number });
        }
    }
}

/// Where rays cross triangles whose first corners lie `to` away [MT97]: which do so nearer than `longest`, at what
/// distances, with what weights.
#[inline(always)]
fn crossing<L: Lanes>(
    lanes: L,
    to: [L::Eight; 3],
    direction: [L::Eight; 3],
    [edge1, edge2, normal]: [[L::Eight; 3]; 3],
    longest: L::Eight,
) -> (u32, [L::Eight; 3]) {
    let turned = cross(lanes, direction, to);
    let inverse = lanes.div(lanes.splat(1.0), dot(lanes, normal, direction));
    let u = lanes.mul(dot(lanes, turned, edge2), inverse);
    let v = lanes.mul(dot(lanes, turned, edge1), inverse);
    let w = lanes.sub(lanes.sub(lanes.splat(1.0), u), v);
    let t = lanes.mul(dot(lanes, normal, to), inverse);
    let outside = lanes.any_negative(u, v, w);
    let met = !outside & lanes.le(lanes.splat(0.0), t) & lanes.lt(t, longest);
    (met, [t, u, v])
}

/// Of some children of a node, the nearest; the others wait, the nearest of them on top. `name` says under which name.
#[inline(always)]
pub(super) fn sort<L: Lanes>(
    lanes: L,
    name: impl Fn(usize) -> u32,
    mut met: u32,
    enter: L::Eight,
    waiting: &mut [u64],
    depth: &mut usize,
) -> u32 {
    let k = met.trailing_zeros() as usize & 7;
    met &= met - 1;
    if met == 0 {
        return name(k);
    }
    let enter = lanes.store(enter);
    let mut nearest = joined(enter[k].to_bits(), name(k));
    let base = *depth;
    while met != 0 {
        let k = met.trailing_zeros() as usize & 7;
        met &= met - 1;
        let next = joined(enter[k].to_bits(), name(k));
        // Which of two is nearer cannot be foreseen: a choice of numbers, not of ways.
        let farther = nearest.max(next);
        nearest = nearest.min(next);
        let mut place = *depth;
        while place > base && waiting[place - 1] < farther {
            waiting[place] = waiting[place - 1];
            place -= 1;
        }
        waiting[place] = farther;
        *depth += 1;
    }
    nearest as u32
}

/// The first triangle on the ray's way, nearer than `longest`.
#[inline(always)]
pub(super) fn nearest<L: Lanes>(
    lanes: L,
    grown: &Grown,
    waiting: &mut Waiting,
    (origin, direction): (Vec3A, Vec3A),
    longest: f32,
) -> Option<Hit> {
    let Grown { nodes, blocks, .. } = grown;
    if nodes.is_empty() {
        return None;
    }
    let waiting = room(waiting, grown);
    let ray = Ray::new(lanes, origin, direction);
    let mut found = None;
    let mut reach = longest;
    let mut longest = lanes.splat(reach);
    let mut depth = 0;
    let mut next = 0;
    loop {
        if next & BLOCK == 0 {
            let node = &nodes[next as usize];
            let (met, enter) = ray.children(lanes, node, longest);
            if met != 0 {
                next = sort(lanes, |k| node.children[k], met, enter, waiting, &mut depth);
                continue;
            }
        } else {
            let number = next & !BLOCK;
            let block = &blocks[number as usize];
            let (met, [t, u, v]) = ray.triangles(lanes, block, longest);
            if met != 0 {
                block.nearest(lanes, number, met, [t, u, v], &mut reach, &mut found);
                longest = lanes.splat(reach);
            }
        }
        loop {
            if depth == 0 {
                return found;
            }
            depth -= 1;
            let (at, child) = halves(waiting[depth]);
            if f32::from_bits(at) < reach {
                next = child;
                break;
            }
        }
    }
}

/// Whether there is a triangle on the ray's way, nearer than `longest`.
#[inline(always)]
pub(super) fn is_blocked<L: Lanes>(
    lanes: L,
    grown: &Grown,
    waiting: &mut Waiting,
    (origin, direction): (Vec3A, Vec3A),
    longest: f32,
) -> bool {
    let Grown { nodes, blocks, .. } = grown;
    if nodes.is_empty() {
        return false;
    }
    let waiting = room(waiting, grown);
    let ray = Ray::new(lanes, origin, direction);
    let longest = lanes.splat(longest);
    let mut depth = 0;
    let mut here = 0;
    let mut node = &nodes[0];
    let mut met = ray.children(lanes, node, longest).0;
    loop {
        while met != 0 {
            let k = met.trailing_zeros() as usize & 7;
            met &= met - 1;
            let child = node.children[k];
            if child & BLOCK != 0 {
                if ray.triangles(lanes, &blocks[(child & !BLOCK) as usize], longest).0 != 0 {
                    return true;
                }
            } else {
                let inner = &nodes[child as usize];
                let inside = ray.children(lanes, inner, longest).0;
                if inside != 0 {
                    // What is left of this node waits.
                    if met != 0 {
                        waiting[depth] = joined(met, here);
                        depth += 1;
                    }
                    here = child;
                    node = inner;
                    met = inside;
                }
            }
        }
        if depth == 0 {
            return false;
        }
        depth -= 1;
        (met, here) = halves(waiting[depth]);
        node = &nodes[here as usize];
    }
}
