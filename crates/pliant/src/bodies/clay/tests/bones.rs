//! Skeletons that are more than points.

use super::super::form::Form;
use super::super::skeletons::{Placed, dressed};
use super::*;
use crate::shape::TriMesh;

/// Segment, curve, triangle, box and ball among points, about one spacing apart.
const ALL: &str = "skeletons = [
    [0.0, 0.0, 0.0],
    { segment = [[1.1, -0.8, 0.0], [1.1, 0.9, 0.2]] },
    { curve = [[0.0, 1.1, 0.0], [-0.3, 2.0, 0.1], [0.2, 2.9, 0.0]] },
    { triangle = [[-1.2, -0.2, 0.0], [-2.3, -0.1, 0.1], [-1.6, 0.8, 0.6]] },
    { box = [0.9, 1.2, 0.7], at = [0.1, -0.2, 1.6], rotation = [10, 20, 30] },
    { ball = 0.6, at = [0.0, 0.1, -1.7] },
    { at = [-1.0, 0.4, -1.0], rigid = true },
]\n";

fn velocities(clay: &mut Clay, size: f64) {
    let part = |k: usize, a: f64| (k as f64 * a).fract() - 0.5;
    let random = |k: usize| Vec3::new(part(k, 0.618), part(k, 0.414), part(k, 0.732)) * size;
    (0..clay.v.len()).for_each(|k| clay.v[k] = random(k + 1));
    for (k, (pose, bone)) in clay.poses.iter_mut().zip(&clay.shared.bones).enumerate() {
        pose.momentum = bone.momentum(pose.rotation, random(k + 20) * 2.0);
    }
    clay.stand_still();
}

/// Free bones keep both momenta to rounding, whatever they are, and energy; damping takes energy alone.
#[test]
fn bones_keep_energy_and_momenta() {
    for (keys, damped) in [("", false), ("viscosity = 0.5\n", true)] {
        let mut clay = read(7.0, &format!("{ALL}{keys}"));
        velocities(&mut clay, 0.5);
        let start = clay.measure();
        assert!(start.kinetic > 0.1);
        let turned = clay.poses.clone();
        for _ in 0..1000 {
            step(&mut clay, 5e-3);
        }
        let end = clay.measure();
        let gain = end.kinetic + end.elastic - start.kinetic - start.elastic;
        if damped {
            assert!(gain < -0.05 * start.kinetic, "{gain}");
        } else {
            // Bonds at the start are drawn out, so most of what moves at the end was elastic then.
            assert!(gain.abs() < 5e-3 * end.kinetic, "{gain} of {}", end.kinetic);
        }
        assert!((end.momentum - start.momentum).length() < 1e-12, "{}", end.momentum - start.momentum);
        let change = end.angular_momentum - start.angular_momentum;
        assert!(change.length() < 1e-11, "{change}");
        for (now, then) in clay.poses.iter().zip(&turned) {
            assert!(now.rotation.angle_between(then.rotation) > 0.1);
        }
    }
}

/// A mass point has a shape but never turns, and feels bonds at its centre; both momenta are kept by that, too.
#[test]
fn mass_points_with_a_shape_only_move() {
    let keys =
        "skeletons = [{ segment = [[-0.4, 0.0, 0.0], [0.4, 0.0, 0.0]], rigid = false }, [0.2, 1.1, 0.0],
        { ball = 0.3, at = [0.9, 0.8, 0.5], rigid = false }]\n";
    let mut clay = read(3.0, keys);
    velocities(&mut clay, 0.3);
    let (start, poses) = (clay.measure(), clay.poses.clone());
    (0..500).for_each(|_| step(&mut clay, 5e-3));
    let end = clay.measure();
    assert_eq!(poses, clay.poses);
    assert!((end.momentum - start.momentum).length() < 1e-13);
    assert!((end.angular_momentum - start.angular_momentum).length() < 1e-12);
}

/// Whatever acts on the coat reaches bones with the same force and the same torque, if one of them can take it up.
#[test]
fn a_push_on_the_coat_of_bones_keeps_force_and_torque() {
    let lone = "skeletons = [{ segment = [[-0.7, 0.0, 0.0], [0.7, 0.2, 0.0]] }]\n";
    for (keys, mass) in [(ALL, 7.0), (lone, 1.0)] {
        let clay = read(mass, keys);
        for sample in clay.samples(&|_, _| true).iter().step_by(7) {
            for push in [sample.normal, Vec3::X, Vec3::new(0.3, -2.0, 0.7)] {
                let mut store = vec![];
                let lever = clay.lever_on(sample.at, &mut store);
                let mut y = vec![0.0; clay.y.len()];
                crate::contact::push(lever, &mut y, push, &store, &Default::default());
                let pushed = Clay { y, poses: clay.poses.clone(), ..read(mass, keys) };
                let v = pushed.way();
                let force = pushed.points(&v).momentum();
                let torque =
                    pushed.points(&v).angular_momentum() + pushed.spin_momenta().iter().sum::<Vec3>();
                assert!((force - push).length() < 1e-10, "{force} {push}");
                assert!((torque - sample.at.cross(push)).length() < 1e-9, "{torque}");
                // What answers is what moves: the velocity of the place by both ways.
                let response = crate::contact::velocity(lever, &pushed.y, &store);
                assert!(response.dot(push) > 0.0);
            }
        }
    }
}

/// Alone, each form encloses what Steiner's formula says, and its mesh is closed.
#[test]
fn surfaces_about_bones_enclose_what_is_known_in_closed_form() {
    let e = 0.3;
    let forms = [
        Form::Line(vec![Vec3::X * -0.7, Vec3::X * 0.7]),
        Form::Triangle([Vec3::new(-0.5, -0.3, 0.1), Vec3::new(1.0, 0.0, 0.0), Vec3::new(-0.5, 0.3, -0.1)]),
        Form::Box(Vec3::new(0.4, 0.7, 0.2)),
        Form::Ball(0.6),
    ];
    for form in forms {
        let (exact, turn) = (form.coated_volume(e), Quat::from_scaled_axis(Vec3::new(0.3, 0.5, -0.2)));
        let form = Some((Arc::new(form), true));
        let placed = Placed { form, rotation: turn, ..Placed::point(Vec3::new(0.2, -0.1, 0.4)) };
        let field = dressed(FieldShape::Cubic, std::slice::from_ref(&placed), e);
        // The field is that of the distance.
        let Some(shaped) = field.shape_of(0) else { panic!() };
        for k in 1..40 {
            let p = placed.at
                + Vec3::new((f64::from(k) * 0.618).fract(), (f64::from(k) * 0.414).fract(), 0.3) * 1.2;
            let q = shaped.way_to(p).length() / e;
            if q < 0.31 {
                continue;
            }
            let (f, gradient) = field.at(p);
            assert!((f - FieldShape::Cubic.at(q).0).abs() < 1e-12);
            let slope = (field.at(p + Vec3::Y * 1e-7).0 - field.at(p - Vec3::Y * 1e-7).0) / 2e-7;
            assert!((slope - gradient.y).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {}", gradient.y);
        }
        let s = surface(&field, e / 5.0, &Unlimited);
        let mesh = TriMesh { points: s.points.clone(), triangles: s.triangles.clone(), ..TriMesh::default() };
        mesh.check_solid().unwrap();
        assert!((s.volume() / exact - 1.0).abs() < 5e-3, "{:?} {}", placed.form, s.volume() / exact);
    }
}

/// Seeds lie on the surface and stand for all of it.
#[test]
fn seeds_of_bones_stand_for_the_whole_surface() {
    let clay = read(7.0, ALL);
    let samples = clay.samples(&|_, _| true);
    for s in &samples {
        let f = clay.field.at(s.at).0;
        // Sixteen halvings of a quarter of the thickness, where the field falls by three a thickness.
        assert!((f - 1.0).abs() < 2e-5, "{f} of {}", s.seed / 32);
    }
    let (s, found) = (surface(&clay.field, 0.1, &Unlimited), samples.iter().map(|s| s.area).sum::<f64>());
    let area: f64 = s
        .triangles
        .iter()
        .map(|t| t.map(|k| s.points[k as usize]))
        .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
        .sum();
    assert!((found / area - 1.0).abs() < 0.06, "{found} {area}");
}

/// The same bits after a return to a saved state.
#[test]
fn bones_go_on_from_a_saved_state() {
    let mut first = read(7.0, ALL);
    velocities(&mut first, 0.4);
    (0..50).for_each(|_| step(&mut first, 5e-3));
    let mut state = Writer::default();
    first.save(&mut state);
    let bytes = state.bytes;
    let mut second = read(7.0, ALL);
    second.load(&mut Reader::new(&bytes)).unwrap();
    for _ in 0..50 {
        step(&mut first, 5e-3);
        step(&mut second, 5e-3);
    }
    assert_eq!((first.field.x, first.v, first.poses), (second.field.x, second.v, second.poses));
}
