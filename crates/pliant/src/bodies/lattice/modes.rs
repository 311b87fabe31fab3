//! A cell seen by the ways in which it can deform, instead of by its eight corners.
//!
//! A trilinear cell is `r = r0 + x F1.. + xy q1 ..`: three edge vectors of its middle and four warps. In these terms the
//! averaged metric of `[PB88]` Eq. 48 and the volume are short, and exact:
//!
//! ```text
//! G11 = F1.F1 + a^2 (q1.q1 + q2.q2)/3 + a^2 q4.q4/9        G12 = F1.F2 + a b q2.q3/3        (and so on)
//! J   = det(F1 F2 F3) + (a c det(q1 F2 q3) + a b det(q2 q3 F3) + b c det(F1 q1 q2))/3
//! ```
//!
//! with `a, b, c` two over the cell's edges. Corner `i + 2j + 4k` lies at `(i, j, k)`.

use super::lanes::{Number, V3};

/// `F1 F2 F3` (columns of the deformation gradient in the middle), then the warps `xy xz yz xyz` `[m]`.
#[derive(Clone, Copy, Debug)]
pub struct Modes<T>(pub [V3<T>; 7]);

/// The rest cell: a box.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Edges `[m]`.
    pub size: [f64; 3],
    /// Two over each edge `[1/m]`.
    pub per: [f64; 3],
    /// Volume `[m^3]`.
    pub volume: f64,
}

/// The corner sums that stand for the modes: bit 0 x, bit 1 y, bit 2 z.
const SUMS: [usize; 7] = [1, 2, 4, 3, 5, 6, 7];

impl Cell {
    /// A box.
    pub fn new(size: [f64; 3]) -> Self {
        Self { size, per: size.map(|s| 2.0 / s), volume: size[0] * size[1] * size[2] }
    }

    fn scales(&self) -> [f64; 7] {
        let [a, b, c] = self.per.map(|p| p / 8.0);
        [a, b, c, 0.125, 0.125, 0.125, 0.125]
    }

    /// The modes of eight corners.
    #[inline(always)]
    pub fn modes<T: Number>(&self, corners: [V3<T>; 8]) -> Modes<T> {
        let sums = butterfly(corners);
        let scales = self.scales();
        Modes(std::array::from_fn(|k| sums[SUMS[k]].scaled(scales[k])))
    }

    /// The corner vectors that do the same work on corners as the given ones do on modes, times a factor.
    #[inline(always)]
    pub fn corners<T: Number>(&self, modes: &Modes<T>, factor: T) -> [V3<T>; 8] {
        let scales = self.scales();
        let mut sums = [V3::zero(); 8];
        for k in 0..7 {
            sums[SUMS[k]] = modes.0[k].times(factor * T::of(scales[k]));
        }
        spread(sums)
    }
}

/// All signed sums over the corners.
#[inline(always)]
fn butterfly<T: Number>(mut r: [V3<T>; 8]) -> [V3<T>; 8] {
    for bit in [1, 2, 4] {
        for k in (0..8).filter(|k| k & bit == 0) {
            let (low, high) = (r[k], r[k | bit]);
            r[k] = low + high;
            r[k | bit] = high - low;
        }
    }
    r
}

/// The transpose of `butterfly`.
#[inline(always)]
fn spread<T: Number>(mut s: [V3<T>; 8]) -> [V3<T>; 8] {
    for bit in [4, 2, 1] {
        for k in (0..8).filter(|k| k & bit == 0) {
            let (even, odd) = (s[k], s[k | bit]);
            s[k] = even - odd;
            s[k | bit] = even + odd;
        }
    }
    s
}

impl<T: Number> Modes<T> {
    /// Volume over that at rest: signed, exact for bilinear faces.
    #[inline(always)]
    pub fn volume(&self, cell: &Cell) -> T {
        let [f1, f2, f3, q1, q2, q3, _] = self.0;
        let [a, b, c] = cell.per;
        let warped = q1.dot(f2.cross(q3)) * T::of(a * c)
            + q2.dot(q3.cross(f3)) * T::of(a * b)
            + f1.dot(q1.cross(q2)) * T::of(b * c);
        f1.dot(f2.cross(f3)) + warped * T::of(1.0 / 3.0)
    }

    /// Gradient of the volume.
    #[inline(always)]
    pub fn volume_gradient(&self, cell: &Cell) -> Modes<T> {
        let [f1, f2, f3, q1, q2, q3, _] = self.0;
        let [a, b, c] = cell.per;
        let third = |x: f64| T::of(x / 3.0);
        Modes([
            f2.cross(f3) + q1.cross(q2).times(third(b * c)),
            f3.cross(f1) + q3.cross(q1).times(third(a * c)),
            f1.cross(f2) + q2.cross(q3).times(third(a * b)),
            f2.cross(q3).times(third(a * c)) + q2.cross(f1).times(third(b * c)),
            q3.cross(f3).times(third(a * b)) + f1.cross(q1).times(third(b * c)),
            q1.cross(f2).times(third(a * c)) + f3.cross(q2).times(third(a * b)),
            V3::zero(),
        ])
    }

    /// How the volume varies along x, y and z within the cell, to first order in warps.
    #[inline(always)]
    pub fn volume_variation(&self, cell: &Cell) -> [T; 3] {
        let [f1, f2, f3, q1, q2, q3, _] = self.0;
        let [a, b, c] = cell.per.map(T::of);
        let (c1, c2, c3) = (f2.cross(f3), f3.cross(f1), f1.cross(f2));
        [q1.dot(c2) * b + q2.dot(c3) * c, q1.dot(c1) * a + q3.dot(c3) * c, q2.dot(c1) * a + q3.dot(c2) * b]
    }

    /// `sum_i weight_i d(variation_i)/d(modes)`.
    #[inline(always)]
    pub fn variation_force(&self, [x, y, z]: [T; 3], cell: &Cell) -> Modes<T> {
        let [f1, f2, f3, q1, q2, q3, _] = self.0;
        let [a, b, c] = cell.per.map(T::of);
        let (c1, c2, c3) = (f2.cross(f3), f3.cross(f1), f1.cross(f2));
        // What stands before each of the three face vectors.
        let a1 = (q1.times(y) + q2.times(z)).times(a);
        let a2 = (q1.times(x) + q3.times(z)).times(b);
        let a3 = (q2.times(x) + q3.times(y)).times(c);
        Modes([
            a2.cross(f3) + f2.cross(a3),
            f3.cross(a1) + a3.cross(f1),
            a1.cross(f2) + f1.cross(a2),
            c2.times(b * x) + c1.times(a * y),
            c3.times(c * x) + c1.times(a * z),
            c3.times(c * y) + c2.times(b * z),
            V3::zero(),
        ])
    }

    /// `self + other s`.
    #[inline(always)]
    pub fn plus(&self, other: &Modes<T>, s: T) -> Modes<T> {
        Modes(std::array::from_fn(|k| self.0[k] + other.0[k].times(s)))
    }
}
