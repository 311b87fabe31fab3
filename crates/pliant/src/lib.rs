//! Pliant: physically based animation of deformable bodies, from nearly rigid to nearly liquid.
//!
//! One world in which several kinds of body live together and touch each other. Plain data goes in
//! ([`SceneSpec`]), plain data comes out ([`Frame`]); in between stands [`World::step`], which reads as a table of
//! contents of the engine.

#![allow(
    clippy::needless_range_loop,
    reason = "an index that names a column, an axis or a body reads as in the papers"
)]

mod around;
pub mod bodies;
pub mod constraint;
mod contact;
mod control;
mod environment;
pub mod frame;
mod loops;
pub mod material;
pub mod math;
mod obstacle;
mod pieces;
pub mod report;
pub mod scene;
pub mod scene_check;
pub mod shape;
pub mod skin;
pub mod state;
mod world;

/// The spline energy of hybrid bodies as a library of its own: from a net of nodes and weights to a factored matrix.
pub mod spline {
    pub use crate::bodies::hybrid::{Factor, Method, Spline, SplineRow, Stiffness, Term, Weights};
}

/// Cells of lattices as a library of their own: what they do to their nodes, for numbers of any kind, one by one or as many at a
/// time as registers hold.
pub mod lattice {
    pub use crate::bodies::lattice::{Cells, Elastic, Field, Grid, Law, Modes, Moduli, Motion, Number, V3};
}

/// What clay is made of, as a library of its own: bonds between points, the field about them, and its surface.
pub mod clay {
    pub use crate::bodies::clay::{
        Bond, Field, FieldShape, Law, Pairs, Pull, Unlimited, energy, pulls, surface,
    };
    pub use crate::contact::Surface;
}

pub use bodies::KINDS;
pub use control::{Grasp, Held};
pub use environment::Environment;
pub use frame::{
    ContactFrame, ControlFrame, Frame, FrameReport, Inner, Measures, ObjectFrame, ObjectTopology, SOLVED,
    Surface, Topology,
};
pub use report::{StepError, StepReport};
pub use scene::{SceneError, SceneSpec};
pub use world::{MeshLibrary, PhaseObserver, World};
