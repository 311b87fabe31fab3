//! Corners of the cubes of a block: which of them are inside.

use super::sure::Rough;
use crate::bodies::clay::felt::{Felt, Local, TILE};
use crate::contact::{Bounds, Limit};
use crate::math::Vec3;
use std::array::from_fn;

/// Cubes along the edge of a block.
pub const SIDE: i32 = 7;
/// Corners along it.
pub const CORNERS: usize = SIDE as usize + 1;
/// Parts of a block.
pub const PARTS: usize = 8;
/// The field below which no limit can make a place belong to the body.
pub const FAINT: f64 = 0.5;
/// Said of corners that are inside or outside for sure, and that nobody has looked at.
const UNSEEN: [f32; 2] = [2.0, 0.0];
/// Skeletons farther than this, over their thickness, hardly help to be sure that a place is inside.
const HELPFUL: f32 = 2.0;

/// The field in a box that is wider than this, over the thickness, changes too much for one look to be enough.
const WIDE: f64 = 0.84;

/// Parts in the lower and the upper half along each axis, one bit each.
const HALVES: [[u8; 2]; 3] = [[0x55, 0xaa], [0x33, 0xcc], [0x0f, 0xf0]];

/// What is used again for one block after the other.
#[derive(Default)]
pub struct Room<'a> {
    /// Skeletons about a group of blocks, about one block, and those that help to be sure that it is inside.
    pub group: Rough,
    block: Rough,
    helpful: Rough,
    near: Local<'a>,
    /// Who is felt at the edges that begin in each part, and for which of them it is known, one bit each.
    felt: [Felt<'a>; PARTS],
    known: u8,
}

impl<'a> Room<'a> {
    /// Who is felt at the edges that begin in a part.
    #[inline(always)]
    pub fn felt(&mut self, part: usize, corners: &Corners) -> &mut Felt<'a> {
        if self.known >> part & 1 == 0 {
            corners.feel(part, &self.near, &mut self.felt[part]);
            self.known |= 1 << part;
        }
        &mut self.felt[part]
    }
}

/// Corners of a block.
pub struct Corners {
    /// Their coordinates along each axis.
    along: [[f64; CORNERS]; 3],
    /// The field there, in layers of parts.
    values: [[[f32; TILE * TILE]; TILE]; PARTS],
    /// One bit for each corner of a row that is inside.
    pub rows: [u8; CORNERS * CORNERS],
}

/// Corners along the edge of groups that one look may be enough for.
fn group_of(edge: f64, near: &Local) -> usize {
    let thinnest = near.near.iter().map(|b| b.e).fold(f64::INFINITY, f64::min);
    ((WIDE * thinnest / edge) as usize + 1).clamp(2, CORNERS)
}

/// First corner of a part.
pub fn first_of(part: usize) -> [usize; 3] {
    [0, 1, 2].map(|d| (part >> d & 1) * TILE)
}

impl Corners {
    /// Those of a block, if the surface passes between them. Who is felt about them stays in `room`.
    #[inline(always)]
    pub fn new<'a>(
        at: [i32; 3],
        edge: f64,
        around: &Local<'a>,
        limit: Option<&dyn Limit>,
        room: &mut Room<'a>,
    ) -> Option<Self> {
        // Always from the number of the corner, so that neighbours have the very same places.
        let along = [0, 1, 2].map(|d| from_fn(|i| (f64::from(at[d] * SIDE) + i as f64) * edge));
        let mut corners = Self { along, values: [[[0.0; TILE * TILE]; TILE]; PARTS], rows: [0; _] };
        let whole = corners.bounds([0; 3], CORNERS);
        let Room { group, block, helpful, near, felt, known } = room;
        let mut inside = 0;
        // A limit may make anything outside.
        if limit.is_none() {
            helpful.fill_from(group, &whole, HELPFUL);
            inside = corners.inside(helpful, around, group_of(edge, around));
            if inside == u8::MAX {
                return None;
            }
        }
        near.take(around, &whole);
        block.fill(near.shape, &near.near, group.origin);
        let mut outside = 0;
        for part in (0..PARTS).filter(|part| inside >> part & 1 == 0) {
            let is_outside = block.is_outside(&corners.bounds(first_of(part), TILE), near);
            outside |= u8::from(is_outside) << part;
        }
        if outside == u8::MAX {
            return None;
        }
        for part in 0..PARTS {
            match (inside >> part & 1, outside >> part & 1) {
                (1, _) => corners.values[part] = [[UNSEEN[0]; _]; _],
                (_, 1) => corners.values[part] = [[UNSEEN[1]; _]; _],
                _ => corners.look(part, near, limit, &mut felt[part]),
            }
            corners.mark(part);
        }
        *known = !(inside | outside);
        let rows = &corners.rows;
        (rows.iter().any(|r| *r != 0) && rows.iter().any(|r| *r != u8::MAX)).then_some(corners)
    }

    pub fn place(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        Vec3::new(self.along[0][i], self.along[1][j], self.along[2][k])
    }

    /// The field at a corner.
    #[inline(always)]
    pub fn value(&self, [i, j, k]: [usize; 3]) -> f64 {
        let part = (k / TILE * 2 + j / TILE) * 2 + i / TILE;
        f64::from(self.values[part][k % TILE][j % TILE * TILE + i % TILE])
    }

    /// The box about corners from one on, so many along each axis.
    fn bounds(&self, from: [usize; 3], count: usize) -> Bounds {
        let to = from.map(|c| (c + count - 1).min(CORNERS - 1));
        Bounds { low: self.place(from), high: self.place(to) }
    }

    /// Parts all of whose corners are inside for sure, one bit each, from one look at each group of so many along each axis.
    #[inline(always)]
    fn inside(&self, rough: &Rough, near: &Local, size: usize) -> u8 {
        let mut inside = u8::MAX;
        let mut from = [0; 3];
        while from[2] < CORNERS {
            let mut touched = u8::MAX;
            let mut within = Bounds { low: self.place(from), high: Vec3::ZERO };
            for d in 0..3 {
                let to = (from[d] + size).min(CORNERS) - 1;
                // Parts that have corners in the group.
                touched &= HALVES[d][from[d] / TILE] | HALVES[d][to / TILE];
                within.high[d] = self.along[d][to];
            }
            if inside & touched != 0 && !rough.is_inside(&within, near) {
                inside &= !touched;
            }
            from[0] += size;
            for d in 0..2 {
                if from[d] >= CORNERS {
                    from[d] = 0;
                    from[d + 1] += size;
                }
            }
        }
        inside
    }

    /// Finds who is felt at the edges that begin in a part.
    #[inline(always)]
    fn feel<'a>(&self, part: usize, near: &Local<'a>, felt: &mut Felt<'a>) {
        near.felt_within(&self.bounds(first_of(part), TILE + 1), felt);
    }

    /// Looks at all corners of a part.
    #[inline(always)]
    fn look<'a>(&mut self, part: usize, near: &Local<'a>, limit: Option<&dyn Limit>, felt: &mut Felt<'a>) {
        self.feel(part, near, felt);
        let from = first_of(part);
        let own = [0, 1, 2].map(|d| from_fn(|c| self.along[d][from[d] + c]));
        let mut values = felt.grid(&own);
        if let Some(limit) = limit {
            for (n, v) in values.as_flattened_mut().iter_mut().enumerate() {
                if f64::from(*v) > FAINT {
                    let p = Vec3::new(own[0][n % TILE], own[1][n / TILE % TILE], own[2][n / (TILE * TILE)]);
                    *v = 1.0 + limit.at(p, f64::from(*v), Vec3::ZERO).0 as f32;
                }
            }
        }
        self.values[part] = values;
    }

    /// Marks which corners of a part are inside.
    #[inline(always)]
    fn mark(&mut self, part: usize) {
        let from = first_of(part);
        for (k, layer) in self.values[part].iter().enumerate() {
            let bits = (0..TILE * TILE).fold(0u16, |bits, n| bits | u16::from(layer[n] > 1.0) << n);
            for j in 0..TILE {
                let row = (from[2] + k) * CORNERS + from[1] + j;
                self.rows[row] |= ((bits >> (TILE * j)) as u8 & 0xf) << from[0];
            }
        }
    }
}
