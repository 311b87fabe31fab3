use super::*;
use crate::MeshLibrary;
use crate::scene::{BumpsSpec, CurveSpec, GridSpec, RevolveSpec, SceneError, ShapeSpec, SheetSpec, TubeSpec};
use crate::shape::{Shape, TriMesh, box_mesh, build, sphere_mesh};
use std::f64::consts::{PI, TAU};

const PATH: &str = "body[2].shape";

fn ring_spec() -> CurveSpec {
    CurveSpec {
        points: None,
        circle: Some(0.5),
        closed: false,
        nodes: 50,
        smooth: true,
        section: Some([0.02, 0.1]),
        radius: None,
    }
}

fn rod_spec(points: &[[f64; 3]]) -> CurveSpec {
    CurveSpec { points: Some(points.to_vec()), circle: None, ..ring_spec() }
}

fn egg_spec() -> RevolveSpec {
    RevolveSpec {
        profile: vec![[0.0, -0.4], [0.3, -0.2], [0.25, 0.2], [0.0, 0.4]],
        rings: 11,
        around: 14,
        smooth: true,
        thickness: Some(0.005),
        bumps: None,
        bend: 0.0,
    }
}

fn try_with(spec: ShapeSpec, meshes: &MeshLibrary) -> Result<Shape, SceneError> {
    build(&spec, meshes, PATH)
}

fn ok(spec: ShapeSpec) -> (TriMesh, Net) {
    let shape = try_with(spec, &MeshLibrary::new()).unwrap_or_else(|e| panic!("{e}"));
    let net = shape.net.expect("these shapes have nets");
    sound(&shape.mesh, &net);
    (shape.mesh, net)
}

fn refused(spec: ShapeSpec, key: &str, says: &str) {
    let Err(e) = try_with(spec, &MeshLibrary::new()) else { panic!("{key} should be refused: {says}") };
    assert_eq!(e.path, format!("{PATH}.{key}"), "{e}");
    assert!(e.message.contains(says), "{e}");
}

/// What holds for every net.
fn sound(mesh: &TriMesh, net: &Net) {
    assert_eq!(mesh.check_solid(), Ok(()));
    assert!(mesh.volume() > 0.0);
    assert_eq!(net.carriers.len(), mesh.points.len());
    assert!(net.carriers.iter().all(|&c| (c as usize) < net.nodes.len()));
    assert_eq!(net.measure.len(), net.nodes.len());
    assert!(net.measure.iter().all(|&m| m > 0.0));
    let count = match &net.weave {
        Weave::Line { .. } => net.nodes.len(),
        Weave::Sheet { counts, poles, .. } => counts[0] * counts[1] + if *poles { 2 } else { 0 },
        Weave::Block { counts } => counts.iter().product(),
        Weave::Mesh { triangles } => {
            assert!(triangles.iter().flatten().all(|&i| (i as usize) < net.nodes.len()));
            net.nodes.len()
        }
    };
    assert_eq!(net.nodes.len(), count);
}

/// Largest distance of a point of the skin from the node that carries it.
fn reach(mesh: &TriMesh, net: &Net) -> f64 {
    let far = |(p, &c): (&Vec3, &u32)| p.distance(net.nodes[c as usize]);
    mesh.points.iter().zip(&net.carriers).map(far).fold(0.0, f64::max)
}

fn total(net: &Net) -> f64 {
    net.measure.iter().sum()
}

fn area(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles.len()).map(|t| 0.5 * mesh.area_vector(t).length()).sum()
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} is not {b}");
}

#[test]
fn a_ring_of_rectangular_section_has_the_length_of_its_polygon() {
    let (mesh, net) = ok(ShapeSpec::Curve(ring_spec()));
    assert_eq!((net.nodes.len(), mesh.points.len()), (50, 200));
    assert_eq!(net.weave, Weave::Line { closed: true });
    near(total(&net), 50.0 * 2.0 * 0.5 * (PI / 50.0).sin());
    assert!(net.measure.iter().all(|m| (m / net.measure[0] - 1.0).abs() < 1e-12));
    near(net.section.expect("given"), 0.02 * 0.1);
    assert_eq!(net.thickness, Some(0.02));
    near(reach(&mesh, &net), 0.01f64.hypot(0.05));
    assert!(mesh.points.iter().all(|p| p.z.abs() == 0.05), "depth lies along z exactly");
    assert!(net.nodes.iter().all(|p| p.z == 0.0 && (p.length() - 0.5).abs() < 1e-15));
    // A prism over the strip between two regular polygons.
    let polygon = |r: f64| 25.0 * r * r * (TAU / 50.0).sin();
    near(mesh.volume(), 0.1 * (polygon(0.51) - polygon(0.49)));
    assert_eq!(mesh.euler(), 0, "one hole");
}

#[test]
fn a_straight_rod_is_a_convex_box_with_caps() {
    for smooth in [false, true] {
        let spec = CurveSpec { nodes: 7, smooth, ..rod_spec(&[[0.0; 3], [1.2, 0.0, 0.0]]) };
        let shape = try_with(ShapeSpec::Curve(spec), &MeshLibrary::new()).expect("good");
        assert!(shape.convex && !shape.smooth);
        near(shape.mesh.volume(), 1.2 * 0.02 * 0.1);
        assert_eq!(shape.mesh.euler(), 2);
        let net = shape.net.expect("a net");
        near(total(&net), 1.2);
        near(net.nodes[2].x, 0.4);
        let (low, high) = shape.mesh.bounds();
        assert_eq!(high - low, Vec3::new(1.2, 0.02, 0.1), "thickness along y, depth along z");
    }
}

#[test]
fn a_round_helix_keeps_its_radius_all_along() {
    let turns: Vec<[f64; 3]> = (0..25)
        .map(|i| {
            let a = f64::from(i) * 0.5;
            [0.3 * a.cos(), 0.05 * a, 0.3 * a.sin()]
        })
        .collect();
    let spec = CurveSpec { nodes: 200, section: None, radius: Some(0.02), ..rod_spec(&turns) };
    let shape = try_with(ShapeSpec::Curve(spec), &MeshLibrary::new()).expect("good");
    assert!(shape.smooth && !shape.convex);
    let (mesh, net) = (shape.mesh, shape.net.expect("a net"));
    sound(&mesh, &net);
    assert_eq!(mesh.points.len(), 8 * 200);
    near(net.section.expect("given"), PI * 0.02 * 0.02);
    for (p, &c) in mesh.points.iter().zip(&net.carriers) {
        near(p.distance(net.nodes[c as usize]), 0.02);
    }
    let length = 12.0 * 0.3f64.hypot(0.05);
    assert!((total(&net) / length - 1.0).abs() < 2e-3, "{} of {length}", total(&net));
    let octagon = 2.0 * 2f64.sqrt() * 0.02 * 0.02;
    assert!((mesh.volume() / (octagon * length) - 1.0).abs() < 5e-3);
}

#[test]
fn a_closed_knot_closes_without_a_twist_at_the_seam() {
    let knot: Vec<[f64; 3]> = (0..30)
        .map(|i| {
            let a = TAU * f64::from(i) / 30.0;
            let r = 0.2 + 0.1 * (3.0 * a).cos();
            [r * (2.0 * a).cos(), r * (2.0 * a).sin(), 0.1 * (3.0 * a).sin()]
        })
        .collect();
    let spec = CurveSpec { closed: true, nodes: 240, section: Some([0.02, 0.04]), ..rod_spec(&knot) };
    let (mesh, net) = ok(ShapeSpec::Curve(spec));
    assert_eq!(mesh.euler(), 0);
    let step = |i: usize, k: usize| mesh.points[4 * ((i + 1) % 240) + k].distance(mesh.points[4 * i + k]);
    let longest =
        (0..239).flat_map(|i| (0..4).map(move |k| (i, k))).map(|(i, k)| step(i, k)).fold(0.0, f64::max);
    assert!((0..4).all(|k| step(239, k) < 1.1 * longest), "the seam is like the rest");
    assert!((mesh.volume() / (0.02 * 0.04 * total(&net)) - 1.0).abs() < 0.02);
}

#[test]
fn wrong_curves_are_refused_at_their_keys() {
    let rod = || rod_spec(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let curve = ShapeSpec::Curve;
    refused(curve(CurveSpec { nodes: 2, ..rod() }), "curve.nodes", "at least 3 nodes; found 2");
    refused(curve(CurveSpec { nodes: 100_001, ..rod() }), "curve.nodes", "100000");
    refused(curve(CurveSpec { circle: Some(1.0), ..rod() }), "curve.circle", "both");
    refused(curve(CurveSpec { points: None, ..rod() }), "curve", "neither");
    refused(curve(CurveSpec { section: None, ..rod() }), "curve", "cross-section");
    refused(curve(CurveSpec { radius: Some(0.1), ..rod() }), "curve.radius", "both");
    refused(curve(CurveSpec { section: Some([0.1, 0.0]), ..rod() }), "curve.section", "found 0");
    refused(curve(CurveSpec { circle: Some(f64::NAN), points: None, ..rod() }), "curve.circle", "NaN");
    refused(curve(rod_spec(&[[0.0; 3]])), "curve.points", "at least 2 points; found 1");
    refused(curve(CurveSpec { closed: true, ..rod() }), "curve.points", "at least 3 points; found 2");
    refused(curve(rod_spec(&[[0.0; 3], [1.0; 3], [1.0; 3]])), "curve.points[2]", "same place");
    refused(curve(rod_spec(&[[0.0; 3]; 2])), "curve.points[1]", "same place");
    refused(curve(rod_spec(&[[0.0; 3], [f64::INFINITY; 3]])), "curve.points[1]", "ordinary");
    refused(curve(rod_spec(&[[0.0; 3], [1e300; 3]])), "curve.points[1]", "ordinary");
    let mut back = rod_spec(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0; 3]]);
    back.closed = true;
    refused(curve(back), "curve.points[3]", "leave the last one out");
}

#[test]
fn a_curve_thicker_than_its_bends_or_gaps_is_refused() {
    let thick = |spec: CurveSpec, key: &str| refused(ShapeSpec::Curve(spec), key, "thick");
    thick(CurveSpec { section: Some([1.1, 0.1]), ..ring_spec() }, "curve.section");
    thick(CurveSpec { section: None, radius: Some(0.6), ..ring_spec() }, "curve.radius");
    // Two long straights 0.1 apart, joined by a bend that is wide enough for neither.
    let clip = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.5, 0.3, 0.0], [0.0, 0.1, 0.0], [1.0, 0.1, 0.0]];
    ok(ShapeSpec::Curve(CurveSpec { section: Some([0.02, 0.1]), ..rod_spec(&clip) }));
    thick(CurveSpec { section: Some([0.11, 0.1]), ..rod_spec(&clip) }, "curve.section");
    // A figure of eight in a plane.
    let eight = [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]];
    let eight = CurveSpec { closed: true, nodes: 80, ..rod_spec(&eight) };
    thick(eight, "curve.section");
    // There and back on the same line.
    let back = [[0.0; 3], [1.0, 0.0, 0.0], [0.2, 0.0, 0.0]];
    thick(CurveSpec { smooth: false, ..rod_spec(&back) }, "curve.section");
}

#[test]
fn a_turned_profile_is_closed_and_outward_in_either_order() {
    let (mesh, net) = ok(ShapeSpec::Revolve(egg_spec()));
    assert_eq!(net.weave, Weave::Sheet { counts: [11, 14], wrap: [false, true], poles: true });
    assert_eq!((net.section, net.thickness), (Some(0.005), Some(0.005)));
    assert_eq!(net.nodes[154], Vec3::new(0.0, -0.4, 0.0), "the pole beside the first ring");
    assert!(net.nodes[155].distance(Vec3::new(0.0, 0.4, 0.0)) < 1e-15);
    assert_eq!(reach(&mesh, &net), 0.0, "the nodes are the skin");
    near(total(&net), area(&mesh));
    assert_eq!(mesh.euler(), 2);
    let mut turned = egg_spec();
    turned.profile.reverse();
    let (other, _) = ok(ShapeSpec::Revolve(turned));
    assert!((other.volume() / mesh.volume() - 1.0).abs() < 1e-9);
}

#[test]
fn a_half_circle_becomes_a_ball() {
    let profile = (0..=12)
        .map(|i| {
            let (sin, cos) = (PI * (f64::from(i) / 12.0 - 0.5)).sin_cos();
            [if i % 12 == 0 { 0.0 } else { cos }, sin]
        })
        .collect();
    let spec = RevolveSpec { profile, rings: 39, around: 60, thickness: None, ..egg_spec() };
    let shape = try_with(ShapeSpec::Revolve(spec), &MeshLibrary::new()).expect("good");
    let net = shape.net.expect("a net");
    assert!(shape.convex && shape.smooth && net.section.is_none() && net.thickness.is_none());
    assert!(net.nodes.iter().all(|p| (p.length() - 1.0).abs() < 2e-3));
    assert!((shape.mesh.volume() / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01);
    assert!((total(&net) / (4.0 * PI) - 1.0).abs() < 0.01);
}

#[test]
fn bumps_are_ribs_and_a_bend_leans_the_top() {
    let bumps = Some(BumpsSpec { count: 6, depth: 0.1 });
    let (_, net) = ok(ShapeSpec::Revolve(RevolveSpec { bumps, around: 24, ..egg_spec() }));
    let radius = |j: usize| net.nodes[5 * 24 + j].x.hypot(net.nodes[5 * 24 + j].z);
    near(radius(0) / radius(2), 1.1 / 0.9);
    near(radius(4), radius(0));
    let first = |j: usize| net.nodes[j].x.hypot(net.nodes[j].z);
    assert!(first(0) / first(2) < 1.08, "fading towards the poles");

    let long = vec![[0.0, 0.0], [0.1, 0.1], [0.1, 0.9], [0.0, 1.0]];
    let (mesh, net) =
        ok(ShapeSpec::Revolve(RevolveSpec { profile: long, bend: 90.0, smooth: false, ..egg_spec() }));
    let [bottom, top] = [net.nodes[154], net.nodes[155]];
    assert!(bottom.length() < 1e-15);
    // The end of a quarter circle of length 1.
    assert!(top.distance(Vec3::new(-1.0, 1.0, 0.0) / (0.5 * PI)) < 1e-12, "{top}");
    assert!(mesh.volume() > 0.02);
}

#[test]
fn wrong_profiles_are_refused_at_their_keys() {
    let turned = |profile: &[[f64; 2]]| {
        ShapeSpec::Revolve(RevolveSpec { profile: profile.to_vec(), smooth: false, ..egg_spec() })
    };
    let crossing = [[0.0, 0.0], [0.5, 0.5], [0.5, 0.2], [0.1, 0.6], [0.0, 1.0]];
    refused(turned(&crossing), "revolve.profile", "must not cross or touch itself");
    refused(turned(&[[0.0, 0.0], [0.5, 0.0], [0.0, 0.0]]), "revolve.profile", "touch itself");
    refused(turned(&[[0.1, 0.0], [0.5, 0.5], [0.0, 1.0]]), "revolve.profile[0]", "on the axis");
    refused(turned(&[[0.0, 0.0], [0.5, 0.5], [0.1, 1.0]]), "revolve.profile[2]", "found 0.1");
    refused(turned(&[[0.0, 0.0], [-0.5, 0.5], [0.0, 1.0]]), "revolve.profile[1]", "positive");
    refused(turned(&[[0.0, 0.0], [0.0, 1.0]]), "revolve.profile", "at least 3");
    refused(turned(&[[0.0, 0.0], [0.5, f64::NAN], [0.0, 1.0]]), "revolve.profile[1]", "ordinary");
    let revolve = ShapeSpec::Revolve;
    refused(revolve(RevolveSpec { around: 13, ..egg_spec() }), "revolve.around", "even");
    refused(revolve(RevolveSpec { around: 4, ..egg_spec() }), "revolve.around", "from 6");
    refused(revolve(RevolveSpec { rings: 1, ..egg_spec() }), "revolve.rings", "from 2");
    refused(revolve(RevolveSpec { rings: 1000, around: 1000, ..egg_spec() }), "revolve.rings", "1000000");
    refused(revolve(RevolveSpec { thickness: Some(0.0), ..egg_spec() }), "revolve.thickness", "found 0");
    let bumps = |count, depth| revolve(RevolveSpec { bumps: Some(BumpsSpec { count, depth }), ..egg_spec() });
    refused(bumps(8, 0.1), "revolve.bumps.count", "found 8");
    refused(bumps(4, 1.0), "revolve.bumps.depth", "below 1");
    refused(bumps(4, f64::NAN), "revolve.bumps.depth", "NaN");
    refused(revolve(RevolveSpec { bend: 300.0, ..egg_spec() }), "revolve.bend", "bend it less");
    refused(revolve(RevolveSpec { bend: f64::NAN, ..egg_spec() }), "revolve.bend", "NaN");
    // A thin one may be bent until its tips nearly meet.
    let long = vec![[0.0, 0.0], [0.1, 0.05], [0.1, 1.95], [0.0, 2.0]];
    ok(revolve(RevolveSpec { profile: long, rings: 60, bend: 359.0, smooth: false, ..egg_spec() }));
}

#[test]
fn a_grid_is_a_thin_box_of_exact_area() {
    let spec = GridSpec { size: [1.0, 2.0], cells: [4, 5], thickness: 0.01 };
    let shape = try_with(ShapeSpec::Grid(spec.clone()), &MeshLibrary::new()).expect("good");
    assert!(shape.convex && crate::shape::is_convex(&shape.mesh));
    let (mesh, net) = ok(ShapeSpec::Grid(spec));
    assert_eq!((net.nodes.len(), mesh.points.len()), (30, 60));
    near(total(&net), 2.0);
    near(net.measure[0], 2.0 / 20.0 / 4.0);
    near(net.measure[7], 2.0 / 20.0);
    assert_eq!(net.nodes[1], Vec3::new(-0.5, 0.0, -0.6), "rows run along z");
    near(mesh.volume(), 0.02);
    near(reach(&mesh, &net), 0.005);
    assert_eq!(net.carriers[37], 7);
    refused(
        ShapeSpec::Grid(GridSpec { size: [1.0, 0.0], cells: [1; 2], thickness: 0.1 }),
        "grid.size",
        "found 0",
    );
    refused(
        ShapeSpec::Grid(GridSpec { size: [1.0; 2], cells: [0, 1], thickness: 0.1 }),
        "grid.cells",
        "from 1",
    );
    refused(
        ShapeSpec::Grid(GridSpec { size: [1.0; 2], cells: [999; 2], thickness: 0.1 }),
        "grid.cells",
        "1000000",
    );
    let flat = GridSpec { size: [1.0; 2], cells: [1; 2], thickness: -0.1 };
    refused(ShapeSpec::Grid(flat), "grid.thickness", "found -0.1");
    let film = GridSpec { size: [1.0; 2], cells: [1; 2], thickness: 1e-15 };
    refused(ShapeSpec::Grid(film), "grid.size", "no area");
}

#[test]
fn a_tube_has_two_skins_and_two_rims() {
    let spec = TubeSpec { radius: 0.2, length: 1.0, cells: [5, 12], thickness: 0.02 };
    let (mesh, net) = ok(ShapeSpec::Tube(spec.clone()));
    assert_eq!(net.weave, Weave::Sheet { counts: [6, 12], wrap: [false, true], poles: false });
    assert_eq!(mesh.euler(), 0);
    near(total(&net), 12.0 * 2.0 * 0.2 * (PI / 12.0).sin());
    let polygon = |r: f64| 6.0 * r * r * (TAU / 12.0).sin();
    near(mesh.volume(), polygon(0.21) - polygon(0.19));
    near(reach(&mesh, &net), 0.01);
    let tube = ShapeSpec::Tube;
    refused(tube(TubeSpec { cells: [5, 5], ..spec.clone() }), "tube.cells[1]", "from 6");
    refused(tube(TubeSpec { cells: [0, 6], ..spec.clone() }), "tube.cells[0]", "from 1");
    refused(tube(TubeSpec { thickness: 0.4, ..spec.clone() }), "tube.thickness", "the pipe closes");
    refused(tube(TubeSpec { length: f64::INFINITY, ..spec }), "tube.length", "inf");
}

fn sheet_of(mesh: TriMesh, thickness: f64) -> Result<Shape, SceneError> {
    let mut meshes = MeshLibrary::new();
    meshes.insert("leaf.obj".into(), mesh);
    try_with(ShapeSpec::Sheet(SheetSpec { file: "leaf.obj".into(), scale: 2.0, thickness }), &meshes)
}

/// A roof of two triangles, and a point that none uses.
fn roof() -> TriMesh {
    let points = vec![Vec3::ZERO, Vec3::X, Vec3::splat(7.0), Vec3::Y, Vec3::new(1.0, 1.0, 0.5)];
    TriMesh { points, triangles: vec![[0, 1, 3], [1, 4, 3]], ..TriMesh::default() }
}

#[test]
fn an_open_mesh_becomes_a_sheet_with_a_rim() {
    let shape = sheet_of(roof(), 0.02).expect("good");
    let (mesh, net) = (shape.mesh, shape.net.expect("a net"));
    sound(&mesh, &net);
    assert_eq!((net.nodes.len(), mesh.points.len()), (4, 8), "the unused point is gone");
    assert_eq!(net.weave, Weave::Mesh { triangles: vec![[0, 1, 2], [1, 3, 2]] });
    near(total(&net), 4.0 * area(&roof()));
    near(reach(&mesh, &net), 0.01);
    assert_eq!(mesh.euler(), 2);
    let hollow = sheet_of(sphere_mesh(0.5, 2), 0.02).expect("a closed surface is a shell");
    sound(&hollow.mesh, &hollow.net.expect("a net"));
    assert!((hollow.mesh.volume() / (4.0 * PI * 0.02) - 1.0).abs() < 0.05);
}

#[test]
fn wrong_sheets_are_refused_with_the_reason() {
    let wrong = |mesh: TriMesh, thickness: f64, key: &str, says: &str| {
        let Err(e) = sheet_of(mesh, thickness) else { panic!("should be refused: {says}") };
        assert_eq!(e.path, format!("{PATH}.sheet.{key}"), "{e}");
        assert!(e.message.contains(says), "{e}");
    };
    let mut two = roof();
    two.append(&roof().map(|p| p + 3.0 * Vec3::Z));
    wrong(two, 0.02, "file", "the mesh has 2 separate pieces");
    let mut crowded = roof();
    crowded.triangles.push([3, 1, 2]);
    crowded.triangles.push([1, 3, 2]);
    wrong(crowded, 0.02, "file", "in all; an edge of a sheet");
    let mut turned = roof();
    turned.triangles[1].swap(0, 1);
    wrong(turned, 0.02, "file", "opposite ways");
    let mut thin = roof();
    thin.triangles[1] = [1, 3, 3];
    wrong(thin, 0.02, "file", "no area");
    let mut bow = roof();
    bow.points.extend([Vec3::new(-1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0)]);
    bow.triangles.push([0, 5, 6]);
    wrong(bow, 0.02, "file", "meet only in the point");
    wrong(TriMesh::default(), 0.02, "file", "no triangles");
    wrong(roof(), 0.0, "thickness", "found 0");
    wrong(sphere_mesh(0.5, 2), 2.5, "thickness", "so thick");
    let nameless = SheetSpec { file: " ".into(), scale: 1.0, thickness: 0.1 };
    refused(ShapeSpec::Sheet(nameless), "sheet.file", "must name a file");
    let missing = SheetSpec { file: "none.obj".into(), scale: 1.0, thickness: 0.1 };
    refused(ShapeSpec::Sheet(missing), "sheet.file", "none.obj");
}

#[test]
fn nets_of_plain_solids_cover_them() {
    let (mesh, net) = torus_net(0.3, 0.1, [24, 12]);
    sound(&mesh, &net);
    assert_eq!(mesh.euler(), 0);
    near(total(&net), area(&mesh));
    assert_eq!(net.weave, Weave::Sheet { counts: [24, 12], wrap: [true; 2], poles: false });
    assert!((total(&net) / (4.0 * PI * PI * 0.03) - 1.0).abs() < 0.03);

    let (mesh, net) = sphere_net(Vec3::new(0.1, 0.2, 0.3), 9, 16);
    sound(&mesh, &net);
    assert_eq!(net.nodes.len(), 9 * 16 + 2);
    assert_eq!(net.nodes[9 * 16], Vec3::new(0.0, -0.2, 0.0));
    assert!(net.nodes.iter().all(|p| ((*p / Vec3::new(0.1, 0.2, 0.3)).length() - 1.0).abs() < 1e-14));
    near(total(&net), area(&mesh));

    let (mesh, net) = mesh_net(&box_mesh(Vec3::new(1.0, 2.0, 3.0), [2, 2, 3]));
    sound(&mesh, &net);
    near(total(&net), 22.0);
}

#[test]
fn a_block_has_nodes_inside_and_its_boundary_as_skin() {
    let (mesh, net) = block_net(Vec3::new(1.0, 2.0, 3.0), [2, 3, 4]);
    sound(&mesh, &net);
    assert_eq!(net.weave, Weave::Block { counts: [3, 4, 5] });
    assert_eq!(mesh.points.len(), 60 - 2 * 3);
    assert_eq!(reach(&mesh, &net), 0.0);
    assert_eq!((net.section, net.thickness), (Some(1.0), None));
    near(total(&net), 6.0);
    near(net.measure[0], 6.0 / 24.0 / 8.0);
    assert_eq!(net.nodes[5 * 4 + 1], Vec3::new(0.0, -1.0, -0.75));
}
