//! The file that an auditor reads: a game's events, the keys that their signatures name, and what the log of logs
//! says of them.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::{Strict, read_exactly};
use crate::event::Event;
use crate::games::Malformed;
use crate::hex32::Hash;
use crate::keys::Jwk;

/// How long a file may be, in bytes: 32 MiB.
pub const MAX_BUNDLE_BYTES: usize = 32 * 1024 * 1024;

/// How many values an event may have, all in all; honest ones have hundreds. With it memory is bounded: a value of three
/// bytes of text may take hundreds of bytes.
const MAX_EVENT_VALUES: usize = 20_000;
/// How many values the keys, or what is said of the log of logs, may have.
const MAX_VALUES: usize = 100_000;

/// All that an auditor needs of one game, as it was read.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The events from seq 0 on, up to the first that has not their form.
    pub(super) events: Vec<Event>,
    /// The hash of each, over what was sent.
    pub(super) hashes: Vec<Hash>,
    /// Why the event after those has not the form.
    pub(super) malformed: Option<Malformed>,
    /// How many events were sent.
    pub(super) length: usize,
    /// The keys that the signatures name. They come with what they are to prove, so they prove nothing about their
    /// owner.
    pub keys: Vec<Jwk>,
    /// Start and end in the log of logs; null while there is nothing to show.
    pub log: Option<LogProof>,
}

/// A checkpoint of the log of logs, and proofs that entries are in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LogProof {
    /// The signed note.
    pub checkpoint: String,
    /// One proof an entry.
    pub proofs: Vec<Proof>,
}

/// That an entry is in the log of logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The entry, as canonical JSON.
    pub entry: String,
    /// Its place.
    pub index: u64,
    /// The hashes from the leaf up to the root.
    pub hashes: Vec<Hash>,
}

/// Why bytes are no bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotABundle {
    /// Longer than [`MAX_BUNDLE_BYTES`].
    TooLong,
    /// Not the JSON of a bundle.
    Form(String),
}

impl fmt::Display for NotABundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the file is longer than {MAX_BUNDLE_BYTES} bytes"),
            Self::Form(why) => write!(f, "the file is no bundle: {why}"),
        }
    }
}

impl std::error::Error for NotABundle {}

impl Bundle {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it is too long, or not the JSON of a bundle.
    pub fn read(bytes: &[u8]) -> Result<Self, NotABundle> {
        if bytes.len() > MAX_BUNDLE_BYTES {
            return Err(NotABundle::TooLong);
        }
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let parts = deserializer.deserialize_map(Parts::default());
        let parts = parts.and_then(|parts| deserializer.end().map(|()| parts));
        let Parts { events, keys, log } = parts.map_err(|error| NotABundle::Form(error.to_string()))?;
        let form = |why: &str| NotABundle::Form(why.to_owned());
        let (Some(events), Some(keys), Some(log)) = (events, keys, log) else {
            return Err(form("it must have exactly events, which are a list, keys and log"));
        };
        let Events { events, hashes, malformed, length } = events;
        let keys: Vec<Jwk> = read_exactly(&keys).map_err(|error| form(&format!("keys: {error}")))?;
        let log = read_exactly(&log).map_err(|error| form(&format!("log: {error}")))?;
        match keys.iter().position(|jwk| jwk.kid != jwk.x.id()) {
            None => Ok(Self { events, hashes, malformed, length, keys, log }),
            Some(index) => Err(NotABundle::Form(format!("the kid of keys[{index}] is not the thumbprint of its x"))),
        }
    }
}

/// The parts of a file, as they are found.
#[derive(Default)]
struct Parts {
    events: Option<Events>,
    keys: Option<Value>,
    log: Option<Value>,
}

impl<'de> Visitor<'de> for Parts {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<Self, A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            let left = Cell::new(MAX_VALUES);
            let known = match name.as_str() {
                "events" => self.events.replace(fields.next_value_seed(Events::default())?).is_some(),
                "keys" => self.keys.replace(fields.next_value_seed(Strict::at_depth(1, &left))?).is_some(),
                "log" => self.log.replace(fields.next_value_seed(Strict::at_depth(1, &left))?).is_some(),
                _ => return Err(A::Error::custom("it must have exactly events, keys and log")),
            };
            if known {
                return Err(A::Error::custom(format_args!("the name {name:?} occurs twice in an object")));
            }
        }
        Ok(self)
    }
}

/// Events that are read one by one, so that only one of them is in memory as it was sent.
#[derive(Default)]
struct Events {
    events: Vec<Event>,
    hashes: Vec<Hash>,
    malformed: Option<Malformed>,
    length: usize,
}

impl<'de> DeserializeSeed<'de> for Events {
    type Value = Self;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self, A::Error> {
        // What follows an event without form is read too: the file must be I-JSON all through.
        while let Some(value) = items.next_element_seed(Strict::at_depth(2, &Cell::new(MAX_EVENT_VALUES)))? {
            self.length += 1;
            if self.malformed.is_some() {
                continue;
            }
            match Event::read(&value) {
                Ok(event) => {
                    self.events.push(event);
                    self.hashes.push(Event::hash_of(&value));
                }
                Err(why) => self.malformed = Some(why),
            }
        }
        Ok(self)
    }
}
