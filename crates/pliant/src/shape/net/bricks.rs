//! A net as bricks: the cells between its nodes, each with its part of the skin, and the facets where two of them meet.
//!
//! A body that breaks comes apart along facets. So a brick is what cannot be broken: a piece of a curve between two nodes,
//! a cell of a sheet through its whole thickness, a cell of a solid.

use super::sheet::normals;
use super::{Net, Weave};
use crate::math::Vec3;
use crate::shape::TriMesh;
use std::collections::BTreeMap;

/// A place of the skin: the node that carries it, and which of that node's points it is.
pub type Spot = (u32, u32);

/// A net in bricks.
#[derive(Clone, Debug, Default)]
pub struct Bricks {
    /// What cannot be broken.
    pub bricks: Vec<Brick>,
    /// Where two of them meet.
    pub facets: Vec<Facet>,
    /// Where the points of the skin stand from the node that carries them.
    pub offsets: Vec<Vec<Vec3>>,
    /// Triangles of the skin, each with its brick.
    pub outside: Vec<(u32, [Spot; 3])>,
    /// Those that are seen only once it is open: the inner side of a closed shell.
    pub inside: Vec<(u32, [Spot; 3])>,
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub struct Brick {
    /// Its nodes, each once.
    pub nodes: Vec<u32>,
    /// Length, area or volume; its nodes stand for equal parts of it.
    pub measure: f64,
    /// The two directions that say how it lies, as differences of nodes: their normal is that of a sheet's cell, the
    /// first alone is the direction of a curve.
    pub lies: [[u32; 2]; 2],
}

/// Where two bricks meet.
#[derive(Clone, Debug)]
pub struct Facet {
    /// The bricks on its two sides.
    pub sides: [u32; 2],
    /// The nodes that both have.
    pub nodes: Vec<u32>,
    /// What a crack through it can go on from: a node of a sheet, an edge of a solid, nothing of a curve.
    pub fronts: Vec<[u32; 2]>,
    /// What is seen of the first brick when the second has gone.
    pub wall: Vec<[Spot; 3]>,
}

impl Bricks {
    /// The bricks of a net under its skin. A closed shell gets a wall of this thickness inwards `[m]`.
    pub fn new(mesh: &TriMesh, net: &Net, thickness: f64) -> Self {
        match &net.weave {
            Weave::Line { closed } => line(mesh, net, *closed),
            Weave::Sheet { counts: [m, n], wrap, .. } => {
                let cells = (if wrap[0] { *m } else { m - 1 }) * (if wrap[1] { *n } else { n - 1 });
                // Two triangles for each cell of the lattice, then those about the poles.
                surface(mesh, net, thickness, |t| if t < 2 * cells { t / 2 } else { t - cells })
            }
            Weave::Mesh { .. } => surface(mesh, net, thickness, |t| t),
            Weave::Block { counts } => block(mesh, net, *counts),
        }
    }

    /// Whether the wall of a closed shell has room inside: a cell whose inner side is turned over has none.
    pub fn wall_fits(&self, nodes: &[Vec3]) -> bool {
        let at = |(node, k): &Spot| nodes[*node as usize] + self.offsets[*node as usize][*k as usize];
        self.inside.iter().all(|(_, [a, b, c])| {
            let inner = (at(b) - at(a)).cross(at(c) - at(a));
            let [a, b, c] = [a, b, c].map(|s| nodes[s.0 as usize]);
            inner.dot((b - a).cross(c - a)) > 0.0
        })
    }
}

/// Nodes in a row, each with a ring of points.
fn line(mesh: &TriMesh, net: &Net, closed: bool) -> Bricks {
    let n = net.nodes.len();
    let around = mesh.points.len() / n;
    let steps = if closed { n } else { n - 1 };
    let spot = |p: u32| (p / around as u32, p % around as u32);
    let mut out = Bricks::default();
    for i in 0..steps {
        let ends = [i as u32, ((i + 1) % n) as u32];
        let measure = net.nodes[i].distance(net.nodes[(i + 1) % n]);
        out.bricks.push(Brick { nodes: ends.to_vec(), measure, lies: [ends; 2] });
    }
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        // Sides first, piece by piece; then the caps, of the first and the last by turns.
        let side = t / (2 * around);
        let caps = t - (2 * around * steps).min(t);
        let brick = if side < steps { side } else { (caps % 2) * (steps - 1) };
        out.outside.push((brick as u32, triangle.map(spot)));
    }
    out.offsets = (0..n)
        .map(|i| mesh.points[i * around..(i + 1) * around].iter().map(|p| *p - net.nodes[i]).collect())
        .collect();
    for i in if closed { 0..n } else { 1..n - 1 } {
        let node = i as u32;
        let cap = (1..around as u32 - 1).map(|k| [(node, 0), (node, k), (node, k + 1)]);
        out.facets.push(Facet {
            sides: [((i + n - 1) % n) as u32, node],
            nodes: vec![node],
            fronts: vec![],
            wall: cap.collect(),
        });
    }
    out
}

/// A surface with a skin on both sides, or a closed one; `brick_of` tells the brick of each triangle.
fn surface(mesh: &TriMesh, net: &Net, thickness: f64, brick_of: impl Fn(usize) -> usize) -> Bricks {
    let n = net.nodes.len();
    let closed = mesh.points.len() == n;
    let own = |t: &[u32; 3]| t.iter().all(|p| (*p as usize) < n);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().copied().take_while(own).collect();
    let mut out = Bricks::default();
    // From an edge in the direction of its triangle to the triangle's brick.
    let mut along: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for (t, corners) in triangles.iter().enumerate() {
        let k = brick_of(t);
        out.bricks.resize(out.bricks.len().max(k + 1), Brick::default());
        let brick = &mut out.bricks[k];
        let [a, b, c] = corners.map(|p| net.nodes[p as usize]);
        brick.measure += 0.5 * (b - a).cross(c - a).length();
        for p in corners.iter().filter(|p| !brick.nodes.contains(p)).collect::<Vec<_>>() {
            brick.nodes.push(*p);
        }
        let [a, b, c] = *corners;
        brick.lies = [[a, b], [a, c]];
        let k = k as u32;
        for edge in [[a, b], [b, c], [c, a]] {
            along.insert(edge, k);
        }
        out.outside.push((k, corners.map(|p| (p, 0))));
        let below = (k, [a, c, b].map(|p| (p, 1)));
        if closed { out.inside.push(below) } else { out.outside.push(below) }
    }
    // What joins both sides at an edge, seen from the triangle that runs along it from `a` to `b`.
    let wall = |[a, b]: [u32; 2]| [[(b, 0), (a, 0), (a, 1)], [(b, 0), (a, 1), (b, 1)]];
    for (edge @ [a, b], brick) in &along {
        match along.get(&[*b, *a]) {
            None => out.outside.extend(wall(*edge).map(|t| (*brick, t))),
            Some(other) if a < b && other != brick => out.facets.push(Facet {
                sides: [*brick, *other],
                nodes: edge.to_vec(),
                fronts: vec![[*a, *a], [*b, *b]],
                wall: wall(*edge).to_vec(),
            }),
            Some(_) => {}
        }
    }
    let inwards = if closed { normals(mesh) } else { vec![] };
    out.offsets = (0..n)
        .map(|i| match inwards.get(i) {
            Some(normal) => vec![Vec3::ZERO, *normal * -thickness],
            None => vec![mesh.points[i] - net.nodes[i], mesh.points[n + i] - net.nodes[i]],
        })
        .collect();
    out
}

/// A solid grid.
fn block(mesh: &TriMesh, net: &Net, counts: [usize; 3]) -> Bricks {
    let cells = counts.map(|c| c - 1);
    let node = |at: [usize; 3]| ((at[0] * counts[1] + at[1]) * counts[2] + at[2]) as u32;
    let cell = |at: [usize; 3]| ((at[0] * cells[1] + at[1]) * cells[2] + at[2]) as u32;
    let place = |n: u32| {
        let n = n as usize;
        [n / (counts[1] * counts[2]), n / counts[2] % counts[1], n % counts[2]]
    };
    let size = net.nodes[net.nodes.len() - 1] - net.nodes[0];
    let measure = size.x * size.y * size.z / (cells[0] * cells[1] * cells[2]) as f64;
    let mut out = Bricks { offsets: vec![vec![Vec3::ZERO]; net.nodes.len()], ..Bricks::default() };
    // From a node or a cell to the next one along each axis.
    let node_step = [counts[1] * counts[2], counts[2], 1].map(|n| n as u32);
    let cell_step = [cells[1] * cells[2], cells[2], 1].map(|n| n as u32);
    for c in 0..cells[0] * cells[1] * cells[2] {
        let at = [c / (cells[1] * cells[2]), c / cells[2] % cells[1], c % cells[2]];
        let corner = |k: usize| node([at[0] + (k >> 2), at[1] + (k >> 1 & 1), at[2] + (k & 1)]);
        let nodes: Vec<u32> = (0..8).map(corner).collect();
        out.bricks.push(Brick { lies: [[nodes[0]; 2]; 2], nodes, measure });
        for d in (0..3).filter(|d| at[*d] + 1 < cells[*d]) {
            // Counter-clockwise seen from the next brick.
            let (e, f) = (node_step[(d + 1) % 3], node_step[(d + 2) % 3]);
            let first = node(at) + node_step[d];
            let quad = [first, first + e, first + e + f, first + f];
            let spots = quad.map(|n| (n, 0));
            let edge = |k: usize| {
                let (a, b) = (quad[k], quad[(k + 1) % 4]);
                [a.min(b), a.max(b)]
            };
            out.facets.push(Facet {
                sides: [c as u32, c as u32 + cell_step[d]],
                nodes: quad.to_vec(),
                fronts: (0..4).map(edge).collect(),
                wall: vec![[spots[0], spots[1], spots[2]], [spots[0], spots[2], spots[3]]],
            });
        }
    }
    for triangle in &mesh.triangles {
        let nodes = triangle.map(|p| net.carriers[p as usize]);
        let corners = nodes.map(place);
        // The cell that has all three: the lowest along each axis, but none lies beyond the last.
        let low = |d: usize| corners.iter().map(|c| c[d]).min().unwrap_or(0).min(cells[d] - 1);
        out.outside.push((cell([low(0), low(1), low(2)]), nodes.map(|n| (n, 0))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Section, block_net, curve_net, grid_net, sphere_net, torus_net, tube_net};

    /// Every brick by itself, with a wall at each of its facets, is closed and turned outwards; all of them fill the whole.
    #[test]
    fn bricks_are_closed_and_fill_the_whole() {
        let round = Section::Round { radius: 0.02 };
        let nodes: Vec<Vec3> = (0..12).map(|i| Vec3::new(0.1 * i as f64, 0.0, 0.0)).collect();
        let ring: Vec<Vec3> = (0..12)
            .map(|i| {
                Vec3::new(
                    (i as f64 * std::f64::consts::FRAC_PI_6).cos(),
                    (i as f64 * std::f64::consts::FRAC_PI_6).sin(),
                    0.0,
                )
            })
            .collect();
        let nets = [
            curve_net(&nodes, false, round),
            curve_net(&ring, true, Section::Rectangle { thickness: 0.02, depth: 0.1 }),
            grid_net([0.4, 0.3], [4, 3], 0.01),
            tube_net(0.2, 0.5, [3, 8], 0.01),
            block_net(Vec3::new(0.3, 0.2, 0.4), [3, 2, 4]),
            sphere_net(Vec3::new(0.2, 0.3, 0.2), 5, 8),
            torus_net(0.3, 0.1, [12, 6]),
        ];
        for (mesh, net) in nets {
            let bricks = Bricks::new(&mesh, &net, 0.01);
            assert!(bricks.wall_fits(&net.nodes));
            let shell = !bricks.inside.is_empty();
            let mut whole = 0.0;
            for k in 0..bricks.bricks.len() as u32 {
                let own = |(brick, t): &(u32, [Spot; 3])| (*brick == k).then_some(*t);
                let mut triangles: Vec<[Spot; 3]> =
                    bricks.outside.iter().chain(&bricks.inside).filter_map(own).collect();
                for facet in &bricks.facets {
                    if facet.sides[0] == k {
                        triangles.extend(&facet.wall);
                    } else if facet.sides[1] == k {
                        triangles.extend(facet.wall.iter().map(|[a, b, c]| [*a, *c, *b]));
                    }
                }
                let mut points = vec![];
                let mut numbers: BTreeMap<Spot, u32> = BTreeMap::new();
                let triangles = triangles
                    .iter()
                    .map(|t| {
                        t.map(|s| {
                            *numbers.entry(s).or_insert_with(|| {
                                let offset = bricks.offsets[s.0 as usize][s.1 as usize];
                                points.push(net.nodes[s.0 as usize] + offset);
                                points.len() as u32 - 1
                            })
                        })
                    })
                    .collect();
                let brick = TriMesh { points, triangles, ..TriMesh::default() };
                assert_eq!(brick.check_solid(), Ok(()), "brick {k} of {:?}", net.weave);
                whole += brick.volume();
            }
            let measure: f64 = bricks.bricks.iter().map(|b| b.measure).sum();
            let all: f64 = net.measure.iter().sum();
            assert!((measure / all - 1.0).abs() < 1e-12, "{:?}: {measure} of {all}", net.weave);
            if !shell {
                let volume = mesh.volume();
                assert!((whole / volume - 1.0).abs() < 1e-9, "{:?}: {whole} of {volume}", net.weave);
            }
        }
    }
}
