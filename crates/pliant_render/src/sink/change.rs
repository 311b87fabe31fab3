//! What changed from one picture to the next.

/// A part of a picture, in pixels. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Rectangle {
    /// All of a picture.
    pub fn whole(width: u32, height: u32) -> Self {
        Self { left: 0, top: 0, width: width as usize, height: height as usize }
    }

    /// The smallest part outside of which `old` and `new`, pictures `width` pixels across, are the same. If they
    /// are the same everywhere, the first pixel: formats want at least one.
    pub fn of_change<T: PartialEq>(width: u32, old: &[T], new: &[T]) -> Self {
        let width = width as usize;
        let rows = || old.chunks_exact(width).zip(new.chunks_exact(width));
        let Some(top) = rows().position(|(old, new)| old != new) else {
            return Self { left: 0, top: 0, width: 1, height: 1 };
        };
        let bottom = rows().rposition(|(old, new)| old != new).unwrap_or(top);
        let (mut left, mut right) = (width, 0);
        for (old, new) in rows().take(bottom + 1).skip(top) {
            let differs = |x: &usize| old[*x] != new[*x];
            left = (0..left).find(differs).unwrap_or(left);
            right = (right..width).rfind(differs).unwrap_or(right);
        }
        Self { left, top, width: right + 1 - left, height: bottom + 1 - top }
    }

    /// The same or a little more, beginning at even places.
    pub fn begun_at_even(self) -> Self {
        let (left, top) = (self.left & !1, self.top & !1);
        Self { left, top, width: self.left + self.width - left, height: self.top + self.height - top }
    }

    /// Where the pixels of this part stand in a picture `width` pixels across, row by row.
    pub fn rows(self, width: u32) -> impl Iterator<Item = std::ops::Range<usize>> {
        let start = move |y| y * width as usize + self.left;
        (self.top..self.top + self.height).map(move |y| start(y)..start(y) + self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::Rectangle;

    #[test]
    fn changes_are_enclosed() {
        let old = [0; 20];
        let change = |places: &[usize]| {
            let mut new = old;
            places.iter().for_each(|&i| new[i] = 1);
            let r = Rectangle::of_change(5, &old, &new);
            [r.left, r.top, r.width, r.height]
        };
        assert_eq!(change(&[]), [0, 0, 1, 1]);
        assert_eq!(change(&[7]), [2, 1, 1, 1]);
        assert_eq!(change(&[8, 11]), [1, 1, 3, 2]);
        assert_eq!(change(&[0, 19]), [0, 0, 5, 4]);
        assert_eq!(change(&[4, 10]), [0, 0, 5, 3]);
    }

    #[test]
    fn even_places_keep_the_far_corner() {
        let r = Rectangle { left: 3, top: 2, width: 4, height: 2 }.begun_at_even();
        assert_eq!(r, Rectangle { left: 2, top: 2, width: 5, height: 2 });
        assert_eq!(r.rows(10).collect::<Vec<_>>(), [22..27, 32..37]);
    }
}
