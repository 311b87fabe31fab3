//! Recordings survive what can happen to files. A toy engine stands in for the real one: its state is one number.

use super::block::{self, Kind};
use super::*;
use pliant::math::{Quat, Vec3};
use pliant::shape::TriMesh;
use pliant::{
    ContactFrame, ControlFrame, Frame, FrameReport, Inner, Measures, MeshLibrary, ObjectFrame,
    ObjectTopology, Surface, Topology,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FPS: f64 = 4.0;
const FRAMES: u64 = 11;

fn topology() -> Topology {
    let object = |name: &str, kind: &str, deforms| ObjectTopology {
        name: name.into(),
        kind: kind.into(),
        deforms,
        remeshed: false,
        smooth: deforms,
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        rest_volume: 1.0 / 6.0,
        incompressible: deforms,
        freedoms: 0,
        cell_edges: vec![],
    };
    Topology {
        objects: vec![
            ObjectTopology { cell_edges: vec![[0, 4], [4, 5]], ..object("soft", "lattice", true) },
            object("hard", "rigid", false),
            object("floor", "obstacle", false),
            ObjectTopology { remeshed: true, ..object("clay", "clay", true) },
        ],
    }
}

/// Tetrahedra side by side, one for each piece; painted in odd frames only.
fn clay(index: u64) -> ObjectFrame {
    let (mut points, mut surface) = (vec![], Surface::default());
    for piece in 0..1 + index as u32 % 4 {
        let base = points.len() as u32;
        let [x, shade] = [piece as f32, 1.0 / (index + 1) as f32];
        points.extend([[x, 0.0, 0.0], [x + 0.5, 0.0, 0.0], [x, 0.0, 0.5], [x, shade, 0.0]]);
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        surface.triangles.extend(triangles.map(|t: [u32; 3]| t.map(|v| base + v)));
        surface.normals.extend([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
        surface.pieces.extend([piece; 4]);
        if index % 2 == 1 {
            surface.colours.extend([[shade, 0.5, x]; 4]);
        }
    }
    let skeletons = (0..index % 3).map(|k| Vec3::new(k as f64, 0.25, 0.0));
    ObjectFrame {
        translation: Vec3::ONE,
        points,
        surface: Some(surface),
        nodes: Inner::new(skeletons),
        seeds: Inner::new([Vec3::X, Vec3::Y * 3.0].into_iter()),
        ..ObjectFrame::default()
    }
}

fn header() -> Header {
    let mesh = TriMesh {
        points: vec![Vec3::new(1.0, 2.0, 1e-300), Vec3::ONE, Vec3::ZERO],
        triangles: vec![[0, 1, 2]],
        colours: vec![[1.0, 0.5, 0.0]; 3],
    };
    let plain = TriMesh { colours: vec![], ..mesh.clone() };
    Header {
        engine: "1.2.3".into(),
        fps: FPS,
        frame_count: FRAMES,
        scene: "[scene]\ntitle = \"Käse\"\n".into(),
        meshes: MeshLibrary::from([("a.obj".to_owned(), mesh), ("b.obj".to_owned(), plain)]),
    }
}

/// The toy engine: what a frame looks like follows from one number.
fn frame(index: u64, state: u64) -> Frame {
    let x = (state >> 40) as f64 / 1000.0;
    let still = ObjectFrame {
        translation: Vec3::splat(x),
        rotation: Quat::from_rotation_y(x),
        ..ObjectFrame::default()
    };
    let nodes = Inner::new([Vec3::ZERO, Vec3::splat(x)].into_iter());
    let points = vec![[x as f32; 3], [1.0, 0.5, f32::MIN_POSITIVE], [0.0; 3], [-0.0; 3]];
    let contact = ContactFrame {
        a: 0,
        b: 2,
        position: [1.0; 3],
        normal: [0.0, 1.0, 0.0],
        force: [x as f32; 3],
        gap: 1e-3,
    };
    let measures = Measures {
        mass: x,
        momentum: Vec3::X * x,
        least_jacobian: 1.0,
        asleep: index.is_multiple_of(2),
        ..Measures::default()
    };
    Frame {
        index,
        time: index as f64 / FPS,
        objects: vec![ObjectFrame { points, nodes, ..still.clone() }, still.clone(), still, clay(index)],
        contacts: vec![contact; (index % 3) as usize],
        measures: vec![measures; 3],
        controls: vec![ControlFrame { force: Vec3::Y * x, broken: index > 4, exact: index < 3, error: x }; 2],
        report: FrameReport {
            steps: 2,
            min_distance: f64::INFINITY,
            external_work: -x,
            held_back: 7,
            ..FrameReport::default()
        },
        state_hash: [state, !state],
    }
}

fn advance(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// Records from where `recorder` stands to the end.
fn run(mut recorder: Recorder, checkpoint: Option<Checkpoint>) {
    let mut state = checkpoint.map_or(42, |c| u64::from_le_bytes(c.state.try_into().unwrap()));
    while recorder.written() < FRAMES {
        if recorder.written() > 0 {
            state = advance(state);
        }
        recorder.frame(&frame(recorder.written(), state)).unwrap();
        if recorder.checkpoint_due() {
            recorder.checkpoint(&state.to_le_bytes()).unwrap();
        }
    }
    recorder.finish().unwrap();
}

fn record(path: &Path) -> Vec<u8> {
    run(Recorder::create(path, &header(), &topology()).unwrap(), None);
    fs::read(path).unwrap()
}

fn all_frames() -> Vec<Frame> {
    let states = std::iter::successors(Some(42), |s| Some(advance(*s)));
    states.zip(0..FRAMES).map(|(state, i)| frame(i, state)).collect()
}

/// A fixed sequence of pseudo-random numbers below `limit`.
fn scattered(limit: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(advance(7)), |s| Some(advance(*s))).map(move |s| (s >> 20) as usize % limit)
}

#[test]
fn everything_written_is_read_back() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    record(&path);
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.header(), &header());
    assert_eq!(recording.topology(), &topology());
    assert_eq!(recording.frames().collect::<Result<Vec<_>, _>>().unwrap(), all_frames());
    assert!(recording.is_complete());
    assert_eq!(recording.ignored_bytes(), 0);
    let checkpoint = recording.last_checkpoint().unwrap().unwrap();
    assert_eq!(checkpoint.frame, FRAMES - 1);
    assert_eq!(checkpoint.state, all_frames().last().unwrap().state_hash[0].to_le_bytes());
    assert!(matches!(recording.frame(FRAMES as usize), Err(RecordingError::NoSuchFrame { .. })));
}

#[test]
fn two_runs_give_the_same_bytes_and_leave_no_other_file() {
    let dir = TempDir::new().unwrap();
    let first = record(&dir.path().join("a.pliant"));
    assert_eq!(first, record(&dir.path().join("b.pliant")));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn checkpoints_come_every_second_and_after_the_last_frame() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let mut recorder = Recorder::create(&path, &header(), &topology()).unwrap();
    let due = all_frames().into_iter().map(|f| {
        recorder.frame(&f).unwrap();
        recorder.checkpoint_due()
    });
    let due: Vec<u64> = due.zip(0..).filter(|(due, _)| *due).map(|(_, i)| i).collect();
    assert_eq!(due, [4, 8, 10]);
    assert_eq!([checkpoint_interval(0.2), checkpoint_interval(59.94)], [1, 60]);
}

#[test]
fn cut_at_every_byte_it_opens_up_to_the_last_whole_frame() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let whole = record(&path);
    let frames = all_frames();
    let mut seen = 0;
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        match Recording::open(&path) {
            Ok(recording) => {
                assert!(recording.frame_count() >= seen, "a longer file holds no fewer frames");
                seen = recording.frame_count();
                assert!(!recording.is_complete());
                let last = seen.checked_sub(1).map(|i| recording.frame(i).unwrap());
                assert_eq!(last.as_ref(), seen.checked_sub(1).map(|i| &frames[i]));
            }
            Err(RecordingError::NoBeginning { .. }) => assert_eq!(seen, 0),
            Err(RecordingError::NotARecording { .. }) => assert_eq!(length, 0),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(seen, FRAMES as usize);
}

#[test]
fn resumed_after_a_cut_anywhere_it_equals_the_uninterrupted_run() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let whole = record(&path);
    let tail = whole.len() - 1000..whole.len();
    let mut resumed = 0;
    for length in tail.chain(scattered(whole.len()).take(200)) {
        fs::write(&path, &whole[..length]).unwrap();
        let Ok(recording) = Recording::open(&path) else { continue };
        resumed += 1;
        run(Recorder::resume(&recording).unwrap(), recording.last_checkpoint().unwrap());
        assert!(fs::read(&path).unwrap() == whole, "cut at {length}");
    }
    assert!(resumed > 1100, "{resumed}");
}

#[test]
fn a_flipped_bit_is_found_and_resume_mends_it() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let whole = record(&path);
    let frames = all_frames();
    for at in scattered(8 * whole.len()).take(500) {
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        let Ok(recording) = Recording::open(&path) else { continue };
        assert!(recording.ignored_bytes() > 0, "bit {at}");
        let read = recording.frames().collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(read, frames[..read.len()]);
        run(Recorder::resume(&recording).unwrap(), recording.last_checkpoint().unwrap());
        assert!(fs::read(&path).unwrap() == whole, "bit {at}");
    }
}

#[test]
fn a_block_that_changes_after_opening_is_an_error() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let mut bytes = record(&path);
    let recording = Recording::open(&path).unwrap();
    let at = bytes.len() - 600;
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(recording.frames().any(|f| matches!(f, Err(RecordingError::Damaged { .. }))));
}

#[test]
fn lying_blocks_with_right_checksums_are_refused_without_a_panic() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    drop(Recorder::create(&path, &header(), &topology()).unwrap());
    let beginning = fs::read(&path).unwrap();
    let with = |extra: &[u8]| {
        fs::write(&path, [&beginning[..], extra].concat()).unwrap();
        Recording::open(&path)
    };
    // A length beyond the end of the file.
    let huge = [&3u32.to_le_bytes()[..], &u64::MAX.to_le_bytes(), &[0; 64]].concat();
    assert_eq!(with(&huge).unwrap().ignored_bytes(), huge.len() as u64);
    // A frame that claims more objects than there are bytes.
    let greedy = block::build(vec![], Kind::Frame, |w| {
        (0..4).for_each(|_| w.u64(0));
        w.u64(u64::MAX / 64);
    });
    assert!(matches!(with(&greedy).unwrap().frame(0), Err(RecordingError::Damaged { .. })));
    // Frame bytes that are too short, at every length.
    let mut w = super::bytes::Writer::default();
    super::codec::write_frame(&frame(0, 42), &mut w);
    for n in 0..w.bytes.len() {
        let short = block::build(vec![], Kind::Frame, |out| out.bytes.extend_from_slice(&w.bytes[..n]));
        assert!(with(&short).unwrap().frame(0).is_err(), "{n}");
    }
    // A checkpoint before any frame, and a second header.
    for kind in [Kind::Checkpoint, Kind::Header] {
        let stray = block::build(vec![], kind, |w| w.u64(u64::MAX));
        assert_eq!(with(&stray).unwrap().ignored_bytes(), stray.len() as u64);
    }
    // A triangle without corners.
    let start = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    let mut wrong = topology();
    wrong.objects[0].triangles[0][0] = 4;
    let head = block::build(vec![], Kind::Header, |w| header().write(w));
    let lying = block::build(vec![], Kind::Topology, |w| super::codec::write_topology(&wrong, w));
    fs::write(&path, [start, head, lying].concat()).unwrap();
    assert!(matches!(Recording::open(&path), Err(RecordingError::Damaged { .. })));
}

#[test]
fn surfaces_that_do_not_fit_their_points_are_refused() {
    let damages: [fn(&mut ObjectFrame); 7] = [
        |o| o.surface = None,
        |o| o.points.truncate(3),
        |o| o.surface.as_mut().unwrap().triangles[1][2] = 8,
        |o| o.surface.as_mut().unwrap().normals.truncate(7),
        |o| o.surface.as_mut().unwrap().colours.truncate(7),
        |o| o.surface.as_mut().unwrap().pieces.push(0),
        |o| o.surface.as_mut().unwrap().pieces.clear(),
    ];
    let written = |frame: &Frame| {
        let mut w = super::bytes::Writer::default();
        super::codec::write_frame(frame, &mut w);
        super::codec::read_frame(&w.bytes, &topology())
    };
    let good = frame(1, 42);
    assert_eq!(good.objects[3].points.len(), 8);
    assert_eq!(written(&good).unwrap(), good);
    for (k, damage) in damages.into_iter().enumerate() {
        let mut bad = good.clone();
        damage(&mut bad.objects[3]);
        assert!(written(&bad).is_err(), "damage {k}");
    }
    // A surface where none was announced.
    let mut stray = good.clone();
    stray.objects[0].surface = good.objects[3].surface.clone();
    assert!(written(&stray).is_err());
}

#[test]
fn a_recording_replaces_recordings_but_nothing_else() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let create = || Recorder::create(&path, &header(), &topology());
    let whole = record(&path);
    drop(create().unwrap());
    assert!(fs::read(&path).unwrap().len() < whole.len());
    fs::write(&path, "").unwrap();
    assert_eq!(record(&path), whole);
    for foreign in ["x", "my thesis, chapter one"] {
        fs::write(&path, foreign).unwrap();
        assert!(matches!(create(), Err(RecordingError::Foreign { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(create().is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn two_writers_do_not_meet_in_one_file() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    let recorder = Recorder::create(&path, &header(), &topology()).unwrap();
    let recording = Recording::open(&path).unwrap();
    assert!(matches!(Recorder::resume(&recording), Err(RecordingError::Busy { .. })));
    assert!(matches!(Recorder::create(&path, &header(), &topology()), Err(RecordingError::Busy { .. })));
    drop(recorder);
    assert!(Recorder::resume(&recording).is_ok());
}

#[test]
fn other_files_and_other_versions_are_named_as_such() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.pliant");
    fs::write(&path, "PLAIN TEXT").unwrap();
    assert!(matches!(Recording::open(&path), Err(RecordingError::NotARecording { .. })));
    fs::write(&path, [&MAGIC[..], &99u32.to_le_bytes()].concat()).unwrap();
    assert!(matches!(Recording::open(&path), Err(RecordingError::Version { found: 99, .. })));
    assert!(Recording::open(dir.path()).is_err());
}
