//! Safe repairs of imported meshes: nothing that moves the surface.

use super::{MeshError, TriMesh};
use crate::math::Vec3;
use std::collections::{BTreeMap, VecDeque};

/// Points nearer than this, relative to the size of the mesh, are the same point. Files that write f32
/// coordinates round to about 1e-7.
const WELD: f64 = 1e-7;

impl TriMesh {
    /// The mesh with its harmless faults mended, and what was done.
    ///
    /// Coincident points are welded, degenerate and duplicate triangles and unused points dropped, windings made
    /// consistent, and inside-out parts turned. What needs a decision about the shape (holes, inner faces,
    /// crossings) is left alone and returned as an error.
    pub fn repaired(&self) -> Result<(TriMesh, Vec<String>), MeshError> {
        self.check_points()?;
        // Points that are the same but for rounding first, so that fine detail is welded only if nothing else helps.
        self.repaired_within(1e-14).or_else(|_| self.repaired_within(WELD))
    }

    fn repaired_within(&self, weld: f64) -> Result<(TriMesh, Vec<String>), MeshError> {
        let mut mesh = self.clone();
        let mut notes = vec![];
        let mut note = |n: usize, what: &str| {
            if n > 0 {
                notes.push(format!("{what}: {n}"));
            }
        };
        note(mesh.weld(weld), "welded coincident points");
        note(mesh.drop_triangles(), "dropped degenerate or duplicate triangles");
        note(mesh.drop_unused(), "dropped unused points");
        note(mesh.unify_winding(), "turned triangles to agree with their neighbours");
        note(mesh.flip_slivers(), "merged triangles without area into their neighbours");
        note(mesh.turn_outwards(), "turned triangles of inside-out parts");
        mesh.check_solid()?;
        Ok((mesh, notes))
    }

    /// Makes points nearer than `tolerance` times the mesh's size one; returns how many went.
    pub(super) fn weld(&mut self, tolerance: f64) -> usize {
        let (low, high) = self.bounds();
        let distance = tolerance * (high - low).max_element();
        let mut welder = Welder::new(distance);
        let index: Vec<u32> = self.points.iter().map(|&p| welder.add(p)).collect();
        let gone = self.points.len() - welder.points.len();
        if self.is_painted() {
            // New numbers appear in the order of the points, so whoever brings one is the point that stays.
            let mut kept: Vec<[f32; 3]> = Vec::with_capacity(welder.points.len());
            for (i, colour) in index.iter().zip(&self.colours) {
                if *i as usize == kept.len() {
                    kept.push(*colour);
                }
            }
            self.colours = kept;
        } else {
            self.colours.clear();
        }
        self.points = welder.points;
        for t in &mut self.triangles {
            *t = t.map(|i| index[i as usize]);
        }
        gone
    }

    /// Drops triangles that use a point twice, and copies. Of the same three points in both windings, which are a
    /// flap without volume, both go.
    fn drop_triangles(&mut self) -> usize {
        let before = self.triangles.len();
        let mut uses_of: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
        for (t, &corners) in self.triangles.iter().enumerate() {
            let mut key = corners;
            key.sort_unstable();
            if key[0] != key[1] && key[1] != key[2] {
                uses_of.entry(key).or_default().push(t);
            }
        }
        let mut keep = vec![false; before];
        for uses in uses_of.values() {
            let even = |t: usize| is_even(self.triangles[t]);
            let balance: i32 = uses.iter().map(|&t| if even(t) { 1 } else { -1 }).sum();
            if let Some(&t) = uses.iter().find(|&&t| balance != 0 && even(t) == (balance > 0)) {
                keep[t] = true;
            }
        }
        let mut flags = keep.into_iter();
        self.triangles.retain(|_| flags.next().unwrap_or(true));
        before - self.triangles.len()
    }

    /// Removes triangles without area whose points are distinct: one point lies on the opposite edge. Dropping such a
    /// triangle would tear a hole, so its neighbour across that edge is split at the point instead.
    fn flip_slivers(&mut self) -> usize {
        let mut flipped = 0;
        // Each flip removes one sliver; a bound in case rounding makes new ones.
        for _ in 0..self.triangles.len() {
            let Some(t) = (0..self.triangles.len()).find(|&t| self.is_degenerate(t)) else { break };
            let p = self.corners(t);
            let length = |k: usize| p[k].distance_squared(p[(k + 1) % 3]);
            let k = (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
            let [a, b, m] = [0, 1, 2].map(|i| self.triangles[t][(k + i) % 3]);
            let across =
                |c: &[u32; 3]| (0..3).find(|&i| c[i] == b && c[(i + 1) % 3] == a).map(|i| c[(i + 2) % 3]);
            let mut found = self.triangles.iter().enumerate().filter_map(|(n, c)| across(c).map(|d| (n, d)));
            let (Some((n, d)), None) = (found.next(), found.next()) else { break };
            if d == m {
                break;
            }
            self.triangles[t] = [a, d, m];
            self.triangles[n] = [d, b, m];
            flipped += 1;
        }
        flipped
    }

    /// Drops points that no triangle uses.
    pub(crate) fn drop_unused(&mut self) -> usize {
        let mut used = vec![false; self.points.len()];
        self.triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
        let mut points = vec![];
        let index: Vec<u32> = used
            .iter()
            .zip(&self.points)
            .map(|(&used, &p)| {
                let i = points.len() as u32;
                if used {
                    points.push(p);
                }
                i
            })
            .collect();
        let gone = self.points.len() - points.len();
        let mut flags = used.iter();
        self.colours.retain(|_| flags.next().copied().unwrap_or(false));
        self.points = points;
        for t in &mut self.triangles {
            *t = t.map(|i| index[i as usize]);
        }
        gone
    }

    /// Turns the fewer triangles of each part so that neighbours agree; returns how many were turned.
    fn unify_winding(&mut self) -> usize {
        let mut neighbours: Vec<Vec<(usize, bool)>> = vec![vec![]; self.triangles.len()];
        for group in self.edge_groups().chunk_by(|a, b| a.edge == b.edge) {
            if let [a, b] = group {
                let agree = a.forward != b.forward;
                neighbours[a.triangle].push((b.triangle, agree));
                neighbours[b.triangle].push((a.triangle, agree));
            }
        }
        let mut turn: Vec<Option<bool>> = vec![None; self.triangles.len()];
        let mut turned = 0;
        for seed in 0..self.triangles.len() {
            if turn[seed].is_some() {
                continue;
            }
            turn[seed] = Some(false);
            let mut queue = VecDeque::from([seed]);
            let mut patch = vec![];
            while let Some(t) = queue.pop_front() {
                patch.push(t);
                for &(n, agree) in &neighbours[t] {
                    if turn[n].is_none() {
                        turn[n] = turn[t].map(|me| me == agree);
                        queue.push_back(n);
                    }
                }
            }
            let count = patch.iter().filter(|&&t| turn[t] == Some(true)).count();
            let which = 2 * count <= patch.len();
            for &t in patch.iter().filter(|&&t| turn[t] == Some(which)) {
                self.triangles[t].swap(1, 2);
                turned += 1;
            }
        }
        turned
    }

    /// Turns the whole mesh, or outer parts of it, to face outwards; returns how many triangles were turned.
    fn turn_outwards(&mut self) -> usize {
        let part = self.parts();
        let count = part.iter().max().map_or(0, |m| m + 1);
        let mut turned = 0;
        let mut turn = |mesh: &mut TriMesh, which: &dyn Fn(usize) -> bool| {
            for (t, corners) in mesh.triangles.iter_mut().enumerate() {
                if which(part[t]) {
                    corners.swap(1, 2);
                    turned += 1;
                }
            }
        };
        if self.volume() < 0.0 {
            turn(self, &|_| true);
        }
        let volumes = self.part_volumes(&part, count);
        for (p, &volume) in volumes.iter().enumerate() {
            if volume < 0.0 && self.depth_of_part(&part, p) == 0 {
                turn(self, &|q| q == p);
            }
        }
        turned
    }
}

/// Whether the corners are an even permutation of their sorted order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    let inversions = usize::from(a > b) + usize::from(a > c) + usize::from(b > c);
    inversions.is_multiple_of(2)
}

/// Collects points; a new one within `distance` of an old one becomes the old one.
pub(super) struct Welder {
    /// The distinct points, in the order in which they came.
    pub points: Vec<Vec3>,
    distance: f64,
    /// Points by cell of a grid; looked up only, never iterated.
    cells: BTreeMap<[i64; 3], Vec<u32>>,
}

impl Welder {
    /// No points yet.
    pub fn new(distance: f64) -> Self {
        Welder { points: vec![], distance: distance.max(f64::MIN_POSITIVE), cells: BTreeMap::new() }
    }
    /// Index of this point, new or old.
    pub fn add(&mut self, p: Vec3) -> u32 {
        // Cells are wider than the distance, so that a point seldom has to look beyond its own.
        // Counted from the first point, so that a far-away mesh does not overflow them.
        let scaled = (p - self.points.first().copied().unwrap_or(p)) / (4.0 * self.distance);
        let cell = |offset: f64| (scaled + offset * 0.25).floor().to_array().map(|v| v as i64);
        let (low, high) = (cell(-1.0), cell(1.0));
        let mut best: Option<(f64, u32)> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &i in self.cells.get(&[x, y, z]).into_iter().flatten() {
                        let d = self.points[i as usize].distance(p);
                        if d <= self.distance && best.is_none_or(|(b, j)| (d, i) < (b, j)) {
                            best = Some((d, i));
                        }
                    }
                }
            }
        }
        if let Some((_, i)) = best {
            return i;
        }
        let i = self.points.len() as u32;
        self.points.push(p);
        self.cells.entry(cell(0.0)).or_default().push(i);
        i
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{box_mesh, sphere_mesh};

    /// Every triangle with points of its own, as in an STL file.
    fn soup(mesh: &TriMesh) -> TriMesh {
        let points: Vec<Vec3> = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t)).collect();
        let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let colours = match mesh.is_painted() {
            true => mesh.triangles.iter().flatten().map(|i| mesh.colours[*i as usize]).collect(),
            false => vec![],
        };
        TriMesh { points, triangles, colours }
    }

    #[test]
    fn a_triangle_soup_is_welded() {
        let ball = sphere_mesh(2.0, 2);
        let (mesh, notes) = soup(&ball).repaired().expect("repairable");
        assert_eq!((mesh.points.len(), mesh.triangles.len()), (ball.points.len(), ball.triangles.len()));
        assert_eq!(mesh.volume(), ball.volume());
        assert_eq!(notes, vec![format!("welded coincident points: {}", 960 - 162)]);
    }

    #[test]
    fn paint_stays_on_the_points_that_stay() {
        let mut ball = sphere_mesh(2.0, 2);
        ball.colours = ball.points.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        let mut torn = soup(&ball);
        torn.points.insert(0, Vec3::ZERO);
        torn.colours.insert(0, [9.0; 3]);
        torn.triangles.iter_mut().for_each(|t| *t = t.map(|i| i + 1));
        let (mesh, _) = torn.repaired().expect("repairable");
        assert!(mesh.is_painted());
        for (p, c) in mesh.points.iter().zip(&mesh.colours) {
            assert_eq!([p.x as f32, p.y as f32, p.z as f32], *c);
        }
    }

    #[test]
    fn a_clean_mesh_comes_back_unchanged() {
        let ball = sphere_mesh(2.0, 2);
        assert_eq!(ball.repaired(), Ok((ball.clone(), vec![])));
    }

    #[test]
    fn mixed_windings_duplicates_and_leftovers_are_mended() {
        let mut m = box_mesh(Vec3::ONE, [2, 2, 2]);
        let volume = m.volume();
        for t in [1, 5, 9] {
            m.triangles[t].swap(0, 1);
        }
        m.triangles.push(m.triangles[20]);
        m.triangles.push([3, 3, 4]);
        m.points.push(Vec3::splat(0.2));
        let (mesh, notes) = m.repaired().expect("repairable");
        assert_eq!(mesh.triangles.len(), 48);
        assert!((mesh.volume() - volume).abs() < 1e-15);
        assert_eq!(notes.len(), 3, "{notes:?}");
    }

    #[test]
    fn inside_out_parts_are_turned_and_cavities_kept() {
        let flip = |mut m: TriMesh| {
            m.triangles.iter_mut().for_each(|t| t.swap(0, 1));
            m
        };
        let mut m = flip(sphere_mesh(1.0, 1));
        m.append(&sphere_mesh(0.5, 1));
        let (mesh, _) = m.repaired().expect("all turned");
        assert!((mesh.volume() - 7.0 / 8.0 * sphere_mesh(1.0, 1).volume()).abs() < 1e-13);
        let mut m = sphere_mesh(1.0, 1);
        m.append(&flip(sphere_mesh(0.5, 1)).map(|p| p + 3.0 * Vec3::X));
        let (mesh, _) = m.repaired().expect("second turned");
        assert!((mesh.volume() - 9.0 / 8.0 * sphere_mesh(1.0, 1).volume()).abs() < 1e-13);
    }

    #[test]
    fn a_sliver_is_merged_into_its_neighbour() {
        // A point on an edge, seen by one side only: the other side reaches it through a triangle without area.
        let mut m = box_mesh(Vec3::ONE, [1, 1, 1]);
        let [a, b, c] = m.triangles[0];
        m.points.push(0.5 * (m.points[a as usize] + m.points[b as usize]));
        m.triangles[0] = [a, 8, c];
        m.triangles.extend([[8, b, c], [a, b, 8]]);
        assert!(matches!(m.check_solid(), Err(MeshError::Degenerate { triangle: 13, .. })));
        let (mesh, notes) = m.repaired().expect("repairable");
        assert_eq!((mesh.triangles.len(), mesh.volume(), notes.len()), (14, 1.0, 1), "{notes:?}");
    }

    #[test]
    fn what_needs_a_decision_is_refused() {
        let mut m = box_mesh(Vec3::ONE, [1, 1, 1]);
        m.triangles.pop();
        assert!(matches!(m.repaired(), Err(MeshError::OpenEdge { .. })));
    }

    #[test]
    fn euler_characteristic_tells_sphere_from_torus() {
        assert_eq!(sphere_mesh(1.0, 2).euler(), 2);
        assert_eq!(crate::shape::torus_mesh(1.0, 0.3, 24, 12).euler(), 0);
    }
}
