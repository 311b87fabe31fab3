//! Smoothing away the grain of few samples without smoothing the picture: a pixel takes from its neighbours only where
//! they show the same surface, turned the same way, under light that differs by no more than the grain would explain
//! (an edge-stopping wavelet filter, [DSHL10] with the variance of [Sch17]).

use crate::lanes::{Lanes, Machine, Task};
use rayon::prelude::*;

/// In place of a group for pixels that neither give nor take: it is not even equal to itself.
pub(crate) const ALONE: f32 = f32::NAN;

/// Distances between the pixels that are put together, round by round: nine at a time, so that three rounds reach
/// every pixel of a square of 27.
const STRIDES: [usize; 3] = [1, 3, 9];
/// Weights in the first round, by the square of the distance: they leave nothing of a pattern that alternates from
/// pixel to pixel.
const NEAR: [f32; 3] = [1.0, 0.5, 0.25];
/// How many standard deviations of grain two pixels may differ by before they count as different.
const TOLERANCE: f32 = 3.0;

/// Variance of a grain that cannot be seen: a tenth of a step of 8 bits.
const CALM: f32 = 1.5e-7;

/// Pixels are worked on this many at a time.
const AT_ONCE: usize = 8;
/// Empty places at both ends of a row, so that neighbours need not be asked whether they exist.
const BORDER: usize = 16;

/// How numbers of pixels lie in memory: row by row, in each row one kind after the other, with borders left and right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Places in a row of one kind.
    row: usize,
    height: usize,
}

impl Layout {
    pub fn new([width, height]: [usize; 2]) -> Self {
        Self { row: width.next_multiple_of(AT_ONCE) + 2 * BORDER, height }
    }

    /// Places in some rows of so many kinds.
    pub fn rows(&self, rows: usize, kinds: usize) -> usize {
        self.row * kinds * rows
    }

    /// Places in all rows.
    pub fn all(&self, kinds: usize) -> usize {
        self.rows(self.height, kinds)
    }

    /// Where one of so many kinds of number of a pixel lies.
    pub fn place(&self, [x, y]: [usize; 2], kind: usize, kinds: usize) -> usize {
        (y * kinds + kind) * self.row + BORDER + x
    }

    /// The same for all four of four kinds.
    pub fn four(&self, at: [usize; 2]) -> [usize; 4] {
        [0, 1, 2, 3].map(|kind| self.place(at, kind, 4))
    }
}

/// Something noisy, with what is known about each pixel without noise.
pub(crate) struct Layer<'a> {
    pub layout: Layout,
    /// Light in three colours, and the variance of its brightness.
    pub values: &'a mut Vec<f32>,
    /// Normal, and inverse distance.
    pub guides: &'a [f32],
    /// Pixels of different groups have nothing to do with each other.
    pub groups: &'a [f32],
}

impl Layer<'_> {
    /// Takes the grain from the values. `room` is memory as large as theirs.
    pub fn filter(self, room: &mut Vec<f32>, machine: Machine) {
        if self.groups.par_iter().all(|g| g.is_nan()) {
            return;
        }
        let Self { layout, values, guides, groups } = self;
        for stride in STRIDES {
            room.par_chunks_mut(layout.rows(1, 4)).enumerate().for_each(|(y, out)| {
                machine.run(Smooth { layout, values, guides, groups, y, stride, out });
            });
            std::mem::swap(values, room);
        }
    }
}

/// One round for one row.
struct Smooth<'a> {
    layout: Layout,
    values: &'a [f32],
    guides: &'a [f32],
    groups: &'a [f32],
    y: usize,
    stride: usize,
    out: &'a mut [f32],
}

impl Task for Smooth<'_> {
    type Output = ();

    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let row = self.layout.row;
        for x in (BORDER..row - BORDER).step_by(AT_ONCE) {
            let smooth = self.smoothed(lanes, x);
            for (kind, smooth) in smooth.into_iter().enumerate() {
                self.out[kind * row + x..][..AT_ONCE].copy_from_slice(&lanes.store(smooth));
            }
        }
    }
}

impl Smooth<'_> {
    /// Eight pixels from a place in a row on, with their neighbours at a distance.
    #[inline(always)]
    fn smoothed<L: Lanes>(&self, lanes: L, x: usize) -> [L::Eight; 4] {
        let (y, stride) = (self.y, self.stride);
        let group = self.group(lanes, x, y);
        let value = self.four(lanes, self.values, x, y);
        if lanes.le(group, group) == 0 {
            return value;
        }
        // A pixel by itself may be an accident; in the first round its neighbours say how bright it should be, and how
        // certain that is.
        let is_first = stride == STRIDES[0];
        let (own, own_variance) =
            if is_first { self.around(lanes, x, group) } else { (brightness(lanes, value), value[3]) };
        if lanes.lt(lanes.splat(CALM), own_variance) == 0 {
            return value;
        }
        let one = lanes.splat(1.0);
        let width = lanes.add(lanes.mul(lanes.splat(TOLERANCE), lanes.sqrt(own_variance)), lanes.splat(1e-4));
        let sharpness = lanes.div(one, width);
        let guide = self.four(lanes, self.guides, x, y);
        let one_step = lanes.add(lanes.mul(lanes.splat(0.02), guide[3]), lanes.splat(1e-9));
        let (bend, step) = (lanes.splat(2.5), lanes.div(lanes.splat(0.7), one_step));
        let slope = self.slope(lanes, x, group, guide[3]);
        let [mut red, mut green, mut blue, mut variance, mut weights] = [lanes.splat(0.0); 5];
        for (dy, j) in self.rows(stride) {
            let Some(j) = j else { continue };
            for dx in [-1.0_f32, 0.0, 1.0] {
                let i = (x as isize + dx as isize * stride as isize) as usize;
                let other = self.four(lanes, self.values, i, j);
                let there = self.four(lanes, self.guides, i, j);
                // On a plane the inverse distance changes evenly; what goes beyond that is a step.
                let across = lanes.mul(lanes.splat(dx * stride as f32), slope[0]);
                let expected = lanes.add(across, lanes.mul(lanes.splat(dy * stride as f32), slope[1]));
                let changed = lanes.sub(there[3], guide[3]);
                let turned = lanes.add(one, square(lanes, there[0], guide[0], bend));
                let turned = lanes.add(turned, square(lanes, there[1], guide[1], bend));
                let turned = lanes.add(turned, square(lanes, there[2], guide[2], bend));
                let turned = lanes.add(turned, square(lanes, changed, expected, step));
                let differs = lanes.mul(lanes.sub(brightness(lanes, other), own), sharpness);
                let unlike = lanes.add(one, lanes.mul(lanes.splat(0.5), lanes.mul(differs, differs)));
                // Bell curves would do the same at a higher price.
                let apart = lanes.mul(turned, unlike);
                let near = if is_first { NEAR[(dx * dx + dy * dy) as usize] } else { 1.0 };
                let weight = lanes.div(lanes.splat(near), lanes.mul(apart, apart));
                let weight = lanes.if_equal([self.group(lanes, i, j), group], weight, lanes.splat(0.0));
                red = lanes.add(red, lanes.mul(other[0], weight));
                green = lanes.add(green, lanes.mul(other[1], weight));
                blue = lanes.add(blue, lanes.mul(other[2], weight));
                let other_variance = if is_first { own_variance } else { other[3] };
                variance = lanes.add(variance, lanes.mul(other_variance, lanes.mul(weight, weight)));
                weights = lanes.add(weights, weight);
            }
        }
        let whole = lanes.div(one, weights);
        let mut smooth = [red, green, blue, lanes.mul(variance, whole)];
        for (smooth, value) in smooth.iter_mut().zip(value) {
            *smooth = lanes.mul(*smooth, whole);
            *smooth = lanes.if_less([lanes.splat(CALM), own_variance], *smooth, value);
            *smooth = lanes.if_equal([group, group], *smooth, value);
        }
        smooth
    }

    /// Brightness and variance over nine pixels: a pixel's own samples say little about either.
    #[inline(always)]
    fn around<L: Lanes>(&self, lanes: L, x: usize, group: L::Eight) -> (L::Eight, L::Eight) {
        let none = lanes.splat(0.0);
        let [mut sum, mut squares, mut variance, mut count] = [none; 4];
        for (_, j) in self.rows(1) {
            let Some(j) = j else { continue };
            for i in x - 1..=x + 1 {
                let value = self.four(lanes, self.values, i, j);
                let bright = brightness(lanes, value);
                let same = [self.group(lanes, i, j), group];
                sum = lanes.add(sum, lanes.if_equal(same, bright, none));
                squares = lanes.add(squares, lanes.if_equal(same, lanes.mul(bright, bright), none));
                variance = lanes.add(variance, lanes.if_equal(same, value[3], none));
                count = lanes.add(count, lanes.if_equal(same, lanes.splat(1.0), none));
            }
        }
        let each = lanes.div(lanes.splat(1.0), count);
        let mean = lanes.mul(sum, each);
        // Few samples may agree by chance; then neighbours that differ give it away.
        let spread = lanes.sub(lanes.mul(squares, each), lanes.mul(mean, mean));
        (mean, lanes.max(lanes.mul(variance, each), lanes.mul(spread, lanes.splat(0.06))))
    }

    /// Change of the inverse distance from pixel to pixel, across and down.
    #[inline(always)]
    fn slope<L: Lanes>(&self, lanes: L, x: usize, group: L::Eight, own: L::Eight) -> [L::Eight; 2] {
        let none = lanes.splat(0.0);
        let [mut across, mut down] = [none; 2];
        let [(_, above), _, (_, below)] = self.rows(1);
        for (i, j, down_there, back) in [
            (x - 1, Some(self.y), false, true),
            (x + 1, Some(self.y), false, false),
            (x, above, true, true),
            (x, below, true, false),
        ] {
            let Some(j) = j else { continue };
            let there = self.load(lanes, self.guides, (4 * j + 3) * self.layout.row + i);
            let change = if back { lanes.sub(own, there) } else { lanes.sub(there, own) };
            let slope = if down_there { &mut down } else { &mut across };
            *slope = lanes.if_equal([self.group(lanes, i, j), group], change, *slope);
        }
        [across, down]
    }

    /// The row above at a distance, this row and the one below, as far as they exist.
    #[inline(always)]
    fn rows(&self, stride: usize) -> [(f32, Option<usize>); 3] {
        let below = self.y + stride;
        let below = if below < self.layout.height { Some(below) } else { None };
        [(-1.0, self.y.checked_sub(stride)), (0.0, Some(self.y)), (1.0, below)]
    }

    #[inline(always)]
    fn group<L: Lanes>(&self, lanes: L, x: usize, y: usize) -> L::Eight {
        self.load(lanes, self.groups, y * self.layout.row + x)
    }

    #[inline(always)]
    fn four<L: Lanes>(&self, lanes: L, of: &[f32], x: usize, y: usize) -> [L::Eight; 4] {
        let (row, first) = (self.layout.row, 4 * y * self.layout.row + x);
        [
            self.load(lanes, of, first),
            self.load(lanes, of, first + row),
            self.load(lanes, of, first + 2 * row),
            self.load(lanes, of, first + 3 * row),
        ]
    }

    #[inline(always)]
    fn load<L: Lanes>(&self, lanes: L, of: &[f32], at: usize) -> L::Eight {
        // The border is wide enough for all strides.
        lanes.load(of[at..].first_chunk().expect("eight numbers"))
    }
}

/// Square of a difference on a scale.
#[inline(always)]
fn square<L: Lanes>(lanes: L, a: L::Eight, b: L::Eight, scale: L::Eight) -> L::Eight {
    let apart = lanes.mul(lanes.sub(a, b), scale);
    lanes.mul(apart, apart)
}

#[inline(always)]
fn brightness<L: Lanes>(lanes: L, [red, green, blue, _]: [L::Eight; 4]) -> L::Eight {
    let red = lanes.mul(red, lanes.splat(0.2126));
    let green = lanes.mul(green, lanes.splat(0.7152));
    lanes.add(lanes.add(red, green), lanes.mul(blue, lanes.splat(0.0722)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec4;

    /// With the machine's registers and without, which must not make a difference.
    fn filtered(values: &[Vec4], guides: &[Vec4], groups: &[f32], [width, height]: [usize; 2]) -> Vec<Vec4> {
        let layout = Layout::new([width, height]);
        let at = |i: usize| [i % width, i / width];
        let spread = |from: &[Vec4]| {
            let mut to = vec![0.0; layout.all(4)];
            for (i, v) in from.iter().enumerate() {
                layout.four(at(i)).into_iter().zip(v.to_array()).for_each(|(place, x)| to[place] = x);
            }
            to
        };
        let mut spread_groups = vec![ALONE; layout.all(1)];
        groups.iter().enumerate().for_each(|(i, g)| spread_groups[layout.place(at(i), 0, 1)] = *g);
        let [wide, plain] = [Machine::at_hand(), Machine::default()].map(|machine| {
            let mut values = spread(values);
            let (guides, groups) = (&spread(guides), &spread_groups);
            let layer = Layer { layout, values: &mut values, guides, groups };
            layer.filter(&mut vec![0.0; layout.all(4)], machine);
            values
        });
        assert_eq!(wide, plain);
        let value = |i| Vec4::from_array(layout.four(at(i)).map(|place| wide[place]));
        (0..width * height).map(value).collect()
    }

    #[test]
    fn grain_goes_and_edges_stay() {
        let (width, height) = (64, 32);
        let noise = |i: usize| ((i * 7919 + 13) % 101) as f32 / 101.0 - 0.5;
        let truth = |x: usize| if x < 32 { 0.2 } else { 0.8 };
        let values: Vec<Vec4> = (0..width * height)
            .map(|i| {
                Vec4::new(1.0, 1.0, 1.0, 0.0) * (truth(i % width) + 0.1 * noise(i))
                    + Vec4::W * 0.1 * 0.1 / 12.0
            })
            .collect();
        let guides = vec![Vec4::new(0.0, 1.0, 0.0, 1.0); width * height];
        let groups = vec![0.0; width * height];
        let error = |v: &[Vec4]| {
            let square = |i: usize| (v[i].x - truth(i % width)).powi(2);
            ((0..v.len()).map(square).sum::<f32>() / v.len() as f32).sqrt()
        };
        let before = error(&values);
        let after = error(&filtered(&values, &guides, &groups, [width, height]));
        assert!(after < 0.25 * before, "{before} to {after}");
    }

    #[test]
    fn nothing_leaks_from_one_object_to_another() {
        let (width, height) = (32, 8);
        let value = |i: usize| if i % width < 16 { Vec4::ONE } else { Vec4::new(0.0, 0.0, 0.0, 1.0) };
        let values: Vec<Vec4> = (0..width * height).map(value).collect();
        let groups: Vec<f32> = (0..width * height).map(|i| f32::from(u8::from(i % width < 16))).collect();
        let guides = vec![Vec4::new(0.0, 1.0, 0.0, 1.0); width * height];
        let after = filtered(&values, &guides, &groups, [width, height]);
        assert!((0..width * height).all(|i| (after[i].x - value(i).x).abs() < 1e-6));
    }
}
