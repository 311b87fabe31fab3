//! How coats are shown: the surface that they have among all others.

mod fit;
mod retreat;
mod swell;

use super::World;
use super::press::reach;
use crate::contact::{Bounds, Coat, Limit, Probe, Surface, Tree};
use crate::frame::{Frame, ObjectTopology, Surface as FrameSurface};
use crate::math::Vec3;
use crate::shape::triangles_meet;
use crate::skin::Solid;
use fit::fitting;
use rayon::prelude::*;
use retreat::Retreats;
use swell::swollen;

/// Coats are shown this far from what they touch, over their thickness.
const SHOWN_GAP: f64 = 5e-5;
/// And this far from other coats, whose triangles are not theirs.
const SHOWN_GAP_OF_COATS: f64 = 0.01;
/// Times that some points are put back before all are.
const TURNS_BACK: usize = 3;
/// Where the free surface meets a contact face it turns within this much of the field.
const ROUNDED: f64 = 0.15;

impl World {
    /// Gives coats in a frame the surface that they have among all others.
    pub(super) fn show_coats(&self, frame: &mut Frame) {
        for (i, body) in self.bodies.iter().enumerate() {
            let Some(coat) = body.coat() else { continue };
            let around = coat.bounds().grown(0.5 * coat.thickness());
            let mut limits = self.limits_of(i, coat);
            let o = self.object(i);
            let others = self.shown_near(frame, o, &around);
            let at = frame.objects[o].translation;
            let single = |v: Vec3| v.as_vec3().to_array();
            let shown = |p: Vec3| at + Vec3::from(single(p - at).map(f64::from));
            let (mut surface, put) =
                fitting(coat, &mut limits, |s| others.cut_by(s, shown), |s, put| s.folds(shown, put));
            // Where something else is near, points stay as close to it as they are.
            let swollen = swollen(&surface, coat.edge(), |p| limits.at(p, 1.0, Vec3::ZERO).0 == 0.0);
            frame.measures[o].volume = swollen.volume;
            let before = std::mem::replace(&mut surface.points, swollen.points);
            // Beside points that were made to fit, one that gives way may fold the surface.
            put_back(&mut surface, before, |s| [others.cut_by(s, shown), s.folds(shown, &put)].concat());
            frame.objects[o].points = surface.points.iter().map(|p| single(*p - at)).collect();
            frame.objects[o].surface = Some(FrameSurface {
                pieces: surface.pieces(),
                normals: surface.normals.iter().map(|n| single(*n)).collect(),
                colours: coat.colours(&surface.points),
                triangles: surface.triangles,
            });
        }
    }

    /// What limits the coat of a body.
    fn limits_of(&self, i: usize, coat: &dyn Coat) -> Neighbours<'_> {
        let e = coat.thickness();
        let around = coat.bounds().grown(0.5 * e);
        let mut limits = Neighbours { solids: vec![], coats: vec![], e, retreats: Retreats::default() };
        for j in (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i) {
            let skin = self.skin(j);
            match self.bodies.get(j).and_then(|b| b.coat()) {
                Some(other) if around.overlaps(&other.bounds()) => limits.coats.push(other),
                Some(_) => {}
                None => {
                    if reach(skin, &around).is_some() {
                        limits.solids.push(Probe::new(skin, &skin.points, &around.grown(3.0 * e)));
                    }
                }
            }
        }
        limits
    }

    /// What a frame shows of all others about a coat: solids, and coats that it has shown already. Planes are left out:
    /// what is on one side of them with its points is so altogether.
    fn shown_near(&self, frame: &Frame, i: usize, around: &Bounds) -> Shown {
        let mut triangles = vec![];
        let obstacles = (self.bodies.len()..).take(self.obstacles.len()).map(|j| j..j + 1);
        let members = self.pieces().chain(obstacles).zip(&frame.objects).enumerate();
        for (_, (members, object)) in members.filter(|(j, _)| *j != i) {
            let (j, skin) = (members.start, self.skin(members.start));
            let coat = self.bodies.get(j).is_some_and(|b| b.coat().is_some());
            let plane = matches!(skin.form.solid, Solid::HalfSpace(_));
            let near = |j: usize| reach(self.skin(j), around).is_some();
            if plane || (coat && object.surface.is_none()) || !(coat || members.clone().any(near)) {
                continue;
            }
            let topology = match j.checked_sub(self.bodies.len()) {
                None if coat => ObjectTopology::default(),
                None => self.bodies[j].topology(""),
                Some(k) => self.obstacles[k].topology(),
            };
            let points = if object.points.is_empty() { &topology.points } else { &object.points };
            let at =
                |k: u32| object.translation + object.rotation * Vec3::from(points[k as usize].map(f64::from));
            let all = object.triangles(&topology).iter().map(|t| t.map(at));
            triangles.extend(all.filter(|t| Bounds::of(t.iter().copied()).overlaps(around)));
        }
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::of(t.iter().copied())).collect();
        Shown { tree: Tree::build(&boxes), boxes, triangles }
    }
}

/// What limits a coat where it is shown: solids, and other coats.
struct Neighbours<'a> {
    solids: Vec<Probe<'a>>,
    coats: Vec<&'a dyn Coat>,
    /// Its thickness.
    e: f64,
    /// Where it stays farther off than it would have to.
    retreats: Retreats,
}

/// Farther from a solid than this, over the thickness, it does not limit a coat.
const FAR: f64 = 3.0;

impl Neighbours<'_> {
    /// The same for places no farther than `radius` from one: what is close enough to change the surface there.
    fn around(&self, p: Vec3, radius: f64) -> Self {
        let near = self.solids.iter().filter(|solid| self.is_near(solid, p, radius));
        let solids = near.map(|solid| solid.about(p, radius, FAR * self.e)).collect();
        Self { solids, coats: self.coats.clone(), e: self.e, retreats: self.retreats.about(p, radius) }
    }

    /// Whether a solid is close enough to change the surface anywhere within `radius` of a place.
    fn is_near(&self, solid: &Probe, p: Vec3, radius: f64) -> bool {
        // Where surface and solid are this close one turns into the other.
        let near = radius + (SHOWN_GAP + self.retreats.most() + ROUNDED) * self.e;
        // What lies within a solid is limited however deep it is.
        solid.nearest_within(p, near, radius + FAR * self.e).is_some_and(|n| n.distance < near)
    }

    /// Whether a solid lies between two places outside of all solids.
    fn hides(&self, one: Vec3, other: Vec3) -> bool {
        self.solids.iter().any(|solid| solid.first_met(one, other).is_some())
    }

    /// Whether a place lies in a solid or on it.
    fn is_in_one(&self, p: Vec3) -> bool {
        let (least, far) = (SHOWN_GAP * self.e, FAR * self.e);
        self.solids.iter().any(|s| s.nearest_within(p, least, far).is_some_and(|n| n.distance <= 0.0))
    }

    /// Distance to the nearest solid, negative inside; none is farther than it matters.
    fn room(&self, p: Vec3) -> f64 {
        let far = FAR * self.e;
        let nearer =
            |least: f64, s: &Probe| s.nearest_within(p, least, far).map_or(least, |n| n.distance.min(least));
        self.solids.iter().fold(far, nearer)
    }
}

impl Limit for Neighbours<'_> {
    fn limits(&self, within: &Bounds) -> bool {
        let (middle, half) = ball_about(within);
        self.solids.iter().any(|solid| self.is_near(solid, middle, half))
            || self.coats.iter().any(|other| other.bounds().overlaps(within))
    }

    fn at(&self, p: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
        let (mut inside, more) = ((f - 1.0, gradient), self.retreats.at(p));
        for probe in &self.solids {
            let (per, gap) = (3.0 / self.e, (SHOWN_GAP + more) * self.e);
            // Farther off a solid changes nothing.
            let felt = gap + (inside.0 + ROUNDED) / per;
            if let Some(near) = probe.nearest_within(p, felt, FAR * self.e) {
                inside = least(inside, (per * (near.distance - gap), near.normal * per));
            }
        }
        for other in &self.coats {
            let (g, slope) = other.at(p);
            inside = least(inside, (f - g - 3.0 * (SHOWN_GAP_OF_COATS + more), gradient - slope));
        }
        inside
    }

    fn about<'a>(&'a self, within: &Bounds) -> Box<dyn Limit + 'a> {
        let (middle, half) = ball_about(within);
        Box::new(self.around(middle, half))
    }
}

/// Points of triangles that are in the way of others go back to where they were; should that not help, all do.
fn put_back(surface: &mut Surface, before: Vec<Vec3>, in_the_way: impl Fn(&Surface) -> Vec<u32>) {
    for _ in 0..TURNS_BACK {
        let these = in_the_way(surface);
        if these.is_empty() {
            return;
        }
        for k in these.into_iter().flat_map(|t| surface.triangles[t as usize]) {
            surface.points[k as usize] = before[k as usize];
        }
    }
    surface.points = before;
}

/// Middle and radius of the ball about a box.
fn ball_about(within: &Bounds) -> (Vec3, f64) {
    (0.5 * (within.low + within.high), 0.5 * within.low.distance(within.high))
}

/// Triangles of other objects as a frame shows them.
struct Shown {
    triangles: Vec<[Vec3; 3]>,
    /// About each of them.
    boxes: Vec<Bounds>,
    tree: Tree,
}

impl Shown {
    /// Triangles of a surface that any of them meets; each point of it is shown at another place.
    fn cut_by(&self, surface: &Surface, shown: impl Fn(Vec3) -> Vec3 + Sync) -> Vec<u32> {
        if self.triangles.is_empty() {
            return vec![];
        }
        let meets = |t: &[u32; 3]| {
            let corners = t.map(|k| shown(surface.points[k as usize]));
            let (mut found, around) = (false, Bounds::of(corners.iter().copied()));
            self.tree.query(&around, |k| {
                found |= around.overlaps(&self.boxes[k as usize])
                    && triangles_meet([0, 1, 2], corners, [3, 4, 5], self.triangles[k as usize]);
            });
            found
        };
        let all = (0..surface.triangles.len() as u32).into_par_iter().with_min_len(256);
        all.filter(|t| meets(&surface.triangles[*t as usize])).collect()
    }
}

/// The smaller of two with their gradients, without an edge where they are equal: a little less there.
fn least((a, slope_a): (f64, Vec3), (b, slope_b): (f64, Vec3)) -> (f64, Vec3) {
    let near = (1.0 - (a - b).abs() / ROUNDED).max(0.0);
    // How much of the larger one's slope there is: half of it where they are equal.
    let share = 0.5 * near;
    let (low, high) = if a < b { (slope_a, slope_b) } else { (slope_b, slope_a) };
    (a.min(b) - 0.25 * ROUNDED * near * near, low * (1.0 - share) + high * share)
}

#[cfg(test)]
mod tests;
