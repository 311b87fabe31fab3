//! Every kind among all others: friction, loads. Random crowds are `cargo xtask crowds`.

use crate::support::{EARTH, FLOOR, Watched, body, coarse};
use pliant::KINDS;
use pliant::math::Vec3;

const G: f64 = 9.81;

/// A block of every kind slides down a slope that falls by one half, with friction 0.3. What the slope has given it between
/// two moments is the change of its momentum less the impulse of its weight; along the slope over across it, that is the
/// friction, within 2 %, whether or not a soft block hops on its way. Clay needs several layers of skeletons to be a block:
/// a single one curls up to a ball, and balls roll.
#[test]
fn block_of_every_kind_slides_with_the_friction_it_was_given() {
    let hill = "[[obstacle]]\nname = \"hill\"\nshape = { plane = { normal = [0.5, 1.0, 0.0] } }\n";
    let normal = Vec3::new(0.5, 1.0, 0.0).normalize();
    let downhill = Vec3::new(1.0, -0.5, 0.0).normalize();
    for kind in KINDS {
        let (thickness, own) =
            if kind.name == "clay" { (0.2, "spacing = 0.05\n") } else { (0.1, coarse(kind.name)) };
        let more = format!(
            "{own}rotation = [0.0, 0.0, -26.565051177077990]\nmaterial = {{ friction = 0.3, young = 1e6, damping = 0.5 }}\n",
        );
        let shape = format!("box = [0.4, {thickness:?}, 0.4]");
        let at = normal * (0.5 * thickness + 0.001);
        let block = body("block", kind.name, &shape, at.to_array(), &more);
        let mut run = Watched::new(&format!("{EARTH}{block}{hill}"));
        let early = run.finish(0.5);
        let late = run.finish(1.0);
        let (m, n) = (&early.measures[0], &late.measures[0]);
        let given = n.momentum - m.momentum + Vec3::Y * (G * m.mass * (late.time - early.time));
        let found = -downhill.dot(given) / normal.dot(given);
        assert!((found / 0.3 - 1.0).abs() < 0.02, "{}: friction {found} for 0.3", kind.name);
    }
}

/// A lump of clay lies on a plate that weighs a hundredth of it. What the floor does to the plate the coat must know of, or it
/// pushes against the plate's own weight alone and sinks in until its skeletons carry it, 18 mm deeper. Clay keeps what its
/// fall did to it, which differs by a millimetre.
#[test]
fn clay_lies_on_a_light_plate_as_on_the_floor_itself() {
    let keys =
        "spacing = 0.06\nmaterial = { density = 1100.0, young = 1e5, damping = 0.8, friction = 0.5 }\n";
    let lump = |y: f64| body("lump", "clay", "box = [0.18, 0.12, 0.18]", [0.0, y, 0.0], keys);
    let alone = Watched::new(&format!("{EARTH}{}{FLOOR}", lump(0.07))).finish(1.5);
    let plate = body(
        "plate",
        "rigid",
        "box = [0.3, 0.02, 0.3]",
        [0.0, 0.0102, 0.0],
        "material = { density = 25.0, friction = 0.5 }\n",
    );
    let carried = Watched::new(&format!("{EARTH}{}{plate}{FLOOR}", lump(0.0904))).finish(1.5);
    let (on_floor, plate) = (alone.measures[0].centre.y, carried.measures[1].centre.y + 0.01);
    let on_plate = carried.measures[0].centre.y - plate;
    assert!((on_plate - on_floor).abs() < 2e-3, "{on_plate} m over the plate, {on_floor} m over the floor");
}
