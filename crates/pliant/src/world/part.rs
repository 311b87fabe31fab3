//! Bodies that have broken come apart: each piece becomes a body of its own.
//!
//! Pieces stand where the whole stood in the list of bodies, so that what comes before keeps its number and all else moves
//! up. Outside of the world they are what the scene named: a frame shows all pieces of a body as the one object that it
//! was, with a surface of as many pieces.

use super::World;
use crate::bodies::{Body, Piece};
use crate::contact::{CoatMemory, Contacts, Known, Memories, Near, PieceBoxes, pairs};
use crate::control::Control;
use crate::frame::{Measures, ObjectFrame};
use crate::math::{Quat, Vec3};
use crate::state::{Reader, Writer};

impl World {
    /// What broke in the last step comes apart, from the last body to the first so that numbers before it hold.
    pub(super) fn part_broken(&mut self) {
        for i in (0..self.bodies.len()).rev() {
            let pieces = self.bodies[i].breaks().map_or_else(Vec::new, |b| b.pieces());
            // Pieces that would cross each other or anything else stay together for now.
            if !pieces.is_empty() && !self.pieces_meet(i, &pieces) {
                self.replace(i, pieces);
            }
        }
    }

    /// Whether pieces of a body would cross each other or anything else.
    fn pieces_meet(&self, whole: usize, pieces: &[Piece]) -> bool {
        let others =
            (0..self.bodies.len() + self.obstacles.len()).filter(|j| *j != whole).map(|j| self.skin(j));
        let known = |skin, moves| Known { skin, body: None, moves, active: moves };
        let own = pieces.iter().map(|p| known(p.body.skin(), true));
        let info: Vec<Known> = own.chain(others.map(|skin| known(skin, false))).collect();
        let mut boxes = PieceBoxes::new(info.len());
        let objects = boxes.objects(&info, &self.tuning());
        let near = Memories::default().look(&objects, &pairs(&objects, None), &self.tuning());
        let meet = |n: &Near| n.gap <= 0.0 || n.planes.iter().any(|p| p.normal == Vec3::ZERO);
        near.iter().any(meet)
    }

    /// Puts pieces in the place of a body.
    fn replace(&mut self, whole: usize, pieces: Vec<Piece>) {
        let more = pieces.len() - 1;
        let controls = std::mem::take(&mut self.controls);
        self.controls = controls.into_iter().flat_map(|c| c.follow(whole, &pieces)).collect();
        Control::share(&mut self.controls);
        self.contacts.memory.make_room(whole as u32, more as u32);
        self.coat_memory = CoatMemory::default();
        self.contacts.boxes = PieceBoxes::new(self.bodies.len() + more + self.obstacles.len());
        self.rest.make_room(whole, more);
        let object = self.object_of[whole];
        self.object_of.splice(whole..=whole, pieces.iter().map(|_| object));
        self.bodies.splice(whole..=whole, pieces.into_iter().map(|p| p.body));
    }

    /// Number in `Topology::objects` of a body, a piece or an obstacle of the step.
    pub(super) fn object(&self, i: usize) -> usize {
        match i.checked_sub(self.bodies.len()) {
            None => self.object_of[i],
            Some(k) => self.names.len() - self.obstacles.len() + k,
        }
    }

    /// The bodies of each object: itself, or its pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let mut at = 0;
        self.object_of.chunk_by(|a, b| a == b).map(move |group| {
            at += group.len();
            at - group.len()..at
        })
    }

    /// Which pieces there are, where bodies can break, and which of them controls act on.
    pub(super) fn save_pieces(&self, out: &mut Writer) {
        let mut any = false;
        for group in self.pieces().filter(|g| self.bodies[g.start].breaks().is_some()) {
            any = true;
            out.u64(group.len() as u64);
            group.filter_map(|i| self.bodies[i].breaks()).for_each(|b| b.save_form(out));
        }
        if any {
            out.u64(self.controls.len() as u64);
            self.controls.iter().for_each(|c| c.save_parts(out));
        }
    }

    /// Makes the pieces that were saved.
    pub(super) fn load_pieces(&mut self, from: &mut Reader) -> Result<(), String> {
        if !self.bodies.iter().any(|b| b.breaks().is_some()) {
            return Ok(());
        }
        let damaged = || "the saved state is damaged".to_string();
        let count = |from: &mut Reader| {
            let count = from.u64()? as usize;
            if count <= from.left() { Ok(count) } else { Err(damaged()) }
        };
        let groups: Vec<_> = self.pieces().collect();
        let mut made: Vec<Vec<Box<dyn Body>>> = vec![];
        for group in &groups {
            let mut pieces = vec![];
            if let Some(breaks) = self.bodies[group.start].breaks() {
                for _ in 0..count(from)? {
                    pieces.push(breaks.of_form(from)?);
                }
                if pieces.is_empty() {
                    return Err(damaged());
                }
            }
            made.push(pieces);
        }
        // The object of each, pieces and others.
        let sizes = made.iter().map(|pieces| pieces.len().max(1)).enumerate();
        let object_of: Vec<usize> = sizes.flat_map(|(object, n)| std::iter::repeat_n(object, n)).collect();
        let known = (object_of.len(), self.obstacles.len());
        let controls = count(from)?;
        let controls = (0..controls).map(|_| Control::of_parts(&self.controls, known, from));
        self.controls = controls.collect::<Result<_, _>>()?;
        self.object_of = object_of;
        for (group, pieces) in groups.into_iter().zip(made).rev().filter(|(_, pieces)| !pieces.is_empty()) {
            self.bodies.splice(group, pieces);
        }
        self.rest = super::Rest::new(self.bodies.len(), self.spec.scene.sleep);
        self.contacts = Contacts::new(self.bodies.len() + self.obstacles.len());
        Ok(())
    }
}

/// All pieces of a body as one object, in the frame of the first.
pub(super) fn joined_frame(mut pieces: Vec<ObjectFrame>) -> ObjectFrame {
    let mut whole = pieces.remove(0);
    let (at, back) = (whole.translation, whole.rotation.inverse());
    let turned = |v: [f32; 3], q: Quat| (back * (q * Vec3::from(v.map(f64::from)))).as_vec3().to_array();
    for (k, piece) in pieces.into_iter().enumerate() {
        let (Some(surface), Some(more)) = (&mut whole.surface, piece.surface) else { continue };
        let first = whole.points.len() as u32;
        let place = |p: &[f32; 3]| {
            let world = piece.translation + piece.rotation * Vec3::from(p.map(f64::from));
            (back * (world - at)).as_vec3().to_array()
        };
        whole.points.extend(piece.points.iter().map(place));
        surface.triangles.extend(more.triangles.iter().map(|t| t.map(|p| p + first)));
        surface.normals.extend(more.normals.iter().map(|n| turned(*n, piece.rotation)));
        surface.pieces.extend(more.pieces.iter().map(|_| k as u32 + 1));
    }
    whole
}

/// What all pieces of a body measure together.
pub(super) fn joined_measures(pieces: Vec<Measures>) -> Measures {
    let sum = |f: &dyn Fn(&Measures) -> f64| pieces.iter().map(f).sum::<f64>();
    let mass = sum(&|m| m.mass);
    if let [only] = pieces[..] {
        return only;
    }
    Measures {
        mass,
        centre: pieces.iter().map(|m| m.centre * m.mass).sum::<Vec3>() / mass,
        momentum: pieces.iter().map(|m| m.momentum).sum(),
        angular_momentum: pieces.iter().map(|m| m.angular_momentum).sum(),
        kinetic: sum(&|m| m.kinetic),
        elastic: sum(&|m| m.elastic),
        volume: sum(&|m| m.volume),
        least_jacobian: pieces.iter().map(|m| m.least_jacobian).fold(f64::INFINITY, f64::min),
        asleep: pieces.iter().all(|m| m.asleep),
    }
}
