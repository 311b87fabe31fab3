//! Functions that give the same bits on every machine. Those of the standard library are the system's own, and from one
//! system to another they differ in the last digit.

use super::{Quat, Vec3};
pub(crate) use libm::{atan2, cbrt, cos, exp, expm1 as exp_m1, hypot, log as ln, log2, pow, sin};

/// Sine and cosine.
pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// The rotation about an axis by its length.
pub(crate) fn rotation_by(axis: Vec3) -> Quat {
    let angle = axis.length();
    let (sin, cos) = sin_cos(0.5 * angle);
    // The sine over the angle, which is a half where there is nothing to divide.
    let share = if angle > 0.0 { sin / angle } else { 0.5 };
    Quat::from_xyzw(axis.x * share, axis.y * share, axis.z * share, cos)
}

/// A rotation as an axis times an angle of at most half a turn.
pub(crate) fn axis_of(q: Quat) -> Vec3 {
    let (half, w) = if q.w < 0.0 { (-q.xyz(), -q.w) } else { (q.xyz(), q.w) };
    let sin = half.length();
    let share = if sin > 0.0 { 2.0 * atan2(sin, w) / sin } else { 2.0 };
    half * share
}

/// The angle between two directions.
pub(crate) fn angle_between(a: Vec3, b: Vec3) -> f64 {
    atan2(a.cross(b).length(), a.dot(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_and_its_axis_are_each_others_inverse() {
        for axis in
            [Vec3::ZERO, Vec3::new(1e-9, 0.0, 0.0), Vec3::new(0.4, -0.2, 1.1), Vec3::new(0.0, 3.0, 0.2)]
        {
            assert!((axis_of(rotation_by(axis)) - axis).length() < 1e-15 * (1.0 + axis.length()), "{axis}");
        }
        let quarter = rotation_by(Vec3::Z * std::f64::consts::FRAC_PI_2);
        assert!((quarter * Vec3::X - Vec3::Y).length() < 1e-15);
        // More than half a turn is less than half a turn the other way.
        let far = axis_of(rotation_by(Vec3::X * 4.0));
        assert!((far - Vec3::X * (4.0 - std::f64::consts::TAU)).length() < 1e-14);
    }

    #[test]
    fn angles_are_right_however_small() {
        assert!((angle_between(Vec3::X, Vec3::new(1.0, 1e-9, 0.0)) - 1e-9).abs() < 1e-20);
        assert!((angle_between(Vec3::X * 3.0, -Vec3::X) - std::f64::consts::PI).abs() < 1e-15);
    }
}
