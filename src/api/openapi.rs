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
(`to_act`), and every move you may make (`legal`). What is awaited says what to send: for `move` one of `legal` with the \
view's `step` to `POST /v1/games/{id}/moves`; for `commitment` the same, or a commitment of your own; for `opening` the \
move and the nonce that you committed to, which only you have; for `seed` your seed. Some moves in `legal` are no \
decisions and may be sent by any seat while nobody or another one is to act, as `advance` of Random Chess and \
`shuffle_hand`: send those with `after`, the newest event that you know, in place of `step`.\n\n\
**Writes to games are safe to repeat**: whatever was made once is answered again with 200 instead of 201. A move that is \
no decision is known again by its `after`; without one it is made twice. `after` only tells one from another: it does \
not keep a move from being made after later events.\n\n\
**What is hashed and signed**, to the byte, with how cards follow from seeds: `GET /v1/protocol`. You need it only to \
seal or to sign by yourself, to bring a seed, or to check a log.\n\n\
**Errors** are `application/problem+json`; `code` is stable, `clause` names the rule that refused. A method that an \
address does not have is answered with 405, `method_not_allowed` and `Allow`.\n\n\
**Headers**: every answer has an `X-Request-Id`, which the operator finds in the log. HEAD is answered wherever GET is. An \
`ETag` is good for one address with its query, and for one token: keep it with both.\n\n\
**From a browser**: the operator names the origins that may ask, by default all; send the token as `Authorization`, there \
are no cookies. `EventSource` can't send one: read the streams that need it with `fetch`.\n\n\
**Numbers**: by default a player hosts at most 100 open games, sits at 1,000 that are not over, and has 50 streams open at \
an instance; seeds are to be opened within 10 minutes, sealed moves within `move_seconds`, or 24 hours where there are \
none (`due_at`).\n\n\
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

    /// The JSON Schema of a game's options, whole: it refers to nothing.
    pub fn options_schema(&self, kind: Kind) -> Value {
        self.whole(&json!({ "$ref": format!("#/components/schemas/{}Options", unions::camel(kind.name())) }))
    }

    /// A schema with what it refers to in place of the references. No options refer to themselves.
    fn whole(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(fields) => {
                let target = fields.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
                let named = target.and_then(|path| self.value.pointer(path)).map(|named| self.whole(named));
                let mut all = named.and_then(|named| named.as_object().cloned()).unwrap_or_default();
                let own = fields.iter().filter(|(name, _)| *name != "$ref" || target.is_none());
                // What stands beside a reference goes before what it leads to.
                all.extend(own.map(|(name, field)| (name.clone(), self.whole(field))));
                Value::Object(all)
            }
            Value::Array(items) => items.iter().map(|item| self.whole(item)).collect(),
            other => other.clone(),
        }
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
