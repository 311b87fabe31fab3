//! The metric of a cell and how it varies within: eighteen numbers that rigid motion does not change, and that together
//! tell every deformation of a cell from rest.
//!
//! The average is that of `[PB88]` Eq. 48 to 58 (as corrected). It does not see warps to first order, so cells could
//! warp for nothing. Beside it stand the variation of each stretch along the other two directions, as in bending, and of
//! each shear along its own axis, as in torsion. Variations of a shear in its own plane are left out on purpose: in a
//! bent cell they are an artefact, and the reason why plain trilinear cells are too stiff.
//!
//! Numbers here are those of the modes, without the edges of the cell; `units` has what they are to be multiplied by.

use super::lanes::{Number, V3};
use super::modes::{Cell, Modes};

/// Averages `11 22 33 12 13 23`; then variations of 11 along y, z, yz; of 22 along x, z, xz; of 33 along x, y, xy; of 12
/// along z, of 13 along y, of 23 along x.
pub type Metric<T> = [T; 18];

/// Mean square of each variation over a cell.
pub const SPREAD: [f64; 12] = {
    let (line, plane) = (1.0 / 3.0, 1.0 / 9.0);
    [line, line, plane, line, line, plane, line, line, plane, line, line, line]
};

/// What makes the metric out of the numbers below.
pub fn units(cell: &Cell) -> Metric<f64> {
    let [a, b, c] = cell.per;
    let (x, y, z) = (2.0 * a * a, 2.0 * b * b, 2.0 * c * c);
    [a * a, b * b, c * c, a * b, a * c, b * c, x, x, x, y, y, y, z, z, z, a * b, a * c, b * c]
}

/// The metric of a cell.
#[inline(always)]
pub fn metric<T: Number>(m: &Modes<T>) -> Metric<T> {
    let [e1, e2, e3, q1, q2, q3, q4] = m.0;
    let n = T::of;
    let (l, p) = (1.0 / 3.0, 1.0 / 9.0);
    let (s1, s2, s3, s4) = (q1.dot(q1), q2.dot(q2), q3.dot(q3), q4.dot(q4));
    let average = |e: V3<T>, u: T, v: T| e.dot(e) + ((u + v) * n(l) + s4 * n(p));
    let along = |e: V3<T>, u: V3<T>, v: V3<T>| {
        [e.dot(u) + v.dot(q4) * n(l), e.dot(v) + u.dot(q4) * n(l), e.dot(q4) + u.dot(v)]
    };
    let ([x1, x2, x3], [y1, y2, y3], [z1, z2, z3]) =
        (along(e1, q1, q2), along(e2, q1, q3), along(e3, q2, q3));
    let (k1, k2, k3) = (e1.dot(q3), e2.dot(q2), e3.dot(q1));
    [
        average(e1, s1, s2),
        average(e2, s1, s3),
        average(e3, s2, s3),
        e1.dot(e2) + q2.dot(q3) * n(l),
        e1.dot(e3) + q1.dot(q3) * n(l),
        e2.dot(e3) + q1.dot(q2) * n(l),
        x1,
        x2,
        x3,
        y1,
        y2,
        y3,
        z1,
        z2,
        z3,
        k1 + k2,
        k1 + k3,
        k2 + k3,
    ]
}

/// `sum_e weight_e dg_e/dm`: what a force on each of the numbers is on the modes. Neither pushes nor turns the cell.
#[inline(always)]
pub fn metric_force<T: Number>(m: &Modes<T>, w: &Metric<T>) -> Modes<T> {
    let [_, _, _, q1, q2, q3, q4] = m.0;
    let n = T::of;
    let l = 1.0 / 3.0;
    // Squares of warps, then products of two.
    let (d1, d2, d3) = (w[0] * n(2.0 * l), w[1] * n(2.0 * l), w[2] * n(2.0 * l));
    let (q14, q24, q34) = ((w[7] + w[10]) * n(l), (w[6] + w[13]) * n(l), (w[9] + w[12]) * n(l));
    let (q12, q13, q23) = (w[5] * n(l) + w[8], w[4] * n(l) + w[11], w[3] * n(l) + w[14]);
    let first = rate_force(m, w);
    let [e1, e2, e3, r1, r2, r3, r4] = first.0;
    Modes([
        e1,
        e2,
        e3,
        r1 + q1.times(d1 + d2) + q2.times(q12) + q3.times(q13) + q4.times(q14),
        r2 + q2.times(d1 + d3) + q1.times(q12) + q3.times(q23) + q4.times(q24),
        r3 + q3.times(d2 + d3) + q1.times(q13) + q2.times(q23) + q4.times(q34),
        r4 + q4.times((d1 + d2 + d3) * n(l)) + q1.times(q14) + q2.times(q24) + q3.times(q34),
    ])
}

/// How fast the metric changes while the modes move with `v`, but for terms of second order in warps: each product of
/// modes is untouched by rigid motion by itself, so leaving some out costs nothing but a little damping of large warps.
/// The first three are halves.
#[inline(always)]
pub fn metric_rate<T: Number>(m: &Modes<T>, v: &Modes<T>) -> Metric<T> {
    let [e1, e2, e3, q1, q2, q3, q4] = m.0;
    let [g1, g2, g3, r1, r2, r3, r4] = v.0;
    let rate = |e: V3<T>, g: V3<T>, q: V3<T>, r: V3<T>| e.dot(r) + g.dot(q);
    let (k1, k2, k3) = (rate(e1, g1, q3, r3), rate(e2, g2, q2, r2), rate(e3, g3, q1, r1));
    [
        e1.dot(g1),
        e2.dot(g2),
        e3.dot(g3),
        rate(e1, g1, e2, g2),
        rate(e1, g1, e3, g3),
        rate(e2, g2, e3, g3),
        rate(e1, g1, q1, r1),
        rate(e1, g1, q2, r2),
        rate(e1, g1, q4, r4),
        rate(e2, g2, q1, r1),
        rate(e2, g2, q3, r3),
        rate(e2, g2, q4, r4),
        rate(e3, g3, q2, r2),
        rate(e3, g3, q3, r3),
        rate(e3, g3, q4, r4),
        k1 + k2,
        k1 + k3,
        k2 + k3,
    ]
}

/// The transpose of `metric_rate`, with twice the first three: the force on the modes of weights on these rates.
#[inline(always)]
pub fn rate_force<T: Number>(m: &Modes<T>, w: &Metric<T>) -> Modes<T> {
    let [e1, e2, e3, q1, q2, q3, q4] = m.0;
    let twice = |x: T| x + x;
    let (k1, k2, k3) = (w[15] + w[16], w[15] + w[17], w[16] + w[17]);
    let sum = |x: V3<T>, y: V3<T>, z: V3<T>, w: [T; 3]| x.times(w[0]) + y.times(w[1]) + z.times(w[2]);
    Modes([
        sum(e1, e2, e3, [twice(w[0]), w[3], w[4]]) + sum(q1, q2, q4, [w[6], w[7], w[8]]) + q3.times(k1),
        sum(e1, e2, e3, [w[3], twice(w[1]), w[5]]) + sum(q1, q3, q4, [w[9], w[10], w[11]]) + q2.times(k2),
        sum(e1, e2, e3, [w[4], w[5], twice(w[2])]) + sum(q2, q3, q4, [w[12], w[13], w[14]]) + q1.times(k3),
        sum(e1, e2, e3, [w[6], w[9], k3]),
        sum(e1, e2, e3, [w[7], k2, w[12]]),
        sum(e1, e2, e3, [k1, w[10], w[13]]),
        sum(e1, e2, e3, [w[8], w[11], w[14]]),
    ])
}
