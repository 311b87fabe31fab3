//! What surrounds all bodies: gravity and moving air.

use crate::math::Vec3;
use crate::scene::SceneSettings;

/// Gravity and air at one time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment {
    /// Acceleration of gravity `[m/s^2]`.
    pub gravity: Vec3,
    /// Velocity of the air `[m/s]`.
    pub wind: Vec3,
    /// Density of the air `[kg/m^3]`.
    pub air_density: f64,
}

impl Environment {
    /// The environment of a scene at time `t`.
    pub fn at(settings: &SceneSettings, t: f64) -> Self {
        Self { gravity: settings.gravity.at(t), wind: settings.wind.at(t), air_density: settings.air_density }
    }

    /// Velocity of a point of given mass after a time `h` in the air, taken implicitly. The wind is as the point sees it.
    pub fn slowed(&self, v: Vec3, wind: Vec3, (coefficient, area): (f64, f64), mass: f64, h: f64) -> Vec3 {
        let relative = v - wind;
        wind + relative / (1.0 + h * self.drag_factor(coefficient, area, relative.length()) / mass)
    }

    /// Drag on a body that moves through the air as a whole: `-(1/2) rho c_d A |u| u`, as the factor on `u` `[kg/s]`.
    pub fn drag_factor(&self, coefficient: f64, area: f64, relative_speed: f64) -> f64 {
        0.5 * self.air_density * coefficient * area * relative_speed
    }
}
