//! The scene as the user wrote it: plain data, no behaviour beyond defaults and validation of single numbers.
//!
//! `pliant_io` reads it from TOML, `World::new` builds from it. Every rejection carries the path of the key
//! (`body[2].material.young`), from which the reader finds the line.

mod control;
mod nets;
mod picture;

pub use control::{Channel, ControlKind, ControlMethod, ControlSpec, MotionSpec, PointKey, Select};
pub use nets::{BumpsSpec, CurveSpec, GridSpec, RevolveSpec, SheetSpec, TubeSpec};
pub use picture::{
    CameraKey, CameraSpec, ClaimSpec, Colour, FigureSpec, FigureStyle, Finish, LampSpec, LightSpec, LookSpec,
    MarkSpec, MatteSpec, Measure,
};

use crate::math::portable::rotation_by;
use crate::math::{Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole scene file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneSpec {
    /// Title, duration, frame rate, gravity, air.
    pub scene: SceneSettings,
    /// The bodies, in the order in which they are numbered.
    pub body: Vec<BodySpec>,
    /// What bodies touch but never move.
    pub obstacle: Vec<ObstacleSpec>,
    /// What the animator does to bodies.
    pub control: Vec<ControlSpec>,
    /// What `pliant check --run` tests.
    pub expect: Option<Expect>,
    /// Where pictures are taken from.
    pub camera: CameraSpec,
    /// Sun, sky and lamps.
    pub light: LightSpec,
    /// Colours and surfaces, by the name of the body or obstacle; a body's copies share its entry.
    pub look: BTreeMap<String, LookSpec>,
    /// A photograph into which the bodies are put.
    pub matte: Option<MatteSpec>,
    /// The published figure that this scene shows.
    pub figure: Option<FigureSpec>,
}

/// The `[scene]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneSettings {
    /// One sentence that says what happens.
    pub title: String,
    /// Simulated time `[s]`.
    pub duration: f64,
    /// Frames recorded per second.
    pub fps: f64,
    /// Steps of the engine per recorded frame; by default the fewest that keep the step at or under 1/120 s.
    pub substeps: Option<u32>,
    /// Acceleration of gravity `[m/s^2]`, a vector or keys over time.
    pub gravity: Keyed<[f64; 3]>,
    /// Velocity of the air `[m/s]`, a vector or keys over time.
    pub wind: Keyed<[f64; 3]>,
    /// Density of the air `[kg/m^3]`; 0 means no drag, 1.2 is air at sea level.
    pub air_density: f64,
    /// Gap kept between touching surfaces, as a fraction of the thinner body's size.
    pub clearance: f64,
    /// Whether bodies that have come to rest are put to sleep until something touches them.
    pub sleep: bool,
    /// Whether bodies that intersect at the start are pulled apart before time zero, instead of being refused.
    pub untangle: bool,
    /// How far the contact solve is taken: sweeps over the largest island. More is stiffer and slower.
    pub sweeps: Option<u32>,
}

impl Default for SceneSettings {
    fn default() -> Self {
        Self {
            title: String::new(),
            duration: 5.0,
            fps: 60.0,
            substeps: None,
            gravity: Keyed::Constant([0.0, -9.81, 0.0]),
            wind: Keyed::Constant([0.0; 3]),
            air_density: 0.0,
            clearance: 2e-3,
            sleep: true,
            untangle: false,
            sweeps: None,
        }
    }
}

impl SceneSettings {
    /// Steps of the engine per recorded frame.
    pub fn steps_per_frame(&self) -> u32 {
        self.substeps.unwrap_or_else(|| (120.0 / self.fps).ceil().max(1.0) as u32)
    }
    /// Length of one step of the engine `[s]`.
    pub fn step(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.steps_per_frame()))
    }
    /// Frames recorded after the first, which is the start.
    pub fn frame_count(&self) -> usize {
        (self.duration * self.fps).round() as usize
    }
}

/// One `[[body]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BodySpec {
    /// Unique name; exporters and controls refer to it.
    pub name: String,
    /// Which kind of body: what `pliant list` names.
    pub kind: String,
    /// The rest shape.
    pub shape: ShapeSpec,
    /// Where the origin of the shape starts `[m]`.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about x, then y, then z (fixed axes) `[degrees]`.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Velocity at the start `[m/s]`.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start, about the centre of mass `[degrees/s]`.
    #[serde(default)]
    pub spin: [f64; 3],
    /// Numbers, or the name of a preset.
    #[serde(default)]
    pub material: MaterialSpec,
    /// Copies of this body: the same shape at other places. `name` gets `.000`, `.001`, ...
    #[serde(default)]
    pub copies: Option<CopiesSpec>,
    /// What only this kind reads: `order`, `resolution`, ...
    #[serde(flatten)]
    #[schemars(skip)]
    pub own: BTreeMap<String, toml::Value>,
}

impl BodySpec {
    /// A body at rest at the origin, of the default material.
    pub fn new(name: &str, kind: &str, shape: ShapeSpec) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            shape,
            position: [0.0; 3],
            rotation: [0.0; 3],
            velocity: [0.0; 3],
            spin: [0.0; 3],
            material: MaterialSpec::default(),
            copies: None,
            own: BTreeMap::new(),
        }
    }
}

/// A block of copies of one body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopiesSpec {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// Distance between neighbours along x, y and z `[m]`.
    pub spacing: [f64; 3],
    /// Each copy is moved by a fixed pseudo-random offset of at most this much along each axis `[m]`.
    #[serde(default)]
    pub jitter: f64,
}

/// A rest shape. Lengths in metres, centred on the origin unless the shape says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum ShapeSpec {
    /// Full side lengths.
    Box([f64; 3]),
    /// Radius.
    Sphere(f64),
    /// Semi-axes.
    Ellipsoid([f64; 3]),
    /// A cylinder along y with round ends.
    Capsule {
        /// Radius `[m]`.
        radius: f64,
        /// Length of the straight part `[m]`.
        length: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Radius `[m]`.
        radius: f64,
        /// Full height `[m]`.
        height: f64,
    },
    /// A ring around y.
    Torus {
        /// Radius of the ring's centre line `[m]`.
        major: f64,
        /// Radius of the tube `[m]`.
        minor: f64,
    },
    /// A closed triangle mesh in a file beside the scene: obj, ply, stl or glb.
    Mesh(MeshSpec),
    /// Convex hull of points.
    Hull(Vec<[f64; 3]>),
    /// Union of overlapping or separate convex parts.
    Parts(Vec<PartSpec>),
    /// A half space (obstacles only).
    Plane {
        /// Points out of the ground.
        #[serde(default = "up")]
        normal: [f64; 3],
        /// Distance of the plane from the origin along the normal `[m]`.
        #[serde(default)]
        offset: f64,
    },
    /// A flight of stairs going down along +x from the origin (obstacles only). The top tread starts at x = 0, y = 0.
    Stairs {
        /// How many steps.
        steps: u32,
        /// Depth of a tread along x `[m]`.
        tread: f64,
        /// Height of a step `[m]`.
        rise: f64,
        /// Extent along z `[m]`.
        width: f64,
    },
    /// A rod, a ring or a knot: a curve with a cross-section.
    Curve(CurveSpec),
    /// A profile turned about y: an apple, a vase, a pumpkin, a squash.
    Revolve(RevolveSpec),
    /// A flat sheet in the xz plane.
    Grid(GridSpec),
    /// A pipe along y, open at both ends.
    Tube(TubeSpec),
    /// A triangle surface in a file beside the scene, open or closed, as a thin sheet.
    Sheet(SheetSpec),
}

fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

/// A mesh file, by name alone or with options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MeshSpec {
    /// Path relative to the scene file.
    Path(String),
    /// Path and options.
    Options(MeshOptions),
}

/// Options of a mesh file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshOptions {
    /// Path relative to the scene file.
    pub file: String,
    /// Multiplies every coordinate.
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

impl MeshSpec {
    /// Path relative to the scene file.
    pub fn file(&self) -> &str {
        match self {
            MeshSpec::Path(p) => p,
            MeshSpec::Options(o) => &o.file,
        }
    }
    /// Factor on every coordinate.
    pub fn scale(&self) -> f64 {
        match self {
            MeshSpec::Path(_) => 1.0,
            MeshSpec::Options(o) => o.scale,
        }
    }
}

/// One convex part of a union.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// A box, sphere, ellipsoid, capsule, cylinder or hull.
    pub shape: ShapeSpec,
    /// Where its origin lies in the body `[m]`.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about x, then y, then z `[degrees]`.
    #[serde(default)]
    pub rotation: [f64; 3],
}

/// A material: the name of a preset, or numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MaterialSpec {
    /// One of `pliant list`'s materials.
    Preset(String),
    /// Numbers; what is left out has a default.
    Numbers(Material),
}

impl Default for MaterialSpec {
    fn default() -> Self {
        MaterialSpec::Numbers(Material::default())
    }
}

/// Material numbers, SI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Material {
    /// Mass per rest volume `[kg/m^3]`.
    pub density: f64,
    /// Young's modulus `[Pa]`.
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5.
    pub poisson: f64,
    /// Internal damping: the damping ratio of the body's lowest elastic mode (1 is critical).
    pub damping: f64,
    /// Coulomb friction. Two touching surfaces use the geometric mean of theirs.
    pub friction: f64,
    /// Strain (norm of the deviatoric logarithmic strain) beyond which the body keeps its new shape; 0 never.
    pub yield_strain: f64,
    /// Time the material takes to flow back to its yield limit `[s]`; 0 at once.
    pub flow_time: f64,
    /// Whether volume is held by constraint.
    pub incompressible: bool,
    /// Drag coefficient in air.
    pub drag: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            density: 1000.0,
            young: 1e5,
            poisson: 0.3,
            damping: 0.02,
            friction: 0.5,
            yield_strain: 0.0,
            flow_time: 0.0,
            incompressible: false,
            drag: 1.0,
        }
    }
}

/// One `[[obstacle]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObstacleSpec {
    /// Unique name.
    pub name: String,
    /// Any shape; planes and stairs too.
    pub shape: ShapeSpec,
    /// Where the origin of the shape lies `[m]`.
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about x, then y, then z `[degrees]`.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Coulomb friction; by default that of whatever touches it.
    #[serde(default)]
    pub friction: Option<f64>,
    /// Motion: position and rotation at times, on straight lines in between. Before the first and after the last key it rests.
    #[serde(default)]
    pub keys: Vec<PoseKey>,
}

/// Where an obstacle is at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseKey {
    /// Time `[s]`.
    pub t: f64,
    /// Position, added to the obstacle's own `[m]`.
    #[serde(default)]
    pub at: [f64; 3],
    /// Turn about x, then y, then z, applied on top of the obstacle's own `[degrees]`.
    #[serde(default)]
    pub rotation: [f64; 3],
}

/// A value, or values at times with straight lines in between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Keyed<T> {
    /// The same at all times.
    Constant(T),
    /// Values at increasing times.
    Keys(Vec<Key<T>>),
}

/// A value at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key<T> {
    /// Time `[s]`.
    pub t: f64,
    /// The value then.
    pub value: T,
}

impl Keyed<[f64; 3]> {
    /// The value at time `t`.
    pub fn at(&self, t: f64) -> Vec3 {
        match self {
            Keyed::Constant(v) => Vec3::from(*v),
            Keyed::Keys(keys) => {
                interpolate(keys.iter().map(|k| (k.t, Vec3::from(k.value))), t).unwrap_or(Vec3::ZERO)
            }
        }
    }
}

/// Straight-line interpolation of points at increasing times; the first and last hold beyond their ends.
pub(crate) fn interpolate(keys: impl Iterator<Item = (f64, Vec3)>, t: f64) -> Option<Vec3> {
    let mut before: Option<(f64, Vec3)> = None;
    for (time, value) in keys {
        if time >= t {
            return Some(match before {
                Some((t0, v0)) if time > t0 => v0.lerp(value, (t - t0) / (time - t0)),
                _ => value,
            });
        }
        before = Some((time, value));
    }
    before.map(|(_, v)| v)
}

/// The `[expect]` table: what must hold at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Deepest penetration over all frames `[m]`.
    pub max_penetration: Option<f64>,
    /// Largest relative change of any body's volume.
    pub max_volume_error: Option<f64>,
    /// Largest work done by contact in one step, relative to the kinetic energy.
    pub max_contact_work: Option<f64>,
    /// Largest distance of a controlled point from its target `[m]`.
    pub max_control_error: Option<f64>,
    /// Lowest and highest height of a body's centre of mass at the end `[m]`.
    pub rest_height: BTreeMap<String, [f64; 2]>,
    /// Largest speed of any body's centre of mass at the end `[m/s]`.
    pub max_final_speed: Option<f64>,
    /// Largest distance any body's centre of mass has moved from its start `[m]`.
    pub max_drift: Option<f64>,
}

/// Why a scene was refused: which key, what is wrong, what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SceneError {
    /// Path of the key, such as `body[2].material.young`; empty for the whole file.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl SceneError {
    /// An error at a key.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// Rotation about fixed x, then y, then z.
pub fn rotation_from_degrees(angles: [f64; 3]) -> Quat {
    let [x, y, z] = angles.map(f64::to_radians);
    [Vec3::Z * z, Vec3::Y * y, Vec3::X * x].into_iter().map(rotation_by).product()
}
