//! Whether an answer is one that the document promises. Every answer that a test gets by [`crate::http::call`] goes
//! through here.

use std::sync::LazyLock;

use croupier::api::openapi::Document;
use croupier::api::problem::Code;
use serde_json::{Map, Value};

use crate::http::Answer;
use crate::json_schema::check_value;

/// The document, as the code makes it.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(Document::of_this_service().text()).unwrap());

/// What was asked.
pub struct Asked<'a> {
    pub method: &'a str,
    /// Path and query.
    pub target: &'a str,
    pub body: &'a [u8],
}

/// Panics unless the answer is one that the document promises to who asked so.
pub fn check(asked: &Asked<'_>, answer: &Answer) {
    let judged = every_answer(answer).and_then(|()| this_answer(asked, answer));
    if let Err(why) = judged {
        let (method, target, status) = (asked.method, asked.target, answer.status);
        panic!("{method} {target} was answered {status}, but {why}: {:?} {}", answer.headers, answer.text());
    }
}

/// What holds for every answer, also where nothing is.
fn every_answer(answer: &Answer) -> Result<(), String> {
    let id = answer.header("x-request-id").unwrap_or_default();
    if id.len() != 32 || !id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err("it has no request id".to_owned());
    }
    if answer.header("x-content-type-options") != Some("nosniff") {
        return Err("a browser may guess what it is".to_owned());
    }
    if answer.status >= 400 { problem(answer, id) } else { Ok(()) }
}

/// Whether the body is a problem, with all that belongs to one.
fn problem(answer: &Answer, id: &str) -> Result<(), String> {
    if media_type(answer) != Some("application/problem+json") {
        return Err("it is no problem+json".to_owned());
    }
    let body = read(answer)?;
    check_value(&DOCUMENT, &DOCUMENT["components"]["schemas"]["Problem"], &body)?;
    let code = Code::ALL.iter().find(|code| body["code"] == code.name()).ok_or("its code is unknown")?;
    let expected = [
        ("type", Value::from(format!("urn:croupier:problem:{}", code.name()))),
        ("title", Value::from(code.title())),
        ("status", Value::from(code.status())),
        ("request_id", Value::from(id)),
    ];
    for (field, value) in expected {
        if body[field] != value {
            return Err(format!("its {field} should be {value}"));
        }
    }
    if code.status() != answer.status {
        return Err(format!("{} goes with {}", code.name(), code.status()));
    }
    let header = match code.status() {
        401 => Some("www-authenticate"),
        405 => Some("allow"),
        429 | 503 => Some("retry-after"),
        _ => None,
    };
    match header.filter(|name| answer.header(name).is_none()) {
        Some(name) => Err(format!("{name} is missing")),
        None => Ok(()),
    }
}

fn this_answer(asked: &Asked<'_>, answer: &Answer) -> Result<(), String> {
    let path = asked.target.split('?').next().unwrap_or_default();
    let Some(item) = item_at(path) else {
        // What the page at /docs is made of.
        let asset = path.starts_with("/docs/") && asked.method == "GET" && answer.status == 200;
        return if asset || code_of(answer) == "not_found" { Ok(()) } else { Err("nothing is there".to_owned()) };
    };
    let Some(operation) = item.get(&asked.method.to_lowercase()) else {
        let methods = item.keys().map(|method| method.to_uppercase()).collect::<Vec<_>>().join(", ");
        let methods = methods.replace("GET", "GET, HEAD");
        return match answer.header("allow") {
            Some(allow) if allow == methods && answer.status == 405 => Ok(()),
            _ => Err(format!("the methods here are {methods}")),
        };
    };
    let response = &operation["responses"][answer.status.to_string()];
    if answer.status >= 400 {
        let (code, listed) = (code_of(answer), response["description"].as_str().unwrap_or_default());
        if !listed.contains(&format!("`{code}`: ")) {
            return Err(format!("the document does not list {code} there: {listed}"));
        }
    }
    let response = resolve(response).as_object().ok_or("the document does not list that")?;
    promised(response, answer)?;
    if answer.status < 300 && !asked.body.is_empty() {
        taken(operation, asked.body)?;
    }
    Ok(())
}

/// Whether body and headers are as the response says.
fn promised(response: &'static Map<String, Value>, answer: &Answer) -> Result<(), String> {
    for (name, header) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
        let header = resolve(header);
        match answer.header(name) {
            Some(value) if header["schema"]["type"] == "string" => {
                check_value(&DOCUMENT, &header["schema"], &Value::from(value))
                    .map_err(|why| format!("the header {name}: {why}"))?;
            }
            Some(_) => {}
            None if header["required"] == false => {}
            None => return Err(format!("the header {name} is missing")),
        }
    }
    let Some(content) = response.get("content").and_then(Value::as_object) else {
        return if answer.body.is_empty() { Ok(()) } else { Err("it should have no body".to_owned()) };
    };
    let media_type = media_type(answer).unwrap_or_default();
    let Some(media) = content.get(media_type) else {
        return Err(format!("the document does not know it as {media_type:?}"));
    };
    if media_type.ends_with("json") { check_value(&DOCUMENT, &media["schema"], &read(answer)?) } else { Ok(()) }
}

/// Whether a body that was accepted is one that the document allows.
fn taken(operation: &Value, body: &[u8]) -> Result<(), String> {
    // An operation that takes no body does not look whether there is one.
    let Some(schema) = operation["requestBody"]["content"]["application/json"].get("schema") else { return Ok(()) };
    let body = serde_json::from_slice(body).map_err(|why| format!("the body is no JSON: {why}"))?;
    check_value(&DOCUMENT, schema, &body).map_err(|why| format!("it took a body that the document forbids: {why}"))
}

fn media_type(answer: &Answer) -> Option<&str> {
    answer.header("content-type").map(|value| value.split(';').next().unwrap_or_default())
}

fn read(answer: &Answer) -> Result<Value, String> {
    serde_json::from_slice(&answer.body).map_err(|why| format!("its body is no JSON: {why}"))
}

fn code_of(answer: &Answer) -> String {
    read(answer).ok().and_then(|body| Some(body["code"].as_str()?.to_owned())).unwrap_or_default()
}

fn resolve(value: &'static Value) -> &'static Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// The operations at a path, by method.
fn item_at(path: &str) -> Option<&'static Map<String, Value>> {
    let fits = |template: &str| {
        let (parts, given) = (template.split('/').collect::<Vec<_>>(), path.split('/').collect::<Vec<_>>());
        let fits = |(part, given): (&&str, &&str)| part == given || (part.starts_with('{') && !given.is_empty());
        parts.len() == given.len() && parts.iter().zip(&given).all(fits)
    };
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let found = paths.iter().filter(|(template, _)| fits(template)).min_by_key(|(template, _)| template.contains('{'));
    found.map(|(_, item)| item.as_object().unwrap())
}

/// Every operation of the document: method in upper case, path with its parameters, what is said of it.
pub fn operations() -> impl Iterator<Item = (String, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().unwrap();
        item.iter().map(move |(method, operation)| (method.to_uppercase(), path.as_str(), operation))
    })
}
