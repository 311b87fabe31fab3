//! Cells that a shape fills in part.
//!
//! Material is where the shape is, not all over the cell: if it were spread out, whatever is thin would be too thick and much
//! too stiff in bending. The average of the deformation gradient over the filled part is linear in the modes, with no more
//! than mean values of coordinates over that part; so uniform stresses are carried exactly, however a surface cuts the cells.
//! What varies within the part is as much smaller than within a whole cell as the part is shorter. These modes of the part go
//! into the same formulas as those of a cell.

use super::lanes::{Number, V3};
use super::modes::Modes;
use crate::math::portable::cbrt;

/// Means of `x y z yz xz xy` over the part, in coordinates from -1 to 1; then by what the warps `xy xz yz xyz` are to be
/// multiplied.
pub type Part<T> = [T; 10];

/// All of a cell.
pub const WHOLE: Part<f64> = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

/// A part counts as at least this long, in cells: what warps a sliver must cost something, or nodes that are far from it would
/// dangle.
const SHORTEST: f64 = 0.5;
/// How far off the middle of its cell mass is put at most, in half cells. A node that has stiffness and next to no mass would
/// ask for very short steps; up to this they are as long as those of a cell by itself.
const OFF_MIDDLE: f64 = 0.8;

/// Integrals over the filled part of a cell: `1 x y z yz xz xy xx yy zz`, over that of 1 over the whole cell.
pub type Moments = [f64; 10];

/// The part with these integrals.
pub fn part(moments: &Moments) -> Part<f64> {
    let mean: [f64; 9] = std::array::from_fn(|k| (moments[k + 1] / moments[0]).clamp(-1.0, 1.0));
    let [x, y, z, yz, xz, xy, xx, yy, zz] = mean;
    // A cell's coordinate has a mean square of a third.
    let long = |square: f64, mean: f64| (3.0 * (square - mean * mean)).clamp(SHORTEST * SHORTEST, 1.0).sqrt();
    let (a, b, c) = (long(xx, x), long(yy, y), long(zz, z));
    // The warp xy is a stretch along x that varies along y, and the other way round: between the two.
    let all = cbrt(a * b * c);
    [x, y, z, yz, xz, xy, (a * b).sqrt(), (a * c).sqrt(), (b * c).sqrt(), all * all]
}

/// A part so small that nothing is known of it but where it is, in coordinates from -1 to 1.
pub fn speck([x, y, z]: [f64; 3]) -> Part<f64> {
    let (short, all) = (SHORTEST, SHORTEST * SHORTEST);
    [x, y, z, y * z, x * z, x * y, short, short, short, all]
}

/// Shares of the mass of a part that the corners of its cell have.
pub fn shares(part: &Part<f64>) -> [f64; 8] {
    let at: [f64; 3] = std::array::from_fn(|d| part[d].clamp(-OFF_MIDDLE, OFF_MIDDLE));
    std::array::from_fn(|k| {
        (0..3).map(|d| 0.5 * if k >> d & 1 == 1 { 1.0 + at[d] } else { 1.0 - at[d] }).product()
    })
}

impl<T: Number> Modes<T> {
    /// Modes of a part out of those of its cell.
    #[inline(always)]
    pub fn within(&self, part: &Part<T>) -> Modes<T> {
        let [e1, e2, e3, q1, q2, q3, q4] = self.0;
        let [x, y, z, yz, xz, xy, s1, s2, s3, s4] = *part;
        Modes([
            e1 + (q1.times(y) + q2.times(z) + q4.times(yz)),
            e2 + (q1.times(x) + q3.times(z) + q4.times(xz)),
            e3 + (q2.times(x) + q3.times(y) + q4.times(xy)),
            (q1 + q4.times(z)).times(s1),
            (q2 + q4.times(y)).times(s2),
            (q3 + q4.times(x)).times(s3),
            q4.times(s4),
        ])
    }

    /// The transpose: forces on modes of a cell out of those on modes of its part.
    #[inline(always)]
    pub fn of_part(&self, part: &Part<T>) -> Modes<T> {
        let [e1, e2, e3, r1, r2, r3, r4] = self.0;
        let [x, y, z, yz, xz, xy, s1, s2, s3, s4] = *part;
        let sum = |a: V3<T>, b: V3<T>, [u, v]: [T; 2]| a.times(u) + b.times(v);
        let (q1, q2, q3) = (r1.times(s1), r2.times(s2), r3.times(s3));
        Modes([
            e1,
            e2,
            e3,
            q1 + sum(e1, e2, [y, x]),
            q2 + sum(e1, e3, [z, x]),
            q3 + sum(e2, e3, [z, y]),
            (sum(e1, e2, [yz, xz]) + e3.times(xy)) + (q1.times(z) + sum(q2, q3, [y, x]) + r4.times(s4)),
        ])
    }
}
