//! Pieces: bodies of their own, with the motion that the whole had where they were.

use super::super::shared::Shared;
use super::super::{Hybrid, Start};
use super::{Broken, Cut};
use crate::bodies::node_frame::{fit, total};
use crate::bodies::{Body, Breaks, Piece};
use crate::frame::Surface;
use crate::math::{Mat3, Vec3};
use crate::state::{Reader, Writer};
use std::sync::Arc;

/// How far the faces of a crack stand back when it opens, over the distance from the facet to the middle of its brick.
const OPENING: f64 = 0.02;

impl Breaks for Hybrid {
    fn pieces(&self) -> Vec<Piece> {
        match &self.shared.broken {
            Some(broken) if self.comes_apart => {
                let parts = broken.cut.parts(&broken.whole.bricks, &self.cracks);
                parts.into_iter().map(|bricks| self.piece(broken, bricks)).collect()
            }
            _ => vec![],
        }
    }

    fn save_form(&self, out: &mut Writer) {
        let Some(broken) = &self.shared.broken else { return };
        for list in [&broken.cut.bricks, &broken.cut.opened] {
            out.u64(list.len() as u64);
            list.iter().for_each(|k| out.u64(u64::from(*k)));
        }
        out.vec3(self.shared.centre);
        self.shared.reference.iter().for_each(|r| out.vec3(*r));
        self.shared.carriers.iter().for_each(|c| out.vec3(c.offset));
    }

    fn of_form(&self, from: &mut Reader) -> Result<Box<dyn Body>, String> {
        let broken = self.shared.broken.as_ref().ok_or("this body cannot have broken")?;
        let bricks = &broken.whole.bricks;
        let (some, opened) = (read_list(from, bricks.bricks.len())?, read_list(from, bricks.facets.len())?);
        let cut = Cut::new(bricks, some, &opened);
        let centre = from.vec3()?;
        let reference = cut.nodes.iter().map(|_| from.vec3()).collect::<Result<Vec<_>, _>>()?;
        let offsets = cut.spots.iter().map(|_| from.vec3()).collect::<Result<Vec<_>, _>>()?;
        let shared = broken.whole.piece(cut, reference, centre, &offsets, Some(self.shared.beta));
        Ok(Box::new(Hybrid::new(&Arc::new(shared), &Start::default())))
    }
}

impl Hybrid {
    /// Some bricks as a body of their own.
    fn piece(&self, broken: &Broken, bricks: Vec<u32>) -> Piece {
        let (whole, old) = (&broken.whole, &broken.cut);
        let all = &whole.bricks;
        let cut = Cut::new(all, bricks, &self.cracks);
        let before = |(node, brick): &(u32, u32)| {
            old.copy(all, *brick, *node).expect("a piece has bricks of the whole") as usize
        };
        let from: Vec<usize> = cut.nodes.iter().map(before).collect();
        let mass = cut.mass(whole);
        let sum: f64 = mass.iter().sum();
        let shape = self.shape();
        let taken = |list: &[Vec3]| -> (Vec3, Vec<Vec3>) {
            let mut own: Vec<Vec3> = from.iter().map(|k| list[*k]).collect();
            let mean = total(&mass, &own) / sum;
            own.iter_mut().for_each(|v| *v -= mean);
            (mean, own)
        };
        let (middle, q) = taken(&shape);
        let (rest_middle, reference) = taken(&self.reference);
        let (drift, z) = taken(&self.z);
        let turn = fit(&mass, &q, &reference);
        let back = Mat3::from_quat(turn).transpose();
        // Skins stay where they are in the world, but for the faces of the crack.
        let pulls = self.pulls(broken, &cut, &shape);
        let offset = |(copy, k): &(u32, u32)| {
            let copy = *copy as usize;
            let known = old.point((from[copy] as u32, *k)).map(|p| self.shared.carriers[p as usize].offset);
            let first = all.offsets[cut.nodes[copy].0 as usize][*k as usize];
            back * (known.unwrap_or(first) + pulls[copy])
        };
        let offsets: Vec<Vec3> = cut.spots.iter().map(offset).collect();
        let origin = |(copy, k): &(u32, u32)| old.point((from[*copy as usize] as u32, *k));
        let corners = cut.spots.iter().map(origin).collect();
        let centre = self.shared.centre + rest_middle;
        let e: Vec<Vec3> = q.iter().zip(&reference).map(|(q, r)| back * *q - *r).collect();
        let shared: Shared = whole.piece(cut, reference, centre, &offsets, Some(self.shared.beta));
        let mut body = Hybrid::new(&Arc::new(shared), &Start::default());
        body.centre = self.centre + self.rotation * middle;
        body.rotation = (self.rotation * turn).normalize();
        body.velocity = self.velocity + self.rotation * drift;
        body.z = z.into_iter().map(|z| back * z).collect();
        body.e = e;
        body.touched = self.touched;
        body.show_now();
        Piece { body: Box::new(body), corners }
    }

    /// By how much each copy's part of the skin stands back from where the node has just come apart, frame's axes.
    fn pulls(&self, broken: &Broken, cut: &Cut, shape: &[Vec3]) -> Vec<Vec3> {
        let (all, old) = (&broken.whole.bricks, &broken.cut);
        let place = |brick: u32, node: u32| old.copy(all, brick, node).map(|c| shape[c as usize]);
        let middle = |brick: u32, nodes: &[u32]| {
            nodes.iter().filter_map(|n| place(brick, *n)).sum::<Vec3>() / nodes.len() as f64
        };
        let mut pulls = vec![(Vec3::ZERO, 0.0); cut.nodes.len()];
        for f in &self.cracks {
            let facet = &all.facets[*f as usize];
            for (own, other) in [(facet.sides[0], facet.sides[1]), (facet.sides[1], facet.sides[0])] {
                for node in &facet.nodes {
                    let Some(copy) = cut.copy(all, own, *node) else { continue };
                    // Apart now, together before: otherwise it has stood back already, or does not open here.
                    let was_one = old.copy(all, own, *node) == old.copy(all, other, *node);
                    if was_one && cut.copy(all, other, *node) != Some(copy) {
                        let away = middle(own, &all.bricks[own as usize].nodes) - middle(own, &facet.nodes);
                        pulls[copy as usize].0 += away * OPENING;
                        pulls[copy as usize].1 += 1.0;
                    }
                }
            }
        }
        pulls.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { sum }).collect()
    }
}

impl Hybrid {
    /// The surface of a body that can break, in its own frame.
    pub(in super::super) fn surface(&self) -> Surface {
        let points: Vec<Vec3> = self.shared.carriers.iter().map(|c| self.carried_by(c)).collect();
        let triangles = &self.shared.mesh.triangles;
        let mut normals = vec![Vec3::ZERO; points.len()];
        for t in triangles {
            let [a, b, c] = t.map(|k| points[k as usize]);
            // Weighted by area, so that narrow faces of a crack do not show on the wide ones beside them.
            let area = (b - a).cross(c - a);
            t.iter().for_each(|k| normals[*k as usize] += area);
        }
        let unit = |n: Vec3| n.try_normalize().unwrap_or(Vec3::Y).as_vec3().to_array();
        Surface {
            triangles: triangles.clone(),
            normals: normals.into_iter().map(unit).collect(),
            colours: vec![],
            pieces: vec![0; points.len()],
        }
    }

    /// Reads which facets have broken.
    pub(in super::super) fn load_cracks(&mut self, from: &mut Reader) -> Result<(), String> {
        let facets = self.shared.broken.as_ref().map_or(0, |b| b.whole.bricks.facets.len());
        self.cracks = read_list(from, facets)?;
        self.note_cracks();
        Ok(())
    }
}

/// Reads numbers below `most`, in order.
fn read_list(from: &mut Reader, most: usize) -> Result<Vec<u32>, String> {
    let damaged = || "the saved state is damaged".to_string();
    let count = Some(from.u64()? as usize).filter(|count| *count <= most).ok_or_else(damaged)?;
    let numbers = (0..count).map(|_| from.u64().map(|k| k as u32)).collect::<Result<Vec<_>, _>>()?;
    let sound = numbers.is_sorted_by(|a, b| a < b) && numbers.iter().all(|k| (*k as usize) < most);
    if sound { Ok(numbers) } else { Err(damaged()) }
}
