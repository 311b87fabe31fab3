//! Where a hybrid body is pushed and how it answers there.
//!
//! Only the nodes braced for in this step have answers, so a lever costs as much as there are such nodes, not as the body
//! has.

use super::frame::moment;
use super::{Hold, Hybrid, IMPLICIT, Lever, Motion, NO_SLOT, Patch};
use crate::contact::wide;
use crate::math::{Mat3, Vec3, skew};
use crate::skin::SkinPoint;

/// A braced node, as levers see it.
pub struct Brace {
    /// `I^-1 [q]x`: the spin that a push there makes.
    spin: Mat3,
    /// What a push there loses to rigid motion: translation and rotation.
    lost: [Mat3; 2],
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
        if let Motion::Contact { modes, .. } = &self.motion {
            let still = &self.shared.contact(self.h).still;
            let r = Mat3::from_quat(self.rotation);
            let inertia = r * self.inverse_inertia(modes) * r.transpose();
            for node in &self.braced[known..] {
                let a = *node as usize;
                let lost = modes.lost(still, a).map(|m| r * m * r.transpose() * IMPLICIT);
                self.braces.push(Brace { spin: inertia * skew(r * modes.q[a]), lost });
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
        store.resize(from + 3 * width, 0.0);
        let still: f64 = (0..3).map(|k| contact.still[nodes[k]] * weights[k]).sum();
        let eta = r * sum(&|n| modes.eta(n));
        let whole = 1.0 / self.shared.total_mass;
        let columns = nodes.map(|n| contact.factor.column(n));
        for (slot, (a, brace)) in self.braced.iter().zip(&self.braces).enumerate() {
            let a = *a as usize;
            let g: f64 = (0..3).map(|k| columns[k][a] * weights[k]).sum();
            // Elastic answer, less what rigid motion must not lose, and the rigid answer itself.
            let mut block = Mat3::ZERO;
            for d in 0..3 {
                let spun = brace.spin.col(d).cross(arm) - brace.lost[1].col(d).cross(eta);
                let column = block.col_mut(d);
                *column = spun - brace.lost[0].col(d) * still;
                column[d] += IMPLICIT * g + whole;
            }
            if self.shared.planar {
                block.z_axis = Vec3::ZERO;
                block.x_axis.z = 0.0;
                block.y_axis.z = 0.0;
            }
            for d in 0..3 {
                for c in 0..3 {
                    store[from + d * width + 3 * slot + c] = block.col(c)[d];
                }
            }
        }
        Lever::Patch { at, count }
    }

    /// How the body as a whole answers.
    pub(super) fn lever_of_frame(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let Motion::Contact { z, modes, .. } = &self.motion else {
            return Lever::Fixed;
        };
        let mut rows = [0, 1, 2].map(|_| vec![0.0; self.y.len()]);
        let mut answers = rows.clone();
        let block = |rows: &mut [Vec<f64>; 3], at: usize, m: Mat3| {
            for d in 0..3 {
                for c in 0..3 {
                    rows[d][at + c] = m.col(c)[d];
                }
            }
        };
        let plane = Mat3::from_diagonal(self.masked(Vec3::ONE));
        let whole = plane * (1.0 / self.shared.total_mass);
        let turn = Mat3::from_quat(self.rotation);
        let inertia = turn * self.inverse_inertia(modes) * turn.transpose();
        let free = if hold == Hold::Centre {
            block(&mut rows, 0, Mat3::IDENTITY);
            block(&mut answers, 0, whole);
            self.velocity
        } else {
            block(&mut rows, 4, inertia);
            block(&mut answers, 4, Mat3::IDENTITY);
            inertia * (turn * moment(&self.shared.mass, &modes.q, z))
        };
        for (slot, node) in self.braced.iter().enumerate() {
            let m = if hold == Hold::Centre { whole } else { inertia * skew(turn * modes.q[*node as usize]) };
            block(&mut rows, Patch::BEFORE + 3 * slot, m);
        }
        (0..3).for_each(|d| rows[d][3] = free[d]);
        wide(store, &rows, &answers)
    }
}
