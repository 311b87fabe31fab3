//! The frame of a body made of nodes: sums over its nodes, the rotation that fits best, the elastic force seen from it.

use super::{Hold, Lever, Patch};
use crate::contact::wide;
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

/// How a body whose nodes are braced moves and answers as a whole, world axes.
pub struct Whole {
    /// Velocity that an impulse gives it.
    pub push: Mat3,
    /// Spin that an impulse of torque gives it.
    pub turn: Mat3,
    /// How it moves without impulses.
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl Whole {
    /// Its centre or its turning as a lever of so many numbers; `spins` are what impulses at braced nodes turn it by.
    pub fn lever(
        &self,
        hold: Hold,
        numbers: usize,
        spins: impl Iterator<Item = Mat3>,
        store: &mut Vec<f64>,
    ) -> Lever {
        let mut rows = [0, 1, 2].map(|_| vec![0.0; numbers]);
        let mut answers = rows.clone();
        let block = |rows: &mut [Vec<f64>; 3], at: usize, m: Mat3| {
            for d in 0..3 {
                rows[d][at..at + 3].copy_from_slice(&m.row(d).to_array());
            }
        };
        let is_centre = hold == Hold::Centre;
        let free = if is_centre {
            block(&mut rows, 0, Mat3::IDENTITY);
            block(&mut answers, 0, self.push);
            self.velocity
        } else {
            block(&mut rows, 4, self.turn);
            block(&mut answers, 4, Mat3::IDENTITY);
            self.spin
        };
        for (slot, spin) in spins.enumerate() {
            block(&mut rows, Patch::BEFORE + 3 * slot, if is_centre { self.push } else { spin });
        }
        (0..3).for_each(|d| rows[d][3] = free[d]);
        wide(store, &rows, &answers)
    }
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

/// Adds the turning that gives velocities the wanted angular momentum, after their mean has been taken out.
pub fn keep_momentum(mass: &[f64], q: &[Vec3], z: &mut [Vec3], wanted: Vec3) {
    let mean = total(mass, z) / mass.iter().sum::<f64>();
    z.iter_mut().for_each(|z| *z -= mean);
    let missing = wanted - moment(mass, q, z);
    let w = inverse_inertia(mass, q) * missing;
    z.iter_mut().zip(q).for_each(|(z, q)| *z += w.cross(*q));
}

/// Inverse inertia of a shape.
pub fn inverse_inertia(mass: &[f64], q: &[Vec3]) -> Mat3 {
    pseudo_inverse(&inertia_of(&spread(mass, q, q)))
}

/// A symmetric 6x6 matrix in Cholesky form; directions without weight are left out.
pub struct Modes6([[f64; 6]; 6]);

impl Modes6 {
    /// From its blocks: translation, between, rotation.
    pub fn new([tt, tr, rr]: &[Mat3; 3]) -> Self {
        let mut l = [[0.0; 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                l[i][j] = tt.col(j)[i];
                l[i + 3][j] = tr.col(i)[j];
                l[i + 3][j + 3] = 0.5 * (rr.col(j)[i] + rr.col(i)[j]);
            }
        }
        let diagonal: [f64; 6] = std::array::from_fn(|i| l[i][i]);
        for j in 0..6 {
            let square = l[j][j] - l[j][..j].iter().map(|v| v * v).sum::<f64>();
            let root = if square > 1e-9 * diagonal[j] { square.sqrt() } else { f64::INFINITY };
            l[j][j] = root;
            for i in j + 1..6 {
                let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                l[i][j] = (l[i][j] - sum) / root;
            }
        }
        Self(l)
    }

    pub fn solve(&self, t: Vec3, w: Vec3) -> (Vec3, Vec3) {
        let l = &self.0;
        let mut x = [t.x, t.y, t.z, w.x, w.y, w.z];
        for i in 0..6 {
            let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for i in (0..6).rev() {
            let sum: f64 = (i + 1..6).map(|k| l[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]))
    }
}
