//! Signing up, coming as a guest, names, passwords, signing in.

use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::http::Answer;
use crate::support::query;

fn sign_up(app: &TestApp, name: &str, password: Option<&str>) -> Answer {
    app.call("POST", "/v1/players", None, Some(&json!({ "name": name, "password": password })))
}

fn sign_in(app: &TestApp, name: &str, password: &str) -> Answer {
    app.call("POST", "/v1/tokens", None, Some(&json!({ "name": name, "password": password })))
}

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.text());
}

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn ana_signs_up_and_her_token_says_who_she_is() {
    let app = spawn_app();
    let answer = sign_up(&app, "Ana", Some("correct horse"));
    assert_eq!((answer.status, answer.header("cache-control")), (201, Some("no-store")));
    let signed_up = answer.json();
    assert_eq!(fields(&signed_up), ["expires_at", "player", "token"]);
    assert_eq!(signed_up["expires_at"], "2026-01-09T03:04:05.006Z");
    assert_eq!(fields(&signed_up["player"]), ["created_at", "guest", "id", "name"]);
    assert_eq!((&signed_up["player"]["name"], &signed_up["player"]["guest"]), (&json!("Ana"), &json!(false)));
    let me = app.call("GET", "/v1/players/me", signed_up["token"].as_str(), None);
    assert_eq!((me.status, me.json()), (200, signed_up["player"].clone()));
    assert_eq!((me.header("cache-control"), me.header("vary")), (Some("private, no-cache"), Some("Authorization")));

    // Who she is does not depend on what she says she is.
    let guest = sign_up(&app, "Ben", None).json();
    assert_eq!(guest["player"]["guest"], true);
    assert_eq!(app.call("GET", "/v1/players/me", guest["token"].as_str(), None).json(), guest["player"]);
    refused(&app.get("/v1/players/me"), 401, "token_missing");
}

#[test]
fn a_name_is_what_people_can_see_and_tell_apart() {
    let app = spawn_app();
    let long = "x".repeat(32);
    for (name, shown) in [
        ("  Zoë de Vries ", "Zoë de Vries"),
        ("Ａｎｎａ", "Anna"),
        ("e\u{301}lan", "élan"),
        (long.as_str(), long.as_str()),
        ("🂡", "🂡"),
        ("😀 smiles", "😀 smiles"),
        ("عائشة", "عائشة"),
        ("小明", "小明"),
        ("<b>\"bold\"</b>", "<b>\"bold\"</b>"),
        ("'; DROP TABLE players; --", "'; DROP TABLE players; --"),
        ("0", "0"),
    ] {
        let answer = sign_up(&app, name, None);
        assert_eq!(answer.status, 201, "{name:?}: {}", answer.text());
        assert_eq!(answer.json()["player"]["name"], shown);
    }
    let too_long = "x".repeat(33);
    let enormous = "x".repeat(60_000);
    for name in [
        "",
        "   ",
        "\u{a0}\u{2003}",
        "a\0b",
        "a\nb",
        "a\tb",
        "a\u{7f}",
        "a\u{9b}",
        "\u{200b}",
        "Ana\u{200d}",
        "\u{202e}nA",
        "\u{2066}Ana",
        "a\u{ad}na",
        "\u{feff}Ana",
        "Ana\u{3164}",
        "Ana\u{fe0f}",
        "a\u{2028}b",
        "Ana\u{e0041}",
        "\u{e000}",
        "👨\u{200d}👩\u{200d}👧",
        &too_long,
        "ﷺﷺ",
        &enormous,
    ] {
        refused(&sign_up(&app, name, None), 422, "invalid_name");
        refused(&sign_up(&app, name, Some("correct horse")), 422, "invalid_name");
    }
}

#[test]
fn nobody_is_called_as_somebody_else_is() {
    let app = spawn_app();
    assert_eq!(sign_up(&app, "Straße", None).status, 201);
    assert_eq!(sign_up(&app, "Sigmas", Some("correct horse")).status, 201);
    assert_eq!(sign_up(&app, "ΟΔΥΣΣΕΥΣ", None).status, 201);
    assert_eq!(sign_up(&app, "ﬁnn", None).status, 201);
    for (name, password) in [
        ("Straße", None),
        ("STRASSE", None),
        ("strasse", Some("correct horse")),
        (" ｓｔｒａßｅ", None),
        ("sigmaS", None),
        ("ſigmas", None),
        ("οδυσσευς", None),
        ("οδυσσευσ", Some("correct horse")),
        ("Finn", None),
        ("FINN", None),
    ] {
        refused(&sign_up(&app, name, password), 409, "name_taken");
    }
    for other in ["Strase", "Sigma", "Finn 2", "F inn"] {
        assert_eq!(sign_up(&app, other, None).status, 201, "{other}");
    }
    // A name is not freed by ending its tokens.
    let ana = app.guest("Ana");
    assert_eq!(app.call("DELETE", "/v1/tokens", Some(&ana.token), None).status, 204);
    refused(&sign_up(&app, "ana", None), 409, "name_taken");
}

#[test]
fn of_many_who_want_one_name_at_once_one_gets_it() {
    let app = spawn_app();
    let other = app.another();
    let statuses = std::thread::scope(|scope| {
        let ask = |number| {
            let app = if number % 2 == 0 { &app } else { &other };
            let name = if number % 3 == 0 { "ANA" } else { "Ana" };
            scope.spawn(move || sign_up(app, name, None).status)
        };
        let asked = (0..12).map(ask).collect::<Vec<_>>();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 11, "{statuses:?}");
}

#[test]
fn a_password_has_8_to_128_characters_whatever_they_are() {
    let app = spawn_app();
    let (short, long, too_long) = ("pässwö1", "🂡".repeat(128), "x".repeat(129));
    for password in ["", short, &too_long, &"x".repeat(60_000)] {
        refused(&sign_up(&app, "Ana", Some(password)), 422, "invalid_password");
    }
    for (name, password) in [("Ana", "pässwö12"), ("Ben", long.as_str()), ("Cleo", "with \0 zero\n")] {
        assert_eq!(sign_up(&app, name, Some(password)).status, 201);
        assert_eq!(sign_in(&app, name, password).status, 201);
    }
}

#[test]
fn ana_signs_in_by_her_name_in_any_case() {
    let app = spawn_app();
    let id = sign_up(&app, "Ana", Some("correct horse")).json()["player"]["id"].clone();
    for name in ["Ana", "ANA", " ana ", "Ａｎａ"] {
        let answer = sign_in(&app, name, "correct horse");
        assert_eq!((answer.status, answer.header("cache-control")), (201, Some("no-store")));
        let token = answer.json();
        assert_eq!(fields(&token), ["expires_at", "token"]);
        assert_eq!(token["expires_at"], "2026-01-09T03:04:05.006Z");
        assert_eq!(app.call("GET", "/v1/players/me", token["token"].as_str(), None).json()["id"], id);
    }
}

#[test]
fn a_stranger_learns_nothing_from_a_sign_in_that_fails() {
    let app = spawn_app();
    assert_eq!(sign_up(&app, "Ana", Some("correct horse")).status, 201);
    app.guest("Guest");
    let mut answers = Vec::new();
    for (name, password) in [
        ("Ana", "Correct horse"),
        ("Ana", "correct horse "),
        ("Ana", "short"),
        ("Ana", &"x".repeat(129)),
        ("Nobody", "correct horse"),
        ("Guest", "correct horse"),
        ("", "correct horse"),
        ("a\0b", "correct horse"),
        (&"x".repeat(40), "correct horse"),
    ] {
        let answer = sign_in(&app, name, password);
        refused(&answer, 401, "wrong_credentials");
        let mut problem = answer.json();
        problem["request_id"] = Value::Null;
        answers.push(problem);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
}

#[test]
fn passwords_are_stored_as_argon2id_and_never_shown() {
    let app = spawn_app();
    let answers = [
        sign_up(&app, "Ana", Some("correct horse")),
        sign_up(&app, "Ben", Some("correct horse")),
        sign_up(&app, "Cleo", None),
        sign_up(&app, "ana", Some("correct horse")),
        sign_in(&app, "Ana", "correct horse"),
        sign_in(&app, "Ben", "correct horse "),
        app.call("GET", "/v1/players/me", sign_in(&app, "Ana", "correct horse").json()["token"].as_str(), None),
    ];
    let stored = query(&app.database().owner_url, "SELECT coalesce(password_hash, '-') FROM players ORDER BY name");
    let [ana, ben, cleo] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!(cleo, "-");
    for hash in [ana, ben] {
        // OWASP's least: 19 MiB, two passes, one lane.
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    }
    let salt = |hash: &str| hash.split('$').nth(4).unwrap().to_owned();
    assert_ne!(salt(ana), salt(ben));
    for answer in &answers {
        for secret in ["horse", "argon2", &salt(ana), &salt(ben)] {
            assert!(!answer.text().contains(secret), "{}", answer.text());
        }
    }
}
