//! What a scene says of controls.

use super::Keyed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One `[[control]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlSpec {
    /// The body it acts on.
    pub body: String,
    /// What it does.
    pub kind: ControlKind,
    /// Which points of the body; by default all of them.
    #[serde(default)]
    pub select: Select,
    /// `path`: displacement of the selected points from where they started, over time. `plane`: that of the planes, of which only
    /// what is along `normal` counts. `servo`: displacement of the centre of mass, and turns.
    #[serde(default)]
    pub keys: Vec<PointKey>,
    /// `plane`: the direction across it.
    #[serde(default)]
    pub normal: Option<[f64; 3]>,
    /// `follow`: the mesh that moves. Points are bound to its surface where it is nearest when the control begins, and keep their
    /// distance from there.
    #[serde(default)]
    pub motion: Option<MotionSpec>,
    /// `attach`: the body or obstacle to which the points are glued. Joints: the body or obstacle at their other end.
    #[serde(default)]
    pub to: Option<String>,
    /// `ball`, `hinge` and `slider`: the place of the joint when it begins. `spring`: its end on the body then. A place off
    /// the surface turns with a rigid body; on a soft one it moves as the nearest point of the surface does `[m]`.
    #[serde(default)]
    pub at: Option<[f64; 3]>,
    /// `spring`: its end on what `to` names, when it begins `[m]`.
    #[serde(default)]
    pub end: Option<[f64; 3]>,
    /// `hinge` and `slider`: direction of the axis when it begins; it then moves with what `to` names.
    #[serde(default)]
    pub axis: Option<[f64; 3]>,
    /// `spring`: length without force `[m]`; by default the one it begins with.
    #[serde(default)]
    pub length: Option<f64>,
    /// `spring`: force over the speed at which it gets longer `[N s/m]`; by default 0.
    #[serde(default)]
    pub damping: Option<f64>,
    /// `attach` and joints: total force beyond which it breaks for good `[N]`; by default never.
    #[serde(default)]
    pub break_force: Option<f64>,
    /// `force` and `thruster`: the total force on the selected points `[N]`, a vector or keys over time. A thruster's is
    /// fixed in the body and turns with it.
    #[serde(default)]
    pub force: Option<Keyed<[f64; 3]>>,
    /// `path` and `hold`: how the points are brought to their targets; by default exactly.
    #[serde(default)]
    pub method: ControlMethod,
    /// Methods `penalty` and `reaction`: total over the selected points. `spring`: force over change of length `[N/m]`.
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Largest total force the control may use `[N]`; by default whatever it takes.
    #[serde(default)]
    pub max_force: Option<f64>,
    /// `servo`: largest torque it may use `[N m]`; by default whatever it takes.
    #[serde(default)]
    pub max_torque: Option<f64>,
    /// `servo`: time in which it makes good most of an error `[s]`; by default 0.1.
    #[serde(default)]
    pub response: Option<f64>,
    /// When it begins to act `[s]`.
    #[serde(default)]
    pub from: f64,
    /// When it lets go `[s]`; by default never.
    #[serde(default)]
    pub until: Option<f64>,
}

impl ControlSpec {
    /// What a scene gets that says no more than which body and what is done to it.
    pub fn new(body: impl Into<String>, kind: ControlKind) -> Self {
        Self {
            body: body.into(),
            kind,
            select: Select::default(),
            keys: vec![],
            normal: None,
            motion: None,
            to: None,
            at: None,
            end: None,
            axis: None,
            length: None,
            damping: None,
            break_force: None,
            force: None,
            method: ControlMethod::default(),
            stiffness: None,
            max_force: None,
            max_torque: None,
            response: None,
            from: 0.0,
            until: None,
        }
    }
}

/// What a control does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlKind {
    /// Selected points stay where they are when the control begins.
    Hold,
    /// Selected points follow keyed displacements.
    Path,
    /// Selected points stay in planes, each in the one through where it is when the control begins, and slide in them without
    /// friction.
    Plane,
    /// Selected points follow the surface of a mesh that moves, as it was animated elsewhere.
    Follow,
    /// Selected points stay glued to another body or to an obstacle.
    Attach,
    /// A force spread over the selected points.
    Force,
    /// A force fixed in the body: its direction turns with the body.
    Thruster,
    /// The body as a whole is driven along keyed places and attitudes, while all its points stay free to deform.
    Servo,
    /// A place of the body stays at a place of another body or obstacle; both turn about it as they like.
    Ball,
    /// Two places on an axis stay together: the body turns about the axis, as a door does.
    Hinge,
    /// The body slides along an axis and does not turn about it, as a drawer does.
    Slider,
    /// A spring between two places, with a damper if wanted.
    Spring,
}

impl ControlKind {
    /// Whether it joins the body to another place by place, rather than point by point of its skin.
    pub fn is_joint(self) -> bool {
        matches!(self, Self::Ball | Self::Hinge | Self::Slider | Self::Spring)
    }

    /// The word for it in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Path => "path",
            Self::Plane => "plane",
            Self::Follow => "follow",
            Self::Attach => "attach",
            Self::Force => "force",
            Self::Thruster => "thruster",
            Self::Servo => "servo",
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Spring => "spring",
        }
    }
}

/// A mesh that moves: a file for every frame, or one mesh and a cache with the places of its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionSpec {
    /// Mesh files beside the scene, such as "walk.####.obj", numbered with as many digits as there are `#`. With `cache`, one
    /// mesh file.
    pub mesh: String,
    /// Numbers of the first and the last mesh file.
    #[serde(default)]
    pub frames: Option<[u32; 2]>,
    /// A `.pc2` file with the places of the points of `mesh` over time.
    #[serde(default)]
    pub cache: Option<String>,
    /// Frames, or samples of the cache, per second. The first is where the control begins; after the last, points stand still.
    #[serde(default = "film")]
    pub fps: f64,
}

fn film() -> f64 {
    24.0
}

impl MotionSpec {
    /// The name of a frame, the first of which is 0, among the meshes of a scene.
    pub fn frame(&self, number: usize) -> String {
        if let Some(cache) = &self.cache {
            return format!("{cache}#{number}");
        }
        let first = self.frames.map_or(0, |[first, _]| first as usize);
        let digits = self.mesh.matches('#').count();
        let place = self.mesh.find('#').unwrap_or(self.mesh.len());
        let (before, after) = (&self.mesh[..place], self.mesh[place..].trim_start_matches('#'));
        if digits == 0 {
            return self.mesh.clone();
        }
        format!("{before}{:0digits$}{after}", first + number)
    }

    /// How many frames there are, if the scene says so: a cache knows by itself.
    pub fn count(&self) -> Option<usize> {
        let [first, last] = self.frames.filter(|_| self.cache.is_none())?;
        Some((last as usize).saturating_sub(first as usize) + 1)
    }
}

/// How a path or a hold brings points to their targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlMethod {
    /// Every point is at its target at the end of every step, whatever the load.
    #[default]
    Exact,
    /// Rubber bands without damping: a load sinks in by load over `stiffness`. Stepped explicitly, so above four times the
    /// mass over the square of a step a body is thrown about; a soft one, of which only a part follows, sooner.
    Penalty,
    /// Points return to their targets with critical damping, at the rate `sqrt(stiffness / mass)`, whatever the load.
    Reaction,
}

/// Which points of a body a control takes. Lengths in the rest shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Select {
    /// Every point.
    #[default]
    All,
    /// Points within this distance of the highest one (+y) `[m]`.
    Top(f64),
    /// Points within this distance of the lowest one `[m]`.
    Bottom(f64),
    /// Points within this distance of the one with the smallest x `[m]`.
    Left(f64),
    /// Points within this distance of the one with the largest x `[m]`.
    Right(f64),
    /// The point nearest to this place, where the body stands when it is selected.
    Nearest([f64; 3]),
    /// Points inside a box, where the body stands when they are selected.
    Box {
        /// The corner with the smallest coordinates `[m]`.
        low: [f64; 3],
        /// The corner with the largest `[m]`.
        high: [f64; 3],
    },
    /// Points inside a ball, where the body stands when they are selected.
    Ball {
        /// Centre `[m]`.
        centre: [f64; 3],
        /// Radius `[m]`.
        radius: f64,
    },
    /// Points that were painted: where a channel of the vertex colours of the shape's mesh is strong enough. What a finer skin has
    /// between two points of the mesh is painted as the fainter of them.
    Painted {
        /// Which of the three.
        #[serde(default)]
        channel: Channel,
        /// Strength from which on a point is taken, above 0 and up to 1, in the numbers of the mesh's file.
        #[serde(default = "half")]
        least: f64,
    },
}

/// A channel of vertex colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The first.
    #[default]
    Red,
    /// The second.
    Green,
    /// The third.
    Blue,
}

fn half() -> f64 {
    0.5
}

/// Displacement of controlled points at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointKey {
    /// Time `[s]`.
    pub t: f64,
    /// Displacement `[m]`.
    #[serde(default)]
    pub at: [f64; 3],
    /// `servo`: turn about x, then y, then z from the attitude at the start `[degrees]`. A servo without any such key
    /// leaves the attitude alone.
    #[serde(default)]
    pub rotation: Option<[f64; 3]>,
}
