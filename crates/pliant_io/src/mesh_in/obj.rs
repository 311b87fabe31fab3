//! Wavefront OBJ: the `v` and `f` lines, which are all that geometry and paint (`v x y z r g b`) need.
//!
//! Read here rather than by a crate, because the points must stay as the file shares them between objects and
//! materials (splitting them would open the surface), in full precision, and errors must name the line.

use super::{Wrong, fan, finite_point};
use pliant::math::Vec3;
use pliant::shape::TriMesh;

pub(super) fn decode(bytes: &[u8]) -> Result<TriMesh, Wrong> {
    let mut mesh = TriMesh::default();
    let mut faces: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut painted = false;
    // Only the keywords and numbers matter; names and comments in another encoding are skipped unread.
    let text = String::from_utf8_lossy(bytes);
    for (number, line) in logical_lines(&text) {
        let place = || format!("line {number}");
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let p = point(&mut words).map_err(|message| Wrong::at(place(), message))?;
                finite_point(p, place)?;
                mesh.points.push(p);
                let colour = colour(words).map_err(|message| Wrong::at(place(), message))?;
                painted |= colour.is_some();
                mesh.colours.push(colour.unwrap_or_default());
            }
            Some("f") => {
                let corners: Result<Vec<u32>, String> = words.map(|w| corner(w, mesh.points.len())).collect();
                let corners = corners.map_err(|message| Wrong::at(place(), message))?;
                if corners.len() < 3 {
                    return Err(Wrong::at(place(), "a face needs at least 3 corners"));
                }
                faces.push((number, corners));
            }
            _ => {}
        }
    }
    if !painted {
        mesh.colours.clear();
    }
    // Faces may come before their points, so ranges are checked at the end.
    for (i, (number, corners)) in faces.iter().enumerate() {
        if let Some(bad) = corners.iter().find(|c| **c as usize >= mesh.points.len()) {
            let message = format!(
                "face {} uses point {}, but the file has {} points",
                i + 1,
                bad + 1,
                mesh.points.len()
            );
            return Err(Wrong::at(format!("line {number}"), message));
        }
        fan(corners, &mut mesh.triangles);
    }
    Ok(mesh)
}

/// Lines with their numbers, those ending in a backslash joined with the next, comments removed.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (i, first) = lines.next()?;
        let mut line = uncommented(first);
        while let Some(open) = line.strip_suffix('\\') {
            let more = lines.next().map_or(String::new(), |(_, l)| uncommented(l));
            line = format!("{open} {more}");
        }
        Some((i + 1, line))
    })
}

fn uncommented(line: &str) -> String {
    line.split('#').next().unwrap_or_default().trim_end().to_owned()
}

fn point<'w>(words: &mut impl Iterator<Item = &'w str>) -> Result<Vec3, String> {
    let mut xyz = [0.0; 3];
    for x in &mut xyz {
        let word = words.next().ok_or("a point needs 3 coordinates")?;
        *x = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
    }
    Ok(Vec3::from(xyz))
}

/// The three numbers after the coordinates, if there are three: one alone is a weight, which surfaces do not have.
fn colour<'w>(words: impl Iterator<Item = &'w str>) -> Result<Option<[f32; 3]>, String> {
    let words: Vec<&str> = words.take(3).collect();
    let [red, green, blue] = words[..] else { return Ok(None) };
    let mut colour = [0.0; 3];
    for (channel, word) in colour.iter_mut().zip([red, green, blue]) {
        let wrong = || format!("the colour `{word}` is not an ordinary number");
        *channel = word.parse().ok().filter(|v: &f32| v.is_finite()).ok_or_else(wrong)?;
    }
    Ok(Some(colour))
}

/// The point of a corner such as `7`, `7/1/3`, `7//3` or, counted back from the last point, `-1`.
fn corner(word: &str, points_so_far: usize) -> Result<u32, String> {
    let index = word.split('/').next().unwrap_or(word);
    let wrong =
        || format!("the corner `{word}` names no point; points are counted from 1, or from -1 backwards");
    let index: i64 = index.parse().map_err(|_| wrong())?;
    let from_zero = if index > 0 { index - 1 } else { points_so_far as i64 + index };
    if index == 0 || from_zero < 0 {
        return Err(wrong());
    }
    // One less than the largest, so that messages can count from 1.
    u32::try_from(from_zero).ok().filter(|i| *i < u32::MAX).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_groups_references_and_continuations_are_read() {
        let text = "# cube part\no a\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvt 0 0\ng one\nf 1/1 2/1 3/1 4/1\n\
                    usemtl x\nf -4 \\\n -3 -1 # back\n";
        let mesh = decode(text.as_bytes()).unwrap();
        assert_eq!(mesh.points.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
    }

    #[test]
    fn three_numbers_after_the_coordinates_are_a_colour_and_points_without_are_black() {
        let mesh = decode(b"v 0 0 0 1 0.5 0\nv 1 0 0\nv 0 1 0 1.0\nf 1 2 3\n").unwrap();
        assert_eq!(mesh.colours, [[1.0, 0.5, 0.0], [0.0; 3], [0.0; 3]]);
        let wrong = decode(b"v 0 0 0 1 nan 0\n").unwrap_err();
        assert_eq!(wrong.place, "line 1");
        assert!(decode(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap().colours.is_empty());
    }

    #[test]
    fn coordinates_keep_full_precision() {
        let mesh = decode(b"v 123456.123456789 0 0\n").unwrap();
        assert_eq!(mesh.points[0].x, 123456.123456789);
    }
}
