//! What carries a point of the skin.

use crate::math::Vec3;
use crate::shape::{Net, TriMesh, rounded};

/// The nodes of one cell of the net that carry a point, and where it stands from the place that they give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// Nodes; unused ones repeat the first with weight 0.
    pub nodes: [u32; 3],
    /// Their shares, one in all.
    pub weights: [f64; 3],
    /// From there to the point, frame's axes.
    pub offset: Vec3,
}

impl Carrier {
    /// A point that goes with one node.
    pub fn node(node: u32, offset: Vec3) -> Self {
        Self { nodes: [node; 3], weights: [1.0, 0.0, 0.0], offset }
    }

    /// Where the point is, from where nodes are.
    #[inline]
    pub fn place(&self, node: impl Fn(usize) -> Vec3) -> Vec3 {
        let first = node(self.nodes[0] as usize);
        if self.weights[0] == 1.0 {
            return first + self.offset;
        }
        let others =
            node(self.nodes[1] as usize) * self.weights[1] + node(self.nodes[2] as usize) * self.weights[2];
        first * self.weights[0] + others + self.offset
    }

    /// Nodes and weights of a point between others that are carried by nodes of the same cell.
    pub fn between<'a>(parts: impl Iterator<Item = (&'a Carrier, f64)>) -> ([u32; 3], [f64; 3]) {
        let (mut nodes, mut weights, mut count) = ([0; 3], [0.0; 3], 0);
        for (carrier, share) in parts.filter(|(_, share)| *share != 0.0) {
            for (node, weight) in carrier.nodes.into_iter().zip(carrier.weights).filter(|(_, w)| *w != 0.0) {
                let k = nodes[..count].iter().position(|n| *n == node).unwrap_or(count);
                if k == count {
                    nodes[k] = node;
                    count += 1;
                }
                weights[k] += weight * share;
            }
        }
        let first = nodes[0];
        nodes[count..].fill(first);
        (nodes, weights)
    }
}

/// A net's skin with its triangles cut in four so many times, on the smooth surface through its points, and what carries it.
/// Displacements are those of the net, from which the finer points stand off as they do at rest.
pub fn finer(mut mesh: TriMesh, net: &Net, times: u32) -> (TriMesh, Vec<Carrier>) {
    let own = net.carriers.iter().zip(&mesh.points);
    let mut list: Vec<Carrier> = own.map(|(n, p)| Carrier::node(*n, *p - net.nodes[*n as usize])).collect();
    for _ in 0..times {
        let (fine, ends) = rounded(&mesh);
        for (p, [a, b]) in fine.points[list.len()..].iter().zip(ends) {
            let (nodes, weights) = Carrier::between([a, b].iter().map(|end| (&list[*end as usize], 0.5)));
            let on_net: Vec3 = (0..3).map(|k| net.nodes[nodes[k] as usize] * weights[k]).sum();
            list.push(Carrier { nodes, weights, offset: *p - on_net });
        }
        mesh = fine;
    }
    (mesh, list)
}
