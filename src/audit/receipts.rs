//! Receipts: what a server has signed once, its log has to show for ever.

use std::fmt;

use super::{Bundle, TrustedKeys, Verdict};
use crate::canonical;
use crate::event::{Body, Event};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{Begun, KeyUse};

/// The events that a write was answered with, each signed by the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Never empty, and of one game.
    events: Vec<Event>,
}

/// How a log goes with a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// All its events stand in the log as they were signed, from this number to that.
    Stands(u64, u64),
    /// The log goes to this event and is not over, and the receipt tells of later ones.
    Behind(Option<u64>),
    /// The log is over with this event, and the server has signed a later one.
    CutOff { over: u64, seq: u64 },
    /// The log has another event of this number. Where the server has signed that too, the two convict it.
    Another { seq: u64, kept: Hash, found: Hash, both_signed: bool },
}

impl Kept {
    /// Whether the log is what the receipt says: it can't be told of one that ends before.
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Stands(..) => Verdict::Yes,
            Self::Behind(_) => Verdict::NotYet,
            Self::CutOff { .. } | Self::Another { .. } => Verdict::No,
        }
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stands(first, last) if first == last => {
                write!(f, "Event {first} stands in the log as it was signed.")
            }
            Self::Stands(first, last) => write!(f, "Events {first} to {last} stand in the log as they were signed."),
            Self::Behind(None) => f.write_str("The file has no event that could be read."),
            Self::Behind(Some(newest)) => {
                write!(f, "The file goes to event {newest} only: fetch the bundle again, since the receipt is newer.")
            }
            Self::CutOff { over, seq } => write!(
                f,
                "The log is over with event {over}, but the server has signed event {seq}. Keep both files: together they \
                 convict it."
            ),
            Self::Another { seq, kept, found, both_signed: true } => write!(
                f,
                "The server has signed two events {seq} of this game, {kept} and now {found}. Keep both files: together \
                 they convict it."
            ),
            Self::Another { seq, kept, found, both_signed: false } => write!(
                f,
                "The server has signed another event {seq}, {kept}; the file has {found}, and that the server has not \
                 signed: so this is not its log."
            ),
        }
    }
}

impl Receipt {
    /// Reads the answer to a write, or anything else that has the server's `events` of one game, as a page of its log.
    /// `keys` are those that the auditor got apart.
    ///
    /// # Errors
    ///
    /// When that is none of it, or one of these events is not signed by one of the keys in its period: such a file proves
    /// nothing.
    pub fn read(bytes: &[u8], keys: &TrustedKeys) -> Result<Self, String> {
        let value = canonical::parse(bytes).map_err(|error| error.to_string())?;
        let list = value.get("events").and_then(serde_json::Value::as_array);
        let list = list.filter(|list| !list.is_empty()).ok_or("it has no list of events")?;
        let mut events: Vec<Event> = Vec::with_capacity(list.len());
        for value in list {
            let event = Event::read(value).map_err(|error| error.to_string())?;
            if events.first().is_some_and(|first| first.game != event.game) {
                return Err("its events are of several games".to_owned());
            }
            if event.hash != Event::hash_of(value) || !is_signed(&event, keys) {
                return Err(format!("event {} is not signed by a key of the server, so it proves nothing", event.seq));
            }
            events.push(event);
        }
        Ok(Self { events })
    }

    /// The game.
    pub fn game(&self) -> Option<GameId> {
        self.events.first().map(|event| event.game)
    }

    /// Holds a log against the receipt; `None` where it is another game's.
    pub fn compare(&self, bundle: &Bundle, keys: &TrustedKeys) -> Option<Kept> {
        let log = &bundle.events;
        if log.first().is_some_and(|first| Some(first.game) != self.game()) {
            return None;
        }
        for event in &self.events {
            let at = usize::try_from(event.seq).ok();
            let Some((found, hash)) = at.and_then(|at| log.get(at).zip(bundle.hashes.get(at))) else {
                let Some(newest) = log.last() else { return Some(Kept::Behind(None)) };
                let over = matches!(newest.body, Body::Ended(_) | Body::Voided(_));
                let cut_off = Kept::CutOff { over: newest.seq, seq: event.seq };
                return Some(if over { cut_off } else { Kept::Behind(Some(newest.seq)) });
            };
            if *hash != event.hash {
                let both_signed = found.hash == *hash && is_signed(found, keys);
                return Some(Kept::Another { seq: event.seq, kept: event.hash, found: *hash, both_signed });
            }
        }
        let (first, last) = self.events.first().zip(self.events.last())?;
        Some(Kept::Stands(first.seq, last.seq))
    }
}

/// Whether a key of the server, in its period, has signed the hash that the event tells.
fn is_signed(event: &Event, keys: &TrustedKeys) -> bool {
    let in_period = keys.get(KeyUse::Event, event.signature.key).is_some_and(|jwk| jwk.signs_at(event.at));
    in_period && keys.begin(event).is_some_and(|begun| Begun::settle(&[begun]).into_iter().all(|good| good))
}
