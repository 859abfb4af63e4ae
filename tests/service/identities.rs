//! Outside identity providers: whose tokens are good here, and who they are.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use croupier::keys::SigningKey;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::app::{Setup, TestApp};
use crate::http::Answer;

const ISSUER: &str = "https://id.example";
const AUDIENCE: &str = "https://cards.example";
/// The moment at which every test begins, in seconds.
const NOW: i64 = 1_767_323_045;

/// Keys of tests alone.
const EC: &str = include_str!("identities/ec.pem");
const RSA: &str = include_str!("identities/rsa.pem");

/// A provider that publishes its keys on this machine.
struct Provider {
    address: SocketAddr,
    /// What it answers.
    keys: Arc<Mutex<Vec<u8>>>,
    /// How often it was asked.
    asked: Arc<AtomicUsize>,
}

impl Provider {
    fn new(keys: &Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let keys = Arc::new(Mutex::new(keys.to_string().into_bytes()));
        let asked = Arc::new(AtomicUsize::new(0));
        let (answers, count) = (Arc::clone(&keys), Arc::clone(&asked));
        // It ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                count.fetch_add(1, Ordering::SeqCst);
                let body = answers.lock().unwrap().clone();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(&[head.as_bytes(), &body].concat());
            }
        });
        Self { address, keys, asked }
    }

    fn publish(&self, keys: &Value) {
        *self.keys.lock().unwrap() = keys.to_string().into_bytes();
    }

    fn settings(&self) -> String {
        settings(&format!("http://{}/jwks", self.address))
    }
}

fn settings(jwks: &str) -> String {
    json!([{ "issuer": ISSUER, "audience": AUDIENCE, "jwks": jwks }]).to_string()
}

fn with(settings: &str) -> TestApp {
    Setup::with(&[("--identity-providers", settings)]).spawn()
}

fn ed(seed: u8) -> SigningKey {
    SigningKey::new(&[seed; 32])
}

fn ed_jwk(kid: &str, seed: u8) -> Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": ed(seed).public().to_string(), "use": "sig" })
}

fn jwk_of(kid: &str, pem: &str, algorithm: Algorithm) -> Value {
    let jwk = jsonwebtoken::jwk::Jwk::from_encoding_key(&encoding(pem, algorithm), algorithm).unwrap();
    let mut jwk = serde_json::to_value(jwk).unwrap();
    jwk["kid"] = json!(kid);
    jwk
}

fn encoding(pem: &str, algorithm: Algorithm) -> EncodingKey {
    match algorithm {
        Algorithm::ES256 => EncodingKey::from_ec_pem(pem.as_bytes()).unwrap(),
        _ => EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap(),
    }
}

fn claims(subject: &str) -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": subject, "exp": NOW + 3600, "iat": NOW - 10, "preferred_username": "Ana",
    })
}

fn part(value: &Value) -> String {
    BASE64.encode(value.to_string())
}

fn ed_token(kid: &str, seed: u8, claims: &Value) -> String {
    let message = format!("{}.{}", part(&json!({ "alg": "EdDSA", "typ": "JWT", "kid": kid })), part(claims));
    let signature = ed(seed).sign(message.as_bytes());
    format!("{message}.{signature}")
}

fn token(kid: &str, key: &EncodingKey, algorithm: Algorithm, claims: &Value) -> String {
    let mut header = Header::new(algorithm);
    header.kid = Some(kid.to_owned());
    jsonwebtoken::encode(&header, claims, key).unwrap()
}

fn me(app: &TestApp, token: &str) -> Answer {
    app.call("GET", "/v1/players/me", Some(token), None)
}

fn refused(app: &TestApp, token: &str, code: &str, what: &str) {
    let answer = me(app, token);
    assert_eq!((answer.status, answer.code().as_str()), (401, code), "{what}: {}", answer.text());
}

fn with_claim(claims: &Value, field: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(field)),
        value => claims[field] = value,
    }
    claims
}

#[test]
fn a_token_from_outside_makes_a_player_at_first_sight_and_finds_it_again() {
    let keys = json!({ "keys": [
        ed_jwk("ed", 1), jwk_of("ec", EC, Algorithm::ES256), jwk_of("rsa", RSA, Algorithm::RS256),
    ] });
    let provider = Provider::new(&keys);
    let app = with(&provider.settings());
    let other = app.another();
    let first = me(&app, &ed_token("ed", 1, &claims("ana"))).json();
    assert_eq!((&first["name"], &first["guest"]), (&json!("Ana"), &json!(false)));
    // The same somebody, whatever signs for it, on whichever instance.
    let (ec, rsa) = (encoding(EC, Algorithm::ES256), encoding(RSA, Algorithm::RS256));
    for token in
        [token("ec", &ec, Algorithm::ES256, &claims("ana")), token("rsa", &rsa, Algorithm::RS256, &claims("ana"))]
    {
        assert_eq!(me(&app, &token).json(), first);
        assert_eq!(me(&other, &token).json(), first);
    }
    // Somebody else with the same name gets one that is free, and so does who has none that can be one.
    let named = |subject: &str, name: &str| {
        let claims = with_claim(&claims(subject), "preferred_username", json!(name));
        me(&app, &ed_token("ed", 1, &claims)).json()["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(named("ben", "Ben"), "Ben");
    for name in [named("cid", "aNA"), named("dan", "\u{202e}"), named("eve", "")] {
        assert!(name.starts_with("Player "), "{name}");
    }
    let two = with_claim(&with_claim(&claims("fay"), "preferred_username", json!("Ana")), "name", json!("Fay"));
    assert_eq!(me(&app, &ed_token("ed", 1, &two)).json()["name"], "Fay");
    // It plays as anybody does, and can have a token of this service.
    let body = json!({ "kind": "migraine", "seats": 2 });
    let guest = crate::app::Guest {
        id: first["id"].as_str().unwrap().to_owned(),
        name: "Ana".to_owned(),
        token: ed_token("ed", 1, &claims("ana")),
    };
    let game = guest.create(&app, &body);
    assert_eq!(guest.post(&app, &format!("/v1/games/{game}/seats"), &json!({})).status, 201);
    let own = app.call("POST", "/v1/tokens", Some(&guest.token), None).json()["token"].as_str().unwrap().to_owned();
    assert_eq!(me(&other, &own).json(), first);
    // Without a password, nobody signs in under its name.
    let guess = json!({ "name": "Ana", "password": "correct horse" });
    assert_eq!(app.call("POST", "/v1/tokens", None, Some(&guess)).code(), "wrong_credentials");
}

#[test]
fn no_other_token_is_good() {
    let keys = json!({ "keys": [
        ed_jwk("ed", 1), jwk_of("ec", EC, Algorithm::ES256), jwk_of("rsa", RSA, Algorithm::RS256),
        with_claim(&ed_jwk("for another use", 4), "use", json!("enc")),
        { "kty": "oct", "kid": "shared", "k": BASE64.encode("a secret that is none") },
    ] });
    let provider = Provider::new(&keys);
    let app = with(&provider.settings());
    let good = claims("ana");
    assert_eq!(me(&app, &ed_token("ed", 1, &good)).status, 200, "the forger knows how");
    let of = |field: &str, value: Value| ed_token("ed", 1, &with_claim(&good, field, value));
    let (ec, rsa) = (encoding(EC, Algorithm::ES256), encoding(RSA, Algorithm::RS256));
    let parts = ed_token("ed", 1, &good);
    let parts: Vec<&str> = parts.split('.').collect();
    let n = BASE64.decode(keys["keys"][2]["n"].as_str().unwrap()).unwrap();
    let hs = |kid: &str, secret: &[u8]| token(kid, &EncodingKey::from_secret(secret).unwrap(), Algorithm::HS256, &good);
    let x = ed(1).public().to_string();
    for (what, token) in [
        ("another issuer", of("iss", json!("https://evil.example"))),
        ("our own issuer", of("iss", json!("croupier"))),
        ("no issuer", of("iss", Value::Null)),
        ("two issuers", of("iss", json!([ISSUER]))),
        ("another audience", of("aud", json!("https://evil.example"))),
        ("other audiences", of("aud", json!(["https://evil.example", "https://cards.example.evil.example"]))),
        ("no audience", of("aud", Value::Null)),
        ("no end", of("exp", Value::Null)),
        ("an end that is none", of("exp", json!("never"))),
        ("nobody", of("sub", Value::Null)),
        ("an empty subject", of("sub", json!(""))),
        ("a subject that no database holds", of("sub", json!("a\0"))),
        ("a long subject", of("sub", json!("x".repeat(256)))),
        ("no time of issue", of("iat", Value::Null)),
        ("issued later", of("iat", json!(NOW + 60))),
        ("not yet good", of("nbf", json!(NOW + 60))),
        ("another key", ed_token("ed", 2, &good)),
        ("an unknown key", ed_token("nobody's", 2, &good)),
        ("no key id", format!("{}.{}.{}", part(&json!({ "alg": "EdDSA" })), parts[1], parts[2])),
        ("a key for another use", ed_token("for another use", 4, &good)),
        ("alg none", format!("{}.{}.", part(&json!({ "alg": "none", "kid": "ed" })), parts[1])),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("a shared secret that is published", hs("shared", b"a secret that is none")),
        ("HS256 with the public key", hs("ed", ed(1).public().as_bytes())),
        ("HS256 with the public key's text", hs("ed", x.as_bytes())),
        ("HS256 with the modulus", hs("rsa", &n)),
        ("RS256 under the id of another key", token("ed", &rsa, Algorithm::RS256, &good)),
        ("ES256 under the id of another key", token("rsa", &ec, Algorithm::ES256, &good)),
        ("another algorithm than the key's", token("rsa", &rsa, Algorithm::RS512, &good)),
        ("padding that the key is not for", token("rsa", &rsa, Algorithm::PS256, &good)),
    ] {
        refused(&app, &token, "token_invalid", what);
    }
    refused(&app, &of("exp", json!(NOW)), "token_expired", "at its end");
    // One of several audiences is enough, and a clock may be a little ahead.
    assert_eq!(me(&app, &of("aud", json!(["another", AUDIENCE]))).status, 200);
    assert_eq!(me(&app, &of("iat", json!(NOW + 20))).status, 200);
    app.clock.advance(3600);
    refused(&app, &ed_token("ed", 1, &good), "token_expired", "after its end");
    // A service that names no provider takes no such token; its own are as good as before.
    let alone = Setup::default().spawn();
    refused(&alone, &ed_token("ed", 1, &good), "token_invalid", "a provider that nobody named");
    assert_eq!(me(&app, &app.guest("Zed").token).status, 200);
}

#[test]
fn a_provider_that_is_asked_for_unknown_keys_is_not_asked_for_each() {
    let provider = Provider::new(&json!({ "keys": [ed_jwk("ed", 1)] }));
    let app = with(&provider.settings());
    assert_eq!(me(&app, &ed_token("ed", 1, &claims("ana"))).status, 200);
    let before = provider.asked.load(Ordering::SeqCst);
    for i in 0..50 {
        refused(&app, &ed_token(&format!("unknown {i}"), 2, &claims("ana")), "token_invalid", "unknown");
    }
    let asked = provider.asked.load(Ordering::SeqCst) - before;
    assert!(asked <= 1, "it was asked {asked} times");
    // A new key is found once it may be asked again, and what is no longer published is no longer good.
    provider.publish(&json!({ "keys": [ed_jwk("new", 3)] }));
    app.until("the new key is known", || me(&app, &ed_token("new", 3, &claims("ana"))).status == 200);
    refused(&app, &ed_token("ed", 1, &claims("ana")), "token_invalid", "the old key");
    // A provider that talks nonsense takes nothing away.
    *provider.keys.lock().unwrap() = b"nonsense".to_vec();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(me(&app, &ed_token("new", 3, &claims("ana"))).status, 200);
}

#[test]
fn keys_in_a_file_are_read_again_when_it_changes() {
    let folder = crate::app::TestFolder::new();
    let file = folder.0.join("keys.json");
    std::fs::write(&file, json!({ "keys": [ed_jwk("old", 1)] }).to_string()).unwrap();
    let listed = folder.0.join("providers.json");
    std::fs::write(&listed, settings(&file.display().to_string())).unwrap();
    let app = with(&listed.display().to_string());
    let ana = me(&app, &ed_token("old", 1, &claims("ana"))).json();
    refused(&app, &ed_token("new", 2, &claims("ana")), "token_invalid", "not yet published");
    std::fs::write(&file, json!({ "keys": [ed_jwk("new", 2)] }).to_string()).unwrap();
    app.until("the new key is known", || me(&app, &ed_token("new", 2, &claims("ana"))).status == 200);
    assert_eq!(me(&app, &ed_token("new", 2, &claims("ana"))).json(), ana);
    // Also one that was good a moment ago.
    refused(&app, &ed_token("old", 1, &claims("ana")), "token_invalid", "the old key");
    // A file that is gone takes nothing away; but nobody starts without it.
    std::fs::remove_file(&file).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(me(&app, &ed_token("new", 2, &claims("ana"))).status, 200);
    assert!(app.another_fails().contains("the identity providers can't be used"));
}

#[test]
fn at_first_sight_on_many_instances_at_once_there_is_one_player() {
    let provider = Provider::new(&json!({ "keys": [ed_jwk("ed", 1)] }));
    let app = Setup { workers: 2, ..Setup::with(&[("--identity-providers", &provider.settings())]) }.spawn();
    let apps = [app.another(), app];
    for round in 0..5 {
        let token = ed_token("ed", 1, &with_claim(&claims(&format!("somebody {round}")), "name", json!("Zoe")));
        let seen: Vec<Value> = std::thread::scope(|scope| {
            let ask = |i: usize| {
                let (app, token) = (&apps[i % 2], &token);
                scope.spawn(move || {
                    let answer = me(app, token);
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    answer.json()
                })
            };
            let asked: Vec<_> = (0..16).map(ask).collect();
            asked.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|player| *player == seen[0]), "{seen:?}");
    }
    let players = crate::support::query(&apps[0].database().owner_url, "SELECT name FROM players ORDER BY 1");
    assert_eq!(players.len(), 5, "{players:?}");
}

#[test]
fn ending_ones_tokens_ends_those_from_outside_everywhere() {
    let provider = Provider::new(&json!({ "keys": [ed_jwk("ed", 1)] }));
    let app = with(&provider.settings());
    let other = app.another();
    let old = ed_token("ed", 1, &with_claim(&claims("ana"), "iat", json!(NOW)));
    let ben = ed_token("ed", 1, &with_claim(&claims("ben"), "preferred_username", json!("Ben")));
    for token in [&old, &ben] {
        assert!([&app, &other].iter().all(|instance| me(instance, token).status == 200));
    }
    let own = app.call("POST", "/v1/tokens", Some(&old), None).json()["token"].as_str().unwrap().to_owned();
    assert_eq!(app.call("DELETE", "/v1/tokens", Some(&old), None).status, 204);
    refused(&app, &old, "token_ended", "here");
    let ended = Instant::now();
    other.until("the other instance obeys", || me(&other, &old).status == 401);
    assert!(ended.elapsed() < Duration::from_secs(5), "{:?}", ended.elapsed());
    refused(&other, &own, "token_ended", "one of our own");
    // One that was issued later is good; nobody else's ended.
    app.clock.advance(2);
    let new = ed_token("ed", 1, &with_claim(&claims("ana"), "iat", json!(NOW + 1)));
    for instance in [&app, &other] {
        assert_eq!(me(instance, &new).status, 200);
        assert_eq!(me(instance, &ben).status, 200);
        refused(instance, &old, "token_ended", "the old one");
    }
}

#[test]
fn providers_that_can_t_be_used_are_told_at_the_start() {
    for (settings, why) in [
        ("[", "JSON"),
        ("/nowhere/providers.json", "/nowhere/providers.json"),
        (r#"[{ "issuer": "x", "audience": "y" }]"#, "jwks"),
        (r#"[{ "issuer": "x", "audience": "y", "jwks": "http://id.example/" }]"#, "https://"),
        (r#"[{ "issuer": "croupier", "audience": "y", "jwks": "https://id.example/" }]"#, "issuer"),
    ] {
        let app = Setup::default().spawn();
        let error = app.another_with(&[("--identity-providers", settings)]);
        assert!(error.contains("identity providers can't be used") && error.contains(why), "{settings}: {error}");
    }
}
