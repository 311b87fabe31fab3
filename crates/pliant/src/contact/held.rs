//! Controls that hold several points of bodies which answer at all of them at once.
//!
//! Where a stiff body is held by many points, each push is felt at all others nearly as much as at its own, and sweeps over
//! the points hardly get anywhere. So these are solved for together, by the factor of their own matrix.

use super::islands::Island;
use super::job::Shared;
use super::rows::{ControlRow, coupling};
use crate::bodies::Lever;
use crate::math::{Mat3, Vec3};

/// The most points that are solved for together; further ones may depend on these.
const MOST: usize = 64;
/// What is left of a direction's response once those before it are held, over all of it, below which it depends on them: where
/// they go, it goes.
const LEAST: f64 = 1e-9;

/// Rows of controls that are solved for together.
pub struct Held {
    /// Their numbers, in order.
    rows: Vec<u32>,
    /// Rows and axes that do not depend on those before them. Corners of a mesh that rides in a few cells mostly do.
    kept: Vec<(u32, usize)>,
    /// The lower triangle of the factor of these, row by row.
    factor: Vec<Vec<f64>>,
}

impl Held {
    /// Those of an island that hold fast; none if there are few, or too many that move independently.
    pub fn new(shared: &Shared, island: &Island) -> Option<Self> {
        let patch = |l: Lever| matches!(l, Lever::Patch { .. });
        let simple = |l: Lever| patch(l) || matches!(l, Lever::Fixed);
        let together = |row: &ControlRow| {
            row.give == 0.0
                && row.limit.is_infinite()
                && row.along_which == Mat3::IDENTITY
                && (simple(row.a.lever) && simple(row.b.lever))
                && (patch(row.a.lever) || patch(row.b.lever))
        };
        let rows: Vec<u32> =
            island.controls.iter().copied().filter(|k| together(shared.control(*k))).collect();
        if rows.len() < 2 {
            return None;
        }
        let mut kept: Vec<(u32, usize)> = vec![];
        let mut factor = vec![];
        for k in &rows {
            let mut blocks: Vec<(u32, Mat3)> = vec![];
            for (other, _) in kept.iter().copied().chain([(*k, 0)]) {
                if blocks.last().is_none_or(|(last, _)| *last != other) {
                    blocks.push((other, between(shared, shared.control(*k), shared.control(other))));
                }
            }
            for axis in 0..3 {
                let mut blocks = blocks.iter();
                let mut block = blocks.next()?;
                let mut row = vec![];
                for (other, its) in kept.iter().copied().chain([(*k, axis)]) {
                    while block.0 != other {
                        block = blocks.next()?;
                    }
                    row.push(block.1.row(axis)[its]);
                }
                if let Some(row) = eliminated(&factor, row) {
                    factor.push(row);
                    kept.push((*k, axis));
                }
            }
            if kept.len() > 3 * MOST {
                return None;
            }
        }
        Some(Self { rows, kept, factor })
    }

    /// Whether a row is one of them.
    pub fn has(&self, row: u32) -> bool {
        self.rows.binary_search(&row).is_ok()
    }

    /// Gives all points the velocities that are wanted of them; the largest change of one.
    pub fn hold(&self, shared: &Shared) -> f64 {
        for k in &self.rows {
            let row = shared.control(*k);
            row.last = row.lambda;
        }
        let missing = |(k, axis): &(u32, usize)| {
            let row = shared.control(*k);
            (row.target - (shared.v.at(&row.a) - shared.v.at(&row.b)))[*axis]
        };
        let mut x: Vec<f64> = self.kept.iter().map(missing).collect();
        let change = x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for i in 0..x.len() {
            let row = &self.factor[i];
            let known: f64 = row[..i].iter().zip(&x).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
        for i in (0..x.len()).rev() {
            x[i] /= self.factor[i][i];
            let own = x[i];
            self.factor[i][..i].iter().zip(&mut x).for_each(|(l, x)| *x -= l * own);
        }
        for ((k, axis), x) in self.kept.iter().zip(x) {
            let row = shared.control(*k);
            let step = Vec3::AXES[*axis] * x;
            row.lambda += step;
            shared.v.push(&row.a, step);
            shared.v.push(&row.b, -step);
        }
        change
    }
}

/// How the relative velocity at one row answers an impulse at another.
fn between(shared: &Shared, of: &ControlRow, to: &ControlRow) -> Mat3 {
    let mut sum = Mat3::ZERO;
    for (own, sign) in [(&of.a, 1.0), (&of.b, -1.0)] {
        for (other, its) in [(&to.a, 1.0), (&to.b, -1.0)] {
            if own.body == other.body && !own.is_fixed() && !other.is_fixed() {
                let mass = &shared.v.masses[own.body as usize];
                sum += coupling(own.lever, other.lever, shared.v.store, mass) * (sign * its);
            }
        }
    }
    sum
}

/// The next row of a Cholesky factor, from the next row of the matrix; none if it depends on those before it.
fn eliminated(factor: &[Vec<f64>], mut row: Vec<f64>) -> Option<Vec<f64>> {
    let end = row.len() - 1;
    for j in 0..end {
        let known: f64 = row[..j].iter().zip(&factor[j]).map(|(a, b)| a * b).sum();
        row[j] = (row[j] - known) / factor[j][j];
    }
    let known: f64 = row[..end].iter().map(|a| a * a).sum();
    let left = row[end] - known;
    (left > LEAST * row[end]).then(|| {
        row[end] = left.sqrt();
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_times_itself_is_the_matrix_and_dependent_rows_are_left_out() {
        let m = [vec![4.0], vec![2.0, 5.0], vec![1.0, -1.0, 3.0]];
        let mut l: Vec<Vec<f64>> = vec![];
        for row in &m {
            l.push(eliminated(&l, row.clone()).unwrap());
        }
        for i in 0..3 {
            for j in 0..=i {
                let product: f64 = (0..=j).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - m[i][j]).abs() < 1e-12, "{i} {j}: {product}");
            }
        }
        // The sum of the first two once more.
        assert!(eliminated(&l, vec![6.0, 7.0, 0.0, 13.0]).is_none());
        assert!(eliminated(&l, vec![6.0, 7.0, 0.0, 13.1]).is_some());
    }
}
