//! Reaction constraints on single mass points.

use crate::constraint::{
    Forces, MassPoint, Penalty, Plane, PolygonalModel, Problem, ReactionConstraint, Target,
};
use crate::math::Vec3;
use crate::shape::{box_mesh, sphere_mesh};

const DT: f64 = 1e-3;

/// A path that begins at rest: a circle whose phase eases in.
fn circle(t: f64) -> Vec3 {
    let phase = t * t * t / (1.0 + t * t);
    Vec3::new(phase.cos() - 1.0, phase.sin(), 0.3 * phase.sin())
}

/// Where the path leads in steps of `DT`, with the velocity and acceleration that symplectic Euler means by it.
fn target(step: usize) -> Target {
    let at = |k: f64| circle(((step as f64 + k) * DT).max(0.0));
    Target {
        position: at(0.0),
        velocity: (at(0.0) - at(-1.0)) / DT,
        acceleration: (at(1.0) - 2.0 * at(0.0) + at(-1.0)) / (DT * DT),
    }
}

#[test]
fn path_is_followed_whatever_the_gravity_while_a_rubber_band_sags_tenfold() {
    let mass = 2.0;
    let stiffness = 2e4;
    let worst = |gravity: f64| {
        let hand = ReactionConstraint { stiffness };
        let mut point = MassPoint::at(circle(0.0), mass);
        let mut worst = 0.0f64;
        for step in 0..5000 {
            worst = worst.max(point.position.distance(target(step).position));
            point.step(hand.follow(&point, &target(step), Vec3::NEG_Y * mass * gravity).output, DT);
        }
        worst
    };
    for gravity in [9.81, 98.1] {
        assert!(worst(gravity) < 1e-6, "{:e} m under {gravity}", worst(gravity));
    }
    let sag = |gravity: f64| {
        let energy = |x: &[f64], gradient: &mut [f64]| {
            gradient[1] = mass * gravity;
            mass * gravity * x[1]
        };
        let axis = |d: usize| {
            move |x: &[f64], gradient: &mut [f64]| {
                gradient[d] = 1.0;
                x[d]
            }
        };
        let (x, y, z) = (axis(0), axis(1), axis(2));
        let problem = Problem::new(&energy).equal(&x).equal(&y).equal(&z);
        let band = Penalty { strength: 0.5 * stiffness };
        let mut at = [0.0; 3];
        (0..4000).for_each(|_| band.step(&problem, &mut at, 0.5 / stiffness));
        -at[1]
    };
    assert!((sag(9.81) / (mass * 9.81 / stiffness) - 1.0).abs() < 1e-9);
    assert!((sag(98.1) / sag(9.81) - 10.0).abs() < 1e-9);
}

#[test]
fn without_its_acceleration_a_path_is_followed_with_the_lag_m_a_over_k() {
    let hand = ReactionConstraint { stiffness: 100.0 };
    let acceleration = Vec3::new(3.0, 0.0, 0.0);
    let lag = |feed: f64| {
        let mut point = MassPoint::at(Vec3::ZERO, 2.0);
        let steps = 6000;
        // Symplectic Euler goes from 0 to a dt^2 n (n + 1)/2.
        let along = |n: f64| acceleration * (DT * DT * n * (n + 1.0) / 2.0);
        for step in 0..steps {
            let n = f64::from(step);
            let target = Target {
                position: along(n),
                velocity: acceleration * (n * DT),
                acceleration: feed * acceleration,
            };
            point.step(hand.follow(&point, &target, Vec3::ZERO).output, DT);
        }
        along(f64::from(steps)).x - point.position.x
    };
    assert!((lag(0.0) - 2.0 * 3.0 / 100.0).abs() < 1e-9, "{}", lag(0.0));
    assert!(lag(1.0).abs() < 1e-9, "{:e}", lag(1.0));
}

#[test]
fn critical_damping_does_not_overshoot_for_any_mass() {
    let hand = ReactionConstraint { stiffness: 25.0 };
    for mass in [0.5, 1.0, 4.0] {
        let mut point = MassPoint::at(Vec3::X, mass);
        for _ in 0..20_000 {
            point.step(hand.follow(&point, &Target::default(), Vec3::ZERO).output, DT);
            assert!(point.position.x > -1e-12, "{mass} kg: {}", point.position.x);
        }
        assert!(point.position.x < 1e-6);
    }
}

/// What the other object receives is the opposite of what the constraint adds.
fn is_balanced(forces: &Forces, input: Vec3) -> bool {
    (forces.output + forces.on_other - input).length() < 1e-12 * (1.0 + input.length())
        && (forces.output - input - forces.added()).length() < 1e-12 * (1.0 + input.length())
}

#[test]
fn other_object_receives_the_opposite_and_momentum_is_kept() {
    // A point rests on a plate that moves along y only and is pushed up: together they move as one mass.
    let hold = ReactionConstraint { stiffness: 400.0 };
    let (mut point, mut plate) = (MassPoint::at(Vec3::Y * 0.2, 1.0), MassPoint::at(Vec3::ZERO, 3.0));
    let mut momentum = 0.0;
    for _ in 0..5000 {
        let relative = MassPoint { velocity: point.velocity - plate.velocity, ..point };
        let (input, drive) = (Vec3::NEG_Y * 9.81, Vec3::Y * 50.0);
        let forces = hold.above_plane(&relative, &Plane::through(plate.position, Vec3::Y), input);
        assert!(is_balanced(&forces, input));
        point.step(forces.output, DT);
        plate.step(drive + forces.on_other, DT);
        momentum += (50.0 - 9.81) * DT;
        let both = point.velocity.y * point.mass + plate.velocity.y * plate.mass;
        assert!((both - momentum).abs() < 1e-9, "{both} for {momentum}");
    }
    assert!(point.position.x == 0.0 && plate.position.x == 0.0);
}

#[test]
fn one_sided_plane_holds_the_point_and_never_pulls() {
    let hold = ReactionConstraint { stiffness: 400.0 };
    let plane = Plane::new(Vec3::new(0.0, 2.0, 0.0), 0.0);
    let mut point = MassPoint { velocity: Vec3::X * 0.5, ..MassPoint::at(Vec3::Y * 0.3, 1.0) };
    for step in 0..3000 {
        // From 1.5 s on it is lifted with more than its weight.
        let lift = if step >= 1500 { 60.0 } else { 0.0 };
        let input = Vec3::Y * (lift - 9.81);
        let forces = hold.above_plane(&point, &plane, input);
        assert!(forces.added().y >= 0.0, "pulls with {} N", forces.added().y);
        assert!(is_balanced(&forces, input));
        if step == 1499 {
            assert!(point.position.y.abs() < 1e-6, "{:e} m", point.position.y);
        }
        point.step(forces.output, DT);
    }
    assert!(point.position.y > 10.0, "held back at {}", point.position.y);
    assert!((point.velocity.x - 0.5).abs() < 1e-12, "braked along the plane");
}

#[test]
fn two_sided_plane_brings_the_point_from_both_sides() {
    let hold = ReactionConstraint { stiffness: 400.0 };
    let plane = Plane::through(Vec3::Y, Vec3::new(1.0, 1.0, 0.0));
    for start in [Vec3::ZERO, Vec3::splat(2.0)] {
        let mut point = MassPoint::at(start, 3.0);
        for _ in 0..4000 {
            point.step(hold.on_plane(&point, &plane, Vec3::NEG_Y * 29.43).output, DT);
        }
        assert!(plane.height(point.position).abs() < 1e-9, "{:e}", plane.height(point.position));
    }
}

#[test]
fn point_leaves_a_polygonal_model_through_the_nearest_face() {
    let model = PolygonalModel::new(box_mesh(Vec3::new(2.0, 1.0, 2.0), [2, 2, 2])).unwrap();
    let out = ReactionConstraint { stiffness: 400.0 };
    let mut point = MassPoint::at(Vec3::new(0.3, 0.4, -0.2), 1.0);
    for _ in 0..3000 {
        point.step(out.outside(&point, &model, Vec3::NEG_Y * 9.81).output, DT);
    }
    assert!((point.position - Vec3::new(0.3, 0.5, -0.2)).length() < 1e-6, "{}", point.position);
    let away = MassPoint::at(Vec3::new(0.3, 0.6, 0.0), 1.0);
    assert_eq!(out.outside(&away, &model, Vec3::NEG_Y).output, Vec3::NEG_Y);
}

#[test]
fn nearest_face_of_a_ball_is_the_one_above_the_point() {
    let model = PolygonalModel::new(sphere_mesh(1.0, 3)).unwrap();
    for direction in [Vec3::new(0.2, 0.9, 0.3), Vec3::new(-0.5, -0.1, 0.8), Vec3::new(1.0, 0.2, -0.1)] {
        let u = direction.normalize();
        assert!(model.contains(0.9 * u) && !model.contains(1.01 * u));
        let plane = model.nearest_plane(0.9 * u);
        assert!(plane.normal().dot(u) > 0.98 && plane.height(0.9 * u) < 0.0);
    }
}

/// At a notch the nearest place is an edge; the point must be sent through a face it lies behind.
#[test]
fn point_under_a_notch_lies_behind_the_plane_it_is_sent_to() {
    let (solid, notch) = (box_mesh(Vec3::splat(2.0), [2, 2, 2]), Vec3::new(0.0, 0.4, 0.0));
    // The middle of the top is pushed in, so that its edges fold inwards.
    let mesh = solid.map(|p| if p == Vec3::Y { notch } else { p });
    let model = PolygonalModel::new(mesh).unwrap();
    for x in [notch - Vec3::Y * 0.05, notch + Vec3::new(0.02, -0.05, 0.01)] {
        assert!(model.contains(x));
        assert!(model.nearest_plane(x).height(x) < 0.0);
    }
}

#[test]
fn open_mesh_is_refused() {
    let mut mesh = box_mesh(Vec3::ONE, [1, 1, 1]);
    mesh.triangles.pop();
    assert!(PolygonalModel::new(mesh).unwrap_err().to_string().contains("open edge"));
}
