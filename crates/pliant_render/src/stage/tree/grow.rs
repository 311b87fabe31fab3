//! Growing the tree: a good tree of two children per node comes from `obvhs`; here it is folded into nodes of eight.

use glam::Vec3A;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use std::time::Duration;

/// Bit of a child's number that says that it is a block of triangles.
pub(super) const BLOCK: u32 = 1 << 31;

/// A node's eight children.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Lower bounds along x, y and z, then upper ones. Children that are missing have bounds that nothing can lie between.
    pub bounds: [[f32; 8]; 6],
    /// Numbers of nodes, or of blocks with `BLOCK`.
    pub children: [u32; 8],
}

/// Up to eight triangles. Lanes without one are all zero, which no ray meets.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Block {
    pub corner: [[f32; 8]; 3],
    /// From the second corner to the first.
    pub edge1: [[f32; 8]; 3],
    /// From the first to the third.
    pub edge2: [[f32; 8]; 3],
    /// Product of the edges.
    pub normal: [[f32; 8]; 3],
    /// Number of the first triangle; the others follow.
    pub first: u32,
    /// The object that all of them belong to.
    pub object: u32,
}

/// Nodes, blocks, and the triangles in the order of the blocks.
#[derive(Default)]
pub(super) struct Grown {
    pub nodes: Vec<Node>,
    pub blocks: Vec<Block>,
    pub order: Vec<u32>,
    /// Most children that can wait to be looked at.
    pub waiting: usize,
}

/// Grows a tree over triangles, of which there is at least one, each part of an object.
pub(super) fn grow(triangles: &[[Vec3A; 3]], objects: &[u32]) -> Grown {
    let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
    let how = BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::fast_build() };
    let pairs = build_bvh2(&boxes, how, &mut Duration::default());
    // Blocks are more than half full; memory that is not written to costs nothing.
    let grown = Grown {
        blocks: Vec::with_capacity(triangles.len() / 4 + 1),
        order: Vec::with_capacity(triangles.len()),
        ..Grown::default()
    };
    let mut folding = Folding { pairs: &pairs, triangles, objects, plans: plans(&pairs, objects), grown };
    folding.fold(0, 1);
    folding.grown
}

/// What it costs a ray to look at a node's eight children, and at a block's eight triangles.
const NODE_COST: f32 = 1.0;
const BLOCK_COST: f32 = 1.5;

/// The cheapest way to show what lies below a node of two as up to 1, 2 ... 8 children of a node of eight.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    cost: [f32; 8],
    /// How many of the children are for the first half; 0 if it stays whole.
    first_half: [u8; 8],
    /// Whether it is a block when it stays whole.
    is_block: bool,
    count: u32,
    /// The object that all its triangles belong to, if it is one.
    object: Option<u32>,
}

/// Plans for all nodes, by dynamic programming from the leaves up [YKL17].
fn plans(pairs: &Bvh2, objects: &[u32]) -> Vec<Plan> {
    let mut plans = vec![Plan::default(); pairs.nodes.len()];
    let mut order = vec![0];
    let mut k = 0;
    while k < order.len() {
        let node = &pairs.nodes[order[k]];
        if !node.is_leaf() {
            order.extend([node.first_index as usize, node.first_index as usize + 1]);
        }
        k += 1;
    }
    for n in order.into_iter().rev() {
        let node = &pairs.nodes[n];
        let area = node.aabb.half_area();
        let first = node.first_index as usize;
        plans[n] = if node.is_leaf() {
            let object = objects[pairs.primitive_indices[first] as usize];
            let cost = [area * BLOCK_COST; 8];
            Plan { cost, first_half: [0; 8], is_block: true, count: node.prim_count, object: Some(object) }
        } else {
            plan(area, &plans[first], &plans[first + 1])
        };
    }
    plans
}

fn plan(area: f32, a: &Plan, b: &Plan) -> Plan {
    let count = a.count + b.count;
    let object = a.object.filter(|_| a.object == b.object);
    let is_block = count <= 8 && object.is_some();
    let mut plan = Plan { cost: [f32::INFINITY; 8], first_half: [0; 8], is_block, count, object };
    for k in 1..8 {
        for i in 0..k {
            let cost = a.cost[i] + b.cost[k - 1 - i];
            if cost < plan.cost[k] {
                plan.cost[k] = cost;
                plan.first_half[k] = i as u8 + 1;
            }
        }
    }
    plan.cost[0] = if is_block { area * BLOCK_COST } else { area * NODE_COST + plan.cost[7] };
    for k in 1..8 {
        if plan.cost[k - 1] <= plan.cost[k] && k < 7 {
            plan.cost[k] = plan.cost[k - 1];
            plan.first_half[k] = plan.first_half[k - 1];
        }
    }
    plan
}

struct Folding<'a> {
    pairs: &'a Bvh2,
    triangles: &'a [[Vec3A; 3]],
    objects: &'a [u32],
    plans: Vec<Plan>,
    grown: Grown,
}

impl Folding<'_> {
    fn fold(&mut self, root: usize, depth: usize) -> u32 {
        let number = self.grown.nodes.len() as u32;
        self.grown.nodes.push(Node { bounds: [[0.0; 8]; 6], children: [0; 8] });
        let chosen = self.chosen(root);
        self.grown.waiting = self.grown.waiting.max(8 * depth);
        let mut node = Node { bounds: [[f32::NAN; 8]; 6], children: [BLOCK; 8] };
        for (k, n) in chosen.iter().enumerate() {
            let around = &self.pairs.nodes[*n].aabb;
            for axis in 0..3 {
                node.bounds[axis][k] = around.min[axis];
                node.bounds[axis + 3][k] = around.max[axis];
            }
            node.children[k] =
                if self.plans[*n].is_block { self.block(*n) } else { self.fold(*n, depth + 1) };
        }
        for axis in 0..3 {
            node.bounds[axis][chosen.len()..].fill(f32::INFINITY);
            node.bounds[axis + 3][chosen.len()..].fill(f32::NEG_INFINITY);
        }
        self.grown.nodes[number as usize] = node;
        number
    }

    /// The children of the node of eight that takes the place of `root`.
    fn chosen(&self, root: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(8);
        // A root that is a block by itself is its only child.
        if self.plans[root].is_block {
            return vec![root];
        }
        let mut open = vec![(root, 7, true)];
        while let Some((n, k, whole)) = open.pop() {
            let split = self.plans[n].first_half[k] as usize;
            if split == 0 && !whole {
                chosen.push(n);
                continue;
            }
            let first = self.pairs.nodes[n].first_index as usize;
            open.extend([(first + 1, k - split, false), (first, split - 1, false)]);
        }
        chosen
    }

    fn block(&mut self, root: usize) -> u32 {
        let mut block = Block { first: self.grown.order.len() as u32, ..Block::default() };
        let mut open = vec![root];
        let mut lane = 0;
        while let Some(n) = open.pop() {
            let node = &self.pairs.nodes[n];
            let first = node.first_index as usize;
            if !node.is_leaf() {
                open.extend([first + 1, first]);
                continue;
            }
            for k in first..first + node.prim_count as usize {
                let t = self.pairs.primitive_indices[k];
                block.put(lane, self.triangles[t as usize]);
                block.object = self.objects[t as usize];
                self.grown.order.push(t);
                lane += 1;
            }
        }
        self.grown.blocks.push(block);
        BLOCK | (self.grown.blocks.len() - 1) as u32
    }
}

impl Block {
    /// The corners of one of its triangles.
    pub fn corners(&self, lane: usize) -> [Vec3A; 3] {
        let at = |v: &[[f32; 8]; 3]| Vec3A::new(v[0][lane], v[1][lane], v[2][lane]);
        let a = at(&self.corner);
        [a, a - at(&self.edge1), a + at(&self.edge2)]
    }

    fn put(&mut self, lane: usize, [a, b, c]: [Vec3A; 3]) {
        let (edge1, edge2) = (a - b, c - a);
        let normal = edge1.cross(edge2);
        for axis in 0..3 {
            self.corner[axis][lane] = a[axis];
            self.edge1[axis][lane] = edge1[axis];
            self.edge2[axis][lane] = edge2[axis];
            self.normal[axis][lane] = normal[axis];
        }
    }
}
