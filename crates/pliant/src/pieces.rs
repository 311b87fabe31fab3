//! The faces of a skin, grouped into ever smaller pieces.
//!
//! A surface that may be hollow is not one convex thing, but its pieces nearly are: sides first, then parts of sides,
//! down to single faces. Piece 0 is the whole surface; each piece is parted in two until it is one face.

use crate::math::Vec3;
use std::ops::Range;

/// The pieces of a skin; none where the skin is convex as a whole.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    nodes: Vec<Node>,
    /// Faces in the order of pieces.
    faces: Vec<u32>,
    /// Corners and edges of all pieces.
    corners: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

/// Which pieces are the smallest parts of a surface.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Of each face, its piece.
    pub faces: Vec<u32>,
    /// The piece of the first edge; the others follow.
    pub edges: u32,
    /// The piece of the first corner.
    pub corners: u32,
}

#[derive(Clone, Debug)]
struct Node {
    faces: Range<u32>,
    corners: Range<u32>,
    edges: Range<u32>,
    /// The second half; the first follows directly. 0 for a single face.
    second: u32,
    /// Whether its faces all look about the same way in the rest shape.
    even: bool,
}

/// Faces whose normals are no farther than this from their mean look the same way: 25 degrees.
const EVEN: f64 = 0.9;

impl Pieces {
    /// Groups faces, given as loops of points.
    pub fn new(faces: &[Vec<u32>], points: &[Vec3]) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
        let size = (high - low).max_element().max(f64::MIN_POSITIVE);
        // Faces that look alike belong together before faces that lie close together.
        let traits = |face: &Vec<u32>| -> [f64; 6] {
            let at = |k: usize| points[face[k] as usize];
            let middle = face.iter().map(|i| points[*i as usize]).sum::<Vec3>() / (face.len() as f64 * size);
            let normal = (1..face.len() - 1)
                .map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0)))
                .sum::<Vec3>()
                .normalize_or_zero();
            [normal.x, normal.y, normal.z, middle.x, middle.y, middle.z]
        };
        let traits: Vec<[f64; 6]> = faces.iter().map(traits).collect();
        let mut pieces = Self { faces: (0..faces.len() as u32).collect(), ..Self::default() };
        if !faces.is_empty() {
            pieces.part(faces, &traits, 0, faces.len());
        }
        pieces.nodes.shrink_to_fit();
        pieces.corners.shrink_to_fit();
        pieces.edges.shrink_to_fit();
        pieces
    }

    fn part(&mut self, faces: &[Vec<u32>], traits: &[[f64; 6]], from: usize, to: usize) {
        let here = self.nodes.len();
        let normals = || self.faces[from..to].iter().map(|f| Vec3::from_slice(&traits[*f as usize]));
        let mean = normals().sum::<Vec3>().normalize_or_zero();
        let even = normals().all(|n| n.dot(mean) > EVEN);
        self.nodes.push(Node { faces: from as u32..to as u32, corners: 0..0, edges: 0..0, second: 0, even });
        if to - from > 1 {
            let middle = from + divide(&mut self.faces[from..to], traits);
            self.part(faces, traits, from, middle);
            self.nodes[here].second = self.nodes.len() as u32;
            self.part(faces, traits, middle, to);
        }
        let mut corners: Vec<u32> =
            self.faces[from..to].iter().flat_map(|f| faces[*f as usize].iter().copied()).collect();
        corners.sort_unstable();
        corners.dedup();
        let mut edges: Vec<[u32; 2]> = vec![];
        for face in self.faces[from..to].iter().map(|f| &faces[*f as usize]) {
            let ends = (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]);
            edges.extend(ends.filter(|[i, j]| i != j).map(|[i, j]| [i.min(j), i.max(j)]));
        }
        edges.sort_unstable();
        edges.dedup();
        let halves = self.halves(here as u32).map(|h| h.map(|k| &self.nodes[k as usize]));
        let of_halves = |of: fn(&Node) -> &Range<u32>| halves.map(|h| h.map(of));
        let (own, its) = (of_halves(|n| &n.corners), of_halves(|n| &n.edges));
        let (corners, edges) = (put(&mut self.corners, corners, own), put(&mut self.edges, edges, its));
        (self.nodes[here].corners, self.nodes[here].edges) = (corners, edges);
    }

    /// Adds a piece for every edge and every corner; the smallest parts of a surface, which can touch each other.
    pub fn add_parts(&mut self, edges: &[[u32; 2]], corners: usize) -> Parts {
        let mut faces = vec![0; self.faces.len()];
        for (k, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.second == 0) {
            faces[self.faces[node.faces.start as usize] as usize] = k as u32;
        }
        let parts = Parts { faces, edges: self.len() as u32, corners: (self.len() + edges.len()) as u32 };
        for edge in edges {
            self.add_part(edge, Some(*edge));
        }
        for corner in 0..corners as u32 {
            self.add_part(&[corner], None);
        }
        parts
    }

    fn add_part(&mut self, corners: &[u32], edge: Option<[u32; 2]>) {
        let (first_corner, first_edge) = (self.corners.len() as u32, self.edges.len() as u32);
        self.corners.extend(corners);
        self.edges.extend(edge);
        self.nodes.push(Node {
            faces: 0..0,
            corners: first_corner..self.corners.len() as u32,
            edges: first_edge..self.edges.len() as u32,
            second: 0,
            even: true,
        });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// The two halves of a piece; none of a single face.
    pub fn halves(&self, piece: u32) -> Option<[u32; 2]> {
        let second = self.nodes[piece as usize].second;
        (second > 0).then_some([piece + 1, second])
    }
    /// Whether its faces all look about the same way in the rest shape.
    pub fn is_even(&self, piece: u32) -> bool {
        self.nodes[piece as usize].even
    }
    /// Its faces.
    pub fn faces(&self, piece: u32) -> &[u32] {
        let run = &self.nodes[piece as usize].faces;
        &self.faces[run.start as usize..run.end as usize]
    }
    /// Its corners, each once.
    pub fn corners(&self, piece: u32) -> &[u32] {
        let run = &self.nodes[piece as usize].corners;
        &self.corners[run.start as usize..run.end as usize]
    }
    /// Its edges, each once.
    pub fn edges(&self, piece: u32) -> &[[u32; 2]] {
        let run = &self.nodes[piece as usize].edges;
        &self.edges[run.start as usize..run.end as usize]
    }
}

/// Brings some faces into an order such that those of the first half come first. Returns how many those are.
fn divide(items: &mut [u32], traits: &[[f64; 6]]) -> usize {
    let spread = |d: usize| {
        let of = |f: &u32| traits[*f as usize][d];
        let (low, high) =
            items.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let axis = (0..6).rev().max_by(|i, j| spread(*i).total_cmp(&spread(*j))).unwrap_or(0);
    // Ties are broken by number, so that pieces are the same on every run.
    items.sort_unstable_by(|i, j| {
        traits[*i as usize][axis].total_cmp(&traits[*j as usize][axis]).then(i.cmp(j))
    });
    let mean = items.iter().map(|f| traits[*f as usize][axis]).sum::<f64>() / items.len() as f64;
    let middle = items.partition_point(|f| traits[*f as usize][axis] < mean);
    // Neither an empty half nor, in large surfaces, a chain of slivers.
    let sliver = middle.min(items.len() - middle) * 16 < items.len();
    if middle == 0 || middle == items.len() || sliver { items.len() / 2 } else { middle }
}

/// Puts what a piece has at the end of a list, unless its halves have it there one after the other.
fn put<T>(list: &mut Vec<T>, mut has: Vec<T>, halves: Option<[&Range<u32>; 2]>) -> Range<u32> {
    if let Some([first, second]) = halves
        && first.end == second.start
        && first.len() + second.len() == has.len()
    {
        return first.start..second.end;
    }
    let start = list.len() as u32;
    list.append(&mut has);
    start..list.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::box_mesh;

    /// Each half pair of pieces has all the faces of the whole, and the sides of a box come apart before they are cut.
    #[test]
    fn pieces_part_into_their_faces() {
        let mesh = box_mesh(Vec3::new(0.2, 0.3, 0.4), [3; 3]);
        let faces: Vec<Vec<u32>> = mesh.triangles.iter().map(|t| t.to_vec()).collect();
        let pieces = Pieces::new(&faces, &mesh.points);
        assert_eq!(pieces.len(), 2 * faces.len() - 1);
        for p in 0..pieces.len() as u32 {
            let Some([a, b]) = pieces.halves(p) else {
                assert_eq!(pieces.faces(p).len(), 1);
                continue;
            };
            let mut both = [pieces.faces(a), pieces.faces(b)].concat();
            let mut all = pieces.faces(p).to_vec();
            both.sort_unstable();
            all.sort_unstable();
            assert_eq!(both, all);
        }
        let sides = (0..pieces.len() as u32).filter(|p| pieces.faces(*p).len() == 18);
        for side in sides {
            let points = pieces.corners(side).iter().map(|i| mesh.points[*i as usize]);
            let low = points.clone().fold(Vec3::INFINITY, |a, p| a.min(p));
            let high = points.fold(Vec3::NEG_INFINITY, |a, p| a.max(p));
            assert!((high - low).min_element() < 1e-12, "a piece of 18 faces is not one side");
        }
    }
}
