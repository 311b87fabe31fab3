//! Rotation under a fixed angular momentum.

use crate::math::{Mat3, Quat, Vec3};

/// Largest turn of one midpoint step `[rad]`; faster spins are cut into equal parts.
const LARGEST_TURN: f64 = 0.5;

/// Orientation after time `h` at constant angular momentum (world axes), by the midpoint rule on the rotation
/// group: keeps the energy to round-off for any step.
pub fn turn(rotation: Quat, momentum: Vec3, inverse_inertia: &Mat3, h: f64) -> Quat {
    if momentum == Vec3::ZERO || h == 0.0 {
        return rotation;
    }
    let rate = (*inverse_inertia * (rotation.inverse() * momentum)).length();
    let parts = (h * rate / LARGEST_TURN).ceil().clamp(1.0, 256.0) as u32;
    let mut r = rotation;
    for _ in 0..parts {
        r = midpoint(r, momentum, inverse_inertia, h / f64::from(parts));
    }
    r
}

/// One midpoint step: solves `w = I^-1 (l0 + cay(-h w) l0)/2` by fixed-point iteration, which contracts because
/// the turn is small.
fn midpoint(rotation: Quat, momentum: Vec3, inverse_inertia: &Mat3, h: f64) -> Quat {
    let l0 = rotation.inverse() * momentum;
    let mut w = *inverse_inertia * l0;
    for _ in 0..60 {
        let l1 = cayley(-h * w) * l0;
        let better = *inverse_inertia * (0.5 * (l0 + l1));
        let change = (better - w).length_squared();
        w = better;
        if change <= 1e-32 * w.length_squared() {
            break;
        }
    }
    (rotation * cayley(h * w)).normalize()
}

/// The rotation `(1 - a/2)^-1 (1 + a/2)` of a skew matrix `a = [v]x`, as a quaternion.
pub fn cayley(v: Vec3) -> Quat {
    let half = 0.5 * v;
    Quat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

/// The rotation nearest to `s`, a sum of `x r^T`: the one that best turns all `r` into their `x` [Horn87].
pub fn rotation_of(s: &Mat3) -> Quat {
    let m = |i: usize, j: usize| s.col(j)[i];
    let matrix = [
        [m(0, 0) + m(1, 1) + m(2, 2), m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)],
        [m(2, 1) - m(1, 2), m(0, 0) - m(1, 1) - m(2, 2), m(0, 1) + m(1, 0), m(2, 0) + m(0, 2)],
        [m(0, 2) - m(2, 0), m(0, 1) + m(1, 0), m(1, 1) - m(0, 0) - m(2, 2), m(1, 2) + m(2, 1)],
        [m(1, 0) - m(0, 1), m(2, 0) + m(0, 2), m(1, 2) + m(2, 1), m(2, 2) - m(0, 0) - m(1, 1)],
    ];
    let (values, vectors) = super::symmetric_eigen(matrix.as_flattened(), 4);
    let best = (0..4).max_by(|i, j| values[*i].total_cmp(&values[*j])).unwrap_or(0);
    let q: [f64; 4] = std::array::from_fn(|i| vectors[best * 4 + i]);
    Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The middle axis is unstable: the body flips over and over, yet energy and momentum stay
    /// (Dzhanibekov's wing nut).
    #[test]
    fn dzhanibekov_flip_keeps_energy_and_momentum_for_a_thousand_seconds() {
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
        let inverse = inertia.inverse();
        let mut r = Quat::IDENTITY;
        let momentum = inertia * Vec3::new(1e-3, 3.0, 0.0);
        let energy = |r: Quat| {
            let l = r.inverse() * momentum;
            0.5 * l.dot(inverse * l)
        };
        let start = energy(r);
        let h = 1.0 / 120.0;
        let (mut worst, mut flips, mut side) = (0.0f64, 0, 1.0f64);
        for _ in 0..120_000 {
            r = turn(r, momentum, &inverse, h);
            worst = worst.max((energy(r) / start - 1.0).abs());
            let along = (r.inverse() * momentum).y;
            if along.abs() > 3.0 && along.signum() != side {
                side = along.signum();
                flips += 1;
            }
        }
        assert!(worst < 1e-10, "energy drifted by {worst:e}");
        assert!(flips > 50, "only {flips} flips");
    }

    #[test]
    fn a_sphere_turns_at_its_angular_velocity() {
        let inverse = Mat3::IDENTITY;
        let r = turn(Quat::IDENTITY, Vec3::Z * 0.3, &inverse, 0.01);
        let exact = 2.0 * (0.5f64 * 0.3 * 0.01).atan();
        assert!((r.to_scaled_axis().z - exact).abs() < 1e-15);
    }

    #[test]
    fn the_best_rotation_is_found_however_far() {
        let arms = [Vec3::X, Vec3::new(0.2, 2.0, -0.3), Vec3::new(-1.0, 0.5, 3.0), Vec3::new(0.4, -0.7, 0.1)];
        for axis in [Vec3::new(0.1, 0.2, -0.1), Vec3::new(2.9, 0.4, -1.0), Vec3::new(0.0, 3.1, 0.2)] {
            let turn = Quat::from_scaled_axis(axis);
            let s = arms.iter().map(|r| super::super::outer(turn * *r, *r)).fold(Mat3::ZERO, |a, b| a + b);
            assert!(rotation_of(&s).angle_between(turn) < 1e-7, "{axis}");
        }
    }
}
