//! Between paths of keys, such as `body[2].material.young`, and places in the text.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a key stands, or the nearest of its ancestors that exists.
pub(super) struct Found {
    /// The key itself; the same as `value` for entries of arrays.
    pub key: Range<usize>,
    /// What is written for it; for a table with a header, the header.
    pub value: Range<usize>,
}

/// Looks up a path. An empty document or a path without any existing ancestor leads to the start of the text.
pub(super) fn find(root: &DeTable, path: &str) -> Found {
    let mut found = Found { key: 0..0, value: 0..0 };
    let Some((mut rest, mut node)) = enter(root, path, &mut found) else { return found };
    loop {
        let next = match node {
            DeValue::Table(table) => enter(table, rest.strip_prefix('.').unwrap_or(rest), &mut found),
            DeValue::Array(array) => split_index(rest).and_then(|(index, after)| {
                let entry = array.get(index)?;
                found = Found { key: entry.span(), value: entry.span() };
                Some((after, entry.get_ref()))
            }),
            _ => None,
        };
        match next {
            Some((after, child)) => (rest, node) = (after, child),
            None => return found,
        }
    }
}

/// Steps into the longest key that `path` begins with: names may hold dots, as `brick.003` does.
fn enter<'p, 't, 'i>(
    table: &'t DeTable<'i>,
    path: &'p str,
    found: &mut Found,
) -> Option<(&'p str, &'t DeValue<'i>)> {
    let begins = |key: &Spanned<_>| key_prefix(path, AsRef::<str>::as_ref(key.get_ref())).is_some();
    let (key, value) = table.iter().filter(|(k, _)| begins(k)).max_by_key(|(k, _)| k.get_ref().len())?;
    *found = Found { key: key.span(), value: value.span() };
    Some((key_prefix(path, key.get_ref())?, value.get_ref()))
}

/// What follows `key` in `path`, if `path` begins with the whole of it.
pub(super) fn key_prefix<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(key)?;
    (!key.is_empty() && (rest.is_empty() || rest.starts_with(['.', '[']))).then_some(rest)
}

/// Splits `[3].rest` into 3 and `.rest`.
pub(super) fn split_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.trim().parse().ok()?, rest))
}

/// The path of the innermost key whose value covers byte `offset`: for errors that know only the place.
pub(super) fn path_at(root: &DeTable, offset: usize) -> String {
    fn visit(value: &DeValue, path: &str, offset: usize, best: &mut String) {
        match value {
            DeValue::Table(table) => visit_table(table, path, offset, best),
            DeValue::Array(array) => {
                for (i, entry) in array.iter().enumerate() {
                    step(entry, entry.span(), &format!("{path}[{i}]"), offset, best);
                }
            }
            _ => {}
        }
    }
    fn visit_table(table: &DeTable, path: &str, offset: usize, best: &mut String) {
        for (key, value) in table.iter() {
            let dot = if path.is_empty() { "" } else { "." };
            step(value, key.span(), &format!("{path}{dot}{}", key.get_ref()), offset, best);
        }
    }
    fn step(value: &Spanned<DeValue>, key: Range<usize>, path: &str, offset: usize, best: &mut String) {
        if key.contains(&offset) || value.span().contains(&offset) {
            path.clone_into(best);
        }
        visit(value.get_ref(), path, offset, best);
    }
    let mut best = String::new();
    visit_table(root, "", offset, &mut best);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[scene]\nfps = 30\n\n[[body]]\nname = \"a\"\nshape = { box = [1, 2, 3] }\n\n[[body]]\nname = \"b\"\n[body.material]\nyoung = 1e5\n[expect.rest_height]\n\"b.001\" = [0, 1]\n";

    fn value_at(path: &str) -> &'static str {
        let table = DeTable::parse(TEXT).unwrap();
        &TEXT[find(table.get_ref(), path).value]
    }

    #[test]
    fn paths_lead_to_values_or_to_the_nearest_ancestor() {
        assert_eq!(value_at("scene.fps"), "30");
        assert_eq!(value_at("body[0].shape.box[1]"), "2");
        assert_eq!(value_at("body[1].material.young"), "1e5");
        assert_eq!(value_at("body[1].material.density"), "[body.material]");
        assert_eq!(value_at("body[0].material.density"), "[[body]]");
        assert_eq!(value_at("expect.rest_height.b.001[1]"), "1");
        assert_eq!(value_at("control[0].body"), "");
        assert_eq!(value_at(""), "");
    }

    #[test]
    fn offsets_lead_to_paths() {
        let table = DeTable::parse(TEXT).unwrap();
        for path in ["scene.fps", "body[0].shape.box[1]", "body[1].material.young"] {
            let found = find(table.get_ref(), path);
            assert_eq!(path_at(table.get_ref(), found.value.start), path);
        }
        assert_eq!(path_at(table.get_ref(), 100_000), "");
    }
}
