//! Corners of the cubes of a block: which of them are inside.
//!
//! Corners lie in parts of 4 by 4 by 4, whose values are computed at once, and parts in the eight octants of the block, for which
//! skeletons are looked up together.

use super::sure::Rough;
use crate::bodies::clay::felt::{Felt, Local, TILE};
use crate::contact::{Bounds, Limit};
use crate::math::Vec3;
use std::array::from_fn;

/// Cubes along the edge of a block.
pub const SIDE: i32 = 15;
/// Corners along it.
pub const CORNERS: usize = SIDE as usize + 1;
/// Octants of a block, and parts of an octant.
pub const EIGHT: usize = 8;
/// Corners along the edge of an octant.
const OCTANT: usize = 2 * TILE;
/// The field below which no limit can make a place belong to the body.
pub const FAINT: f64 = 0.5;
/// Said of corners that are inside or outside for sure, and that nobody has looked at.
const UNSEEN: [f32; 2] = [2.0, 0.0];
/// Skeletons farther than this, over their thickness, hardly help to be sure that a place is inside.
const HELPFUL: f32 = 2.0;
/// The field in a box that is wider than this, over the thickness, changes too much for one look to be enough.
const WIDE: f64 = 0.84;
/// Parts in the lower and the upper half of an octant along each axis, one bit each.
const HALVES: [[u8; 2]; 3] = [[0x55, 0xaa], [0x33, 0xcc], [0x0f, 0xf0]];

/// What limits each octant of a block, if anything does.
pub type Limits<'a> = [Option<Box<dyn Limit + 'a>>; EIGHT];
/// Which octant of a block, and which part of that.
pub type Part = [usize; 2];

/// Corners of a block; used again for one block after the other.
#[derive(Default)]
pub struct Corners<'a> {
    /// Their coordinates along each axis.
    along: [[f64; CORNERS]; 3],
    /// The field there, in layers of parts.
    values: [[[[f32; TILE * TILE]; TILE]; EIGHT]; EIGHT],
    /// One bit for each corner of a row that is inside.
    pub rows: [[u16; CORNERS]; CORNERS],
    /// Skeletons about the block, about one octant, and those that help to be sure that it is inside.
    around: Rough,
    octant: Rough,
    helpful: Rough,
    /// Skeletons felt at the edges that begin in each octant, and for which octants they are known, one bit each.
    near: [Local<'a>; EIGHT],
    taken: u8,
    /// Who is felt at the edges that begin in each part, and for which parts it is known.
    felt: [[Felt<'a>; EIGHT]; EIGHT],
    known: [u8; EIGHT],
    /// Number of the point on each edge that is cut, by three times the corner where it begins, and the axis.
    pub on_edge: Vec<u16>,
}

/// First corner of a part.
pub fn first_of([octant, part]: Part) -> [usize; 3] {
    [0, 1, 2].map(|d| (octant >> d & 1) * OCTANT + (part >> d & 1) * TILE)
}

/// The octant and the part where a corner is.
#[inline(always)]
pub fn part_of(at: [usize; 3]) -> Part {
    let bits = |size: usize| (at[2] / size % 2 * 2 + at[1] / size % 2) * 2 + at[0] / size % 2;
    [bits(OCTANT), bits(TILE)]
}

/// Corners along the edge of groups that one look may be enough for.
fn group_of(edge: f64, near: &Local) -> usize {
    let thinnest = near.near.iter().map(|b| b.e).fold(f64::INFINITY, f64::min);
    ((WIDE * thinnest / edge) as usize + 1).clamp(2, OCTANT)
}

impl<'a> Corners<'a> {
    /// Makes these the corners of a block. `around` has those who are felt in it.
    pub fn place_at(&mut self, at: [i32; 3], edge: f64, around: &Local<'a>) {
        // Always from the number of the corner, so that neighbours have the very same places.
        self.along = [0, 1, 2].map(|d| from_fn(|i| (f64::from(at[d] * SIDE) + i as f64) * edge));
        self.rows = [[0; CORNERS]; CORNERS];
        (self.taken, self.known) = (0, [0; EIGHT]);
        self.on_edge.resize(3 * CORNERS.pow(3), 0);
        let whole = self.bounds([0; 3], CORNERS);
        self.around.fill(around.shape, &around.near, 0.5 * (whole.low + whole.high));
    }

    /// The box about an octant and all edges that end or begin in it.
    pub fn with_edges(&self, octant: usize) -> Bounds {
        let first = first_of([octant, 0]);
        self.bounds(first.map(|c| c.saturating_sub(1)), OCTANT + 2)
    }

    /// Finds which corners are inside, and tells whether the surface passes between them.
    #[inline(always)]
    pub fn look(&mut self, around: &Local<'a>, limits: &Limits) -> bool {
        let group = group_of(self.along[0][1] - self.along[0][0], around);
        for (octant, limit) in limits.iter().enumerate() {
            self.look_at_octant(octant, around, limit.as_deref(), group);
        }
        let rows = self.rows.as_flattened();
        rows.iter().any(|r| *r != 0) && rows.iter().any(|r| *r != u16::MAX)
    }

    #[inline(always)]
    fn look_at_octant(&mut self, octant: usize, around: &Local<'a>, limit: Option<&dyn Limit>, group: usize) {
        let own = self.bounds(first_of([octant, 0]), OCTANT);
        let mut inside = 0;
        // A limit may make anything outside.
        if limit.is_none() {
            self.helpful.fill_from(&self.around, &own, HELPFUL);
            inside = self.inside(octant, around, group);
        }
        if inside != u8::MAX {
            self.take(octant, around);
            let near = &self.near[octant];
            self.octant.fill(near.shape, &near.near, self.around.origin);
        }
        for part in 0..EIGHT {
            if inside >> part & 1 == 1 {
                self.values[octant][part] = [[UNSEEN[0]; _]; _];
            } else if self.octant.is_outside(&self.bounds(first_of([octant, part]), TILE), &self.near[octant])
            {
                self.values[octant][part] = [[UNSEEN[1]; _]; _];
                continue;
            } else {
                self.look_at([octant, part], limit);
            }
            self.mark([octant, part]);
        }
    }

    pub fn place(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        Vec3::new(self.along[0][i], self.along[1][j], self.along[2][k])
    }

    /// The field at a corner.
    #[inline(always)]
    pub fn value(&self, at: [usize; 3]) -> f64 {
        let [octant, part] = part_of(at);
        let [i, j, k] = at.map(|c| c % TILE);
        f64::from(self.values[octant][part][k][j * TILE + i])
    }

    /// The box about corners from one on, so many along each axis.
    fn bounds(&self, from: [usize; 3], count: usize) -> Bounds {
        let to = from.map(|c| (c + count - 1).min(CORNERS - 1));
        Bounds { low: self.place(from), high: self.place(to) }
    }

    /// Parts of an octant all of whose corners are inside for sure, one bit each, from one look at each group of so many along
    /// each axis.
    #[inline(always)]
    fn inside(&self, octant: usize, near: &Local, size: usize) -> u8 {
        let first = first_of([octant, 0]);
        let mut inside = u8::MAX;
        let mut from = [0; 3];
        while from[2] < OCTANT {
            let mut touched = u8::MAX;
            let start = [0, 1, 2].map(|d| first[d] + from[d]);
            let mut within = Bounds { low: self.place(start), high: Vec3::ZERO };
            for d in 0..3 {
                let to = (from[d] + size).min(OCTANT) - 1;
                // Parts that have corners in the group.
                touched &= HALVES[d][from[d] / TILE] | HALVES[d][to / TILE];
                within.high[d] = self.along[d][first[d] + to];
            }
            if inside & touched != 0 && !self.helpful.is_inside(&within, near) {
                inside &= !touched;
            }
            from[0] += size;
            for d in 0..2 {
                if from[d] >= OCTANT {
                    from[d] = 0;
                    from[d + 1] += size;
                }
            }
        }
        inside
    }

    /// Finds who is felt at the edges that begin in an octant.
    #[inline(always)]
    fn take(&mut self, octant: usize, around: &Local<'a>) {
        if self.taken >> octant & 1 == 0 {
            self.taken |= 1 << octant;
            let whole = self.bounds(first_of([octant, 0]), OCTANT + 1);
            self.near[octant].take(around, &whole);
        }
    }

    /// Who is felt at the edges that begin in a part. `around` has those who are felt in the block.
    #[inline(always)]
    pub fn felt(&mut self, [octant, part]: Part, around: &Local<'a>) -> &mut Felt<'a> {
        self.take(octant, around);
        self.feel([octant, part])
    }

    #[inline(always)]
    fn feel(&mut self, [octant, part]: Part) -> &mut Felt<'a> {
        if self.known[octant] >> part & 1 == 0 {
            self.known[octant] |= 1 << part;
            let whole = self.bounds(first_of([octant, part]), TILE + 1);
            self.near[octant].felt_within(&whole, &mut self.felt[octant][part]);
        }
        &mut self.felt[octant][part]
    }

    /// Looks at all corners of a part.
    #[inline(always)]
    fn look_at(&mut self, [octant, part]: Part, limit: Option<&dyn Limit>) {
        let from = first_of([octant, part]);
        let own = [0, 1, 2].map(|d| from_fn(|c| self.along[d][from[d] + c]));
        let mut values = self.feel([octant, part]).grid(&own);
        if let Some(limit) = limit {
            for (n, v) in values.as_flattened_mut().iter_mut().enumerate() {
                if f64::from(*v) > FAINT {
                    let p = Vec3::new(own[0][n % TILE], own[1][n / TILE % TILE], own[2][n / (TILE * TILE)]);
                    *v = 1.0 + limit.at(p, f64::from(*v), Vec3::ZERO).0 as f32;
                }
            }
        }
        self.values[octant][part] = values;
    }

    /// Marks which corners of a part are inside.
    #[inline(always)]
    fn mark(&mut self, [octant, part]: Part) {
        let [i, j, k] = first_of([octant, part]);
        for (layer, rows) in self.values[octant][part].iter().zip(&mut self.rows[k..]) {
            let bits = (0..TILE * TILE).fold(0u16, |bits, n| bits | u16::from(layer[n] > 1.0) << n);
            for (n, row) in rows[j..j + TILE].iter_mut().enumerate() {
                *row |= (bits >> (TILE * n) & 0xf) << i;
            }
        }
    }

    /// Whether octants that are limited and those beside them that are not say the same of the corners between them.
    pub fn agree(&mut self, around: &Local<'a>, limits: &Limits) -> bool {
        for (octant, axis) in (0..EIGHT).flat_map(|o| (0..3).map(move |axis| (o, axis))) {
            let Some(limit) = &limits[octant] else { continue };
            let other = octant ^ 1 << axis;
            if limits[other].is_some() {
                continue;
            }
            let first = first_of([other, 0]);
            for n in 0..OCTANT * OCTANT {
                let mut at = first;
                at[axis] += if octant >> axis & 1 == 1 { OCTANT - 1 } else { 0 };
                at[(axis + 1) % 3] += n % OCTANT;
                at[(axis + 2) % 3] += n / OCTANT;
                if self.rows[at[2]][at[1]] >> at[0] & 1 == 1 {
                    let p = self.place(at);
                    let (f, gradient) = self.felt(part_of(at), around).at(p);
                    if limit.at(p, f, gradient).0 <= 0.0 {
                        return false;
                    }
                }
            }
        }
        true
    }
}
