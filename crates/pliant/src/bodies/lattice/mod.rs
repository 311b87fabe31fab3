//! Lattice bodies: hexahedral finite elements on the metric tensor ([PB88]).
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `resolution` | cells along x, y, z, or along the longest side, in which case they are turned with the shape | 8 along the longest side |
//! | `cell` | edge of a cell `[m]`, instead of `resolution` | |
//! | `law` | `neo_hookean` or `st_venant_kirchhoff` (the paper's) | `neo_hookean` |
//! | `viscous_time` | viscous stress is this times that of the rate of strain `[s]`; large ones flow | from `damping` |
//! | `stepping` | `explicit`, `implicit` or `conserving` | implicit where explicit steps would be very many |
//! | `mould_limit` | strain from its first shape beyond which a mouldable cell does not flow | 1.5 |
//!
//! State: places and velocities of the nodes, and the rest metric of each cell. A step is symplectic Euler, as many for
//! each step of the world as stability asks for; momenta are kept to round-off since all internal forces come from
//! numbers that rigid motion does not change. The world takes steps as short as the stiffest cell at rest needs. Where these
//! would be very many, steps are implicit instead, of any length (`stiff/mod.rs`). Who wants the energy of free flight to be kept, too,
//! asks for it (`conserve.rs`).

mod conserve;
mod field;
mod filling;
mod forces;
mod grid;
mod lanes;
mod law;
mod levers;
mod limit;
mod metric;
mod modes;
mod motion;
mod mould;
mod part;
mod prepare;
mod shared;
mod stiff;
mod stretch;
mod sums;
mod viscous;
mod volume;

pub use field::Field;
pub use forces::{Cells, Motion};
pub use grid::Grid;
pub use lanes::{Number, V3};
pub use law::{Elastic, Law, Moduli};
pub use modes::Modes;

use super::points::Points;
use super::{Body, BodyKind, Hold, Lever, Prototype, Start};
use crate::environment::Environment;
use crate::frame::{Measures, ObjectFrame, ObjectTopology};
use crate::math::{Mat3, Quat, Vec3, outer, rotation_of};
use crate::skin::{Skin, SkinPoint};
use crate::state::{Reader, Writer};
use law::Inverse;
use shared::Shared;
use std::sync::Arc;
use stiff::{AtRest, Stiff};

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "lattice",
    summary: "hexahedral finite elements: elastic, viscous, incompressible, mouldable",
    own_keys: |generator| generator.subschema_for::<prepare::LatticeKeys>(),
    example: prepare::example,
    prepare: prepare::prepare,
};

struct Form {
    shared: Arc<Shared>,
    /// What implicit steps need, if it takes them.
    at_rest: Option<Arc<AtRest>>,
}

impl Prototype for Form {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        match &self.at_rest {
            Some(at_rest) => Box::new(Stiff::new(&self.shared, at_rest, start)),
            None => Box::new(Lattice::new(&self.shared, start)),
        }
    }
    fn longest_step(&self) -> f64 {
        if self.at_rest.is_some() { f64::INFINITY } else { self.shared.limits.longest_step() }
    }
}

/// One lattice body.
struct Lattice {
    shared: Arc<Shared>,
    /// Places of the nodes.
    x: Vec<Vec3>,
    /// Velocities with which the step's way is made; of outer nodes, `y` has the last word.
    v: Vec<Vec3>,
    /// By how much velocities at the end of the step differ from those of its way; empty if they do not.
    lag: Vec<Vec3>,
    /// A velocity of all, the number one, a turning of all, then velocities of the outer nodes: see `Lever::Nodes`.
    y: Vec<f64>,
    /// Centre of mass, and the largest speed at the end of the last step.
    centre: Vec3,
    fastest: f64,
    /// Centre of mass at the start of the step.
    middle: Vec3,
    /// How contact and controls accelerated the outer nodes in the last step `[m/s^2]`: most likely they do so again, and what is viscous or incompressible has to know before they do.
    reaction: Vec<Vec3>,
    /// What held the volume of each cell in the last step: the node's push is the volume's gradient times this over its mass
    /// `[N/m^2]`. Empty unless volumes are held.
    pressures: Vec<f64>,
    /// How full cells are to be in this step, see `fullness`.
    full: f64,
    /// Inverse rest metric of each cell; empty until the first is moulded.
    inverse: Vec<Inverse<f64>>,
    /// Impulses gathered for this step, by slots of outer nodes.
    gathered: Vec<(u32, Vec3)>,
    /// Room for a step, once there has been one.
    scratch: Option<Box<motion::Scratch>>,
    skin: Skin,
    /// Where the step last aimed at would end.
    next: Vec<Vec3>,
    /// For which length of step `next` is right at all nodes that contact does not reach; 0 for none.
    aimed: f64,
}

/// A step goes no further than this part of a cell: what is stopped within it must not be pressed flat at once.
const PART_OF_CELL: f64 = 0.2;
/// Numbers in `y` before those of nodes.
const BEFORE: usize = Lever::NODES_BEFORE;

impl Lattice {
    fn new(shared: &Arc<Shared>, start: &Start) -> Self {
        let centre = start.position + start.rotation * shared.centre;
        let place = |p: &Vec3| start.position + start.rotation * *p;
        let x: Vec<Vec3> = shared.cells.grid.nodes.iter().map(place).collect();
        let v = x.iter().map(|p| start.velocity + start.spin.cross(*p - centre)).collect();
        let skin = Skin::new(shared.form.clone(), vec![Vec3::ZERO; shared.carriers.len()]);
        let mut body = Self {
            next: x.clone(),
            scratch: None,
            v,
            x,
            lag: vec![],
            y: vec![0.0; BEFORE + 3 * shared.outer.len()],
            middle: centre,
            centre,
            fastest: 0.0,
            aimed: 0.0,
            reaction: vec![Vec3::ZERO; shared.outer.len()],
            pressures: if shared.material.incompressible {
                vec![0.0; shared.cells.grid.cells.len()]
            } else {
                vec![]
            },
            full: 1.0,
            inverse: vec![],
            gathered: vec![],
            skin,
            shared: shared.clone(),
        };
        body.stand_still();
        body.show_velocities();
        body.note_whole();
        body
    }

    /// The skin as the nodes are.
    fn stand_still(&mut self) {
        self.next.copy_from_slice(&self.x);
        self.show_next();
        self.skin.points.copy_from_slice(&self.skin.next);
    }

    /// `y` from the velocities of the nodes.
    fn show_velocities(&mut self) {
        self.y[..BEFORE].fill(0.0);
        self.y[3] = 1.0;
        for (y, node) in self.y[BEFORE..].chunks_exact_mut(3).zip(&self.shared.outer) {
            y.copy_from_slice(&self.v[*node as usize].to_array());
        }
    }

    /// What `y` says of the motion of all, if anything: a velocity and a turning.
    fn whole(&self) -> Option<(Vec3, Vec3)> {
        let (t, w) = (Vec3::from_slice(&self.y), Vec3::from_slice(&self.y[4..]));
        (t != Vec3::ZERO || w != Vec3::ZERO).then_some((t, w))
    }

    /// Velocities of all nodes on the step's way, after contact.
    fn way(&self) -> Vec<Vec3> {
        let mut v = self.v.clone();
        for (y, node) in self.y[BEFORE..].chunks_exact(3).zip(&self.shared.outer) {
            v[*node as usize] = Vec3::from_slice(y);
        }
        if let Some((t, w)) = self.whole() {
            v.iter_mut().zip(&self.x).for_each(|(v, x)| *v += t + w.cross(*x - self.middle));
        }
        v
    }

    fn points<'a>(&'a self, v: &'a [Vec3]) -> Points<'a> {
        Points { x: &self.x, v, mass: &self.shared.mass }
    }

    /// The same at the end of the step.
    fn velocities(&self) -> Vec<Vec3> {
        let mut v = self.way();
        v.iter_mut().zip(&self.lag).for_each(|(v, lag)| *v += *lag);
        v
    }

    /// Writes `skin.next` from `next`.
    fn show_next(&mut self) {
        let shared = &self.shared;
        if let Some(slots) = shared.carriers.single() {
            for (to, slot) in self.skin.next.iter_mut().zip(slots) {
                *to = self.next[shared.outer[*slot as usize] as usize];
            }
            return;
        }
        for (k, to) in self.skin.next.iter_mut().enumerate() {
            *to = shared.at_corner(k, &self.next);
        }
    }

    /// `sum m (x - c) (X - C)^T`.
    fn spread(&self) -> Mat3 {
        let (centre, _) = self.centre();
        let shared = &self.shared;
        let each = shared.mass.iter().zip(&self.x).zip(&shared.cells.grid.nodes);
        each.map(|((m, x), r)| outer((*x - centre) * *m, *r - shared.centre)).fold(Mat3::ZERO, |s, a| s + a)
    }
}

impl Body for Lattice {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        self.aimed = 0.0;
        self.fly(environment, h);
        for (node, reaction) in self.shared.outer.iter().zip(&self.reaction) {
            self.v[*node as usize] -= *reaction * h;
        }
        self.middle = self.centre;
        self.show_velocities();
        self.aim(h, &[]);
    }

    fn longest_step(&self) -> f64 {
        let edge = self.shared.cells.grid.cell.size.iter().copied().fold(f64::INFINITY, f64::min);
        PART_OF_CELL * edge / self.speed()
    }

    fn share_pushes(&mut self, h: f64) -> bool {
        self.shared.material.incompressible && self.share_pushes(h)
    }

    fn skin(&self) -> &Skin {
        &self.skin
    }
    fn least_stretch(&self) -> Option<f64> {
        let shared = &self.shared;
        shared.is_box.then(|| stretch::least_stretch(&shared.cells.grid, &self.x)).flatten()
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }

    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        self.lever_at(p, store)
    }

    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        self.lever_of_frame(hold, store)
    }

    fn rotation(&self) -> Quat {
        rotation_of(&self.spread())
    }

    fn aim(&mut self, h: f64, shift: &[f64]) {
        if self.aimed != h {
            for ((next, x), v) in self.next.iter_mut().zip(&self.x).zip(&self.v) {
                *next = *x + *v * h;
            }
            self.aimed = h;
        }
        for (slot, node) in self.shared.outer.iter().enumerate() {
            let at = BEFORE + 3 * slot;
            let mut d = Vec3::from_slice(&self.y[at..]) * h;
            if !shift.is_empty() {
                d += Vec3::from_slice(&shift[at..]);
            }
            self.next[*node as usize] = self.x[*node as usize] + d;
        }
        let (mut t, mut w) = self.whole().map_or((Vec3::ZERO, Vec3::ZERO), |(t, w)| (t * h, w * h));
        if !shift.is_empty() {
            t += Vec3::from_slice(shift);
            w += Vec3::from_slice(&shift[4..]);
        }
        if t != Vec3::ZERO || w != Vec3::ZERO {
            self.aimed = 0.0;
            for (next, x) in self.next.iter_mut().zip(&self.x) {
                *next += t + w.cross(*x - self.middle);
            }
        }
        if self.shared.material.incompressible && h > 0.0 {
            self.aimed = 0.0;
            self.make_up_for_contact(shift);
        }
        self.show_next();
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; self.y.len()];
        shift[..3].copy_from_slice(&d.to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        for (slot, node) in self.shared.outer.iter().enumerate() {
            let (after, v) = (Vec3::from_slice(&self.y[BEFORE + 3 * slot..]), &mut self.v[*node as usize]);
            if h > 0.0 {
                self.reaction[slot] = (after - *v) / h;
            }
            *v = after;
        }
        if let Some((t, w)) = self.whole() {
            self.v.iter_mut().zip(&self.x).for_each(|(v, x)| *v += t + w.cross(*x - self.middle));
        }
        if h > 0.0 {
            self.v.iter_mut().zip(&self.lag).for_each(|(v, lag)| *v += *lag);
        }
        self.lag.clear();
        self.show_velocities();
        std::mem::swap(&mut self.x, &mut self.next);
        self.aimed = 0.0;
        self.note_whole();
        if h > 0.0 {
            self.shared.mouldable.flow(&self.shared.cells, &self.x, &mut self.inverse, h);
        }
        std::mem::swap(&mut self.skin.points, &mut self.skin.next);
        self.skin.next.copy_from_slice(&self.skin.points);
    }

    fn momentum(&self) -> Vec3 {
        self.total_momentum()
    }
    fn kinetic(&self) -> f64 {
        self.total_kinetic()
    }
    fn centre(&self) -> (Vec3, f64) {
        (self.centre, self.shared.total_mass)
    }

    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        self.shared.material_point(&self.x, world)
    }

    fn measure(&self) -> Measures {
        self.shared.measure(&self.points(&self.velocities()), self.centre, &self.inverse, &self.skin)
    }

    fn speed(&self) -> f64 {
        self.fastest
    }
    fn stop(&mut self) {
        self.v.fill(Vec3::ZERO);
        self.reaction.fill(Vec3::ZERO);
        self.pressures.fill(0.0);
        self.lag.clear();
        self.show_velocities();
        self.note_whole();
        self.aimed = 0.0;
        self.next.copy_from_slice(&self.x);
        self.skin.next.copy_from_slice(&self.skin.points);
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        for (slot, w) in self.shared.carriers_of(p) {
            self.gathered.push((slot, impulse * w));
        }
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        self.shared.topology(name)
    }
    fn frame(&self) -> ObjectFrame {
        self.shared.frame((self.centre, self.rotation()), &self.x, &self.skin)
    }

    fn save(&self, out: &mut Writer) {
        self.x.iter().chain(&self.v).chain(&self.reaction).for_each(|v| out.vec3(*v));
        self.pressures.iter().for_each(|p| out.f64(*p));
        out.u64(self.inverse.len() as u64);
        self.inverse.iter().flatten().for_each(|v| out.f64(*v));
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for v in self.x.iter_mut().chain(&mut self.v).chain(&mut self.reaction) {
            *v = from.vec3()?;
        }
        for p in &mut self.pressures {
            *p = from.f64()?;
        }
        let cells = from.u64()? as usize;
        if cells != 0 && cells != self.shared.cells.grid.cells.len() {
            return Err("the saved state is damaged".into());
        }
        self.inverse.resize(cells, law::UNMOULDED);
        for v in self.inverse.iter_mut().flatten() {
            *v = from.f64()?;
        }
        self.lag.clear();
        self.gathered.clear();
        self.show_velocities();
        self.stand_still();
        self.note_whole();
        self.aimed = 0.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_meshes;
