//! Volume: a field's surface swells and shrinks as skeletons part and meet. The coat makes up for it.
//!
//! The law: every connected piece is to enclose its mass over the density, where it is pressed in as well. Sixty times a
//! second the thickness of the coat about its skeletons is changed by what is missing, at most by a few percent, so
//! nothing jumps.

use super::Clay;
use super::surface::{Unlimited, surface};
use crate::contact::Surface;
use crate::shape::Sets;

/// Time between two looks `[s]`.
const EVERY: f64 = 1.0 / 60.0;
/// The most by which a thickness shrinks and grows at once; what grows where it is pressed brings energy in.
const MOST: (f64, f64) = (0.06, 0.01);
/// Of what is pressed out this share of the whole is let go: what swells under a load lifts it, and so brings energy in.
const SPARED: f64 = 0.05;
/// Cubes to a thickness where volume is measured.
pub const MEASURED_CUBES: f64 = 2.0;
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
        let measured = surface(&self.field, self.shared.thickness / MEASURED_CUBES, &Unlimited);
        let pieces = self.pieces(&measured);
        let piece_of = |k: u32| pieces[measured.owners[k as usize] as usize] as usize;
        let most = pieces.iter().max().map_or(0, |p| *p as usize + 1);
        let (mut volume, mut wanted) = (vec![0.0; most], vec![0.0; most]);
        for (piece, m) in pieces.iter().zip(&self.shared.mass) {
            wanted[*piece as usize] += m * self.shared.room;
        }
        for t in &measured.triangles {
            volume[piece_of(t[0])] += measured.volume_under(t) + measured.bulge_over(t);
        }
        let mut pressed_out = vec![0.0; most];
        for (piece, lost) in pieces.iter().zip(&self.squeezed) {
            pressed_out[*piece as usize] += lost;
        }
        for ((volume, lost), wanted) in volume.iter_mut().zip(&pressed_out).zip(&wanted) {
            *volume -= (lost - SPARED * wanted).max(0.0);
        }
        for (e, piece) in self.field.thickness.iter_mut().zip(&pieces) {
            // Volumes grow at most with the cube of the thickness, so a third never is too much.
            let missing = 1.0 - volume[*piece as usize] / wanted[*piece as usize];
            *e *= 1.0 + (missing / 3.0).clamp(-MOST.0, MOST.1);
            *e = e.clamp(RANGE.0 * self.shared.thickness, RANGE.1 * self.shared.thickness);
        }
        self.dress();
    }

    /// Which piece each skeleton belongs to: those under one surface.
    fn pieces(&self, measured: &Surface) -> Vec<u32> {
        let mut sets = Sets::new(self.field.x.len());
        // Where two fields alone are enough halfway between neighbours, no surface lies there.
        let sites = self.shared.sites.places(&self.field.x, &self.poses);
        self.pairs.each(|a, b| {
            let [i, j] = [a, b].map(|site| self.shared.sites.skeleton(site));
            let half = 0.5 * sites[a].distance(sites[b]);
            let field = |i: usize| self.field.shape.at(half / self.field.thickness[i]).0;
            if field(i) + field(j) > 1.0 {
                sets.join(i, j);
            }
        });
        for t in &measured.triangles {
            let [a, b, c] = t.map(|k| measured.owners[k as usize] as usize);
            sets.join(a, b);
            sets.join(a, c);
        }
        sets.names()
    }
}
