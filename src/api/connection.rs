//! Connections that send and ask for nothing. The server library times the head of the first request alone, and not what
//! is thrown away of a body in chunks: whoever dribbles there would hold a connection for ever.

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use tokio::time::{Instant, sleep};

/// After how long a connection is cut on which nothing is being answered.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often that is looked at.
const PAUSE: Duration = Duration::from_secs(2);
/// In which pieces a large answer is sent, in bytes: all but the last are seen to leave.
const PIECE: usize = 64 * 1024;

/// A connection to a client.
pub struct Connection {
    /// Another handle to it, to cut it by; gone once a stream is sent, after which the connection is closed anyway.
    socket: Mutex<Option<TcpStream>>,
    began: Instant,
    /// How many answers are being made or sent.
    busy: AtomicU32,
    /// When the last one was done, in milliseconds since it began.
    done: AtomicU64,
}

impl Connection {
    /// Watches a connection until it is closed; on a thread that serves requests. `None` where the system gives no other
    /// handle to it: then it is not watched.
    pub fn watch(socket: &impl AsFd) -> Option<Arc<Self>> {
        let socket = TcpStream::from(socket.as_fd().try_clone_to_owned().ok()?);
        let (busy, done) = (AtomicU32::new(0), AtomicU64::new(0));
        let connection = Arc::new(Self { socket: Mutex::new(Some(socket)), began: Instant::now(), busy, done });
        let watched = Arc::downgrade(&connection);
        actix_web::rt::spawn(async move {
            loop {
                sleep(PAUSE).await;
                match watched.upgrade() {
                    Some(connection) if connection.idles() => return connection.cut(),
                    Some(_) => {}
                    None => return,
                }
            }
        });
        Some(connection)
    }

    fn idles(&self) -> bool {
        let done = Duration::from_millis(self.done.load(Ordering::Relaxed));
        self.busy.load(Ordering::Relaxed) == 0 && self.began.elapsed().saturating_sub(done) > PATIENCE
    }

    fn cut(&self) {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
        // One that is closed already needs no cutting.
        let _ = socket.map(|socket| socket.shutdown(Shutdown::Both));
    }

    /// Something is being answered, until it is dropped.
    pub fn answer(connection: Arc<Self>) -> Busy {
        connection.busy.fetch_add(1, Ordering::Relaxed);
        Busy(connection)
    }
}

/// Something that is being answered.
pub struct Busy(Arc<Connection>);

impl Busy {
    /// Holds on until the body is sent, where that may take a while.
    pub fn hold(self, body: BoxBody) -> BoxBody {
        let size = body.size();
        match size {
            BodySize::None => body,
            BodySize::Sized(size) if size <= PIECE as u64 => body,
            BodySize::Sized(_) => BoxBody::new(Held { body, size, rest: Bytes::new(), _busy: self }),
            BodySize::Stream => {
                // A handle for each of the many streams would be as many open files more.
                self.0.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
                body
            }
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let now = u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.done.store(now, Ordering::Relaxed);
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A large body, in pieces.
struct Held {
    body: BoxBody,
    size: BodySize,
    rest: Bytes,
    _busy: Busy,
}

impl MessageBody for Held {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_next(context)) {
                Some(Ok(bytes)) => this.rest = bytes,
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(this.rest.split_to(this.rest.len().min(PIECE)))))
    }
}
