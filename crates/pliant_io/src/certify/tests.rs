//! The certificate accepts what is right and finds each thing that is wrong.

mod remeshed;

use super::*;
use crate::recording::{Header, Recorder};
use pliant::math::{Quat, Vec3};
use pliant::{
    ControlFrame, Frame, FrameReport, Measures, MeshLibrary, ObjectFrame, ObjectTopology, Topology,
};
use tempfile::TempDir;

const CUBE: [[u32; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

/// Corners of a cube around the origin: bit 0 of the number is z, bit 1 is y, bit 2 is x.
fn cube_points(half: f32) -> Vec<[f32; 3]> {
    let side = |bit: usize| if bit == 0 { -half } else { half };
    (0..8).map(|i| [side(i >> 2 & 1), side(i >> 1 & 1), side(i & 1)]).collect()
}

fn cube(name: &str, half: f32) -> ObjectTopology {
    ObjectTopology {
        name: name.into(),
        kind: "lattice".into(),
        deforms: true,
        remeshed: false,
        smooth: false,
        // The listing above is clockwise.
        triangles: CUBE.map(|[a, b, c]| [a, c, b]).to_vec(),
        points: cube_points(half),
        rest_volume: 8.0 * f64::from(half).powi(3),
        incompressible: false,
        freedoms: 0,
        cell_edges: vec![],
    }
}

fn ground() -> ObjectTopology {
    ObjectTopology {
        name: "ground".into(),
        kind: "obstacle".into(),
        deforms: false,
        remeshed: false,
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        points: vec![[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]],
        rest_volume: 0.0,
        ..cube("", 1.0)
    }
}

/// A run of five frames in which nothing moves: every object at its place.
struct Run {
    topology: Topology,
    frames: Vec<Frame>,
    scene: &'static str,
}

impl Run {
    fn new(objects: Vec<(ObjectTopology, Vec3)>) -> Self {
        let place = |(o, at): &(ObjectTopology, Vec3)| ObjectFrame {
            translation: *at,
            rotation: Quat::IDENTITY,
            points: if o.deforms { o.points.clone() } else { vec![] },
            ..ObjectFrame::default()
        };
        let bodies = objects.iter().filter(|(o, _)| o.is_body()).count();
        let frame = |i: u64| Frame {
            index: i,
            time: i as f64 / 10.0,
            objects: objects.iter().map(place).collect(),
            measures: vec![Measures { mass: 1.0, least_jacobian: 1.0, ..Measures::default() }; bodies],
            report: FrameReport { min_distance: f64::INFINITY, ..FrameReport::default() },
            ..Frame::default()
        };
        let frames = (0..5).map(frame).collect();
        Self {
            topology: Topology { objects: objects.into_iter().map(|(o, _)| o).collect() },
            frames,
            scene: "",
        }
    }

    /// The second cube is half a metre to the right of the first; both are a quarter above the ground.
    fn two_cubes() -> Self {
        Self::new(vec![
            (cube("left", 0.5), Vec3::new(0.0, 0.75, 0.0)),
            (cube("right", 0.5), Vec3::new(1.5, 0.75, 0.0)),
            (ground(), Vec3::ZERO),
        ])
    }

    fn record(&self, dir: &TempDir) -> Recording {
        let path = dir.path().join("run.pliant");
        let header = Header {
            engine: "test".into(),
            fps: 10.0,
            frame_count: 5,
            scene: self.scene.into(),
            meshes: MeshLibrary::new(),
        };
        let mut recorder = Recorder::create(&path, &header, &self.topology).unwrap();
        self.frames.iter().for_each(|f| recorder.frame(f).unwrap());
        recorder.finish().unwrap();
        Recording::open(&path).unwrap()
    }

    fn certify(&self) -> Certificate {
        certify(&self.record(&TempDir::new().unwrap()), &|| ()).unwrap()
    }
}

/// The only finding.
fn only(c: &Certificate) -> &Finding {
    assert!(!c.ok && c.verdict.starts_with("FAILED"), "{}", c.verdict);
    assert_eq!(c.failures.len(), 1, "{:?}", c.failures);
    &c.failures[0]
}

#[test]
fn a_clean_run_is_good_and_its_distances_are_exact() {
    let c = Run::two_cubes().certify();
    assert!(c.ok && c.complete, "{:?}", c.failures);
    assert_eq!((c.frames, c.intersecting_frames, c.inverted_elements), (5, 0, 0));
    assert_eq!(c.min_distance, 0.25);
    assert_eq!(c.per_frame.len(), 5);
    assert_eq!(c.per_frame[0].bodies[1].volume_error, Some(0.0));
    let far = Run::new(vec![(cube("a", 0.5), Vec3::ZERO), (cube("b", 0.5), Vec3::X * 2.5)]).certify();
    assert_eq!(far.min_distance, 1.5);
    let alone = Run::new(vec![(cube("a", 0.5), Vec3::ZERO), (cube("b", 0.5), Vec3::X * 99.0)]).certify();
    assert_eq!(alone.min_distance, f64::INFINITY);
}

#[test]
fn a_vertex_through_another_bodys_face_is_found_with_names_time_and_place() {
    let mut run = Run::two_cubes();
    run.frames[3].objects[1].points[0] = [-1.1, -0.5, -0.3];
    let c = run.certify();
    let finding = only(&c);
    assert_eq!((finding.frame, finding.time), (3, 0.3));
    assert_eq!(finding.objects, ["left", "right"]);
    assert!((finding.place.unwrap()[0] - 0.45).abs() < 0.2, "{:?}", finding.place);
    assert_eq!((c.intersecting_frames, c.min_distance), (1, 0.0));
    assert!(c.per_frame[3].bodies.iter().all(|b| b.intersecting));
    assert!(!c.per_frame[2].intersecting);
}

#[test]
fn a_skin_that_passes_through_itself_is_found() {
    let mut run = Run::two_cubes();
    run.frames[1].objects[0].points[7] = [-0.8, 0.2, 0.1];
    let c = run.certify();
    let finding = only(&c);
    assert_eq!((finding.frame, &finding.objects[..]), (1, &["left".to_owned()][..]));
    assert_eq!(finding.what, "passes through itself");
}

#[test]
fn a_nested_body_is_found_but_one_in_a_hollow_is_not() {
    let nested = |outer: ObjectTopology, inner: ObjectTopology| {
        Run::new(vec![(outer, Vec3::ZERO), (inner, Vec3::new(0.01, 0.02, 0.03))]).certify()
    };
    for c in [nested(cube("big", 1.0), cube("small", 0.2)), nested(cube("small", 0.2), cube("big", 1.0))] {
        assert_eq!(c.intersecting_frames, 5);
        assert_eq!(c.failures[0].what, "one is inside the other");
    }
    let mut shell = cube("shell", 1.0);
    shell.points.extend(cube_points(0.5));
    shell.triangles.extend(CUBE.map(|t| t.map(|i| i + 8)));
    shell.kind = "obstacle".into();
    shell.deforms = false;
    let c = nested(cube("small", 0.2), shell);
    assert!(c.ok, "{:?}", c.failures);
}

#[test]
fn a_body_below_the_ground_is_found_even_if_it_touches_nothing() {
    let mut run = Run::two_cubes();
    run.frames[2].objects[0].translation.y = -3.0;
    let c = run.certify();
    let finding = only(&c);
    assert_eq!(finding.objects, ["left", "ground"]);
    assert_eq!(finding.what, "one is below the ground");
}

#[test]
fn inversion_shows_in_the_jacobian_or_in_the_volume() {
    let mut run = Run::two_cubes();
    run.frames[1].measures[0].least_jacobian = -0.1;
    assert_eq!(only(&run.certify()).objects, ["left"]);
    let mut run = Run::two_cubes();
    run.frames[1].objects[1].points.iter_mut().for_each(|p| p[0] = -p[0]);
    let c = run.certify();
    assert_eq!(c.inverted_elements, 1);
    assert_eq!(only(&c).objects, ["right"]);
}

#[test]
fn volume_is_held_against_incompressible_bodies_only() {
    let mut run = Run::two_cubes();
    run.frames[4].objects[0].points.iter_mut().for_each(|p| p[1] *= 0.9);
    let c = run.certify();
    assert!(c.ok && c.max_volume_error == 0.0);
    assert!((c.per_frame[4].bodies[0].volume_error.unwrap() - 0.1).abs() < 1e-6);
    run.topology.objects[0].incompressible = true;
    let c = run.certify();
    assert_eq!(only(&c).frame, 4);
    assert!((c.max_volume_error - 0.1).abs() < 1e-6);
}

#[test]
fn momentum_must_come_from_impulses_and_energy_from_work() {
    let mut run = Run::two_cubes();
    let push = Vec3::new(0.0, 0.0, 2.0);
    for f in &mut run.frames[2..] {
        (f.measures[0].momentum, f.measures[0].kinetic) = (push, 2.0);
    }
    let from_nowhere = run.certify();
    assert_eq!((from_nowhere.momentum_error, from_nowhere.energy_gain), (1.0, 1.0));
    assert_eq!(from_nowhere.failures.len(), 6);
    for f in &mut run.frames[2..] {
        (f.report.external_impulse, f.report.external_work) = (push, 2.0);
    }
    assert!(run.certify().ok);
    for f in &mut run.frames[3..] {
        f.measures[0].kinetic = 0.5;
    }
    let lossy = run.certify();
    assert!(lossy.ok && lossy.energy_gain == 0.0, "energy may be lost");
    assert_eq!(lossy.per_frame[3].energy_gain, -0.75);
}

#[test]
fn control_errors_count_where_a_control_claims_to_be_exact() {
    let mut run = Run::two_cubes();
    let hand = ControlFrame { exact: false, error: 0.3, ..ControlFrame::default() };
    run.frames[1].controls.push(hand);
    let c = run.certify();
    assert!(c.ok && c.max_control_error == 0.0 && c.max_soft_control_error == 0.3, "{}", c.verdict);
    // What is soft beside it does not excuse one that is not.
    run.frames[1].controls.push(ControlFrame { exact: true, error: 0.01, ..hand });
    assert_eq!((only(&run.certify()).frame, run.certify().max_control_error), (1, 0.01));
    // The worst of the steps since the last frame counts as well.
    run.frames[1].controls.clear();
    run.frames[1].report.max_control_error = 0.02;
    assert_eq!((only(&run.certify()).frame, run.certify().max_control_error), (1, 0.02));
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut run = Run::two_cubes();
    run.frames[1].objects[1].points[3][2] = f32::NAN;
    run.frames[2].measures[0].elastic = f64::INFINITY;
    let c = run.certify();
    assert_eq!(c.non_finite_frames, 2);
    let named = |i: usize| c.failures.iter().any(|f| f.frame == i as u64 && f.what.contains("not finite"));
    assert!(!c.ok && named(1) && named(2));
}

#[test]
fn parts_that_overlap_at_rest_are_noted_and_not_held_against_the_body() {
    let mut run = Run::new(vec![(cube("cross", 0.5), Vec3::ZERO)]);
    let shift = |p: &[f32; 3]| [p[0] + 0.3, p[1] + 0.2, p[2] + 0.1];
    let more: Vec<_> = run.topology.objects[0].points.iter().map(shift).collect();
    run.topology.objects[0].points.extend(&more);
    let triangles = CUBE.map(|[a, b, c]| [a + 8, c + 8, b + 8]);
    run.topology.objects[0].triangles.extend(triangles);
    run.frames.iter_mut().for_each(|f| f.objects[0].points.extend(&more));
    let c = run.certify();
    assert!(c.ok && c.notes[0].contains("overlaps itself at rest"), "{:?}", c.failures);
    // Each part is still tested against itself.
    run.frames[1].objects[0].points[7] = [-0.8, 0.2, 0.1];
    assert_eq!(only(&run.certify()).what, "passes through itself");
}

#[test]
fn seams_with_doubled_points_are_no_intersection() {
    let mut run = Run::new(vec![(cube("seamed", 0.5), Vec3::ZERO)]);
    let object = &mut run.topology.objects[0];
    let points: Vec<_> = object.triangles.iter().flatten().map(|i| object.points[*i as usize]).collect();
    object.triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    object.points.clone_from(&points);
    let turned = Quat::from_rotation_z(0.7) * Quat::from_rotation_y(0.5) * Quat::from_rotation_x(0.3);
    for f in &mut run.frames {
        f.objects[0] = ObjectFrame {
            translation: Vec3::splat(1e3),
            rotation: turned,
            points: points.clone(),
            ..ObjectFrame::default()
        };
    }
    let c = run.certify();
    assert!(c.ok && c.notes.is_empty(), "{:?}", c.failures);
    assert!(c.per_frame[0].bodies[0].volume_error.unwrap() < 1e-12);
}

#[test]
fn the_same_on_any_number_of_threads_and_written_as_one_file() {
    let mut run = Run::two_cubes();
    run.frames[3].objects[1].points[0] = [-1.1, -0.5, -0.3];
    let dir = TempDir::new().unwrap();
    let recording = run.record(&dir);
    let on = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| certify(&recording, &|| ()).unwrap())
    };
    let one = on(1);
    assert_eq!(one, on(3));
    let path = Certificate::path_for(recording.path());
    one.write(&path).unwrap();
    one.write(&path).unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(json["ok"], false);
    assert_eq!(json["intersecting_frames"], 1);
    assert_eq!(json["failures"][0]["objects"][0], "left");
}
