//! What the samples of one pixel add up to.

use crate::filter::ALONE;
use crate::trace::{SKY, Sample};
use glam::{Vec3A, Vec4};

/// Variance of the light, before the filter, that is worth more samples.
const NOISY: f32 = 1e-5;
/// The same of the light of the sun and lamps alone that is worth many: edges of shadows, which the filter would leave ragged
/// because it takes them for edges.
const RAGGED: f32 = 1e-3;

/// How many more samples pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wants {
    Nothing,
    /// The light is uneven.
    Some,
    /// Different things are seen, or one that shows others, or the edge of a shadow.
    Many,
}

/// Sums over the samples of one pixel.
#[derive(Clone, Copy, Default)]
pub(super) struct Pixel {
    light: Vec3A,
    sky: Vec3A,
    /// Light without bodies, on surfaces of a photograph.
    alone: Vec3A,
    colour: Vec3A,
    other: Vec3A,
    /// Of the parts multiplied and added, sample by sample; that of the sky apart, because not all looked for it.
    whole: Vec3A,
    whole_sky: Vec3A,
    normal: Vec3A,
    first_normal: Vec3A,
    first_colour: Vec3A,
    endless: bool,
    /// Of inverse distances, which are linear across the picture of a plane.
    nearness: f32,
    light_squared: f32,
    sky_squared: f32,
    /// Samples that looked for the sky.
    sky_count: u32,
    covered: f32,
    shade: f32,
    object: u32,
    count: u32,
    /// Whether its samples saw different things.
    mixed: bool,
    detailed: bool,
}

impl Pixel {
    /// Takes a sample, which looked for the sky or did not.
    #[inline(always)]
    pub fn add(&mut self, sample: &Sample, sky: bool, catches: bool) {
        let first = self.count == 0;
        let nearness = 1.0 / sample.distance;
        if first {
            self.object = sample.object;
            self.first_normal = sample.normal;
            self.first_colour = sample.colour;
            self.endless = sample.endless;
        } else {
            let bent = sample.normal.dot(self.first_normal) < 0.95 && sample.object != SKY;
            let stepped = (nearness * self.count as f32 - self.nearness).abs() > 0.1 * self.nearness;
            self.mixed |= sample.object != self.object || bent || (stepped && !sample.endless);
        }
        self.light += sample.light;
        self.colour += sample.colour;
        self.other += sample.other;
        self.sky += sample.sky;
        self.alone += sample.alone;
        // Of a photograph the light is part already; bodies change it by a factor.
        let light = if catches { sample.light / sample.alone } else { sample.light };
        self.whole += light * sample.colour + sample.other;
        self.whole_sky += sample.sky * sample.colour;
        self.normal += sample.normal;
        self.nearness += nearness;
        self.light_squared += brightness(sample.light).powi(2);
        self.sky_squared += brightness(sample.sky).powi(2);
        self.sky_count += u32::from(sky);
        self.detailed |= sample.detailed;
        self.count += 1;
        if catches {
            self.shade += 1.0 - brightness(light).min(1.0);
        } else if sample.object != SKY {
            self.covered += 1.0;
        }
    }

    /// Takes back the light of a sample that is only a shadow.
    pub fn darken(&mut self, sample: &Sample) {
        self.colour -= sample.colour;
        self.whole -= sample.light / sample.alone * sample.colour;
    }

    /// Samples so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// How many more samples pay, as far as this pixel alone can tell.
    pub fn wants(&self) -> Wants {
        if self.mixed || self.detailed {
            return Wants::Many;
        }
        let sun = variance(self.light, self.light_squared, self.count);
        let grain = sun + variance(self.sky, self.sky_squared, self.sky_count);
        let coloured = self.mean(self.colour).distance_squared(self.first_colour) > 1e-6;
        if sun >= RAGGED {
            Wants::Many
        } else if grain > NOISY || coloured {
            Wants::Some
        } else {
            Wants::Nothing
        }
    }

    /// Whether two neighbours see so different things that there may be more to see between them.
    pub fn is_unlike(&self, other: &Pixel) -> bool {
        self.object != other.object
            || (self.first_normal.dot(other.first_normal) < 0.95 && self.object != SKY)
            || (self.steps_to(other) && !self.endless)
            || brightness(self.mean(self.light) - other.mean(other.light)).abs() > 0.03
            || self.first_colour.distance_squared(other.first_colour) > 1e-6
    }

    /// Whether the distance changes by more than a surface that is not seen edge-on would explain.
    fn steps_to(&self, other: &Pixel) -> bool {
        let (a, b) = (self.nearness * other.count as f32, other.nearness * self.count as f32);
        (a - b).abs() > 0.1 * a.min(b)
    }

    fn mean(&self, sum: Vec3A) -> Vec3A {
        sum / self.count.max(1) as f32
    }

    /// Colour by which the light is multiplied.
    pub fn colour(&self) -> Vec3A {
        if self.mixed { Vec3A::ONE } else { self.mean(self.colour) }
    }

    /// Light, and the variance of its brightness. Where different things are seen, it is already multiplied by their
    /// colours.
    pub fn light(&self) -> Vec4 {
        if self.mixed {
            let sky = self.whole_sky / self.sky_count.max(1) as f32;
            return (self.mean(self.whole) + sky).extend(0.0);
        }
        if self.alone != Vec3A::ZERO {
            let grain = variance(self.light, self.light_squared, self.count);
            let scale = brightness(self.mean(self.alone));
            return (self.light / self.alone).extend(grain / (scale * scale));
        }
        let light = self.mean(self.light) + self.sky / self.sky_count.max(1) as f32;
        let sun = variance(self.light, self.light_squared, self.count);
        light.extend(sun + variance(self.sky, self.sky_squared, self.sky_count))
    }

    /// What is mirrored or shines through, with a guess of its variance.
    pub fn other(&self) -> Vec4 {
        if self.mixed { Vec4::ZERO } else { self.mean(self.other).extend(2e-4) }
    }

    /// Normal, and inverse distance.
    pub fn guide(&self) -> Vec4 {
        self.normal.normalize_or_zero().extend(self.nearness / self.count.max(1) as f32)
    }

    /// Pixels whose light may be put together with this one's, and those whose other light may.
    pub fn groups(&self) -> [f32; 2] {
        let group = if self.mixed || self.object == SKY { ALONE } else { self.object as f32 };
        // What is mirrored is grainy in rough coats only.
        let grainy = self.other != Vec3A::ZERO && self.object != SKY && !self.detailed;
        [group, if grainy { group } else { ALONE }]
    }

    pub fn alpha(&self) -> f32 {
        ((self.covered + self.shade) / self.count.max(1) as f32).clamp(0.0, 1.0)
    }
}

/// Variance of a mean, from the sum and the sum of squares.
fn variance(sum: Vec3A, squares: f32, count: u32) -> f32 {
    let n = count.max(1) as f32;
    let m = brightness(sum) / n;
    (squares / n - m * m).max(0.0) / n
}

fn brightness(light: Vec3A) -> f32 {
    light.dot(Vec3A::new(0.2126, 0.7152, 0.0722))
}
