//! Pictures of a body whose surface is another in every frame: a ball that falls into two.

use pliant::math::{Quat, Vec3};
use pliant::scene::SceneSpec;
use pliant::{Frame, Measures, ObjectFrame, ObjectTopology, Surface, Topology};
use pliant_render::{Image, Moment, Overlays, Settings, Studio};

const SCENE: &str = r##"
[scene]
duration = 1

[[body]]
name = "clay"
kind = "rigid"
shape = { sphere = 0.2 }
position = [0, 0.5, 0]

[[obstacle]]
name = "floor"
shape = { plane = {} }

[look.clay]
colour = "#c03020"
finish = "matte"

[camera]
at = [0, 0.8, 2.5]
look_at = [0, 0.5, 0]
size = [320, 180]
"##;

fn scene(extra: &str) -> SceneSpec {
    pliant_io::scene_file::parse(&format!("{SCENE}\n{extra}"), "test").expect("a valid scene")
}

/// Balls of one body at some places along x, painted if asked for.
fn balls(sides: u32, radius: f32, middles: &[f32], colour: Option<[f32; 3]>) -> ObjectFrame {
    let (rings, mut points, mut surface) = (12, vec![], Surface::default());
    for (piece, middle) in middles.iter().enumerate() {
        let base = points.len() as u32;
        let at = |ring: u32, side: u32| base + ring * sides + side % sides;
        for ring in 0..=rings {
            for side in 0..sides {
                let (s, c) = (std::f32::consts::PI * ring as f32 / rings as f32).sin_cos();
                let (y, x) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
                let normal = [s * x, c, -s * y];
                points.push([radius * normal[0] + middle, radius * normal[1], radius * normal[2]]);
                surface.normals.push(normal);
                surface.colours.extend(colour);
                surface.pieces.push(piece as u32);
                if ring < rings {
                    let [a, b, c, d] =
                        [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
                    surface.triangles.extend([[a, c, d], [a, d, b]]);
                }
            }
        }
    }
    ObjectFrame {
        translation: Vec3::new(0.0, 0.5, 0.0),
        rotation: Quat::IDENTITY,
        points,
        surface: Some(surface),
        ..ObjectFrame::default()
    }
}

fn topology(start: &ObjectFrame, remeshed: bool) -> Topology {
    let clay = ObjectTopology {
        name: "clay".into(),
        kind: "clay".into(),
        deforms: true,
        remeshed,
        smooth: true,
        triangles: start.surface.as_ref().map_or(vec![], |s| s.triangles.clone()),
        points: start.points.clone(),
        rest_volume: 0.03,
        incompressible: false,
        freedoms: 0,
        cell_edges: vec![],
    };
    let floor = ObjectTopology {
        name: "floor".into(),
        kind: "obstacle".into(),
        deforms: false,
        remeshed: false,
        smooth: false,
        triangles: vec![[0, 1, 2]],
        points: vec![[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0]],
        ..clay.clone()
    };
    Topology { objects: vec![clay, floor] }
}

fn frame(index: u64, clay: ObjectFrame) -> Frame {
    Frame {
        index,
        time: index as f64 / 24.0,
        objects: vec![clay, ObjectFrame::default()],
        measures: vec![Measures { mass: 1.0, volume: 0.03, ..Measures::default() }],
        ..Frame::default()
    }
}

/// One ball, then two of another number of points.
fn film(colour: Option<[f32; 3]>) -> (Topology, Vec<Frame>) {
    let whole = balls(24, 0.2, &[0.0], colour);
    let halves = balls(20, 0.15, &[-0.4, 0.4], colour);
    let topology = topology(&whole, true);
    (topology, vec![frame(0, whole), frame(1, halves)])
}

fn studio(spec: &SceneSpec, (topology, frames): &(Topology, Vec<Frame>), overlays: &[&str]) -> Studio {
    let overlays = Overlays::parse(overlays.iter().copied()).expect("names");
    let settings = Settings { samples: 16, overlays, ..Settings::default() };
    Studio::new(spec, topology, frames, None, settings).expect("a studio")
}

/// Red, green and blue where a point is seen.
fn seen(studio: &Studio, image: &Image, frame: &Frame, at: [f64; 3]) -> [u8; 3] {
    let [x, y] = studio.camera(frame).project(at.into()).expect("in sight").0;
    let [r, g, b, _] = image.at(x as u32, y as u32);
    [r, g, b]
}

fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 90 && g < r / 2 && b < r / 2
}

fn is_green([r, g, b]: [u8; 3]) -> bool {
    g > 90 && r < g / 2 && b < g / 2
}

#[test]
fn every_frame_shows_its_own_triangles() {
    let film = film(None);
    let studio = studio(&scene(""), &film, &[]);
    let places = [[-0.4, 0.5, 0.0], [0.0, 0.5, 0.0], [0.4, 0.5, 0.0]];
    for (frame, expected) in film.1.iter().zip([[false, true, false], [true, false, true]]) {
        let image = studio.picture(frame);
        assert_eq!(places.map(|at| is_red(seen(&studio, &image, frame, at))), expected);
    }
}

#[test]
fn older_moments_of_one_picture_are_as_faint_as_they_are_said_to_be() {
    let (film, spec) = (film(None), scene(""));
    let last = &film.1[1];
    let strobe = |oldest: f32| {
        let settings = Settings { samples: 16, oldest, ..Settings::default() };
        let studio = Studio::new(&spec, &film.0, &film.1, None, settings).expect("a studio");
        let image = studio.strobe(&film.1);
        let places = [[-0.4, 0.5, 0.0], [0.0, 0.5, 0.0], [0.4, 0.5, 0.0]];
        (places.map(|at| seen(&studio, &image, last, at)), image == studio.picture(last))
    };
    let (solid, _) = strobe(1.0);
    assert_eq!(solid.map(is_red), [true; 3]);
    let (gone, is_last) = strobe(0.0);
    assert!(is_last, "what cannot be seen leaves no trace");
    let (half, _) = strobe(0.5);
    // Half of the light of each: sRGB undone, and the shoulder above three quarters.
    let light = |x: u8| {
        let linear = ((f64::from(x) / 255.0 + 0.055) / 1.055).powf(2.4);
        let over = 4.0 * (linear - 0.75);
        if over > 0.0 { 0.75 + 0.25 * over / (1.0 - over) } else { linear }
    };
    for (place, k) in (0..3).flat_map(|place| (0..3).map(move |k| (place, k))) {
        let [solid, half, gone] = [solid, half, gone].map(|seen| seen[place][k]);
        let off = 2.0 * light(half) / (light(solid) + light(gone)) - 1.0;
        assert!(off.abs() < 0.03, "{solid} {half} {gone}");
    }
}

#[test]
fn the_same_triangles_look_the_same_whether_made_anew_or_not() {
    let spec = scene("");
    let anew = frame(0, balls(24, 0.2, &[0.0], None));
    let mut kept = anew.clone();
    kept.objects[0].surface = None;
    let picture = |frame: &Frame, remeshed| {
        let topology = topology(&anew.objects[0], remeshed);
        studio(&spec, &(topology, vec![frame.clone()]), &[]).picture(frame)
    };
    let (fresh, usual) = (picture(&anew, true), picture(&kept, false));
    let off = |(a, b): (&[u8; 4], &[u8; 4])| (0..3).any(|k| a[k].abs_diff(b[k]) > 12);
    let differ = fresh.pixels.iter().zip(&usual.pixels).filter(|p| off(*p)).count();
    assert!(differ < fresh.pixels.len() / 100, "{differ} pixels differ");
}

#[test]
fn colours_of_the_material_take_the_place_of_the_look() {
    let film = film(Some([0.02, 0.6, 0.05]));
    for overlays in [&[][..], &["strain"], &["volume"], &["pressure"]] {
        let studio = studio(&scene(""), &film, overlays);
        for (frame, x) in film.1.iter().zip([0.0, 0.4]) {
            let image = studio.picture(frame);
            // Quantities need a rest shape: the colours stay.
            assert!(is_green(seen(&studio, &image, frame, [x, 0.5, 0.0])), "{overlays:?}, x = {x}");
        }
    }
}

#[test]
fn wires_follow_the_frames_triangles() {
    let film = film(None);
    let [plain, wired] =
        [&[][..], &["wire"]].map(|overlays| studio(&scene(""), &film, overlays).picture(&film.1[1]));
    let changed = plain.pixels.iter().zip(&wired.pixels).filter(|(a, b)| a != b).count();
    assert!(changed > 100, "{changed}");
}

#[test]
fn a_surface_without_counterpart_in_the_next_frame_is_not_blurred() {
    let mut open = scene("");
    open.camera.shutter = 1.0;
    let film = film(None);
    let studio = studio(&open, &film, &[]);
    let image = studio.picture(Moment { frame: &film.1[0], next: Some(&film.1[1]) });
    let at = |x: f64| is_red(seen(&studio, &image, &film.1[0], [x, 0.5, 0.0]));
    assert_eq!([at(-0.4), at(0.0), at(0.17), at(0.4)], [false, true, true, false]);
    // With the same triangles it moves on: half of the time it is elsewhere.
    let mut moved = film.1[0].clone();
    moved.objects[0].points.iter_mut().for_each(|p| p[0] += 0.8);
    let image = studio.picture(Moment { frame: &film.1[0], next: Some(&moved) });
    assert!(!is_red(seen(&studio, &image, &film.1[0], [-0.15, 0.5, 0.0])));
}

#[test]
fn the_camera_sees_all_that_the_pieces_reach() {
    let mut spec = scene("");
    (spec.camera.at, spec.camera.look_at) = (None, None);
    let film = film(None);
    let studio = studio(&spec, &film, &[]);
    let size = studio.size(&film.1[1]).map(f64::from);
    for x in [-0.55, 0.55] {
        let [px, py] = studio.camera(&film.1[1]).project(Vec3::new(x, 0.5, 0.0)).expect("in sight").0;
        assert!((0.0..size[0]).contains(&px) && (0.0..size[1]).contains(&py), "{x}: {px} {py}");
    }
}
