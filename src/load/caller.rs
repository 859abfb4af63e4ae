//! A caller that does not give up: when an instance dies, it asks the next one the same again.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::LoadError;
use super::connection::Connection;
use super::scan::text_member;
use super::tally::{Progress, Tally};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait before a request goes out again where nobody answers, or the answer was to come later.
const PAUSE: Duration = Duration::from_millis(20);

/// What all callers of a thread share.
#[derive(Clone)]
pub struct House {
    /// Where the instances are.
    pub addresses: Arc<[SocketAddr]>,
    /// How long to go on where no instance answers.
    pub patience: Duration,
    /// How many tables may ask at once, if not all; they take turns then.
    pub turns: Option<Rc<Semaphore>>,
    /// Connections that nobody needs now, by instance.
    pub idle: Rc<RefCell<Vec<Vec<Connection>>>>,
    /// What is counted.
    pub tally: Rc<RefCell<Tally>>,
    /// What is told meanwhile.
    pub progress: Arc<Progress>,
}

/// One connection to one of the instances, and what to do when it is lost.
pub struct Caller {
    house: House,
    /// Which instance.
    at: usize,
    connection: Option<Connection>,
}

/// Puts a request together; the body follows right after.
pub fn request(method: &str, path: &str, token: Option<&str>, headers: &str, body: &str) -> Vec<u8> {
    let authorization = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let body_headers = match method {
        "GET" => String::new(),
        _ => format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()),
    };
    format!("{method} {path} HTTP/1.1\r\nHost: croupier\r\n{authorization}{headers}{body_headers}\r\n{body}")
        .into_bytes()
}

impl Caller {
    /// Asks the instance of this number first.
    pub fn new(house: House, at: usize) -> Self {
        let at = at % house.addresses.len().max(1);
        Self { house, at, connection: None }
    }

    /// Sends a request until some instance answers it. To be used for what is safe to repeat, as all writes are here.
    /// The status; the rest is [`Caller::body`].
    ///
    /// # Errors
    ///
    /// When no instance answers for as long as the house is patient.
    pub async fn ask(&mut self, request: &[u8]) -> Result<u16, LoadError> {
        let mut since = None;
        loop {
            match self.try_once(request).await {
                Some(status) if status != 503 && status != 429 => return Ok(status),
                answer => {
                    // Read only where something went wrong: most requests are answered at once.
                    let since = *since.get_or_insert_with(Instant::now);
                    if since.elapsed() > self.house.patience {
                        return Err(LoadError::NobodyAnswers);
                    }
                    self.house.tally.borrow_mut().retries += 1;
                    Progress::count(&self.house.progress.retries);
                    if let Some(status) = answer {
                        let code = self.code();
                        self.house.tally.borrow_mut().error(status, &code);
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// The status, or nothing where the connection was lost.
    async fn try_once(&mut self, request: &[u8]) -> Option<u16> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        match tokio::time::timeout(TIMEOUT, connection.ask(request)).await {
            Ok(Ok(status)) => {
                self.connection = Some(connection);
                Some(status)
            }
            Ok(Err(_)) if connection.is_used() => {
                // It may be just this connection, so the same instance is asked once more.
                self.house.tally.borrow_mut().reconnects += 1;
                None
            }
            Ok(Err(_)) | Err(_) => {
                self.turn_to_the_next();
                None
            }
        }
    }

    /// Gives the connection back, for others to use.
    pub fn release(&mut self) {
        if let (Some(connection), Some(idle)) = (self.connection.take(), self.house.idle.borrow_mut().get_mut(self.at))
        {
            idle.push(connection);
        }
    }

    async fn connect(&mut self) -> Option<Connection> {
        let idle = self.house.idle.borrow_mut().get_mut(self.at).and_then(Vec::pop);
        if idle.is_some() {
            return idle;
        }
        let address = *self.house.addresses.get(self.at)?;
        match tokio::time::timeout(TIMEOUT, Connection::open(address)).await {
            Ok(Ok(connection)) => Some(connection),
            Ok(Err(_)) | Err(_) => {
                self.turn_to_the_next();
                tokio::time::sleep(PAUSE).await;
                None
            }
        }
    }

    fn turn_to_the_next(&mut self) {
        self.at = (self.at + 1) % self.house.addresses.len().max(1);
    }

    /// The body of the newest answer.
    pub fn body(&self) -> &[u8] {
        self.connection.as_ref().map(Connection::body).unwrap_or_default()
    }

    /// The `code` of the problem in the newest answer.
    pub fn code(&self) -> String {
        let code = text_member(self.body(), "code").unwrap_or(b"no problem");
        String::from_utf8_lossy(code).into_owned()
    }

    /// As [`Caller::ask`] for what nothing can be done without.
    ///
    /// # Errors
    ///
    /// When nobody answers, or the answer is an error.
    pub async fn must(&mut self, what: &'static str, request: &[u8]) -> Result<&[u8], LoadError> {
        match self.ask(request).await? {
            200..=299 => Ok(self.body()),
            status => Err(LoadError::Refused { what, status, code: self.code() }),
        }
    }
}
