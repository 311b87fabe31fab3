//! Objects whose surface is another in every frame: every format gives back each frame's own triangles.

use super::fixture::{CLAY, FPS, FRAMES, Run, error, turned};
use super::{abc, glb, meshes, usda};
use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;
use pliant::Surface;
use pliant::math::{Quat, Vec3};
use pliant_io::export::{self, ExportError};
use std::fs;

/// Ways in which a surface can fail to fit its points.
const MISFITS: [fn(&mut Surface); 4] = [
    |s| s.triangles[0][1] = 9999,
    |s| s.normals.truncate(3),
    |s| s.colours.truncate(3),
    |s| s.pieces.clear(),
];

fn corners(surface: &Surface) -> Vec<u32> {
    surface.triangles.as_flattened().to_vec()
}

fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[test]
fn the_fixture_changes_its_counts() {
    let run = Run::with_clay();
    let counts: Vec<usize> = (0..FRAMES).map(|k| run.clay(k).triangles.len()).collect();
    assert!(counts.windows(2).all(|c| c[0] != c[1]), "{counts:?}");
    assert!(run.clay(FRAMES - 1).pieces.contains(&1) && !run.clay(0).pieces.contains(&1));
}

#[test]
fn obj_has_each_frames_triangles_normals_and_colours() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.obj")).unwrap();
    for k in 0..FRAMES {
        let path = folder.path().join(format!("a.{k:04}.obj"));
        assert!(error(&meshes::obj_vertices(&path), &run.whole_world(k)) < 1e-8);
        let (models, _) = tobj::load_obj(&path, &tobj::LoadOptions::default()).unwrap();
        let (mesh, surface) = (&models[CLAY].mesh, run.clay(k));
        assert_eq!(mesh.indices.len(), 3 * surface.triangles.len());
        // The reader numbers points in the order of the triangles.
        let state = &run.frames[k].objects[CLAY];
        for (read, &v) in mesh.indices.iter().zip(surface.triangles.as_flattened()) {
            let (at, v) = (3 * *read as usize, v as usize);
            let [n, c] = [&mesh.normals, &mesh.vertex_color].map(|x| [x[at], x[at + 1], x[at + 2]]);
            assert!(error(&[n], &[turned(state, surface.normals[v])]) < 1e-5);
            assert!(error(&[c], &[surface.colours[v].map(srgb)]) < 1e-4);
        }
    }
}

#[test]
fn ply_has_each_frames_triangles_normals_and_colours() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.ply")).unwrap();
    for k in 0..FRAMES {
        let bytes = fs::read(folder.path().join(format!("a.{k:04}.ply"))).unwrap();
        let points = run.whole_world(k);
        let body = &bytes[meshes::find(&bytes, "end_header\n")..];
        let (vertices, faces) = body.split_at(points.len() * 27);
        let (surface, state) = (run.clay(k), &run.frames[k].objects[CLAY]);
        let first = points.len() - surface.normals.len();
        for (i, vertex) in vertices.chunks_exact(27).enumerate() {
            let vectors = meshes::floats(&vertex[..24]);
            assert!(error(&vectors[..1], &points[i..=i]) < 1e-6);
            assert!((vectors[1].iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
            if let Some(v) = i.checked_sub(first) {
                assert!(error(&vectors[1..], &[turned(state, surface.normals[v])]) < 1e-6);
                let colour = surface.colours[v].map(|c| (255.0 * srgb(c)).round() as u8);
                assert_eq!(vertex[24..], colour);
            }
        }
        let clay: Vec<Vec<i32>> = faces
            .chunks_exact(17)
            .map(|f| meshes::integers(&f[1..]))
            .filter(|f| f[3] == CLAY as i32)
            .collect();
        let expected: Vec<Vec<i32>> = surface
            .triangles
            .iter()
            .map(|t| t.iter().map(|v| (first + *v as usize) as i32).chain([CLAY as i32]).collect())
            .collect();
        assert_eq!(clay, expected);
    }
}

#[test]
fn vtp_has_each_frames_triangles_normals_colours_and_pieces() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.pvd")).unwrap();
    for k in 0..FRAMES {
        let bytes = fs::read(folder.path().join(format!("a_vtp/a.{k:04}.vtp"))).unwrap();
        let mut body = &bytes[meshes::find(&bytes, "encoding=\"raw\">\n_")..];
        let blocks: Vec<&[u8]> = (0..7)
            .map(|_| {
                let (length, rest) = body.split_at(8);
                let (block, rest) = rest.split_at(u64::from_le_bytes(length.try_into().unwrap()) as usize);
                body = rest;
                block
            })
            .collect();
        assert!(body.starts_with(b"\n</AppendedData>"), "nothing is left over");
        let (points, surface) = (run.whole_world(k), run.clay(k));
        assert!(error(&meshes::floats(blocks[0]), &points) < 1e-6);
        let first = points.len() - surface.normals.len();
        let clay: Vec<i32> = corners(surface).iter().map(|v| (first + *v as usize) as i32).collect();
        assert!(meshes::integers(blocks[1]).ends_with(&clay));
        let state = &run.frames[k].objects[CLAY];
        let normals: Vec<[f64; 3]> = surface.normals.iter().map(|n| turned(state, *n)).collect();
        assert!(error(&meshes::floats(blocks[4])[first..], &normals) < 1e-6);
        assert_eq!(blocks[5].len(), 3 * points.len());
        let colour = surface.colours[5].map(|c| (255.0 * srgb(c)).round() as u8);
        assert_eq!(blocks[5][3 * (first + 5)..3 * (first + 6)], colour);
        let pieces: Vec<u32> = meshes::integers(blocks[6]).iter().map(|p| *p as u32).collect();
        assert_eq!(pieces[first..], surface.pieces);
        assert!(pieces[..first].iter().all(|p| *p == 0));
    }
}

#[test]
fn usda_samples_points_faces_normals_and_colours() {
    let run = Run::with_clay();
    let text = usda::export(&run);
    let object = usda::between(&text, "def Xform \"clay\"", "\n    }\n");
    let [counts, indices, points, normals, colours] = [
        "int[] faceVertexCounts",
        "int[] faceVertexIndices",
        "point3f[] points",
        "normal3f[] normals",
        "color3f[] primvars:displayColor",
    ]
    .map(|attribute| usda::samples(object, attribute));
    for k in 0..FRAMES {
        let surface = run.clay(k);
        assert!([&counts, &indices, &points, &normals, &colours].iter().all(|s| s[k].0 == k));
        assert_eq!(counts[k].1, vec![3.0; surface.triangles.len()]);
        assert_eq!(indices[k].1, corners(surface).into_iter().map(f64::from).collect::<Vec<_>>());
        let same = |read: &[f64], expected: &[[f32; 3]]| {
            assert!(error(read.as_chunks::<3>().0, expected) < 1e-7, "frame {k}");
        };
        same(&points[k].1, &run.frames[k].objects[CLAY].points);
        same(&normals[k].1, &surface.normals);
        same(&colours[k].1, &surface.colours);
    }
    assert!(
        object.contains("inputs:diffuseColor.connect = </World/clay/clay_material/colour.outputs:result>")
    );
    // The others stay as they are.
    assert_eq!(text.matches("faceVertexIndices.timeSamples").count(), 1);
}

#[test]
fn abc_samples_faces_normals_and_colours() {
    let run = Run::with_clay();
    let file = abc::export(&run);
    let geometry = abc::schemas(&file)[CLAY].1;
    let property = |compound: u64, name: &str| {
        let (count, constant, child) = file.property(compound, name);
        assert_eq!((count, constant), (FRAMES, false), "{name}");
        file.group(child)
    };
    let [points, indices, counts, normals] =
        ["P", ".faceIndices", ".faceCounts", "N"].map(|name| property(geometry, name));
    let colours = property(file.property(geometry, ".arbGeomParams").2, "Cs");
    for k in 0..FRAMES {
        // Samples and dimensions alternate.
        let sample = |children: &[u64]| file.sample(children[2 * k]).to_vec();
        let surface = run.clay(k);
        assert_eq!(error(&meshes::floats(&sample(&points)), &run.frames[k].objects[CLAY].points), 0.0);
        assert_eq!(error(&meshes::floats(&sample(&normals)), &surface.normals), 0.0);
        assert_eq!(error(&meshes::floats(&sample(&colours)), &surface.colours), 0.0);
        assert_eq!(meshes::integers(&sample(&counts)), vec![3; surface.triangles.len()]);
        let clockwise: Vec<i32> =
            surface.triangles.iter().flat_map(|&[a, b, c]| [a, c, b]).map(|v| v as i32).collect();
        assert_eq!(meshes::integers(&sample(&indices)), clockwise);
    }
}

#[test]
fn glb_shows_one_node_per_frame() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run.export(&path).unwrap();
    let (document, buffers) = glb::read(&path);
    let data = |b: gltf::Buffer| Some(&buffers[b.index()][..]);
    let clay = document.default_scene().unwrap().nodes().nth(CLAY).unwrap();
    let frames: Vec<gltf::Node> = clay.children().collect();
    assert_eq!(frames.len(), FRAMES);
    assert!(clay.mesh().is_none());
    for (k, node) in frames.iter().enumerate() {
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        assert_eq!(primitive.material().pbr_metallic_roughness().base_color_factor(), [1.0; 4]);
        let reader = primitive.reader(data);
        let surface = run.clay(k);
        assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), corners(surface));
        assert_eq!(reader.read_normals().unwrap().collect::<Vec<_>>(), surface.normals);
        let colours: Vec<[f32; 3]> = reader.read_colors(0).unwrap().into_rgb_f32().collect();
        assert_eq!(colours, surface.colours);
        let (shift, turn, scale) = node.transform().decomposed();
        assert_eq!(scale, [if k == 0 { 1.0 } else { 0.0 }; 3], "the first is shown without the animation");
        let (turn, shift) = (Quat::from_array(turn.map(f64::from)), Vec3::from(shift.map(f64::from)));
        let place = |p: [f32; 3]| (shift + turn * Vec3::from(p.map(f64::from))).to_array();
        let world: Vec<[f64; 3]> = reader.read_positions().unwrap().map(place).collect();
        assert!(error(&world, &run.world(k, CLAY)) < 1e-6, "frame {k}");
    }
    // At any time exactly one is seen: at the time of frame k, its own.
    for (time, shown) in (0..FRAMES).map(|k| (k as f64 / FPS, k)).chain([(0.74 / FPS, 1), (9.0, FRAMES - 1)])
    {
        for (k, node) in frames.iter().enumerate() {
            let scale = scale_at(&document, &buffers, node, time as f32);
            assert_eq!(scale, if k == shown { 1.0 } else { 0.0 }, "node {k} at {time} s");
        }
    }
}

/// A node's scale at some time, stepping from key to key.
fn scale_at(document: &gltf::Document, buffers: &[Vec<u8>], node: &gltf::Node, time: f32) -> f32 {
    let animation = document.animations().next().unwrap();
    let channel = animation.channels().find(|c| c.target().node().index() == node.index()).unwrap();
    assert_eq!(channel.sampler().interpolation(), Interpolation::Step);
    let reader = channel.reader(|b| Some(&buffers[b.index()][..]));
    let times: Vec<f32> = reader.read_inputs().unwrap().collect();
    assert!(times[0] >= 0.0 && times.windows(2).all(|t| t[0] < t[1]));
    let ReadOutputs::Scales(scales) = reader.read_outputs().unwrap() else { panic!("only scales change") };
    let scales: Vec<[f32; 3]> = scales.collect();
    assert_eq!(times.len(), scales.len());
    scales[times.iter().rposition(|t| *t <= time).unwrap_or(0)][0]
}

#[test]
fn pc2_refuses_and_leaves_nothing() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    let error = export::open(&folder.path().join("a.pc2"), &run.info()).err().unwrap();
    assert!(matches!(error, ExportError::ChangingSurface { .. }));
    let message = error.to_string();
    assert!(["`clay`", ".glb", ".usda", ".abc"].iter().all(|word| message.contains(word)), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn surfaces_that_do_not_fit_are_refused_by_name() {
    let run = Run::with_clay();
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.glb", "a.usda", "a.abc", "a.obj", "a.ply", "a.pvd"] {
        let mut sink = export::open(&folder.path().join(name), &run.info()).unwrap();
        let mut refused = |frame: &pliant::Frame| {
            let message = sink.frame(frame).unwrap_err().to_string();
            assert!(message.contains("frame 3") && message.contains('`'), "{message}");
        };
        for misfit in MISFITS {
            let mut frame = run.frames[3].clone();
            misfit(frame.objects[CLAY].surface.as_mut().unwrap());
            refused(&frame);
        }
        let mut lacking = run.frames[3].clone();
        lacking.objects[CLAY].surface = None;
        refused(&lacking);
        let mut stray = run.frames[3].clone();
        stray.objects[0].surface = Some(Surface::default());
        refused(&stray);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_lump_that_vanishes_leaves_an_empty_frame() {
    let mut run = Run::with_clay();
    run.frames[4].objects[CLAY].points.clear();
    run.frames[4].objects[CLAY].surface = Some(Surface::default());
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.glb", "a.usda", "a.abc", "a.obj", "a.ply", "a.pvd"] {
        run.export(&folder.path().join(name)).unwrap();
    }
    let (document, _) = glb::read(&folder.path().join("a.glb"));
    let clay = document.default_scene().unwrap().nodes().nth(CLAY).unwrap();
    assert_eq!(clay.children().count(), FRAMES - 1);
    let others: usize = run.topology.objects[..CLAY].iter().map(|o| o.points.len()).sum();
    assert_eq!(meshes::obj_vertices(&folder.path().join("a.0004.obj")).len(), others);
}
