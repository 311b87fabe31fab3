//! Compares a document with the JSON Schema of the scene: unknown keys, missing keys, wrong types.
//!
//! serde alone would do with less code but also with less help: it stops at "data did not match any variant" for a
//! material that is a name or a table, ignores the fourth number of a vector, and does not know the path of the key.
//! The schema comes from the same types, so the two cannot disagree about what a scene is.

use super::schema::{Node, Schema, Variant};
use pliant::SceneError;
use pliant::scene_check::nearest;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something the schema does not allow.
pub(super) struct Problem {
    pub span: Range<usize>,
    pub error: SceneError,
    pub help: Option<String>,
}

/// The first problem in the order of the text.
pub(super) fn check(root: &DeTable) -> Result<(), Problem> {
    let schema = Schema::get();
    let mut checker = Checker { problems: Vec::new() };
    checker.table(schema.root(), root, 0..0, "");
    match checker.problems.into_iter().min_by_key(|p| p.span.start) {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}

struct Checker {
    problems: Vec<Problem>,
}

impl Checker {
    fn report(&mut self, span: Range<usize>, path: &str, message: String, help: Option<String>) {
        self.problems.push(Problem { span, error: SceneError::new(path, message), help });
    }

    fn value(&mut self, schema: Node, value: &Spanned<DeValue>, path: &str) {
        let span = value.span();
        if schema.is_anything() {
            return;
        }
        if let Some(variants) = schema.variants() {
            return self.variant(schema, &variants, value, path);
        }
        // Of several forms the value's own type chooses; what is then wrong inside is said about that form.
        let Some(form) = schema.form_for(value.get_ref()) else {
            let message = format!("must be {}, not {}", schema.describe(), describe_value(value.get_ref()));
            return self.report(span, path, message, type_help(schema, value.get_ref(), path));
        };
        match value.get_ref() {
            DeValue::Table(table) => self.table(form, table, span, path),
            DeValue::Array(array) => {
                if let Some((least, most)) = form.lengths()
                    && !(least..=most).contains(&array.len())
                {
                    let message = format!("must be {}, not {}", form.describe(), array.len());
                    self.report(span, path, message, None);
                }
                for (i, entry) in array.iter().enumerate() {
                    self.value(form.items(), entry, &format!("{path}[{i}]"));
                }
            }
            DeValue::Integer(_) | DeValue::Float(_) => {
                if let Err(message) = form.check_number(value.get_ref()) {
                    self.report(span, path, message, None);
                }
            }
            _ => {}
        }
    }

    fn table(&mut self, schema: Node, table: &DeTable, span: Range<usize>, path: &str) {
        let child_path = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let mut strangers: Vec<(&str, Range<usize>)> = Vec::new();
        for (key, value) in table.iter() {
            match schema.property(key.get_ref()) {
                Some(child) => self.value(child, value, &child_path(key.get_ref())),
                None => strangers.push((key.get_ref().as_ref(), key.span())),
            }
        }
        for key in schema.required() {
            if !table.contains_key(key) {
                let name = table.get("name").and_then(|n| n.get_ref().as_str());
                let of = name.map_or(String::new(), |n| format!(" in `{n}`"));
                let meaning = schema.property(key).map_or(String::new(), |k| k.summary());
                // A slip of the pen is shown where it was made.
                let slip = nearest(key, strangers.iter().map(|(other, _)| *other));
                match slip.and_then(|other| strangers.iter().position(|(name, _)| *name == other)) {
                    Some(k) => {
                        let (other, at) = strangers.remove(k);
                        let message = format!("unknown key, and `{key}` is missing{of}");
                        self.report(at, &child_path(other), message, Some(format!("did you mean `{key}`?")));
                    }
                    None => {
                        let help = format!("add `{key}`: {meaning}");
                        self.report(span.clone(), &child_path(key), format!("missing key{of}"), Some(help));
                    }
                }
            }
        }
        if schema.allows_other_keys() {
            return;
        }
        for (key, at) in strangers {
            self.report(at, &child_path(key), "unknown key".into(), Some(key_help(key, schema)));
        }
    }

    /// One of several named forms: a word, or a table with one key that names the form.
    fn variant(&mut self, schema: Node, variants: &[Variant], value: &Spanned<DeValue>, path: &str) {
        let names = || variants.iter().map(|v| v.name);
        let list = || names().collect::<Vec<_>>().join(", ");
        let advice = |word: &str| match nearest(word, names()) {
            Some(guess) => format!("did you mean `{guess}`? known: {}", list()),
            None => format!("known: {}", list()),
        };
        match value.get_ref() {
            DeValue::String(word) => match variants.iter().find(|v| v.name == word) {
                Some(Variant { value: None, .. }) => {}
                Some(Variant { name, value: Some(form), .. }) => {
                    let help = format!("write {{ {name} = ... }}, where ... is {}", form.describe());
                    self.report(value.span(), path, format!("`{name}` needs a value"), Some(help));
                }
                None => self.report(value.span(), path, format!("unknown word `{word}`"), Some(advice(word))),
            },
            DeValue::Table(table) => {
                for (key, inner) in table.iter() {
                    let path = format!("{path}.{}", key.get_ref());
                    match variants.iter().find(|v| v.name == key.get_ref()).map(|v| v.value) {
                        Some(Some(form)) => self.value(form, inner, &path),
                        Some(None) => {
                            let message = format!("takes no value; write \"{}\" alone", key.get_ref());
                            self.report(key.span(), &path, message, None);
                        }
                        None => {
                            self.report(key.span(), &path, "unknown key".into(), Some(advice(key.get_ref())));
                        }
                    }
                }
                if table.len() != 1 {
                    let message = format!("must have exactly one key, not {}", table.len());
                    self.report(value.span(), path, message, Some(format!("one of: {}", list())));
                }
            }
            other => {
                let message = format!("must be {}, not {}", schema.describe(), describe_value(other));
                self.report(value.span(), path, message, Some(format!("one of: {}", list())));
            }
        }
    }
}

/// "did you mean `young`? known keys: density, young, ..."
pub(super) fn key_help(key: &str, schema: Node) -> String {
    let known = schema.keys();
    let list = known.join(", ");
    match nearest(key, known.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`? known keys: {list}"),
        None => format!("known keys: {list}"),
    }
}

/// Advice for slips whose cause is plain; otherwise what the key means.
fn type_help(schema: Node, value: &DeValue, path: &str) -> Option<String> {
    match value {
        DeValue::Table(_) if schema.is_list_of_tables() => {
            Some(format!("write [[{path}]] with double brackets"))
        }
        DeValue::Array(_) if schema.is_table() => Some(format!("write [{path}] with single brackets")),
        DeValue::String(text) if text.parse::<f64>().is_ok() => Some(format!("write {text} without quotes")),
        _ => Some(schema.summary()).filter(|s| !s.is_empty()),
    }
}

fn describe_value(value: &DeValue) -> String {
    match value {
        DeValue::String(text) if text.chars().count() <= 30 => format!("the text {text:?}"),
        DeValue::String(_) => "a text".into(),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => format!("{value}"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(array) => format!("an array of {}", array.len()),
        DeValue::Table(_) => "a table".into(),
    }
}
