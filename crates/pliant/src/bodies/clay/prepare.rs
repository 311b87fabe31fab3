//! From the scene to the shared part of a clay body.

use super::bonds::energy;
use super::bone::Pose;
use super::field::Shape;
use super::form::Form;
use super::law::{Law, Packing};
use super::motion::Damping;
use super::pairs::Pairs;
use super::skeletons::{Placed, SkeletonKeys, Words, bones, dressed, from_shown, linear, sites, too_close};
use super::surface::{Unlimited, surface};
use super::volume::MEASURED_CUBES;
use super::{CORE, ClayForm, KIND, Shared};
use crate::bodies::rigid::frontal_area;
use crate::bodies::{Blueprint, Prototype, own_keys};
use crate::contact::{Bounds, Probe};
use crate::math::Vec3;
use crate::scene::{BodySpec, Colour, SceneError, ShapeSpec};
use crate::shape::TriMesh;
use crate::skin::{Skin, SkinForm, SkinPoint};
use std::sync::Arc;

/// The keys only clay bodies have.
#[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClayKeys {
    /// Distance of neighbouring skeletons at rest `[m]`; by default an eighth of the longest side.
    spacing: Option<f64>,
    /// The skeletons in the body's own axes, instead of filling the shape `[m]`: places of points, or tables.
    #[schemars(with = "Option<Vec<SkeletonKeys>>")]
    skeletons: Option<Vec<toml::Value>>,
    /// Thickness of the coat about a skeleton `[m]`; by default such that the shape's volume is enclosed.
    coat: Option<f64>,
    /// How the field of a skeleton falls off; by default `cubic`.
    field: Shape,
    /// Exponents of repulsion and attraction; by default 8 and 4.
    exponents: Option<[i32; 2]>,
    /// Energy that parts two skeletons `[J]`; by default it follows from `material.young`.
    bond_energy: Option<f64>,
    /// Tension from all sides at which a block gives way `[Pa]`, instead of `material.young` or `bond_energy`.
    tear_strength: Option<f64>,
    /// Tension that a face holds once it has touched something `[Pa]`; by default nothing sticks.
    adhesion: f64,
    /// Distance up to which skeletons feel each other, over that at rest; by default 2.
    reach: Option<f64>,
    /// Quadratic damping of relative motion `[kg/m]`.
    viscosity: f64,
    /// Which relative motion that damps; by default `line_of_centres`.
    damping_law: DampingLaw,
    /// Pressure of the coat where the field is 2 `[Pa]`; by default a third of `material.young`.
    coat_stiffness: Option<f64>,
    /// Further blocks of the same clay and shape, which fuse with the first where they meet.
    blocks: Vec<Block>,
    /// Colour of the clay about skeletons that have none of their own; by default what is painted on the shape's mesh, or
    /// that of its `[look]`.
    colour: Option<Colour>,
}

/// A further block.
#[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Block {
    /// Where it stands from the first `[m]`.
    offset: [f64; 3],
    /// Its velocity beside that of the body `[m/s]`.
    #[serde(default)]
    velocity: [f64; 3],
    /// Its colour; by default that of the first.
    #[serde(default)]
    colour: Option<Colour>,
}

/// Which relative motion of two skeletons is damped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DampingLaw {
    /// Along the line between them: turning as a whole is left alone.
    #[default]
    LineOfCentres,
    /// All of it, as in the paper.
    RelativeVelocity,
}

const KEYS: &[&str] = &[
    "spacing",
    "skeletons",
    "coat",
    "field",
    "exponents",
    "bond_energy",
    "tear_strength",
    "adhesion",
    "reach",
    "viscosity",
    "damping_law",
    "coat_stiffness",
    "blocks",
    "colour",
];

/// Skeletons along the longest side where nothing is typed.
const USUAL: f64 = 8.0;
/// The most skeletons of a body.
const MOST: usize = 1_000_000;
const REACH: f64 = 2.0;
/// The largest adhesion, over the coat's stiffness.
const STICKIEST: f64 = 0.5;

/// A small clay body.
pub fn example() -> BodySpec {
    BodySpec {
        own: [("spacing".to_string(), toml::Value::Float(0.08))].into_iter().collect(),
        ..BodySpec::new("lump", KIND.name, ShapeSpec::Box([0.2, 0.3, 0.4]))
    }
}

/// Prepares what makes copies.
pub fn prepare(blueprint: &Blueprint) -> Result<Box<dyn Prototype>, SceneError> {
    Ok(Box::new(ClayForm { shared: Arc::new(shared(blueprint)?) }))
}

/// What copies share.
pub fn shared(blueprint: &Blueprint) -> Result<Shared, SceneError> {
    let keys: ClayKeys = own_keys(blueprint.spec, blueprint.path, KEYS)?;
    let wrong =
        |key: &str, message: String| Err(SceneError::new(format!("{}.{key}", blueprint.path), message));
    if blueprint.shape.net.is_some() {
        let message =
            "clay fills a solid; this shape is a curve or a surface: use a closed shape, or a `hybrid` body";
        return wrong("shape", message.into());
    }
    let mesh = &blueprint.shape.mesh;
    let (low, high) = mesh.bounds();
    let spacing = keys.spacing.unwrap_or((high - low).max_element() / USUAL);
    for (key, value) in [
        ("spacing", Some(spacing)),
        ("coat", keys.coat),
        ("bond_energy", keys.bond_energy),
        ("tear_strength", keys.tear_strength),
        ("coat_stiffness", keys.coat_stiffness),
    ] {
        if let Some(value) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
            return wrong(key, format!("must be above 0; found {value}"));
        }
    }
    if keys.bond_energy.is_some() && keys.tear_strength.is_some() {
        let message = "`bond_energy` says already how strong bonds are; type one of the two";
        return wrong("tear_strength", message.into());
    }
    if !(keys.viscosity >= 0.0 && keys.viscosity.is_finite()) {
        return wrong("viscosity", format!("must be at least 0 kg/m; found {}", keys.viscosity));
    }
    let exponents = keys.exponents.unwrap_or([8, 4]);
    if !(exponents[1] >= 1 && exponents[0] > exponents[1] && exponents[0] <= 48) {
        let found = format!("{} and {}", exponents[0], exponents[1]);
        return wrong(
            "exponents",
            format!("repulsion must fall off faster than attraction, n > m >= 1 and n <= 48; found {found}"),
        );
    }
    let reach = keys.reach.unwrap_or(REACH);
    if !(1.2..=6.0).contains(&reach) {
        return wrong("reach", format!("must be from 1.2 to 6 distances at rest; found {reach}"));
    }
    let packing = Packing::of(exponents, reach);
    if packing.young.is_nan() || packing.young <= 0.0 {
        let message =
            format!("skeletons that reach only {reach} distances at rest do not hold together; use more");
        return wrong("reach", message);
    }
    let rest = spacing / packing.spacing;
    let mut list = match &keys.skeletons {
        Some(list) => {
            let path = |i: usize| format!("{}.skeletons[{i}]", blueprint.path);
            list.iter().enumerate().map(|(i, s)| Placed::read(s, &path(i))).collect::<Result<Vec<_>, _>>()?
        }
        None => match fill(mesh, spacing) {
            Some(places) => places,
            None => return wrong("spacing", format!("makes more than {MOST} skeletons; use a larger one")),
        },
    };
    if list.is_empty() {
        let (key, message) = match keys.skeletons {
            Some(_) => ("skeletons", "needs at least one place".to_string()),
            None => (
                "spacing",
                format!("no skeleton fits into the shape at a spacing of {spacing} m; use a smaller one"),
            ),
        };
        return wrong(key, message);
    }
    let volume = mesh.volume();
    let material = blueprint.material.clone();
    let thickness = match keys.coat {
        Some(e) if e < 0.5 * spacing => {
            let message = format!(
                "of {e} m is thinner than half the spacing of {spacing} m, so the skeletons would not hang together; use \
                 at least {:.4}",
                0.5 * spacing
            );
            return wrong("coat", message);
        }
        Some(e) => e,
        None => fitting_thickness(keys.field, &list, volume, spacing),
    };
    let enclosed =
        surface(&dressed(keys.field, &list, thickness), thickness / MEASURED_CUBES, &Unlimited).volume();
    let colour_of = |colour: &Option<Colour>, key: &str| {
        colour.as_ref().map(|c| linear(c, &format!("{}.{key}", blueprint.path))).transpose()
    };
    if let Some(colour) = colour_of(&keys.colour, "colour")? {
        list.iter_mut().for_each(|p| p.colour = p.colour.or(Some(colour)));
    }
    let one = list.len();
    for (k, block) in keys.blocks.iter().enumerate() {
        let (offset, velocity) = (Vec3::from(block.offset), Vec3::from(block.velocity));
        if !(offset.is_finite() && velocity.is_finite()) {
            return wrong("blocks", "offset and velocity must be finite".into());
        }
        let colour = colour_of(&block.colour, &format!("blocks[{k}].colour"))?;
        list.extend_from_within(..one);
        list.iter_mut().rev().take(one).for_each(|p| {
            p.at += offset;
            p.velocity = velocity;
            p.colour = colour.or(p.colour);
        });
    }
    let coloured = list.iter().filter(|p| p.colour.is_some()).count();
    if coloured > 0 && coloured < list.len() {
        let message = "some skeletons have a colour of their own; the others need this one";
        return wrong("colour", message.into());
    }
    // Each weighs what its coat alone would enclose.
    let enclosing = |e: f64| -> Vec<f64> {
        list.iter().map(|p| p.form.as_ref().map_or(&Form::Point, |(form, _)| form).coated_volume(e)).collect()
    };
    let shares = enclosing(thickness);
    let whole: f64 = shares[..one].iter().sum();
    let mass: Vec<f64> = shares.iter().map(|share| material.density * volume * (share / whole)).collect();
    let least = mass.iter().copied().fold(f64::INFINITY, f64::min);
    // Volume grows by the area of the surface, and the mean shadow of what bulges is a quarter of that.
    let (less, more) = (enclosing(0.999 * thickness), enclosing(1.001 * thickness));
    let shadows = less.iter().zip(&more).map(|(less, more)| 0.25 * (more - less) / (0.002 * thickness));
    let lightest = mass.iter().zip(shadows).map(|(m, shadow)| m / shadow).fold(f64::INFINITY, f64::min);
    let strength = match (keys.bond_energy, keys.tear_strength) {
        (Some(energy), _) => {
            let [n, m] = exponents.map(f64::from);
            energy * n * m / (n - m)
        }
        (None, Some(tension)) => tension * rest.powi(3) / packing.tear,
        (None, None) => material.young * rest.powi(3) / packing.young,
    };
    // What was typed, or what follows from the bonds.
    let young = strength * packing.young / rest.powi(3);
    let coat_stiffness = keys.coat_stiffness.unwrap_or(young / 3.0);
    if !(0.0..=STICKIEST * coat_stiffness).contains(&keys.adhesion) {
        let message = format!(
            "must be from 0 to {:.4} Pa, {STICKIEST} of the coat's stiffness, beyond which coats would be drawn out too far; \
             found {}",
            STICKIEST * coat_stiffness,
            keys.adhesion
        );
        return wrong("adhesion", message);
    }
    let law = Law { exponents, strength, rest, reach: reach * rest, fades: true };
    let bones = bones(&list, &mass, thickness);
    let sites = sites(&list, &bones, &mass, &law);
    if sites.list().len() > MOST {
        return wrong("spacing", format!("makes more than {MOST} sites of skeletons; use a larger one"));
    }
    if let Some((i, j)) = too_close(&list, &sites, &bones, 0.5 * rest) {
        let message = match i < one && j < one {
            true => format!(
                "skeletons {i} and {j} overlap: at a spacing of {spacing} m they need at least {:.4} m between them",
                0.5 * rest
            ),
            false => format!("two blocks overlap: skeletons {i} and {j} are too close; move one away"),
        };
        return wrong(if i < one && j < one { "skeletons" } else { "blocks" }, message);
    }
    let critical = (law.at(rest).stiffness * least * 0.5).sqrt();
    let closeness = (1.0 - packing.spacing / reach).powi(2);
    let total_mass = mass.iter().sum::<f64>();
    let mut bone_of = vec![None; if bones.is_empty() { 0 } else { list.len() }];
    bones.iter().enumerate().for_each(|(b, bone)| bone_of[bone.skeleton] = Some(b as u32));
    let poses: Vec<Pose> =
        bones.iter().map(|b| Pose { rotation: b.rotation, momentum: Vec3::ZERO }).collect();
    let x: Vec<Vec3> = list.iter().map(|p| p.at).collect();
    let places = sites.places(&x, &poses).into_owned();
    Ok(Shared {
        damping: Damping {
            linear: 2.0 * material.damping * critical / closeness,
            quadratic: keys.viscosity,
            all_motion: keys.damping_law == DampingLaw::RelativeVelocity,
            reach: law.reach,
        },
        law,
        field: keys.field,
        thickness,
        coat_stiffness,
        adhesion: keys.adhesion,
        centre: x.iter().zip(&mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total_mass,
        block: one,
        room: enclosed / mass[..one].iter().sum::<f64>(),
        rest_energy: energy_of(&law, &places),
        drag_area: frontal_area(mesh),
        form: Arc::new(SkinForm::dots(&places, CORE * thickness)),
        lightest,
        extent: bones.iter().map(|b| b.form.extent()).fold(0.0, f64::max),
        colours: list.iter().filter_map(|p| p.colour).collect(),
        velocities: list.iter().step_by(one).map(|p| p.velocity).collect(),
        words: Words::new(list.len(), &bones),
        places: x,
        total_mass,
        mass,
        bones,
        bone_of,
        sites,
        material,
    })
}

fn energy_of(law: &Law, places: &[Vec3]) -> f64 {
    let mut pairs = Pairs::default();
    pairs.keep_up(places, law.reach, 0.0);
    energy(law, &pairs, places)
}

/// The closest packing in the part of a solid that is at least half a spacing from its surface; none if too many.
fn fill(mesh: &TriMesh, spacing: f64) -> Option<Vec<Placed>> {
    let (low, high) = mesh.bounds();
    let within = Bounds { low, high };
    if mesh.volume() * 2f64.sqrt() / spacing.powi(3) > MOST as f64 {
        return None;
    }
    let skin = Skin::new(Arc::new(SkinForm::bending(mesh)), mesh.points.clone());
    let probe = Probe::new(&skin, &skin.points, &within);
    let half = spacing / 2f64.sqrt();
    let middle = 0.5 * (low + high);
    let n = ((0.5 * (high - low)) / half).ceil();
    let mut places = vec![];
    let span = |d: usize| -(n[d] as i64)..=(n[d] as i64);
    let far = (high - low).length();
    // Row by row and layer by layer, as neighbours are looked for: who is close in space is close in memory.
    for k in span(2) {
        for j in span(1) {
            for i in span(0).filter(|i| (i + j + k) % 2 == 0) {
                let p = middle + Vec3::new(i as f64, j as f64, k as f64) * half;
                if let Some(near) = probe.nearest(p, far).filter(|near| near.distance < -0.45 * spacing) {
                    let colour = mesh.is_painted().then(|| painted(mesh, &near.point));
                    places.push(Placed { colour, ..Placed::point(p) });
                }
            }
        }
    }
    Some(places)
}

/// What is painted on a mesh at a point of its skin, linear.
fn painted(mesh: &TriMesh, p: &SkinPoint) -> [f32; 3] {
    let mixed = [0, 1, 2].map(|d| {
        let parts = (0..3).filter(|k| p.weights[*k] != 0.0);
        parts.map(|k| p.weights[k] * f64::from(mesh.colours[p.corners[k] as usize][d])).sum::<f64>()
    });
    from_shown(mixed.map(|x| x.clamp(0.0, 1.0)))
}

/// The thickness with which the skeletons enclose a volume.
fn fitting_thickness(field: Shape, list: &[Placed], volume: f64, spacing: f64) -> f64 {
    let (mut low, mut high) = (0.5 * spacing, 1.5 * spacing);
    for _ in 0..14 {
        let e = 0.5 * (low + high);
        let s = surface(&dressed(field, list, e), e / MEASURED_CUBES, &Unlimited);
        if s.volume() < volume { low = e } else { high = e }
    }
    0.5 * (low + high)
}
