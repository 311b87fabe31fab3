//! A second opinion for small islands on which sweeps crawl: heavy on light, tall towers.
//!
//! The same problem in the impulses alone, `v = W x + q` with the Delassus matrix `W = J A^-1 J^T`, solved by
//! alternating directions [BPC11]: one factored linear solve takes the coupling between contacts at full length, one
//! projection the signs and the friction discs. A fixed point satisfies `x = P(x - v/rho)`, the very condition at
//! which sweeps stand still.

use super::line::Line;
use super::rows::{push, velocity};
use crate::bodies::{Lever, TwistMass};
use crate::math::Vec3;

/// Islands with more contacts than this are left to sweeps: the matrix is full.
pub const MOST_ROWS: usize = 80;
const ITERATIONS: u32 = 400;
/// Over-relaxation; between 1.5 and 1.8 serves well.
const RELAX: f64 = 1.6;

/// What the levers of rows refer to.
pub struct Levers<'a> {
    /// Numbers of levers.
    pub store: &'a [f64],
    /// Where velocities of bodies begin.
    pub offsets: &'a [u32],
    /// Inverse masses of frames.
    pub masses: &'a [TwistMass],
}

/// Impulses along the axes of each line, from those the lines have.
pub fn polish(rows: &[Line], levers: &Levers, tolerance: f64) -> Option<Vec<[f64; 3]>> {
    let n = 3 * rows.len();
    let w = delassus(rows, levers);
    let q: Vec<f64> = rows
        .iter()
        .flat_map(|r| {
            let [n, t, s] = r.axes().map(|axis| r.before.dot(axis));
            [n + r.slack, t, s]
        })
        .collect();
    let response: Vec<f64> = (0..n).map(|i| 1.0 / rows[i / 3].mobility).collect();
    let mut z: Vec<f64> = rows.iter().flat_map(|r| r.lambda).collect();
    // The dual is minus the velocity.
    let mut u: Vec<f64> = (0..n).map(|i| -(row_dot(&w, n, i, &z) + q[i])).collect();
    // From loose to tight: the coupling is solved first, signs and discs are then drawn in (measured: a start at
    // 0.3 stalls on a mass ratio of 1e4, this one needs 80 iterations).
    let mut theta = 1e-5;
    let mut factor = factored(&w, n, &response, theta)?;
    let mut changes = 0;
    for k in 1..=ITERATIONS {
        let right: Vec<f64> = (0..n).map(|i| theta * response[i] * z[i] - u[i] - q[i]).collect();
        let x = solve(&factor, n, right);
        let ahead: Vec<f64> = (0..n).map(|i| RELAX * x[i] + (1.0 - RELAX) * z[i]).collect();
        let mut next: Vec<f64> = (0..n).map(|i| ahead[i] + u[i] / (theta * response[i])).collect();
        for (row, p) in rows.iter().zip(next.chunks_exact_mut(3)) {
            project(p, row.friction);
        }
        let (mut primal, mut dual) = (0.0f64, 0.0f64);
        for i in 0..n {
            u[i] += theta * response[i] * (ahead[i] - next[i]);
            primal = primal.max((x[i] - next[i]).abs() * response[i]);
            dual = dual.max(theta * response[i] * (next[i] - z[i]).abs());
        }
        z = next;
        if primal.max(dual) <= tolerance {
            break;
        }
        if k % 20 == 0 && changes < 8 {
            // Neither condition should run far ahead of the other.
            let scale = if primal > 5.0 * dual {
                4.0
            } else if dual > 5.0 * primal {
                0.25
            } else {
                continue;
            };
            theta *= scale;
            changes += 1;
            factor = factored(&w, n, &response, theta)?;
        }
    }
    z.iter().all(|v| v.is_finite()).then(|| z.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect())
}

/// Normal not negative, tangent on the disc of radius friction times normal.
fn project(p: &mut [f64], friction: f64) {
    p[0] = p[0].max(0.0);
    let (most, size) = (friction * p[0], (p[1] * p[1] + p[2] * p[2]).sqrt());
    if size > most {
        p[1] *= most / size;
        p[2] *= most / size;
    }
}

/// `W`, row by row: what an impulse along each axis of each row does to the relative velocity of every other.
fn delassus(rows: &[Line], levers: &Levers) -> Vec<f64> {
    let n = 3 * rows.len();
    let axes: Vec<[Vec3; 3]> = rows.iter().map(|r| r.axes()).collect();
    let mut w = vec![0.0; n * n];
    let mut users: Vec<(u32, usize, Lever, f64)> = vec![];
    for (i, row) in rows.iter().enumerate() {
        for (grip, sign) in [(row.a, 1.0), (row.b, -1.0)] {
            if !grip.is_fixed() {
                users.push((grip.body, i, grip.lever, sign));
            }
        }
    }
    users.sort_by_key(|u| (u.0, u.1));
    for group in users.chunk_by(|a, b| a.0 == b.0) {
        let body = group[0].0 as usize;
        let size = (levers.offsets[body + 1] - levers.offsets[body]) as usize;
        for (_, j, lever, sign) in group {
            for k in 0..3 {
                let mut y = vec![0.0; size];
                push(*lever, &mut y, axes[*j][k] * *sign, levers.store, &levers.masses[body]);
                for (_, i, other, its) in group {
                    let v: Vec3 = velocity(*other, &y, levers.store) * *its;
                    for d in 0..3 {
                        w[(3 * i + d) * n + 3 * j + k] += axes[*i][d].dot(v);
                    }
                }
            }
        }
    }
    w
}

fn row_dot(w: &[f64], n: usize, i: usize, x: &[f64]) -> f64 {
    w[i * n..(i + 1) * n].iter().zip(x).map(|(a, b)| a * b).sum()
}

/// Lower triangular factor of `W + theta diag(response)`.
fn factored(w: &[f64], n: usize, response: &[f64], theta: f64) -> Option<Vec<f64>> {
    let mut l = w.to_vec();
    for i in 0..n {
        l[i * n + i] += theta * response[i];
    }
    for j in 0..n {
        let (above, below) = l.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let square = row[j] - row[..j].iter().map(|v| v * v).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        let root = square.sqrt();
        row[j] = root;
        for other in below.chunks_exact_mut(n) {
            let sum: f64 = row[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
            other[j] = (other[j] - sum) / root;
        }
    }
    Some(l)
}

fn solve(l: &[f64], n: usize, mut b: Vec<f64>) -> Vec<f64> {
    for i in 0..n {
        let sum: f64 = l[i * n..i * n + i].iter().zip(&b).map(|(a, x)| a * x).sum();
        b[i] = (b[i] - sum) / l[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] /= l[i * n + i];
        let x = b[i];
        for (k, v) in l[i * n..i * n + i].iter().enumerate() {
            b[k] -= v * x;
        }
    }
    b
}
