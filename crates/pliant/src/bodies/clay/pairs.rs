//! Pairs of skeletons that are near each other. Those that are close in space have slots that are close in memory; each slot
//! has a list of its partners in later slots, so each pair is listed once.

use super::rows::Rows;
use super::wide::{FOUR, Lanes, Machine, Wide, Work, widely};
use crate::math::Vec3;
use rayon::prelude::*;
use std::array::from_fn;

/// The list is made and used in at most so many parts, which threads share, and in fewer if they had fewer slots than this.
const PARTS: usize = 16;
const LEAST: usize = 1000;

/// Pairs that may be within reach until one has moved by half the margin, against all together.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Which point has each slot, and which slot each point.
    order: Vec<u32>,
    slots: Vec<u32>,
    parts: Vec<Part>,
    /// Where points stood when the list was made.
    made_at: Vec<Vec3>,
    margin: f64,
    scratch: Scratch,
}

/// Some slots, one after the other, and their partners. Slots are counted from the first one of the part.
#[derive(Clone, Debug, Default)]
pub struct Part {
    first: usize,
    /// How many slots from the first one on are its own or partners of those.
    reach: usize,
    /// Where the ways to the partners of each slot begin, and how many there are.
    spans: Vec<[u32; 2]>,
    /// How many slots it is from one partner to the next, and from the slot itself to the first. In whole fours for each slot:
    /// the last one is filled up with the last partner.
    ways: Vec<u16>,
}

/// Memory that is kept from one use to the next, as long as there will be one soon, and holds nothing in between.
#[derive(Debug, Default)]
struct Scratch {
    places: Vec<Lanes>,
    /// What parts work on, each for all slots up to its last partner.
    of_parts: Vec<Vec<Lanes>>,
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Pairs {
    /// Makes the list anew if it may have become wrong.
    pub fn keep_up(&mut self, x: &[Vec3], reach: f64, margin: f64) {
        if self.made_at.len() == x.len() && self.margin == margin && self.is_fresh(x) {
            return;
        }
        let far = reach + margin;
        let rows = &Rows::new(x, far);
        self.order.clone_from(&rows.order);
        self.slots.resize(self.order.len(), 0);
        self.order.iter().enumerate().for_each(|(slot, i)| self.slots[*i as usize] = slot as u32);
        let columns = &[0, 1, 2].map(|d| {
            let column = self.order.iter().map(|i| x[*i as usize][d]);
            // So that a whole four can be read from everywhere.
            column.chain([f64::INFINITY; FOUR]).collect::<Vec<f64>>()
        });
        let count = self.order.len();
        let size = part_size(count);
        self.parts.resize_with(count.div_ceil(size), Part::default);
        in_parallel(&mut self.parts, |k, part| {
            part.first = k * size;
            let slots = size.min(count - part.first);
            widely(Find { rows, columns, far, part, slots });
        });
        self.made_at.clear();
        self.made_at.extend_from_slice(x);
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

    /// Gives back the room in which sums were made.
    pub fn give_back(&mut self) {
        self.scratch = Scratch::default();
    }

    /// Puts points, times a factor, where those find them who go over the parts.
    pub fn place(&mut self, x: &[Vec3], factor: f64) {
        by_slots(&self.order, x, factor, &mut self.scratch.places);
    }

    /// Adds up what `each` says that the pairs of a part do to slots, given their places, and puts what `made` makes of the
    /// sums beside their points.
    pub fn sum_over_parts<T: Send>(
        &mut self,
        each: impl Fn(&Part, &[Lanes], &mut [Lanes]) + Sync,
        made: impl Fn(Lanes) -> T + Sync,
        of_points: &mut [T],
    ) {
        let Self { parts, slots, scratch: Scratch { places, of_parts }, .. } = self;
        let (parts, slots, places) = (&parts[..], &slots[..], &places[..]);
        of_parts.resize_with(parts.len(), Vec::new);
        in_parallel(of_parts, |k, felt| {
            let part = &parts[k];
            felt.clear();
            felt.resize(part.reach, Lanes::default());
            each(part, &places[part.first..part.first + part.reach], felt);
        });
        let size = part_size(places.len());
        if parts.len() > 1 {
            add_earlier(parts, of_parts, size);
        }
        let sums = &of_parts[..];
        let put = |(to, slot): (&mut T, &u32)| {
            let (part, own) = (*slot as usize / size, *slot as usize % size);
            *to = made(sums[part][own]);
        };
        if parts.len() <= 1 {
            of_points.iter_mut().zip(slots).for_each(put);
        } else {
            of_points.par_iter_mut().with_min_len(size).zip(slots).for_each(put);
        }
    }

    /// The largest of what `each` says of parts, given places and other vectors of their slots; at least 0.
    pub fn most_over_parts(
        &mut self,
        vectors: &[Vec3],
        each: impl Fn(&Part, &[Lanes], &[Lanes]) -> f64 + Sync,
    ) -> f64 {
        let Self { order, parts, scratch: Scratch { places, of_parts }, .. } = self;
        of_parts.resize_with(parts.len(), Vec::new);
        let of_part = |(part, others): (&Part, &mut Vec<Lanes>)| {
            let slots = part.first..part.first + part.reach;
            by_slots(&order[slots.clone()], vectors, 1.0, others);
            each(part, &places[slots], others)
        };
        match (&parts[..], &mut of_parts[..]) {
            ([part], [others]) => of_part((part, others)).max(0.0),
            (parts, others) => parts.par_iter().zip(others).map(of_part).reduce(|| 0.0, f64::max),
        }
    }

    /// Calls `each` for every pair of points, once, and for some that are farther apart.
    #[inline]
    pub fn each(&self, mut each: impl FnMut(usize, usize)) {
        for part in &self.parts {
            let order = &self.order[part.first..];
            for slot in 0..part.len() {
                let i = order[slot] as usize;
                part.all_of(slot).for_each(|j| each(i, order[j] as usize));
            }
        }
    }
}

impl Part {
    /// How many slots it has.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The partners of a slot.
    #[inline(always)]
    pub fn all_of(&self, slot: usize) -> impl Iterator<Item = usize> {
        let [from, count] = self.spans[slot].map(|n| n as usize);
        let mut at = slot;
        self.ways[from..from + count].iter().map(move |way| {
            at += usize::from(*way);
            at
        })
    }

    /// The partners of a slot in fours, and how many of the last four are partners.
    #[inline(always)]
    pub fn of(&self, slot: usize) -> (impl ExactSizeIterator<Item = [usize; FOUR]>, usize) {
        let [from, count] = self.spans[slot].map(|n| n as usize);
        let fours: &[[u16; FOUR]] = self.ways[from..from + count.next_multiple_of(FOUR)].as_chunks().0;
        let mut at = slot;
        let partners = fours.iter().map(
            #[inline(always)]
            move |[a, b, c, d]| {
                // Two chains, of which none waits for the other.
                let [a, b] = [usize::from(*a), usize::from(*a) + usize::from(*b)];
                let [c, d] = [b + usize::from(*c), b + usize::from(*c) + usize::from(*d)];
                let four = [at + a, at + b, at + c, at + d];
                at += d;
                four
            },
        );
        (partners, (count + FOUR - 1) % FOUR + 1)
    }

    /// Puts the partners of the next slot, in order, at the end of the list.
    #[inline(always)]
    fn put(&mut self, partners: &[u32]) {
        let (from, mut at) = (self.ways.len(), self.spans.len() as u32);
        for partner in partners {
            // On a longer way some in between are listed, too: they are too far away to matter.
            while partner - at > u32::from(u16::MAX) {
                self.ways.push(u16::MAX);
                at += u32::from(u16::MAX);
            }
            self.ways.push((partner - at) as u16);
            at = *partner;
        }
        self.spans.push([from as u32, (self.ways.len() - from) as u32]);
        self.ways.resize(self.ways.len().next_multiple_of(FOUR), 0);
        self.reach = self.reach.max(at as usize + 1);
    }
}

/// How many slots parts have, if there are that many; the last one may have fewer.
fn part_size(count: usize) -> usize {
    count.div_ceil((count / LEAST).clamp(1, PARTS)).max(1)
}

/// Adds to what each part has done to its own slots what those before it have, in their order.
fn add_earlier(parts: &[Part], of_parts: &mut [Vec<Lanes>], size: usize) {
    let halves = of_parts.iter_mut().zip(parts).map(|(felt, part)| felt.split_at_mut(part.len()));
    let (mut own, beyond): (Vec<_>, Vec<_>) = halves.unzip();
    let beyond: Vec<&[Lanes]> = beyond.into_iter().map(|felt| &*felt).collect();
    in_parallel(&mut own, |k, own| {
        let earlier = beyond[..k].iter().enumerate().filter_map(|(p, felt)| felt.get((k - p - 1) * size..));
        let earlier: Vec<&[Lanes]> = earlier.collect();
        for (slot, sum) in own.iter_mut().enumerate() {
            let before = earlier.iter().filter_map(|felt| felt.get(slot));
            let before = before.fold([0.0; FOUR], |sum, felt| from_fn(|d| sum[d] + felt.0[d]));
            sum.0 = from_fn(|d| before[d] + sum.0[d]);
        }
    });
}

/// Calls `each` for all of a list; for one alone the way to other threads is not worth it.
fn in_parallel<T: Send>(list: &mut [T], each: impl Fn(usize, &mut T) + Sync) {
    match list {
        [one] => each(0, one),
        _ => list.par_iter_mut().enumerate().for_each(|(k, item)| each(k, item)),
    }
}

/// Vectors of points by slots, times a factor.
fn by_slots(order: &[u32], of_points: &[Vec3], factor: f64, out: &mut Vec<Lanes>) {
    out.clear();
    out.extend(order.iter().map(|i| {
        let v = of_points[*i as usize] * factor;
        Lanes([v.x, v.y, v.z, 0.0])
    }));
}

/// Finds the partners of the slots of a part.
struct Find<'a> {
    rows: &'a Rows,
    columns: &'a [Vec<f64>; 3],
    far: f64,
    part: &'a mut Part,
    slots: usize,
}

/// A bit for each of four.
const ALL: usize = (1 << FOUR) - 1;

/// Which of four are kept, one after the other, for each way to keep some of them.
const KEPT: [[u32; FOUR]; 1 << FOUR] = {
    let mut kept = [[0; FOUR]; 1 << FOUR];
    let mut bits = 0;
    while bits < kept.len() {
        let (mut l, mut count) = (0, 0);
        while l < FOUR {
            if bits >> l & 1 == 1 {
                kept[bits][count] = l as u32;
                count += 1;
            }
            l += 1;
        }
        bits += 1;
    }
    kept
};

impl Work for Find<'_> {
    type Output = ();

    /// For four slots of a row at a time, whose partners stand in the same runs.
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let part = self.part;
        let (first, end) = (part.first, part.first + self.slots);
        let count = self.columns[0].len();
        let [xs, ys, zs] = [0, 1, 2].map(|d| &self.columns[d][..count]);
        let at = |slot: usize| Vec3::new(xs[slot], ys[slot], zs[slot]);
        let far = Wide::all(machine, self.far * self.far);
        part.spans.clear();
        part.ways.clear();
        part.reach = self.slots;
        let mut found: [Vec<u32>; FOUR] = Default::default();
        let mut slot = first;
        while slot < end {
            let own = FOUR.min(self.rows.end_of_row(at(slot)).min(end) - slot);
            // Where there are no more, the last one again.
            let places: [Vec3; FOUR] = from_fn(|l| at(slot + l.min(own - 1)));
            let around = places.iter().fold([places[0]; 2], |[low, high], p| [low.min(*p), high.max(*p)]);
            let places = places.map(
                #[inline(always)]
                |p| Wide::coordinates(machine, &Lanes([p.x, p.y, p.z, 0.0])),
            );
            let mut counts = [0; FOUR];
            self.rows.after(
                slot,
                around,
                self.far,
                #[inline(always)]
                |run| {
                    // Room for all of them, and for what is put after them before it is known not to stay.
                    let most = counts.iter().max().map_or(0, |c| c + run.len() + FOUR);
                    if found[0].len() < most {
                        found.iter_mut().for_each(|f| f.resize(2 * most, 0));
                    }
                    let mut j = run.start;
                    while j < run.end {
                        let [px, py, pz] = [xs, ys, zs].map(
                            #[inline(always)]
                            |c| match c[j..].first_chunk() {
                                Some(four) => Wide::load(machine, &Lanes(*four)),
                                None => Wide::all(machine, f64::INFINITY),
                            },
                        );
                        let all = (1 << (run.end - j).min(FOUR)) - 1;
                        let local = (j - first) as u32;
                        for l in 0..FOUR {
                            let [x, y, z] = places[l];
                            let (dx, dy, dz) = (px - x, py - y, pz - z);
                            let near = (dx * dx + dy * dy + dz * dz).less(far);
                            // Those that are no later than itself have it on their own lists.
                            let earlier = (slot + l + 1).saturating_sub(j).min(FOUR);
                            let near = near & all & (ALL << earlier);
                            // Without a branch, which would be foreseen wrongly too often.
                            found[l][counts[l]..][..FOUR].copy_from_slice(&KEPT[near].map(|k| k + local));
                            counts[l] += near.count_ones() as usize;
                        }
                        j += FOUR;
                    }
                },
            );
            for l in 0..own {
                part.put(&found[l][..counts[l]]);
            }
            slot += own;
        }
        // Lists of most skeletons are nearly as long as they were; what growing took in vain is given back.
        part.ways.shrink_to(part.ways.len() + part.ways.len() / 32);
        part.spans.shrink_to_fit();
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
        let before = pairs.parts[0].ways.clone();
        x[7] += Vec3::new(0.02, 0.0, 0.0);
        pairs.keep_up(&x, 0.2, 0.05);
        assert_eq!(before, pairs.parts[0].ways);
        x[7] += Vec3::new(0.5, 0.0, 0.0);
        pairs.keep_up(&x, 0.2, 0.05);
        assert_ne!(before, pairs.parts[0].ways);
    }
}
