//! Wrong joints: each is refused at the right line and key, with words that say what to change.

use pliant::World;
use pliant_io::scene_file::load;

/// What is said of a scene with a control; its `kind` is on line 11.
fn refusal(control: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let bodies = "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { sphere = 0.1 }\n[[body]]\nname = \"b\"\n\
                  kind = \"rigid\"\nshape = { sphere = 0.1 }\nposition = [1, 0, 0]\n";
    std::fs::write(&file, format!("{bodies}[[control]]\n{control}\nbody = \"a\"\n")).unwrap();
    let scene = match load(&file, &[], false) {
        Ok(scene) => scene,
        Err(error) => return error.to_string(),
    };
    match World::new(&scene.spec, &scene.meshes) {
        Ok(_) => panic!("accepted: {control}"),
        Err(error) => scene.locate(&error).to_string(),
    }
}

#[test]
fn wrong_joints_are_refused_with_advice() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("kind = \"ball\"\nat = [0, 0, 0]", "to", &["`ball` needs `to`"]),
        ("kind = \"ball\"\nto = \"b\"", "at", &["`ball` needs `at`", "[0, 1, 0]"]),
        ("kind = \"hinge\"\nto = \"b\"\nat = [0, 0, 0]", "axis", &["needs `axis`", "direction"]),
        ("kind = \"hinge\"\nto = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 0]", "axis", &["must not be zero"]),
        ("kind = \"spring\"\nto = \"b\"\nat = [0, 0, 0]\nend = [1, 0, 0]", "stiffness", &["such as 1000"]),
        ("kind = \"spring\"\nto = \"b\"\nat = [0, 0, 0]\nstiffness = 9", "end", &["other end"]),
        (
            "kind = \"spring\"\nto = \"b\"\nat = [0, 0, 0]\nend = [1, 0, 0]\nstiffness = -9",
            "stiffness",
            &["above 0"],
        ),
        ("kind = \"ball\"\nto = \"b\"\nat = [0, 0, 0]\naxis = [0, 1, 0]", "axis", &["no `axis`", "`hinge`"]),
        ("kind = \"hold\"\nbreak_force = 3", "break_force", &["no `break_force`", "`attach`"]),
        ("kind = \"attach\"\nto = \"b\"\nbreak_force = 0", "break_force", &["above 0"]),
        ("kind = \"ball\"\nto = \"b\"\nat = [0, 0, 0]\nmax_force = 3", "max_force", &["break_force"]),
        (
            "kind = \"ball\"\nto = \"b\"\nat = [0, 0, 0]\nselect = { top = 0.1 }",
            "select",
            &["leave `select` out"],
        ),
        ("kind = \"ball\"\nto = \"c\"\nat = [0, 0, 0]", "to", &["c"]),
        ("kind = \"ball\"\nto = \"a\"\nat = [0, 0, 0]", "to", &["itself"]),
        ("kind = \"ball\"\nto = \"b\"\nat = [0, nan, 0]", "at", &["finite"]),
        ("kind = \"balls\"\nto = \"b\"", "kind", &["did you mean `ball`"]),
    ];
    for (control, key, words) in cases {
        let said = refusal(control);
        assert!(
            said.contains(&format!("control[0].{key}")),
            "{control}\nis said to be wrong elsewhere: {said}"
        );
        for word in *words {
            assert!(said.contains(word), "{control}\nno word of {word}: {said}");
        }
    }
}
