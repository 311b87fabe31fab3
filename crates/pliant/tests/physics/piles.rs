//! Things that stand: stacks, an arch, hard on soft, heavy on light.

use crate::support::{EARTH, FLOOR, Watched, body, drift};
use std::f64::consts::PI;

/// The gap that the engine keeps between boxes of 0.2 m: stacks are built with it, so that nothing has to settle.
const GAP: f64 = 2e-3 * 0.2;

fn tower(sleep: bool) -> Watched {
    let more = format!("copies = {{ count = [1, 20, 1], spacing = [0.0, {:?}, 0.0] }}\n", 0.2 + GAP);
    let boxes = body("box", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.1 + GAP, 0.0], &more);
    Watched::new(&format!("[scene]\nsleep = {sleep}\n{boxes}{FLOOR}"))
}

/// Twelve wedges over a half circle, ring from 1.0 to 1.3 m. A half-circle arch stands when its thickness is above
/// 0.107 of its mean radius (Milankovitch 1907); this one has 0.26.
fn arch(friction: f64) -> String {
    let mut text = String::from(EARTH);
    let n = 12;
    for k in 0..n {
        let (a, b) = (PI * f64::from(k) / f64::from(n), PI * f64::from(k + 1) / f64::from(n));
        let mut corners = vec![];
        for (r, t) in [(1.0, a), (1.3, a), (1.3, b), (1.0, b)] {
            for z in [-0.25, 0.25] {
                // The springers stand on the floor: no corner may round below it.
                corners.push([r * t.cos(), (r * t.sin()).max(0.0), z]);
            }
        }
        let shape = format!("hull = {corners:?}");
        let more = format!("material = {{ density = 2600, friction = {friction:?} }}");
        text += &body(&format!("stone{k}"), "rigid", &shape, [0.0; 3], &more);
    }
    text + FLOOR
}

#[test]
fn arch_of_twelve_stones_stands() {
    let mut run = Watched::new(&arch(0.65));
    let start = run.world.frame();
    let end = run.finish(10.0);
    let moved = drift(&start, &end);
    // The stones settle by at most the gaps kept between them: 13 joints of 2e-3 times 0.26 m.
    assert!(moved < 13.0 * 2e-3 * 0.26, "drifted {moved:e} m");
    let late = run.finish(2.0);
    assert!(drift(&end, &late) < 1e-4, "still moving: {:e} m in 2 s", drift(&end, &late));
}

/// Without friction at its feet an arch spreads: the check above is not vacuous.
#[test]
fn arch_without_friction_falls() {
    let mut run = Watched::new(&arch(0.05));
    let start = run.world.frame();
    let end = run.finish(2.0);
    assert!(drift(&start, &end) > 0.3);
}

/// Ten thousand times heavier on top.
#[test]
fn heavy_box_stands_on_a_light_one() {
    let light = body(
        "light",
        "rigid",
        "box = [0.2, 0.2, 0.2]",
        [0.0, 0.1 + GAP, 0.0],
        "material = { density = 1.0 }",
    );
    let heavy = body(
        "heavy",
        "rigid",
        "box = [0.2, 0.2, 0.2]",
        [0.0, 0.3 + 2.0 * GAP, 0.0],
        "material = { density = 1e4 }",
    );
    let mut run = Watched::new(&format!("{EARTH}{light}{heavy}{FLOOR}"));
    let start = run.world.frame();
    let end = run.finish(5.0);
    assert!(drift(&start, &end) < 1e-3, "drifted {:e} m", drift(&start, &end));
}

/// A million times stiffer, above and below.
#[test]
fn hard_and_soft_global_bodies_rest_on_each_other() {
    for (lower, upper) in [(1e4, 1e10), (1e10, 1e4)] {
        let matter =
            |young: f64| format!("material = {{ young = {young:?}, density = 200.0, damping = 0.2 }}");
        let a = body("a", "global", "box = [0.3, 0.2, 0.3]", [0.0, 0.1 + GAP, 0.0], &matter(lower));
        let b = body("b", "global", "box = [0.3, 0.2, 0.3]", [0.0, 0.3 + 2.0 * GAP, 0.0], &matter(upper));
        let mut run = Watched::new(&format!("{EARTH}{a}{b}{FLOOR}"));
        run.finish(4.0);
        let end = run.finish(1.0);
        for m in &end.measures {
            assert!(
                m.momentum.length() < 1e-3 * m.mass,
                "{lower:e} below {upper:e}: {} m/s",
                m.momentum / m.mass
            );
            assert!(m.least_jacobian > 0.0);
        }
    }
}

/// At rest the floor carries everything, each body carries what is above it, and forces come in pairs.
#[test]
fn contact_forces_at_rest_are_the_weights() {
    for kind in ["rigid", "global"] {
        let more = format!(
            "copies = {{ count = [1, 3, 1], spacing = [0.0, {:?}, 0.0] }}\nmaterial = {{ young = 1e8, damping = 1.0 }}\n",
            0.2 + GAP
        );
        let boxes = body("box", kind, "box = [0.3, 0.2, 0.3]", [0.0, 0.1 + GAP, 0.0], &more);
        let mut run = Watched::new(&format!("{EARTH}{boxes}{FLOOR}"));
        let end = run.finish(5.0);
        let world = &run.world;
        let (floor, weight) = (world.find("floor").unwrap(), end.measures[0].mass * 9.81);
        // Whatever still moves has an acceleration below 1e-6 g.
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * weight;
        let on_floor = world.contact_force(floor);
        assert!(close(on_floor.y, -3.0 * weight), "{kind}: floor carries {on_floor} N of {}", 3.0 * weight);
        for i in 0..3 {
            assert!(close(world.contact_force(i).y, weight), "{kind} {i}: {} N", world.contact_force(i));
            for j in 0..=floor {
                assert_eq!(world.patch_force(i, j), -world.patch_force(j, i));
            }
        }
        assert!(close(world.patch_force(1, 0).y, 2.0 * weight), "{kind}: {} N", world.patch_force(1, 0));
    }
}

#[test]
fn tower_of_twenty_boxes_stands_for_a_minute_without_sleep() {
    let mut run = tower(false);
    let start = run.world.frame();
    let end = run.finish(60.0);
    let moved = drift(&start, &end);
    assert!(moved < 1e-3, "drifted {moved:e} m");
}

#[test]
fn tower_of_twenty_boxes_stands_for_a_minute_and_falls_asleep() {
    let mut run = tower(true);
    let start = run.world.frame();
    let mut slept = None;
    let end = run.run(60.0, |_, f| {
        if slept.is_none() && f.measures.iter().all(|m| m.asleep) {
            slept = Some(f.clone());
        }
    });
    let moved = drift(&start, &end);
    assert!(moved < 1e-3, "drifted {moved:e} m");
    let slept = slept.expect("somebody is awake");
    assert_eq!(drift(&slept, &end), 0.0);
}

#[test]
fn tower_of_growing_weight_stands() {
    let mut text = String::from(EARTH);
    for k in 0..5 {
        let more = format!("material = {{ density = {:?} }}", 10f64.powi(k));
        let at = [0.0, 0.1 + GAP + (0.2 + GAP) * f64::from(k), 0.0];
        text += &body(&format!("box{k}"), "rigid", "box = [0.2, 0.2, 0.2]", at, &more);
    }
    let mut run = Watched::new(&(text + FLOOR));
    let start = run.world.frame();
    let end = run.finish(10.0);
    assert!(drift(&start, &end) < 1e-3, "drifted {:e} m", drift(&start, &end));
}

/// Boxes put exactly on each other, as anyone types them, are a good start.
#[test]
fn tower_of_boxes_that_start_exactly_on_each_other_is_accepted() {
    let more = "copies = { count = [1, 20, 1], spacing = [0.0, 0.2, 0.0] }\n";
    let boxes = body("box", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.1, 0.0], more);
    Watched::new(&format!("{EARTH}{boxes}{FLOOR}")).finish(0.1);
    let light =
        body("light", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.1, 0.0], "material = { density = 1.0 }");
    let heavy =
        body("heavy", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.3, 0.0], "material = { density = 1e4 }");
    Watched::new(&format!("{EARTH}{light}{heavy}{FLOOR}")).finish(0.1);
}

/// The same for bodies whose faces bend.
#[test]
fn global_boxes_that_start_exactly_on_each_other_are_accepted() {
    let more = "copies = { count = [1, 3, 1], spacing = [0.0, 0.2, 0.0] }\n";
    let boxes = body("box", "global", "box = [0.3, 0.2, 0.3]", [0.0, 0.1, 0.0], more);
    Watched::new(&format!("{EARTH}{boxes}{FLOOR}")).finish(0.1);
}
