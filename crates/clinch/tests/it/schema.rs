//! JSON schemas, as far as the schemas of the tests go: a keyword that is not known here fails the test.
//!
//! The crates for that switch on features of crates that clinch uses, so that everything would be built twice: once for tests, once for users.

use serde_json::{Map, Value};

/// What is wrong with a value: where, and what.
pub(crate) fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else {
        if schema == &Value::Bool(false) {
            found.push(format!("{at}: not allowed"));
        }
        return;
    };
    for (keyword, said) in keywords {
        let mut wrong = |what: String| found.push(format!("{at}: {keyword}: {what}"));
        match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "default" | "definitions" | "$defs" | "format" | "if" => {}
            "type" if !types(said).iter().any(|name| has_type(value, name)) => wrong(format!("{said}, not {value}")),
            "enum" if !said.as_array().expect("a list").contains(value) => wrong(value.to_string()),
            "const" if said != value => wrong(value.to_string()),
            "minimum" if value.as_f64() < said.as_f64() && value.is_number() => wrong(value.to_string()),
            "maximum" if value.as_f64() > said.as_f64() => wrong(value.to_string()),
            "minItems" if value.as_array().is_some_and(|a| (a.len() as u64) < said.as_u64().unwrap_or(0)) => {
                wrong(value.to_string());
            }
            "uniqueItems" => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                if said == &Value::Bool(true) && items.iter().enumerate().any(|(n, item)| items[..n].contains(item)) {
                    wrong("an item occurs twice".to_owned());
                }
            }
            "pattern" if value.is_string() => wrong("patterns are not known here".to_owned()),
            "required" if value.is_object() => {
                let missing = said
                    .as_array()
                    .expect("a list")
                    .iter()
                    .filter(|name| value.get(name.as_str().expect("a name")).is_none());
                missing.for_each(|name| wrong(format!("{name} is missing")));
            }
            "anyOf" | "oneOf" => {
                let fits = |one: &&Value| errors_in(root, one, value).is_empty();
                let count = said.as_array().expect("a list").iter().filter(fits).count();
                if count == 0 || keyword == "oneOf" && count > 1 {
                    wrong(format!("{count} of the schemas fit {value}"));
                }
            }
            "type" | "enum" | "const" | "minimum" | "maximum" | "minItems" | "pattern" | "required" => {}
            _ => check_parts(root, keywords, keyword, value, at, found),
        }
    }
}

/// The keywords that apply another schema to the value or to a part of it.
fn check_parts(
    root: &Value,
    keywords: &Map<String, Value>,
    keyword: &str,
    value: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    let said = &keywords[keyword];
    match keyword {
        "properties" => {
            for (name, schema) in said.as_object().expect("members") {
                if let Some(member) = value.get(name) {
                    check(root, schema, member, &format!("{at}/{name}"), found);
                }
            }
        }
        "additionalProperties" => {
            let known = keywords.get("properties").and_then(Value::as_object);
            for (name, member) in value.as_object().into_iter().flatten() {
                if known.is_none_or(|known| !known.contains_key(name)) {
                    check(root, said, member, &format!("{at}/{name}"), found);
                }
            }
        }
        "items" => {
            for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                check(root, said, item, &format!("{at}/{number}"), found);
            }
        }
        "$ref" => {
            let path = said.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference inside");
            check(root, root.pointer(path).expect("it is there"), value, at, found);
        }
        "allOf" => said.as_array().expect("a list").iter().for_each(|one| check(root, one, value, at, found)),
        "then" => {
            if errors_in(root, &keywords["if"], value).is_empty() {
                check(root, said, value, at, found);
            }
        }
        _ => panic!("the keyword {keyword} is not known"),
    }
}

pub(crate) fn errors_in(root: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, schema, value, "", &mut found);
    found
}

fn types(said: &Value) -> Vec<&str> {
    match said {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known"),
    }
}

/// It finds what is wrong, so that finding nothing says something.
#[test]
fn wrong_values_are_found() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "$ref": "#/$defs/few" }, "b": { "oneOf": [{ "type": "string" }, { "const": 3 }] } },
        "if": { "properties": { "b": { "const": 3 } }, "required": ["b"] }, "then": { "required": ["c"] },
        "$defs": { "few": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "integer", "minimum": 0 } } },
    });
    let wrong = |value: Value| errors(&schema, &value).len();
    assert_eq!(wrong(serde_json::json!({ "a": [1, 2], "b": "x" })), 0);
    for value in [
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({ "a": [] }),
        serde_json::json!({ "a": [1, 1] }),
        serde_json::json!({ "a": [-1] }),
        serde_json::json!({ "a": ["1"] }),
        serde_json::json!({ "a": [1], "b": 4 }),
        serde_json::json!({ "a": [1], "b": 3 }),
        serde_json::json!({ "a": [1], "d": 3 }),
    ] {
        assert!(wrong(value.clone()) > 0, "{value}");
    }
}
