//! A contact as the sweeps see it: only what they read and write, in the order in which they do.

use super::rows::{Grip, Row, push, velocity};
use crate::bodies::{Lever, TwistMass};
use crate::math::{Disjoint, Vec3};

/// One contact.
#[derive(Clone, Copy)]
pub struct Line {
    /// The pushed side.
    pub a: Grip,
    /// The other side.
    pub b: Grip,
    /// Normal.
    pub n: Vec3,
    /// First tangent; the second is `n x t`.
    pub t: Vec3,
    /// Velocity of the other side if it is an obstacle.
    pub drive: Vec3,
    /// Relative velocity before any impulse of this step.
    pub before: Vec3,
    /// Approach speed allowed because of the gap `[m/s]`.
    pub slack: f64,
    /// Coulomb friction.
    pub friction: f64,
    /// One over the normal response.
    pub mobility: f64,
    /// One over the largest tangential response.
    pub tangent_mobility: f64,
    /// The normal and the largest tangential response.
    pub response: [f64; 2],
    /// Response of the relative velocity along the tangents to a normal impulse.
    pub across: [f64; 2],
    /// Impulse along normal and tangents `[N s]`.
    pub lambda: [f64; 3],
    /// Its number among the rows.
    pub row: u32,
    /// Sweeps for which it need not be looked at.
    pub pause: u32,
}

/// Sweeps for which a line of a large island is left alone once it neither pushes nor is about to.
const PAUSE: u32 = 3;

/// Where a line's impulse comes from and where it is heading, for acceleration.
#[derive(Clone, Copy, Default)]
pub struct Trail {
    /// Impulse before the present sweep.
    pub last: [f64; 3],
    /// Direction of acceleration.
    pub along: [f64; 3],
}

impl Line {
    /// The line of a row.
    pub fn new(row: &Row, number: u32) -> Self {
        Self {
            a: row.a,
            b: row.b,
            n: row.axes[0],
            t: row.axes[1],
            drive: row.drive,
            before: row.before,
            slack: row.slack,
            friction: row.friction,
            mobility: row.mobility,
            tangent_mobility: row.tangent_mobility,
            response: [1.0 / row.mobility, 1.0 / row.tangent_mobility],
            across: row.across,
            lambda: row.lambda,
            row: number,
            pause: 0,
        }
    }

    /// Impulse on the first side in world axes.
    pub fn impulse(&self) -> Vec3 {
        self.in_world(self.lambda)
    }

    fn in_world(&self, p: [f64; 3]) -> Vec3 {
        self.n * p[0] + self.t * p[1] + self.n.cross(self.t) * p[2]
    }

    /// Whether it has an impulse.
    pub fn pushes(&self) -> bool {
        self.lambda != [0.0; 3]
    }

    /// The impulse that brings the line in order from an old one and a velocity along the axes, on the normal with the
    /// slack. First the normal, then the tangent pair projected on the disc.
    #[inline(always)]
    pub fn answer(&self, old: [f64; 3], v: [f64; 3]) -> [f64; 3] {
        let normal = (old[0] - v[0] * self.mobility).max(0.0);
        if normal == 0.0 && old == [0.0; 3] {
            return old;
        }
        let step = normal - old[0];
        let mut new = [
            normal,
            old[1] - (v[1] + self.across[0] * step) * self.tangent_mobility,
            old[2] - (v[2] + self.across[1] * step) * self.tangent_mobility,
        ];
        self.admit(&mut new);
        new
    }

    /// Makes an impulse admissible: it does not pull, and its tangent pair lies on the disc.
    #[inline(always)]
    pub fn admit(&self, p: &mut [f64]) {
        p[0] = p[0].max(0.0);
        let (most, square) = (self.friction * p[0], p[1] * p[1] + p[2] * p[2]);
        if square > most * most {
            let scale = most / square.sqrt();
            (p[1], p[2]) = (p[1] * scale, p[2] * scale);
        }
    }

    /// By how much a change of its impulse changes its own velocity.
    #[inline(always)]
    pub fn change(&self, step: [f64; 3]) -> f64 {
        (step[0].abs() * self.response[0]).max(step[1].abs().max(step[2].abs()) * self.response[1])
    }

    /// Normal and tangents.
    pub fn axes(&self) -> [Vec3; 3] {
        [self.n, self.t, self.n.cross(self.t)]
    }
}

/// The velocities that lines read and change, shared between threads.
pub struct Velocities<'a> {
    /// All bodies' generalised velocities.
    pub y: Disjoint<'a, f64>,
    /// Numbers of levers.
    pub store: &'a [f64],
    /// Where each body's velocity begins.
    pub offsets: &'a [u32],
    /// Inverse masses of frames.
    pub masses: &'a [TwistMass],
}

impl Velocities<'_> {
    #[allow(clippy::mut_from_ref, unsafe_code, reason = "a body belongs to one thread at a time")]
    #[inline]
    pub fn body(&self, body: u32) -> &mut [f64] {
        let b = body as usize;
        // SAFETY: bodies of different islands differ, and lines of one colour share no body.
        unsafe { self.y.part(self.offsets[b] as usize, self.offsets[b + 1] as usize) }
    }

    /// Velocity of a gripped point.
    #[inline(always)]
    pub fn at(&self, grip: &Grip) -> Vec3 {
        match grip.lever {
            Lever::Fixed => Vec3::ZERO,
            lever => velocity(lever, self.body(grip.body), self.store),
        }
    }

    /// An impulse at a gripped point.
    #[inline(always)]
    pub fn push(&self, grip: &Grip, p: Vec3) {
        if !grip.is_fixed() {
            push(grip.lever, self.body(grip.body), p, self.store, &self.masses[grip.body as usize]);
        }
    }

    /// Relative velocity at a line.
    #[inline(always)]
    pub fn across(&self, line: &Line) -> Vec3 {
        self.at(&line.a) - self.at(&line.b) - line.drive
    }

    /// Brings one contact in order, whatever that does to the others; returns the change of its velocity.
    #[inline(always)]
    pub fn relax(&self, line: &mut Line) -> f64 {
        let v = self.across(line);
        let (old, second) = (line.lambda, line.n.cross(line.t));
        let new = line.answer(old, [v.dot(line.n) + line.slack, v.dot(line.t), v.dot(second)]);
        let step = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
        if step == [0.0; 3] {
            return 0.0;
        }
        line.lambda = new;
        let p = line.n * step[0] + line.t * step[1] + second * step[2];
        self.push(&line.a, p);
        self.push(&line.b, -p);
        line.change(step)
    }

    /// The same for a line among very many: most of them do not push, and those are looked at only now and then.
    #[inline(always)]
    pub fn relax_some(&self, line: &mut Line) -> f64 {
        if line.pause > 0 {
            line.pause -= 1;
            return 0.0;
        }
        let change = self.relax(line);
        if line.lambda == [0.0; 3] {
            line.pause = PAUSE;
        }
        change
    }

    /// Only ever pushes apart: takes away what approach there is, without friction; returns the push's work, which is
    /// never positive.
    pub fn part(&self, line: &mut Line) -> f64 {
        let approach = -self.across(line).dot(line.n);
        if approach <= 0.0 {
            return 0.0;
        }
        let step = approach * line.mobility;
        line.lambda[0] += step;
        self.push(&line.a, line.n * step);
        self.push(&line.b, line.n * -step);
        -0.5 * step * approach
    }
}
