//! Soft bodies that touch themselves.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, spec, world};
use pliant::math::Vec3;
use pliant::{MeshLibrary, World};

/// A horseshoe of jelly between two blocks that fly at it from above and below, without gravity.
fn horseshoe() -> String {
    let parts = "parts = [\
        { shape = { box = [0.30, 0.06, 0.10] }, position = [0, 0.07, 0] }, \
        { shape = { box = [0.30, 0.06, 0.10] }, position = [0, -0.07, 0] }, \
        { shape = { box = [0.08, 0.20, 0.10] }, position = [-0.11, 0, 0] }]";
    let soft = "cell = 0.04\nmaterial = { density = 1000.0, young = 2e4, poisson = 0.3, damping = 0.1, friction = 0.4 }";
    let block = |from: f64| {
        format!(
            "velocity = [0.0, {}, 0.0]\nmaterial = {{ density = 1500.0, friction = 0.4 }}",
            -2.0 * from.signum()
        )
    };
    [
        body("horseshoe", "lattice", parts, [0.0, 0.0, 0.0], soft),
        body("upper", "rigid", "box = [0.12, 0.06, 0.14]", [0.09, 0.14, 0.0], &block(1.0)),
        body("lower", "rigid", "box = [0.12, 0.06, 0.14]", [0.09, -0.14, 0.0], &block(-1.0)),
    ]
    .concat()
}

/// Least distance between points that face each other on the inner sides of the two arms.
fn opening(world: &World) -> f64 {
    let rest = spec(&format!("{SPACE}{}", horseshoe()));
    let start = World::new(&rest, &MeshLibrary::new()).unwrap();
    let (now, then) = (&world.bodies()[0].skin().points, &start.bodies()[0].skin().points);
    let arm = |sign: f64| {
        (0..then.len()).filter(move |k| then[*k].x > 0.0 && (then[*k].y * sign - 0.04).abs() < 1e-6)
    };
    let facing = |i: usize, j: usize| (then[i] - then[j]).length() < 0.0801;
    let gaps =
        arm(1.0).flat_map(|i| arm(-1.0).filter(move |j| facing(i, *j)).map(move |j| now[i].distance(now[j])));
    gaps.fold(f64::INFINITY, f64::min)
}

/// Two blocks drive the arms of a horseshoe together: they meet, press on each other and part again. Nothing passes through
/// anything, itself included, momenta stay, and contact gives no energy.
#[test]
fn arms_of_a_horseshoe_meet_and_part() {
    let mut watched = Watched::new(&format!("{SPACE}{}", horseshoe()));
    let start = watched.world.frame();
    let momenta = |f: &pliant::Frame| {
        let sum = |g: &dyn Fn(&pliant::Measures) -> Vec3| f.measures.iter().map(g).sum::<Vec3>();
        (sum(&|m| m.momentum), sum(&|m| m.angular_momentum))
    };
    let energy = |f: &pliant::Frame| f.measures.iter().map(|m| m.kinetic + m.elastic).sum::<f64>();
    let scale: f64 = start.measures.iter().map(|m| m.momentum.length()).sum();
    let (mut least, mut last) = (f64::INFINITY, energy(&start));
    watched.run(0.5, |world, frame| {
        least = least.min(opening(world));
        let (p, l) = momenta(frame);
        assert!((p - momenta(&start).0).length() < 1e-11 * scale, "momentum {p} at {}", frame.time);
        assert!((l - momenta(&start).1).length() < 1e-4 * scale, "angular momentum {l} at {}", frame.time);
        assert!(
            energy(frame) < last * (1.0 + 1e-3),
            "energy {last} became {} at {}",
            energy(frame),
            frame.time
        );
        last = energy(frame);
    });
    assert!(least < 4e-3, "the arms came as near as {least}");
    assert!(opening(&watched.world) > 0.02, "they part again");
}

/// What is kept to find pairs faster has no say in what happens: a run that was interrupted ends with the same bits.
#[test]
fn a_folded_body_goes_on_where_it_was_stopped() {
    let text = format!("{SPACE}{}", horseshoe());
    let mut whole = world(&text);
    let frames =
        |world: &mut World, count: usize| (0..count).for_each(|_| drop(world.next_frame(&mut ()).unwrap()));
    let waited = (0..20).find(|_| {
        frames(&mut whole, 1);
        opening(&whole) < 0.01
    });
    assert!(waited.is_some(), "the arms do not touch");
    let saved = whole.save();
    frames(&mut whole, 4);
    let mut later = world(&text);
    later.load(&saved).unwrap();
    frames(&mut later, 4);
    assert!(whole.save() == later.save(), "the states differ");
}

/// Soft stones with sharp corners, where edges without a common corner are near each other at rest, are crushed by what falls on
/// them. Their skins do not pass through themselves.
#[test]
fn sharp_corners_are_crushed_and_do_not_pass_through_their_skin() {
    let stone = "hull = [[0.03, 0.04, -0.125], [-0.08, 0.10, -0.04], [-0.09, -0.09, -0.05], [-0.014, 0.028, 0.13], \
                 [-0.017, -0.13, 0.04], [0.03, -0.017, -0.13], [-0.024, 0.011, 0.133], [0.047, 0.11, 0.065], \
                 [-0.09, 0.074, 0.07]]";
    let keys = "resolution = 4\nrotation = [-169.0, -152.0, -112.0]\nvelocity = [0.0, -6.0, 0.0]\n\
                material = { young = 4e3, poisson = 0.28, density = 2850.0, friction = 0.8, damping = 0.17 }";
    let plate = "velocity = [0.0, -6.0, 0.0]\nmaterial = { density = 3000.0 }";
    let text = [
        EARTH,
        FLOOR,
        &body("stone", "lattice", stone, [0.0, 0.2, 0.0], keys),
        &body("plate", "rigid", "box = [0.3, 0.05, 0.3]", [0.02, 0.45, 0.0], plate),
    ]
    .concat();
    let mut watched = Watched::new(&text);
    let mut least = f64::INFINITY;
    watched.run(0.4, |_, frame| least = least.min(frame.measures[0].least_jacobian));
    assert!(least < 0.2, "hardly crushed: {least}");
}
