//! Points in rows of boxes along x: whoever is near a point stands in a few runs of the list.

use crate::math::Vec3;
use std::ops::Range;

/// Width and height of rows over the distance within which partners are looked for, and the length of boxes in them.
/// Measured: thinner rows are more runs, thicker ones hold more who are too far away.
const WIDTH: f64 = 0.53;
const LENGTH: f64 = 0.12;
/// What rounding may do to a distance, more than generously.
const ROUNDING: f64 = 1e-9;
/// Boxes there are at most for each point, so that one far away costs no memory.
const BOXES_PER_POINT: f64 = 8.0;

/// Points sorted into boxes, row by row and layer by layer.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    low: Vec3,
    size: Vec3,
    per: Vec3,
    counts: [usize; 3],
    /// Where the points of each box begin in `order`; one more at the end.
    starts: Vec<u32>,
    /// Points, box by box: which has each slot.
    pub order: Vec<u32>,
}

impl Rows {
    /// Rows in which partners within a distance are found. None if a point is nowhere.
    pub fn new(points: &[Vec3], far: f64) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
        if !(low.is_finite() && high.is_finite()) {
            return Self::default();
        }
        let extent = high - low;
        let mut size = Vec3::new(LENGTH, WIDTH, WIDTH) * far;
        let boxes = |size: Vec3| (extent / size).floor() + Vec3::ONE;
        while boxes(size).element_product() > BOXES_PER_POINT * points.len() as f64 + 64.0 {
            size *= 1.3;
        }
        let n = boxes(size);
        let counts = [n.x as usize, n.y as usize, n.z as usize];
        let mut rows = Self { low, size, per: size.recip(), counts, ..Self::default() };
        let of_points: Vec<u32> = points.iter().map(|p| rows.index(*p) as u32).collect();
        rows.starts = vec![0; counts.iter().product::<usize>() + 1];
        of_points.iter().for_each(|b| rows.starts[*b as usize + 1] += 1);
        for b in 1..rows.starts.len() {
            rows.starts[b] += rows.starts[b - 1];
        }
        let mut next = rows.starts.clone();
        rows.order = vec![0; points.len()];
        for (i, b) in of_points.iter().enumerate() {
            let slot = &mut next[*b as usize];
            rows.order[*slot as usize] = i as u32;
            *slot += 1;
        }
        rows
    }

    /// Which box has a coordinate.
    #[inline(always)]
    fn at(&self, c: f64, d: usize) -> usize {
        (((c - self.low[d]) * self.per[d]).max(0.0) as usize).min(self.counts[d] - 1)
    }

    fn index(&self, p: Vec3) -> usize {
        (self.at(p.z, 2) * self.counts[1] + self.at(p.y, 1)) * self.counts[0] + self.at(p.x, 0)
    }

    /// One after the last slot of the row that a point in it is in.
    pub fn end_of_row(&self, p: Vec3) -> usize {
        let row = self.at(p.z, 2) * self.counts[1] + self.at(p.y, 1);
        self.starts[(row + 1) * self.counts[0]] as usize
    }

    /// Calls `found` with runs of slots in which all points are that come after a slot and lie within a distance of a box about
    /// it and some others of its row.
    #[inline(always)]
    pub fn after(&self, slot: usize, [low, high]: [Vec3; 2], far: f64, mut found: impl FnMut(Range<usize>)) {
        let far = far * (1.0 + ROUNDING);
        // Distance of the box from a layer of boxes.
        let apart = |k: usize, d: usize| {
            let from = self.low[d] + k as f64 * self.size[d];
            (from - high[d]).max(low[d] - from - self.size[d]).max(0.0)
        };
        let start = |row: usize, b: usize| self.starts[row * self.counts[0] + b] as usize;
        let (own_j, own_k) = (self.at(low.y, 1), self.at(low.z, 2));
        let (first_j, last_j) = (self.at(low.y - far, 1), self.at(high.y + far, 1));
        for k in own_k..=self.at(high.z + far, 2) {
            let above = apart(k, 2);
            let across = far * far - above * above;
            for j in if k == own_k { own_j } else { first_j }..=last_j {
                let beside = apart(j, 1);
                let square = across - beside * beside;
                if square < 0.0 {
                    continue;
                }
                let along = square.sqrt();
                let row = k * self.counts[1] + j;
                let end = start(row, self.at(high.x + along, 0) + 1);
                let own = k == own_k && j == own_j;
                let from = if own { slot + 1 } else { start(row, self.at(low.x - along, 0)) };
                if from < end {
                    found(from..end);
                }
            }
        }
    }
}
