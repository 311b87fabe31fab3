//! Seeds of skeletons, found once in a step and only where somebody asks for them.

use crate::contact::Sample;
use std::sync::OnceLock;

/// Skeletons in a group. Most of them lie deep inside or far from everything, where a whole group takes no room.
const GROUP: usize = 32;

type Group = [OnceLock<Box<[Sample]>>; GROUP];

/// The seeds of all skeletons that were asked for.
pub struct Seeds(Vec<OnceLock<Box<Group>>>);

fn new_group() -> Box<Group> {
    Box::new(std::array::from_fn(|_| OnceLock::new()))
}

impl Seeds {
    /// Of so many skeletons, none of which has been asked for.
    pub fn new(skeletons: usize) -> Self {
        Self((0..skeletons.div_ceil(GROUP)).map(|_| OnceLock::new()).collect())
    }

    /// Those of a skeleton, as they were found before or are found now.
    pub fn of(&self, skeleton: usize, find: impl FnOnce() -> Vec<Sample>) -> &[Sample] {
        let group = self.0[skeleton / GROUP].get_or_init(new_group);
        group[skeleton % GROUP].get_or_init(|| find().into())
    }

    /// Whether somebody near a skeleton was asked for in this step or the last.
    pub fn are_wanted(&self, skeleton: usize) -> bool {
        self.0[skeleton / GROUP].get().is_some()
    }

    /// Skeletons have moved; only which groups were asked for is still known.
    pub fn forget(&mut self) {
        for group in &mut self.0 {
            if group.take().is_some_and(|known| known.iter().any(|seeds| seeds.get().is_some())) {
                *group = new_group().into();
            }
        }
    }
}
