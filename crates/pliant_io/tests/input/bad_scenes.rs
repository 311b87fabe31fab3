//! Wrong scenes: each is refused at the right line and key, with words that say what to change.

use pliant_io::scene_file::{self, SceneFileError};

/// Four lines of a body that is right; what follows begins on line 5.
fn body(rest: &str) -> String {
    format!("[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = {{ sphere = 0.1 }}\n{rest}\n")
}

/// Two right bodies, 8 lines; what follows begins on line 9.
fn two_bodies(rest: &str) -> String {
    body(&format!("[[body]]\nname = \"b\"\nkind = \"rigid\"\nshape = {{ box = [1, 1, 1] }}\n{rest}"))
}

struct Case {
    text: String,
    line: usize,
    path: &'static str,
    says: &'static [&'static str],
}

fn case(text: impl Into<String>, line: usize, path: &'static str, says: &'static [&'static str]) -> Case {
    Case { text: text.into(), line, path, says }
}

fn check_all(cases: Vec<Case>) {
    for Case { text, line, path, says } in cases {
        let error = match scene_file::parse(&text, "scene.toml") {
            Err(error) => error,
            Ok(_) => panic!("accepted:\n{text}"),
        };
        let shown = error.to_string();
        assert_eq!((error.line, error.path.as_str()), (line, path), "\n{text}\n{shown}");
        assert!(shown.starts_with("scene.toml:"), "{shown}");
        for words in says {
            assert!(shown.contains(words), "`{words}` is not said:\n{shown}");
        }
    }
}

#[test]
fn syntax() {
    check_all(vec![
        case("", 1, "", &["the scene is empty", "pliant new"]),
        case("# only a comment\n", 1, "", &["the scene is empty"]),
        case(body("position = [0, 1"), 5, "", &["not valid TOML"]),
        case(body("position [0, 1, 2]"), 5, "", &["not valid TOML"]),
        case(body("name = \"b\""), 5, "name", &["already given", "keep one"]),
        case("[scene]\nfps = 3\n[scene]\nfps = 4\n", 3, "scene", &["already given"]),
        case("[scene]\ntitle = \"a\nfps = 3\n", 2, "", &["not valid TOML"]),
        case("[scene]\nfps = 3,5\n", 2, "", &["not valid TOML"]),
        case("[[body]]\nname = \u{7}\n", 2, "", &["not valid TOML"]),
    ]);
}

#[test]
fn unknown_keys_name_the_nearest() {
    check_all(vec![
        case(body("[scne]\nfps = 30"), 5, "scne", &["unknown key", "did you mean `scene`?"]),
        case(body("[scene]\nframes = 30"), 6, "scene.frames", &["unknown key", "known keys: ", "fps"]),
        case(body("[scene]\ngravty = [0, 0, 0]"), 6, "scene.gravty", &["did you mean `gravity`?"]),
        case(
            body("material = { youngg = 1e5 }"),
            5,
            "body[0].material.youngg",
            &["5 | material = { youngg = 1e5 }", "  |              ^^^^^^\n", "did you mean `young`?"],
        ),
        case(body("[body.material]\ndensty = 1"), 6, "body[0].material.densty", &["did you mean `density`?"]),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { sphre = 1 }\n",
            4,
            "body[0].shape.sphre",
            &["did you mean `sphere`?", "capsule"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { capsule = { radius = 1, lenght = 2 } }\n",
            4,
            "body[0].shape.capsule.lenght",
            &["unknown key, and `length` is missing", "did you mean `length`?"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"hybrid\"\nshape = { grid = { size = [1, 1], cells = [4, 4], thikness = 0.1 } }\n",
            4,
            "body[0].shape.grid.thikness",
            &["unknown key, and `thickness` is missing", "did you mean `thickness`?"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { capsule = { radius = 1, length = 2, widht = 3 } }\n",
            4,
            "body[0].shape.capsule.widht",
            &["unknown key", "known keys"],
        ),
        case(
            body("[[obstacle]]\nname = \"t\"\nshape = { plane = {} }\nmaterial = \"ice\""),
            8,
            "obstacle[0].material",
            &["unknown key", "friction"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hod\""),
            7,
            "control[0].kind",
            &["did you mean `hold`?"],
        ),
        case(
            body("[expect]\nmax_penetraton = 0"),
            6,
            "expect.max_penetraton",
            &["did you mean `max_penetration`?"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nselect = { topp = 1 }"),
            8,
            "control[0].select.topp",
            &["did you mean `top`?"],
        ),
    ]);
}

#[test]
fn wrong_types_and_missing_keys() {
    check_all(vec![
        case(
            body("[scene]\nduration = \"5\""),
            6,
            "scene.duration",
            &["a number", "the text \"5\"", "without quotes"],
        ),
        case(body("[scene]\nduration = \"long\""), 6, "scene.duration", &["must be a number"]),
        case(body("[scene]\nduration = 2000-01-01"), 6, "scene.duration", &["must be a number, not a date"]),
        case(body("[scene]\nsleep = 1"), 6, "scene.sleep", &["true or false", "not the number 1"]),
        case(body("[scene]\nsubsteps = 2.5"), 6, "scene.substeps", &["a whole number, not the number 2.5"]),
        case(body("[scene]\nsubsteps = -1"), 6, "scene.substeps", &["between 0 and 4294967295"]),
        case(body("[scene]\nduration = 1e999"), 6, "scene.duration", &["too large"]),
        case(body("[scene]\nduration = 99999999999999999999"), 6, "scene.duration", &["too large"]),
        case(body("position = [0, 1]"), 5, "body[0].position", &["an array of 3 numbers, not 2"]),
        case(body("position = [0, 1, 2, 3]"), 5, "body[0].position", &["an array of 3 numbers, not 4"]),
        case(
            body("position = [0, \"1\", 2]"),
            5,
            "body[0].position[1]",
            &["must be a number", "without quotes"],
        ),
        case(body("position = 3"), 5, "body[0].position", &["an array of 3 numbers, not the number 3"]),
        case(body("material = 3"), 5, "body[0].material", &["a text in quotes or a table, not the number 3"]),
        case(
            body("[scene]\ngravity = -9.81"),
            6,
            "scene.gravity",
            &["an array of 3 numbers or an array of tables"],
        ),
        case(
            body("[scene]\ngravity = [{ t = 0 }]"),
            6,
            "scene.gravity[0].value",
            &["missing key", "add `value`"],
        ),
        case(body("[scene]\ngravity = [0, -9.81]"), 6, "scene.gravity", &["an array of 3 numbers, not 2"]),
        case("[body]\nname = \"a\"\n", 1, "body", &["must be an array of tables", "write [[body]]"]),
        case(body("[[scene]]\nfps = 3"), 5, "scene", &["must be a table", "write [scene]"]),
        case(
            "[[body]]\nkind = \"rigid\"\nshape = { sphere = 1 }\n",
            1,
            "body[0].name",
            &["missing key", "Unique name"],
        ),
        case(
            body("[[body]]\nname = \"jello\"\nkind = \"rigid\""),
            5,
            "body[1].shape",
            &["missing key in `jello`", "add `shape`: The rest shape."],
        ),
        case(
            body("[[body]]\nname = \"jello\"\nkind = \"rigid\"\nshap = { sphere = 1 }"),
            8,
            "body[1].shap",
            &["unknown key, and `shape` is missing in `jello`", "did you mean `shape`?"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = \"sphere\"\n",
            4,
            "body[0].shape",
            &["`sphere` needs a value", "write { sphere = ... }"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { sphere = 1, box = [1, 1, 1] }\n",
            4,
            "body[0].shape",
            &["exactly one key, not 2"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = {}\n",
            4,
            "body[0].shape",
            &["exactly one key, not 0"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { mesh = 3 }\n",
            4,
            "body[0].shape.mesh",
            &["a text in quotes or a table"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { mesh = { scale = 2 } }\n",
            4,
            "body[0].shape.mesh.file",
            &["missing key"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nselect = { all = 1 }"),
            8,
            "control[0].select.all",
            &["takes no value", "write \"all\""],
        ),
        case(
            body("[body.copies]\ncount = [2, -1, 2]\nspacing = [1, 1, 1]"),
            6,
            "body[0].copies.count[1]",
            &["between 0"],
        ),
    ]);
}

#[test]
fn numbers_out_of_range() {
    check_all(vec![
        case(body("[scene]\nduration = nan"), 6, "scene.duration", &["finite", "NaN"]),
        case(body("[scene]\nfps = inf"), 6, "scene.fps", &["finite"]),
        case(body("[scene]\nduration = 0"), 6, "scene.duration", &["above 0 s"]),
        case(body("[scene]\nduration = 1e6"), 6, "scene.duration", &["at most 100000 s"]),
        case(body("[scene]\nduration = 0.001"), 6, "scene.duration", &["shorter than one frame"]),
        case(body("[scene]\nduration = 1e5\nfps = 1e5"), 6, "scene.duration", &["frames, more than"]),
        case(body("[scene]\nfps = 0"), 6, "scene.fps", &["above 0"]),
        case(body("[scene]\nsubsteps = 0"), 6, "scene.substeps", &["between 1 and 10000"]),
        case(body("[scene]\nclearance = 0.2"), 6, "scene.clearance", &["at most 0.05"]),
        case(body("[scene]\nair_density = -1"), 6, "scene.air_density", &["0 or more"]),
        case(body("[scene]\ngravity = [0, -inf, 0]"), 6, "scene.gravity[1]", &["finite"]),
        case(
            body("[scene]\nwind = [{ t = 0, value = [0, 0, 0] }, { t = 0, value = [1, 0, 0] }]"),
            6,
            "scene.wind[1].t",
            &["times must increase"],
        ),
        case(body("[scene]\nwind = []"), 6, "scene.wind", &["an array of 3 numbers, not 0"]),
        case(body("position = [0, nan, 0]"), 5, "body[0].position[1]", &["finite"]),
        case(body("resolution = [1.0, inf]"), 5, "body[0].resolution[1]", &["finite"]),
        case(body("material = { density = -3 }"), 5, "body[0].material.density", &["above 0 kg/m^3, not -3"]),
        case(body("material = { young = 0 }"), 5, "body[0].material.young", &["above 0 Pa"]),
        case(
            body("material = { poisson = 0.5 }"),
            5,
            "body[0].material.poisson",
            &["below 0.5", "incompressible = true"],
        ),
        case(body("material = { poisson = -1 }"), 5, "body[0].material.poisson", &["above -1"]),
        case(body("material = { damping = -0.1 }"), 5, "body[0].material.damping", &["0 or more"]),
        case(body("material = { friction = -1 }"), 5, "body[0].material.friction", &["0 or more"]),
        case(body("material = { yield_strain = -1 }"), 5, "body[0].material.yield_strain", &["0 or more"]),
        case(body("material = { flow_time = -1 }"), 5, "body[0].material.flow_time", &["0 or more"]),
        case(body("material = { drag = -1 }"), 5, "body[0].material.drag", &["0 or more"]),
        case(body("material = \"ruber\""), 5, "body[0].material", &["did you mean `rubber`?"]),
        case(
            body("copies = { count = [0, 1, 1], spacing = [1, 1, 1] }"),
            5,
            "body[0].copies.count[0]",
            &["between 1"],
        ),
        case(
            body("copies = { count = [1000, 1000, 1000], spacing = [1, 1, 1] }"),
            5,
            "body[0].copies.count",
            &["copies are more than 1000000"],
        ),
        case(
            body("[[obstacle]]\nname = \"g\"\nshape = { plane = { normal = [0, 0, 0] } }"),
            7,
            "obstacle[0].shape.plane.normal",
            &["must not be zero"],
        ),
        case(
            body("[[obstacle]]\nname = \"g\"\nshape = { plane = {} }\nkeys = [{ t = 1 }, { t = 0.5 }]"),
            8,
            "obstacle[0].keys[1].t",
            &["times must increase"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { plane = {} }\n",
            4,
            "body[0].shape.plane",
            &["only an [[obstacle]]"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { mesh = { file = \"a.obj\", scale = 0 } }\n",
            4,
            "body[0].shape.mesh.scale",
            &["above 0"],
        ),
    ]);
}

#[test]
fn names_and_references() {
    let attach =
        |body: &str, to: &str| format!("[[control]]\nbody = \"{body}\"\nkind = \"attach\"\nto = \"{to}\"\n");
    check_all(vec![
        case("[scene]\nfps = 30\n", 1, "body", &["no body", "[[body]]"]),
        case(
            "[[body]]\nname = \" \"\nkind = \"rigid\"\nshape = { sphere = 1 }\n",
            2,
            "body[0].name",
            &["not be empty"],
        ),
        case(
            "[[body]]\nname = \"a\"\nkind = \"\"\nshape = { sphere = 1 }\n",
            3,
            "body[0].kind",
            &["pliant list"],
        ),
        case(body(&body("")), 6, "body[1].name", &["`a` is already the name of body[0]"]),
        case(
            body("[[obstacle]]\nname = \"a\"\nshape = { plane = {} }"),
            6,
            "obstacle[0].name",
            &["already the name of body[0]"],
        ),
        case(
            body("[[control]]\nbody = \"b\"\nkind = \"hold\""),
            6,
            "control[0].body",
            &["no body is named `b`", "known: a"],
        ),
        case(two_bodies("[[control]]\nbody = \"a\"\nkind = \"attach\""), 9, "control[0].to", &["needs `to`"]),
        case(two_bodies(&attach("a", "a")), 12, "control[0].to", &["attached to itself"]),
        case(
            two_bodies(&attach("a", "c")),
            12,
            "control[0].to",
            &["no body or obstacle is named `c`", "a, b"],
        ),
        case(
            two_bodies(&(attach("a", "b") + &attach("b", "a"))),
            16,
            "control[1].to",
            &["in a circle: a -> b -> a", "remove one"],
        ),
        case(body("[[control]]\nbody = \"a\"\nkind = \"path\""), 5, "control[0].keys", &["needs `keys`"]),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"plane\""),
            5,
            "control[0].normal",
            &["needs `normal`"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"plane\"\nnormal = [0, 0, 0]"),
            8,
            "control[0].normal",
            &["must not be zero"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nnormal = [0, 1, 0]"),
            8,
            "control[0].normal",
            &["only `plane`"],
        ),
        case(
            body(
                "[[control]]\nbody = \"a\"\nkind = \"path\"\nkeys = [{ t = 1, at = [0, 0, 0] }, { t = 1, at = [1, 0, 0] }]",
            ),
            8,
            "control[0].keys[1].t",
            &["times must increase"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"path\"\nkeys = [{ t = 1, at = [0, nan, 0] }]"),
            8,
            "control[0].keys[0].at[1]",
            &["finite"],
        ),
        case(body("[[control]]\nbody = \"a\"\nkind = \"force\""), 5, "control[0].force", &["needs `force`"]),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nfrom = 2\nuntil = 1"),
            9,
            "control[0].until",
            &["after `from`"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nmax_force = 0"),
            8,
            "control[0].max_force",
            &["above 0 N"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nmethod = \"penality\""),
            8,
            "control[0].method",
            &["did you mean `penalty`?"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nmethod = \"penalty\""),
            5,
            "control[0].stiffness",
            &["`penalty` needs `stiffness`", "1000 (N/m)"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nmethod = \"reaction\"\nstiffness = 0"),
            9,
            "control[0].stiffness",
            &["above 0 N/m"],
        ),
        case(
            body("[[control]]\nbody = \"a\"\nkind = \"hold\"\nstiffness = 10"),
            8,
            "control[0].stiffness",
            &["`exact` has no `stiffness`", "remove it"],
        ),
        case(
            body(
                "[[control]]\nbody = \"a\"\nkind = \"force\"\nforce = [1, 0, 0]\nmethod = \"penalty\"\nstiffness = 10",
            ),
            9,
            "control[0].method",
            &["only a `path` or a `hold`", "remove `method`"],
        ),
        case(
            body(
                "[[control]]\nbody = \"a\"\nkind = \"hold\"\nselect = { ball = { centre = [0, 0, 0], radius = 0 } }",
            ),
            8,
            "control[0].select.ball.radius",
            &["above 0 m"],
        ),
        case(body("[expect.rest_height]\nq = [0, 1]"), 6, "expect.rest_height.q", &["no body is named `q`"]),
        case(body("[expect.rest_height]\na = [1, 0]"), 6, "expect.rest_height.a", &["[0, 1]"]),
        case(body("[expect]\nmax_drift = -1"), 6, "expect.max_drift", &["0 or more"]),
    ]);
}

#[test]
fn json_scenes_are_located_in_the_json() {
    let json = "{\n  \"scene\": { \"fps\": 30 },\n  \"body\": [\n    { \"name\": \"a\", \"kind\": \"rigid\",\n      \
                \"shape\": { \"sphere\": 0.1 },\n      \"material\": { \"density\": -1 } }\n  ]\n}\n";
    check_all(vec![
        case(json, 6, "body[0].material.density", &["above 0 kg/m^3", "\"material\": { \"density\": -1 } }"]),
        case(json.replace("density", "densty"), 6, "body[0].material.densty", &["did you mean `density`?"]),
        case(json.replace("\"fps\": 30", "\"fps\": null"), 2, "", &["leave the key out"]),
        case(json.replace("30 }", "30 ]"), 2, "", &["not valid JSON"]),
    ]);
    assert_eq!(scene_file::parse(&json.replace("-1", "1"), "a.json").unwrap().scene.fps, 30.0);
}

#[test]
fn errors_of_the_engine_are_placed_at_the_key_or_its_parent() {
    let text = body("resolutoin = [1, 1]\nposition = [\n  0,\n  9,\n  0]");
    let at = |path: &str, message: &str| -> SceneFileError {
        scene_file::locate(&text, &pliant::SceneError::new(path, message), "s.toml")
    };
    let key = at("body[0].resolutoin", "unknown key");
    assert_eq!((key.line, key.column), (5, 1));
    assert!(key.to_string().contains("| ^^^^^^^^^^\n") || key.to_string().ends_with("| ^^^^^^^^^^"), "{key}");
    assert_eq!(
        (at("body[0].position[1]", "too far").line, at("body[0].position[1]", "too far").column),
        (8, 3)
    );
    assert_eq!(at("body[0].material.young", "m").line, 1);
    assert_eq!(at("body[3].material.young", "m").line, 1);
    assert_eq!(at("nowhere", "m").line, 1);
}
