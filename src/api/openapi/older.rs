//! The document as OpenAPI 3.0, for tools that don't read 3.1. It says the same, but where 3.0 or its tools can't:
//! an operation has one form of success there, so what streams and what is not modified stands in 3.1 alone.

use serde_json::{Map, Value, json};

use super::unions;

/// The same document, one version older.
pub fn of(document: &Value) -> Value {
    let mut older = document.clone();
    rewrite(&mut older);
    older["openapi"] = json!("3.0.3");
    if let Some(license) = older["info"]["license"].as_object_mut() {
        license.remove("identifier");
        license.insert("url".to_owned(), json!("https://spdx.org/licenses/"));
    }
    for item in older["paths"].as_object_mut().into_iter().flatten().map(|(_, item)| item) {
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            keep_one_success(operation);
        }
    }
    unions::prune(&mut older);
    older
}

/// Goes through everything but what is a value of the API itself.
fn rewrite(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            rewrite_object(fields);
            let literal = |name: &str| matches!(name, "example" | "default" | "enum" | "mapping");
            let named = |name: &str, field: &Value| name == "examples" && field.is_object();
            let fields = fields.iter_mut().filter(|(name, field)| !literal(name) && !named(name, field));
            fields.for_each(|(_, field)| rewrite(field));
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        _ => {}
    }
}

fn rewrite_object(fields: &mut Map<String, Value>) {
    let is_schema = |fields: &Map<String, Value>| !fields.get("type").is_some_and(Value::is_object);
    if !is_schema(fields) {
        return;
    }
    if let Some(constant) = fields.remove("const") {
        fields.insert("enum".to_owned(), json!([constant]));
    }
    if let Some(Value::Array(examples)) = fields.get("examples") {
        let first = examples.first().cloned();
        fields.remove("examples");
        fields.extend(first.map(|first| ("example".to_owned(), first)));
    }
    // Its generators take what is said beside a union for one more member.
    if fields.contains_key("discriminator") {
        fields.remove("type");
    }
    if let Some(Value::Array(types)) = fields.get("type") {
        let own: Vec<Value> = types.iter().filter(|one| *one != "null").cloned().collect();
        if let [one] = own.as_slice() {
            let one = one.clone();
            fields.insert("nullable".to_owned(), json!(true));
            fields.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(variants)) = fields.get("oneOf") {
        let own: Vec<Value> = variants.iter().filter(|one| one["type"] != "null").cloned().collect();
        if let ([Value::Object(one)], 2) = (own.as_slice(), variants.len()) {
            let mut one = one.clone();
            fields.remove("oneOf");
            if one.contains_key("type") {
                fields.insert("nullable".to_owned(), json!(true));
                fields.extend(one);
            } else {
                // Beside a reference `nullable` says nothing, and there is no type null.
                fields.extend(one.remove_entry("description"));
                fields.insert("anyOf".to_owned(), json!([one, { "enum": [null] }]));
            }
        }
    }
    if let Some(reference) = fields.get("$ref").cloned() {
        beside_nothing(fields, &reference);
    }
}

/// What stands beside a reference counts for nothing in 3.0: of a schema it goes round the reference, of a response it
/// goes.
fn beside_nothing(fields: &mut Map<String, Value>, reference: &Value) {
    if fields.len() == 1 {
        return;
    }
    let of_schema = reference.as_str().is_some_and(|path| path.starts_with("#/components/schemas/"));
    if of_schema {
        fields.remove("$ref");
        fields.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    } else {
        fields.retain(|name, _| name == "$ref");
    }
}

fn keep_one_success(operation: &mut Value) {
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    let has_content = responses.get("200").is_some_and(|response| response.get("content").is_some());
    responses.retain(|status, _| status != "304" && (status != "204" || !has_content));
    for (_, response) in responses.iter_mut() {
        if let Some(content) = response.get_mut("content").and_then(Value::as_object_mut)
            && content.contains_key("application/json")
        {
            content.retain(|media_type, _| media_type == "application/json");
        }
    }
}
