//! The coat of a clay body: where it is sampled and shown.

use super::Clay;
use super::felt::Felt;
use super::form::{Form, Ray};
use super::surface::Sculpture;
use crate::bodies::Lever;
use crate::contact::{Bounds, Coat, Sample, Sculptor};
use crate::math::Vec3;
use crate::math::portable::pow;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Seeds that stick are kept in words of so many bits, each of one skeleton.
pub const BITS: usize = 32;
/// The surface is looked for up to so many thicknesses from a skeleton.
const FARTHEST: f64 = 2.0;
/// But mostly it is found within so many.
const NEAR: f64 = 1.3;
/// Improvements of a place along its ray.
const ROUNDS: usize = 16;
/// As many skeletons as one thread may as well look after alone.
const FEW: usize = 32;
/// Cubes to a thickness where the surface is made into triangles. Small bodies are round all over and are seen as a whole: so
/// many for one skeleton, fewer by this power of the number of skeletons in a block, but never less than the last.
const CUBES: (f64, f64, f64) = (6.0, -0.22, 2.5);

/// Word and bit of a seed.
pub fn seed(number: u32) -> (usize, usize) {
    (number as usize / BITS, number as usize % BITS)
}

/// Those of a point.
fn rays_of_point() -> &'static [Ray] {
    static ALL: OnceLock<Vec<Ray>> = OnceLock::new();
    ALL.get_or_init(|| Form::Point.rays(1.0))
}

/// The seeds of a skeleton, found with the widest instructions that there are.
struct SeedsOf<'a>(&'a Clay, usize);

impl pulp::WithSimd for SeedsOf<'_> {
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
        let (centre, e) = (self.field.x[i], self.field.thickness[i]);
        let bone = self.shared.bone(i).map(|b| &self.shared.bones[b]);
        let shaped = self.field.shape_of(i);
        let (rays, extent) = bone.map_or((rays_of_point(), 0.0), |b| (&b.rays[..], b.form.extent()));
        let mut felt = [NEAR, FARTHEST].map(|far| (far * e + extent, None));
        // Others whose own surface reaches that of this one.
        let mates = self.field.mates(i, e + extent);
        // The own field and its slope at a distance along a ray.
        let own = |distance: f64, from: Vec3, ray: Vec3| match shaped {
            None => {
                let (own, slope) = self.field.shape.at(distance / e);
                (own, ray * (slope / e))
            }
            Some(shaped) => shaped.felt(self.field.shape, from + ray * distance),
        };
        let first = BITS as u32 * self.shared.words.first(i);
        let mut found = vec![];
        'rays: for (k, seed) in rays.iter().enumerate() {
            let (base, ray) = match shaped {
                None => (Vec3::ZERO, seed.along),
                Some(shaped) => (shaped.turn * seed.from, shaped.turn * seed.along),
            };
            // Where the own field is 1, another's is more: all that follows is the other's.
            if mates.enclose(centre, base + ray * e) {
                continue;
            }
            let from = centre + base;
            // Where the skeleton's own field is 1 the sum is no less.
            let (mut inside, mut outside) = (e, e);
            loop {
                outside += 0.25 * e;
                if outside > FARTHEST * e {
                    continue 'rays;
                }
                let (own, _) = own(outside, from, ray);
                let others = self.felt_up_to(i, outside + extent, &mut felt);
                let (sum, _) = others.at(from + ray * outside);
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
            let others = self.felt_up_to(i, outside + extent, &mut felt);
            for _ in 0..ROUNDS {
                let (own, own_slope) = own(distance, from, ray);
                let (sum, gradient) = others.at(from + ray * distance);
                slope = gradient + own_slope;
                let f = own + sum;
                if (f - 1.0).abs() < 1e-6 {
                    break;
                }
                if f > 1.0 {
                    inside = distance
                } else {
                    outside = distance
                }
                let next = distance + (1.0 - f) / slope.dot(ray);
                distance = if next > inside && next < outside { next } else { 0.5 * (inside + outside) };
            }
            let normal = (-slope).normalize_or(ray);
            let slant = normal.dot(ray).max(0.2);
            let area = seed.area_at(distance) / slant;
            let at = from + ray * distance;
            found.push(Sample { seed: first + k as u32, at, normal, area, from, across: seed.area });
        }
        found
    }

    fn find_seeds(&self, i: usize) -> Vec<Sample> {
        pulp::Arch::new().dispatch(SeedsOf(self, i))
    }

    /// Where all seeds are, to be shown. Those that nobody asked for in the last step are not kept: there are many.
    pub(super) fn places_of_seeds(&self) -> Vec<Vec3> {
        let of = |i: usize| -> Vec<Vec3> {
            let places = |seeds: &[Sample]| seeds.iter().map(|s| s.at).collect();
            let find = || self.find_seeds(i);
            if self.seeds.are_wanted(i) { places(self.seeds.of(i, find)) } else { places(&find()) }
        };
        (0..self.field.x.len()).into_par_iter().with_min_len(16).flat_map_iter(of).collect()
    }

    /// The field of all but one skeleton up to a distance from its centre, from lists for some distances that are made when
    /// needed.
    #[inline(always)]
    fn felt_up_to<'a, 'b>(
        &'b self,
        i: usize,
        distance: f64,
        lists: &'a mut [(f64, Option<Felt<'b>>); 2],
    ) -> &'a mut Felt<'b> {
        let which = usize::from(distance > lists[0].0);
        let (far, list) = &mut lists[which];
        list.get_or_insert_with(|| self.field.others(i, *far))
    }
}

impl Coat for Clay {
    fn bounds(&self) -> Bounds {
        // A skeleton's coat blends with others' to at most this.
        Bounds::of(self.field.x.iter().copied()).grown(2.0 * self.thickness() + self.shared.extent)
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
        let (word, bit) = seed(number);
        if self.stuck[word] >> bit & 1 == 1 { self.shared.adhesion } else { 0.0 }
    }

    fn samples(&self, wanted: &(dyn Fn(Vec3, f64) -> bool + Sync)) -> Vec<Sample> {
        let reach = FARTHEST * self.thickness() + self.shared.extent;
        let is_wanted = |i: &usize| wanted(self.field.x[*i], reach);
        let of = |i: usize| self.seeds.of(i, || self.find_seeds(i)).iter().copied();
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

    fn core(&self, skeleton: u32, p: Vec3) -> Vec3 {
        let i = skeleton as usize;
        self.field.shape_of(i).map_or(self.field.x[i], |shaped| p - shaped.way_to(p))
    }

    fn sculptor(&self) -> Box<dyn Sculptor + '_> {
        Box::new(Sculpture::new(&self.field, self.edge()))
    }

    fn colours(&self, places: &[Vec3]) -> Vec<[f32; 3]> {
        let all = &self.shared.colours;
        if all.is_empty() {
            return vec![];
        }
        // By the square of what each skeleton adds to the field: the nearest tell, so colours mix at seams alone.
        let mixed = |p: &Vec3| {
            let (mut mix, mut sum) = (Vec3::ZERO, 0.0);
            self.field.parts(*p, |i, f, _| {
                mix += Vec3::from(all[i].map(f64::from)) * (f * f);
                sum += f * f;
            });
            (mix / sum.max(1e-300)).as_vec3().to_array()
        };
        places.par_iter().with_min_len(256).map(mixed).collect()
    }
}
