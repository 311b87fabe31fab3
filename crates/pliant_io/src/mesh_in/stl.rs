//! STL, text and binary. Both are soups of triangles; corners at exactly the same place become one point.

use super::weld::Welder;
use super::{Wrong, finite_point};
use pliant::math::Vec3;
use pliant::shape::TriMesh;

/// Bytes before the first triangle of a binary file: 80 of any content, 4 that count the triangles.
const HEADER: usize = 84;
/// Bytes of a triangle: normal and corners as f32, 2 that mean nothing.
const TRIANGLE: usize = 50;

pub(super) fn decode(bytes: &[u8]) -> Result<TriMesh, Wrong> {
    // Binary files often begin with "solid" as well, so the length decides first.
    let claimed = claimed_triangles(bytes);
    if claimed.is_some_and(|n| HEADER + n * TRIANGLE == bytes.len()) {
        return binary(bytes);
    }
    let start = bytes.trim_ascii_start();
    if start.starts_with(b"solid") && std::str::from_utf8(bytes).is_ok() {
        return text(bytes);
    }
    match claimed {
        None => Err(Wrong::whole(format!("{} bytes are too few for an stl file", bytes.len()))),
        Some(n) if HEADER + n * TRIANGLE > bytes.len() => {
            let whole = (bytes.len() - HEADER) / TRIANGLE;
            let message = format!(
                "the header announces {n} triangles, but the file ends after {whole}; it is cut off or not an stl file"
            );
            Err(Wrong::at(format!("byte {}", bytes.len()), message))
        }
        // Some programs append data of their own; the triangles are whole.
        Some(_) => binary(bytes),
    }
}

fn claimed_triangles(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

fn binary(bytes: &[u8]) -> Result<TriMesh, Wrong> {
    let count = claimed_triangles(bytes).unwrap_or(0);
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    for (i, record) in bytes[HEADER..].chunks_exact(TRIANGLE).take(count).enumerate() {
        let mut corners = [0; 3];
        for (corner, xyz) in corners.iter_mut().zip(record[12..48].chunks_exact(12)) {
            let p = point_from_f32(xyz);
            finite_point(p, || format!("triangle {i}"))?;
            *corner = welder.add(p)?;
        }
        triangles.push(corners);
    }
    Ok(TriMesh { points: welder.points, triangles, ..TriMesh::default() })
}

/// Three little-endian f32; missing bytes read as zero, which the callers' exact chunks rule out.
pub(super) fn point_from_f32(bytes: &[u8]) -> Vec3 {
    let mut xyz = [0.0; 3];
    for (x, word) in xyz.iter_mut().zip(bytes.chunks_exact(4)) {
        *x = f64::from(f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
    Vec3::from(xyz)
}

/// `vertex` lines are the content; the rest of the grammar is only the frame, checked by counting to three.
fn text(bytes: &[u8]) -> Result<TriMesh, Wrong> {
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    let content = String::from_utf8_lossy(bytes);
    // Asked first, because a word that was cut in two would only confuse.
    if !content.lines().rev().any(|l| l.trim_start().to_ascii_lowercase().starts_with("endsolid")) {
        let place = format!("line {}", content.lines().count());
        return Err(Wrong::at(place, "the file ends without `endsolid`; it is cut off"));
    }
    for (i, line) in content.lines().enumerate() {
        let wrong = |message: &str| Wrong::at(format!("line {}", i + 1), message);
        let mut words = line.split_ascii_whitespace();
        let keyword = words.next().unwrap_or_default().to_ascii_lowercase();
        match keyword.as_str() {
            "vertex" => {
                let numbers: Vec<f64> = words.map_while(|w| w.parse().ok()).collect();
                let [x, y, z] = numbers[..] else { return Err(wrong("a vertex needs 3 numbers")) };
                let p = Vec3::new(x, y, z);
                finite_point(p, || format!("line {}", i + 1))?;
                corners.push(welder.add(p)?);
            }
            "endloop" => {
                let [a, b, c] = corners[..] else { return Err(wrong("a facet needs exactly 3 vertices")) };
                triangles.push([a, b, c]);
                corners.clear();
            }
            "solid" | "endsolid" | "facet" | "outer" | "endfacet" | "" => {}
            other => return Err(wrong(&format!("`{other}` does not belong into an stl file"))),
        }
    }
    Ok(TriMesh { points: welder.points, triangles, ..TriMesh::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary_give_the_same_welded_mesh() {
        let corners = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0f32],
        ];
        let mut text = String::from("solid two triangles\n");
        let mut binary = b"solid but binary".to_vec();
        binary.resize(80, b' ');
        binary.extend(2u32.to_le_bytes());
        for triangle in corners.chunks(3) {
            text.push_str("facet normal 0 0 1\n outer loop\n");
            binary.extend([0; 12]);
            for p in triangle {
                text.push_str(&format!("  vertex {} {} {}\n", p[0], p[1], p[2]));
                binary.extend(p.iter().flat_map(|x| x.to_le_bytes()));
            }
            text.push_str(" endloop\nendfacet\n");
            binary.extend([0; 2]);
        }
        text.push_str("endsolid two triangles\n");
        let (a, b) = (decode(text.as_bytes()).unwrap(), decode(&binary).unwrap());
        assert_eq!(a, b);
        assert_eq!((a.points.len(), a.triangles.len()), (4, 2));
    }
}
