//! `load`: files that cannot be read, overrides, meshes beside the scene; and scenes that are right.

use pliant_io::scene_file::{self, LoadedScene, SceneFileError};
use std::fs;
use std::path::Path;

const SCENE: &str = "# A comment that stays.\n[scene]\ntitle = \"t\" # and this one\nduration = 2\n\n[[body]]\n\
    name = \"jello\"\nkind = \"rigid\"\nshape = { box = [0.2, 0.2, 0.2] }\nmaterial = { young = 1e5 }\n\n[[body]]\n\
    name = \"ball\"\nkind = \"rigid\"\nshape = { sphere = 0.1 }\n\n[[control]]\nbody = \"ball\"\nkind = \"hold\"\n";

fn folder_with(name: &str, content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    folder
}

fn load(path: &Path, sets: &[(&str, &str)]) -> Result<LoadedScene, SceneFileError> {
    let sets: Vec<_> = sets.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    scene_file::load(path, &sets, false)
}

fn refused(path: &Path, says: &str) -> SceneFileError {
    let error = load(path, &[]).unwrap_err();
    assert!(error.to_string().contains(says), "`{says}` is not said: {error}");
    assert_eq!(error.file, path.display().to_string());
    error
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().unwrap();
    refused(&folder.path().join("none.toml"), "does not exist");
    refused(folder.path(), "is a folder");
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    refused(&put("empty.toml", b""), "the scene is empty");
    refused(&put("blank.toml", b"\n\n  \n"), "the scene is empty");
    refused(&put("wide.toml", b"\xff\xfe[\0s\0"), "UTF-16");
    let error = refused(&put("latin.toml", b"[scene]\ntitle = \"caf\xe9\"\n"), "byte 20 (0xe9) is not UTF-8");
    assert_eq!((error.line, error.column), (2, 13));
    refused(&put("zero.toml", b"[scene]\n\0\0"), "not valid TOML");
    refused(&folder.path().join("empty.toml/x.toml"), "not a folder");
    let large = folder.path().join("large.toml");
    fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    refused(&large, "at most 64 MB");
    #[cfg(unix)]
    refused(Path::new("/dev/zero"), "not a regular file");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let folder = folder_with("a.toml", format!("\u{feff}{SCENE}"));
    assert_eq!(load(&folder.path().join("a.toml"), &[]).unwrap().spec.scene.title, "t");
}

#[test]
fn a_right_scene_is_read_as_written() {
    let folder = folder_with("a.toml", SCENE);
    let scene = load(&folder.path().join("a.toml"), &[]).unwrap();
    assert_eq!(scene.text, SCENE);
    assert_eq!(scene.spec.body.len(), 2);
    assert_eq!(scene.spec.scene.duration, 2.0);
    assert_eq!(scene.spec, scene_file::parse(&scene.text, "again").unwrap());
}

#[test]
fn windows_line_ends_change_nothing() {
    let spec = scene_file::parse(&SCENE.replace('\n', "\r\n"), "a.toml").unwrap();
    assert_eq!(spec, scene_file::parse(SCENE, "a.toml").unwrap());
    let error =
        scene_file::parse(&SCENE.replace('\n', "\r\n").replace("young", "yuong"), "a.toml").unwrap_err();
    assert_eq!((error.line, error.column), (10, 14));
}

#[test]
fn every_form_the_format_has_is_accepted() {
    let text = r#"
        [scene]
        gravity = [{ t = 0, value = [0, -9.81, 0] }, { t = 1, value = [0, 0, 0] }]
        wind = [1, 0, 0]
        substeps = 4
        [camera]
        at = [1, 2, 3]
        [[body]]
        name = "a"
        kind = "global"
        order = 2
        resolution = [3, 3, 5]
        shape = { parts = [{ shape = { sphere = 1 } }, { shape = { capsule = { radius = 1, length = 2 } }, position = [0, 1, 0] }] }
        material = "gelatin"
        copies = { count = [2, 1, 2], spacing = [3, 3, 3] }
        [[body]]
        name = "b"
        kind = "rigid"
        shape = { mesh = { file = "x.obj", scale = 0.01 } }
        [body.material]
        density = 500
        [[obstacle]]
        name = "floor"
        shape = { plane = {} }
        keys = [{ t = 0 }, { t = 1, at = [0, 1, 0] }]
        [[control]]
        body = "a"
        kind = "path"
        select = { ball = { centre = [0, 0, 0], radius = 1 } }
        keys = [{ t = 0, at = [0, 0, 0] }]
        until = 1
        [[control]]
        body = "a.002"
        kind = "attach"
        to = "floor"
        select = "all"
        [[control]]
        body = "b"
        kind = "force"
        force = [{ t = 0, value = [1, 0, 0] }]
        [expect]
        max_penetration = 0
        rest_height = { b = [0, 1] }
    "#;
    let spec = scene_file::parse(text, "a.toml").unwrap();
    assert_eq!(spec.body[0].own["order"].as_integer(), Some(2));
    assert_eq!(spec.scene.gravity.at(0.5).y, -4.905);
    assert_eq!(spec.control.len(), 3);
}

#[test]
fn overrides_change_the_text_and_nothing_else() {
    let folder = folder_with("a.toml", SCENE);
    let path = folder.path().join("a.toml");
    let scene = load(
        &path,
        &[("body.jello.material.young", "2e5"), ("scene.fps", "24"), ("scene.title", "new words")],
    );
    let scene = scene.unwrap();
    let pliant::scene::MaterialSpec::Numbers(material) = &scene.spec.body[0].material else { panic!() };
    assert_eq!(material.young, 2e5);
    assert_eq!(scene.spec.scene.fps, 24.0);
    assert_eq!(scene.spec.scene.title, "new words");
    assert!(
        scene.text.contains("# A comment that stays.") && scene.text.contains("# and this one"),
        "{}",
        scene.text
    );
    assert_eq!(scene.spec, scene_file::parse(&scene.text, "again").unwrap());
}

#[test]
fn an_override_to_blame_is_named_and_other_errors_keep_their_line() {
    let folder = folder_with("a.toml", SCENE);
    let path = folder.path().join("a.toml");
    let error = load(&path, &[("body[0].material.density", "-1")]).unwrap_err();
    assert_eq!(error.file, "--set body[0].material.density=-1");
    assert_eq!(error.path, "body[0].material.density");
    assert!(error.message.contains("above 0 kg/m^3"), "{error}");
    let error = load(&path, &[("scene.duration", "soon")]).unwrap_err();
    assert!(
        error.to_string().starts_with("--set scene.duration=soon: scene.duration: must be a number"),
        "{error}"
    );
    let error = load(&path, &[("control[0].body", "bal")]).unwrap_err();
    assert!(error.message.contains("did you mean `ball`?"), "{error}");
    let error = load(&path, &[("scene.fpss", "3")]).unwrap_err();
    assert!(error.message.contains("did you mean `fps`?"), "{error}");

    // Added keys move later lines of the text; errors still speak of the file.
    fs::write(&path, SCENE.replace("sphere = 0.1", "sphere = nan")).unwrap();
    let error = load(&path, &[("scene.fps", "24"), ("scene.sleep", "false")]).unwrap_err();
    assert_eq!((error.line, error.path.as_str()), (15, "body[1].shape.sphere"));
}

#[test]
fn errors_found_later_are_placed_by_the_loaded_scene() {
    let folder = folder_with("a.toml", SCENE);
    let scene =
        load(&folder.path().join("a.toml"), &[("scene.fps", "24"), ("body.ball.shape.sphere", "9")]).unwrap();
    let error = scene.locate(&pliant::SceneError::new("control[0].kind", "m"));
    assert_eq!(error.line, 19);
    let error = scene.locate(&pliant::SceneError::new("body[1].shape.sphere", "too big"));
    assert_eq!(error.to_string(), "--set body.ball.shape.sphere=9: body[1].shape.sphere: too big");
}

#[test]
fn meshes_are_found_beside_the_scene_and_faults_are_placed_at_their_key() {
    let scene = SCENE.replace("box = [0.2, 0.2, 0.2]", "mesh = \"m/tetra.obj\"");
    let folder = folder_with("a.toml", &scene);
    let path = folder.path().join("a.toml");
    let error = load(&path, &[]).unwrap_err();
    assert_eq!((error.line, error.path.as_str()), (9, "body[0].shape.mesh"));
    assert!(error.message.contains("tetra.obj: the file does not exist"), "{error}");

    fs::create_dir(folder.path().join("m")).unwrap();
    let mesh = folder.path().join("m/tetra.obj");
    let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    fs::write(&mesh, format!("{points}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")).unwrap();
    let loaded = load(&path, &[]).unwrap();
    assert_eq!(loaded.meshes["m/tetra.obj"].triangles.len(), 4);

    // One triangle turned over: refused, with the way out; mended on request.
    fs::write(&mesh, format!("{points}f 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")).unwrap();
    let error = load(&path, &[]).unwrap_err();
    assert!(error.message.contains("m/tetra.obj") && error.message.contains("--repair"), "{error}");
    let mended = scene_file::load(&path, &[], true).unwrap();
    assert!(!mended.notes.is_empty() && mended.notes[0].starts_with("m/tetra.obj: "), "{:?}", mended.notes);

    // A hole cannot be mended.
    fs::write(&mesh, format!("{points}f 1 3 2\nf 1 2 4\nf 2 3 4\n")).unwrap();
    for repair in [false, true] {
        let error = scene_file::load(&path, &[], repair).unwrap_err();
        assert_eq!(error.line, 9);
        assert!(error.message.contains("open edge"), "{error}");
    }
}
