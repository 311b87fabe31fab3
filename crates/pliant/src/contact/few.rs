//! Where many points of soft skins touch, few of them push. Their impulses alone are solved for, to the end.
//!
//! The problem is that of the sweeps, `v = W x + q` with the Delassus matrix `W = J A^-1 J^T` of the chosen lines. With
//! the matrix at hand a line costs a few products instead of its levers. Plain sweeps find out who pushes, sticks and
//! slides; a Newton step on the very condition at which sweeps stand still, `x = P(x - v/rho)`, then goes all the way. It
//! counts only if the next sweep changes less than the last one did, so sweeps alone decide what is a solution.

use super::line::{Line, Velocities};
use super::rows::coupling;
use crate::bodies::Lever;
use crate::math::Mat3;

/// More lines than this are left to sweeps over levers.
pub const MOST: usize = 80;
/// Sweeps at most.
const SWEEPS: u32 = 200;
/// A Newton step costs as much as this many sweeps and is tried after them; after one that failed, twice as many pass.
const BETWEEN: u32 = 8;
/// Share of a line's own response that is added to it in a Newton step: several lines may hold the same three nodes.
const SOFTER: f64 = 1e-9;
/// Numbers that are worked on at once.
const LANES: usize = 4;

/// The lines of an island that push or might.
pub struct Few<'a> {
    lines: &'a [Line],
    velocities: &'a Velocities<'a>,
    /// Their numbers.
    chosen: Vec<usize>,
    /// `W`, by rows: three a line, along its axes.
    matrix: Vec<Vec<f64>>,
    /// Impulses.
    x: Vec<f64>,
    /// Relative velocities, on the normal with the slack.
    v: Vec<f64>,
    /// The same without any impulse.
    q: Vec<f64>,
}

impl<'a> Few<'a> {
    /// None of the lines yet; nothing if their levers do not allow it.
    pub fn new(lines: &'a [Line], velocities: &'a Velocities<'a>) -> Option<Self> {
        let simple = |l: Lever| matches!(l, Lever::Fixed | Lever::Patch { .. } | Lever::Twist { .. });
        let all = lines.iter().all(|l| simple(l.a.lever) && simple(l.b.lever));
        let (x, v, q) = (vec![], vec![], vec![]);
        all.then_some(Self { lines, velocities, chosen: vec![], matrix: vec![], x, v, q })
    }

    /// How many lines are chosen.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether a line is chosen.
    pub fn holds(&self, line: usize) -> bool {
        self.chosen.contains(&line)
    }

    /// The chosen lines and their impulses.
    pub fn impulses(&self) -> impl Iterator<Item = (usize, [f64; 3])> + '_ {
        self.chosen.iter().zip(self.x.chunks_exact(3)).map(|(k, x)| (*k, [x[0], x[1], x[2]]))
    }

    /// Takes in a line with the impulse it has.
    pub fn choose(&mut self, number: usize) {
        let line = &self.lines[number];
        let axes = line.axes();
        let at = self.matrix.len();
        let room = 3 * self.lines.len().min(MOST);
        self.matrix.extend([0; 3].map(|_| Vec::with_capacity(room)));
        self.chosen.push(number);
        for (i, other) in self.chosen.iter().enumerate() {
            let other = &self.lines[*other];
            let block = self.velocities.between(line, other);
            let answers = other.axes().map(|axis| block * axis);
            for (d, own) in axes.iter().enumerate() {
                let entries = answers.map(|answer| own.dot(answer));
                self.matrix[at + d].extend(entries);
                // The line's own block stands in its rows already.
                if 3 * i < at {
                    (0..3).for_each(|j| self.matrix[3 * i + j].push(entries[j]));
                }
            }
        }
        self.x.extend(line.lambda);
        let [n, t, s] = axes.map(|axis| line.before.dot(axis));
        self.q.extend([n + line.slack, t, s]);
    }

    /// Solves; how many sweeps that took and the change of a velocity in the last.
    pub fn solve(&mut self, tolerance: f64) -> (u32, f64) {
        pulp::Arch::new().dispatch(Solve { few: self, tolerance })
    }

    #[inline(always)]
    fn sweep_all(&mut self, tolerance: f64) -> (u32, f64) {
        self.find_velocities();
        let (mut pause, mut wait) = (BETWEEN, BETWEEN);
        let mut change = self.sweep(false);
        let mut sweeps = 1;
        while change > tolerance && sweeps < SWEEPS {
            if pause > 0 {
                pause -= 1;
                change = self.sweep(sweeps % 2 == 1);
                sweeps += 1;
                continue;
            }
            let before = (self.x.clone(), self.v.clone());
            let leapt = self.leap();
            let next = if leapt { self.sweep(sweeps % 2 == 1) } else { f64::INFINITY };
            sweeps += 1;
            if next < change {
                change = next;
            } else {
                (self.x, self.v) = before;
                wait *= 2;
                pause = wait;
            }
        }
        (sweeps, change)
    }

    /// `v = W x + q`.
    #[inline(always)]
    fn find_velocities(&mut self) {
        self.v.clone_from(&self.q);
        for (row, x) in self.matrix.iter().zip(&self.x) {
            if *x != 0.0 {
                for (v, w) in self.v.iter_mut().zip(row) {
                    *v += w * x;
                }
            }
        }
    }

    /// Brings one line after the other in order; returns the largest change of a velocity.
    #[inline(always)]
    fn sweep(&mut self, back: bool) -> f64 {
        let mut most = 0.0f64;
        let count = self.chosen.len();
        for k in 0..count {
            let i = if back { count - 1 - k } else { k };
            let line = &self.lines[self.chosen[i]];
            let old = [self.x[3 * i], self.x[3 * i + 1], self.x[3 * i + 2]];
            let new = line.answer(old, [self.v[3 * i], self.v[3 * i + 1], self.v[3 * i + 2]]);
            let step = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
            if step == [0.0; 3] {
                continue;
            }
            self.x[3 * i..3 * i + 3].copy_from_slice(&new);
            let [a, b, c] = [&self.matrix[3 * i], &self.matrix[3 * i + 1], &self.matrix[3 * i + 2]];
            for (((v, a), b), c) in self.v.iter_mut().zip(a).zip(b).zip(c) {
                *v += a * step[0] + b * step[1] + c * step[2];
            }
            most = line.change(step).max(most);
        }
        most
    }

    /// One Newton step for all lines that push; false if there is none.
    #[inline(always)]
    fn leap(&mut self) -> bool {
        let pushing: Vec<usize> = (0..self.chosen.len()).filter(|i| self.x[3 * i] > 0.0).collect();
        let n = 3 * pushing.len();
        // Rows of the linear system, each with its right-hand side at the end, filled up to whole registers.
        let width = (n + 1).next_multiple_of(LANES);
        let mut system: Vec<f64> = Vec::with_capacity(n * width);
        for (k, i) in pushing.iter().enumerate() {
            let line = &self.lines[self.chosen[*i]];
            let first = system.len();
            for d in 0..3 {
                let from = &self.matrix[3 * i + d];
                for j in &pushing {
                    system.extend([from[3 * j], from[3 * j + 1], from[3 * j + 2]]);
                }
                system.push(-self.v[3 * i + d]);
                system.resize(first + (d + 1) * width, 0.0);
                system[first + d * width + 3 * k + d] += SOFTER * line.response[d.min(1)];
            }
            let (_, tangents) = system[first..].split_at_mut(width);
            let (t, s) = tangents.split_at_mut(width);
            self.let_slide(*i, line, 3 * k, [&mut t[..n + 1], &mut s[..n + 1]]);
        }
        if !eliminate(&mut system, n, width) {
            return false;
        }
        for (k, i) in pushing.iter().enumerate() {
            let x = &mut self.x[3 * i..3 * i + 3];
            (0..3).for_each(|d| x[d] += system[(3 * k + d) * width + n]);
            self.lines[self.chosen[*i]].admit(x);
        }
        self.find_velocities();
        true
    }

    /// The tangential rows of a line that slides: its friction stays on the disc and follows the direction of sliding. With
    /// `u = x - rho v` it is `mu x_n u/|u|`, of which this is the derivative.
    #[inline(always)]
    fn let_slide(&self, i: usize, line: &Line, own: usize, rows: [&mut [f64]; 2]) {
        let (x, v) = (&self.x[3 * i..3 * i + 3], &self.v[3 * i..3 * i + 3]);
        let rho = line.tangent_mobility;
        let u = [x[1] - rho * v[1], x[2] - rho * v[2]];
        let (most, size) = (line.friction * x[0], (u[0] * u[0] + u[1] * u[1]).sqrt());
        if size <= most {
            return;
        }
        let along = [u[0] / size, u[1] / size];
        let across = [-along[1], along[0]];
        let share = most / size;
        // Only what moves across the direction of sliding turns it.
        let [t, s] = rows;
        for (a, b) in t.iter_mut().zip(s.iter_mut()) {
            let turning = (*a * across[0] + *b * across[1]) * (share * rho);
            (*a, *b) = (turning * across[0], turning * across[1]);
        }
        for (d, row) in [t, s].into_iter().enumerate() {
            row[own] -= line.friction * along[d];
            row[own + 1 + d] += 1.0;
            for e in 0..2 {
                row[own + 1 + e] -= share * across[d] * across[e];
            }
            let right = row.len() - 1;
            row[right] = most * along[d] - x[1 + d];
        }
    }
}

/// Solves a linear system in place by elimination: `n` rows of `width` numbers, with right-hand sides at `n`. Diagonals are
/// large enough without a search for better pivots; false if one is not. What stands left of a diagonal is not read again,
/// so whole registers are worked on from the one that holds it.
#[inline(always)]
fn eliminate(system: &mut [f64], n: usize, width: usize) -> bool {
    for k in 0..n {
        let (above, below) = system.split_at_mut((k + 1) * width);
        let pivot = &above[k * width..];
        let inverse = 1.0 / pivot[k];
        if !inverse.is_finite() {
            return false;
        }
        let from = k - k % LANES;
        let pivot = pivot[from..].as_chunks::<LANES>().0;
        for row in below.chunks_exact_mut(width) {
            let share = row[k] * inverse;
            let row = row[from..].as_chunks_mut::<LANES>().0;
            for (a, b) in row.iter_mut().zip(pivot) {
                // All four are read before any is written: only then can they share a register.
                let mut four = *a;
                for d in 0..LANES {
                    four[d] -= share * b[d];
                }
                *a = four;
            }
        }
    }
    for k in (0..n).rev() {
        let (above, below) = system.split_at_mut(k * width);
        let x = below[n] / below[k];
        below[n] = x;
        for row in above.chunks_exact_mut(width) {
            row[n] -= row[k] * x;
        }
    }
    system.chunks_exact(width).all(|row| row[n].is_finite())
}

/// All sweeps and steps, with the widest registers that the machine has; see `job::Part`.
struct Solve<'b, 'a> {
    few: &'b mut Few<'a>,
    tolerance: f64,
}

impl pulp::WithSimd for Solve<'_, '_> {
    type Output = (u32, f64);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.few.sweep_all(self.tolerance)
    }
}

impl Velocities<'_> {
    /// How the relative velocity of one line answers an impulse at another.
    fn between(&self, line: &Line, other: &Line) -> Mat3 {
        let mut sum = Mat3::ZERO;
        for (own, sign) in [(&line.a, 1.0), (&line.b, -1.0)] {
            for (its, other_sign) in [(&other.a, 1.0), (&other.b, -1.0)] {
                if !own.is_fixed() && !its.is_fixed() && own.body == its.body {
                    let mass = &self.masses[own.body as usize];
                    let answer = coupling(own.lever, its.lever, self.store, mass);
                    sum += answer * (sign * other_sign);
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::TwistMass;
    use crate::contact::Grip;
    use crate::math::{Disjoint, Vec3};

    #[test]
    fn elimination_solves() {
        let given = [4.0, 1.0, 0.5, 1.0, 1.0, 3.0, -0.2, 2.0, 0.1, 0.2, 5.0, 3.0];
        let mut system = given;
        assert!(eliminate(&mut system, 3, 4));
        for row in given.chunks_exact(4) {
            let sum: f64 = (0..3).map(|j| row[j] * system[4 * j + 3]).sum();
            assert!((sum - row[3]).abs() < 1e-13);
        }
    }

    /// A block comes down on its four lower corners while it slides. They stop the fall together and brake it by friction
    /// times that, against the sliding; a fifth corner on top of another changes nothing.
    #[test]
    fn corners_carry_and_brake_a_block() {
        let free = Vec3::new(0.3, -1.0, 0.1);
        let masses = [TwistMass { inverse_mass: 1.0, inverse_inertia: Mat3::IDENTITY * 1.5 }];
        let mut y = [free.x, free.y, free.z, 0.0, 0.0, 0.0];
        let velocities =
            Velocities { y: Disjoint::new(&mut y), store: &[], offsets: &[0, 6], masses: &masses };
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, 1.0]];
        let lines = corners.map(|[x, z]| {
            let a = Grip { body: 0, lever: Lever::Twist { arm: Vec3::new(x, -0.5, z) } };
            let own = coupling(a.lever, a.lever, &[], &masses[0]);
            let (n, t) = (Vec3::Y, Vec3::X);
            let s = n.cross(t);
            let w = |i: Vec3, j: Vec3| i.dot(own * j);
            let largest = w(t, t) + w(s, s);
            Line {
                a,
                b: Grip::FIXED,
                n,
                t,
                drive: Vec3::ZERO,
                before: free,
                slack: 0.0,
                friction: 0.1,
                mobility: 1.0 / w(n, n),
                tangent_mobility: 1.0 / largest,
                response: [w(n, n), largest],
                across: [w(t, n), w(s, n)],
                lambda: [0.0; 3],
                row: 0,
                pause: 0,
            }
        });
        let mut few = Few::new(&lines, &velocities).expect("frames are simple");
        (0..lines.len()).for_each(|k| few.choose(k));
        let (sweeps, change) = few.solve(1e-12);
        assert!(change <= 1e-12 && sweeps < 50, "{sweeps} sweeps to {change:.1e}");
        let mut sum = Vec3::ZERO;
        for (k, [n, t, s]) in few.impulses() {
            assert!(n >= 0.0 && (t * t + s * s).sqrt() <= 0.1 * n * (1.0 + 1e-12));
            sum += lines[k].n * n + lines[k].t * t + lines[k].n.cross(lines[k].t) * s;
        }
        let sliding = Vec3::new(free.x, 0.0, free.z).normalize();
        assert!(sum.distance(Vec3::Y - 0.1 * sliding) < 1e-9, "{sum}");
    }
}
