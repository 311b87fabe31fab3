//! Controls that hold several points of bodies which answer at all of them at once.
//!
//! Where a stiff body is held by many points, each push is felt at all others nearly as much as at its own, and sweeps over
//! the points hardly get anywhere. So these are solved for together, by the factor of their own matrix.

use super::islands::Island;
use super::job::Shared;
use super::rows::{ControlRow, coupling};
use crate::bodies::Lever;
use crate::math::{Mat3, Vec3};
use smallvec::SmallVec;

/// The most points that are solved for together; further ones may depend on these.
const MOST: usize = 64;
/// What is left of a direction's response once others are held, over the largest response of all, below which it depends on
/// them: where they go, it goes.
const LEAST: f64 = 1e-9;
/// Square of what round-off leaves of a direction that is spanned by others.
const NOTHING: f64 = 1e-12;

/// Rows of controls that are solved for together.
pub struct Held {
    /// Their numbers, in order.
    rows: Vec<u32>,
    /// Rows and directions that do not depend on each other. Corners of a mesh that rides in a few cells mostly do.
    kept: Vec<(u32, Vec3)>,
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
                && (simple(row.a.lever) && simple(row.b.lever))
                && (patch(row.a.lever) || patch(row.b.lever))
        };
        let rows: Vec<u32> =
            island.controls.iter().copied().filter(|k| together(shared.control(*k))).collect();
        if rows.len() < 2 {
            return None;
        }
        let held: Vec<(usize, Vec3)> = (0..rows.len())
            .flat_map(|i| directions(&shared.control(rows[i]).along_which).into_iter().map(move |d| (i, d)))
            .collect();
        let block = |i: usize, j: usize| between(shared, shared.control(rows[i]), shared.control(rows[j]));
        let mut blocks: Vec<Vec<Mat3>> = vec![vec![]; rows.len()];
        let (order, factor) = independent(held.len(), 3 * MOST, |a, b| {
            let ((i, of), (j, to)) = (held[a], held[b]);
            let column = &mut blocks[j];
            if column.is_empty() {
                column.extend((0..rows.len()).map(|i| block(i, j)));
            }
            of.dot(column[i] * to)
        })?;
        let kept = order.into_iter().map(|k| (rows[held[k].0], held[k].1)).collect();
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
        let missing = |(k, direction): &(u32, Vec3)| {
            let row = shared.control(*k);
            direction.dot(row.target - (shared.v.at(&row.a) - shared.v.at(&row.b)))
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
        for ((k, direction), x) in self.kept.iter().zip(x) {
            let row = shared.control(*k);
            let step = *direction * x;
            row.lambda += step;
            shared.v.push(&row.a, step);
            shared.v.push(&row.b, -step);
        }
        change
    }
}

/// Unit vectors that span what a matrix projects on.
fn directions(projection: &Mat3) -> SmallVec<[Vec3; 3]> {
    let mut all: SmallVec<[Vec3; 3]> = SmallVec::new();
    for axis in Vec3::AXES {
        let along = *projection * axis;
        let new = all.iter().fold(along, |left, d| left - *d * d.dot(along));
        if new.length_squared() > NOTHING {
            all.push(new.normalize());
        }
    }
    all
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

/// Directions of a symmetric matrix that do not depend on each other, and the factor of what it is for these, row by row; none
/// if there are more than `most`. Always the one goes next of which most is left: taken as they come, neighbours that are nearly
/// alike would go first, and what divides by the little that tells them apart leaves so much round-off in those that depend on
/// them that they seem not to.
fn independent(
    count: usize,
    most: usize,
    mut entry: impl FnMut(usize, usize) -> f64,
) -> Option<(Vec<usize>, Vec<Vec<f64>>)> {
    let mut left: Vec<f64> = (0..count).map(|i| entry(i, i)).collect();
    let least = LEAST * left.iter().copied().fold(0.0, f64::max);
    let mut lower: Vec<Vec<f64>> = vec![vec![]; count];
    let mut order: Vec<usize> = vec![];
    loop {
        let next = (0..count).filter(|i| !order.contains(i)).max_by(|i, j| left[*i].total_cmp(&left[*j]));
        let Some(next) = next.filter(|i| left[*i] > least) else { break };
        if order.len() == most {
            return None;
        }
        let own = lower[next].clone();
        let pivot = left[next].sqrt();
        for i in (0..count).filter(|i| !order.contains(i)) {
            let known: f64 = lower[i].iter().zip(&own).map(|(a, b)| a * b).sum();
            let here = if i == next { pivot } else { (entry(i, next) - known) / pivot };
            lower[i].push(here);
            left[i] -= here * here;
        }
        order.push(next);
    }
    let factor = order.iter().map(|i| std::mem::take(&mut lower[*i])).collect();
    Some((order, factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::outer;

    #[test]
    fn directions_span_what_is_projected_on() {
        assert_eq!(directions(&Mat3::IDENTITY)[..], Vec3::AXES);
        let n = Vec3::new(1.0, 2.0, -2.0) / 3.0;
        let along = directions(&outer(n, n));
        assert!(along.len() == 1 && along[0].cross(n).length() < 1e-15);
        let across = directions(&(Mat3::IDENTITY - outer(n, n)));
        assert!(across.len() == 2 && across[0].dot(across[1]).abs() < 1e-15);
        assert!(across.iter().all(|d| d.dot(n).abs() < 1e-15));
    }

    #[test]
    fn a_factor_times_itself_is_the_matrix_and_dependent_rows_are_left_out() {
        // The last is the sum of the first two.
        let m = [[4.0, 2.0, 1.0, 6.0], [2.0, 5.0, -1.0, 7.0], [1.0, -1.0, 3.0, 0.0], [6.0, 7.0, 0.0, 13.0]];
        let (order, l) = independent(4, 4, |i, j| m[i][j]).unwrap();
        assert_eq!(order.len(), 3);
        for i in 0..3 {
            for j in 0..=i {
                let product: f64 = (0..=j).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - m[order[i]][order[j]]).abs() < 1e-12, "{i} {j}: {product}");
            }
        }
        let nearly = |i: usize, j: usize| m[i][j] + if i == 3 && j == 3 { 0.1 } else { 0.0 };
        assert_eq!(independent(4, 4, nearly).unwrap().0.len(), 4);
        assert!(independent(4, 3, nearly).is_none());
    }

    /// Values of cubics at many places close together: four of them tell all others, whatever round-off says.
    #[test]
    fn round_off_makes_nothing_independent() {
        let place = |i: usize| 0.3 * i as f64 / 60.0;
        let alike = |i: usize, j: usize| (0..4).map(|k| (place(i) * place(j)).powi(k)).sum::<f64>();
        assert_eq!(independent(60, 60, alike).unwrap().0.len(), 4);
    }
}
