//! The OpenAPI document: what the routes say of themselves, completed by what is the same for all of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::App;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_actix_web::AppExt;

use super::limits::bucket_of;
use super::problem::{Code, ProblemBody};
use crate::games::{CommonFact, Kind, SentOptions};

mod limits;
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
        unions::close(&mut value);
        add_problems(&mut value);
        limits::tell(&mut value);
        unions::prune(&mut value);
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        Self { value, text }
    }

    /// The document as it is served and committed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The JSON Schema of a game's options.
    pub fn options_schema(&self, kind: Kind) -> Value {
        let name = format!("{}Options", unions::camel(kind.name()));
        self.value.pointer(&format!("/components/schemas/{name}")).cloned().unwrap_or_default()
    }

    /// The methods that the address has, in upper case.
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
        methods.map(|(method, _)| method.to_uppercase()).collect()
    }
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

/// Adds to each operation the problems that it can be answered with.
fn add_problems(document: &mut Value) {
    let mut used = BTreeSet::new();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            for status in problem_statuses(path, method, operation) {
                let reference = json!({ "$ref": format!("#/components/responses/Problem{status}") });
                operation["responses"][status.to_string()] = reference;
                used.insert(status);
            }
        }
    }
    let responses = used.into_iter().map(|status| (format!("Problem{status}"), problem_response(status)));
    document["components"]["responses"] = Value::Object(responses.collect());
}

fn problem_response(status: u16) -> Value {
    let codes = Code::ALL.iter().filter(|code| code.status() == status);
    let lines: Vec<String> = codes.map(|code| format!("`{}`: {}", code.name(), code.title())).collect();
    let mut response = json!({
        "description": lines.join(". ") + ".",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    let header = match status {
        401 => Some(("WWW-Authenticate", json!({ "type": "string" }), "How to authenticate: `Bearer`.")),
        405 => Some(("Allow", json!({ "type": "string" }), "The methods that the address has.")),
        429 | 503 => {
            Some(("Retry-After", json!({ "type": "integer", "minimum": 0 }), "After how many seconds to come again."))
        }
        _ => None,
    };
    if let Some((name, schema, description)) = header {
        response["headers"][name] = json!({ "description": description, "schema": schema });
    }
    response
}

/// Which problems an operation can be answered with, by what it is.
fn problem_statuses(path: &str, method: &str, operation: &Value) -> Vec<u16> {
    let has_body = operation.get("requestBody").is_some();
    let has_parameters = operation["parameters"].as_array().is_some_and(|list| !list.is_empty());
    let takes_token = operation["security"].to_string().contains("token");
    let of_game = path.starts_with("/v1/games/{id}");
    let writes = method != "get";
    let mut statuses = vec![500, 503];
    if bucket_of(&method.to_uppercase(), path).is_some() {
        statuses.push(429);
    }
    if has_parameters || has_body {
        statuses.push(400);
    }
    if takes_token {
        statuses.push(401);
    }
    if path.contains('{') {
        statuses.push(404);
    }
    if has_body {
        statuses.extend([408, 413, 415, 422]);
    }
    if of_game && writes {
        statuses.extend([403, 409, 422]);
    }
    match path {
        "/v1/players" => statuses.push(409),
        "/v1/games" if writes => statuses.push(409),
        "/v1/log/checkpoint" | "/v1/log/inclusion" | "/v1/log/consistency" | "/v1/rules/fatetst_rpg/scores" => {
            statuses.push(404);
        }
        "/v1/games/{id}/view" => statuses.extend([409, 422]),
        _ => {}
    }
    statuses.sort_unstable();
    statuses.dedup();
    statuses
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
