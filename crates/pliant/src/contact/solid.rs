//! How far places are from the surface of a skin, and on which side.

use super::bounds::{Bounds, Tree};
use crate::math::Vec3;
use crate::math::portable;
use crate::skin::{Skin, SkinPoint, Solid};

/// The place of a surface that is nearest to another place.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The place.
    pub point: SkinPoint,
    /// Away from the solid.
    pub normal: Vec3,
    /// Negative inside the solid `[m]`.
    pub distance: f64,
}

/// The place where a way first enters a solid.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    /// The place.
    pub point: SkinPoint,
    /// Away from the solid.
    pub normal: Vec3,
}

/// A skin made ready to be asked within a box.
pub struct Probe<'a> {
    points: &'a [Vec3],
    /// Box around all of it; what is outside of that is outside of the solid.
    bounds: Bounds,
    surface: Surface<'a>,
}

enum Surface<'a> {
    HalfSpace(Vec3),
    /// A ball or a capsule.
    Round(f64),
    Faces {
        triangles: &'a [[u32; 3]],
        /// Those within the box.
        list: Vec<u32>,
        tree: Tree,
    },
}

impl<'a> Probe<'a> {
    /// A skin whose points stand at `points`, of which only what lies in the box will be asked for.
    pub fn new(skin: &'a Skin, points: &'a [Vec3], within: &Bounds) -> Self {
        let form = &skin.form;
        let surface = match form.solid {
            Solid::HalfSpace(n) => Surface::HalfSpace(n),
            _ if form.triangles.is_empty() => Surface::Round(form.radius),
            _ => {
                let around = |t: &[u32; 3]| Bounds::of(t.iter().map(|i| points[*i as usize]));
                let list: Vec<u32> = (0..form.triangles.len() as u32)
                    .filter(|k| around(&form.triangles[*k as usize]).overlaps(within))
                    .collect();
                let boxes: Vec<Bounds> = list.iter().map(|k| around(&form.triangles[*k as usize])).collect();
                Surface::Faces { triangles: &form.triangles, list, tree: Tree::build(&boxes) }
            }
        };
        let bounds = match surface {
            Surface::HalfSpace(_) => Bounds { low: Vec3::NEG_INFINITY, high: Vec3::INFINITY },
            _ => Bounds::of(points.iter().copied()).grown(form.radius),
        };
        Self { points, bounds, surface }
    }

    /// The same for whoever asks for the nearest within `far` at places no farther than `radius` from one: few faces matter there.
    pub fn about(&self, p: Vec3, radius: f64, far: f64) -> Self {
        let surface = match &self.surface {
            Surface::HalfSpace(n) => Surface::HalfSpace(*n),
            Surface::Round(radius) => Surface::Round(*radius),
            Surface::Faces { triangles, list, tree } => {
                // The nearest to a place is no farther from it than what is nearest to the middle.
                let least = self.nearest(p, far).map_or(far, |n| (n.distance.abs() + radius).min(far));
                let ball = Bounds { low: p, high: p }.grown(least + radius);
                let around =
                    |k: u32| Bounds::of(triangles[k as usize].iter().map(|i| self.points[*i as usize]));
                let mut near = vec![];
                tree.query(&ball, |k| near.push(list[k as usize]));
                near.retain(|k| around(*k).overlaps(&ball));
                near.sort_unstable();
                let boxes: Vec<Bounds> = near.iter().map(|k| around(*k)).collect();
                Surface::Faces { triangles, list: near, tree: Tree::build(&boxes) }
            }
        };
        Self { points: self.points, bounds: self.bounds, surface }
    }

    /// The nearest place for whoever needs it no farther than `outside` from places outside of the solid, and no farther than
    /// `far` from those inside: most that are outside are so by the box around it, and then little has to be searched.
    pub fn nearest_within(&self, p: Vec3, outside: f64, far: f64) -> Option<Nearest> {
        let away = self.bounds.distance_squared(p);
        if away == 0.0 {
            return self.nearest(p, far);
        }
        if outside <= 0.0 || away > outside * outside {
            return None;
        }
        self.search(p, outside.min(far), far)
    }

    /// The nearest place, if it is no farther than `far`.
    pub fn nearest(&self, p: Vec3, far: f64) -> Option<Nearest> {
        self.search(p, far, far)
    }

    /// The nearest place, if it is no farther than `far`. Lengths that are nothing beside `scale` do not count.
    fn search(&self, p: Vec3, far: f64, scale: f64) -> Option<Nearest> {
        match &self.surface {
            Surface::HalfSpace(n) => {
                let distance = n.dot(p - self.points[0]);
                let point = SkinPoint::corner(0, p - *n * distance);
                (distance.abs() <= far).then_some(Nearest { point, normal: *n, distance })
            }
            Surface::Round(radius) => {
                let (a, b) = (self.points[0], self.points[self.points.len() - 1]);
                let along = b - a;
                let u = ((p - a).dot(along) / along.length_squared().max(1e-300)).clamp(0.0, 1.0);
                let axis = a + along * u;
                let normal = (p - axis).normalize_or(Vec3::Y);
                let distance = axis.distance(p) - radius;
                let at = axis + normal * *radius;
                let point = if self.points.len() == 2 {
                    SkinPoint::edge([0, 1], u, at)
                } else {
                    SkinPoint::corner(0, at)
                };
                (distance.abs() <= far).then_some(Nearest { point, normal, distance })
            }
            Surface::Faces { triangles, list, tree } => {
                self.nearest_face(p, (far, scale), (triangles, list, tree))
            }
        }
    }

    /// Where the straight way from a place outside first enters the solid.
    pub fn first_met(&self, from: Vec3, to: Vec3) -> Option<Met> {
        match &self.surface {
            Surface::HalfSpace(n) => {
                let (above, below) = (n.dot(from - self.points[0]), n.dot(to - self.points[0]));
                let at = from + (to - from) * (above / (above - below));
                (above >= 0.0 && below < 0.0).then(|| Met { point: SkinPoint::corner(0, at), normal: *n })
            }
            Surface::Round(_) => self.first_met_of_round(from, to),
            Surface::Faces { triangles, list, tree } => {
                let way = to - from;
                let mut first: Option<(f64, Met)> = None;
                tree.query(&Bounds::of([from, to].into_iter()), |k| {
                    let corners = triangles[list[k as usize] as usize];
                    let t = corners.map(|i| self.points[i as usize]);
                    let Some((share, weights)) = entered(from, way, t) else { return };
                    // Of two faces at their common edge the one with the lower number counts, in whatever order they come.
                    let sooner = |(known, met): &(f64, Met)| {
                        share < *known || (share == *known && corners < met.point.corners)
                    };
                    if first.as_ref().is_none_or(sooner) {
                        let at = from + way * share;
                        let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
                        first = Some((share, Met { point: SkinPoint { corners, weights, at }, normal }));
                    }
                });
                first.map(|(_, met)| met)
            }
        }
    }

    /// The same for a ball or a capsule. Nothing of them lies before the plane through the nearest place, so the way is free up to
    /// there.
    fn first_met_of_round(&self, from: Vec3, to: Vec3) -> Option<Met> {
        let (way, far) = (to - from, f64::INFINITY);
        let mut share = 0.0;
        for _ in 0..ROUNDS {
            let near = self.nearest(from + way * share, far)?;
            let towards = -near.normal.dot(way);
            if near.distance <= ON * way.length() {
                let met = Met { point: near.point, normal: near.normal };
                return (towards > 0.0).then_some(met);
            }
            share += near.distance / towards;
            if towards <= 0.0 || share > 1.0 {
                return None;
            }
        }
        None
    }

    fn nearest_face(
        &self,
        p: Vec3,
        (far, scale): (f64, f64),
        (triangles, list, tree): (&[[u32; 3]], &[u32], &Tree),
    ) -> Option<Nearest> {
        let face = |k: u32| {
            let corners = triangles[list[k as usize] as usize];
            let t = corners.map(|i| self.points[i as usize]);
            let weights = closest_weights(p, t);
            let at = t[0] * weights[0] + t[1] * weights[1] + t[2] * weights[2];
            (SkinPoint { corners, weights, at }, t)
        };
        let mut best: Option<(SkinPoint, [Vec3; 3])> = None;
        let mut square = far * far;
        tree.nearest(p, square, |k| {
            let (point, t) = face(k);
            let its = point.at.distance_squared(p);
            if its < square || (best.is_none() && its == square) {
                best = Some((point, t));
                square = its;
            }
            square
        });
        let (point, t) = best?;
        let normal_of = |t: [Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
        let mut sum = normal_of(t);
        if point.weights.contains(&0.0) {
            // At corners and edges the normals of all faces that share the place, each by its angle there, tell inside from
            // outside.
            sum = Vec3::ZERO;
            let same = 1e-10 * scale;
            tree.query(&Bounds { low: point.at, high: point.at }.grown(same), |k| {
                let (other, t) = face(k);
                if other.at.distance_squared(point.at) < same * same {
                    sum += normal_of(t) * angle_at(t, other.weights);
                }
            });
        }
        let away = p - point.at;
        let distance = square.sqrt() * if sum.dot(away) < 0.0 { -1.0 } else { 1.0 };
        let normal = if square > 1e-24 * scale * scale { away / distance } else { sum.normalize_or(Vec3::Y) };
        Some(Nearest { point, normal, distance })
    }
}

/// Steps towards a round solid, and the share of a way at which it is there.
const ROUNDS: usize = 60;
const ON: f64 = 1e-12;

/// The share of a way at which it passes through a triangle from its outer side, and the weights of the place there. Edges belong
/// to both of their triangles.
fn entered(from: Vec3, way: Vec3, [a, b, c]: [Vec3; 3]) -> Option<(f64, [f64; 3])> {
    let (ab, ac, s) = (b - a, c - a, from - a);
    let normal = ab.cross(ac);
    let towards = -normal.dot(way);
    if towards <= 0.0 {
        return None;
    }
    let height = normal.dot(s);
    if height < 0.0 || height > towards {
        return None;
    }
    let across = s.cross(way);
    let (v, w) = (ac.dot(across) / towards, -ab.dot(across) / towards);
    let u = 1.0 - v - w;
    (u.min(v).min(w) >= -BESIDE).then(|| (height / towards, [u, v, w].map(|w| w.max(0.0))))
}

/// So little beside a triangle still counts as in it, as a share of its size.
const BESIDE: f64 = 1e-12;

/// The angle that a triangle takes up at one of its points: all of a turn within, half at an edge.
fn angle_at(t: [Vec3; 3], weights: [f64; 3]) -> f64 {
    match weights.iter().filter(|w| **w == 0.0).count() {
        0 => std::f64::consts::TAU,
        1 => std::f64::consts::PI,
        _ => {
            let k = weights.iter().position(|w| *w != 0.0).unwrap_or(0);
            portable::angle_between(t[(k + 1) % 3] - t[k], t[(k + 2) % 3] - t[k])
        }
    }
}

/// Barycentric weights of the point of a triangle that is nearest to another.
pub(super) fn closest_weights(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let over_c = d1 * d4 - d3 * d2;
    if over_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let over_b = d5 * d2 - d1 * d6;
    if over_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let over_a = d3 * d6 - d5 * d4;
    if over_a <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = over_a + over_b + over_c;
    [over_a / sum, over_b / sum, over_c / sum]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{box_mesh, sphere_mesh};
    use crate::skin::SkinForm;
    use std::sync::Arc;

    const EVERYWHERE: Bounds = Bounds { low: Vec3::NEG_INFINITY, high: Vec3::INFINITY };

    #[test]
    fn distances_to_a_box_are_those_of_a_box_inside_and_outside() {
        let mesh = box_mesh(Vec3::new(2.0, 2.0, 2.0), [1, 1, 1]);
        let skin = Skin::new(Arc::new(SkinForm::flat(&mesh, true)), mesh.points.clone());
        let probe = Probe::new(&skin, &skin.points, &EVERYWHERE);
        for k in 0..500 {
            let part = |a: f64| ((f64::from(k) + 0.5) * a).fract() * 3.4 - 1.7;
            let p = Vec3::new(part(0.618_034), part(0.414_214), part(0.732_051));
            let q = p.abs() - Vec3::ONE;
            let expected = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
            let found = probe.nearest(p, 10.0).unwrap();
            assert!((found.distance - expected).abs() < 1e-9, "{p} {} {expected}", found.distance);
            let back = found.point.at + found.normal * found.distance;
            assert!(back.distance(p) < 1e-9);
        }
    }

    #[test]
    fn few_faces_about_a_place_tell_what_all_do() {
        let mesh = sphere_mesh(1.0, 5);
        let skin = Skin::new(Arc::new(SkinForm::bending(&mesh)), mesh.points.clone());
        let all = Probe::new(&skin, &skin.points, &EVERYWHERE);
        let part = |k: usize, s: f64| ((k as f64 + 0.5) * s).fract() * 2.0 - 1.0;
        let place = |k: usize| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051));
        for (k, far) in (0..60).map(|k| (k, 0.1 + 0.01 * k as f64)) {
            let (middle, radius) = (1.3 * place(k), 0.15);
            let some = all.about(middle, radius, far);
            for j in 0..20 {
                let p = middle + place(7 * k + j) * (radius / 3f64.sqrt());
                let (a, b) = (all.nearest(p, far), some.nearest(p, far));
                assert_eq!(a.map(|n| n.distance), b.map(|n| n.distance), "{p}");
            }
        }
    }

    /// Within what is asked for the answers are those of a search everywhere; beyond it there is none outside of the box.
    #[test]
    fn a_search_near_the_surface_tells_what_one_far_and_wide_does() {
        let mesh = box_mesh(Vec3::new(2.0, 1.0, 0.5), [2, 2, 2]);
        let turn = crate::math::Quat::from_scaled_axis(Vec3::new(0.3, -0.5, 0.7));
        let points: Vec<Vec3> = mesh.points.iter().map(|p| turn * *p).collect();
        let skin = Skin::new(Arc::new(SkinForm::flat(&mesh, true)), points);
        let probe = Probe::new(&skin, &skin.points, &EVERYWHERE);
        let (mut inside, mut beyond) = (0, 0);
        for k in 0..2000 {
            let part = |a: f64| ((f64::from(k) + 0.5) * a).fract() * 3.4 - 1.7;
            let p = Vec3::new(part(0.618_034), part(0.414_214), part(0.732_051));
            let all = probe.nearest(p, 3.0).unwrap();
            match probe.nearest_within(p, 0.2, 3.0) {
                Some(near) => assert_eq!((near.distance, near.normal), (all.distance, all.normal), "{p}"),
                None => {
                    assert!(all.distance > 0.2, "{p} {}", all.distance);
                    beyond += 1;
                }
            }
            inside += i32::from(all.distance < 0.0);
        }
        assert!(inside > 20 && beyond > 500, "{inside} {beyond}");
    }

    /// Ways to all sides of solids of every sort enter them where halving says that they do, and there only.
    #[test]
    fn ways_enter_solids_where_their_distance_becomes_nothing() {
        let mesh = box_mesh(Vec3::new(2.0, 1.0, 0.5), [2, 2, 2]);
        let turn = crate::math::Quat::from_scaled_axis(Vec3::new(0.3, -0.5, 0.7));
        let points: Vec<Vec3> = mesh.points.iter().map(|p| turn * *p).collect();
        let ends = vec![Vec3::new(-0.4, 0.1, 0.0), Vec3::new(0.5, 0.0, 0.2)];
        let skins = [
            Skin::new(Arc::new(SkinForm::flat(&mesh, true)), points),
            Skin::new(Arc::new(SkinForm::round(&ends[..1], 0.6)), ends[..1].to_vec()),
            Skin::new(Arc::new(SkinForm::round(&ends, 0.4)), ends.clone()),
        ];
        for skin in &skins {
            let probe = Probe::new(skin, &skin.points, &EVERYWHERE);
            let distance = |p: Vec3| probe.nearest(p, 10.0).unwrap().distance;
            let (mut met, mut missed) = (0, 0);
            for k in 0..4000 {
                let part = |a: f64| ((f64::from(k) + 0.5) * a).fract() * 4.0 - 2.0;
                let from = Vec3::new(part(0.618_034), part(0.414_214), part(0.732_051));
                let to = Vec3::new(part(0.236_068), part(0.302_776), part(0.645_751));
                if distance(from) <= 0.0 {
                    continue;
                }
                // Before it enters a convex solid a way is outside, after that inside for a while.
                let at = |share: f64| from.lerp(to, share);
                let inside = (1..=400).map(|k| f64::from(k) / 400.0).find(|share| distance(at(*share)) < 0.0);
                match (probe.first_met(from, to), inside) {
                    (Some(found), Some(inside)) => {
                        let (mut low, mut high) = (0.0, inside);
                        for _ in 0..60 {
                            let middle = 0.5 * (low + high);
                            if distance(at(middle)) < 0.0 { high = middle } else { low = middle }
                        }
                        assert!(found.point.at.distance(at(high)) < 1e-7, "{found:?} {}", at(high));
                        assert!(found.normal.dot(to - from) < 0.0);
                        met += 1;
                    }
                    // It may graze the solid between two of the places that were looked at.
                    (Some(found), None) => assert!(distance(found.point.at).abs() < 1e-9),
                    (None, Some(inside)) => panic!("{from} {to} {inside}"),
                    (None, None) => missed += 1,
                }
            }
            assert!(met > 100 && missed > 100, "{met} {missed}");
        }
    }

    #[test]
    fn a_ball_of_triangles_and_a_round_one_agree_on_the_side() {
        let mesh = sphere_mesh(1.0, 5);
        let faces = Skin::new(Arc::new(SkinForm::bending(&mesh)), mesh.points.clone());
        let round = Skin::new(Arc::new(SkinForm::round(&[Vec3::ZERO], 1.0)), vec![Vec3::ZERO]);
        let (a, b) =
            (Probe::new(&faces, &faces.points, &EVERYWHERE), Probe::new(&round, &round.points, &EVERYWHERE));
        for k in 0..200 {
            let part = |s: f64| ((f64::from(k) + 0.5) * s).fract() * 2.4 - 1.2;
            let p = Vec3::new(part(0.618_034), part(0.414_214), part(0.732_051));
            let (Some(x), Some(y)) = (a.nearest(p, 2.0), b.nearest(p, 2.0)) else { panic!() };
            assert!((x.distance - y.distance).abs() < 0.01, "{p} {} {}", x.distance, y.distance);
        }
    }
}
