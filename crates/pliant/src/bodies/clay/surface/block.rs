//! A block of cubes: the surface in it.

use super::cases::{EDGES, cases};
use super::corners::{CORNERS, Corners, EIGHT, Limits, first_of, part_of};
use super::cross::{begin, cross};
use crate::bodies::clay::felt::{Local, TILE};
use crate::math::Vec3;

/// Said of a corner of a triangle that belongs to another block: the rest is the edge on which it lies, three times the number
/// of the corner where the edge begins, and the axis.
const FOREIGN: u16 = 1 << 15;

/// The surface in a block.
pub struct Block {
    /// Which block, counted along each axis from the origin.
    pub at: [i32; 3],
    /// Points on the edges that begin in this block, and outward unit normals there.
    pub points: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Who adds most to the field there.
    pub owners: Vec<u32>,
    /// By points, or edges of other blocks.
    triangles: Vec<[u16; 3]>,
    /// Whether its octants agree about what lies between them.
    pub fits: bool,
    /// Edges that others have, too, and the points on them, in order.
    shared: Vec<[u16; 2]>,
}

/// Where a corner of a triangle is found: its number, or in which direction (one bit an axis) the block lies to which it
/// belongs, and the edge there.
pub enum Place {
    Here(u32),
    There(usize, u16),
}

/// In which direction the block lies to which an edge belongs, and the edge's number there.
fn owner(edge: u16) -> (usize, u16) {
    let (corner, axis) = (usize::from(edge) / 3, usize::from(edge) % 3);
    let at = [corner % CORNERS, corner / CORNERS % CORNERS, corner / (CORNERS * CORNERS)];
    let (mut direction, mut number) = (0, 0);
    for d in (0..3).rev() {
        let beyond = at[d] == CORNERS - 1;
        direction |= usize::from(beyond) << d;
        number = number * CORNERS + if beyond { 0 } else { at[d] };
    }
    (direction, (3 * number + axis) as u16)
}

fn corner(i: usize, j: usize, k: usize) -> usize {
    (k * CORNERS + j) * CORNERS + i
}

impl Block {
    /// The surface in a block, if there is any. `around` has those who are felt in it, and `corners` has been placed there.
    #[inline(always)]
    pub fn new<'a>(
        at: [i32; 3],
        around: &Local<'a>,
        limits: &Limits,
        corners: &mut Corners<'a>,
    ) -> Option<Self> {
        if !corners.look(around, limits) {
            return None;
        }
        let count = cut_edges(&corners.rows);
        let mut block = Self {
            at,
            points: Vec::with_capacity(count),
            normals: Vec::with_capacity(count),
            owners: Vec::with_capacity(count),
            triangles: Vec::with_capacity(2 * count),
            fits: limits.iter().all(Option::is_none) || corners.agree(around, limits),
            shared: vec![],
        };
        block.put_points(around, limits, corners);
        block.shared.sort_unstable();
        block.put_triangles(corners);
        Some(block)
    }

    /// Number of the point on an edge that others have, too, if there is one.
    pub fn point_on(&self, edge: u16) -> Option<u32> {
        let found = self.shared.binary_search_by_key(&edge, |[e, _]| *e);
        found.ok().map(|k| u32::from(self.shared[k][1]))
    }

    /// Its triangles.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [Place; 3]> + '_ {
        let place = |c: u16| match c & FOREIGN {
            0 => Place::Here(c.into()),
            _ => {
                let (direction, edge) = owner(c & !FOREIGN);
                Place::There(direction, edge)
            }
        };
        self.triangles.iter().map(move |t| t.map(place))
    }

    #[inline(always)]
    fn put_points<'a>(&mut self, around: &Local<'a>, limits: &Limits, corners: &mut Corners<'a>) {
        for part in (0..EIGHT).flat_map(|octant| (0..EIGHT).map(move |part| [octant, part])) {
            let from = first_of(part);
            let to = from.map(|c| (c + TILE).min(CORNERS - 1));
            let own = (1u16 << to[0]) - (1u16 << from[0]);
            for (k, j) in (from[2]..to[2]).flat_map(|k| (from[1]..to[1]).map(move |j| (k, j))) {
                let rows = &corners.rows;
                let inside = rows[k][j];
                // One bit for each edge that is cut, by its axis.
                let cut = [inside >> 1, rows[k][j + 1], rows[k + 1][j]].map(|next| (inside ^ next) & own);
                let mut left = cut[0] | cut[1] | cut[2];
                while left != 0 {
                    let i = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let outward = inside >> i & 1 == 1;
                    for axis in (0..3).filter(|axis| cut[*axis] >> i & 1 == 1) {
                        let along = |n: usize| {
                            let mut corner = [i, j, k];
                            corner[axis] = n;
                            corner
                        };
                        let first = [i, j, k][axis];
                        let mut ends = [first, first + 1];
                        // Four corners in line tell where to begin, where the block has them.
                        let mut beyond = (first > 0 && first + 2 < CORNERS).then(|| [first - 1, first + 2]);
                        if !outward {
                            ends.reverse();
                            beyond = beyond.map(|[p, q]| [q, p]);
                        }
                        let value = |n: usize| corners.value(along(n));
                        let start = begin(ends.map(value), beyond.map(|b| b.map(value)));
                        let ends = ends.map(|n| corners.place(along(n)));
                        let end = part_of(along(first + 1))[0];
                        let limit = limits[part[0]].as_deref().or(limits[end].as_deref());
                        let felt = corners.felt(part, around);
                        let (p, slope) = cross(ends, start, felt, limit);
                        self.owners.push(felt.strongest());
                        let (edge, number) = (3 * corner(i, j, k) + axis, self.points.len() as u16);
                        corners.on_edge[edge] = number;
                        if i == 0 || j == 0 || k == 0 {
                            self.shared.push([edge as u16, number]);
                        }
                        self.points.push(p);
                        self.normals.push((-slope).normalize_or(Vec3::Y));
                    }
                }
            }
        }
    }

    fn put_triangles(&mut self, corners: &Corners) {
        let cases = cases();
        let rows = &corners.rows;
        let own = CORNERS - 1;
        for (k, j) in (0..own).flat_map(|k| (0..own).map(move |j| (k, j))) {
            let four = [rows[k][j], rows[k][j + 1], rows[k + 1][j], rows[k + 1][j + 1]];
            let any = four[0] | four[1] | four[2] | four[3];
            let all = four[0] & four[1] & four[2] & four[3];
            // Cubes with a corner inside and one outside.
            let mut left = (any | any >> 1) & !(all & all >> 1) & u16::MAX >> 1;
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let pair = |row: usize| usize::from(four[row] >> i & 3) << (2 * row);
                let case = pair(0) | pair(1) | pair(2) | pair(3);
                let first = corner(i, j, k);
                let last = [i, j, k].map(|c| usize::from(c + 1 == own));
                let beyond = last[0] | last[1] << 1 | last[2] << 2;
                self.triangles.extend(cases[case].iter().map(|t| {
                    t.map(|e| {
                        let (c, axis) = EDGES[usize::from(e)];
                        let edge = 3 * (first + corner(c & 1, c >> 1 & 1, c >> 2)) + axis;
                        if c & beyond == 0 { corners.on_edge[edge] } else { FOREIGN | edge as u16 }
                    })
                }));
            }
        }
    }
}

/// How many edges that begin in a block are cut.
fn cut_edges(rows: &[[u16; CORNERS]; CORNERS]) -> usize {
    let own = CORNERS - 1;
    let all = (1 << own) - 1;
    let cut = |k: usize, j: usize| {
        let inside = rows[k][j];
        [inside >> 1, rows[k][j + 1], rows[k + 1][j]]
            .map(|next| ((inside ^ next) & all).count_ones() as usize)
    };
    (0..own).flat_map(|k| (0..own).flat_map(move |j| cut(k, j))).sum()
}
