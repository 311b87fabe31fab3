//! Triangles between points of a round surface cut off some of what it encloses. Points give way outward by what makes up
//! for that, each along the edge of the cube on which it was found: wherever on its edge a point lies, triangles do not
//! cross each other, so the surface stays free of folds.

use crate::contact::{Surface, flat_volume};
use crate::math::Vec3;
use rayon::prelude::*;

/// No point moves by more than this share of an edge.
const MOST: f64 = 0.2;
/// And all keep this share away from its ends, as they did.
const MARGIN: f64 = 1e-4;
/// Edges that the surface crosses at a steeper slant than this are moved along as if it were this.
const SLANT: f64 = 0.2;
/// And no point makes up for more than so many times its own share.
const MORE: f64 = 2.0;

/// A surface whose triangles enclose what it does.
pub(super) struct Swollen {
    /// Where its points go.
    pub points: Vec<Vec3>,
    /// What it encloses, as its points and normals told before `[m^3]`.
    pub volume: f64,
}

/// Makes the triangles of a surface, made with cubes of an edge, enclose what the surface through its points and normals does.
/// Points that are not `free`, or were put elsewhere than on edges, stay where they are.
pub(super) fn swollen(surface: &Surface, edge: f64, free: impl Fn(Vec3) -> bool + Sync) -> Swollen {
    // For each point, what the triangles about it leave out, and their area.
    let mut about = vec![(0.0, 0.0); surface.points.len()];
    let (flat, mut missing) = (flat_volume(&surface.points, &surface.triangles), 0.0);
    for t in &surface.triangles {
        let [a, b, c] = t.map(|k| surface.points[k as usize]);
        let (left_out, area) = (surface.bulge_over(t), 0.5 * (b - a).cross(c - a).length());
        missing += left_out;
        for k in t {
            let at = &mut about[*k as usize];
            *at = (at.0 + left_out, at.1 + area);
        }
    }
    // How far each point is to move along its edge, as the slant of the surface asks for.
    let each = surface.points.par_iter().zip(&surface.normals).zip(about).with_min_len(256);
    let ways: Vec<f64> = each
        .map(|((p, normal), (left_out, area))| {
            let Some(axis) = axis(*p, edge).filter(|_| area > 0.0 && free(*p)) else { return 0.0 };
            let slant = normal[axis].signum() * normal[axis].abs().max(SLANT);
            left_out / area / slant
        })
        .collect();
    let moved = |share: f64| -> Vec<Vec3> {
        surface.points.iter().zip(&ways).map(|(p, way)| along_edge(*p, share * way, edge)).collect()
    };
    // Ends of edges hold some back; the others make up for it.
    let mut points = moved(1.0);
    let share = missing / (flat_volume(&points, &surface.triangles) - flat);
    if share > 1.0 {
        drop(points);
        points = moved(share.min(MORE));
    }
    Swollen { points, volume: flat + missing }
}

fn along_edge(mut p: Vec3, way: f64, edge: f64) -> Vec3 {
    if let Some(axis) = axis(p, edge).filter(|_| way != 0.0) {
        let from = (p[axis] / edge).floor();
        let to = p[axis] + way.clamp(-MOST * edge, MOST * edge);
        p[axis] = to.clamp((from + MARGIN) * edge, (from + 1.0 - MARGIN) * edge);
    }
    p
}

/// Along which axis the edge leads that a point lies on, if it does: the other two coordinates are those of corners.
fn axis(p: Vec3, edge: f64) -> Option<usize> {
    let is_corner = |d: usize| (p[d] / edge).round() * edge == p[d];
    let mut between = (0..3).filter(|d| !is_corner(*d));
    between.next().filter(|_| between.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clay::{Field, FieldShape, Unlimited, surface};
    use crate::shape::TriMesh;

    /// Triangles about one to three skeletons enclose what the field does, and are closed.
    #[test]
    fn swollen_triangles_enclose_what_the_field_does() {
        let e = 0.1;
        for x in [
            vec![Vec3::new(0.013, 0.2, -0.7)],
            vec![Vec3::ZERO, Vec3::X * 0.11],
            vec![Vec3::ZERO, Vec3::X * 0.1, Vec3::new(0.06, 0.09, 0.02)],
        ] {
            let field = Field::new(FieldShape::Cubic, &x, &vec![e; x.len()]);
            let exact = surface(&field, e / 20.0, &Unlimited).volume();
            for cubes in [2.5, 4.0] {
                let edge = e / cubes;
                let mut s = surface(&field, edge, &Unlimited);
                let before = s.flat_volume() / exact - 1.0;
                s.points = swollen(&s, edge, |_| true).points;
                let after = s.flat_volume() / exact - 1.0;
                let mesh = TriMesh {
                    points: s.points.clone(),
                    triangles: s.triangles.clone(),
                    ..TriMesh::default()
                };
                mesh.check_solid().unwrap();
                assert!(after.abs() < 5e-3 && after.abs() < 0.25 * before.abs(), "{cubes}: {before} {after}");
            }
        }
    }
}
