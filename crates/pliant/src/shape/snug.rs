//! A small box around a mesh, however it is turned.

use super::TriMesh;
use super::moments::mass_properties;
use crate::math::{Mat3, Quat, Vec3, cayley, symmetric_eigen3};

/// A box that is turned must be so much smaller than the plain one, or it is not worth it.
const WORTH: f64 = 0.9;
/// Angles by which boxes are turned to find smaller ones, first and last.
const FIRST: f64 = 0.4;
const LAST: f64 = 1e-12;
/// Of meshes with more points than this only the principal axes are looked at.
const MANY: usize = 3000;

/// Axes, as columns, of a box around a closed mesh that is as small as turning it little by little makes it; the plain ones
/// unless it is much smaller than theirs.
pub fn snug_axes(mesh: &TriMesh) -> Mat3 {
    let plain = volume(mesh, Quat::IDENTITY);
    let (_, axes) = symmetric_eigen3(&mass_properties(mesh).inertia);
    let principal = Quat::from_mat3(&if axes.determinant() < 0.0 {
        Mat3::from_cols(axes.x_axis, axes.y_axis, -axes.z_axis)
    } else {
        axes
    });
    let found = [Quat::IDENTITY, principal.normalize()].map(|start| {
        let at = (volume(mesh, start), start);
        if mesh.points.len() > MANY { at } else { descend(mesh, at) }
    });
    let (best, turn) = if found[1].0 < found[0].0 { found[1] } else { found[0] };
    if best < WORTH * plain { nearest_to_plain(Mat3::from_quat(turn)) } else { Mat3::IDENTITY }
}

/// Volume of the box around a mesh with axes turned so.
fn volume(mesh: &TriMesh, turn: Quat) -> f64 {
    let back = Mat3::from_quat(turn).transpose();
    let (low, high) = mesh.points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| {
        let p = back * *p;
        (low.min(p), high.max(p))
    });
    let size = high - low;
    size.x * size.y * size.z
}

/// Turns a box as long as it becomes smaller, by less and less.
fn descend(mesh: &TriMesh, (mut least, mut turn): (f64, Quat)) -> (f64, Quat) {
    let mut angle = FIRST;
    while angle > LAST {
        let ways = (0..27)
            .filter(|n| *n != 13)
            .map(|n| Vec3::new(f64::from(n % 3), f64::from(n / 3 % 3), f64::from(n / 9)));
        let tried = ways.map(|way| {
            let other = (turn * cayley(angle * (way - Vec3::ONE))).normalize();
            (volume(mesh, other), other)
        });
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        match best.filter(|(volume, _)| *volume < least) {
            Some(better) => (least, turn) = better,
            None => angle *= 0.5,
        }
    }
    (least, turn)
}

/// The same axes in the order and with the signs in which they are nearest to the plain ones.
fn nearest_to_plain(axes: Mat3) -> Mat3 {
    let all = [axes.x_axis, axes.y_axis, axes.z_axis];
    let order = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        .into_iter()
        .max_by(|a, b| {
            let along = |o: &[usize; 3]| (0..3).map(|d| all[o[d]][d].abs()).sum::<f64>();
            along(a).total_cmp(&along(b))
        })
        .unwrap_or([0, 1, 2]);
    let [x, y, _] = [0, 1, 2].map(|d| all[order[d]] * if all[order[d]][d] < 0.0 { -1.0 } else { 1.0 });
    Mat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::super::{box_mesh, cylinder_mesh, sphere_mesh};
    use super::*;

    #[test]
    fn a_turned_box_is_found_and_what_stands_straight_is_left_alone() {
        let size = Vec3::new(0.7, 0.2, 0.2);
        for turn in
            [[0.5, 0.2, 0.4], [0.0, 0.0, 0.5], [-1.1, 0.7, 2.0]].map(|v| Quat::from_scaled_axis(v.into()))
        {
            let mesh = box_mesh(size, [3, 1, 1]).map(|p| turn * p);
            let axes = snug_axes(&mesh);
            let (low, high) = mesh.map(|p| axes.transpose() * p).bounds();
            let mut found = (high - low).to_array();
            found.sort_by(f64::total_cmp);
            assert!((found[2] - 0.7).abs() < 1e-10 && (found[0] - 0.2).abs() < 1e-10, "{found:?}");
            assert!((axes.determinant() - 1.0).abs() < 1e-12 && axes.x_axis.x > 0.0 && axes.y_axis.y > 0.0);
        }
        for mesh in [box_mesh(size, [1, 1, 1]), sphere_mesh(0.3, 2), cylinder_mesh(0.1, 0.8, 24)] {
            assert_eq!(snug_axes(&mesh), Mat3::IDENTITY);
        }
    }
}
