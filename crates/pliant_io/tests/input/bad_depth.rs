//! Nesting without end is refused with a place; it must not end in a stack overflow.

use pliant_io::scene_file;

const START: &str = "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { sphere = 1 }\n";

#[test]
fn deep_scenes_are_refused_at_the_place() {
    for n in [60, 79, 1000, 100_000] {
        for text in [
            format!("{START}camera.x = {}", "[".repeat(n)),
            format!("{START}camera.x = {}{}", "[".repeat(n), "]".repeat(n)),
            format!("{START}camera.x = {}1{}", "{ a = ".repeat(n), "}".repeat(n)),
            format!("{START}camera{} = 1", ".a".repeat(n)),
            format!("{START}[camera{}]\n", ".a".repeat(n)),
            format!("{{\n\n\n\n\"camera\": {{ \"x\": {}{} }} }}", "[".repeat(n), "]".repeat(n)),
        ] {
            let error = scene_file::parse(&text, "a").unwrap_err();
            // The parser refuses keys of more than 80 parts by itself, and does not say where.
            let placed = error.line == 5 || error.message.contains("recursion limit");
            assert!(placed && error.to_string().len() < 1000, "{error}");
            let later = pliant::SceneError::new("camera.x", "m");
            assert_eq!(scene_file::locate(&text, &later, "a").message, "m");
        }
    }
}

#[test]
fn dots_within_brackets_do_not_add_up_to_an_overflow() {
    for (brackets, dots) in [(20, 20), (40, 40), (78, 78)] {
        let open = format!("{{ a{} = ", ".a".repeat(dots)).repeat(brackets);
        let text = format!("{START}[camera]\nx = {open}1{}", "}".repeat(brackets));
        let error = scene_file::parse(&text, "a").unwrap_err();
        assert_eq!(error.line, 6);
        assert!(error.message.contains("nested more than 48 levels"), "{error}");
    }
}

#[test]
fn deep_overrides_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    std::fs::write(&path, START).unwrap();
    let deep = format!("{}1{}", format!("{{ a{} = ", ".a".repeat(78)).repeat(78), "}".repeat(78));
    for (key, value, why) in [
        ("look.x".to_owned(), deep, "nested more than 48 levels"),
        (format!("camera{}", ".a".repeat(50_000)), "1".to_owned(), "unknown key `a`"),
        (format!("look{}", ".a".repeat(50_000)), "1".to_owned(), "unknown key `a`"),
    ] {
        let error = scene_file::load(&path, &[(key, value)], false).unwrap_err();
        assert!(error.message.contains(why), "{}", error.message);
    }
}
