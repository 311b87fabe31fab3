//! Functions that give the same bits on every machine. Those of the standard library are the system's own, and from one
//! system to another they differ in the last digit.

use super::{Quat, Vec3};
pub(crate) use libm::{atan2, cbrt, cos, exp, expm1 as exp_m1, hypot, log as ln, log2, pow, sin};

/// Sine and cosine.
pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Natural logarithm of a positive normal number, the same bits as `ln` gives. Without branches or tables, so that a loop over
/// many numbers can be done in vector registers.
#[inline(always)]
pub(crate) fn plain_ln(x: f64) -> f64 {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    // Best approximation of `(ln(1+s) - ln(1-s))/s - 2` in `s^2`, as in the libraries that descend from fdlibm.
    const L: [f64; 7] = [
        0.6666666666666735,
        0.3999999999940942,
        0.2857142874366239,
        0.22222198432149784,
        0.1818357216161805,
        0.15313837699209373,
        0.14798198605116586,
    ];
    // x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
    let shifted = x.to_bits().wrapping_add((0x3ff0_0000 - 0x3fe6_a09e) << 32);
    // The exponent as a number: its bits put under those of 2^52, then 2^52 and the offset taken away.
    let k = f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff) + (0x3fe6_a09e << 32)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L[1] + w * (L[3] + w * L[5]));
    let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    let half = 0.5 * f * f;
    s * (half + (odd + even)) + k * LN2_LO - half + f + k * LN2_HI
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
    fn the_plain_logarithm_is_the_logarithm() {
        let numbers = (1..20_000).map(|i| f64::from(i) * 7.3e-4).chain([1e-300, 1e300, 1.0, f64::EPSILON]);
        for x in numbers {
            assert_eq!(plain_ln(x).to_bits(), ln(x).to_bits(), "{x}");
        }
    }

    #[test]
    fn angles_are_right_however_small() {
        assert!((angle_between(Vec3::X, Vec3::new(1.0, 1e-9, 0.0)) - 1e-9).abs() < 1e-20);
        assert!((angle_between(Vec3::X * 3.0, -Vec3::X) - std::f64::consts::PI).abs() < 1e-15);
    }
}
