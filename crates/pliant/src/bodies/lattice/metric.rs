//! The metric of a cell and how it varies within: eighteen numbers that rigid motion does not change, and that together
//! tell every deformation of a cell from rest.
//!
//! The average is that of `[PB88]` Eq. 48 to 58 (as corrected). It does not see warps to first order, so cells could
//! warp for nothing. Beside it stand the variation of each stretch along the other two directions, as in bending, and of
//! each shear along its own axis, as in torsion. Variations of a shear in its own plane are left out on purpose: in a
//! bent cell they are an artefact, and the reason why plain trilinear cells are too stiff.

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

/// The metric of a cell.
#[inline(always)]
pub fn metric<T: Number>(m: &Modes<T>, cell: &Cell) -> Metric<T> {
    let [f1, f2, f3, q1, q2, q3, q4] = m.0;
    let [a, b, c] = cell.per;
    let n = T::of;
    let (l, p) = (1.0 / 3.0, 1.0 / 9.0);
    let (s1, s2, s3, s4) = (q1.dot(q1), q2.dot(q2), q3.dot(q3), q4.dot(q4));
    let average = |f: V3<T>, s: f64, u: T, v: T| f.dot(f) + ((u + v) * n(l) + s4 * n(p)) * n(s * s);
    let along = |f: V3<T>, s: f64, u: V3<T>, v: V3<T>| {
        [
            (f.dot(u) + v.dot(q4) * n(l * s)) * n(2.0 * s),
            (f.dot(v) + u.dot(q4) * n(l * s)) * n(2.0 * s),
            (f.dot(q4) + u.dot(v) * n(s)) * n(2.0 * s),
        ]
    };
    let ([x1, x2, x3], [y1, y2, y3], [z1, z2, z3]) =
        (along(f1, a, q1, q2), along(f2, b, q1, q3), along(f3, c, q2, q3));
    [
        average(f1, a, s1, s2),
        average(f2, b, s1, s3),
        average(f3, c, s2, s3),
        f1.dot(f2) + q2.dot(q3) * n(l * a * b),
        f1.dot(f3) + q1.dot(q3) * n(l * a * c),
        f2.dot(f3) + q1.dot(q2) * n(l * b * c),
        x1,
        x2,
        x3,
        y1,
        y2,
        y3,
        z1,
        z2,
        z3,
        f1.dot(q3) * n(b) + f2.dot(q2) * n(a),
        f1.dot(q3) * n(c) + f3.dot(q1) * n(a),
        f2.dot(q2) * n(c) + f3.dot(q1) * n(b),
    ]
}

/// `sum_e weight_e dg_e/dm`: what a force on each of the numbers is on the modes. Neither pushes nor turns the cell.
#[inline(always)]
pub fn metric_force<T: Number>(m: &Modes<T>, w: &Metric<T>, cell: &Cell) -> Modes<T> {
    let [_, _, _, q1, q2, q3, q4] = m.0;
    let [a, b, c] = cell.per;
    let n = T::of;
    let l = 1.0 / 3.0;
    // Squares of warps, then products of two.
    let (d1, d2, d3) = (w[0] * n(2.0 * l * a * a), w[1] * n(2.0 * l * b * b), w[2] * n(2.0 * l * c * c));
    let k = 2.0 * l;
    let (q14, q24, q34) = (
        w[7] * n(k * a * a) + w[10] * n(k * b * b),
        w[6] * n(k * a * a) + w[13] * n(k * c * c),
        w[9] * n(k * b * b) + w[12] * n(k * c * c),
    );
    let (q12, q13, q23) = (
        w[5] * n(l * b * c) + w[8] * n(2.0 * a * a),
        w[4] * n(l * a * c) + w[11] * n(2.0 * b * b),
        w[3] * n(l * a * b) + w[14] * n(2.0 * c * c),
    );
    let none = V3::zero();
    let second_order = Modes([
        none,
        none,
        none,
        q1.times(d1 + d2) + q2.times(q12) + q3.times(q13) + q4.times(q14),
        q2.times(d1 + d3) + q1.times(q12) + q3.times(q23) + q4.times(q24),
        q3.times(d2 + d3) + q1.times(q13) + q2.times(q23) + q4.times(q34),
        q4.times((d1 + d2 + d3) * n(l)) + q1.times(q14) + q2.times(q24) + q3.times(q34),
    ]);
    rate_force(m, w, cell).plus(&second_order, n(1.0))
}

/// How fast the metric changes while the modes move with `v`, but for terms of second order in warps: each product of
/// modes is untouched by rigid motion by itself, so leaving some out costs nothing but a little damping of large warps.
#[inline(always)]
pub fn metric_rate<T: Number>(m: &Modes<T>, v: &Modes<T>, cell: &Cell) -> Metric<T> {
    let [f1, f2, f3, q1, q2, q3, q4] = m.0;
    let [g1, g2, g3, r1, r2, r3, r4] = v.0;
    let [a, b, c] = cell.per;
    let n = T::of;
    let rate = |f: V3<T>, g: V3<T>, q: V3<T>, r: V3<T>| f.dot(r) + g.dot(q);
    let twice = |x: T| x + x;
    let (k13, k22, k31) = (rate(f1, g1, q3, r3), rate(f2, g2, q2, r2), rate(f3, g3, q1, r1));
    [
        twice(f1.dot(g1)),
        twice(f2.dot(g2)),
        twice(f3.dot(g3)),
        rate(f1, g1, f2, g2),
        rate(f1, g1, f3, g3),
        rate(f2, g2, f3, g3),
        rate(f1, g1, q1, r1) * n(2.0 * a),
        rate(f1, g1, q2, r2) * n(2.0 * a),
        rate(f1, g1, q4, r4) * n(2.0 * a),
        rate(f2, g2, q1, r1) * n(2.0 * b),
        rate(f2, g2, q3, r3) * n(2.0 * b),
        rate(f2, g2, q4, r4) * n(2.0 * b),
        rate(f3, g3, q2, r2) * n(2.0 * c),
        rate(f3, g3, q3, r3) * n(2.0 * c),
        rate(f3, g3, q4, r4) * n(2.0 * c),
        k13 * n(b) + k22 * n(a),
        k13 * n(c) + k31 * n(a),
        k22 * n(c) + k31 * n(b),
    ]
}

/// The transpose of `metric_rate`: the force on the modes of weights on these rates.
#[inline(always)]
pub fn rate_force<T: Number>(m: &Modes<T>, w: &Metric<T>, cell: &Cell) -> Modes<T> {
    let [f1, f2, f3, q1, q2, q3, q4] = m.0;
    let [a, b, c] = cell.per;
    let n = T::of;
    let twice = |x: T| x + x;
    let [x1, x2, x3] = [w[6] * n(2.0 * a), w[7] * n(2.0 * a), w[8] * n(2.0 * a)];
    let [y1, y2, y3] = [w[9] * n(2.0 * b), w[10] * n(2.0 * b), w[11] * n(2.0 * b)];
    let [z1, z2, z3] = [w[12] * n(2.0 * c), w[13] * n(2.0 * c), w[14] * n(2.0 * c)];
    let k13 = w[15] * n(b) + w[16] * n(c);
    let k22 = w[15] * n(a) + w[17] * n(c);
    let k31 = w[16] * n(a) + w[17] * n(b);
    Modes([
        f1.times(twice(w[0]))
            + f2.times(w[3])
            + f3.times(w[4])
            + q1.times(x1)
            + q2.times(x2)
            + q4.times(x3)
            + q3.times(k13),
        f1.times(w[3])
            + f2.times(twice(w[1]))
            + f3.times(w[5])
            + q1.times(y1)
            + q3.times(y2)
            + q4.times(y3)
            + q2.times(k22),
        f1.times(w[4])
            + f2.times(w[5])
            + f3.times(twice(w[2]))
            + q2.times(z1)
            + q3.times(z2)
            + q4.times(z3)
            + q1.times(k31),
        f1.times(x1) + f2.times(y1) + f3.times(k31),
        f1.times(x2) + f3.times(z1) + f2.times(k22),
        f2.times(y2) + f3.times(z2) + f1.times(k13),
        f1.times(x3) + f2.times(y3) + f3.times(z3),
    ])
}
