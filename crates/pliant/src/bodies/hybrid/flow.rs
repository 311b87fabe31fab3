//! Inelasticity: the reference component absorbs deformation ([TW88], after Eq. 16, "modeling clay").

use super::Hybrid;
use crate::math::Vec3;
use crate::math::portable::exp;

impl Hybrid {
    /// Whether the reference can change.
    pub(super) fn absorbs(&self) -> bool {
        self.shared.material.yield_strain > 0.0 || self.shared.creep_time > 0.0
    }

    /// Creep, and yield beyond the limit, over a time `h`. The shape stays where it is: what the reference gains the
    /// displacement loses.
    pub(super) fn flow(&mut self, h: f64) {
        let shared = self.shared.clone();
        if shared.creep_time > 0.0 {
            // Maxwell's fluid: the displacement is forgotten at a steady rate.
            let share = 1.0 - exp(-h / shared.creep_time);
            for (r, e) in self.reference.iter_mut().zip(&mut self.e) {
                let gone = *e * share;
                *r += gone;
                *e -= gone;
            }
        }
        let limit = shared.material.yield_strain;
        if limit <= 0.0 || shared.spline.is_empty() {
            return;
        }
        // Excess of every row over the limit; curvature counts by the strain it makes at the surface.
        let mut pull = vec![Vec3::ZERO; self.e.len()];
        let mut any = false;
        for row in shared.spline.rows().filter(|r| r.order > 0) {
            let bend = if row.order == 2 { 0.5 * shared.thickness } else { 1.0 };
            let difference = row.of(&self.e);
            let strain = difference.length() * bend;
            if strain > limit {
                any = true;
                let excess = difference * ((1.0 - limit / strain) * row.weight);
                for (n, f) in row.nodes.iter().zip(row.factors) {
                    pull[*n as usize] += excess * *f;
                }
            }
        }
        if !any {
            return;
        }
        // The reference that comes nearest to absorbing all excess, in the energy's own norm.
        let (factor, s) = shared.absorbing();
        pull.iter_mut().for_each(|p| *p *= *s);
        factor.solve(&mut pull);
        let time = shared.material.flow_time;
        let share = if time > 0.0 { 1.0 - exp(-h / time) } else { 1.0 };
        for ((r, e), d) in self.reference.iter_mut().zip(&mut self.e).zip(&pull) {
            *r += *d * share;
            *e -= *d * share;
        }
    }
}
