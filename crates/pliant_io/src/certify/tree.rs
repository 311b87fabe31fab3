//! A tree of boxes over triangles. Built once over the rest shape; every frame only refits its boxes.

use super::predicates::Triangle;
use pliant::math::Vec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aabb {
    pub min: Vec3,
    pub max: Vec3,
}

impl Aabb {
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) })
    }
    pub fn union(self, other: Self) -> Self {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }
    pub fn gap_squared(&self, other: &Self) -> f64 {
        (self.min - other.max).max(other.min - self.max).max(Vec3::ZERO).length_squared()
    }
    pub fn diagonal(&self) -> f64 {
        let d = self.max - self.min;
        if d.cmpge(Vec3::ZERO).all() { d.length() } else { 0.0 }
    }
    /// Middle of what two overlapping boxes share.
    pub fn common_middle(&self, other: &Self) -> Vec3 {
        0.5 * (self.min.max(other.min) + self.max.min(other.max))
    }
}

/// Triangles in a leaf at most.
const LEAF: usize = 4;

/// The tree's shape: which triangles, not where they are.
#[derive(Debug)]
pub(super) struct Tree {
    /// Parents before children.
    nodes: Vec<Node>,
    /// Triangle numbers; every leaf has a stretch of them.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Leaf { first: u32, end: u32 },
    Inner { left: u32, right: u32 },
}

impl Tree {
    /// Splits at the middle triangle along the longest side, again and again.
    pub fn new(triangles: &[Triangle]) -> Self {
        let middles: Vec<Vec3> = triangles.iter().map(|[a, b, c]| (*a + *b + *c) / 3.0).collect();
        let mut tree = Tree { nodes: vec![], order: (0..triangles.len() as u32).collect() };
        if triangles.is_empty() {
            return tree;
        }
        tree.nodes.push(Node::Leaf { first: 0, end: triangles.len() as u32 });
        let mut next = 0;
        while let Some(Node::Leaf { first, end }) = tree.nodes.get(next).copied() {
            if (end - first) as usize > LEAF {
                let part = &mut tree.order[first as usize..end as usize];
                let extent = Aabb::of(part.iter().map(|t| middles[*t as usize]));
                let axis = (extent.max - extent.min).max_position();
                let half = part.len() / 2;
                part.select_nth_unstable_by(half, |s, t| {
                    let [x, y] = [s, t].map(|t| middles[*t as usize][axis]);
                    x.total_cmp(&y).then(s.cmp(t))
                });
                let middle = first + half as u32;
                let left = tree.nodes.len() as u32;
                tree.nodes[next] = Node::Inner { left, right: left + 1 };
                tree.nodes.push(Node::Leaf { first, end: middle });
                tree.nodes.push(Node::Leaf { first: middle, end });
            }
            next += 1;
        }
        tree
    }

    /// Boxes of all nodes, the whole first, for triangles at new places.
    pub fn fit(&self, triangles: &[Triangle]) -> Vec<Aabb> {
        let mut boxes = vec![Aabb::EMPTY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            boxes[i] = match *node {
                Node::Inner { left, right } => boxes[left as usize].union(boxes[right as usize]),
                Node::Leaf { first, end } => {
                    let leaf = &self.order[first as usize..end as usize];
                    Aabb::of(leaf.iter().flat_map(|t| triangles[*t as usize]))
                }
            };
        }
        boxes
    }
}

/// A tree with its boxes and triangles at one moment.
#[derive(Clone, Copy)]
pub(super) struct Fitted<'a> {
    pub tree: &'a Tree,
    pub boxes: &'a [Aabb],
    pub triangles: &'a [Triangle],
}

impl<'a> Fitted<'a> {
    fn leaf(&self, first: u32, end: u32) -> &'a [u32] {
        &self.tree.order[first as usize..end as usize]
    }
    fn node(&self, i: u32) -> Node {
        self.tree.nodes[i as usize]
    }
    fn aabb(&self, i: u32) -> &'a Aabb {
        &self.boxes[i as usize]
    }

    /// The first pair of triangles, one of each tree, in overlapping boxes for which `meet` holds.
    pub fn find_pair(self, other: Self, mut meet: impl FnMut(u32, u32) -> bool) -> Option<(u32, u32)> {
        let mut stack = if self.boxes.is_empty() || other.boxes.is_empty() { vec![] } else { vec![(0, 0)] };
        while let Some((i, j)) = stack.pop() {
            if !self.aabb(i).overlaps(other.aabb(j)) {
                continue;
            }
            match (self.node(i), other.node(j)) {
                (Node::Leaf { first, end }, Node::Leaf { first: first2, end: end2 }) => {
                    for s in self.leaf(first, end) {
                        let b = Aabb::of(self.triangles[*s as usize]);
                        for t in other.leaf(first2, end2) {
                            if b.overlaps(&Aabb::of(other.triangles[*t as usize])) && meet(*s, *t) {
                                return Some((*s, *t));
                            }
                        }
                    }
                }
                (Node::Inner { left, right }, Node::Leaf { .. }) => stack.extend([(right, j), (left, j)]),
                (Node::Leaf { .. }, Node::Inner { left, right }) => stack.extend([(i, right), (i, left)]),
                (Node::Inner { left, right }, Node::Inner { left: left2, right: right2 }) => {
                    stack.extend([(right, right2), (right, left2), (left, right2), (left, left2)]);
                }
            }
        }
        None
    }

    /// Shows every triangle whose box overlaps `query`.
    pub fn visit(self, query: &Aabb, mut see: impl FnMut(&Triangle)) {
        let mut stack = if self.boxes.is_empty() { vec![] } else { vec![0] };
        while let Some(i) = stack.pop() {
            if !self.aabb(i).overlaps(query) {
                continue;
            }
            match self.node(i) {
                Node::Inner { left, right } => stack.extend([right, left]),
                Node::Leaf { first, end } => {
                    self.leaf(first, end).iter().for_each(|t| see(&self.triangles[*t as usize]));
                }
            }
        }
    }

    /// Smallest squared distance of a triangle of one tree from a triangle of the other, if below `bound`.
    pub fn distance_squared(
        self,
        other: Self,
        bound: f64,
        exact: impl Fn(&Triangle, &Triangle) -> f64,
    ) -> f64 {
        let mut least = bound;
        let mut stack = vec![];
        let push = |stack: &mut Vec<(f64, u32, u32)>, i: u32, j: u32| {
            stack.push((self.aabb(i).gap_squared(other.aabb(j)), i, j));
        };
        if !self.boxes.is_empty() && !other.boxes.is_empty() {
            push(&mut stack, 0, 0);
        }
        while let Some((gap, i, j)) = stack.pop() {
            if gap >= least {
                continue;
            }
            let begin = stack.len();
            match (self.node(i), other.node(j)) {
                (Node::Leaf { first, end }, Node::Leaf { first: first2, end: end2 }) => {
                    for s in self.leaf(first, end) {
                        for t in other.leaf(first2, end2) {
                            let (s, t) = (&self.triangles[*s as usize], &other.triangles[*t as usize]);
                            if Aabb::of(*s).gap_squared(&Aabb::of(*t)) < least {
                                least = least.min(exact(s, t));
                            }
                        }
                    }
                }
                (Node::Inner { left, right }, Node::Leaf { .. }) => {
                    [left, right].into_iter().for_each(|i| push(&mut stack, i, j));
                }
                (Node::Leaf { .. }, Node::Inner { left, right }) => {
                    [left, right].into_iter().for_each(|j| push(&mut stack, i, j));
                }
                (Node::Inner { left, right }, Node::Inner { left: left2, right: right2 }) => {
                    for (i, j) in [(left, left2), (left, right2), (right, left2), (right, right2)] {
                        push(&mut stack, i, j);
                    }
                }
            }
            // The nearest is looked at first, so that the bound falls soon.
            stack[begin..].sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::distance::triangles_squared;
    use crate::certify::predicates::triangles_intersect;

    /// Small triangles scattered over a cube of side 2 at `at`.
    fn soup(seed: u64, count: usize, at: Vec3) -> Vec<Triangle> {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut point = move || Vec3::new(random(), random(), random());
        let mut triangle = || {
            let middle = at + point();
            [(); 3].map(|()| middle + 0.1 * point())
        };
        (0..count).map(|_| triangle()).collect()
    }

    #[test]
    fn finds_the_pairs_and_distances_that_brute_force_finds() {
        for (seed, shift) in [(1, 0.0), (2, 1.5), (3, 2.0), (4, 2.5), (5, 9.0)] {
            let [s, t] = [soup(seed, 97, Vec3::ZERO), soup(seed + 100, 61, Vec3::X * shift)];
            let [tree, other] = [Tree::new(&s), Tree::new(&t)];
            let [boxes, other_boxes] = [tree.fit(&s), other.fit(&t)];
            let a = Fitted { tree: &tree, boxes: &boxes, triangles: &s };
            let b = Fitted { tree: &other, boxes: &other_boxes, triangles: &t };
            let mut pairs = vec![];
            a.find_pair(b, |i, j| {
                if triangles_intersect(&s[i as usize], &t[j as usize]) {
                    pairs.push((i, j));
                }
                false
            });
            pairs.sort_unstable();
            let all = || (0..97u32).flat_map(|i| (0..61u32).map(move |j| (i, j)));
            let pick = |(i, j): (u32, u32)| (&s[i as usize], &t[j as usize]);
            let brute: Vec<_> = all().filter(|p| triangles_intersect(pick(*p).0, pick(*p).1)).collect();
            assert_eq!(pairs, brute);
            let nearest =
                all().map(|p| triangles_squared(pick(p).0, pick(p).1)).fold(f64::INFINITY, f64::min);
            assert_eq!(a.distance_squared(b, f64::INFINITY, triangles_squared), nearest);
            assert_eq!(a.distance_squared(b, 1e-9, triangles_squared), nearest.min(1e-9));
        }
    }

    #[test]
    fn an_empty_tree_meets_nothing() {
        let tree = Tree::new(&[]);
        let nothing = Fitted { tree: &tree, boxes: &tree.fit(&[]), triangles: &[] };
        assert_eq!(nothing.find_pair(nothing, |_, _| true), None);
        assert_eq!(nothing.distance_squared(nothing, 4.0, triangles_squared), 4.0);
    }
}
