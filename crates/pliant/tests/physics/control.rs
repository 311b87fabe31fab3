//! What the animator asks for is what happens.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, coarse, run_for, spec, steps, world};
use pliant::math::Vec3;
use pliant::shape::{TriMesh, box_mesh};
use pliant::{KINDS, MeshLibrary, World};

const H: f64 = 1.0 / 120.0;

/// A path is a constraint, not a spring: ten times the gravity leaves the same error.
#[test]
fn path_is_followed_whatever_the_gravity() {
    for kind in KINDS {
        for gravity in [9.81, 98.1] {
            let scene = format!("[scene]\nsleep = false\ngravity = [0.0, {:?}, 0.0]\n", -gravity);
            let held = body(
                "held",
                kind.name,
                "box = [0.2, 0.3, 0.2]",
                [0.0, 1.0, 0.0],
                "material = { young = 1e6 }\n",
            );
            let path = "[[control]]\nbody = \"held\"\nkind = \"path\"\nselect = { top = 0.01 }\nkeys = [{ t = 0.0, at = [0.0, 0.0, 0.0] }, { t = 0.5, at = [0.4, 0.2, 0.0] }, { t = 1.0, at = [0.0, 0.5, 0.3] }]\n";
            let mut world = world(&format!("{scene}{held}{path}"));
            for _ in 0..240 {
                let error = world.step().unwrap().control_error;
                assert!(error < 1e-6, "{} under {gravity}: {error:e} m off its path", kind.name);
            }
        }
    }
}

/// Held at rest, the control carries exactly the weight.
#[test]
fn hold_carries_the_weight() {
    for kind in KINDS {
        let held = body(
            "held",
            kind.name,
            "box = [0.2, 0.3, 0.2]",
            [0.0, 1.0, 0.0],
            &format!("{}material = {{ young = 1e6, damping = 1.0 }}\n", coarse(kind.name)),
        );
        let hold = "[[control]]\nbody = \"held\"\nkind = \"hold\"\nselect = { top = 0.01 }\n";
        let mut world = world(&format!("{EARTH}{held}{hold}"));
        // What hangs from few bonds swings on for long: a tenth is left of it after two seconds.
        let (seconds, near) = if kind.name == "clay" { (10.0, 1e-5) } else { (5.0, 1e-6) };
        while world.time() < seconds {
            let error = world.step().unwrap().control_error;
            assert!(error < 1e-6, "{}: {error:e} m", kind.name);
        }
        let m = world.frame().measures[0];
        let force = world.control_force(0);
        assert!(
            (force - Vec3::Y * m.mass * 9.81).length() < near * m.mass * 9.81,
            "{}: {force} N",
            kind.name
        );
    }
}

/// A plane holds a body across itself, however it moves, and has no say along itself.
#[test]
fn plane_carries_a_body_that_slides_in_it_freely() {
    let scene = "[scene]\nsleep = false\ngravity = [1.0, -9.81, 0.5]\n";
    for kind in KINDS {
        let block = body(
            "block",
            kind.name,
            "box = [0.2, 0.3, 0.2]",
            [0.0, 1.0, 0.0],
            "material = { young = 1e6, damping = 1.0 }\n",
        );
        let plane = "[[control]]\nbody = \"block\"\nkind = \"plane\"\nselect = { bottom = 0.001 }\n\
                     normal = [0.0, 3.0, 0.0]\nkeys = [{ t = 0.0 }, { t = 1.0, at = [7.0, 0.4, -7.0] }]\n";
        let mut world = world(&format!("{scene}{block}{plane}"));
        let start = world.frame().measures[0];
        let mut carried = 0.0;
        while world.time() < 0.999 {
            let step = world.step().unwrap();
            assert!(step.control_error < 1e-6, "{}: {:e} m off its plane", kind.name, step.control_error);
            carried += world.control_force(0).y * world.step_length();
        }
        let (end, t) = (world.frame().measures[0], world.time());
        // Along the plane only gravity acts; across it the control gives all that gravity does not.
        let gained = end.momentum - start.momentum;
        let free = Vec3::new(1.0, 0.0, 0.5) * (t * start.mass);
        let along = (gained - free) * Vec3::new(1.0, 0.0, 1.0);
        assert!(along.length() < 1e-9 * start.mass, "{}: {along} N s along the plane", kind.name);
        let across = gained.y - (carried - 9.81 * t * start.mass);
        assert!(across.abs() < 1e-6 * start.mass, "{}: {across} N s across", kind.name);
    }
}

/// A hold that ends lets go: from then on the body falls freely.
#[test]
fn hold_lets_go_at_its_time() {
    let held = body("held", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 5.0, 0.0], "");
    let hold = "[[control]]\nbody = \"held\"\nkind = \"hold\"\nuntil = 0.5\n";
    let mut world = world(&format!("{EARTH}{held}{hold}"));
    steps(&mut world, 60);
    assert!((world.frame().measures[0].centre.y - 5.0).abs() < 1e-6);
    steps(&mut world, 60);
    let fallen = 5.0 - world.frame().measures[0].centre.y;
    let expected = 9.81 * H * H * 60.0 * 61.0 / 2.0;
    assert!((fallen - expected).abs() < 1e-6, "{fallen} m for {expected} m");
}

/// Two bodies glued corner to corner fly through space: momentum is kept, the glue holds.
#[test]
fn attached_bodies_stay_together_and_keep_their_momentum() {
    for a in KINDS {
        for b in KINDS {
            let first = body(
                "a",
                a.name,
                "box = [0.2, 0.2, 0.2]",
                [0.0; 3],
                "velocity = [1.0, 0.0, 0.0]\nmaterial = { young = 1e7 }\n",
            );
            let second = body(
                "b",
                b.name,
                "box = [0.2, 0.2, 0.2]",
                [0.3, 0.25, 0.0],
                "velocity = [0.0, 1.0, 0.5]\nmaterial = { young = 1e7 }\n",
            );
            let glue = "[[control]]\nbody = \"a\"\nkind = \"attach\"\nto = \"b\"\nselect = { nearest = [0.1, 0.1, 0.1] }\n";
            let mut world = world(&format!("{SPACE}{first}{second}{glue}"));
            let p0: Vec3 = world.frame().measures.iter().map(|m| m.momentum).sum();
            for _ in 0..240 {
                let error = world.step().unwrap().control_error;
                // One step of turning at a few rad/s over 0.3 m leaves w^2 r h^2 of a straight step: 1e-4 m.
                assert!(error < 1e-3, "{} to {}: {error:e} m", a.name, b.name);
            }
            let p: Vec3 = world.frame().measures.iter().map(|m| m.momentum).sum();
            assert!(
                (p - p0).length() < 1e-12 * p0.length(),
                "{} to {}: {:e}",
                a.name,
                b.name,
                (p - p0).length()
            );
        }
    }
}

/// F = m a, to round-off.
#[test]
fn force_control_accelerates_by_force_over_mass() {
    for kind in KINDS {
        let free = body("free", kind.name, "box = [0.2, 0.2, 0.2]", [0.0; 3], "");
        let push = "[[control]]\nbody = \"free\"\nkind = \"force\"\nforce = [3.0, -2.0, 1.0]\n";
        let mut world = world(&format!("{SPACE}{free}{push}"));
        run_for(&mut world, 1.0);
        let m = world.frame().measures[0];
        let expected = Vec3::new(3.0, -2.0, 1.0);
        assert!((m.momentum - expected).length() < 1e-12, "{}: {} N s", kind.name, m.momentum);
        assert!((m.mass - 8.0).abs() < 1e-12);
    }
}

/// m g = 1/2 rho c A v^2 with A a quarter of the surface.
#[test]
fn falling_body_reaches_its_terminal_velocity() {
    for kind in KINDS {
        let scene = "[scene]\nsleep = false\nair_density = 1.2\n";
        let leaf = body(
            "leaf",
            kind.name,
            "box = [0.2, 0.2, 0.2]",
            [0.0; 3],
            &format!("{}material = {{ density = 20.0, drag = 1.0, young = 1e7 }}\n", coarse(kind.name)),
        );
        let mut world = world(&format!("{scene}{leaf}"));
        run_for(&mut world, 10.0);
        let m = world.frame().measures[0];
        let area = 0.25 * 6.0 * 0.04;
        let expected = (2.0 * m.mass * 9.81 / (1.2 * area)).sqrt();
        let v = -m.momentum.y / m.mass;
        // The step takes the drag at the speed after gravity's part, implicitly: an error of g h / v = 1 %.
        assert!((v / expected - 1.0).abs() < 9.81 * H / expected, "{}: {v} m/s for {expected}", kind.name);
    }
}

/// In the end everything moves with the wind, and no faster.
#[test]
fn wind_carries_a_body_to_its_own_speed() {
    for kind in KINDS {
        let scene =
            "[scene]\nsleep = false\nair_density = 1.2\nwind = [5.0, 0.0, 0.0]\ngravity = [0.0, 0.0, 0.0]\n";
        let leaf = body(
            "leaf",
            kind.name,
            "box = [0.2, 0.2, 0.2]",
            [0.0; 3],
            &format!("{}material = {{ density = 1.0 }}\n", coarse(kind.name)),
        );
        let mut world = world(&format!("{scene}{leaf}"));
        let mut before = 0.0;
        for _ in 0..1200 {
            let m = world.next_frame(&mut ()).unwrap().measures[0];
            let v = m.momentum.x / m.mass;
            assert!(v >= before && v <= 5.0, "{}: {v}", kind.name);
            before = v;
        }
        // v' = -k v^2 for the speed left, k = rho c A / (2 m): left after t is 1/(1/5 + k t).
        let k = 0.5 * 1.2 * 0.06 / 0.008;
        let left = 1.0 / (1.0 / 5.0 + k * 20.0);
        assert!(
            ((5.0 - before) / left - 1.0).abs() < 0.02,
            "{}: {} left for {left}",
            kind.name,
            5.0 - before
        );
    }
}

/// A hand that is not strong enough lets the load sink: the force stays at its limit.
#[test]
fn control_never_exceeds_its_force() {
    let load = body("load", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 3.0, 0.0], "");
    let hold = "[[control]]\nbody = \"load\"\nkind = \"hold\"\nmax_force = 40.0\n";
    let mut world = world(&format!("{EARTH}{load}{hold}"));
    for _ in 0..60 {
        world.step().unwrap();
        assert!(world.control_force(0).length() <= 40.0 * (1.0 + 1e-12));
    }
    let m = world.frame().measures[0];
    let expected = -(9.81 - 40.0 / 8.0) * 0.5;
    assert!((m.momentum.y / m.mass - expected).abs() < 1e-9, "{} m/s", m.momentum.y / m.mass);
}

/// The path of a body through others: it pushes them aside and keeps to its path.
#[test]
fn driven_body_pushes_others_aside_and_keeps_its_path() {
    let plough = body("plough", "rigid", "box = [0.2, 0.2, 0.2]", [-1.0, 0.11, 0.0], "");
    let others = body(
        "crate",
        "rigid",
        "box = [0.2, 0.2, 0.2]",
        [-0.5, 0.1, 0.05],
        "copies = { count = [3, 1, 1], spacing = [0.4, 0.0, 0.0] }\n",
    );
    let path = "[[control]]\nbody = \"plough\"\nkind = \"path\"\nkeys = [{ t = 0.0, at = [0.0, 0.0, 0.0] }, { t = 1.0, at = [1.5, 0.0, 0.0] }]\n";
    let mut run = Watched::new(&format!("{EARTH}{plough}{others}{FLOOR}{path}"));
    let end = run.run(1.0, |_, f| {
        assert!(f.report.max_control_error < 1e-6, "{:e} m off at {}", f.report.max_control_error, f.time);
    });
    assert!(end.measures[1].centre.x > -0.45, "the first crate was not pushed");
}

/// A block of 8 kg held or led by some method, with steps of `H`.
fn led(kind: &str, gravity: f64, control: &str) -> pliant::World {
    let scene = format!("[scene]\nsleep = false\ngravity = [0.0, {:?}, 0.0]\n", -gravity);
    let block = body(
        "block",
        kind,
        "box = [0.2, 0.2, 0.2]",
        [0.0, 5.0, 0.0],
        &format!("{}material = {{ young = 1e8, damping = 1.0 }}\n", coarse(kind)),
    );
    world(&format!("{scene}{block}[[control]]\nbody = \"block\"\n{control}"))
}

/// A rubber band sags by the weight over its stiffness, ten times as much under ten times the gravity; exact rows do not.
#[test]
fn penalty_sags_by_weight_over_stiffness_and_exact_rows_do_not() {
    // A spring whose swing takes 24 steps of symplectic Euler: over whole swings it averages to its rest.
    let swing = 24;
    let stiffness = 8.0 * (2.0 * (std::f64::consts::PI / f64::from(swing)).sin() / H).powi(2);
    let hold = format!("kind = \"hold\"\nmethod = \"penalty\"\nstiffness = {stiffness:?}\n");
    for gravity in [9.81, 98.1] {
        let mut soft = led("rigid", gravity, &hold);
        let sags = (0..10 * swing).map(|_| {
            // Steps report the errors of controls that claim to have none; a soft one's stands in its frame.
            assert_eq!(soft.step().unwrap().control_error, 0.0);
            soft.frame().controls[0].error
        });
        let sag = sags.sum::<f64>() / f64::from(10 * swing);
        let expected = 8.0 * gravity / stiffness;
        assert!((sag / expected - 1.0).abs() < 1e-6, "{sag} m for {expected} m");
        let mut exact = led("rigid", gravity, "kind = \"hold\"\n");
        for _ in 0..240 {
            let error = exact.step().unwrap().control_error;
            assert!(error < 1e-9, "{error:e} m");
        }
    }
}

/// Every kind of body hangs from rubber bands, and the control says how hard they pull.
#[test]
fn penalty_carries_the_weight_of_every_kind() {
    for kind in KINDS {
        let mut world = led(kind.name, 9.81, "kind = \"hold\"\nmethod = \"penalty\"\nstiffness = 2e3\n");
        let mut pull = Vec3::ZERO;
        // 10 swings of 2 pi sqrt(m/k).
        let steps = (10.0 * std::f64::consts::TAU * (8.0f64 / 2e3).sqrt() / world.step_length()).round();
        for _ in 0..steps as usize {
            world.step().unwrap();
            pull += world.control_force(0) / steps;
        }
        assert!((pull.y / (8.0 * 9.81) - 1.0).abs() < 0.01, "{}: {} N", kind.name, pull.y);
    }
}

/// A reaction constraint follows a bent path whatever the gravity, like exact rows. What the solver leaves is made good at
/// the constraint's own rate, here 100 /s, not within the step.
#[test]
fn reaction_follows_a_path_whatever_the_gravity() {
    let keys = "keys = [{ t = 0.0, at = [0.0, 0.0, 0.0] }, { t = 0.5, at = [0.4, 0.2, 0.0] }, { t = 1.0, at = [0.0, 0.5, 0.3] }]\n";
    for kind in KINDS {
        for gravity in [9.81, 98.1] {
            let control = format!(
                "kind = \"path\"\nmethod = \"reaction\"\nstiffness = 8e4\nselect = {{ top = 0.01 }}\n{keys}"
            );
            let mut world = led(kind.name, gravity, &control);
            for _ in 0..180 {
                let error = world.step().unwrap().control_error;
                assert!(error < 1e-6, "{} under {gravity}: {error:e} m off its path", kind.name);
            }
        }
    }
}

/// A flying body is caught with critical damping, and never overshoots, however heavy the load: with `q = 1/(1 + r h)` the
/// step's own `v t exp(-r t)` is `h v n q^(n + 1)`.
#[test]
fn reaction_catches_a_flying_body_with_critical_damping() {
    let flying = body("block", "rigid", "box = [0.2, 0.2, 0.2]", [0.0; 3], "velocity = [1.0, 0.0, 0.0]\n");
    let load = "[[control]]\nbody = \"block\"\nkind = \"force\"\nfrom = 0.5\nforce = [500.0, 0.0, 0.0]\n";
    for (load, from) in [("", 0.0), ("", 0.5), (load, 0.5)] {
        let catch = format!(
            "[[control]]\nbody = \"block\"\nkind = \"hold\"\nmethod = \"reaction\"\nstiffness = 800.0\nfrom = {from:?}\n"
        );
        let mut world = world(&format!("{SPACE}{flying}{load}{catch}"));
        steps(&mut world, (from / H).round() as usize);
        let q = 1.0 / (1.0 + 10.0 * H);
        for n in 1..240 {
            world.step().unwrap();
            let away = world.frame().measures[0].centre.x - from;
            let expected = H * f64::from(n) * q.powi(n + 1);
            assert!((away - expected).abs() < 1e-9, "{away} m for {expected} m after {n} steps");
        }
    }
}

/// A saved world with every method goes on as if nothing had happened.
#[test]
fn methods_go_on_from_a_saved_state() {
    for method in ["penalty", "reaction"] {
        let control = format!(
            "kind = \"path\"\nmethod = \"{method}\"\nstiffness = 900.0\nselect = {{ top = 0.01 }}\nkeys = [{{ t = 0.0 }}, {{ t = 1.0, at = [0.4, 0.2, 0.0] }}]\n"
        );
        let mut first = led("global", 9.81, &control);
        steps(&mut first, 30);
        let mut second = led("global", 9.81, &control);
        second.load(&first.save()).unwrap();
        assert_eq!(first.control_force(0), second.control_force(0));
        steps(&mut first, 30);
        steps(&mut second, 30);
        assert_eq!(first.save(), second.save(), "{method}");
    }
}

/// Painted points are held, in the channel that is asked for, and the others hang from them.
#[test]
fn what_is_painted_is_held() {
    // A bar, red at one end and faintly green at the other.
    let mut mesh = box_mesh(Vec3::new(0.4, 0.1, 0.1), [4, 1, 1]);
    let paint = |p: &Vec3| [if p.x < -0.19 { 0.9 } else { 0.0 }, if p.x > 0.19 { 0.3 } else { 0.0 }, 0.0];
    mesh.colours = mesh.points.iter().map(paint).collect();
    let bare = MeshLibrary::from([("bar.ply".into(), TriMesh { colours: vec![], ..mesh.clone() })]);
    let painted = MeshLibrary::from([("bar.ply".into(), mesh.clone())]);
    let scene = |kind: &str, select: &str| {
        let more = if kind == "rigid" { "" } else { "material = { young = 1e6 }\n" };
        let bar = body("bar", kind, "mesh = \"bar.ply\"", [0.0, 1.0, 0.0], more);
        spec(&format!("{EARTH}{bar}[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = {select}\n"))
    };
    for (kind, select, sign) in [
        ("rigid", "{ painted = {} }", -1.0),
        ("lattice", "{ painted = { channel = \"red\" } }", -1.0),
        ("lattice", "{ painted = { channel = \"green\", least = 0.2 } }", 1.0),
    ] {
        let mut world = World::new(&scene(kind, select), &painted).unwrap();
        let start = world.bodies()[0].skin().points.clone();
        // Half of a swing.
        run_for(&mut world, 0.12);
        let (mut held, mut sag) = (0, 0.0f64);
        for (p, q) in world.bodies()[0].skin().points.iter().zip(&start) {
            if q.x * sign > 0.19 {
                assert!(p.distance(*q) < 1e-7, "{kind} {select}: {p} was at {q}");
                held += 1;
            } else {
                sag = sag.max(q.y - p.y);
            }
        }
        // As far as a box that is held by its end alone: 1.7 times less, if paint spread to the points next to it.
        if kind == "lattice" {
            let select = if sign < 0.0 { "left" } else { "right" };
            let bar =
                body("bar", kind, "box = [0.4, 0.1, 0.1]", [0.0, 1.0, 0.0], "material = { young = 1e6 }\n");
            let hold =
                format!("[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = {{ {select} = 0.001 }}\n");
            let mut plain = World::new(&spec(&format!("{EARTH}{bar}{hold}")), &bare).unwrap();
            let start = plain.bodies()[0].skin().points.clone();
            run_for(&mut plain, 0.12);
            let ways = plain.bodies()[0].skin().points.iter().zip(&start).map(|(p, q)| q.y - p.y);
            let known = ways.fold(0.0, f64::max);
            assert!((sag / known - 1.0).abs() < 0.02, "{select}: {sag} for {known}");
        }
        // The four corners of that end, and those that a finer skin has between them.
        assert!(held >= 4, "{kind} {select}: {held}");
        assert_eq!(sag > 1e-2, kind == "lattice", "{kind}: {sag}");
    }
    for (select, meshes, word) in [
        ("{ painted = {} }", &bare, "vertex colours"),
        ("{ painted = { channel = \"green\" } }", &painted, "0.3"),
        ("{ painted = { least = 0 } }", &painted, "above 0"),
    ] {
        let error = World::new(&scene("lattice", select), meshes).err().unwrap();
        assert!(error.path.starts_with("control[0].select") && error.message.contains(word), "{error}");
    }
}

/// Bodies of any kind follow a mesh that swings and turns, as it was animated, by what force it takes.
#[test]
fn points_follow_a_mesh_that_moves() {
    let fps = 60.0;
    let plate = box_mesh(Vec3::new(0.4, 0.02, 0.4), [2, 1, 2]);
    let pose = |t: f64| {
        let turn = pliant::math::Quat::from_rotation_z(0.5 * (1.0 - (4.0 * t).cos()));
        (Vec3::new(0.1 * (3.0 * t).sin(), 0.05 * t * t, 0.0), turn)
    };
    let frame = |n: usize| {
        let (at, turn) = pose(n as f64 / fps);
        plate.map(|p| turn * p + at)
    };
    let meshes: MeshLibrary = (1..=61).map(|n| (format!("plate.{n:04}.obj"), frame(n - 1))).collect();
    for kind in ["rigid", "global", "hybrid", "lattice"] {
        let keys = format!(
            "{}material = {{ young = 1e6, density = 500.0, damping = 0.2 }}\n",
            crate::support::coarse(kind)
        );
        // Stands on the plate and follows it by its underside.
        let block = body("a", kind, "box = [0.2, 0.2, 0.2]", [0.0, 0.115, 0.0], &keys);
        let follow = "[[control]]\nbody = \"a\"\nkind = \"follow\"\nselect = { bottom = 0.001 }\n\
                      motion = { mesh = \"plate.####.obj\", frames = [1, 61], fps = 60 }\n";
        let mut world = World::new(&spec(&format!("{EARTH}{block}{follow}")), &meshes).unwrap();
        let skin = |w: &World| w.bodies()[0].skin().points.clone();
        let start = skin(&world);
        let mut lifted = 0.0f64;
        while world.time() < 0.9 {
            let frame = world.next_frame(&mut ()).unwrap();
            let control = frame.controls[0];
            let most = if matches!(kind, "rigid" | "global") { 1e-4 } else { 1e-6 };
            assert!(control.exact && control.error < most, "{kind}: {} m off", control.error);
            lifted = lifted.max(control.force.y);
            if kind == "rigid" || kind == "global" {
                continue;
            }
            // Points keep their distance from where they were bound: they move as the plate does there, without its turning
            // the distance, which is 5 mm.
            let (at, turn) = pose(world.time());
            for (p, q) in skin(&world).iter().zip(&start).filter(|(_, q)| q.y < 0.016) {
                let bound = Vec3::new(q.x, 0.01, q.z);
                let known = turn * bound + at + (*q - bound);
                assert!(p.distance(known) < 2e-5, "{kind} at {} s: {p} for {known}", world.time());
            }
        }
        // Four kilograms are carried at least.
        assert!(lifted > 0.9 * 4.0 * 9.81, "{kind}: {lifted} N");
    }
}
