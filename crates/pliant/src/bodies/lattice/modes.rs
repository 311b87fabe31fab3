//! A cell seen by the ways in which it can deform, instead of by its eight corners.
//!
//! A trilinear cell is `r = r0 + x e1 + y e2 + z e3 + xy q1 + xz q2 + yz q3 + xyz q4`: three edge vectors of its middle
//! and four warps, each a sum over the corners with signs. In these terms the averaged metric of `[PB88]` Eq. 48 and the
//! volume are short, and exact:
//!
//! ```text
//! G11 = a a (e1.e1 + (q1.q1 + q2.q2)/3 + q4.q4/9)        G12 = a b (e1.e2 + q2.q3/3)        (and so on)
//! J   = a b c (det(e1 e2 e3) + (e1.q1xq2 + e2.q3xq1 + e3.q2xq3)/3)
//! ```
//!
//! with `a, b, c` two over the cell's edges. Here the vectors are the plain sums, eight times as long, and `a, b, c` an
//! eighth of that, so nothing is multiplied before it has to be. Corner `i + 2j + 4k` lies at `(i, j, k)`.

use super::lanes::{Number, V3};

/// `e1 e2 e3`, then the warps `xy xz yz xyz`, all times eight `[m]`.
#[derive(Clone, Copy, Debug)]
pub struct Modes<T>(pub [V3<T>; 7]);

/// The rest cell: a box.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Edges `[m]`.
    pub size: [f64; 3],
    /// What makes columns of the deformation gradient out of `e1 e2 e3`: a quarter over each edge `[1/m]`.
    pub per: [f64; 3],
    /// Volume `[m^3]`.
    pub volume: f64,
}

const THIRD: f64 = 1.0 / 3.0;

impl Cell {
    /// A box.
    pub fn new(size: [f64; 3]) -> Self {
        Self { size, per: size.map(|s| 0.25 / s), volume: size[0] * size[1] * size[2] }
    }

    /// What makes shares of the rest volume out of volumes of modes.
    #[inline(always)]
    pub fn per_volume(&self) -> f64 {
        self.per[0] * self.per[1] * self.per[2]
    }
}

impl<T: Number> Modes<T> {
    /// The modes of eight corners.
    #[inline(always)]
    pub fn of(r: [V3<T>; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = r;
        // Sums and differences along x, then y, then z.
        let (s0, s1, s2, s3) = (a + b, c + d, e + f, g + h);
        let (d0, d1, d2, d3) = (b - a, d - c, f - e, h - g);
        let (t0, t1, u0, u1) = (s0 + s1, s2 + s3, s1 - s0, s3 - s2);
        let (v0, v1, w0, w1) = (d0 + d1, d2 + d3, d1 - d0, d3 - d2);
        Modes([v0 + v1, u0 + u1, t1 - t0, w0 + w1, v1 - v0, u1 - u0, w1 - w0])
    }

    /// The corner vectors that do the same work on corners as these do on modes, times a factor.
    #[inline(always)]
    pub fn corners(&self, factor: T) -> [V3<T>; 8] {
        let [e1, e2, e3, q1, q2, q3, q4] = self.0.map(|v| v.times(factor));
        // Where z is low and high; then where y is; then where x is.
        let (x0, x1, y0, y1, xy0, xy1) = (e1 - q2, e1 + q2, e2 - q3, e2 + q3, q1 - q4, q1 + q4);
        let (a0, a1, a2, a3) = (e3 + y0, y0 - e3, e3 - y1, e3 + y1);
        let (b0, b1, b2, b3) = (x0 - xy0, x0 + xy0, x1 - xy1, x1 + xy1);
        [V3::zero() - a0 - b0, b0 - a0, a1 - b1, a1 + b1, a2 - b2, a2 + b2, a3 - b3, a3 + b3]
    }

    /// Volume, and its gradient with respect to `e1 e2 e3`.
    #[inline(always)]
    pub fn volume_and_faces(&self) -> (T, [V3<T>; 3]) {
        let [e1, e2, e3, q1, q2, q3, _] = self.0;
        let third = T::of(THIRD);
        let [c1, c2, c3] = self.faces();
        let (w1, w2, w3) = (q1.cross(q2).times(third), q3.cross(q1).times(third), q2.cross(q3).times(third));
        (e1.dot(c1) + (e1.dot(w1) + e2.dot(w2) + e3.dot(w3)), [c1 + w1, c2 + w2, c3 + w3])
    }

    /// Vector areas of the middle: `e2 x e3` and so on.
    #[inline(always)]
    pub fn faces(&self) -> [V3<T>; 3] {
        let [e1, e2, e3, ..] = self.0;
        [e2.cross(e3), e3.cross(e1), e1.cross(e2)]
    }

    /// Volume: signed, exact for bilinear faces.
    #[inline(always)]
    pub fn volume(&self) -> T {
        self.volume_and_faces().0
    }

    /// Gradient of the volume.
    #[inline(always)]
    pub fn volume_gradient(&self) -> Modes<T> {
        let [e1, e2, e3, q1, q2, q3, _] = self.0;
        let [d1, d2, d3] = self.volume_and_faces().1;
        let third = T::of(THIRD);
        Modes([
            d1,
            d2,
            d3,
            (e2.cross(q3) - e1.cross(q2)).times(third),
            (e1.cross(q1) - e3.cross(q3)).times(third),
            (e3.cross(q2) - e2.cross(q1)).times(third),
            V3::zero(),
        ])
    }

    /// How the volume varies along x, y and z within the cell, to first order in warps.
    #[inline(always)]
    pub fn volume_variation(&self) -> [T; 3] {
        let [_, _, _, q1, q2, q3, _] = self.0;
        let [c1, c2, c3] = self.faces();
        [q1.dot(c2) + q2.dot(c3), q1.dot(c1) + q3.dot(c3), q2.dot(c1) + q3.dot(c2)]
    }

    /// `self + other`.
    #[inline(always)]
    pub fn plus(&self, other: &Modes<T>) -> Modes<T> {
        Modes(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }

    /// Sum of the products of all components.
    #[inline(always)]
    pub fn dot(&self, other: &Modes<T>) -> T {
        let products = (0..7).map(|k| self.0[k].dot(other.0[k]));
        products.fold(T::of(0.0), |sum, product| sum + product)
    }

    /// Times a number.
    #[inline(always)]
    pub fn times(&self, s: T) -> Modes<T> {
        Modes(self.0.map(|v| v.times(s)))
    }
}
