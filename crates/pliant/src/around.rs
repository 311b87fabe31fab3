//! Which faces and edges of a surface meet at its corners.

use smallvec::SmallVec;

/// Faces and edges at every corner.
#[derive(Clone, Debug, Default)]
pub struct Around {
    faces: Lists,
    edges: Lists,
}

/// Numbers found, most often few.
pub type Found = SmallVec<[u32; 64]>;

impl Around {
    /// For faces, given as loops of points, and edges.
    pub fn new(faces: &[Vec<u32>], edges: &[[u32; 2]]) -> Self {
        Self { faces: Lists::new(faces), edges: Lists::new(edges) }
    }

    /// Faces that have any of the corners, in order.
    pub fn faces(&self, corners: &[u32]) -> Found {
        self.faces.of(corners)
    }

    /// Edges that end at any of the corners, in order.
    pub fn edges(&self, corners: &[u32]) -> Found {
        self.edges.of(corners)
    }
}

/// Lists of numbers, one for every corner.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// Where each begins; one more at the end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    fn new(of: &[impl AsRef<[u32]>]) -> Self {
        let each =
            || of.iter().enumerate().flat_map(|(k, o)| o.as_ref().iter().map(move |i| (k, *i as usize)));
        let count = each().map(|(_, i)| i + 1).max().unwrap_or(0);
        let mut starts = vec![0u32; count + 1];
        each().for_each(|(_, i)| starts[i + 1] += 1);
        (0..count).for_each(|i| starts[i + 1] += starts[i]);
        let mut fill = starts.clone();
        let mut numbers = vec![0u32; starts[count] as usize];
        for (k, i) in each() {
            numbers[fill[i] as usize] = k as u32;
            fill[i] += 1;
        }
        Self { starts, numbers }
    }

    /// Everything in the lists of the corners, once each and in order.
    fn of(&self, corners: &[u32]) -> Found {
        let mut found = Found::new();
        for i in corners.iter().map(|i| *i as usize).filter(|i| i + 1 < self.starts.len()) {
            found.extend_from_slice(&self.numbers[self.starts[i] as usize..self.starts[i + 1] as usize]);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Around;

    #[test]
    fn finds_what_meets_at_corners_once() {
        let faces = [vec![0, 1, 2], vec![2, 1, 3], vec![4, 3, 2, 0]];
        let edges = [[0, 1], [1, 3], [3, 4]];
        let around = Around::new(&faces, &edges);
        assert_eq!(around.faces(&[1, 3])[..], [0, 1, 2]);
        assert_eq!(around.faces(&[4])[..], [2]);
        assert_eq!(around.edges(&[3, 1])[..], [0, 1, 2]);
        assert!(around.edges(&[9]).is_empty() && around.faces(&[]).is_empty());
    }
}
