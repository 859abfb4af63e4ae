//! Those who dribble, send too much or something else than it seems, by hand over TCP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::app::{TestApp, spawn_app};
use crate::conformance::{self, Asked};
use crate::http::{self, Answer};

/// Sends this, then a byte every now and then, and reads until the other end has had enough: how long that took, and
/// what came.
fn dribble(address: SocketAddr, first: &str, drop: &[u8]) -> (Duration, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let begin = Instant::now();
    stream.write_all(first.as_bytes()).unwrap();
    let mut other = stream.try_clone().unwrap();
    let drop = drop.to_vec();
    let dribbling = std::thread::spawn(move || {
        while begin.elapsed() < Duration::from_secs(40) && (drop.is_empty() || other.write_all(&drop).is_ok()) {
            std::thread::sleep(Duration::from_millis(250));
        }
    });
    stream.set_read_timeout(Some(Duration::from_secs(38))).unwrap();
    let mut bytes = Vec::new();
    // A connection that is cut is at its end too.
    let mut buffer = [0; 4096];
    let mut took = None;
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            took = Some(begin.elapsed());
            break;
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    let took = took.unwrap_or_else(|| begin.elapsed());
    drop_connection(&stream);
    if took < Duration::from_secs(37) {
        // What is not cut would go on.
        dribbling.join().unwrap();
    }
    (took, String::from_utf8_lossy(&bytes).into_owned())
}

fn drop_connection(stream: &TcpStream) {
    stream.shutdown(std::net::Shutdown::Both).ok();
}

fn between(took: Duration, least: u64, most: u64, what: &str) {
    assert!((least..=most).contains(&took.as_secs()), "{what}: {took:?}");
}

#[test]
fn whoever_takes_too_long_is_told_so_and_cut() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let address = app.address;
    let post = |path: &str, token: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{token}Content-Length: 60000\r\n\r\n"
        )
    };
    let bearer = format!("Authorization: Bearer {}\r\nIdempotency-Key: {}\r\n", ana.token, crate::story::fresh_uuid());
    let chunked = "POST /v1/players HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                   Transfer-Encoding: chunked\r\n\r\n";
    let two = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nX-A: ";
    std::thread::scope(|scope| {
        // The head of a request has 5 s.
        scope.spawn(|| {
            let (took, text) = dribble(address, "GET /livez HTTP/1.1\r\nHost: loc", b"a");
            between(took, 4, 8, "a head");
            assert!(text.starts_with("HTTP/1.1 408 "), "{text}");
        });
        scope.spawn(|| between(dribble(address, "", b"").0, 4, 8, "nothing at all"));
        scope.spawn(|| {
            let (took, text) = dribble(address, two, b"a");
            between(took, 4, 26, "a second head");
            assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        });
        // A connection idles for 10 s.
        scope.spawn(|| {
            let (took, text) = dribble(address, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", b"");
            between(took, 9, 13, "keep-alive");
            assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        });
        // A body has 10 s.
        for (what, most, first, drop) in [
            ("a body", 13, post("/v1/players", ""), &b" "[..]),
            ("a body of somebody", 13, post("/v1/games", &bearer), b" "),
            ("a body in chunks", 36, chunked.to_owned(), b"1\r\n \r\n"),
            ("a body that does not come", 13, post("/v1/tokens", ""), b""),
        ] {
            scope.spawn(move || {
                let (took, text) = dribble(address, &first, drop);
                // The rest of one in chunks is thrown away, but not for ever.
                between(took, 9, most, what);
                assert!(text.starts_with("HTTP/1.1 408 ") && text.contains("\"code\":\"request_timeout\""), "{text}");
            });
        }
        // Who need not wait for a body does not.
        for (what, first) in [
            ("no route", post("/nowhere", "")),
            ("a bad token", post("/v1/games", "Authorization: Bearer x\r\n")),
            ("no body is taken", post("/v1/games/019b7a5d-0f3e-76bd-ae5c-76030dd90abe/start", &bearer)),
        ] {
            scope.spawn(move || {
                let (took, text) = dribble(address, &first, b" ");
                between(took, 0, 13, what);
                assert!(text.starts_with("HTTP/1.1 40"), "{text}");
            });
        }
        // They are in nobody's way.
        let begin = Instant::now();
        assert!((0..100).all(|_| app.get("/v1/rules").status == 200));
        assert!(begin.elapsed() < Duration::from_secs(10));
    });
}

#[test]
fn a_head_has_at_most_128_kib_and_96_headers() {
    let app = spawn_app();
    let status = |head: String| {
        let answer = http::raw(
            app.address,
            format!("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n").as_bytes(),
        );
        answer.status
    };
    assert_eq!(status(format!("X-A: {}\r\n", "a".repeat(60_000))), 200);
    assert_eq!(status(format!("X-A: {}\r\n", "a".repeat(140_000))), 431);
    assert_eq!(status((0..90).map(|i| format!("X-{i}: a\r\n")).collect()), 200);
    assert!((400..500).contains(&status((0..100).map(|i| format!("X-{i}: a\r\n")).collect())));
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "a".repeat(140_000));
    assert_eq!(http::raw(app.address, long.as_bytes()).status, 431);
}

/// A body that unpacks to far more than it is.
fn packed() -> Vec<u8> {
    // Gzip, stored as one block that repeats: what it unpacks to does not matter, for nobody unpacks it.
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    bytes.extend([0xed; 1000]);
    bytes
}

fn send(app: &TestApp, coding: &[(&str, &str)], body: &[u8]) -> Answer {
    let headers = [&[("Content-Type", "application/json")], coding].concat();
    let answer = http::send(app.address, "POST", "/v1/players", &headers, body);
    conformance::check(&Asked { method: "POST", target: "/v1/players", body }, &answer);
    answer
}

#[test]
fn nothing_is_unpacked() {
    let app = spawn_app();
    let body = json!({ "name": "Ana" }).to_string();
    for coding in
        ["gzip", "deflate", "br", "zstd", "x-gzip", "gzip, identity", "identity, gzip", "GZIP", "", "nonsense"]
    {
        for bytes in [&packed()[..], body.as_bytes()] {
            let answer = send(&app, &[("Content-Encoding", coding)], bytes);
            assert_eq!((answer.status, answer.code().as_str()), (415, "unsupported_media_type"), "{coding}");
        }
    }
    let twice = [("Content-Encoding", "identity"), ("Content-Encoding", "gzip")];
    assert_eq!(send(&app, &twice, body.as_bytes()).status, 415);
    let audit = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
    assert_eq!(http::call(app.address, "POST", "/v1/audits", &audit, &packed()).status, 415);
    assert_eq!(send(&app, &[("Content-Encoding", "identity")], body.as_bytes()).status, 201);
}

#[test]
fn values_are_nested_at_most_64_deep() {
    let app = spawn_app();
    let nested = |depth: usize| format!("{{\"name\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(send(&app, &[], nested(62).as_bytes()).code(), "invalid_body");
    assert_eq!(send(&app, &[], nested(64).as_bytes()).code(), "malformed_json");
}
