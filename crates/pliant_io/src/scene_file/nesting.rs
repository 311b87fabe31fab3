//! Refuses texts that nest without end.
//!
//! TOML's parser allows 80 brackets within each other and 80 dots in each key, so a small file can describe a tree of
//! thousands of levels, and any code that walks it by recursion (dropping it does) would run out of stack.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Levels of tables and arrays that a scene may have. The deepest key of the format has about ten.
pub(super) const DEEPEST: usize = 48;

pub(super) fn message() -> String {
    format!("nested more than {DEEPEST} levels deep")
}

/// Stack for the deepest tree the parser can build, in an unoptimised build.
const STACK: usize = 64 << 20;

/// The place of the first value that is nested too deeply. The tree is built, walked and dropped on a thread that has
/// the stack for it.
pub(super) fn too_deep(text: &str) -> Option<Range<usize>> {
    let look = || {
        let (table, _) = DeTable::parse_recoverable(text);
        table.get_ref().values().find_map(|value| below(value, 1))
    };
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, look) {
            Ok(thread) => thread.join().unwrap_or(Some(0..0)),
            // Where there are no threads (in a browser) the caller's stack must do.
            Err(_) => look(),
        }
    })
}

fn below(value: &Spanned<DeValue>, depth: usize) -> Option<Range<usize>> {
    match value.get_ref() {
        DeValue::Table(_) | DeValue::Array(_) if depth > DEEPEST => Some(value.span()),
        DeValue::Table(table) => table.values().find_map(|v| below(v, depth + 1)),
        DeValue::Array(array) => array.iter().find_map(|v| below(v, depth + 1)),
        _ => None,
    }
}
