//! Point cache, OBJ, PLY and VTP: world positions, one vertex order for all.

use super::fixture::{FRAMES, Run, error};
use std::fs;
use std::path::Path;

pub fn obj_vertices(path: &Path) -> Vec<[f64; 3]> {
    let text = fs::read_to_string(path).unwrap();
    let vertex = |line: &str| {
        let numbers: Vec<f64> = line.strip_prefix("v ")?.split(' ').map(|x| x.parse().unwrap()).collect();
        Some([numbers[0], numbers[1], numbers[2]])
    };
    text.lines().filter_map(vertex).collect()
}

pub fn floats(bytes: &[u8]) -> Vec<[f32; 3]> {
    bytes
        .chunks_exact(12)
        .map(|p| std::array::from_fn(|c| f32::from_le_bytes(p[4 * c..4 * c + 4].try_into().unwrap())))
        .collect()
}

pub fn integers(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Triangles of the run, numbered through, each followed by its object.
fn faces(run: &Run) -> Vec<[i32; 4]> {
    let mut base = 0;
    let mut faces = Vec::new();
    for (i, object) in run.topology.objects.iter().enumerate() {
        faces.extend(object.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|v| base + v as i32);
            [a, b, c, i as i32]
        }));
        base += object.points.len() as i32;
    }
    faces
}

pub fn find(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).position(|w| w == text.as_bytes()).unwrap() + text.len()
}

#[test]
fn pc2_holds_header_and_positions_of_its_base_mesh() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.pc2")).unwrap();
    let bytes = fs::read(folder.path().join("a.pc2")).unwrap();
    let points = run.whole_world(0).len();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!(integers(&bytes[12..20]), [1, points as i32]);
    assert_eq!(f32::from_le_bytes(bytes[20..24].try_into().unwrap()), 0.0);
    assert_eq!(f32::from_le_bytes(bytes[24..28].try_into().unwrap()), 1.0);
    assert_eq!(integers(&bytes[28..32]), [FRAMES as i32]);
    assert_eq!(bytes.len(), 32 + FRAMES * points * 12);
    for k in 0..FRAMES {
        let frame = floats(&bytes[32 + k * points * 12..][..points * 12]);
        assert!(error(&frame, &run.whole_world(k)) < 1e-6);
    }
    let base = folder.path().join("a.obj");
    assert!(error(&obj_vertices(&base), &run.whole_world(0)) < 1e-8);
    // `o` would make importers split the mesh.
    assert!(!fs::read_to_string(base).unwrap().contains("\no "));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn obj_sequence_has_groups_and_positions() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.####.obj")).unwrap();
    run.export(&folder.path().join("b.obj")).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2 * FRAMES);
    for k in 0..FRAMES {
        let path = folder.path().join(format!("a.{k:04}.obj"));
        assert!(error(&obj_vertices(&path), &run.whole_world(k)) < 1e-8);
        assert_eq!(fs::read(&path).unwrap(), fs::read(folder.path().join(format!("b.{k:04}.obj"))).unwrap());
    }
    let (models, _) =
        tobj::load_obj(folder.path().join("a.0003.obj"), &tobj::LoadOptions::default()).unwrap();
    let names: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["tumbling_box", "jelly", "1_table/top"]);
    let corners: Vec<usize> = models.iter().map(|m| m.mesh.indices.len() / 3).collect();
    let expected: Vec<usize> = run.topology.objects.iter().map(|o| o.triangles.len()).collect();
    assert_eq!(corners, expected);
}

#[test]
fn ply_sequence_has_positions_faces_and_objects() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.###.ply")).unwrap();
    let points = run.whole_world(0).len();
    for k in 0..FRAMES {
        let bytes = fs::read(folder.path().join(format!("a.{k:03}.ply"))).unwrap();
        let body = &bytes[find(&bytes, "end_header\n")..];
        assert!(error(&floats(&body[..points * 12]), &run.whole_world(k)) < 1e-6);
        let written: Vec<Vec<i32>> =
            body[points * 12..].chunks_exact(17).map(|f| integers(&f[1..])).collect();
        assert_eq!(written, faces(&run));
    }
}

#[test]
fn pvd_lists_vtp_frames_with_positions_faces_and_objects() {
    let run = Run::new();
    let folder = tempfile::tempdir().unwrap();
    run.export(&folder.path().join("a.pvd")).unwrap();
    let index = fs::read_to_string(folder.path().join("a.pvd")).unwrap();
    assert_eq!(index.matches("<DataSet").count(), FRAMES);
    assert!(index.contains("timestep=\"0.5\" group=\"\" part=\"0\" file=\"a_vtp/a.0012.vtp\""));
    let points = run.whole_world(0).len();
    let faces = faces(&run);
    for k in 0..FRAMES {
        let bytes = fs::read(folder.path().join(format!("a_vtp/a.{k:04}.vtp"))).unwrap();
        // Each block: u64 length, bytes.
        let mut body = &bytes[find(&bytes, "encoding=\"raw\">\n_")..];
        let mut block = || {
            let length = u64::from_le_bytes(body[..8].try_into().unwrap()) as usize;
            let block = &body[8..8 + length];
            body = &body[8 + length..];
            block
        };
        assert!(error(&floats(block()), &run.whole_world(k)) < 1e-6);
        let corners: Vec<i32> = faces.iter().flat_map(|f| f[..3].to_vec()).collect();
        assert_eq!(integers(block()), corners);
        assert_eq!(integers(block()), (1..=faces.len() as i32).map(|k| 3 * k).collect::<Vec<_>>());
        assert_eq!(integers(block()), faces.iter().map(|f| f[3]).collect::<Vec<_>>());
        assert!(points > 0);
    }
}
