//! What a person may do to a world while it runs: controls that come and go, and other materials.

use super::{MeshLibrary, World};
use crate::control::{Control, Grasp, Held};
use crate::math::Vec3;
use crate::scene::{ControlSpec, SceneError, Select};
use crate::scene_check;

impl World {
    /// Adds a control between two steps and gives its number, by which it is known until it is removed. It takes the points
    /// that its selection means as the body now is; of a body in pieces, on the piece nearest to the place that it selects,
    /// or on the first.
    pub fn add_control(&mut self, spec: &ControlSpec) -> Result<usize, SceneError> {
        let mut scene = self.spec.clone();
        scene.control = vec![spec.clone()];
        scene_check::check(&scene)?;
        let at = match &spec.select {
            Select::Nearest(at) | Select::Ball { centre: at, .. } => Some(Vec3::from(*at)),
            _ => None,
        };
        let find = |name: &str| {
            let object = self.find(name)?;
            let near = at.filter(|_| name == spec.body).and_then(|at| self.piece_at(object, at));
            near.or_else(|| (0..self.bodies.len() + self.obstacles.len()).find(|i| self.object(*i) == object))
        };
        let number = self.free_number();
        self.controls.push(Control::new(
            spec,
            number,
            "control[0]",
            find,
            &self.bodies,
            &MeshLibrary::new(),
        )?);
        Ok(number)
    }

    /// A hand takes hold of an object about a place on it; gives the number by which the hand is known until it is removed.
    /// Nothing if the object is no body.
    pub fn take_hold(&mut self, object: usize, at: Vec3, grasp: Grasp) -> Option<usize> {
        let body = self.piece_at(object, at)?;
        let number = self.free_number();
        self.controls.push(Control::hand(number, body, at, grasp, self.time(), &self.bodies));
        Some(number)
    }

    /// Leads a hand to a place within a time `[s]`, by a force of at most `max_force` `[N]`.
    pub fn lead_hand(&mut self, number: usize, to: Vec3, within: f64, max_force: f64) {
        let t = self.time();
        let mine = self.controls.iter_mut().filter(|c| c.number() == number);
        mine.for_each(|c| c.lead(t, to, within, max_force));
    }

    /// What a hand holds; nothing if it has lost it.
    pub fn held(&self, number: usize) -> Option<Held> {
        let control = self.controls.iter().find(|c| c.number() == number)?;
        let [point, hand] = control.held(self.time(), &self.bodies)?;
        Some(Held { object: self.object(control.body()), point, hand, force: self.control_force(number) })
    }

    /// Takes away a control that was added.
    pub fn remove_control(&mut self, number: usize) {
        self.controls.retain(|c| c.number() != number);
    }

    /// The body that an object is; where it came apart, its piece nearest to a place.
    pub fn piece_at(&self, object: usize, at: Vec3) -> Option<usize> {
        let distance = |i: &usize| {
            let points = self.bodies[*i].skin().points.iter();
            points.map(|p| p.distance_squared(at)).fold(f64::INFINITY, f64::min)
        };
        let pieces = (0..self.bodies.len()).filter(|i| self.object_of[*i] == object);
        pieces.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    fn free_number(&self) -> usize {
        let used = self.controls.iter().map(|c| c.number() + 1).max().unwrap_or(0);
        used.max(self.spec.control.len())
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
