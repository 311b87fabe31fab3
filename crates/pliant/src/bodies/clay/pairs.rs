//! Pairs of skeletons that are near each other. Four that are close in space stand together, and partners are found and
//! listed for all four at once: what one of them needs the others mostly need too, and four are computed as fast as one.

use super::neighbours::Buckets;
use super::wide::Wide;
use crate::math::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Slots that share a list.
pub const FOUR: usize = 4;
/// In a slot that is nobody's.
const NOBODY: u32 = u32::MAX;
/// Slots of nobody lie this far away, and from each other `[m]`.
const AWAY: f64 = 1e100;
/// Width of rows over the distance within which partners are listed: about the edge of the cube that four fill in clay at
/// rest, so that fours are as round as can be.
const WIDTH: f64 = 0.53;
/// What rounding may do to a distance, more than generously.
const ROUNDING: f64 = 1e-9;
/// Fours that one thread takes at a time.
const CHUNK: usize = 64;

/// The same of four slots.
pub type Lanes = [f64; FOUR];

/// What belongs to slots, in a form that a whole four is read from at once: three coordinates and nothing.
pub type Slot = [f64; 4];

/// Pairs that may be within reach until one has moved by half the margin, against all together.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Which point has each slot.
    order: Vec<u32>,
    /// Where the partners of each four begin in `partners`; one more at the end.
    starts: Vec<u32>,
    /// Slots of all partners outside of the four, in order.
    partners: Vec<u32>,
    /// Where points stood when the list was made.
    made_at: Vec<Vec3>,
    margin: f64,
}

impl Pairs {
    /// Makes the list anew if it may have become wrong.
    pub fn keep_up(&mut self, x: &[Vec3], reach: f64, margin: f64) {
        if self.made_at.len() == x.len() && self.margin == margin && self.is_fresh(x) {
            return;
        }
        let far = reach + margin;
        let rows = Rows::new(x, WIDTH * far);
        self.order.clone_from(&rows.order);
        let places = self.places(x, 1.0);
        let fours: Vec<usize> = (0..self.fours()).collect();
        let find =
            |fours: &[usize]| pulp::Arch::new().dispatch(Find { rows: &rows, places: &places, far, fours });
        let found: Vec<(Vec<u32>, Vec<u32>)> = if fours.len() <= CHUNK {
            vec![find(&fours)]
        } else {
            fours.par_chunks(CHUNK).map(find).collect()
        };
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

    /// Whether nobody has moved too far since the list was made; what all have moved together does not count.
    fn is_fresh(&self, x: &[Vec3]) -> bool {
        let ways = || self.made_at.iter().zip(x).map(|(from, to)| *to - *from);
        let together = ways().sum::<Vec3>() / x.len().max(1) as f64;
        let allowed = 0.25 * self.margin * self.margin;
        ways().all(|way| way.distance_squared(together) <= allowed)
    }

    /// Where points stood when the list was made, if it was.
    pub fn made_at(&self) -> Option<&[Vec3]> {
        (!self.made_at.is_empty()).then_some(&self.made_at)
    }

    fn fours(&self) -> usize {
        self.order.len() / FOUR
    }

    /// Places of points by slots, over a unit of length.
    pub fn places(&self, x: &[Vec3], unit: f64) -> Vec<Slot> {
        let place = |(slot, i): (usize, &u32)| match x.get(*i as usize) {
            Some(p) => [p.x / unit, p.y / unit, p.z / unit, 0.0],
            None => [AWAY * (1 + slot % FOUR) as f64, 0.0, 0.0, 0.0],
        };
        self.order.iter().enumerate().map(place).collect()
    }

    /// Vectors of points by slots; nobody's are none.
    pub fn vectors(&self, of_points: &[Vec3]) -> Vec<Slot> {
        let vector = |i: &u32| of_points.get(*i as usize).map_or([0.0; 4], |v| [v.x, v.y, v.z, 0.0]);
        self.order.iter().map(vector).collect()
    }

    /// What `each` says of every four, in order. It is given numbers of fours and a place for what it says of each.
    pub fn of_fours<T: Clone + Default + Send>(
        &self,
        each: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let mut all = vec![T::default(); self.fours()];
        if all.len() <= CHUNK {
            // Not worth the way to other threads.
            each(0..all.len(), &mut all);
        } else {
            all.par_chunks_mut(CHUNK)
                .enumerate()
                .for_each(|(k, some)| each(k * CHUNK..k * CHUNK + some.len(), some));
        }
        all
    }

    /// Slots of the partners of a four outside of it.
    #[inline(always)]
    pub fn of_four(&self, four: usize) -> &[u32] {
        &self.partners[self.starts[four] as usize..self.starts[four + 1] as usize]
    }

    /// What belongs to fours, by points.
    pub fn by_points<T: Copy>(&self, of_fours: &[[T; FOUR]], of_points: &mut [T]) {
        for (i, v) in self.order.iter().zip(of_fours.as_flattened()) {
            if *i != NOBODY {
                of_points[*i as usize] = *v;
            }
        }
    }

    /// Calls `each` for every pair of points, once, and for some that are farther apart.
    #[inline]
    pub fn each(&self, mut each: impl FnMut(usize, usize)) {
        for (four, own) in self.order.chunks_exact(FOUR).enumerate() {
            let count = own.iter().position(|i| *i == NOBODY).unwrap_or(FOUR);
            let own = &own[..count];
            for (k, i) in own.iter().enumerate() {
                own[k + 1..].iter().for_each(|j| each(*i as usize, *j as usize));
            }
            let partners = self.of_four(four);
            let later = partners.partition_point(|j| (*j as usize) < FOUR * four);
            for j in &partners[later..] {
                let j = self.order[*j as usize] as usize;
                own.iter().for_each(|i| each(*i as usize, j));
            }
        }
    }
}

/// The coordinates of a four, each in lanes.
#[inline(always)]
pub fn lanes(of_slots: &[Slot], four: usize) -> [Lanes; 3] {
    let own = &of_slots[FOUR * four..FOUR * four + FOUR];
    std::array::from_fn(|d| std::array::from_fn(|l| own[l][d]))
}

/// Points in rows of cubes along x, in each from low to high, in fours.
struct Rows {
    buckets: Buckets,
    /// By how much slots of each row are ahead of the items of the buckets.
    ahead: Vec<u32>,
    order: Vec<u32>,
}

impl Rows {
    /// Rows of at least the given width.
    fn new(points: &[Vec3], width: f64) -> Self {
        let mut buckets = Buckets::new(points, width);
        let along = |i: &u32| points[*i as usize].x;
        for cube in buckets.starts.windows(2) {
            let items = &mut buckets.items[cube[0] as usize..cube[1] as usize];
            items.sort_unstable_by(|i, j| along(i).total_cmp(&along(j)).then(i.cmp(j)));
        }
        let (mut ahead, mut order) = (vec![], vec![]);
        for row in 0..buckets.counts[1] * buckets.counts[2] {
            let [from, to] = [row, row + 1].map(|r| buckets.starts[r * buckets.counts[0]] as usize);
            ahead.push((order.len() - from) as u32);
            order.extend_from_slice(&buckets.items[from..to]);
            order.resize(order.len().next_multiple_of(FOUR), NOBODY);
        }
        Self { buckets, ahead, order }
    }

    /// Calls `found` with slots in which all points within a distance of a box are, in order.
    #[inline(always)]
    fn near(&self, [low, high]: [Vec3; 2], far: f64, mut found: impl FnMut(Range<usize>)) {
        let Buckets { low: first, per, counts, starts, .. } = &self.buckets;
        let far = far * (1.0 + ROUNDING);
        let at = |p: f64, d: usize| (((p - first[d]) * per).max(0.0) as usize).min(counts[d] - 1);
        let range = |d: usize| at(low[d] - far, d)..=at(high[d] + far, d);
        // Distance of the box from a layer of cubes.
        let apart = |k: usize, d: usize| {
            let from = first[d] + k as f64 / per;
            (from - high[d]).max(low[d] - from - 1.0 / per).max(0.0)
        };
        for k in range(2) {
            for j in range(1) {
                let (across, above) = (apart(j, 1), apart(k, 2));
                let square = far * far - across * across - above * above;
                if square < 0.0 {
                    continue;
                }
                let beside = square.sqrt();
                let row = k * counts[1] + j;
                let ends = [at(low.x - beside, 0), at(high.x + beside, 0) + 1];
                let [from, to] = ends.map(|i| (starts[row * counts[0] + i] + self.ahead[row]) as usize);
                found(from..to);
            }
        }
    }
}

/// Finds the partners of some fours: all of them one after the other, and how many each has.
struct Find<'a> {
    rows: &'a Rows,
    places: &'a [Slot],
    far: f64,
    fours: &'a [usize],
}

impl pulp::WithSimd for Find<'_> {
    type Output = (Vec<u32>, Vec<u32>);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Self::Output {
        let (mut partners, mut counts) = (vec![], vec![]);
        let far = Wide::all(simd, self.far * self.far);
        for four in self.fours {
            let before = partners.len();
            let slots_of_own = FOUR * four..FOUR * four + FOUR;
            let at = lanes(self.places, *four);
            let parts = 0..FOUR / Wide::<S>::COUNT;
            let own: Vec<[Wide<S>; 3]> = parts
                .map(
                    #[inline(always)]
                    |part| {
                        [0, 1, 2].map(
                            #[inline(always)]
                            |k| Wide::load(simd, &at[k], part),
                        )
                    },
                )
                .collect();
            let real = self.places[slots_of_own.clone()].iter().filter(|p| p[0] < AWAY);
            let around = real.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| {
                let p = Vec3::new(p[0], p[1], p[2]);
                [low.min(p), high.max(p)]
            });
            self.rows.near(
                around,
                self.far,
                #[inline(always)]
                |slots| {
                    // Without a branch, which would be foreseen wrongly too often: each is put, and stays if it is near.
                    let mut count = partners.len();
                    partners.resize(count + slots.len(), 0);
                    for j in slots {
                        let p = self.places[j].map(
                            #[inline(always)]
                            |c| Wide::all(simd, c),
                        );
                        let mut near = false;
                        for [x, y, z] in &own {
                            let (dx, dy, dz) = (*x - p[0], *y - p[1], *z - p[2]);
                            near |= (dx * dx + dy * dy + dz * dz).any_less(far);
                        }
                        partners[count] = j as u32;
                        count += usize::from(near & !slots_of_own.contains(&j));
                    }
                    partners.truncate(count);
                },
            );
            counts.push((partners.len() - before) as u32);
        }
        (partners, counts)
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
