//! The document: what the code makes, committed, whole, and with nothing left over.

use std::collections::BTreeSet;

use croupier::api::openapi::Document;
use croupier::api::problem::Code;
use croupier::games::{CommonFact, Kind};
use serde_json::Value;

use crate::app::spawn_app;
use crate::conformance::{DOCUMENT, operations};
use crate::json_schema::check_value;

fn schemas() -> &'static serde_json::Map<String, Value> {
    DOCUMENT["components"]["schemas"].as_object().unwrap()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Every value in the document that is an object, with where it stands.
fn objects(value: &'static Value, at: &str, see: &mut impl FnMut(&str, &'static Value)) {
    match value {
        Value::Object(fields) => {
            see(at, value);
            fields.iter().for_each(|(name, field)| objects(field, &format!("{at}/{name}"), see));
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| objects(item, &format!("{at}/{i}"), see)),
        _ => {}
    }
}

#[test]
fn the_committed_document_is_what_the_code_makes() {
    let document = Document::of_this_service();
    for (name, text) in [("openapi.json", document.text()), ("openapi-3.0.json", &document.older_text())] {
        let committed = std::fs::read_to_string(format!("{}/openapi/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(committed == text, "openapi/{name} is old: run `make openapi` and read the diff");
    }
}

#[test]
fn every_operation_says_what_it_is_and_who_may_use_it() {
    let tags = DOCUMENT["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap());
    let tags = tags.collect::<BTreeSet<_>>();
    let (mut ids, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        let text = |field: &str| operation[field].as_str().unwrap_or_else(|| panic!("{name} has no {field}"));
        assert!(ids.insert(text("operationId")), "{name}: its operationId is another's too");
        assert!(text("summary").len() < 60 && !text("summary").ends_with('.'), "{name}: {}", text("summary"));
        assert!(text("description").ends_with('.'), "{name}: {}", text("description"));
        let own = texts(&operation["tags"]);
        assert!(own.len() == 1 && tags.contains(own[0]), "{name} has the tags {own:?}");
        used.extend(own);
        let security = operation["security"].as_array().unwrap_or_else(|| panic!("{name} says nothing of security"));
        let known = |way: &Value| way.as_object().unwrap().keys().all(|scheme| scheme == "token");
        assert!(!security.is_empty() && security.iter().all(known), "{name}: {security:?}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{name} never succeeds");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let in_path = parameters.filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(in_path, path.matches('{').count(), "{name}: its parameters");
    }
    assert_eq!(used, tags, "tags that no operation has");
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_left_over() {
    let mut used = BTreeSet::new();
    objects(&DOCUMENT, "", &mut |at, value| {
        let references =
            value.get("discriminator").into_iter().flat_map(|it| it["mapping"].as_object().unwrap().values());
        for reference in references.chain(value.get("$ref")).filter_map(Value::as_str) {
            assert!(DOCUMENT.pointer(reference.trim_start_matches('#')).is_some(), "{at} refers to {reference}");
            used.insert(reference);
        }
    });
    for part in ["schemas", "responses", "headers"] {
        for name in DOCUMENT["components"][part].as_object().unwrap().keys() {
            assert!(used.contains(&*format!("#/components/{part}/{name}")), "nothing refers to {name}");
        }
    }
}

#[test]
fn names_stand_there_as_they_are_written() {
    let kinds = Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    assert_eq!(texts(&schemas()["Kind"]["enum"]), kinds);
    let codes = Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>();
    assert_eq!(texts(&schemas()["ProblemCode"]["enum"]), codes);
}

#[test]
fn every_code_is_listed_at_its_status_where_it_can_come_up() {
    let listed = operations().flat_map(|(.., operation)| operation["responses"].as_object().unwrap());
    let listed = listed.map(|(status, response)| format!("{status} {}", response["description"].as_str().unwrap()));
    let listed = listed.collect::<Vec<String>>();
    // An address answers another method than its own with 405; that is no operation's.
    for code in Code::ALL.iter().filter(|code| code.status() != 405) {
        let (status, line) = (code.status().to_string(), format!("`{}`: {}", code.name(), code.title()));
        let lists = |one: &&String| one.starts_with(&status) && one.contains(&line);
        assert!(listed.iter().any(|one| lists(&one)), "no operation answers {line}");
        let response = &DOCUMENT["components"]["responses"][format!("Problem{status}")];
        assert!(lists(&&format!("{status} {}", response["description"].as_str().unwrap())), "{line}");
        assert!(response["content"]["application/problem+json"].is_object(), "{status}");
    }
}

#[test]
fn unions_are_closed_and_tell_their_members_apart() {
    let mut unions = Vec::new();
    for (name, schema) in schemas() {
        let Some(discriminator) = schema.get("discriminator") else { continue };
        let tag = discriminator["propertyName"].as_str().unwrap();
        let mapping = discriminator["mapping"].as_object().unwrap();
        let members = schema["oneOf"].as_array().unwrap().iter().map(|member| member["$ref"].as_str().unwrap());
        let mapped = mapping.values().map(|path| path.as_str().unwrap()).collect::<BTreeSet<_>>();
        assert_eq!(members.collect::<BTreeSet<_>>(), mapped, "{name}");
        for (value, path) in mapping {
            let member = DOCUMENT.pointer(path.as_str().unwrap().trim_start_matches('#')).unwrap();
            assert_eq!(member["properties"][tag]["const"], **value, "{name}");
            assert_eq!(member["additionalProperties"], false, "{name}: {value}");
            assert_eq!(texts(&member["required"])[0], tag, "{name}: {value}");
        }
        unions.push((name.as_str(), mapping.keys().map(String::as_str).collect::<BTreeSet<_>>()));
    }
    let of = |name: &str| unions.iter().find(|(union, _)| *union == name).unwrap().1.clone();
    let kinds = Kind::ALL.iter().map(|kind| kind.name()).collect::<BTreeSet<_>>();
    assert_eq!((of("CreateGame"), of("State")), (kinds.clone(), kinds));
    assert_eq!(of("Move"), Kind::ALL.iter().flat_map(|kind| kind.move_types()).copied().collect());
    let facts = Kind::ALL.iter().flat_map(|kind| kind.fact_types()).chain(CommonFact::TYPES);
    assert_eq!(of("Fact"), facts.copied().collect());
    assert_eq!(of("Event"), croupier::event::Body::TYPES.iter().copied().collect());
}

#[test]
fn examples_and_defaults_are_what_their_schemas_allow() {
    let mut count = 0;
    objects(&DOCUMENT, "", &mut |at, schema| {
        let is_schema = ["type", "oneOf", "$ref"].iter().any(|keyword| schema.get(keyword).is_some());
        if !is_schema || at.ends_with("/properties") {
            return;
        }
        let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
        for example in examples.chain(schema.get("example")).chain(schema.get("default")) {
            count += 1;
            check_value(&DOCUMENT, schema, example).unwrap_or_else(|why| panic!("{at}: {why}"));
        }
    });
    // Those of bodies and parameters stand beside their schema.
    objects(&DOCUMENT, "", &mut |at, place| {
        let Some(schema) = place.get("schema").filter(|schema| schema.is_object()) else { return };
        let several = place.get("examples").and_then(Value::as_object).into_iter().flatten();
        for example in several.map(|(_, one)| &one["value"]).chain(place.get("example")) {
            count += 1;
            check_value(&DOCUMENT, schema, example).unwrap_or_else(|why| panic!("{at}: {why}"));
        }
    });
    assert!(count > 130, "{count}");
}

/// A form can be made of a game's options, and a verifier written, from what the service itself tells.
#[test]
fn options_refer_to_nothing_and_the_protocol_is_served() {
    let app = spawn_app();
    let rules = app.get("/v1/rules").json();
    for game in rules["rules"].as_array().unwrap() {
        let options = &game["options"];
        assert!(options["properties"].is_object() && !options.to_string().contains("$ref"), "{options}");
    }
    let variant = &rules["rules"][4]["options"]["properties"]["variant"];
    assert!(
        variant["enum"].as_array().is_some_and(|names| names.len() > 10) && variant["default"].is_string(),
        "{variant}"
    );
    let protocol = app.get("/v1/protocol");
    assert_eq!(protocol.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(protocol.text(), include_str!("../../docs/protocol.md"));
}
