//! The JSON Schema of the scene file, and the questions that the reader asks about it.

use pliant::{KINDS, SceneSpec};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use toml::de::DeValue;

/// JSON Schema (draft 2020-12) of the scene file, from the types that read it.
pub fn schema() -> Value {
    Schema::get().0.clone()
}

/// The whole schema; nodes refer to its shared definitions.
pub(super) struct Schema(Value);

impl Schema {
    pub fn get() -> &'static Self {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema(whole()));
        &SCHEMA
    }

    pub fn root(&'static self) -> Node {
        Node(&self.0)
    }

    /// A shared definition by its name.
    pub fn definition(&'static self, name: &str) -> Option<Node> {
        self.0.get("$defs").and_then(|d| d.get(name)).map(Node)
    }
}

/// The scene's own keys, and those of each kind of body where a body is of that kind.
fn whole() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let kinds: Vec<(&str, Value)> =
        KINDS.iter().map(|k| (k.name, (k.own_keys)(&mut generator).to_value())).collect();
    let mut whole = generator.into_root_schema_for::<SceneSpec>().to_value();
    for name in kinds.iter().filter_map(|(_, keys)| keys.get("$ref").and_then(Value::as_str)) {
        // Beside the keys that every body has.
        if let Some(Value::Object(keys)) = whole.pointer_mut(name.trim_start_matches('#')) {
            keys.remove("additionalProperties");
        }
    }
    let when = |(name, keys): &(&str, Value)| json!({ "if": { "properties": { "kind": { "const": name } } }, "then": keys });
    if let Some(Value::Object(body)) = whole.pointer_mut("/$defs/BodySpec") {
        body.insert("allOf".into(), kinds.iter().map(when).collect());
        body.insert("unevaluatedProperties".into(), false.into());
    }
    whole
}

/// One schema within the whole.
#[derive(Clone, Copy)]
pub(super) struct Node(&'static Value);

/// One named form of a choice.
pub(super) struct Variant {
    pub name: &'static str,
    /// What follows the name; nothing for a plain word.
    pub value: Option<Node>,
    /// The node that describes the form.
    pub about: Node,
}

/// The schema that allows everything.
static ANYTHING: Value = Value::Bool(true);

impl Node {
    /// Follows `$ref` and drops the alternative "absent", which TOML cannot write.
    pub fn resolved(self) -> Node {
        let mut node = self;
        loop {
            if let Some(name) = node.0.get("$ref").and_then(Value::as_str) {
                let target = Schema::get().0.pointer(name.trim_start_matches('#'));
                node = Node(target.unwrap_or(&ANYTHING));
                continue;
            }
            match node.alternatives().as_slice() {
                [only] => node = *only,
                _ => return node,
            }
        }
    }

    /// The name of the shared definition that this node stands for, if it is one.
    pub fn definition(self) -> Option<&'static str> {
        match self.0.get("$ref").and_then(Value::as_str) {
            Some(name) => name.strip_prefix("#/$defs/"),
            None => match self.alternatives().as_slice() {
                [only] => only.definition(),
                _ => None,
            },
        }
    }

    /// The members of `anyOf`, without "absent".
    pub fn alternatives(self) -> Vec<Node> {
        let list = self.0.get("anyOf").and_then(Value::as_array);
        let present = |n: &&Value| n.get("type").and_then(Value::as_str) != Some("null");
        list.into_iter().flatten().filter(present).map(Node).collect()
    }

    fn has_type(self, name: &str) -> bool {
        match self.0.get("type") {
            Some(Value::String(t)) => t == name,
            Some(Value::Array(list)) => list.iter().any(|t| t == name),
            _ => false,
        }
    }

    fn properties(self) -> Option<&'static Map<String, Value>> {
        self.0.get("properties").and_then(Value::as_object)
    }

    /// Whether every value is allowed.
    pub fn is_anything(self) -> bool {
        let node = self.resolved().0;
        node.as_bool() == Some(true)
            || node.as_object().is_some_and(|o| {
                !o.contains_key("type") && !o.contains_key("anyOf") && !o.contains_key("oneOf")
            })
    }

    pub fn is_table(self) -> bool {
        self.resolved().has_type("object")
    }

    pub fn is_list(self) -> bool {
        self.resolved().has_type("array")
    }

    pub fn is_list_of_tables(self) -> bool {
        self.is_list() && self.items().is_table()
    }

    /// Further keys that depend on the kind.
    pub fn by_kind(self) -> Vec<(&'static str, Node)> {
        let each = |case: &'static Value| {
            Some((case.pointer("/if/properties/kind/const")?.as_str()?, Node(case.get("then")?)))
        };
        let cases = self.resolved().0.get("allOf").and_then(Value::as_array);
        cases.into_iter().flatten().filter_map(each).collect()
    }

    /// The forms of a choice between named forms.
    pub fn variants(self) -> Option<Vec<Variant>> {
        let mut all = Vec::new();
        for option in self.resolved().0.get("oneOf")?.as_array()? {
            let about = Node(option);
            let mut add = |name, value| all.push(Variant { name, value, about });
            if let Some(words) = option.get("enum").and_then(Value::as_array) {
                words.iter().filter_map(Value::as_str).for_each(|w| add(w, None));
            } else if let Some(word) = option.get("const").and_then(Value::as_str) {
                add(word, None);
            } else {
                about.properties()?.iter().for_each(|(k, v)| add(k, Some(Node(v))));
            }
        }
        Some(all)
    }

    /// Of the forms a value may take, the one meant by a value of this type.
    pub fn form_for(self, value: &DeValue) -> Option<Node> {
        let node = self.resolved();
        let forms = node.alternatives();
        if forms.is_empty() {
            return node.takes(value).then_some(node);
        }
        let mut fitting = forms.iter().map(|f| f.resolved()).filter(|f| f.takes(value));
        let first = fitting.next()?;
        // A vector and a list of keys are both arrays; the first entry tells which is meant.
        let entry_is_table = value.as_array().and_then(|a| a.first()).is_some_and(|e| e.get_ref().is_table());
        Some(
            std::iter::once(first)
                .chain(fitting)
                .find(|f| f.items().is_table() == entry_is_table)
                .unwrap_or(first),
        )
    }

    fn takes(self, value: &DeValue) -> bool {
        match value {
            DeValue::String(_) => self.has_type("string"),
            DeValue::Integer(_) => self.has_type("number") || self.has_type("integer"),
            DeValue::Float(_) => self.has_type("number"),
            DeValue::Boolean(_) => self.has_type("boolean"),
            DeValue::Array(_) => self.has_type("array"),
            DeValue::Table(_) => self.has_type("object"),
            DeValue::Datetime(_) => false,
        }
    }

    /// The form that a key leads into: the table among several forms.
    pub fn table_form(self) -> Option<Node> {
        let node = self.resolved();
        let forms = node.alternatives();
        forms.into_iter().map(Node::resolved).chain([node]).find(|n| n.has_type("object"))
    }

    /// The form that an index leads into: the list among several forms, of tables rather than of numbers.
    pub fn list_form(self) -> Option<Node> {
        let node = self.resolved();
        let mut lists: Vec<Node> = node
            .alternatives()
            .into_iter()
            .map(Node::resolved)
            .chain([node])
            .filter(|n| n.has_type("array"))
            .collect();
        lists.sort_by_key(|n| !n.items().is_table());
        lists.first().copied()
    }

    /// The schema of a key: a named one, or the common one of a table with free names.
    pub fn property(self, key: &str) -> Option<Node> {
        let node = self.resolved();
        if let Some(child) = node.properties().and_then(|p| p.get(key)) {
            return Some(Node(child));
        }
        node.common_property()
    }

    /// What every key of a table with free names holds.
    pub fn common_property(self) -> Option<Node> {
        self.resolved().0.get("additionalProperties").filter(|a| a.is_object()).map(Node)
    }

    pub fn allows_other_keys(self) -> bool {
        self.resolved().0.get("additionalProperties").and_then(Value::as_bool) != Some(false)
    }

    pub fn keys(self) -> Vec<&'static str> {
        self.resolved().properties().into_iter().flatten().map(|(k, _)| k.as_str()).collect()
    }

    pub fn required(self) -> Vec<&'static str> {
        let list = self.resolved().0.get("required").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub fn items(self) -> Node {
        Node(self.resolved().0.get("items").unwrap_or(&ANYTHING))
    }

    /// Least and most entries of an array, if the schema says.
    pub fn lengths(self) -> Option<(usize, usize)> {
        let node = self.resolved().0;
        let bound = |key| node.get(key).and_then(Value::as_u64).map(|n| n as usize);
        Some((bound("minItems")?, bound("maxItems")?))
    }

    /// The first paragraph of the description, where it is used or where it is defined.
    pub fn summary(self) -> String {
        let own = |n: Node| n.0.get("description").and_then(Value::as_str);
        let text = own(self).or_else(|| own(self.resolved())).unwrap_or_default();
        text.split("\n\n").next().unwrap_or_default().replace('\n', " ")
    }

    /// The value used when the key is left out.
    pub fn default_value(self) -> Option<&'static Value> {
        self.0.get("default")
    }

    /// What may stand here, in words.
    pub fn describe(self) -> String {
        let node = self.resolved();
        if let Some(variants) = node.variants() {
            let words = variants.iter().any(|v| v.value.is_none());
            let table = variants.iter().find(|v| v.value.is_some());
            return match (words, table) {
                (true, None) => "a word in quotes".into(),
                (false, Some(v)) => format!("a table with one key, such as {{ {} = ... }}", v.name),
                _ => "a word in quotes or a table with one key".into(),
            };
        }
        let forms = node.alternatives();
        if !forms.is_empty() {
            return forms.iter().map(|f| f.describe()).collect::<Vec<_>>().join(" or ");
        }
        let simple = [
            ("string", "a text in quotes"),
            ("boolean", "true or false"),
            ("integer", "a whole number"),
            ("number", "a number"),
            ("object", "a table"),
        ];
        if node.has_type("array") {
            let of = node.items().describe_many();
            return match node.lengths() {
                Some((n, m)) if n == m => format!("an array of {n} {of}"),
                _ => format!("an array of {of}"),
            };
        }
        simple.iter().find(|(t, _)| node.has_type(t)).map_or("a value", |(_, words)| words).into()
    }

    fn describe_many(self) -> String {
        match self.describe().as_str() {
            "a number" => "numbers".into(),
            "a whole number" => "whole numbers".into(),
            "a table" => "tables".into(),
            other => match other.strip_prefix("an array of ") {
                Some(of) => format!("arrays of {of}"),
                None => format!("entries, each {other}"),
            },
        }
    }

    /// Whether a number lies in the range of the type that will hold it.
    pub fn check_number(self, value: &DeValue) -> Result<(), String> {
        let node = self.resolved();
        match value {
            DeValue::Integer(i) => {
                let number = i128::from_str_radix(i.as_str(), i.radix());
                let range = if node.has_type("integer") {
                    node.integer_range()
                } else {
                    i64::MIN as i128..=i64::MAX as i128
                };
                match number {
                    Ok(n) if range.contains(&n) => Ok(()),
                    _ if !node.has_type("integer") => {
                        Err(format!("the number {i} is too large; write it as {i}.0"))
                    }
                    _ => Err(format!("must lie between {} and {}, not be {i}", range.start(), range.end())),
                }
            }
            DeValue::Float(f) => match f.as_str().parse::<f64>() {
                Ok(v) if v.is_infinite() && !f.as_str().contains("inf") => {
                    Err(format!("the number {f} is too large"))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn integer_range(self) -> std::ops::RangeInclusive<i128> {
        let bound = |key: &str| self.0.get(key).and_then(Value::as_i64).map(i128::from);
        let most = match self.0.get("format").and_then(Value::as_str) {
            Some("uint8") => i128::from(u8::MAX),
            Some("uint16") => i128::from(u16::MAX),
            Some("uint32") => i128::from(u32::MAX),
            Some("int32") => i128::from(i32::MAX),
            _ => i128::from(i64::MAX),
        };
        bound("minimum").unwrap_or(i128::from(i64::MIN))..=bound("maximum").unwrap_or(most)
    }
}
