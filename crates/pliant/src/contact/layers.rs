//! Displacements in large piles, from the ground up.
//!
//! A few sweeps leave a large pile with small errors everywhere, and to open a gap at the bottom every body above has
//! to rise. So displacements are put right in one pass over the bodies in the order of their height
//! (shock propagation, [GBF03]): each gives way to those below it, which stay. Velocities have no part in this.

use super::rows::{Grip, Rows, push, velocity};
use crate::bodies::TwistMass;
use crate::math::Vec3;

/// Sweeps over one body's own contacts.
const SWEEPS: u32 = 30;

/// Bodies in the order of their height, and their rows.
pub struct Layers {
    /// Place of each body in the order.
    rank: Vec<u32>,
    /// Bodies that touch anything, lowest first.
    order: Vec<u32>,
    /// Where each body's rows begin in `rows`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Layers {
    /// Layers of bodies of the given heights.
    pub fn new(rows: &Rows, heights: &[f64]) -> Self {
        let n = rows.offsets.len() - 1;
        let mut starts = vec![0u32; n + 1];
        let sides =
            |r: &super::rows::Row| [r.a, r.b].into_iter().filter(|g: &Grip| !g.is_fixed()).map(|g| g.body);
        rows.rows.iter().flat_map(sides).for_each(|b| starts[b as usize + 1] += 1);
        (0..n).for_each(|b| starts[b + 1] += starts[b]);
        let mut next = starts.clone();
        let mut list = vec![0u32; starts[n] as usize];
        for (k, row) in rows.rows.iter().enumerate() {
            for b in sides(row) {
                list[next[b as usize] as usize] = k as u32;
                next[b as usize] += 1;
            }
        }
        let mut order: Vec<u32> =
            (0..n as u32).filter(|b| starts[*b as usize] < starts[*b as usize + 1]).collect();
        order.sort_by(|a, b| heights[*a as usize].total_cmp(&heights[*b as usize]).then(a.cmp(b)));
        let mut rank = vec![u32::MAX; n];
        order.iter().enumerate().for_each(|(r, b)| rank[*b as usize] = r as u32);
        Self { rank, order, starts, rows: list }
    }

    fn rows_of(&self, body: u32) -> &[u32] {
        &self.rows[self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize]
    }

    /// Puts the displacements `rows.u` right, body by body, so that every row has the room it asks for.
    pub fn displace(&self, rows: &mut Rows) {
        let mut below: Vec<Below> = vec![];
        for body in &self.order {
            below.clear();
            let mine = self.rank[*body as usize];
            for k in self.rows_of(*body) {
                let row = &rows.rows[*k as usize];
                let (own, other, sign) = if row.a.body == *body && !row.a.is_fixed() {
                    (row.a, row.b, 1.0)
                } else {
                    (row.b, row.a, -1.0)
                };
                if !other.is_fixed() && self.rank[other.body as usize] > mine {
                    continue;
                }
                let n = row.axes[0] * sign;
                // Relative to the other side, which stays as it is.
                let floor = n.dot(point(&other, &rows.u, rows) + row.drive * sign) - row.room;
                below.push(Below { own, n, floor, mobility: 0.0, lambda: 0.0 });
            }
            let part = rows.offsets[*body as usize] as usize..rows.offsets[*body as usize + 1] as usize;
            give_way(&mut below, &mut rows.u[part], &rows.store, &rows.masses[*body as usize]);
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

fn point(grip: &Grip, u: &[f64], rows: &Rows) -> Vec3 {
    if grip.is_fixed() {
        return Vec3::ZERO;
    }
    let b = grip.body as usize;
    velocity(grip.lever, &u[rows.offsets[b] as usize..rows.offsets[b + 1] as usize], &rows.store)
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
                let mut answer = vec![0.0; u.len()];
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
