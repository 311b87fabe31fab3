//! A lattice body on its own: forces, viscosity and volume over a step, and what it makes of contact.

use super::forces::{State, modes_of};
use super::volume::{Aim, LITTLE, Mobility, keep_volumes, pushes};
use super::{BEFORE, Lattice, viscous};
use crate::environment::Environment;
use crate::math::Vec3;

/// So often a step is cut at most; what needs more is far from anything.
const MOST_CUTS: f64 = 200.0;

impl Lattice {
    /// Air slows every outer node down by its share of the surface.
    pub(super) fn drag(&mut self, environment: &Environment, h: f64) {
        let shared = &self.shared;
        let share = shared.drag_area / shared.outer.len() as f64;
        for node in &shared.outer {
            let (v, m) = (&mut self.v[*node as usize], shared.mass[*node as usize]);
            *v = environment.slowed(*v, environment.wind, (shared.material.drag, share), m, h);
        }
    }

    /// Symplectic Euler over a step, cut as often as stability asks for.
    pub(super) fn fly(&mut self, h: f64) {
        self.lag.clear();
        let step = self.shared.limits.step;
        let dt = self
            .kick(None, |stiffening| h / (h * stiffening.sqrt() / step - 1e-9).ceil().clamp(1.0, MOST_CUTS));
        let cuts = (h / dt).round() as u32;
        if cuts == 1 {
            return;
        }
        let mut x = self.x.clone();
        for _ in 1..cuts {
            x.iter_mut().zip(&self.v).for_each(|(x, v)| *x += *v * dt);
            self.kick(Some(&x), |_| dt);
        }
        x.iter_mut().zip(&self.v).for_each(|(x, v)| *x += *v * dt);
        for ((x, from), v) in x.iter().zip(&self.x).zip(&mut self.v) {
            let way = (*x - *from) / h;
            self.lag.push(*v - way);
            *v = way;
        }
    }

    /// Changes velocities by what forces do in a part of the step, with nodes at `x`, or where they are. How long a
    /// part, is said once it is known how stiff the cells have become. The last step's reactions act as if they came
    /// again; `free_motion` takes them back in the end.
    fn kick(&mut self, x: Option<&[Vec3]>, time: impl Fn(f64) -> f64) -> f64 {
        let shared = self.shared.clone();
        let x = x.unwrap_or(&self.x);
        let [stiffer, thicker] = shared.cells.forces(State { x, inverse: &self.inverse }, &mut self.force);
        let dt = time(stiffer);
        for ((v, f), i) in self.v.iter_mut().zip(&self.force).zip(&shared.inverse_mass) {
            *v += *f * (dt * i);
        }
        for (node, reaction) in shared.outer.iter().zip(&self.reaction) {
            self.v[*node as usize] += *reaction * dt;
        }
        // What holds the volumes acts again too. Were it to come after the viscosity only, that would eat away what the
        // pressures are about to balance, and a squeezed body would give way.
        if !self.pressures.is_empty() {
            let push = pushes(&shared.cells, x, &self.pressures, &shared.inverse_mass);
            self.v.iter_mut().zip(&push).for_each(|(v, a)| *v += *a * dt);
        }
        if shared.limits.decay > 0.0 {
            let fastest = shared.limits.decay * thicker;
            viscous::decay(&shared.cells, &shared.inverse_mass, x, &mut self.v, (dt, fastest));
        }
        if shared.material.incompressible {
            let mut d: Vec<Vec3> = self.v.iter().map(|v| *v * dt).collect();
            let mobility = Mobility { inverse_mass: &shared.inverse_mass, blocked: &[] };
            let more = keep_volumes(&shared.cells, x, &mut d, Aim::RestIfNear, &mobility);
            self.pressures.iter_mut().zip(&more).for_each(|(p, more)| *p += more / (dt * dt));
            self.v.iter_mut().zip(&d).for_each(|(v, d)| *v = *d / dt);
        }
        dt
    }

    /// Whether velocities can make up for what volumes lack.
    fn volumes_are_near(&self, x: &[Vec3]) -> bool {
        let cell = &self.shared.cells.grid.cell;
        let volume = |nodes| modes_of(cell, nodes, x).volume(cell);
        self.shared.cells.grid.cells.iter().all(|nodes| (volume(nodes) - 1.0).abs() < LITTLE)
    }

    /// Contact moves some nodes otherwise than they would; the others make room, so that volumes are kept at the end of
    /// the step as well. Velocities learn of it in the next step. Nodes do not give way along the push they received.
    pub(super) fn make_up_for_contact(&mut self, shift: &[f64]) {
        let shared = self.shared.clone();
        let mut blocked = vec![];
        for (slot, node) in shared.outer.iter().enumerate() {
            let at = BEFORE + 3 * slot;
            let mut pushed = Vec3::from_slice(&self.y[at..]) - self.v[*node as usize];
            if let Some(shift) = shift.get(at..at + 3).filter(|s| *s != [0.0; 3]) {
                pushed = Vec3::from_slice(shift);
            }
            if pushed != Vec3::ZERO {
                blocked.push((*node, pushed.normalize_or(Vec3::Y)));
            }
        }
        if blocked.is_empty() && self.volumes_are_near(&self.next) {
            return;
        }
        let mut d: Vec<Vec3> = self.next.iter().zip(&self.x).map(|(n, x)| *n - *x).collect();
        let mobility = Mobility { inverse_mass: &shared.inverse_mass, blocked: &blocked };
        keep_volumes(&shared.cells, &self.x, &mut d, Aim::Rest, &mobility);
        for ((next, x), d) in self.next.iter_mut().zip(&self.x).zip(&d) {
            *next = *x + *d;
        }
    }
}
