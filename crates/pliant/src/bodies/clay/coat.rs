//! The coat of a clay body: where it is sampled, and how it hands pushes on to the skeletons.

use super::surface::surface;
use super::{BEFORE, Clay};
use crate::bodies::Lever;
use crate::contact::{Bounds, Coat, Limit, Sample, Surface};
use crate::math::{Mat3, Vec3, outer, pseudo_inverse, skew};

/// Rays along which each skeleton looks for the surface.
const RAYS: usize = 32;
/// Skeletons that add less than this share of the strongest do not carry a place; but so many do, for fewer cannot
/// take up any torque.
const FAINT: f64 = 0.12;
const LEAST: usize = 4;
/// Cubes to a thickness where the surface is made into triangles.
pub const CUBES: f64 = 3.0;

/// Directions spread evenly over a ball.
fn rays() -> impl Iterator<Item = Vec3> {
    (0..RAYS).map(|k| {
        let z = 1.0 - (2 * k + 1) as f64 / RAYS as f64;
        let turn = k as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * turn.cos(), r * turn.sin(), z)
    })
}

impl Clay {
    /// The place where a ray from a skeleton leaves the body, unless another skeleton is stronger there.
    fn seed(&self, i: usize, ray: Vec3) -> Option<Sample> {
        let field = &self.field;
        let (from, e) = (field.x[i], field.thickness[i]);
        // Where the skeleton's own field is 1 the sum is no less.
        let (mut inside, mut outside) = (e, e);
        loop {
            outside += 0.25 * e;
            let p = from + ray * outside;
            let (mut sum, mut own, mut strongest) = (0.0, 0.0, 0.0f64);
            field.parts(p, |j, f, _| {
                sum += f;
                if j == i { own = f } else { strongest = strongest.max(f) }
            });
            if strongest > own {
                return None;
            }
            if sum < 1.0 {
                break;
            }
            inside = outside;
            if outside > field.reach() {
                return None;
            }
        }
        for _ in 0..16 {
            let middle = 0.5 * (inside + outside);
            if field.value(from + ray * middle) > 1.0 { inside = middle } else { outside = middle }
        }
        let distance = 0.5 * (inside + outside);
        let at = from + ray * distance;
        let normal = (-field.at(at).1).normalize_or(ray);
        let slant = normal.dot(ray).max(0.2);
        Some(Sample {
            at,
            normal,
            area: distance * distance * 4.0 * std::f64::consts::PI / RAYS as f64 / slant,
        })
    }

    /// `[DG94]` section 4, first method: what acts along the field's normal is shared out by gradients, which keeps force
    /// and torque since each points at its skeleton. What acts across it is shared out so that a set of points that
    /// moves rigidly would feel the same force and torque.
    pub(super) fn lever_on(&self, p: Vec3, store: &mut Vec<f64>) -> Lever {
        let mut parts: Vec<(usize, f64, Vec3)> = vec![];
        self.field.parts(p, |i, f, g| parts.push((i, f, g)));
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let strong = parts.iter().take_while(|(_, f, _)| *f >= FAINT * parts[0].1).count();
        parts.truncate(strong.max(LEAST));
        let total: f64 = parts.iter().map(|(_, f, _)| f).sum();
        let slope: Vec3 = parts.iter().map(|(_, _, g)| *g).sum();
        let steep = slope.length().max(1e-300);
        let normal = -slope / steep;
        let middle = parts.iter().map(|(i, f, _)| self.x[*i] * (*f / total)).sum::<Vec3>();
        let mut spread = Mat3::ZERO;
        for (i, f, _) in &parts {
            let s = skew(self.x[*i] - middle);
            spread -= s * s * (*f / total);
        }
        let turning = skew(p - middle) * pseudo_inverse(&spread);
        let across = Mat3::IDENTITY - outer(normal, normal);
        let at = store.len() as u32;
        store.extend((p - self.middle).to_array());
        for (i, f, g) in &parts {
            let carried = (Mat3::IDENTITY - turning * skew(self.x[*i] - middle)) * (*f / total);
            let matrix = outer(normal, -*g / steep) + across * carried;
            store.extend([(BEFORE + 3 * i) as f64, 1.0 / self.shared.mass[*i]]);
            store.extend(matrix.to_cols_array());
        }
        Lever::Blend { at, count: parts.len() as u32 }
    }
}

impl Coat for Clay {
    fn bounds(&self) -> Bounds {
        // A skeleton's coat blends with others' to at most this.
        Bounds::of(self.field.x.iter().copied()).grown(2.0 * self.thickness())
    }

    fn at(&self, p: Vec3) -> (f64, Vec3) {
        self.field.at(p)
    }

    fn thickness(&self) -> f64 {
        self.field.thickness.iter().copied().fold(0.0, f64::max)
    }

    fn stiffness(&self) -> f64 {
        self.shared.coat_stiffness
    }

    fn samples(&self, within: &Bounds) -> Vec<Sample> {
        let reach = 2.0 * self.thickness();
        let mut found = vec![];
        for i in 0..self.field.x.len() {
            let p = self.field.x[i];
            if (Bounds { low: p, high: p }).grown(reach).overlaps(within) {
                found.extend(rays().filter_map(|ray| self.seed(i, ray)));
            }
        }
        found
    }

    fn lever(&self, p: Vec3, store: &mut Vec<f64>) -> Lever {
        self.lever_on(p, store)
    }
    fn edge(&self) -> f64 {
        self.shared.thickness / CUBES
    }

    fn surface(&self, limit: Limit) -> Surface {
        surface(&self.field, self.edge(), limit)
    }
}
