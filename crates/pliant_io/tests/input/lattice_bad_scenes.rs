//! Wrong lattice bodies: each is refused at the right line and key, with words that say what to change.

use pliant::{MeshLibrary, World};
use pliant_io::scene_file::{LoadedScene, load};

const BLOCK: &str = "{ box = [0.2, 0.2, 0.2] }";

/// The line, the key and the words of what is wrong with a body whose shape is on line 4.
fn refusal(shape: &str, rest: &str) -> (Option<usize>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let text = format!("[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = {shape}\n{rest}\n");
    std::fs::write(&file, text).unwrap();
    let error = match load(&file, &[], false) {
        Ok(LoadedScene { spec, .. }) => {
            World::new(&spec, &MeshLibrary::new()).err().map(|e| (None, e.path, e.message))
        }
        Err(e) => {
            let text = e.to_string();
            Some((text.split(':').nth(1).and_then(|n| n.parse().ok()), String::new(), text))
        }
    };
    error.unwrap_or_else(|| panic!("accepted: {shape} {rest}"))
}

#[test]
fn wrong_lattices_are_refused_with_advice() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (BLOCK, "resolution = 0", "resolution", &["at least one cell"]),
        (BLOCK, "resolution = [4, 0, 4]", "resolution", &["at least one cell", "[4, 0, 4]"]),
        (BLOCK, "resolution = [4, 4]", "resolution", &[]),
        (BLOCK, "resolution = -3", "resolution", &[]),
        (BLOCK, "resolution = [2000, 2000, 2000]", "resolution", &["cells", "at most"]),
        (BLOCK, "cell = 0", "cell", &["above 0"]),
        (BLOCK, "cell = -0.1", "cell", &["above 0"]),
        (BLOCK, "cell = 0.05\nresolution = 4", "cell", &["either"]),
        (BLOCK, "law = \"hooke\"", "law", &["neo_hookean", "st_venant_kirchhoff"]),
        (BLOCK, "viscous_time = -1", "viscous_time", &["at least 0"]),
        (BLOCK, "mould_limit = -1", "mould_limit", &["above 0"]),
        (BLOCK, "cells = 4", "cells", &["did you mean", "cell"]),
        (BLOCK, "material = { poisson = 0.5 }", "poisson", &["incompressible = true"]),
        (BLOCK, "material = { poisson = 0.7 }", "poisson", &["below 0.5"]),
        (
            BLOCK,
            "material = { young = 1e14, incompressible = true }\nresolution = 16",
            "young",
            &["steps per frame", "rigid"],
        ),
        (
            BLOCK,
            "stepping = \"implicit\"\nmaterial = { incompressible = true }",
            "stepping",
            &["incompressible", "explicit"],
        ),
        (
            BLOCK,
            "stepping = \"conserving\"\nmaterial = { incompressible = true }",
            "stepping",
            &["incompressible", "explicit"],
        ),
        (BLOCK, "stepping = \"conserving\"\nviscous_time = 100.0", "stepping", &["viscous", "explicit"]),
        (BLOCK, "stepping = \"fast\"", "stepping", &["explicit", "implicit", "conserving"]),
        (
            "{ cylinder = { radius = 0.5, height = 0.01 } }",
            "resolution = [4, 1, 4]\nrotation = [0, 0, 0]",
            "",
            &[],
        ),
        (
            "{ torus = { major = 0.4, minor = 0.02 } }",
            "resolution = 4",
            "resolution",
            &["thinner", "more or smaller"],
        ),
        ("{ curve = { circle = 0.5, nodes = 12, radius = 0.02 } }", "", "shape", &["hybrid"]),
    ];
    for (shape, rest, key, says) in cases {
        if key.is_empty() {
            // A thin disc whose cells are as thin: fine.
            let text = format!("[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = {shape}\n{rest}\n");
            World::new(&toml::from_str(&text).unwrap(), &MeshLibrary::new()).unwrap();
            continue;
        }
        let (_, path, message) = refusal(shape, rest);
        assert!(path.contains(key) || message.contains(key), "{rest}: {path}: {message}");
        for word in *says {
            assert!(message.contains(word), "{rest}: no `{word}` in: {message}");
        }
    }
}

#[test]
fn a_control_that_selects_nothing_says_so() {
    let text = format!(
        "[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = {BLOCK}\n[[control]]\nbody = \"a\"\nkind = \"hold\"\n\
         select = {{ ball = {{ centre = [5, 5, 5], radius = 0.1 }} }}\n"
    );
    let error = World::new(&toml::from_str(&text).unwrap(), &MeshLibrary::new()).err().unwrap();
    assert_eq!(error.path, "control[0].select");
    assert!(error.message.contains("larger distance or radius"), "{}", error.message);
}
