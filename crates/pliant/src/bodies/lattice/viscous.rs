//! Viscous motion over a step, however thick: stabilised explicit steps.
//!
//! Plain explicit steps would have to be as short as the fastest decay. A Chebyshev method of `s` stages [SV80] is stable
//! up to `1.93 s^2` times that, so syrup costs its square root. Every stage adds forces that neither push nor turn, so
//! momenta are kept to round-off.

use super::forces::Cells;
use crate::math::Vec3;

/// How far below 1 the slowest of the fast decays is kept.
const DAMPING: f64 = 0.05;
/// The most stages; what is thicker than that moves as if it were a little less so.
const MOST: f64 = 200.0;

/// Lets velocities decay for a time `h` with nodes where they are. `fastest` bounds the fastest decay.
///
/// Twice half the time: the stages of one may turn a velocity around, which elastic forces would take for a swing and
/// feed; two of them never do.
pub fn decay(cells: &Cells, inverse_mass: &[f64], x: &[Vec3], v: &mut Vec<Vec3>, (h, fastest): (f64, f64)) {
    for _ in 0..2 {
        decay_once(cells, inverse_mass, x, v, (0.5 * h, fastest));
    }
}

fn decay_once(cells: &Cells, inverse_mass: &[f64], x: &[Vec3], v: &mut Vec<Vec3>, (h, decay): (f64, f64)) {
    let wanted = (h * decay / (2.0 - 4.0 / 3.0 * DAMPING)).sqrt().ceil().max(1.0);
    let stages = wanted.min(MOST);
    // Beyond the most stages time runs slower for the viscous part.
    let h = h * (stages / wanted).powi(2);
    let w0 = 1.0 + DAMPING / (stages * stages);
    // Chebyshev polynomials and their derivatives at w0.
    let count = stages as usize;
    let (mut t, mut dt) = (vec![1.0, w0], vec![0.0, 1.0]);
    for j in 2..=count {
        t.push(2.0 * w0 * t[j - 1] - t[j - 2]);
        dt.push(2.0 * t[j - 1] + 2.0 * w0 * dt[j - 1] - dt[j - 2]);
    }
    let w1 = t[count] / dt[count];
    let mut force = vec![Vec3::ZERO; v.len()];
    let mut change = |v: &[Vec3], share: f64, out: &mut [Vec3]| {
        cells.viscous_forces(x, v, &mut force);
        for ((out, f), i) in out.iter_mut().zip(&force).zip(inverse_mass) {
            *out += *f * (i * h * share);
        }
    };
    let mut last = v.clone();
    let mut now = v.clone();
    change(&last, w1 / w0, &mut now);
    for j in 2..=count {
        let (mu, nu) = (2.0 * w0 * t[j - 1] / t[j], -t[j - 2] / t[j]);
        let mut next: Vec<Vec3> = now.iter().zip(&last).map(|(n, l)| *n * mu + *l * nu).collect();
        change(&now, 2.0 * w1 * t[j - 1] / t[j], &mut next);
        last = std::mem::replace(&mut now, next);
    }
    *v = now;
}
