//! Closed unions with a discriminator, so that a generated client is typed to the last card.
//!
//! The code's structs hold what is in an object beside its `type`; here each gets its `type` as a constant, and the
//! union lists them. The names follow from the types: the move `hostile_discard` is `HostileDiscardMove`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{fact_types, move_types};
use crate::canonical::MAX_INTEGER;
use crate::dealer::News;
use crate::event::Body;
use crate::games::Kind;

/// `hostile_discard` as `HostileDiscard`.
pub fn camel(name: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split('_').map(capital).collect()
}

/// Writes the unions into the document.
pub fn close(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    by_type(schemas, "Move", "A move, told apart by `type`.", &move_types(), |schemas, data| schemas[data].clone());
    let facts = "Something that the rules made public, told apart by `type`.";
    by_type(schemas, "Fact", facts, &fact_types(), |schemas, data| schemas[data].clone());
    by_type(schemas, "Event", "An event of a game's log, told apart by `type`.", Body::TYPES, event);
    let news = "News of one's games, told apart by `type`.";
    by_type(schemas, "News", news, News::TYPES, |schemas, data| schemas[data].clone());
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    by_kind(schemas, "State", "A game's own state, told apart by `kind`.", &kinds);
    creations(schemas);
    for kind in Kind::ALL {
        let name = camel(kind.name());
        whole(&mut schemas[&format!("{name}Chosen")]);
        // A game may have no options: then it has an empty list of them, not none.
        let sent = &mut schemas[&format!("{name}Options")]["properties"];
        if sent.is_null() {
            *sent = json!({});
        }
    }
}

/// Makes a schema one of objects that have all of its fields and no other, so that no two games' options look alike.
fn whole(schema: &mut Value) {
    let names: Vec<Value> =
        schema["properties"].as_object().into_iter().flat_map(Map::keys).map(|it| json!(it)).collect();
    if names.is_empty() {
        schema["properties"] = json!({});
    }
    schema["required"] = Value::Array(names);
    schema["additionalProperties"] = json!(false);
}

/// The union over types: each variant is what `shape` makes of the struct of that name, with its `type`.
fn by_type(schemas: &mut Value, union: &str, description: &str, types: &[&str], shape: impl Fn(&Value, &str) -> Value) {
    let mut variants = Vec::new();
    for name in types {
        let data = camel(name);
        let mut variant = shape(schemas, &data);
        with_constant(&mut variant, "type", name);
        let component = format!("{data}{union}");
        schemas[&component] = variant;
        variants.push((*name, component));
    }
    schemas[union] = one_of(description, "type", &variants);
}

/// The envelope of an event round its data.
fn event(schemas: &Value, data: &str) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    json!({
        "description": schemas[data]["description"],
        "required": ["game", "seq", "prev", "at", "actor", "data", "hash", "signature"],
        "properties": {
            "game": reference("GameId"),
            "seq": { "type": "integer", "format": "int64", "minimum": 0, "maximum": MAX_INTEGER, "description": "Its number in the log." },
            "prev": reference("Hash"),
            "at": reference("Timestamp"),
            "actor": reference("Actor"),
            "data": reference(data),
            "hash": reference("Hash"),
            "signature": reference("EventSignature"),
        },
    })
}

/// Makes a schema a closed object with this constant in front.
fn with_constant(schema: &mut Value, name: &str, value: &str) {
    schema["type"] = json!("object");
    schema["additionalProperties"] = json!(false);
    let mut properties = Map::new();
    properties.insert(name.to_owned(), json!({ "type": "string", "const": value }));
    let own = schema["properties"].as_object().into_iter().flatten().filter(|(own, _)| *own != name);
    properties.extend(own.map(|(name, schema)| (name.clone(), schema.clone())));
    schema["properties"] = Value::Object(properties);
    let mut required = vec![json!(name)];
    required.extend(schema["required"].as_array().into_iter().flatten().filter(|own| *own != name).cloned());
    schema["required"] = Value::Array(required);
}

fn one_of(description: &str, tag: &str, variants: &[(&str, String)]) -> Value {
    let path = |component: &String| format!("#/components/schemas/{component}");
    let list: Vec<Value> = variants.iter().map(|(_, component)| json!({ "$ref": path(component) })).collect();
    let mapping: Map<String, Value> =
        variants.iter().map(|(name, component)| ((*name).to_owned(), json!(path(component)))).collect();
    json!({
        "description": description,
        "type": "object",
        "oneOf": list,
        "discriminator": { "propertyName": tag, "mapping": mapping },
    })
}

/// The union over kinds of games: each variant is a struct of its own that has a `kind`.
fn by_kind(schemas: &mut Value, union: &str, description: &str, kinds: &[&str]) {
    let mut variants = Vec::new();
    for kind in kinds {
        let component = format!("{}{union}", camel(kind));
        with_constant(&mut schemas[&component], "kind", kind);
        variants.push((*kind, component));
    }
    schemas[union] = one_of(description, "kind", &variants);
}

/// The bodies that create games: one for each kind, with that game's options and seats.
fn creations(schemas: &mut Value) {
    let mut variants = Vec::new();
    for kind in Kind::ALL {
        let name = camel(kind.name());
        let mut body = schemas["CreateGame"].clone();
        let (least, most) = kind.seats();
        body["description"] = json!(format!("A game of {} to create.", kind.name()));
        body["properties"]["seats"]["minimum"] = json!(least);
        body["properties"]["seats"]["maximum"] = json!(most);
        body["properties"]["seats"]["example"] = json!(least.max(2).min(most));
        body["properties"]["options"] = json!({ "$ref": format!("#/components/schemas/{name}Options") });
        with_constant(&mut body, "kind", kind.name());
        let component = format!("Create{name}");
        schemas[&component] = body;
        variants.push((kind.name(), component));
    }
    schemas["CreateGame"] = one_of("A game to create, told apart by `kind`.", "kind", &variants);
}

/// Takes out the schemas that nothing refers to.
pub fn prune(document: &mut Value) {
    loop {
        let mut used = BTreeSet::new();
        references(document, &mut used);
        let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
        let before = schemas.len();
        schemas.retain(|name, _| used.contains(name));
        schemas.sort_keys();
        if schemas.len() == before {
            return;
        }
    }
}

fn references(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if name == "$ref"
                    && let Some(schema) = field.as_str().and_then(|path| path.strip_prefix("#/components/schemas/"))
                {
                    used.insert(schema.to_owned());
                }
                references(field, used);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        _ => {}
    }
}
