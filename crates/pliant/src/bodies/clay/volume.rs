//! Volume: a field's surface swells and shrinks as skeletons part and meet. The coat makes up for it.
//!
//! The law: every connected piece is to enclose its mass over the density. Sixty times a second the thickness of the coat
//! about its skeletons is changed by a part of what is missing, at most by a percent, so nothing jumps.

use super::Clay;
use crate::shape::Sets;

/// Time between two looks `[s]`.
const EVERY: f64 = 1.0 / 60.0;
/// Part of what is missing that is made up for at once, and the most.
const PART: f64 = 0.3;
const MOST: f64 = 0.01;
/// Coats stay within these shares of their first thickness.
const RANGE: (f64, f64) = (0.5, 1.6);

impl Clay {
    /// Lets time pass; changes thicknesses when it is time to look.
    pub(super) fn keep_volume(&mut self, h: f64) {
        self.unmeasured += h;
        if self.unmeasured < EVERY {
            return;
        }
        self.unmeasured -= EVERY;
        let pieces = self.pieces();
        let most = pieces.iter().max().map_or(0, |p| p + 1);
        let (mut volume, mut wanted) = (vec![0.0; most], vec![0.0; most]);
        for (piece, m) in pieces.iter().zip(&self.shared.mass) {
            wanted[*piece] += m * self.shared.room;
        }
        let s = self.undeformed();
        for t in &s.triangles {
            let corners = t.map(|k| s.points[k as usize]);
            let piece = pieces[self.nearest(corners[0])];
            let at = |k: usize| corners[k] - self.x[0];
            volume[piece] += at(0).dot(at(1).cross(at(2))) / 6.0;
        }
        for (e, piece) in self.thickness.iter_mut().zip(&pieces) {
            let missing = wanted[*piece] / volume[*piece].max(1e-300) - 1.0;
            *e *= 1.0 + (PART * missing / 3.0).clamp(-MOST, MOST);
            *e = e.clamp(RANGE.0 * self.shared.thickness, RANGE.1 * self.shared.thickness);
        }
        self.dress();
    }

    /// The skeleton whose field is strongest at a place of the surface.
    fn nearest(&self, p: crate::math::Vec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        self.field.parts(p, |i, f, _| {
            if f > best.1 {
                best = (i, f);
            }
        });
        best.0
    }

    /// Which piece each skeleton belongs to: those under one surface.
    pub(super) fn pieces(&self) -> Vec<usize> {
        let s = self.undeformed();
        let mut sets = Sets::new(self.x.len());
        // Neighbours within each other's coat share it wherever the surface is.
        self.pairs.each(|i, j| {
            if self.x[i].distance(self.x[j]) < self.thickness[i].max(self.thickness[j]) {
                sets.join(i, j);
            }
        });
        let owners: Vec<usize> = s.points.iter().map(|p| self.nearest(*p)).collect();
        for t in &s.triangles {
            sets.join(owners[t[0] as usize], owners[t[1] as usize]);
            sets.join(owners[t[0] as usize], owners[t[2] as usize]);
        }
        let mut names = vec![usize::MAX; self.x.len()];
        let mut count = 0;
        (0..self.x.len())
            .map(|i| {
                let root = sets.root(i);
                if names[root] == usize::MAX {
                    names[root] = count;
                    count += 1;
                }
                names[root]
            })
            .collect()
    }
}
