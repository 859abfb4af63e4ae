//! HTTP/1.1 by hand, one connection a request: whatever bytes a test wants to send, and whatever bytes come back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::conformance::{self, Asked};

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// In the order in which they came, as they were written.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header, its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("{why}: {} {}", self.status, self.text()))
    }

    /// The `code` of a problem.
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{} {}", self.status, self.text());
        self.json()["code"].as_str().unwrap().to_owned()
    }
}

/// Sends a request and checks the answer against the document. `Host`, `Content-Length` and `Connection` are added,
/// unless given.
pub fn call(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let answer = send(address, method, path, headers, body);
    conformance::check(&Asked { method, target: path, body }, &answer);
    answer
}

/// As [`call`], for an answer that is compared with another one that was checked.
pub fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    let length = body.len().to_string();
    let own = [("Host", "localhost"), ("Content-Length", length.as_str()), ("Connection", "close")];
    let given = |name: &str| headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
    for (name, value) in headers.iter().chain(own.iter().filter(|(name, _)| !given(name))) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    raw(address, &[head.as_bytes(), body].concat())
}

/// Sends these bytes and reads what is answered, to the end.
pub fn raw(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server that refuses a large request may close before it has read all of it.
    stream.write_all(request).ok();
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    parse(&bytes).unwrap_or_else(|| panic!("no answer: {read:?} {}", String::from_utf8_lossy(&bytes)))
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
    let mut answer = Answer { status, headers, body: bytes[end + 4..].to_vec() };
    if answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        answer.body = unchunk(&answer.body)?;
    }
    Some(answer)
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        rest = &rest[line + 2..];
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}
