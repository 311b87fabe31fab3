//! A curve with a cross-section.

use super::frames::{frames, polygon};
use super::{Net, Weave};
use crate::math::Vec3;
use crate::shape::TriMesh;
use crate::shape::primitives::push_quad;
use std::f64::consts::PI;

/// Points around a round cross-section.
const AROUND: usize = 8;

/// The cross-section of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A rectangle.
    Rectangle {
        /// Side in the plane of the curve `[m]`.
        thickness: f64,
        /// Side along the normal of that plane `[m]`.
        depth: f64,
    },
    /// A disc, whose rim the skin follows with eight points.
    Round {
        /// Radius `[m]`.
        radius: f64,
    },
}

impl Section {
    /// Area `[m^2]`.
    pub fn area(self) -> f64 {
        match self {
            Section::Rectangle { thickness, depth } => thickness * depth,
            Section::Round { radius } => PI * radius * radius,
        }
    }

    /// Distance across where it is thinnest `[m]`.
    pub fn thinnest(self) -> f64 {
        match self {
            Section::Rectangle { thickness, depth } => thickness.min(depth),
            Section::Round { radius } => 2.0 * radius,
        }
    }

    /// Points of the rim, across and up, counter-clockwise seen against the direction of the curve `[m]`.
    pub(super) fn rim(self) -> Vec<(f64, f64)> {
        match self {
            Section::Rectangle { thickness, depth } => {
                let (x, y) = (0.5 * thickness, 0.5 * depth);
                vec![(x, y), (-x, y), (-x, -y), (x, -y)]
            }
            Section::Round { radius } => polygon(AROUND).map(|(x, y)| (radius * x, radius * y)).collect(),
        }
    }
}

/// A curve through nodes in a row, at least two, or three if `closed`; each carries a ring of points on the rim of its
/// cross-section. Open curves end in flat caps.
pub fn curve_net(nodes: &[Vec3], closed: bool, section: Section) -> (TriMesh, Net) {
    let rim = section.rim();
    let (count, around) = (nodes.len(), rim.len());
    let mut mesh = TriMesh::default();
    for (node, frame) in nodes.iter().zip(frames(nodes, closed)) {
        mesh.points.extend(rim.iter().map(|&(x, y)| *node + x * frame.across + y * frame.up));
    }
    let at = |i: usize, k: usize| ((i % count) * around + k % around) as u32;
    let steps = if closed { count } else { count.saturating_sub(1) };
    for i in 0..steps {
        for k in 0..around {
            let quad = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
            push_quad(&mut mesh, quad, (i + k) % 2 == 1);
        }
    }
    if !closed && count > 0 {
        for k in 1..around - 1 {
            mesh.triangles.push([at(0, 0), at(0, k + 1), at(0, k)]);
            mesh.triangles.push([at(count - 1, 0), at(count - 1, k), at(count - 1, k + 1)]);
        }
    }
    let mut measure = vec![0.0; count];
    for i in 0..steps {
        let next = (i + 1) % count;
        let half = 0.5 * nodes[i].distance(nodes[next]);
        measure[i] += half;
        measure[next] += half;
    }
    let net = Net {
        nodes: nodes.to_vec(),
        weave: Weave::Line { closed },
        measure,
        section: Some(section.area()),
        thickness: Some(section.thinnest()),
        carriers: (0..mesh.points.len()).map(|p| (p / around) as u32).collect(),
    };
    (mesh, net)
}

/// The first node after which a point of the skin does not move along with the curve: there the curve bends more sharply
/// than its cross-section allows.
pub(super) fn first_fold(mesh: &TriMesh, net: &Net, closed: bool) -> Option<usize> {
    let count = net.nodes.len();
    let around = mesh.points.len() / count.max(1);
    let steps = if closed { count } else { count.saturating_sub(1) };
    (0..steps).find(|&i| {
        let next = (i + 1) % count;
        let along = net.nodes[next] - net.nodes[i];
        (0..around).any(|k| (mesh.points[next * around + k] - mesh.points[i * around + k]).dot(along) <= 0.0)
    })
}
