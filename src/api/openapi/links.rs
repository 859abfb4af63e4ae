//! Links: which answer leads to which request, so that tools and people find the way through a game.

use serde_json::{Value, json};

/// The operations to which a game's id leads; some need a body besides, which nobody but the player can make.
const OF_A_GAME: [&str; 15] = [
    "getGame",
    "getView",
    "sitDown",
    "getUp",
    "startGame",
    "cancelGame",
    "resign",
    "callTimeout",
    "rematch",
    "listEvents",
    "getBundle",
    "getAudit",
    "commit",
    "openMove",
    "openSeed",
];
/// The operations that answer with a receipt.
const WRITES: [&str; 4] = ["createGame", "sitDown", "makeMove", "rematch"];

/// Adds the links.
pub fn add(document: &mut Value) {
    for item in document["paths"].as_object_mut().into_iter().flatten().map(|(_, item)| item) {
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            let links = match operation["operationId"].as_str().unwrap_or_default() {
                name if WRITES.contains(&name) => after_a_write(),
                "getView" => json!({ "move": first_legal_move("") }),
                "listGames" => of_a_game("/games/0/game", &["getGame", "getView", "sitDown"]),
                "getBundle" => json!({ "audit": {
                    "operationId": "auditBundle", "requestBody": "$response.body",
                    "description": "The auditor reads the whole file.",
                } }),
                _ => continue,
            };
            let responses = operation["responses"].as_object_mut().into_iter().flatten();
            for (_, response) in responses.filter(|(status, _)| matches!(status.as_str(), "200" | "201")) {
                response["links"] = links.clone();
            }
        }
    }
}

/// Where a receipt leads: on with the game that it tells of.
fn after_a_write() -> Value {
    let mut links = of_a_game("/view/game", &OF_A_GAME);
    links["move"] = first_legal_move("/view");
    links
}

fn of_a_game(id: &str, operations: &[&str]) -> Value {
    let link = |operation: &&str| {
        let description = "The same game.";
        let to = json!({
            "operationId": operation, "description": description, "parameters": { "id": format!("$response.body#{id}") },
        });
        ((*operation).to_owned(), to)
    };
    Value::Object(operations.iter().map(link).collect())
}

/// The first legal move of a view, which stands there in the answer.
fn first_legal_move(view: &str) -> Value {
    json!({
        "operationId": "makeMove",
        "description": "The first of the legal moves, where there is one and it is a decision.",
        "parameters": { "id": format!("$response.body#{view}/game") },
        "requestBody": {
            "step": format!("$response.body#{view}/step"),
            "move": format!("$response.body#{view}/legal/0"),
        },
    })
}
