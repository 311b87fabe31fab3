//! `.glb`, read with the `gltf` crate.

use super::fixture::{BALL, BOX, FRAMES, Run, TABLE, error};
use gltf::animation::util::ReadOutputs;
use pliant::math::{Quat, Vec3};

/// Node translation, rotation and weights at every key.
struct Keys {
    translation: Vec<[f32; 3]>,
    rotation: Vec<[f32; 4]>,
    weights: Vec<f32>,
}

/// The document and its one buffer, as another reader sees them.
pub fn read(path: &std::path::Path) -> (gltf::Document, Vec<Vec<u8>>) {
    let file = gltf::Gltf::open(path).unwrap();
    (file.document, file.blob.into_iter().collect())
}

fn keys(document: &gltf::Document, buffers: &[Vec<u8>], node: &gltf::Node) -> Keys {
    let (t, r, _) = node.transform().decomposed();
    let mut keys = Keys { translation: vec![t; FRAMES], rotation: vec![r; FRAMES], weights: vec![] };
    for channel in document.animations().flat_map(|a| a.channels().collect::<Vec<_>>()) {
        if channel.target().node().index() != node.index() {
            continue;
        }
        assert_eq!(channel.sampler().interpolation(), gltf::animation::Interpolation::Linear);
        let reader = channel.reader(|b| Some(&buffers[b.index()][..]));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times.len(), FRAMES);
        assert!((times[FRAMES - 1] - (FRAMES as f32 - 1.0) / 24.0).abs() < 1e-6);
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(x) => keys.translation = x.collect(),
            ReadOutputs::Rotations(x) => keys.rotation = x.into_f32().collect(),
            ReadOutputs::MorphTargetWeights(x) => keys.weights = x.into_f32().collect(),
            ReadOutputs::Scales(_) => panic!("nothing is scaled"),
        }
    }
    keys
}

#[test]
fn glb_gives_the_world_positions_of_every_frame() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run.export(&path).unwrap();
    let (document, buffers) = read(&path);
    assert_eq!(document.nodes().len(), 3);
    for (i, node) in document.nodes().enumerate() {
        assert_eq!(document.as_json().nodes[i].name.as_ref().unwrap(), &run.topology.objects[i].name);
        let keys = keys(&document, &buffers, &node);
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(|b| Some(&buffers[b.index()][..]));
        let rest: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        let deltas: Vec<Vec<[f32; 3]>> =
            reader.read_morph_targets().map(|(p, _, _)| p.unwrap().collect()).collect();
        for k in 0..FRAMES {
            let mut points: Vec<Vec3> = rest.iter().map(|&p| glam_from(p)).collect();
            for (j, delta) in deltas.iter().enumerate() {
                let weight = f64::from(keys.weights[k * FRAMES + j]);
                points.iter_mut().zip(delta).for_each(|(p, &d)| *p += weight * glam_from(d));
            }
            let turn = Quat::from_array(keys.rotation[k].map(f64::from));
            let shift = glam_from(keys.translation[k]);
            let world: Vec<[f64; 3]> = points.iter().map(|&p| (shift + turn * p).to_array()).collect();
            assert!(error(&world, &run.world(k, i)) < 1e-6, "object {i}, frame {k}");
        }
    }
}

#[test]
fn glb_quaternions_never_jump_and_still_objects_have_no_channel() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run.export(&path).unwrap();
    let (document, buffers) = read(&path);
    let nodes: Vec<gltf::Node> = document.nodes().collect();
    let rotation = keys(&document, &buffers, &nodes[BOX]).rotation;
    for pair in rotation.windows(2) {
        let dot: f32 = pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum();
        assert!(dot > 0.9);
    }
    let animation = document.animations().next().unwrap();
    let moved = |i: usize| animation.channels().filter(|c| c.target().node().index() == i).count();
    assert_eq!([moved(BOX), moved(BALL), moved(TABLE)], [2, 3, 0]);
}

#[test]
fn glb_smooth_objects_have_normals_and_colours_differ() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run.export(&path).unwrap();
    let (document, _) = read(&path);
    let primitives: Vec<_> = document.meshes().map(|m| m.primitives().next().unwrap()).collect();
    let smooth: Vec<bool> = primitives.iter().map(|p| p.get(&gltf::Semantic::Normals).is_some()).collect();
    assert_eq!(smooth, [false, true, false]);
    let colours: Vec<[f32; 4]> =
        primitives.iter().map(|p| p.material().pbr_metallic_roughness().base_color_factor()).collect();
    assert!(colours[0] != colours[1] && colours[1] != colours[2] && colours[0] != colours[2]);
}

fn glam_from(p: [f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}
