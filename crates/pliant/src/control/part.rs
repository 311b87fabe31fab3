//! Controls of a body that comes apart: each piece is held, led or pushed where the whole was.

use super::{Anchor, Control, joint};
use crate::bodies::Piece;
use crate::math::Vec3;
use crate::scene::ControlKind;
use crate::skin::SkinPoint;
use crate::state::{Reader, Writer};

impl Control {
    /// This control after body `whole` came apart: one for every piece that it has points on. What it attaches to and
    /// stands behind that body moves up.
    pub(crate) fn follow(mut self, whole: usize, pieces: &[Piece]) -> Vec<Self> {
        let more = pieces.len() - 1;
        let up = |i: usize| if i > whole { i + more } else { i };
        if self.spec.kind.is_joint() {
            if self.body == whole || self.to == Some(whole) {
                // What it held on to is in pieces: it lets go.
                self.broken = true;
                self.ties = joint::start_ties(self.spec.kind);
            }
            (self.body, self.to) = (up(self.body), self.to.map(up));
            return vec![self];
        }
        // Attached to the piece that has the places it is glued to; before it has begun, to the largest.
        let ties = match self.to {
            Some(to) if to == whole => self.glued_to(whole, pieces),
            to => vec![(to.map(up), (0..self.corners.len()).collect())],
        };
        if self.body != whole {
            self.body = up(self.body);
            return ties.into_iter().map(|(to, own)| self.with(self.body, to, &own, &self.corners)).collect();
        }
        let mut parts = vec![];
        for (to, own) in ties {
            for (k, piece) in pieces.iter().enumerate() {
                if self.spec.kind == ControlKind::Servo {
                    // A servo leads a body as a whole: the largest piece.
                    if k == largest(pieces) {
                        let corners = vec![0; self.corners.len()];
                        parts.push(self.with(whole + k, to, &own, &corners));
                    }
                    continue;
                }
                let (mut from, mut corners) = (vec![], vec![]);
                for i in &own {
                    let stem = |(_, c): &(usize, &Option<u32>)| **c == Some(self.corners[*i]);
                    for (corner, _) in piece.corners.iter().enumerate().filter(stem) {
                        from.push(*i);
                        corners.push(corner as u32);
                    }
                }
                if !corners.is_empty() {
                    let mut part = self.with(whole + k, to, &from, &self.corners);
                    part.corners = corners;
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// Points that came apart are held on both sides; all that stem from one control share its force.
    pub(crate) fn share(all: &mut [Self]) {
        for k in 0..all.len() {
            let same = all.iter().filter(|c| c.number == all[k].number);
            all[k].sharing = same.map(|c| c.corners.len()).sum();
        }
        let wholes: Vec<f64> = all
            .iter()
            .map(|own| {
                let same = all.iter().filter(|c| c.number == own.number);
                same.filter_map(|c| c.hand.as_ref()).map(|h| h.total()).sum()
            })
            .collect();
        for (control, whole) in all.iter_mut().zip(wholes) {
            if let Some(hand) = &mut control.hand {
                hand.divide(whole);
            }
        }
    }

    /// Which corners are glued to which piece of the body that this control attaches to, with their new places.
    fn glued_to(&mut self, whole: usize, pieces: &[Piece]) -> Vec<(Option<usize>, Vec<usize>)> {
        let mut ties = vec![(Some(whole + largest(pieces)), vec![]); 1];
        if !self.begun {
            ties[0].1 = (0..self.corners.len()).collect();
            return ties;
        }
        ties = (0..pieces.len()).map(|k| (Some(whole + k), vec![])).collect();
        for (i, Anchor { point, .. }) in self.anchors.iter_mut().enumerate() {
            let found = pieces.iter().enumerate().find_map(|(k, piece)| Some((k, moved(point, piece)?)));
            if let Some((k, place)) = found {
                *point = place;
                ties[k].1.push(i);
            }
        }
        ties.retain(|(_, own)| !own.is_empty());
        ties
    }

    /// The same control of some of its corners.
    fn with(&self, body: usize, to: Option<usize>, own: &[usize], corners: &[u32]) -> Self {
        let whole = self.spec.kind == ControlKind::Servo || self.spec.kind.is_joint();
        // Of a hand, what acts on the body as a whole.
        let last = |list: &[Vec3]| self.hand.as_ref().and(list.last()).copied();
        Self {
            spec: self.spec.clone(),
            number: self.number,
            sharing: self.sharing,
            body,
            to,
            corners: own.iter().map(|i| corners[*i]).collect(),
            anchors: own.iter().map(|i| self.anchors[*i]).collect(),
            begun: self.begun,
            ties: self.ties.clone(),
            broken: self.broken,
            impulses: if whole {
                self.impulses.clone()
            } else {
                own.iter().map(|i| self.impulses[*i]).chain(last(&self.impulses)).collect()
            },
            start: self.start,
            pulls: own.iter().filter_map(|i| self.pulls.get(*i).copied()).collect(),
            trail: self.trail.as_ref().map(|t| t.of(own)),
            hand: self.hand.as_ref().map(|h| h.of(own)),
            motion: self.motion.clone(),
            speeds: if whole {
                self.speeds.clone()
            } else {
                own.iter().filter_map(|i| self.speeds.get(*i).copied()).chain(last(&self.speeds)).collect()
            },
        }
    }

    /// Which control of the scene it is, and which points of which bodies it acts on.
    pub(crate) fn save_parts(&self, out: &mut Writer) {
        out.u64(self.number as u64);
        out.u64(self.sharing as u64);
        out.u64(self.body as u64);
        out.u64(self.to.map_or(0, |to| to as u64 + 1));
        out.u64(self.corners.len() as u64);
        self.corners.iter().for_each(|c| out.u64(u64::from(*c)));
    }

    /// A control as it was saved, made from those there are; its state is yet to be loaded.
    pub(crate) fn of_parts(
        all: &[Self],
        (bodies, obstacles): (usize, usize),
        from: &mut Reader,
    ) -> Result<Self, String> {
        let damaged = || "the saved state is damaged".to_string();
        let number = from.u64()? as usize;
        let like = all.iter().find(|c| c.number == number).ok_or_else(damaged)?;
        let sharing = from.u64()? as usize;
        let body = Some(from.u64()? as usize).filter(|b| *b < bodies).ok_or_else(damaged)?;
        let to = (from.u64()? as usize).checked_sub(1);
        if to.is_some_and(|to| to >= bodies + obstacles) {
            return Err(damaged());
        }
        let count = Some(from.u64()? as usize).filter(|n| *n <= from.left()).ok_or_else(damaged)?;
        let corners = (0..count).map(|_| from.u64().map(|c| c as u32)).collect::<Result<Vec<_>, _>>()?;
        let mut control = like.with(body, to, &vec![0; count], &like.corners);
        control.corners = corners;
        control.sharing = sharing;
        Ok(control)
    }
}

fn largest(pieces: &[Piece]) -> usize {
    let mass = |k: &usize| pieces[*k].body.centre().1;
    (0..pieces.len()).rev().max_by(|a, b| mass(a).total_cmp(&mass(b))).unwrap_or(0)
}

/// A point of the whole's skin on that of a piece, if it is there.
fn moved(point: &SkinPoint, piece: &Piece) -> Option<SkinPoint> {
    let is = |corner: u32, old: u32| piece.corners[corner as usize] == Some(old);
    let triangles = &piece.body.skin().form.triangles;
    let [a, b, c] = point.corners;
    let corners = if a != b && b != c && c != a {
        *triangles.iter().find(|t| is(t[0], a) && is(t[1], b) && is(t[2], c))?
    } else {
        let corner = (0..piece.corners.len() as u32).find(|k| is(*k, a))?;
        [corner; 3]
    };
    Some(SkinPoint { corners, ..*point })
}
