//! Where a surface is smooth and where it has an edge, decided once on the rest shape. Surfaces that are made anew in
//! every frame bring normals of their own.

use glam::Vec3A;
use pliant::ObjectTopology;

/// Cosine of the angle between neighbouring triangles beyond which the edge between them is meant to be seen.
const SHARP: f32 = 0.78;

/// For each corner of each triangle, the normal it uses.
#[derive(Debug)]
pub(crate) struct Creases {
    /// Per triangle, the number of each corner's normal.
    pub corners: Vec<[u32; 3]>,
    count: usize,
}

impl Creases {
    pub fn new(object: &ObjectTopology) -> Self {
        if object.remeshed {
            return Self { corners: vec![], count: 0 };
        }
        let triangles = &object.triangles;
        let faces: Vec<Vec3A> = triangles.iter().map(|t| face(object, t)).collect();
        // Corners of the same point, sorted by point: only these can share a normal.
        let mut by_point: Vec<(u32, u32, u8)> = vec![];
        for (t, corners) in triangles.iter().enumerate() {
            by_point.extend((0..3).map(|k| (corners[k as usize], t as u32, k as u8)));
        }
        by_point.sort_unstable();
        let mut corners = vec![[0; 3]; triangles.len()];
        let mut count = 0;
        for around in by_point.chunk_by(|a, b| a.0 == b.0) {
            let groups = groups(around, triangles, &faces, object.smooth);
            for ((_, t, k), group) in around.iter().zip(&groups) {
                corners[*t as usize][*k as usize] = count + group;
            }
            count += groups.iter().max().map_or(0, |g| g + 1);
        }
        Self { corners, count: count as usize }
    }

    /// Unit normals for the points as they are now, weighted by area.
    pub fn normals(&self, points: &[Vec3A], triangles: &[[u32; 3]]) -> Vec<Vec3A> {
        let mut sums = vec![Vec3A::ZERO; self.count];
        for (corners, normals) in triangles.iter().zip(&self.corners) {
            let [a, b, c] = corners.map(|v| points[v as usize]);
            let area = (b - a).cross(c - a);
            normals.iter().for_each(|n| sums[*n as usize] += area);
        }
        sums.into_iter().map(|n| n.try_normalize().unwrap_or(Vec3A::Y)).collect()
    }
}

/// Numbers the corners around one point so that those across a smooth edge have the same number.
fn groups(around: &[(u32, u32, u8)], triangles: &[[u32; 3]], faces: &[Vec3A], smooth: bool) -> Vec<u32> {
    if smooth {
        return vec![0; around.len()];
    }
    let mut group: Vec<u32> = (0..around.len() as u32).collect();
    let point = around[0].0;
    let share_edge = |a: u32, b: u32| {
        triangles[a as usize].iter().any(|v| *v != point && triangles[b as usize].contains(v))
    };
    // A point has few triangles; merging until nothing changes is simplest.
    loop {
        let mut changed = false;
        for i in 0..around.len() {
            for j in 0..i {
                let (a, b) = (around[i].1, around[j].1);
                let flat = faces[a as usize].dot(faces[b as usize]) > SHARP;
                if group[i] != group[j] && flat && share_edge(a, b) {
                    let (low, high) = (group[i].min(group[j]), group[i].max(group[j]));
                    group.iter_mut().filter(|g| **g == high).for_each(|g| *g = low);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut used = group.clone();
    used.sort_unstable();
    used.dedup();
    group.iter().map(|g| used.binary_search(g).map_or(0, |k| k as u32)).collect()
}

fn face(object: &ObjectTopology, corners: &[u32; 3]) -> Vec3A {
    let [a, b, c] = corners.map(|v| Vec3A::from_array(object.points[v as usize]));
    (b - a).cross(c - a).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(smooth: bool) -> ObjectTopology {
        // Two faces of a roof and one that continues the first.
        ObjectTopology {
            name: "roof".into(),
            kind: "rigid".into(),
            deforms: false,
            remeshed: false,
            smooth,
            triangles: vec![[0, 1, 2], [2, 1, 3], [0, 4, 1]],
            points: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.0, 0.0, -1.0],
                [1.0, 0.0, -1.0],
                [0.0, -1.0, 0.0],
            ],
            rest_volume: 0.0,
            incompressible: false,
            freedoms: 0,
            cell_edges: vec![],
        }
    }

    #[test]
    fn normals_are_shared_across_flat_edges_only() {
        let sharp = Creases::new(&object(false));
        let [first, second, third] = [sharp.corners[0], sharp.corners[1], sharp.corners[2]];
        assert_eq!(first[1], second[1], "same plane");
        assert_eq!(first[2], second[0], "same plane");
        assert_ne!(first[0], third[0], "over the ridge");
        assert_ne!(first[1], third[2], "over the ridge");
        let smooth = Creases::new(&object(true));
        assert_eq!(smooth.corners[0][0], smooth.corners[2][0]);
    }
}
