//! Wrong mesh files: each is refused with the file's name, the place, and words that say what is wrong.

use crate::bad_common::*;
use pliant_io::mesh_in::read_mesh;
use std::fs;

/// Writes a file and expects its refusal at a place, with the given words.
fn refused(name: &str, bytes: impl AsRef<[u8]>, place: &str, says: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let error = read_mesh(&path).unwrap_err();
    let shown = error.to_string();
    assert!(shown.starts_with(&path.display().to_string()), "{shown}");
    assert_eq!(error.place, place, "{shown}");
    for words in says {
        assert!(shown.contains(words), "`{words}` is not said: {shown}");
    }
}

#[test]
fn right_files_of_every_format_give_the_same_solid() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in all_formats() {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let mesh = read_mesh(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((mesh.points.len(), mesh.triangles.len()), (4, 4), "{name}");
        mesh.check_solid().unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn names_and_files() {
    refused("mesh.fbx", "x", "", &["ending `fbx` is unknown", "obj, ply, stl, glb, gltf"]);
    refused("mesh", "x", "", &["no ending"]);
    for ending in ["obj", "ply", "stl", "glb", "gltf"] {
        refused(&format!("empty.{ending}"), "", "", &["the file is empty"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let missing = read_mesh(&folder.path().join("none.obj")).unwrap_err();
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    fs::create_dir(folder.path().join("d.obj")).unwrap();
    assert!(read_mesh(&folder.path().join("d.obj")).unwrap_err().message.contains("folder"));
    fs::write(folder.path().join("LOUD.OBJ"), obj()).unwrap();
    read_mesh(&folder.path().join("LOUD.OBJ")).unwrap();
}

#[test]
fn obj_text() {
    let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    refused("a.obj", "# nothing\n", "", &["no faces"]);
    refused("a.obj", format!("{points}f 1 2 99\n"), "line 4", &["face 1 uses point 99", "has 3 points"]);
    refused("a.obj", format!("{points}f 1 2 4294967295\n"), "line 4", &["point 4294967295"]);
    refused("a.obj", format!("{points}f 0 1 2\n"), "line 4", &["`0` names no point", "counted from 1"]);
    refused("a.obj", format!("{points}f -4 1 2\n"), "line 4", &["`-4` names no point"]);
    refused("a.obj", format!("{points}f 1 2\n"), "line 4", &["at least 3 corners"]);
    refused("a.obj", format!("{points}f 1 2 x\n"), "line 4", &["`x` names no point"]);
    refused("a.obj", format!("{points}f 1 2 99999999999999999999\n"), "line 4", &["names no point"]);
    refused("a.obj", "v 0 0\nf 1 1 1\n", "line 1", &["3 coordinates"]);
    refused("a.obj", "v 0 0 nan\n", "line 1", &["not finite"]);
    refused("a.obj", "v 0 1e999 0\n", "line 1", &["not finite"]);
    refused("a.obj", "v 0 0 zero\n", "line 1", &["`zero` is not a number"]);
    refused("a.obj", [0xff, 0x00, 0x12], "", &["no faces"]);
}

#[test]
fn ply_text() {
    let text = String::from_utf8(ply_text_bytes()).unwrap();
    refused("a.ply", &text.as_bytes()[..text.len() - 8], "line 17", &["end of file"]);
    refused(
        "a.ply",
        text.replace("3 1 2 3", "3 1 2 7"),
        "face 2",
        &["point 7 is out of range", "has 4 points"],
    );
    refused("a.ply", text.replace("3 1 2 3", "3 1 2 -3"), "face 2", &["point -3 is out of range"]);
    refused("a.ply", text.replace("3 1 2 3", "2 1 2"), "face 2", &["at least 3 corners"]);
    refused("a.ply", text.replace("1 0 0\n", "1 nan 0\n"), "line 11", &["`1 nan 0` cannot be read"]);
    refused("a.ply", text.replace("1 0 0\n", "1 1e99 0\n"), "vertex 1", &["not finite"]);
    refused(
        "a.ply",
        text.replace("vertex 4", "vertex 100000000"),
        "header",
        &["100000000 of `vertex`", "bytes"],
    );
    refused("a.ply", text.replace("vertex 4", "vertex 18446744073709551615"), "header", &["bytes"]);
    refused(
        "a.ply",
        text.replace("vertex 4", "vertex 99999999999999999999999"),
        "line 3",
        &["Invalid element"],
    );
    refused("a.ply", text.replace("property float y\n", ""), "header", &["no property `y`"]);
    refused("a.ply", text.replace("vertex_indices", "corners"), "header", &["no list `vertex_indices`"]);
    refused(
        "a.ply",
        text.replace("int vertex_indices", "float vertex_indices"),
        "header",
        &["whole numbers"],
    );
    refused(
        "a.ply",
        text.replace("element face 4\nproperty list uchar int vertex_indices\n", ""),
        "header",
        &["no `element face`"],
    );
    refused("a.ply", text.replace("end_header\n", ""), "line 9", &["line"]);
    refused("a.ply", text.replace("ascii", "binary_middle_endian"), "line 2", &["format"]);
    refused("a.ply", "solid a\nendsolid\n", "byte 0", &["begins with the word `ply`"]);
    refused(
        "a.ply",
        "ply\nformat ascii 1.0\nelement junk 99999999999\nend_header\n",
        "header",
        &["no properties"],
    );
}

#[test]
fn ply_binary() {
    // One gigabyte of points announced, none there.
    let header = |vertices: &str, faces: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
             property float z\nelement face {faces}\nproperty list uint int vertex_indices\nend_header\n"
        )
    };
    refused(
        "a.ply",
        header("89478485", "1"),
        "header",
        &["89478485 of `vertex`", "1073741820 bytes", "only 0 follow"],
    );
    refused("a.ply", header("0", "300000000"), "header", &["300000000 of `face`"]);
    // A face that announces four billion corners.
    let mut face = header("1", "1").into_bytes();
    face.extend([0; 12]);
    face.extend(u32::MAX.to_le_bytes());
    face.extend([0; 64]);
    refused("a.ply", face, "", &["end of file"]);
    let bytes = ply_binary_bytes();
    refused("a.ply", &bytes[..bytes.len() - 50], "header", &["cut off"]);
    refused("a.ply", &bytes[..bytes.len() - 1], "", &["end of file", "'face'"]);
    let mut nan = bytes.clone();
    let start = bytes.len() - 4 * 13 - 48;
    nan[start..start + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    refused("a.ply", nan, "vertex 0", &["not finite"]);
}

#[test]
fn stl() {
    let binary = stl_binary_bytes();
    // One gigabyte of triangles announced.
    let mut huge = binary.clone();
    huge[80..84].copy_from_slice(&21_474_836u32.to_le_bytes());
    refused("a.stl", huge, "byte 284", &["announces 21474836 triangles", "ends after 4"]);
    refused("a.stl", &binary[..200], "byte 200", &["announces 4 triangles", "ends after 2", "cut off"]);
    refused("a.stl", &binary[..50], "", &["too few"]);
    let mut nan = binary.clone();
    nan[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::INFINITY.to_le_bytes());
    refused("a.stl", nan, "triangle 1", &["not finite"]);
    let mut none = binary[..84].to_vec();
    none[80..84].copy_from_slice(&[0; 4]);
    refused("a.stl", none, "", &["no faces"]);

    let text = String::from_utf8(stl_text_bytes()).unwrap();
    refused("a.stl", &text.as_bytes()[..text.len() - 32], "line 27", &["cut off"]);
    refused("a.stl", text.replacen("vertex 0 0 0", "vertex 0 0", 1), "line 4", &["3 numbers"]);
    refused("a.stl", text.replacen("vertex 0 0 0", "vertex 0 0 x", 1), "line 4", &["3 numbers"]);
    refused("a.stl", text.replacen("vertex 0 0 0", "vertex 0 0 nan", 1), "line 4", &["not finite"]);
    refused("a.stl", text.replacen("vertex 0 0 0\n", "\n", 1), "line 7", &["exactly 3 vertices"]);
    refused("a.stl", text.replacen("outer", "inner", 1), "line 3", &["`inner` does not belong"]);
    refused("a.stl", "solid nothing\nendsolid nothing\n", "", &["no faces"]);
}

#[test]
fn glb_container() {
    let glb = glb_bytes(&gltf_json(None), &gltf_data());
    refused("a.glb", &glb[..glb.len() - 10], "byte 8", &["cut off"]);
    refused("a.glb", &glb[..10], "byte 8", &["cut off"]);
    refused("a.glb", b"glTF", "byte 4", &["cut off"]);
    for (at, value) in [(8, 0u32), (8, 11), (8, u32::MAX), (12, u32::MAX), (12, 5)] {
        let mut bad = glb.clone();
        bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let place = if at == 8 { "byte 8" } else { "" };
        refused("a.glb", bad, place, &[""]);
    }
    refused("a.glb", glb_bytes("{", &[]), "", &["not valid glTF"]);
    refused("a.glb", glb_bytes(&gltf_json(None), &[]), "buffer 0", &["no data chunk"]);
    refused(
        "a.glb",
        glb_bytes(&gltf_json(None), &gltf_data()[..40]),
        "buffer 0",
        &["announces 72 bytes but has 40"],
    );
    refused("a.gltf", "not json", "", &["not valid glTF"]);
}

#[test]
fn gltf_content() {
    let data = gltf_data();
    let with = |from: &str, to: &str| {
        let json = gltf_json(None);
        assert!(json.contains(from), "{from} is not in {json}");
        glb_bytes(&json.replace(from, to), &data)
    };
    refused(
        "a.glb",
        with("\"count\":4,", "\"count\":400000000,"),
        "accessor 0",
        &["400000000 elements", "do not fit"],
    );
    refused("a.glb", with("\"count\":12,", "\"count\":13,"), "accessor 1", &["do not fit"]);
    refused("a.glb", with("\"byteLength\":48", "\"byteLength\":4800000"), "accessor 0", &["do not fit"]);
    refused("a.glb", with("\"mesh\":0", "\"mesh\":7"), "", &["not valid glTF", "mesh"]);
    refused("a.glb", with("\"nodes\":[0]", "\"nodes\":[0,0]"), "node 0", &["two places"]);
    refused("a.glb", with("\"mesh\":0", "\"mesh\":0,\"children\":[0]"), "node 0", &["from itself"]);
    refused("a.glb", with("\"VEC3\"", "\"VEC2\""), "mesh 0, primitive 0", &["32-bit floats"]);
    refused(
        "a.glb",
        with("\"POSITION\":0", "\"POSITION\":5"),
        "mesh 0, primitive 0",
        &["accessor 5 does not exist"],
    );
    refused("a.glb", with("\"mode\":4", "\"mode\":1"), "", &["no faces"]);
    refused("a.glb", with("\"POSITION\":0", "\"NORMAL\":0"), "", &["POSITION", "Missing"]);
    let mut index = data.clone();
    index[48] = 9;
    refused(
        "a.glb",
        glb_bytes(&gltf_json(None), &index),
        "mesh 0, primitive 0",
        &["corner 0 (triangle 0) uses point 9"],
    );
    let mut nan = data.clone();
    nan[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    refused("a.glb", glb_bytes(&gltf_json(None), &nan), "mesh 0, primitive 0, point 0", &["not finite"]);
    refused("a.gltf", gltf_json(Some("none.bin")), "buffer 0", &["`none.bin`: the file does not exist"]);
    refused("a.gltf", gltf_json(Some("http://a/b")), "buffer 0", &["not beside the file"]);
    refused("a.gltf", gltf_json(Some("%zz")), "buffer 0", &["not a file name"]);
    refused("a.gltf", gltf_json(Some("data:;base64,!!")), "buffer 0", &["cannot be decoded"]);
    refused("a.gltf", gltf_json(Some("data:;base64,AAAA")), "buffer 0", &["announces 72 bytes"]);
}

#[test]
fn gltf_transforms_are_applied_and_mirrors_keep_the_outside_out() {
    let folder = tempfile::tempdir().unwrap();
    let read = |node: &str| {
        let path = folder.path().join("a.glb");
        let json = gltf_json(None).replace("{\"mesh\":0}", node);
        fs::write(&path, glb_bytes(&json, &gltf_data())).unwrap();
        read_mesh(&path).unwrap()
    };
    let moved = read("{\"mesh\":0,\"translation\":[1,2,3],\"scale\":[2,2,2]}");
    assert!(moved.points.contains(&pliant::math::Vec3::new(3.0, 2.0, 3.0)), "{:?}", moved.points);
    let mirrored = read("{\"mesh\":0,\"scale\":[-1,1,1]}");
    mirrored.check_solid().unwrap();
    // A parent's transform acts after the child's.
    let child = read("{\"children\":[1],\"translation\":[5,0,0]},{\"mesh\":0,\"scale\":[3,3,3]}");
    assert!(child.points.contains(&pliant::math::Vec3::new(8.0, 0.0, 0.0)), "{:?}", child.points);
    // The buffer may lie in a file beside, with a name that needs escapes.
    fs::write(folder.path().join("my data.bin"), gltf_data()).unwrap();
    fs::write(folder.path().join("a.gltf"), gltf_json(Some("my%20data.bin"))).unwrap();
    assert_eq!(read_mesh(&folder.path().join("a.gltf")).unwrap().triangles.len(), 4);
}
