//! Damaged bytes, thousands of times with a fixed seed: an answer or an error, never a panic, never a long wait.

use pliant_io::mesh_in::decode_mesh;
use pliant_io::scene_file;
use std::fs;
use std::path::Path;

/// A small generator of its own, so that every machine sees the same damage.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Changes, removes, repeats or inserts a few pieces.
fn damaged(bytes: &[u8], words: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(out.len());
        let end = (at + 1 + random.below(12)).min(out.len());
        match random.below(7) {
            0 if !out.is_empty() => out[at] = random.next() as u8,
            1 if !out.is_empty() => out[at] ^= 1 << random.below(8),
            2 => drop(out.drain(at..end)),
            3 => out.truncate(at),
            4 => {
                let piece = out[at..end].to_vec();
                let to = random.below(out.len());
                out.splice(to..to, piece);
            }
            5 => {
                let word = words[random.below(words.len())];
                out.splice(at..at, word.iter().copied());
            }
            _ => {
                let word = words[random.below(words.len())];
                let end = (at + word.len()).min(out.len());
                out.splice(at..end, word.iter().copied());
            }
        }
    }
    out
}

const SCENE: &str = r#"[scene]
title = "é😀"
duration = 2
gravity = [{ t = 0, value = [0, -9.81, 0] }, { t = 1, value = [0, 0, 0] }]
[[body]]
name = "a"
kind = "rigid"
shape = { parts = [{ shape = { sphere = 1 }, position = [0, 1, 0] }] }
material = "rubber"
copies = { count = [2, 1, 2], spacing = [3, 3, 3] }
[[body]]
name = "b"
kind = "global"
order = 2
shape = { capsule = { radius = 0.1, length = 1 } }
[body.material]
density = 500
[[obstacle]]
name = "floor"
shape = { plane = { normal = [0, 1, 0] } }
[[control]]
body = "a.001"
kind = "attach"
to = "floor"
select = { top = 0.1 }
[expect]
rest_height = { b = [0, 1] }
"#;

const WORDS: &[&[u8]] = &[
    b"[[",
    b"]]",
    b"{",
    b"}",
    b"[",
    b"]",
    b"=",
    b"\"",
    b"\"\"\"",
    b"'",
    b",",
    b".",
    b"\n",
    b"#",
    b"nan",
    b"inf",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"true",
    b"1979-05-27",
    b"\\u",
    b"\xff",
    b"\0",
    b"body",
    b"[body.material]\n",
];

#[test]
fn damaged_scenes_never_panic() {
    scene_file::parse(SCENE, "a.toml").unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut right, mut placed) = (0, 0);
    for _ in 0..4000 {
        let bytes = damaged(SCENE.as_bytes(), WORDS, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        match scene_file::parse(&text, "a.toml") {
            Ok(_) => right += 1,
            Err(error) => {
                assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1, "{error}");
                assert!(!error.to_string().is_empty());
                placed += 1;
            }
        }
        scene_file::locate(&text, &pliant::SceneError::new("body[0].shape.sphere", "m"), "a.toml");
    }
    assert!(right > 0 && placed > 2000, "{right} right, {placed} refused");
}

#[test]
fn damaged_json_scenes_never_panic() {
    let json = r#"{ "scene": { "title": "\ud83d\ude00 a\/b", "fps": 3e1 }, "body": [
        { "name": "a", "kind": "rigid", "shape": { "box": [1, 2.5, 3] }, "material": "ice" } ] }"#;
    scene_file::parse(json, "a.json").unwrap();
    let words: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b"\\ud800",
        b":",
        b",",
        b"null",
        b"1e999",
        b"\n",
        b"\xc3\xa9",
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..4000 {
        let bytes = damaged(json.as_bytes(), words, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = scene_file::parse(&text, "a.json") {
            assert!(error.line <= text.matches('\n').count() + 1, "{error}");
        }
    }
}

#[test]
fn damaged_overrides_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, SCENE).unwrap();
    let words: &[&[u8]] =
        &[b".", b"[", b"]", b"[0]", b"body", b"a", b"material", b"{", b"=", b"\"", b"shape", b"sphere"];
    let mut random = Random(0x0dd0_57a7_e5ee_d5ed);
    let starts = [
        "body.a.material.young",
        "body[1].shape.capsule.radius",
        "scene.gravity[0].value[1]",
        "control[0].select.top",
    ];
    for i in 0..1500 {
        let key = damaged(starts[i % starts.len()].as_bytes(), words, &mut random);
        let value = damaged(b"{ x = [1, 2.5] }", WORDS, &mut random);
        let key = String::from_utf8_lossy(&key).into_owned();
        let value = String::from_utf8_lossy(&value).into_owned();
        if let Err(error) = scene_file::load(&path, &[(key, value)], false) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn damaged_meshes_never_panic() {
    let words: &[&[u8]] = &[
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\0\0\xc0\x7f",
        b"\xff\xff\xff\x7f",
        b"nan",
        b"-1",
        b"99999999999",
        b"4294967295",
        b"\n",
        b" ",
        b"1e99",
        b"\\\n",
        b"f ",
        b"v ",
        b"vertex",
        b"element face 9999999\n",
        b"[",
        b"{",
        b"}",
    ];
    let mut random = Random(0x5eed_5eed_5eed_5eed);
    for (name, bytes) in crate::bad_common::all_formats() {
        let mut refused = 0;
        for _ in 0..5000 {
            match decode_mesh(Path::new(name), &damaged(&bytes, words, &mut random)) {
                Ok(mesh) => {
                    assert!(mesh.triangles.iter().flatten().all(|i| (*i as usize) < mesh.points.len()))
                }
                Err(error) => {
                    assert!(error.to_string().contains(name), "{error}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 1000, "{name}: only {refused} refused");
    }
}

#[test]
fn every_cut_of_a_file_is_an_answer_or_an_error() {
    for (name, bytes) in crate::bad_common::all_formats() {
        for end in 0..bytes.len() {
            let _ = decode_mesh(Path::new(name), &bytes[..end]);
        }
    }
    for end in 0..SCENE.len() {
        let _ = scene_file::parse(&String::from_utf8_lossy(&SCENE.as_bytes()[..end]), "a.toml");
    }
}
