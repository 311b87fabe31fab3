//! The augmented Lagrangian for masses in motion.

use super::{Condition, MassPoint, Sense};
use crate::math::Vec3;

/// Coordinates in motion, each with its mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Positions.
    pub x: Vec<f64>,
    /// What the forces have built up. Under load this is not the velocity of `x`: the conditions take their share of it
    /// away on the way to the positions. Do not use it as momentum.
    pub v: Vec<f64>,
    /// Mass of each coordinate.
    pub masses: Vec<f64>,
}

impl Motion {
    /// Of points: three coordinates each.
    pub fn of_points(points: &[MassPoint]) -> Self {
        Self {
            x: points.iter().flat_map(|p| p.position.to_array()).collect(),
            v: points.iter().flat_map(|p| p.velocity.to_array()).collect(),
            masses: points.iter().flat_map(|p| [p.mass; 3]).collect(),
        }
    }

    /// Positions of points.
    pub fn positions(&self) -> Vec<Vec3> {
        self.x.chunks_exact(3).map(Vec3::from_slice).collect()
    }
}

/// Conditions on masses in motion: `[PB88]` Eq. 61-63.
///
/// ```text
/// x'      = v - p grad g / m
/// v'      = F / m - drag v - damping (grad g . v) grad g / m
/// lambda' = (p - lambda) / tau,   p = lambda + k g,   tau = k unless set (so lambda' = g)
/// ```
///
/// with `p = max(0, lambda - k h)` and the other sign for an inequality, which damps only while it pushes. Differs from
/// the paper: the divisions by `m`, without which the centre of mass drifts as soon as masses differ.
///
/// Some drag or damping is needed: with none of both a steady load is never brought to the condition.
#[derive(Clone, Debug)]
pub struct PhysicalAugmented {
    strength: f64,
    /// `tau`: time in which multipliers take over what the rubber bands carry.
    pub multiplier_time: f64,
    /// `c`: damping of motion that breaks a condition.
    pub damping: f64,
    /// `epsilon`: drag on all motion `[1/s]`.
    pub drag: f64,
    /// Largest absolute value of any multiplier.
    pub limit: f64,
    multipliers: Vec<f64>,
}

impl PhysicalAugmented {
    /// Multipliers 0 for so many conditions, rubber bands of strength `k`, the given damping, no drag.
    ///
    /// # Panics
    ///
    /// If the strength is not above 0.
    pub fn new(conditions: usize, strength: f64, damping: f64) -> Self {
        assert!(strength > 0.0, "the strength of an augmented Lagrangian must be above 0; it is {strength}");
        Self {
            strength,
            multiplier_time: strength,
            damping,
            drag: 0.0,
            limit: f64::INFINITY,
            multipliers: vec![0.0; conditions],
        }
    }

    /// The multipliers, in the order of the conditions; see [`Sense`] for their signs.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// One step under given forces, one per coordinate: `v`, then `x`, then the multipliers, each from the newest.
    pub fn step(&mut self, motion: &mut Motion, forces: &[f64], conditions: &[Condition], dt: f64) {
        let Motion { x, v, masses } = motion;
        let k = self.strength;
        let mut rates: Vec<f64> = (0..x.len()).map(|i| forces[i] / masses[i] - self.drag * v[i]).collect();
        let mut shifts = vec![0.0; x.len()];
        let mut gradient = vec![0.0; x.len()];
        for (condition, lambda) in conditions.iter().zip(&self.multipliers) {
            gradient.fill(0.0);
            let value = condition.function.evaluate(x, &mut gradient);
            let p = condition.sense.augment(*lambda, k, value);
            let speed: f64 = gradient.iter().zip(v.iter()).map(|(g, v)| g * v).sum();
            let damping = if condition.sense == Sense::Equal || p > 0.0 { self.damping } else { 0.0 };
            for i in 0..x.len() {
                // [PB88] Eq. 61 and 62, with the masses.
                shifts[i] += condition.sense.sign() * p * gradient[i] / masses[i];
                rates[i] -= damping * speed * gradient[i] / masses[i];
            }
        }
        for i in 0..x.len() {
            v[i] += dt * rates[i];
            x[i] += dt * (v[i] + shifts[i]);
        }
        for (condition, lambda) in conditions.iter().zip(&mut self.multipliers) {
            let value = condition.function.evaluate(x, &mut gradient);
            // [PB88] Eq. 63.
            *lambda += dt / self.multiplier_time * (condition.sense.augment(*lambda, k, value) - *lambda);
            *lambda = lambda.clamp(-self.limit, self.limit);
        }
    }
}
