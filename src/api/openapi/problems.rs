//! The problems that each operation can be answered with: status by status, and with every code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::api::limits::bucket_of;
use crate::api::problem::Code;

/// Adds to each operation the problems that it can be answered with.
pub fn add(document: &mut Value) {
    let mut used = BTreeSet::new();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
            let codes = codes(method, path, operation);
            for code in Code::ALL.iter().filter(|code| codes.contains(code)) {
                by_status.entry(code.status()).or_default().push(*code);
            }
            for (status, codes) in by_status {
                operation["responses"][status.to_string()] = json!({
                    "$ref": format!("#/components/responses/Problem{status}"),
                    "description": describe(&codes),
                });
                used.insert(status);
            }
        }
    }
    let responses = used.into_iter().map(|status| (format!("Problem{status}"), response(status)));
    document["components"]["responses"] = Value::Object(responses.collect());
}

fn describe(codes: &[Code]) -> String {
    let lines: Vec<String> = codes.iter().map(|code| format!("`{}`: {}", code.name(), code.title())).collect();
    lines.join(". ") + "."
}

/// The form that all problems of a status share.
fn response(status: u16) -> Value {
    let codes: Vec<Code> = Code::ALL.iter().copied().filter(|code| code.status() == status).collect();
    let mut response = json!({
        "description": describe(&codes),
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    let header = match status {
        401 => Some(("WWW-Authenticate", json!({ "type": "string" }), "How to authenticate: `Bearer`.")),
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

/// Every code that an operation can be answered with: what follows from its form, and what is its own.
fn codes(method: &str, path: &str, operation: &Value) -> Vec<Code> {
    let mut codes = vec![Code::Internal, Code::Unavailable];
    if bucket_of(&method.to_uppercase(), path).is_some() {
        codes.push(Code::RateLimited);
    }
    let mut parameters = operation["parameters"].as_array().into_iter().flatten();
    if parameters.any(|parameter| parameter["in"] == "query") || path.contains("{id}") {
        codes.push(Code::InvalidParameter);
    }
    if path.contains("{id}") {
        codes.push(Code::UnknownGame);
    }
    // Whatever appends to a game; a rematch is another one.
    if path.starts_with("/v1/games/{id}") && method != "get" && !path.ends_with("/rematch") {
        codes.push(Code::GameCutShort);
    }
    if operation.get("requestBody").is_some() {
        codes.extend([
            Code::MalformedJson,
            Code::RequestTimeout,
            Code::BodyTooLarge,
            Code::UnsupportedMediaType,
            Code::InvalidBody,
        ]);
    }
    let security = operation["security"].as_array().into_iter().flatten();
    let ways: Vec<bool> = security.map(|way| way.get("token").is_some()).collect();
    if ways.contains(&true) {
        codes.extend([Code::TokenInvalid, Code::TokenExpired, Code::TokenEnded]);
    }
    if !ways.contains(&false) {
        codes.push(Code::TokenMissing);
    }
    codes.extend(own_codes(operation["operationId"].as_str().unwrap_or_default()));
    codes
}

/// What only this operation, or one like it, is answered with. Tests hold every answer that they get against this.
fn own_codes(operation: &str) -> &'static [Code] {
    match operation {
        "createPlayer" => &[Code::NameTaken, Code::InvalidName, Code::InvalidPassword],
        "createToken" => &[Code::TokenMissing, Code::WrongCredentials],
        "createGame" => &[Code::InvalidHeader, Code::TooManyGames, Code::InvalidOptions, Code::IdempotencyKeyReused],
        "cancelGame" => &[Code::NotHost, Code::TableClosed, Code::GameOver],
        "rematch" => &[Code::NotSeated, Code::NotOver, Code::TooManyGames],
        "listEvents" => &[Code::TooManyStreams, Code::InvalidHeader],
        "followMyGames" => &[Code::TooManyStreams],
        "sitDown" => &[
            Code::GameOver,
            Code::TableClosed,
            Code::AlreadySeated,
            Code::NoSuchSeat,
            Code::SeatTaken,
            Code::SeatNotNamed,
            Code::TableFull,
            Code::TooManySeats,
            Code::InvalidAfter,
            Code::InvalidSignature,
        ],
        "getUp" => &[Code::NotSeated, Code::GameOver, Code::TableClosed, Code::InvalidAfter, Code::InvalidSignature],
        "startGame" => &[Code::NotHost, Code::GameOver, Code::TableClosed, Code::CannotStart, Code::IllegalMove],
        "openSeed" => &[
            Code::NotSeated,
            Code::GameOver,
            Code::SeedTooEarly,
            Code::SeedAlreadyOpened,
            Code::NoSeedCommitted,
            Code::SeedMismatch,
            Code::InvalidSignature,
            Code::TooLate,
        ],
        "makeMove" => &[
            Code::NotSeated,
            Code::OutOfGame,
            Code::GameOver,
            Code::NotStarted,
            Code::MalformedMove,
            Code::InvalidStep,
            Code::InvalidAfter,
            Code::WrongStep,
            Code::AlreadyDecided,
            Code::OpeningDue,
            Code::NotYourTurn,
            Code::TooLate,
            Code::SealYourself,
            Code::IllegalMove,
            Code::InvalidSignature,
        ],
        "commit" => &[
            Code::NotSeated,
            Code::OutOfGame,
            Code::GameOver,
            Code::NotStarted,
            Code::WrongStep,
            Code::AlreadyDecided,
            Code::OpeningDue,
            Code::NotYourTurn,
            Code::TooLate,
            Code::NotSealed,
            Code::InvalidSignature,
        ],
        "openMove" => &[
            Code::NotSeated,
            Code::OutOfGame,
            Code::GameOver,
            Code::NotStarted,
            Code::MalformedMove,
            Code::WrongStep,
            Code::NotSealed,
            Code::OpeningTooEarly,
            Code::NotYourTurn,
            Code::AlreadyDecided,
            Code::CommitmentMismatch,
            Code::InvalidSignature,
            Code::TooLate,
        ],
        "resign" => &[
            Code::NotSeated,
            Code::OutOfGame,
            Code::GameOver,
            Code::NotStarted,
            Code::InvalidAfter,
            Code::InvalidSignature,
        ],
        "callTimeout" => &[Code::NotSeated, Code::GameOver, Code::NothingOverdue],
        "getView" => &[Code::NotOver, Code::NoSuchEvent],
        "getRules" => &[Code::UnknownRules],
        "listFatetstScores" => &[Code::UnknownGame],
        "getVerifierFile" => &[Code::NotFound],
        "getCheckpoint" | "getConsistency" => &[Code::NoCheckpoint],
        "getInclusion" => &[Code::NoCheckpoint, Code::UnknownGame],
        _ => &[],
    }
}
