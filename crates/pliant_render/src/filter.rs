//! Smoothing away the grain of few samples without smoothing the picture: a pixel takes from its neighbours only where
//! they show the same surface, turned the same way, under light that differs by no more than the grain would explain
//! (an edge-stopping wavelet filter, [DSHL10] with the variance of [Sch17]).

use glam::Vec4;
use rayon::prelude::*;

/// In place of a group for pixels that neither give nor take.
pub(crate) const ALONE: u32 = u32::MAX - 1;

/// Distances between the pixels that are put together, round by round.
const STRIDES: [usize; 4] = [1, 2, 4, 8];
/// How many standard deviations of grain two pixels may differ by before they count as different.
const TOLERANCE: f32 = 3.0;

/// Something noisy, with what is known about each pixel without noise.
pub(crate) struct Layer<'a> {
    /// Light, and the variance of its brightness.
    pub values: Vec<Vec4>,
    /// Normal, and inverse distance.
    pub guides: &'a [Vec4],
    /// Pixels of different groups have nothing to do with each other.
    pub groups: &'a [u32],
}

impl Layer<'_> {
    /// The values without their grain.
    pub fn filtered(mut self, [width, height]: [usize; 2]) -> Vec<Vec4> {
        self.spread_variance(width, height);
        let mut next = self.values.clone();
        for stride in STRIDES {
            next.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
                for (x, out) in row.iter_mut().enumerate() {
                    *out = self.smoothed(x, y, width, height, stride);
                }
            });
            std::mem::swap(&mut self.values, &mut next);
        }
        self.values
    }

    /// A pixel's own samples say little about its variance; nine pixels say more.
    fn spread_variance(&mut self, width: usize, height: usize) {
        let own: Vec<f32> = self.values.par_iter().map(|v| v.w).collect();
        let groups = self.groups;
        self.values.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, value) in row.iter_mut().enumerate() {
                let group = groups[y * width + x];
                if group >= ALONE {
                    continue;
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for j in y.saturating_sub(1)..(y + 2).min(height) {
                    for i in x.saturating_sub(1)..(x + 2).min(width) {
                        if groups[j * width + i] == group {
                            sum += own[j * width + i];
                            count += 1.0;
                        }
                    }
                }
                value.w = sum / count;
            }
        });
    }

    fn smoothed(&self, x: usize, y: usize, width: usize, height: usize, stride: usize) -> Vec4 {
        let here = y * width + x;
        let (group, value, guide) = (self.groups[here], self.values[here], self.guides[here]);
        if group >= ALONE {
            return value;
        }
        let own = brightness(value);
        let sharpness = 1.0 / (TOLERANCE * value.w.sqrt() + 1e-4);
        let nearness = 1.0 / (0.02 * guide.w + 1e-9);
        let slope = self.slope(x, y, width, height);
        // The variance rides along in the fourth place.
        let (mut sum, mut weights) = (value, 1.0);
        for (dy, weight_y) in [(-1, 0.5), (0, 1.0), (1, 0.5)] {
            let Some(j) = y.checked_add_signed(dy * stride as isize).filter(|j| *j < height) else {
                continue;
            };
            for (dx, weight_x) in [(-1, 0.5), (0, 1.0), (1, 0.5)] {
                let Some(i) = x.checked_add_signed(dx * stride as isize).filter(|i| *i < width) else {
                    continue;
                };
                let there = j * width + i;
                if there == here || self.groups[there] != group {
                    continue;
                }
                let (other, other_guide) = (self.values[there], self.guides[there]);
                let turned = guide.x * other_guide.x + guide.y * other_guide.y + guide.z * other_guide.z;
                if turned < 0.8 {
                    continue;
                }
                // On a plane the inverse distance changes evenly; what goes beyond that is a step.
                let expected = guide.w + (dx as f32 * slope[0] + dy as f32 * slope[1]) * stride as f32;
                let off = (other_guide.w - expected) * nearness;
                let differs = (brightness(other) - own) * sharpness;
                let normal = turned * turned * turned * turned;
                // Bell curves would do the same at a higher price.
                let apart = (1.0 + 0.5 * off * off) * (1.0 + 0.5 * differs * differs);
                let weight = weight_x * weight_y * normal * normal * normal / (apart * apart);
                sum += Vec4::new(other.x, other.y, other.z, other.w * weight) * weight;
                weights += weight;
            }
        }
        let whole = 1.0 / weights;
        sum * Vec4::new(whole, whole, whole, whole * whole)
    }

    /// Change of the inverse distance from pixel to pixel, across and down.
    fn slope(&self, x: usize, y: usize, width: usize, height: usize) -> [f32; 2] {
        let here = y * width + x;
        let (group, own) = (self.groups[here], self.guides[here].w);
        let toward = |before: Option<usize>, after: Option<usize>| {
            let same = |i: &usize| self.groups[*i] == group;
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

fn brightness(value: Vec4) -> f32 {
    0.2126 * value.x + 0.7152 * value.y + 0.0722 * value.z
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let after = error(&Layer { values, guides: &guides, groups: &groups }.filtered([width, height]));
        assert!(after < 0.25 * before, "{before} to {after}");
    }

    #[test]
    fn nothing_leaks_from_one_object_to_another() {
        let (width, height) = (32, 8);
        let value = |i: usize| if i % width < 16 { Vec4::ONE } else { Vec4::new(0.0, 0.0, 0.0, 1.0) };
        let values: Vec<Vec4> = (0..width * height).map(value).collect();
        let groups: Vec<u32> = (0..width * height).map(|i| u32::from(i % width < 16)).collect();
        let guides = vec![Vec4::new(0.0, 1.0, 0.0, 1.0); width * height];
        let after = Layer { values, guides: &guides, groups: &groups }.filtered([width, height]);
        assert!((0..width * height).all(|i| (after[i].x - value(i).x).abs() < 1e-6));
    }
}
