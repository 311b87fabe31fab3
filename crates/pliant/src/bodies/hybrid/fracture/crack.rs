//! When and where a body breaks.
//!
//! The strain across a facet is how much farther apart the middles of its two bricks are than at rest, and for curves and
//! sheets the strain that the angle between them makes at their surface. A crack begins where strain is largest over what
//! the facet bears, one in a body and step. Strain piles up at the tip of a crack, more than bricks can show; so a tip runs
//! on, in the same step, through the most strained facet ahead as long as that bears at least `RUN` of what would begin a
//! crack.

use super::super::Hybrid;
use super::Broken;
use crate::math::Vec3;
use crate::math::portable::angle_between;
use crate::shape::Facet;
use std::collections::BTreeMap;

/// Share of the strength at which a crack runs on from its tip.
const RUN: f64 = 0.5;

impl Hybrid {
    /// Breaks what is strained beyond its strength. Rows are deleted when the body comes apart, before the next step.
    pub(in super::super) fn crack(&mut self) {
        let shared = self.shared.clone();
        let Some(broken) = &shared.broken else { return };
        let strains = self.strains(broken);
        let held = |f: u32| self.cracks.binary_search(&f).is_err();
        let worst = strains.iter().filter(|(f, s)| **s >= 1.0 && held(**f)).max_by(|a, b| a.1.total_cmp(b.1));
        let mut cracks = self.cracks.clone();
        cracks.extend(worst.map(|(f, _)| *f));
        // How many broken facets meet at each front; one is a tip.
        let mut fronts: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let facet = |f: u32| &broken.whole.bricks.facets[f as usize];
        let note = |fronts: &mut BTreeMap<_, _>, facet: &Facet| {
            facet.fronts.iter().for_each(|front| *fronts.entry(*front).or_insert(0) += 1);
        };
        cracks.iter().for_each(|f| note(&mut fronts, facet(*f)));
        loop {
            let ahead = |f: u32| {
                !cracks.contains(&f) && facet(f).fronts.iter().any(|front| fronts.get(front) == Some(&1))
            };
            let next =
                strains.iter().filter(|(f, s)| **s >= RUN && ahead(**f)).max_by(|a, b| a.1.total_cmp(b.1));
            let Some((f, _)) = next else { break };
            cracks.push(*f);
            note(&mut fronts, facet(*f));
        }
        if cracks.len() > self.cracks.len() {
            cracks.sort_unstable();
            self.cracks = cracks;
            self.note_cracks();
        }
    }

    /// Breaks every facet whose bricks lie on different sides of a plane, whatever it bears; whether it can break at all.
    pub(in super::super) fn crack_along(&mut self, at: Vec3, across: Vec3) -> bool {
        let shared = self.shared.clone();
        let Some(Broken { whole, cut }) = &shared.broken else { return false };
        let shape = self.shape();
        let is_beyond = |(_, copies): (u32, &[u32])| {
            (self.centre + self.rotation * middle(copies, &shape) - at).dot(across) > 0.0
        };
        let beyond: Vec<bool> = cut.corners().map(is_beyond).collect();
        for (f, facet) in whole.bricks.facets.iter().enumerate() {
            let side = |k: usize| cut.bricks.binary_search(&facet.sides[k]).ok().map(|b| beyond[b]);
            if let (Some(a), Some(b)) = (side(0), side(1))
                && a != b
                && let Err(place) = self.cracks.binary_search(&(f as u32))
            {
                self.cracks.insert(place, f as u32);
            }
        }
        self.note_cracks();
        true
    }

    /// Whether what is broken changes anything: a crack needs to reach around a node before it opens.
    pub(in super::super) fn note_cracks(&mut self) {
        let Some(broken) = &self.shared.broken else { return };
        let (bricks, cut) = (&broken.whole.bricks, &broken.cut);
        self.comes_apart = self.cracks != cut.opened
            && super::Cut::new(bricks, cut.bricks.clone(), &self.cracks).nodes != cut.nodes;
    }

    /// Strain across each facet that the body has, over what that bears.
    fn strains(&self, broken: &Broken) -> BTreeMap<u32, f64> {
        let (whole, cut) = (&broken.whole, &broken.cut);
        let now = self.shape();
        let look = |q: &[Vec3]| -> Vec<(Vec3, Vec3)> {
            cut.corners()
                .map(|(b, copies)| {
                    let brick = &whole.bricks.bricks[b as usize];
                    let at = |n: u32| {
                        let k = brick.nodes.iter().position(|m| *m == n).unwrap_or(0);
                        q[copies[k] as usize]
                    };
                    let [first, second] = brick.lies.map(|[from, to]| at(to) - at(from));
                    let across = first.cross(second);
                    // A curve has one direction, a sheet a normal, a solid neither.
                    let lies = if brick.nodes.len() == 2 { first } else { across };
                    (middle(copies, q), lies.normalize_or_zero())
                })
                .collect()
        };
        let (now, rest) = (look(&now), look(&self.reference));
        let mut strains = BTreeMap::new();
        for (f, facet) in whole.bricks.facets.iter().enumerate() {
            let place = |side: usize| cut.bricks.binary_search(&facet.sides[side]);
            let (Ok(a), Ok(b)) = (place(0), place(1)) else { continue };
            let length = rest[a].0.distance(rest[b].0);
            let stretch = now[a].0.distance(now[b].0) / length - 1.0;
            let angle = |of: &[(Vec3, Vec3)]| angle_between(of[a].1, of[b].1);
            let bend = if rest[a].1 == Vec3::ZERO { 0.0 } else { (angle(&now) - angle(&rest)).abs() };
            let strain = stretch + 0.5 * whole.thickness * bend / length;
            strains.insert(f as u32, strain / whole.strength[f]);
        }
        strains
    }
}

/// The middle of a brick, by the copies of its nodes.
fn middle(copies: &[u32], q: &[Vec3]) -> Vec3 {
    copies.iter().map(|c| q[*c as usize]).sum::<Vec3>() / copies.len() as f64
}
