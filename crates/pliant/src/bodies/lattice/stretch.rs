//! How close points of a lattice body can have come to each other: a proof that it does not touch itself.
//!
//! If the deformation gradient of a convex body differs from one matrix `G` by at most `e` everywhere, then along the straight
//! line between two points of the rest shape `|x - y| >= (s - e) |X - Y|`, where `s` is the least stretch of `G`. The skin of a
//! box is the surface of its cells cut into tetrahedra along alternating diagonals, with the gradient linear in each:
//! its columns then are edges of the lattice, one along each axis, over their lengths at rest. So edges are all that has to be
//! looked at.

use super::grid::Grid;
use crate::math::{Mat3, Vec3, symmetric_eigen3};

/// A bound below for the distance of two points of a box's skin over that at rest, with the nodes at `x`; none if it is not
/// above 0.
pub fn least_stretch(grid: &Grid, x: &[Vec3]) -> Option<f64> {
    let per = Vec3::from_array(grid.cell.size).recip();
    // Edges of a cell along an axis: the four from corners that lie at its beginning.
    let edge = |cell: &[u32; 8], d: usize, k: usize| {
        let from = [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]][d][k];
        (x[cell[from | 1 << d] as usize] - x[cell[from] as usize]) * per[d]
    };
    let mean = |d: usize| {
        let all = grid.cells.iter().flat_map(|cell| (0..4).map(move |k| edge(cell, d, k)));
        all.sum::<Vec3>() / (4 * grid.cells.len()) as f64
    };
    let g = [mean(0), mean(1), mean(2)];
    let off = |cell: &[u32; 8]| -> f64 {
        let along = |d: usize| (0..4).map(|k| (edge(cell, d, k) - g[d]).length_squared()).fold(0.0, f64::max);
        along(0) + along(1) + along(2)
    };
    let matrix = Mat3::from_cols(g[0], g[1], g[2]);
    let (squares, _) = symmetric_eigen3(&(matrix.transpose() * matrix));
    let most = grid.cells.iter().map(off).fold(0.0, f64::max);
    let least = squares.min_element().max(0.0).sqrt() - most.sqrt();
    (least > 0.0).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::box_mesh;

    /// Bends a bar into an arc: no two points of its skin come closer than the bound says, and the bound is not idle.
    #[test]
    fn no_points_of_a_bent_bar_are_closer_than_the_bound() {
        let (size, counts) = (Vec3::new(0.4, 0.1, 0.2), [8, 2, 4]);
        let grid = Grid::of_box(size, counts);
        let mut bound_above_half = false;
        for angle in [0.0, 0.2, 0.5, 0.8, 3.0] {
            let bend = |p: &Vec3| {
                if angle == 0.0 {
                    return *p;
                }
                let r = size.x / angle;
                let (s, c) = (p.x / r).sin_cos();
                Vec3::new((r - p.y) * s, r - (r - p.y) * c, p.z)
            };
            let bent: Vec<Vec3> = grid.nodes.iter().map(bend).collect();
            let Some(least) = least_stretch(&grid, &bent) else {
                assert!(angle > 0.8, "nothing is proven of a bend by {angle}");
                continue;
            };
            bound_above_half |= least > 0.5;
            let mesh = box_mesh(size, counts.map(|n| n as u32));
            let middles = |points: &[Vec3]| -> Vec<Vec3> {
                let of = |t: &[u32; 3]| t.iter().map(|i| points[*i as usize]).sum::<Vec3>() / 3.0;
                points.iter().copied().chain(mesh.triangles.iter().map(of)).collect()
            };
            let now: Vec<Vec3> = mesh.points.iter().map(bend).collect();
            let (rest, now) = (middles(&mesh.points), middles(&now));
            for i in 0..rest.len() {
                for j in 0..i {
                    let (before, after) = (rest[i].distance(rest[j]), now[i].distance(now[j]));
                    assert!(after >= least * before * (1.0 - 1e-12), "{angle}: {before} became {after}");
                }
            }
        }
        assert!(bound_above_half);
    }
}
