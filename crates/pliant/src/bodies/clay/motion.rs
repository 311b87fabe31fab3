//! How skeletons move by themselves: bonds, damping, gravity, as many short steps as the closest pair asks for.

use super::approach::fastest;
use super::bonds::{Pull, pulls};
use super::bone::Pose;
use super::pairs::Pairs;
use super::{Clay, Shared};
use crate::environment::Environment;
use crate::math::Vec3;
use crate::math::portable::axis_of;

/// How relative motion of two skeletons is damped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// Linear, along the line between them `[kg/s]`.
    pub linear: f64,
    /// Quadratic, `alpha` of the paper `[kg/m]`.
    pub quadratic: f64,
    /// Whether the quadratic part brakes all relative motion, as the paper has it, or only that along the line between the
    /// two, which leaves rigid turning alone.
    pub all_motion: bool,
    /// Distance from which on there is none `[m]`.
    pub reach: f64,
}

/// Share of the longest stable step, as a bound on the frequency tells it, that is taken.
const SHARE: f64 = 0.35;
/// A step brings no pair closer by more than this share of their distance at rest.
const APPROACH: f64 = 0.1;
/// So often a step is cut at most.
const MOST_CUTS: f64 = 400.0;
/// Room in the list of pairs, over the distance at rest.
const MARGIN: f64 = 0.25;

impl Damping {
    /// Damps the motion of all sites for a time. Bones take up what their sites get, which is never too much either.
    fn act_on(
        &self,
        pairs: &Pairs,
        places: &[Vec3],
        shared: &Shared,
        (v, poses): (&mut [Vec3], &mut [Pose]),
        dt: f64,
    ) {
        let list = shared.sites.list();
        if list.is_empty() {
            return self.act(pairs, places, v, &shared.mass, dt);
        }
        let before = shared.sites.velocities(v, poses, &shared.bones).into_owned();
        let mut after = before.clone();
        let mass: Vec<f64> = list.iter().map(|s| s.mass).collect();
        self.act(pairs, places, &mut after, &mass, dt);
        let impulses =
            after.iter().zip(&before).zip(&mass).map(|((after, before), m)| (*after - *before) * *m);
        shared.sites.push(impulses, 1.0, &shared.mass, (v, poses));
    }

    /// Damps every pair for a time, one after the other, each exactly: never too much, and momentum is kept.
    fn act(&self, pairs: &Pairs, x: &[Vec3], v: &mut [Vec3], mass: &[f64], dt: f64) {
        if self.linear == 0.0 && self.quadratic == 0.0 {
            return;
        }
        pairs.each(|i, j| {
            let d = x[i] - x[j];
            let square = d.length_squared();
            if square >= self.reach * self.reach {
                return;
            }
            let r = square.sqrt();
            let closeness = 1.0 - r / self.reach;
            let closeness = closeness * closeness;
            let reduced = mass[i] * mass[j] / (mass[i] + mass[j]);
            let along = d / r;
            let between = v[i] - v[j];
            let speed = between.dot(along);
            let mut after = along * (speed * decayed(self.linear * closeness * dt / reduced) - speed);
            if self.quadratic > 0.0 {
                let braked =
                    if self.all_motion { between + after } else { along * (speed + along.dot(after)) };
                let keep = 1.0 / (1.0 + self.quadratic * closeness * braked.length() * dt / reduced);
                after += braked * (keep - 1.0);
            }
            v[i] += after * (reduced / mass[i]);
            v[j] -= after * (reduced / mass[j]);
        });
    }
}

/// What is left after a time: close to the exponential while little is lost, and never below nothing.
fn decayed(x: f64) -> f64 {
    let even = 1.0 + x * x / 12.0;
    (even - 0.5 * x) / (even + 0.5 * x)
}

impl Clay {
    /// Makes the list of pairs anew for these places, if that is due.
    pub(super) fn list_pairs(&mut self, x: &[Vec3]) {
        let law = &self.shared.law;
        self.pairs.keep_up(x, law.reach, MARGIN * law.rest);
    }

    /// Velocities of the way through a step and, in `lag`, how those at its end differ.
    pub(super) fn fly(&mut self, environment: &Environment, h: f64) {
        let shared = self.shared.clone();
        let mass = &shared.mass[..];
        // As all kinds do, so that what falls together stays together.
        self.v.iter_mut().for_each(|v| *v += environment.gravity * h);
        for (i, impulse, torque) in std::mem::take(&mut self.gathered) {
            self.v[i as usize] += impulse / mass[i as usize];
            if let Some(b) = shared.bone(i as usize) {
                self.poses[b].momentum += torque;
            }
        }
        if environment.air_density > 0.0 {
            let share = shared.drag_area / mass.len() as f64;
            for (v, m) in self.v.iter_mut().zip(mass) {
                *v = environment.slowed(*v, environment.wind, (shared.material.drag, share), *m, h);
            }
        }
        let (sites, bones) = (&shared.sites, &shared.bones[..]);
        let mut x = self.field.x.clone();
        let mut v = std::mem::take(&mut self.v);
        let mut poses = self.poses.clone();
        let mut pulled = vec![Pull::default(); shared.site_count()];
        // Returns the square of a frequency that none of the body's exceeds.
        let pull = |pairs: &mut Pairs, places: &[Vec3], pulled: &mut [Pull]| {
            pairs.keep_up(places, shared.law.reach, MARGIN * shared.law.rest);
            pulls(&shared.law, pairs, places, pulled);
            sites.highest_frequency(pulled, mass, bones)
        };
        let mut square = pull(&mut self.pairs, &sites.places(&x, &poses), &mut pulled);
        let mut left = h;
        while left > 0.0 {
            let fastest =
                fastest(&mut self.pairs, &sites.places(&x, &poses), &sites.velocities(&v, &poses, bones));
            let dt = (SHARE * 2.0 / square.sqrt().max(1e-300))
                .min(APPROACH / fastest.max(1e-300))
                .max(h / MOST_CUTS);
            let dt = left / (left / dt - 1e-9).ceil().max(1.0);
            sites.push(pulled.iter().map(|p| p.force), 0.5 * dt, mass, (&mut v, &mut poses));
            x.iter_mut().zip(&v).for_each(|(x, v)| *x += *v * dt);
            poses.iter_mut().zip(bones).for_each(|(pose, bone)| pose.rotation = bone.turned(pose, dt));
            let places = sites.places(&x, &poses);
            square = pull(&mut self.pairs, &places, &mut pulled);
            sites.push(pulled.iter().map(|p| p.force), 0.5 * dt, mass, (&mut v, &mut poses));
            shared.damping.act_on(&self.pairs, &places, &shared, (&mut v, &mut poses), dt);
            left -= dt;
            if left < 1e-12 * h {
                break;
            }
        }
        self.pairs.give_back();
        self.lag = Vec::with_capacity(x.len());
        for ((x, from), v) in x.iter().zip(&self.field.x).zip(&mut v) {
            let way = (*x - *from) / h;
            self.lag.push(*v - way);
            *v = way;
        }
        self.v = v;
        // The turn of the whole step as one at a constant rate, and the angular momentum that this leaves out.
        self.spins.clear();
        self.lag_of_spins.clear();
        for ((end, start), bone) in poses.iter().zip(&self.poses).zip(bones) {
            let spin = axis_of(end.rotation * start.rotation.inverse()) / h;
            self.spins.push(spin);
            self.lag_of_spins.push(end.momentum - bone.momentum(start.rotation, spin));
        }
    }
}
