//! Killed and resumed, a run gives the bytes of an uninterrupted one. Nothing here depends on how fast things go:
//! a kill that comes too late finds a finished file, and that must be right too.

use crate::common::{Folder, SCENE};
use pliant_cli::{Common, resume};
use pliant_io::recording::{Recorder, Recording};
use std::fs;
use std::process::Stdio;

/// Numbers below `limit`, always the same.
fn scattered(limit: u64) -> impl Iterator<Item = u64> {
    let next =
        |s: &u64| Some(s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(99), next).skip(1).map(move |s| (s >> 24) % limit)
}

fn long_scene() -> Folder {
    Folder::with(&SCENE.replace("duration = 0.5", "duration = 60"))
}

/// Starts a run into `a.pliant` and waits until the file has `length` bytes (at least its beginning, which appears at
/// once) or the run is over.
fn start_until(folder: &Folder, length: u64) -> std::process::Child {
    let path = folder.join("a.pliant");
    let mut child = folder
        .command("run scene.toml -o a.pliant")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && fs::metadata(&path).map_or(0, |m| m.len()) < length.max(1) {
        std::thread::yield_now();
    }
    child
}

#[test]
fn killed_at_any_moment_and_resumed_it_equals_the_uninterrupted_run() {
    let folder = long_scene();
    folder.ends(0, "run scene.toml -o whole.pliant");
    let whole = folder.read("whole.pliant");
    for length in scattered(whole.len() as u64).take(10) {
        let mut child = start_until(&folder, length);
        child.kill().unwrap();
        child.wait().unwrap();
        folder.ends(0, "resume a.pliant");
        assert!(folder.read("a.pliant") == whole, "killed at {length}");
        fs::remove_file(folder.join("a.pliant")).unwrap();
    }
    assert_eq!(folder.contents().len(), 2, "nothing else is left behind");
}

#[test]
fn killed_twice_it_still_equals_the_uninterrupted_run() {
    let folder = long_scene();
    folder.ends(0, "run scene.toml -o whole.pliant");
    let whole = folder.read("whole.pliant");
    let mut child = start_until(&folder, whole.len() as u64 / 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut child = folder.command("resume a.pliant --quiet").spawn().unwrap();
    while child.try_wait().unwrap().is_none()
        && fs::metadata(folder.join("a.pliant")).unwrap().len() < 2 * whole.len() as u64 / 3
    {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    folder.ends(0, "resume a.pliant --threads 1");
    assert!(folder.read("a.pliant") == whole);
}

#[cfg(unix)]
#[test]
fn interrupted_it_stops_after_a_whole_frame() {
    let folder = long_scene();
    folder.ends(0, "run scene.toml -o whole.pliant");
    let whole = folder.read("whole.pliant");
    let mut child = start_until(&folder, whole.len() as u64 / 4);
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    let recording = Recording::open(&folder.join("a.pliant")).unwrap();
    assert_eq!(recording.ignored_bytes(), 0);
    assert_eq!(status.code(), Some(if recording.is_complete() { 0 } else { 1 }));
    folder.ends(0, "resume a.pliant");
    assert!(folder.read("a.pliant") == whole);
}

#[test]
fn cut_anywhere_and_resumed_it_equals_the_uninterrupted_run() {
    let folder = Folder::with(&SCENE.replace("duration = 0.5", "duration = 2.5"));
    folder.ends(0, "run scene.toml -o a.pliant");
    let whole = folder.read("a.pliant");
    let path = folder.join("a.pliant");
    let quiet = Common { quiet: true, ..Common::default() };
    let size = whole.len() as u64;
    let mut resumed = 0;
    for length in (size - 50..size).chain(scattered(size).take(200)) {
        fs::write(&path, &whole[..length as usize]).unwrap();
        let args = resume::Args { recording: path.clone(), hashes: false };
        if resume::execute(&args, &quiet).is_ok() {
            resumed += 1;
            assert!(fs::read(&path).unwrap() == whole, "cut at {length}");
        } else {
            assert!(Recording::open(&path).is_err(), "cut at {length}");
            assert_eq!(fs::metadata(&path).unwrap().len(), length, "what cannot be resumed is left alone");
        }
    }
    assert!(resumed > 200);
}

#[test]
fn a_complete_recording_is_left_alone() {
    let folder = Folder::new();
    let run = folder.json(0, "run scene.toml --json");
    let before = folder.read("scene.pliant");
    let json = folder.json(0, "resume scene.pliant --json");
    assert_eq!(json["resumed_frames"], 11);
    for field in ["final_hash", "max_penetration", "min_distance", "steps", "external_work"] {
        assert_eq!(json[field], run[field], "{field}");
    }
    assert!(folder.read("scene.pliant") == before);
}

#[test]
fn changes_from_the_command_line_are_kept() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml -o a.pliant --set scene.duration=2 --set body.soft.material.young=3e4");
    let whole = folder.read("a.pliant");
    fs::write(folder.join("a.pliant"), &whole[..whole.len() * 3 / 4]).unwrap();
    fs::remove_file(folder.join("scene.toml")).unwrap();
    folder.ends(0, "resume a.pliant");
    assert!(folder.read("a.pliant") == whole);
}

#[test]
fn a_recording_of_another_version_is_refused_and_left_alone() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml");
    let recording = Recording::open(&folder.join("scene.pliant")).unwrap();
    let mut header = recording.header().clone();
    header.engine = "0.0.1".into();
    let mut recorder = Recorder::create(&folder.join("old.pliant"), &header, recording.topology()).unwrap();
    recorder.frame(&recording.frame(0).unwrap()).unwrap();
    drop(recorder);
    let before = folder.read("old.pliant");
    folder.ends(2, "resume old.pliant");
    assert!(folder.read("old.pliant") == before);
    folder.ends(0, "export old.pliant -o old.glb");
}
