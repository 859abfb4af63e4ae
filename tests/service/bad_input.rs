//! Whatever is wrong with a request: it gets its problem, and nothing changes. That the problem is one, and one that
//! the document lists for this operation, is checked with every answer.

use serde_json::{Value, json};

use crate::app::{Guest, TestApp, spawn_app};
use crate::clients::Table;
use crate::conformance::{self, Asked, DOCUMENT, operations};
use crate::http::{self, Answer};
use crate::json_schema::check_value;
use crate::story::fresh_uuid;
use crate::support::contents;

/// A service with a game that is on, at the step of the hostile discards, and one to which people may sit down.
struct World {
    app: TestApp,
    table: Table,
    open: String,
    before: Vec<String>,
}

impl World {
    fn new() -> Self {
        let app = spawn_app();
        let table = Table::new(&app);
        table.deal(&app);
        let open = table.ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
        let before = contents(&app.database().owner_url);
        Self { app, table, open, before }
    }

    fn ana(&self) -> &Guest {
        &self.table.ana.guest
    }

    /// The path of an operation: of the game that people may sit down to where it is about that.
    fn path(&self, template: &str) -> String {
        let game = if template.ends_with("/seats") { &self.open } else { &self.table.game };
        template.replace("{id}", game).replace("{kind}", "migraine")
    }

    /// Asks as Ana, with whatever bytes for a body.
    fn ask(&self, method: &str, path: &str, content_type: Option<&str>, body: &[u8]) -> Answer {
        let (bearer, key) = (format!("Bearer {}", self.ana().token), fresh_uuid().to_string());
        let mut headers = vec![("Authorization", bearer.as_str()), ("Idempotency-Key", key.as_str())];
        headers.extend(content_type.map(|value| ("Content-Type", value)));
        http::call(self.app.address, method, path, &headers, body)
    }

    fn ask_json(&self, method: &str, path: &str, body: &str) -> Answer {
        self.ask(method, path, Some("application/json"), body.as_bytes())
    }

    fn nothing_changed(&self) {
        assert_eq!(contents(&self.app.database().owner_url), self.before, "something was written");
    }
}

fn assert_code(answer: &Answer, status: u16, code: &str, what: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{what}: {}", answer.text());
}

/// Every operation that takes a body, with one that has the right form.
fn bodies() -> [(&'static str, &'static str, Value); 9] {
    let (hex, key) = ("0f".repeat(32), "25tNVFtxPwJg81Dvs3uWNzodRA6TcqW19TS9dU21XlA");
    let by = "L04talY4pEs7xnd_wcQ6FSP9Xec9GqF7RPaLv_QrpEj3XktICZi4tnd7Ljb5SH8f7F-UeVc-39MZo9z8a6j_CA";
    let mv = json!({ "type": "hostile_discard", "card": "QS" });
    [
        ("POST", "/v1/players", json!({ "name": "Zed", "password": "correct horse" })),
        ("POST", "/v1/tokens", json!({ "name": "Zed", "password": "correct horse" })),
        (
            "POST",
            "/v1/games",
            json!({ "kind": "migraine", "options": {}, "seats": 2, "visibility": "public", "move_seconds": 60 }),
        ),
        (
            "POST",
            "/v1/games/{id}/seats",
            json!({ "seat": 0, "seed_commitment": hex, "key": key, "after": 0, "by": by }),
        ),
        ("PUT", "/v1/games/{id}/seed", json!({ "seed": hex, "by": null })),
        ("POST", "/v1/games/{id}/moves", json!({ "step": 2, "after": null, "move": mv, "by": null })),
        ("POST", "/v1/games/{id}/commitments", json!({ "step": 2, "commitment": hex, "by": by })),
        ("POST", "/v1/games/{id}/openings", json!({ "step": 2, "move": mv, "nonce": hex, "by": null })),
        ("POST", "/v1/games/{id}/resignation", json!({ "after": 0, "by": by })),
    ]
}

#[test]
fn these_are_all_operations_that_take_a_body() {
    let with_body = operations().filter(|(.., operation)| operation.get("requestBody").is_some());
    // Bundles are larger, and read in another way.
    let with_body = with_body.filter(|(_, path, _)| *path != "/v1/audits");
    let mut expected = with_body.map(|(method, path, _)| (method, path)).collect::<Vec<_>>();
    let mut here = bodies().map(|(method, path, _)| (method.to_owned(), path)).to_vec();
    (expected.sort(), here.sort());
    assert_eq!(here, expected);
}

#[test]
fn what_is_no_json_of_one_meaning_is_refused() {
    let world = World::new();
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let texts: [&[u8]; 27] = [
        b"{",
        b"}",
        b"nothing",
        b"{} {}",
        b"{}x",
        b"{\"a\":1,}",
        b"{'a':1}",
        b"{a:1}",
        b"{\"a\":1,\"a\":1}",
        b"{\"a\":{\"b\":1,\"b\":2}}",
        b"{\"a\":1.0}",
        b"{\"a\":1e2}",
        b"{\"a\":1E2}",
        b"{\"a\":-0}",
        b"{\"a\":01}",
        b"{\"a\":9007199254740992}",
        b"{\"a\":-9007199254740992}",
        b"{\"a\":NaN}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":\"\\uffff\"}",
        b"{\"a\":\"\x01\"}",
        b"{\"a\":\"\xff\"}",
        b"\xef\xbb\xbf{}",
        b"// {}",
        b"\x1f\x8b\x08\x00",
        nested(64).leak().as_bytes(),
        nested(20_000).leak().as_bytes(),
    ];
    for (method, template, _) in bodies() {
        for text in texts {
            let answer = world.ask(method, &world.path(template), Some("application/json"), text);
            assert_code(&answer, 400, "malformed_json", &format!("{template} {:.60}", String::from_utf8_lossy(text)));
        }
    }
    world.nothing_changed();
}

#[test]
fn what_has_another_form_is_refused() {
    let world = World::new();
    for (method, template, good) in bodies() {
        let path = world.path(template);
        let operation = &DOCUMENT["paths"][template][method.to_lowercase()];
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        check_value(&DOCUMENT, schema, &good).unwrap_or_else(|why| panic!("{template}: {why}"));
        let mut bad = vec![json!([]), json!([good]), json!("x"), json!(1), json!(true)];
        // What a reader of structs takes for one: its fields in order, without their names.
        bad.extend([1, 2, 5].map(|count| good.as_object().unwrap().values().take(count).cloned().collect()));
        bad.push(json!(good.as_object().unwrap().values().rev().collect::<Vec<_>>()));
        bad.push(extended(&good, "surprise", json!(null)));
        for (field, value) in good.as_object().unwrap() {
            let wrong = [json!(true), json!(-1), json!(1), json!("x"), json!(""), json!("1"), json!([]), json!({})];
            let wrapped = [json!([value]), json!({ "value": value }), json!({ value.as_str().unwrap_or("x"): null })];
            let large = [json!(256), json!(4_294_967_296_u64), json!(9_007_199_254_740_991_u64), json!(null)];
            let twisted = value.as_str().map(|text| json!(text.to_uppercase())).into_iter();
            let longer = value.as_str().map(|text| json!(format!("{text}0"))).into_iter();
            bad.extend(wrong.into_iter().chain(wrapped).chain(large).chain(twisted).chain(longer).map(|wrong| {
                let mut body = good.clone();
                body[field] = wrong;
                body
            }));
            let mut without = good.clone();
            without.as_object_mut().unwrap().remove(field);
            bad.push(without);
        }
        // What the document allows may be refused for another reason, or be right.
        bad.retain(|body| check_value(&DOCUMENT, schema, body).is_err());
        assert!(bad.len() > 10, "{template}");
        for body in bad {
            let answer = world.ask_json(method, &path, &body.to_string());
            let code = answer.code();
            let expected = match code.as_str() {
                "malformed_move" | "invalid_name" | "invalid_password" | "invalid_options" => 422,
                // Nobody's name or password.
                "wrong_credentials" => 401,
                // Step 0 is never at hand.
                "wrong_step" => 409,
                _ => 422,
            };
            assert_eq!(answer.status, expected, "{template} {body}: {}", answer.text());
            assert!(
                expected != 422 || code.starts_with("invalid_") || code == "malformed_move",
                "{template} {body} {code}"
            );
        }
    }
    world.nothing_changed();
}

fn extended(value: &Value, field: &str, new: Value) -> Value {
    let mut value = value.clone();
    value[field] = new;
    value
}

#[test]
fn a_move_has_exactly_the_fields_of_its_row() {
    let world = World::new();
    let path = world.path("/v1/games/{id}/moves");
    for mv in [
        json!(null),
        json!({}),
        json!({ "type": "fold" }),
        json!({ "type": 1, "card": "QS" }),
        json!({ "type": "Hostile_discard", "card": "QS" }),
        json!({ "type": "hostile_discard" }),
        json!({ "type": "hostile_discard", "card": null }),
        json!({ "type": "hostile_discard", "card": ["QS"] }),
        json!({ "type": "hostile_discard", "card": "QS", "seat": 1 }),
        json!({ "type": "hostile_discard", "cards": ["QS"] }),
        json!({ "type": "pensive_discard", "cards": "QS" }),
        json!({ "type": "pensive_discard", "cards": [1, 2] }),
        json!({ "type": "cut", "depth": "0" }),
        json!({ "type": "cut", "depth": true }),
        json!({ "hostile_discard": { "card": "QS" } }),
        json!([{ "type": "hostile_discard", "card": "QS" }]),
        json!("hostile_discard"),
    ] {
        let answer = world.ask_json("POST", &path, &json!({ "step": 2, "move": mv }).to_string());
        assert_code(&answer, 422, "malformed_move", &mv.to_string());
        assert_eq!(answer.json()["clause"], "RU-2");
    }
    // Of the form, but none that the rules allow: the clause says why, and `legal` what there is instead.
    for (mv, clause) in [
        (json!({ "type": "hostile_discard", "card": "" }), "MI-5"),
        (json!({ "type": "hostile_discard", "card": "qs" }), "MI-5"),
        (json!({ "type": "hostile_discard", "card": "2S" }), "MI-5"),
        (json!({ "type": "hostile_discard", "card": "\u{0}" }), "MI-5"),
        (json!({ "type": "pensive_discard", "cards": [] }), "MI-5"),
        (json!({ "type": "cut", "depth": 9_007_199_254_740_991_i64 }), "MI-5"),
        (json!({ "type": "declare", "declaration": "rank" }), "MI-5"),
    ] {
        let answer = world.ask_json("POST", &path, &json!({ "step": 2, "move": mv }).to_string());
        assert_code(&answer, 422, "illegal_move", &mv.to_string());
        let problem = answer.json();
        assert_eq!((&problem["clause"], problem["legal"].as_array().unwrap().len()), (&json!(clause), 6));
    }
    let long = json!({ "type": "hostile_discard", "card": "Q".repeat(1000) });
    assert_code(
        &world.ask_json("POST", &path, &json!({ "step": 2, "move": long }).to_string()),
        422,
        "malformed_move",
        "",
    );
    world.nothing_changed();
}

#[test]
fn a_body_is_json_and_says_so() {
    let world = World::new();
    for (method, template, good) in bodies() {
        let (path, body) = (world.path(template), good.to_string());
        for wrong in [
            None,
            Some(""),
            Some("text/plain"),
            Some("text/json"),
            Some("application/x-www-form-urlencoded"),
            Some("multipart/form-data; boundary=x"),
            Some("application/problem+json"),
            Some("application/jsonx"),
        ] {
            let answer = world.ask(method, &path, wrong, body.as_bytes());
            assert_code(&answer, 415, "unsupported_media_type", &format!("{template} {wrong:?}"));
        }
        for right in
            ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json ;x=y"]
        {
            let answer = world.ask(method, &path, Some(right), b"{");
            assert_code(&answer, 400, "malformed_json", right);
        }
    }
    // Where a body must be, none is not enough; where it may be, whatever it would be does not matter.
    for (method, template, _) in bodies() {
        let operation = &DOCUMENT["paths"][template][method.to_lowercase()];
        if operation["requestBody"]["required"] == true {
            assert_code(
                &world.ask(method, &world.path(template), Some("text/plain"), b""),
                422,
                "invalid_body",
                template,
            );
        }
    }
    world.nothing_changed();
}

#[test]
fn a_body_has_at_most_64_kib_however_it_comes() {
    let world = World::new();
    let limit = 64 * 1024;
    // Of these the server does not read all, and the connection lingers.
    for length in [3 * limit, 20 * limit] {
        assert_code(&world.ask_json("POST", "/v1/players", &" ".repeat(length)), 413, "body_too_large", "/v1/players");
    }
    for (method, template, good) in bodies() {
        let path = world.path(template);
        let fill = |length: usize| extended(&good, "surprise", json!("x".repeat(length))).to_string();
        let base = fill(0).len();
        let largest = fill(limit - base);
        assert_eq!(largest.len(), limit);
        assert_code(&world.ask_json(method, &path, &largest), 422, "invalid_body", template);
        assert_code(&world.ask_json(method, &path, &fill(limit + 1 - base)), 413, "body_too_large", template);
        for body in [largest, fill(limit + 1 - base), fill(3 * limit)] {
            let answer = chunked(&world, method, &path, body.as_bytes());
            let expected = if body.len() <= limit { (422, "invalid_body") } else { (413, "body_too_large") };
            assert_code(&answer, expected.0, expected.1, template);
        }
    }
    world.nothing_changed();
}

/// Sends a body in chunks, without saying how long it is.
fn chunked(world: &World, method: &str, path: &str, body: &[u8]) -> Answer {
    let (token, key) = (&world.ana().token, fresh_uuid());
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Idempotency-Key: {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .into_bytes();
    for chunk in body.chunks(7000) {
        request.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        request.extend(chunk.iter().chain(b"\r\n"));
    }
    request.extend(b"0\r\n\r\n");
    let answer = http::raw(world.app.address, &request);
    conformance::check(&Asked { method, target: path, body }, &answer);
    answer
}
