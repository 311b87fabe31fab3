//! The augmented Lagrangian for masses in motion.

use crate::constraint::{Condition, MassPoint, Motion, OverPoints, PhysicalAugmented, Problem, Sense};
use crate::math::Vec3;

const DT: f64 = 1e-3;

fn nothing(_: &[f64], _: &mut [f64]) -> f64 {
    0.0
}

fn first(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient[0] = 1.0;
    x[0]
}

/// Two points at a distance of 1 m, with unequal masses, started too far apart and turning.
fn dumbbell() -> [MassPoint; 2] {
    let heavy = MassPoint { velocity: Vec3::new(0.0, 0.1, 0.0), ..MassPoint::at(Vec3::ZERO, 5.0) };
    let light = MassPoint { velocity: Vec3::new(0.0, -0.5, 0.2), ..MassPoint::at(Vec3::X * 1.3, 0.5) };
    [heavy, light]
}

fn length(p: &[Vec3], gradient: &mut [Vec3]) -> f64 {
    let d = p[1] - p[0];
    gradient[1] = d.normalize();
    gradient[0] = -gradient[1];
    d.length() - 1.0
}

#[test]
fn centre_of_mass_does_not_drift_with_unequal_masses() {
    let rod = OverPoints(length);
    let problem = Problem::new(&nothing).equal(&rod);
    let points = dumbbell();
    let total: f64 = points.iter().map(|p| p.mass).sum();
    let centre = |x: &[Vec3]| (x[0] * points[0].mass + x[1] * points[1].mass) / total;
    let drift = |masses: [f64; 2]| {
        let mut motion = Motion::of_points(&points);
        let start = centre(&motion.positions());
        let velocity = (points[0].velocity * points[0].mass + points[1].velocity * points[1].mass) / total;
        motion.masses = masses.iter().flat_map(|m| [*m; 3]).collect();
        let mut method = PhysicalAugmented::new(1, 2.0, 1.0);
        for _ in 0..20_000 {
            method.step(&mut motion, &[0.0; 6], problem.conditions(), DT);
        }
        let gone = centre(&motion.positions()) - start - velocity * (20_000.0 * DT);
        (gone.length(), problem.values(&motion.x)[0])
    };
    let (weighted, error) = drift([5.0, 0.5]);
    assert!(weighted < 1e-10, "{weighted:e} m");
    // It still turns, and what keeps it turning is a load that changes its direction all the time.
    assert!(error.abs() < 0.02, "{error:e} m");
    // As printed, with the same weight for all masses, the heavy point gives way as much as the light one.
    let (printed, _) = drift([1.0, 1.0]);
    assert!(printed > 0.1, "{printed:e} m");
}

/// Numbers of the checked equations: `F = 1`, `k = 2`, damping 0.5.
#[test]
fn steady_load_is_carried_and_what_it_builds_up_is_no_velocity() {
    let condition = [Condition { function: &first, sense: Sense::Equal }];
    let run = |damping: f64| {
        let mut motion = Motion { x: vec![0.0], v: vec![0.0], masses: vec![1.0] };
        let mut method = PhysicalAugmented::new(1, 2.0, damping);
        for _ in 0..80_000 {
            method.step(&mut motion, &[1.0], &condition, DT);
        }
        (motion.x[0], motion.v[0], method.multipliers()[0])
    };
    let (x, v, lambda) = run(0.5);
    assert!(x.abs() < 1e-9 && (v - 2.0).abs() < 1e-9 && (lambda - 2.0).abs() < 1e-9, "{x} {v} {lambda}");
    let (x, v, _) = run(0.0);
    assert!(x > 0.5 && v > 50.0, "without damping nothing settles: {x} {v}");
}

#[test]
fn inequality_stops_a_fall_at_its_limit_and_lets_the_point_leave() {
    let condition = [Condition { function: &first, sense: Sense::AtLeast }];
    let mut motion = Motion { x: vec![0.2], v: vec![0.0], masses: vec![2.0] };
    let mut method = PhysicalAugmented::new(1, 20.0, 20.0);
    method.multiplier_time = 1.0;
    for _ in 0..40_000 {
        method.step(&mut motion, &[-19.62], &condition, DT);
    }
    assert!(motion.x[0].abs() < 1e-6, "{}", motion.x[0]);
    let held = method.multipliers()[0];
    assert!(held > 0.0);
    for _ in 0..20_000 {
        method.step(&mut motion, &[19.62], &condition, DT);
        assert!(method.multipliers()[0] >= 0.0);
    }
    assert!(motion.x[0] > 100.0, "{}", motion.x[0]);
}
