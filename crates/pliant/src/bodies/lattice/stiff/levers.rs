//! Where a stiff lattice is pushed and how it answers there. Only corners of the skin that are braced for in this step have
//! answers.

use super::{IMPLICIT, Motion, NO_SLOT, Stiff};
use crate::bodies::node_frame::{Whole, moment};
use crate::bodies::{Hold, Lever, Patch};
use crate::math::{Mat3, Vec3, skew};
use crate::skin::SkinPoint;

/// What levers need of a braced corner, world axes.
pub struct Brace {
    /// `I^-1 [q]x`: the spin that a push there makes.
    spin: Mat3,
    /// What a push there loses to rigid motion: shift and turn.
    lost: [Mat3; 2],
}

impl Stiff {
    /// Corners that count for a point, with weights; those without weight are replaced by one that has some.
    fn corners_of(p: &SkinPoint) -> [(usize, f64); 3] {
        let any = (0..3).find(|k| p.weights[*k] != 0.0).unwrap_or(0);
        [0, 1, 2].map(|k| match p.weights[k] {
            0.0 => (p.corners[any] as usize, 0.0),
            w => (p.corners[k] as usize, w),
        })
    }

    /// Gets ready to be pushed at these points; whether levers given out before are out of date.
    pub(super) fn brace_for(&mut self, points: &[SkinPoint]) -> bool {
        let known = self.braced.len();
        for (corner, _) in points.iter().flat_map(Self::corners_of) {
            if self.slot_of[corner] == NO_SLOT {
                self.slot_of[corner] = self.braced.len() as u32;
                self.braced.push(corner as u32);
            }
        }
        self.y.resize(Patch::BEFORE + 3 * self.braced.len(), 0.0);
        if let Some(Motion { rigid, .. }) = &self.motion {
            let r = Mat3::from_quat(self.rotation);
            let inertia = r * rigid.inverse_inertia * r.transpose();
            for corner in &self.braced[known..] {
                let corner = *corner as usize;
                let lost = rigid.lost(&rigid.at_corner(&self.shared, corner));
                self.braces.push(Brace {
                    spin: inertia * skew(r * self.shared.at_corner(corner, &self.q)),
                    lost: lost.map(|m| r * m * r.transpose() * IMPLICIT),
                });
            }
        }
        known > 0 && self.braced.len() > known
    }

    /// How a point of the skin answers.
    pub(super) fn lever_at(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let Some(Motion { z, spin, rigid, .. }) = &self.motion else {
            // Only places braced for are pushed; what is asked for elsewhere does not answer.
            return Lever::Fixed;
        };
        let (at, count) = (store.len() as u32, self.braced.len());
        let corners = Self::corners_of(p);
        let shared = &self.shared;
        let r = Mat3::from_quat(self.rotation);
        let arm = p.at - self.centre;
        let sum = |of: &[Vec3]| corners.iter().map(|(k, w)| shared.at_corner(*k, of) * *w).sum::<Vec3>();
        let offset = arm - r * sum(&self.q);
        let inertia = r * rigid.inverse_inertia * r.transpose();
        let patch = Patch {
            slots: corners.map(|(k, _)| self.slot_of[k] as usize),
            weights: Vec3::from_array(corners.map(|(_, w)| w)),
            offset,
            free: self.velocity + r * (sum(z) + spin.cross(r.transpose() * offset)),
            turn: skew(arm) * inertia * -1.0,
            answer: &[],
        };
        patch.write_head(store);
        let from = store.len();
        store.resize(from + 9 * count, 0.0);
        let out = &mut store[from..];
        let own = corners.map(|(k, w)| (w, rigid.at_corner(shared, k)));
        let of_point = |part: usize| {
            let all = own.iter().map(|(w, y)| y[part] * *w).fold(Mat3::ZERO, |a, b| a + b);
            r * all * r.transpose()
        };
        let (shift, turn) = (of_point(0), of_point(1));
        let across = skew(arm) * -1.0;
        let whole = Mat3::from_diagonal(Vec3::splat(1.0 / shared.total_mass));
        for (slot, (corner, brace)) in self.braced.iter().zip(&self.braces).enumerate() {
            let column = rigid.factored.column(shared, *corner as usize);
            let soft = corners.iter().map(|(k, w)| column[*k] * *w).fold(Mat3::ZERO, |a, b| a + b);
            let answer = r * soft * r.transpose() * IMPLICIT + whole + across * brace.spin
                - (shift * brace.lost[0] + turn * brace.lost[1]);
            for d in 0..3 {
                let to = d * 3 * count + 3 * slot;
                out[to..to + 3].copy_from_slice(&answer.row(d).to_array());
            }
        }
        Lever::Patch { at, count: count as u32 }
    }

    /// How the body as a whole answers.
    pub(super) fn lever_of_frame(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let Some(Motion { z, rigid, .. }) = &self.motion else {
            return Lever::Fixed;
        };
        let r = Mat3::from_quat(self.rotation);
        let inertia = r * rigid.inverse_inertia * r.transpose();
        let whole = Whole {
            push: Mat3::from_diagonal(Vec3::splat(1.0 / self.shared.total_mass)),
            turn: inertia,
            velocity: self.velocity,
            spin: inertia * (r * moment(&self.shared.mass, &self.q, z)),
        };
        whole.lever(hold, self.y.len(), self.braces.iter().map(|brace| brace.spin), store)
    }
}
