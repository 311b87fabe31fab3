//! What has been simulated, as far as there is room for it.

use crate::hand::Pull;
use pliant::Frame;
use std::collections::VecDeque;

/// One frame and what only a viewer wants to know about it.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The frame.
    pub frame: Frame,
    /// Time that each phase of the step took `[ms]`.
    pub phases: Vec<f32>,
    /// The hand, if it had hold of something.
    pub pull: Option<Pull>,
    /// Potential energy of each body in the scene's gravity `[J]`.
    pub potential: Vec<f64>,
}

impl Moment {
    /// About how many bytes it takes.
    fn size(&self) -> usize {
        let surface = |s: &pliant::Surface| {
            12 * (s.triangles.len() + s.normals.len() + s.colours.len()) + 4 * s.pieces.len()
        };
        let object = |o: &pliant::ObjectFrame| {
            let inside = 6 * (o.nodes.places.len() + o.seeds.places.len());
            240 + 12 * o.points.len() + inside + o.surface.as_ref().map_or(0, surface)
        };
        let objects: usize = self.frame.objects.iter().map(object).sum();
        let rest = 48 * self.frame.contacts.len() + 160 * self.frame.measures.len();
        objects + rest + 256
    }
}

/// Moments in a row. When there are too many, the oldest go.
#[derive(Debug)]
pub struct History {
    moments: VecDeque<Moment>,
    bytes: usize,
    room: usize,
}

impl History {
    /// An empty one with room for so many bytes, and always for the last moment.
    pub fn new(room: usize) -> Self {
        Self { moments: VecDeque::new(), bytes: 0, room }
    }

    /// Adds the next moment.
    pub fn push(&mut self, moment: Moment) {
        self.bytes += moment.size();
        self.moments.push_back(moment);
        while self.bytes > self.room && self.moments.len() > 1 {
            self.bytes -= self.moments.pop_front().map_or(0, |m| m.size());
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.moments.clear();
        self.bytes = 0;
    }

    /// The moment of a frame, if it is still there.
    pub fn get(&self, index: u64) -> Option<&Moment> {
        let first = self.moments.front()?.frame.index;
        self.moments.get(usize::try_from(index.checked_sub(first)?).ok()?)
    }

    /// Index of the first and of the last frame.
    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.moments.front()?.frame.index, self.moments.back()?.frame.index))
    }

    /// All frames.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.moments.iter().map(|m| &m.frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        let moment = |index| Moment { frame: Frame { index, ..Frame::default() }, ..Moment::default() };
        let mut history = History::new(10 * moment(0).size());
        (0..25).for_each(|i| history.push(moment(i)));
        assert_eq!(history.range(), Some((15, 24)));
        assert_eq!(history.get(15).map(|m| m.frame.index), Some(15));
        assert!(history.get(14).is_none() && history.get(25).is_none());
    }

    #[test]
    fn the_last_moment_stays_however_large() {
        let mut history = History::new(1);
        (0..3).for_each(|index| {
            history.push(Moment { frame: Frame { index, ..Frame::default() }, ..Moment::default() });
        });
        assert_eq!(history.range(), Some((2, 2)));
    }
}
