use super::*;
use obvhs::ray::Ray;
use obvhs::rt_triangle::RtTriangle;

/// Numbers in 0..1 by a fixed rule.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn point(&mut self) -> Vec3A {
        Vec3A::new(self.next(), self.next(), self.next())
    }
}

/// Little triangles in a unit cube: most of any shape, some on whole coordinates, some without area.
fn scattered(count: u32) -> (Vec<Face>, Vec<Vec3A>) {
    let mut numbers = Numbers(1);
    let mut points = vec![];
    for k in 0..count {
        let corner = numbers.point();
        let [b, c] = [0.3 * numbers.point(), 0.3 * numbers.point()];
        points.extend(match k % 8 {
            0 => [corner, corner, corner],
            1 => [corner, corner + b, corner + 2.0 * b],
            2 => {
                [corner, corner + Vec3A::X * 0.25, corner + Vec3A::Z * 0.25].map(|p| (p * 8.0).round() / 8.0)
            }
            _ => [corner, corner + b, corner + c],
        });
    }
    let face = |t: u32| {
        let points = [3 * t, 3 * t + 1, 3 * t + 2];
        Face { object: t % 3, points, normals: points }
    };
    ((0..count).map(face).collect(), points)
}

/// Rays from anywhere around, many of them along an axis or in a plane of whole coordinates.
fn rays(count: u32) -> Vec<(Vec3A, Vec3A)> {
    let mut numbers = Numbers(2);
    let ray = |k: u32| {
        let origin = 3.0 * numbers.point() - Vec3A::ONE;
        let towards = numbers.point();
        match k % 5 {
            0 => (origin, Vec3A::AXES[k as usize % 3]),
            1 => ((origin * 8.0).round() / 8.0, -Vec3A::AXES[k as usize % 3]),
            2 => (origin, (towards - origin).with_y(-0.0).normalize()),
            3 => ((origin * 8.0).round() / 8.0, (towards - origin).normalize()),
            _ => (origin, (towards - origin).normalize()),
        }
    };
    (0..count).map(ray).collect()
}

fn without_wide_registers(tree: Tree) -> Tree {
    Tree { machine: Machine::default(), ..tree }
}

#[test]
fn tree_finds_what_trying_all_triangles_finds() {
    for (count, plain) in [(1, false), (7, false), (9, false), (700, false), (1, true), (700, true)] {
        let (faces, points) = scattered(count);
        let mut tree = Tree::new(faces, &points);
        if plain {
            tree = without_wide_registers(tree);
        }
        let triangles: Vec<RtTriangle> = tree
            .faces
            .iter()
            .map(|f| f.points.map(|p| points[p as usize]))
            .map(|[a, b, c]| RtTriangle::new(a, b, c))
            .collect();
        let mut waiting = Waiting::new();
        let mut hits = 0;
        for (k, (origin, direction)) in rays(4000).into_iter().enumerate() {
            for longest in [f32::INFINITY, 0.7] {
                let ray = Ray::new(origin, direction, 0.0, longest);
                let all = triangles.iter().map(|t| t.intersect(&ray)).fold(longest, f32::min);
                let found = tree.nearest(&mut waiting, (origin, direction), longest, &[]);
                assert_eq!(found.map_or(longest, |h| h.distance), all, "ray {k} among {count}");
                let blocked = tree.is_blocked(&mut waiting, (origin, direction), longest, &[]);
                assert_eq!(blocked, found.is_some(), "ray {k} among {count}");
                if let Some(hit) = found {
                    hits += 1;
                    let [a, b, c] = tree.faces[hit.what as usize].points.map(|p| points[p as usize]);
                    let there = a + (b - a) * hit.weights[0] + (c - a) * hit.weights[1];
                    let off = there.distance(origin + direction * hit.distance);
                    assert!(off < 1e-3, "ray {k} among {count} is {off} beside its triangle");
                    let ([first, ..], object) = tree.triangle(&hit);
                    assert_eq!((first, object), (a, tree.faces[hit.what as usize].object));
                }
            }
        }
        assert!(count < 100 || hits > 1000, "{hits}");
    }
}

#[test]
fn rays_together_find_what_each_finds_alone() {
    let floor = Plane { object: 0, normal: Vec3A::Y, offset: 0.2 };
    for (count, plain) in [(1, false), (700, false), (700, true)] {
        let (faces, points) = scattered(count);
        let mut tree = Tree::new(faces, &points);
        if plain {
            tree = without_wide_registers(tree);
        }
        let (mut waiting, mut numbers) = (Waiting::new(), Numbers(3));
        let mut hits = 0;
        for (k, (origin, direction)) in rays(1500).into_iter().enumerate() {
            // From neighbours that may well be one to rays that have nothing to do with each other.
            let spread = [0.0, 1e-3, 0.05, 2.0][k % 4];
            let mut near = |v: Vec3A| v + spread * (numbers.point() - Vec3A::splat(0.5));
            let together: Vec<(Vec3A, Vec3A)> =
                (0..1 + k % TOGETHER).map(|_| (near(origin), near(direction).normalize())).collect();
            for planes in [&[][..], &[floor]] {
                let found = tree.nearest_of(&mut waiting, &together, planes);
                let blocked = tree.are_blocked(&mut waiting, &together, planes);
                for (i, found) in found.iter().enumerate() {
                    let alone =
                        together.get(i).and_then(|r| tree.nearest(&mut waiting, *r, f32::INFINITY, planes));
                    let at = |h: &Option<Hit>| h.map(|h| (h.distance, h.what >= PLANE));
                    assert_eq!(at(found), at(&alone), "ray {i} of group {k} among {count}");
                    assert_eq!(blocked >> i & 1 != 0, alone.is_some(), "ray {i} of group {k} among {count}");
                    hits += usize::from(alone.is_some_and(|h| h.what < PLANE));
                }
            }
        }
        assert!(count < 100 || hits > 1000, "{hits}");
    }
}

#[test]
fn every_face_stands_in_the_tree_once() {
    let (faces, points) = scattered(333);
    let mut all: Vec<u32> = Tree::new(faces, &points).faces.iter().map(|f| f.points[0]).collect();
    all.sort_unstable();
    assert_eq!(all, (0..333).map(|t| 3 * t).collect::<Vec<_>>());
}

#[test]
fn many_triangles_in_one_place_make_no_endless_tree() {
    let points = [Vec3A::ZERO, Vec3A::X, Vec3A::Y];
    let faces = vec![Face { object: 0, points: [0, 1, 2], normals: [0, 1, 2] }; 5000];
    let tree = Tree::new(faces, &points);
    let ray = (Vec3A::new(0.2, 0.2, 1.0), -Vec3A::Z);
    let hit = tree.nearest(&mut Waiting::new(), ray, f32::INFINITY, &[]);
    assert!(hit.is_some_and(|h| h.distance == 1.0));
}

#[test]
fn planes_are_met_from_outside_only() {
    let floor = Plane { object: 0, normal: Vec3A::Y, offset: 1.0 };
    let (tree, mut waiting) = (Tree::default(), Waiting::new());
    let above = Vec3A::new(0.0, 3.0, 0.0);
    let down = tree.nearest(&mut waiting, (above, -Vec3A::Y), f32::INFINITY, &[floor]);
    assert!(down.is_some_and(|h| h.distance == 2.0 && h.what == PLANE));
    assert!(tree.nearest(&mut waiting, (Vec3A::ZERO, Vec3A::Y), f32::INFINITY, &[floor]).is_none());
    assert!(!tree.is_blocked(&mut waiting, (above, -Vec3A::Y), 1.9, &[floor]));
    assert!(!tree.is_blocked(&mut waiting, (Vec3A::ZERO, Vec3A::Y), f32::INFINITY, &[]), "an empty tree");
}
