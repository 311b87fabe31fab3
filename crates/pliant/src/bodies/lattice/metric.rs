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

/// Each of the eighteen is a sum of products of modes: `(entry, mode, mode, factor)`.
#[inline(always)]
fn products<T: Number>(cell: &Cell, mut see: impl FnMut(usize, usize, usize, T)) {
    let [a, b, c] = cell.per;
    let (l, p) = (1.0 / 3.0, 1.0 / 9.0);
    let mut add = |entry: usize, i: usize, j: usize, factor: f64| see(entry, i, j, T::of(factor));
    let (f1, f2, f3, q1, q2, q3, q4) = (0, 1, 2, 3, 4, 5, 6);
    for (entry, f, s, [u, v]) in [(0, f1, a, [q1, q2]), (1, f2, b, [q1, q3]), (2, f3, c, [q2, q3])] {
        add(entry, f, f, 1.0);
        add(entry, u, u, l * s * s);
        add(entry, v, v, l * s * s);
        add(entry, q4, q4, p * s * s);
        // Variations along the two other directions, and along both.
        let at = 6 + 3 * entry;
        add(at, f, u, 2.0 * s);
        add(at, v, q4, 2.0 * l * s * s);
        add(at + 1, f, v, 2.0 * s);
        add(at + 1, u, q4, 2.0 * l * s * s);
        add(at + 2, f, q4, 2.0 * s);
        add(at + 2, u, v, 2.0 * s * s);
    }
    add(3, f1, f2, 1.0);
    add(3, q2, q3, l * a * b);
    add(4, f1, f3, 1.0);
    add(4, q1, q3, l * a * c);
    add(5, f2, f3, 1.0);
    add(5, q1, q2, l * b * c);
    add(15, f1, q3, b);
    add(15, f2, q2, a);
    add(16, f1, q3, c);
    add(16, f3, q1, a);
    add(17, f2, q2, c);
    add(17, f3, q1, b);
}

/// The metric of a cell.
#[inline(always)]
pub fn metric<T: Number>(m: &Modes<T>, cell: &Cell) -> Metric<T> {
    let mut g = [T::of(0.0); 18];
    products(cell, |e, i, j, factor: T| g[e] = g[e] + m.0[i].dot(m.0[j]) * factor);
    g
}

/// How fast it changes while the modes move with `v`.
#[inline(always)]
pub fn metric_rate<T: Number>(m: &Modes<T>, v: &Modes<T>, cell: &Cell) -> Metric<T> {
    let mut g = [T::of(0.0); 18];
    products(cell, |e, i, j, factor: T| {
        g[e] = g[e] + (m.0[i].dot(v.0[j]) + v.0[i].dot(m.0[j])) * factor;
    });
    g
}

/// `sum_e weight_e dg_e/dm`: what a force on each of the numbers is on the modes. Neither pushes nor turns the cell.
#[inline(always)]
pub fn metric_force<T: Number>(m: &Modes<T>, weights: &Metric<T>, cell: &Cell) -> Modes<T> {
    let mut out = Modes([V3::zero(); 7]);
    products(cell, |e, i, j, factor: T| {
        let w = weights[e] * factor;
        out.0[i] = out.0[i] + m.0[j].times(w);
        out.0[j] = out.0[j] + m.0[i].times(w);
    });
    out
}
