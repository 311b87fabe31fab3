//! Starts that intersect.

use crate::support::{FLOOR, Watched, body, coarse, spec};
use pliant::{KINDS, MeshLibrary, World};

const PULLED: &str = "[scene]\nsleep = false\nuntangle = true\n";

/// A body of every kind is set into the floor and into another one: it comes out by hardly more than it was in, and the run
/// stays free of intersections.
#[test]
fn bodies_of_every_kind_are_pulled_out_of_the_floor_and_of_each_other() {
    for kind in KINDS {
        let first = body("a", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.05, 0.0], "");
        let more = format!("{}material = {{ young = 1e6 }}", coarse(kind.name));
        let second = body("b", kind.name, "box = [0.2, 0.2, 0.2]", [0.15, 0.15, 0.0], &more);
        let text = format!("{PULLED}{first}{second}{FLOOR}");
        let mut run = Watched::new(&text);
        let moved: Vec<(String, f64)> =
            run.world.untangled().map(|(name, by)| (name.to_string(), by.length())).collect();
        assert_eq!(moved[0].0, "a");
        assert!((moved[0].1 - 0.05).abs() < 0.002, "a was moved by {} m out of 0.05 m", moved[0].1);
        // Once the first stands on the floor they overlap by 5 cm sideways.
        if let Some((name, by)) = moved.get(1) {
            assert!(name == "b" && *by < 0.06, "{}: {name} was moved by {by} m", kind.name);
        } else {
            assert_eq!(kind.name, "clay", "{} was not moved", kind.name);
        }
        run.finish(0.2);
    }
}

#[test]
fn what_does_not_intersect_stays_where_it_is() {
    let a = body("a", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.2, 0.0], "");
    let b = body("b", "global", "box = [0.2, 0.2, 0.2]", [0.0, 0.5, 0.0], "");
    let run = Watched::new(&format!("{PULLED}{a}{b}{FLOOR}"));
    assert_eq!(run.world.untangled().count(), 0);
}

/// Between two half spaces that overlap by more than is looked through, nothing is free.
#[test]
fn a_pair_that_cannot_be_parted_is_named() {
    let a = body("a", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.0, 0.0], "");
    let ceiling =
        "[[obstacle]]\nname = \"ceiling\"\nshape = { plane = { normal = [0.0, -1.0, 0.0], offset = 0.0 } }\n";
    let text = format!("{PULLED}{a}{FLOOR}{ceiling}");
    let error = World::new(&spec(&text), &MeshLibrary::new()).err().expect("it was accepted");
    assert_eq!(error.path, "body[0].position");
    assert!(
        error.message.contains("\"a\" and \"floor\"") && error.message.contains("cannot be parted"),
        "{error}"
    );
}
