//! The coat of a clay body: where it is sampled, and how it hands pushes on to the skeletons.

use super::field::Felt;
use super::surface::surface;
use super::{BEFORE, Clay};
use crate::bodies::Lever;
use crate::contact::{Bounds, Coat, Limit, Sample, Surface};
use crate::math::portable::{cos, pow, sin};
use crate::math::{Mat3, Vec3, outer, pseudo_inverse, skew};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Rays along which each skeleton looks for the surface; as many as there are bits for those that stick.
const RAYS: usize = 32;
/// The surface is looked for up to so many thicknesses from a skeleton.
const FARTHEST: f64 = 2.0;
/// But mostly it is found within so many.
const NEAR: f64 = 1.3;
/// Improvements of a place along its ray.
const ROUNDS: usize = 16;
/// Skeletons that add less than this share of the strongest do not carry a place; but so many do, for fewer cannot
/// take up any torque.
const FAINT: f64 = 0.12;
const LEAST: usize = 4;
/// As many skeletons as one thread may as well look after alone.
const FEW: usize = 32;
/// Cubes to a thickness where the surface is made into triangles. Small bodies are round all over and are seen as a whole: so
/// many for one skeleton, fewer by this power of the number of skeletons in a block, but never less than the last.
const CUBES: (f64, f64, f64) = (6.0, -0.22, 2.5);

/// Skeleton and ray of a seed.
pub fn seed(number: u32) -> (usize, usize) {
    (number as usize / RAYS, number as usize % RAYS)
}

/// Directions spread evenly over a ball.
fn rays() -> &'static [Vec3; RAYS] {
    static ALL: OnceLock<[Vec3; RAYS]> = OnceLock::new();
    ALL.get_or_init(|| {
        std::array::from_fn(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / RAYS as f64;
            let turn = k as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt());
            let r = (1.0 - z * z).sqrt();
            Vec3::new(r * cos(turn), r * sin(turn), z)
        })
    })
}

/// The seeds of a skeleton, found with the widest instructions that there are.
struct Seeds<'a>(&'a Clay, usize);

impl pulp::WithSimd for Seeds<'_> {
    type Output = Vec<Sample>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<Sample> {
        self.0.seeds(self.1)
    }
}

impl Clay {
    /// The places where rays from a skeleton leave the body, except where another skeleton is stronger.
    #[inline(always)]
    fn seeds(&self, i: usize) -> Vec<Sample> {
        let (from, e) = (self.field.x[i], self.field.thickness[i]);
        let mut felt = [NEAR, FARTHEST].map(|far| (far * e, None));
        // Others whose own surface reaches that of this one.
        let mut mates = vec![];
        self.field.mates(i, |d, its| mates.push((d, its * its)));
        let mut found = vec![];
        'rays: for (k, ray) in rays().iter().enumerate() {
            // Where the own field is 1, another's is more: all that follows is the other's.
            if mates.iter().any(|(d, square)| d.distance_squared(*ray * e) < *square) {
                continue;
            }
            // Where the skeleton's own field is 1 the sum is no less.
            let (mut inside, mut outside) = (e, e);
            loop {
                outside += 0.25 * e;
                let own = self.field.shape.at(outside / e).0;
                if outside > FARTHEST * e {
                    continue 'rays;
                }
                let others = self.felt_up_to(i, outside, &mut felt);
                let (sum, _) = others.at(from + *ray * outside);
                if others.largest() > own {
                    continue 'rays;
                }
                if own + sum < 1.0 {
                    break;
                }
                inside = outside;
            }
            let mut distance = 0.5 * (inside + outside);
            let mut slope = Vec3::ZERO;
            let others = self.felt_up_to(i, outside, &mut felt);
            for _ in 0..ROUNDS {
                let (own, own_slope) = self.field.shape.at(distance / e);
                let (sum, gradient) = others.at(from + *ray * distance);
                slope = gradient + *ray * (own_slope / e);
                let f = own + sum;
                if (f - 1.0).abs() < 1e-6 {
                    break;
                }
                if f > 1.0 {
                    inside = distance
                } else {
                    outside = distance
                }
                let next = distance + (1.0 - f) / slope.dot(*ray);
                distance = if next > inside && next < outside { next } else { 0.5 * (inside + outside) };
            }
            let normal = (-slope).normalize_or(*ray);
            let slant = normal.dot(*ray).max(0.2);
            let area = distance * distance * 4.0 * std::f64::consts::PI / RAYS as f64 / slant;
            found.push(Sample { seed: (RAYS * i + k) as u32, at: from + *ray * distance, normal, area });
        }
        found
    }

    /// The field of all but one skeleton up to a distance from it, from lists for some distances that are made when needed.
    #[inline(always)]
    fn felt_up_to<'a>(
        &self,
        i: usize,
        distance: f64,
        lists: &'a mut [(f64, Option<Felt>); 2],
    ) -> &'a mut Felt {
        let which = usize::from(distance > lists[0].0);
        let (far, list) = &mut lists[which];
        list.get_or_insert_with(|| self.field.others(i, *far))
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

    fn grip(&self, number: u32) -> f64 {
        let (i, ray) = seed(number);
        if self.stuck[i] >> ray & 1 == 1 { self.shared.adhesion } else { 0.0 }
    }

    fn samples(&self, wanted: &(dyn Fn(Vec3, f64) -> bool + Sync)) -> Vec<Sample> {
        let reach = FARTHEST * self.thickness();
        let is_wanted = |i: &usize| wanted(self.field.x[*i], reach);
        let of = |i: usize| {
            let found = self.seeds[i].get_or_init(|| pulp::Arch::new().dispatch(Seeds(self, i)).into());
            found.iter().copied()
        };
        let all = 0..self.field.x.len();
        if all.len() <= FEW {
            // Not worth the way to other threads.
            return all.filter(is_wanted).flat_map(of).collect();
        }
        all.into_par_iter().with_min_len(16).filter(is_wanted).flat_map_iter(of).collect()
    }

    fn lever(&self, p: Vec3, store: &mut Vec<f64>) -> Lever {
        self.lever_on(p, store)
    }
    fn edge(&self) -> f64 {
        let (of_one, power, least) = CUBES;
        self.shared.thickness / (of_one * pow(self.shared.block as f64, power)).max(least)
    }

    fn surface(&self, limit: &dyn Limit) -> Surface {
        surface(&self.field, self.edge(), limit)
    }
}
