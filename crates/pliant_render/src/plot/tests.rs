use super::axis::{Axis, Spread};
use super::chart::{Chart, Curve};
use super::{Plot, page, plots};
use pliant::math::Vec3;
use pliant::{ContactFrame, Frame, FrameReport, Measures, MeshLibrary, ObjectTopology, Topology};
use pliant_io::recording::{Header, Recorder, Recording};
use roxmltree::Document;
use tempfile::tempdir;

fn chart(spread: Spread, times: Vec<f64>, curves: &[Vec<f64>]) -> Chart {
    let curves =
        curves.iter().enumerate().map(|(i, values)| Curve::new(format!("<{i}> & \"co\""), values.clone()));
    Chart { name: "test", title: "A < B & C", unit: "m/s", spread, times, curves: curves.collect() }
}

/// Points of every run of every curve, as numbers on the paper.
fn drawn(svg: &str) -> Vec<Vec<Vec<[f64; 2]>>> {
    let document = Document::parse(svg).unwrap();
    let curves = document.descendants().filter(|node| node.attribute("class") == Some("curve"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let run = |node: roxmltree::Node| match node.attribute("points") {
        Some(points) => points
            .split(' ')
            .map(|p| p.split_once(',').unwrap())
            .map(|(x, y)| [number(x), number(y)])
            .collect(),
        None => vec![[number(node.attribute("cx").unwrap()), number(node.attribute("cy").unwrap())]],
    };
    curves.map(|curve| curve.children().filter(|node| node.is_element()).map(run).collect()).collect()
}

/// The value at a place, from the places of the axis' own values.
fn back(axis: &Axis, place: f64, [a, b]: [f64; 2]) -> f64 {
    let (from, to) = (axis.place(a).unwrap(), axis.place(b).unwrap());
    a + (place - from) / (to - from) * (b - a)
}

#[test]
fn curves_show_the_data() {
    let times: Vec<_> = (0..50).map(|k| 0.1 * f64::from(k)).collect();
    let data: Vec<_> = times.iter().map(|t| 3.0 * t.sin() - 1.0).collect();
    let chart = chart(Spread::Linear, times.clone(), &[data.clone(), vec![0.5; 50]]);
    let curves = drawn(&chart.svg());
    assert_eq!(curves.len(), 2);
    assert_eq!(curves[0].len(), 1);
    assert_eq!(curves[0][0].len(), 50);
    for (k, [x, y]) in curves[0][0].iter().enumerate() {
        assert!((back(&chart.across(), *x, [0.0, 4.9]) - times[k]).abs() < 1e-3);
        assert!((back(&chart.up(), *y, [-4.0, 2.0]) - data[k]).abs() < 1e-3);
    }
}

#[test]
fn logarithmic_curves_show_the_data() {
    let chart = chart(Spread::Log, vec![0.0, 1.0, 2.0], &[vec![1e-5, 1e-3, 1e-1]]);
    let run = &drawn(&chart.svg())[0][0];
    // Equal factors, equal distances.
    assert!((run[0][1] - run[1][1] - (run[1][1] - run[2][1])).abs() < 0.02);
    assert!(run[0][1] > run[2][1], "larger values lie higher");
}

#[test]
fn what_cannot_be_shown_is_a_gap() {
    let times: Vec<_> = (0..7).map(f64::from).collect();
    let values = vec![1.0, 2.0, f64::INFINITY, 3.0, f64::NAN, 2.0, 1.0];
    let lengths = |spread, values| {
        drawn(&chart(spread, times.clone(), &[values]).svg())[0].iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(lengths(Spread::Linear, values), [2, 1, 2]);
    assert_eq!(lengths(Spread::Log, vec![1.0, 0.0, 0.0, 1.0, 2.0, 3.0, -1.0]), [1, 3]);
}

#[test]
fn constant_empty_and_endless_data_are_drawn() {
    let inside = |svg: &str| {
        drawn(svg).into_iter().flatten().flatten().all(|[x, y]| {
            x.is_finite() && y.is_finite() && (0.0..640.0).contains(&x) && (0.0..300.0).contains(&y)
        })
    };
    for spread in [Spread::Linear, Spread::Log] {
        assert!(inside(&chart(spread, vec![], &[vec![]]).svg()));
        assert!(inside(&chart(spread, vec![0.0], &[vec![5.0]]).svg()));
        assert!(inside(&chart(spread, vec![2.0; 3], &[vec![0.0; 3]]).svg()));
        assert!(inside(&chart(spread, vec![0.0, 1.0], &[vec![f64::NAN; 2]]).svg()));
        assert!(inside(&chart(spread, vec![0.0, 1.0], &[vec![-1e300, 1e300]]).svg()));
    }
    let times: Vec<_> = (0..100_000).map(f64::from).collect();
    let mut values = vec![0.0; 100_000];
    values[77_777] = 1.0;
    let chart = chart(Spread::Linear, times, &[values]);
    let curve = &drawn(&chart.svg())[0][0];
    assert!(curve.len() <= 4000);
    let peak = curve.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    assert!((back(&chart.up(), peak, [0.0, 1.0]) - 1.0).abs() < 1e-3, "a single peak is kept");
}

/// A body that falls for a second, at 10 frames per second.
fn fall(bodies: usize, frames: u64) -> (tempfile::TempDir, Recording) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("fall.pliant");
    let object = |i: usize| ObjectTopology {
        name: format!("body {i} <&>"),
        kind: "rigid".to_owned(),
        deforms: false,
        remeshed: false,
        smooth: false,
        triangles: vec![[0, 1, 2]],
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        rest_volume: 2.0,
        incompressible: false,
        freedoms: 0,
        cell_edges: vec![],
    };
    let topology = Topology { objects: (0..bodies).map(object).collect() };
    let scene =
        "[scene]\ngravity = [0, -10, 0]\n[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape.box = [1, 1, 1]\n";
    let header = Header {
        engine: "test".to_owned(),
        fps: 10.0,
        frame_count: frames,
        scene: scene.to_owned(),
        meshes: MeshLibrary::default(),
    };
    let mut recorder = Recorder::create(&path, &header, &topology).unwrap();
    for index in 0..frames {
        let time = index as f64 / 10.0;
        let measures = |i: usize| Measures {
            mass: 3.0,
            centre: Vec3::new(0.0, 7.0 - 5.0 * time * time, 0.0),
            momentum: Vec3::new(0.0, -30.0 * time, 0.0),
            kinetic: 150.0 * time * time,
            volume: 2.0 * (1.0 + 0.01 * i as f64),
            ..Measures::default()
        };
        let contact = ContactFrame {
            a: 0,
            b: 0,
            position: [0.0; 3],
            normal: [0.0; 3],
            force: [3.0, 4.0, 0.0],
            gap: 0.0,
        };
        let frame = Frame {
            index,
            time,
            objects: vec![Default::default(); bodies],
            contacts: vec![contact; (index % 2) as usize],
            measures: (0..bodies).map(measures).collect(),
            controls: vec![],
            report: FrameReport {
                min_distance: if index < 5 { f64::INFINITY } else { 1e-3 },
                ..Default::default()
            },
            state_hash: [0; 2],
        };
        recorder.frame(&frame).unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&path).unwrap();
    (folder, recording)
}

fn find<'a>(plots: &'a [Plot], name: &str) -> &'a Plot {
    plots.iter().find(|plot| plot.name == name).unwrap_or_else(|| panic!("no plot {name}"))
}

#[test]
fn energy_of_a_fall_is_conserved_on_paper() {
    let (_folder, recording) = fall(1, 11);
    let plots = plots(&recording).unwrap();
    let curves = drawn(&find(&plots, "energy").svg);
    let [kinetic, elastic, potential, total] = &curves[..] else { panic!("{} curves", curves.len()) };
    assert!(
        [kinetic, elastic, potential, total].iter().all(|curve| curve.len() == 1 && curve[0].len() == 11)
    );
    assert!(total[0].iter().all(|p| (p[1] - total[0][0][1]).abs() < 0.02), "3 kg over 5 m: always 150 J");
    assert!(
        (kinetic[0][10][1] - total[0][10][1]).abs() < 0.02
            && (potential[0][10][1] - elastic[0][10][1]).abs() < 0.02
    );
    // Infinite at first.
    assert_eq!(drawn(&find(&plots, "distance").svg)[0][0].len(), 6);
    assert!(find(&plots, "distance").svg.contains("penetration (none)"));
}

#[test]
fn many_bodies_share_an_envelope() {
    for (bodies, curves) in [(1, 1), (8, 8), (9, 3)] {
        let (_folder, recording) = fall(bodies, 3);
        let plots = plots(&recording).unwrap();
        assert_eq!(drawn(&find(&plots, "volume").svg).len(), curves);
    }
}

#[test]
fn page_holds_all_plots_and_single_frames_are_shown() {
    for frames in [0, 1, 5] {
        let (_folder, recording) = fall(2, frames);
        let plots = plots(&recording).unwrap();
        let page = page(&plots);
        let document = Document::parse(&page).unwrap();
        assert_eq!(
            document
                .descendants()
                .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "svg")))
                .count(),
            plots.len() + 1
        );
        assert!(!page.contains("NaN") && !page.contains("inf"));
    }
    Document::parse(&page(&[])).unwrap();
}
