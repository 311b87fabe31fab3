//! Coats in the step: where they touch, what they exchange before the hard contacts are solved, and how they are shown.

use super::World;
use crate::contact::{
    Bounds, CoatTouch, Grip, Nearest, Other, Press, Probe, Rows, Surface, Tree, press, touches_of_coats,
    touches_of_solid,
};
use crate::frame::{Frame, ObjectTopology, Surface as FrameSurface};
use crate::math::Vec3;
use crate::shape::triangles_meet;
use crate::skin::{Skin, SkinPoint, Solid};
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
    /// Where coats touch. Who sleeps and is touched wakes up.
    pub(super) fn find_coat_touches(&mut self) {
        let coats: Vec<usize> = (0..self.bodies.len()).filter(|i| self.bodies[*i].coat().is_some()).collect();
        let touches: Vec<CoatTouch> = coats.par_iter().flat_map_iter(|i| self.touches_of(*i)).collect();
        for touch in touches.iter().filter(|t| t.force > 0.0) {
            for i in [touch.pair.0 as usize, touch.pair.1 as usize] {
                if self.rest.asleep().get(i) == Some(&true) {
                    self.rouse(i);
                }
            }
        }
        self.coat_touches = touches;
    }

    /// A body with a coat and another that reaches its skeletons: a coat may be pressed in at the start, but not that far.
    pub(super) fn coats_that_overlap(&self) -> Option<(usize, usize)> {
        let all = 0..self.bodies.len() + self.obstacles.len();
        let coats = (0..self.bodies.len()).filter(|i| self.bodies[*i].coat().is_some());
        let mut pairs = coats.flat_map(|i| all.clone().map(move |j| (i, j))).filter(|(i, j)| i != j);
        pairs.find(|(i, j)| {
            let (own, other) = (self.skin(*i), self.skin(*j));
            let around = Bounds::of(own.points.iter().copied());
            if let Some(theirs) = self.bodies.get(*j).and_then(|b| b.coat()) {
                let reached = |p: &Vec3| theirs.at(*p).0 > 1.0;
                return around.overlaps(&theirs.bounds()) && own.points.iter().any(reached);
            }
            let Some(its) = reach(other, &around) else { return false };
            // Inside is known by the nearest face, however far that is.
            let probe = Probe::new(other, &other.points, &its);
            let far = (around.high - around.low).length() + (its.high - its.low).length();
            own.points.iter().any(|p| probe.nearest(*p, far).is_some_and(|n| n.distance < 0.0))
        })
    }

    fn touches_of(&self, i: usize) -> Vec<CoatTouch> {
        let Some(coat) = self.bodies[i].coat() else { return vec![] };
        let mut found = vec![];
        let around = coat.bounds().grown(coat.thickness());
        for j in (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i) {
            let pair = (i as u32, j as u32);
            match self.bodies.get(j).and_then(|b| b.coat()) {
                Some(other) if j > i && around.overlaps(&other.bounds()) => {
                    found.extend(touches_of_coats(pair, coat, other));
                }
                Some(_) => {}
                None => {
                    let skin = self.skin(j);
                    if let Some(its) = reach(skin, &around) {
                        let flat = matches!(skin.form.solid, Solid::HalfSpace(_));
                        let within = if flat { around } else { its.grown(coat.thickness()) };
                        let probe = Probe::new(skin, &skin.points, &around.grown(2.0 * coat.thickness()));
                        found.extend(touches_of_solid(pair, coat, &probe, &within));
                    }
                }
            }
        }
        found
    }

    /// Points of skins that coats will push, for bracing.
    pub(super) fn pressed_points(&self, mut each: impl FnMut(usize, SkinPoint)) {
        for touch in &self.coat_touches {
            if let Other::Skin(p) = touch.other {
                each(touch.pair.1 as usize, p);
            }
        }
    }

    /// Coats push first; what they do is part of the free motion that hard contacts start from.
    pub(super) fn press_coats(&mut self, rows: &mut Rows) {
        let mut list: Vec<Press> = self.coat_touches.iter().map(|t| self.press_row(t, rows)).collect();
        press(&mut list, rows);
        rows.free.copy_from_slice(&rows.y);
        for p in list.iter().filter(|p| p.pair.1 as usize >= self.bodies.len()) {
            self.report.external_impulse += p.impulse();
            self.report.external_work += p.impulse().dot(p.drive);
        }
        self.presses = list;
    }

    fn press_row(&self, touch: &CoatTouch, rows: &mut Rows) -> Press {
        let (i, j) = (touch.pair.0 as usize, touch.pair.1 as usize);
        let mut store = std::mem::take(&mut rows.store);
        let on_coat = |body: usize, store: &mut Vec<f64>| {
            let coat = self.bodies[body].coat().expect("only coats are pressed");
            Grip { body: body as u32, lever: coat.lever(touch.at, store) }
        };
        let a = on_coat(i, &mut store);
        let (b, drive) = match (touch.other, j.checked_sub(self.bodies.len())) {
            (Other::Coat, _) => (on_coat(j, &mut store), Vec3::ZERO),
            (Other::Skin(p), Some(k)) => (Grip::FIXED, self.obstacles[k].skin.displacement(&p) / self.h),
            (Other::Skin(p), None) => {
                (Grip { body: j as u32, lever: self.bodies[j].lever(&p, &mut store) }, Vec3::ZERO)
            }
        };
        let n = touch.normal;
        let x = n.any_orthonormal_vector();
        let axes = [n, x, n.cross(x)];
        let response = rows.response(&a, &store) + rows.response(&b, &store);
        rows.store = store;
        let w = |k: usize| axes[k].dot(response * axes[k]);
        let give = 1.0 / (touch.stiffness * self.h * self.h);
        Press {
            pair: touch.pair,
            a,
            b,
            at: touch.at,
            axes,
            drive,
            start: touch.force * self.h,
            give,
            friction: self.friction(i, j),
            mobility: [1.0 / (w(0) + give), 1.0 / (w(1) + w(2))],
            lambda: [0.0; 3],
        }
    }

    /// Gives coats in a frame the surface that they have among all others.
    pub(super) fn show_coats(&self, frame: &mut Frame) {
        for (i, body) in self.bodies.iter().enumerate() {
            let Some(coat) = body.coat() else { continue };
            let e = coat.thickness();
            let around = coat.bounds().grown(0.5 * e);
            let others = (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i);
            let mut solids: Vec<Probe> = vec![];
            let mut coats = vec![];
            for j in others {
                let skin = self.skin(j);
                match self.bodies.get(j).and_then(|b| b.coat()) {
                    Some(other) if around.overlaps(&other.bounds()) => coats.push(other),
                    Some(_) => {}
                    None => {
                        if reach(skin, &around).is_some() {
                            solids.push(Probe::new(skin, &skin.points, &around.grown(3.0 * e)));
                        }
                    }
                }
            }
            let others = self.shown_near(frame, i, &around);
            let limit = |more: f64, p: Vec3, f: f64| {
                let mut inside = f - 1.0;
                for probe in &solids {
                    if let Some(near) = probe.nearest(p, 3.0 * e) {
                        let gap = shown_gap(probe, p, &near, (e, coat.edge())) + more * e;
                        inside = least(inside, 3.0 * (near.distance - gap) / e);
                    }
                }
                for other in &coats {
                    inside = least(inside, f - other.at(p).0 - 3.0 * (SHOWN_GAP_OF_COATS + more));
                }
                inside
            };
            let at = frame.objects[i].translation;
            let single = |v: Vec3| v.as_vec3().to_array();
            let mut more = 0.0;
            let mut surface = coat.surface(&|p, f| limit(more, p, f));
            for _ in 0..TRIES {
                if !others.meet(&surface, |p| at + Vec3::from(single(p - at).map(f64::from))) {
                    break;
                }
                more = if more == 0.0 { MORE } else { 2.0 * more };
                surface = coat.surface(&|p, f| limit(more, p, f));
            }
            frame.objects[i].points = surface.points.iter().map(|p| single(*p - at)).collect();
            frame.measures[i].volume = surface.volume();
            frame.objects[i].surface = Some(FrameSurface {
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
        for (j, object) in frame.objects.iter().enumerate().filter(|(j, _)| *j != i) {
            let skin = self.skin(j);
            let coat = self.bodies.get(j).is_some_and(|b| b.coat().is_some());
            let plane = matches!(skin.form.solid, Solid::HalfSpace(_));
            if plane || (coat && object.surface.is_none()) || !(coat || reach(skin, around).is_some()) {
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

/// The box of a skin if any of it may lie in another; half spaces may always.
fn reach(skin: &Skin, around: &Bounds) -> Option<Bounds> {
    let its = Bounds::of(skin.points.iter().copied()).grown(skin.form.radius);
    (matches!(skin.form.solid, Solid::HalfSpace(_)) || its.overlaps(around)).then_some(its)
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
    if near.distance <= 0.0 || near.distance > 1.2 * far || probe.is_flat_about(p, near.distance + far) {
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

/// The smaller of two, without an edge where they are equal: a little less there.
fn least(a: f64, b: f64) -> f64 {
    let near = (1.0 - (a - b).abs() / ROUNDED).max(0.0);
    a.min(b) - 0.25 * ROUNDED * near * near
}
