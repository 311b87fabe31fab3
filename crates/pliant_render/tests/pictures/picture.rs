//! Pictures: light as it should be, the same pixels every time, bodies in a photograph.

use pliant::scene::{MarkSpec, MatteSpec, SceneSpec};
use pliant::{Frame, Topology, World};
use pliant_render::{Image, Moment, Overlays, Photo, Settings, Studio};

const SCENE: &str = r#"
[scene]
duration = 0.2

[[body]]
name = "ball"
kind = "rigid"
shape = { sphere = 0.2 }
position = [0, 0.25, 0]
velocity = [2, 0, 0]

[[body]]
name = "box"
kind = "rigid"
shape = { box = [0.3, 0.3, 0.3] }
position = [-0.5, 0.16, 0.1]

[[obstacle]]
name = "floor"
shape = { plane = {} }

[[obstacle]]
name = "wall"
shape = { box = [2.4, 1.2, 0.1] }
position = [0, 0.6, -0.8]

[camera]
at = [0.4, 1.2, 2.8]
look_at = [-0.1, 0.25, 0]
size = [240, 136]
"#;

fn scene(extra: &str) -> SceneSpec {
    pliant_io::scene_file::parse(&format!("{SCENE}\n{extra}"), "test").expect("a valid scene")
}

fn filmed(spec: &SceneSpec) -> (Topology, Vec<Frame>) {
    let mut world = World::new(spec, &Default::default()).expect("a world");
    let mut frames = vec![world.frame()];
    for _ in 0..spec.scene.frame_count() {
        frames.push(world.next_frame(&mut ()).expect("a frame"));
    }
    (world.topology(), frames)
}

fn studio(spec: &SceneSpec, settings: Settings, photo: Option<Photo>) -> (Studio, Vec<Frame>) {
    let (topology, frames) = filmed(spec);
    (Studio::new(spec, &topology, &frames, photo, settings).expect("a studio"), frames)
}

fn samples(samples: u32) -> Settings {
    Settings { samples, ..Settings::default() }
}

fn grey(p: [u8; 4]) -> f64 {
    0.2126 * f64::from(p[0]) + 0.7152 * f64::from(p[1]) + 0.0722 * f64::from(p[2])
}

/// Root mean square difference of grey levels, 0 to 1.
fn difference(a: &Image, b: &Image) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let squares = a.pixels.iter().zip(&b.pixels).map(|(p, q)| ((grey(*p) - grey(*q)) / 255.0).powi(2));
    (squares.sum::<f64>() / a.pixels.len() as f64).sqrt()
}

#[test]
fn pictures_do_not_depend_on_threads_or_runs() {
    let spec = scene("");
    let (studio, frames) = studio(&spec, samples(4), None);
    let picture = || studio.picture(&frames[5]);
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
    let first = pool(1).install(picture);
    assert_eq!(first, pool(2).install(picture));
    assert_eq!(first, pool(3).install(picture));
}

#[test]
fn few_samples_come_close_to_many() {
    let spec = scene("");
    let (few, frames) = studio(&spec, samples(4), None);
    let (more, _) = studio(&spec, samples(16), None);
    let (many, _) = studio(&spec, samples(256), None);
    let truth = many.picture(&frames[5]);
    let (at_4, at_16) =
        (difference(&few.picture(&frames[5]), &truth), difference(&more.picture(&frames[5]), &truth));
    assert!(at_4 < 0.012, "{at_4}");
    assert!(at_16 < 0.7 * at_4, "{at_16} against {at_4}");
    // No lone bright specks: nothing is far brighter than all its neighbours are in the true picture.
    let noisy = few.picture(&frames[5]);
    for y in 1..noisy.height - 1 {
        for x in 1..noisy.width - 1 {
            let around = (0..9).map(|k| grey(truth.at(x + k % 3 - 1, y + k / 3 - 1)));
            let brightest = around.fold(0.0, f64::max);
            assert!(grey(noisy.at(x, y)) < brightest + 40.0, "speck at {x}, {y}");
        }
    }
}

#[test]
fn open_ground_has_the_brightness_of_its_lights() {
    // A white floor under a white sky of strength 1/2 and no sun shows half of white: sRGB 188.
    let spec = scene(
        r##"
[light]
strength = 0
sky = "#ffffff"
horizon = "#ffffff"
sky_strength = 0.5
[look.floor]
colour = "#ffffff"
[look.wall]
hidden = true
[look.ball]
hidden = true
[look.box]
hidden = true
"##,
    );
    let (studio, frames) = studio(&spec, samples(64), None);
    let image = studio.picture(&frames[0]);
    let near = image.at(120, 100);
    assert!(near[..3].iter().all(|x| x.abs_diff(188) <= 1), "{near:?}");
}

#[test]
fn moving_bodies_are_blurred_and_resting_ones_are_not() {
    let spec = scene("");
    let mut open = spec.clone();
    open.camera.shutter = 1.0;
    let (sharp, frames) = studio(&spec, samples(16), None);
    let (blurred, _) = studio(&open, samples(16), None);
    let moment = Moment { frame: &frames[2], next: Some(&frames[5]) };
    let (a, b) = (sharp.picture(moment), blurred.picture(moment));
    let changed = |from: u32, to: u32| {
        let differs = |x: u32| (0..a.height).any(|y| (grey(a.at(x, y)) - grey(b.at(x, y))).abs() > 12.0);
        (from..to).filter(|x| differs(*x)).count()
    };
    let camera = sharp.camera(&frames[2]);
    let ball = camera.project(frames[2].measures[0].centre).expect("in sight").0[0] as u32;
    let still = camera.project(frames[2].measures[1].centre).expect("in sight").0[0] as u32;
    assert!(changed(ball - 30, ball + 40) > 20, "the ball moves");
    assert!(changed(still - 24, still - 10) <= 2, "the box rests");
}

#[test]
fn jelly_is_darker_in_its_thick_parts_and_colours_its_shadow() {
    let spec = scene("[look.ball]\nfinish = \"gelatin\"\ncolour = \"#d02020\"");
    let (jelly, frames) = studio(&spec, samples(64), None);
    let (solid, _) = studio(&scene("[look.ball]\ncolour = \"#d02020\""), samples(64), None);
    let (clear, opaque) = (jelly.picture(&frames[0]), solid.picture(&frames[0]));
    let redness = |p: [u8; 4]| f64::from(p[0]) - 0.5 * (f64::from(p[1]) + f64::from(p[2]));
    let (without, _) = studio(&scene("[look.ball]\nhidden = true"), samples(64), None);
    let bare = without.picture(&frames[0]);
    // Where the solid ball's shadow falls, the jelly's is brighter and redder.
    let all = (0..clear.width).flat_map(|x| (0..clear.height).map(move |y| (x, y)));
    let dark = all.filter(|(x, y)| {
        let (with, before) = (opaque.at(*x, *y), bare.at(*x, *y));
        grey(before) - grey(with) > 30.0 && redness(with) < 30.0 && redness(before) < 30.0
    });
    let (mut brighter, mut redder, mut count) = (0.0, 0.0, 0.0);
    for (x, y) in dark {
        brighter += grey(clear.at(x, y)) - grey(opaque.at(x, y));
        redder += redness(clear.at(x, y)) - redness(opaque.at(x, y));
        count += 1.0;
    }
    assert!(count > 50.0 && brighter / count > 3.0 && redder / count > 3.0, "{count} {brighter} {redder}");
}

#[test]
fn overlays_change_only_what_they_say() {
    let spec = scene("");
    let with = |names: &[&str]| Settings {
        overlays: Overlays::parse(names.iter().copied()).expect("names"),
        size: Some([480, 272]),
        ..samples(4)
    };
    let (plain, frames) = studio(&spec, with(&[]), None);
    let bare = plain.picture(&frames[12]);
    // Bodies of another colour also throw a little light of another colour around them.
    let far = |a: [u8; 4], b: [u8; 4]| (0..3).any(|k| a[k].abs_diff(b[k]) > 12);
    for name in ["wire", "contacts", "forces", "velocity", "strain", "volume", "pressure", "time"] {
        let (drawn, _) = studio(&spec, with(&[name]), None);
        let picture = drawn.picture(&frames[12]);
        let changed = picture.pixels.iter().zip(&bare.pixels).filter(|(a, b)| far(**a, **b)).count();
        assert!(changed > 10, "{name} shows nothing");
        assert!(changed < bare.pixels.len() / 3, "{name} changes {changed} pixels");
    }
}

/// Photographs the scene without its bodies, and marks points of it.
fn photographed(spec: &SceneSpec) -> (Image, MatteSpec) {
    let mut empty = spec.clone();
    for name in ["ball", "box"] {
        let hidden = pliant::scene::LookSpec { hidden: true, ..Default::default() };
        empty.look.insert(name.into(), hidden);
    }
    let (studio, frames) = studio(&empty, samples(256), None);
    let camera = studio.camera(&frames[0]);
    let places = [
        [-1.2, 0.0, -0.75],
        [1.2, 0.0, -0.75],
        [1.2, 1.2, -0.75],
        [-1.2, 1.2, -0.75],
        [0.5, 0.0, 0.5],
        [-0.5, 0.0, 0.5],
        [0.0, 0.0, 1.0],
    ];
    let mark = |at: [f64; 3]| MarkSpec { pixel: camera.project(at.into()).expect("in sight").0, at };
    let matte =
        MatteSpec { photo: "x.png".into(), points: places.map(mark).to_vec(), catch: None, fov: None };
    (studio.picture(&frames[0]), matte)
}

#[test]
fn bodies_in_a_photograph_look_as_if_they_had_been_there() {
    let spec = scene("");
    let (plate, matte) = photographed(&spec);
    let (whole, frames) = studio(&spec, samples(256), None);
    let full = whole.picture(&frames[0]);
    let matted = SceneSpec { matte: Some(matte), ..spec };
    let (studio, frames) = studio(&matted, samples(256), Some(Photo::new(&plate)));
    let solved = studio.solved().expect("a camera was found");
    let truth = whole.camera(&frames[0]);
    for place in [[0.0, 0.3, 0.0], [0.9, 0.1, 0.2], [-0.7, 0.5, -0.5]] {
        let (a, b) = (
            solved.camera.project(place.into()).expect("seen").0,
            truth.project(place.into()).expect("seen").0,
        );
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.5, "{a:?} {b:?}");
    }
    let composite = studio.picture(&frames[0]);
    // The caught shadow: where the full picture is darker than the empty one, and still floor or wall.
    let alpha = {
        let (s, _) = self::studio(&matted, Settings { alpha: true, ..samples(64) }, Some(Photo::new(&plate)));
        s.picture(&frames[0])
    };
    let (mut sum, mut count, mut worst) = (0.0, 0, 0.0_f64);
    for i in 0..full.pixels.len() {
        let darker = grey(plate.pixels[i]) - grey(full.pixels[i]);
        let body = alpha.pixels[i][3] > 250;
        if darker > 8.0 && !body {
            let off = (grey(composite.pixels[i]) - grey(full.pixels[i])).abs() / 255.0;
            (sum, count, worst) = (sum + off, count + 1, worst.max(off));
        }
    }
    assert!(count > 400, "{count} pixels in shadow");
    println!("{count} pixels of caught shadow: mean {:.4}, worst {worst:.4}", sum / count as f64);
    assert!(sum / (count as f64) < 0.02, "mean {}", sum / count as f64);
}
