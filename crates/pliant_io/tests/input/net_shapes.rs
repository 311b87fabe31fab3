//! Shapes with nets, from the text of a scene to a world.

use pliant::{SceneError, World};
use pliant_io::scene_file::load;
use std::fs;

const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0.2 1\nf 1 3 2\nf 2 3 4\n";

const SHAPES: &[&str] = &[
    "{ curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], section = [0.02, 0.1] } }",
    "{ curve = { circle = 1, nodes = 40, radius = 0.05 } }",
    "{ curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], closed = true, smooth = false, radius = 0.02 } }",
    "{ revolve = { profile = [[0, 0], [0.3, 0.3], [0, 1]] } }",
    "{ revolve = { profile = [[0, 1], [0.2, 0.3], [0, 0]], bumps = { count = 6, depth = 0.05 }, bend = 40 } }",
    "{ grid = { size = [1, 1], cells = [4, 4], thickness = 0.05 } }",
    "{ tube = { radius = 0.3, length = 1, cells = [4, 12], thickness = 0.02 } }",
    "{ sheet = { file = \"open.obj\", thickness = 0.02 } }",
];

/// A scene with these shapes side by side.
fn world(shapes: &[&str], kind: &str, repair: bool) -> Result<World, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("open.obj"), OPEN).unwrap();
    let mut text = String::from("[scene]\nduration = 1\n");
    for (i, shape) in shapes.iter().enumerate() {
        let x = 4 * i;
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"{kind}\"\nshape = {shape}\nposition = [{x}, 0, 0]\n"
        );
        text += &format!("[[obstacle]]\nname = \"o{i}\"\nshape = {shape}\nposition = [{x}, -4, 0]\n");
    }
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let loaded = load(&path, &[], repair).map_err(|e| SceneError::new("", e.to_string()))?;
    World::new(&loaded.spec, &loaded.meshes)
}

#[test]
fn bodies_of_every_kind_and_obstacles_take_every_net() {
    for kind in ["rigid", "global"] {
        let mut world = world(SHAPES, kind, false).unwrap_or_else(|e| panic!("{e}"));
        world.step().unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
}

#[test]
fn an_open_file_is_a_sheet_but_not_a_solid() {
    let sheet = "{ sheet = { file = \"open.obj\", thickness = 0.02 } }";
    world(&[sheet], "rigid", true).unwrap_or_else(|e| panic!("repair leaves sheets alone: {e}"));
    let Err(error) = world(&[sheet, "{ mesh = \"open.obj\" }"], "rigid", false) else {
        panic!("an open solid was accepted")
    };
    assert!(error.to_string().contains("open edge"), "{error}");
}

#[test]
fn keys_are_checked_before_anything_is_built() {
    for (shape, says) in [
        ("{ curve = { circle = 1, radius = 0.1, nodes = 2 } }", "at least 3 nodes; found 2"),
        ("{ curve = { circle = 1, radius = 0.1, knots = 2 } }", "knots"),
        ("{ revolve = { profile = [[0, 0], [1, 1]] } }", "at least 3 points"),
        ("{ grid = { size = [1, 1], cells = [4, 4] } }", "thickness"),
        ("{ sheet = { file = \"none.obj\", thickness = 0.1 } }", "does not exist"),
    ] {
        let Err(error) = world(&[shape], "rigid", false) else { panic!("accepted: {shape}") };
        assert!(error.to_string().contains(says), "{error}");
    }
}
