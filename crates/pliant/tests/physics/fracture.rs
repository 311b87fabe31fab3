//! Bodies that break: what is kept when they come apart, and how pieces go on.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, world};
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use pliant::{Measures, World};

const STRIP: &str = "grid = { size = [0.4, 0.1], cells = [16, 4], thickness = 0.004 }";

/// Momentum, angular momentum, mass and energy.
type Totals = (Vec3, Vec3, f64, f64);

fn totals(world: &World) -> Totals {
    let all: Vec<Measures> = world.bodies().iter().map(|b| b.measure()).collect();
    (
        all.iter().map(|m| m.momentum).sum(),
        all.iter().map(|m| m.angular_momentum).sum(),
        all.iter().map(|m| m.mass).sum(),
        all.iter().map(|m| m.kinetic + m.elastic).sum(),
    )
}

fn assert_momenta_kept(now: &Totals, start: &Totals) {
    let p = (now.0 - start.0).length() / start.0.length();
    let l = (now.1 - start.1).length() / start.1.length();
    assert!(p < 1e-12 && l < 1e-12, "momentum off by {p:e}, angular momentum by {l:e}");
}

/// A strip that spins in space tears by its own weight, as it were; nothing else acts on it.
#[test]
fn a_strip_torn_in_two_keeps_its_momenta_and_both_pieces_move_on() {
    let keys = "velocity = [0.3, -0.2, 0.5]\nspin = [30.0, 2300.0, 20.0]\nfracture_strain = 0.2\n\
                material = { density = 1000.0, young = 1e5, damping = 0.05 }";
    let text = format!("{SPACE}substeps = 8\n{}", body("strip", "hybrid", STRIP, [0.1, 0.2, 0.3], keys));
    let mut run = Watched::new(&text);
    let start = totals(&run.world);
    let mut energy = start.3;
    let mut torn = None;
    run.run(0.25, |world, frame| {
        let now = totals(world);
        let count = world.bodies().len();
        if count > 1 {
            torn.get_or_insert(frame.time);
        }
        assert!((now.2 / start.2 - 1.0).abs() < 1e-14, "{count} pieces weigh {} kg of {}", now.2, start.2);
        assert_momenta_kept(&now, &start);
        assert!(now.3 < energy * (1.0 + 1e-6), "energy rose from {energy} to {}", now.3);
        energy = now.3;
    });
    let torn = torn.expect("it tears");
    assert!(torn < 0.1, "only at {torn} s");
    let ends: Vec<Measures> = run.world.bodies().iter().map(|b| b.measure()).collect();
    let apart = ends[0].centre.distance(ends[1].centre);
    // They fly off along the tangent of where they were: 0.1 m from the middle at 40 rad/s.
    assert!(apart > 0.3, "{} pieces, {apart} m apart", ends.len());
    for m in &ends {
        assert!(m.kinetic > 0.0 && m.volume > 0.0);
    }
    // One object in the scene's eyes, with all of its mass.
    let frame = run.world.frame();
    assert_eq!(frame.measures.len(), 1);
    assert!((frame.measures[0].mass / start.2 - 1.0).abs() < 1e-14);
    let surface = frame.objects[0].surface.as_ref().unwrap();
    assert_eq!(surface.pieces.iter().max().map(|m| *m as usize + 1), Some(ends.len()));
}

/// A strip that flies by is cut in two where the plane lies; nothing else changes, and each half has the mass of its side.
#[test]
fn a_cut_parts_a_body_where_the_plane_lies_and_keeps_its_momenta() {
    let keys = "velocity = [0.3, -0.2, 0.5]\nspin = [3.0, 230.0, 20.0]\nfracture_strain = 10.0\n\
                material = { density = 1000.0, young = 1e5, damping = 0.05 }";
    let text = format!("{SPACE}{}", body("strip", "hybrid", STRIP, [0.1, 0.2, 0.3], keys));
    let mut run = Watched::new(&text);
    let start = totals(&run.world);
    // A quarter of the length from one end: between the fourth and the fifth row of bricks.
    run.world.cut(0, Vec3::new(0.0, 0.2, 0.3), Vec3::X).unwrap();
    run.run(0.2, |world, _| {
        assert_eq!(world.bodies().len(), 2);
        assert_momenta_kept(&totals(world), &start);
    });
    let masses: Vec<f64> = run.world.bodies().iter().map(|b| b.measure().mass / start.2).collect();
    assert!(masses.iter().any(|m| (m - 0.25).abs() < 1e-12), "{masses:?}");
    let mut stone = world(&body("stone", "rigid", "box = [0.1, 0.1, 0.1]", [0.0; 3], ""));
    assert!(stone.cut(0, Vec3::ZERO, Vec3::X).unwrap_err().contains("fracture_strain"));
}

/// Pieces of every kind of net have closed skins and keep all momentum, also where they touch.
#[test]
fn every_net_can_break_and_its_pieces_are_solids() {
    let spin = "spin = [0.0, 1400.0, 0.0]";
    let cases = [
        ("curve = { points = [[-0.2, 0, 0], [0.2, 0, 0]], nodes = 20, radius = 0.01 }", "", spin),
        (STRIP, "", spin),
        ("box = [0.4, 0.1, 0.08]", "resolution = [12, 3, 2]", spin),
        (
            "tube = { radius = 0.04, length = 0.4, cells = [12, 10], thickness = 0.004 }",
            "",
            "spin = [1400.0, 0.0, 0.0]",
        ),
        ("ellipsoid = [0.2, 0.06, 0.06]", "resolution = [11, 10]\nthickness = 0.004", spin),
        ("torus = { major = 0.15, minor = 0.03 }", "thickness = 0.004", spin),
    ];
    for (shape, more, spin) in cases {
        let keys = format!(
            "{spin}\nfracture_strain = 0.15\n{more}\nmaterial = {{ density = 1000.0, young = 6e4, damping = 0.02 }}"
        );
        let text = format!("{SPACE}substeps = 8\n{}", body("whole", "hybrid", shape, [0.0; 3], &keys));
        let mut run = Watched::new(&text);
        let start = totals(&run.world);
        run.run(0.2, |world, frame| {
            for piece in world.bodies() {
                let skin = piece.skin();
                let mesh = TriMesh {
                    points: skin.points.clone(),
                    triangles: skin.form.triangles.clone(),
                    ..TriMesh::default()
                };
                let sound = mesh.check_solid();
                assert_eq!(sound, Ok(()), "{shape} at {}", frame.time);
            }
        });
        let end = totals(&run.world);
        assert!(run.world.bodies().len() > 1, "{shape} did not break");
        assert!((end.0 - start.0).length() < 1e-12 * start.1.length(), "{shape}");
    }
}

/// Torn by two paths, then dropped: pieces follow their controls, land on the floor and on each other.
fn torn_strip() -> String {
    let keys = "weights = { w1 = 400.0, w2 = 0.02 }\nfracture_strain = { along = \"u\", values = [0.3, 0.12, 0.3] }\n\
                material = { density = 1000.0, damping = 0.3, friction = 0.4 }";
    let path = |side: &str, x: f64| {
        format!(
            "[[control]]\nbody = \"strip\"\nkind = \"path\"\nselect = {{ {side} = 0.001 }}\nuntil = 0.4\n\
             keys = [{{ t = 0.0, at = [0.0, 0.0, 0.0] }}, {{ t = 0.4, at = [{x:?}, 0.0, 0.0] }}]\n"
        )
    };
    format!(
        "{EARTH}{FLOOR}{}{}{}{}",
        body("strip", "hybrid", STRIP, [0.0, 0.15, 0.0], keys),
        body("post", "rigid", "box = [0.1, 0.1, 0.1]", [0.05, 0.051, 0.0], ""),
        path("left", -0.05),
        path("right", 0.05),
    )
}

#[test]
fn controls_stay_with_the_pieces_they_hold() {
    let mut run = Watched::new(&torn_strip());
    let frame = run.finish(0.39);
    assert!(run.world.bodies().len() > 2, "it is torn");
    assert!(frame.report.max_control_error < 1e-6, "{:e} m off", frame.report.max_control_error);
    let ends = |piece: usize| {
        let points = &run.world.bodies()[piece].skin().points;
        let x = points.iter().map(|p| p.x);
        (x.clone().fold(f64::INFINITY, f64::min), x.fold(f64::NEG_INFINITY, f64::max))
    };
    let last = run.world.bodies().len() - 2;
    // Each end was led 49 mm away in the last frame but one.
    assert!((ends(0).0 + 0.24875).abs() < 1e-3 && (ends(last).1 - 0.24875).abs() < 1e-3);
}

#[test]
fn pieces_land_on_everything_and_on_each_other() {
    let mut run = Watched::new(&torn_strip());
    let end = run.finish(1.2);
    assert!(run.world.bodies().len() > 2);
    assert!(run.world.bodies().iter().all(|b| b.centre().0.y < 0.14), "they fell");
    assert_eq!(end.measures.len(), 2);
}

#[test]
fn a_broken_world_is_saved_and_loaded_exactly() {
    let text = torn_strip();
    let mut first = world(&text);
    for _ in 0..36 {
        first.next_frame(&mut ()).unwrap();
    }
    assert!(first.bodies().len() > 2);
    let state = first.save();
    // Into a fresh world, and into one that has broken further.
    let mut fresh = world(&text);
    fresh.load(&state).unwrap();
    assert_eq!(fresh.save(), state);
    for _ in 0..10 {
        first.next_frame(&mut ()).unwrap();
        fresh.next_frame(&mut ()).unwrap();
        assert!(first.save() == fresh.save(), "they part at {}", first.time());
    }
    first.load(&state).unwrap();
    assert!(first.save() == state);
    // And back to before anything broke.
    let whole = world(&text).save();
    first.load(&whole).unwrap();
    assert_eq!(first.bodies().len(), 2);
    assert!(first.save() == whole);
    // A damaged state is refused.
    for cut in [17, 40, state.len() / 2, state.len() - 8] {
        assert!(world(&text).load(&state[..cut]).is_err());
    }
}
