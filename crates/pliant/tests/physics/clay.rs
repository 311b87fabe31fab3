//! Clay among others: contact, fusing, tearing, volume, and bad input.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, spec, world};
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use pliant::{Frame, MeshLibrary, World};

/// By how much the volume in the triangles may differ from that which the field encloses, in torn pieces as well.
const LEFT_OUT: f64 = 5e-3;

/// The surface of the first object is closed and manifold, and its triangles enclose what the field does but for a share.
/// Returns the number of pieces.
fn sound(frame: &Frame) -> u32 {
    let object = &frame.objects[0];
    let surface = object.surface.as_ref().unwrap();
    let mesh = TriMesh {
        points: object.points.iter().map(|p| Vec3::from(p.map(f64::from))).collect(),
        triangles: surface.triangles.clone(),
        ..TriMesh::default()
    };
    mesh.check_solid().unwrap_or_else(|e| panic!("{e} at t = {}", frame.time));
    let share = mesh.volume() / frame.measures[0].volume;
    assert!((share - 1.0).abs() < LEFT_OUT, "{share}");
    surface.pieces.iter().max().unwrap() + 1
}

/// Two blobs of one clay meet and are one; nothing from outside acts, so both momenta stay.
#[test]
fn blobs_of_one_clay_fuse_and_keep_their_momenta() {
    let keys = "spacing = 0.05\nvelocity = [0.4, 0.0, 0.0]\n\
                blocks = [{ offset = [0.35, 0.04, 0.0], velocity = [-0.8, 0.0, 0.0] }]\n\
                material = { young = 1e4, damping = 0.6 }\n";
    let mut run = Watched::new(&format!("{SPACE}{}", body("a", "clay", "sphere = 0.1", [0.0; 3], keys)));
    let start = run.world.frame();
    assert_eq!(sound(&start), 2);
    let end = run.run(1.0, |_, frame| {
        sound(frame);
    });
    assert_eq!(sound(&end), 1, "they have not fused");
    let (a, b) = (start.measures[0], end.measures[0]);
    let size = b.mass * 0.4;
    assert!((a.momentum - b.momentum).length() < 1e-12 * size);
    assert!((a.angular_momentum - b.angular_momentum).length() < 1e-12 * size);
    assert!(b.kinetic + b.elastic < a.kinetic + a.elastic);
}

/// Two bodies of clay push each other off: what one gains the other loses, and they do not mix.
#[test]
fn bodies_of_clay_bounce_off_each_other_and_keep_their_momenta() {
    let one = |x: f64, v: f64, name: &str| {
        let keys = format!("spacing = 0.05\nvelocity = [{v:?}, 0.0, 0.0]\nmaterial = {{ young = 5e4 }}\n");
        body(name, "clay", "sphere = 0.1", [x, 0.1 * x, 0.0], &keys)
    };
    let mut run = Watched::new(&format!("{SPACE}{}{}", one(-0.2, 0.5, "a"), one(0.2, -0.5, "b")));
    let total = |f: &Frame| {
        let sum = |g: fn(&pliant::Measures) -> Vec3| f.measures.iter().map(g).sum::<Vec3>();
        (sum(|m| m.momentum), sum(|m| m.angular_momentum))
    };
    let start = run.world.frame();
    let mut touched = false;
    let end = run.run(1.0, |_, f| touched |= !f.contacts.is_empty());
    assert!(touched);
    let size = start.measures[0].mass * 0.5;
    assert!((total(&start).0 - total(&end).0).length() < 1e-10 * size);
    assert!((total(&start).1 - total(&end).1).length() < 1e-10 * size, "{}", total(&end).1 - total(&start).1);
    assert!(end.measures[0].momentum.x < 0.0 && end.measures[1].momentum.x > 0.0);
}

/// A lump meets a box that sleeps: in every step the momentum of all changes by what comes from outside, in the step in
/// which they meet too.
#[test]
fn a_sleeper_that_clay_meets_takes_its_momentum() {
    let falling = "spacing = 0.05\nvelocity = [0.0, -0.5, 0.0]\nmaterial = { young = 2e4, damping = 0.8 }\n";
    let text = format!(
        "[scene]\ngravity = [0.0, -0.2, 0.0]\n{FLOOR}{}{}",
        body("a", "clay", "sphere = 0.1", [0.02, 0.9, 0.0], falling),
        body("b", "rigid", "box = [0.3, 0.1, 0.3]", [0.0, 0.0501, 0.0], ""),
    );
    let mut world = world(&text);
    let missing = |f: &Frame| f.measures.iter().map(|m| m.momentum).sum::<Vec3>() - f.report.external_impulse;
    let start = missing(&world.frame());
    let (mut slept, mut met) = (false, false);
    while !met && world.time() < 2.0 {
        slept |= world.step().unwrap().awake == 1;
        let frame = world.frame();
        met = slept && frame.measures[0].momentum.y > -0.3 * frame.measures[0].mass;
        let size = frame.measures[0].momentum.length();
        assert!((missing(&frame) - start).length() < 1e-9 * size, "at {}", world.time());
    }
    assert!(slept && met);
}

/// Clay so coarse that it is one skeleton has nothing to turn: it falls on the edge of a box and all momentum is accounted for.
#[test]
fn a_single_skeleton_keeps_its_momentum() {
    let keys = "spacing = 0.07\nmaterial = { density = 1100, young = 2e4, damping = 0.8, friction = 0.7 }\n";
    let text = format!(
        "{EARTH}{FLOOR}{}{}",
        body("a", "clay", "sphere = 0.09", [0.3, 0.5, 0.1], keys),
        body("b", "rigid", "box = [0.3, 0.1, 0.3]", [0.17, 0.0501, 0.0], "rotation = [0, 20, 0]\n"),
    );
    let mut world = world(&text);
    assert_eq!(world.topology().objects[0].freedoms, 3);
    let missing = |f: &Frame| f.measures.iter().map(|m| m.momentum).sum::<Vec3>() - f.report.external_impulse;
    let start = missing(&world.frame());
    let (mut fastest, mut slowest) = (0.0f64, f64::INFINITY);
    for _ in 0..60 {
        let frame = world.next_frame(&mut ()).unwrap();
        let mass = frame.measures[0].mass;
        let off = missing(&frame) - start;
        assert!(off.length() < 1e-9 * mass, "at {}: {off}", frame.time);
        let speed = frame.measures[0].momentum.length() / mass;
        fastest = fastest.max(speed);
        slowest = if speed < fastest { slowest.min(speed) } else { f64::INFINITY };
    }
    // It has fallen, and something has stopped it.
    assert!(fastest > 2.0 && slowest < 0.5 * fastest, "{fastest} and {slowest}");
}

/// What carries the first body is its weight; it is flat where it touches the floor, and above it.
fn lies_on_the_floor(run: &Watched, end: &Frame) {
    let weight = Vec3::Y * end.measures[0].mass * 9.81;
    let force = run.world.contact_force(0);
    assert!((force - weight).length() < 0.01 * weight.length(), "{force}");
    let object = &end.objects[0];
    let heights = object.points.iter().map(|p| object.translation.y + f64::from(p[1]));
    let flat = heights.clone().filter(|y| *y < 1e-4).count();
    assert!(flat > 10, "{flat} points on the floor");
    assert!(heights.fold(f64::INFINITY, f64::min) > 0.0);
}

/// A lump on the floor is carried by exactly its weight, pressed flat where it touches, and stays above.
#[test]
fn a_lump_lies_on_the_floor_and_weighs_what_it_weighs() {
    let keys = "spacing = 0.05\nmaterial = { young = 5e4, damping = 0.8 }\n";
    let text = format!("{EARTH}{FLOOR}{}", body("a", "clay", "sphere = 0.1", [0.0, 0.12, 0.0], keys));
    let mut run = Watched::new(&text);
    let end = run.run(4.0, |_, frame| {
        sound(frame);
    });
    lies_on_the_floor(&run, &end);
    // At rest its triangles stay what they are.
    let count = |f: &Frame| f.objects[0].surface.as_ref().unwrap().triangles.len() as f64;
    let mut last = count(&end);
    run.run(1.0, |_, frame| {
        assert!((count(frame) / last - 1.0).abs() < 0.05, "{last} then {}", count(frame));
        last = count(frame);
    });
}

/// A figure of segments, a ball, a triangle, a curve and a box: what carries it is its weight, it stays above the floor and
/// its surface is closed throughout.
#[test]
fn a_figure_of_bones_lies_on_the_floor_and_weighs_what_it_weighs() {
    let keys = "spacing = 0.08\ncoat = 0.05\nmaterial = { young = 5e4, damping = 0.8 }\n\
                skeletons = [{ segment = [[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]] }, { ball = 0.03, at = [0.0, 0.1, 0.0] },\n\
                { triangle = [[-0.06, -0.08, 0.0], [0.06, -0.08, 0.02], [0.0, -0.08, 0.1]] },\n\
                { curve = [[0.18, 0.0, 0.0], [0.22, 0.05, 0.0], [0.22, 0.12, 0.02]] },\n\
                { box = [0.06, 0.08, 0.05], at = [-0.21, 0.02, 0.0], rotation = [0, 30, 20] }]\n";
    let text = format!("{EARTH}{FLOOR}{}", body("a", "clay", "box = [0.3, 0.1, 0.1]", [0.0, 0.2, 0.0], keys));
    let mut run = Watched::new(&text);
    let end = run.run(4.0, |_, frame| {
        sound(frame);
    });
    lies_on_the_floor(&run, &end);
}

/// Two blocks of different colours fuse: each keeps its own, and only near the seam they mix.
#[test]
fn colours_stay_with_the_clay_and_mix_at_the_seam_alone() {
    let keys = "spacing = 0.05\nvelocity = [0.4, 0.0, 0.0]\ncolour = \"#ff0000\"\n\
                blocks = [{ offset = [0.35, 0.0, 0.0], velocity = [-0.8, 0.0, 0.0], colour = \"#0000ff\" }]\n\
                material = { young = 1e4, damping = 0.6 }\n";
    let mut run = Watched::new(&format!("{SPACE}{}", body("a", "clay", "sphere = 0.1", [0.0; 3], keys)));
    let colours = |f: &Frame| f.objects[0].surface.as_ref().unwrap().colours.clone();
    let points = |f: &Frame| f.objects[0].points.clone();
    // By how much a colour is neither the one nor the other.
    let mixed = |c: &[f32; 3]| c[0].min(c[2]);
    let start = run.world.frame();
    assert_eq!(colours(&start).len(), points(&start).len());
    assert!(colours(&start).iter().all(|c| mixed(c) == 0.0));
    let end = run.run(1.0, |_, frame| {
        assert_eq!(colours(frame).len(), points(frame).len());
        assert!(colours(frame).iter().all(|c| (c[0] + c[2] - 1.0).abs() < 1e-5 && c[1] == 0.0));
    });
    assert_eq!(sound(&end), 1, "they have not fused");
    // By symmetry the seam is in the middle. From one and a half spacings on each side has its own colour.
    let colours = colours(&end);
    for (c, p) in colours.iter().zip(points(&end)) {
        let own = if p[0] < 0.0 { c[0] } else { c[2] };
        assert!(p[0].abs() < 0.075 || own > 0.97, "{p:?} {c:?}");
    }
    assert!(colours.iter().any(|c| mixed(c) > 0.4));
    let red = colours.iter().map(|c| c[0]).sum::<f32>() / colours.len() as f32;
    assert!((red - 0.5).abs() < 0.02, "{red}");
}

/// Pulled apart it tears, and each piece encloses its share of the volume.
#[test]
fn a_pulled_strip_tears_and_keeps_its_volume() {
    let keys = "spacing = 0.06\nmaterial = { young = 5e4, damping = 0.6 }\n";
    let pull = |side: &str, x: f64| {
        format!(
            "[[control]]\nbody = \"a\"\nkind = \"path\"\nselect = {{ {side} = 0.05 }}\n\
             keys = [{{ t = 0.0, at = [0.0, 0.0, 0.0] }}, {{ t = 1.0, at = [{x:?}, 0.0, 0.0] }}]\n"
        )
    };
    let strip = body("a", "clay", "box = [0.4, 0.15, 0.15]", [0.0; 3], keys);
    let mut run = Watched::new(&format!("{SPACE}{strip}{}{}", pull("left", -0.3), pull("right", 0.3)));
    let start = run.world.frame();
    assert_eq!(sound(&start), 1);
    let end = run.run(2.5, |_, frame| {
        sound(frame);
    });
    assert!(sound(&end) >= 2, "it has not torn");
    let change = end.measures[0].volume / start.measures[0].volume - 1.0;
    assert!(change.abs() < 0.03, "volume changed by {change}");
}

#[test]
fn clay_that_makes_no_sense_is_refused_by_key() {
    let cases = [
        ("exponents = [4, 4]", "exponents"),
        ("exponents = [4, 8]", "exponents"),
        ("spacing = 0.0", "spacing"),
        ("spacing = -1.0", "spacing"),
        ("spacing = 5.0", "spacing"),
        ("spacing = 1e-5", "spacing"),
        ("spacing = 0.05\ncoat = 0.01", "coat"),
        ("skeletons = []", "skeletons"),
        ("spacing = 0.1\nskeletons = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.01]]", "skeletons"),
        ("bond_energy = 0.0", "bond_energy"),
        ("reach = 0.5", "reach"),
        ("reach = 1.5", "reach"),
        ("tear_strength = 0.0", "tear_strength"),
        ("bond_energy = 1.0\ntear_strength = 100.0", "tear_strength"),
        ("adhesion = -1.0", "adhesion"),
        ("adhesion = 1e9", "adhesion"),
        ("viscosity = -1.0", "viscosity"),
        ("coat_stiffness = 0.0", "coat_stiffness"),
        ("field = \"cube\"", "field"),
        ("spacing = 0.05\nblocks = [{ offset = [0.01, 0.0, 0.0] }]", "blocks"),
        ("spacings = 0.1", "spacings"),
        ("skeletons = [[0.0, 0.0]]", "skeletons[0]"),
        ("skeletons = [[0.0, 0.0, 0.0], { bal = 0.1 }]", "skeletons[1]"),
        ("skeletons = [{ ball = 0.1 }]", "skeletons[0].at"),
        ("skeletons = [{ ball = 0.0, at = [0.0, 0.0, 0.0] }]", "skeletons[0].ball"),
        ("skeletons = [{ box = [0.1, 0.1, -0.1], at = [0.0, 0.0, 0.0] }]", "skeletons[0].box"),
        ("skeletons = [{ ball = 0.1, box = [0.1, 0.1, 0.1], at = [0.0, 0.0, 0.0] }]", "skeletons[0].ball"),
        ("skeletons = [{ segment = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] }]", "skeletons[0].segment"),
        (
            "skeletons = [{ segment = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], at = [0.0, 0.0, 0.0] }]",
            "skeletons[0].at",
        ),
        (
            "skeletons = [{ ball = 0.1, at = [0.0, 0.0, 0.0], rotation = [1.0, 0.0, 0.0] }]",
            "skeletons[0].rotation",
        ),
        ("skeletons = [{ curve = [[0.0, 0.0, 0.0]] }]", "skeletons[0].curve"),
        (
            "skeletons = [{ triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]] }]",
            "skeletons[0].triangle",
        ),
        ("skeletons = [{ at = [nan, 0.0, 0.0] }]", "skeletons[0].at[0]"),
        ("spacing = 0.1\nskeletons = [{ ball = 0.3, at = [0.0, 0.0, 0.0] }, [0.01, 0.0, 0.0]]", "skeletons"),
        ("skeletons = [{ at = [0.0, 0.0, 0.0], colour = \"red\" }]", "skeletons[0].colour"),
        (
            "spacing = 0.1\nskeletons = [{ at = [0.0, 0.0, 0.0], colour = \"#ff0000\" }, [0.1, 0.0, 0.0]]",
            "colour",
        ),
        ("colour = \"#ff\"", "colour"),
        ("blocks = [{ offset = [1.0, 0.0, 0.0], colour = [2.0, 0.0, 0.0] }]", "blocks[0].colour"),
    ];
    for (keys, key) in cases {
        let text = format!("{SPACE}{}", body("a", "clay", "sphere = 0.1", [0.0; 3], keys));
        let error = World::new(&spec(&text), &MeshLibrary::new()).err().unwrap_or_else(|| panic!("{keys}"));
        assert_eq!(error.path, format!("body[0].{key}"), "{error}");
    }
    // A curve has no inside to fill.
    let curve = "curve = { points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], radius = 0.1 }";
    let text = format!("{SPACE}{}", body("a", "clay", curve, [0.0; 3], ""));
    assert!(World::new(&spec(&text), &MeshLibrary::new()).is_err());
}

/// The same bits after a return to a saved state.
#[test]
fn clay_goes_on_from_a_saved_state_as_if_nothing_had_been() {
    let keys = "spacing = 0.05\nmaterial = { young = 2e4 }\n";
    let text = format!("{EARTH}{FLOOR}{}", body("a", "clay", "sphere = 0.1", [0.0, 0.15, 0.0], keys));
    let mut first = world(&text);
    (0..20).for_each(|_| drop(first.next_frame(&mut ()).unwrap()));
    let state = first.save();
    let expected = (0..10).map(|_| first.next_frame(&mut ()).unwrap()).last().unwrap();
    let mut second = world(&text);
    second.load(&state).unwrap();
    let reached = (0..10).map(|_| second.next_frame(&mut ()).unwrap()).last().unwrap();
    assert_eq!(expected.state_hash, reached.state_hash);
    assert_eq!(expected.objects, reached.objects);
}

/// How thick a board is on which clay falls matters little to it, and nothing of it is below.
#[test]
fn clay_does_not_reach_through_a_thin_board() {
    let on_a_board = |thickness: f64| {
        let board = format!(
            "[[obstacle]]\nname = \"board\"\nshape = {{ box = [0.6, {thickness:?}, 0.6] }}\nposition = [0.0, {:?}, 0.0]\n",
            -0.5 * thickness
        );
        let keys = "spacing = 0.06\nmaterial = { density = 1100.0, young = 2e4, damping = 0.8 }\n";
        let mut run = Watched::new(&format!(
            "{EARTH}{board}{}",
            body("a", "clay", "sphere = 0.085", [0.0, 0.09, 0.0], keys)
        ));
        let end = run.run(1.0, |_, frame| {
            sound(frame);
            let object = &frame.objects[0];
            let lowest = object.points.iter().map(|p| f64::from(p[1])).fold(f64::INFINITY, f64::min);
            assert!(lowest + object.translation.y > 0.0, "{lowest} below at t = {}", frame.time);
        });
        let points = end.objects[0].points.iter().map(|p| p[1]);
        let width = points.fold(0.0f32, |w, y| w.max(y)) + end.objects[0].translation.y as f32;
        assert!(width > 0.1, "it lies on the board");
        (end.measures[0].centre, end.measures[0].volume)
    };
    let (centre, volume) = on_a_board(0.5);
    for thickness in [0.05, 0.005] {
        let (other, its) = on_a_board(thickness);
        assert!((its / volume - 1.0).abs() < 0.01, "{its} {volume}");
        assert!(other.distance(centre) < 3e-3, "{other} {centre}");
    }
}

/// A plate ten times as heavy as the clay under it squeezes it flat; a blow may take some of its volume for a while, but under the load
/// it comes back, and the surface lies flush against floor and plate.
#[test]
fn clay_under_a_heavy_plate_keeps_its_volume() {
    let keys =
        "spacing = 0.045\nmaterial = { density = 1100.0, young = 2e4, damping = 0.8, friction = 0.6 }\n";
    let plate = "material = { density = 2222.0, friction = 0.4 }\n";
    let mut run = Watched::new(&format!(
        "{EARTH}{FLOOR}{}{}",
        body("dough", "clay", "sphere = 0.085", [0.0, 0.09, 0.0], keys),
        body("plate", "rigid", "box = [0.3, 0.1, 0.3]", [0.0, 0.24, 0.0], plate),
    ));
    let start = run.world.frame().measures[0].volume;
    let mut least = f64::INFINITY;
    let end = run.run(2.5, |_, frame| {
        sound(frame);
        least = least.min(frame.measures[0].volume / start);
    });
    assert!(least > 0.5, "{least}");
    let kept = end.measures[0].volume / start;
    assert!((kept - 1.0).abs() < 0.1, "{kept}");
    let object = &end.objects[0];
    let heights = object.points.iter().map(|p| f64::from(p[1]) + object.translation.y);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    let underside = end.objects[1].translation.y - 0.05;
    assert!(low < 1e-4 && high > underside - 2e-3, "{low} {high} {underside}");
}
