//! Displacements in large piles, from the ground up.
//!
//! A few sweeps leave a large pile with small errors everywhere, and to open a gap at the bottom every body above has
//! to rise. So displacements are put right in one pass over the bodies in the order of their height
//! (shock propagation, [GBF03]): each gives way to those below it, which stay. Velocities have no part in this.
//!
//! The first pass looks at every body. Later ones look at those that have new rows or rows whose room has changed, and
//! at what lies on bodies that moved: a pass costs as much as there is to put right.

use super::links::Links;
use super::rows::{Grip, Row, Rows, push, velocity};
use crate::bodies::TwistMass;
use crate::math::Vec3;
use smallvec::{SmallVec, smallvec};

/// Sweeps over one body's own contacts.
const SWEEPS: u32 = 30;
/// A row that is short by less than this share of its clearance is let be: otherwise rounding alone would set whole
/// piles in motion.
const SLIGHT: f64 = 0.01;

/// Bodies in the order of their height.
pub struct Layers {
    /// Place of each body in the order.
    rank: Vec<u32>,
    /// Bodies, lowest first.
    order: Vec<u32>,
    /// Bodies to be looked at in the next pass.
    pending: Vec<bool>,
    /// Length of the step `[s]`.
    h: f64,
}

impl Layers {
    /// Layers of bodies of the given heights, for displacements over a time `h`.
    pub fn new(heights: &[f64], h: f64) -> Self {
        let n = heights.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by(|a, b| heights[*a as usize].total_cmp(&heights[*b as usize]).then(a.cmp(b)));
        let mut rank = vec![0; n];
        order.iter().enumerate().for_each(|(r, b)| rank[*b as usize] = r as u32);
        Self { rank, order, pending: vec![false; n], h }
    }

    /// The next pass looks at the bodies of a row.
    pub fn look_at(&mut self, row: &Row) {
        for grip in [&row.a, &row.b].into_iter().filter(|g| !g.is_fixed()) {
            self.pending[grip.body as usize] = true;
        }
    }

    /// Puts the displacements `rows.u` right, body by body, so that every row has the room it asks for.
    pub fn displace(&mut self, rows: &mut Rows, links: &Links) {
        let mut below: Vec<Below> = vec![];
        for r in 0..self.order.len() {
            let body = self.order[r];
            if !std::mem::take(&mut self.pending[body as usize]) {
                continue;
            }
            below.clear();
            let mut short = false;
            for side in links.of(body, &rows.rows) {
                if !side.other.is_fixed() && self.rank[side.other.body as usize] > r as u32 {
                    continue;
                }
                let n = side.row.axes[0] * side.sign;
                // Relative to the other side, which stays as it is.
                let floor = n.dot(rows.displacement(side.other) + side.row.drive * side.sign) - side.row.room;
                let missing = floor - n.dot(rows.displacement(side.own));
                short |= missing > SLIGHT * side.row.clearance / self.h;
                below.push(Below { own: *side.own, n, floor, mobility: 0.0, lambda: 0.0 });
            }
            if !short {
                continue;
            }
            let part = rows.part(body as usize);
            give_way(&mut below, &mut rows.u[part], &rows.store, &rows.masses[body as usize]);
            // What lies on it has to be looked at.
            for side in links.of(body, &rows.rows).filter(|s| !s.other.is_fixed()) {
                let other = side.other.body as usize;
                self.pending[other] |= self.rank[other] > r as u32;
            }
        }
    }
}

/// A contact with something lower.
struct Below {
    own: Grip,
    n: Vec3,
    /// The least displacement along the normal.
    floor: f64,
    /// One over the body's own response; found when first needed.
    mobility: f64,
    lambda: f64,
}

/// The least change of one body's displacement that keeps it above all floors.
fn give_way(below: &mut [Below], u: &mut [f64], store: &[f64], mass: &TwistMass) {
    for _ in 0..SWEEPS {
        let mut change = 0.0f64;
        for b in below.iter_mut() {
            let short = b.floor - b.n.dot(velocity(b.own.lever, u, store));
            if short <= 0.0 && b.lambda == 0.0 {
                continue;
            }
            if b.mobility == 0.0 {
                let mut answer: SmallVec<[f64; 32]> = smallvec![0.0; u.len()];
                push(b.own.lever, &mut answer, b.n, store, mass);
                b.mobility = 1.0 / b.n.dot(velocity(b.own.lever, &answer, store));
            }
            let wanted = (b.lambda + short * b.mobility).max(0.0);
            let step = wanted - b.lambda;
            b.lambda = wanted;
            change = change.max((step / b.mobility).abs());
            push(b.own.lever, u, b.n * step, store, mass);
        }
        if change < 1e-7 {
            break;
        }
    }
}
