//! Cells as they are looked at: which of their corners are points of the skin, and the edges between them.

/// How the corners of a body's cells are numbered in frames: points of the skin first, then what is inside.
pub struct Scaffold {
    /// Number of each node.
    numbers: Vec<u32>,
    /// Nodes that are no points of the skin, in the order of their numbers.
    pub inner: Vec<u32>,
}

impl Scaffold {
    /// Of so many nodes, on some of which points of the skin stand: pairs of a point and its node, among so many points.
    pub fn new(nodes: usize, points: usize, on_nodes: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut numbers = vec![u32::MAX; nodes];
        for (point, node) in on_nodes {
            numbers[node as usize] = point;
        }
        let inner: Vec<u32> = (0..nodes as u32).filter(|k| numbers[*k as usize] == u32::MAX).collect();
        for (k, node) in inner.iter().enumerate() {
            numbers[*node as usize] = (points + k) as u32;
        }
        Self { numbers, inner }
    }

    /// Edges of cells, each once. Corners of a cell whose numbers differ in one bit are neighbours.
    pub fn edges(&self, cells: &[[u32; 8]]) -> Vec<[u32; 2]> {
        let mut all = vec![];
        for cell in cells {
            for (corner, bit) in
                (0..8).flat_map(|c| [1, 2, 4].map(|bit| (c, bit))).filter(|(c, b)| c & b == 0)
            {
                let ends = [cell[corner], cell[corner | bit]].map(|node| self.numbers[node as usize]);
                all.push([ends[0].min(ends[1]), ends[0].max(ends[1])]);
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_share_a_face() {
        // Nodes of 3 x 2 x 2 corners, x first; all but the middle four are points of the skin.
        let node = |i: usize, j: usize, k: usize| (i + 3 * j + 6 * k) as u32;
        let cell = |x: usize| std::array::from_fn(|n| node(x + (n & 1), n >> 1 & 1, n >> 2));
        let on_nodes = (0..12u32).filter(|n| n % 3 != 1).enumerate().map(|(point, n)| (point as u32, n));
        let scaffold = Scaffold::new(12, 8, on_nodes);
        assert_eq!(scaffold.inner, [1, 4, 7, 10]);
        let edges = scaffold.edges(&[cell(0), cell(1)]);
        assert_eq!(edges.len(), 12 + 12 - 4);
        assert!(edges.iter().flatten().all(|n| *n < 12) && edges.contains(&[8, 9]));
    }
}
