//! Finding what a ray meets first.

use super::{Face, Plane};
use glam::{UVec2, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh;
use obvhs::ray::Ray;
use obvhs::rt_triangle::RtTriangle;
use obvhs::traverse;
use std::time::Duration;

/// What a ray meets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Distance along the ray.
    pub distance: f32,
    /// Which face, in the tree's order; `PLANE + k` is the k-th plane.
    pub what: u32,
    /// Weights of the second and the third corner.
    pub weights: [f32; 2],
}

/// Beyond all faces.
pub(crate) const PLANE: u32 = 1 << 31;

/// Triangles in a tree of eight children per node.
#[derive(Default)]
pub(crate) struct Tree {
    boxes: CwBvh,
    triangles: Vec<RtTriangle>,
    /// In the order of `triangles`.
    pub faces: Vec<Face>,
}

impl Tree {
    pub fn new(faces: Vec<Face>, points: &[Vec3A]) -> Self {
        let triangle = |f: &Face| {
            let [a, b, c] = f.points.map(|p| points[p as usize]);
            RtTriangle::new(a, b, c)
        };
        if faces.is_empty() {
            return Self::default();
        }
        let unordered: Vec<RtTriangle> = faces.iter().map(triangle).collect();
        let boxes = build_cwbvh(&unordered, BvhBuildParams::medium_build(), &mut Duration::default());
        // In the order in which leaves name them, so that those of one leaf lie side by side in memory.
        let order: Vec<usize> = boxes.primitive_indices.iter().map(|i| *i as usize).collect();
        Self {
            triangles: order.iter().map(|i| unordered[*i]).collect(),
            faces: order.iter().map(|i| faces[*i]).collect(),
            boxes,
        }
    }

    /// The first thing on the ray's way.
    pub fn nearest(&self, origin: Vec3A, direction: Vec3A, longest: f32, planes: &[Plane]) -> Option<Hit> {
        let mut ray = Ray::new(origin, direction, 0.0, longest);
        let mut what = u32::MAX;
        for (k, plane) in planes.iter().enumerate() {
            if let Some(t) = plane.crossing(origin, direction)
                && t < ray.tmax
            {
                ray.tmax = t;
                what = PLANE + k as u32;
            }
        }
        if !self.triangles.is_empty() {
            let mut state = self.boxes.new_traversal(direction);
            let mut node;
            traverse!(self.boxes, node, state, node.intersect_ray(&ray, state.oct_inv4), {
                let t = self.triangles[state.primitive_id as usize].intersect(&ray);
                if t < ray.tmax {
                    ray.tmax = t;
                    what = state.primitive_id;
                }
            });
        }
        if what == u32::MAX {
            return None;
        }
        let weights = match self.triangles.get(what as usize) {
            Some(triangle) => triangle.compute_barycentric(&ray).to_array(),
            None => [0.0; 2],
        };
        Some(Hit { distance: ray.tmax, what, weights })
    }

    /// Whether anything is on the ray's way.
    pub fn is_blocked(&self, origin: Vec3A, direction: Vec3A, longest: f32, planes: &[Plane]) -> bool {
        if planes.iter().any(|p| p.crossing(origin, direction).is_some_and(|t| t < longest)) {
            return true;
        }
        if self.triangles.is_empty() {
            return false;
        }
        let ray = Ray::new(origin, direction, 0.0, longest);
        let mut blocked = false;
        let mut state = self.boxes.new_traversal(direction);
        let mut node;
        traverse!(self.boxes, node, state, node.intersect_ray(&ray, state.oct_inv4), {
            if self.triangles[state.primitive_id as usize].intersect(&ray) < ray.tmax {
                blocked = true;
                break;
            }
        });
        blocked
    }
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
mod tests {
    use super::*;

    /// Little triangles scattered by a fixed rule.
    fn scattered(n: u32) -> (Vec<Face>, Vec<Vec3A>) {
        let number = |k: u32| (k.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let points: Vec<Vec3A> = (0..3 * n)
            .map(|k| {
                let centre = Vec3A::new(number(k / 3 * 7), number(k / 3 * 7 + 1), number(k / 3 * 7 + 2));
                centre + 0.3 * Vec3A::new(number(k * 11), number(k * 11 + 5), number(k * 11 + 8))
            })
            .collect();
        let face = |t: u32| {
            let points = [3 * t, 3 * t + 1, 3 * t + 2];
            Face { object: 0, points, normals: points }
        };
        ((0..n).map(face).collect(), points)
    }

    #[test]
    fn tree_finds_what_trying_all_triangles_finds() {
        let (faces, points) = scattered(500);
        let tree = Tree::new(faces, &points);
        let mut hits = 0;
        for k in 0..400_u32 {
            let angle = k as f32 * 2.4;
            let origin = Vec3A::new(0.5 + 2.0 * angle.cos(), k as f32 / 400.0, 0.5 + 2.0 * angle.sin());
            let direction = (Vec3A::splat(0.5) - origin).normalize();
            let ray = Ray::new(origin, direction, 0.0, f32::INFINITY);
            let all = tree.triangles.iter().map(|t| t.intersect(&ray)).fold(f32::INFINITY, f32::min);
            let found = tree.nearest(origin, direction, f32::INFINITY, &[]);
            assert_eq!(found.map_or(f32::INFINITY, |h| h.distance), all, "ray {k}");
            assert_eq!(tree.is_blocked(origin, direction, f32::INFINITY, &[]), all < f32::INFINITY);
            hits += usize::from(found.is_some());
        }
        assert!(hits > 50, "{hits}");
    }

    #[test]
    fn planes_are_met_from_outside_only() {
        let floor = Plane { object: 0, normal: Vec3A::Y, offset: 1.0 };
        let tree = Tree::default();
        let down = tree.nearest(Vec3A::new(0.0, 3.0, 0.0), -Vec3A::Y, f32::INFINITY, &[floor]);
        assert!(down.is_some_and(|h| h.distance == 2.0 && h.what == PLANE));
        assert!(tree.nearest(Vec3A::ZERO, Vec3A::Y, f32::INFINITY, &[floor]).is_none());
        assert!(!tree.is_blocked(Vec3A::new(0.0, 3.0, 0.0), -Vec3A::Y, 1.9, &[floor]));
    }
}
