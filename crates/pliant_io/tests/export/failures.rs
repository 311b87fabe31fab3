//! What must not happen: half files, silent nonsense.

use super::fixture::Run;
use pliant_io::export::{self, ExportError};
use std::fs;
use std::path::Path;
use std::process::Command;

const NAMES: [&str; 7] = ["a.glb", "a.usda", "a.abc", "a.pc2", "a.####.obj", "a.ply", "a.pvd"];

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn every_format_is_written_and_nothing_else_is_left() {
    let run = Run::new();
    let kept = std::env::var_os("PLIANT_EXPORTS").map(std::path::PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        // With PLIANT_EXPORTS=DIR the files stay there for validation/judges/run.py.
        let path = kept.as_deref().unwrap_or(folder.path()).join(name);
        run.export(&path).unwrap();
        // A second export replaces the first.
        run.export(&path).unwrap();
        let clay = path.with_file_name(name.replacen('a', "clay", 1));
        match Run::with_clay().export(&clay) {
            Err(ExportError::ChangingSurface { .. }) => assert_eq!(name, "a.pc2"),
            result => result.unwrap(),
        }
    }
    let hidden = fs::read_dir(folder.path())
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0);
}

#[test]
fn sink_dropped_midway_leaves_nothing() {
    let run = Run::new();
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = export::open(&folder.path().join(name), &run.info()).unwrap();
        run.frames[..10].iter().for_each(|f| sink.frame(f).unwrap());
        assert!(!folder.path().join(name).exists());
        assert!(!folder.path().join("a.0000.obj").exists());
        drop(sink);
        assert!(is_empty(folder.path()), "{name}");
    }
}

#[test]
fn sink_dropped_midway_keeps_the_older_file() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.abc");
    fs::write(&path, "older").unwrap();
    let mut sink = export::open(&path, &run.info()).unwrap();
    sink.frame(&run.frames[0]).unwrap();
    drop(sink);
    assert_eq!(fs::read(&path).unwrap(), b"older");
    run.export(&path).unwrap();
    assert_ne!(fs::read(&path).unwrap(), b"older");
}

#[test]
fn finishing_without_frames_is_an_error_and_leaves_nothing() {
    let run = Run::new();
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let sink = export::open(&folder.path().join(name), &run.info()).unwrap();
        assert!(matches!(sink.finish(), Err(ExportError::NoFrames { .. })), "{name}");
        assert!(is_empty(folder.path()), "{name}");
    }
}

#[test]
fn unknown_ending_lists_the_known_ones() {
    let run = Run::new();
    for path in ["a.xyz", "a", "dir.glb/a"] {
        let message = export::open(Path::new(path), &run.info()).err().unwrap().to_string();
        assert!(message.contains("unknown file ending"), "{message}");
        assert!(export::endings().all(|ending| message.contains(ending)), "{message}");
    }
}

#[test]
fn unwritable_place_is_an_error_before_the_first_frame() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for name in NAMES {
        for parent in ["missing", "file"] {
            let path = folder.path().join(parent).join(name);
            let error = export::open(&path, &run.info()).err().unwrap();
            assert!(matches!(error, ExportError::Io { .. }), "{error}");
            assert!(error.to_string().contains(parent));
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn wrong_frames_are_refused_by_name() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let mut lacking = run.frames[3].clone();
    lacking.objects.pop();
    let mut short = run.frames[3].clone();
    short.objects[1].points.pop();
    let mut infinite = run.frames[3].clone();
    infinite.objects[0].translation.y = f64::NAN;
    for name in NAMES {
        let mut sink = export::open(&folder.path().join(name), &run.info()).unwrap();
        for (frame, word) in [(&lacking, "2 objects"), (&short, "jelly"), (&infinite, "tumbling box")] {
            let message = sink.frame(frame).unwrap_err().to_string();
            assert!(message.contains("frame 3") && message.contains(word), "{message}");
        }
    }
    assert!(is_empty(folder.path()));
}

#[test]
fn wrong_topology_and_rate_are_refused() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let mut topology = run.topology.clone();
    topology.objects[0].triangles[0][1] = 99;
    let info = export::SinkInfo { topology: &topology, ..run.info() };
    assert!(matches!(export::open(&folder.path().join("a.glb"), &info), Err(ExportError::BadClip(_))));
    let info = export::SinkInfo { fps: 0.0, ..run.info() };
    assert!(matches!(export::open(&folder.path().join("a.abc"), &info), Err(ExportError::BadClip(_))));
    assert!(is_empty(folder.path()));
}

/// Runs this test binary again under a limit on file sizes, which makes writes fail as on a full disk.
#[cfg(unix)]
#[test]
fn full_disk_is_an_error_and_leaves_nothing() {
    if let Some(path) = std::env::var_os("PLIANT_FULL_DISK") {
        let error = Run::new().export(Path::new(&path)).unwrap_err();
        assert!(matches!(error, ExportError::Io { .. }), "{error}");
        return;
    }
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        // 1 block is 512 bytes or 1 KiB; every format needs more. The signal is ignored so that writing returns.
        let status = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact failures::full_disk_is_an_error_and_leaves_nothing"])
            .arg(std::env::current_exe().unwrap())
            .env("PLIANT_FULL_DISK", folder.path().join(name))
            .output()
            .unwrap();
        assert!(status.status.success(), "{name}: {}", String::from_utf8_lossy(&status.stdout));
        assert!(is_empty(folder.path()), "{name}");
    }
}
