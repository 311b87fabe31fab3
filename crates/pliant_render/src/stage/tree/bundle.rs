//! The way of several rays through the tree together: rays that begin near each other and go nearly the same way meet
//! nearly the same boxes, and one look at a node's children serves them all.

use super::Hit;
use super::grow::{BLOCK, Block, Grown, Node};
use super::walk::{SLACK, WIDER, Waiting, halves, inverse, joined, load, room, sort, splat};
use crate::lanes::Lanes;
use glam::Vec3A;

/// Rays that can go together.
pub(crate) const TOGETHER: usize = 8;

/// How far each ray looks; less than nothing in lanes without a ray.
pub(super) type Reach = [f32; TOGETHER];

/// Where there is no ray.
pub(super) const NOWHERE: f32 = -1.0;

/// What a ray needs to be held against boxes, for the bounds met first and for those met last.
struct Slopes<L: Lanes> {
    inverse: [[L::Eight; 3]; 2],
    start: [[L::Eight; 3]; 2],
}

/// Rays that all go up or all go down along every axis.
pub(super) struct Bundle<'a, L: Lanes> {
    rays: &'a [(Vec3A, Vec3A)],
    /// Each ray in a lane of its own.
    each: Slopes<L>,
    /// Two rays that no ray of the bundle enters any box before or leaves it after, whichever of the two does so first
    /// or last.
    outer: [Slopes<L>; 2],
    /// Per axis, which bounds they meet first and which last.
    first: [usize; 3],
    last: [usize; 3],
}

impl<L: Lanes> Slopes<L> {
    /// From one over the directions, and the origins that matter at the bounds met first and last.
    #[inline(always)]
    fn new(lanes: L, inverse: [L::Eight; 3], origins: [[L::Eight; 3]; 2]) -> Self {
        let [x, y, z] = inverse;
        let wider = lanes.splat(WIDER);
        Self {
            inverse: [inverse, [lanes.mul(x, wider), lanes.mul(y, wider), lanes.mul(z, wider)]],
            start: [
                [
                    Self::before(lanes, origins[0][0], x),
                    Self::before(lanes, origins[0][1], y),
                    Self::before(lanes, origins[0][2], z),
                ],
                [
                    Self::after(lanes, origins[1][0], x),
                    Self::after(lanes, origins[1][1], y),
                    Self::after(lanes, origins[1][2], z),
                ],
            ],
        }
    }

    /// An origin over a direction, and the rounding of that.
    #[inline(always)]
    fn start(lanes: L, origin: L::Eight, inverse: L::Eight) -> (L::Eight, L::Eight) {
        let start = lanes.mul(origin, inverse);
        let size = lanes.max(start, lanes.sub(lanes.splat(0.0), start));
        (start, lanes.mul(size, lanes.splat(SLACK)))
    }

    #[inline(always)]
    fn before(lanes: L, origin: L::Eight, inverse: L::Eight) -> L::Eight {
        let (start, slack) = Self::start(lanes, origin, inverse);
        lanes.add(start, slack)
    }

    #[inline(always)]
    fn after(lanes: L, origin: L::Eight, inverse: L::Eight) -> L::Eight {
        let (start, slack) = Self::start(lanes, origin, inverse);
        lanes.sub(lanes.mul(start, lanes.splat(WIDER)), slack)
    }

    #[inline(always)]
    fn crossings<const LAST: usize>(&self, lanes: L, bounds: [L::Eight; 3]) -> [L::Eight; 3] {
        let (inverse, start) = (&self.inverse[LAST], &self.start[LAST]);
        [
            lanes.mul_sub(bounds[0], inverse[0], start[0]),
            lanes.mul_sub(bounds[1], inverse[1], start[1]),
            lanes.mul_sub(bounds[2], inverse[2], start[2]),
        ]
    }
}

impl<'a, L: Lanes> Bundle<'a, L> {
    /// Nothing if along some axis the rays do not all go up or all go down.
    #[inline(always)]
    pub fn new(lanes: L, rays: &'a [(Vec3A, Vec3A)]) -> Option<Self> {
        let [mut origins, mut inverses] = [[[0.0; TOGETHER]; 3]; 2];
        let (mut lower, mut upper) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        let (mut least, mut most) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for k in 0..TOGETHER {
            // Lanes without a ray repeat the first.
            let (origin, direction) = *rays.get(k).unwrap_or(&rays[0]);
            let one_over = Vec3A::new(inverse(direction.x), inverse(direction.y), inverse(direction.z));
            (lower, upper) = (lower.min(origin), upper.max(origin));
            (least, most) = (least.min(one_over), most.max(one_over));
            for axis in 0..3 {
                origins[axis][k] = origin[axis];
                inverses[axis][k] = one_over[axis];
            }
        }
        let down = most.cmplt(Vec3A::ZERO);
        if (down | least.cmpgt(Vec3A::ZERO)).bitmask() != 0b111 {
            return None;
        }
        // Those begin nearest to what they meet that begin farthest along.
        let near = splat(lanes, Vec3A::select(down, lower, upper));
        let far = splat(lanes, Vec3A::select(down, upper, lower));
        let own = load(lanes, &origins);
        let [x, y, z] = [usize::from(down.test(0)), usize::from(down.test(1)), usize::from(down.test(2))];
        Some(Self {
            rays,
            each: Slopes::new(lanes, load(lanes, &inverses), [own, own]),
            outer: [
                Slopes::new(lanes, splat(lanes, least), [near, far]),
                Slopes::new(lanes, splat(lanes, most), [near, far]),
            ],
            first: [3 * x, 1 + 3 * y, 2 + 3 * z],
            last: [3 - 3 * x, 4 - 3 * y, 5 - 3 * z],
        })
    }

    /// Which children any ray may meet within a distance, and where the first may enter each.
    #[inline(always)]
    fn children(&self, lanes: L, node: &Node, longest: L::Eight) -> (u32, L::Eight) {
        let [x, y, z] = self.first;
        let sides = [lanes.load(&node.bounds[x]), lanes.load(&node.bounds[y]), lanes.load(&node.bounds[z])];
        let [ax, ay, az] = self.outer[0].crossings::<0>(lanes, sides);
        let [bx, by, bz] = self.outer[1].crossings::<0>(lanes, sides);
        let [x, y, z] = [lanes.min(ax, bx), lanes.min(ay, by), lanes.min(az, bz)];
        let enter = lanes.max(lanes.max(x, y), lanes.max(z, lanes.splat(0.0)));
        let [x, y, z] = self.last;
        let sides = [lanes.load(&node.bounds[x]), lanes.load(&node.bounds[y]), lanes.load(&node.bounds[z])];
        let [ax, ay, az] = self.outer[0].crossings::<1>(lanes, sides);
        let [bx, by, bz] = self.outer[1].crossings::<1>(lanes, sides);
        let [x, y, z] = [lanes.max(ax, bx), lanes.max(ay, by), lanes.max(az, bz)];
        let leave = lanes.min(lanes.min(x, y), lanes.min(z, longest));
        (lanes.le(enter, leave), enter)
    }

    /// Which rays meet a child of a node within their reach.
    #[inline(always)]
    fn rays_at(&self, lanes: L, node: &Node, child: usize, reach: &Reach) -> u32 {
        let [x, y, z] = self.first;
        let sides = Vec3A::new(node.bounds[x][child], node.bounds[y][child], node.bounds[z][child]);
        let [a, b, c] = self.each.crossings::<0>(lanes, splat(lanes, sides));
        let enter = lanes.max(lanes.max(a, b), lanes.max(c, lanes.splat(0.0)));
        let [x, y, z] = self.last;
        let sides = Vec3A::new(node.bounds[x][child], node.bounds[y][child], node.bounds[z][child]);
        let [a, b, c] = self.each.crossings::<1>(lanes, splat(lanes, sides));
        let leave = lanes.min(lanes.min(a, b), lanes.min(c, lanes.load(reach)));
        lanes.le(enter, leave)
    }

    /// Sends the rays through the tree. What each meets first within its reach goes to `met`.
    #[inline(always)]
    pub fn walk(
        &self,
        lanes: L,
        grown: &Grown,
        waiting: &mut Waiting,
        mut reach: Reach,
        met: &mut [Option<Hit>],
    ) {
        let Grown { nodes, blocks, .. } = grown;
        let mut farthest = largest(&reach);
        if nodes.is_empty() {
            return;
        }
        let waiting = room(waiting, grown);
        let mut depth = 0;
        let mut here = 0;
        loop {
            let node = &nodes[here as usize];
            let (children, enter) = self.children(lanes, node, lanes.splat(farthest));
            let mut next = None;
            if children != 0 {
                // A child is known by its node: there stands its box.
                next = Some(sort(lanes, |k| here << 3 | k as u32, children, enter, waiting, &mut depth));
            }
            here = loop {
                let place = match next.take() {
                    Some(place) => place,
                    None => loop {
                        if depth == 0 {
                            return;
                        }
                        depth -= 1;
                        let (at, place) = halves(waiting[depth]);
                        if f32::from_bits(at) < farthest {
                            break place;
                        }
                    },
                };
                let (node, k) = (&nodes[place as usize >> 3], place as usize & 7);
                let child = node.children[k];
                let mut rays = self.rays_at(lanes, node, k, &reach);
                if rays == 0 {
                    continue;
                }
                if child & BLOCK == 0 {
                    break child;
                }
                let number = child & !BLOCK;
                let mut changed = false;
                while rays != 0 {
                    let ray = rays.trailing_zeros() as usize & 7;
                    rays &= rays - 1;
                    changed |= self.cross(lanes, blocks, number, ray, &mut reach, met);
                }
                if changed {
                    farthest = largest(&reach);
                }
            };
        }
    }

    /// Sends the rays through the tree until each has met something; adds those that have to the bits `blocked`.
    #[inline(always)]
    pub fn blocked(&self, lanes: L, grown: &Grown, waiting: &mut Waiting, mut blocked: u32) -> u32 {
        let Grown { nodes, blocks, .. } = grown;
        if nodes.is_empty() {
            return blocked;
        }
        let waiting = room(waiting, grown);
        let all = (1 << self.rays.len()) - 1;
        let endless = [f32::INFINITY; TOGETHER];
        let longest = lanes.splat(f32::INFINITY);
        let mut depth = 0;
        let mut here = 0;
        let mut node = &nodes[0];
        let mut met = self.children(lanes, node, longest).0;
        loop {
            while met != 0 {
                let k = met.trailing_zeros() as usize & 7;
                met &= met - 1;
                let child = node.children[k];
                let mut rays = self.rays_at(lanes, node, k, &endless) & all & !blocked;
                if rays == 0 {
                    continue;
                }
                if child & BLOCK != 0 {
                    let block = &blocks[(child & !BLOCK) as usize];
                    while rays != 0 {
                        let ray = rays.trailing_zeros() as usize & 7;
                        rays &= rays - 1;
                        let (origin, direction) = self.rays[ray];
                        let crossed = block.crossed(lanes, origin, direction, longest).0;
                        blocked |= u32::from(crossed != 0) << ray;
                    }
                    if blocked == all {
                        return blocked;
                    }
                    continue;
                }
                let inner = &nodes[child as usize];
                let inside = self.children(lanes, inner, longest).0;
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
            if depth == 0 {
                return blocked;
            }
            depth -= 1;
            (met, here) = halves(waiting[depth]);
            node = &nodes[here as usize];
        }
    }

    /// Holds one ray against a block of triangles; whether it meets one within its reach.
    #[inline(always)]
    fn cross(
        &self,
        lanes: L,
        blocks: &[Block],
        number: u32,
        ray: usize,
        reach: &mut Reach,
        met: &mut [Option<Hit>],
    ) -> bool {
        let block = &blocks[number as usize];
        let (Some((origin, direction)), Some(met)) = (self.rays.get(ray), met.get_mut(ray)) else {
            return false;
        };
        let (hits, [t, u, v]) = block.crossed(lanes, *origin, *direction, lanes.splat(reach[ray]));
        if hits == 0 {
            return false;
        }
        block.nearest(lanes, number, hits, [t, u, v], &mut reach[ray], met);
        true
    }
}

#[inline(always)]
fn largest(reach: &Reach) -> f32 {
    let mut largest = NOWHERE;
    for r in reach {
        largest = if *r > largest { *r } else { largest };
    }
    largest
}
