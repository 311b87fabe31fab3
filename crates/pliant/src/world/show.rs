//! How coats are shown: the surface that they have among all others.

use super::World;
use super::press::reach;
use crate::contact::{Bounds, Coat, Gaps, Limit, Nearest, Probe, Surface, Tree};
use crate::frame::{Frame, ObjectTopology, Surface as FrameSurface};
use crate::math::Vec3;
use crate::shape::triangles_meet;
use crate::skin::Solid;
use rayon::prelude::*;

/// Coats are shown this far from what they touch, over their thickness.
const SHOWN_GAP: f64 = 5e-5;
/// And this far from other coats, whose triangles are not theirs.
const SHOWN_GAP_OF_COATS: f64 = 0.025;
/// What a triangle cuts off a corner, over how far places around are farther from the solid than their middle.
const CORNER: f64 = 1.2;
/// Where that was too little it is tried again with so much more everywhere, over the thickness, each time twice as much.
const MORE: f64 = 0.01;
const TRIES: usize = 6;
/// Where the free surface meets a contact face it turns within this much of the field.
const ROUNDED: f64 = 0.15;

impl World {
    /// Gives coats in a frame the surface that they have among all others.
    pub(super) fn show_coats(&self, frame: &mut Frame) {
        for (i, body) in self.bodies.iter().enumerate() {
            let Some(coat) = body.coat() else { continue };
            let e = coat.thickness();
            let around = coat.bounds().grown(0.5 * e);
            let others = (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i);
            let mut limits = Neighbours { solids: vec![], coats: vec![], e, edge: coat.edge(), more: 0.0 };
            for j in others {
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
            let o = self.object(i);
            let others = self.shown_near(frame, o, &around);
            let at = frame.objects[o].translation;
            let single = |v: Vec3| v.as_vec3().to_array();
            let mut surface = coat.surface(&limits);
            for _ in 0..TRIES {
                if !others.meet(&surface, |p| at + Vec3::from(single(p - at).map(f64::from))) {
                    break;
                }
                limits.more = if limits.more == 0.0 { MORE } else { 2.0 * limits.more };
                surface = coat.surface(&limits);
            }
            frame.objects[o].points = surface.points.iter().map(|p| single(*p - at)).collect();
            frame.measures[o].volume = surface.volume();
            frame.objects[o].surface = Some(FrameSurface {
                pieces: surface.pieces(),
                normals: surface.normals.iter().map(|n| single(*n)).collect(),
                triangles: surface.triangles,
                colours: vec![],
            });
        }
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
        Shown { tree: Tree::build(&boxes), triangles }
    }
}

/// What limits a coat where it is shown: solids, and other coats.
struct Neighbours<'a> {
    solids: Vec<Probe<'a>>,
    coats: Vec<&'a dyn Coat>,
    /// Its thickness, and the length of the edges of its triangles.
    e: f64,
    edge: f64,
    /// How much farther off it stays than it would have to, over the thickness.
    more: f64,
}

/// Farther from a solid with edges than this, over the length of triangles, a coat need not keep off them.
const KEPT_OFF: f64 = 3.0;
/// Farther from a solid than this, over the thickness, it does not limit a coat.
const FAR: f64 = 3.0;

impl Limit for Neighbours<'_> {
    fn limits(&self, within: &Bounds) -> bool {
        let middle = 0.5 * (within.low + within.high);
        let half = 0.5 * within.low.distance(within.high);
        // Where surface and solid are this close one turns into the other; solids with edges are kept off farther.
        let near = |probe: &Probe| {
            let gap = if probe.is_half_space() { SHOWN_GAP * self.e } else { KEPT_OFF * self.edge };
            half + gap + (self.more + ROUNDED) * self.e
        };
        self.solids.iter().any(|probe| probe.nearest(middle, near(probe)).is_some())
            || self.coats.iter().any(|other| other.bounds().overlaps(within))
    }

    fn gaps(&self, p: Vec3) -> Gaps {
        let gap = |probe: &Probe| {
            let near = probe.nearest(p, FAR * self.e);
            near.map_or(0.0, |near| shown_gap(probe, p, &near, (self.e, self.edge))) + self.more * self.e
        };
        self.solids.iter().map(gap).collect()
    }

    fn at(&self, p: Vec3, f: f64, gradient: Vec3, gaps: &Gaps) -> (f64, Vec3) {
        let mut inside = (f - 1.0, gradient);
        for (probe, gap) in self.solids.iter().zip(gaps) {
            if let Some(near) = probe.nearest(p, FAR * self.e) {
                let per = 3.0 / self.e;
                inside = least(inside, (per * (near.distance - gap), near.normal * per));
            }
        }
        for other in &self.coats {
            let (g, slope) = other.at(p);
            inside = least(inside, (f - g - 3.0 * (SHOWN_GAP_OF_COATS + self.more), gradient - slope));
        }
        inside
    }
}

/// Triangles of other objects as a frame shows them.
struct Shown {
    triangles: Vec<[Vec3; 3]>,
    tree: Tree,
}

impl Shown {
    /// Whether any meets a surface, each of whose points is shown at another place.
    fn meet(&self, surface: &Surface, shown: impl Fn(Vec3) -> Vec3 + Sync) -> bool {
        surface.triangles.par_iter().any(|t| {
            let corners = t.map(|k| shown(surface.points[k as usize]));
            let mut found = false;
            self.tree.query(&Bounds::of(corners.iter().copied()), |k| {
                found |= triangles_meet([0, 1, 2], corners, [3, 4, 5], self.triangles[k as usize]);
            });
            found
        })
    }
}

/// How far the shown surface stays away from a solid at a place. Its triangles cut corners that the coat itself goes
/// round, so where the solid turns within the length of their edges they keep off by what that can cost. On a flat face
/// the mean distance of two places around is that of their middle; about an edge it is more.
fn shown_gap(probe: &Probe, p: Vec3, near: &Nearest, (e, edge): (f64, f64)) -> f64 {
    let least = SHOWN_GAP * e;
    let far = 2.5 * edge;
    if near.distance <= 0.0 || near.distance > KEPT_OFF * edge || probe.is_flat_about(p, near.distance + far)
    {
        return least;
    }
    // Along some axis or diagonal a solid that bends outwards does so, whatever it does across.
    const AXES: [[f64; 3]; 9] = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.7, 0.7, 0.0],
        [0.7, -0.7, 0.0],
        [0.7, 0.0, 0.7],
        [0.7, 0.0, -0.7],
        [0.0, 0.7, 0.7],
        [0.0, 0.7, -0.7],
    ];
    let bend = |axis: &[f64; 3], far: f64| {
        let side = Vec3::from(*axis) * (far * edge);
        let within = near.distance + 1.01 * far * edge;
        let distance = |p: Vec3| probe.nearest(p, within).map_or(near.distance, |n| n.distance);
        0.5 * (distance(p + side) + distance(p - side)) - near.distance
    };
    // Far around for sharp edges, close by for small ones in the middle of a dent.
    let most = |far: f64| AXES.iter().map(|axis| bend(axis, far)).fold(0.0, f64::max);
    least + CORNER * most(far / edge).max(most(0.8))
}

/// The smaller of two with their gradients, without an edge where they are equal: a little less there.
fn least((a, slope_a): (f64, Vec3), (b, slope_b): (f64, Vec3)) -> (f64, Vec3) {
    let near = (1.0 - (a - b).abs() / ROUNDED).max(0.0);
    // How much of the larger one's slope there is: half of it where they are equal.
    let share = 0.5 * near;
    let (low, high) = if a < b { (slope_a, slope_b) } else { (slope_b, slope_a) };
    (a.min(b) - 0.25 * ROUNDED * near * near, low * (1.0 - share) + high * share)
}
