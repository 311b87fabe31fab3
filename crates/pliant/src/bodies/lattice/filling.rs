//! How a closed mesh fills the cells of a grid: exact integrals, from its triangles.
//!
//! What lies inside is what lies below triangles that look upwards, along x, less what lies below those that look downwards.
//! Each triangle is cut along the faces of the cells. A piece fills the cell that it lies in up to itself, and the ones below
//! over their whole length.

use super::part::Moments;
use crate::math::Vec3;
use crate::shape::TriMesh;
use smallvec::SmallVec;

/// Corners of a piece of a triangle, in cells from where the grid begins.
type Piece = SmallVec<[Vec3; 10]>;

/// Integrals `1 y z yz yy zz` over the projection of pieces along x.
type Shade = [f64; 6];

/// Moments of every cell of a grid, numbered with z fastest. Coordinates are `(p - origin)/size`.
pub fn filling(mesh: &TriMesh, origin: Vec3, size: [f64; 3], counts: [usize; 3]) -> Vec<Moments> {
    let [rows, columns] = [counts[1], counts[2]];
    let mut moments = vec![Moments::default(); counts.iter().product()];
    let mut shades = vec![Shade::default(); (counts[0] + 1) * rows * columns];
    let most = Vec3::from_array(counts.map(|n| n as f64));
    let inside = |p: Vec3| ((p - origin) / Vec3::from_array(size)).clamp(Vec3::ZERO, most);
    for t in 0..mesh.triangles.len() {
        let whole: Piece = mesh.corners(t).map(inside).into_iter().collect();
        for j in layers(&whole, 1, rows - 1) {
            let slice = between(&whole, 1, j);
            for k in layers(&slice, 2, columns - 1) {
                let column = between(&slice, 2, k);
                for i in layers(&column, 0, counts[0]) {
                    let piece = between(&column, 0, i);
                    let at = (i * rows + j) * columns + k;
                    let middle = Vec3::new(i as f64, j as f64, k as f64) + Vec3::splat(0.5);
                    add(&piece, middle, moments.get_mut(at), &mut shades[at]);
                }
            }
        }
    }
    // From above.
    let layer = rows * columns;
    for at in (0..moments.len()).rev() {
        let above = shades[at + layer];
        if at >= layer {
            shades[at].iter_mut().zip(above).for_each(|(s, a)| *s += a);
        }
        let [one, y, z, yz, yy, zz] = above;
        let below = [one, 0.0, y, z, yz, 0.0, 0.0, one / 3.0, yy, zz];
        moments[at].iter_mut().zip(below).for_each(|(m, b)| *m += b);
    }
    moments
}

/// Layers of cells along an axis in which a piece lies, the first of which is at most `last`.
fn layers(piece: &Piece, axis: usize, last: usize) -> std::ops::Range<usize> {
    let low = piece.iter().fold(f64::INFINITY, |a, p| a.min(p[axis]));
    let high = piece.iter().fold(0.0f64, |a, p| a.max(p[axis]));
    if piece.len() < 3 {
        return 0..0;
    }
    let first = (low as usize).min(last);
    first..(high.ceil() as usize).clamp(first + 1, last + 1)
}

/// What of a piece lies between two neighbouring faces.
fn between(piece: &Piece, axis: usize, layer: usize) -> Piece {
    let low = layer as f64;
    clipped(&clipped(piece, |p| p[axis] - low), |p| low + 1.0 - p[axis])
}

/// What of a convex piece lies where `side` is not negative.
fn clipped(piece: &Piece, side: impl Fn(Vec3) -> f64) -> Piece {
    if piece.iter().all(|p| side(*p) >= 0.0) {
        return piece.clone();
    }
    let mut out = Piece::new();
    for (n, p) in piece.iter().enumerate() {
        let q = piece[(n + 1) % piece.len()];
        let (a, b) = (side(*p), side(q));
        if a >= 0.0 {
            out.push(*p);
        }
        if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
            out.push(*p + (q - *p) * (a / (a - b)));
        }
    }
    out
}

/// Adds what lies below a piece in its cell, if it lies in one, and the shade of the piece.
fn add(piece: &Piece, middle: Vec3, cell: Option<&mut Moments>, shade: &mut Shade) {
    let Some((first, others)) = piece.split_first() else { return };
    let mut below = Moments::default();
    for pair in others.windows(2) {
        let (a, b, c) = (*first, pair[0], pair[1]);
        let area = 0.5 * ((b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y));
        // Exact for cubic functions, which is what integrals of squares along x are.
        let points = [a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0];
        let weights = [0.05, 0.05, 0.05, 2.0 / 15.0, 2.0 / 15.0, 2.0 / 15.0, 0.45];
        for (p, w) in points.into_iter().zip(weights) {
            let [x, y, z] = (2.0 * (p - middle)).to_array();
            let w = w * area;
            for (sum, of) in shade.iter_mut().zip([1.0, y, z, y * z, y * y, z * z]) {
                *sum += w * of;
            }
            // Integrals of 1, x and xx from -1 up to here.
            let (one, first, second) = (0.5 * (x + 1.0), 0.25 * (x * x - 1.0), (x * x * x + 1.0) / 6.0);
            let of = [
                one,
                first,
                one * y,
                one * z,
                one * y * z,
                first * z,
                first * y,
                second,
                one * y * y,
                one * z * z,
            ];
            below.iter_mut().zip(of).for_each(|(sum, of)| *sum += w * of);
        }
    }
    if let Some(cell) = cell {
        cell.iter_mut().zip(below).for_each(|(sum, b)| *sum += b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::shape::{box_mesh, sphere_mesh};

    /// Integrals over a mesh as a whole, cell by cell: those of the cells moved to one origin are those of the closed form.
    #[test]
    fn cells_add_up_to_the_volume_and_inertia_of_a_turned_box() {
        let size = Vec3::new(0.4, 0.13, 0.21);
        let turn = Quat::from_scaled_axis(Vec3::new(0.4, -0.7, 0.3));
        let mut mesh = box_mesh(size, [2, 1, 3]);
        mesh.points.iter_mut().for_each(|p| *p = turn * *p);
        let (low, high) = mesh.bounds();
        for counts in [[1, 1, 1], [5, 3, 4], [7, 11, 2]] {
            let cell = Vec3::from_array(std::array::from_fn(|d| (high - low)[d] / counts[d] as f64));
            let all = filling(&mesh, low, cell.to_array(), counts);
            let (mut volume, mut first, mut square) = (0.0, Vec3::ZERO, [0.0; 6]);
            for (n, m) in all.iter().enumerate() {
                assert!(m[0] > -1e-12 && m[0] < 1.0 + 1e-12, "{counts:?}: {}", m[0]);
                let at = [n / counts[2] / counts[1], n / counts[2] % counts[1], n % counts[2]];
                let middle: Vec3 =
                    low + Vec3::from_array(std::array::from_fn(|d| (at[d] as f64 + 0.5) * cell[d]));
                let (v, h) = (cell.x * cell.y * cell.z, 0.5 * cell);
                let linear = Vec3::new(m[1], m[2], m[3]) * h;
                let own = [
                    m[7] * h.x * h.x,
                    m[8] * h.y * h.y,
                    m[9] * h.z * h.z,
                    m[4] * h.y * h.z,
                    m[5] * h.x * h.z,
                    m[6] * h.x * h.y,
                ];
                volume += v * m[0];
                first += (middle * m[0] + linear) * v;
                for (e, (i, j)) in [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
                    square[e] += v
                        * (own[e]
                            + middle[i] * linear[j]
                            + middle[j] * linear[i]
                            + m[0] * middle[i] * middle[j]);
                }
            }
            let known = size.x * size.y * size.z;
            assert!((volume / known - 1.0).abs() < 1e-12, "{volume} {known}");
            assert!(first.length() < 1e-14, "{first}");
            // Of the box about its own axes, turned.
            let axes = Vec3::AXES.map(|a| turn * a);
            for (e, (i, j)) in [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
                let expected: f64 =
                    (0..3).map(|d| known * size[d] * size[d] / 12.0 * axes[d][i] * axes[d][j]).sum();
                assert!((square[e] - expected).abs() < 1e-15, "{counts:?} {e}: {} {expected}", square[e]);
            }
        }
    }

    /// Inner cells of a ball are full, to round-off, and the rest is what the mesh says.
    #[test]
    fn a_ball_fills_its_inner_cells() {
        let mesh = sphere_mesh(0.5, 3);
        let (low, high) = mesh.bounds();
        let counts = [9, 9, 9];
        let size = ((high - low) / 9.0).to_array();
        let all = filling(&mesh, low, size, counts);
        let middle = &all[(4 * 9 + 4) * 9 + 4];
        let full = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
        assert!(middle.iter().zip(full).all(|(m, f)| (m - f).abs() < 1e-12), "{middle:?}");
        let volume: f64 = all.iter().map(|m| m[0] * size[0] * size[1] * size[2]).sum();
        assert!((volume / mesh.volume() - 1.0).abs() < 1e-12);
    }
}
