//! A closed surface made of triangles, and how it is made finer in places.

use super::bounds::{Bounds, Tree};
use crate::math::Vec3;
use crate::shape::{Sets, triangles_meet};
use rayon::prelude::*;

/// A surface made of triangles.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// World positions.
    pub points: Vec<Vec3>,
    /// Outward unit normals.
    pub normals: Vec<Vec3>,
    /// The part of the body that each point belongs to most.
    pub owners: Vec<u32>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Volume enclosed by triangles `[m^3]`.
pub fn flat_volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|t| volume_under(points, t)).sum()
}

/// Volume between a triangle and the first point `[m^3]`.
fn volume_under(points: &[Vec3], triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|k| points[k as usize] - points[0]);
    a.dot(b.cross(c)) / 6.0
}

impl Surface {
    /// Volume enclosed by the triangles `[m^3]`.
    pub fn flat_volume(&self) -> f64 {
        flat_volume(&self.points, &self.triangles)
    }

    /// Volume enclosed by the surface that the points and normals tell of `[m^3]`.
    pub fn volume(&self) -> f64 {
        self.triangles.iter().map(|t| self.volume_under(t) + self.bulge_over(t)).sum()
    }

    /// Volume between a triangle and the first point `[m^3]`.
    pub fn volume_under(&self, triangle: &[u32; 3]) -> f64 {
        volume_under(&self.points, triangle)
    }

    /// Volume between a triangle and the curved surface over it `[m^3]`: a parabola over each edge, as high in its middle
    /// as the normals at its ends differ.
    pub fn bulge_over(&self, triangle: &[u32; 3]) -> f64 {
        let x = triangle.map(|k| self.points[k as usize]);
        let n = triangle.map(|k| self.normals[k as usize]);
        let height = |a: usize, b: usize| (n[b] - n[a]).dot(x[b] - x[a]) / 8.0;
        let area = 0.5 * (x[1] - x[0]).cross(x[2] - x[0]).length();
        area / 3.0 * (height(0, 1) + height(1, 2) + height(2, 0))
    }

    /// Triangles where it passes through itself; each point of it is shown at another place. Only triangles with a point that
    /// was `put` somewhere can meet others.
    pub fn folds(&self, shown: impl Fn(Vec3) -> Vec3 + Sync, put: &[bool]) -> Vec<u32> {
        let corners = |t: u32| self.triangles[t as usize].map(|k| shown(self.points[k as usize]));
        let bounds = |t: u32| Bounds::of(corners(t).into_iter());
        let is_put = |t: u32| self.triangles[t as usize].iter().any(|k| put[*k as usize]);
        let all = 0..self.triangles.len() as u32;
        let movers: Vec<u32> = all.clone().filter(|t| is_put(*t)).collect();
        let boxes: Vec<Bounds> = movers.iter().map(|t| bounds(*t)).collect();
        let tree = Tree::build(&boxes);
        let met = |t: u32| {
            let (mut found, own, around, second) = (vec![], corners(t), bounds(t), is_put(t));
            tree.query(&around, |k| {
                let u = movers[k as usize];
                // Of two that were put somewhere each is asked for the other.
                if u == t || (second && u > t) || !boxes[k as usize].overlaps(&around) {
                    return;
                }
                let [one, other] = [t, u].map(|k| self.triangles[k as usize]);
                if triangles_meet(one, own, other, corners(u)) {
                    found.extend([t, u]);
                }
            });
            found
        };
        all.into_par_iter().with_min_len(256).flat_map_iter(met).collect()
    }

    /// Leaves out all triangles but those of points that are `wanted`; connected points are so together.
    pub fn keep(&mut self, wanted: impl Fn(u32) -> bool) {
        let kept: Vec<u32> = (0..self.points.len() as u32).filter(|k| wanted(*k)).collect();
        let mut new = vec![u32::MAX; self.points.len()];
        kept.iter().zip(0..).for_each(|(k, n)| new[*k as usize] = n);
        self.points = kept.iter().map(|k| self.points[*k as usize]).collect();
        self.normals = kept.iter().map(|k| self.normals[*k as usize]).collect();
        self.owners = kept.iter().map(|k| self.owners[*k as usize]).collect();
        self.triangles.retain(|t| new[t[0] as usize] != u32::MAX);
        self.triangles.iter_mut().flatten().for_each(|k| *k = new[*k as usize]);
    }

    /// Connected piece of each point, counted from 0 in the order of their first points.
    pub fn pieces(&self) -> Vec<u32> {
        let mut sets = Sets::new(self.points.len());
        for [a, b, c] in &self.triangles {
            sets.join(*a as usize, *b as usize);
            sets.join(*a as usize, *c as usize);
        }
        sets.names()
    }

    /// Cuts all edges of some triangles in two, and with them the neighbours that share those edges, so that the surface
    /// stays closed. `place` says from the two ends of an edge where its new point goes, and the normal there.
    pub fn split(&mut self, these: &[u32], place: impl Fn(&Self, u32, u32) -> (Vec3, Vec3)) {
        let edge = |a: u32, b: u32| (a.min(b), a.max(b));
        let edges_of = |[a, b, c]: [u32; 3]| [edge(a, b), edge(b, c), edge(c, a)];
        let mut cut: Vec<(u32, u32)> =
            these.iter().flat_map(|t| edges_of(self.triangles[*t as usize])).collect();
        cut.sort_unstable();
        cut.dedup();
        let first = self.points.len() as u32;
        let new: Vec<(Vec3, Vec3)> = cut.iter().map(|(a, b)| place(self, *a, *b)).collect();
        for ((a, _), (p, n)) in cut.iter().zip(new) {
            self.points.push(p);
            self.normals.push(n);
            self.owners.push(self.owners[*a as usize]);
        }
        for t in std::mem::take(&mut self.triangles) {
            let middles = edges_of(t).map(|e| cut.binary_search(&e).ok().map(|k| first + k as u32));
            match (t, middles) {
                ([a, b, c], [Some(k), Some(l), Some(m)]) => {
                    self.triangles.extend([[a, k, m], [k, b, l], [m, l, c], [k, l, m]]);
                }
                ([a, b, c], [Some(k), Some(l), None])
                | ([c, a, b], [None, Some(k), Some(l)])
                | ([b, c, a], [Some(l), None, Some(k)]) => {
                    self.triangles.extend([[k, b, l], [a, k, l], [a, l, c]]);
                }
                ([a, b, c], [Some(k), None, None])
                | ([c, a, b], [None, Some(k), None])
                | ([b, c, a], [None, None, Some(k)]) => self.triangles.extend([[a, k, c], [k, b, c]]),
                (_, [None, None, None]) => self.triangles.push(t),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{TriMesh, sphere_mesh};

    /// Whichever triangles are split, the surface stays closed, and split in the middle it encloses what it did.
    #[test]
    fn a_split_surface_stays_closed() {
        let mesh = sphere_mesh(1.0, 2);
        for seed in 0..20usize {
            let mut s = Surface {
                normals: mesh.points.iter().map(|p| p.normalize()).collect(),
                owners: vec![0; mesh.points.len()],
                points: mesh.points.clone(),
                triangles: mesh.triangles.clone(),
            };
            let before = s.flat_volume();
            let some: Vec<u32> =
                (0..s.triangles.len()).filter(|k| (k * 7 + seed) % 11 < 3).map(|k| k as u32).collect();
            s.split(&some, |s, a, b| {
                (0.5 * (s.points[a as usize] + s.points[b as usize]), s.normals[a as usize])
            });
            let made =
                TriMesh { points: s.points.clone(), triangles: s.triangles.clone(), ..TriMesh::default() };
            made.check_solid().unwrap();
            assert!((s.flat_volume() / before - 1.0).abs() < 1e-12);
        }
    }
}
