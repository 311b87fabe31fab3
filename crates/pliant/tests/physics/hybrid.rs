//! Hybrid bodies in the world: closed forms, the rigid limit, contact, controls, inelasticity.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, spec, world};
use pliant::math::Vec3;
use pliant::shape::box_mesh;
use pliant::{MeshLibrary, World};

/// Corners of an object in world axes.
fn corners(world: &World, object: usize) -> Vec<Vec3> {
    let frame = world.frame();
    let (at, shape) = (&frame.objects[object], &world.topology().objects[object]);
    let points = if at.points.is_empty() { &shape.points } else { &at.points };
    points.iter().map(|p| at.translation + at.rotation * Vec3::from(p.map(f64::from))).collect()
}

fn extent(world: &World, object: usize) -> Vec3 {
    let frame = world.frame();
    let points = frame.objects[object].points.iter().map(|p| Vec3::from(p.map(f64::from)));
    let (low, high) = points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    high - low
}

const GOURD: &str = "revolve = { profile = [[0,-0.12],[0.06,-0.115],[0.09,-0.06],[0.075,0],[0.035,0.05],\
                     [0.03,0.1],[0,0.12]], rings = 9, around = 10 }";

#[test]
fn a_rotating_bar_stretches_by_the_closed_form() {
    // Half length 0.5 m, E = 1e6 Pa, 1000 kg/m^3: rho w^2 l^3/(3 E).
    let keys = "resolution = [20, 2, 2]\nspin = [0.0, 0.0, 200.0]\n\
                material = { density = 1000.0, young = 1e6, damping = 0.7 }";
    let text = format!("{SPACE}{}", body("bar", "hybrid", "box = [1.0, 0.05, 0.05]", [0.0; 3], keys));
    let mut world = world(&text);
    for _ in 0..600 {
        world.step().unwrap();
    }
    let m = world.frame().measures[0];
    // The spin that is left: rest inertia is good to the stretch itself, one part in a thousand.
    let inertia = m.mass * (1.0 + 0.05f64.powi(2)) / 12.0;
    let spin = m.angular_momentum.z / inertia;
    let expected = 2.0 * 1000.0 * spin * spin * 0.5f64.powi(3) / (3.0 * 1e6);
    let stretch = extent(&world, 0).x - 1.0;
    assert!((stretch / expected - 1.0).abs() < 0.01, "stretched by {stretch}, not {expected}");
}

#[test]
fn with_stiffness_beyond_all_bounds_it_follows_the_rigid_body() {
    let keys = |more: &str| {
        format!(
            "rotation = [20.0, 30.0, 10.0]\nspin = [200.0, -90.0, 140.0]\nvelocity = [0.6, 0.0, 0.2]\n\
             material = {{ density = 800.0, friction = 0.4 }}\n{more}"
        )
    };
    // The same surface for both, or they would touch the floor at different points.
    let mut meshes = MeshLibrary::new();
    meshes.insert("box.obj".into(), box_mesh(Vec3::new(0.2, 0.3, 0.25), [2, 2, 2]));
    let run = |kind: &str, shape: &str, more: &str| {
        let text = format!("{EARTH}{FLOOR}{}", body("block", kind, shape, [0.0, 0.6, 0.0], &keys(more)));
        let mut world = World::new(&spec(&text), &meshes).unwrap();
        let mut places = vec![];
        // It falls on a corner at step 35, slides and tips; at step 92 it would lie down flat, where four points hold
        // the one and all points the other.
        for _ in 0..90 {
            world.step().unwrap();
            let frame = world.frame();
            let o = &frame.objects[0];
            places.push((o.translation, o.rotation));
        }
        places
    };
    let rigid = run("rigid", "mesh = \"box.obj\"", "");
    let stiff = |w: f64| {
        let weights = format!("resolution = [2]\nweights = {{ w0 = {:e}, w1 = {:e} }}", 1e4 * w, 1e3 * w);
        let places = run("hybrid", "box = [0.2, 0.3, 0.25]", &weights);
        let off = |((p, q), (r, s)): (&(Vec3, _), &(Vec3, _))| {
            let turned: Vec3 = *q * Vec3::splat(0.2) - *s * Vec3::splat(0.2);
            p.distance(*r).max(turned.length())
        };
        places.iter().zip(&rigid).map(off).fold(0.0, f64::max)
    };
    let hard = stiff(1e12);
    assert!(hard < 1e-8, "1e12 times stiffer, it is {hard:e} m off");
}

#[test]
fn a_dropped_gourd_never_gains_energy_and_books_every_impulse() {
    let keys = "rotation = [10.0, 0.0, 50.0]\nspin = [90.0, 30.0, -200.0]\nvelocity = [0.9, 0.0, 0.3]\n\
                thickness = 0.01\nweights = \"turgid gourd\"\nmaterial = { damping = 0.0, friction = 0.5 }";
    for weights in ["\"turgid gourd\"", "{ w0 = 6e9, w1 = 4e6, w2 = 2e3 }"] {
        let keys = keys.replace("\"turgid gourd\"", weights);
        let text = format!("{EARTH}{FLOOR}{}", body("gourd", "hybrid", GOURD, [0.0, 0.4, 0.0], &keys));
        let mut run = Watched::new(&text);
        let start = run.world.frame().measures[0];
        let mut last = f64::INFINITY;
        run.run(1.5, |_, frame| {
            let m = &frame.measures[0];
            let energy = m.kinetic + m.elastic + m.mass * 9.81 * m.centre.y;
            assert!(energy <= last * (1.0 + 1e-9), "energy rose from {last} to {energy} at {}", frame.time);
            last = energy;
            let booked = m.momentum - start.momentum - frame.report.external_impulse;
            assert!(booked.length() < 1e-12, "{booked} came from nowhere");
        });
    }
}

/// A skin that is cut finer is rounder, and nothing else: in free flight the body moves to the last bit as before, and what
/// lies on the floor touches it with its finer corners, never sinks in, and weighs what it weighs.
#[test]
fn a_finer_skin_is_rounder_and_carries_the_same_body() {
    let ball = |times: u32, place: [f64; 3], keys: &str| {
        let keys = format!("refine = {times}\nweights = \"turgid gourd\"\nthickness = 0.01\n{keys}");
        body("ball", "hybrid", "sphere = 0.1", place, &keys)
    };
    let flying = |times: u32| {
        let mut world = world(&format!("{SPACE}{}", ball(times, [0.0; 3], "spin = [0.0, 90.0, 200.0]\n")));
        for _ in 0..60 {
            world.step().unwrap();
        }
        (world.topology().objects[0].clone(), world.frame())
    };
    let ([(coarse, a), (fine, b)], sphere) = ([0, 2].map(flying), 4.0 / 3.0 * std::f64::consts::PI * 1e-3);
    assert_eq!(fine.triangles.len(), 16 * coarse.triangles.len());
    assert_eq!((coarse.freedoms, a.measures[0].momentum), (fine.freedoms, b.measures[0].momentum));
    assert_eq!(a.measures[0].angular_momentum, b.measures[0].angular_momentum);
    assert_eq!(a.measures[0].elastic, b.measures[0].elastic);
    assert_eq!(a.objects[0].points, b.objects[0].points[..a.objects[0].points.len()]);
    let missing = [&coarse, &fine].map(|o| 1.0 - o.rest_volume / sphere);
    assert!(missing[1].abs() < 0.25 * missing[0], "{missing:?}");

    let keys = "velocity = [0.5, 0.0, 0.2]\nmaterial = { damping = 0.2, friction = 0.5, density = 1000.0 }\n";
    let mut run = Watched::new(&format!("{EARTH}{FLOOR}{}", ball(1, [0.0, 0.15, 0.0], keys)));
    let missing = |f: &pliant::Frame| f.measures[0].momentum - f.report.external_impulse;
    let start = missing(&run.world.frame());
    let end = run.run(4.0, |_, f| {
        assert!((missing(f) - start).length() < 1e-10 * f.measures[0].mass);
    });
    let lowest = corners(&run.world, 0).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0 && lowest < 1e-3, "{lowest}");
    let (force, weight) = (run.world.contact_force(0), end.measures[0].mass * 9.81);
    assert!((force.y / weight - 1.0).abs() < 0.05, "{force} on a weight of {weight}");
}

#[test]
fn both_solvers_give_the_same_motion() {
    let run = |solver: &str| {
        let keys = format!(
            "rotation = [0.0, 0.0, 40.0]\nthickness = 0.01\nweights = \"turgid gourd\"\nsolver = \"{solver}\""
        );
        let text = format!("{EARTH}{FLOOR}{}", body("gourd", "hybrid", GOURD, [0.0, 0.25, 0.0], &keys));
        let mut world = world(&text);
        for _ in 0..60 {
            world.step().unwrap();
        }
        corners(&world, 0)
    };
    let (direct, iterative) = (run("direct"), run("iterative"));
    let off = direct.iter().zip(&iterative).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 1e-6, "they part by {off:e} m");
}

/// A body of each kind, about 0.2 m across.
fn of_each_kind() -> [(&'static str, &'static str); 3] {
    [
        ("rigid", "box = [0.2, 0.2, 0.2]"),
        ("global", "box = [0.2, 0.2, 0.2]"),
        ("hybrid", "ellipsoid = [0.1, 0.1, 0.1]"),
    ]
}

#[test]
fn a_servo_leaves_no_error_while_it_pushes_something() {
    for (kind, shape) in of_each_kind() {
        // It shoves a block along the floor and stops, lifted and turned.
        let text = format!(
            "{EARTH}{FLOOR}{}{}[[control]]\nbody = \"driven\"\nkind = \"servo\"\n\
             keys = [{{ t = 0.0, rotation = [0.0, 0.0, 0.0] }}, \
             {{ t = 1.0, at = [0.5, 0.1, 0.0], rotation = [0.0, 60.0, 0.0] }}]\n",
            body("driven", kind, shape, [0.0, 0.3, 0.0], ""),
            body(
                "block",
                "rigid",
                "box = [0.2, 0.6, 0.4]",
                [0.32, 0.301, 0.0],
                "material = { density = 300.0 }"
            ),
        );
        let mut run = Watched::new(&text);
        let start = run.world.frame().objects[0].rotation;
        let end = run.finish(2.5);
        let wanted = Vec3::new(0.5, 0.4, 0.0);
        let off = end.measures[0].centre.distance(wanted);
        assert!(off < 1e-7, "{kind}: {off:e} m from its place");
        let control = &end.controls[0];
        assert!(control.exact && control.error < 1e-6, "{kind}: the servo says {:e} m", control.error);
        let turned = (end.objects[0].rotation * start.inverse()).to_scaled_axis();
        let turn = (turned - Vec3::Y * 60f64.to_radians()).length();
        // Shells are made of facets and rest on what they touch, so the frame settles more slowly than the place.
        assert!(turn < 1e-6, "{kind}: {turn:e} rad from its attitude");
        assert!(end.measures[1].centre.x > 0.6, "the block was not pushed");
    }
}

#[test]
fn a_thruster_turns_with_the_body() {
    for (kind, shape) in of_each_kind() {
        let text = format!(
            "{SPACE}substeps = 4\n{}[[control]]\nbody = \"rocket\"\nkind = \"thruster\"\nforce = [2.0, 0.0, 0.0]\n",
            body("rocket", kind, shape, [0.0; 3], "spin = [0.0, 0.0, 90.0]\nmaterial = { young = 1e7 }"),
        );
        let mut world = world(&text);
        let mass = world.frame().measures[0].mass;
        let w = 0.5 * std::f64::consts::PI;
        for k in 1..=240 {
            world.step().unwrap();
            let t = k as f64 / 240.0;
            let exact = Vec3::new((w * t).sin(), 1.0 - (w * t).cos(), 0.0) * 2.0 / (mass * w);
            let v = world.frame().measures[0].momentum / mass;
            assert!(v.distance(exact) < 0.01 * (2.0 / mass), "{kind}: {v} instead of {exact} at {t}");
        }
    }
}

#[test]
fn a_plastic_gourd_keeps_its_dent_and_an_elastic_one_does_not() {
    let dent = |yields: f64| {
        let keys = format!(
            "thickness = 0.01\nweights = \"turgid gourd\"\nvelocity = [0.0, -5.0, 0.0]\n\
             material = {{ damping = 0.2, yield_strain = {yields:?} }}"
        );
        let text = format!("{SPACE}{FLOOR}{}", body("gourd", "hybrid", GOURD, [0.0, 0.14, 0.0], &keys));
        let mut run = Watched::new(&text);
        let rest = extent(&run.world, 0);
        let end = run.finish(1.0);
        let m = &end.measures[0];
        assert!(m.momentum.y > 0.0, "it came back");
        let now = extent(&run.world, 0);
        (rest.y - now.y, m.elastic)
    };
    let (kept, elastic) = dent(0.1);
    let (none, _) = dent(0.0);
    assert!(kept > 0.005, "the dent is only {kept} m deep");
    assert!(none.abs() < 1e-4, "the elastic gourd is {none} m shorter");
    assert!(elastic < 1e-3, "the dent is held by {elastic} J of stress");
}

#[test]
fn a_creeping_hoop_sags_into_its_new_shape() {
    let keys = "planar = true\ncreep_time = 0.3\nweights = { w0 = 4000.0, w1 = 40.0, w2 = 0.1 }\n\
                material = { damping = 0.5 }";
    let shape = "curve = { circle = 0.25, nodes = 40, section = [0.02, 0.1] }";
    let text = format!("{EARTH}{FLOOR}{}", body("hoop", "hybrid", shape, [0.0, 0.262, 0.0], keys));
    let mut run = Watched::new(&text);
    let start = extent(&run.world, 0).y;
    run.finish(1.0);
    let once = extent(&run.world, 0).y;
    run.finish(1.0);
    let twice = extent(&run.world, 0).y;
    assert!(once < 0.98 * start && twice < 0.99 * once, "{start} m, {once} m, {twice} m");
}
