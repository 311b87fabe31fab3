//! What a person may do to a world while it runs: controls that come and go, and other materials.

use super::World;
use crate::control::Control;
use crate::math::Vec3;
use crate::scene::{ControlSpec, SceneError};
use crate::scene_check;

impl World {
    /// Adds a control between two steps and gives its number, by which it is known until it is removed. It takes the points
    /// that its selection means as the body now is, or the first piece of it.
    pub fn add_control(&mut self, spec: &ControlSpec) -> Result<usize, SceneError> {
        let mut scene = self.spec.clone();
        scene.control = vec![spec.clone()];
        scene_check::check(&scene)?;
        let find = |name: &str| {
            let object = self.find(name)?;
            (0..self.bodies.len() + self.obstacles.len()).find(|i| self.object(*i) == object)
        };
        let used = self.controls.iter().map(|c| c.number() + 1).max().unwrap_or(0);
        let number = used.max(self.spec.control.len());
        self.controls.push(Control::new(spec, number, "control[0]", find, &self.bodies)?);
        Ok(number)
    }

    /// Takes away a control that was added.
    pub fn remove_control(&mut self, number: usize) {
        self.controls.retain(|c| c.number() != number);
    }

    /// Sends the points of a path or hold to the displacement `to` within a time `[s]`, by a force of at most `max_force`
    /// `[N]`.
    pub fn steer_control(&mut self, number: usize, to: Vec3, within: f64, max_force: f64) {
        let t = self.time();
        for control in self.controls.iter_mut().filter(|c| c.number() == number) {
            control.steer(t, to, within, max_force);
        }
    }

    /// The middle of the points that a control has hold of, and of where they should be `[m]`; none if it has lost them.
    pub fn control_middles(&self, number: usize) -> Option<[Vec3; 2]> {
        let control = self.controls.iter().find(|c| c.number() == number)?;
        Some(control.middles(self.time(), self.bodies[control.body()].as_ref()))
    }

    /// Cuts an object along a plane, through a place and across a direction; the pieces are bodies of their own from the next
    /// step on.
    pub fn cut(&mut self, object: usize, at: Vec3, across: Vec3) -> Result<(), String> {
        let mut was_cut = false;
        for i in (0..self.bodies.len()).filter(|i| self.object_of[*i] == object).collect::<Vec<_>>() {
            was_cut |= self.bodies[i].cut(at, across);
            self.rest.wake(i);
        }
        let name = self.names.get(object).map_or("this", |n| n);
        let message = || format!("\"{name}\" cannot be cut: hybrid bodies with a `fracture_strain` can");
        if was_cut { Ok(()) } else { Err(message()) }
    }

    /// Goes on from the last frame of another world that has the same bodies, of the same or of other materials.
    pub fn go_on_from(&mut self, other: &World) -> Result<(), String> {
        self.load(&other.save())?;
        // Other materials may take other steps.
        self.ticks = self.index * self.frame_ticks();
        self.rest.wake_all();
        Ok(())
    }
}
