//! One clay body: where its skeletons are, how they move, and what follows from that.

use super::bone::{Bone, Pose};
use super::field::Field;
use super::pairs::Pairs;
use super::seeds::Seeds;
use super::{BEFORE, Shared};
use crate::bodies::points::Points;
use crate::bodies::{Body, Start};
use crate::math::{Quat, Vec3};
use crate::skin::Skin;
use std::sync::Arc;

/// One clay body.
pub struct Clay {
    pub(super) shared: Arc<Shared>,
    /// Velocities with which the step's way is made, before contact.
    pub(super) v: Vec<Vec3>,
    /// By how much velocities at the end of the step differ from those of its way; empty if they do not.
    pub(super) lag: Vec<Vec3>,
    /// How bones stand and turn, at the start of the step; and where they would stand at its end.
    pub(super) poses: Vec<Pose>,
    pub(super) next_rotations: Vec<Quat>,
    /// Angular velocities with which they turn through the step, before contact.
    pub(super) spins: Vec<Vec3>,
    /// Angular momenta at the end of the step beside those of its way; empty if there are none.
    pub(super) lag_of_spins: Vec<Vec3>,
    /// A velocity of all, the number one, a turning of all, then velocities of the skeletons: see `Lever::Nodes`. Those of
    /// turning follow, for each bone as speeds at its radii of gyration.
    pub(super) y: Vec<f64>,
    /// Centre of mass at the start of the step.
    pub(super) middle: Vec3,
    /// Time since thicknesses were last looked at `[s]`.
    pub(super) unmeasured: f64,
    /// Places of the skeletons, and the coat about them at the start of the step.
    pub(super) field: Field,
    /// Seeds on it.
    pub(super) seeds: Seeds,
    /// Which seeds of each skeleton stick to something, a bit each.
    pub(super) stuck: Vec<u32>,
    /// Volume pressed out of the coat about each skeleton in this step `[m^3]`.
    pub(super) squeezed: Vec<f64>,
    pub(super) pairs: Pairs,
    /// Impulses of controls, and their torques about the skeletons.
    pub(super) gathered: Vec<(u32, Vec3, Vec3)>,
    pub(super) skin: Skin,
    pub(super) next: Vec<Vec3>,
}

impl Clay {
    pub(super) fn new(shared: &Arc<Shared>, start: &Start) -> Self {
        let centre = start.position + start.rotation * shared.centre;
        let x: Vec<Vec3> = shared.places.iter().map(|p| start.position + start.rotation * *p).collect();
        let own: Vec<Vec3> = shared.velocities.iter().map(|v| start.rotation * *v).collect();
        let velocity =
            |(i, p): (usize, &Vec3)| start.velocity + start.spin.cross(*p - centre) + own[i / shared.block];
        let v = x.iter().enumerate().map(velocity).collect();
        let thickness = vec![shared.thickness; x.len()];
        let skin = Skin::new(shared.form.clone(), vec![Vec3::ZERO; shared.site_count()]);
        let pose = |bone: &Bone| {
            let rotation = start.rotation * bone.rotation;
            Pose { rotation, momentum: bone.momentum(rotation, start.spin) }
        };
        let poses: Vec<Pose> = shared.bones.iter().map(pose).collect();
        let mut body = Self {
            seeds: Seeds::new(x.len()),
            next: x.clone(),
            next_rotations: poses.iter().map(|p| p.rotation).collect(),
            y: vec![0.0; BEFORE + 3 * (x.len() + poses.len())],
            poses,
            spins: vec![],
            lag_of_spins: vec![],
            v,
            lag: vec![],
            middle: centre,
            unmeasured: 0.0,
            stuck: vec![0; shared.words.count(x.len())],
            field: Field::with_shapes(shared.field, x, thickness, vec![]),
            squeezed: vec![0.0; shared.mass.len()],
            pairs: Pairs::default(),
            gathered: vec![],
            skin,
            shared: shared.clone(),
        };
        body.stand_still();
        body
    }

    /// Everything that follows from places and velocities.
    pub(super) fn stand_still(&mut self) {
        self.next.copy_from_slice(&self.field.x);
        self.next_rotations.iter_mut().zip(&self.poses).for_each(|(next, pose)| *next = pose.rotation);
        self.show_next();
        self.skin.points.copy_from_slice(&self.skin.next);
        self.show_spins();
        self.show_velocities();
        self.dress();
    }

    /// The coat as skeletons now stand.
    pub(super) fn dress(&mut self) {
        let bones = self.shared.bones.iter().zip(&self.poses);
        let shaped = bones.map(|(bone, pose)| {
            let i = bone.skeleton;
            bone.shaped(self.field.x[i], pose.rotation, self.field.thickness[i])
        });
        let shaped = shaped.collect();
        self.field.sort(shaped);
        self.seeds.forget();
    }

    pub(super) fn show_velocities(&mut self) {
        self.y[..BEFORE].fill(0.0);
        self.y[3] = 1.0;
        let bones = self.shared.bones.iter().zip(&self.poses).zip(&self.spins);
        let speeds = bones.map(|((bone, pose), spin)| bone.speeds(pose.rotation, *spin));
        for (y, v) in self.y[BEFORE..].chunks_exact_mut(3).zip(self.v.iter().copied().chain(speeds)) {
            y.copy_from_slice(&v.to_array());
        }
    }

    /// Angular velocities that belong to the angular momenta of bones.
    pub(super) fn show_spins(&mut self) {
        self.spins.clear();
        self.spins.extend(self.shared.bones.iter().zip(&self.poses).map(|(bone, pose)| bone.spin(pose)));
    }

    /// Velocities of the step's way, with what `y` says of all.
    pub(super) fn way(&self) -> Vec<Vec3> {
        let (t, w) = (Vec3::from_slice(&self.y), Vec3::from_slice(&self.y[4..]));
        let each = self.y[BEFORE..].chunks_exact(3).zip(&self.field.x);
        each.map(|(y, x)| Vec3::from_slice(y) + t + w.cross(*x - self.middle)).collect()
    }

    /// The same of how bones turn.
    pub(super) fn way_of_spins(&self) -> Vec<Vec3> {
        let w = Vec3::from_slice(&self.y[4..]);
        let each = self.y[BEFORE + 3 * self.field.x.len()..]
            .chunks_exact(3)
            .zip(&self.shared.bones)
            .zip(&self.poses);
        let turns = |bone: &Bone| f64::from(u8::from(bone.turning.is_some()));
        each.map(|((y, bone), pose)| {
            bone.spin_of_speeds(pose.rotation) * Vec3::from_slice(y) + w * turns(bone)
        })
        .collect()
    }

    /// Angular momenta of bones at the end of the step.
    pub(super) fn spin_momenta(&self) -> Vec<Vec3> {
        let each = self.shared.bones.iter().zip(&self.poses).zip(self.way_of_spins());
        let mut momenta: Vec<Vec3> =
            each.map(|((bone, pose), spin)| bone.momentum(pose.rotation, spin)).collect();
        momenta.iter_mut().zip(&self.lag_of_spins).for_each(|(m, lag)| *m += *lag);
        momenta
    }

    pub(super) fn points<'a>(&'a self, v: &'a [Vec3]) -> Points<'a> {
        Points { x: &self.field.x, v, mass: &self.shared.mass }
    }

    /// The same at the end of the step.
    pub(super) fn velocities(&self) -> Vec<Vec3> {
        let mut v = self.way();
        v.iter_mut().zip(&self.lag).for_each(|(v, lag)| *v += *lag);
        v
    }

    pub(super) fn show_next(&mut self) {
        let sites = self.shared.sites.list();
        if sites.is_empty() {
            self.skin.next.copy_from_slice(&self.next);
            return;
        }
        for (p, s) in self.skin.next.iter_mut().zip(sites) {
            let turn = s.bone.map_or(Quat::IDENTITY, |b| self.next_rotations[b]);
            *p = self.next[s.skeleton] + turn * s.at;
        }
    }

    /// Kinetic energy of bones that turn with these angular momenta `[J]`.
    pub(super) fn kinetic_of_turning(&self, momenta: &[Vec3]) -> f64 {
        let each = self.shared.bones.iter().zip(&self.poses).zip(momenta);
        each.map(|((bone, pose), m)| 0.5 * m.dot(bone.spin(&Pose { momentum: *m, ..*pose }))).sum()
    }

    /// Which skeleton carries a corner of the skin.
    pub(super) fn carrier(&self, corner: u32) -> usize {
        self.shared.sites.skeleton(corner as usize)
    }

    /// What was pushed in a step was pushed where skeletons stood at its start, but velocities that bonds have changed are
    /// those of its end: the angular momentum that this brings in, `h sum m dv x lag`, where pushes leave velocities `after`.
    pub(super) fn gained(&self, h: f64, after: &[Vec3]) -> Vec3 {
        let each = self.v.iter().zip(after).zip(&self.lag).zip(&self.shared.mass);
        each.map(|(((a, b), lag), m)| (*b - *a).cross(*lag) * *m).sum::<Vec3>() * h
    }

    /// Takes angular momentum out by turning the whole.
    pub(super) fn take_out(&mut self, gained: Vec3) {
        if gained == Vec3::ZERO {
            return;
        }
        let (centre, _) = self.centre();
        let turn = self.answer_to_torque(centre) * -gained;
        self.v.iter_mut().zip(&self.field.x).for_each(|(v, x)| *v += turn.cross(*x - centre));
        for (bone, pose) in self.shared.bones.iter().zip(&mut self.poses) {
            pose.momentum += bone.momentum(pose.rotation, turn);
        }
    }
}
