//! The camera of a photograph, from places that can be seen in it.
//!
//! Position, orientation and, unless it is known, the angle of view are fitted to the marks by least squares
//! (Levenberg's method with Marquardt's scaling). The fit is begun from many sides, because from one side it may end in
//! a mirrored or upside-down camera; the best end counts.

use crate::camera::Camera;
use pliant::math::{Quat, Vec3};
use pliant::scene::MatteSpec;
use std::f64::consts::{PI, TAU};

/// Error up to which marks are believed, as a part of the picture's height.
const BELIEVED: f64 = 0.02;
/// A second, different camera that fits no worse than this many times the best makes the answer a guess.
const AMBIGUOUS: f64 = 1.15;

/// A camera and how well it fits.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The camera.
    pub camera: Camera,
    /// Root mean square distance of the marks from where the camera sees them `[pixels]`.
    pub error: f64,
    /// The mark that fits worst, and by how many pixels.
    pub worst: (usize, f64),
}

/// Why no camera was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MatteError {
    /// Too few marks.
    #[error("matte.points: {found} marked points do not fix a camera; mark at least {needed}")]
    TooFew {
        /// Marks there are.
        found: usize,
        /// Marks that are needed.
        needed: usize,
    },
    /// All marks lie on a line or in one place, in space or in the picture.
    #[error("matte.points: the marked points lie on one line {place}; mark some beside it")]
    OnALine {
        /// In space or in the photograph.
        place: &'static str,
    },
    /// Nothing fits.
    #[error(
        "matte.points: no camera sees the marked points where they were marked; the best is {error:.1} pixels off, \
         most of all at points[{worst}]: check its `pixel` and `at`"
    )]
    NoFit {
        /// Root mean square error in pixels.
        error: f64,
        /// The mark that fits worst.
        worst: usize,
    },
    /// Two cameras fit.
    #[error("matte.points: two different cameras fit the marked points; mark more, and not all in one plane")]
    Ambiguous,
}

/// Finds the camera of a photograph of some size.
pub fn solve(spec: &MatteSpec, size: [u32; 2]) -> Result<Solved, MatteError> {
    let marks: Vec<Mark> = spec.points.iter().map(|m| (Vec3::from(m.at), m.pixel)).collect();
    let known = spec.fov.map(f64::to_radians);
    match fit(&marks, known, size) {
        // One slip among good marks pulls the fit away from all of them; without it the others agree.
        Err(MatteError::NoFit { error, worst }) if marks.len() > 4 => {
            let agree_without = |i: &usize| {
                let mut others = marks.clone();
                others.remove(*i);
                matches!(fit(&others, known, size), Ok(_) | Err(MatteError::Ambiguous))
            };
            Err(MatteError::NoFit { error, worst: (0..marks.len()).find(agree_without).unwrap_or(worst) })
        }
        other => other,
    }
}

/// A place in space and in the photograph.
type Mark = (Vec3, [f64; 2]);

fn fit(marks: &[Mark], known: Option<f64>, size: [u32; 2]) -> Result<Solved, MatteError> {
    check(marks)?;
    let centre = marks.iter().map(|m| m.0).sum::<Vec3>() / marks.len() as f64;
    let reach = marks.iter().map(|m| m.0.distance(centre)).fold(0.0, f64::max);
    let mut fits: Vec<(f64, Camera)> = vec![];
    for start in starts(marks, centre, reach, known, size) {
        if let Some(fit) = refine(start, marks, known.is_none(), reach) {
            fits.push(fit);
        }
    }
    fits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some((error, camera)) = fits.first().copied() else {
        return Err(MatteError::NoFit { error: f64::INFINITY, worst: 0 });
    };
    let off =
        |m: &Mark| camera.project(m.0).map_or(f64::INFINITY, |(p, _)| (p[0] - m.1[0]).hypot(p[1] - m.1[1]));
    let worst = marks.iter().map(off).enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    if error > BELIEVED * f64::from(size[1]) {
        return Err(MatteError::NoFit { error, worst: worst.0 });
    }
    let differs = |other: &Camera| other.eye.distance(camera.eye) > 0.05 * camera.eye.distance(centre);
    if fits.iter().any(|(e, c)| *e <= AMBIGUOUS * error + 1e-6 && differs(c)) {
        return Err(MatteError::Ambiguous);
    }
    Ok(Solved { camera, error, worst })
}

fn check(marks: &[Mark]) -> Result<(), MatteError> {
    if marks.len() < 4 {
        return Err(MatteError::TooFew { found: marks.len(), needed: 4 });
    }
    let flat = |points: &[Vec3]| {
        let far = points
            .iter()
            .copied()
            .max_by(|a, b| a.distance_squared(points[0]).total_cmp(&b.distance_squared(points[0])));
        let along = far.map_or(Vec3::ZERO, |f| f - points[0]);
        let beside = points.iter().map(|p| (*p - points[0]).cross(along).length()).fold(0.0, f64::max);
        beside <= 1e-6 * along.length_squared()
    };
    if flat(&marks.iter().map(|m| m.0).collect::<Vec<_>>()) {
        return Err(MatteError::OnALine { place: "in space" });
    }
    if flat(&marks.iter().map(|m| Vec3::new(m.1[0], m.1[1], 0.0)).collect::<Vec<_>>()) {
        return Err(MatteError::OnALine { place: "in the photograph" });
    }
    Ok(())
}

/// Cameras all around the marks, from where the marks would look about as large as they do.
fn starts(marks: &[Mark], centre: Vec3, reach: f64, known: Option<f64>, size: [u32; 2]) -> Vec<Camera> {
    let n = marks.len() as f64;
    let mean = marks.iter().fold([0.0; 2], |s, m| [s[0] + m.1[0] / n, s[1] + m.1[1] / n]);
    let extent = marks.iter().map(|m| (m.1[0] - mean[0]).hypot(m.1[1] - mean[1])).fold(1.0, f64::max);
    let fovs =
        known.map_or(vec![20.0_f64.to_radians(), 40.0_f64.to_radians(), 65.0_f64.to_radians()], |f| vec![f]);
    let mut all = vec![];
    for fov in fovs {
        // Evenly spread directions: a spiral from the pole down.
        for k in 0..48 {
            let y = 1.0 - (f64::from(k) + 0.5) / 24.0;
            let angle = f64::from(k) * PI * (3.0 - 5.0_f64.sqrt());
            let level = (1.0 - y * y).sqrt();
            let towards = Vec3::new(level * angle.cos(), y, level * angle.sin());
            let camera = Camera::looking_at(centre + towards, centre, Vec3::Y, fov, size);
            let distance = 0.9 * reach * camera.focal_length() / extent;
            for roll in [0.0, 0.5 * PI, PI, 1.5 * PI] {
                // Photographs are rarely taken with the camera on its head: only a pure roll of zero from above.
                if roll != 0.0 && y < -0.2 {
                    continue;
                }
                let turn = camera.turn * Quat::from_axis_angle(Vec3::Z, roll % TAU);
                all.push(Camera { eye: centre + towards * distance, turn, ..camera });
            }
        }
    }
    all
}

/// Improves a camera until it no longer gets better; nothing if it ends with a mark behind it.
fn refine(mut camera: Camera, marks: &[Mark], free_fov: bool, reach: f64) -> Option<(f64, Camera)> {
    let unknowns = if free_fov { 7 } else { 6 };
    let mut residual = residuals(&camera, marks)?;
    let (mut cost, mut damping) = (square(&residual), 1e-2);
    for _ in 0..80 {
        let jacobian: Vec<Vec<f64>> = (0..unknowns)
            .map(|k| {
                let h = 1e-6;
                let mut delta = [0.0; 7];
                delta[k] = h;
                let moved = residuals(&changed(&camera, &delta, reach), marks)?;
                Some(moved.iter().zip(&residual).map(|(a, b)| (a - b) / h).collect())
            })
            .collect::<Option<_>>()?;
        let before = cost;
        for _ in 0..8 {
            let Some(step) = damped_step(&jacobian, &residual, damping) else { break };
            let next = changed(&camera, &step, reach);
            match residuals(&next, marks) {
                Some(r) if square(&r) < cost => {
                    (camera, cost, residual) = (next, square(&r), r);
                    damping = (damping * 0.3).max(1e-12);
                    break;
                }
                _ => damping *= 5.0,
            }
        }
        if before - cost <= 1e-14 * before {
            break;
        }
    }
    Some(((cost / marks.len() as f64).sqrt(), camera))
}

/// A camera moved, turned and zoomed a little.
fn changed(camera: &Camera, by: &[f64; 7], reach: f64) -> Camera {
    let shift = Vec3::new(by[0], by[1], by[2]) * reach;
    let turn = Quat::from_scaled_axis(Vec3::new(by[3], by[4], by[5]));
    // The logarithm of the focal length is free; the angle itself could leave its range.
    let half = ((0.5 * camera.fov).tan() * (-by[6]).exp()).atan();
    Camera { eye: camera.eye + shift, turn: (camera.turn * turn).normalize(), fov: 2.0 * half, ..*camera }
}

fn residuals(camera: &Camera, marks: &[Mark]) -> Option<Vec<f64>> {
    let mut all = Vec::with_capacity(2 * marks.len());
    for (place, pixel) in marks {
        let (seen, _) = camera.project(*place)?;
        all.extend([seen[0] - pixel[0], seen[1] - pixel[1]]);
    }
    all.iter().all(|x| x.is_finite()).then_some(all)
}

fn square(r: &[f64]) -> f64 {
    r.iter().map(|x| x * x).sum()
}

/// Solves (J^T J + damping * diagonal) step = -J^T r by Cholesky factorisation.
fn damped_step(jacobian: &[Vec<f64>], residual: &[f64], damping: f64) -> Option<[f64; 7]> {
    let n = jacobian.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut lower = [[0.0; 7]; 7];
    let mut step = [0.0; 7];
    for i in 0..n {
        for j in 0..=i {
            let mut a = dot(&jacobian[i], &jacobian[j]);
            if i == j {
                a *= 1.0 + damping;
            }
            let done: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            if i == j {
                let pivot = a - done;
                if pivot.is_nan() || pivot <= 1e-300 {
                    return None;
                }
                lower[i][i] = pivot.sqrt();
            } else {
                lower[i][j] = (a - done) / lower[j][j];
            }
        }
    }
    for i in 0..n {
        let done: f64 = (0..i).map(|k| lower[i][k] * step[k]).sum();
        step[i] = (-dot(&jacobian[i], residual) - done) / lower[i][i];
    }
    for i in (0..n).rev() {
        let done: f64 = (i + 1..n).map(|k| lower[k][i] * step[k]).sum();
        step[i] = (step[i] - done) / lower[i][i];
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scene::MarkSpec;

    const SIZE: [u32; 2] = [1280, 720];

    fn known_cameras() -> Vec<Camera> {
        let eyes = [[2.0, 1.5, 3.0], [-0.5, 3.5, 1.0], [0.2, 0.4, -2.5], [4.0, 0.8, 0.1]];
        let tilted = |k: usize, c: Camera| Camera {
            turn: c.turn * Quat::from_axis_angle(Vec3::Z, 0.1 * k as f64),
            ..c
        };
        let look = |(k, eye): (usize, &[f64; 3])| {
            let target = Vec3::new(0.1, 0.1 * k as f64, -0.2);
            let fov = 0.5 + 0.2 * k as f64;
            tilted(k, Camera::looking_at(Vec3::from(*eye), target, Vec3::Y, fov, SIZE))
        };
        eyes.iter().enumerate().map(look).collect()
    }

    fn marked(camera: &Camera, places: &[Vec3], noise: f64) -> MatteSpec {
        let shake = |k: usize| noise * (((k * 7919 + 11) % 97) as f64 / 48.0 - 1.0);
        let mark = |(k, p): (usize, &Vec3)| {
            let ([x, y], _) = camera.project(*p).expect("in front of the camera");
            MarkSpec { pixel: [x + shake(2 * k), y + shake(2 * k + 1)], at: p.to_array() }
        };
        let points = places.iter().enumerate().map(mark).collect();
        MatteSpec { photo: "p.png".into(), points, catch: None, fov: None }
    }

    fn box_corners() -> Vec<Vec3> {
        let c = |k: usize| {
            Vec3::new((k & 1) as f64, 0.6 * (k >> 1 & 1) as f64, (k >> 2) as f64) - Vec3::new(0.5, 0.0, 0.5)
        };
        (0..8).map(c).collect()
    }

    fn largest_error(found: &Camera, truth: &Camera) -> f64 {
        let mut worst: f64 = 0.0;
        for k in 0..200 {
            let unit = |m: usize| ((k * m + 17) % 101) as f64 / 50.5 - 1.0;
            let p = Vec3::new(0.6 * unit(31), 0.3 + 0.3 * unit(57), 0.6 * unit(73));
            if let (Some((a, _)), Some((b, _))) = (found.project(p), truth.project(p)) {
                worst = worst.max((a[0] - b[0]).hypot(a[1] - b[1]));
            }
        }
        worst
    }

    #[test]
    fn camera_is_recovered_exactly_from_exact_marks() {
        for truth in known_cameras() {
            let solved = solve(&marked(&truth, &box_corners(), 0.0), SIZE).expect("a camera");
            assert!(solved.error < 1e-6 && largest_error(&solved.camera, &truth) < 1e-4, "{solved:?}");
        }
    }

    #[test]
    fn camera_is_recovered_to_half_a_pixel_from_marks_that_are_off_by_up_to_a_third() {
        for truth in known_cameras() {
            let solved = solve(&marked(&truth, &box_corners(), 0.33), SIZE).expect("a camera");
            let error = largest_error(&solved.camera, &truth);
            assert!(error < 0.5, "{error} pixels");
        }
    }

    #[test]
    fn marks_in_one_plane_suffice_if_there_are_enough() {
        let places: Vec<Vec3> =
            (0..9).map(|k| Vec3::new(0.5 * (k % 3) as f64 - 0.5, 0.0, 0.5 * (k / 3) as f64 - 0.5)).collect();
        let truth = known_cameras()[0];
        let solved = solve(&marked(&truth, &places, 0.0), SIZE).expect("a camera");
        assert!(largest_error(&solved.camera, &truth) < 1e-3, "{solved:?}");
    }

    #[test]
    fn hopeless_marks_are_refused_with_a_reason() {
        let truth = known_cameras()[0];
        let few = marked(&truth, &box_corners()[..3], 0.0);
        assert_eq!(solve(&few, SIZE).err(), Some(MatteError::TooFew { found: 3, needed: 4 }));
        let line: Vec<Vec3> = (0..6).map(|k| Vec3::new(0.1 * f64::from(k), 0.0, 0.0)).collect();
        assert!(matches!(solve(&marked(&truth, &line, 0.0), SIZE), Err(MatteError::OnALine { .. })));
        let mut wrong = marked(&truth, &box_corners(), 0.0);
        wrong.points[5].pixel = [40.0, 700.0];
        assert!(
            matches!(solve(&wrong, SIZE), Err(MatteError::NoFit { worst: 5, .. })),
            "{:?}",
            solve(&wrong, SIZE)
        );
    }
}
