//! Contact of coats: bodies whose surface is where a field has the value 1, and which give way where they touch.
//!
//! A coat is pressed in by what it touches until the two share a face: at solids that is the solid's surface, at another
//! coat the places where both fields are equal (`[DG94]` section 2). The pressure on that face follows from the field
//! there, `stiffness (f - 1)`. Samples of the coat are the places where it acts; each is a spring that pushes both sides
//! at one point, taken at the end of the step so that no stiffness is too much, with Coulomb friction.

use super::bounds::Bounds;
use super::rows::{Grip, Rows};
use super::solid::Probe;
use super::surface::Surface;
use crate::bodies::Lever;
use crate::math::Vec3;
use crate::skin::SkinPoint;

/// A place of a coat's surface, undeformed.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Which of the coat's places it is, from step to step.
    pub seed: u32,
    /// Where.
    pub at: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
    /// The part of the surface it stands for `[m^2]`.
    pub area: f64,
    /// The place on a skeleton from which it was found, straight ahead.
    pub from: Vec3,
    /// What the way there stands for across it at a distance `d` from its start: `[0] + [1] d + [2] d^2` `[m^2]`.
    pub across: [f64; 3],
}

impl Sample {
    /// What lies about its way behind a place on it `[m^3]`.
    fn volume_beyond(&self, place: Vec3) -> f64 {
        let up_to = |p: Vec3| {
            let d = self.from.distance(p);
            d * (self.across[0] + d * (self.across[1] / 2.0 + d * self.across[2] / 3.0))
        };
        up_to(self.at) - up_to(place)
    }
}

/// What else limits a coat than its own field.
pub trait Limit: Sync {
    /// Whether anything in a box may be limited.
    fn limits(&self, within: &Bounds) -> bool;
    /// From a place, the field and its gradient there: a number that is positive inside, and its gradient.
    fn at(&self, p: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3);
    /// The same for who asks at many places within a box; where neither surface nor limit is near, it may say another number
    /// of the same sign.
    fn about<'a>(&'a self, within: &Bounds) -> Box<dyn Limit + 'a>;
}

/// Makes the surface of a coat within a limit, and again where that has changed.
pub trait Sculptor {
    /// The surface. If boxes are given, the limit is the same as the last time outside of them.
    fn surface(&mut self, limit: &dyn Limit, changed: Option<&[Bounds]>) -> Surface;
}

/// A body's coat at the start of the step.
pub trait Coat: Send + Sync {
    /// Box around the undeformed surface.
    fn bounds(&self) -> Bounds;
    /// Field and gradient at a place.
    fn at(&self, p: Vec3) -> (f64, Vec3);
    /// Distance from a lone skeleton to the surface `[m]`.
    fn thickness(&self) -> f64;
    /// Pressure where the field is 2 `[Pa]`.
    fn stiffness(&self) -> f64;
    /// Tension that the face at a seed holds, if it has touched something `[Pa]`.
    fn grip(&self, seed: u32) -> f64;
    /// Places of the surface about all skeletons for which `wanted` says that something within a distance of them matters.
    fn samples(&self, wanted: &(dyn Fn(Vec3, f64) -> bool + Sync)) -> Vec<Sample>;
    /// How a place on or in the coat answers a push.
    fn lever(&self, p: Vec3, store: &mut Vec<f64>) -> Lever;
    /// Length of the shorter edges of its triangles where it is shown `[m]`.
    fn edge(&self) -> f64;
    /// The place on a skeleton that is nearest to another, by the number of the skeleton.
    fn core(&self, skeleton: u32, p: Vec3) -> Vec3;
    /// Who makes the surface.
    fn sculptor(&self) -> Box<dyn Sculptor + '_>;
    /// Linear red, green and blue at places of the surface; none if it has but one colour.
    fn colours(&self, places: &[Vec3]) -> Vec<[f32; 3]>;
}

/// What a seed of a coat has felt in a step.
#[derive(Clone, Copy, Debug)]
pub struct Pressed {
    /// Which.
    pub seed: u32,
    /// Volume pressed out there `[m^3]`.
    pub volume: f64,
    /// Whether it still touches.
    pub held: bool,
}

/// The other side of a touching place.
#[derive(Clone, Copy, Debug)]
pub enum Other {
    /// A point of a skin.
    Skin(SkinPoint),
    /// A place on a coat.
    Coat,
}

/// A place where a coat may be pressed.
#[derive(Clone, Copy, Debug)]
pub struct CoatTouch {
    /// The coat's body, and the other object.
    pub pair: (u32, u32),
    /// Body and seed that it was found by, and the volume pressed out there `[m^3]`.
    pub seed: (u32, u32),
    pub volume: f64,
    /// The place on the common face.
    pub at: Vec3,
    /// Away from the other.
    pub normal: Vec3,
    /// What the other is pushed by.
    pub other: Other,
    /// Force at the start of the step `[N]`; negative while they do not touch yet.
    pub force: f64,
    /// By how much it grows as they approach `[N/m]`.
    pub stiffness: f64,
    /// The largest pull that it bears `[N]`.
    pub pull: f64,
}

/// Samples farther apart than this share of the thickness are not looked at.
const NEAR: f64 = 0.3;

/// Places where a coat meets a solid: those nearest to samples in it or close to it, as long as they look at the sample's skeleton.
/// Where a sample has come nearer to the far side of a thin solid, or out of it there, it is the place where its way from the skeleton
/// enters the solid.
pub fn touches_of_solid(pair: (u32, u32), coat: &dyn Coat, probe: &Probe) -> Vec<CoatTouch> {
    let mut found = vec![];
    let e = coat.thickness();
    for sample in coat.samples(&|p, far| probe.nearest(p, far + NEAR * e).is_some()) {
        let entered = probe.first_met(sample.from, sample.at);
        let near = probe.nearest_within(sample.at, NEAR * e, 3.0 * e).filter(|n| {
            // What faces away from a sample is not pressed by it.
            n.distance < if entered.is_some() { 0.0 } else { NEAR * e } && sample.normal.dot(n.normal) <= 0.0
        });
        let (point, normal) = match (near, entered) {
            (Some(near), _) => (near.point, near.normal),
            (None, Some(entered)) => (entered.point, entered.normal),
            (None, None) => continue,
        };
        let (f, gradient) = coat.at(point.at);
        let steep = gradient.dot(normal).max(0.1 * gradient.length());
        found.push(CoatTouch {
            pair,
            seed: (pair.0, sample.seed),
            volume: entered.map_or(0.0, |met| sample.volume_beyond(met.point.at)),
            at: point.at,
            normal,
            other: Other::Skin(point),
            force: sample.area * coat.stiffness() * (f - 1.0),
            stiffness: sample.area * coat.stiffness() * steep,
            pull: sample.area * coat.grip(sample.seed),
        });
    }
    found
}

/// Places where two coats meet: samples of both, each for half.
pub fn touches_of_coats(pair: (u32, u32), a: &dyn Coat, b: &dyn Coat) -> Vec<CoatTouch> {
    let mut found = vec![];
    let stiffness = 2.0 * a.stiffness() * b.stiffness() / (a.stiffness() + b.stiffness());
    for (body, own, other) in [(pair.0, a, b), (pair.1, b, a)] {
        let reach = NEAR * own.thickness().min(other.thickness());
        let theirs = other.bounds().grown(reach);
        let wanted = |p: Vec3, far: f64| Bounds { low: p, high: p }.grown(far).overlaps(&theirs);
        for sample in own.samples(&wanted) {
            let Some(at) = common_face(own, other, &sample, reach) else { continue };
            let ((f, ga), (_, gb)) = (a.at(at), b.at(at));
            let normal = (ga - gb).normalize_or_zero();
            let steep = ga.length() * gb.length() / (ga.length() + gb.length()).max(1e-300);
            if normal != Vec3::ZERO {
                found.push(CoatTouch {
                    pair,
                    seed: (body, sample.seed),
                    volume: sample.area * (sample.at - at).dot(sample.normal).max(0.0),
                    at,
                    normal,
                    other: Other::Coat,
                    force: 0.5 * sample.area * stiffness * (f - 1.0),
                    stiffness: 0.5 * sample.area * stiffness * steep,
                    pull: 0.5 * sample.area * own.grip(sample.seed),
                });
            }
        }
    }
    found
}

/// The place on the line through a sample, along its normal, where two fields are equal.
fn common_face(own: &dyn Coat, other: &dyn Coat, sample: &Sample, reach: f64) -> Option<Vec3> {
    let difference = |t: f64| {
        let p = sample.at - sample.normal * t;
        own.at(p).0 - other.at(p).0
    };
    // At the sample the own field is 1: further in it wins, further out the other.
    let (mut low, mut high) = (-reach, 1.2 * own.thickness());
    if difference(low) > 0.0 || difference(high) < 0.0 {
        return None;
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if difference(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some(sample.at - sample.normal * (0.5 * (low + high)))
}

/// A touching place of a coat as the solve sees it.
#[derive(Clone, Debug)]
pub struct Press {
    /// Objects.
    pub pair: (u32, u32),
    /// The coat's side.
    pub a: Grip,
    /// The other side.
    pub b: Grip,
    /// Where.
    pub at: Vec3,
    /// Normal and two tangents.
    pub axes: [Vec3; 3],
    /// Velocity of the other side if it is an obstacle.
    pub drive: Vec3,
    /// Impulse of the force at the start of the step, if it lasted `[N s]`.
    pub start: f64,
    /// Impulse of the largest pull `[N s]`.
    pub pull: f64,
    /// Approach speed that an impulse costs: one over the stiffness and the square of the step `[m/(N s^2)]`.
    pub give: f64,
    /// Coulomb friction.
    pub friction: f64,
    /// One over the response of the relative velocity: along the normal, across it.
    pub mobility: [f64; 2],
    /// Impulse along the axes `[N s]`.
    pub lambda: [f64; 3],
}

/// Sweeps over all places, and the change at which they end, as a share of the largest impulse.
const SWEEPS: u32 = 40;
const ENOUGH: f64 = 1e-5;

impl Press {
    /// Takes impulses to begin with: along the normal that of the force at the start of the step, across it of the last step's
    /// what friction allows.
    pub fn begin(&mut self, last: Vec3) {
        let normal = self.start.max(0.0);
        self.lambda = [normal, last.dot(self.axes[1]), last.dot(self.axes[2])];
        self.slip(normal);
    }

    /// Shortens the impulse across the normal to what friction bears.
    #[inline(always)]
    fn slip(&mut self, normal: f64) {
        let [_, x, y] = self.lambda;
        // What sticks resists sliding as if it were pressed on by what it can hold.
        let (most, size) = (self.friction * (normal + self.pull), (x * x + y * y).sqrt());
        if size > most {
            self.lambda = [normal, x * (most / size), y * (most / size)];
        }
    }

    /// Impulse on the coat in world axes.
    pub fn impulse(&self) -> Vec3 {
        self.axes[0] * self.lambda[0] + self.axes[1] * self.lambda[1] + self.axes[2] * self.lambda[2]
    }

    /// Whether the two still touch at the end of the step.
    pub fn holds(&self) -> bool {
        self.lambda[0] > -self.pull
    }

    /// What the spring holds at the end of the step `[J]`.
    pub fn energy(&self) -> f64 {
        0.5 * self.give * self.lambda[0] * self.lambda[0]
    }
}

/// Finds the impulses of all pressed places; velocities in `rows` become those after them.
pub fn press(list: &mut [Press], rows: &mut Rows) {
    let velocities = rows.velocities();
    for _ in 0..SWEEPS {
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for p in list.iter_mut() {
            let v = velocities.at(&p.a) - velocities.at(&p.b) - p.drive;
            let old = p.lambda;
            let away = v.dot(p.axes[0]) + p.give * (old[0] - p.start);
            let normal = (old[0] - away * p.mobility[0]).max(-p.pull);
            if normal == 0.0 && old == [0.0; 3] {
                continue;
            }
            let [x, y] = [1, 2].map(|k| old[k] - v.dot(p.axes[k]) * p.mobility[1]);
            p.lambda = [normal, x, y];
            p.slip(normal);
            let changed = |k: usize| p.axes[k] * (p.lambda[k] - old[k]);
            let step = changed(0) + changed(1) + changed(2);
            change = change.max(step.length());
            largest = largest.max(normal.abs());
            velocities.push(&p.a, step);
            velocities.push(&p.b, -step);
        }
        if change <= ENOUGH * largest {
            break;
        }
    }
}
