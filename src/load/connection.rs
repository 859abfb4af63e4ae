//! HTTP/1.1 over one connection that is kept: one request after the other, or one answer that goes on and on.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long the head of an answer may be, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// How many headers an answer may have.
const MAX_HEADERS: usize = 64;
/// How much to make room for at each read.
const READ: usize = 4096;

/// A connection.
pub struct Connection {
    stream: TcpStream,
    /// What came and was not taken yet, from `body_start` on the body of the newest answer.
    buffer: Vec<u8>,
    body_start: usize,
    body_end: usize,
    /// What was answered to so far.
    answers: u64,
}

/// How long a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Bytes(usize),
    Chunked,
}

/// What stands at the head of an answer.
struct Head {
    status: u16,
    length: Length,
    /// Where the body begins.
    end: usize,
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    ///
    /// When nobody answers there.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new(), body_start: 0, body_end: 0, answers: 0 })
    }

    /// Whether something was answered on it, so that the other side may have closed it since, for it was idle.
    pub fn is_used(&self) -> bool {
        self.answers > 0
    }

    /// Sends a request and reads the whole answer. The status; [`Connection::body`] is the rest.
    ///
    /// # Errors
    ///
    /// When the connection is lost, or what comes is not HTTP; it is of no use any more then.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        let head = self.send(request).await?;
        match head.length {
            Length::Bytes(length) => {
                let end = head.end.checked_add(length).ok_or(invalid("an endless answer"))?;
                while self.buffer.len() < end {
                    self.read().await?;
                }
                (self.body_start, self.body_end) = (head.end, end);
            }
            Length::Chunked => {
                let mut body = Vec::new();
                self.body_end = head.end;
                while let Some(chunk) = self.chunk().await? {
                    body.extend_from_slice(chunk);
                }
                self.buffer.drain(..self.body_end);
                (self.body_start, self.body_end) = (0, body.len());
                self.buffer.splice(0..0, body);
            }
        }
        self.answers += 1;
        Ok(head.status)
    }

    /// Sends a request whose answer goes on: the status, once its head is there. The rest comes by
    /// [`Connection::chunk`].
    ///
    /// # Errors
    ///
    /// As [`Connection::ask`]; and where the answer has a length, which it then reads and drops.
    pub async fn open_stream(&mut self, request: &[u8]) -> io::Result<u16> {
        let head = self.send(request).await?;
        match head.length {
            Length::Chunked => self.body_end = head.end,
            Length::Bytes(_) if head.status == 200 => return Err(invalid("an answer that does not go on")),
            // Of a refusal only the status counts.
            Length::Bytes(_) => {}
        }
        Ok(head.status)
    }

    /// The body of the newest answer.
    pub fn body(&self) -> &[u8] {
        self.buffer.get(self.body_start..self.body_end).unwrap_or_default()
    }

    async fn send(&mut self, request: &[u8]) -> io::Result<Head> {
        // Nothing is left but what belongs to no answer: a peer that sends such is none of ours.
        self.buffer.clear();
        (self.body_start, self.body_end) = (0, 0);
        self.stream.write_all(request).await?;
        loop {
            self.read().await?;
            if let Some(head) = read_head(&self.buffer)? {
                return Ok(head);
            }
            if self.buffer.len() > MAX_HEAD {
                return Err(invalid("a head without an end"));
            }
        }
    }

    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(READ);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// The next chunk of an answer that goes on; `None` at its end (RFC 9112, 7.1).
    ///
    /// # Errors
    ///
    /// When the connection is lost before the end, or what comes is no chunk.
    pub async fn chunk(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.drain(..self.body_end);
        (self.body_start, self.body_end) = (0, 0);
        let (start, size) = loop {
            match httparse::parse_chunk_size(&self.buffer) {
                Ok(httparse::Status::Complete(found)) => break found,
                Ok(httparse::Status::Partial) => self.read().await?,
                Err(_) => return Err(invalid("no chunk")),
            }
        };
        let size = usize::try_from(size).map_err(|_| invalid("an endless chunk"))?;
        let end = start.checked_add(size).ok_or(invalid("an endless chunk"))?;
        let next = end.checked_add(2).ok_or(invalid("an endless chunk"))?;
        while self.buffer.len() < next {
            self.read().await?;
        }
        self.body_end = next;
        Ok(if size == 0 { None } else { self.buffer.get(start..end) })
    }
}

/// The head of an answer, if all of it is there.
fn read_head(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let end = match response.parse(bytes) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(invalid("no HTTP")),
    };
    let status = response.code.ok_or(invalid("no status"))?;
    let mut length = Length::Bytes(0);
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok());
            length = Length::Bytes(text.ok_or(invalid("no length"))?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            length = Length::Chunked;
            break;
        }
    }
    Ok(Some(Head { status, length, end }))
}

#[cfg(test)]
mod tests {
    use super::Connection;
    use std::io::{self, Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;

    /// Somebody who answers each request with the next of these pieces, one write each, and then hangs up.
    fn answering(answers: &'static [&'static [&'static str]]) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        thread::spawn(move || -> io::Result<()> {
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            for answer in answers {
                let mut request = [0; 16];
                stream.read_exact(&mut request)?;
                for piece in *answer {
                    stream.write_all(piece.as_bytes())?;
                    thread::sleep(std::time::Duration::from_millis(2));
                }
            }
            Ok(())
        });
        Ok(address)
    }

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\n";

    fn block_on<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
    }

    #[test]
    fn one_answer_comes_after_the_other_however_they_are_cut() -> io::Result<()> {
        let address = answering(&[
            &["HTTP/1.1 200 OK\r\ncontent-le", "ngth: 5\r\n\r", "\nab", "cde"],
            &["HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r", "\nabc\r\n2\r\nd", "e\r\n0\r\n\r\n"],
            &["HTTP/1.1 204 No Content\r\n\r\n"],
            &["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"],
        ])?;
        block_on(async {
            let mut connection = Connection::open(address).await?;
            assert!(!connection.is_used());
            assert_eq!((connection.ask(REQUEST).await?, connection.body()), (200, &b"abcde"[..]));
            assert!(connection.is_used());
            assert_eq!((connection.ask(REQUEST).await?, connection.body()), (409, &b"abcde"[..]));
            assert_eq!((connection.ask(REQUEST).await?, connection.body()), (204, &b""[..]));
            assert_eq!(connection.ask(REQUEST).await.map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
            Ok(())
        })
    }

    #[test]
    fn a_stream_comes_in_chunks_and_its_loss_is_no_end() -> io::Result<()> {
        let whole: &[&[&str]] = &[&["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab", "\r\n0\r\n\r\n"]];
        let lost: &[&[&str]] = &[&["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n"]];
        for (answers, ends) in [(whole, true), (lost, false)] {
            let address = answering(answers)?;
            block_on(async {
                let mut connection = Connection::open(address).await?;
                assert_eq!(connection.open_stream(REQUEST).await?, 200);
                assert_eq!(connection.chunk().await?, Some(&b"ab"[..]));
                assert_eq!(connection.chunk().await.is_ok_and(|chunk| chunk.is_none()), ends);
                Ok(())
            })?;
        }
        Ok(())
    }

    #[test]
    fn what_is_no_http_is_an_error() -> io::Result<()> {
        for answer in [
            &["SSH-2.0-x\r\n\r\n"][..],
            &["HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"],
            &["HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\n"],
            &["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n"],
        ] {
            let address = answering(Box::leak(Box::new([answer])))?;
            let failed = block_on(async { Connection::open(address).await?.ask(REQUEST).await });
            assert!(failed.is_err(), "{answer:?}");
        }
        Ok(())
    }
}
