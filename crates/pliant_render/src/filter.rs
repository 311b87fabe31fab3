//! Smoothing away the grain of few samples without smoothing the picture: a pixel takes from its neighbours only where
//! they show the same surface, turned the same way, under light that differs by no more than the grain would explain
//! (an edge-stopping wavelet filter, [DSHL10] with the variance of [Sch17]).

use glam::Vec4;
use rayon::prelude::*;

/// In place of a group for pixels that neither give nor take.
pub(crate) const ALONE: u32 = u32::MAX - 1;

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
/// Of the parts of light; the fourth place holds something else.
const BRIGHTNESS: Vec4 = Vec4::new(0.2126, 0.7152, 0.0722, 0.0);

/// Something noisy, with what is known about each pixel without noise.
pub(crate) struct Layer<'a, G> {
    /// Light, and the variance of its brightness.
    pub values: &'a mut Vec<Vec4>,
    /// Normal, and inverse distance.
    pub guides: &'a [Vec4],
    /// Pixels of different groups have nothing to do with each other.
    pub group: G,
}

/// Memory that one layer leaves to the next.
#[derive(Debug, Default)]
pub(crate) struct Room {
    next: Vec<Vec4>,
    around: Vec<[f32; 2]>,
}

impl<G: Fn(usize) -> u32 + Sync> Layer<'_, G> {
    /// Takes the grain from the values.
    pub fn filter(self, [width, height]: [usize; 2], room: &mut Room) {
        if (0..self.values.len()).into_par_iter().all(|i| (self.group)(i) >= ALONE) {
            return;
        }
        let Room { next, around } = room;
        next.resize(self.values.len(), Vec4::ZERO);
        around.resize(self.values.len(), [0.0; 2]);
        self.look_around(width, height, around);
        for stride in STRIDES {
            next.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
                let smooth = || {
                    for (x, out) in row.iter_mut().enumerate() {
                        let [expected, variance] = around[y * width + x];
                        // A pixel by itself may be an accident; in the first round its neighbours say how bright it
                        // should be, and how certain that is.
                        let first = stride == STRIDES[0];
                        let known = if first { Some((expected, variance)) } else { None };
                        *out = self.smoothed([x, y], [width, height], stride, known);
                    }
                };
                pulp::Arch::new().dispatch(smooth);
            });
            std::mem::swap(self.values, next);
        }
    }

    /// Brightness and variance over nine pixels: a pixel's own samples say little about either.
    fn look_around(&self, width: usize, height: usize, means: &mut [[f32; 2]]) {
        means.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, mean) in row.iter_mut().enumerate() {
                let group = (self.group)(y * width + x);
                if group >= ALONE {
                    continue;
                }
                let (mut sum, mut squares, mut variance, mut count) = (0.0, 0.0, 0.0, 0.0);
                for j in y.saturating_sub(1)..(y + 2).min(height) {
                    for i in j * width + x.saturating_sub(1)..j * width + (x + 2).min(width) {
                        if (self.group)(i) == group {
                            let value = self.values[i].dot(BRIGHTNESS);
                            sum += value;
                            squares += value * value;
                            variance += self.values[i].w;
                            count += 1.0;
                        }
                    }
                }
                let m = sum / count;
                // Few samples may agree by chance; then neighbours that differ give it away.
                *mean = [m, (variance / count).max((squares / count - m * m).max(0.0) * 0.06)];
            }
        });
    }

    /// One pixel and its neighbours at a distance. `known` is its brightness and variance, if not its own.
    #[inline(always)]
    fn smoothed(
        &self,
        [x, y]: [usize; 2],
        [width, height]: [usize; 2],
        stride: usize,
        known: Option<(f32, f32)>,
    ) -> Vec4 {
        let here = y * width + x;
        let (group, value, guide) = ((self.group)(here), self.values[here], self.guides[here]);
        if group >= ALONE {
            return value;
        }
        let (own, own_variance) = known.unwrap_or((value.dot(BRIGHTNESS), value.w));
        if own_variance < CALM {
            return value;
        }
        let sharpness = 1.0 / (TOLERANCE * own_variance.sqrt() + 1e-4);
        let scale = Vec4::new(2.5, 2.5, 2.5, 0.7 / (0.02 * guide.w + 1e-9));
        let slope = self.slope(x, y, width, height);
        let (mut sum, mut variance, mut weights) = (Vec4::ZERO, 0.0, 0.0);
        let rows = if y >= stride { -1 } else { 0 }..=if y + stride < height { 1 } else { 0 };
        let (left, right) = (if x >= stride { -1 } else { 0 }, if x + stride < width { 1 } else { 0 });
        for dy in rows {
            for dx in left..=right {
                let there = (here as isize + (dy * width as isize + dx) * stride as isize) as usize;
                if (self.group)(there) != group {
                    continue;
                }
                let other = self.values[there];
                // On a plane the inverse distance changes evenly; what goes beyond that is a step.
                let expected = (dx as f32 * slope[0] + dy as f32 * slope[1]) * stride as f32;
                let turned = (self.guides[there] - guide - Vec4::W * expected) * scale;
                let differs = (other.dot(BRIGHTNESS) - own) * sharpness;
                // Bell curves would do the same at a higher price.
                let apart = (1.0 + turned.dot(turned)) * (1.0 + 0.5 * differs * differs);
                let near = if stride == STRIDES[0] { NEAR[(dx * dx + dy * dy) as usize] } else { 1.0 };
                let weight = near / (apart * apart);
                sum += other * weight;
                let other_variance = if known.is_some() { own_variance } else { other.w };
                variance += other_variance * weight * weight;
                weights += weight;
            }
        }
        let whole = 1.0 / weights;
        (sum * whole).truncate().extend(variance * whole * whole)
    }

    /// Change of the inverse distance from pixel to pixel, across and down.
    fn slope(&self, x: usize, y: usize, width: usize, height: usize) -> [f32; 2] {
        let here = y * width + x;
        let (group, own) = ((self.group)(here), self.guides[here].w);
        let toward = |before: Option<usize>, after: Option<usize>| {
            let same = |i: &usize| (self.group)(*i) == group;
            match (after.filter(same), before.filter(same)) {
                (Some(i), _) => self.guides[i].w - own,
                (None, Some(i)) => own - self.guides[i].w,
                (None, None) => 0.0,
            }
        };
        [
            toward((x > 0).then(|| here - 1), (x + 1 < width).then(|| here + 1)),
            toward((y > 0).then(|| here - width), (y + 1 < height).then(|| here + width)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(mut values: Vec<Vec4>, guides: &[Vec4], groups: &[u32], size: [usize; 2]) -> Vec<Vec4> {
        let layer = Layer { values: &mut values, guides, group: |i: usize| groups[i] };
        layer.filter(size, &mut Room::default());
        values
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
        let groups = vec![0; width * height];
        let error = |v: &[Vec4]| {
            let square = |i: usize| (v[i].x - truth(i % width)).powi(2);
            ((0..v.len()).map(square).sum::<f32>() / v.len() as f32).sqrt()
        };
        let before = error(&values);
        let after = error(&filtered(values, &guides, &groups, [width, height]));
        assert!(after < 0.25 * before, "{before} to {after}");
    }

    #[test]
    fn nothing_leaks_from_one_object_to_another() {
        let (width, height) = (32, 8);
        let value = |i: usize| if i % width < 16 { Vec4::ONE } else { Vec4::new(0.0, 0.0, 0.0, 1.0) };
        let values: Vec<Vec4> = (0..width * height).map(value).collect();
        let groups: Vec<u32> = (0..width * height).map(|i| u32::from(i % width < 16)).collect();
        let guides = vec![Vec4::new(0.0, 1.0, 0.0, 1.0); width * height];
        let after = filtered(values, &guides, &groups, [width, height]);
        assert!((0..width * height).all(|i| (after[i].x - value(i).x).abs() < 1e-6));
    }
}
