//! A tree of bounding boxes over triangles, to find those that may meet.

use super::TriMesh;
use super::mesh::bounds_of;
use crate::math::Vec3;

/// Axis-aligned boxes over the triangles of a mesh, halved at the median.
pub struct BoxTree {
    nodes: Vec<Node>,
    /// Triangle indices; every leaf owns a range of them.
    order: Vec<u32>,
}

struct Node {
    low: Vec3,
    high: Vec3,
    range: (u32, u32),
    /// Index of the second child; the first follows its parent. Zero marks a leaf.
    second: u32,
}

const LEAF: usize = 4;

impl BoxTree {
    /// Builds the tree.
    pub fn new(mesh: &TriMesh) -> Self {
        let boxes: Vec<_> = (0..mesh.triangles.len()).map(|t| bounds_of(&mesh.corners(t))).collect();
        let mut tree = BoxTree { nodes: vec![], order: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.grow(&boxes, 0, boxes.len());
        }
        tree
    }

    fn grow(&mut self, boxes: &[(Vec3, Vec3)], begin: usize, end: usize) {
        let span = &self.order[begin..end];
        let first = boxes[span[0] as usize];
        let (low, high) = span.iter().fold(first, |(low, high), &t| {
            let b = boxes[t as usize];
            (low.min(b.0), high.max(b.1))
        });
        let me = self.nodes.len();
        self.nodes.push(Node { low, high, range: (begin as u32, end as u32), second: 0 });
        if end - begin <= LEAF {
            return;
        }
        let size = high - low;
        let axis =
            if size.x >= size.y && size.x >= size.z { 0 } else { if size.y >= size.z { 1 } else { 2 } };
        let key = |t: u32| boxes[t as usize].0[axis] + boxes[t as usize].1[axis];
        self.order[begin..end].sort_unstable_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let middle = (begin + end) / 2;
        self.grow(boxes, begin, middle);
        self.nodes[me].second = self.nodes.len() as u32;
        self.grow(boxes, middle, end);
    }

    /// Calls `visit` with every triangle whose leaf overlaps the box, until it answers `false`.
    pub fn query(&self, low: Vec3, high: Vec3, mut visit: impl FnMut(usize) -> bool) {
        let mut stack = vec![0usize];
        while let Some(n) = stack.pop() {
            let Some(node) = self.nodes.get(n) else { return };
            if node.low.cmpgt(high).any() || node.high.cmplt(low).any() {
                continue;
            }
            if node.second == 0 {
                let (begin, end) = node.range;
                for &t in &self.order[begin as usize..end as usize] {
                    if !visit(t as usize) {
                        return;
                    }
                }
            } else {
                stack.push(node.second as usize);
                stack.push(n + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::sphere_mesh;

    #[test]
    fn a_query_finds_every_overlapping_triangle() {
        let mesh = sphere_mesh(1.0, 2);
        let tree = BoxTree::new(&mesh);
        let (low, high) = (Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.9, 0.8, 1.0));
        let mut found = vec![];
        tree.query(low, high, |t| {
            found.push(t);
            true
        });
        for t in 0..mesh.triangles.len() {
            let (a, b) = bounds_of(&mesh.corners(t));
            let overlaps = a.cmple(high).all() && b.cmpge(low).all();
            assert!(!overlaps || found.contains(&t));
        }
        assert!(found.len() < mesh.triangles.len() / 2);
    }
}
