//! Pictures and films from the command line: what is written, and what is refused.

use crate::common::{Folder, SCENE};

const SMALL: &str = "\n[camera]\nsize = [64, 48]\n";

fn recorded() -> Folder {
    let folder = Folder::with(&format!("{SCENE}{SMALL}"));
    folder.ends(0, "run scene.toml -q");
    folder
}

#[test]
fn run_writes_films_without_leaving_a_recording_behind() {
    let folder = Folder::with(&format!("{SCENE}{SMALL}"));
    folder.ends(
        0,
        "run scene.toml -q --samples 1 -o film.mp4 -o film.gif -o end.png -o film.webp -o all.##.png",
    );
    let name = |p: std::path::PathBuf| p.file_name().unwrap().to_string_lossy().into_owned();
    let mut names: Vec<String> = folder.contents().into_keys().map(name).collect();
    names.retain(|n| !n.starts_with("all."));
    assert_eq!(names, ["end.png", "film.gif", "film.mp4", "film.webp", "scene.toml"]);
    assert_eq!(folder.contents().len(), 5 + 11, "one numbered picture per frame");
}

#[test]
fn render_gives_what_run_gives() {
    let folder = recorded();
    folder.ends(0, "run scene.toml -q --samples 1 -o run.mp4");
    folder.ends(0, "render scene.pliant -q --samples 1 -o render.mp4");
    folder.ends(0, "export scene.pliant -q -o export.mp4 -o scene.glb");
    assert_eq!(folder.read("run.mp4"), folder.read("render.mp4"));
    assert!(folder.join("export.mp4").is_file() && folder.join("scene.glb").is_file());
}

#[test]
fn moments_are_put_together_as_asked() {
    let folder = recorded();
    let size = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        [number(16), number(20)]
    };
    for (flags, wanted) in [
        ("--at 0.2", [64, 48]),
        ("--strobe 0,0.1,0.5", [64, 48]),
        ("--strobe x4 --fade 0.2", [64, 48]),
        ("--pair 0,0.5", [128, 48]),
        ("--sheet x5", [126, 64]),
        ("--at 0.1 --size 40x30", [40, 30]),
        ("--at 0.1 --overlay wire,forces,strain,time --alpha", [64, 48]),
        ("--at 0.1 --set camera.fov=60 --set light.softness=10", [64, 48]),
    ] {
        folder.ends(0, &format!("render scene.pliant -q --samples 1 -o picture.png {flags}"));
        assert_eq!(size("picture.png"), wanted, "{flags}");
    }
    let film = folder.json(0, "render scene.pliant --json --samples 1 -o part.webp --from 0.1 --to 0.2");
    assert_eq!(film["size"], serde_json::json!([64, 48]));
}

#[test]
fn what_cannot_be_shown_is_refused_before_anything_is_written() {
    let folder = recorded();
    let marks = "points = [\
        { pixel = [1, 1], at = [0, 0, 0] }, { pixel = [9, 1], at = [1, 0, 0] }, \
        { pixel = [9, 9], at = [1, 0, 1] }]";
    std::fs::write(folder.join("few.toml"), format!("{SCENE}\n[matte]\nphoto = \"no.png\"\n{marks}\n"))
        .unwrap();
    let four = marks.replace("points = [", "points = [{ pixel = [1, 9], at = [0, 0, 1] }, ");
    std::fs::write(folder.join("missing.toml"), format!("{SCENE}\n[matte]\nphoto = \"no.png\"\n{four}\n"))
        .unwrap();
    std::fs::write(folder.join("text.png"), "not a picture").unwrap();
    std::fs::write(folder.join("text.toml"), format!("{SCENE}\n[matte]\nphoto = \"text.png\"\n{four}\n"))
        .unwrap();
    let look = |keys: &str| format!("{SCENE}\n{keys}\n");
    for (name, keys) in [
        ("colour", "[look.hard]\ncolour = \"reddish\""),
        ("nobody", "[look.hrad]\ncolour = \"#ff0000\""),
        ("follow", "[camera]\nfollow = \"ground\""),
        ("fov", "[camera]\nfov = 200"),
        ("size", "[camera]\nsize = [0, 10]"),
        (
            "keys",
            "[camera]\nkeys = [{ t = 1, at = [0, 0, 1], look_at = [0, 0, 0] }, { t = 1, at = [0, 0, 2], look_at = [0, 0, 0] }]",
        ),
        ("nan", "[light]\nstrength = nan"),
        ("dark", "[light]\ndirection = [0, 0, 0]"),
        ("figure", "[figure]\nof = \"x\"\nsee = \"y\"\ntimes = []"),
        ("late", "[figure]\nof = \"x\"\nsee = \"y\"\ntimes = [-1]"),
    ] {
        std::fs::write(folder.join(&format!("{name}.toml")), look(keys)).unwrap();
    }
    let before = folder.contents();
    for (line, word) in [
        ("render scene.pliant -o odd.mp4 --size 65x48", "even"),
        ("render scene.pliant -o tiny.mp4 --size 2x2", "16"),
        ("render scene.pliant -o p.png --size 0x10", "1920x1080"),
        ("render scene.pliant -o p.png --at 7", "between 0 and 0.5"),
        ("render scene.pliant -o p.png --at nan", "between 0 and 0.5"),
        ("render scene.pliant -o p.png --pair 0", "two times"),
        ("render scene.pliant -o p.png --strobe soon", "seconds"),
        ("render scene.pliant -o p.png --strobe x3 --fade 1.5", "from 0, which cannot be seen, to 1"),
        ("render scene.pliant -o p.png --strobe x3 --fade nan", "from 0, which cannot be seen, to 1"),
        ("render scene.pliant -o p.png --figure", "no [figure]"),
        ("render scene.pliant -o p.png --overlay strian", "did you mean `strain`"),
        ("render scene.pliant -o p.png --set camera.fvo=3", "fov"),
        ("render scene.pliant -o p.glb", "pliant export"),
        ("render scene.pliant -o p.jpg", "unknown file ending"),
        ("render scene.pliant -o nowhere/p.png", "nowhere"),
        ("render scene.toml -o p.png", "not a Pliant recording"),
        ("render scene.pliant -o p.png --photo text.png", "[matte]"),
        ("render scene.pliant -o p.png --from 0.4 --to 0.1", "after --to"),
        ("plot scene.pliant -o p.png", ".svg"),
        ("run few.toml -o p.png", "at least four"),
        ("run missing.toml -o p.png", "no.png"),
        ("run text.toml -o p.png", "PNG or JPEG"),
        ("run colour.toml", "#rrggbb"),
        ("run nobody.toml", "did you mean `hard`"),
        ("run follow.toml", "no body is named"),
        ("run fov.toml", "170"),
        ("run size.toml", "between 1 and"),
        ("run keys.toml", "times must increase"),
        ("run nan.toml", "finite"),
        ("run dark.toml", "direction"),
        ("run figure.toml", "at least one time"),
        ("run late.toml", "0 or more"),
    ] {
        let output = folder.pliant(line);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "pliant {line}: {error}");
        assert!(error.contains(word), "pliant {line}: {error}");
        assert!(!error.contains("panicked"), "pliant {line}: {error}");
        assert_eq!(folder.contents(), before, "pliant {line} left something behind");
    }
}

#[test]
fn plots_are_written_beside_the_recording() {
    let folder = recorded();
    let json = folder.json(0, "plot scene.pliant --json");
    assert_eq!(json["frames"], 11);
    assert!(json["plots"].as_array().unwrap().len() >= 6, "{json}");
    let text = std::fs::read_to_string(folder.join("scene.svg")).unwrap();
    assert!(text.starts_with("<svg") || text.starts_with("<?xml"));
}
