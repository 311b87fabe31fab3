//! What a skeleton may be: anything that has a distance (`[DG94]` section 2), about its centre and in axes of its own.

use crate::math::portable::{cos, sin};
use crate::math::{Mat3, Vec3, outer};
use std::f64::consts::{PI, TAU};

/// A shape of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A place.
    Point,
    /// Straight from each place to the next: a segment or a curve.
    Line(Vec<Vec3>),
    /// Flat.
    Triangle([Vec3; 3]),
    /// Solid, by half its edges.
    Box(Vec3),
    /// Solid, by its radius.
    Ball(f64),
}

/// Where a seed of the surface starts and in which direction it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// A place on the skeleton.
    pub from: Vec3,
    /// Unit vector.
    pub along: Vec3,
    /// What it stands for at a distance `d`: `area[0] + area[1] d + area[2] d^2`, as Steiner has it for surfaces that are
    /// equally far from a body: faces stay, edges become tubes and corners balls.
    pub area: [f64; 3],
}

impl Ray {
    /// The part of the surface that it stands for at a distance.
    pub fn area_at(&self, d: f64) -> f64 {
        self.area[0] + d * (self.area[1] + d * self.area[2])
    }
}

/// Rays of a point, or about a corner.
pub const RAYS: usize = 32;
/// Rays about an edge.
const AROUND: usize = 12;
/// Distance of rays from each other along edges and faces, over the thickness: about that of a point's.
const APART: f64 = 0.6;

impl Form {
    /// The nearest place of it; the place itself if it lies within.
    pub fn nearest(&self, p: Vec3) -> Vec3 {
        match self {
            Form::Point => Vec3::ZERO,
            Form::Line(places) => {
                let each = places.windows(2).map(|ends| on_segment(p, [ends[0], ends[1]]));
                let distance = |q: &Vec3| q.distance_squared(p);
                each.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(Vec3::ZERO)
            }
            Form::Triangle(corners) => on_triangle(p, corners),
            Form::Box(half) => p.clamp(-*half, *half),
            Form::Ball(radius) => p.clamp_length_max(*radius),
        }
    }

    /// Distance of its farthest place from the centre `[m]`.
    pub fn extent(&self) -> f64 {
        let farthest = |places: &[Vec3]| places.iter().map(|p| p.length()).fold(0.0, f64::max);
        match self {
            Form::Point => 0.0,
            Form::Line(places) => farthest(places),
            Form::Triangle(corners) => farthest(corners),
            Form::Box(half) => half.length(),
            Form::Ball(radius) => *radius,
        }
    }

    /// Volume within a distance of it `[m^3]` (Steiner); at the bends of a curve, what two pieces share counts twice on one
    /// side and is missing on the other.
    pub fn coated_volume(&self, e: f64) -> f64 {
        let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
        match self {
            Form::Point => ball(e),
            Form::Line(places) => PI * e * e * length(places) + ball(e),
            Form::Triangle([a, b, c]) => {
                let around = a.distance(*b) + b.distance(*c) + c.distance(*a);
                (*b - *a).cross(*c - *a).length() * e + 0.5 * PI * e * e * around + ball(e)
            }
            Form::Box(half) => {
                let [a, b, c] = (2.0 * *half).to_array();
                a * b * c + 2.0 * (a * b + b * c + c * a) * e + PI * e * e * (a + b + c) + ball(e)
            }
            Form::Ball(radius) => ball(radius + e),
        }
    }

    /// Mean of `r r^T` over its mass `[m^2]`, where each part of that is a ball as thick as the coat. Differs from [DG94],
    /// where all mass lies in the skeleton, because a thin one could then not be turned about its own axis, and torque
    /// on it would be lost.
    pub fn second_moment(&self, e: f64) -> Mat3 {
        let own = match self {
            Form::Point => Mat3::ZERO,
            Form::Line(places) => {
                let all = length(places);
                let each = places.windows(2).map(|ends| {
                    let (a, d) = (ends[0], ends[1] - ends[0]);
                    let middle = outer(a, a) + (outer(a, d) + outer(d, a)) * 0.5 + outer(d, d) * (1.0 / 3.0);
                    middle * (d.length() / all)
                });
                each.fold(Mat3::ZERO, |sum, m| sum + m)
            }
            Form::Triangle(corners) => {
                let sum = corners[0] + corners[1] + corners[2];
                let each = corners.iter().map(|c| outer(*c, *c));
                each.fold(outer(sum, sum), |sum, m| sum + m) * (1.0 / 12.0)
            }
            Form::Box(half) => Mat3::from_diagonal(*half * *half / 3.0),
            Form::Ball(radius) => Mat3::from_diagonal(Vec3::splat(radius * radius / 5.0)),
        };
        own + Mat3::from_diagonal(Vec3::splat(e * e / 5.0))
    }

    /// Places about a distance apart at which it feels bonds: on a solid only on its surface, where others are met.
    pub fn sites(&self, apart: f64) -> Vec<Vec3> {
        let steps = |length: f64| (length / apart).round() as usize;
        match self {
            Form::Point => vec![Vec3::ZERO],
            Form::Line(places) => {
                let mut sites = vec![places[0]];
                for ends in places.windows(2) {
                    let n = steps(ends[0].distance(ends[1])).max(1);
                    sites.extend((1..=n).map(|k| ends[0].lerp(ends[1], k as f64 / n as f64)));
                }
                sites
            }
            Form::Triangle([a, b, c]) => {
                let longest = a.distance(*b).max(b.distance(*c)).max(c.distance(*a));
                let n = steps(longest).max(1);
                let at = |i: usize, j: usize| *a + ((*b - *a) * i as f64 + (*c - *a) * j as f64) / n as f64;
                (0..=n).flat_map(|i| (0..=n - i).map(move |j| at(i, j))).collect()
            }
            Form::Box(half) => {
                let n = half.to_array().map(|h| steps(2.0 * h));
                let at = |k: usize, d: usize| match n[d] {
                    0 => 0.0,
                    n => half[d] * (2.0 * k as f64 / n as f64 - 1.0),
                };
                let mut sites = vec![];
                for i in 0..=n[0] {
                    for j in 0..=n[1] {
                        let is_on_side = i == 0 || i == n[0] || j == 0 || j == n[1];
                        let all = (0..=n[2]).filter(|k| is_on_side || *k == 0 || *k == n[2]);
                        sites.extend(all.map(|k| Vec3::new(at(i, 0), at(j, 1), at(k, 2))));
                    }
                }
                sites
            }
            Form::Ball(radius) if *radius < 0.5 * apart => vec![Vec3::ZERO],
            Form::Ball(radius) => {
                // As many as fit on it in the closest packing of a plane.
                let count = 4.0 * PI * radius * radius / (0.75f64.sqrt() * apart * apart);
                spread(count.round().max(4.0) as usize).map(|d| d * *radius).collect()
            }
        }
    }

    /// Rays that meet the whole surface at a distance `e`, about as densely as those of a point.
    pub fn rays(&self, e: f64) -> Vec<Ray> {
        let ball = |radius: f64, count: usize| {
            let share = 4.0 * PI / count as f64;
            let area = [share * radius * radius, 2.0 * share * radius, share];
            spread(count).map(move |along| Ray { from: along * radius, along, area }).collect()
        };
        let mut rays = vec![];
        match self {
            Form::Point => return ball(0.0, RAYS),
            Form::Ball(radius) => {
                let larger = (1.0 + radius / e).powi(2);
                return ball(*radius, RAYS * (larger.round() as usize));
            }
            Form::Line(places) => {
                places.iter().for_each(|p| about_corner(*p, &mut rays));
                places.windows(2).for_each(|ends| {
                    let beside = (ends[1] - ends[0]).any_orthogonal_vector();
                    about_edge([ends[0], ends[1]], beside, e, &mut rays);
                });
            }
            Form::Triangle(corners) => {
                let [a, b, c] = *corners;
                corners.iter().for_each(|p| about_corner(*p, &mut rays));
                let normal = (b - a).cross(c - a);
                for ends in [[a, b], [b, c], [c, a]] {
                    about_edge(ends, normal, e, &mut rays);
                }
                let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
                let n = (longest / (1.5 * APART * e)).ceil();
                let (u, v, along) = ((b - a) / n, (c - a) / n, normal.normalize());
                let area = [0.5 * normal.length() / (n * n), 0.0, 0.0];
                // Two triangles in each cell of a grid, but one in those along the third side.
                for (i, j) in grid(n as usize, n as usize).filter(|(i, j)| ((i + j) as f64) < n) {
                    let corner = a + u * i as f64 + v * j as f64;
                    let upper = ((i + j + 1) as f64) < n;
                    for share in [1.0 / 3.0, 2.0 / 3.0].iter().take(1 + usize::from(upper)) {
                        let from = corner + (u + v) * *share;
                        rays.extend([along, -along].map(|along| Ray { from, along, area }));
                    }
                }
            }
            Form::Box(half) => {
                for axis in 0..3 {
                    let [x, y, z] = [axis, (axis + 1) % 3, (axis + 2) % 3].map(|d| Vec3::AXES[d] * half[d]);
                    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
                    for (s, t) in signs {
                        about_edge([y * s + z * t - x, y * s + z * t + x], y, e, &mut rays);
                        if axis == 0 {
                            about_corner(y * s + z * t + x, &mut rays);
                            about_corner(y * s + z * t - x, &mut rays);
                        }
                    }
                    let [n, m] = [y, z].map(|w| (2.0 * w.length() / (APART * e)).ceil());
                    let area = [4.0 * y.length() * z.length() / (n * m), 0.0, 0.0];
                    for (i, j) in grid(n as usize, m as usize) {
                        let across = y * ((2 * i + 1) as f64 / n - 1.0) + z * ((2 * j + 1) as f64 / m - 1.0);
                        for side in [1.0, -1.0] {
                            rays.push(Ray { from: across + x * side, along: Vec3::AXES[axis] * side, area });
                        }
                    }
                }
            }
        }
        // Those about corners and edges that lie before another part of it are that part's.
        rays.retain(|ray| self.nearest(ray.from + ray.along * e).distance(ray.from) < 1e-9 * e);
        rays
    }
}

fn length(places: &[Vec3]) -> f64 {
    places.windows(2).map(|ends| ends[0].distance(ends[1])).sum()
}

fn grid(n: usize, m: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
}

/// Directions spread evenly over a ball.
fn spread(count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let turn = k as f64 * PI * (3.0 - 5f64.sqrt());
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * cos(turn), r * sin(turn), z)
    })
}

fn about_corner(at: Vec3, rays: &mut Vec<Ray>) {
    let area = [0.0, 0.0, 4.0 * PI / RAYS as f64];
    rays.extend(spread(RAYS).map(|along| Ray { from: at, along, area }));
}

/// Rays across an edge, evenly to both sides of a direction across it.
fn about_edge([a, b]: [Vec3; 2], beside: Vec3, e: f64, rays: &mut Vec<Ray>) {
    let n = (a.distance(b) / (APART * e)).ceil();
    let x = beside.normalize();
    let y = (b - a).normalize().cross(x);
    let area = [0.0, TAU / AROUND as f64 * a.distance(b) / n, 0.0];
    for (i, k) in grid(n as usize, AROUND) {
        let turn = (k as f64 + 0.5) / AROUND as f64 * TAU;
        let from = a.lerp(b, (i as f64 + 0.5) / n);
        rays.push(Ray { from, along: x * cos(turn) + y * sin(turn), area });
    }
}

fn on_segment(p: Vec3, [a, b]: [Vec3; 2]) -> Vec3 {
    let way = b - a;
    a + way * ((p - a).dot(way) / way.length_squared()).clamp(0.0, 1.0)
}

fn on_triangle(p: Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let normal = (*b - *a).cross(*c - *a);
    let sides = [[*a, *b], [*b, *c], [*c, *a]];
    if sides.iter().all(|[s, t]| normal.cross(*t - *s).dot(p - *s) >= 0.0) {
        return p - normal * (normal.dot(p - *a) / normal.length_squared());
    }
    let distance = |q: &Vec3| q.distance_squared(p);
    let each = sides.map(|side| on_segment(p, side));
    each.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(*a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Form; 6] {
        [
            Form::Point,
            Form::Line(vec![Vec3::X * -0.7, Vec3::X * 0.7]),
            Form::Line(vec![Vec3::X * -1.0, Vec3::ZERO, Vec3::new(0.6, 0.8, 0.0)]),
            Form::Triangle([
                Vec3::new(-0.5, -0.3, 0.1),
                Vec3::new(1.0, 0.0, 0.0),
                Vec3::new(-0.5, 0.3, -0.1),
            ]),
            Form::Box(Vec3::new(0.4, 0.7, 0.2)),
            Form::Ball(0.6),
        ]
    }

    /// Against distances known in closed form.
    #[test]
    fn the_nearest_place_is_where_it_is_known_to_be() {
        let [point, segment, curve, _, cuboid, ball] = all();
        let near = |form: &Form, p: [f64; 3]| form.nearest(Vec3::from(p)).distance(Vec3::from(p));
        assert_eq!(near(&point, [2.0, 3.0, 6.0]), 7.0);
        assert!((near(&segment, [0.3, 0.3, 0.4]) - 0.5).abs() < 1e-15);
        assert!((near(&segment, [1.0, 0.0, 0.4]) - 0.5).abs() < 1e-15);
        assert!((near(&curve, [-0.5, -0.2, 0.0]) - 0.2).abs() < 1e-15);
        assert!((near(&curve, [0.6, 0.8, 0.3]) - 0.3).abs() < 1e-15);
        assert!((near(&cuboid, [0.7, 0.0, -0.6]) - 0.5).abs() < 1e-15);
        assert_eq!(near(&cuboid, [0.1, -0.6, 0.1]), 0.0);
        assert!((near(&ball, [0.0, 1.0, 0.0]) - 0.4).abs() < 1e-15 && near(&ball, [0.1; 3]) == 0.0);
        let flat = Form::Triangle([Vec3::ZERO, Vec3::X, Vec3::Y]);
        assert!((near(&flat, [0.2, 0.3, -0.7]) - 0.7).abs() < 1e-15);
        assert!((near(&flat, [1.0, 1.0, 0.0]) - 0.5f64.sqrt()).abs() < 1e-15);
        assert!((near(&flat, [-0.3, -0.4, 0.0]) - 0.5).abs() < 1e-15);
    }

    /// Rays of a form stand for the whole surface about it, and all of it together has no side.
    #[test]
    fn rays_stand_for_the_whole_surface_at_any_distance() {
        for form in all() {
            let rays = form.rays(0.5);
            // The surface grows as the volume does; of a curve with bends that is known only roughly.
            let allowed = if matches!(&form, Form::Line(places) if places.len() > 2) { 0.2 } else { 0.03 };
            for d in [0.4, 0.5, 0.7] {
                let area = (form.coated_volume(d + 1e-5) - form.coated_volume(d - 1e-5)) / 2e-5;
                let found: f64 = rays.iter().map(|ray| ray.area_at(d)).sum();
                let sides: Vec3 = rays.iter().map(|ray| ray.along * ray.area_at(d)).sum();
                assert!((found / area - 1.0).abs() < allowed, "{form:?} {d}: {found} {area}");
                assert!(sides.length() < 0.05 * area, "{form:?} {d}: {sides}");
            }
        }
    }

    /// Moments against closed forms: a rod, a lamina, a box and a ball, each part of them a ball itself.
    #[test]
    fn moments_are_those_of_the_solid() {
        let [point, segment, _, _, cuboid, ball] = all();
        let of = |form: &Form| form.second_moment(0.5).to_cols_array_2d();
        let smear = 0.05;
        assert!((of(&point)[0][0] - smear).abs() < 1e-15);
        assert!((of(&segment)[0][0] - smear - 1.4 * 1.4 / 12.0).abs() < 1e-15);
        assert!((of(&cuboid)[1][1] - smear - 1.4 * 1.4 / 12.0).abs() < 1e-15);
        assert!((of(&ball)[2][2] - smear - 0.36 / 5.0).abs() < 1e-15);
        let third = Vec3::new(1.0, 1.0, 0.0) / 3.0;
        let lamina = Form::Triangle([-third, Vec3::X - third, Vec3::Y - third]);
        // A right triangle: 1/18 about its centre, and -1/36 across.
        assert!((of(&lamina)[0][0] - smear - 1.0 / 18.0).abs() < 1e-15);
        assert!((of(&lamina)[0][1] + 1.0 / 36.0).abs() < 1e-15);
    }

    #[test]
    fn sites_lie_on_the_form_about_as_far_apart_as_asked() {
        for form in all() {
            let sites = form.sites(0.3);
            for (k, p) in sites.iter().enumerate() {
                assert!(form.nearest(*p).distance(*p) < 1e-12, "{form:?}");
                let others = sites.iter().enumerate().filter(|(m, _)| *m != k);
                let nearest = others.map(|(_, q)| q.distance(*p)).fold(f64::INFINITY, f64::min);
                let lone = sites.len() == 1;
                assert!(lone || (nearest > 0.1 && nearest < 0.5), "{form:?}: {nearest}");
            }
        }
    }
}
