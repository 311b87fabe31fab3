//! Constrained Delaunay triangulation of a few points in the plane, cut into cells by the constraints.
//!
//! Decisions are exact. Meant for the faces of a union, which have at most some hundred points, so simplicity wins over
//! asymptotics.

use super::check::Sets;
use super::predicates::{inside_circle, turn};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Triangulates `points` such that every constraint is an edge, and groups the triangles (counter-clockwise) into
/// cells bounded by constraints. The unbounded cell is left out. Nothing if constraints cross.
pub fn cells(points: &[[f64; 2]], constraints: &[[usize; 2]]) -> Option<Vec<Vec<[usize; 3]>>> {
    let mut t = Triangulation::new(points);
    for p in 0..points.len() {
        t.insert(p)?;
    }
    let mut fixed = BTreeSet::new();
    for &[a, b] in constraints {
        t.constrain(a, b, &mut fixed)?;
    }
    t.make_delaunay(&fixed);
    Some(t.collect_cells(&fixed))
}

/// Triangles as a map from directed edge to the corner on its left.
struct Triangulation {
    /// The given points, then the corners of a triangle around them all.
    points: Vec<[f64; 2]>,
    apex: BTreeMap<(usize, usize), usize>,
    given: usize,
}

impl Triangulation {
    fn new(given: &[[f64; 2]]) -> Self {
        let mut points = given.to_vec();
        let fold = |k: usize, f: fn(f64, f64) -> f64, start: f64| given.iter().map(|p| p[k]).fold(start, f);
        let low = [0, 1].map(|k| fold(k, f64::min, f64::INFINITY));
        let high = [0, 1].map(|k| fold(k, f64::max, f64::NEG_INFINITY));
        let centre = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
        // Far enough that it seldom disturbs the circles; the outline is constrained, so it need not be exact.
        let reach = 100.0 * (high[0] - low[0]).max(high[1] - low[1]).max(f64::MIN_POSITIVE);
        let n = points.len();
        points.extend([
            [centre[0] - reach, centre[1] - reach],
            [centre[0] + reach, centre[1] - reach],
            [centre[0], centre[1] + reach],
        ]);
        let mut t = Triangulation { points, apex: BTreeMap::new(), given: n };
        t.add([n, n + 1, n + 2]);
        t
    }

    fn add(&mut self, [a, b, c]: [usize; 3]) {
        self.apex.insert((a, b), c);
        self.apex.insert((b, c), a);
        self.apex.insert((c, a), b);
    }

    fn remove(&mut self, [a, b, c]: [usize; 3]) {
        for e in [(a, b), (b, c), (c, a)] {
            self.apex.remove(&e);
        }
    }

    fn turn(&self, a: usize, b: usize, c: usize) -> f64 {
        turn(self.points[a], self.points[b], self.points[c])
    }

    /// Every triangle once, beginning with its lowest corner.
    fn triangles(&self) -> impl Iterator<Item = [usize; 3]> {
        self.apex.iter().filter(|&(&(a, b), &c)| a < b && a < c).map(|(&(a, b), &c)| [a, b, c])
    }

    /// Adds a point and restores the Delaunay property by flips. Nothing if it coincides with an earlier one.
    fn insert(&mut self, p: usize) -> Option<()> {
        let holds = |t: &[usize; 3]| (0..3).all(|k| self.turn(t[k], t[(k + 1) % 3], p) >= 0.0);
        let t = self.triangles().find(holds)?;
        let on: Vec<usize> = (0..3).filter(|&k| self.turn(t[k], t[(k + 1) % 3], p) == 0.0).collect();
        let mut suspects = vec![];
        match on[..] {
            [] => {
                self.remove(t);
                for k in 0..3 {
                    self.add([t[k], t[(k + 1) % 3], p]);
                    suspects.push((t[k], t[(k + 1) % 3]));
                }
            }
            [k] => {
                // On the edge from a to b: both triangles there are halved.
                let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
                let d = *self.apex.get(&(b, a))?;
                self.remove([a, b, c]);
                self.remove([b, a, d]);
                for [u, v] in [[b, c], [c, a], [a, d], [d, b]] {
                    self.add([u, v, p]);
                    suspects.push((u, v));
                }
            }
            _ => return None,
        }
        while let Some((a, b)) = suspects.pop() {
            let Some(&d) = self.apex.get(&(b, a)) else { continue };
            if self.apex.get(&(a, b)) != Some(&p) {
                continue;
            }
            let [pa, pb, pp, pd] = [a, b, p, d].map(|i| self.points[i]);
            if inside_circle(pa, pb, pp, pd) > 0.0 {
                self.flip(a, b);
                suspects.extend([(a, d), (d, b)]);
            }
        }
        Some(())
    }

    /// Replaces the edge `ab` by the other diagonal of its quadrilateral.
    fn flip(&mut self, a: usize, b: usize) {
        let (Some(&c), Some(&d)) = (self.apex.get(&(a, b)), self.apex.get(&(b, a))) else { return };
        self.remove([a, b, c]);
        self.remove([b, a, d]);
        self.add([a, d, c]);
        self.add([d, b, c]);
    }

    /// Makes `ab` an edge by flipping those that cross it; where it passes through a point it is cut there.
    fn constrain(&mut self, a: usize, b: usize, fixed: &mut BTreeSet<(usize, usize)>) -> Option<()> {
        if a == b {
            return Some(());
        }
        if !self.apex.contains_key(&(a, b)) {
            let mut crossing = match self.crossed(a, b)? {
                Crossed::Point(v) => {
                    self.constrain(a, v, fixed)?;
                    return self.constrain(v, b, fixed);
                }
                Crossed::Edges(edges) => VecDeque::from(edges),
            };
            // Each flip of a convex quadrilateral lowers the number of crossings in the end; the bound only
            // guards against an endless loop should that be wrong.
            let mut rounds = 64 + 4 * crossing.len() * crossing.len();
            while let Some((u, v)) = crossing.pop_front() {
                rounds = rounds.checked_sub(1)?;
                if fixed.contains(&(u.min(v), u.max(v))) {
                    return None;
                }
                let (c, d) = (*self.apex.get(&(u, v))?, *self.apex.get(&(v, u))?);
                if self.turn(d, v, c) > 0.0 && self.turn(c, u, d) > 0.0 {
                    self.flip(u, v);
                    if self.crosses(a, b, c, d) {
                        crossing.push_back((c, d));
                    }
                } else {
                    crossing.push_back((u, v));
                }
            }
        }
        fixed.insert((a.min(b), a.max(b)));
        Some(())
    }

    /// Flips edges, other than constraints, until no triangle's circle holds a neighbour's corner. Without this, points
    /// that rounding has put a hair off a line could be joined to a triangle without area.
    fn make_delaunay(&mut self, fixed: &BTreeSet<(usize, usize)>) {
        let mut suspects: Vec<(usize, usize)> = self.apex.keys().copied().filter(|&(a, b)| a < b).collect();
        while let Some((a, b)) = suspects.pop() {
            let (Some(&c), Some(&d)) = (self.apex.get(&(a, b)), self.apex.get(&(b, a))) else { continue };
            let [pa, pb, pc, pd] = [a, b, c, d].map(|i| self.points[i]);
            if !fixed.contains(&(a.min(b), a.max(b))) && inside_circle(pa, pb, pc, pd) > 0.0 {
                self.flip(a, b);
                suspects.extend([(a, d), (d, b), (b, c), (c, a)]);
            }
        }
    }

    /// Whether the open segments `ab` and `uv` cross.
    fn crosses(&self, a: usize, b: usize, u: usize, v: usize) -> bool {
        self.turn(a, b, u) * self.turn(a, b, v) < 0.0 && self.turn(u, v, a) * self.turn(u, v, b) < 0.0
    }

    /// What the open segment `ab` meets, walking from `a`.
    fn crossed(&self, a: usize, b: usize) -> Option<Crossed> {
        let mut edges = vec![];
        // The triangle at a that the segment enters: its far edge runs from the right of ab to the left.
        let around = self.triangles().filter_map(|t| {
            let k = t.iter().position(|&v| v == a)?;
            Some((t[(k + 1) % 3], t[(k + 2) % 3]))
        });
        let mut entered = None;
        for (u, v) in around {
            let (su, sv) = (self.turn(a, b, u), self.turn(a, b, v));
            for (w, s) in [(u, su), (v, sv)] {
                if s == 0.0 && self.ahead(a, b, w) {
                    return Some(Crossed::Point(w));
                }
            }
            if su < 0.0 && sv > 0.0 {
                entered = Some((u, v));
            }
        }
        let (mut u, mut v) = entered?;
        loop {
            edges.push((u, v));
            let w = *self.apex.get(&(v, u))?;
            if w == b {
                return Some(Crossed::Edges(edges));
            }
            let s = self.turn(a, b, w);
            if s == 0.0 {
                return Some(Crossed::Point(w));
            }
            (u, v) = if s < 0.0 { (w, v) } else { (u, w) };
            if edges.len() > self.apex.len() {
                return None;
            }
        }
    }

    /// Whether `w`, on the line through `ab`, lies in front of `a`.
    fn ahead(&self, a: usize, b: usize, w: usize) -> bool {
        let [a, b, w] = [a, b, w].map(|i| self.points[i]);
        (b[0] - a[0]) * (w[0] - a[0]) + (b[1] - a[1]) * (w[1] - a[1]) > 0.0
    }

    /// Triangles connected across edges that are not constraints; without those that reach the outside.
    fn collect_cells(&self, fixed: &BTreeSet<(usize, usize)>) -> Vec<Vec<[usize; 3]>> {
        let triangles: Vec<[usize; 3]> = self.triangles().collect();
        let mut of_edge = BTreeMap::new();
        for (i, &[a, b, c]) in triangles.iter().enumerate() {
            of_edge.extend([((a, b), i), ((b, c), i), ((c, a), i)]);
        }
        let mut sets = Sets::new(triangles.len());
        for (&(a, b), &i) in &of_edge {
            let open = !fixed.contains(&(a.min(b), a.max(b)));
            if let Some(&j) = of_edge.get(&(b, a)).filter(|_| open) {
                sets.join(i, j);
            }
        }
        let mut cells: BTreeMap<usize, (bool, Vec<[usize; 3]>)> = BTreeMap::new();
        for (i, t) in triangles.into_iter().enumerate() {
            let cell = cells.entry(sets.root(i)).or_insert((true, vec![]));
            cell.0 &= t.iter().all(|&v| v < self.given);
            cell.1.push(t);
        }
        cells.into_values().filter(|c| c.0).map(|c| c.1).collect()
    }
}

enum Crossed {
    Point(usize),
    Edges(Vec<(usize, usize)>),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[[f64; 2]], cell: &[[usize; 3]]) -> f64 {
        cell.iter().map(|t| 0.5 * turn(points[t[0]], points[t[1]], points[t[2]])).sum()
    }

    #[test]
    fn a_square_with_a_square_hole_has_two_cells() {
        let square = |r: f64| [[-r, -r], [r, -r], [r, r], [-r, r]];
        let points: Vec<_> = square(2.0).into_iter().chain(square(1.0)).collect();
        let loops: Vec<_> = (0..8).map(|i| [i, i / 4 * 4 + (i + 1) % 4]).collect();
        let cells = cells(&points, &loops).expect("no crossings");
        let mut areas: Vec<f64> = cells.iter().map(|c| area(&points, c)).collect();
        areas.sort_unstable_by(f64::total_cmp);
        assert_eq!(areas, [4.0, 12.0]);
    }

    #[test]
    fn a_long_constraint_cuts_through_many_triangles() {
        let mut points = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 1.0], [0.0, 1.0]];
        points.extend((1..40).map(|i| [f64::from(i) * 0.25, 0.5 + 0.3 * f64::from(i).sin()]));
        let mut edges = vec![[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]];
        let cells = cells(&points, &edges).expect("no crossings");
        assert_eq!(cells.len(), 2);
        assert!(cells.iter().all(|c| (area(&points, c) - 5.0).abs() < 1e-12));
        edges.push([1, 3]);
        assert!(super::cells(&points, &edges).is_none(), "crossing constraints are refused");
    }

    #[test]
    fn points_on_a_constraint_cut_it() {
        let points = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0], [1.0, 0.0]];
        let cells = cells(&points, &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]).expect("no crossings");
        assert_eq!(cells.iter().map(Vec::len).sum::<usize>(), 5, "V = 6, hull 5: 2 V - 2 - hull");
        assert_eq!(cells.len(), 2);
    }
}
