//! Curves through points, and places at equal distances along them.

use crate::math::Vec3;

/// Pieces into which each span of a smooth curve is cut to measure its length; the error falls with their square.
const FINEST: usize = 64;
/// Pieces of a smooth curve per place asked for.
const PER_PLACE: usize = 16;

/// A curve through points, in spans from each to the next.
pub(super) struct Path {
    spans: Vec<Span>,
}

/// From `points[1]` to `points[2]`; the outer two shape a smooth span.
struct Span {
    points: [Vec3; 4],
    smooth: bool,
}

impl Path {
    /// Straight lines from point to point.
    pub fn straight(points: &[Vec3], closed: bool) -> Self {
        Self::new(points, closed, None)
    }

    // [YSK11]: of all Catmull-Rom curves only the centripetal one has neither loops nor cusps within a span.
    /// The centripetal Catmull-Rom curve. An open one leaves its ends as if the
    /// neighbours of the end points were mirrored there.
    pub fn smooth(points: &[Vec3], closed: bool) -> Self {
        let n = points.len();
        let beyond = |end: usize, next: usize| 2.0 * points[end] - points[next];
        match (closed, n) {
            (_, 0 | 1) => Self { spans: vec![] },
            (true, _) => Self::new(points, true, Some([points[n - 1], points[0]])),
            (false, _) => Self::new(points, false, Some([beyond(0, 1), beyond(n - 1, n - 2)])),
        }
    }

    /// A smooth open curve with given points before the first and after the last.
    pub fn smooth_between(before: Vec3, points: &[Vec3], after: Vec3) -> Self {
        Self::new(points, false, Some([before, after]))
    }

    fn new(points: &[Vec3], closed: bool, beyond: Option<[Vec3; 2]>) -> Self {
        let n = points.len();
        let count = if closed { n } else { n.saturating_sub(1) };
        let [before, after] = beyond.unwrap_or_default();
        let spans = (0..count).map(|i| {
            let first = if i == 0 { before } else { points[i - 1] };
            let last = match i + 2 {
                k if k < n => points[k],
                k if closed => points[k % n],
                _ => after,
            };
            Span { points: [first, points[i], points[(i + 1) % n], last], smooth: beyond.is_some() }
        });
        Self { spans: spans.collect() }
    }

    /// Places at increasing fractions of the whole length, 0 the beginning and 1 the end.
    pub fn at_fractions(&self, fractions: &[f64]) -> Vec<Vec3> {
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else { return vec![] };
        let pieces = FINEST.max(PER_PLACE * fractions.len() / self.spans.len());
        let pieces = if first.smooth { pieces } else { 1 };
        // Length from the beginning to the end of each piece.
        let mut lengths = Vec::with_capacity(pieces * self.spans.len());
        let mut length = 0.0;
        for span in &self.spans {
            let mut here = span.points[1];
            for k in 1..=pieces {
                let next = span.at(k as f64 / pieces as f64);
                length += here.distance(next);
                lengths.push(length);
                here = next;
            }
        }
        let place = |fraction: f64| {
            if fraction >= 1.0 {
                return last.points[2];
            }
            let target = fraction * length;
            let piece = lengths.partition_point(|&l| l <= target).min(lengths.len() - 1);
            let before = if piece == 0 { 0.0 } else { lengths[piece - 1] };
            let within = (target - before) / (lengths[piece] - before).max(f64::MIN_POSITIVE);
            self.spans[piece / pieces].at(((piece % pieces) as f64 + within) / pieces as f64)
        };
        fractions.iter().map(|&f| place(f)).collect()
    }
}

impl Span {
    /// The place at a parameter from 0 to 1.
    fn at(&self, s: f64) -> Vec3 {
        let p = self.points;
        if !self.smooth {
            return between(p[1], p[2], s);
        }
        // Barry and Goldman's pyramid with knots at the square roots of the distances.
        let gap = [0, 1, 2].map(|k| p[k].distance(p[k + 1]).sqrt().max(f64::MIN_POSITIVE));
        let t = s * gap[1];
        let a = between(p[0], p[1], (t + gap[0]) / gap[0]);
        let b = between(p[1], p[2], s);
        let c = between(p[2], p[3], (t - gap[1]) / gap[2]);
        let d = between(a, b, (t + gap[0]) / (gap[0] + gap[1]));
        let e = between(b, c, t / (gap[1] + gap[2]));
        between(d, e, s)
    }
}

/// In this form a coordinate that both ends share is kept exactly, so a flat curve stays flat.
fn between(a: Vec3, b: Vec3, s: f64) -> Vec3 {
    a + (b - a) * s
}

/// `count` fractions from 0: the last is 1, or one step before it where the path is closed.
pub(super) fn even_fractions(count: usize, closed: bool) -> Vec<f64> {
    let steps = if closed { count } else { count.saturating_sub(1).max(1) };
    (0..count).map(|i| i as f64 / steps as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_path_is_divided_evenly_across_its_corners() {
        let corner = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 3.0, 0.0)];
        let places = Path::straight(&corner, false).at_fractions(&even_fractions(5, false));
        let expected = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]];
        for (p, [x, y]) in places.iter().zip(expected) {
            assert!(p.distance(Vec3::new(x, y, 0.0)) < 1e-15, "{p}");
        }
        let square = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        let places = Path::straight(&square, true).at_fractions(&even_fractions(8, true));
        assert!(places[5].distance(Vec3::new(0.5, 1.0, 0.0)) < 1e-15);
        assert!(places[7].distance(Vec3::new(0.0, 0.5, 0.0)) < 1e-15);
    }

    #[test]
    fn a_smooth_path_passes_through_its_points_and_stays_in_their_plane() {
        let points = [[0.0, 0.0], [1.0, 0.3], [1.2, 1.4], [-0.5, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.1));
        for closed in [false, true] {
            let path = Path::smooth(&points, closed);
            for (span, p) in path.spans.iter().zip(&points) {
                assert!(span.at(0.0).distance(*p) < 1e-15);
            }
            let places = path.at_fractions(&even_fractions(100, closed));
            assert!(places.iter().all(|p| p.z == 0.1), "exactly in the plane");
            let steps: Vec<f64> = places.windows(2).map(|w| w[0].distance(w[1])).collect();
            let (least, most) = steps.iter().fold((f64::MAX, 0.0f64), |(a, b), &s| (a.min(s), b.max(s)));
            assert!(most / least < 1.02, "{least} to {most}");
        }
        let path = Path::smooth(&points, false).at_fractions(&[0.0, 1.0]);
        assert_eq!(path, [points[0], points[3]]);
    }
}
