//! Whoever watches a game: an open connection on which every event must come, once, in order, however often it breaks.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::LoadError;
use super::answer::{self, Link};
use super::caller::{House, request};
use super::connection::Connection;
use super::kept::Kept;
use super::scan::{Cursor, NotAsExpected, Scanned};
use super::share::Phase;
use super::tally::Progress;
use crate::log::Head;

/// How long to wait before a stream that broke off is asked for again.
const PAUSE: Duration = Duration::from_millis(20);

/// Somebody who watches one game after the other at a table.
pub struct Watcher {
    house: House,
    /// Which instance.
    at: usize,
    /// What is played at the table.
    games: watch::Receiver<Option<Rc<Kept>>>,
    /// When the lag counts.
    phase: watch::Receiver<Phase>,
}

/// How far somebody has seen a game: what is said of it when the time is over.
#[derive(Default)]
pub struct Sight {
    seen: Cell<u64>,
    listening: Cell<bool>,
}

impl Sight {
    /// How many events were seen of the newest game.
    pub fn seen(&self) -> u64 {
        self.seen.get()
    }

    /// Whether a stream is open.
    pub fn is_listening(&self) -> bool {
        self.listening.get()
    }
}

/// What has come of one game.
struct Row {
    head: Head,
    ended: bool,
    skipped: BTreeSet<u64>,
}

/// How an event came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// As the next one, chained to the one before or not.
    Next { chained: bool },
    /// After a gap of so many.
    After(u64),
    /// After a later one.
    Late,
    /// Once more.
    Twice,
}

impl Default for Row {
    fn default() -> Self {
        Self { head: Head::EMPTY, ended: false, skipped: BTreeSet::new() }
    }
}

impl Row {
    fn take(&mut self, link: &Link) -> Came {
        let came = if link.seq == self.head.next {
            Came::Next { chained: link.prev == self.head.hash }
        } else if link.seq > self.head.next {
            self.skipped.extend(self.head.next..link.seq);
            Came::After(link.seq - self.head.next)
        } else if self.skipped.remove(&link.seq) {
            return Came::Late;
        } else {
            return Came::Twice;
        };
        (self.head, self.ended) = (link.head(), link.ends);
        came
    }
}

impl Watcher {
    /// Watches what is played at a table.
    pub fn new(
        house: House,
        at: usize,
        games: watch::Receiver<Option<Rc<Kept>>>,
        phase: watch::Receiver<Phase>,
    ) -> Self {
        let at = at % house.addresses.len().max(1);
        Self { house, at, games, phase }
    }

    /// Watches until it is dropped, or there are no more games.
    ///
    /// # Errors
    ///
    /// When no instance answers any more, or one refuses.
    pub async fn run(mut self, sight: Rc<Sight>) -> Result<(), LoadError> {
        loop {
            let game = self.games.borrow_and_update().clone();
            if let Some(game) = game {
                sight.seen.set(0);
                self.follow(&game, &sight).await?;
            }
            if self.games.changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Follows one game to its end.
    async fn follow(&mut self, kept: &Kept, sight: &Sight) -> Result<(), LoadError> {
        let mut row = Row::default();
        let mut lost_since = None;
        loop {
            let before = row.head.next;
            match self.listen(kept, &mut row, sight).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Broken::Refused(status)) if status != 503 => {
                    return Err(LoadError::Refused { what: "a stream", status, code: String::new() });
                }
                Err(Broken::Refused(_) | Broken::Lost) => self.at = (self.at + 1) % self.house.addresses.len().max(1),
            }
            sight.listening.set(false);
            self.house.tally.borrow_mut().watched.resumed += 1;
            if row.head.next > before {
                lost_since = None;
            }
            if lost_since.get_or_insert_with(Instant::now).elapsed() > self.house.patience {
                return Err(LoadError::NobodyAnswers);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Opens a stream where the last one broke off; whether it went on to the end of the game.
    async fn listen(&mut self, kept: &Kept, row: &mut Row, sight: &Sight) -> Result<bool, Broken> {
        let address = *self.house.addresses.get(self.at).ok_or(Broken::Lost)?;
        let resume = row.head.next.checked_sub(1).map(|seq| format!("Last-Event-ID: {seq}\r\n")).unwrap_or_default();
        let headers = format!("Accept: text/event-stream\r\n{resume}");
        let ask = request("GET", &format!("/v1/games/{}/events", kept.game), None, &headers, "");
        let mut connection = Connection::open(address).await.map_err(|_| Broken::Lost)?;
        match connection.open_stream(&ask).await.map_err(|_| Broken::Lost)? {
            200 => {}
            status => return Err(Broken::Refused(status)),
        }
        let since = Instant::now();
        if !sight.listening.replace(true) && row.head.next == 0 {
            Progress::count(&self.house.progress.watchers);
        }
        let mut messages = Messages::default();
        while let Some(chunk) = connection.chunk().await.map_err(|_| Broken::Lost)? {
            let came = Instant::now();
            messages.push(chunk, |message| self.note(message, kept, row, (since, came))).map_err(|_| Broken::Lost)?;
            sight.seen.set(row.head.next - row.skipped.len() as u64);
        }
        // A stream ends with the game, or else because the instance stops.
        Ok(row.ended)
    }

    /// Takes in a message that came at this moment, of a stream that is open since that one.
    fn note(&self, message: &Message<'_>, kept: &Kept, row: &mut Row, (since, at): (Instant, Instant)) -> Scanned<()> {
        let (Some(id), data) = (message.id, message.data) else { return Ok(()) };
        let mut link = None;
        Cursor::new(data).members(|name, cursor| {
            if name == b"event" {
                link = Some(answer::link(cursor)?);
            } else {
                cursor.skip()?;
            }
            Ok(())
        })?;
        let link = link.filter(|link| link.seq == id).ok_or(NotAsExpected)?;
        let mut tally = self.house.tally.borrow_mut();
        let watched = &mut tally.watched;
        watched.events += 1;
        match row.take(&link) {
            Came::Next { chained } => watched.broken_chains += u64::from(!chained),
            Came::After(missing) => watched.missing += missing,
            Came::Late => {
                watched.missing = watched.missing.saturating_sub(1);
                watched.out_of_order += 1;
            }
            Came::Twice => watched.twice += 1,
        }
        if self.phase.borrow().window().is_some_and(|window| window.holds(at)) {
            // Not acknowledged yet: then it came before the answer.
            let acknowledged = kept.acknowledged(link.seq);
            // What was acknowledged before the stream was open is history, which a stream begins with.
            if acknowledged.is_none_or(|then| then >= since) {
                watched.lag.record(acknowledged.map_or(Duration::ZERO, |then| at.saturating_duration_since(then)));
            }
        }
        Ok(())
    }
}

/// Why a stream broke off.
enum Broken {
    Lost,
    Refused(u16),
}

/// A message of an event stream.
#[derive(Debug, PartialEq, Eq)]
struct Message<'a> {
    id: Option<u64>,
    data: &'a [u8],
}

/// Puts messages together from chunks (HTML, server-sent events: as far as it is used here, one line of data).
#[derive(Default)]
struct Messages {
    rest: Vec<u8>,
}

impl Messages {
    fn push(&mut self, chunk: &[u8], mut each: impl FnMut(&Message<'_>) -> Scanned<()>) -> Scanned<()> {
        self.rest.extend_from_slice(chunk);
        let mut start = 0;
        while let Some(length) = self.rest[start..].windows(2).position(|pair| pair == b"\n\n") {
            let mut message = Message { id: None, data: b"" };
            for line in self.rest[start..start + length].split(|byte| *byte == b'\n') {
                let value =
                    |prefix: &[u8]| line.strip_prefix(prefix).map(|value| value.strip_prefix(b" ").unwrap_or(value));
                if let Some(id) = value(b"id:") {
                    message.id = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
                } else if let Some(data) = value(b"data:") {
                    message.data = data;
                }
            }
            // Comments, which keep a connection alive, have no data.
            if !message.data.is_empty() {
                each(&message)?;
            }
            start += length + 2;
        }
        self.rest.drain(..start);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Came, Messages, Row, Sight, Watcher};
    use crate::hex32::Hash;
    use crate::load::answer::Link;
    use crate::load::caller::House;
    use crate::load::kept::Kept;
    use crate::load::scan::NotAsExpected;
    use crate::load::share::Phase;
    use crate::load::tally::Tally;
    use std::io::{self, BufRead, BufReader, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::rc::Rc;
    use std::time::Duration;
    use tokio::sync::watch;

    fn link(seq: u8) -> Link {
        let hash = |number: u8| if number == 0 { Hash::ZERO } else { Hash::new([number; 32]) };
        Link { seq: seq.into(), prev: hash(seq), hash: hash(seq + 1), ends: false }
    }

    #[test]
    fn what_is_missing_twice_or_out_of_order_is_told_apart() {
        let mut row = Row::default();
        let mut came = |seq| row.take(&link(seq));
        assert_eq!([came(0), came(1)], [Came::Next { chained: true }; 2]);
        assert_eq!(came(1), Came::Twice);
        assert_eq!(came(4), Came::After(2));
        assert_eq!(came(3), Came::Late);
        assert_eq!(came(3), Came::Twice);
        assert_eq!(came(5), Came::Next { chained: true });
        assert_eq!(row.skipped.len(), 1);
        assert_eq!(row.take(&Link { prev: Hash::ZERO, ..link(6) }), Came::Next { chained: false });
    }

    #[test]
    fn messages_are_put_together_wherever_chunks_are_cut() -> Result<(), NotAsExpected> {
        let stream = b": alive\n\nid: 7\nevent: moved\ndata: {\"a\":1}\n\n:\n\nid:8\ndata:{\"b\":2}\n\nid: 9\n";
        for size in 1..=stream.len() {
            let (mut messages, mut found) = (Messages::default(), Vec::new());
            for chunk in stream.chunks(size) {
                messages.push(chunk, |message| {
                    found.push((message.id, message.data.to_vec()));
                    Ok(())
                })?;
            }
            assert_eq!(found, [(Some(7), b"{\"a\":1}".to_vec()), (Some(8), b"{\"b\":2}".to_vec())], "{size}");
        }
        Ok(())
    }

    /// An instance with a game of five events, which breaks off after every second one; the one with this number it
    /// leaves out.
    fn instance(skips: Option<u8>) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        std::thread::spawn(move || -> io::Result<()> {
            loop {
                let (mut stream, _) = listener.accept()?;
                let mut next = 0;
                for line in BufReader::new(stream.try_clone()?).lines() {
                    let line = line?;
                    if line.is_empty() {
                        break;
                    }
                    if let Some(id) = line.strip_prefix("Last-Event-ID: ") {
                        next = id.parse::<u8>().unwrap_or(99) + 1;
                    }
                }
                let mut answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
                for seq in (next..5).filter(|seq| Some(*seq) != skips).take(2) {
                    let hash = |number: u8| format!("{number:02x}").repeat(32);
                    let kind = if seq == 4 { "ended" } else { "moved" };
                    let message = format!(
                        "id: {seq}\ndata: {{\"event\":{{\"seq\":{seq},\"prev\":\"{}\",\"type\":\"{kind}\",\"hash\":\"{}\"}}}}\n\n",
                        hash(seq),
                        hash(seq + 1)
                    );
                    answer.push_str(&format!("{:x}\r\n{message}\r\n", message.len()));
                    answer.push_str(if seq == 4 { "0\r\n\r\n" } else { "" });
                }
                stream.write_all(answer.as_bytes())?;
            }
        });
        Ok(address)
    }

    fn watch_once(skips: Option<u8>) -> io::Result<Tally> {
        let house = House {
            addresses: [instance(skips)?].into(),
            patience: Duration::from_secs(10),
            tally: Rc::default(),
            progress: std::sync::Arc::default(),
            turns: None,
            idle: Rc::default(),
        };
        let tally = house.tally.clone();
        let (games, announced) = watch::channel(Some(Rc::new(Kept::new("g".to_owned(), true))));
        let (_phase, phase) = watch::channel(Phase::Games);
        // No more games: it ends with this one.
        drop(games);
        let sight = Rc::new(Sight::default());
        let watcher = Watcher::new(house, 0, announced, phase).run(sight.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let seen = runtime.block_on(watcher);
        assert!(seen.is_ok(), "{seen:?}");
        assert_eq!(sight.seen(), if skips.is_some() { 4 } else { 5 });
        Ok(tally.take())
    }

    #[test]
    fn a_stream_that_breaks_off_is_resumed_where_it_was() -> io::Result<()> {
        let seen = watch_once(None)?.watched;
        assert_eq!((seen.events, seen.resumed), (5, 2));
        assert_eq!((seen.missing, seen.twice, seen.out_of_order, seen.broken_chains), (0, 0, 0, 0));
        let seen = watch_once(Some(1))?.watched;
        assert_eq!((seen.events, seen.missing), (4, 1));
        Ok(())
    }
}
