//! A lattice body on its own: forces, viscosity and volume over a step, and what it makes of contact.

use super::field::Field;
use super::forces::Motion;
use super::viscous::{NEARLY_THICK, Stages, THIN, Viscous};
use super::volume::{Aim, LITTLE, Mobility, keep_volumes, pushes};
use super::{BEFORE, Lattice};
use crate::environment::Environment;
use crate::math::Vec3;

/// Room for a step; nothing in it outlasts one.
pub struct Scratch {
    pub(super) x: Field,
    pub(super) v: Field,
    pub(super) rate: Field,
    stages: Stages,
    /// How outer nodes are accelerated from outside, gravity apart `[m/s^2]`.
    pub(super) outside: Vec<Vec3>,
}

impl Scratch {
    /// For so many nodes.
    pub fn new(nodes: usize) -> Self {
        let field = || Field::new(nodes);
        Self { x: field(), v: field(), rate: field(), stages: Stages::new(nodes), outside: vec![] }
    }
}

/// By how much what a skin encloses and the volumes of cells may differ; beyond that cells are inside out.
const MOST_MISSED: f64 = 0.2;
/// So often a step is cut at most; what needs more is far from anything.
const MOST_CUTS: f64 = 200.0;

impl Lattice {
    /// How outer nodes are accelerated from outside, gravity apart: by forces of controls, by air, and by the last step's
    /// reactions, as if they came again; `free_motion` takes those back in the end.
    fn press(&mut self, environment: &Environment, h: f64, outside: &mut Vec<Vec3>) {
        let shared = &self.shared;
        outside.clear();
        outside.resize(shared.outer.len(), Vec3::ZERO);
        for (slot, impulse) in self.gathered.drain(..) {
            outside[slot as usize] += impulse / (shared.mass[shared.outer[slot as usize] as usize] * h);
        }
        if environment.air_density > 0.0 {
            // Air slows every outer node down by its share of the surface.
            let share = shared.drag_area / shared.outer.len() as f64;
            for (outside, node) in outside.iter_mut().zip(&shared.outer) {
                let (v, m) = (self.v[*node as usize], shared.mass[*node as usize]);
                let fast = v + (environment.gravity + *outside) * h;
                let slow = environment.slowed(fast, environment.wind, (shared.material.drag, share), m, h);
                *outside += (slow - fast) / h;
            }
        }
        outside.iter_mut().zip(&self.reaction).for_each(|(outside, reaction)| *outside += *reaction);
    }

    /// Over a step: in explicit steps, symplectic Euler, cut as often as stability asks for.
    pub(super) fn fly(&mut self, environment: &Environment, h: f64) {
        self.lag.clear();
        if self.shared.material.incompressible {
            self.full = self.fullness(&self.x, &self.skin.points);
        }
        let step = self.shared.limits.step;
        let mut room =
            std::mem::take(&mut self.scratch).unwrap_or_else(|| Box::new(Scratch::new(self.x.len())));
        room.x.set(&self.x);
        room.v.set(&self.v);
        self.press(environment, h, &mut room.outside);
        let gravity = environment.gravity;
        // What is touched takes explicit steps: their guess of the push that comes again is good for the end of a step only.
        if self.shared.conserves && self.reaction.iter().all(|r| *r == Vec3::ZERO) {
            self.fly_conserving(&mut room, gravity, h);
            self.scratch = Some(room);
            return;
        }
        let dt = self.kick(&mut room, gravity, h, |stiffening| {
            h / (h * stiffening.sqrt() / step - 1e-9).ceil().clamp(1.0, MOST_CUTS)
        });
        let cuts = (h / dt).round() as u32;
        for _ in 1..cuts {
            let Scratch { x, v, .. } = &mut *room;
            x.add(v, dt);
            self.kick(&mut room, gravity, dt, |_| dt);
        }
        room.v.get(&mut self.v);
        if cuts > 1 {
            let Scratch { x, v, .. } = &mut *room;
            x.add(v, dt);
            for (i, (from, v)) in self.x.iter().zip(&mut self.v).enumerate() {
                let way = (x.at(i) - *from) / h;
                self.lag.push(*v - way);
                *v = way;
            }
        }
        self.scratch = Some(room);
    }

    /// Changes velocities by what forces do in a part of the step. How long a part, at `most`, is said once it is known how stiff
    /// the cells have become. All that acts is added up before viscosity has its say: where forces balance nothing moves, and
    /// stresses are those of the elastic law.
    fn kick(&mut self, room: &mut Scratch, gravity: Vec3, most: f64, time: impl Fn(f64) -> f64) -> f64 {
        let shared = self.shared.clone();
        let (cells, inverse_mass) = (&shared.cells, &shared.inverse_mass);
        let Scratch { x, v, rate, stages, outside } = room;
        let motion = Motion { x, v, inverse: &self.inverse };
        // Whether it is thick has to be known before it is known how much cells have been stretched; so what is nearly
        // so counts, and what becomes so all of a sudden is begun again.
        let decay = shared.limits.decay;
        let (viscous, mut thick) = (decay > 0.0, most * decay > NEARLY_THICK);
        let [stiffer, thicker] =
            if viscous && !thick { cells.forces(motion, rate) } else { cells.elastic_forces(motion, rate) };
        let dt = time(stiffer);
        let fastest = decay * thicker;
        if viscous && !thick && dt * fastest > THIN {
            cells.elastic_forces(motion, rate);
            thick = true;
        }
        rate.scale_and_add(inverse_mass, gravity);
        shared.outer.iter().zip(outside.iter()).for_each(|(node, a)| rate.add_at(*node as usize, *a));
        // What holds the volumes acts again too. Were it to come after the viscosity only, that would eat away what the
        // pressures are about to balance, and a squeezed body would give way.
        let places = || {
            let mut places = vec![Vec3::ZERO; x.len()];
            x.get(&mut places);
            places
        };
        if !self.pressures.is_empty() {
            let push = pushes(cells, &places(), &self.pressures, inverse_mass);
            push.iter().enumerate().for_each(|(i, a)| rate.add_at(i, *a));
        }
        let body = Viscous { cells, inverse_mass };
        if viscous && !thick {
            stages.thin(&body, (x, v), rate, (dt, fastest));
        } else {
            v.add(rate, dt);
            if thick {
                stages.thick(&body, (x, v), (dt, fastest));
            }
        }
        if shared.material.incompressible {
            let mut d: Vec<Vec3> = (0..v.len()).map(|i| v.at(i) * dt).collect();
            let mobility = Mobility { inverse_mass, blocked: &[] };
            let more = keep_volumes(cells, (&places(), self.full), &mut d, Aim::RestIfNear, &mobility);
            self.pressures.iter_mut().zip(&more).for_each(|(p, more)| *p += more / (dt * dt));
            d.iter_mut().for_each(|d| *d /= dt);
            v.set(&d);
        }
        dt
    }

    /// How full cells have to be for the skin to enclose what it did at rest. Faces of cells are bilinear and those of the skin are
    /// flat, and what is filled of a cell is known by its moments only: where cells are warped by much, a body whose cells all
    /// kept their volume would be seen to lose or gain a tenth.
    fn fullness(&self, x: &[Vec3], skin: &[Vec3]) -> f64 {
        let (shared, cells) = (&self.shared, &self.shared.cells);
        let corner = |k: u32| skin[k as usize] - self.centre;
        let over = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
        let enclosed = shared.mesh.triangles.iter().map(over).sum::<f64>() / (6.0 * shared.rest_volume);
        let of_cell = |c: usize| cells.stiff[c] * cells.modes(c, x).volume() * cells.grid.cell.per_volume();
        let filled = (0..cells.stiff.len()).map(of_cell).sum::<f64>() / cells.stiff.iter().sum::<f64>();
        1.0 + (filled - enclosed).clamp(-MOST_MISSED, MOST_MISSED)
    }

    /// Whether velocities can make up for what volumes lack.
    fn volumes_are_near(&self, x: &[Vec3]) -> bool {
        let cells = &self.shared.cells;
        let per_volume = cells.grid.cell.per_volume();
        (0..cells.grid.cells.len())
            .all(|c| (cells.modes(c, x).volume() * per_volume - self.full).abs() < LITTLE)
    }

    /// Pushes have changed velocities of outer nodes alone; those of all change until volumes are kept again. Pressures are as
    /// much of the body's own as elastic forces are, so this is part of how it moves freely, and keeps its momenta. Whether
    /// anything had to change.
    pub(super) fn share_pushes(&mut self, h: f64) -> bool {
        if h <= 0.0 {
            return false;
        }
        let shared = self.shared.clone();
        let before: Vec<Vec3> = self.way().iter().map(|v| *v * h).collect();
        let mut d = before.clone();
        let mobility = Mobility { inverse_mass: &shared.inverse_mass, blocked: &[] };
        let more = keep_volumes(&shared.cells, (&self.x, self.full), &mut d, Aim::RestIfNear, &mobility);
        if more.is_empty() {
            return false;
        }
        self.pressures.iter_mut().zip(&more).for_each(|(p, more)| *p += more / (h * h));
        for ((v, d), before) in self.v.iter_mut().zip(&d).zip(&before) {
            *v += (*d - *before) / h;
        }
        for (y, node) in self.y[BEFORE..].chunks_exact_mut(3).zip(&shared.outer) {
            let change = (d[*node as usize] - before[*node as usize]) / h;
            y.iter_mut().zip(change.to_array()).for_each(|(y, change)| *y += change);
        }
        self.aimed = 0.0;
        true
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
        self.show_next();
        let full = self.fullness(&self.next, &self.skin.next);
        let mut d: Vec<Vec3> = self.next.iter().zip(&self.x).map(|(n, x)| *n - *x).collect();
        let mobility = Mobility { inverse_mass: &shared.inverse_mass, blocked: &blocked };
        keep_volumes(&shared.cells, (&self.x, full), &mut d, Aim::Rest, &mobility);
        for ((next, x), d) in self.next.iter_mut().zip(&self.x).zip(&d) {
            *next = *x + *d;
        }
    }
}
