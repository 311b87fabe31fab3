//! The surface of the coat as triangles: closed, each edge between two of them, whatever the skeletons do.
//!
//! Space is cut into cubes and these into six tetrahedra each, all about the same diagonal. Where the inside function
//! changes its sign along an edge, a point is put exactly there; what the points of a tetrahedron make is a triangle or
//! two, so neighbours always fit. The cubes stand still in the world, so a body at rest keeps its triangles.

use super::field::{Field, Local};
use crate::contact::{Limit, Surface};
use crate::math::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// The most corners of cubes; beyond that cubes grow.
const MOST: f64 = 2e7;
/// Improvements of a point along its edge.
const ROUNDS: usize = 12;
/// The field below which no limit can make a place belong to the body.
const FAINT: f64 = 0.5;

/// Cubes about all that the field reaches.
struct Cubes {
    low: Vec3,
    edge: f64,
    counts: [usize; 3],
}

impl Cubes {
    fn about(field: &Field, edge: f64) -> Self {
        let low = field.x.iter().fold(Vec3::INFINITY, |a, p| a.min(*p)) - Vec3::splat(field.reach());
        let high = field.x.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p)) + Vec3::splat(field.reach());
        let mut edge = edge;
        loop {
            let from = (low / edge).floor();
            let n = (high / edge).ceil() - from + Vec3::ONE;
            if n.x * n.y * n.z <= MOST {
                return Self { low: from * edge, edge, counts: [n.x as usize, n.y as usize, n.z as usize] };
            }
            edge *= 1.26;
        }
    }

    fn layer(&self) -> usize {
        self.counts[0] * self.counts[1]
    }

    fn corner(&self, n: usize) -> Vec3 {
        let (i, rest) = (n % self.counts[0], n / self.counts[0]);
        let (j, k) = (rest % self.counts[1], rest / self.counts[1]);
        self.low + Vec3::new(i as f64, j as f64, k as f64) * self.edge
    }

    /// How far the corner that lies in a direction (one bit an axis) is in numbers.
    fn step(&self, direction: usize) -> usize {
        (direction & 1) + (direction >> 1 & 1) * self.counts[0] + (direction >> 2 & 1) * self.layer()
    }

    /// The field at all corners, summed skeleton by skeleton, each layer by one thread.
    fn values(&self, field: &Field) -> Vec<f64> {
        let mut values = vec![0.0; self.layer() * self.counts[2]];
        values.par_chunks_mut(self.layer()).enumerate().for_each(|(k, layer)| {
            let z = self.low.z + k as f64 * self.edge;
            for (x, e) in field.x.iter().zip(&field.thickness) {
                let far = field.shape.reach() * e;
                let across = far * far - (z - x.z) * (z - x.z);
                if across <= 0.0 {
                    continue;
                }
                let span = |middle: f64, half: f64, low: f64, n: usize| {
                    let from = ((middle - half - low) / self.edge).ceil().max(0.0) as usize;
                    let to = ((middle + half - low) / self.edge).floor();
                    from..((to + 1.0).max(0.0) as usize).min(n)
                };
                for j in span(x.y, across.sqrt(), self.low.y, self.counts[1]) {
                    let y = self.low.y + j as f64 * self.edge;
                    let along = across - (y - x.y) * (y - x.y);
                    let row = &mut layer[j * self.counts[0]..(j + 1) * self.counts[0]];
                    for i in span(x.x, along.max(0.0).sqrt(), self.low.x, self.counts[0]) {
                        let dx = self.low.x + i as f64 * self.edge - x.x;
                        row[i] += field.shape.at((dx * dx + far * far - along).max(0.0).sqrt() / e).0;
                    }
                }
            }
        });
        values
    }
}

/// Nothing but the field limits the body.
pub fn unlimited(_: Vec3, f: f64) -> f64 {
    f - 1.0
}

/// Tetrahedra of a cube: ways from its first corner to its last, axis after axis, by the corners between; turned so that
/// all are right-handed.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 5, 1, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 6, 4, 7]];

/// The surface of a field within a limit, with cubes of an edge.
pub fn surface(field: &Field, edge: f64, limit: Limit) -> Surface {
    if field.x.is_empty() {
        return Surface::default();
    }
    let cubes = Cubes::about(field, edge);
    let mut values = cubes.values(field);
    values.par_iter_mut().enumerate().for_each(|(n, v)| {
        *v = if *v > FAINT { limit(cubes.corner(n), *v) } else { *v - 1.0 };
    });
    let mut builder = Builder { known: HashMap::new(), ends: vec![], triangles: vec![] };
    let [nx, ny, nz] = cubes.counts;
    let steps: [usize; 8] = std::array::from_fn(|d| cubes.step(d));
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let first = (k * ny + j) * nx + i;
                let inside: [bool; 8] = std::array::from_fn(|d| values[first + steps[d]] > 0.0);
                let count = inside.iter().filter(|i| **i).count();
                if count > 0 && count < 8 {
                    for tetrahedron in TETRAHEDRA {
                        builder.tetrahedron(tetrahedron.map(|c| (first + steps[c], inside[c])));
                    }
                }
            }
        }
    }
    let place = |(a, b): &(usize, usize)| {
        let (inside, outside) = (cubes.corner(*a), cubes.corner(*b));
        // Whoever is felt anywhere on the edge is looked up once.
        let local = field.about(0.5 * (inside + outside), cubes.edge);
        let at = |p: Vec3| {
            let f = local.value(p);
            if f > FAINT { limit(p, f) } else { f - 1.0 }
        };
        let p = root(&at, (inside, values[*a]), (outside, values[*b]));
        (p, normal(&local, limit, p, 0.02 * cubes.edge))
    };
    let (points, normals) = builder.ends.par_iter().with_min_len(64).map(place).unzip();
    Surface { points, normals, triangles: builder.triangles }
}

/// Where the inside function vanishes between a place inside and one outside.
fn root(at: &impl Fn(Vec3) -> f64, (inside, mut fi): (Vec3, f64), (outside, mut fo): (Vec3, f64)) -> Vec3 {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut t, mut kept) = (0.5, 0);
    for _ in 0..ROUNDS {
        // The secant; an end that stays a second time counts half (Illinois). Never at the very end, so that points of
        // different edges stay apart.
        t = (low + (high - low) * fi / (fi - fo)).clamp(1e-4, 1.0 - 1e-4);
        let f = at(inside + (outside - inside) * t);
        if f.abs() < 1e-7 {
            break;
        }
        if f > 0.0 {
            (low, fi) = (t, f);
            fo *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (high, fo) = (t, f);
            fi *= if kept == -1 { 0.5 } else { 1.0 };
            kept = -1;
        }
    }
    inside + (outside - inside) * t
}

/// Outward unit normal: down the slope of the inside function.
fn normal(field: &Local, limit: Limit, p: Vec3, d: f64) -> Vec3 {
    let (f, gradient) = field.at(p);
    if (limit(p, f) - (f - 1.0)).abs() < 1e-9 {
        return (-gradient).normalize_or(Vec3::Y);
    }
    let at = |q: Vec3| limit(q, field.value(q));
    let slope = |axis: Vec3| at(p - axis * d) - at(p + axis * d);
    Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)).normalize_or(Vec3::Y)
}

/// Triangles while they are made: points are edges, by the numbers of their ends.
struct Builder {
    known: HashMap<(usize, usize), u32>,
    /// Corner inside, corner outside.
    ends: Vec<(usize, usize)>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    /// The point between a corner inside and one outside.
    fn point(&mut self, inside: usize, outside: usize) -> u32 {
        let next = self.ends.len() as u32;
        *self.known.entry((inside, outside)).or_insert_with(|| {
            self.ends.push((inside, outside));
            next
        })
    }

    /// The triangles of a right-handed tetrahedron.
    fn tetrahedron(&mut self, t: [(usize, bool); 4]) {
        // Even rearrangements that bring the odd one out, or the two inside, to the front.
        const ONE: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
        const TWO: [[usize; 4]; 6] =
            [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];
        let count = t.iter().filter(|(_, inside)| *inside).count();
        match count {
            1 | 3 => {
                let odd = count == 1;
                let order = ONE.iter().find(|o| t[o[0]].1 == odd).expect("one of them is alone");
                let [i, j, k, l] = order.map(|c| t[c].0);
                let mut corner = |o: usize| if odd { self.point(i, o) } else { self.point(o, i) };
                let [a, b, c] = [corner(j), corner(k), corner(l)];
                self.triangles.push(if odd { [a, b, c] } else { [a, c, b] });
            }
            2 => {
                let order = TWO.iter().find(|o| t[o[0]].1 && t[o[1]].1).expect("two of them are inside");
                let [i, j, k, l] = order.map(|c| t[c].0);
                let [ik, il, jl, jk] =
                    [self.point(i, k), self.point(i, l), self.point(j, l), self.point(j, k)];
                self.triangles.push([ik, il, jl]);
                self.triangles.push([ik, jl, jk]);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::Shape;
    use super::*;
    use crate::shape::TriMesh;

    fn closed(s: &Surface) {
        let mesh = TriMesh { points: s.points.clone(), triangles: s.triangles.clone(), ..TriMesh::default() };
        mesh.check_solid().unwrap();
    }

    #[test]
    fn a_ball_is_round_closed_and_of_the_right_volume() {
        let e = 0.1;
        let field = Field::new(Shape::Cubic, &[Vec3::new(0.013, 0.2, -0.7)], &[e]);
        let s = surface(&field, e / 4.0, &unlimited);
        closed(&s);
        for (p, n) in s.points.iter().zip(&s.normals) {
            let out = *p - field.x[0];
            assert!((out.length() / e - 1.0).abs() < 1e-5, "{}", out.length() / e);
            assert!(out.normalize().dot(*n) > 0.9999);
        }
        let ball = 4.0 / 3.0 * std::f64::consts::PI * e.powi(3);
        assert!((s.volume() / ball - 1.0).abs() < 0.02, "{}", s.volume() / ball);
        assert!(s.pieces().iter().all(|p| *p == 0));
    }

    /// [DG94] Fig. 5 as corrected: 18.1 % at 1.80 e for the inverse cube.
    #[test]
    fn two_skeletons_gain_the_volume_that_the_field_says() {
        let volume = |d: f64| {
            let field = Field::new(Shape::InverseCube, &[Vec3::ZERO, Vec3::X * d], &[1.0; 2]);
            surface(&field, 0.06, &unlimited).volume() / (2.0 * 4.0 / 3.0 * std::f64::consts::PI)
        };
        assert!((volume(1.8) - 1.181).abs() < 0.004, "{}", volume(1.8));
        assert!((volume(1.0) - 1.109).abs() < 0.004, "{}", volume(1.0));
    }

    #[test]
    fn scattered_skeletons_make_closed_surfaces_of_several_pieces() {
        let part = |k: usize, a: f64| (k as f64 * a).fract();
        let x: Vec<Vec3> =
            (1..=60).map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051))).collect();
        let s = surface(&Field::new(Shape::Cubic, &x, &[0.07; 60]), 0.02, &unlimited);
        closed(&s);
        assert!(s.pieces().iter().max().unwrap() > &3);
    }

    #[test]
    fn a_limit_cuts_the_body_off_flat() {
        let field = Field::new(Shape::Cubic, &[Vec3::ZERO], &[1.0]);
        let floor = |p: Vec3, f: f64| (f - 1.0).min(3.0 * (p.y + 0.5));
        let s = surface(&field, 0.21, &floor);
        closed(&s);
        let lowest = s.points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!((lowest + 0.5).abs() < 1e-4, "{lowest}");
        let flat = s.points.iter().zip(&s.normals).filter(|(p, n)| p.y < -0.4999 && n.y < -0.999).count();
        assert!(flat > 20, "{flat}");
    }
}
