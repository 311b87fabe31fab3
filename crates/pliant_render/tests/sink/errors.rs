use super::support::{film, names, picture, write};
use pliant_io::export::ExportError;
use pliant_render::Image;
use pliant_render::sink::{FilmInfo, endings, open};
use std::path::Path;
use tempfile::tempdir;

fn message(result: Result<(), ExportError>) -> String {
    result.expect_err("should have been refused").to_string()
}

#[test]
fn films_that_cannot_be_are_refused_before_the_first_picture() {
    let folder = tempdir().unwrap();
    for ending in endings() {
        let path = folder.path().join(format!("film{ending}"));
        let refused = |info: FilmInfo| message(open(&path, &info).map(drop));
        assert!(refused(film(0, 8, 2)).contains("0 x 8"), "{ending}");
        assert!(refused(film(8, 0, 1)).contains("8 x 0"), "{ending}");
        for fps in [f64::NAN, f64::INFINITY, 0.0, -24.0] {
            assert!(refused(FilmInfo { fps, ..film(8, 8, 2) }).contains("per second"), "{ending} {fps}");
        }
    }
    let info = film(8, 8, 2);
    assert!(message(open(&folder.path().join("film.avi"), &info).map(drop)).contains(".mp4"));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn sizes_beyond_the_format_are_refused_with_the_limit() {
    let folder = tempdir().unwrap();
    let refused = |name: &str, w, h| message(open(&folder.path().join(name), &film(w, h, 2)).map(drop));
    assert!(refused("a.mp4", 4096, 2160).contains("at most 3840 x 2160"));
    assert!(refused("a.mp4", 2160, 3842).contains("at most 2160 x 3840"));
    assert!(refused("a.gif", 65_536, 2).contains("at most 65535"));
    assert!(refused("a.webp", 16_384, 2).contains("at most 16383"));
    assert!(refused("a.mp4", 64, 8).contains("at least 16 x 16"));
    let odd = refused("a.mp4", 961, 540);
    assert!(odd.contains("961 x 540") && odd.contains("960 x 540") && odd.contains("962 x 540"), "{odd}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn missing_folder_is_reported_at_once() {
    let folder = tempdir().unwrap();
    for ending in endings() {
        let path = folder.path().join("missing").join(format!("film{ending}"));
        assert!(message(open(&path, &film(16, 16, 2)).map(drop)).contains("missing"));
    }
}

#[test]
fn wrong_or_missing_pictures_leave_nothing_behind() {
    let folder = tempdir().unwrap();
    for ending in endings() {
        let path = folder.path().join(format!("film{ending}"));
        let info = film(16, 16, 3);

        let wrong = |image: &Image| {
            let mut sink = open(&path, &info).unwrap();
            sink.picture(&picture(&info, 0)).unwrap();
            let error = message(sink.picture(image));
            assert!(message(sink.finish()).contains("failed before"), "{ending}");
            error
        };
        let other = wrong(&Image::filled(18, 16, [0; 4]));
        assert!(other.contains("18 x 16") && other.contains("16 x 16"), "{other}");
        let short = Image { width: 16, height: 16, pixels: vec![[0; 4]; 5] };
        assert!(wrong(&short).contains("5 pixels"));
        let mut sink = open(&path, &info).unwrap();
        sink.picture(&picture(&info, 0)).unwrap();
        drop(sink);
        assert_eq!(names(folder.path()), [""; 0], "{ending}");

        let empty = open(&path, &info).unwrap().finish();
        assert!(matches!(empty, Err(ExportError::NoFrames { .. })), "{ending}");
        assert_eq!(names(folder.path()), [""; 0], "{ending}");
    }
}

#[test]
fn second_picture_of_a_still_is_refused() {
    let folder = tempdir().unwrap();
    for name in ["a.png", "a.webp"] {
        let info = film(8, 8, 1);
        let mut sink = open(&folder.path().join(name), &info).unwrap();
        sink.picture(&picture(&info, 0)).unwrap();
        assert!(message(sink.picture(&picture(&info, 1))).contains("only one"));
    }
}

#[test]
fn same_pictures_same_bytes() {
    let folder = tempdir().unwrap();
    for ending in endings() {
        let info = film(96, 64, 12);
        for run in ["a", "b"] {
            write(&folder.path().join(format!("{run}.##{ending}")), &info).unwrap();
        }
    }
    let names = names(folder.path());
    let (a, b) = names.split_at(names.len() / 2);
    assert!(a.len() >= endings().count());
    for (a, b) in a.iter().zip(b) {
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert!(read(a) == read(b), "{a} and {b} differ");
    }
}

#[test]
fn shorter_and_longer_films_than_announced_are_whole() {
    let folder = tempdir().unwrap();
    for ending in endings() {
        for count in [2, 100_000] {
            let info = film(16, 16, count);
            let mut sink = open(&folder.path().join(format!("film{ending}")), &info).unwrap();
            (0..6).for_each(|k| sink.picture(&picture(&info, k)).unwrap());
            sink.finish().unwrap();
        }
    }
}

/// Runs this test again under a limit on the size of files: the system refuses to write on, as on a full disk.
#[cfg(unix)]
#[test]
fn full_disk_is_an_error_and_leaves_nothing_behind() {
    use std::process::Command;
    const FOLDER: &str = "PLIANT_TEST_FULL_DISK";
    if let Some(folder) = std::env::var_os(FOLDER) {
        for ending in endings() {
            let path = Path::new(&folder).join(format!("film{ending}"));
            let error = write(&path, &film(640, 480, 20));
            assert!(matches!(error, Err(ExportError::Io { .. })), "{ending}: {error:?}");
        }
        return;
    }
    let folder = tempdir().unwrap();
    let done = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact errors::full_disk_is_an_error_and_leaves_nothing_behind"])
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(String::from_utf8_lossy(&done.stdout).contains("1 passed"));
    assert_eq!(names(folder.path()), [""; 0]);
}
