//! The sun as neighbouring places see it. Ways to the sun are nearly parallel, so they are walked together.

use super::{HORIZON, Spot, Tracer, coat};
use crate::light::Beam;
use crate::stage::{Stage, TOGETHER};
use glam::{Vec2, Vec3A};
use pliant::scene::Finish;

/// What arrives of the sun at each of some places.
pub(crate) type Beams = [Option<Beam>; TOGETHER];

impl Tracer<'_> {
    /// The sun's light on some places, each from the point of the sun that `disc` gives for it on the unit disc.
    #[inline(always)]
    pub fn sunlight(&mut self, spots: &[Option<Spot>; TOGETHER], disc: impl Fn(usize) -> Vec2) -> Beams {
        let (stage, lights) = (self.stage, self.lights);
        self.arriving_beams(spots, |k, spot| {
            // A metal has no colour below its surface.
            let shows = stage.surface(spot.object).finish != Finish::Metal;
            lights.sun(disc(k)).filter(|beam| shows && spot.normal.dot(beam.middle) > 0.0)
        })
    }

    /// The sun's reflections in the coats of some places, as those see them who look along some rays.
    #[inline(always)]
    pub fn glints(
        &mut self,
        spots: &[Option<Spot>; TOGETHER],
        rays: &[(Vec3A, Vec3A); TOGETHER],
        disc: impl Fn(usize) -> Vec2,
    ) -> [Vec3A; TOGETHER] {
        let (stage, lights) = (self.stage, self.lights);
        let beams = self.arriving_beams(spots, |k, spot| {
            let (coat, beam) = (stage.surface(spot.object).coat()?, lights.sun(disc(k))?);
            let shine = coat::highlight(spot.normal, -rays[k].1, beam.direction, coat);
            (shine.max_element() > 1e-4).then(|| Beam { light: beam.light * shine, ..beam })
        });
        beams.map(|beam| beam.map_or(Vec3A::ZERO, |b| b.light))
    }

    /// What is left of the beams that are wanted, after what stands in their way.
    #[inline(always)]
    fn arriving_beams(
        &mut self,
        spots: &[Option<Spot>; TOGETHER],
        wanted: impl Fn(usize, &Spot) -> Option<Beam>,
    ) -> Beams {
        let mut beams = [None; TOGETHER];
        let (mut rays, mut whose, mut count) = ([(Vec3A::ZERO, Vec3A::ZERO); TOGETHER], [0; TOGETHER], 0);
        for (k, spot) in spots.iter().enumerate() {
            let Some(spot) = spot.as_ref().filter(|s| self.shows_sunlight(s)) else { continue };
            let Some(beam) = wanted(k, spot) else { continue };
            beams[k] = Some(beam);
            (rays[count], whose[count]) = ((spot.above, beam.direction), k);
            count += 1;
        }
        let passing = self.passing_along(&rays[..count]);
        for (k, passing) in whose[..count].iter().zip(passing) {
            let arriving = beams[*k].filter(|_| passing != Vec3A::ZERO);
            beams[*k] = arriving.map(|beam| Beam { light: beam.light * passing, ..beam });
        }
        beams
    }

    /// Whether the sun makes a difference to what is seen at a place: not where a photograph or the horizon is shown.
    fn shows_sunlight(&self, spot: &Spot) -> bool {
        spot.haze <= HORIZON && !self.plate.is_some_and(|p| p.catches(spot.object))
    }

    /// How much of the light passes along each of some endless ways.
    #[inline(always)]
    fn passing_along(&mut self, rays: &[(Vec3A, Vec3A)]) -> [Vec3A; TOGETHER] {
        let mut passing = [Vec3A::ONE; TOGETHER];
        if self.stage.has_gelatin {
            for (passing, (origin, direction)) in passing.iter_mut().zip(rays) {
                *passing = self.passing_gelatin(*origin, *direction, f32::INFINITY);
            }
            return passing;
        }
        rays.iter().for_each(|(origin, direction)| self.rays.add(*origin, *direction, f32::INFINITY, true));
        let Stage { tree, planes, .. } = self.stage;
        let blocked = tree.are_blocked(&mut self.waiting, rays, planes);
        for (k, passing) in passing.iter_mut().enumerate() {
            if blocked >> k & 1 != 0 {
                *passing = Vec3A::ZERO;
            }
        }
        passing
    }
}
