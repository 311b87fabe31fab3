//! Meshes of simple solids: closed, outward, with shared points.

use super::TriMesh;
use super::mesh::sorted;
use crate::math::Vec3;
use crate::math::portable;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// A box with full side lengths `size` `[m]` around the origin; each side is a grid, two triangles per cell.
///
/// A division count of zero is taken as one.
pub fn box_mesh(size: Vec3, divisions: [u32; 3]) -> TriMesh {
    let n = divisions.map(|d| d.max(1));
    let mut mesh = TriMesh::default();
    let mut index: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut point = |mesh: &mut TriMesh, at: [u32; 3]| {
        *index.entry(at).or_insert_with(|| {
            let along = |k: usize| size[k] * (f64::from(at[k]) / f64::from(n[k]) - 0.5);
            mesh.points.push(Vec3::new(along(0), along(1), along(2)));
            mesh.points.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..n[u] {
                for j in 0..n[v] {
                    let mut corner = |a: u32, b: u32| {
                        let mut at = [0; 3];
                        at[axis] = if far { n[axis] } else { 0 };
                        at[u] = a;
                        at[v] = b;
                        point(&mut mesh, at)
                    };
                    let [a, b, c, d] =
                        [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                    // Counter-clockwise in (u, v) faces along +axis. The diagonals alternate so that no
                    // direction is preferred.
                    let quad = if far { [a, b, c, d] } else { [a, d, c, b] };
                    push_quad(&mut mesh, quad, (i + j) % 2 == 1);
                }
            }
        }
    }
    mesh
}

/// Two triangles for a quad, along either diagonal.
pub(super) fn push_quad(mesh: &mut TriMesh, [a, b, c, d]: [u32; 4], other_diagonal: bool) {
    if other_diagonal {
        mesh.triangles.extend([[a, b, d], [b, c, d]]);
    } else {
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

/// A sphere: an icosahedron whose triangles are split in four `detail` times; all points lie on the sphere.
pub fn sphere_mesh(radius: f64, detail: u32) -> TriMesh {
    let mut mesh = icosahedron();
    for _ in 0..detail {
        let mut middle: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
        for &[a, b, c] in &mesh.triangles {
            let points = &mut mesh.points;
            let mut between = |a: u32, b: u32| {
                *middle.entry(sorted(a, b)).or_insert_with(|| {
                    points.push((points[a as usize] + points[b as usize]).normalize());
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        mesh.triangles = triangles;
    }
    mesh.map(|p| radius * p)
}

/// Unit icosahedron with poles on the y axis.
fn icosahedron() -> TriMesh {
    // Two rings of five at heights +-1/sqrt(5), half a turn of one side apart.
    let (height, ring) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    let mut points = vec![Vec3::Y];
    for (y, shift) in [(height, 0.0), (-height, 0.5)] {
        for k in 0..5 {
            let angle = TAU * (f64::from(k) + shift) / 5.0;
            points.push(Vec3::new(ring * portable::cos(angle), y, -ring * portable::sin(angle)));
        }
    }
    points.push(-Vec3::Y);
    let mut triangles = vec![];
    for k in 0..5 {
        let next = (k + 1) % 5;
        let (a, b, c, d) = (1 + k, 1 + next, 6 + k, 6 + next);
        triangles.extend([[0, a, b], [a, c, b], [b, c, d], [c, 11, d]]);
    }
    TriMesh { points, triangles, ..TriMesh::default() }
}

/// An ellipsoid with these semi-axes `[m]`; `detail` as for the sphere.
pub fn ellipsoid_mesh(axes: Vec3, detail: u32) -> TriMesh {
    sphere_mesh(1.0, detail).map(|p| axes * p)
}

/// A cylinder along y with round ends; `length` is the straight part `[m]`, `around` the points of a ring
/// (at least 8).
pub fn capsule_mesh(radius: f64, length: f64, around: u32) -> TriMesh {
    let around = around.max(8);
    let rings = around / 4;
    let mut profile = vec![];
    // From the bottom pole upwards, with the equator of each half sphere once.
    for half in [-1.0, 1.0] {
        for k in 0..rings {
            let step = if half < 0.0 { k + 1 } else { k };
            let angle = 0.5 * PI * (f64::from(step) / f64::from(rings) - if half < 0.0 { 1.0 } else { 0.0 });
            profile
                .push((radius * portable::cos(angle), half * 0.5 * length + radius * portable::sin(angle)));
        }
    }
    let pole = 0.5 * length + radius;
    revolve(&profile, -pole, pole, around)
}

/// A cylinder along y; `height` is the full height `[m]`, `around` the points of a rim (at least 8).
pub fn cylinder_mesh(radius: f64, height: f64, around: u32) -> TriMesh {
    let half = 0.5 * height;
    revolve(&[(radius, -half), (radius, half)], -half, half, around.max(8))
}

/// Turns a profile of (radius, height) around y, closed by a point at either end.
fn revolve(profile: &[(f64, f64)], bottom: f64, top: f64, around: u32) -> TriMesh {
    let mut mesh = TriMesh { points: vec![Vec3::new(0.0, bottom, 0.0)], ..TriMesh::default() };
    for &(r, y) in profile {
        for k in 0..around {
            let angle = TAU * f64::from(k) / f64::from(around);
            mesh.points.push(Vec3::new(r * portable::cos(angle), y, -r * portable::sin(angle)));
        }
    }
    mesh.points.push(Vec3::new(0.0, top, 0.0));
    let last = mesh.points.len() as u32 - 1;
    let rings = profile.len() as u32;
    for k in 0..around {
        let next = (k + 1) % around;
        let at = |ring: u32, k: u32| 1 + ring * around + k;
        mesh.triangles.push([0, at(0, next), at(0, k)]);
        for ring in 0..rings - 1 {
            let quad = [at(ring, k), at(ring, next), at(ring + 1, next), at(ring + 1, k)];
            push_quad(&mut mesh, quad, (k + ring) % 2 == 1);
        }
        mesh.triangles.push([last, at(rings - 1, k), at(rings - 1, next)]);
    }
    mesh
}

/// A ring around y: `major` to the middle of the tube, `minor` the tube's radius `[m]`, with `around` points along
/// the ring and `tube` around the tube (at least 3 each).
pub fn torus_mesh(major: f64, minor: f64, around: u32, tube: u32) -> TriMesh {
    let (around, tube) = (around.max(3), tube.max(3));
    let mut mesh = TriMesh::default();
    for i in 0..around {
        let angle = TAU * f64::from(i) / f64::from(around);
        for j in 0..tube {
            let turn = TAU * f64::from(j) / f64::from(tube);
            let r = major + minor * portable::cos(turn);
            mesh.points.push(Vec3::new(
                r * portable::cos(angle),
                minor * portable::sin(turn),
                -r * portable::sin(angle),
            ));
        }
    }
    for i in 0..around {
        for j in 0..tube {
            let at = |i: u32, j: u32| (i % around) * tube + j % tube;
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            push_quad(&mut mesh, quad, (i + j) % 2 == 1);
        }
    }
    mesh
}

/// A flight of stairs going down along +x. Tread `i` spans `x = i tread .. (i + 1) tread` at `y = -i rise`; `z` is
/// centred; the flat bottom lies one `rise` below the lowest tread. Zero steps are taken as one.
///
/// ```text
///  A0____B0
///   |    |____B1      every tread, riser, the back, the bottom: two triangles
///   |    A1   |____   each side: a fan from Q, which sees the whole profile
///   Q_____________P
/// ```
pub fn stairs_mesh(steps: u32, tread: f64, rise: f64, width: f64) -> TriMesh {
    let steps = steps.max(1);
    // The profile, clockwise in (x, y) seen from +z: Q, A0, B0, A1, B1, ..., P.
    let bottom = -f64::from(steps) * rise;
    let mut profile = vec![(0.0, bottom)];
    for i in 0..steps {
        let y = -f64::from(i) * rise;
        profile.extend([(f64::from(i) * tread, y), (f64::from(i + 1) * tread, y)]);
    }
    profile.push((f64::from(steps) * tread, bottom));
    let n = profile.len() as u32;
    let points = [0.5, -0.5]
        .iter()
        .flat_map(|side| profile.iter().map(move |&(x, y)| Vec3::new(x, y, side * width)))
        .collect();
    let mut mesh = TriMesh { points, ..TriMesh::default() };
    for k in 0..n {
        let next = (k + 1) % n;
        push_quad(&mut mesh, [k, next, n + next, n + k], false);
    }
    for k in 1..n - 1 {
        mesh.triangles.push([0, k + 1, k]);
        mesh.triangles.push([n, n + k, n + k + 1]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solid(mesh: &TriMesh, holes: i64) {
        assert_eq!(mesh.check_solid(), Ok(()));
        assert_eq!(mesh.euler(), 2 - 2 * holes);
    }

    #[test]
    fn a_box_of_3_3_5_cells_has_156_triangles() {
        let mesh = box_mesh(Vec3::new(1.0, 2.0, 3.0), [3, 3, 5]);
        assert_eq!(mesh.triangles.len(), 156);
        assert!((mesh.volume() - 6.0).abs() < 1e-14);
        solid(&mesh, 0);
        assert_eq!(box_mesh(Vec3::ONE, [1, 1, 1]).points.len(), 8);
    }

    #[test]
    fn sphere_points_lie_on_the_sphere_and_its_volume_converges() {
        let exact = 4.0 / 3.0 * PI * 8.0;
        let mut last = f64::MAX;
        for detail in 0..5 {
            let mesh = sphere_mesh(2.0, detail);
            assert_eq!(mesh.triangles.len(), 20 << (2 * detail));
            assert!(mesh.points.iter().all(|p| (p.length() - 2.0).abs() < 1e-14));
            let error = 1.0 - mesh.volume() / exact;
            assert!(error > 0.0 && error < 0.35 * last, "second order: {error}");
            last = error;
            solid(&mesh, 0);
        }
    }

    #[test]
    fn round_solids_are_closed_and_near_their_closed_forms() {
        let near = |mesh: &TriMesh, exact: f64| {
            let ratio = mesh.volume() / exact;
            assert!(ratio > 0.97 && ratio < 1.0, "{ratio}");
        };
        let e = ellipsoid_mesh(Vec3::new(1.0, 2.0, 0.5), 3);
        solid(&e, 0);
        near(&e, 4.0 / 3.0 * PI);
        let c = capsule_mesh(0.5, 2.0, 48);
        solid(&c, 0);
        near(&c, PI * 0.25 * 2.0 + 4.0 / 3.0 * PI * 0.125);
        let y = cylinder_mesh(0.5, 2.0, 48);
        solid(&y, 0);
        near(&y, PI * 0.25 * 2.0);
        let t = torus_mesh(1.0, 0.25, 64, 32);
        solid(&t, 1);
        near(&t, 2.0 * PI * PI * 0.0625);
    }

    #[test]
    fn stairs_are_one_clean_solid() {
        for steps in [1, 2, 7, 40] {
            let mesh = stairs_mesh(steps, 0.3, 0.2, 1.0);
            solid(&mesh, 0);
            let n = f64::from(steps);
            // Columns of height rise * (steps - i).
            let exact = 0.3 * 0.2 * n * (n + 1.0) / 2.0;
            assert!((mesh.volume() / exact - 1.0).abs() < 1e-13);
            let (low, high) = mesh.bounds();
            assert!((low - Vec3::new(0.0, -0.2 * n, -0.5)).length() < 1e-12);
            assert!((high - Vec3::new(0.3 * n, 0.0, 0.5)).length() < 1e-12);
            let up = (0..mesh.triangles.len()).filter(|&t| mesh.area_vector(t).normalize().y > 0.999).count();
            assert_eq!(up, 2 * steps as usize, "two triangles per tread");
        }
    }
}
