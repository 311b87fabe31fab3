//! Where a hybrid body is pushed and how it answers there.
//!
//! Only the nodes braced for in this step have answers, so a lever costs as much as there are such nodes, not as the body
//! has.

use super::{Hold, Hybrid, IMPLICIT, Lever, Motion, NO_SLOT, Patch};
use crate::bodies::node_frame::{Whole, moment};
use crate::math::{Mat3, Vec3, skew};
use crate::skin::SkinPoint;

/// What levers need of all braced nodes, world axes: matrices by rows, three numbers a node, node after node, so that a
/// lever is made by a few long loops.
#[derive(Default)]
pub struct Braces {
    /// `I^-1 [q]x`: the spin that a push there makes.
    spin: [Vec<f64>; 3],
    /// What a push there loses to rigid motion: translation and rotation.
    lost: [[Vec<f64>; 3]; 2],
}

impl Braces {
    fn add(&mut self, spin: Mat3, lost: [Mat3; 2]) {
        for d in 0..3 {
            self.spin[d].extend(spin.row(d).to_array());
            self.lost[0][d].extend(lost[0].row(d).to_array());
            self.lost[1][d].extend(lost[1].row(d).to_array());
        }
    }

    /// None are braced.
    pub fn clear(&mut self) {
        self.spin.iter_mut().chain(self.lost.iter_mut().flatten()).for_each(Vec::clear);
    }
}

/// The rigid part of a lever's answers, and what it takes off the elastic part.
struct Answers<'a> {
    braces: &'a Braces,
    /// From the centre of mass to the point.
    arm: Vec3,
    /// What the point itself loses to rigid motion: translation and rotation.
    still: f64,
    eta: Vec3,
    /// Where three rows are added.
    out: &'a mut Vec<f64>,
}

impl pulp::WithSimd for Answers<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let width = self.braces.spin[0].len();
        for x in 0..3 {
            // The component x of `s x arm` is `s_y arm_z - s_z arm_y`, and so on around.
            let (y, z) = ((x + 1) % 3, (x + 2) % 3);
            let (spin, turn) = (&self.braces.spin, &self.braces.lost[1]);
            let (spin_y, spin_z) = (&spin[y][..width], &spin[z][..width]);
            let (turn_y, turn_z) = (&turn[y][..width], &turn[z][..width]);
            let shift = &self.braces.lost[0][x][..width];
            let (arm_y, arm_z, eta_y, eta_z) = (self.arm[y], self.arm[z], self.eta[y], self.eta[z]);
            self.out.extend((0..width).map(|k| {
                let spun = spin_y[k] * arm_z - spin_z[k] * arm_y;
                let turned = turn_y[k] * eta_z - turn_z[k] * eta_y;
                spun - turned - shift[k] * self.still
            }));
        }
    }
}

impl Hybrid {
    /// Gets ready to be pushed at these points; whether levers given out before are out of date.
    pub(super) fn brace_for(&mut self, points: &[SkinPoint]) -> bool {
        if points.is_empty() {
            return false;
        }
        self.prepare_contact();
        let known = self.braced.len();
        for p in points {
            for node in self.place_of(p).0 {
                if self.slot_of[node] == NO_SLOT {
                    self.slot_of[node] = self.braced.len() as u32;
                    self.braced.push(node as u32);
                }
            }
        }
        self.y.resize(Patch::BEFORE + 3 * self.braced.len(), 0.0);
        if let Motion::Contact { modes, .. } = &self.motion {
            let still = &self.shared.contact(self.h).still;
            let r = Mat3::from_quat(self.rotation);
            let inertia = r * self.inverse_inertia(modes) * r.transpose();
            for node in &self.braced[known..] {
                let a = *node as usize;
                let lost = modes.lost(still, a).map(|m| r * m * r.transpose() * IMPLICIT);
                self.braces.add(inertia * skew(r * modes.q[a]), lost);
            }
        }
        known > 0 && self.braced.len() > known
    }

    /// How a point of the skin answers.
    pub(super) fn lever_at(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let at = store.len() as u32;
        let count = self.braced.len() as u32;
        let Motion::Contact { z, modes, spin, .. } = &self.motion else {
            // Only places braced for are pushed; what is asked for elsewhere does not answer.
            return Lever::Fixed;
        };
        let contact = self.shared.contact(self.h);
        let (nodes, weights) = self.place_of(p);
        let r = Mat3::from_quat(self.rotation);
        let arm = p.at - self.centre;
        let sum = |of: &dyn Fn(usize) -> Vec3| (0..3).map(|k| of(nodes[k]) * weights[k]).sum::<Vec3>();
        let place = sum(&|n| modes.q[n]);
        let offset = arm - r * place;
        let free = self.velocity + r * (sum(&|n| z[n]) + spin.cross(r.transpose() * offset));
        let inertia = r * self.inverse_inertia(modes) * r.transpose();
        let patch = Patch {
            slots: nodes.map(|n| self.slot_of[n] as usize),
            weights,
            offset,
            free,
            turn: skew(arm) * inertia * -1.0,
            answer: &[],
        };
        patch.write_head(store);
        let from = store.len();
        let width = 3 * count as usize;
        let still: f64 = (0..3).map(|k| contact.still[nodes[k]] * weights[k]).sum();
        let eta = r * sum(&|n| modes.eta(n));
        let whole = 1.0 / self.shared.total_mass;
        let columns = nodes.map(|n| contact.factor.column(n));
        pulp::Arch::new().dispatch(Answers { braces: &self.braces, arm, still, eta, out: store });
        let out = &mut store[from..];
        for (slot, a) in self.braced.iter().enumerate() {
            let g: f64 = (0..3).map(|k| columns[k][*a as usize] * weights[k]).sum();
            for d in 0..3 {
                out[d * width + 3 * slot + d] += IMPLICIT * g + whole;
            }
        }
        if self.shared.planar {
            out[2 * width..].fill(0.0);
            out[..2 * width].iter_mut().skip(2).step_by(3).for_each(|across| *across = 0.0);
        }
        Lever::Patch { at, count }
    }

    /// How the body as a whole answers.
    pub(super) fn lever_of_frame(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let Motion::Contact { z, modes, .. } = &self.motion else {
            return Lever::Fixed;
        };
        let turn = Mat3::from_quat(self.rotation);
        let inertia = turn * self.inverse_inertia(modes) * turn.transpose();
        let whole = Whole {
            push: Mat3::from_diagonal(self.masked(Vec3::ONE)) * (1.0 / self.shared.total_mass),
            turn: inertia,
            velocity: self.velocity,
            spin: inertia * (turn * moment(&self.shared.mass, &modes.q, z)),
        };
        let spins = self.braced.iter().map(|node| inertia * skew(turn * modes.q[*node as usize]));
        whole.lever(hold, self.y.len(), spins, store)
    }
}
