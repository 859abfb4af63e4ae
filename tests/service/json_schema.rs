//! As much of JSON Schema as the document uses. What it would not understand it does not pass over: it panics.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use regex::Regex;
use serde_json::{Map, Value};

/// Whether the value is as the schema says; `root` is where references lead.
pub fn check_value(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    Checker { root }.check(schema, value, "")
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let rules = schema.as_object().unwrap_or_else(|| panic!("a schema that is none: {schema}"));
        for (keyword, rule) in rules {
            self.check_rule(rules, keyword, rule, value, at)?;
        }
        Ok(())
    }

    fn check_rule(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let fits = match keyword {
            "description" | "example" | "examples" | "default" | "format" | "discriminator" | "title" => true,
            "$ref" => {
                let path = rule.as_str().unwrap().trim_start_matches('#');
                let schema = self.root.pointer(path).unwrap_or_else(|| panic!("{rule} leads nowhere"));
                return self.check(schema, value, at);
            }
            "oneOf" => return self.one_of(rules, rule, value, at),
            "properties" => return self.properties(rule, value, at),
            "items" => {
                let mut items = value.as_array().into_iter().flatten().enumerate();
                return items.try_for_each(|(i, item)| self.check(rule, item, &format!("{at}/{i}")));
            }
            "type" => listed(rule).iter().any(|name| is_type(name, value)),
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "required" => {
                let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                !value.is_object() || rule.as_array().unwrap().iter().all(has)
            }
            "additionalProperties" => {
                assert_eq!(rule, false, "schemas of what else may be there are not known here");
                let known = |name: &String| rules.get("properties").is_some_and(|known| known.get(name).is_some());
                value.as_object().is_none_or(|fields| fields.keys().all(known))
            }
            "minimum" => value.as_i64().is_none_or(|number| number >= rule.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|number| number <= rule.as_i64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
            "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            other => panic!("{other} is not known here"),
        };
        if fits { Ok(()) } else { Err(format!("{at:?} is {value}, against {keyword} {rule}")) }
    }

    /// Exactly one of these. Where a discriminator says which, that one, so that the error names what is wrong.
    fn one_of(&self, rules: &Map<String, Value>, rule: &Value, value: &Value, at: &str) -> Result<(), String> {
        if let Some(discriminator) = rules.get("discriminator") {
            let name = value[discriminator["propertyName"].as_str().unwrap()].as_str().unwrap_or_default();
            let Some(path) = discriminator["mapping"].get(name).and_then(Value::as_str) else {
                return Err(format!("{at:?} is {value}, none of the union"));
            };
            return self.check(&serde_json::json!({ "$ref": path }), value, at);
        }
        let judged = rule.as_array().unwrap().iter().map(|schema| self.check(schema, value, at)).collect::<Vec<_>>();
        match judged.iter().filter(|judged| judged.is_ok()).count() {
            1 => Ok(()),
            0 => Err(judged.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("; ")),
            count => Err(format!("{at:?} is {value}, {count} of a union")),
        }
    }

    fn properties(&self, rule: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (name, schema) in rule.as_object().unwrap() {
            if let Some(field) = value.get(name) {
                self.check(schema, field, &format!("{at}/{name}"))?;
            }
        }
        Ok(())
    }
}

fn listed(rule: &Value) -> Vec<&str> {
    match rule {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => vec![name.as_str().unwrap()],
    }
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not known here"),
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap();
    compiled.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap()).is_match(text)
}

#[test]
fn a_value_that_does_not_fit_is_told_so() {
    let root = serde_json::json!({"a": {"type": "string", "pattern": "^x+$"}});
    let schema = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": ["n"],
        "properties": {"n": {"type": ["integer", "null"], "minimum": 1}, "a": {"oneOf": [{"$ref": "#/a"}, {"type": "null"}]}}
    });
    for right in [r#"{"n":1}"#, r#"{"n":null,"a":"xx"}"#, r#"{"n":7,"a":null}"#] {
        assert_eq!(check_value(&root, &schema, &serde_json::from_str(right).unwrap()), Ok(()), "{right}");
    }
    for wrong in ["[]", "{}", r#"{"n":0}"#, r#"{"n":"1"}"#, r#"{"n":1,"a":"y"}"#, r#"{"n":1,"b":1}"#] {
        assert!(check_value(&root, &schema, &serde_json::from_str(wrong).unwrap()).is_err(), "{wrong}");
    }
}
