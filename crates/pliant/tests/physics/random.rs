//! Random small scenes: whatever the scene, numbers stay finite, nothing intersects, contact gives no energy.

use crate::support::{FLOOR, Watched, body};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[derive(Clone, Debug)]
struct Thing {
    kind: usize,
    shape: usize,
    size: f64,
    velocity: [f64; 3],
    rotation: [f64; 3],
    spin: f64,
    stiffness: f64,
    friction: f64,
    damping: f64,
}

fn thing() -> impl Strategy<Value = Thing> {
    let speed = -28.0..28.0f64;
    (
        (0usize..5, 0usize..4, 0.0..1.0f64),
        [speed.clone(), speed.clone(), speed],
        [-180.0..180.0f64, -180.0..180.0f64, -180.0..180.0f64],
        (-500.0..500.0f64, 4.0..9.0f64, 0.0..1.0f64, 0.0..0.5f64),
    )
        .prop_map(|((kind, shape, size), velocity, rotation, (spin, stiffness, friction, damping))| {
            Thing {
                kind,
                shape,
                // Sizes over a decade.
                size: 0.05 * 10f64.powf(size),
                velocity,
                rotation,
                spin,
                stiffness: 10f64.powf(stiffness),
                friction,
                damping,
            }
        })
}

fn scene(things: &[Thing]) -> String {
    let mut text = String::from("[scene]\nsleep = true\n");
    for (k, t) in things.iter().enumerate() {
        let s = t.size;
        let (kind, order) = [("rigid", 0), ("rigid", 0), ("global", 1), ("global", 2), ("global", 3)][t.kind];
        let shape = match t.shape {
            0 => format!("box = [{s:?}, {s:?}, {s:?}]"),
            1 => format!("box = [{s:?}, {:?}, {:?}]", 0.4 * s, 0.7 * s),
            2 if kind == "rigid" => format!("sphere = {:?}", 0.5 * s),
            _ => format!("hull = [[0.0, 0.0, 0.0], [{s:?}, 0.0, 0.0], [0.0, {s:?}, 0.0], [0.0, 0.0, {s:?}]]"),
        };
        let order = if order > 0 { format!("order = {order}\n") } else { String::new() };
        let more = format!(
            "{order}velocity = {:?}\nrotation = {:?}\nspin = [{:?}, {:?}, 0.0]\nmaterial = {{ young = {:?}, friction = {:?}, damping = {:?} }}\n",
            t.velocity, t.rotation, t.spin, -t.spin, t.stiffness, t.friction, t.damping
        );
        // Far enough from each other for any size and rotation.
        let at = [1.2 * (k % 2) as f64, 1.0 + 1.2 * (k / 4) as f64, 1.2 * (k / 2 % 2) as f64];
        text += &body(&format!("b{k}"), kind, &shape, at, &more);
    }
    // A room, so that fast things meet each other again.
    text += FLOOR;
    for (name, normal, offset) in [
        ("left", "[1.0, 0.0, 0.0]", -0.8),
        ("right", "[-1.0, 0.0, 0.0]", -2.0),
        ("back", "[0.0, 0.0, 1.0]", -0.8),
        ("front", "[0.0, 0.0, -1.0]", -2.0),
    ] {
        text += &format!(
            "[[obstacle]]\nname = \"{name}\"\nshape = {{ plane = {{ normal = {normal}, offset = {offset:?} }} }}\n"
        );
    }
    text
}

/// Seeded, so that every run sees the same thirty scenes.
#[test]
fn random_scenes_stay_finite_apart_and_without_contact_work() {
    let config = Config { cases: 30, failure_persistence: None, max_shrink_iters: 40, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner
        .run(&prop::collection::vec(thing(), 2..7), |things| {
            let mut run = Watched::new(&scene(&things));
            let end = run.finish(1.0);
            for m in &end.measures {
                prop_assert!(m.centre.is_finite() && m.kinetic.is_finite() && m.elastic.is_finite());
            }
            Ok(())
        })
        .unwrap();
}

/// Lattice bodies of any stuff, dropped from up to 5 m: finite, apart, and no cell inside out in the end.
#[test]
fn random_lattices_survive_their_fall() {
    let config = Config { cases: 60, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let stuff = (
        (0usize..3, 2u32..5, 0.0..5.0f64),
        [-180.0..180.0f64, -180.0..180.0f64, -180.0..180.0f64],
        // Young's modulus over four decades, damping, Poisson's ratio, yield.
        (3.0..7.0f64, 0.0..0.5f64, 0.0..0.49f64, 0usize..3),
        (0.0..1.0f64, any::<bool>(), any::<bool>()),
    );
    runner
        .run(&stuff, |((shape, cells, height), rotation, (young, damping, poisson, yields), (friction, law, held))| {
            let shape = ["box = [0.2, 0.2, 0.2]", "box = [0.3, 0.12, 0.2]", "sphere = 0.12"][shape];
            let law = if law { "neo_hookean" } else { "st_venant_kirchhoff" };
            let keys = format!(
                "resolution = {cells}\nrotation = {rotation:?}\nlaw = \"{law}\"\nmaterial = {{ young = {:?}, \
                 damping = {damping:?}, poisson = {poisson:?}, yield_strain = {:?}, friction = {friction:?}, \
                 incompressible = {held} }}\n",
                10f64.powf(young),
                [0.0, 0.02, 0.2][yields],
            );
            let text = format!(
                "[scene]\n{FLOOR}{}{}",
                body("soft", "lattice", shape, [0.0, 0.3 + height, 0.0], &keys),
                body("stone", "rigid", "box = [0.1, 0.1, 0.1]", [0.05, 1.0 + height, 0.02], "")
            );
            let mut run = Watched::new(&text);
            let end = run.finish(1.5);
            for m in &end.measures {
                prop_assert!(m.centre.is_finite() && m.kinetic.is_finite() && m.elastic.is_finite(), "{text}");
            }
            // The paper's law goes soft in compression and may stay folded, and so may what cannot carry its own weight.
            let folded = end.measures[0].least_jacobian <= 0.0;
            prop_assert!(!folded || law != "neo_hookean" || young < 4.3, "inside out: {}\n{text}", end.measures[0].least_jacobian);
            Ok(())
        })
        .unwrap();
}
