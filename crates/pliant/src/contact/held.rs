//! Controls that hold several points of bodies which answer at all of them at once.
//!
//! Where a stiff body is held by many points, each push is felt at all others nearly as much as at its own, and sweeps over
//! the points hardly get anywhere. So these are solved for together, by the factor of their own matrix.

use super::islands::Island;
use super::job::Shared;
use super::rows::{ControlRow, coupling};
use crate::bodies::Lever;
use crate::math::{Mat3, Vec3};

/// The most points that are solved for together.
const MOST: usize = 64;
/// What is left of a direction's response once those before it are held, over all of it, below which points do not move
/// independently of each other.
const LEAST: f64 = 1e-11;

/// Rows of controls that are solved for together.
pub struct Held {
    /// Their numbers, in order.
    rows: Vec<u32>,
    /// The lower triangle of the factor, row by row.
    factor: Vec<Vec<f64>>,
}

impl Held {
    /// Those of an island that hold fast; none if there are few, too many, or some that depend on others.
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
        if !(2..=MOST).contains(&rows.len()) {
            return None;
        }
        let mut matrix: Vec<Vec<f64>> = vec![];
        for (i, k) in rows.iter().enumerate() {
            let mut own = [vec![], vec![], vec![]];
            for other in &rows[..=i] {
                let block = between(shared, shared.control(*k), shared.control(*other));
                own.iter_mut().enumerate().for_each(|(d, row)| row.extend(block.row(d).to_array()));
            }
            matrix.extend(own);
        }
        Some(Self { rows, factor: factored(matrix)? })
    }

    /// Whether a row is one of them.
    pub fn has(&self, row: u32) -> bool {
        self.rows.binary_search(&row).is_ok()
    }

    /// Gives all points the velocities that are wanted of them; the largest change of one.
    pub fn hold(&self, shared: &Shared) -> f64 {
        let mut x = vec![];
        let mut change = 0.0f64;
        for k in &self.rows {
            let row = shared.control(*k);
            let missing = row.target - (shared.v.at(&row.a) - shared.v.at(&row.b));
            change = change.max(missing.length());
            x.extend(missing.to_array());
        }
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
        for (k, step) in self.rows.iter().zip(x.chunks_exact(3).map(Vec3::from_slice)) {
            let row = shared.control(*k);
            row.last = row.lambda;
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

/// The Cholesky factor of a lower triangle; none if a row depends on those before it.
fn factored(mut m: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for i in 0..m.len() {
        let (done, rest) = m.split_at_mut(i);
        let row = &mut rest[0];
        let all = row[i];
        for j in 0..=i {
            let before = if j < i { &done[j] } else { &*row };
            let known: f64 = row[..j].iter().zip(&before[..j]).map(|(a, b)| a * b).sum();
            let left = row[j] - known;
            row[j] = match j < i {
                true => left / done[j][j],
                false if left > LEAST * all => left.sqrt(),
                false => return None,
            };
        }
    }
    Some(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_times_itself_is_the_matrix_and_dependent_rows_have_none() {
        let m = vec![vec![4.0], vec![2.0, 5.0], vec![1.0, -1.0, 3.0]];
        let l = factored(m.clone()).unwrap();
        for i in 0..3 {
            for j in 0..=i {
                let product: f64 = (0..=j).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - m[i][j]).abs() < 1e-12, "{i} {j}: {product}");
            }
        }
        assert!(factored(vec![vec![1.0], vec![2.0, 4.0]]).is_none());
    }
}
