//! The events of a game's log, to the byte (protocol, The log).

use std::fmt;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::canonical::{digest, members_to_jcs, read_exactly};
use crate::games::{Fact, Malformed};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{KeyId, Signature};
use crate::seat::Seat;
use crate::timestamp::Timestamp;

mod command;
mod data;

pub use command::Command;
pub use data::{
    Closed, Committed, Created, Disclosed, Ended, Left, Moved, Opened, PlayerRef, Resigned, RulesRef, SealedBy,
    SeatLimits, Seated, SeedOpened, Started, TimedOut, VoidReason, Voided,
};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

/// What says that a digest is an event's.
const EVENT_KIND: &str = "croupier/v1/event";

/// Who brought an event about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// The server.
    Server,
    /// Who sits there.
    Seat(Seat),
}

impl Serialize for Actor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Server => serializer.serialize_str("server"),
            Self::Seat(seat) => seat.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(name) if name == "server" => Ok(Self::Server),
            Value::Number(number) => {
                let seat = number.as_u64().and_then(|n| Seat::new(usize::try_from(n).ok()?).ok());
                seat.map(Self::Seat).ok_or_else(|| D::Error::custom("actor is no seat"))
            }
            _ => Err(D::Error::custom("actor must be a seat or \"server\"")),
        }
    }
}

/// An event that is in the log: signed, and chained to the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Event {
    /// The game.
    pub game: GameId,
    /// Its number in the game's log, counted from 0.
    pub seq: u64,
    /// The hash of the event before it; zeros for the first.
    pub prev: Hash,
    /// The server's time, or that of the event before, whichever is later.
    pub at: Timestamp,
    /// Who brought it about.
    pub actor: Actor,
    /// What happened.
    pub body: Body,
    /// The digest of all the above.
    pub hash: Hash,
    /// The server's signature over the hash.
    pub signature: EventSignature,
}

/// The server's signature over an event's hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EventSignature {
    /// The id of the key, among the server's published event keys.
    pub key: KeyId,
    /// The signature over the 32 bytes of the hash.
    pub value: Signature,
}

/// The names of an event's fields.
const FIELDS: [&str; 9] = ["game", "seq", "prev", "at", "actor", "type", "data", "hash", "signature"];

impl Event {
    /// Reads an event: exactly its form, so that it would be written back the same.
    ///
    /// # Errors
    ///
    /// When the value is no event.
    pub fn read(value: &Value) -> Result<Self, Malformed> {
        let fields = value.as_object().ok_or_else(|| Malformed("an event is an object".to_owned()))?;
        if let Some(name) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(Malformed(format!("an event has no field {name:?}")));
        }
        // Each of these is written in one way only, so what could be read is exact.
        fn field<'a, T: Deserialize<'a>>(fields: &'a Map<String, Value>, name: &str) -> Result<T, Malformed> {
            let value = fields.get(name).ok_or_else(|| Malformed(format!("the field {name} is missing")))?;
            T::deserialize(value).map_err(|e| Malformed(format!("{name}: {e}")))
        }
        let event_type: &str = field(fields, "type")?;
        let signature = fields.get("signature").ok_or_else(|| Malformed("the signature is missing".to_owned()))?;
        Ok(Self {
            game: field(fields, "game")?,
            seq: field(fields, "seq")?,
            prev: field(fields, "prev")?,
            at: field(fields, "at")?,
            actor: field(fields, "actor")?,
            body: Body::read(event_type, fields.get("data").ok_or_else(|| Malformed("data is missing".to_owned()))?)?,
            hash: field(fields, "hash")?,
            signature: read_exactly(signature).map_err(|e| Malformed(format!("signature: {e}")))?,
        })
    }

    /// The hash of an event as it was sent: over its own JSON, which this event was read from.
    pub(crate) fn hash_of(value: &Value) -> Hash {
        static KIND: LazyLock<Value> = LazyLock::new(|| Value::from(EVENT_KIND));
        let members = FIELDS[..7].iter().filter_map(|name| Some((*name, value.get(name)?)));
        Hash::new(Sha256::digest(members_to_jcs(members.chain([("kind", &*KIND)]))).into())
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Envelope<'a> {
            game: GameId,
            seq: u64,
            prev: &'a Hash,
            at: Timestamp,
            actor: Actor,
            #[serde(rename = "type")]
            event_type: &'static str,
            data: &'a Body,
            hash: &'a Hash,
            signature: &'a EventSignature,
        }
        Envelope {
            game: self.game,
            seq: self.seq,
            prev: &self.prev,
            at: self.at,
            actor: self.actor,
            event_type: self.body.event_type(),
            data: &self.body,
            hash: &self.hash,
            signature: &self.signature,
        }
        .serialize(serializer)
    }
}

/// The hash of an event. Generic in the data, so that an auditor hashes it as it was sent.
pub fn event_hash<D: Serialize>(
    game: GameId,
    seq: u64,
    prev: &Hash,
    at: Timestamp,
    actor: Actor,
    event_type: &str,
    data: &D,
) -> Hash {
    #[derive(Serialize)]
    struct Hashed<'a, D> {
        kind: &'static str,
        game: GameId,
        seq: u64,
        prev: &'a Hash,
        at: Timestamp,
        actor: Actor,
        #[serde(rename = "type")]
        event_type: &'a str,
        data: &'a D,
    }
    digest(&Hashed { kind: EVENT_KIND, game, seq, prev, at, actor, event_type, data })
}

/// Defines [`Body`]: for each type of event its name and the struct of its data.
macro_rules! bodies {
    ($($variant:ident = $name:literal,)+) => {
        /// What happened, by the table of the protocol.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        #[allow(missing_docs, reason = "each variant holds the struct of the same name, which says what it is")]
        pub enum Body {
            $($variant($variant),)+
        }

        impl Body {
            /// The names of all types of events.
            pub const TYPES: &'static [&'static str] = &[$($name),+];

            /// The event's `type`.
            pub const fn event_type(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// Reads the data of an event of this type.
            ///
            /// # Errors
            ///
            /// When there is no such type, or the data has not exactly its form.
            pub fn read(event_type: &str, data: &Value) -> Result<Self, Malformed> {
                match event_type {
                    $($name => read_exactly(data).map(Self::$variant).map_err(|e| Malformed(e.to_string())),)+
                    other => Err(Malformed(format!("{other:?} is no type of event"))),
                }
            }
        }

        $(impl From<$variant> for Body {
            fn from(data: $variant) -> Self {
                Self::$variant(data)
            }
        })+
    };
}

bodies! {
    Created = "created",
    Seated = "seated",
    Left = "left",
    Closed = "closed",
    SeedOpened = "seed_opened",
    Started = "started",
    Committed = "committed",
    Opened = "opened",
    Moved = "moved",
    Resigned = "resigned",
    TimedOut = "timed_out",
    Disclosed = "disclosed",
    Ended = "ended",
    Voided = "voided",
}

impl Body {
    /// The facts of the event; none for types that have no such field.
    pub fn facts(&self) -> &[Fact] {
        match self {
            Self::Started(Started { facts })
            | Self::Opened(Opened { facts, .. })
            | Self::Moved(Moved { facts, .. })
            | Self::Resigned(Resigned { facts, .. })
            | Self::TimedOut(TimedOut { facts, .. }) => facts,
            _ => &[],
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("the server"),
            Self::Seat(seat) => write!(f, "seat {seat}"),
        }
    }
}
