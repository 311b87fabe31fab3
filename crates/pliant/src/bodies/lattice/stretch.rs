//! How close points of a lattice body can have come to each other: a proof that it does not touch itself.
//!
//! If the deformation gradient of a convex body differs from one matrix `G` by at most `e` everywhere, then along the straight
//! line between two points of the rest shape `|x - y| >= (s - e) |X - Y|`, where `s` is the least stretch of `G`. The skin of a
//! box is the surface of its cells cut into tetrahedra along alternating diagonals, with the gradient linear in each:
//! its columns then are edges of the lattice, one along each axis, over their lengths at rest. So edges are all that has to be
//! looked at.

use super::grid::Grid;
use super::law::larger;
use crate::math::{Mat3, Vec3, symmetric_eigen3};

/// A bound below for the distance of two points of a box's skin over that at rest, with the nodes at `x`; none if it is not
/// above 0.
pub fn least_stretch(grid: &Grid, x: &[Vec3]) -> Option<f64> {
    let nodes = grid.counts.map(|n| n + 1);
    // By how much the number of a node grows along each axis.
    let ahead = [nodes[1] * nodes[2], nodes[2], 1];
    // Edges one behind the other add up to the way from the first node to the last.
    let mean = |d: usize| {
        let (a, b) = ((d + 1) % 3, (d + 2) % 3);
        let mut sum = Vec3::ZERO;
        for i in 0..nodes[a] {
            for j in 0..nodes[b] {
                let from = i * ahead[a] + j * ahead[b];
                sum += x[from + grid.counts[d] * ahead[d]] - x[from];
            }
        }
        sum / ((nodes[a] * nodes[b] * grid.counts[d]) as f64 * grid.cell.size[d])
    };
    let g = [mean(0), mean(1), mean(2)];
    // Square of what the edge from each node along an axis is off; behind the last node of a row stand numbers that nobody asks for.
    let off = [0, 1, 2].map(|d| -> Vec<f64> {
        let (per, g) = (1.0 / grid.cell.size[d], g[d]);
        x.iter().zip(&x[ahead[d]..]).map(|(p, q)| ((*q - *p) * per - g).length_squared()).collect()
    });
    let mut most = 0.0;
    for i in 0..grid.counts[0] {
        for j in 0..grid.counts[1] {
            let row = i * ahead[0] + j * ahead[1];
            // Edges along an axis start at the four corners of a face across it.
            let four = |d: usize| {
                let (a, b) = (ahead[(d + 1) % 3], ahead[(d + 2) % 3]);
                [0, a, b, a + b].map(|more| &off[d][row + more..][..grid.counts[2]])
            };
            let sides = [four(0), four(1), four(2)];
            for k in 0..grid.counts[2] {
                let along = |s: &[&[f64]; 4]| larger(larger(s[0][k], s[1][k]), larger(s[2][k], s[3][k]));
                most = larger(most, along(&sides[0]) + along(&sides[1]) + along(&sides[2]));
            }
        }
    }
    let matrix = Mat3::from_cols(g[0], g[1], g[2]);
    let (squares, _) = symmetric_eigen3(&(matrix.transpose() * matrix));
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
