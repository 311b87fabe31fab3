//! Axis-aligned boxes and a tree of them.

use crate::math::Vec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
}

impl Bounds {
    /// Square of the distance from a place; 0 inside.
    pub fn distance_squared(&self, p: Vec3) -> f64 {
        (self.low - p).max(p - self.high).max(Vec3::ZERO).length_squared()
    }

    /// Contains nothing.
    pub const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    /// The least box around points.
    pub fn of(points: impl Iterator<Item = Vec3>) -> Self {
        points.fold(Self::EMPTY, |b, p| Self { low: b.low.min(p), high: b.high.max(p) })
    }
    /// The least box around both.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
    /// Larger by `by` on every side.
    pub fn grown(self, by: f64) -> Self {
        Self { low: self.low - Vec3::splat(by), high: self.high + Vec3::splat(by) }
    }
    /// Whether the two share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
    /// Whether the other lies wholly inside.
    pub fn contains(&self, other: &Self) -> bool {
        self.low.cmple(other.low).all() && other.high.cmple(self.high).all()
    }
}

/// A binary tree of boxes over numbered items, in one array: children stand behind their parent.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Items in leaf order.
    items: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    /// Leaf: first item. Inner: index of the second child (the first follows directly).
    at: u32,
    /// Leaf: number of items. Inner: 0.
    count: u32,
}

const LEAF: usize = 4;

impl Tree {
    /// A balanced tree: halves by the median along the longest side.
    pub fn build(boxes: &[Bounds]) -> Self {
        let mut tree =
            Self { nodes: Vec::with_capacity(boxes.len()), items: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.split(boxes, 0, boxes.len());
        }
        tree
    }

    fn split(&mut self, boxes: &[Bounds], from: usize, to: usize) {
        let here = self.nodes.len();
        let items = &mut self.items[from..to];
        let bounds = items.iter().fold(Bounds::EMPTY, |b, i| b.union(boxes[*i as usize]));
        self.nodes.push(Node { bounds, at: from as u32, count: (to - from) as u32 });
        if to - from <= LEAF {
            return;
        }
        let centre = |i: &u32| boxes[*i as usize].low + boxes[*i as usize].high;
        let spread = Bounds::of(items.iter().map(centre));
        let extent = spread.high - spread.low;
        let axis = if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        };
        let middle = items.len() / 2;
        // Ties are broken by number, so that the tree is the same on every run.
        items.select_nth_unstable_by(middle, |i, j| {
            centre(i)[axis].total_cmp(&centre(j)[axis]).then(i.cmp(j))
        });
        self.nodes[here].count = 0;
        self.split(boxes, from, from + middle);
        self.nodes[here].at = self.nodes.len() as u32;
        self.split(boxes, from + middle, to);
    }

    /// Calls `found` with items that may be nearer to a place than the square of a distance, near ones first; it returns the
    /// square of the distance within which it still looks for others.
    pub fn nearest(&self, p: Vec3, mut square: f64, mut found: impl FnMut(u32) -> f64) {
        if self.nodes.is_empty() {
            return;
        }
        let away = |n: usize| self.nodes[n].bounds.distance_squared(p);
        let mut stack = [(0u32, 0.0f64); 64];
        stack[0] = (0, away(0));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (n, least) = stack[depth];
            if least > square {
                continue;
            }
            let node = &self.nodes[n as usize];
            if node.count > 0 {
                for i in &self.items[node.at as usize..(node.at + node.count) as usize] {
                    square = found(*i);
                }
                continue;
            }
            let (a, b) = ((n + 1, away(n as usize + 1)), (node.at, away(node.at as usize)));
            // The nearer is looked at first: what is found there may make the other needless.
            (stack[depth], stack[depth + 1]) = if a.1 < b.1 { (b, a) } else { (a, b) };
            depth += 2;
        }
    }

    /// Calls `found` with every item whose leaf overlaps a box; the caller tests the item's own box.
    pub fn query(&self, bounds: &Bounds, mut found: impl FnMut(u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = [0u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let n = stack[depth] as usize;
            let node = &self.nodes[n];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            if node.count > 0 {
                self.items[node.at as usize..(node.at + node.count) as usize].iter().for_each(|i| found(*i));
            } else {
                stack[depth] = node.at;
                stack[depth + 1] = n as u32 + 1;
                depth += 2;
            }
        }
    }
}
