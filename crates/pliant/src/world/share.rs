//! Part of line 4 of the step: bodies that hold something within themselves, such as their volume, and contact.
//!
//! The solve sees pushes move points of the skin, as if the rest of the body did not care. What holds a volume does: so body and
//! contact take turns, each with what the other found. Both keep momenta.

use super::World;
use crate::contact::Rows;

/// Turns at most. The last step's reactions have been reckoned with, so what is left to agree on is how they have changed.
const TURNS: u32 = 6;

impl World {
    /// Lets bodies share what pushes did to them, and solves again, until nothing changes.
    pub(super) fn share_pushes(&mut self, rows: &mut Rows) {
        for _ in 0..TURNS {
            let mut changed: Vec<u32> = vec![];
            for (i, body) in self.bodies.iter_mut().enumerate() {
                let is_pushed = || rows.part(i).any(|k| rows.y[k] != rows.free[k]);
                if self.rest.asleep()[i] || !is_pushed() || !body.share_pushes(self.h) {
                    continue;
                }
                for (k, after) in rows.part(i).zip(body.velocity()) {
                    rows.free[k] += after - rows.y[k];
                }
                changed.push(i as u32);
            }
            if changed.is_empty() {
                return;
            }
            rows.begin_anew();
            let solved = self.solver.solve(rows, Some(&changed));
            self.note(solved);
            self.take_velocities(rows);
        }
    }
}
