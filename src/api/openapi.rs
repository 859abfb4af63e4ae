//! The OpenAPI document: what the routes say of themselves, completed by what is the same for all of them.

use std::sync::LazyLock;

use actix_web::App;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_actix_web::AppExt;

use super::problem::ProblemBody;
use crate::canonical::MAX_INTEGER;
use crate::games::{CommonFact, Kind, SentOptions};

mod examples;
mod limits;
mod links;
mod older;
mod problems;
mod unions;

/// The document of this API.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    text: String,
}

#[derive(OpenApi)]
#[openapi(components(schemas(ProblemBody, SentOptions)))]
struct Base;

const DESCRIPTION: &str = "\
Croupier deals cards over HTTP, and anyone can prove afterwards that it dealt them fairly.\n\n\
**Start**: `POST /v1/players` gives you a token; send it as `Authorization: Bearer …`. Create a game or find one in \
the lobby, sit down, and follow `GET /v1/games/{id}/view`: it tells what the game waits for (`awaits`), from whom \
(`to_act`), and every move you may make (`legal`).\n\n\
**Writes are safe to repeat**: whatever was made once is answered again with 200 instead of 201.\n\n\
**Errors** are `application/problem+json`; `code` is stable, `clause` names the rule that refused.\n\n\
**Limits**: operations are counted in buckets (`x-rate-limit-bucket`), by player and by address; `RateLimit-Policy` and \
`RateLimit` tell the limit and what is left, and `Retry-After` when to come again after 429.";

impl Document {
    /// The document, made once in a process: making it takes a hundred megabytes for a moment.
    pub fn of_this_service() -> &'static Self {
        static DOCUMENT: LazyLock<Document> = LazyLock::new(Document::new);
        &DOCUMENT
    }

    /// The document of all routes.
    fn new() -> Self {
        let (_, base) =
            App::new().into_utoipa_app().openapi(Base::openapi()).configure(super::documented).split_for_parts();
        // utoipa's types are texts, numbers and maps with texts as keys, so this does not fail.
        let mut value = serde_json::to_value(base).unwrap_or_default();
        describe(&mut value);
        limit(&mut value);
        never_null(&mut value);
        unions::close(&mut value);
        problems::add(&mut value);
        limits::tell(&mut value);
        links::add(&mut value);
        examples::add(&mut value);
        unions::prune(&mut value);
        let text = text_of(&value);
        Self { value, text }
    }

    /// The document as it is served and committed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same as OpenAPI 3.0, for tools that don't read 3.1; as it is committed.
    pub fn older_text(&self) -> String {
        text_of(&older::of(&self.value))
    }

    /// The JSON Schema of a game's options.
    pub fn options_schema(&self, kind: Kind) -> Value {
        let name = format!("{}Options", unions::camel(kind.name()));
        self.value.pointer(&format!("/components/schemas/{name}")).cloned().unwrap_or_default()
    }

    /// The methods that the address has, in upper case; what answers GET answers HEAD too.
    pub fn methods_at(&self, path: &str) -> Vec<String> {
        let matches = |template: &str| {
            let (template, path) = (template.split('/'), path.split('/'));
            template.clone().count() == path.clone().count()
                && template.zip(path).all(|(part, given)| part == given || (part.starts_with('{') && !given.is_empty()))
        };
        let paths = self.value["paths"].as_object().into_iter().flatten();
        // A whole address goes before one with a parameter in the same place, as it does in routing.
        let found = paths.filter(|(template, _)| matches(template)).min_by_key(|(template, _)| template.contains('{'));
        let methods = found.and_then(|(_, item)| item.as_object()).into_iter().flatten();
        let methods = methods.map(|(method, _)| method.to_uppercase());
        methods
            .flat_map(|method| if method == "GET" { vec![method, "HEAD".to_owned()] } else { vec![method] })
            .collect()
    }
}

fn text_of(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// What the document says of itself.
fn describe(document: &mut Value) {
    document["openapi"] = json!("3.1.0");
    document["info"] = json!({
        "title": "Croupier",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "contact": { "name": "The Croupier developers" },
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    document["servers"] = json!([{ "url": "/", "description": "The service that serves this document." }]);
    document["tags"] = json!([
        { "name": "players", "description": "Who plays, and tokens." },
        { "name": "rules", "description": "The games of the house." },
        { "name": "games", "description": "Creating, finding and repeating games." },
        { "name": "seats", "description": "Sitting down, seeds, and the start." },
        { "name": "play", "description": "Views, moves and the log." },
        { "name": "proof", "description": "What an auditor needs." },
        { "name": "operations", "description": "Health, and this document." },
    ]);
    document["components"]["securitySchemes"] = json!({
        "token": {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "A token from `POST /v1/players` or `POST /v1/tokens`, good for 7 days; or one of an identity \
                provider that the operator of this service has named."
        }
    });
}

/// Says of every number of 64 bits that it is one that JSON can hold.
fn limit(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(|format| format == "int64") {
                fields.entry("maximum").or_insert(json!(MAX_INTEGER));
                fields.entry("minimum").or_insert(json!(-MAX_INTEGER));
            }
            fields.iter_mut().for_each(|(_, field)| limit(field));
        }
        Value::Array(items) => items.iter_mut().for_each(limit),
        _ => {}
    }
}

/// Says of parameters that they are left out or have a value: null is none that a query or a header can have.
fn never_null(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flatten();
    let operations = items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten());
    let parameters = operations.filter_map(|(_, operation)| operation.get_mut("parameters")?.as_array_mut());
    for parameter in parameters.flatten() {
        let schema = &mut parameter["schema"];
        if let Some(types) = schema["type"].as_array()
            && let Some(own) = types.iter().find(|one| *one != "null")
        {
            schema["type"] = own.clone();
        }
    }
}

/// The names of all moves, by game.
fn move_types() -> Vec<&'static str> {
    Kind::ALL.iter().flat_map(|kind| kind.move_types()).copied().collect()
}

/// The names of all facts.
fn fact_types() -> Vec<&'static str> {
    let of_games = Kind::ALL.iter().flat_map(|kind| kind.fact_types());
    CommonFact::TYPES.iter().chain(of_games).copied().collect()
}
