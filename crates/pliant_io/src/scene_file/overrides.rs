//! `--set body.jello.material.young=2e5`: changes any key of a scene, in its text.
//!
//! First the path is read against the document and the schema, so that a slip is an error and not a new key. Then the
//! value is written into the document, which keeps everything else, comments included, as it was.

use super::error::SceneFileError;
use super::key_path::{key_prefix, split_index};
use super::nesting;
use super::schema::{Node, Schema};
use super::typed::key_help;
use pliant::SceneError;
use pliant::scene_check::unknown_name;
use toml::de::{DeTable, DeValue};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// An override that was applied.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// The argument as it is shown in errors: `--set body.jello.fps=3`.
    pub shown: String,
    /// The path it means, with indices for names: `body[0].fps`.
    pub path: String,
}

/// The text with all overrides applied in their order.
pub(super) fn apply(
    text: &str,
    file: &str,
    overrides: &[(String, String)],
) -> Result<(String, Vec<Override>), SceneFileError> {
    let mut text = text.to_owned();
    let mut applied = Vec::new();
    for (path, value) in overrides {
        let shown = format!("--set {path}={value}");
        let wrong = |path: &str, message: String| {
            SceneFileError::without_place(&shown, SceneError::new(path, message))
        };
        let steps = {
            let table = super::parse_toml(&text, &text, file)?;
            steps(table.get_ref(), path.trim()).map_err(|message| wrong(path, message))?
        };
        if nesting::too_deep(&format!("value = {value}")).is_some() {
            return Err(wrong(path, nesting::message()));
        }
        let mut document: DocumentMut = text.parse().map_err(|e| wrong(path, format!("{e}")))?;
        let value = value.trim().parse::<Value>().unwrap_or_else(|_| Value::from(value.as_str()));
        set_key(document.as_table_mut(), &steps, value).map_err(|message| wrong(path, message))?;
        applied.push(Override { shown, path: join(&steps) });
        text = document.to_string();
    }
    Ok((text, applied))
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    /// A key that names a form, such as `box`: it replaces any other form that stands there.
    Form(String),
    Index(usize),
}

fn join(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Index(i) => path.push_str(&format!("[{i}]")),
            Step::Key(key) | Step::Form(key) if path.is_empty() => path.push_str(key),
            Step::Key(key) | Step::Form(key) => path.push_str(&format!(".{key}")),
        }
    }
    path
}

/// Reads a path step by step, alongside the document (which may lack the key) and the schema (which may not know it:
/// a kind of body has keys of its own).
fn steps(root: &DeTable, path: &str) -> Result<Vec<Step>, String> {
    let whole = DeValue::Table(root.clone());
    let mut node: Option<&DeValue> = Some(&whole);
    let mut schema: Option<Node> = Some(Schema::get().root());
    let mut rest = path;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() > nesting::DEEPEST {
            return Err(nesting::message());
        }
        let is_list =
            matches!(node, Some(DeValue::Array(_))) || schema.is_some_and(|s| s.list_form().is_some());
        if is_list || rest.starts_with('[') {
            let (index, after) = index_step(node, rest, &join(&steps))?;
            node = node.and_then(|n| n.as_array()?.get(index)).map(|e| e.get_ref());
            schema = schema.and_then(Node::list_form).map(Node::items);
            steps.push(Step::Index(index));
            rest = after;
        } else {
            let found = key_step(node, schema, rest.strip_prefix('.').unwrap_or(rest), &join(&steps))?;
            node = node.and_then(|n| n.as_table()?.get(found.key)).map(|e| e.get_ref());
            schema = found.schema;
            let key = found.key.to_owned();
            steps.push(if found.is_form { Step::Form(key) } else { Step::Key(key) });
            rest = found.after;
        }
    }
    if steps.is_empty() { Err("no key is named; write --set scene.duration=2".into()) } else { Ok(steps) }
}

/// An entry of a list, by `[2]` or by the entry's name.
fn index_step<'p>(node: Option<&DeValue>, rest: &'p str, so_far: &str) -> Result<(usize, &'p str), String> {
    let list =
        node.and_then(|n| n.as_array()).ok_or_else(|| format!("`{so_far}` is not a list in this scene"))?;
    if let Some((index, after)) = split_index(rest) {
        if index >= list.len() {
            return Err(format!(
                "`{so_far}` has {} entries, counted from 0; there is no [{index}]",
                list.len()
            ));
        }
        return Ok((index, after));
    }
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let names =
        list.iter().map(|e| e.get_ref().get("name").and_then(|n| n.get_ref().as_str()).unwrap_or_default());
    let named = names.clone().enumerate().filter_map(|(i, name)| Some((i, name, key_prefix(rest, name)?)));
    if let Some((index, _, after)) = named.max_by_key(|(_, name, _)| name.len()) {
        return Ok((index, after));
    }
    let word = rest.split(['.', '[']).next().unwrap_or(rest);
    if names.clone().all(str::is_empty) {
        return Err(format!("`{so_far}` has no names; write {so_far}[0] for its first entry"));
    }
    Err(unknown_name(so_far, word, names.filter(|n| !n.is_empty())))
}

/// A key of a path, with the schema of what it holds and the rest of the path.
struct FoundKey<'p> {
    key: &'p str,
    is_form: bool,
    schema: Option<Node>,
    after: &'p str,
}

fn key_step<'p>(
    node: Option<&DeValue>,
    schema: Option<Node>,
    rest: &'p str,
    so_far: &str,
) -> Result<FoundKey<'p>, String> {
    // A key that is written in the document may hold dots; the longest one that fits is meant.
    let written = node.and_then(|n| n.as_table()).into_iter().flat_map(|t| t.keys());
    let written =
        written.filter(|k| key_prefix(rest, k.get_ref()).is_some()).map(|k| k.get_ref().len()).max();
    let (key, after) = rest.split_at(written.or_else(|| rest.find(['.', '['])).unwrap_or(rest.len()));
    let found = |schema: Option<Node>, is_form: bool| Ok(FoundKey { key, is_form, schema, after });
    if key.is_empty() {
        return Err(format!("a key is missing after `{so_far}`"));
    }
    let Some(schema) = schema.filter(|s| !s.is_anything()) else { return found(None, false) };
    if let Some(variants) = schema.variants() {
        return match variants.iter().find(|v| v.name == key).map(|v| v.value) {
            Some(Some(inner)) => found(Some(inner), true),
            Some(None) => Err(format!("`{key}` takes no value; write --set {so_far}={key}")),
            None => Err(unknown_name("form", key, variants.iter().map(|v| v.name))),
        };
    }
    let Some(table) = schema.table_form() else {
        return Err(format!("`{so_far}` is {}; it has no key `{key}`", schema.describe()));
    };
    match table.property(key) {
        Some(child) => found(Some(child), false),
        None if table.allows_other_keys() => found(None, false),
        None => Err(format!("unknown key `{key}`; {}", key_help(key, table))),
    }
}

fn set_key(table: &mut dyn TableLike, steps: &[Step], value: Value) -> Result<(), String> {
    let Some((Step::Key(key) | Step::Form(key), rest)) = steps.split_first() else {
        return Err("a key must come before an index".into());
    };
    if matches!(steps[0], Step::Form(_)) && !table.contains_key(key) {
        table.clear();
    }
    if table.get(key).is_none() {
        table.insert(key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    match table.get_mut(key) {
        Some(item) => set_item(item, rest, value),
        None => Err(format!("`{key}` cannot be added here")),
    }
}

fn set_item(item: &mut Item, steps: &[Step], value: Value) -> Result<(), String> {
    match (item, steps) {
        (Item::Value(old), _) => set_value(old, steps, value),
        (item, []) => {
            *item = Item::Value(value);
            Ok(())
        }
        (Item::ArrayOfTables(list), [Step::Index(i), rest @ ..]) if !rest.is_empty() => {
            match list.get_mut(*i) {
                Some(table) => set_key(table, rest, value),
                None => Err(format!("there is no entry [{i}]")),
            }
        }
        (Item::Table(table), steps) => set_key(table, steps, value),
        _ => Err("a whole [[entry]] cannot be set; set its keys one by one".into()),
    }
}

fn set_value(old: &mut Value, steps: &[Step], mut value: Value) -> Result<(), String> {
    let Some(step) = steps.first() else {
        *value.decor_mut() = old.decor().clone();
        *old = value;
        return Ok(());
    };
    // A named material becomes its numbers when one of them is set.
    if let (Some(name), Step::Key(_)) = (old.as_str(), step)
        && let Some(numbers) = preset_table(name)
    {
        *old = Value::InlineTable(numbers);
    }
    // A word such as `select = "all"` gives way to a form with a value.
    if let (Step::Form(_), false) = (step, old.is_inline_table()) {
        *old = Value::InlineTable(InlineTable::new());
    }
    match (old, step) {
        (Value::InlineTable(table), _) => set_key(table, steps, value),
        (Value::Array(array), Step::Index(i)) => match array.get_mut(*i) {
            Some(entry) => set_value(entry, &steps[1..], value),
            None => Err(format!("there is no entry [{i}]")),
        },
        (other, _) => {
            Err(format!("the scene has {} here, which has no keys; set the whole instead", other.type_name()))
        }
    }
}

fn preset_table(name: &str) -> Option<InlineTable> {
    let (.., material) = pliant::material::PRESETS.iter().find(|(known, ..)| *known == name)?;
    let numbers = toml::Table::try_from(material).ok()?;
    let mut table = InlineTable::new();
    for (key, value) in numbers {
        table.insert(key, value.to_string().parse().ok()?);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "# head\n[scene]\nduration = 2 # s\n\n[[body]]\nname = \"jello\"\nkind = \"lattice\"\n\
        shape = { box = [1, 2, 3] }\nmaterial = \"rubber\"\n\n[[body]]\nname = \"a.b\"\nkind = \"rigid\"\n\
        shape = { sphere = 1 }\n[body.material]\nyoung = 1e5\n";

    fn set(path: &str, value: &str) -> Result<String, SceneFileError> {
        apply(SCENE, "a.toml", &[(path.into(), value.into())]).map(|(text, _)| text)
    }

    fn get(path: &str, value: &str) -> toml::Table {
        set(path, value).unwrap().parse().unwrap()
    }

    #[test]
    fn values_are_replaced_in_place_and_comments_stay() {
        assert_eq!(set("scene.duration", "3.5").unwrap(), SCENE.replace("= 2 #", "= 3.5 #"));
        assert_eq!(set("body.a.b.material.young", "2e5").unwrap(), SCENE.replace("1e5", "2e5"));
        assert_eq!(set("body[1].material.young", "2e5").unwrap(), SCENE.replace("1e5", "2e5"));
        assert_eq!(set("body.jello.shape.box[2]", "9").unwrap(), SCENE.replace("2, 3]", "2, 9]"));
    }

    #[test]
    fn missing_keys_are_added_where_they_belong() {
        assert_eq!(get("scene.fps", "30")["scene"]["fps"].as_integer(), Some(30));
        assert_eq!(
            get("body[1].material.poisson", "0.1")["body"][1]["material"]["poisson"].as_float(),
            Some(0.1)
        );
        assert_eq!(
            get("body.jello.resolution", "[2, 2, 2]")["body"][0]["resolution"][2].as_integer(),
            Some(2)
        );
        assert_eq!(get("expect.max_drift", "1")["expect"]["max_drift"].as_integer(), Some(1));
        assert_eq!(
            get("expect.rest_height.jello", "[0, 1]")["expect"]["rest_height"]["jello"][1].as_integer(),
            Some(1)
        );
    }

    #[test]
    fn a_form_replaces_the_other_form_and_a_preset_becomes_numbers() {
        let shape = get("body.jello.shape.sphere", "0.5")["body"][0]["shape"].clone();
        assert_eq!(shape.to_string(), "{ sphere = 0.5 }");
        let material = get("body.jello.material.young", "7.0")["body"][0]["material"].clone();
        assert_eq!(material["young"].as_float(), Some(7.0));
        assert_eq!(material["density"].as_float(), Some(1100.0));
    }

    #[test]
    fn words_need_no_quotes() {
        assert_eq!(get("body.jello.kind", "rigid")["body"][0]["kind"].as_str(), Some("rigid"));
        assert_eq!(get("scene.title", "two words")["scene"]["title"].as_str(), Some("two words"));
    }

    #[test]
    fn slips_are_errors_that_name_the_nearest() {
        for (path, says) in [
            ("scene.duratoin", "did you mean `duration`?"),
            ("body.jelo.kind", "did you mean `jello`?"),
            ("body.jello.material.youngg", "did you mean `young`?"),
            ("body.jello.shape.spere", "did you mean `sphere`?"),
            ("body[7].kind", "has 2 entries"),
            ("control[0].until", "is not a list in this scene"),
            ("scene.duration.x", "it has no key `x`"),
            ("bdy.jello", "did you mean `body`?"),
            ("", "no key is named"),
            ("scene..fps", "a key is missing after `scene`"),
            ("look.a.", "a key is missing after `look.a`"),
        ] {
            let error = set(path, "1").unwrap_err();
            assert!(error.message.contains(says), "{path}: {error}");
            assert!(error.to_string().starts_with("--set "), "{error}");
        }
    }
}
