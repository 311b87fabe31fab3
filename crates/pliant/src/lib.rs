//! Pliant: physically based animation of deformable bodies, from nearly rigid to nearly liquid.

pub mod frame;
pub mod material;
pub mod math;
pub mod report;
pub mod scene;
pub mod scene_check;
pub mod shape;
mod world;

pub use frame::{ContactFrame, Frame, FrameReport, Measures, ObjectFrame, ObjectTopology, Topology};
pub use report::{StepError, StepReport};
pub use scene::{SceneError, SceneSpec};
pub use world::{MeshLibrary, PhaseObserver, World};
