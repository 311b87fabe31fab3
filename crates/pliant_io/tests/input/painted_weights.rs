//! Weights painted on a mesh: where there is paint, the body is stiffer.

use crate::bad_common::glb_bytes;
use pliant::math::Vec3;
use pliant::shape::{TriMesh, box_mesh};
use pliant::{SceneError, World};
use pliant_io::scene_file::load;
use std::fs;

/// Columns and rows of cells of a strip that is 2 m long and 0.25 m wide. All coordinates are exact in f32.
const CELLS: [u32; 2] = [16, 2];

/// A flat strip along x around the origin, its half at x > 0 painted red.
fn strip() -> TriMesh {
    let [columns, rows] = CELLS;
    let mut mesh = TriMesh::default();
    for i in 0..=columns {
        for j in 0..=rows {
            mesh.points.push(Vec3::new(f64::from(i) / 8.0 - 1.0, 0.0, f64::from(j) / 8.0 - 0.125));
        }
    }
    for i in 0..columns {
        for j in 0..rows {
            let at = |i: u32, j: u32| i * (rows + 1) + j;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    painted(mesh)
}

fn painted(mesh: TriMesh) -> TriMesh {
    let colours = mesh.points.iter().map(|p| [if p.x > 0.0 { 1.0 } else { 0.0 }, 0.0, 0.5]).collect();
    TriMesh { colours, ..mesh }
}

fn ply(mesh: &TriMesh) -> Vec<u8> {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\nelement face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        mesh.points.len(),
        mesh.triangles.len()
    );
    for (p, c) in mesh.points.iter().zip(&mesh.colours) {
        let [r, g, b] = c.map(|v| (255.0 * v) as u8);
        text += &format!("{} {} {} {r} {g} {b}\n", p.x, p.y, p.z);
    }
    mesh.triangles.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
    text.into_bytes()
}

fn obj(mesh: &TriMesh) -> Vec<u8> {
    let points = mesh.points.iter().zip(&mesh.colours);
    let points = points.map(|(p, c)| format!("v {} {} {} {} {} {}\n", p.x, p.y, p.z, c[0], c[1], c[2]));
    let faces = mesh.triangles.iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    points.chain(faces).collect::<String>().into_bytes()
}

/// How the colours of a glb file are stored.
#[derive(Clone, Copy)]
enum Stored {
    Bytes4,
    Words3,
    Floats3,
}

fn glb(mesh: &TriMesh, stored: Stored) -> Vec<u8> {
    let floats = |v: [f32; 3]| v.into_iter().flat_map(f32::to_le_bytes);
    let positions = mesh.points.iter().flat_map(|p| floats([p.x as f32, p.y as f32, p.z as f32]));
    let colours: Vec<u8> = match stored {
        Stored::Bytes4 => {
            mesh.colours.iter().flat_map(|c| [c[0], c[1], c[2], 1.0].map(|v| (255.0 * v) as u8)).collect()
        }
        // Three words are six bytes; the stride of eight keeps them aligned.
        Stored::Words3 => {
            let words = |c: &[f32; 3]| [c[0], c[1], c[2], 0.0].map(|v| (65535.0 * v) as u16);
            mesh.colours.iter().flat_map(words).flat_map(u16::to_le_bytes).collect()
        }
        Stored::Floats3 => mesh.colours.iter().flat_map(|c| floats(*c)).collect(),
    };
    let (component, form, stride) = match stored {
        Stored::Bytes4 => (5121, "VEC4", 4),
        Stored::Words3 => (5123, "VEC3", 8),
        Stored::Floats3 => (5126, "VEC3", 12),
    };
    let normalized = component != 5126;
    let (points, corners) = (mesh.points.len(), 3 * mesh.triangles.len());
    let mut data: Vec<u8> = positions.chain(colours.iter().copied()).collect();
    let start_of_corners = data.len();
    data.extend(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0,\"COLOR_0\":1}},\"indices\":2}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{points},\"type\":\"VEC3\",\
         \"min\":[-1,-1,-1],\"max\":[1,1,1]}},\
         {{\"bufferView\":1,\"componentType\":{component},\"normalized\":{normalized},\"count\":{points},\
         \"type\":\"{form}\"}},\
         {{\"bufferView\":2,\"componentType\":5125,\"count\":{corners},\"type\":\"SCALAR\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{p}}},\
         {{\"buffer\":0,\"byteOffset\":{p},\"byteLength\":{c},\"byteStride\":{stride}}},\
         {{\"buffer\":0,\"byteOffset\":{start_of_corners},\"byteLength\":{i}}}],\
         \"buffers\":[{{\"byteLength\":{whole}}}]}}",
        p = 12 * points,
        c = colours.len(),
        i = 4 * corners,
        whole = data.len(),
    );
    glb_bytes(&json, &data)
}

/// How far the ends at -x and at +x move while the middle is held and gravity pulls along x: that at +x stretches its
/// half, the other compresses its own.
fn give(file: &str, bytes: &[u8], shape: &str, weights: &str) -> Result<[f64; 2], SceneError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(file), bytes).unwrap();
    let text = format!(
        "[scene]\nduration = 3\ngravity = [9.81, 0, 0]\n[[body]]\nname = \"strip\"\nkind = \"hybrid\"\nshape = {shape}\n\
         material = {{ density = 500, damping = 1 }}\nweights = {weights}\n\
         [[control]]\nbody = \"strip\"\nkind = \"hold\"\nselect = {{ ball = {{ centre = [0, 0, 0], radius = 0.2 }} }}\n"
    );
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let loaded = load(&path, &[], false).map_err(|e| SceneError::new("", e.to_string()))?;
    let mut world = World::new(&loaded.spec, &loaded.meshes)?;
    let rest = world.bodies()[0].skin().points.clone();
    for _ in 0..90 {
        world.next_frame(&mut ()).unwrap();
    }
    let now = &world.bodies()[0].skin().points;
    let moved = |side: f64| {
        let ends = rest.iter().zip(now).filter(|(r, _)| r.x * side > 0.99);
        let ways: Vec<f64> = ends.map(|(r, p)| p.x - r.x).collect();
        ways.iter().sum::<f64>() / ways.len() as f64
    };
    Ok([moved(-1.0), moved(1.0)])
}

const RED: &str = "{ w1 = { paint = \"red\", from = 400, to = 4e3 } }";
const BLUE: &str = "{ w1 = { paint = \"blue\", from = 0, to = 800 } }";

/// A tenfold stiffness gives way a tenth as far.
fn assert_ten_times_stiffer(name: &str, [plain, painted]: [f64; 2]) {
    assert!(plain > 5e-3, "{name}: the soft half hardly gives way, {plain} m");
    let ratio = plain / painted;
    assert!((ratio - 10.0).abs() < 1e-3, "{name}: unpainted {plain} m, painted {painted} m, ratio {ratio}");
}

#[test]
fn the_painted_half_of_a_sheet_is_as_much_stiffer_as_the_paint_says_whatever_the_format() {
    let mesh = strip();
    let files = [
        ("strip.ply", ply(&mesh)),
        ("strip.obj", obj(&mesh)),
        ("bytes.glb", glb(&mesh, Stored::Bytes4)),
        ("words.glb", glb(&mesh, Stored::Words3)),
        ("floats.glb", glb(&mesh, Stored::Floats3)),
    ];
    let mut first = None;
    for (name, bytes) in files {
        let shape = format!("{{ sheet = {{ file = \"{name}\", thickness = 0.01 }} }}");
        let moved = give(name, &bytes, &shape, RED).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_ten_times_stiffer(name, moved);
        let known: [f64; 2] = *first.get_or_insert(moved);
        let alike = (0..2).all(|k| (moved[k] / known[k] - 1.0).abs() < 1e-6);
        assert!(alike, "{name}: {moved:?} but {known:?} from the first file");
    }
}

#[test]
fn evenly_painted_halves_give_way_alike() {
    let shape = "{ sheet = { file = \"strip.ply\", thickness = 0.01 } }";
    let [left, right] = give("strip.ply", &ply(&strip()), shape, BLUE).unwrap_or_else(|e| panic!("{e}"));
    assert!(left > 5e-3 && (left / right - 1.0).abs() < 1e-6, "{left} m and {right} m");
}

#[test]
fn the_painted_half_of_a_closed_mesh_is_as_much_stiffer_as_the_paint_says() {
    let slab = painted(box_mesh(Vec3::new(2.0, 0.125, 0.25), [16, 1, 2]));
    let moved = give("slab.ply", &ply(&slab), "{ mesh = \"slab.ply\" }", RED);
    assert_ten_times_stiffer("slab.ply", moved.unwrap_or_else(|e| panic!("{e}")));
}

#[test]
fn a_file_without_colours_cannot_be_painted_with() {
    let mesh = strip();
    let bare: String = String::from_utf8(obj(&mesh)).unwrap().lines().fold(String::new(), |text, line| {
        let kept = if line.starts_with('v') { 4 } else { usize::MAX };
        text + &line.split(' ').take(kept).collect::<Vec<_>>().join(" ") + "\n"
    });
    let shape = "{ sheet = { file = \"bare.obj\", thickness = 0.01 } }";
    let error = give("bare.obj", bare.as_bytes(), shape, RED).unwrap_err();
    assert_eq!(error.path, "body[0].weights.w1.paint");
    assert!(error.message.contains("no vertex colours"), "{error}");
}
