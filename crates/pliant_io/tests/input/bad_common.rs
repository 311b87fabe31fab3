//! One tetrahedron in every mesh format.

#![allow(dead_code)]

pub const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
pub const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

pub fn all_formats() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.obj", obj().into_bytes()),
        ("text.ply", ply_text_bytes()),
        ("binary.ply", ply_binary_bytes()),
        ("text.stl", stl_text_bytes()),
        ("binary.stl", stl_binary_bytes()),
        ("a.glb", glb_bytes(&gltf_json(None), &gltf_data())),
        (
            "a.gltf",
            gltf_json(Some(&format!("data:application/octet-stream;base64,{}", base64(&gltf_data())))).into(),
        ),
    ]
}

pub fn obj() -> String {
    let points: String = POINTS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces: String = FACES.iter().map(|f| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1)).collect();
    format!("# tetrahedron\no t\n{points}{faces}")
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

pub fn ply_text_bytes() -> Vec<u8> {
    let points: String = POINTS.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let faces: String = FACES.iter().map(|[a, b, c]| format!("3 {a} {b} {c}\n")).collect();
    format!("{}{points}{faces}", ply_header("ascii")).into_bytes()
}

pub fn ply_binary_bytes() -> Vec<u8> {
    let mut bytes = ply_header("binary_little_endian").into_bytes();
    bytes.extend(POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()));
    for face in FACES {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|i| i.to_le_bytes()));
    }
    bytes
}

pub fn stl_text_bytes() -> Vec<u8> {
    let mut text = String::from("solid t\n");
    for face in FACES {
        text.push_str("facet normal 0 0 0\n outer loop\n");
        for i in face {
            let [x, y, z] = POINTS[i as usize];
            text.push_str(&format!("  vertex {x} {y} {z}\n"));
        }
        text.push_str(" endloop\nendfacet\n");
    }
    (text + "endsolid t\n").into_bytes()
}

pub fn stl_binary_bytes() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(4u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        bytes.extend(face.iter().flat_map(|i| POINTS[*i as usize]).flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

/// 48 bytes of points, 24 bytes of indices.
pub fn gltf_data() -> Vec<u8> {
    let points = POINTS.iter().flatten().flat_map(|x| x.to_le_bytes());
    points.chain(FACES.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes())).collect()
}

pub fn gltf_json(uri: Option<&str>) -> String {
    let uri = uri.map_or(String::new(), |u| format!("\"uri\":\"{u}\","));
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0}}],\
         \"meshes\":[{{\"primitives\":[{{\"mode\":4,\"attributes\":{{\"POSITION\":0}},\"indices\":1}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\
         \"min\":[0,0,0],\"max\":[1,1,1]}},{{\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48}},{{\"buffer\":0,\"byteOffset\":48,\
         \"byteLength\":24}}],\"buffers\":[{{{uri}\"byteLength\":72}}]}}"
    )
}

pub fn glb_bytes(json: &str, data: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunks = Vec::new();
    for (name, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", data)] {
        if !chunk.is_empty() {
            chunks.extend((chunk.len() as u32).to_le_bytes());
            chunks.extend(name);
            chunks.extend(chunk);
        }
    }
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((chunks.len() as u32 + 12).to_le_bytes());
    bytes.extend(chunks);
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word = group.iter().chain([0; 3].iter()).take(3).fold(0u32, |w, b| w << 8 | u32::from(*b));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize] as char;
            text.push(if i <= group.len() { digit } else { '=' });
        }
    }
    text
}
