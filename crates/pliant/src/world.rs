//! The world: build from a scene, step, hand out frames.

mod advance;
mod build;
mod find;
mod hold;
mod part;
mod press;
mod rest;
mod share;
mod show;
mod snapshot;
mod solve;
mod steer;
mod untangle;

use crate::bodies::{Body, CUTS};
use crate::contact::{Bounds, CoatMemory, CoatTouch, Contacts, Press, Rows, Solver};
use crate::control::Control;
use crate::environment::Environment;
use crate::frame::{Frame, FrameReport, SOLVED};
use crate::math::Vec3;
use crate::obstacle::Obstacle;
use crate::report::{StepError, StepReport};
use crate::scene::SceneSpec;
use crate::shape::TriMesh;
use crate::skin::{Skin, Solid};
use rayon::prelude::*;
use rest::Rest;
use std::collections::BTreeMap;

/// Meshes named by a scene, by the file name the scene gives.
pub type MeshLibrary = BTreeMap<String, TriMesh>;

/// With more bodies than this, corrections within a step are made near what they concern, not everywhere.
const MANY: usize = 80;

/// Parts into which a step can be cut.
const TICKS: u64 = 1 << CUTS;

/// Told which phase of the step begins; the engine itself has no clock.
pub trait PhaseObserver: Send {
    /// The named phase begins now; it ends where the next one begins.
    fn phase(&mut self, name: &'static str);
}

impl PhaseObserver for () {
    fn phase(&mut self, _: &'static str) {}
}

/// Works on a thread of rayon's pool. Every parallel loop that is called from elsewhere first hands over to the pool and
/// waits; a step has some twenty of them, which small scenes would feel.
fn on_a_worker<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// All bodies and obstacles at one time.
pub struct World {
    spec: SceneSpec,
    /// Of bodies, then obstacles, as the scene has them.
    names: Vec<String>,
    /// Bodies in scene order; of one that came apart, its pieces.
    bodies: Vec<Box<dyn Body>>,
    /// Which of the scene's bodies each is, or is a piece of.
    object_of: Vec<usize>,
    obstacles: Vec<Obstacle>,
    controls: Vec<Control>,
    contacts: Contacts,
    solver: Solver,
    environment: Environment,
    /// Who sleeps.
    rest: Rest,
    /// Room that the last broad phase gave to each object.
    rooms: Vec<Bounds>,
    /// Where coats touch in this step, and what they exchanged in the last solve.
    coat_touches: Vec<CoatTouch>,
    presses: Vec<Press>,
    coat_memory: CoatMemory,
    /// Contact rows of the last step, for reading forces.
    rows: Rows,
    /// Root of each body's island in the last step.
    step_roots: Vec<u32>,
    /// Length of an uncut step, and how many a frame has.
    step: f64,
    steps_per_frame: u32,
    /// Length of the present step: `step` halved as often as bodies ask for.
    h: f64,
    /// Time since the start, in parts of which `step` has `TICKS`.
    ticks: u64,
    index: u64,
    /// Who was moved before time zero because it intersected another, and by how much.
    untangled: Vec<(usize, Vec3)>,
    /// What the steps since the last frame did.
    report: FrameReport,
    step_report: StepReport,
}

impl World {
    /// Advances by one step of the engine.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_observed(&mut ())
    }

    /// The same, telling an observer which phase begins. Each line is a section of docs/METHOD.md.
    pub fn step_observed(&mut self, observer: &mut dyn PhaseObserver) -> Result<StepReport, StepError> {
        on_a_worker(|| self.step_here(observer))
    }

    fn step_here(&mut self, observer: &mut dyn PhaseObserver) -> Result<StepReport, StepError> {
        observer.phase("aim");
        self.part_broken();
        self.choose_step();
        self.aim_controls(); // 1 paths, holds, keyframes: targets for this step
        observer.phase("free_motion");
        self.free_motion(); // 2 each kind's own integrator
        observer.phase("find");
        self.find_contacts(); // 3 broad phase, narrow phase, continuous
        observer.phase("solve");
        self.solve(); // 4 one problem: non-penetration, friction, controls
        observer.phase("advance");
        self.advance_without_crossing(); // 5 positions; continuous check; held back where needed
        observer.phase("check");
        self.check() // 6 finite? name the body, the phase, the time
    }

    /// Steps to the next recorded frame and returns it.
    pub fn next_frame(&mut self, observer: &mut dyn PhaseObserver) -> Result<Frame, StepError> {
        self.report = FrameReport {
            external_impulse: self.report.external_impulse,
            external_work: self.report.external_work,
            min_distance: f64::INFINITY,
            ..FrameReport::default()
        };
        let end = (self.ticks / self.frame_ticks() + 1) * self.frame_ticks();
        on_a_worker(|| {
            while self.ticks < end {
                self.step_here(observer)?;
            }
            self.index += 1;
            Ok(self.frame())
        })
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.ticks as f64 * (self.step / TICKS as f64)
    }

    /// Length of a step `[s]`: as the scene has it, or shorter where a body needs that. Fast bodies may have it cut.
    pub fn step_length(&self) -> f64 {
        self.step
    }

    fn frame_ticks(&self) -> u64 {
        u64::from(self.steps_per_frame) * TICKS
    }

    /// How long this step is: the world's, halved as often as bodies ask for, and no longer than what is left of it if
    /// it has been cut before.
    fn choose_step(&mut self) {
        let awake = (0..self.bodies.len()).filter(|i| !self.rest.asleep()[*i]);
        let asking = awake.map(|i| (i, self.bodies[i].longest_step())).filter(|(_, h)| *h < self.step);
        let longest = asking.filter(|(i, _)| self.may_meet(*i)).map(|(_, h)| h).fold(f64::INFINITY, f64::min);
        let mut ticks = TICKS;
        while !self.ticks.is_multiple_of(ticks)
            || (ticks > 1 && self.spec.scene.substeps.is_none() && self.length(ticks) > longest)
        {
            ticks /= 2;
        }
        self.h = self.length(ticks);
        self.solver.h = self.h;
    }

    /// Whether a body may come to touch anything in the next two steps.
    fn may_meet(&self, i: usize) -> bool {
        let skin = self.skin(i);
        let room = 2.0 * self.step * self.bodies[i].speed() + skin.form.size * self.spec.scene.clearance;
        let coat = self.bodies[i].coat().map(|c| c.bounds());
        let own = coat.unwrap_or_else(|| Bounds::of(skin.points.iter().copied())).grown(room);
        (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != i).any(|j| {
            let other = self.skin(j);
            let (moves, coat) = match self.bodies.get(j) {
                Some(b) => (2.0 * self.step * b.speed(), b.coat().map(|c| c.bounds())),
                None => (0.0, None),
            };
            match other.form.solid {
                Solid::HalfSpace(n) => {
                    let nearest = Vec3::select(n.cmpgt(Vec3::ZERO), own.low, own.high);
                    n.dot(nearest - other.points[0]) <= 0.0
                }
                _ => {
                    let its = coat.unwrap_or_else(|| Bounds::of(other.points.iter().copied()));
                    its.grown(other.form.radius + moves).overlaps(&own)
                }
            }
        })
    }

    fn length(&self, ticks: u64) -> f64 {
        self.step * (ticks as f64 / TICKS as f64)
    }

    /// The scene it was built from.
    pub fn scene(&self) -> &SceneSpec {
        &self.spec
    }

    /// The bodies, in scene order; pieces in place of one that came apart.
    pub fn bodies(&self) -> &[Box<dyn Body>] {
        &self.bodies
    }

    /// Number of a named body or obstacle in `Topology::objects`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Name of a body or obstacle, by its number.
    pub fn name(&self, object: usize) -> &str {
        &self.names[object]
    }

    fn skin(&self, object: usize) -> &Skin {
        match object.checked_sub(self.bodies.len()) {
            None => self.bodies[object].skin(),
            Some(k) => &self.obstacles[k].skin,
        }
    }

    /// 1 Targets of controls and obstacles for this step.
    fn aim_controls(&mut self) {
        let (t, h) = (self.time(), self.h);
        let environment = Environment::at(&self.spec.scene, t);
        if environment.gravity != self.environment.gravity || environment.wind != self.environment.wind {
            self.rest.wake_all();
        }
        self.environment = environment;
        self.obstacles.iter_mut().for_each(|o| o.aim(h));
        let mut controls = std::mem::take(&mut self.controls);
        for control in &mut controls {
            let skins = |i: usize| self.skin(i).points.clone();
            let forms = |i: usize| self.skin(i).form.triangles.clone();
            control.aim(t, self.bodies[control.body()].as_ref(), &skins, &forms);
            control.aim_joint(t, &self.bodies, &self.obstacles);
            if control.acts(t) {
                let joined = control.to().filter(|to| *to < self.bodies.len());
                [Some(control.body()), joined].into_iter().flatten().for_each(|i| self.rest.wake(i));
            }
        }
        self.controls = controls;
    }

    /// 2 Velocity after internal and external forces.
    fn free_motion(&mut self) {
        let (t, h) = (self.time(), self.h);
        let before: Vec<Vec3> = self.bodies.iter().map(|b| b.momentum()).collect();
        for control in &self.controls {
            control.force(t, h, self.bodies[control.body()].as_mut());
        }
        let (environment, asleep) = (self.environment, self.rest.asleep());
        let awake = self.bodies.par_iter_mut().with_min_len(16).zip(asleep).zip(before);
        let move_freely = |((body, asleep), before): ((&mut Box<dyn Body>, &bool), Vec3)| {
            if *asleep {
                return Vec3::ZERO;
            }
            body.free_motion(&environment, h);
            body.momentum() - before
        };
        let pushed: Vec<Vec3> = awake.map(move_freely).collect();
        self.report.external_impulse += pushed.into_iter().sum::<Vec3>();
    }

    /// 6 Finite numbers, sleep, and the step's report.
    fn check(&mut self) -> Result<StepReport, StepError> {
        self.ticks += (self.h / self.step * TICKS as f64).round() as u64;
        for (i, body) in self.bodies.iter().enumerate() {
            let finite = body.velocity().iter().all(|v| v.is_finite())
                && body.centre().0.is_finite()
                && body.speed().is_finite();
            if !finite {
                let body = self.names[self.object_of[i]].clone();
                return Err(StepError::NonFinite { body, phase: "advance", time: self.time() });
            }
        }
        self.put_to_rest();
        let (t, step) = (self.time(), &mut self.step_report);
        let error = |c: &Control| c.error(t, &self.bodies, &self.obstacles);
        step.control_error = self.controls.iter().filter(|c| c.is_exact()).map(error).fold(0.0, f64::max);
        let report = &mut self.report;
        report.steps += 1;
        report.contacts = step.contacts;
        report.min_distance = report.min_distance.min(step.min_distance);
        report.max_penetration = report.max_penetration.max(-step.min_distance).max(0.0);
        let relative =
            if step.contact_work > 0.0 { step.contact_work / step.kinetic.max(1e-300) } else { 0.0 };
        report.max_contact_work = report.max_contact_work.max(relative);
        report.residual = report.residual.max(step.residual);
        report.relative_residual = report.relative_residual.max(step.relative_residual);
        report.unsolved += u32::from(step.relative_residual > SOLVED);
        report.max_control_error = report.max_control_error.max(step.control_error);
        report.held_back += step.held_back;
        Ok(*step)
    }
}
