//! What a session answers, as bytes. All numbers are little endian, everything stands on multiples of four bytes.
//!
//! | message | after its kind (u32) |
//! |---|---|
//! | 0 text | JSON: `{ "type": "scene" }`, `"state"` or `"error"` |
//! | 1 topology | number of objects; for each: points, triangles, edges of cells (u32 each), then f32 triples, u32 triples, u32 pairs |
//! | 2 frame | see [`frame`] |
//! | 3 file | length of its name in bytes, its name filled up to four bytes, its bytes |

use crate::history::Moment;
use pliant::{ContactFrame, ObjectFrame, Topology};
use serde::Serialize;

const TEXT: u32 = 0;
const TOPOLOGY: u32 = 1;
const FRAME: u32 = 2;
const FILE: u32 = 3;

/// Flags of a frame.
const HELD: u32 = 1;
const PLAYING: u32 = 2;
/// Flags of an object in a frame.
const SURFACE: u32 = 1;
const COLOURS: u32 = 2;
const INSIDE: u32 = 4;

/// JSON.
pub fn text(value: &impl Serialize) -> Vec<u8> {
    let mut out = Out::new(TEXT);
    // Plain data without maps of odd keys always serialises.
    out.bytes.extend(serde_json::to_vec(value).unwrap_or_default());
    out.bytes
}

/// What does not change from frame to frame.
pub fn topology(topology: &Topology) -> Vec<u8> {
    let mut out = Out::new(TOPOLOGY);
    out.count(topology.objects.len());
    for object in &topology.objects {
        out.count(object.points.len());
        out.count(object.triangles.len());
        out.count(object.cell_edges.len());
        out.vectors(&object.points);
        out.triangles(&object.triangles);
        object.cell_edges.as_flattened().iter().for_each(|i| out.u32(*i));
    }
    out.bytes
}

/// A file to be kept.
pub fn file(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Out::new(FILE);
    out.count(name.len());
    out.bytes.extend_from_slice(name.as_bytes());
    out.bytes.resize(out.bytes.len().next_multiple_of(4), 0);
    out.bytes.extend_from_slice(bytes);
    out.bytes
}

/// Where a frame stands among those that can be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// First and last frame that can be shown.
    pub range: (u64, u64),
    /// Whether ticks advance.
    pub playing: bool,
    /// Whether what bodies are made of inside comes along.
    pub inside: bool,
}

/// One moment:
///
/// index u32, time f64 `[s]`, first and last frame kept u32, flags u32, hash of the exact state 4 u32; counts u32 of objects,
/// contacts, bodies, phases; steps u32, smallest gap f32 `[m]`; if held: body u32, point, hand, force 3 f32 each.
/// Then for every object: pose 7 f32, points u32, triangles u32, flags u32, and points, triangles, normals, colours as far
/// as it has them, and if asked for nodes u32, seeds u32 and these 3 f32 each; every contact: a, b u32, place, normal, force 3 f32, gap f32; every body: mass, kinetic, elastic,
/// potential energy, volume, least determinant, centre, speed, asleep, all f32; every phase: ms f32.
pub fn frame(moment: &Moment, standing: &Standing) -> Vec<u8> {
    let frame = &moment.frame;
    let mut out = Out::new(FRAME);
    out.count(frame.index as usize);
    out.bytes.extend_from_slice(&frame.time.to_le_bytes());
    out.count(standing.range.0 as usize);
    out.count(standing.range.1 as usize);
    let held = if moment.pull.is_some() { HELD } else { 0 };
    out.u32(held | if standing.playing { PLAYING } else { 0 });
    for half in frame.state_hash {
        out.bytes.extend_from_slice(&half.to_le_bytes());
    }
    out.count(frame.objects.len());
    out.count(frame.contacts.len());
    out.count(frame.measures.len());
    out.count(moment.phases.len());
    out.u32(frame.report.steps);
    out.f32(frame.report.min_distance as f32);
    if let Some(pull) = &moment.pull {
        out.u32(pull.body);
        out.vectors(&[pull.point, pull.hand, pull.force]);
    }
    frame.objects.iter().for_each(|o| object(&mut out, o, standing.inside));
    frame.contacts.iter().for_each(|c| contact(&mut out, c));
    for (m, potential) in frame.measures.iter().zip(&moment.potential) {
        let speed = m.momentum.length() / m.mass;
        let energies = [m.mass, m.kinetic, m.elastic, *potential, m.volume, m.least_jacobian];
        energies.into_iter().chain(m.centre.to_array()).for_each(|x| out.f32(x as f32));
        out.f32(speed as f32);
        out.f32(f32::from(u8::from(m.asleep)));
    }
    moment.phases.iter().for_each(|ms| out.f32(*ms));
    out.bytes
}

fn object(out: &mut Out, object: &ObjectFrame, inside: bool) {
    let (t, r) = (object.translation, object.rotation);
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w].iter().for_each(|x| out.f32(*x as f32));
    out.count(object.points.len());
    let inside = inside && !(object.nodes.places.is_empty() && object.seeds.places.is_empty());
    let inside_flag = if inside { INSIDE } else { 0 };
    if let Some(surface) = &object.surface {
        out.count(surface.triangles.len());
        out.u32(SURFACE | inside_flag | if surface.colours.is_empty() { 0 } else { COLOURS });
        out.vectors(&object.points);
        out.triangles(&surface.triangles);
        out.vectors(&surface.normals);
        out.vectors(&surface.colours);
    } else {
        out.u32(0);
        out.u32(inside_flag);
        out.vectors(&object.points);
    }
    if inside {
        out.count(object.nodes.places.len());
        out.count(object.seeds.places.len());
        let points = object.nodes.points().chain(object.seeds.points());
        points.flatten().for_each(|x| out.f32(x));
    }
}

fn contact(out: &mut Out, contact: &ContactFrame) {
    out.u32(contact.a);
    out.u32(contact.b);
    out.vectors(&[contact.position, contact.normal, contact.force]);
    out.f32(contact.gap);
}

struct Out {
    bytes: Vec<u8>,
}

impl Out {
    fn new(kind: u32) -> Self {
        Self { bytes: kind.to_le_bytes().to_vec() }
    }
    fn u32(&mut self, x: u32) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }
    fn f32(&mut self, x: f32) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }
    fn count(&mut self, n: usize) {
        self.u32(n as u32);
    }
    fn vectors(&mut self, vectors: &[[f32; 3]]) {
        self.bytes.reserve(12 * vectors.len());
        vectors.as_flattened().iter().for_each(|x| self.f32(*x));
    }
    fn triangles(&mut self, triangles: &[[u32; 3]]) {
        self.bytes.reserve(12 * triangles.len());
        triangles.as_flattened().iter().for_each(|i| self.u32(*i));
    }
}
