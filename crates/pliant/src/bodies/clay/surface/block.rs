//! A block of cubes: the surface in it.

use super::cases::{EDGES, cases};
use crate::bodies::clay::felt::{Felt, Local};
use crate::contact::{Bounds, Limit};
use crate::math::{Vec3, Work, widely};

/// Cubes along the edge of a block.
pub const SIDE: i32 = 7;
/// Corners along it.
pub const CORNERS: usize = SIDE as usize + 1;
/// Improvements of a point along its edge.
const ROUNDS: usize = 12;
/// Points keep this share of their edge away from its ends, so that points of different edges stay apart.
const MARGIN: f64 = 1e-4;
/// A step along the edge, over its length, after which no further one is needed: what is left is about its square times the
/// edge over the thickness, some 1e-7 thicknesses.
const ENOUGH: f64 = 1e-3;
/// A field that says nothing of how far away the surface is.
const TELLING: [f64; 2] = [0.1, 2.0];
/// Cubes along the edge of a part of a block, in which the same skeletons are felt.
const HALF: usize = 4;
/// The field below which no limit can make a place belong to the body.
const FAINT: f64 = 0.5;

/// Room for as many points as most blocks have.
const USUAL: usize = 3 * (SIDE * SIDE) as usize;

/// No point.
const NONE: u16 = u16::MAX;

/// The surface in a block.
pub struct Block {
    /// Which block, counted along each axis from the origin.
    pub at: [i32; 3],
    /// Points on the edges that begin in this block, and outward unit normals there.
    pub points: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Who adds most to the field there.
    pub owners: Vec<u32>,
    /// By the edges on which the corners lie: three times the number of the corner where the edge begins, and the axis.
    pub triangles: Vec<[u16; 3]>,
    /// Which of the points lies on an edge.
    on_edge: Vec<u16>,
}

/// In which direction (one bit an axis) the block lies to which an edge belongs, and the edge's number there.
pub fn owner(edge: u16) -> (usize, usize) {
    let (corner, axis) = (usize::from(edge) / 3, usize::from(edge) % 3);
    let at = [corner % CORNERS, corner / CORNERS % CORNERS, corner / (CORNERS * CORNERS)];
    let (mut direction, mut number) = (0, 0);
    for d in (0..3).rev() {
        let beyond = at[d] == CORNERS - 1;
        direction |= usize::from(beyond) << d;
        number = number * CORNERS + if beyond { 0 } else { at[d] };
    }
    (direction, 3 * number + axis)
}

fn corner(i: usize, j: usize, k: usize) -> usize {
    (k * CORNERS + j) * CORNERS + i
}

impl Block {
    /// The surface in a block, if there is any.
    pub fn new(at: [i32; 3], edge: f64, near: &Local, limit: Option<&dyn Limit>) -> Option<Self> {
        let mut made = None;
        widely(Whole { at, edge, near, limit }, &mut made);
        made
    }

    #[inline(always)]
    fn compute(at: [i32; 3], edge: f64, near: &Local, limit: Option<&dyn Limit>) -> Option<Self> {
        // Always from the number of the corner, so that neighbours have the very same places.
        let along: [[f64; CORNERS]; 3] =
            [0, 1, 2].map(|d| std::array::from_fn(|i| (f64::from(at[d] * SIDE) + i as f64) * edge));
        let mut values = near.grid(&along);
        if let Some(limit) = limit {
            for (n, v) in values.as_flattened_mut().iter_mut().enumerate() {
                if f64::from(*v) > FAINT {
                    let p = place(&along, n);
                    *v = 1.0 + limit.at(p, f64::from(*v), Vec3::ZERO).0 as f32;
                }
            }
        }
        // One bit for each corner of a row that is inside.
        let bits = |row: &[f32; CORNERS]| (0..CORNERS).fold(0, |bits, i| bits | u8::from(row[i] > 1.0) << i);
        let rows: Vec<u8> = values.iter().map(bits).collect();
        if rows.iter().all(|r| *r == 0) || rows.iter().all(|r| *r == u8::MAX) {
            return None;
        }
        let mut block = Self {
            at,
            points: Vec::with_capacity(USUAL),
            normals: Vec::with_capacity(USUAL),
            owners: Vec::with_capacity(USUAL),
            triangles: Vec::with_capacity(2 * USUAL),
            on_edge: vec![NONE; 3 * CORNERS.pow(3)],
        };
        block.put_points(&along, &values, &rows, near, limit);
        block.put_triangles(&rows);
        Some(block)
    }

    /// Number of the point on an edge, if there is one.
    pub fn point_on(&self, edge: usize) -> Option<u32> {
        Some(self.on_edge[edge]).filter(|k| *k != NONE).map(u32::from)
    }

    #[inline(always)]
    fn put_points(
        &mut self,
        along: &[[f64; CORNERS]; 3],
        values: &[[f32; CORNERS]],
        rows: &[u8],
        near: &Local,
        limit: Option<&dyn Limit>,
    ) {
        const STEPS: [usize; 3] = [1, CORNERS, CORNERS * CORNERS];
        let values = values.as_flattened();
        let mut felt = Felt::default();
        for part in 0..8 {
            let from = [0, 1, 2].map(|d| (part >> d & 1) * HALF);
            let to = from.map(|c| (c + HALF).min(CORNERS - 1));
            let own = (1u8 << to[0]) - (1u8 << from[0]);
            // Who is felt anywhere in this part is found when it is first needed.
            let mut is_found = false;
            for (k, j) in (from[2]..to[2]).flat_map(|k| (from[1]..to[1]).map(move |j| (k, j))) {
                let row = k * CORNERS + j;
                let inside = rows[row];
                // One bit for each edge that is cut, by its axis.
                let cut = [inside >> 1, rows[row + 1], rows[row + CORNERS]].map(|next| (inside ^ next) & own);
                for i in (from[0]..to[0]).filter(|i| (cut[0] | cut[1] | cut[2]) >> i & 1 == 1) {
                    if !is_found {
                        let [low, high] = [from, to].map(|c| place(along, corner(c[0], c[1], c[2])));
                        near.felt_within(&Bounds { low, high }, &mut felt);
                        is_found = true;
                    }
                    let a = corner(i, j, k);
                    for axis in (0..3).filter(|axis| cut[*axis] >> i & 1 == 1) {
                        let b = a + STEPS[axis];
                        let outward = inside >> i & 1 == 1;
                        let ends = if outward { [a, b] } else { [b, a] };
                        // Four corners in line tell where to begin, where the block has them.
                        let first = [i, j, k][axis];
                        let beyond = first > 0 && first + 2 < CORNERS;
                        let beyond = beyond.then(|| [a - STEPS[axis], b + STEPS[axis]]);
                        let beyond = beyond.map(|[p, q]| if outward { [p, q] } else { [q, p] });
                        let value = |n: usize| f64::from(values[n]);
                        let start = begin(ends.map(value), beyond.map(|b| b.map(value)));
                        let (p, slope) = cross(ends.map(|n| place(along, n)), start, &mut felt, limit);
                        self.on_edge[3 * a + axis] = self.points.len() as u16;
                        self.points.push(p);
                        self.owners.push(felt.strongest());
                        self.normals.push((-slope).normalize_or(Vec3::Y));
                    }
                }
            }
        }
    }

    fn put_triangles(&mut self, rows: &[u8]) {
        let cases = cases();
        let own = CORNERS - 1;
        for k in 0..own {
            for j in 0..own {
                let four = [
                    rows[k * CORNERS + j],
                    rows[k * CORNERS + j + 1],
                    rows[(k + 1) * CORNERS + j],
                    rows[(k + 1) * CORNERS + j + 1],
                ];
                if four == [0; 4] || four == [u8::MAX; 4] {
                    continue;
                }
                for i in 0..own {
                    let pair = |row: usize| usize::from(four[row] >> i & 3) << (2 * row);
                    let case = pair(0) | pair(1) | pair(2) | pair(3);
                    let first = corner(i, j, k);
                    self.triangles.extend(cases[case].iter().map(|t| {
                        t.map(|e| {
                            let (c, axis) = EDGES[usize::from(e)];
                            (3 * (first + corner(c & 1, c >> 1 & 1, c >> 2)) + axis) as u16
                        })
                    }));
                }
            }
        }
    }
}

/// Done with the widest instructions that there are; none of them rounds differently.
struct Whole<'a> {
    at: [i32; 3],
    edge: f64,
    near: &'a Local<'a>,
    limit: Option<&'a dyn Limit>,
}

impl Work for Whole<'_> {
    type Output = Option<Block>;

    #[inline(always)]
    fn run(self, made: &mut Option<Block>) {
        *made = Block::compute(self.at, self.edge, self.near, self.limit);
    }
}

fn place(along: &[[f64; CORNERS]; 3], n: usize) -> Vec3 {
    Vec3::new(along[0][n % CORNERS], along[1][n / CORNERS % CORNERS], along[2][n / (CORNERS * CORNERS)])
}

/// About where the inside function is 1 between a place inside and one outside, from its values there and, if they are known,
/// as far again to both sides. Fields fall about as the inverse cube, so one over a root of them runs nearly straight.
#[inline(always)]
fn begin([inside, outside]: [f64; 2], beyond: Option<[f64; 2]>) -> f64 {
    let straight = |f: f64| 1.0 / f.sqrt();
    let (a, b) = (straight(inside), straight(outside.max(0.05)));
    let mut t = (1.0 - a) / (b - a);
    let tells = |f: f64| f > TELLING[0] && f < TELLING[1];
    if let Some([before, after]) = beyond.filter(|[p, q]| [*p, *q, inside, outside].into_iter().all(tells)) {
        // A parabola's worth of bend on either side, and the cubic between.
        let (bend_a, bend_b) = (straight(before) - 2.0 * a + b, a - 2.0 * b + straight(after));
        for _ in 0..2 {
            let u = 1.0 - t;
            let bow = (bend_a * (1.0 + u) + bend_b * (1.0 + t)) * (1.0 / 6.0);
            t = (1.0 - a + t * u * bow) / (b - a);
        }
    }
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// Where the inside function is 1 between a place inside and one outside, and its gradient there: Newton's method, kept
/// between the two.
#[inline(always)]
fn cross(
    [inside, outside]: [Vec3; 2],
    start: f64,
    felt: &mut Felt,
    limit: Option<&dyn Limit>,
) -> (Vec3, Vec3) {
    let way = outside - inside;
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = start;
    let mut slope = Vec3::ZERO;
    for _ in 0..ROUNDS {
        let (f, gradient) = value(inside + way * t, felt, limit);
        slope = gradient;
        if f > 1.0 {
            low = t
        } else {
            high = t
        }
        let next = t + (1.0 - f) / slope.dot(way);
        let next = if next >= low && next <= high { next } else { 0.5 * (low + high) };
        let next = next.clamp(MARGIN, 1.0 - MARGIN);
        let moved = (next - t).abs();
        t = next;
        // What is left is about the square of it.
        if moved < ENOUGH {
            break;
        }
    }
    (inside + way * t, slope)
}

#[inline(always)]
fn value(p: Vec3, field: &mut Felt, limit: Option<&dyn Limit>) -> (f64, Vec3) {
    let (f, gradient) = field.at(p);
    match limit {
        Some(limit) if f > FAINT => {
            let (f, gradient) = limit.at(p, f, gradient);
            (f + 1.0, gradient)
        }
        _ => (f, gradient),
    }
}
