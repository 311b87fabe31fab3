//! Who is near whom, at a cost that grows with the number of skeletons alone.

use crate::math::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Points sorted into cubes of a grid.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    low: Vec3,
    per: f64,
    counts: [usize; 3],
    /// Where each cube's points begin in `items`; one more at the end.
    starts: Vec<u32>,
    items: Vec<u32>,
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
        self.runs(p, reach, |run| self.items[run].iter().for_each(|i| found(*i as usize)));
    }

    /// The same as ranges of `items`.
    #[inline(always)]
    fn runs(&self, p: Vec3, reach: f64, mut found: impl FnMut(Range<usize>)) {
        if self.items.is_empty() {
            return;
        }
        let (low, high) =
            ((p - self.low - Vec3::splat(reach)) * self.per, (p - self.low + Vec3::splat(reach)) * self.per);
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
                found(a as usize..b as usize);
            }
        }
    }
}

/// Pairs that may be within reach until one has moved by half the margin. Points have slots, in which those that are close
/// in space are close in memory.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Which point has each slot.
    order: Vec<u32>,
    /// Where each slot's partners begin in `partners`; one more at the end.
    starts: Vec<u32>,
    /// Slots of all partners, in order.
    partners: Vec<u32>,
    /// Where points stood when the list was made.
    made_at: Vec<Vec3>,
    margin: f64,
}

/// Finds the partners of some slots: all of them one after the other, and how many each has.
struct Find<'a> {
    buckets: &'a Buckets,
    places: &'a [Vec3],
    far: f64,
    slots: &'a [u32],
}

impl pulp::WithSimd for Find<'_> {
    type Output = (Vec<u32>, Vec<u32>);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let (mut partners, mut counts) = (vec![], vec![]);
        let far = self.far * self.far;
        for slot in self.slots {
            let (p, before) = (self.places[*slot as usize], partners.len());
            self.buckets.runs(p, self.far, |run| {
                let mut first = run.start as u32;
                for some in self.places[run].chunks(AT_ONCE) {
                    let mut squares = [0.0; AT_ONCE];
                    for (square, q) in squares.iter_mut().zip(some) {
                        *square = p.distance_squared(*q);
                    }
                    // Without a branch, which would be foreseen wrongly too often: each is put, and stays if it is near.
                    let (mut kept, mut count) = ([0; AT_ONCE], 0);
                    for (square, j) in squares[..some.len()].iter().zip(first..) {
                        kept[count % AT_ONCE] = j;
                        count += usize::from((*square < far) & (j != *slot));
                    }
                    partners.extend_from_slice(&kept[..count]);
                    first += some.len() as u32;
                }
            });
            counts.push((partners.len() - before) as u32);
        }
        (partners, counts)
    }
}

/// Places whose distance is computed at once.
const AT_ONCE: usize = 64;
/// Slots whose partners are found by one thread at a time.
const CHUNK: usize = 512;

impl Pairs {
    /// Makes the list anew if it may have become wrong.
    pub fn keep_up(&mut self, x: &[Vec3], reach: f64, margin: f64) {
        let allowed = 0.25 * self.margin * self.margin;
        let fresh = self.made_at.len() == x.len()
            && self.margin == margin
            && self.made_at.iter().zip(x).all(|(a, b)| a.distance_squared(*b) <= allowed);
        if fresh {
            return;
        }
        let far = reach + margin;
        // Cubes of half the distance: fewer are looked at in vain than with whole ones.
        let buckets = Buckets::new(x, 0.5 * far);
        self.order.clone_from(&buckets.items);
        let places = self.sorted(x);
        let slots: Vec<u32> = (0..x.len() as u32).collect();
        let find = |slots: &[u32]| {
            pulp::Arch::new().dispatch(Find { buckets: &buckets, places: &places, far, slots })
        };
        let found: Vec<(Vec<u32>, Vec<u32>)> = slots.par_chunks(CHUNK).map(find).collect();
        self.starts.clear();
        self.starts.push(0);
        self.partners.clear();
        for (partners, counts) in &found {
            self.partners.extend(partners);
            for count in counts {
                self.starts.push(self.starts[self.starts.len() - 1] + count);
            }
        }
        self.made_at = x.to_vec();
        self.margin = margin;
    }

    /// Where points stood when the list was made, if it was.
    pub fn made_at(&self) -> Option<&[Vec3]> {
        (!self.made_at.is_empty()).then_some(&self.made_at)
    }

    /// What belongs to points, by slots.
    pub fn sorted<T: Copy>(&self, of_points: &[T]) -> Vec<T> {
        self.order.iter().map(|i| of_points[*i as usize]).collect()
    }

    /// What belongs to slots, by points.
    pub fn unsort<T: Copy>(&self, of_slots: &[T], of_points: &mut [T]) {
        self.order.iter().zip(of_slots).for_each(|(i, v)| of_points[*i as usize] = *v);
    }

    /// Slots of the partners of a slot.
    #[inline(always)]
    pub fn of_slot(&self, slot: usize) -> &[u32] {
        &self.partners[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// Calls `each` for every pair of points, once.
    #[inline]
    pub fn each(&self, mut each: impl FnMut(usize, usize)) {
        for (slot, i) in self.order.iter().enumerate() {
            let partners = self.of_slot(slot);
            let later = partners.partition_point(|j| (*j as usize) < slot);
            for j in &partners[later..] {
                each(*i as usize, self.order[*j as usize] as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places without any order.
    fn scattered(n: usize, size: f64) -> Vec<Vec3> {
        let part = |k: usize, a: f64| (k as f64 * a).fract() * size;
        (1..=n).map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051))).collect()
    }

    #[test]
    fn every_pair_within_reach_is_listed_once() {
        let mut x = scattered(400, 1.0);
        x.push(Vec3::splat(1e4));
        let mut pairs = Pairs::default();
        pairs.keep_up(&x, 0.2, 0.05);
        let mut listed = vec![];
        pairs.each(|i, j| listed.push((i, j)));
        let all: Vec<_> = (0..x.len()).flat_map(|i| (i + 1..x.len()).map(move |j| (i, j))).collect();
        for (i, j) in all {
            let count = listed.iter().filter(|p| **p == (i, j) || **p == (j, i)).count();
            assert!(count == 1 || (count == 0 && x[i].distance(x[j]) >= 0.25), "{i} {j}");
        }
    }

    #[test]
    fn the_list_is_made_anew_when_somebody_has_moved_too_far() {
        let mut x = scattered(50, 1.0);
        let mut pairs = Pairs::default();
        pairs.keep_up(&x, 0.2, 0.05);
        let before = pairs.partners.clone();
        x[7] += Vec3::new(0.02, 0.0, 0.0);
        pairs.keep_up(&x, 0.2, 0.05);
        assert_eq!(before, pairs.partners);
        x[7] += Vec3::new(0.5, 0.0, 0.0);
        pairs.keep_up(&x, 0.2, 0.05);
        assert_ne!(before, pairs.partners);
    }
}
