//! How a clay body answers pushes: on a skeleton, on its coat, or as a whole.

use super::{BEFORE, Clay};
use crate::bodies::{Hold, Lever, points};
use crate::contact::wide;
use crate::math::{Mat3, Vec3, outer, pseudo_inverse, skew};
use crate::skin::SkinPoint;

/// Skeletons that add less than this share of the strongest do not carry a place; but so many do, for fewer cannot
/// take up any torque unless one of them turns.
const FAINT: f64 = 0.12;
const LEAST: usize = 4;
/// And none that adds less than this: what it would have to bear is lost in rounding.
const NOTHING: f64 = 1e-6;

impl Clay {
    /// Where the velocity of a skeleton stands in `y`.
    fn slot(&self, skeleton: usize) -> usize {
        BEFORE + 3 * skeleton
    }

    /// Where the speeds of turning of a bone stand.
    pub(super) fn slot_of_bone(&self, bone: usize) -> usize {
        BEFORE + 3 * (self.field.x.len() + bone)
    }

    /// The bone that a skeleton is, if it turns.
    fn turning_bone(&self, skeleton: usize) -> Option<usize> {
        self.shared.bone(skeleton).filter(|b| self.shared.bones[*b].turning.is_some())
    }

    /// Appends what a place `p` has of a skeleton's motion, by a matrix: its velocity and, of one that turns, its turning.
    /// Returns how many nodes that were.
    fn carry(&self, skeleton: usize, p: Vec3, matrix: Mat3, store: &mut Vec<f64>) -> u32 {
        let inverse_mass = 1.0 / self.shared.mass[skeleton];
        store.extend([self.slot(skeleton) as f64, inverse_mass]);
        store.extend(matrix.to_cols_array());
        let Some(b) = self.turning_bone(skeleton) else { return 1 };
        let turned =
            skew(self.field.x[skeleton] - p) * self.shared.bones[b].spin_of_speeds(self.poses[b].rotation);
        store.extend([self.slot_of_bone(b) as f64, inverse_mass]);
        store.extend((matrix * turned).to_cols_array());
        2
    }

    /// Of a point of a skeleton's hard core.
    pub(super) fn lever_on_core(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let at = store.len() as u32;
        store.extend((p.at - self.middle).to_array());
        let mut count = 0;
        let carriers =
            || (0..3).filter(|k| p.weights[*k] != 0.0).map(|k| (self.carrier(p.corners[k]), p.weights[k]));
        if carriers().any(|(i, _)| self.turning_bone(i).is_some()) {
            for (i, weight) in carriers() {
                count += self.carry(i, p.at, Mat3::from_diagonal(Vec3::splat(weight)), store);
            }
            return Lever::Blend { at, count };
        }
        for (i, weight) in carriers() {
            store.extend([self.slot(i) as f64, weight, weight / self.shared.mass[i]]);
            count += 1;
        }
        Lever::Nodes { at, count }
    }

    /// `[DG94]` section 4, first method: what acts along the field's normal is shared out by gradients, which keeps force
    /// and torque since each points at its skeleton. What acts across it is shared out so that a set of points that
    /// moves rigidly would feel the same force and torque; skeletons that turn are pushed at the place itself.
    pub(super) fn lever_on(&self, p: Vec3, store: &mut Vec<f64>) -> Lever {
        let mut parts: Vec<(usize, f64, Vec3)> = vec![];
        self.field.parts(p, |i, f, g| parts.push((i, f, g)));
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let at_least = |share: f64| parts.iter().take_while(|(_, f, _)| *f >= share * parts[0].1).count();
        let (strong, felt) = (at_least(FAINT), at_least(NOTHING));
        let turns = parts[..strong].iter().any(|(i, _, _)| self.turning_bone(*i).is_some());
        parts.truncate(if turns { strong } else { strong.max(LEAST.min(felt)) });
        let total: f64 = parts.iter().map(|(_, f, _)| f).sum();
        let slope: Vec3 = parts.iter().map(|(_, _, g)| *g).sum();
        let steep = slope.length().max(1e-300);
        let normal = -slope / steep;
        let pushed_at = |i: usize| if self.turning_bone(i).is_some() { p } else { self.field.x[i] };
        let middle = parts.iter().map(|(i, f, _)| pushed_at(*i) * (*f / total)).sum::<Vec3>();
        let mut spread = Mat3::ZERO;
        for (i, f, _) in &parts {
            let s = skew(pushed_at(*i) - middle);
            spread -= s * s * (*f / total);
        }
        // Those that are all pushed at the place itself are spread by rounding alone.
        let size = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let is_one = size < NOTHING * NOTHING * self.shared.thickness * self.shared.thickness;
        let turning = if is_one { Mat3::ZERO } else { skew(p - middle) * pseudo_inverse(&spread) };
        let across = Mat3::IDENTITY - outer(normal, normal);
        let at = store.len() as u32;
        store.extend((p - self.middle).to_array());
        let mut count = 0;
        for (i, f, g) in &parts {
            let carried = (Mat3::IDENTITY - turning * skew(pushed_at(*i) - middle)) * (*f / total);
            count += self.carry(*i, p, outer(normal, -*g / steep) + across * carried, store);
        }
        Lever::Blend { at, count }
    }

    /// Inertia of the whole about its centre `[kg m^2]`.
    fn inertia(&self, centre: Vec3) -> Mat3 {
        let bones = self.shared.bones.iter().zip(&self.poses).map(|(bone, pose)| bone.inertia(pose.rotation));
        bones.fold(points::inertia(&self.field.x, &self.shared.mass, centre), |sum, own| sum + own)
    }

    /// How the whole answers a torque. A lone point is spread by rounding alone and does not answer.
    pub(super) fn answer_to_torque(&self, centre: Vec3) -> Mat3 {
        let inertia = self.inertia(centre);
        let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let least = NOTHING * self.shared.thickness;
        if size < self.shared.total_mass * least * least { Mat3::ZERO } else { pseudo_inverse(&inertia) }
    }

    /// Of the whole: its centre, or its turning.
    pub(super) fn lever_on_all(&self, hold: Hold, centre: Vec3, store: &mut Vec<f64>) -> Lever {
        let n = self.y.len();
        let none = || [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let (mut rows, mut answers) = (none(), none());
        let spins = hold == Hold::Spin;
        let inverse = self.answer_to_torque(centre);
        let whole = Mat3::from_diagonal(Vec3::splat(1.0 / self.shared.total_mass));
        let (own, answer) = if spins { (4, inverse) } else { (0, whole) };
        let mut put = |to: usize, m: Mat3| {
            for d in 0..3 {
                (0..3).for_each(|e| rows[d][to + e] = m.col(e)[d]);
            }
        };
        put(own, Mat3::IDENTITY);
        for (i, (m, x)) in self.shared.mass.iter().zip(&self.field.x).enumerate() {
            let share = if spins { inverse * skew(*x - self.middle) * *m } else { whole * *m };
            put(BEFORE + 3 * i, share);
        }
        if spins {
            for (b, (bone, pose)) in self.shared.bones.iter().zip(&self.poses).enumerate() {
                let momentum = bone.inertia(pose.rotation) * bone.spin_of_speeds(pose.rotation);
                put(self.slot_of_bone(b), inverse * momentum);
            }
        }
        for d in 0..3 {
            (0..3).for_each(|e| answers[d][own + e] = answer.col(d)[e]);
        }
        wide(store, &rows, &answers)
    }
}
