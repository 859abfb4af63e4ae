//! Whatever is wrong with an address, a query or a header, and who may not do what: it gets its problem, and nothing
//! changes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

use crate::app::{Guest, TestApp, spawn_app};
use crate::clients::Table;
use crate::conformance::operations;
use crate::http::{self, Answer};
use crate::support::contents;

const NOBODYS_GAME: &str = "01980000-0000-7000-8000-000000000000";

fn assert_code(answer: &Answer, status: u16, code: &str, what: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{what}: {}", answer.text());
}

/// A body of the right form for an operation that takes one.
fn body_for(path: &str) -> Option<Value> {
    let (hex, mv) = ("0f".repeat(32), json!({ "type": "cut", "depth": 0 }));
    match path.rsplit('/').next().unwrap() {
        "seats" | "resignation" => Some(json!({})),
        "seed" => Some(json!({ "seed": hex })),
        "moves" => Some(json!({ "step": 1, "move": mv })),
        "commitments" => Some(json!({ "step": 1, "commitment": hex })),
        "openings" => Some(json!({ "step": 1, "move": mv, "nonce": hex })),
        _ => None,
    }
}

/// Every operation on a game.
fn of_games() -> impl Iterator<Item = (String, &'static str)> {
    operations().filter(|(_, path, _)| path.starts_with("/v1/games/{id}")).map(|(method, path, _)| (method, path))
}

fn ask(app: &TestApp, who: Option<&Guest>, method: &str, path: &str) -> Answer {
    app.call(method, path, who.map(|guest| guest.token.as_str()), body_for(path).as_ref())
}

#[test]
fn an_id_has_one_form_and_is_somebodys() {
    let app = spawn_app();
    let table = Table::new(&app);
    let ana = &table.ana.guest;
    let before = contents(&app.database().owner_url);
    let upper = table.game.to_uppercase();
    let (braces, urn) = (format!("%7B{}%7D", table.game), format!("urn:uuid:{}", table.game));
    let (bare, version_4) = (table.game.replace('-', ""), "db61bc31-8842-4734-a23f-d5a6499745c2".to_owned());
    let (longer, late) = (format!("{}0", table.game), format!("{}%00", table.game));
    for (method, template) in of_games() {
        for id in
            [&upper, &braces, &urn, &bare, &version_4, &longer, &late, "x", "0", "null", "%20", "..%2Fgames", "%FF"]
        {
            let answer = ask(&app, Some(ana), &method, &template.replace("{id}", id));
            assert_code(&answer, 400, "invalid_parameter", &format!("{method} {template} {id}"));
        }
        let answer = ask(&app, Some(ana), &method, &template.replace("{id}", NOBODYS_GAME));
        assert_code(&answer, 404, "unknown_game", &format!("{method} {template}"));
        // A player's id is no game's.
        let answer = ask(&app, Some(ana), &method, &template.replace("{id}", &ana.id));
        assert_code(&answer, 404, "unknown_game", &format!("{method} {template}"));
    }
    for kind in ["poker", "Migraine", "migraine%20", "%00", "x".repeat(2000).as_str()] {
        assert_code(&app.get(&format!("/v1/rules/{kind}")), 404, "unknown_rules", kind);
    }
    assert_eq!(contents(&app.database().owner_url), before);
}

#[test]
fn a_query_has_known_names_once_and_values_within_their_limits() {
    let app = spawn_app();
    let table = Table::new(&app);
    let cursor = |text: &str| format!("cursor={}", BASE64.encode(text));
    let lobby = [
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=",
        "limit=ten",
        "limit=1.0",
        "limit=4294967296",
        "limit=1&limit=2",
        "kind=poker",
        "kind=",
        "kind=Migraine",
        "status=over",
        "status=OPEN",
        "player=me",
        "player=",
        "player=019B7A5D-0F3E-76BD-AE5C-76030DD90ABE",
        "cursor=",
        "cursor=x",
        "cursor=AAAA",
        "cursor=%F0%9F%82%A1",
        &cursor("2026-01-02T03:04:05.006Z"),
        &cursor("2026-01-02T03:04:05Z 019b7a5d-0f3e-76bd-ae5c-76030dd90abe"),
        &cursor("2026-01-02T03:04:05.006Z x"),
        &format!("{}=", cursor("2026-01-02T03:04:05.006Z 019b7a5d-0f3e-76bd-ae5c-76030dd90abe")),
        "Limit=10",
        "page=2",
        "limit=10&offset=3",
    ];
    let view = ["at=-1", "at=", "at=x", "at=1.5", "at=9007199254740992", "open=1", "open=", "open=TRUE", "seq=1"];
    let events =
        ["after=-1", "after=", "after=x", "limit=0", "limit=1001", "limit=-1", "after=9007199254740992", "from=0"];
    let get_up = ["after=-1", "after=x", "by=x", "by=", "seat=0", "after=0&after=0"];
    let (game, ana) = (&table.game, &table.ana.guest);
    for (method, path, queries) in [
        ("GET", "/v1/games".to_owned(), &lobby[..]),
        ("GET", format!("/v1/games/{game}/view"), &view[..]),
        ("GET", format!("/v1/games/{game}/events"), &events[..]),
        ("DELETE", format!("/v1/games/{game}/seats/me"), &get_up[..]),
    ] {
        for query in queries {
            let target = format!("{path}?{query}");
            assert_code(&ask(&app, Some(ana), method, &target), 400, "invalid_parameter", &target);
        }
    }
    // At the edges all is well.
    let far = cursor("9999-12-31T23:59:59.999Z ffffffff-ffff-7fff-bfff-ffffffffffff");
    let early = cursor("0000-01-01T00:00:00.000Z 00000000-0000-7000-8000-000000000000");
    for (query, count) in [("limit=1", 1), ("limit=100", 1), ("%6cimit=%31", 1), (&far, 1), (&early, 0), ("", 1)] {
        let answer = app.get(&format!("/v1/games?{query}"));
        assert_eq!(answer.json()["games"].as_array().unwrap().len(), count, "{query}");
    }
    for after in ["9007199254740990", "9007199254740991"] {
        let page = app.get(&format!("/v1/games/{game}/events?after={after}&limit=1000")).json();
        assert_eq!(page, json!({ "events": [], "next": null }), "{after}");
        let answer = app.get(&format!("/v1/games/{game}/view?at={after}"));
        assert_code(&answer, 409, "not_over", after);
    }
}

#[test]
fn nothing_is_at_an_unknown_address_and_methods_are_told() {
    let app = spawn_app();
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v2/games",
        "/v1/game",
        "/v1/games/",
        "//v1/games",
        "/v1//games",
        "/V1/games",
        "/v1/games/x/y",
        "/v1/players/me/",
        "/v1/players/you",
        "/.well-known/jwks",
        "/../etc/passwd",
        "/%2e%2e/etc/passwd",
        "/docs/nothing.js",
        "/docs/..%2f..%2fCargo.toml",
        "/verify/nothing.js",
        "/index.html",
        "/favicon.ico",
        "/%00",
        "/v1/games%3Flimit=0",
    ] {
        assert_code(&app.get(path), 404, "not_found", path);
    }
    // Each address is tried with each method that it does not have.
    let mut tried = 0;
    for path in operations().map(|(_, path, _)| path).collect::<std::collections::BTreeSet<_>>() {
        let own = operations().filter(|(_, other, _)| *other == path).map(|(method, ..)| method).collect::<Vec<_>>();
        let address = path.replace("{id}", NOBODYS_GAME).replace("{kind}", "migraine").replace("{file}", "page.js");
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            if !own.iter().any(|known| known == method) {
                let answer = app.call(method, &address, None, None);
                assert_code(&answer, 405, "method_not_allowed", &format!("{method} {path}"));
                let allow = own.join(", ").replace("GET", "GET, HEAD");
                assert_eq!(answer.header("allow"), Some(&*allow), "{method} {path}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_stranger_may_look_and_no_more() {
    let app = spawn_app();
    let table = Table::new(&app);
    let stranger = app.guest("a stranger");
    let open = table.ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    let before = contents(&app.database().owner_url);
    for (method, template) in of_games() {
        let path = template.replace("{id}", &table.game);
        let write = method != "GET";
        let nobody = ask(&app, None, &method, &path);
        let somebody = ask(&app, Some(&stranger), &method, &path);
        let what = format!("{method} {template}");
        if !write {
            assert_eq!((nobody.status, somebody.status), (200, 200), "{what}");
            continue;
        }
        assert_code(&nobody, 401, "token_missing", &what);
        match template.trim_start_matches("/v1/games/{id}") {
            "" | "/start" => assert_code(&somebody, 403, "not_host", &what),
            "/seats" => assert_code(&somebody, 409, "table_closed", &what),
            _ => assert_code(&somebody, 403, "not_seated", &what),
        }
        assert!(somebody.json().get("legal").is_none(), "{what}");
    }
    // Neither does it help to be seated when one is not the host.
    for (method, path) in [("POST", format!("/v1/games/{open}/start")), ("DELETE", format!("/v1/games/{open}"))] {
        assert_code(&ask(&app, Some(&table.ben.guest), method, &path), 403, "not_host", &path);
    }
    assert_code(&app.call("POST", "/v1/games", None, Some(&json!({}))), 401, "token_missing", "create");
    assert_eq!(contents(&app.database().owner_url), before);
    // Nor is what the host has done theirs to do again.
    let path = format!("/v1/games/{open}");
    assert_eq!(ask(&app, Some(&table.ana.guest), "DELETE", &path).status, 201);
    assert_code(&ask(&app, Some(&stranger), "DELETE", &path), 403, "not_host", "cancelled");
    assert_eq!(ask(&app, Some(&table.ana.guest), "DELETE", &path).status, 200);
}

#[test]
fn a_game_is_created_under_a_key_that_is_a_uuid() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let bearer = format!("Bearer {}", ana.token);
    let body = json!({ "kind": "migraine", "seats": 2 }).to_string();
    for key in [None, Some(""), Some("1"), Some("x"), Some("01980000-0000-7000-8000-00000000000"), Some("ä")] {
        let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        headers.extend(key.map(|key| ("Idempotency-Key", key)));
        let answer = http::call(app.address, "POST", "/v1/games", &headers, body.as_bytes());
        assert_code(&answer, 400, "invalid_header", &format!("{key:?}"));
    }
    let two = ["01980000-0000-7000-8000-000000000001", "01980000-0000-7000-8000-000000000002"];
    let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    headers.extend(two.map(|key| ("Idempotency-Key", key)));
    let answer = http::call(app.address, "POST", "/v1/games", &headers, body.as_bytes());
    assert_code(&answer, 400, "invalid_header", "two keys");
    assert_eq!(app.get("/v1/games").json()["games"], json!([]));
}
