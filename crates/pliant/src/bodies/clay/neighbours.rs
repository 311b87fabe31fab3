//! Who is near whom, at a cost that grows with the number of skeletons alone.

use crate::math::Vec3;

/// Points sorted into cubes of a grid.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    pub(super) low: Vec3,
    pub(super) per: f64,
    pub(super) counts: [usize; 3],
    /// Where each cube's points begin in `items`; one more at the end.
    pub(super) starts: Vec<u32>,
    pub(super) items: Vec<u32>,
}

/// Cubes there are at most for each point, so that one far away costs no memory.
const CUBES_PER_POINT: f64 = 8.0;

impl Buckets {
    /// Points in cubes of at least the given edge.
    pub fn new(points: &[Vec3], edge: f64) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
        if !(low.is_finite() && high.is_finite()) {
            return Self::default();
        }
        let extent = high - low;
        let mut edge = edge;
        let cubes = |edge: f64| {
            let n = (extent / edge).floor() + Vec3::ONE;
            (n, n.x * n.y * n.z)
        };
        while cubes(edge).1 > CUBES_PER_POINT * points.len() as f64 + 64.0 {
            edge *= 1.3;
        }
        let n = cubes(edge).0;
        let mut grid = Self {
            low,
            per: 1.0 / edge,
            counts: [n.x as usize, n.y as usize, n.z as usize],
            starts: vec![],
            items: vec![0; points.len()],
        };
        let cube: Vec<usize> = points.iter().map(|p| grid.index(grid.cube(*p))).collect();
        let mut starts = vec![0u32; grid.counts.iter().product::<usize>() + 1];
        cube.iter().for_each(|c| starts[c + 1] += 1);
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        for (i, c) in cube.iter().enumerate() {
            grid.items[next[*c] as usize] = i as u32;
            next[*c] += 1;
        }
        grid.starts = starts;
        grid
    }

    fn cube(&self, p: Vec3) -> [usize; 3] {
        let at = ((p - self.low) * self.per).floor();
        std::array::from_fn(|d| (at[d].max(0.0) as usize).min(self.counts[d] - 1))
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.counts[1] + j) * self.counts[0] + i
    }

    /// Calls `found` for every point that may lie within `reach` of a place, always in the same order.
    #[inline]
    pub fn near(&self, p: Vec3, reach: f64, mut found: impl FnMut(usize)) {
        let reach = Vec3::splat(reach);
        self.in_box(p - reach, p + reach, |some| some.iter().for_each(|i| found(*i as usize)));
    }

    /// Calls `found` with all points that may lie in a box, some after the other, always in the same order.
    #[inline]
    pub fn in_box(&self, low: Vec3, high: Vec3, mut found: impl FnMut(&[u32])) {
        if self.items.is_empty() {
            return;
        }
        let (low, high) = ((low - self.low) * self.per, (high - self.low) * self.per);
        let most = Vec3::new(self.counts[0] as f64, self.counts[1] as f64, self.counts[2] as f64);
        if low.cmpge(most).any() || high.cmplt(Vec3::ZERO).any() {
            return;
        }
        let from: [usize; 3] = std::array::from_fn(|d| low[d].max(0.0) as usize);
        let to: [usize; 3] = std::array::from_fn(|d| (high[d] as usize).min(self.counts[d] - 1));
        for k in from[2]..=to[2] {
            for j in from[1]..=to[1] {
                let row = self.index([0, j, k]);
                let (a, b) = (self.starts[row + from[0]], self.starts[row + to[0] + 1]);
                found(&self.items[a as usize..b as usize]);
            }
        }
    }
}
