//! The few colours that stand for all colours of a picture.

/// Most colours in a palette; one more index is left for "transparent".
pub(super) const MOST: usize = 255;

/// Bits of each channel that tell colours apart while a palette is being made.
const BITS: u32 = 6;

/// Up to [`MOST`] colours.
#[derive(Debug)]
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
}

impl Palette {
    /// The colours that stand for `pixels` best: the set of all colours is cut in two, again and again, always the
    /// part with the largest error, across its longest axis and at its mean.
    pub fn of(pixels: impl Iterator<Item = [u8; 3]>) -> Self {
        let mut parts = vec![Part::new(histogram(pixels))];
        while parts.len() < MOST {
            let worst = (0..parts.len()).max_by(|&a, &b| parts[a].error.total_cmp(&parts[b].error));
            let Some(worst) = worst.filter(|&i| parts[i].cells.len() > 1) else { break };
            let (low, high) = parts.swap_remove(worst).cut();
            parts.extend([low, high]);
        }
        let mut colours: Vec<_> = parts.iter().map(|part| part.mean.map(|v| v.round() as u8)).collect();
        colours.sort_unstable();
        colours.dedup();
        Self { colours }
    }

    /// The colour with this index.
    pub fn colour(&self, index: u8) -> [u8; 3] {
        self.colours[usize::from(index)]
    }

    /// The index that is no colour.
    pub fn transparent(&self) -> u8 {
        self.colours.len() as u8
    }

    /// Red, green and blue of all colours, then something for the index that is none.
    pub fn bytes(&self) -> Vec<u8> {
        self.colours.iter().chain([&[0; 3]]).flatten().copied().collect()
    }

    /// Index of the colour nearest to `colour`, which may lie outside of what can be shown.
    pub fn nearest(&self, colour: [i32; 3]) -> u8 {
        let distance = |c: &[u8; 3]| (0..3).map(|i| (i32::from(c[i]) - colour[i]).pow(2)).sum::<i32>();
        let best = (0..self.colours.len()).min_by_key(|&i| distance(&self.colours[i]));
        best.unwrap_or(0) as u8
    }
}

/// Pixels of nearly the same colour.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    count: f64,
    sum: [f64; 3],
}

fn histogram(pixels: impl Iterator<Item = [u8; 3]>) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); 1 << (3 * BITS)];
    for pixel in pixels {
        let place = pixel.iter().fold(0, |place, &v| place << BITS | usize::from(v) >> (8 - BITS));
        cells[place].count += 1.0;
        (0..3).for_each(|c| cells[place].sum[c] += f64::from(pixel[c]));
    }
    cells.retain(|cell| cell.count > 0.0);
    // A picture without a pixel to show still needs a palette.
    if cells.is_empty() { vec![Cell { count: 1.0, sum: [0.0; 3] }] } else { cells }
}

/// Cells that share a colour so far.
#[derive(Debug)]
struct Part {
    cells: Vec<Cell>,
    mean: [f64; 3],
    /// The channel in which the cells differ most.
    axis: usize,
    /// Sum of squared distances from the mean.
    error: f64,
}

impl Part {
    fn new(cells: Vec<Cell>) -> Self {
        let count: f64 = cells.iter().map(|cell| cell.count).sum();
        let mean = [0, 1, 2].map(|c| cells.iter().map(|cell| cell.sum[c]).sum::<f64>() / count);
        let spread = [0, 1, 2].map(|c| {
            cells.iter().map(|cell| cell.count * (cell.sum[c] / cell.count - mean[c]).powi(2)).sum::<f64>()
        });
        let axis = (0..3).max_by(|&a, &b| spread[a].total_cmp(&spread[b])).unwrap_or(0);
        Self { cells, mean, axis, error: spread.iter().sum() }
    }

    /// Cells below and above the mean.
    fn cut(self) -> (Self, Self) {
        let at = |cell: &Cell| cell.sum[self.axis] / cell.count;
        let (mut low, mut high): (Vec<_>, Vec<_>) =
            self.cells.into_iter().partition(|cell| at(cell) < self.mean[self.axis]);
        // Rounding may put equal cells on one side.
        if low.is_empty() {
            low.extend(high.pop());
        } else if high.is_empty() {
            high.extend(low.pop());
        }
        (Self::new(low), Self::new(high))
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Palette};

    #[test]
    fn few_colours_are_kept_exactly() {
        let colours = [[0, 0, 0], [3, 200, 7], [255, 255, 255]];
        let palette = Palette::of(colours.iter().copied().cycle().take(1000));
        assert_eq!(palette.colours, colours);
        assert_eq!(palette.transparent(), 3);
        assert_eq!(palette.colour(palette.nearest([300, 290, 260])), [255; 3]);
    }

    #[test]
    fn many_colours_become_as_many_as_there_may_be() {
        let all = (0..=255_u8).flat_map(|r| (0..64_u8).map(move |g| [r, 4 * g, r ^ g]));
        let palette = Palette::of(all.clone());
        assert!(palette.colours.len() > MOST - 5 && palette.colours.len() <= MOST);
        let off = |c: [u8; 3]| {
            let near = palette.colour(palette.nearest(c.map(i32::from)));
            (0..3).map(|i| i32::from(c[i].abs_diff(near[i]))).max().unwrap()
        };
        assert!(all.map(off).max().unwrap() < 32);
    }

    #[test]
    fn no_pixel_is_no_problem() {
        assert_eq!(Palette::of(std::iter::empty()).colours, [[0; 3]]);
    }
}
