//! Clay: skeletons that pull and push each other, under a coat that is a field around them ([DG94]).
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `spacing` | distance of neighbouring skeletons at rest `[m]` | an eighth of the longest side |
//! | `skeletons` | the skeletons, instead of filling the shape: places of points `[m]`, or tables such as `{ ball = 0.1, at = [0, 0, 0] }` | |
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
//! | `blocks` | further blocks of the same clay, which fuse where they meet: `offset`, `velocity`, `colour` | |
//! | `colour` | of clay about skeletons that have none of their own | what is painted on the mesh, or the look's |
//!
//! A table in `skeletons` has one of `segment`, `curve`, `triangle`, `box` (with `at`, `rotation`) and `ball` (with `at`), or
//! `at` alone for a point; `rigid` says whether it is a rigid body or a mass point, `colour` how the clay about it looks.
//!
//! State: places and velocities of the skeletons, orientations and angular momenta of those with a shape, and the thickness
//! of the coat about each. What is shown is what is
//! touched: the surface where the field is 1, pressed in where others are.

mod approach;
mod bonds;
mod bone;
mod coat;
mod felt;
mod field;
mod form;
mod law;
mod levers;
mod motion;
mod neighbours;
mod pairs;
mod prepare;
mod rows;
mod seeds;
mod shaped;
mod skeletons;
mod state;
mod surface;
mod volume;
mod wide;

use super::points;
use super::{Body, BodyKind, Hold, Lever, Prototype, Start};
use crate::contact::{Coat, Pressed};
use crate::environment::Environment;
use crate::frame::{Inner, Measures, ObjectFrame, ObjectTopology};
use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, outer, rotation_of};
use crate::scene::Material;
use crate::skin::{Skin, SkinForm, SkinPoint};
use crate::state::{Reader, Writer};
pub use bonds::{Pull, energy, pulls};
use bone::{Bone, Pose, Sites};
pub use field::{Field, Shape as FieldShape};
pub use law::{Bond, Law};
use motion::Damping;
pub use pairs::Pairs;
use skeletons::Words;
use state::Clay;
use std::sync::Arc;
pub use surface::{Unlimited, surface};

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "clay",
    summary: "skeletons under an elastic coat: clay, dough, mud; splits and fuses",
    own_keys: |generator| generator.subschema_for::<prepare::ClayKeys>(),
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
    /// Places of the skeletons in the shape's own coordinates.
    places: Vec<Vec3>,
    mass: Vec<f64>,
    /// Skeletons that are more than mass points, in order; and which of them each skeleton is, if there are any.
    bones: Vec<Bone>,
    bone_of: Vec<Option<u32>>,
    /// Where skeletons feel bonds.
    sites: Sites,
    /// How far any bone reaches from its centre `[m]`.
    extent: f64,
    /// In which seeds that stick are kept.
    words: Words,
    /// Skeletons in one block, and the velocities of all blocks beside that of the body.
    block: usize,
    velocities: Vec<Vec3>,
    /// The least mass of a skeleton over the shadow of its coat `[kg/m^2]`.
    lightest: f64,
    /// Linear red, green and blue of the clay about each; empty if it has but one colour.
    colours: Vec<[f32; 3]>,
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

impl Shared {
    /// The bone that a skeleton is, if it is one.
    fn bone(&self, skeleton: usize) -> Option<usize> {
        self.bone_of.get(skeleton).copied().flatten().map(|b| b as usize)
    }

    /// How many skeletons turn.
    fn turning(&self) -> usize {
        self.bones.iter().filter(|b| b.turning.is_some()).count()
    }

    /// Places where bonds are felt.
    fn site_count(&self) -> usize {
        if self.sites.list().is_empty() { self.mass.len() } else { self.sites.list().len() }
    }
}

struct ClayForm {
    shared: Arc<Shared>,
}

impl Prototype for ClayForm {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        Box::new(Clay::new(&self.shared, start))
    }
}

/// Numbers in `y` before those of skeletons.
const BEFORE: usize = Lever::NODES_BEFORE;
/// A skeleton is hard up to this share of the coat's thickness: a small ball.
const CORE: f64 = 0.3;
/// A step goes no further than this share of the distance between skeletons.
const WAY: f64 = 0.2;
/// Steps to a swing of a skeleton on its coat.
const PER_SWING: f64 = 8.0;

impl Body for Clay {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.middle = self.centre().0;
        self.fly(environment, h);
        self.show_velocities();
        self.aim(h, &[]);
    }

    fn longest_step(&self) -> f64 {
        let shared = &self.shared;
        // A skeleton alone on its coat: pressure over its shadow, three times as steep as thick.
        let stiff = shared.coat_stiffness * 3.0 / shared.thickness;
        let swing = std::f64::consts::TAU * (shared.lightest / stiff).sqrt();
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
            let (word, bit) = coat::seed(place.seed);
            self.stuck[word] |= u32::from(place.held) << bit;
            self.squeezed[self.shared.words.skeleton(word)] += place.volume;
        }
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }

    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        self.lever_on_core(p, store)
    }
    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        self.lever_on_all(hold, self.centre().0, store)
    }

    fn rotation(&self) -> Quat {
        let (centre, _) = self.centre();
        let each = self.shared.mass.iter().zip(&self.field.x).zip(&self.shared.places);
        let places = each.map(|((m, x), r)| outer((*x - centre) * *m, *r - self.shared.centre));
        let bones = self.shared.bones.iter().zip(&self.poses).filter_map(|(bone, pose)| {
            let (own, mass) = (bone.turning?.second_moment, self.shared.mass[bone.skeleton]);
            let [now, then] = [pose.rotation, bone.rotation].map(Mat3::from_quat);
            Some(now * own * then.transpose() * mass)
        });
        rotation_of(&places.chain(bones).fold(Mat3::ZERO, |s, a| s + a))
    }

    fn aim(&mut self, h: f64, shift: &[f64]) {
        let way = self.way();
        for ((next, x), v) in self.next.iter_mut().zip(&self.field.x).zip(&way) {
            *next = *x + *v * h;
        }
        let mut turns = self.way_of_spins();
        turns.iter_mut().for_each(|turn| *turn *= h);
        if !shift.is_empty() {
            let (t, w) = (Vec3::from_slice(shift), Vec3::from_slice(&shift[4..]));
            for ((next, x), d) in self.next.iter_mut().zip(&self.field.x).zip(shift[BEFORE..].chunks_exact(3))
            {
                *next += Vec3::from_slice(d) + t + w.cross(*x - self.middle);
            }
            let of_bones = shift[BEFORE + 3 * self.field.x.len()..].chunks_exact(3);
            for ((turn, d), (bone, pose)) in
                turns.iter_mut().zip(of_bones).zip(self.shared.bones.iter().zip(&self.poses))
            {
                // A mass point never turns.
                let whole = if bone.turning.is_some() { w } else { Vec3::ZERO };
                *turn += bone.spin_of_speeds(pose.rotation) * Vec3::from_slice(d) + whole;
            }
        }
        for ((next, pose), turn) in self.next_rotations.iter_mut().zip(&self.poses).zip(&turns) {
            *next = (rotation_by(*turn) * pose.rotation).normalize();
        }
        self.show_next();
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; self.y.len()];
        shift[..3].copy_from_slice(&d.to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        let after = self.way();
        if h <= 0.0 {
            self.lag.clear();
            self.lag_of_spins.clear();
        }
        for (pose, momentum) in self.spin_momenta().into_iter().zip(&mut self.poses).map(|(m, p)| (p, m)) {
            pose.momentum = momentum;
        }
        self.poses.iter_mut().zip(&self.next_rotations).for_each(|(pose, next)| pose.rotation = *next);
        std::mem::swap(&mut self.field.x, &mut self.next);
        let gained = self.gained(h, &after);
        self.v = after;
        self.v.iter_mut().zip(&self.lag).for_each(|(v, lag)| *v += *lag);
        self.take_out(gained);
        // Their room is given back: nobody needs it until the next step.
        self.lag = vec![];
        self.lag_of_spins.clear();
        self.show_spins();
        self.show_velocities();
        std::mem::swap(&mut self.skin.points, &mut self.skin.next);
        self.skin.next.copy_from_slice(&self.skin.points);
        self.dress();
        self.keep_volume(h);
    }

    fn momentum(&self) -> Vec3 {
        self.points(&self.velocities()).momentum()
    }
    fn kinetic(&self) -> f64 {
        self.points(&self.velocities()).kinetic() + self.kinetic_of_turning(&self.spin_momenta())
    }
    fn centre(&self) -> (Vec3, f64) {
        let shared = &self.shared;
        (points::centre(&self.field.x, &shared.mass, shared.total_mass), shared.total_mass)
    }

    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        // Of the skeleton that is nearest; around it nothing tells one direction from another.
        let distance = |i: &usize| match self.field.shape_of(*i) {
            None => self.field.x[*i].distance_squared(world),
            Some(shaped) => shaped.way_to(world).length_squared(),
        };
        let nearest = (0..self.field.x.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let way = world - self.field.x[nearest];
        let own = self
            .shared
            .bone(nearest)
            .map_or(way, |b| self.shared.bones[b].rotation * (self.poses[b].rotation.inverse() * way));
        Some(self.shared.places[nearest] + own)
    }

    fn measure(&self) -> Measures {
        let v = self.velocities();
        let (centre, mass) = self.centre();
        let all = self.points(&v);
        let spins = self.spin_momenta();
        let sites = self.shared.sites.places(&self.field.x, &self.poses);
        let mut pairs = Pairs::default();
        pairs.keep_up(&sites, self.shared.law.reach, 0.0);
        Measures {
            mass,
            centre,
            momentum: all.momentum(),
            angular_momentum: all.angular_momentum() + spins.iter().sum::<Vec3>(),
            kinetic: all.kinetic() + self.kinetic_of_turning(&spins),
            elastic: energy(&self.shared.law, &pairs, &sites) - self.shared.rest_energy,
            // What it encloses is known to who shows it among the others.
            volume: self.shared.room * mass,
            least_jacobian: 1.0,
            asleep: false,
        }
    }

    fn speed(&self) -> f64 {
        let turning = points::fastest(&self.spins) * self.shared.extent;
        points::fastest(&self.v) + turning
    }
    fn stop(&mut self) {
        self.v.fill(Vec3::ZERO);
        self.lag.clear();
        self.lag_of_spins.clear();
        self.poses.iter_mut().for_each(|pose| pose.momentum = Vec3::ZERO);
        self.show_spins();
        self.show_velocities();
        self.next.copy_from_slice(&self.field.x);
        self.next_rotations.iter_mut().zip(&self.poses).for_each(|(next, pose)| *next = pose.rotation);
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        for k in (0..3).filter(|k| p.weights[*k] != 0.0) {
            let (i, share) = (self.carrier(p.corners[k]), impulse * p.weights[k]);
            self.gathered.push((i as u32, share, (p.at - self.field.x[i]).cross(share)));
        }
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        let start = Clay::new(&self.shared, &Start::default());
        let s = surface(&start.field, start.edge(), &Unlimited);
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
            freedoms: 3 * (self.field.x.len() + self.shared.turning()) as u32,
            cell_edges: vec![],
        }
    }
    fn frame(&self) -> ObjectFrame {
        let (centre, _) = self.centre();
        let sites = self.shared.sites.places(&self.field.x, &self.poses);
        ObjectFrame {
            translation: centre,
            rotation: Quat::IDENTITY,
            nodes: Inner::new(sites.iter().map(|x| *x - centre)),
            seeds: Inner::new(self.places_of_seeds().into_iter().map(|p| p - centre)),
            ..ObjectFrame::default()
        }
    }

    fn save(&self, out: &mut Writer) {
        self.field.x.iter().chain(&self.v).for_each(|v| out.vec3(*v));
        for pose in &self.poses {
            out.quat(pose.rotation);
            out.vec3(pose.momentum);
        }
        // Sums over partners are taken in an order that depends on where skeletons stood then.
        let sites = self.shared.sites.places(&self.field.x, &self.poses);
        self.pairs.made_at().unwrap_or(&sites).iter().for_each(|x| out.vec3(*x));
        out.f64s(&self.field.thickness);
        self.stuck.iter().for_each(|s| out.u64(u64::from(*s)));
        out.f64(self.unmeasured);
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for v in self.field.x.iter_mut().chain(&mut self.v) {
            *v = from.vec3()?;
        }
        for pose in &mut self.poses {
            *pose = Pose { rotation: from.quat()?, momentum: from.vec3()? };
        }
        let then = (0..self.shared.site_count()).map(|_| from.vec3()).collect::<Result<Vec<_>, _>>()?;
        from.f64s(&mut self.field.thickness)?;
        for s in &mut self.stuck {
            *s = u32::try_from(from.u64()?).map_err(|_| "more seeds than there are".to_string())?;
        }
        self.unmeasured = from.f64()?;
        self.lag.clear();
        self.lag_of_spins.clear();
        self.gathered.clear();
        self.pairs = Pairs::default();
        self.list_pairs(&then);
        self.stand_still();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
