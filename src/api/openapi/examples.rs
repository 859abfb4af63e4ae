//! Examples: what was asked and answered in a recorded run, `openapi/examples.json`.

use serde_json::{Map, Value};

/// Recorded by a test, which also holds it against every run: see CONTRIBUTING.
const RECORDED: &str = include_str!("../../../openapi/examples.json");

/// Puts the examples where they belong.
pub fn add(document: &mut Value) {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap_or_default();
    for item in document["paths"].as_object_mut().into_iter().flatten().map(|(_, item)| item) {
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            let name = operation["operationId"].as_str().unwrap_or_default();
            if let Some(examples) = recorded["operations"].get(name) {
                exemplify(operation, examples);
            }
        }
    }
    for (name, response) in document["components"]["responses"].as_object_mut().into_iter().flatten() {
        let examples = &recorded["problems"][name.trim_start_matches("Problem")];
        if let (Some(media), Some(_)) =
            (response.pointer_mut("/content/application~1problem+json"), examples.as_object())
        {
            media["examples"] = examples.clone();
        }
    }
}

fn exemplify(operation: &mut Value, examples: &Value) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some(example) = examples["parameters"].get(name) {
            parameter["example"] = example.clone();
        }
    }
    if let Some(example) = examples.get("request") {
        exemplify_content(operation.get_mut("requestBody"), "application/json", example);
    }
    let responses = examples["responses"].as_object().into_iter().flatten();
    for (status, content) in responses {
        let content: Option<&Map<String, Value>> = content.as_object();
        for (media_type, example) in content.into_iter().flatten() {
            exemplify_content(operation["responses"].get_mut(status), media_type, example);
        }
    }
}

fn exemplify_content(place: Option<&mut Value>, media_type: &str, example: &Value) {
    let media = place.and_then(|place| place.get_mut("content")?.get_mut(media_type));
    if let Some(media) = media {
        media["example"] = example.clone();
    }
}
