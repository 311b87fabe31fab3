//! Finding what a ray meets first.

mod bundle;
mod grow;
mod walk;

pub(crate) use bundle::TOGETHER;
pub(crate) use walk::Waiting;

use super::{Face, Plane};
use crate::lanes::{Lanes, Machine, Task};
use bundle::{Bundle, NOWHERE};
use glam::Vec3A;
use grow::{Grown, grow};

/// What a ray meets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Distance along the ray.
    pub distance: f32,
    /// Which face, in the tree's order; `PLANE + k` is the k-th plane.
    pub what: u32,
    /// Weights of the second and the third corner.
    pub weights: [f32; 2],
    /// Which block of triangles it was found in; nothing for a plane.
    block: u32,
}

/// Beyond all faces.
pub(crate) const PLANE: u32 = 1 << 31;

/// Triangles in a tree of eight children per node.
#[derive(Default)]
pub(crate) struct Tree {
    grown: Grown,
    machine: Machine,
    /// In the order of the tree's triangles.
    pub faces: Vec<Face>,
}

impl Tree {
    pub fn new(faces: Vec<Face>, points: &[Vec3A]) -> Self {
        if faces.is_empty() {
            return Self::default();
        }
        let triangles: Vec<[Vec3A; 3]> = faces.iter().map(|f| f.points.map(|p| points[p as usize])).collect();
        let objects: Vec<u32> = faces.iter().map(|f| f.object).collect();
        let grown = grow(&triangles, &objects);
        Self {
            faces: grown.order.iter().map(|i| faces[*i as usize]).collect(),
            grown,
            machine: Machine::at_hand(),
        }
    }

    /// The corners of a triangle that was met, and its object. The walk has just looked there, so they are near the
    /// processor.
    pub fn triangle(&self, hit: &Hit) -> ([Vec3A; 3], u32) {
        let block = &self.grown.blocks[hit.block as usize];
        let lane = (hit.what - block.first) as usize & 7;
        (block.corners(lane), block.object)
    }

    /// The first thing on the ray's way.
    pub fn nearest(
        &self,
        waiting: &mut Waiting,
        (origin, direction): (Vec3A, Vec3A),
        longest: f32,
        planes: &[Plane],
    ) -> Option<Hit> {
        let hit = on_planes((origin, direction), longest, planes);
        let longest = hit.map_or(longest, |h| h.distance);
        let ray = Query { grown: &self.grown, waiting, ray: (origin, direction), longest };
        self.machine.run(Nearest(ray)).or(hit)
    }

    /// The first thing on the way of each of up to `TOGETHER` rays, which had better be neighbours.
    pub fn nearest_of(
        &self,
        waiting: &mut Waiting,
        rays: &[(Vec3A, Vec3A)],
        planes: &[Plane],
    ) -> [Option<Hit>; TOGETHER] {
        let mut found = [None; TOGETHER];
        for (found, ray) in found.iter_mut().zip(rays) {
            *found = on_planes(*ray, f32::INFINITY, planes);
        }
        self.machine.run(Several { grown: &self.grown, waiting, rays, met: &mut found });
        found
    }

    /// Whether anything is on the ray's way.
    pub fn is_blocked(
        &self,
        waiting: &mut Waiting,
        (origin, direction): (Vec3A, Vec3A),
        longest: f32,
        planes: &[Plane],
    ) -> bool {
        if planes.iter().any(|p| p.crossing(origin, direction).is_some_and(|t| t < longest)) {
            return true;
        }
        self.machine.run(Blocked(Query { grown: &self.grown, waiting, ray: (origin, direction), longest }))
    }

    /// On the way of which of up to `TOGETHER` rays, which had better be neighbours, there is anything: one bit each.
    pub fn are_blocked(&self, waiting: &mut Waiting, rays: &[(Vec3A, Vec3A)], planes: &[Plane]) -> u32 {
        let mut blocked = 0;
        for (k, (origin, direction)) in rays.iter().enumerate() {
            let by_plane = planes.iter().any(|p| p.crossing(*origin, *direction).is_some());
            blocked |= u32::from(by_plane) << k;
        }
        self.machine.run(SeveralBlocked { grown: &self.grown, waiting, rays, blocked })
    }
}

/// One ray's way through the tree.
struct Query<'a> {
    grown: &'a Grown,
    waiting: &'a mut Waiting,
    ray: (Vec3A, Vec3A),
    longest: f32,
}

struct Nearest<'a>(Query<'a>);
struct Blocked<'a>(Query<'a>);

impl Task for Nearest<'_> {
    type Output = Option<Hit>;

    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) -> Option<Hit> {
        let Query { grown, waiting, ray, longest } = self.0;
        walk::nearest(lanes, grown, waiting, ray, longest)
    }
}

impl Task for Blocked<'_> {
    type Output = bool;

    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) -> bool {
        let Query { grown, waiting, ray, longest } = self.0;
        walk::is_blocked(lanes, grown, waiting, ray, longest)
    }
}

/// Several rays' ways through the tree. The planes that they meet are in `met` already.
struct Several<'a> {
    grown: &'a Grown,
    waiting: &'a mut Waiting,
    rays: &'a [(Vec3A, Vec3A)],
    met: &'a mut [Option<Hit>],
}

impl Task for Several<'_> {
    type Output = ();

    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let Several { grown, waiting, rays, met } = self;
        let mut reach = [NOWHERE; TOGETHER];
        for k in 0..rays.len().min(TOGETHER) {
            reach[k] = match met[k] {
                Some(hit) => hit.distance,
                None => f32::INFINITY,
            };
        }
        if rays.len() > 1
            && let Some(bundle) = Bundle::new(lanes, rays)
        {
            return bundle.walk(lanes, grown, waiting, reach, met);
        }
        for k in 0..rays.len().min(TOGETHER) {
            met[k] = walk::nearest(lanes, grown, waiting, rays[k], reach[k]).or(met[k]);
        }
    }
}

/// Whether there is anything on several rays' ways, but for those of which that is known already.
struct SeveralBlocked<'a> {
    grown: &'a Grown,
    waiting: &'a mut Waiting,
    rays: &'a [(Vec3A, Vec3A)],
    blocked: u32,
}

impl Task for SeveralBlocked<'_> {
    type Output = u32;

    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) -> u32 {
        let SeveralBlocked { grown, waiting, rays, mut blocked } = self;
        if rays.len() > 1
            && let Some(bundle) = Bundle::new(lanes, rays)
        {
            return bundle.blocked(lanes, grown, waiting, blocked);
        }
        for (k, ray) in rays.iter().enumerate().filter(|(k, _)| self.blocked >> k & 1 == 0) {
            let met = walk::is_blocked(lanes, grown, waiting, *ray, f32::INFINITY);
            blocked |= u32::from(met) << k;
        }
        blocked
    }
}

/// The first plane on a ray's way.
fn on_planes((origin, direction): (Vec3A, Vec3A), longest: f32, planes: &[Plane]) -> Option<Hit> {
    let mut hit: Option<Hit> = None;
    for (k, plane) in planes.iter().enumerate() {
        if let Some(distance) = plane.crossing(origin, direction)
            && distance < hit.map_or(longest, |h| h.distance)
        {
            hit = Some(Hit { distance, what: PLANE + k as u32, weights: [0.0; 2], block: 0 });
        }
    }
    hit
}

impl Plane {
    /// Distance at which a ray goes in. What lies behind the plane is solid and cannot be looked at.
    fn crossing(&self, origin: Vec3A, direction: Vec3A) -> Option<f32> {
        let towards = -self.normal.dot(direction);
        let height = self.normal.dot(origin) - self.offset;
        (towards > 0.0 && height > 0.0).then(|| height / towards)
    }
}

#[cfg(test)]
mod tests;
