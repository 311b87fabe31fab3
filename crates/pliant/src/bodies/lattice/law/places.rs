//! Neo-Hookean cells at eight places within them, those of Gauss: none may be inside out though the cell as a whole is not.
//!
//! The energy is half of `FIRM` moduli times the square of what the volume at a place lacks of a `SHARE` of the cell's, on the
//! average over the places; a cell that has less than `LEAST` of its own counts as having that. Where nothing lacks, as nearly
//! everywhere, a bound tells so.

use super::super::lanes::{Number, V3};
use super::super::modes::Modes;
use super::{Moduli, larger};

/// Of the volume of a cell, each place keeps this share.
const SHARE: f64 = 0.3;
/// Of the volume at rest. Were the share always that of the cell's own, next to nothing would hold places of a cell that has next to
/// none left.
const LEAST: f64 = 0.3;
/// How hard it is to take more, in moduli: enough for pressures of ten and more moduli.
pub(super) const FIRM: f64 = 200.0;
/// A place that keeps less than this share counts as keeping as much, where it is asked how soon it will have lost it.
const GONE: f64 = 0.05;

/// Where the places are.
fn places() -> impl Iterator<Item = [f64; 3]> {
    let s = 1.0 / 3f64.sqrt();
    (0..8).map(move |g| [0, 1, 2].map(|d| if g >> d & 1 == 1 { s } else { -s }))
}

impl<T: Number> Modes<T> {
    /// Edge vectors at a place, and the faces between them.
    #[inline(always)]
    fn at(&self, [x, y, z]: [f64; 3]) -> ([V3<T>; 3], [V3<T>; 3]) {
        let [e1, e2, e3, q1, q2, q3, q4] = self.0;
        let a = e1 + q1.scaled(y) + q2.scaled(z) + q4.scaled(y * z);
        let b = e2 + q1.scaled(x) + q3.scaled(z) + q4.scaled(x * z);
        let c = e3 + q2.scaled(x) + q3.scaled(y) + q4.scaled(x * y);
        ([a, b, c], [b.cross(c), c.cross(a), a.cross(b)])
    }
}

impl Moduli {
    /// Not less than 0 only if every place is known to have its share.
    #[inline(always)]
    pub fn to_spare(&self, m: &Modes<f64>) -> f64 {
        let [e1, e2, e3, q1, q2, q3, q4] = m.0;
        let [u1, u2, u3, ..] = self.units;
        let (volume, _) = m.volume_and_faces();
        let [c1, c2, c3] = m.faces();
        let square = |v: V3<f64>| v.dot(v);
        // Squares of lengths over those at rest: of what warps add to the edges at any place, of faces and edges in the middle.
        let added = square(q1) * (u1 + u2)
            + square(q2) * (u1 + u3)
            + square(q3) * (u2 + u3)
            + square(q4) * ((u1 + u2 + u3) * (1.0 / 3.0));
        let faces = square(c1) * (u2 * u3) + square(c2) * (u1 * u3) + square(c3) * (u1 * u2);
        let edges = square(e1) * u1 + square(e2) * u2 + square(e3) * u3;
        // Of the determinant, what is linear, quadratic and cubic in what is added: the square of their sum is at most three times the
        // sum of their squares, and squares ask for no roots.
        let third = added * (1.0 / 3.0);
        let changed = 3.0 * (added * faces + third * third * (3.0 * edges + third));
        let has = e1.dot(c1) * self.per_volume - SHARE * larger(volume * self.per_volume, LEAST);
        has * has.abs() - changed
    }

    /// Whether places are held at all.
    pub fn holds_places(&self) -> bool {
        self.firm > 0.0
    }

    /// Energy per rest volume of places that have less than their share, and its gradient.
    #[inline(always)]
    pub fn of_places<T: Number>(&self, m: &Modes<T>) -> (T, Modes<T>) {
        let per = T::of(self.per_volume);
        let modulus = T::of(0.125 * self.firm);
        // What the share is of, and whether it changes with the cell's volume.
        let [whole, own] = (m.volume() * per).apply(|v| [larger(v, LEAST), f64::from(v > LEAST)]);
        let floor = whole * T::of(SHARE);
        let (mut energy, mut all) = (T::of(0.0), T::of(0.0));
        let mut g = [V3::zero(); 7];
        for place in places() {
            let ([a, ..], faces) = m.at(place);
            let [lacks, _] = (floor - a.dot(faces[0]) * per).apply(|d| [d.max(0.0), f64::from(d > 0.0)]);
            (energy, all) = (energy + lacks * lacks, all + lacks);
            let [x, y, z] = place;
            let [a, b, c] = faces.map(|f| f.times(-(lacks * modulus * per)));
            g = [
                g[0] + a,
                g[1] + b,
                g[2] + c,
                g[3] + a.scaled(y) + b.scaled(x),
                g[4] + a.scaled(z) + c.scaled(x),
                g[5] + b.scaled(z) + c.scaled(y),
                g[6] + a.scaled(y * z) + b.scaled(x * z) + c.scaled(x * y),
            ];
        }
        let of_floor = m.volume_gradient().times(all * modulus * per * own * T::of(SHARE));
        (energy * modulus * T::of(0.5), Modes(g).plus(&of_floor))
    }

    /// How much stiffer than at rest places that have less than their share make a cell, about.
    #[inline(always)]
    pub fn stiffer_by_places(&self, m: &Modes<f64>) -> f64 {
        let [u1, u2, u3, ..] = self.units;
        let floor = SHARE * larger(m.volume() * self.per_volume, LEAST);
        let most = places().fold(0.0, |most, place| {
            let ([a, ..], [c1, c2, c3]) = m.at(place);
            let size = c1.dot(c1) * (u2 * u3) + c2.dot(c2) * (u1 * u3) + c3.dot(c3) * (u1 * u2);
            larger(most, if a.dot(c1) * self.per_volume < floor { size } else { 0.0 })
        });
        self.firm / self.bulk * most
    }

    /// How fast volume goes at the place where least of it will be left, over what is left there, while modes change at a rate.
    #[inline(always)]
    pub fn vanishing(&self, m: &Modes<f64>, rate: &Modes<f64>) -> f64 {
        let least = GONE * larger(m.volume() * self.per_volume, GONE);
        places().fold(0.0, |most, place| {
            let (([a, ..], [c1, c2, c3]), ([da, db, dc], _)) = (m.at(place), rate.at(place));
            let lost = -(da.dot(c1) + db.dot(c2) + dc.dot(c3)) * self.per_volume;
            larger(most, lost / larger(a.dot(c1) * self.per_volume, least))
        })
    }
}
