//! Distance between triangles that do not intersect.

use super::predicates::Triangle;
use pliant::math::Vec3;

/// Squared distance of two triangles. The nearest points of triangles apart lie on an edge of each, or on a corner
/// of one and inside the other.
pub(super) fn triangles_squared(s: &Triangle, t: &Triangle) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..3 {
        for j in 0..3 {
            least = least.min(segments_squared([s[i], s[(i + 1) % 3]], [t[j], t[(j + 1) % 3]]));
        }
        least = least.min(point_over_squared(s[i], t)).min(point_over_squared(t[i], s));
    }
    least
}

/// Squared distance of a point from a triangle's plane if it projects into the triangle; infinite otherwise.
fn point_over_squared(p: Vec3, t: &Triangle) -> f64 {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let inside = (0..3).all(|i| (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(normal) >= 0.0);
    let area = normal.length_squared();
    if inside && area > 0.0 { (p - t[0]).dot(normal).powi(2) / area } else { f64::INFINITY }
}

fn segments_squared([p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> f64 {
    let ends = point_segment_squared(p, [a, b])
        .min(point_segment_squared(q, [a, b]))
        .min(point_segment_squared(a, [p, q]))
        .min(point_segment_squared(b, [p, q]));
    // Both nearest points inside: where the two lines are nearest.
    let (u, v, w) = (q - p, b - a, p - a);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let scale = uu * vv - uv * uv;
    let (s, t) = ((uv * vw - vv * uw) / scale, (uu * vw - uv * uw) / scale);
    if scale > 0.0 && (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ends.min((w + s * u - t * v).length_squared())
    } else {
        ends
    }
}

fn point_segment_squared(p: Vec3, [a, b]: [Vec3; 2]) -> f64 {
    let d = b - a;
    let length = d.length_squared();
    let s = if length > 0.0 { ((p - a).dot(d) / length).clamp(0.0, 1.0) } else { 0.0 };
    (p - a - s * d).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];

    fn distance(t: [[f64; 3]; 3]) -> f64 {
        let t = t.map(Vec3::from);
        let [one, other] = [triangles_squared(&FLAT, &t), triangles_squared(&t, &FLAT)];
        assert!((one - other).abs() < 1e-15);
        one.sqrt()
    }

    #[test]
    fn known_distances() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(distance([[0.2, 0.2, 0.5], [1.0, 0.2, 2.0], [0.2, 1.0, 2.0]]), 0.5); // corner over face
        close(distance([[0.5, -1.0, 0.25], [0.5, 1.0, 0.25], [0.5, 0.0, 9.0]]), 0.25); // edge over edge
        close(distance([[4.0, 0.0, 4.0], [5.0, 0.0, 4.0], [5.0, 0.0, 9.0]]), 5.0); // corner to corner
        close(distance([[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]), 2.0); // parallel
        close(distance([[0.1, 0.1, 3.0], [0.1, 0.1, 3.0], [0.1, 0.1, 3.0]]), 3.0); // a point
    }
}
