//! Rows of the one problem: contacts and controls, each as seen by the solver.

use super::line::Velocities;
use crate::bodies::{Hold, Lever, Patch, TwistMass};
use crate::math::{Disjoint, Mat3, Vec3, dot, skew};
use smallvec::SmallVec;

/// Velocities of all bodies and the numbers behind their levers.
pub struct Rows {
    /// Contacts.
    pub rows: Vec<Row>,
    /// Animator's constraints.
    pub controls: Vec<ControlRow>,
    /// Numbers of levers that have their own.
    pub store: Vec<f64>,
    /// Where each body's velocity begins in `y`; one more at the end.
    pub offsets: Vec<u32>,
    /// Generalised velocities of all bodies.
    pub y: Vec<f64>,
    /// The same before any impulse of this step.
    pub free: Vec<f64>,
    /// Displacements of this step over its length: `y`, but for what opens gaps that are too small.
    pub u: Vec<f64>,
    /// Inverse masses of frames.
    pub masses: Vec<TwistMass>,
}

/// One side of a row.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    /// The body; meaningless when the lever is fixed.
    pub body: u32,
    /// How its point answers.
    pub lever: Lever,
}

impl Grip {
    /// Holds on to the world.
    pub const FIXED: Self = Self { body: u32::MAX, lever: Lever::Fixed };

    /// Whether nothing moves on this side.
    pub fn is_fixed(&self) -> bool {
        matches!(self.lever, Lever::Fixed)
    }
}

/// One touching place.
#[derive(Clone, Debug)]
pub struct Row {
    /// Objects.
    pub pair: (u32, u32),
    /// Feature, for the next step's start.
    pub id: u64,
    /// The pushed side.
    pub a: Grip,
    /// The other side.
    pub b: Grip,
    /// Normal and two tangents.
    pub axes: [Vec3; 3],
    /// Velocity of the other side if it is an obstacle.
    pub drive: Vec3,
    /// Approach speed allowed because of the gap `[m/s]`.
    pub slack: f64,
    /// Coulomb friction.
    pub friction: f64,
    /// Impulse along the axes `[N s]`.
    pub lambda: [f64; 3],
    /// How far the sides may approach in this step, over its length `[m/s]`.
    pub room: f64,
    /// Response of the relative velocity along axes 1 and 2 to a normal impulse.
    pub across: [f64; 2],
    /// One over the normal response.
    pub mobility: f64,
    /// One over the largest tangential response.
    pub tangent_mobility: f64,
    /// Relative velocity before any impulse of this step.
    pub before: Vec3,
    /// Gap before the step `[m]`.
    pub gap: f64,
    /// Place and gap target, for reading forces and for position correction.
    pub at: Vec3,
    /// Gap to be kept `[m]`.
    pub clearance: f64,
    /// Index of the touching place: pair in `near`, place in `touches`.
    pub place: (u32, u32),
}

/// A point that must move with a given velocity (relative to another, or to the world).
#[derive(Clone, Debug)]
pub struct ControlRow {
    /// Which control.
    pub control: u32,
    /// The controlled point.
    pub a: Grip,
    /// What it is tied to.
    pub b: Grip,
    /// What is gripped.
    pub holds: [Hold; 2],
    /// Wanted relative velocity.
    pub target: Vec3,
    /// Projects on the directions in which it acts.
    pub along_which: Mat3,
    /// How much the wanted velocity gives way to an impulse: none, but for springs `[1/kg]`.
    pub give: f64,
    /// Response of the relative velocity, inverted.
    pub mobility: Mat3,
    /// One over the largest response.
    pub least_mobility: f64,
    /// Impulse `[N s]`.
    pub lambda: Vec3,
    /// Impulse before the present sweep, and the direction of acceleration.
    pub last: Vec3,
    /// See `last`.
    pub along: Vec3,
    /// Largest impulse.
    pub limit: f64,
}

impl Row {
    /// Impulse on the first side in world axes.
    pub fn impulse(&self) -> Vec3 {
        self.axes[0] * self.lambda[0] + self.axes[1] * self.lambda[1] + self.axes[2] * self.lambda[2]
    }
}

impl Rows {
    /// Empty problem for bodies with given velocities.
    pub fn new<'a>(velocities: impl Iterator<Item = &'a [f64]>, masses: Vec<TwistMass>) -> Self {
        let mut offsets = vec![0];
        let mut y = vec![];
        for v in velocities {
            y.extend_from_slice(v);
            offsets.push(y.len() as u32);
        }
        Self {
            rows: vec![],
            controls: vec![],
            store: vec![],
            offsets,
            free: y.clone(),
            u: y.clone(),
            y,
            masses,
        }
    }

    /// Gives back the room of velocities, which nobody reads once bodies have been moved by them.
    pub fn forget_velocities(&mut self) {
        (self.y, self.free, self.u) = (vec![], vec![], vec![]);
    }

    /// The velocities, to be changed by lines.
    pub fn velocities(&mut self) -> Velocities<'_> {
        Velocities {
            y: Disjoint::new(&mut self.y),
            store: &self.store,
            offsets: &self.offsets,
            masses: &self.masses,
        }
    }

    /// A body's velocity.
    pub fn velocity(&self, body: usize) -> &[f64] {
        &self.y[self.offsets[body] as usize..self.offsets[body + 1] as usize]
    }

    /// Where a body's numbers stand in `y`, `free` and `u`.
    pub fn part(&self, body: usize) -> std::ops::Range<usize> {
        self.offsets[body] as usize..self.offsets[body + 1] as usize
    }

    /// Gives a body so many numbers in `y`, `free` and `u`: those that it did not have yet are zero.
    pub fn make_room(&mut self, body: usize, numbers: usize) {
        let part = self.part(body);
        let more = numbers.saturating_sub(part.len());
        if more == 0 {
            return;
        }
        for list in [&mut self.y, &mut self.free, &mut self.u] {
            list.splice(part.end..part.end, std::iter::repeat_n(0.0, more));
        }
        self.offsets[body + 1..].iter_mut().for_each(|offset| *offset += more as u32);
    }

    /// Velocities become those before any impulse, which have changed: contacts learn what they are now.
    pub fn begin_anew(&mut self) {
        self.y.copy_from_slice(&self.free);
        let before = |r: &Row| {
            self.point_velocity(&r.a, &self.store) - self.point_velocity(&r.b, &self.store) - r.drive
        };
        let before: Vec<Vec3> = self.rows.iter().map(before).collect();
        self.rows.iter_mut().zip(before).for_each(|(r, before)| r.before = before);
    }

    /// By how much a body's displacement over a time `h` differs from what its velocity says.
    pub fn shift(&self, body: usize, h: f64) -> SmallVec<[f64; 32]> {
        self.part(body).map(|k| h * (self.u[k] - self.y[k])).collect()
    }

    /// Velocity of a gripped point before any impulse of this step.
    pub fn free_velocity(&self, grip: &Grip, store: &[f64]) -> Vec3 {
        match grip.lever {
            Lever::Fixed => Vec3::ZERO,
            _ => {
                let b = grip.body as usize;
                velocity(
                    grip.lever,
                    &self.free[self.offsets[b] as usize..self.offsets[b + 1] as usize],
                    store,
                )
            }
        }
    }

    /// Velocity of a gripped point.
    pub fn point_velocity(&self, grip: &Grip, store: &[f64]) -> Vec3 {
        match grip.lever {
            Lever::Fixed => Vec3::ZERO,
            _ => velocity(grip.lever, self.velocity(grip.body as usize), store),
        }
    }

    /// Displacement of a gripped point over the length of the step.
    pub fn displacement(&self, grip: &Grip) -> Vec3 {
        if grip.is_fixed() {
            return Vec3::ZERO;
        }
        let b = grip.body as usize;
        let part = self.offsets[b] as usize..self.offsets[b + 1] as usize;
        velocity(grip.lever, &self.u[part], &self.store)
    }

    /// How the relative velocity of two gripped points answers an impulse between them.
    pub fn response_between(&self, a: &Grip, b: &Grip, store: &[f64]) -> Mat3 {
        if a.is_fixed() || b.is_fixed() || a.body != b.body {
            return self.response(a, store) + self.response(b, store);
        }
        // Two points of one body: each also answers the push at the other.
        let body = a.body as usize;
        let column = |p: Vec3| {
            let mut y = vec![0.0; self.part(body).len()];
            push(a.lever, &mut y, p, store, &self.masses[body]);
            push(b.lever, &mut y, -p, store, &self.masses[body]);
            velocity(a.lever, &y, store) - velocity(b.lever, &y, store)
        };
        Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    /// How a gripped point's velocity answers an impulse at the same point: `J A^-1 J^T`.
    pub fn response(&self, grip: &Grip, store: &[f64]) -> Mat3 {
        match grip.lever {
            Lever::Fixed => Mat3::ZERO,
            Lever::Blocks { at, count } => {
                let (at, n) = (at as usize, count as usize);
                let z = &store[at..at + n];
                let column = |d: usize| -> Vec3 {
                    let run = &store[at + n + 3 * n * d..at + n + 3 * n * (d + 1)];
                    (0..n).map(|k| Vec3::from_slice(&run[3 * k..]) * z[k]).sum()
                };
                Mat3::from_cols(column(0), column(1), column(2))
            }
            Lever::Wide { at, len } => {
                let (at, n) = (at as usize, len as usize);
                let part = |k: usize| &store[at + k * n..at + (k + 1) * n];
                let column = |d: usize| Vec3::from_array([0, 1, 2].map(|k| dot(part(k), part(3 + d))));
                Mat3::from_cols(column(0), column(1), column(2))
            }
            Lever::Nodes { at, count } => {
                let nodes = &store[at as usize + 3..at as usize + 3 + 3 * count as usize];
                let sum: f64 = nodes.chunks_exact(3).map(|n| n[1] * n[2]).sum();
                Mat3::from_diagonal(Vec3::splat(sum))
            }
            Lever::Blend { at, count } => {
                let own = |(_, inverse_mass, b): (usize, f64, Mat3)| b * b.transpose() * inverse_mass;
                blended(store, at, count).map(own).fold(Mat3::ZERO, |s, m| s + m)
            }
            lever @ (Lever::Twist { .. } | Lever::Patch { .. }) => {
                coupling(lever, lever, store, &self.masses[grip.body as usize])
            }
        }
    }
}

/// How the velocity at one lever answers an impulse at another of the same body, where levers say so by themselves.
#[inline(always)]
pub fn coupling(of: Lever, to: Lever, store: &[f64], mass: &TwistMass) -> Mat3 {
    match (of, to) {
        (Lever::Twist { arm }, Lever::Twist { arm: other }) => {
            // 1/m - [arm] I^-1 [other].
            let whole = Mat3::from_diagonal(Vec3::splat(mass.inverse_mass));
            whole - skew(arm) * mass.inverse_inertia * skew(other)
        }
        (Lever::Patch { at, count }, Lever::Patch { at: other, .. }) => {
            let (patch, pushed) = (Patch::read(store, at, count), Patch::read(store, other, count));
            let n = 3 * count as usize;
            let rows = [&patch.answer[..n], &patch.answer[n..2 * n], &patch.answer[2 * n..3 * n]];
            let mut sum = [[0.0; 3]; 3];
            for k in 0..3 {
                let (at, weight) = (3 * pushed.slots[k], pushed.weights[k]);
                for (d, row) in rows.iter().enumerate() {
                    let entries = &row[at..at + 3];
                    (0..3).for_each(|c| sum[c][d] += entries[c] * weight);
                }
            }
            Mat3::from_cols_array_2d(&sum) + patch.turn * skew(pushed.offset)
        }
        _ => Mat3::ZERO,
    }
}

/// Appends a wide lever: three rows, then three answers.
pub fn wide(store: &mut Vec<f64>, rows: &[Vec<f64>; 3], answers: &[Vec<f64>; 3]) -> Lever {
    let at = store.len() as u32;
    rows.iter().chain(answers).for_each(|r| store.extend_from_slice(r));
    Lever::Wide { at, len: rows[0].len() as u32 }
}

/// `J y` of a lever.
#[inline(always)]
pub fn velocity(lever: Lever, y: &[f64], store: &[f64]) -> Vec3 {
    match lever {
        Lever::Fixed => Vec3::ZERO,
        Lever::Twist { arm } => {
            let y: &[f64; 6] = y.try_into().expect("a frame has six velocities");
            Vec3::new(y[0], y[1], y[2]) + Vec3::new(y[3], y[4], y[5]).cross(arm)
        }
        Lever::Blocks { at, count } => {
            let (at, n) = (at as usize, count as usize);
            let z = &store[at..at + n];
            let mut v = [0.0; 3];
            for (block, w) in y.chunks_exact(3).zip(z) {
                for d in 0..3 {
                    v[d] += block[d] * w;
                }
            }
            Vec3::from(v)
        }
        Lever::Wide { at, len } => {
            let (at, n) = (at as usize, len as usize);
            Vec3::from_array([0, 1, 2].map(|k| dot(&store[at + k * n..at + (k + 1) * n], &y[..n])))
        }
        Lever::Nodes { at, count } => {
            let part = &store[at as usize..at as usize + 3 + 3 * count as usize];
            let mut v = Vec3::from_slice(y) + Vec3::from_slice(&y[4..]).cross(Vec3::from_slice(part));
            for node in part[3..].chunks_exact(3) {
                v += Vec3::from_slice(&y[node[0] as usize..]) * node[1];
            }
            v
        }
        Lever::Blend { at, count } => {
            let arm = Vec3::from_slice(&store[at as usize..]);
            let mut v = Vec3::from_slice(y) + Vec3::from_slice(&y[4..]).cross(arm);
            for (slot, _, b) in blended(store, at, count) {
                v += b * Vec3::from_slice(&y[slot..]);
            }
            v
        }
        Lever::Patch { at, count } => {
            let patch = Patch::read(store, at, count);
            let (head, impulses) = y.split_at(Patch::BEFORE);
            let n = 3 * count as usize;
            Vec3::from_slice(head)
                + patch.free * head[3]
                + patch.turn * Vec3::from_slice(&head[4..])
                + three_dots(patch.answer, &impulses[..n])
        }
    }
}

/// The nodes of a blend: where each stands in `y`, one over its mass, its matrix.
#[inline(always)]
fn blended(store: &[f64], at: u32, count: u32) -> impl Iterator<Item = (usize, f64, Mat3)> + '_ {
    let nodes = &store[at as usize + 3..at as usize + 3 + 11 * count as usize];
    nodes.chunks_exact(11).map(|n| (n[0] as usize, n[1], Mat3::from_cols_slice(&n[2..])))
}

/// Three rows times one vector, which is read once. Four sums for each row, so that four numbers can be worked on at once.
#[inline(always)]
fn three_dots(rows: &[f64], p: &[f64]) -> Vec3 {
    let (x, rest) = rows.split_at(p.len());
    let (y, z) = rest.split_at(p.len());
    let mut sums = [[0.0; 4]; 3];
    let (p, last) = p.as_chunks::<4>();
    let ((x, x_last), (y, y_last), (z, z_last)) =
        (x.as_chunks::<4>(), y.as_chunks::<4>(), z.as_chunks::<4>());
    for (((p, x), y), z) in p.iter().zip(x).zip(y).zip(z) {
        for k in 0..4 {
            sums[0][k] += x[k] * p[k];
            sums[1][k] += y[k] * p[k];
            sums[2][k] += z[k] * p[k];
        }
    }
    let mut v = Vec3::from_array(sums.map(|s| (s[0] + s[2]) + (s[1] + s[3])));
    for (((p, x), y), z) in last.iter().zip(x_last).zip(y_last).zip(z_last) {
        v += Vec3::new(*x, *y, *z) * *p;
    }
    v
}

/// `y += A^-1 J^T p` of a lever.
#[inline(always)]
pub fn push(lever: Lever, y: &mut [f64], p: Vec3, store: &[f64], mass: &TwistMass) {
    match lever {
        Lever::Fixed => {}
        Lever::Twist { arm } => {
            let y: &mut [f64; 6] = y.try_into().expect("a frame has six velocities");
            let v = p * mass.inverse_mass;
            let w = mass.inverse_inertia * arm.cross(p);
            for d in 0..3 {
                y[d] += v[d];
                y[3 + d] += w[d];
            }
        }
        Lever::Blocks { at, count } => {
            let (at, n) = (at as usize + count as usize, 3 * count as usize);
            let (gx, rest) = store[at..at + 3 * n].split_at(n);
            let (gy, gz) = rest.split_at(n);
            for (((y, x), yy), z) in y.iter_mut().zip(gx).zip(gy).zip(gz) {
                *y += x * p.x + yy * p.y + z * p.z;
            }
        }
        Lever::Wide { at, len } => {
            let (at, n) = (at as usize, len as usize);
            for d in 0..3 {
                let answer = &store[at + (3 + d) * n..at + (4 + d) * n];
                y.iter_mut().zip(answer).for_each(|(y, a)| *y += a * p[d]);
            }
        }
        Lever::Nodes { at, count } => {
            let nodes = &store[at as usize + 3..at as usize + 3 + 3 * count as usize];
            for node in nodes.chunks_exact(3) {
                let y = &mut y[node[0] as usize..node[0] as usize + 3];
                (0..3).for_each(|d| y[d] += p[d] * node[2]);
            }
        }
        Lever::Blend { at, count } => {
            for (slot, inverse_mass, b) in blended(store, at, count) {
                let change = b.transpose() * p * inverse_mass;
                (0..3).for_each(|d| y[slot + d] += change[d]);
            }
        }
        Lever::Patch { at, count } => {
            let patch = Patch::read(store, at, count);
            let torque = patch.offset.cross(p);
            for d in 0..3 {
                y[4 + d] += torque[d];
                for k in 0..3 {
                    y[Patch::BEFORE + 3 * patch.slots[k] + d] += patch.weights[k] * p[d];
                }
            }
        }
    }
}
