//! Bones: skeletons that are more than mass points. Each has a shape; those that are rigid bodies turn as well.
//!
//! The force of [DG94] Eq. 1 acts between centres. On a mass point it does so here; a rigid body feels it at sites spread
//! over its shape, as if points of clay were fixed to it, and what acts on them makes a force and a torque on the whole.
//! All forces act along lines between sites, so both momenta are kept.

use super::bonds::Pull;
use super::form::{Form, Ray};
use super::shaped::Shaped;
use crate::math::{Mat3, Quat, Vec3, skew, symmetric_eigen, symmetric_eigen3};
use std::borrow::Cow;
use std::sync::Arc;

/// What does not change of a bone.
#[derive(Clone, Debug)]
pub struct Bone {
    /// Which skeleton of the body it is.
    pub skeleton: usize,
    /// What it is.
    pub form: Arc<Form>,
    /// From its own axes to those of the body, at the start.
    pub rotation: Quat,
    /// Where its seeds start.
    pub rays: Arc<[Ray]>,
    /// How it turns, unless it is a mass point.
    pub turning: Option<Turning>,
}

/// How a rigid bone turns.
#[derive(Clone, Copy, Debug)]
pub struct Turning {
    /// Mean of `r r^T` `[m^2]`, in its own axes.
    pub second_moment: Mat3,
    /// In its own axes `[kg m^2]`.
    inertia: Mat3,
    inverse: Mat3,
    /// From speeds at the radii of gyration about the principal axes to the angular velocity `[1/m]`. Such speeds have the
    /// mass of the bone, as the velocity of its centre does, so to contact they are one more node.
    from_speeds: Mat3,
}

impl Turning {
    /// Of a mass spread out so.
    pub fn new(mass: f64, second_moment: Mat3) -> Self {
        let m = &second_moment;
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let per_mass = Mat3::from_diagonal(Vec3::splat(trace)) - second_moment;
        let (squares, axes) = symmetric_eigen3(&per_mass);
        let radii = squares.to_array().map(f64::sqrt);
        let inverse = Mat3::from_diagonal(Vec3::from(radii.map(|r| 1.0 / (r * r))));
        Self {
            second_moment,
            inertia: per_mass * mass,
            inverse: axes * inverse * axes.transpose() * (1.0 / mass),
            from_speeds: axes * Mat3::from_diagonal(Vec3::from(radii.map(f64::recip))),
        }
    }

    /// The most by which a torque can turn it `[1/(kg m^2)]`, or a little more.
    fn easiest(&self) -> f64 {
        self.inverse.x_axis.x + self.inverse.y_axis.y + self.inverse.z_axis.z
    }
}

/// How a bone stands and turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// From its own axes to those of the world.
    pub rotation: Quat,
    /// Angular momentum about its centre, world axes `[kg m^2/s]`.
    pub momentum: Vec3,
}

impl Bone {
    /// Angular velocity of a pose.
    pub fn spin(&self, pose: &Pose) -> Vec3 {
        self.turning
            .map_or(Vec3::ZERO, |t| pose.rotation * (t.inverse * (pose.rotation.inverse() * pose.momentum)))
    }

    /// Angular momentum of a pose that turns at an angular velocity.
    pub fn momentum(&self, rotation: Quat, spin: Vec3) -> Vec3 {
        self.turning.map_or(Vec3::ZERO, |t| rotation * (t.inertia * (rotation.inverse() * spin)))
    }

    /// Orientation after a time at the same angular momentum.
    pub fn turned(&self, pose: &Pose, time: f64) -> Quat {
        let turn = |t: Turning| crate::math::turn(pose.rotation, pose.momentum, &t.inverse, time);
        self.turning.map_or(pose.rotation, turn)
    }

    /// From speeds at its radii of gyration to its angular velocity, world axes; nothing for a mass point.
    pub fn spin_of_speeds(&self, rotation: Quat) -> Mat3 {
        self.turning.map_or(Mat3::ZERO, |t| Mat3::from_quat(rotation) * t.from_speeds)
    }

    /// The speeds that belong to an angular velocity.
    pub fn speeds(&self, rotation: Quat, spin: Vec3) -> Vec3 {
        self.turning.map_or(Vec3::ZERO, |t| t.from_speeds.inverse() * (rotation.inverse() * spin))
    }

    /// Inertia in world axes `[kg m^2]`.
    pub fn inertia(&self, rotation: Quat) -> Mat3 {
        let r = Mat3::from_quat(rotation);
        self.turning.map_or(Mat3::ZERO, |t| r * t.inertia * r.transpose())
    }

    /// What carries the field.
    pub fn shaped(&self, at: Vec3, rotation: Quat, e: f64) -> Shaped {
        let turn = Mat3::from_quat(rotation);
        Shaped { id: self.skeleton as u32, at, turn, form: self.form.clone(), e }
    }
}

/// Where skeletons feel bonds. Without bones that is where they stand, and there is no list.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    list: Vec<Site>,
}

/// A place of a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub skeleton: usize,
    /// Which bone that is, if it is one.
    pub bone: Option<usize>,
    /// From its centre, in its own axes.
    pub at: Vec3,
    /// What a pair sees of its mass where motion is damped `[kg]`: so little that what all sites get together is never more
    /// than what the bone takes.
    pub mass: f64,
    /// Stiffness of its bonds to others of the same bone, which mean nothing `[N/m]`.
    pub within: f64,
}

impl Sites {
    /// All sites, in the order of the skeletons; needed only if there are bones.
    pub fn new(list: Vec<Site>) -> Self {
        Self { list }
    }

    /// All of them, if skeletons are not their own sites.
    pub fn list(&self) -> &[Site] {
        &self.list
    }

    /// The skeleton of a site.
    #[inline]
    pub fn skeleton(&self, site: usize) -> usize {
        self.list.get(site).map_or(site, |s| s.skeleton)
    }

    /// Where they are.
    pub fn places<'a>(&self, x: &'a [Vec3], poses: &[Pose]) -> Cow<'a, [Vec3]> {
        if self.list.is_empty() {
            return Cow::Borrowed(x);
        }
        let place = |s: &Site| x[s.skeleton] + s.bone.map_or(Vec3::ZERO, |b| poses[b].rotation * s.at);
        Cow::Owned(self.list.iter().map(place).collect())
    }

    /// How fast they move.
    pub fn velocities<'a>(&self, v: &'a [Vec3], poses: &[Pose], bones: &[Bone]) -> Cow<'a, [Vec3]> {
        if self.list.is_empty() {
            return Cow::Borrowed(v);
        }
        let spins: Vec<Vec3> = bones.iter().zip(poses).map(|(bone, pose)| bone.spin(pose)).collect();
        let own = |b: usize, s: &Site| spins[b].cross(poses[b].rotation * s.at);
        let velocity = |s: &Site| v[s.skeleton] + s.bone.map_or(Vec3::ZERO, |b| own(b, s));
        Cow::Owned(self.list.iter().map(velocity).collect())
    }

    /// Lets a force act on each site for a time.
    pub fn push(
        &self,
        forces: impl Iterator<Item = Vec3>,
        time: f64,
        mass: &[f64],
        (v, poses): (&mut [Vec3], &mut [Pose]),
    ) {
        if self.list.is_empty() {
            v.iter_mut().zip(forces).zip(mass).for_each(|((v, f), m)| *v += f * (time / m));
            return;
        }
        for (s, f) in self.list.iter().zip(forces) {
            v[s.skeleton] += f * (time / mass[s.skeleton]);
            if let Some(b) = s.bone {
                let arm = poses[b].rotation * s.at;
                poses[b].momentum += arm.cross(f) * time;
            }
        }
    }

    /// The square of a frequency that no swing of skeletons on their bonds exceeds.
    pub fn highest_frequency(&self, pulled: &[Pull], mass: &[f64], bones: &[Bone]) -> f64 {
        if self.list.is_empty() {
            return 2.0 * pulled.iter().zip(mass).map(|(p, m)| p.stiffness / m).fold(0.0, f64::max);
        }
        let mut each = vec![0.0; mass.len()];
        for (s, p) in self.list.iter().zip(pulled) {
            let turning = s.bone.and_then(|b| bones[b].turning);
            let ease = 1.0 / mass[s.skeleton] + turning.map_or(0.0, |t| s.at.length_squared() * t.easiest());
            each[s.skeleton] += (p.stiffness - s.within).max(0.0) * ease;
        }
        2.0 * each.into_iter().fold(0.0, f64::max)
    }
}

/// Share of a bone's mass that pairs may see at its sites, so that these with it are in no way harder to move than the bone.
pub fn share_at_sites(sites: &[Vec3], turning: &Turning) -> f64 {
    let mut seen = [[0.0; 6]; 6];
    for r in sites {
        // Velocity of the site by that of the centre and the speeds of turning: one column each.
        let turned = skew(*r) * turning.from_speeds * -1.0;
        let columns = [Vec3::X, Vec3::Y, Vec3::Z, turned.x_axis, turned.y_axis, turned.z_axis];
        for (i, a) in columns.iter().enumerate() {
            (0..6).for_each(|j| seen[i][j] += a.dot(columns[j]) / sites.len() as f64);
        }
    }
    let (values, _) = symmetric_eigen(seen.as_flattened(), 6);
    1.0 / values.into_iter().fold(1.0, f64::max)
}
