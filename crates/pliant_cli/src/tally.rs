//! Worst values over the frames of a run, from the frames alone: the same whether simulated now or read back.

use pliant::math::Vec3;
use pliant::{Frame, Measures, Topology};

/// Worst values over the frames seen so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Name and rest volume of each body, in scene order.
    bodies: Vec<(String, f64)>,
    first: Vec<Measures>,
    last: Vec<Measures>,
    /// Frames seen, the start included.
    pub frames: u64,
    /// Steps of the engine.
    pub steps: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Hash of the exact state, per frame.
    pub hashes: Vec<[u64; 2]>,
    /// Most contacts in one frame.
    pub max_contacts: u32,
    /// Deepest penetration `[m]`.
    pub max_penetration: f64,
    /// Smallest gap `[m]`; infinite if nothing came near.
    pub min_distance: f64,
    /// Largest relative change of a body's volume.
    pub max_volume_error: f64,
    /// Largest work of contact in one step over the kinetic energy.
    pub max_contact_work: f64,
    /// Largest distance of a controlled point from its target `[m]`.
    pub max_control_error: f64,
    /// Largest distance of a body's centre of mass from its start `[m]`.
    pub max_drift: f64,
    /// Largest force of each control `[N]`, and when it broke, if it did `[s]`.
    pub controls: Vec<(f64, Option<f64>)>,
    /// Largest remaining change of a contact's velocity over the speeds at contacts.
    pub relative_residual: f64,
    /// Steps in which that was more than `pliant::SOLVED`.
    pub unsolved: u64,
    /// Bodies held back to just before a crossing, summed over steps.
    pub held_back: u64,
    /// Work of gravity, air, controls and moving obstacles since the start `[J]`.
    pub external_work: f64,
}

impl Tally {
    /// Nothing seen yet.
    pub fn new(topology: &Topology) -> Self {
        let bodies = topology.objects.iter().filter(|o| o.is_body());
        Self {
            bodies: bodies.map(|o| (o.name.clone(), o.rest_volume)).collect(),
            min_distance: f64::INFINITY,
            ..Self::default()
        }
    }

    /// Takes the next frame into account.
    pub fn add(&mut self, frame: &Frame) {
        let report = &frame.report;
        self.max_contact_work = if self.frames == 0 {
            report.max_contact_work
        } else {
            self.max_contact_work.max(report.max_contact_work)
        };
        if self.frames == 0 {
            self.first.clone_from(&frame.measures);
        }
        self.frames += 1;
        self.steps += u64::from(report.steps);
        self.time = frame.time;
        self.hashes.push(frame.state_hash);
        self.max_contacts = self.max_contacts.max(report.contacts);
        self.max_penetration = self.max_penetration.max(report.max_penetration);
        // The start has no steps behind it, so its report says nothing about distances.
        if report.steps > 0 {
            self.min_distance = self.min_distance.min(report.min_distance);
        }
        self.max_control_error = self.max_control_error.max(report.max_control_error);
        self.relative_residual = self.relative_residual.max(report.relative_residual);
        self.unsolved += u64::from(report.unsolved);
        self.controls.resize(frame.controls.len(), (0.0, None));
        for (known, control) in self.controls.iter_mut().zip(&frame.controls) {
            known.0 = known.0.max(control.force.length());
            if control.broken {
                known.1.get_or_insert(frame.time);
            }
        }
        self.held_back += u64::from(report.held_back);
        self.external_work = report.external_work;
        for ((now, start), (_, rest)) in frame.measures.iter().zip(&self.first).zip(&self.bodies) {
            self.max_drift = self.max_drift.max(now.centre.distance(start.centre));
            if *rest > 0.0 {
                self.max_volume_error = self.max_volume_error.max((now.volume / rest - 1.0).abs());
            }
        }
        self.last.clone_from(&frame.measures);
    }

    /// Hash of the exact state after the last frame.
    pub fn final_hash(&self) -> String {
        self.hashes.last().map(|h| hex(*h)).unwrap_or_default()
    }
    /// Kinetic and elastic energy at the start and at the end `[J]`.
    pub fn energies(&self) -> [f64; 2] {
        [&self.first, &self.last].map(|all| all.iter().map(|m| m.kinetic + m.elastic).sum())
    }
    /// Centre of mass of a body at the end, by name.
    pub fn final_centre(&self, body: &str) -> Option<Vec3> {
        let i = self.bodies.iter().position(|(name, _)| name == body)?;
        self.last.get(i).map(|m| m.centre)
    }
    /// Largest speed of a body's centre of mass at the end `[m/s]`.
    pub fn max_final_speed(&self) -> f64 {
        self.last.iter().filter(|m| m.mass > 0.0).map(|m| m.momentum.length() / m.mass).fold(0.0, f64::max)
    }
}

/// 32 hexadecimal digits.
pub(crate) fn hex(hash: [u64; 2]) -> String {
    format!("{:016x}{:016x}", hash[0], hash[1])
}
