//! Wrong hybrid bodies: each is refused at the right line and key, with words that say what to change; absurd numbers
//! are refused or computed with, but never end as something that is no number.

use crate::bad_common::*;
use pliant::World;
use pliant_io::scene_file::{LoadedScene, SceneFileError, load};
use std::fs;

const BALL: &str = "{ sphere = 0.1 }";
const BLOCK: &str = "{ box = [0.2, 0.2, 0.2] }";
const RING: &str = "{ curve = { circle = 0.5, nodes = 12, radius = 0.02 } }";
const GRID: &str = "{ grid = { size = [1, 1], cells = [4, 4], thickness = 0.01 } }";
const SOLID: &str = "{ mesh = \"tetrahedron.obj\" }";
const LEAF: &str = "{ sheet = { file = \"leaf.obj\", thickness = 0.01 } }";

const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 2\nf 2 3 4\n";

struct Case {
    text: String,
    line: usize,
    path: &'static str,
    says: &'static [&'static str],
}

/// A body whose shape is on line 4; what follows begins on line 5.
fn case(shape: &str, rest: &str, line: usize, path: &'static str, says: &'static [&'static str]) -> Case {
    Case { text: scene(shape, rest), line, path, says }
}

fn scene(shape: &str, rest: &str) -> String {
    format!("[[body]]\nname = \"a\"\nkind = \"hybrid\"\nshape = {shape}\n{rest}\n")
}

/// Everything a scene can name, in one folder.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let moved = |text: &str, by: f64, first: usize| -> String {
        text.lines()
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                let number = |w: &str| w.parse::<f64>().unwrap();
                match words[0] {
                    "v" => format!("v {} {} {}\n", number(words[1]) + by, words[2], words[3]),
                    "f" => {
                        let at = |k: usize| number(words[k]) as usize + first;
                        format!("f {} {} {}\n", at(1), at(2), at(3))
                    }
                    _ => String::new(),
                }
            })
            .collect()
    };
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("tetrahedron.obj", obj());
    write("two_solids.obj", obj() + &moved(&obj(), 5.0, 4));
    write("with_stray_point.obj", format!("v 3 3 3\n{}", moved(&obj(), 0.0, 1)));
    write("leaf.obj", OPEN.into());
    write("two_leaves.obj", OPEN.to_owned() + &moved(OPEN, 5.0, 4));
    let bright =
        |line: &str| if line.starts_with('v') { format!("{line} 255 0 0\n") } else { format!("{line}\n") };
    write("bright.obj", OPEN.lines().map(bright).collect());
    folder
}

fn open(folder: &tempfile::TempDir, text: &str) -> Result<(LoadedScene, World), SceneFileError> {
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let loaded = load(&path, &[], false)?;
    let world = World::new(&loaded.spec, &loaded.meshes).map_err(|e| loaded.locate(&e))?;
    Ok((loaded, world))
}

fn check_all(cases: Vec<Case>) {
    let folder = folder();
    for Case { text, line, path, says } in cases {
        let Err(error) = open(&folder, &text) else { panic!("accepted:\n{text}") };
        let shown = error.to_string();
        assert_eq!((error.line, error.path.as_str()), (line, path), "\n{text}\n{shown}");
        for words in says {
            assert!(shown.contains(words), "`{words}` is not said:\n{shown}");
        }
    }
}

#[test]
fn weights_that_are_no_stiffness() {
    check_all(vec![
        case(RING, "weights = { w0 = -1 }", 5, "body[0].weights.w0", &["must not be negative", "found -1"]),
        case(RING, "weights = { w1 = nan }", 5, "body[0].weights.w1", &["finite", "NaN"]),
        case(RING, "weights = { w1 = inf }", 5, "body[0].weights.w1", &["finite"]),
        case(RING, "weights = { w1 = 1e300 }", 5, "body[0].weights.w1", &["from 0 to 1e30", "found 1e300"]),
        case(
            BALL,
            "weights = { w1 = 1e25 }",
            5,
            "body[0].weights",
            &["can tell from rigid", "softer or heavier"],
        ),
        case(BALL, "material = { young = 1e25 }", 5, "body[0].material.young", &["can tell from rigid"]),
        case(BALL, "material = { damping = 1e300 }", 5, "body[0].material.damping", &["damps", "1e300"]),
        case(RING, "weights = { w0 = 0, w1 = 0, w2 = 0 }", 5, "body[0].weights", &["all weights are 0"]),
        case(RING, "weights = {}", 5, "body[0].weights", &["all weights are 0"]),
        case(RING, "weights = 5", 5, "body[0].weights", &["a preset's name or a table", "found 5"]),
        case(RING, "weights = { w1 = \"stiff\" }", 5, "body[0].weights.w1", &["a number", "found \"stiff\""]),
        case(RING, "weights = { w1 = [1, 2] }", 5, "body[0].weights.w1", &["a number", "along"]),
        case(
            RING,
            "[body.weights]\nw0 = 1\nw10 = 2",
            7,
            "body[0].weights.w10",
            &["unknown weight `w10`", "did you mean `w1`?", "w0, w1, w2"],
        ),
        case(
            GRID,
            "weights = { w12 = 2 }",
            5,
            "body[0].weights.w12",
            &["unknown weight", "did you mean `w1", "w20"],
        ),
        case(
            BLOCK,
            "weights = { w20 = 2 }",
            5,
            "body[0].weights.w20",
            &["unknown weight", "did you mean `w200`?"],
        ),
        case(
            LEAF,
            "weights = { w01 = 2 }",
            5,
            "body[0].weights.w01",
            &["no directions", "w10", "found `w01`"],
        ),
        case(SOLID, "weights = { w11 = 2 }", 5, "body[0].weights.w11", &["no directions", "w20"]),
    ]);
}

#[test]
fn presets_that_do_not_exist_or_fit() {
    check_all(vec![
        case(RING, "weights = \"rubber hop\"", 5, "body[0].weights", &["rubber hop", "rubber hoop"]),
        case(RING, "weights = \"granite\"", 5, "body[0].weights", &["granite", "tin"]),
        case(
            RING,
            "weights = \"tin\"",
            5,
            "body[0].weights",
            &["meant for a surface", "this body is a curve"],
        ),
        case(BALL, "weights = \"rubber hoop\"", 5, "body[0].weights", &["meant for a curve", "a surface"]),
        case(BLOCK, "weights = \"paper\"", 5, "body[0].weights", &["this body is a solid"]),
    ]);
}

#[test]
fn weights_along_a_coordinate() {
    check_all(vec![
        case(
            RING,
            "weights = { w1 = { along = \"v\", values = [1, 2] } }",
            5,
            "body[0].weights.w1.along",
            &["`u`", "found `v`"],
        ),
        case(
            LEAF,
            "weights = { w1 = { along = \"u\", values = [1, 2] } }",
            5,
            "body[0].weights.w1.along",
            &["no material coordinates", "`x`"],
        ),
        case(
            RING,
            "weights = { w1 = { along = \"u\", values = [1] } }",
            5,
            "body[0].weights.w1.values",
            &["at least two", "found 1"],
        ),
        case(
            RING,
            "weights = { w1 = { along = \"u\", values = [1, -2] } }",
            5,
            "body[0].weights.w1.values[1]",
            &["negative", "found -2"],
        ),
        case(RING, "weights = { w1 = { along = \"u\" } }", 5, "body[0].weights.w1", &["missing", "values"]),
        case(
            RING,
            "weights = { w1 = { along = \"u\", value = [1, 2] } }",
            5,
            "body[0].weights.w1",
            &["unknown field", "value"],
        ),
    ]);
}

#[test]
fn paint_that_is_not_there() {
    let bright = "{ sheet = { file = \"bright.obj\", thickness = 0.01 } }";
    let red = "weights = { w1 = { paint = \"red\", from = 0, to = 1e3 } }";
    check_all(vec![
        case(LEAF, red, 5, "body[0].weights.w1.paint", &["no vertex colours", ".ply"]),
        case(SOLID, red, 5, "body[0].weights.w1.paint", &["no vertex colours"]),
        case(BALL, red, 5, "body[0].weights.w1.paint", &["no vertex colours"]),
        case(RING, red, 5, "body[0].weights.w1.paint", &["no vertex colours"]),
        case(bright, red, 5, "body[0].weights.w1.paint", &["from 0 to 1", "found 255"]),
        case(
            LEAF,
            "weights = { w1 = { paint = \"purple\", from = 0, to = 1 } }",
            5,
            "body[0].weights.w1.paint",
            &["`red`, `green` or `blue`", "found `purple`"],
        ),
        case(
            LEAF,
            "weights = { w1 = { paint = \"red\", from = -1, to = 1 } }",
            5,
            "body[0].weights.w1.from",
            &["negative"],
        ),
        case(
            LEAF,
            "weights = { w1 = { paint = \"red\", from = 1 } }",
            5,
            "body[0].weights.w1",
            &["missing", "to"],
        ),
    ]);
}

#[test]
fn shapes_that_cannot_be_nets() {
    check_all(vec![
        case(
            "{ curve = { points = [[0, 0, 0], [1, 0, 0]], nodes = 2, radius = 0.02 } }",
            "",
            4,
            "body[0].shape.curve.nodes",
            &["at least 3 nodes", "found 2"],
        ),
        case("{ mesh = \"two_solids.obj\" }", "", 4, "body[0].shape", &["2 separate pieces"]),
        case(
            "{ sheet = { file = \"two_leaves.obj\", thickness = 0.01 } }",
            "",
            4,
            "body[0].shape.sheet.file",
            &["2 separate pieces"],
        ),
        case(
            "{ revolve = { profile = [[0, 0], [0.5, 0.5], [0.5, 0], [0.2, 0.6], [0, 1]] } }",
            "",
            4,
            "body[0].shape.revolve.profile",
            &["must not cross"],
        ),
        case(
            "{ grid = { size = [1, 1], cells = [4, 4], thickness = 0 } }",
            "",
            4,
            "body[0].shape.grid.thickness",
            &["positive", "found 0"],
        ),
        case(
            "{ tube = { radius = 0.1, length = 1, cells = [4, 12], thickness = 0.3 } }",
            "",
            4,
            "body[0].shape.tube.thickness",
            &["less than twice the radius"],
        ),
    ]);
}

#[test]
fn thickness_form_and_resolution() {
    check_all(vec![
        case(BALL, "thickness = 0", 5, "body[0].thickness", &["positive", "found 0"]),
        case(BALL, "thickness = -0.01", 5, "body[0].thickness", &["positive", "found -0.01"]),
        case(BALL, "thickness = 0.3", 5, "body[0].thickness", &["smallest extent", "found 0.3"]),
        case(BALL, "thickness = \"thin\"", 5, "body[0].thickness", &["string \"thin\""]),
        case(GRID, "thickness = 0.01", 5, "body[0].thickness", &["leave `thickness` out"]),
        case(BLOCK, "thickness = 0.01", 5, "body[0].thickness", &["a solid has no wall"]),
        case(BALL, "resolution = [0, 12]", 5, "body[0].resolution", &["2 numbers from 3 to 1000", "[0, 12]"]),
        case(BALL, "resolution = [4, 4, 4]", 5, "body[0].resolution", &["2 numbers"]),
        case(BALL, "resolution = []", 5, "body[0].resolution", &["2 numbers", "found []"]),
        case(BALL, "resolution = [-4, 4]", 5, "body[0].resolution", &["-4"]),
        case(BALL, "resolution = 4", 5, "body[0].resolution", &["integer `4`"]),
        case(BLOCK, "resolution = [4, 4]", 5, "body[0].resolution", &["3 numbers from 2 to 1000"]),
        case(BLOCK, "resolution = [1, 4, 4]", 5, "body[0].resolution", &["from 2"]),
        case(BLOCK, "resolution = [1000]", 5, "body[0].resolution", &["at most 100000 nodes"]),
        case(RING, "resolution = [4]", 5, "body[0].resolution", &["leave `resolution` out"]),
        case(SOLID, "resolution = [4]", 5, "body[0].resolution", &["leave `resolution` out"]),
        case(RING, "form = \"solid\"", 5, "body[0].form", &["a curve or a surface", "leave `form` out"]),
        case(BALL, "form = \"solid\"", 5, "body[0].form", &["only a box"]),
        case(BALL, "creep_time = 1\nform = \"hollow\"", 6, "body[0].form", &["hollow", "shell"]),
    ]);
}

/// Bodies that differ in nothing but their start share what they are made of; each start is looked at all the same.
#[test]
fn a_second_planar_body_must_stay_in_its_plane_too() {
    let flat = "{ curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], nodes = 8, radius = 0.02 } }";
    let first = scene(flat, "planar = true");
    let second =
        scene(flat, "planar = true\nposition = [3, 0, 0]\nspin = [1, 0, 0]").replace("\"a\"", "\"b\"");
    let text = format!("{first}{second}");
    let line = text.lines().position(|l| l.starts_with("spin")).unwrap() + 1;
    check_all(vec![Case { text, line, path: "body[1].spin", says: &["only turn about z"] }]);
}

#[test]
fn planar_bodies_and_other_keys() {
    let arc = "{ curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0.5]], nodes = 8, radius = 0.02 } }";
    let flat = "{ curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], nodes = 8, radius = 0.02 } }";
    check_all(vec![
        case(arc, "planar = true", 5, "body[0].planar", &["in the plane z = 0"]),
        case(BALL, "planar = true", 5, "body[0].planar", &["in the plane z = 0"]),
        case(flat, "planar = true\nspin = [90, 0, 0]", 6, "body[0].spin", &["only turn about z", "90"]),
        case(flat, "planar = true\nrotation = [0, 10, 0]", 6, "body[0].rotation", &["only turn about z"]),
        case(flat, "planar = true\nvelocity = [0, 0, 1]", 6, "body[0].velocity", &["only move in x and y"]),
        case(flat, "planar = \"yes\"", 5, "body[0].planar", &["a boolean"]),
        case(BALL, "creep_time = -1", 5, "body[0].creep_time", &["at least 0 s", "found -1"]),
        case(BALL, "refine = 4", 5, "body[0].refine", &["at most 3", "found 4"]),
        case(BALL, "refine = -1", 5, "body[0].refine", &["-1"]),
        case(BALL, "refine = 1\nfracture_strain = 0.1", 5, "body[0].refine", &["leave out"]),
        case(BLOCK, "refine = 1", 5, "body[0].refine", &["has edges"]),
        case(GRID, "fracture_strain = 0", 5, "body[0].fracture_strain", &["positive", "found 0"]),
        case(
            GRID,
            "fracture_strain = -0.1",
            5,
            "body[0].fracture_strain",
            &["not be negative", "found -0.1"],
        ),
        case(
            GRID,
            "fracture_strain = true",
            5,
            "body[0].fracture_strain",
            &["must be a number", "found true"],
        ),
        case(
            GRID,
            "fracture_strain = { along = \"w\", values = [1, 2] }",
            5,
            "body[0].fracture_strain.along",
            &["`u`, `v`", "found `w`"],
        ),
        case(
            "{ grid = { size = [1, 1], cells = [1, 1], thickness = 0.01 } }",
            "fracture_strain = 0.1",
            5,
            "body[0].fracture_strain",
            &["nowhere to break"],
        ),
        case(
            "{ ellipsoid = [0.5, 0.02, 0.5] }",
            "thickness = 0.03\nfracture_strain = 0.1",
            6,
            "body[0].fracture_strain",
            &["`thickness` smaller"],
        ),
        case(BALL, "solver = \"magic\"", 5, "body[0].solver", &["magic", "direct", "iterative"]),
        case(BALL, "weights = \"paper\"\nthickness = 0.01\nsolver = 3", 7, "body[0].solver", &["3"]),
        case(BALL, "weight = \"paper\"", 5, "body[0].weight", &["unknown key", "did you mean \"weights\"?"]),
    ]);
}

/// Either a located refusal, or a run with ordinary numbers, which nothing but gravity sets in motion. Only a motion
/// that was itself absurd may end with the body's name.
fn refused_or_finite(folder: &tempfile::TempDir, text: &str) -> Result<(), SceneFileError> {
    let (_, mut world) = open(folder, text)?;
    for _ in 0..3 {
        let frame = match world.next_frame(&mut ()) {
            Ok(frame) => frame,
            Err(error) => {
                assert!(text.contains("velocity") || text.contains("spin"), "{error}\n{text}");
                assert!(error.to_string().contains("body \"a\""), "{error}");
                return Ok(());
            }
        };
        for m in &frame.measures {
            let numbers = [m.mass, m.kinetic, m.elastic, m.volume, m.least_jacobian];
            let vectors = [m.centre, m.momentum, m.angular_momentum];
            let finite = numbers.iter().all(|x| x.is_finite()) && vectors.iter().all(|v| v.is_finite());
            assert!(finite, "{m:?}\n{text}");
            let moved = text.contains("velocity") || text.contains("spin");
            assert!(moved || m.kinetic < m.mass, "moves by itself: {m:?}\n{text}");
        }
        for object in &frame.objects {
            let points = object.points.iter().flatten().all(|x| x.is_finite());
            assert!(points && object.translation.is_finite(), "a point that is nowhere:\n{text}");
        }
    }
    Ok(())
}

#[test]
fn absurd_numbers_never_end_as_no_number() {
    let folder = folder();
    let floor = "[[obstacle]]\nname = \"floor\"\nshape = { plane = { offset = -1 } }";
    let absurd = [
        "material = { young = 1e300 }",
        "material = { young = 1e30 }",
        "material = { young = 1e-300 }",
        "material = { density = 1e-300 }",
        "material = { density = 1e300 }",
        "material = { density = 1e-20 }",
        "material = { damping = 1e300 }",
        "material = { damping = 1e6, young = 1e15 }",
        "material = { young = 1e18 }",
        "material = { young = 1e20 }",
        "weights = { w2 = 1e14 }",
        "weights = { w2 = 1e16 }",
        "weights = { w1 = 1e20 }",
        "material = { drag = 1e300 }",
        "material = { yield_strain = 1e-300, flow_time = 1e-300 }",
        "weights = { w0 = 1e30 }",
        "weights = { w1 = 1e30, w2 = 1e30 }",
        "weights = { w2 = 1e-300 }",
        "weights = { w0 = 1e30, w1 = 1e-30 }",
        "creep_time = 1e-300",
        "creep_time = 1e300",
        "velocity = [1e150, 0, 0]",
        "velocity = [1e300, 0, 0]",
        "spin = [1e300, 0, 0]",
        "spin = [0, 1e9, 0]",
    ];
    for shape in [BALL, BLOCK, RING, GRID, LEAF, SOLID, "{ mesh = \"with_stray_point.obj\" }"] {
        for method in ["direct", "iterative"] {
            for rest in absurd.iter().chain(&[""]) {
                let text = scene(shape, &format!("{rest}\nsolver = \"{method}\"\n{floor}"));
                if let Err(error) = refused_or_finite(&folder, &text) {
                    assert!(error.line > 0 && error.path.starts_with("body[0]"), "{error}\n{text}");
                    assert!(!rest.is_empty(), "{error}\n{text}");
                }
            }
        }
    }
}

#[test]
fn absurd_sizes_never_end_as_no_number() {
    let folder = folder();
    for size in ["1e-300", "1e-100", "1e-30", "1e9", "1e100", "1e300"] {
        for shape in [
            format!("{{ sphere = {size} }}"),
            format!("{{ box = [{size}, {size}, {size}] }}"),
            format!("{{ box = [{size}, 1, 1] }}"),
            format!("{{ curve = {{ circle = {size}, nodes = 12, radius = 1e-3 }} }}"),
            format!("{{ grid = {{ size = [{size}, 1], cells = [3, 3], thickness = 0.01 }} }}"),
            format!("{{ mesh = {{ file = \"tetrahedron.obj\", scale = {size} }} }}"),
            format!("{{ sheet = {{ file = \"leaf.obj\", scale = {size}, thickness = 0.01 }} }}"),
        ] {
            if let Err(error) = refused_or_finite(&folder, &scene(&shape, "")) {
                assert!(error.line > 0 && error.path.starts_with("body[0]"), "{error}\n{shape}");
            }
        }
    }
}
