//! A client of streams by hand: reads what comes, message by message, for as long as a test waits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a message may be on its way before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// SSE's `id`; `None` with NDJSON.
    pub id: Option<String>,
    /// SSE's `event`; `None` with NDJSON.
    pub name: Option<String>,
    pub data: Value,
}

/// A stream that is open.
pub struct Stream {
    reader: BufReader<TcpStream>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// What has come and was not taken.
    text: String,
    /// How many signs of life came.
    pub heartbeats: usize,
    sse: bool,
    ended: bool,
}

impl Stream {
    /// As Server-Sent Events.
    pub fn sse(address: SocketAddr, path: &str, token: Option<&str>, last: Option<u64>) -> Self {
        Self::open(address, path, "text/event-stream", token, last)
    }

    /// As a JSON value a line.
    pub fn ndjson(address: SocketAddr, path: &str, token: Option<&str>) -> Self {
        Self::open(address, path, "application/x-ndjson", token, None)
    }

    fn open(address: SocketAddr, path: &str, accept: &str, token: Option<&str>, last: Option<u64>) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n");
        if let Some(token) = token {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        if let Some(last) = last {
            head.push_str(&format!("Last-Event-ID: {last}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let status = line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let sse = accept == "text/event-stream";
        Self { reader, status, headers, text: String::new(), heartbeats: 0, sse, ended: false }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// Takes in the next chunk of the body; false at its end.
    fn read(&mut self) -> bool {
        let mut size = String::new();
        self.reader.read_line(&mut size).expect("something comes in time");
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        if size == 0 || self.reader.read_exact(&mut chunk).is_err() {
            self.ended = true;
            return false;
        }
        self.text.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
        true
    }

    /// The next message; `None` where the stream ends.
    pub fn next(&mut self) -> Option<Message> {
        let end = if self.sse { "\n\n" } else { "\n" };
        loop {
            if let Some(at) = self.text.find(end) {
                let rest = self.text.split_off(at + end.len());
                let block = std::mem::replace(&mut self.text, rest);
                match parse(block.trim_end(), self.sse) {
                    Some(message) => return Some(message),
                    None => self.heartbeats += 1,
                }
            } else if self.ended || !self.read() {
                assert_eq!(self.text, "", "a message is cut off");
                return None;
            }
        }
    }

    /// The next so many messages.
    pub fn take(&mut self, count: usize) -> Vec<Message> {
        (0..count).map(|_| self.next().expect("the stream goes on")).collect()
    }

    /// All that is left until the stream ends.
    pub fn rest(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Until the stream ends, which must be in this time.
    pub fn ends_within(&mut self, limit: Duration) -> Vec<Message> {
        let begin = Instant::now();
        let rest = self.rest();
        assert!(begin.elapsed() < limit, "{:?}", begin.elapsed());
        rest
    }
}

fn parse(block: &str, sse: bool) -> Option<Message> {
    if !sse {
        return (!block.is_empty()).then(|| Message {
            id: None,
            name: None,
            data: serde_json::from_str(block).unwrap(),
        });
    }
    let field = |name: &str| {
        let prefix = format!("{name}: ");
        block.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
    };
    let data = serde_json::from_str(&field("data")?).unwrap();
    Some(Message { id: field("id"), name: field("event"), data })
}
