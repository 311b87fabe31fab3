//! The frame of a body: sums over its nodes, the rotation that fits best, the elastic force seen from it.

use crate::math::portable::rotation_by;
use crate::math::{Mat3, Quat, Vec3, is_regular, outer, pseudo_inverse};

/// `sum m a`.
pub fn total(mass: &[f64], a: &[Vec3]) -> Vec3 {
    mass.iter().zip(a).map(|(m, a)| *a * *m).sum()
}

/// `sum m a x b`.
pub fn moment(mass: &[f64], a: &[Vec3], b: &[Vec3]) -> Vec3 {
    mass.iter().zip(a.iter().zip(b)).map(|(m, (a, b))| a.cross(*b) * *m).sum()
}

/// `sum m a b^T`.
pub fn spread(mass: &[f64], a: &[Vec3], b: &[Vec3]) -> Mat3 {
    mass.iter().zip(a.iter().zip(b)).map(|(m, (a, b))| outer(*a * *m, *b)).fold(Mat3::ZERO, |s, x| s + x)
}

fn trace(m: &Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// `tr(s) 1 - s`: the inertia that belongs to a spread ([TW88] Eq. 10).
pub fn inertia_of(s: &Mat3) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(trace(s))) - *s
}

/// The small rotation `d` for which `q = d (r + e)` has no moment left, `sum m r x e = 0`: Newton on the rotations.
pub fn fit(mass: &[f64], q: &[Vec3], r: &[Vec3]) -> Quat {
    let s = spread(mass, q, r);
    let mut d = Quat::IDENTITY;
    for _ in 0..40 {
        let b = Mat3::from_quat(d).transpose() * s;
        let t = Vec3::new(b.y_axis.z - b.z_axis.y, b.z_axis.x - b.x_axis.z, b.x_axis.y - b.y_axis.x);
        let symmetric = (b + b.transpose()) * 0.5;
        let turn = (pseudo_inverse(&inertia_of(&symmetric)) * t).clamp_length_max(1.0);
        d = (d * rotation_by(turn)).normalize();
        if turn.length_squared() < 1e-32 {
            break;
        }
    }
    d
}

/// The exact elastic force, in the axes of the frame, from `-K e`: since the frame follows the nodes, what would push or
/// turn the body as a whole is taken away.
pub fn exact_force(mass: &[f64], (r, q): (&[Vec3], &[Vec3]), force: &mut [Vec3]) {
    let all: f64 = mass.iter().sum();
    let mean = force.iter().sum::<Vec3>() / all;
    force.iter_mut().zip(mass).for_each(|(f, m)| *f -= mean * *m);
    let torque: Vec3 = q.iter().zip(force.iter()).map(|(q, f)| q.cross(*f)).sum();
    let s = spread(mass, q, r);
    // (tr(S) 1 - S^T) a = torque.
    let matrix = inertia_of(&s.transpose());
    let a = if is_regular(&matrix) {
        matrix.inverse() * torque
    } else {
        pseudo_inverse(&(0.5 * (matrix + matrix.transpose()))) * torque
    };
    for ((f, m), r) in force.iter_mut().zip(mass).zip(r) {
        *f -= a.cross(*r) * *m;
    }
}
