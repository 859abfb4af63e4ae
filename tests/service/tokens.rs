//! Tokens: renewing and ending them, and all that is none; the published keys.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use croupier::keys::SigningKey;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::clients::hex;
use crate::http::{self, Answer};

const WEEK: u32 = 7 * 24 * 3600;

fn me(app: &TestApp, token: &str) -> Answer {
    app.call("GET", "/v1/players/me", Some(token), None)
}

fn renew(app: &TestApp, token: &str) -> Answer {
    app.call("POST", "/v1/tokens", Some(token), None)
}

fn refused(answer: &Answer, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (401, code), "{}", answer.text());
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
}

#[test]
fn ana_plays_on_with_a_token_that_she_renews_in_time() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    app.clock.advance(WEEK - 1);
    assert_eq!(me(&app, &ana.token).status, 200);
    let answer = renew(&app, &ana.token);
    assert_eq!((answer.status, answer.header("cache-control")), (201, Some("no-store")));
    let renewed = answer.json()["token"].as_str().unwrap().to_owned();
    // A body that says nothing is none.
    assert_eq!(app.call("POST", "/v1/tokens", Some(&ana.token), Some(&Value::Null)).status, 201);
    app.clock.advance(1);
    refused(&me(&app, &ana.token), "token_expired");
    refused(&renew(&app, &ana.token), "token_expired");
    refused(&app.call("DELETE", "/v1/tokens", Some(&ana.token), None), "token_expired");
    assert_eq!(me(&app, &renewed).json()["id"], ana.id);
    refused(&app.call("POST", "/v1/tokens", None, None), "token_missing");
}

#[test]
fn ana_ends_all_her_tokens_and_nobody_elses() {
    let app = spawn_app();
    let other = app.another();
    let credentials = json!({ "name": "Ana", "password": "correct horse" });
    let first = app.call("POST", "/v1/players", None, Some(&credentials)).json()["token"].as_str().unwrap().to_owned();
    let second = renew(&app, &first).json()["token"].as_str().unwrap().to_owned();
    let ben = app.guest("Ben");
    // No token beside her password matters, Ben's or one that is none: a front end may send its old one with everything.
    for token in [&*ben.token, "x"] {
        assert_eq!(app.call("POST", "/v1/tokens", Some(token), Some(&credentials)).status, 201);
    }
    let wrong = json!({ "name": "Ana", "password": "wrong horse" });
    refused(&app.call("POST", "/v1/tokens", Some(&first), Some(&wrong)), "wrong_credentials");

    // Both instances have seen her tokens, and remember them.
    assert!([&app, &other].iter().all(|instance| me(instance, &first).status == 200));
    let answer = app.call("DELETE", "/v1/tokens", Some(&second), None);
    assert_eq!((answer.status, answer.body.as_slice()), (204, &b""[..]));
    refused(&me(&app, &first), "token_ended");
    let ended = std::time::Instant::now();
    other.until("the other instance obeys", || me(&other, &first).status == 401);
    assert!(ended.elapsed() < std::time::Duration::from_secs(5), "{:?}", ended.elapsed());
    for instance in [&app, &other] {
        for token in [&first, &second] {
            refused(&me(instance, token), "token_ended");
            refused(&renew(instance, token), "token_ended");
            refused(&instance.call("GET", "/v1/games", Some(token), None), "token_ended");
        }
        assert_eq!(me(instance, &ben.token).status, 200);
    }
    refused(&app.call("DELETE", "/v1/tokens", Some(&second), None), "token_ended");
    let third = other.call("POST", "/v1/tokens", None, Some(&credentials)).json()["token"].as_str().unwrap().to_owned();
    assert_eq!(me(&app, &third).status, 200);
}

/// The service's own keys, from the file in which it keeps them.
fn secret(app: &TestApp, usage: &str) -> SigningKey {
    let file = std::fs::read(app.folder().join("keys.json")).unwrap();
    let text = serde_json::from_slice::<Value>(&file).unwrap()[usage][0]["secret"].as_str().unwrap().to_owned();
    let bytes = (0..32).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect::<Vec<_>>();
    SigningKey::new(&bytes.try_into().unwrap())
}

fn part(value: &Value) -> String {
    BASE64.encode(value.to_string())
}

fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", part(header), part(claims));
    let signature = key.sign(message.as_bytes());
    format!("{message}.{signature}")
}

fn hs256(secret: &[u8], header: &Value, claims: &Value) -> String {
    use jsonwebtoken::{Algorithm, EncodingKey, Header};
    let mut head = Header::new(Algorithm::HS256);
    head.kid = header["kid"].as_str().map(str::to_owned);
    jsonwebtoken::encode(&head, claims, &EncodingKey::from_secret(secret).unwrap()).unwrap()
}

fn with(value: &Value, field: &str, new: Value) -> Value {
    let mut value = value.clone();
    match new {
        Value::Null => drop(value.as_object_mut().unwrap().remove(field)),
        new => value[field] = new,
    }
    value
}

#[test]
fn no_forged_token_is_good_anywhere() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let game = ana.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    let parts = ana.token.split('.').collect::<Vec<_>>();
    let read = |part: &str| serde_json::from_slice::<Value>(&BASE64.decode(part).unwrap()).unwrap();
    let (header, claims) = (read(parts[0]), read(parts[1]));
    let (token_key, event_key) = (secret(&app, "token"), secret(&app, "event"));
    let other_key = SigningKey::new(&[7; 32]);
    let kid = |key: &SigningKey| json!(key.public().id());
    assert_eq!(me(&app, &signed(&token_key, &header, &claims)).status, 200, "the forger knows how");
    let x = token_key.public().to_string();
    let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": other_key.public().to_string() });
    let claim = |field, value| signed(&token_key, &header, &with(&claims, field, value));
    let head = |field, value| signed(&token_key, &with(&header, field, value), &claims);
    let forged = [
        ("alg none", format!("{}.{}.", part(&with(&header, "alg", json!("none"))), parts[1])),
        (
            "alg none, and a signature",
            format!("{}.{}.{}", part(&with(&header, "alg", json!("None"))), parts[1], parts[2]),
        ),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("no signature at all", format!("{}.{}", parts[0], parts[1])),
        ("HS256 with the public key", hs256(token_key.public().as_bytes(), &header, &claims)),
        ("HS256 with the public key's text", hs256(x.as_bytes(), &header, &claims)),
        ("another algorithm's name", head("alg", json!("ES256"))),
        ("no key id", head("kid", Value::Null)),
        ("a key id that nobody knows", head("kid", kid(&other_key))),
        ("a key id that is none", head("kid", json!("../../dev/null"))),
        ("another key under this id", signed(&other_key, &header, &claims)),
        ("another key, and itself in the header", signed(&other_key, &with(&header, "jwk", jwk), &claims)),
        ("the key of events", signed(&event_key, &with(&header, "kid", kid(&event_key)), &claims)),
        ("the key of events under the id of this", signed(&event_key, &header, &claims)),
        ("another issuer", claim("iss", json!("somebody"))),
        ("no issuer", claim("iss", Value::Null)),
        ("another audience", claim("aud", json!("somebody"))),
        ("no audience", claim("aud", Value::Null)),
        ("no end", claim("exp", Value::Null)),
        ("an end that is none", claim("exp", json!("never"))),
        ("another scope", claim("scope", json!("admin"))),
        ("no scope", claim("scope", Value::Null)),
        ("nobody", claim("sub", Value::Null)),
        ("a subject that is no player", claim("sub", json!("ana"))),
        ("a player that does not exist", claim("sub", json!("01980000-0000-7000-8000-000000000000"))),
        ("an id of another form", claim("sub", json!(ana.id.to_uppercase()))),
        ("another player's claims", format!("{}.{}.{}", parts[0], part(&with(&claims, "sub", json!("x"))), parts[2])),
        ("padding", format!("{}=", ana.token)),
        ("one byte more", format!("{}A", ana.token)),
        ("a part more", format!("{}.{}", ana.token, parts[2])),
        ("dots", "..".to_owned()),
        ("a word", "x".to_owned()),
        ("a name", "Ana".to_owned()),
        ("a long word", "x".repeat(20_000)),
    ];
    for (what, token) in &forged {
        for path in ["/v1/players/me", "/v1/games", &format!("/v1/games/{game}"), &format!("/v1/games/{game}/view")] {
            let answer = app.call("GET", path, Some(token), None);
            assert_eq!((answer.status, answer.code().as_str()), (401, "token_invalid"), "{what}: {path}");
        }
        refused(&renew(&app, token), "token_invalid");
        refused(&app.call("DELETE", &format!("/v1/games/{game}"), Some(token), None), "token_invalid");
    }
    // Good but for its end, whatever else is claimed.
    refused(&me(&app, &claim("exp", json!(0))), "token_expired");
    // A generation that is not hers: no token of hers says so.
    refused(&me(&app, &claim("generation", json!(1))), "token_ended");
    assert_eq!(me(&app, &ana.token).status, 200);
}

#[test]
fn a_token_comes_in_one_authorization_header_and_nowhere_else() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let ask = |path: &str, headers: &[(&str, &str)]| http::call(app.address, "GET", path, headers, b"");
    let bearer = format!("Bearer {}", ana.token);
    for good in [&bearer, &bearer.replace("Bearer", "bearer"), &bearer.replace("Bearer ", "BEARER  ")] {
        assert_eq!(ask("/v1/players/me", &[("Authorization", good)]).status, 200, "{good}");
    }
    let basic = format!("Basic {}", BASE64.encode("Ana:correct horse"));
    for bad in ["", "Bearer", "Bearer ", &ana.token, &basic, "Bearer ä", &format!("{bearer}, {bearer}"), "Token x"] {
        refused(&ask("/v1/players/me", &[("Authorization", bad)]), "token_invalid");
        refused(&ask("/v1/games", &[("Authorization", bad)]), "token_invalid");
    }
    let twice = [("Authorization", bearer.as_str()), ("Authorization", bearer.as_str())];
    refused(&ask("/v1/players/me", &twice), "token_invalid");
    refused(&ask("/v1/games", &[("Authorization", "Basic x"), ("Authorization", &bearer)]), "token_invalid");
    refused(&ask(&format!("/v1/players/me?token={0}&access_token={0}", ana.token), &[]), "token_missing");
    refused(&ask("/v1/players/me", &[("Cookie", &format!("token={}", ana.token))]), "token_missing");
}

#[test]
fn the_published_keys_are_public_halves_alone_and_never_fewer() {
    let app = spawn_app();
    let answer = app.get("/.well-known/jwks.json");
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let keys = answer.json()["keys"].as_array().unwrap().clone();
    let mut uses = Vec::new();
    for key in &keys {
        let names = key.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["alg", "croupier_use", "crv", "kid", "kty", "not_after", "not_before", "use", "x"]);
        let usage = key["croupier_use"].as_str().unwrap();
        let public = secret(&app, usage).public();
        assert_eq!((&key["x"], &key["kid"]), (&json!(public), &json!(public.id())));
        let fixed = (&key["kty"], &key["crv"], &key["alg"], &key["use"]);
        assert_eq!(fixed, (&json!("OKP"), &json!("Ed25519"), &json!("EdDSA"), &json!("sig")));
        uses.push(usage);
    }
    uses.sort_unstable();
    assert_eq!(uses, ["checkpoint", "event", "token"]);
    let file = std::fs::read_to_string(app.folder().join("keys.json")).unwrap();
    let file = serde_json::from_str::<Value>(&file).unwrap();
    let mut secrets = Vec::new();
    for usage in ["event", "token", "checkpoint"] {
        secrets.push(file[usage][0]["secret"].as_str().unwrap().to_owned());
    }
    secrets.push(file["secrets"][0].as_str().unwrap().to_owned());
    assert!(secrets.iter().all(|secret| secret.len() == 64 && !answer.text().contains(secret.as_str())));
    assert!(!answer.text().contains(&hex(secret(&app, "event").public().as_bytes())));

    // Another instance has the same; one with other keys publishes them beside the old ones, which stay good.
    assert_eq!(app.another().get("/.well-known/jwks.json").json()["keys"], json!(keys));
    std::fs::remove_file(app.folder().join("keys.json")).unwrap();
    let other = app.another();
    let all = other.get("/.well-known/jwks.json").json()["keys"].as_array().unwrap().clone();
    assert!(all.len() == 6 && keys.iter().all(|key| all.contains(key)), "{all:?}");
    let ana = app.guest("Ana");
    assert_eq!(me(&other, &ana.token).status, 200);
}
