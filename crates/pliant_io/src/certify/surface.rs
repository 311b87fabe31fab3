//! Whether triangles make a closed surface, by the way they hang together alone.

use std::collections::BTreeMap;

/// What keeps triangles from being the boundary of a solid, if anything does: each edge must be shared by two triangles
/// that pass it in opposite directions, and the triangles around each point must form one fan.
pub(super) fn fault(triangles: &[[u32; 3]]) -> Option<&'static str> {
    if triangles.is_empty() {
        return Some("is empty");
    }
    // From the point where an edge starts and the point where it ends to the third corner.
    let mut across: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut around: BTreeMap<u32, usize> = BTreeMap::new();
    for &[a, b, c] in triangles {
        if a == b || b == c || c == a {
            return Some("has a triangle with two corners at one point");
        }
        for (from, to, third) in [(a, b, c), (b, c, a), (c, a, b)] {
            if across.insert((from, to), third).is_some() {
                return Some("has an edge that two triangles pass in the same direction");
            }
            *around.entry(from).or_default() += 1;
        }
    }
    if across.keys().any(|(from, to)| !across.contains_key(&(*to, *from))) {
        return Some("has an open edge");
    }
    let mut counted = None;
    for &(point, start) in across.keys() {
        // Edges are sorted, so those of one point follow each other: one walk around each.
        if counted.replace(point) != Some(point) && fan(&across, point, start) != around[&point] {
            return Some("touches itself in a point");
        }
    }
    None
}

/// Triangles that are met on the way around a point, from one edge back to it.
fn fan(across: &BTreeMap<(u32, u32), u32>, point: u32, start: u32) -> usize {
    let (mut count, mut end) = (0, start);
    loop {
        count += 1;
        end = across[&(point, end)];
        if end == start {
            return count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    #[test]
    fn closed_surfaces_of_several_pieces_are_sound() {
        let two = [TETRAHEDRON, TETRAHEDRON.map(|t| t.map(|v| v + 4))].concat();
        assert_eq!([fault(&TETRAHEDRON), fault(&two)], [None, None]);
    }

    #[test]
    fn every_fault_is_named() {
        let is = |triangles: &[[u32; 3]], word: &str| {
            let found = fault(triangles).unwrap_or("is sound");
            assert!(found.contains(word), "{found}");
        };
        is(&[], "empty");
        is(&TETRAHEDRON[1..], "open edge");
        let mut turned = TETRAHEDRON;
        turned[2].swap(0, 1);
        is(&turned, "same direction");
        is(&[TETRAHEDRON, TETRAHEDRON].concat(), "same direction");
        is(&[&TETRAHEDRON[..], &[[0, 0, 1]]].concat(), "two corners");
        // Two tetrahedra that share one corner.
        let joined = TETRAHEDRON.map(|t| t.map(|v| if v == 3 { 3 } else { v + 4 }));
        is(&[TETRAHEDRON, joined].concat(), "touches itself");
    }
}
