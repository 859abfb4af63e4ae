//! HEAD: as GET, without the body.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::app::spawn_app;
use crate::conformance::operations;
use crate::http;

#[test]
fn head_is_answered_as_get_is_without_the_body() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let game = ana.create(&app, &json!({"kind": "migraine", "seats": 2}));
    let bearer = format!("Bearer {}", ana.token);
    let headers = [("Authorization", bearer.as_str())];
    // Streams and what is counted are not the same twice.
    let changing = ["/v1/events", "/metrics"];
    let mut count = 0;
    for (_, path, _) in operations().filter(|(method, path, _)| method == "GET" && !changing.contains(path)) {
        let path = path.replace("{id}", &game).replace("{kind}", "migraine").replace("{file}", "page.js");
        let path = path.replace("inclusion", &format!("inclusion?game={game}")).replace("tency", "tency?from=0");
        let ask = |method| http::send(app.address, method, &path, &headers, b"");
        let (get, head) = (ask("GET"), ask("HEAD"));
        assert_eq!((head.status, head.body.as_slice()), (get.status, &b""[..]), "{path}");
        let kept = |answer: &http::Answer| {
            let same = |(name, _): &&(String, String)| !["date", "x-request-id"].contains(&name.as_str());
            answer.headers.iter().filter(same).cloned().collect::<std::collections::BTreeMap<_, _>>()
        };
        assert_eq!(kept(&head), kept(&get), "{path}");
        count += 1;
    }
    assert!(count > 15, "{count}");
    let refused = http::send(app.address, "HEAD", "/v1/tokens", &headers, b"");
    assert_eq!((refused.status, refused.header("allow")), (405, Some("DELETE, POST")));
}

#[test]
fn head_of_a_stream_ends() {
    let app = spawn_app();
    let token = app.guest("Ana").token;
    let mut stream = TcpStream::connect(app.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    let head = format!("HEAD /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200 ") && text.contains("text/event-stream"), "{text}");
    assert!(text.ends_with("\r\n\r\n") && text.matches("\r\n\r\n").count() == 1, "{text}");
}
