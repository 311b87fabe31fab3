//! Distance between the convex hulls of two sets of points (Gilbert, Johnson, Keerthi 1988).
//!
//! The result is a direction and the gap along it. The gap is measured on the points themselves, so a positive gap
//! is a proof that a plane separates the two, whatever rounding did to the iteration.

use super::bounds::Bounds;
use crate::math::Vec3;
use smallvec::SmallVec;

/// Some points, all of a list or a selection.
#[derive(Clone, Copy)]
pub struct Cloud<'a> {
    /// Positions.
    pub points: &'a [Vec3],
    /// Which of them; all if absent.
    pub corners: Option<&'a [u32]>,
}

impl Cloud<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        self.corners.map_or(self.points.len(), |c| c.len())
    }
    /// Index into `points` of the k-th.
    #[inline]
    pub fn id(&self, k: usize) -> u32 {
        self.corners.map_or(k as u32, |c| c[k])
    }
    /// Position of the k-th.
    #[inline]
    pub fn get(&self, k: usize) -> Vec3 {
        self.points[self.id(k) as usize]
    }
    /// Box around them.
    pub fn bounds(&self) -> Bounds {
        match self.corners {
            None => Bounds::of(self.points.iter().copied()),
            Some(corners) => Bounds::of(corners.iter().map(|i| self.points[*i as usize])),
        }
    }
    /// The farthest point along a direction, and how far.
    #[inline]
    pub fn farthest(&self, direction: Vec3) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        match self.corners {
            None => {
                for (k, p) in self.points.iter().enumerate() {
                    let d = p.dot(direction);
                    if d > best.1 {
                        best = (k, d);
                    }
                }
            }
            Some(corners) => {
                for (k, i) in corners.iter().enumerate() {
                    let d = self.points[*i as usize].dot(direction);
                    if d > best.1 {
                        best = (k, d);
                    }
                }
            }
        }
        best
    }
}

/// Gap between two clouds along a direction from `b` to `a`; positive proves that a plane separates them.
#[inline]
pub fn gap_along(a: &Cloud, b: &Cloud, normal: Vec3) -> f64 {
    -a.farthest(-normal).1 - b.farthest(normal).1
}

/// The axis along which the boxes of two clouds are farthest apart, from `b` to `a`, and the gap along it.
pub fn axis_between(a: &Cloud, b: &Cloud) -> (Vec3, f64) {
    let (a, b) = (a.bounds(), b.bounds());
    let (above, below) = (a.low - b.high, b.low - a.high);
    let mut best = (Vec3::X, f64::NEG_INFINITY);
    for axis in 0..3 {
        for (gap, sign) in [(above[axis], 1.0), (below[axis], -1.0)] {
            if gap > best.1 {
                best = (Vec3::AXES[axis] * sign, gap);
            }
        }
    }
    best
}

/// How two clouds lie.
#[derive(Clone, Debug)]
pub struct Separation {
    /// Unit direction from `b` to `a`.
    pub normal: Vec3,
    /// Gap along it, measured on the points.
    pub gap: f64,
    /// Closest points as weights of points of `a` and `b`; none where the plane was not found from them.
    pub witness: SmallVec<[(u32, u32, f64); 4]>,
}

/// A point of the difference `a - b`.
#[derive(Clone, Copy)]
struct Corner {
    w: Vec3,
    a: u32,
    b: u32,
}

/// The corner of the difference `a - b` that lies nearest along a direction.
fn support(a: &Cloud, b: &Cloud, direction: Vec3) -> Corner {
    let (i, _) = a.farthest(-direction);
    let (j, _) = b.farthest(direction);
    Corner { w: a.get(i) - b.get(j), a: a.id(i), b: b.id(j) }
}

/// Closest points of two clouds; none if their hulls meet. `guess` is a direction from `b` to `a`.
pub fn separation(a: &Cloud, b: &Cloud, guess: Vec3) -> Option<Separation> {
    separation_within(a, b, guess, f64::INFINITY)
}

/// The same, but of clouds farther apart than `far` any plane will do that proves it.
pub fn separation_within(a: &Cloud, b: &Cloud, guess: Vec3, far: f64) -> Option<Separation> {
    let mut simplex: [Corner; 4] = [support(a, b, guess); 4];
    let mut count = 1;
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut v = simplex[0].w;
    let mut largest = v.length_squared();
    for _ in 0..64 {
        let square = v.length_squared();
        if square <= 1e-28 * largest {
            return None;
        }
        let next = support(a, b, v);
        largest = largest.max(next.w.length_squared());
        // The support plane bounds the distance from below: stop when the bounds meet.
        let along = v.dot(next.w);
        if along > 0.0 && along * along > far * far * square {
            let length = square.sqrt();
            return Some(Separation { normal: v / length, gap: along / length, witness: SmallVec::new() });
        }
        let progress = square - along;
        let known = simplex[..count].iter().any(|c| c.a == next.a && c.b == next.b);
        if known || progress <= 1e-12 * square {
            break;
        }
        simplex[count] = next;
        count += 1;
        let (kept, w) = closest(&simplex[..count])?;
        let old = simplex;
        count = kept.len;
        for k in 0..count {
            simplex[k] = old[kept.index[k]];
            weights[k] = w[k];
        }
        let better = (0..count).map(|k| simplex[k].w * weights[k]).sum::<Vec3>();
        // Rounding has stalled the descent: the present answer is as good as it gets.
        if better.length_squared() >= square {
            v = if better.length_squared() > 0.0 { better } else { v };
            break;
        }
        v = better;
    }
    let normal = v.normalize();
    if !normal.is_finite() {
        return None;
    }
    let gap = gap_along(a, b, normal);
    let witness = (0..count).map(|k| (simplex[k].a, simplex[k].b, weights[k])).collect();
    (gap > 0.0).then_some(Separation { normal, gap, witness })
}

/// Which corners of a simplex carry its point nearest to the origin.
struct Kept {
    index: [usize; 3],
    len: usize,
}

/// The point of a simplex nearest to the origin: the corners that carry it and their weights; none if the origin is
/// inside.
fn closest(s: &[Corner]) -> Option<(Kept, [f64; 3])> {
    match s.len() {
        2 => Some(on_segment(s, 0, 1)),
        3 => Some(on_triangle(s, 0, 1, 2)),
        _ => {
            let mut best: Option<(f64, (Kept, [f64; 3]))> = None;
            let faces = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]];
            let mut inside = true;
            for [i, j, k, opposite] in faces {
                let (a, b, c) = (s[i].w, s[j].w, s[k].w);
                let normal = (b - a).cross(c - a);
                let height = normal.dot(s[opposite].w - a);
                let origin = -normal.dot(a);
                // A flat simplex counts as having the origin outside every face.
                let outside = height.abs() <= 1e-14 * normal.length() * (s[opposite].w - a).length()
                    || origin * height < 0.0;
                if outside {
                    inside = false;
                    let candidate = on_triangle(s, i, j, k);
                    let point: Vec3 =
                        (0..candidate.0.len).map(|m| s[candidate.0.index[m]].w * candidate.1[m]).sum();
                    let square = point.length_squared();
                    if best.as_ref().is_none_or(|(d, _)| square < *d) {
                        best = Some((square, candidate));
                    }
                }
            }
            if inside { None } else { best.map(|(_, c)| c) }
        }
    }
}

fn on_segment(s: &[Corner], i: usize, j: usize) -> (Kept, [f64; 3]) {
    let (a, b) = (s[i].w, s[j].w);
    let d = b - a;
    let t = -a.dot(d) / d.length_squared();
    if t.is_nan() || t <= 0.0 {
        (Kept { index: [i, 0, 0], len: 1 }, [1.0, 0.0, 0.0])
    } else if t >= 1.0 {
        (Kept { index: [j, 0, 0], len: 1 }, [1.0, 0.0, 0.0])
    } else {
        (Kept { index: [i, j, 0], len: 2 }, [1.0 - t, t, 0.0])
    }
}

fn on_triangle(s: &[Corner], i: usize, j: usize, k: usize) -> (Kept, [f64; 3]) {
    let (a, b, c) = (s[i].w, s[j].w, s[k].w);
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    // Barycentric coordinates of the origin's foot on the plane.
    let u = normal.dot(b.cross(c));
    let v = normal.dot(c.cross(a));
    let w = normal.dot(a.cross(b));
    if square > 0.0 && u > 0.0 && v > 0.0 && w > 0.0 {
        let sum = u + v + w;
        return (Kept { index: [i, j, k], len: 3 }, [u / sum, v / sum, w / sum]);
    }
    let mut best: Option<(f64, (Kept, [f64; 3]))> = None;
    for (p, q) in [(i, j), (j, k), (k, i)] {
        let candidate = on_segment(s, p, q);
        let point: Vec3 = (0..candidate.0.len).map(|m| s[candidate.0.index[m]].w * candidate.1[m]).sum();
        let d = point.length_squared();
        if best.as_ref().is_none_or(|(e, _)| d < *e) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c).unwrap_or((Kept { index: [i, 0, 0], len: 1 }, [1.0, 0.0, 0.0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn cube(centre: Vec3, q: Quat) -> Vec<Vec3> {
        (0..8)
            .map(|i| {
                let s = |bit: i32| if i & bit == 0 { -0.5 } else { 0.5 };
                centre + q * Vec3::new(s(1), s(2), s(4))
            })
            .collect()
    }

    #[test]
    fn parallel_cubes_are_as_far_apart_as_their_faces() {
        for gap in [1e-5, 1e-2, 3.0] {
            let a = cube(Vec3::new(0.1, 1.0 + gap, -0.2), Quat::IDENTITY);
            let b = cube(Vec3::ZERO, Quat::IDENTITY);
            let (ca, cb) = (Cloud { points: &a, corners: None }, Cloud { points: &b, corners: None });
            let s = separation(&ca, &cb, Vec3::ONE).unwrap();
            // Rounding of unit coordinates tilts a normal of length `gap` by 1e-16/gap, over faces of size 1.
            assert!((s.gap - gap).abs() < 1e-10 && s.normal.distance(Vec3::Y) < 1e-9, "{gap}: {s:?}");
        }
    }

    #[test]
    fn overlapping_cubes_are_not_separated() {
        let a = cube(Vec3::new(0.1, 0.9, -0.2), Quat::from_rotation_x(0.3));
        let b = cube(Vec3::ZERO, Quat::IDENTITY);
        let (ca, cb) = (Cloud { points: &a, corners: None }, Cloud { points: &b, corners: None });
        assert!(separation(&ca, &cb, Vec3::ONE).is_none());
    }

    /// The support gap along the found direction and the distance of the witness points bound the true distance
    /// from both sides; they must agree.
    #[test]
    fn bounds_from_both_sides_agree_for_random_cubes() {
        let mut seed = 7u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 * 2.0 - 1.0
        };
        let mut separated = 0;
        for _ in 0..5000 {
            let turn = Quat::from_scaled_axis(Vec3::new(random(), random(), random()) * 3.0);
            let other = Quat::from_scaled_axis(Vec3::new(random(), random(), random()) * 3.0);
            let a = cube(Vec3::new(random(), random(), random()) * 2.0, turn);
            let b = cube(Vec3::ZERO, other);
            let (ca, cb) = (Cloud { points: &a, corners: None }, Cloud { points: &b, corners: None });
            if let Some(s) = separation(&ca, &cb, Vec3::X) {
                separated += 1;
                let d: Vec3 = s.witness.iter().map(|(i, j, w)| (a[*i as usize] - b[*j as usize]) * *w).sum();
                assert!((d.length() - s.gap).abs() < 1e-9 * (1.0 + d.length()), "{} {}", d.length(), s.gap);
            }
        }
        assert!(separated > 2000);
    }
}
