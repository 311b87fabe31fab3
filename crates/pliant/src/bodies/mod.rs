//! The kinds of body and what the rest of the engine asks of them.

pub(crate) mod clay;
mod global;
pub(crate) mod hybrid;
pub(crate) mod lattice;
mod node_frame;
mod points;
mod rigid;
mod scaffold;

use crate::contact::{Coat, Pressed};
use crate::environment::Environment;
use crate::frame::{Measures, ObjectFrame, ObjectTopology};
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::{BodySpec, Material, SceneError};
use crate::shape::Shape;
use crate::skin::{Skin, SkinPoint};
use crate::state::{Reader, Writer};

/// Every kind, in the order in which they are listed. This line is the registration.
pub const KINDS: &[BodyKind] = &[rigid::KIND, global::KIND, hybrid::KIND, lattice::KIND, clay::KIND];

/// So often at most the world halves its step, see `Body::longest_step`.
pub const CUTS: usize = 8;

/// One kind of body.
pub struct BodyKind {
    /// What the scene calls it.
    pub name: &'static str,
    /// One line for `pliant list`.
    pub summary: &'static str,
    /// JSON Schema of the keys only this kind reads.
    pub own_keys: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    /// A small body of this kind, for contract tests and documents.
    pub example: fn() -> BodySpec,
    /// Prepares what copies of one body share.
    pub prepare: fn(&Blueprint) -> Result<Box<dyn Prototype>, SceneError>,
}

/// What a kind is given to prepare from.
pub struct Blueprint<'a> {
    /// The body as the scene has it.
    pub spec: &'a BodySpec,
    /// Its path in the scene, such as `body[2]`.
    pub path: &'a str,
    /// Its rest shape.
    pub shape: &'a Shape,
    /// Its material.
    pub material: &'a Material,
    /// Length of a step `[s]`.
    pub step: f64,
}

/// Everything that copies of a body share; makes bodies.
pub trait Prototype {
    /// A body at a pose with a starting motion.
    fn instance(&self, start: &Start) -> Box<dyn Body>;
    /// Whether a body of the scene may start as it says; otherwise the key and what is wrong with it.
    fn check_start(&self, _: &BodySpec) -> Result<(), (&'static str, String)> {
        Ok(())
    }
    /// The longest step that suits it at rest `[s]`; the world takes steps as short as the most demanding asks for.
    fn longest_step(&self) -> f64 {
        f64::INFINITY
    }
}

/// Pose and motion at time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Where the origin of the rest shape lies.
    pub position: Vec3,
    /// Orientation of the rest shape.
    pub rotation: crate::math::Quat,
    /// Velocity of the centre of mass `[m/s]`.
    pub velocity: Vec3,
    /// Angular velocity about the centre of mass `[rad/s]`.
    pub spin: Vec3,
}

/// How a point of a skin answers a push, in the form the solver works with.
///
/// The generalised velocity `y` of a body is a row of three-vectors. A lever says how a skin point's velocity
/// follows from it (`v = J y`) and how an impulse changes it (`y += A^-1 J^T p`).
#[derive(Clone, Copy, Debug)]
pub enum Lever {
    /// Nothing moves: obstacles.
    Fixed,
    /// `y = (v, w)` of a frame: `v + w x arm`.
    Twist {
        /// From the centre of mass to the point.
        arm: Vec3,
    },
    /// `v = sum_k weight_k y_k`; the answer to an impulse is a full matrix. Both stand in the solver's store.
    Blocks {
        /// Where in the store.
        at: u32,
        /// How many three-vectors `y` has.
        count: u32,
    },
    /// Any other three numbers that follow from `y`: the rows `J` and the answers `A^-1 J^T` stand in the store.
    Wide {
        /// Where in the store.
        at: u32,
        /// How many numbers of `y` it reads and answers in; none of those behind matters to it.
        len: u32,
    },
    /// `y = (t, 1, w, v_1, v_2, ...)`: a velocity of the whole, the number one, a turning of the whole, and velocities of
    /// nodes that have masses of their own. `v = t + w x arm + sum_k weight_k v_k`; an impulse goes to the nodes. In the
    /// store: the arm, then for each node where its velocity stands in `y`, its weight, and that over its mass.
    Nodes {
        /// Where in the store.
        at: u32,
        /// How many nodes carry the point.
        count: u32,
    },
    /// The same `y`, but each node carries the point by a matrix of its own: `v = t + w x arm + sum_k B_k v_k`, and an
    /// impulse `p` gives a node `B_k^T p`. In the store: the arm, then for each node where its velocity stands in `y`, one
    /// over its mass, and the matrix by columns.
    Blend {
        /// Where in the store.
        at: u32,
        /// How many nodes carry the point.
        count: u32,
    },
    /// Bodies of very many nodes: `y` holds impulses at the places braced for, not velocities. See `Patch`.
    Patch {
        /// Where in the store.
        at: u32,
        /// How many nodes are braced.
        count: u32,
    },
}

/// What of a body is held or driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// A point of its skin.
    Point(SkinPoint),
    /// Its centre of mass: pushed as a whole.
    Centre,
    /// Its turning as a whole: the velocity is the angular velocity, the impulse one of torque.
    Spin,
}

/// A lever of a body whose `y` holds the impulses it has received rather than its velocities.
///
/// `y = (t, 1, c, p_1, p_2, ...)`: a translation, the number one, an impulse of torque on the whole, and impulses at the
/// nodes braced for. The velocity of a point is `t + free + T c + sum_k W_k p_k`: what it has without any impulse, and
/// its answers. So a push costs a few additions and a velocity a short product, however many nodes there are, and
/// momentum is kept to the last bit.
#[derive(Clone, Copy, Debug)]
pub struct Patch<'a> {
    /// Slots of the three nodes that carry the point.
    pub slots: [usize; 3],
    /// Their weights.
    pub weights: Vec3,
    /// From where the nodes put the point to where it is pushed.
    pub offset: Vec3,
    /// Velocity without any impulse.
    pub free: Vec3,
    /// Answer to an impulse of torque.
    pub turn: Mat3,
    /// Answers to impulses at the braced nodes: three rows, for x, y and z.
    pub answer: &'a [f64],
}

impl<'a> Patch<'a> {
    /// Numbers before the answers.
    const HEAD: usize = 21;
    /// Numbers in `y` before the nodes' impulses.
    pub const BEFORE: usize = 7;

    /// Reads one from a store.
    #[inline(always)]
    pub fn read(store: &'a [f64], at: u32, count: u32) -> Self {
        let part = &store[at as usize..at as usize + Self::HEAD + 9 * count as usize];
        let (head, answer) = part.split_at(Self::HEAD);
        Self {
            slots: [head[0] as usize, head[1] as usize, head[2] as usize],
            weights: Vec3::from_slice(&head[3..]),
            offset: Vec3::from_slice(&head[6..]),
            free: Vec3::from_slice(&head[9..]),
            turn: Mat3::from_cols(
                Vec3::new(head[12], head[13], head[14]),
                Vec3::new(head[15], head[16], head[17]),
                Vec3::new(head[18], head[19], head[20]),
            ),
            answer,
        }
    }

    /// Appends one without answers to a store; the answers follow.
    pub fn write_head(&self, store: &mut Vec<f64>) {
        store.extend(self.slots.map(|s| s as f64));
        store.extend(self.weights.to_array());
        store.extend(self.offset.to_array());
        store.extend(self.free.to_array());
        store.extend(self.turn.to_cols_array());
    }
}

impl Lever {
    /// Numbers in `y` before the nodes' velocities, for `Lever::Nodes`.
    pub const NODES_BEFORE: usize = 7;

    /// Whether the point gives way by itself, without the body as a whole.
    pub fn is_soft(&self) -> bool {
        matches!(self, Lever::Patch { .. } | Lever::Nodes { .. } | Lever::Blend { .. })
    }

    /// Follows its numbers to where they now stand in a larger store.
    pub(crate) fn move_by(&mut self, base: u32) {
        if let Lever::Blocks { at, .. }
        | Lever::Patch { at, .. }
        | Lever::Wide { at, .. }
        | Lever::Blend { at, .. }
        | Lever::Nodes { at, .. } = self
        {
            *at += base;
        }
    }
}

/// Inverse mass of a frame, for `Lever::Twist`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwistMass {
    /// One over the mass `[1/kg]`.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes `[1/(kg m^2)]`.
    pub inverse_inertia: Mat3,
}

/// A piece that a body has come apart into.
pub struct Piece {
    /// A body of its own, where the piece was and moving as it did.
    pub body: Box<dyn Body>,
    /// For every point of its skin the one of the whole's that it was, if there was one.
    pub corners: Vec<Option<u32>>,
}

/// A body that can come apart.
pub trait Breaks {
    /// What it has come apart into in the last step: nothing while it is as it was, one piece if a crack has opened that
    /// does not go through.
    fn pieces(&self) -> Vec<Piece>;
    /// Which piece of the whole it is.
    fn save_form(&self, out: &mut Writer);
    /// Another piece of the same whole, from what that wrote; its state is yet to be loaded.
    fn of_form(&self, from: &mut Reader) -> Result<Box<dyn Body>, String>;
}

/// One body. One method per line of `World::step` that concerns bodies.
pub trait Body: Send + Sync {
    /// Velocity after internal and external forces, no contact. Afterwards `skin().next` is where that would lead.
    fn free_motion(&mut self, environment: &Environment, h: f64);
    /// The longest step that suits it as it now is and moves `[s]`; the world halves its own as often as that takes.
    fn longest_step(&self) -> f64 {
        f64::INFINITY
    }
    /// What others see and touch.
    fn skin(&self) -> &Skin;
    /// A bound below for the distance of any two points of the skin at the start of the step over their distance at rest, if
    /// there is an easy one: where it says that nothing is near, contact of a soft skin with itself need not be looked for.
    fn least_stretch(&self) -> Option<f64> {
        None
    }
    /// After a solve: a body that holds something within itself, such as its volume, lets what pushes did to its skin be felt
    /// by all of it, by changing its velocity as it would be without pushes and as it is alike; whether anything changed.
    /// Then pushes are solved for again.
    fn share_pushes(&mut self, _h: f64) -> bool {
        false
    }
    /// What gives way on top of the skin, if anything does.
    fn coat(&self) -> Option<&dyn Coat> {
        None
    }
    /// What the seeds of its coat felt in this step.
    fn pressed(&mut self, _: &mut dyn Iterator<Item = Pressed>) {}
    /// Whether it can come apart, and into what it has.
    fn breaks(&self) -> Option<&dyn Breaks> {
        None
    }
    /// Breaks it along a plane, through a place and across a direction, all the way; whether it can be.
    fn cut(&mut self, _at: Vec3, _across: Vec3) -> bool {
        false
    }
    /// Generalised velocity.
    fn velocity(&self) -> &[f64];
    /// Generalised velocity, to be changed by the solver.
    fn velocity_mut(&mut self) -> &mut [f64];
    /// How a skin point answers a push. Levers with numbers of their own append them to `store`.
    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever;
    /// Displacement over the step last aimed at of the place `p.at`, which moves with a point of the skin.
    fn carried(&self, p: &SkinPoint) -> Vec3 {
        self.skin().displacement(p)
    }
    /// How the body as a whole answers: `Hold::Centre` or `Hold::Spin`.
    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever;
    /// Orientation of the rest shape at the start of the step.
    fn rotation(&self) -> Quat;
    /// How what is held answers.
    fn hold(&self, hold: &Hold, store: &mut Vec<f64>) -> Lever {
        match hold {
            Hold::Point(p) => self.lever(p, store),
            whole => self.frame_lever(*whole, store),
        }
    }
    /// Gets ready to be pushed at these points in this step; `velocity` may get longer by that. Returns whether levers
    /// given out before have to be asked for anew.
    fn brace(&mut self, _: &[SkinPoint]) -> bool {
        false
    }
    /// Inverse mass for `Lever::Twist`.
    fn twist_mass(&self) -> TwistMass {
        TwistMass::default()
    }
    /// Tries an end of the step: positions after time `h` at the present velocity, shifted by `shift` (in the
    /// coordinates of the velocity). Writes `skin().next`.
    fn aim(&mut self, h: f64, shift: &[f64]);
    /// The shift that moves the whole body by `d`.
    fn moved_by(&self, d: Vec3) -> Vec<f64>;
    /// Accepts the end last aimed at, then plastic flow and topology.
    fn settle(&mut self, h: f64);
    /// Linear momentum `[kg m/s]`.
    fn momentum(&self) -> Vec3;
    /// Kinetic energy `[J]`.
    fn kinetic(&self) -> f64;
    /// Centre of mass `[m]` and mass `[kg]`.
    fn centre(&self) -> (Vec3, f64);
    /// The point of the rest shape that stands at a place of the world: the inverse map D^-1 of `[BW92]` section 4.1.
    fn material_point(&self, world: Vec3) -> Option<Vec3>;
    /// Energies, momenta, volume.
    fn measure(&self) -> Measures;
    /// Whether the body has been nearly motionless in the last step.
    fn speed(&self) -> f64;
    /// Stops it, for sleep.
    fn stop(&mut self);
    /// An impulse at a skin point that goes into the free motion of this step: forces of controls.
    fn push(&mut self, p: &SkinPoint, impulse: Vec3);
    /// Drag factor and relative velocity are the body's own business; friction is contact's.
    fn friction(&self) -> f64;
    /// What does not change from frame to frame.
    fn topology(&self, name: &str) -> ObjectTopology;
    /// Pose and points for a frame.
    fn frame(&self) -> ObjectFrame;
    /// Exact state.
    fn save(&self, out: &mut Writer);
    /// Returns to a saved state.
    fn load(&mut self, from: &mut Reader) -> Result<(), String>;
}

/// Looks a kind up by name.
pub fn find(name: &str, path: &str) -> Result<&'static BodyKind, SceneError> {
    KINDS.iter().find(|k| k.name == name).ok_or_else(|| {
        let known: Vec<_> = KINDS.iter().map(|k| k.name).collect();
        let near = known
            .iter()
            .min_by_key(|k| strsim::damerau_levenshtein(k, name))
            .map(|k| format!("; did you mean \"{k}\"?"))
            .unwrap_or_default();
        SceneError::new(
            format!("{path}.kind"),
            format!("unknown kind \"{name}\"{near} Known kinds: {}", known.join(", ")),
        )
    })
}

/// Reads the keys only one kind has; unknown ones are refused with the nearest known one.
pub fn own_keys<T: serde::de::DeserializeOwned>(
    spec: &BodySpec,
    path: &str,
    known: &[&str],
) -> Result<T, SceneError> {
    for key in spec.own.keys() {
        if !known.contains(&key.as_str()) {
            let all =
                ["name", "kind", "shape", "position", "rotation", "velocity", "spin", "material", "copies"];
            let near = all.iter().chain(known).min_by_key(|k| strsim::damerau_levenshtein(k, key));
            let hint = near.map(|k| format!("; did you mean \"{k}\"?")).unwrap_or_default();
            return Err(SceneError::new(
                format!("{path}.{key}"),
                format!("unknown key \"{key}\" for kind \"{}\"{hint}", spec.kind),
            ));
        }
    }
    let read = |keys: &mut dyn Iterator<Item = (&String, &toml::Value)>| -> Result<T, toml::de::Error> {
        keys.map(|(k, v)| (k.clone(), v.clone())).collect::<toml::Table>().try_into()
    };
    read(&mut spec.own.iter()).map_err(|e| {
        // The error does not know its key: it is the one that gives the same error alone.
        let alone = |key: &(&String, &toml::Value)| {
            read(&mut std::iter::once(*key)).err().is_some_and(|a| a.message() == e.message())
        };
        let key = spec.own.iter().find(alone).or(spec.own.iter().next());
        let at = key.map_or_else(|| path.into(), |(k, _)| format!("{path}.{k}"));
        SceneError::new(at, e.message().to_string())
    })
}
