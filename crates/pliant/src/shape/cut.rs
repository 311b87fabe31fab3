//! Cutting triangles by planes and segments by points, with a tolerance.

use crate::math::Vec3;

/// Whether two boxes, given by their smallest and largest coordinates, have a point in common.
pub fn overlap(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> bool {
    a.0.cmple(b.1).all() && a.1.cmpge(b.0).all()
}

/// Where a triangle meets a plane: nothing, a segment, or (lying in it) its three edges.
pub fn section(q: [Vec3; 3], origin: Vec3, normal: Vec3, tolerance: f64) -> Vec<[Vec3; 2]> {
    let height = q.map(|p| {
        let h = normal.dot(p - origin);
        if h.abs() <= tolerance { 0.0 } else { h }
    });
    if height == [0.0; 3] {
        return vec![[q[0], q[1]], [q[1], q[2]], [q[2], q[0]]];
    }
    let mut ends: Vec<Vec3> = vec![];
    for k in 0..3 {
        let next = (k + 1) % 3;
        if height[k] == 0.0 {
            ends.push(q[k]);
        } else if height[k] * height[next] < 0.0 {
            // From the lower to the higher end, so that both triangles at this edge compute the same bits.
            let (low, high) = if height[k] < 0.0 { (k, next) } else { (next, k) };
            ends.push(q[low].lerp(q[high], height[low] / (height[low] - height[high])));
        }
    }
    if let [a, b] = ends[..] { vec![[a, b]] } else { vec![] }
}

/// The part of a segment inside a triangle of the same plane, with tolerance at the edges.
pub fn clip(
    mut a: Vec3,
    mut b: Vec3,
    corners: [Vec3; 3],
    normal: Vec3,
    tolerance: f64,
) -> Option<(Vec3, Vec3)> {
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let inward = normal.cross(q - p).normalize_or_zero();
        let (da, db) = (inward.dot(a - p), inward.dot(b - p));
        match (da < -tolerance, db < -tolerance) {
            (true, true) => return None,
            (true, false) if db <= 0.0 => a = b,
            (true, false) => a = b.lerp(a, db / (db - da)),
            (false, true) if da <= 0.0 => b = a,
            (false, true) => b = a.lerp(b, da / (da - db)),
            (false, false) => {}
        }
    }
    Some((a, b))
}

/// Where two segments in one plane cross; nothing if they do not or are parallel.
pub fn crossing(a: Vec3, b: Vec3, c: Vec3, d: Vec3, normal: Vec3) -> Option<Vec3> {
    let (u, v, w) = (b - a, d - c, c - a);
    let across = u.cross(v).dot(normal);
    if across.abs() <= 1e-12 * u.length() * v.length() {
        return None;
    }
    let (s, t) = (w.cross(v).dot(normal) / across, w.cross(u).dot(normal) / across);
    let inside = |x: f64| (0.0..=1.0).contains(&x);
    (inside(s) && inside(t)).then(|| a + s * u)
}

/// Points sorted along x, to find those near a segment.
pub struct SortedPoints<'a> {
    points: &'a [Vec3],
    by_x: Vec<u32>,
}

impl<'a> SortedPoints<'a> {
    /// Sorts the points.
    pub fn new(points: &'a [Vec3]) -> Self {
        let mut by_x: Vec<u32> = (0..points.len() as u32).collect();
        by_x.sort_by(|&i, &j| points[i as usize].x.total_cmp(&points[j as usize].x));
        SortedPoints { points, by_x }
    }

    /// Splits segments at every point within `tolerance` of them; drops doubles.
    pub fn split(&self, lines: &[[u32; 2]], tolerance: f64) -> Vec<[u32; 2]> {
        let mut out: Vec<[u32; 2]> = vec![];
        for &[i, j] in lines {
            let (a, b) = (self.points[i as usize], self.points[j as usize]);
            let (low, high) = (a.min(b) - tolerance, a.max(b) + tolerance);
            let along = b - a;
            let begin = self.by_x.partition_point(|&p| self.points[p as usize].x < low.x);
            let mut on: Vec<(f64, u32)> = vec![(0.0, i), (1.0, j)];
            for &k in self.by_x[begin..].iter().take_while(|&&p| self.points[p as usize].x <= high.x) {
                let p = self.points[k as usize];
                if k == i || k == j || p.cmplt(low).any() || p.cmpgt(high).any() {
                    continue;
                }
                let t = along.dot(p - a) / along.length_squared();
                if t > 0.0 && t < 1.0 && p.distance(a + t * along) <= tolerance {
                    on.push((t, k));
                }
            }
            on.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            for pair in on.windows(2) {
                let piece = [pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1)];
                if !out.contains(&piece) {
                    out.push(piece);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn a_plane_meets_a_triangle_in_a_segment_its_edges_or_nothing() {
        let at = |z: f64| section(CORNERS.map(|p| Vec3::new(p.x, z, p.y - 0.5)), Vec3::ZERO, Vec3::Z, 1e-9);
        assert_eq!(at(0.0), vec![[Vec3::new(0.5, 0.0, 0.0), Vec3::ZERO]]);
        assert_eq!(section(CORNERS, Vec3::ZERO, Vec3::Z, 1e-9).len(), 3);
        assert_eq!(section(CORNERS, Vec3::Z, Vec3::Z, 1e-9).len(), 0);
        assert_eq!(section(CORNERS, Vec3::ZERO, Vec3::Y, 1e-9), vec![[Vec3::ZERO, Vec3::X]]);
    }

    #[test]
    fn segments_are_clipped_to_triangles() {
        let (a, b) = (Vec3::new(-1.0, 0.25, 0.0), Vec3::new(2.0, 0.25, 0.0));
        let (a, b) = clip(a, b, CORNERS, Vec3::Z, 1e-9).expect("crosses");
        assert!(
            a.distance(Vec3::new(0.0, 0.25, 0.0)) < 1e-15 && b.distance(Vec3::new(0.75, 0.25, 0.0)) < 1e-15
        );
        assert!(clip(Vec3::ONE, 2.0 * Vec3::ONE, CORNERS, Vec3::Z, 1e-9).is_none());
    }

    #[test]
    fn segments_cross_inside_both() {
        let cross =
            |y: f64| crossing(Vec3::ZERO, Vec3::X, Vec3::new(0.5, y, 0.0), Vec3::new(0.5, 1.0, 0.0), Vec3::Z);
        assert_eq!(cross(-1.0), Some(Vec3::new(0.5, 0.0, 0.0)));
        assert_eq!(cross(0.5), None);
    }

    #[test]
    fn lines_are_split_at_points_on_them() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.25, 1e-10, 0.0), Vec3::new(0.5, 0.1, 0.0)];
        assert_eq!(SortedPoints::new(&points).split(&[[0, 1], [2, 0]], 1e-9), vec![[0, 2], [1, 2]]);
    }
}
