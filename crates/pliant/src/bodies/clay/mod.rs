//! Clay: skeletons that pull and push each other, under a coat that is a field around them ([DG94]).
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `spacing` | distance of neighbouring skeletons at rest `[m]` | an eighth of the longest side |
//! | `skeletons` | places of the skeletons, instead of filling the shape `[m]` | |
//! | `coat` | thickness of the coat about a skeleton `[m]` | so that the shape's volume is enclosed |
//! | `field` | `cubic`, `inverse_cube` (the paper's) or `quadratic` | `cubic` |
//! | `exponents` | repulsion and attraction of the bonds | `[8, 4]` |
//! | `bond_energy` | energy that parts two skeletons `[J]`, instead of `material.young` | |
//! | `tear_strength` | tension from all sides at which a block gives way `[Pa]`, instead of `material.young` | |
//! | `adhesion` | tension that a face holds once it has touched something `[Pa]` | 0 |
//! | `reach` | distance up to which skeletons feel each other, over that at rest | 2 |
//! | `viscosity` | quadratic damping, `alpha` of the paper `[kg/m]` | 0 |
//! | `damping_law` | `line_of_centres` or `relative_velocity` (the paper's, which brakes turning) | `line_of_centres` |
//! | `coat_stiffness` | pressure where the field is 2 `[Pa]` | a third of `material.young` |
//! | `blocks` | further blocks of the same clay, which fuse where they meet: `offset`, `velocity` | |
//!
//! State: places and velocities of the skeletons and the thickness of the coat about each. What is shown is what is
//! touched: the surface where the field is 1, pressed in where others are.

mod approach;
mod bonds;
mod coat;
mod field;
mod law;
mod motion;
mod neighbours;
mod pairs;
mod prepare;
mod surface;
mod volume;
mod wide;

use super::points::{self, Points};
use super::{Body, BodyKind, Hold, Lever, Prototype, Start};
use crate::contact::{Coat, Pressed, Sample, wide};
use crate::environment::Environment;
use crate::frame::{Inner, Measures, ObjectFrame, ObjectTopology};
use crate::math::{Mat3, Quat, Vec3, outer, pseudo_inverse, rotation_of, skew};
use crate::scene::Material;
use crate::skin::{Skin, SkinForm, SkinPoint};
use crate::state::{Reader, Writer};
pub use bonds::{Pull, energy, pulls};
pub use field::{Field, Shape as FieldShape};
pub use law::{Bond, Law};
use motion::Damping;
pub use pairs::Pairs;
use std::sync::{Arc, OnceLock};
pub use surface::{Unlimited, surface};

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "clay",
    summary: "skeletons under an elastic coat: clay, dough, mud; splits and fuses",
    own_keys: || schemars::schema_for!(prepare::ClayKeys),
    example: prepare::example,
    prepare: prepare::prepare,
};

/// What copies share.
pub struct Shared {
    law: Law,
    damping: Damping,
    field: field::Shape,
    /// Thickness of the coat at the start `[m]`.
    thickness: f64,
    coat_stiffness: f64,
    adhesion: f64,
    /// Places of the skeletons in the shape's own coordinates, and their velocities beside that of the body.
    places: Vec<(Vec3, Vec3)>,
    mass: Vec<f64>,
    /// Skeletons in one block.
    block: usize,
    total_mass: f64,
    centre: Vec3,
    /// Volume enclosed at the start, over the mass `[m^3/kg]`.
    room: f64,
    /// Energy of the bonds at the start `[J]`.
    rest_energy: f64,
    drag_area: f64,
    form: Arc<SkinForm>,
    material: Material,
}

struct Form {
    shared: Arc<Shared>,
}

impl Prototype for Form {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        Box::new(Clay::new(&self.shared, start))
    }
}

/// One clay body.
struct Clay {
    shared: Arc<Shared>,
    /// Places of the skeletons.
    x: Vec<Vec3>,
    /// Velocities with which the step's way is made, before contact.
    v: Vec<Vec3>,
    /// By how much velocities at the end of the step differ from those of its way; empty if they do not.
    lag: Vec<Vec3>,
    /// A velocity of all, the number one, a turning of all, then velocities of the skeletons: see `Lever::Nodes`.
    y: Vec<f64>,
    /// Centre of mass at the start of the step.
    middle: Vec3,
    thickness: Vec<f64>,
    /// Time since thicknesses were last looked at `[s]`.
    unmeasured: f64,
    /// The coat at the start of the step.
    field: Field,
    /// Seeds of each skeleton on it, once somebody has asked for them.
    seeds: Vec<OnceLock<Box<[Sample]>>>,
    /// Which seeds of each skeleton stick to something, a bit each.
    stuck: Vec<u32>,
    /// Volume pressed out of the coat about each skeleton in this step `[m^3]`.
    squeezed: Vec<f64>,
    pairs: Pairs,
    gathered: Vec<(u32, Vec3)>,
    skin: Skin,
    next: Vec<Vec3>,
}

/// Numbers in `y` before those of skeletons.
const BEFORE: usize = Lever::NODES_BEFORE;
/// A skeleton is hard up to this share of the coat's thickness: a small tetrahedron.
const CORE: f64 = 0.3;
const CORNERS: [Vec3; 4] = [
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(-1.0, 1.0, -1.0),
    Vec3::new(-1.0, -1.0, 1.0),
];
/// A step goes no further than this share of the distance between skeletons.
const WAY: f64 = 0.2;
/// Steps to a swing of a skeleton on its coat.
const PER_SWING: f64 = 8.0;

impl Clay {
    fn new(shared: &Arc<Shared>, start: &Start) -> Self {
        let centre = start.position + start.rotation * shared.centre;
        let place = |(p, _): &(Vec3, Vec3)| start.position + start.rotation * *p;
        let x: Vec<Vec3> = shared.places.iter().map(place).collect();
        let own = shared.places.iter().map(|(_, v)| start.rotation * *v);
        let v =
            x.iter().zip(own).map(|(p, own)| start.velocity + start.spin.cross(*p - centre) + own).collect();
        let thickness = vec![shared.thickness; x.len()];
        let skin = Skin::new(shared.form.clone(), vec![Vec3::ZERO; 4 * x.len()]);
        let mut body = Self {
            field: Field::default(),
            seeds: vec![],
            next: x.clone(),
            y: vec![0.0; BEFORE + 3 * x.len()],
            v,
            x,
            lag: vec![],
            middle: centre,
            thickness,
            unmeasured: 0.0,
            stuck: vec![0; shared.mass.len()],
            squeezed: vec![0.0; shared.mass.len()],
            pairs: Pairs::default(),
            gathered: vec![],
            skin,
            shared: shared.clone(),
        };
        body.stand_still();
        body
    }

    /// Everything that follows from places and velocities.
    fn stand_still(&mut self) {
        self.next.copy_from_slice(&self.x);
        self.show_next();
        self.skin.points.copy_from_slice(&self.skin.next);
        self.show_velocities();
        self.dress();
    }

    /// The coat as skeletons now stand.
    fn dress(&mut self) {
        self.field = Field::new(self.shared.field, &self.x, &self.thickness);
        self.seeds.clear();
        self.seeds.resize_with(self.x.len(), OnceLock::new);
    }

    fn show_velocities(&mut self) {
        self.y[..BEFORE].fill(0.0);
        self.y[3] = 1.0;
        for (y, v) in self.y[BEFORE..].chunks_exact_mut(3).zip(&self.v) {
            y.copy_from_slice(&v.to_array());
        }
    }

    /// Velocities of the step's way, with what `y` says of all.
    fn way(&self) -> Vec<Vec3> {
        let (t, w) = (Vec3::from_slice(&self.y), Vec3::from_slice(&self.y[4..]));
        let each = self.y[BEFORE..].chunks_exact(3).zip(&self.x);
        each.map(|(y, x)| Vec3::from_slice(y) + t + w.cross(*x - self.middle)).collect()
    }

    fn points<'a>(&'a self, v: &'a [Vec3]) -> Points<'a> {
        Points { x: &self.x, v, mass: &self.shared.mass }
    }

    /// The same at the end of the step.
    fn velocities(&self) -> Vec<Vec3> {
        let mut v = self.way();
        v.iter_mut().zip(&self.lag).for_each(|(v, lag)| *v += *lag);
        v
    }

    fn show_next(&mut self) {
        let half = CORE * self.shared.thickness / 3f64.sqrt();
        for (four, x) in self.skin.next.chunks_exact_mut(4).zip(&self.next) {
            four.iter_mut().zip(CORNERS).for_each(|(p, c)| *p = *x + c * half);
        }
    }
}

/// Which skeleton carries a corner of the skin.
fn carrier(corner: u32) -> usize {
    corner as usize / 4
}

impl Body for Clay {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.middle = self.centre().0;
        self.fly(environment, h);
        self.show_velocities();
        self.aim(h, &[]);
    }

    fn longest_step(&self) -> f64 {
        let shared = &self.shared;
        let lightest = shared.mass.iter().copied().fold(f64::INFINITY, f64::min);
        // A skeleton alone on its coat: pressure over its shadow, three times as steep as thick.
        let e = shared.thickness;
        let stiff = shared.coat_stiffness * 3.0 / e * std::f64::consts::PI * e * e;
        let swing = std::f64::consts::TAU * (lightest / stiff).sqrt();
        (swing / PER_SWING).min(WAY * shared.law.rest / self.speed())
    }

    fn skin(&self) -> &Skin {
        &self.skin
    }
    fn coat(&self) -> Option<&dyn Coat> {
        Some(self)
    }
    fn pressed(&mut self, places: &mut dyn Iterator<Item = Pressed>) {
        self.stuck.fill(0);
        self.squeezed.fill(0.0);
        for place in places {
            let (i, ray) = coat::seed(place.seed);
            self.stuck[i] |= u32::from(place.held) << ray;
            self.squeezed[i] += place.volume;
        }
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }

    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let at = store.len() as u32;
        store.extend((p.at - self.middle).to_array());
        let mut count = 0;
        for k in (0..3).filter(|k| p.weights[*k] != 0.0) {
            let i = carrier(p.corners[k]);
            store.extend([(BEFORE + 3 * i) as f64, p.weights[k], p.weights[k] / self.shared.mass[i]]);
            count += 1;
        }
        Lever::Nodes { at, count }
    }

    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let n = self.y.len();
        let none = || [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let (mut rows, mut answers) = (none(), none());
        let spins = hold == Hold::Spin;
        let inverse = pseudo_inverse(&points::inertia(&self.x, &self.shared.mass, self.centre().0));
        let whole = Mat3::from_diagonal(Vec3::splat(1.0 / self.shared.total_mass));
        let (own, answer) = if spins { (4, inverse) } else { (0, whole) };
        let mut put = |to: usize, m: Mat3| {
            for d in 0..3 {
                (0..3).for_each(|e| rows[d][to + e] = m.col(e)[d]);
            }
        };
        put(own, Mat3::IDENTITY);
        for (i, (m, x)) in self.shared.mass.iter().zip(&self.x).enumerate() {
            let share = if spins { inverse * skew(*x - self.middle) * *m } else { whole * *m };
            put(BEFORE + 3 * i, share);
        }
        for d in 0..3 {
            (0..3).for_each(|e| answers[d][own + e] = answer.col(d)[e]);
        }
        wide(store, &rows, &answers)
    }

    fn rotation(&self) -> Quat {
        let (centre, _) = self.centre();
        let each = self.shared.mass.iter().zip(&self.x).zip(&self.shared.places);
        rotation_of(
            &each
                .map(|((m, x), (r, _))| outer((*x - centre) * *m, *r - self.shared.centre))
                .fold(Mat3::ZERO, |s, a| s + a),
        )
    }

    fn aim(&mut self, h: f64, shift: &[f64]) {
        let way = self.way();
        for ((next, x), v) in self.next.iter_mut().zip(&self.x).zip(&way) {
            *next = *x + *v * h;
        }
        if !shift.is_empty() {
            let (t, w) = (Vec3::from_slice(shift), Vec3::from_slice(&shift[4..]));
            for ((next, x), d) in self.next.iter_mut().zip(&self.x).zip(shift[BEFORE..].chunks_exact(3)) {
                *next += Vec3::from_slice(d) + t + w.cross(*x - self.middle);
            }
        }
        self.show_next();
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; self.y.len()];
        shift[..3].copy_from_slice(&d.to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        self.v = if h > 0.0 { self.velocities() } else { self.way() };
        self.lag.clear();
        self.show_velocities();
        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.skin.points, &mut self.skin.next);
        self.skin.next.copy_from_slice(&self.skin.points);
        self.dress();
        self.keep_volume(h);
    }

    fn momentum(&self) -> Vec3 {
        self.points(&self.velocities()).momentum()
    }
    fn kinetic(&self) -> f64 {
        self.points(&self.velocities()).kinetic()
    }
    fn centre(&self) -> (Vec3, f64) {
        let shared = &self.shared;
        (points::centre(&self.x, &shared.mass, shared.total_mass), shared.total_mass)
    }

    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        // Of the skeleton that is nearest; around it nothing tells one direction from another.
        let distance = |i: &usize| self.x[*i].distance_squared(world);
        let nearest = (0..self.x.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(self.shared.places[nearest].0 + world - self.x[nearest])
    }

    fn measure(&self) -> Measures {
        let v = self.velocities();
        let (centre, mass) = self.centre();
        let all = self.points(&v);
        let mut pairs = Pairs::default();
        pairs.keep_up(&self.x, self.shared.law.reach, 0.0);
        Measures {
            mass,
            centre,
            momentum: all.momentum(),
            angular_momentum: all.angular_momentum(),
            kinetic: all.kinetic(),
            elastic: energy(&self.shared.law, &pairs, &self.x) - self.shared.rest_energy,
            // What it encloses is known to who shows it among the others.
            volume: self.shared.room * mass,
            least_jacobian: 1.0,
            asleep: false,
        }
    }

    fn speed(&self) -> f64 {
        points::fastest(&self.v)
    }
    fn stop(&mut self) {
        self.v.fill(Vec3::ZERO);
        self.lag.clear();
        self.show_velocities();
        self.next.copy_from_slice(&self.x);
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        for k in (0..3).filter(|k| p.weights[*k] != 0.0) {
            self.gathered.push((carrier(p.corners[k]) as u32, impulse * p.weights[k]));
        }
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        let start = Clay::new(&self.shared, &Start::default());
        let s = start.surface(&Unlimited);
        ObjectTopology {
            name: name.into(),
            kind: KIND.name.into(),
            deforms: true,
            remeshed: true,
            smooth: true,
            triangles: s.triangles.clone(),
            points: s.points.iter().map(|p| (*p - self.shared.centre).as_vec3().to_array()).collect(),
            rest_volume: self.shared.room * self.shared.total_mass,
            incompressible: false,
            freedoms: 3 * self.x.len() as u32,
            cell_edges: vec![],
        }
    }
    fn frame(&self) -> ObjectFrame {
        let (centre, _) = self.centre();
        let all = crate::contact::Coat::samples(self, &|_, _| true);
        ObjectFrame {
            translation: centre,
            rotation: Quat::IDENTITY,
            nodes: Inner::new(self.x.iter().map(|x| *x - centre)),
            seeds: Inner::new(all.iter().map(|s| s.at - centre)),
            ..ObjectFrame::default()
        }
    }

    fn save(&self, out: &mut Writer) {
        self.x.iter().chain(&self.v).for_each(|v| out.vec3(*v));
        // Sums over partners are taken in an order that depends on where skeletons stood then.
        self.pairs.made_at().unwrap_or(&self.x).iter().for_each(|x| out.vec3(*x));
        out.f64s(&self.thickness);
        self.stuck.iter().for_each(|s| out.u64(u64::from(*s)));
        out.f64(self.unmeasured);
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for v in self.x.iter_mut().chain(&mut self.v) {
            *v = from.vec3()?;
        }
        let then = self.x.iter().map(|_| from.vec3()).collect::<Result<Vec<_>, _>>()?;
        from.f64s(&mut self.thickness)?;
        for s in &mut self.stuck {
            *s = u32::try_from(from.u64()?).map_err(|_| "more seeds than there are".to_string())?;
        }
        self.unmeasured = from.f64()?;
        self.lag.clear();
        self.gathered.clear();
        self.pairs = Pairs::default();
        self.list_pairs(&then);
        self.stand_still();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
