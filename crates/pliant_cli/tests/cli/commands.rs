//! Every command: what it prints, what it leaves behind, how it ends.

use crate::common::{Folder, SCENE};
use pliant_io::recording::{Recorder, Recording};

const RUN_FIELDS: [&str; 11] = [
    "frames",
    "simulated_seconds",
    "wall_seconds",
    "real_time_factor",
    "threads",
    "final_hash",
    "max_penetration",
    "max_volume_error",
    "max_contact_work",
    "min_distance",
    "phases",
];

#[test]
fn run_records_beside_the_scene_and_says_what_happened() {
    let folder = Folder::new();
    let output = folder.pliant("run scene.toml");
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "no progress bar without a terminal");
    let text = String::from_utf8(output.stdout).unwrap();
    for word in ["Two boxes fall", "11 frames", "penetration", "volume", "energy", "scene.pliant"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert_eq!(folder.contents().len(), 2);
    assert!(folder.ends(0, "run scene.toml --quiet").is_empty());
}

#[test]
fn run_json_has_the_promised_fields() {
    let folder = Folder::new();
    let json = folder.json(0, "run scene.toml --json --threads 1 --hashes");
    for field in RUN_FIELDS {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!((json["frames"].as_u64(), json["threads"].as_u64()), (Some(11), Some(1)));
    assert_eq!(json["final_hash"].as_str().unwrap().len(), 32);
    assert!(json["phases"].as_object().unwrap().values().all(|s| s.as_f64().unwrap() >= 0.0));
    let hashes = json["frame_hashes"].as_array().unwrap();
    assert_eq!((hashes.len(), &hashes[10]), (11, &json["final_hash"]));
    let recording = Recording::open(&folder.join("scene.pliant")).unwrap();
    let [high, low] = recording.frame(10).unwrap().state_hash;
    assert_eq!(json["final_hash"], format!("{high:016x}{low:016x}"));
}

#[test]
fn wrong_input_ends_with_2_and_changes_nothing() {
    let folder = Folder::new();
    std::fs::write(folder.join("broken.toml"), "[scene\n").unwrap();
    std::fs::write(folder.join("typo.toml"), SCENE.replace("duration", "duratoin")).unwrap();
    std::fs::write(folder.join("kind.toml"), SCENE.replace("\"rigid\"", "\"rigd\"")).unwrap();
    std::fs::write(folder.join("overlap.toml"), SCENE.replace("[0.5, 0.2, 0]", "[0.1, 0.2, 0]")).unwrap();
    std::fs::write(folder.join("notes.pliant"), "not a recording").unwrap();
    std::fs::create_dir(folder.join("folder.pliant")).unwrap();
    folder.ends(0, "run scene.toml -o good.pliant");
    let before = folder.contents();
    for line in [
        "run",
        "run missing.toml",
        "run broken.toml",
        "run typo.toml",
        "run kind.toml",
        "run overlap.toml",
        "run good.pliant",
        "run scene.toml --set scene.duratoin=1",
        "run scene.toml --set scene.duration",
        "run scene.toml --set scene.duration=-1",
        "run scene.toml -o out.xyz",
        "run scene.toml -o out",
        "run scene.toml -o good.glb -o out.xyz",
        "run scene.toml -o nowhere/out.pliant",
        "run scene.toml -o scene.toml/out.pliant",
        "run scene.toml -o folder.pliant",
        "run scene.toml -o a.glb -o a.glb",
        "run scene.toml -o a.glb -o notes.pliant",
        "run scene.toml -o new.pliant -o notes.pliant",
        "run scene.toml -o good.pliant -o notes.pliant",
        "run scene.toml --threads 0",
        "run scene.toml --bogus",
        "resume missing.pliant",
        "resume notes.pliant",
        "resume scene.toml",
        "export good.pliant",
        "export good.pliant -o copy.pliant",
        "export good.pliant -o out.xyz",
        "export notes.pliant -o out.glb",
        "certify notes.pliant",
        "certify missing.pliant",
        "check",
        "check typo.toml",
        "check scene.toml typo.toml --run",
        "new scene",
        "new nowhere/scene",
        "bench missing.toml",
        "bench",
        "dance",
    ] {
        folder.ends(2, line);
        assert!(folder.contents() == before, "pliant {line}");
    }
}

#[test]
fn errors_name_the_line_and_the_key() {
    let folder = Folder::with(&SCENE.replace("\"rigid\"", "\"rigd\""));
    let error = String::from_utf8(folder.pliant("run scene.toml").stderr).unwrap();
    assert!(error.starts_with("error: scene.toml:9:8: body[0].kind"), "{error}");
    assert!(error.contains("rigid"), "{error}");
}

#[test]
fn the_same_bytes_again_on_any_number_of_threads_replacing_the_old_recording() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml --threads 1");
    let first = folder.read("scene.pliant");
    folder.ends(0, "run scene.toml --set scene.duration=0.1");
    assert_ne!(folder.read("scene.pliant"), first);
    folder.ends(0, "run scene.toml --threads 3");
    assert!(folder.read("scene.pliant") == first);
    folder.ends(0, "run scene.toml -o other.pliant -o other.glb");
    assert!(folder.read("other.pliant") == first);
}

#[test]
fn export_from_a_recording_equals_export_from_the_run() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml -o a.pliant -o a.glb -o a.usda -o a.abc -o a.ply");
    let json = folder.json(0, "export a.pliant -o b.glb -o b.usda -o b.abc -o b.ply --json");
    assert_eq!((json["frames"].as_u64(), json["outputs"].as_array().unwrap().len()), (Some(11), 4));
    for ending in ["glb", "abc"] {
        assert!(folder.read(&format!("a.{ending}")) == folder.read(&format!("b.{ending}")), "{ending}");
    }
    assert!(folder.join("b.usda").is_file());
}

#[test]
fn a_scene_that_bursts_ends_with_1_and_keeps_its_good_frames() {
    // 1e308 m/s leaves the range of numbers within two seconds.
    let burst = SCENE.replace("spin = [0, 90, 0]", "velocity = [0, 1e308, 0]");
    let folder = Folder::with(&burst.replace("duration = 0.5", "duration = 5"));
    let output = folder.pliant("run scene.toml -o a.pliant -o a.glb");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("soft") && error.contains("a.pliant"), "{error}");
    let recording = Recording::open(&folder.join("a.pliant")).unwrap();
    assert!(recording.frame_count() > 0 && !recording.is_complete());
    assert!(!folder.join("a.glb").exists(), "exports are whole or absent");
    folder.ends(1, "resume a.pliant");
}

#[test]
fn certify_writes_a_certificate_and_fails_a_corrupted_recording() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml");
    let json = folder.json(0, "certify scene.pliant --json");
    for field in [
        "ok",
        "frames",
        "intersecting_frames",
        "inverted_elements",
        "open_surfaces",
        "min_distance",
        "max_volume_error",
        "max_control_error",
        "momentum_error",
        "energy_gain",
        "per_frame",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    let written: serde_json::Value =
        serde_json::from_slice(&folder.read("scene.pliant.certificate.json")).unwrap();
    assert_eq!(written, json);

    let recording = Recording::open(&folder.join("scene.pliant")).unwrap();
    let mut recorder =
        Recorder::create(&folder.join("bad.pliant"), recording.header(), recording.topology()).unwrap();
    for frame in recording.frames() {
        let mut frame = frame.unwrap();
        if frame.index == 6 {
            frame.objects[0].translation = frame.objects[1].translation;
        }
        recorder.frame(&frame).unwrap();
    }
    recorder.finish().unwrap();
    let text = folder.ends(1, "certify bad.pliant");
    assert!(text.contains("FAILED") && text.contains("hard, soft") && text.contains("frame 6"), "{text}");
    let json = folder.json(1, "certify bad.pliant --json");
    assert_eq!((&json["ok"], &json["intersecting_frames"]), (&false.into(), &1.into()));
    let picture = folder.read("bad.pliant.fault.png");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000, "no picture of the fault");
    assert!(!folder.join("scene.pliant.fault.png").exists(), "a picture of no fault");
}

/// Every key of a certificate is in the schema, and every key that the schema asks for is in the certificate.
#[test]
fn schema_of_certificates_is_that_of_what_is_written() {
    let folder = Folder::new();
    folder.ends(0, "run scene.toml");
    let certificate = folder.json(0, "certify scene.pliant --json");
    let schema = folder.json(0, "schema --certificate");
    let keys = |v: &serde_json::Value| -> Vec<String> {
        let mut keys: Vec<String> = v.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let part = |name: &str| &schema["$defs"][name]["properties"];
    let frame = &certificate["per_frame"][0];
    assert_eq!(keys(&certificate), keys(&schema["properties"]));
    assert_eq!(keys(&certificate["limits"]), keys(part("Limits")));
    assert_eq!(keys(frame), keys(part("FrameEntry")));
    assert_eq!(keys(&frame["bodies"][0]), keys(part("BodyEntry")));
}

#[test]
fn a_start_that_intersects_is_refused_or_untangled_and_can_be_resumed() {
    let deep = crate::common::SCENE.replace("position = [0.5, 0.2, 0]", "position = [0.1, 0.2, 0]");
    let folder = Folder::with(&deep);
    let said = |line: &str| String::from_utf8(folder.pliant(line).stderr).unwrap();
    let text = said("run scene.toml");
    assert!(text.contains("intersect at the start") && text.contains("--untangle"), "{text}");
    let text = said("run scene.toml --untangle");
    assert!(text.contains("soft was moved by"), "{text}");
    folder.ends(0, "certify scene.pliant");
    folder.ends(0, "resume scene.pliant");
}

#[test]
fn check_validates_and_tests_expectations() {
    let folder = Folder::new();
    folder.ends(0, "check scene.toml");
    let text = folder.ends(0, "check scene.toml --run");
    assert!(text.contains("pass max_penetration"), "{text}");
    let text = folder.ends(0, "check . --certify");
    assert!(text.contains("certificate good"), "{text}");
    let high = format!("{SCENE}rest_height.soft = [5, 6]\nmax_final_speed = 1e6\n");
    std::fs::write(folder.join("high.toml"), high).unwrap();
    let text = folder.ends(1, "check scene.toml high.toml --run");
    assert!(text.contains("FAIL rest_height.soft") && text.contains("pass max_final_speed"), "{text}");
    let json = folder.json(1, "check high.toml --run --json");
    assert_eq!(json[0]["ok"], false);
    assert_eq!(folder.contents().len(), 2, "nothing is written");
}

#[test]
fn check_judges_a_recording_as_its_run() {
    let high = format!("{SCENE}rest_height.soft = [5, 6]\nmax_final_speed = 1e6\n");
    let folder = Folder::with(&high);
    folder.ends(0, "run scene.toml");
    let (run, recorded) =
        (folder.json(1, "check scene.toml --run --json"), folder.json(1, "check scene.pliant --json"));
    assert!(!run[0]["expectations"].as_array().unwrap().is_empty());
    assert_eq!(run[0]["expectations"], recorded[0]["expectations"]);
    assert_eq!(recorded[0]["ok"], false);
    // Neither a changed scene nor half a run is what was promised.
    folder.ends(2, "check scene.pliant --set scene.duration=0.1");
    let whole = folder.read("scene.pliant");
    std::fs::write(folder.join("half.pliant"), &whole[..whole.len() / 2]).unwrap();
    let half = folder.pliant("check half.pliant");
    assert_eq!(half.status.code(), Some(2));
    assert!(String::from_utf8(half.stderr).unwrap().contains("pliant resume"));
}

#[test]
fn list_schema_and_new_help_to_begin() {
    let folder = Folder::new();
    let json = folder.json(0, "list --json");
    assert!(json["kinds"].as_array().unwrap().iter().any(|k| k["name"] == "rigid"));
    assert!(folder.ends(0, "list").contains("rigid"));
    assert!(folder.json(0, "schema").is_object());
    folder.ends(0, "new first");
    folder.ends(0, "new second.toml");
    assert!(String::from_utf8(folder.read("first.toml")).unwrap().contains("pliant run first.toml"));
    folder.ends(0, "check first.toml second.toml --run");
}

#[test]
fn bench_prints_a_table() {
    let folder = Folder::new();
    let table = folder.ends(0, "bench scene.toml --thread-counts 1,2 --frames 3");
    let mut rows = table.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    assert_eq!(head[..4], ["scene", "kinds", "bodies", "threads"]);
    let rows: Vec<_> = rows.collect();
    assert!(rows.iter().all(|r| r.len() == head.len()));
    assert_eq!(rows.iter().filter(|r| r[6] == "total").count(), 2);
    assert!(rows.iter().all(|r| r[1] == "global+rigid" && r[4] == "4"));
    assert_eq!(folder.contents().len(), 1);
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new();
    for line in ["--help", "--version", "run --help", "certify --help"] {
        folder.ends(0, line);
    }
}
