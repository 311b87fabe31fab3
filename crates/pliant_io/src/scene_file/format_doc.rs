//! docs/SCENE_FORMAT.md, written from the schema, so that it cannot drift from what is read.

use super::schema::{Node, Schema};
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt::Write;

const INTRODUCTION: &str = "# The scene file

This page is generated from the types that read scenes; `cargo xtask` compares it, so do not edit it by hand. \
`pliant schema` prints the same as JSON Schema for editors.

A scene is one TOML file, or a JSON file with the same keys. Units are SI, y points up, angles are in degrees. \
Unknown keys are errors. Files named in a scene are sought beside it. `--set body.NAME.material.young=2e5` changes \
any key from the command line; list entries are named by their `name` or by `[0]`, `[1]`, ...
";

/// The reference of the scene file as Markdown.
pub fn scene_format_markdown() -> String {
    let mut doc = Doc::default();
    doc.line(INTRODUCTION);
    doc.line("## The whole file\n");
    doc.keys(Schema::get().root());
    while let Some(name) = doc.waiting.pop_front() {
        if let Some(node) = Schema::get().definition(name) {
            doc.section(name, node);
        }
    }
    doc.presets();
    doc.out
}

#[derive(Default)]
struct Doc {
    out: String,
    /// Definitions that were linked to and still need their section.
    waiting: VecDeque<&'static str>,
    linked: Vec<&'static str>,
}

impl Doc {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn section(&mut self, name: &'static str, node: Node) {
        self.line(&format!("\n## {}\n", title(name)));
        let about = node.summary();
        if !about.is_empty() {
            self.line(&format!("{about}\n"));
        }
        if node.variants().is_some() {
            self.forms(node);
        } else if !node.alternatives().is_empty() {
            for form in node.alternatives() {
                let (what, about) = (self.type_of(form), form.summary());
                self.line(&format!("- {what}: {about}"));
            }
        } else {
            self.keys(node);
            let kinds = node.by_kind();
            if !kinds.is_empty() {
                self.line("\nFurther keys belong to the kind:\n");
            }
            for (kind, keys) in kinds {
                let what = if keys.keys().is_empty() { "none".into() } else { self.type_of(keys) };
                self.line(&format!("- `{kind}`: {what}"));
            }
        }
    }

    /// A table of keys. Those that must be given come first.
    fn keys(&mut self, node: Node) {
        self.line("| key | type | meaning | default |\n|---|---|---|---|");
        let required = node.required();
        let mut keys = node.keys();
        keys.sort_by_key(|k| !required.contains(k));
        for key in keys {
            self.row("", key, node, required.contains(&key));
        }
    }

    fn row(&mut self, prefix: &str, key: &str, of: Node, required: bool) {
        let Some(node) = of.property(key) else { return };
        let default = match node.default_value() {
            _ if required => "required".into(),
            Some(value) => literal(value),
            None => "none".into(),
        };
        let (what, about) = (self.type_of(node), node.summary());
        self.line(&format!("| `{prefix}{key}` | {what} | {} | {default} |", cell(&about)));
    }

    /// A table of named forms; the keys of a form follow it.
    fn forms(&mut self, node: Node) {
        self.line("| form | value | meaning | default |\n|---|---|---|---|");
        for variant in node.variants().unwrap_or_default() {
            let about = variant.about.summary();
            let Some(value) = variant.value else {
                self.line(&format!("| `\"{}\"` | | {} | |", variant.name, cell(&about)));
                continue;
            };
            let what = self.type_of(value);
            self.line(&format!("| `{}` | {what} | {} | |", variant.name, cell(&about)));
            if value.definition().is_none() {
                let required = value.required();
                for key in value.keys() {
                    self.row(&format!("{}.", variant.name), key, value, required.contains(&key));
                }
            }
        }
    }

    /// A type in words, with a link where it has a section of its own.
    fn type_of(&mut self, node: Node) -> String {
        if let Some(name) = node.definition() {
            return self.link(name);
        }
        if node.is_list()
            && let Some(name) = node.items().definition()
        {
            return format!("list of {}", self.link(name));
        }
        if let Some(each) = node.common_property() {
            return format!("table of names, each with {}", each.describe());
        }
        let words = node.describe();
        words.strip_prefix("an ").or(words.strip_prefix("a ")).unwrap_or(&words).to_owned()
    }

    fn link(&mut self, name: &'static str) -> String {
        if !self.linked.contains(&name) {
            self.linked.push(name);
            self.waiting.push_back(name);
        }
        let title = title(name);
        format!("[{title}](#{})", title.replace(' ', "-"))
    }

    fn presets(&mut self) {
        self.line("\n## named materials\n\n`material = \"rubber\"` stands for these numbers.\n");
        self.line("| name | what | density `[kg/m^3]` | young `[Pa]` | poisson | damping | friction | yield_strain | flow_time `[s]` |");
        self.line("|---|---|---|---|---|---|---|---|---|");
        for (name, what, m) in pliant::material::PRESETS {
            let mut row = format!("| `{name}` | {what} |");
            for number in [m.density, m.young, m.poisson, m.damping, m.friction, m.yield_strain, m.flow_time]
            {
                let shown = if number >= 1e5 { format!("{number:e}") } else { format!("{number}") };
                let _ = write!(row, " {shown} |");
            }
            self.line(&row);
        }
    }
}

/// `PoseKey` to "pose key", `BodySpec` to "body"; a few types have names that mean little outside the code.
fn title(name: &str) -> String {
    match name {
        "SceneSettings" => return "scene".into(),
        "Material" => return "material numbers".into(),
        "Keyed" => return "value over time".into(),
        "Key" => return "value at a time".into(),
        _ => {}
    }
    let mut words = String::new();
    for c in name.strip_suffix("Spec").unwrap_or(name).chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A default as it would be written in TOML.
fn literal(value: &Value) -> String {
    fn toml(value: &Value) -> String {
        match value {
            Value::Number(n) => n.to_string().trim_end_matches(".0").to_owned(),
            Value::Array(list) => format!("[{}]", list.iter().map(toml).collect::<Vec<_>>().join(", ")),
            other => other.to_string(),
        }
    }
    match value {
        Value::Null => "none".into(),
        Value::Array(list) if list.is_empty() => "none".into(),
        Value::Object(table) if table.is_empty() => "none".into(),
        Value::Object(_) => "its own defaults".into(),
        other => format!("`{}`", toml(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_schema_has_a_row_with_a_meaning() {
        let doc = scene_format_markdown();
        for key in
            ["duration", "young", "capsule.radius", "rest_height", "\"all\"", "count", "max_force", "keys"]
        {
            let row = doc.lines().find(|l| l.starts_with(&format!("| `{key}` |")));
            let row = row.unwrap_or_else(|| panic!("no row for {key}\n{doc}"));
            let cells: Vec<&str> = row.split('|').collect();
            assert!(cells.len() == 6 && cells[3].trim().len() > 4, "{row}");
        }
        assert!(doc.contains("| `duration` | number | Simulated time `[s]`. | `5` |"), "{doc}");
    }

    #[test]
    fn links_lead_to_sections() {
        let doc = scene_format_markdown();
        for link in doc.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            let heading = format!("\n## {}\n", link.replace('-', " "));
            assert_eq!(doc.matches(&heading).count(), 1, "sections {heading}");
        }
    }
}
