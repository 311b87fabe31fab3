//! Frames along a curve: which way is across it and which way is up.

use crate::math::Vec3;
use crate::math::portable;
use std::f64::consts::TAU;

/// Part of its size by which a curve may leave a plane or a line and still count as lying in it.
const FLATNESS: f64 = 1e-9;

/// Directions at a node: `across` lies in the plane of a plane curve, `up` along its normal. With the tangent they are
/// right-handed: `tangent x across = up`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub across: Vec3,
    pub up: Vec3,
}

/// A frame at each node of a curve that twists as little as it can.
pub(super) fn frames(nodes: &[Vec3], closed: bool) -> Vec<Frame> {
    let tangents = tangents(nodes, closed);
    if let Some(up) = plane_normal(nodes) {
        return tangents.iter().map(|t| frame(up.cross(*t), up, *t)).collect();
    }
    let mut up = vec![first_up(&tangents)];
    for i in 1..nodes.len() {
        up.push(carried(nodes[i - 1], tangents[i - 1], nodes[i], tangents[i], up[i - 1]));
    }
    if closed && let (Some(&first), Some(&last)) = (up.first(), up.last()) {
        let n = nodes.len();
        let back = carried(nodes[n - 1], tangents[n - 1], nodes[0], tangents[0], last);
        let twist = portable::atan2(back.cross(first).dot(tangents[0]), back.dot(first));
        // What is left over after one round is spread along the whole curve, half a turn at most.
        for (i, up) in up.iter_mut().enumerate() {
            *up = portable::rotation_by(tangents[i] * (twist * i as f64 / n as f64)) * *up;
        }
    }
    up.iter().zip(&tangents).map(|(up, t)| frame(up.cross(*t), *up, *t)).collect()
}

/// Whether the nodes lie on one line.
pub(super) fn is_straight(nodes: &[Vec3]) -> bool {
    let (Some(&first), Some(&last)) = (nodes.first(), nodes.last()) else { return true };
    let Some(along) = (last - first).try_normalize() else { return false };
    nodes.iter().all(|p| (*p - first).reject_from(along).length() <= FLATNESS * first.distance(last))
}

fn frame(across: Vec3, up: Vec3, tangent: Vec3) -> Frame {
    Frame { across: across.try_normalize().unwrap_or_else(|| tangent.any_orthonormal_vector()), up }
}

/// Unit tangents: halfway between the directions before and after each node.
fn tangents(nodes: &[Vec3], closed: bool) -> Vec<Vec3> {
    let n = nodes.len();
    let step = |i: usize| (nodes[(i + 1) % n] - nodes[i]).normalize_or_zero();
    (0..n)
        .map(|i| {
            let after = if closed || i + 1 < n { step(i) } else { Vec3::ZERO };
            let before = if closed || i > 0 { step((i + n - 1) % n) } else { Vec3::ZERO };
            // Where the curve turns back on itself there is none; any will do, for the surface crosses itself there.
            (before + after).try_normalize().or(after.try_normalize()).unwrap_or(Vec3::X)
        })
        .collect()
}

/// Normal of the plane of a plane curve; for a straight one, an axis across it, preferably z.
fn plane_normal(nodes: &[Vec3]) -> Option<Vec3> {
    let first = *nodes.first()?;
    // Exactly in a coordinate plane: then the frame must be exact too.
    for axis in [Vec3::Z, Vec3::Y, Vec3::X] {
        if nodes.iter().all(|p| p.dot(axis) == first.dot(axis)) {
            return Some(axis);
        }
    }
    let longer = |a: Vec3, b: Vec3| if b.length_squared() > a.length_squared() { b } else { a };
    let long = nodes.iter().map(|p| *p - first).fold(Vec3::ZERO, longer);
    let size = long.length();
    let side = nodes.iter().map(|p| long.cross(*p - first)).fold(Vec3::ZERO, longer);
    if side.length() <= FLATNESS * size * size {
        let along = long.normalize_or_zero();
        let axis = if along.z.abs() < 0.9 { Vec3::Z } else { Vec3::Y };
        return (axis - axis.dot(along) * along).try_normalize();
    }
    let normal = side.normalize();
    // The same plane has the same normal, whichever way the curve runs.
    let largest = normal.abs().max_position();
    let normal = if normal[largest] < 0.0 { -normal } else { normal };
    nodes.iter().all(|p| (*p - first).dot(normal).abs() <= FLATNESS * size).then_some(normal)
}

/// Normal of the plane in which the curve begins.
fn first_up(tangents: &[Vec3]) -> Vec3 {
    let bend = tangents.windows(2).map(|t| t[0].cross(t[1])).find(|b| b.length() > 1e-6);
    let up = bend.unwrap_or(Vec3::Z);
    let Some(&tangent) = tangents.first() else { return Vec3::Z };
    up.reject_from_normalized(tangent).try_normalize().unwrap_or_else(|| tangent.any_orthonormal_vector())
}

/// Carries a direction across the curve from one node to the next without twist.
fn carried(from: Vec3, tangent: Vec3, to: Vec3, next_tangent: Vec3, direction: Vec3) -> Vec3 {
    let reflect = |v: Vec3, along: Vec3| match along.length_squared() {
        square if square > 0.0 => v - (2.0 * along.dot(v) / square) * along,
        _ => v,
    };
    // [WJZL08] Table I: a reflection in the plane halfway between the nodes, then one that makes the tangents agree.
    let step = to - from;
    let (left, tangent) = (reflect(direction, step), reflect(tangent, step));
    let there = reflect(left, next_tangent - tangent);
    there.reject_from_normalized(next_tangent).try_normalize().unwrap_or(direction)
}

/// Corners of a regular polygon with a corner at (1, 0), counter-clockwise.
pub(super) fn polygon(count: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..count).map(move |k| {
        let (sin, cos) = portable::sin_cos(TAU * k as f64 / count as f64);
        (cos, sin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn knot(count: usize) -> Vec<Vec3> {
        (0..count)
            .map(|i| {
                let a = TAU * i as f64 / count as f64;
                let r = 2.0 + (3.0 * a).cos();
                Vec3::new(r * (2.0 * a).cos(), r * (2.0 * a).sin(), (3.0 * a).sin())
            })
            .collect()
    }

    #[test]
    fn frames_of_a_plane_curve_stay_in_its_plane_exactly() {
        let nodes: Vec<Vec3> = polygon(37).map(|(x, y)| Vec3::new(x, 0.5 * y + x * x, 0.3)).collect();
        assert!(frames(&nodes, true).iter().all(|f| f.up == Vec3::Z && f.across.z == 0.0));
        let line = [Vec3::ZERO, Vec3::X, 3.0 * Vec3::X];
        assert!(frames(&line, false).iter().all(|f| f.up == Vec3::Z && f.across == Vec3::Y));
        let turn = Quat::from_rotation_y(0.4) * Quat::from_rotation_x(1.0);
        let tilted: Vec<Vec3> = nodes.iter().map(|p| turn * *p).collect();
        let normal = turn * Vec3::Z;
        assert!(frames(&tilted, true).iter().all(|f| f.up.cross(normal).length() < 1e-7));
    }

    #[test]
    fn frames_of_a_knot_are_square_and_close_without_a_jump() {
        let nodes = knot(120);
        let all = frames(&nodes, true);
        let t = tangents(&nodes, true);
        for i in 0..nodes.len() {
            let f = all[i];
            assert!((f.up.length() - 1.0).abs() < 1e-12 && (f.across.length() - 1.0).abs() < 1e-12);
            assert!(f.up.dot(t[i]).abs() < 1e-12 && f.across.dot(t[i]).abs() < 1e-12);
            assert!((t[i].cross(f.across) - f.up).length() < 1e-12, "right-handed");
            let next = all[(i + 1) % nodes.len()];
            assert!(f.up.dot(next.up) > 0.97, "no jump from node {i}: {}", f.up.dot(next.up));
        }
    }
}
