//! Sums over points that have masses: what kinds made of such points measure alike.

use crate::math::{Mat3, Vec3, skew};

/// Places, velocities and masses, in the same order.
pub struct Points<'a> {
    pub x: &'a [Vec3],
    pub v: &'a [Vec3],
    pub mass: &'a [f64],
}

impl Points<'_> {
    /// Linear momentum `[kg m/s]`.
    pub fn momentum(&self) -> Vec3 {
        self.v.iter().zip(self.mass).map(|(v, m)| *v * *m).sum()
    }

    /// Angular momentum about the world origin `[kg m^2/s]`.
    pub fn angular_momentum(&self) -> Vec3 {
        self.v.iter().zip(self.mass).zip(self.x).map(|((v, m), x)| x.cross(*v) * *m).sum()
    }

    /// Kinetic energy `[J]`.
    pub fn kinetic(&self) -> f64 {
        0.5 * self.v.iter().zip(self.mass).map(|(v, m)| v.length_squared() * m).sum::<f64>()
    }
}

/// Centre of mass `[m]`.
pub fn centre(x: &[Vec3], mass: &[f64], total: f64) -> Vec3 {
    x.iter().zip(mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total
}

/// Inertia about a place `[kg m^2]`.
pub fn inertia(x: &[Vec3], mass: &[f64], about: Vec3) -> Mat3 {
    let each = mass.iter().zip(x);
    each.map(|(m, x)| skew(*x - about) * skew(*x - about) * -*m).fold(Mat3::ZERO, |s, a| s + a)
}

/// The largest speed; not a number if any is not.
pub fn fastest(v: &[Vec3]) -> f64 {
    let most = |a: f64, b: f64| if b.is_nan() { b } else { a.max(b) };
    v.iter().map(|v| v.length_squared()).fold(0.0, most).sqrt()
}
