//! How exported objects look: colours, normals, bounds, names.

use super::clip::as_vec3;
use pliant::ObjectTopology;
use pliant::math::Vec3;
use std::collections::HashSet;

/// A linear RGB colour of its own for each object: saturated for bodies, greys for obstacles.
pub(super) fn colours(objects: &[ObjectTopology]) -> Vec<[f32; 3]> {
    // Steps of the golden ratio never land twice on the same hue and keep neighbours far apart.
    const GOLDEN: f32 = 0.618_034;
    let step = |k: &mut f32| {
        *k += 1.0;
        (*k * GOLDEN).fract()
    };
    let (mut bodies, mut obstacles) = (0.0, 0.0);
    objects
        .iter()
        .map(
            |object| {
                if object.is_body() { hue(step(&mut bodies)) } else { [0.2 + 0.3 * step(&mut obstacles); 3] }
            },
        )
        .collect()
}

/// A colour of moderate saturation; `h` in 0..1 runs around the colour circle.
fn hue(h: f32) -> [f32; 3] {
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let wave = 0.5 + 0.5 * (std::f32::consts::TAU * (h - shift)).cos();
        0.08 + 0.72 * wave
    })
}

/// A linear number of a colour as screens show it (sRGB, IEC 61966-2-1), 0 to 1.
pub(super) fn srgb(linear: f32) -> f32 {
    let x = linear.clamp(0.0, 1.0);
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// A linear colour as three bytes of sRGB.
pub(super) fn srgb_bytes(linear: [f32; 3]) -> [u8; 3] {
    linear.map(|x| (255.0 * srgb(x)).round() as u8)
}

/// Unit vertex normals, weighted by triangle area.
pub(super) fn normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![Vec3::ZERO; points.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| as_vec3(points[v as usize]));
        let area = (b - a).cross(c - a);
        for &v in t {
            sums[v as usize] += area;
        }
    }
    sums.into_iter().map(unit).collect()
}

/// Unit normals of the triangles.
pub(super) fn face_normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let corners = |t: &[u32; 3]| t.map(|v| as_vec3(points[v as usize]));
    triangles.iter().map(corners).map(|[a, b, c]| unit((b - a).cross(c - a))).collect()
}

/// The direction of `n`. A point without a triangle, or on a needle, gets any: viewers require length one.
fn unit(n: Vec3) -> [f32; 3] {
    n.try_normalize().unwrap_or(Vec3::Y).as_vec3().to_array()
}

/// Least and greatest corner of some points.
pub(super) fn bounds(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let Some(&first) = points.first() else { return ([0.0; 3], [0.0; 3]) };
    points.iter().fold((first, first), |(mut low, mut high), p| {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
        (low, high)
    })
}

/// Unique identifiers made of ASCII letters, digits and `_`, not starting with a digit.
pub(super) fn identifiers(objects: &[ObjectTopology]) -> Vec<String> {
    let mut taken = HashSet::new();
    objects.iter().map(|object| unique(identifier(&object.name), &mut taken)).collect()
}

/// `name` with everything else replaced by `_`.
pub(super) fn identifier(name: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut text: String = name.chars().map(clean).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// `name`, or `name_2`, `name_3`, ... if that is taken already.
fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = name.clone();
    let mut k = 1;
    while !taken.insert(candidate.clone()) {
        k += 1;
        candidate = format!("{name}_{k}");
    }
    candidate
}

/// `name` without white space and control characters, for line-based formats.
pub(super) fn one_word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_clean_and_unique() {
        let object = |name: &str| ObjectTopology {
            name: name.into(),
            kind: "rigid".into(),
            deforms: false,
            remeshed: false,
            smooth: false,
            triangles: vec![],
            points: vec![],
            rest_volume: 0.0,
            incompressible: false,
            freedoms: 0,
            cell_edges: vec![],
        };
        let names = identifiers(&["a b", "a_b", "a-b", "a_b_2", "", "7", "Bälle"].map(object));
        assert_eq!(names, ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "_", "_7", "B_lle"]);
    }

    #[test]
    fn neighbouring_objects_have_different_colours() {
        let colours: Vec<[f32; 3]> = (1..200).map(|k| hue((k as f32 * 0.618_034).fract())).collect();
        assert!(colours.windows(2).all(|c| (0..3).any(|k| (c[0][k] - c[1][k]).abs() > 0.1)));
        assert!(colours.as_flattened().iter().all(|x| (0.0..=1.0).contains(x)));
    }

    #[test]
    fn normals_point_outward_and_have_length_one() {
        let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [9.0, 9.0, 9.0]];
        let normals = normals(&points, &[[0, 2, 1]]);
        assert_eq!(normals, [[0.0, 1.0, 0.0]; 4]);
    }
}
