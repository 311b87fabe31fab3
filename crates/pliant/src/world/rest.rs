//! Sleep: bodies that have come to rest together are left alone until something touches them.

use super::World;
use crate::state::{Reader, Writer};

/// Time a body must be at rest before it sleeps `[s]`.
const PATIENCE: f64 = 0.5;

/// Who sleeps, and how long everybody has been at rest.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    asleep: Vec<bool>,
    still: Vec<f64>,
    /// Whether anybody may sleep.
    allowed: bool,
}

impl Rest {
    /// Everybody awake.
    pub fn new(bodies: usize, allowed: bool) -> Self {
        Self { asleep: vec![false; bodies], still: vec![0.0; bodies], allowed }
    }
    /// One flag per body.
    pub fn asleep(&self) -> &[bool] {
        &self.asleep
    }
    /// Wakes a body.
    pub fn wake(&mut self, body: usize) {
        self.asleep[body] = false;
        self.still[body] = 0.0;
    }
    /// Wakes a body that came apart, and makes room for so many more behind it, awake.
    pub fn make_room(&mut self, body: usize, more: usize) {
        self.wake(body);
        self.asleep.splice(body..body, std::iter::repeat_n(false, more));
        self.still.splice(body..body, std::iter::repeat_n(0.0, more));
    }
    /// Wakes everybody.
    pub fn wake_all(&mut self) {
        (0..self.asleep.len()).for_each(|i| self.wake(i));
    }
    /// Exact state.
    pub fn save(&self, out: &mut Writer) {
        self.asleep.iter().for_each(|a| out.u64(u64::from(*a)));
        out.f64s(&self.still);
    }
    /// Returns to a saved state.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for a in &mut self.asleep {
            *a = from.u64()? != 0;
        }
        from.f64s(&mut self.still)
    }
}

impl World {
    /// Islands whose bodies have all been at rest for a while fall asleep together.
    pub(super) fn put_to_rest(&mut self) {
        if !self.rest.allowed {
            return;
        }
        let roots = std::mem::take(&mut self.step_roots);
        let n = self.bodies.len();
        let root = |i: usize| roots.get(i).map_or(i, |r| *r as usize);
        // What rests on an obstacle may creep; what floats must not move at all, for nothing would take its momentum.
        let mut rests = vec![false; n];
        for row in self.rows.rows.iter().filter(|r| r.pair.1 as usize >= n && r.lambda[0] > 0.0) {
            rests[root(row.pair.0 as usize)] = true;
        }
        for p in self.presses.iter().filter(|p| p.pair.1 as usize >= n && p.lambda[0] > 0.0) {
            rests[root(p.pair.0 as usize)] = true;
        }
        let mut island_still = vec![f64::INFINITY; n];
        for i in 0..n {
            let body = &self.bodies[i];
            // A speed that takes the body a hundredth of its size in its own falling time.
            let calm = 5e-3 * (9.81 * body.skin().form.size).sqrt();
            let calm = if rests[root(i)] || self.rest.asleep[i] { calm } else { 1e-9 * calm };
            let still = if body.speed() < calm { self.rest.still[i] + self.h } else { 0.0 };
            self.rest.still[i] = still;
            island_still[root(i)] = island_still[root(i)].min(still);
        }
        for i in 0..n {
            if !self.rest.asleep[i] && island_still[root(i)] >= PATIENCE {
                self.rest.asleep[i] = true;
                // What little it has left goes into whatever it rests on, and is booked there.
                self.report.external_impulse -= self.bodies[i].momentum();
                self.bodies[i].stop();
            }
        }
        self.step_roots = roots;
    }
}
