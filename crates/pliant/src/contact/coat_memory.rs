//! What coats did to others in the last step, by the seeds that felt it: what lies still is held by the same friction again.

use super::coat::{CoatTouch, Press};
use crate::math::Vec3;
use crate::state::{Reader, Writer};

/// Objects, and body and seed.
type Place = ((u32, u32), (u32, u32));

/// Impulses of the last step `[N s]`, in order of their places.
#[derive(Default)]
pub struct CoatMemory(Vec<(Place, Vec3)>);

fn place(touch: &CoatTouch) -> Place {
    (touch.pair, touch.seed)
}

impl CoatMemory {
    /// Keeps what was found in this step.
    pub fn remember(&mut self, touches: &[CoatTouch], presses: &[Press]) {
        self.0.clear();
        let each = touches.iter().zip(presses).filter(|(_, p)| p.lambda != [0.0; 3]);
        self.0.extend(each.map(|(t, p)| (place(t), p.impulse())));
        self.0.sort_unstable_by_key(|(place, _)| *place);
    }

    /// The impulse at a place in the last step.
    pub fn recall(&self, touch: &CoatTouch) -> Vec3 {
        let found = self.0.binary_search_by_key(&place(touch), |(place, _)| *place);
        found.map_or(Vec3::ZERO, |k| self.0[k].1)
    }

    /// Appends all of it.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.0.len() as u64);
        for (((a, b), (body, seed)), impulse) in &self.0 {
            [*a, *b, *body, *seed].into_iter().for_each(|n| out.u64(u64::from(n)));
            out.vec3(*impulse);
        }
    }

    /// Reads what `save` wrote.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        self.0.clear();
        for _ in 0..from.u64()? {
            let [a, b, body, seed] = [(); 4].map(|()| from.u64().map(u32::try_from));
            let number = |n: Result<Result<u32, _>, String>| n?.map_err(|_| "no such seed".to_string());
            let place = ((number(a)?, number(b)?), (number(body)?, number(seed)?));
            self.0.push((place, from.vec3()?));
        }
        Ok(())
    }
}
