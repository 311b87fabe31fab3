//! Frames out of the world, exact state in and out.

use super::World;
use super::part::{joined_frame, joined_measures};
use crate::frame::{ContactFrame, ControlFrame, Frame, Topology};
use crate::math::Vec3;
use crate::state::{Reader, Writer};

impl World {
    /// What does not change from frame to frame.
    pub fn topology(&self) -> Topology {
        let bodies = self.pieces().zip(&self.names).map(|(p, name)| self.bodies[p.start].topology(name));
        Topology { objects: bodies.chain(self.obstacles.iter().map(|o| o.topology())).collect() }
    }

    /// A snapshot of now.
    pub fn frame(&self) -> Frame {
        let bodies = self.pieces().map(|p| joined_frame(self.bodies[p].iter().map(|b| b.frame()).collect()));
        let asleep = self.rest.asleep();
        let measure = |i: usize| crate::frame::Measures { asleep: asleep[i], ..self.bodies[i].measure() };
        let measures = self.pieces().map(|p| joined_measures(p.map(measure).collect()));
        let hash = xxhash_rust::xxh3::xxh3_128(&self.save());
        let mut frame = Frame {
            index: self.index,
            time: self.time(),
            objects: bodies.chain(self.obstacles.iter().map(|o| o.frame())).collect(),
            contacts: self.contact_frames(),
            measures: measures.collect(),
            controls: self.control_numbers().map(|c| self.control_frame(c)).collect(),
            report: self.report,
            state_hash: [(hash >> 64) as u64, hash as u64],
        };
        for (body, energy) in self.press_energies() {
            frame.measures[self.object(body)].elastic += energy;
        }
        self.show_coats(&mut frame);
        frame
    }

    /// Numbers of the scene's controls, then of those that were added and are still there.
    fn control_numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let known = self.spec.control.len();
        let mut added: Vec<usize> =
            self.controls.iter().map(|c| c.number()).filter(|n| *n >= known).collect();
        added.sort_unstable();
        added.dedup();
        (0..known).chain(added)
    }

    /// What a control did in the last step, to all pieces of its body together.
    fn control_frame(&self, number: usize) -> ControlFrame {
        let mine = self.controls.iter().filter(|c| c.number() == number);
        mine.map(|c| c.frame((self.time(), self.h), &self.bodies, &self.obstacles))
            .reduce(|a, b| ControlFrame {
                force: a.force + b.force,
                broken: a.broken && b.broken,
                exact: a.exact,
                error: a.error.max(b.error),
            })
            .unwrap_or_default()
    }

    /// Force, place and gap of every contact of the last step.
    pub fn contact_frames(&self) -> Vec<ContactFrame> {
        let object = |i: u32| self.object(i as usize) as u32;
        let frame = |row: &crate::contact::Row| ContactFrame {
            a: object(row.pair.0),
            b: object(row.pair.1),
            position: row.at.as_vec3().to_array(),
            normal: row.axes[0].as_vec3().to_array(),
            force: (row.impulse() / self.h).as_vec3().to_array(),
            gap: row.gap as f32,
        };
        let hard = self.rows.rows.iter().filter(|r| r.lambda[0] > 0.0).map(frame);
        let soft = self.presses.iter().filter(|p| p.lambda[0] > 0.0).map(|p| ContactFrame {
            a: object(p.pair.0),
            b: object(p.pair.1),
            position: p.at.as_vec3().to_array(),
            normal: p.axes[0].as_vec3().to_array(),
            force: (p.impulse() / self.h).as_vec3().to_array(),
            gap: 0.0,
        });
        hard.chain(soft).collect()
    }

    /// Total contact force on one object in the last step `[N]`.
    pub fn contact_force(&self, object: usize) -> Vec3 {
        let mut total = Vec3::ZERO;
        for (pair, impulse) in self.exchanged() {
            // Between pieces of one object it adds up to nothing.
            if pair.0 == object {
                total += impulse / self.h;
            }
            if pair.1 == object {
                total -= impulse / self.h;
            }
        }
        total
    }

    /// Contact force of one object on another in the last step `[N]`, over the whole patch where they touch.
    pub fn patch_force(&self, on: usize, from: usize) -> Vec3 {
        let mut total = Vec3::ZERO;
        for (pair, impulse) in self.exchanged() {
            if pair == (on, from) {
                total += impulse / self.h;
            } else if pair == (from, on) {
                total -= impulse / self.h;
            }
        }
        total
    }

    /// Who pushed whom in the last step, and the impulse on the first.
    fn exchanged(&self) -> impl Iterator<Item = ((usize, usize), Vec3)> + '_ {
        let hard = self.rows.rows.iter().map(|r| (r.pair, r.impulse()));
        let all = hard.chain(self.presses.iter().map(|p| (p.pair, p.impulse())));
        all.map(|((a, b), impulse)| ((self.object(a as usize), self.object(b as usize)), impulse))
    }

    /// Total force of a control in the last step `[N]`.
    pub fn control_force(&self, control: usize) -> Vec3 {
        self.controls.iter().filter(|c| c.number() == control).map(|c| c.total_force(self.h)).sum()
    }

    /// The exact state, for checkpoints.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.index);
        out.u64(self.ticks);
        self.save_pieces(&mut out);
        self.bodies.iter().for_each(|b| b.save(&mut out));
        self.obstacles.iter().for_each(|o| o.save(&mut out));
        self.controls.iter().for_each(|c| c.save(&mut out));
        self.rest.save(&mut out);
        out.vec3(self.report.external_impulse);
        out.f64(self.report.external_work);
        out.vec3(self.environment.gravity);
        out.vec3(self.environment.wind);
        self.contacts.memory.save(&mut out);
        self.coat_memory.save(&mut out);
        out.bytes
    }

    /// Returns to a saved state of the same scene.
    pub fn load(&mut self, state: &[u8]) -> Result<(), String> {
        let mut from = Reader::new(state);
        self.index = from.u64()?;
        self.ticks = from.u64()?;
        self.load_pieces(&mut from)?;
        for body in &mut self.bodies {
            body.load(&mut from)?;
        }
        for obstacle in &mut self.obstacles {
            obstacle.load(&mut from)?;
        }
        for control in &mut self.controls {
            control.load(&mut from)?;
        }
        self.rest.load(&mut from)?;
        self.report.external_impulse = from.vec3()?;
        self.report.external_work = from.f64()?;
        self.environment.gravity = from.vec3()?;
        self.environment.wind = from.vec3()?;
        self.contacts.memory.load(&mut from)?;
        self.coat_memory.load(&mut from)?;
        self.contacts.boxes.forget();
        self.rows.rows.clear();
        self.presses.clear();
        from.finish()
    }
}
