//! Where light comes from: a sun with a visible size, a sky, flat lamps.

use crate::material::linear;
use crate::sampler::Sampler;
use crate::stage::Cast;
use glam::{Vec2, Vec3A};
use pliant::math::Vec3;
use pliant::scene::LightSpec;

/// Steps of the table of the open sky's light.
const OPEN_STEPS: usize = 64;

/// All lights of a scene. Brightness is that of a white wall under the light: irradiance over pi.
#[derive(Clone, Debug)]
pub(crate) struct Lights {
    sun: Vec3A,
    sun_axes: [Vec3A; 2],
    /// Sine of the sun's angular radius.
    sun_size: f32,
    sun_light: Vec3A,
    zenith: Vec3A,
    horizon: Vec3A,
    /// The sky as it is shown: in its colours, however much it lights the scene.
    shown: [Vec3A; 2],
    /// What the whole sky gives to surfaces, by how far they look up: from straight down to straight up.
    open: Vec<Vec3A>,
    lamps: Vec<Lamp>,
}

#[derive(Clone, Debug)]
struct Lamp {
    middle: Vec3A,
    axis: Vec3A,
    sides: [Vec3A; 2],
    radius: f32,
    /// Brightness of its surface.
    light: Vec3A,
}

/// Light that arrives from one place, if nothing is in its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    /// Towards a point of the light, which may be hidden.
    pub direction: Vec3A,
    /// Towards its middle, by which surfaces are lit: the same for all points of a far light, so that what is not in
    /// shadow has no grain.
    pub middle: Vec3A,
    pub distance: f32,
    /// Irradiance over pi of a surface that faces the light.
    pub light: Vec3A,
}

impl Lights {
    pub fn new(spec: &LightSpec, cast: &Cast) -> Self {
        let sun = Vec3::from(spec.direction).as_vec3a().normalize_or(Vec3A::Y);
        let sky = spec.sky_strength as f32;
        let lamp = |lamp: &pliant::scene::LampSpec| {
            let (middle, target) = (cast.place(Vec3::from(lamp.at)), cast.place(Vec3::from(lamp.look_at)));
            let (axis, radius) = ((target - middle).normalize_or(-Vec3A::Y), lamp.radius as f32);
            let far = (target - middle).length_squared();
            let light =
                linear(&lamp.colour) * lamp.strength as f32 * (far + radius * radius) / (radius * radius);
            Lamp { middle, axis, sides: sides(axis), radius, light }
        };
        let mut lights = Self {
            sun,
            open: vec![],
            sun_axes: sides(sun),
            sun_size: (spec.softness.to_radians() as f32).sin(),
            sun_light: linear(&spec.colour) * spec.strength as f32,
            zenith: linear(&spec.sky) * sky,
            horizon: linear(&spec.horizon) * sky,
            shown: [linear(&spec.horizon), linear(&spec.sky)],
            lamps: spec.lamp.iter().map(lamp).collect(),
        };
        lights.open =
            (0..=OPEN_STEPS).map(|k| lights.integral(2.0 * k as f32 / OPEN_STEPS as f32 - 1.0)).collect();
        lights
    }

    /// The sky's light on a surface whose normal has this height, with nothing in the way.
    fn integral(&self, up: f32) -> Vec3A {
        let normal = Vec3A::new((1.0 - up * up).max(0.0).sqrt(), up, 0.0);
        let count = 1 << 12;
        let sum = (0..count).map(|i| self.sky(cosine(normal, Sampler::new(0, 0, i, count, 0).disc())));
        sum.fold(Vec3A::ZERO, |a, b| a + b) / count as f32
    }

    /// The same from a table.
    pub fn open_sky(&self, normal: Vec3A) -> Vec3A {
        let place = (normal.y.clamp(-1.0, 1.0) + 1.0) * (0.5 * OPEN_STEPS as f32);
        let k = (place as usize).min(OPEN_STEPS - 1);
        self.open[k].lerp(self.open[k + 1], place - k as f32)
    }

    /// The sky in some direction, without the sun.
    pub fn sky(&self, direction: Vec3A) -> Vec3A {
        self.horizon.lerp(self.zenith, direction.y.max(0.0).sqrt())
    }

    /// The sky behind the scene.
    pub fn backdrop(&self, direction: Vec3A) -> Vec3A {
        self.shown[0].lerp(self.shown[1], direction.y.max(0.0).sqrt())
    }

    /// What the sky gives on average.
    pub fn ambient(&self) -> Vec3A {
        0.5 * (self.horizon + self.zenith)
    }

    /// Light from one point of the sun, given by one of the unit disc.
    pub fn sun(&self, disc: Vec2) -> Option<Beam> {
        if self.sun_light == Vec3A::ZERO {
            return None;
        }
        let disc = disc * self.sun_size;
        let direction = self.sun * (1.0 - disc.length_squared()).max(0.0).sqrt()
            + self.sun_axes[0] * disc.x
            + self.sun_axes[1] * disc.y;
        Some(Beam { direction, middle: self.sun, distance: f32::INFINITY, light: self.sun_light })
    }

    /// Light from one point of one lamp, made up for the lamps that were not chosen.
    pub fn lamp(&self, position: Vec3A, choice: f32, disc: Vec2) -> Option<Beam> {
        let count = self.lamps.len();
        let lamp = self.lamps.get(((choice * count as f32) as usize).min(count.saturating_sub(1)))?;
        let disc = disc * lamp.radius;
        let there = lamp.middle + lamp.sides[0] * disc.x + lamp.sides[1] * disc.y;
        let way = there - position;
        let distance = way.length();
        let direction = way / distance;
        let facing = -direction.dot(lamp.axis);
        // The area over pi: the factor pi of the area and that of the definition of brightness cancel.
        let light = lamp.light * (lamp.radius * lamp.radius * facing / (distance * distance) * count as f32);
        (facing > 0.0 && distance > 0.0).then_some(Beam { direction, middle: direction, distance, light })
    }

    pub fn has_lamps(&self) -> bool {
        !self.lamps.is_empty()
    }
}

/// Two unit vectors that stand on `axis` and on each other.
pub(crate) fn sides(axis: Vec3A) -> [Vec3A; 2] {
    let (x, y) = axis.any_orthonormal_pair();
    [x, y]
}

/// A direction around `normal`, more often near it: with the cosine's density.
pub(crate) fn cosine(normal: Vec3A, disc: Vec2) -> Vec3A {
    let [x, y] = sides(normal);
    x * disc.x + y * disc.y + normal * (1.0 - disc.length_squared()).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_directions_have_the_cosines_mean() {
        let n = Vec3A::new(1.0, 2.0, -0.5).normalize();
        let count = 4096;
        let mean: f32 = (0..count).map(|i| cosine(n, Sampler::new(0, 0, i, count, 0).disc()).dot(n)).sum();
        assert!((mean / count as f32 - 2.0 / 3.0).abs() < 2e-3, "{mean}");
    }

    #[test]
    fn lamp_gives_a_facing_wall_at_its_target_its_strength() {
        let spec = LightSpec {
            strength: 0.0,
            lamp: vec![pliant::scene::LampSpec {
                at: [0.0, 2.0, 0.0],
                look_at: [0.0, 0.0, 0.0],
                radius: 1.0,
                colour: pliant::scene::Colour::Rgb([1.0; 3]),
                strength: 1.0,
            }],
            ..LightSpec::default()
        };
        let cast = Cast::new(&Default::default(), &Default::default(), Vec3::ZERO, 1.0);
        let lights = Lights::new(&spec, &cast);
        let count = 1 << 14;
        let mean: f32 = (0..count)
            .filter_map(|i| lights.lamp(Vec3A::ZERO, 0.0, Sampler::new(0, 0, i, count, 0).disc()))
            .map(|b| b.light.x * b.direction.y)
            .sum();
        assert!((mean / count as f32 - 1.0).abs() < 1e-2, "{}", mean / count as f32);
    }
}
