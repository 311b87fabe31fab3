//! Skeletons alone: bonds, damping, levers.

use super::*;
use crate::scene::{BodySpec, ShapeSpec};
use crate::shape;

mod bones;

/// A body of given skeletons, 1 kg each, with bonds of 1 J.
fn body(skeletons: &[Vec3], velocities: &[Vec3], keys: &str) -> Clay {
    let places: Vec<String> = skeletons.iter().map(|p| format!("{:?}", p.to_array())).collect();
    let keys = format!("skeletons = [{}]\n{keys}", places.join(", "));
    let mut clay = read(skeletons.len() as f64, &keys);
    clay.v.copy_from_slice(velocities);
    clay.show_velocities();
    clay
}

/// A body with some keys and a mass, with bonds of 1 J.
fn read(mass: f64, keys: &str) -> Clay {
    painted(mass, keys, |_| None)
}

/// The same, where something is painted on the shape.
fn painted(mass: f64, keys: &str, paint: impl Fn(Vec3) -> Option<[f32; 3]>) -> Clay {
    let mut spec = BodySpec { shape: ShapeSpec::Box([1.0, 1.0, 1.0]), ..prepare::example() };
    let spacing = if keys.contains("spacing") { "" } else { "spacing = 1.0\n" };
    let own: toml::Table = toml::from_str(&format!("{spacing}bond_energy = 1.0\n{keys}")).unwrap();
    spec.own = own.into_iter().collect();
    let material = crate::scene::Material { density: mass, damping: 0.0, ..Default::default() };
    let mut shape = shape::build(&spec.shape, &Default::default(), "body[0].shape").unwrap();
    shape.mesh.colours = shape.mesh.points.iter().filter_map(|p| paint(*p)).collect();
    let blueprint = super::super::Blueprint {
        spec: &spec,
        path: "body[0]",
        shape: &shape,
        material: &material,
        step: 0.01,
    };
    let form = prepare::shared(&blueprint).unwrap();
    Clay::new(&Arc::new(form), &Start::default())
}

fn step(clay: &mut Clay, h: f64) {
    clay.free_motion(&Environment::default(), h);
    clay.settle(h);
}

fn rest_of_two() -> f64 {
    body(&[Vec3::ZERO, Vec3::X], &[Vec3::ZERO; 2], "").shared.law.rest
}

/// Two skeletons swing about their rest distance with `w^2 = 2 k / m`, `k = K (n - m) / r0^2`.
#[test]
fn two_skeletons_swing_at_the_frequency_of_their_bond() {
    let r0 = rest_of_two();
    let mut clay = body(&[Vec3::ZERO, Vec3::X * (1.001 * r0)], &[Vec3::ZERO; 2], "");
    let k = clay.shared.law.strength * 4.0 / (r0 * r0);
    let period = std::f64::consts::TAU / (2.0 * k).sqrt();
    let h = period / 400.0;
    let apart = |c: &Clay| c.field.x[0].distance(c.field.x[1]) - r0;
    // Ten swings: the tenth return through the rest distance on the way in.
    let (mut crossings, mut t) = (vec![], 0.0);
    let mut last = apart(&clay);
    while crossings.len() < 11 {
        step(&mut clay, h);
        t += h;
        let now = apart(&clay);
        if last > 0.0 && now <= 0.0 {
            crossings.push(t - h * now / (now - last));
        }
        last = now;
    }
    let measured = (crossings[10] - crossings[0]) / 10.0;
    assert!((measured / period - 1.0).abs() < 5e-3, "{measured} {period}");
}

/// Half the mass times the square of the speed is the energy of the bond: a little faster and they part for good.
#[test]
fn two_skeletons_part_at_the_escape_speed_and_not_below() {
    let r0 = rest_of_two();
    // Relative speed v: m v^2 / 4 = 1 J.
    for (share, parts) in [(0.995, false), (1.005, true)] {
        let v = 2.0 * share * 0.5;
        let mut clay = body(&[Vec3::ZERO, Vec3::X * r0], &[Vec3::X * -v, Vec3::X * v], "");
        let mut far = 0.0f64;
        for _ in 0..20_000 {
            step(&mut clay, 2e-3);
            far = far.max(clay.field.x[0].distance(clay.field.x[1]));
        }
        assert_eq!(far > 5.0 * r0, parts, "{share}: {far}");
    }
}

/// A warm lump keeps its energy and momenta; damping takes energy alone.
#[test]
fn a_warm_lump_keeps_energy_and_momenta() {
    let mut places = vec![];
    for k in 0..27 {
        places.push(Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) * 0.97);
    }
    let part = |k: usize, a: f64| (k as f64 * a).fract() - 0.5;
    let velocities: Vec<Vec3> =
        (1..28).map(|k| Vec3::new(part(k, 0.618), part(k, 0.414), part(k, 0.732)) * 0.6).collect();
    for (keys, damped) in [("", false), ("viscosity = 0.5\n", true)] {
        let mut clay = body(&places, &velocities, keys);
        let start = clay.measure();
        for _ in 0..1000 {
            step(&mut clay, 5e-3);
        }
        let end = clay.measure();
        let size = start.kinetic.max(1.0);
        let gain = end.kinetic + end.elastic - start.kinetic - start.elastic;
        if damped {
            assert!(gain < -0.1 * start.kinetic, "{gain}");
        } else {
            assert!(gain.abs() < 5e-3 * size, "{gain} of {size}");
        }
        assert!((end.momentum - start.momentum).length() < 1e-12 * size);
        assert!((end.angular_momentum - start.angular_momentum).length() < 1e-11 * size);
    }
}

/// The paper's damping brakes a turning body; along the line of centres nothing does.
#[test]
fn only_the_papers_damping_brakes_turning() {
    let r = rest_of_two();
    let three =
        [Vec3::X * r, Vec3::new(-0.5, 0.75f64.sqrt(), 0.0) * r, Vec3::new(-0.5, -0.75f64.sqrt(), 0.0) * r];
    let places = three.map(|p| p / 3f64.sqrt());
    let velocities = places.map(|p| Vec3::Z.cross(p) * 0.05);
    let turning = |law: &str| {
        let keys = format!("viscosity = 5.0\ndamping_law = \"{law}\"");
        let mut clay = body(&places, &velocities, &keys);
        let start = clay.measure().angular_momentum.z;
        (0..2000).for_each(|_| step(&mut clay, 5e-3));
        clay.measure().angular_momentum.z / start
    };
    assert!((turning("line_of_centres") - 1.0).abs() < 1e-10);
    assert!(turning("relative_velocity") < 0.9, "{}", turning("relative_velocity"));
}

/// Whatever acts on the coat reaches the skeletons with the same force and the same torque.
#[test]
fn a_push_on_the_coat_keeps_force_and_torque() {
    let places =
        [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 0.9, 0.1), Vec3::new(0.3, 0.3, 0.9), Vec3::new(1.2, 0.8, 0.7)];
    let clay = body(&places, &[Vec3::ZERO; 5], "");
    let mut store = vec![];
    let p = Vec3::new(0.5, 0.4, 1.5);
    for push in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.3, -2.0, 0.7)] {
        let lever = clay.lever_on(p, &mut store);
        let mut y = vec![0.0; clay.y.len()];
        crate::contact::push(lever, &mut y, push, &store, &Default::default());
        let each: Vec<Vec3> = y[BEFORE..]
            .chunks_exact(3)
            .zip(&clay.shared.mass)
            .map(|(v, m)| Vec3::from_slice(v) * *m)
            .collect();
        let force: Vec3 = each.iter().sum();
        let torque: Vec3 = each.iter().zip(&places).map(|(f, x)| x.cross(*f)).sum();
        assert!((force - push).length() < 1e-10, "{force}");
        assert!((torque - p.cross(push)).length() < 1e-10, "{torque} {}", p.cross(push));
    }
}

/// Where two coats press each other they share a face: both fields are equal there, to a millionth of the thickness, and
/// what one gets the other gives.
#[test]
fn two_coats_share_the_face_they_press() {
    let four = [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 0.9, 0.1), Vec3::new(0.3, 0.3, 0.9)];
    let a = body(&four, &[Vec3::ZERO; 4], "");
    let b = body(&four.map(|p| p + Vec3::new(0.2, 0.1, 1.5)), &[Vec3::ZERO; 4], "");
    let touches = crate::contact::touches_of_coats((0, 1), &a, &b);
    let pressed: Vec<_> = touches.iter().filter(|t| t.force > 0.0).collect();
    assert!(pressed.len() > 8, "{}", pressed.len());
    let (mut force, mut torque, mut size) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for t in pressed {
        let ((f, ga), (g, gb)) = (a.field.at(t.at), b.field.at(t.at));
        let apart = (f - g).abs() / (ga - gb).length();
        assert!(apart < 1e-6 * a.shared.thickness, "{apart}");
        assert!(t.normal.dot(ga) > 0.0 && t.normal.dot(gb) < 0.0);
        for (clay, sign) in [(&a, 1.0), (&b, -1.0)] {
            let mut store = vec![];
            let lever = clay.lever_on(t.at, &mut store);
            let mut y = vec![0.0; clay.y.len()];
            crate::contact::push(lever, &mut y, t.normal * (sign * t.force), &store, &Default::default());
            for ((v, m), x) in y[BEFORE..].chunks_exact(3).zip(&clay.shared.mass).zip(&clay.field.x) {
                let f = Vec3::from_slice(v) * *m;
                force += f;
                torque += x.cross(f);
            }
        }
        size += t.force;
    }
    assert!(force.length() < 1e-10 * size && torque.length() < 1e-9 * size, "{force} {torque} {size}");
}

/// Skeletons that fill a painted mesh take what is painted nearest to them, linear as frames have it.
#[test]
fn clay_takes_its_colours_from_the_paint_of_the_mesh() {
    let half = |p: Vec3| Some(if p.x < 0.0 { [1.0, 0.5, 0.0] } else { [0.0, 0.5, 1.0] });
    let clay = painted(1.0, "spacing = 0.12\n", half);
    assert_eq!(clay.shared.colours.len(), clay.field.x.len());
    for (x, c) in clay.field.x.iter().zip(&clay.shared.colours) {
        assert!((c[1] - 0.2140).abs() < 1e-4, "{c:?}");
        // Between its corners the paint of a face is mixed.
        if x.x < -0.25 && x.y.abs().max(x.z.abs()) < x.x.abs() - 0.05 {
            assert_eq!(c[0], 1.0, "{x} {c:?}");
        }
        assert!(x.x.abs() < 0.1 || (c[0] > c[2]) == (x.x < 0.0), "{x} {c:?}");
    }
    assert!(read(1.0, "").shared.colours.is_empty());
}
