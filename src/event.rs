//! The events of a game's log, to the byte (protocol, The log).

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::canonical::digest;
use crate::commitment::command_digest;
use crate::game::GameResult;
use crate::games::{Fact, Kind, Malformed, Move, Options};
use crate::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use crate::ids::{GameId, PlayerId};
use crate::keys::{KeyId, PublicKey, Signature};
use crate::seat::Seat;
use crate::timestamp::Timestamp;

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

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
    #[cfg_attr(feature = "server", schema(value_type = String))]
    pub key: KeyId,
    /// The signature over the 32 bytes of the hash.
    #[cfg_attr(feature = "server", schema(value_type = String))]
    pub value: Signature,
}

/// An event's fields as JSON has them, with the data not yet read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    game: GameId,
    seq: u64,
    prev: Hash,
    at: Timestamp,
    actor: Actor,
    #[serde(rename = "type")]
    event_type: String,
    data: Value,
    hash: Hash,
    signature: EventSignature,
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Envelope { game, seq, prev, at, actor, event_type, data, hash, signature } =
            Envelope::deserialize(deserializer)?;
        let body = Body::read(&event_type, data).map_err(D::Error::custom)?;
        Ok(Self { game, seq, prev, at, actor, body, hash, signature })
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
    digest(&Hashed { kind: "croupier/v1/event", game, seq, prev, at, actor, event_type, data })
}

/// Defines [`Body`]: for each type of event its name and the struct of its data.
macro_rules! bodies {
    ($($variant:ident = $name:literal,)+) => {
        /// What happened, by the table of the protocol.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
            pub fn read(event_type: &str, data: Value) -> Result<Self, Malformed> {
                match event_type {
                    $($name => serde_json::from_value(data).map(Self::$variant).map_err(|e| Malformed(e.to_string())),)+
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

/// A nullable field that must be there: serde alone would take a missing one for null.
fn required<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// The game is created; the anchor of its chain is public before anybody sits down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Created {
    /// The version of the protocol, 1.
    pub protocol: u32,
    /// The game.
    pub kind: Kind,
    /// The rules it is played by.
    pub rules: RulesRef,
    /// All options, defaults filled in.
    pub options: Options,
    /// The fewest and the most that may play.
    pub seats: SeatLimits,
    /// `s[0]` of the server's chain.
    pub anchor: Hash,
    /// The length of the chain, 4096.
    pub chain: u32,
    /// How long a decision may take, or null.
    pub move_seconds: Option<u32>,
    /// The player who created it.
    pub host: PlayerId,
}

impl<'de> Deserialize<'de> for Created {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Draft {
            protocol: u32,
            kind: Kind,
            rules: RulesRef,
            options: Value,
            seats: SeatLimits,
            anchor: Hash,
            chain: u32,
            #[serde(deserialize_with = "required")]
            move_seconds: Option<u32>,
            host: PlayerId,
        }
        let Draft { protocol, kind, rules, options, seats, anchor, chain, move_seconds, host } =
            Draft::deserialize(deserializer)?;
        let given = options.as_object().map_or(0, serde_json::Map::len);
        let options = kind.read_options(options).map_err(D::Error::custom)?;
        let all = serde_json::to_value(&options).map_err(D::Error::custom)?;
        if all.as_object().map_or(0, serde_json::Map::len) != given {
            return Err(D::Error::custom("options must have all defaults filled in"));
        }
        Ok(Self { protocol, kind, rules, options, seats, anchor, chain, move_seconds, host })
    }
}

/// Which rules a game is played by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RulesRef {
    /// The version, counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub version: u32,
    /// The SHA-256 of the published text of that version.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[0-9a-f]{64}$"))]
    pub text: Hash,
}

/// How many may play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeatLimits {
    /// The fewest, by the game's rules.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 20))]
    pub min: u8,
    /// The places at this table.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 20))]
    pub max: u8,
}

/// Who a player is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlayerRef {
    /// The player's id.
    #[cfg_attr(feature = "server", schema(value_type = String, format = "uuid"))]
    pub id: PlayerId,
    /// The player's name.
    pub name: String,
}

/// A player sits down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Seated {
    /// Who.
    pub player: PlayerRef,
    /// The commitment to a seed that the player contributes, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required, pattern = "^[0-9a-f]{64}$"))]
    pub seed_commitment: Option<Hash>,
    /// The key that signs what this seat sends, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub key: Option<PublicKey>,
    /// The event that the player knew last, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// A player gets up; the seat is free again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Left {
    /// The event that the player knew last, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// Nobody sits down or gets up any more; seeds may be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// How many play.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 20))]
    pub seats: u8,
    /// Until when seeds must be opened; null if nobody committed to one.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, format = "date-time", required))]
    pub open_by: Option<Timestamp>,
}

/// A player opens its seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeedOpened {
    /// The seed.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[0-9a-f]{64}$"))]
    pub seed: PlayerSeed,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// Play begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// What became public by it.
    pub facts: Vec<Fact>,
}

/// Who sealed a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SealedBy {
    /// The player's client, which alone knows move and nonce.
    Client,
    /// The server, for a client that sent the plain move.
    Server,
}

/// A seat is bound to a move that nobody sees yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Committed {
    /// The decision.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub step: u32,
    /// The commitment to move and nonce.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[0-9a-f]{64}$"))]
    pub commitment: Hash,
    /// Who sealed it.
    pub sealed_by: SealedBy,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// A sealed move is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Opened {
    /// The decision.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub step: u32,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What blinded the commitment.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[0-9a-f]{64}$"))]
    pub nonce: Nonce,
    /// What became public by it: empty but for the step's last opening.
    pub facts: Vec<Fact>,
    /// The player's signature, or null without a key.
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// A seat moves in the open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Moved {
    /// The decision; null for a move that is none.
    #[cfg_attr(feature = "server", schema(minimum = 1, required))]
    pub step: Option<u32>,
    /// For a move that is no decision: the event that the player knew last, or null.
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What became public by it.
    pub facts: Vec<Fact>,
    /// The player's signature, or null without a key.
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// A seat gives up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Resigned {
    /// The decision that is over by it, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(minimum = 1, required))]
    pub step: Option<u32>,
    /// The event that the player knew last, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// What became public by it.
    pub facts: Vec<Fact>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>, required))]
    pub by: Option<Signature>,
}

/// A decision's time is over, and these seats still owed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TimedOut {
    /// The decision.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub step: u32,
    /// Who is late, ascending.
    pub seats: Vec<Seat>,
    /// What became public by it.
    pub facts: Vec<Fact>,
}

/// The server's seed of a draw, and with it of all before, is no secret any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Disclosed {
    /// The last draw that is no secret any more.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 4096))]
    pub draw: u32,
    /// Its server seed.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[0-9a-f]{64}$"))]
    pub seed: ServerSeed,
}

/// The game is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// How.
    pub result: GameResult,
}

/// The game is over before it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Voided {
    /// Why.
    pub reason: VoidReason,
    /// The seats that did not open their seeds, ascending.
    pub seats: Vec<Seat>,
}

/// Why a game is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// The host called it off, or nobody is left; before `closed` only.
    Cancelled,
    /// Somebody did not open its seed; after `closed` only.
    SeedMissing,
}

// A move is read by its game, so the two events that hold one are read by hand: their moves carry the type's name,
// which is unique over all games.
impl<'de> Deserialize<'de> for Opened {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Draft {
            step: u32,
            #[serde(rename = "move")]
            mv: Value,
            nonce: Nonce,
            facts: Vec<Fact>,
            #[serde(deserialize_with = "required")]
            by: Option<Signature>,
        }
        let Draft { step, mv, nonce, facts, by } = Draft::deserialize(deserializer)?;
        let mv = Move::read(mv).map_err(D::Error::custom)?;
        Ok(Self { step, mv, nonce, facts, by })
    }
}

impl<'de> Deserialize<'de> for Moved {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Draft {
            #[serde(deserialize_with = "required")]
            step: Option<u32>,
            #[serde(deserialize_with = "required")]
            after: Option<u64>,
            #[serde(rename = "move")]
            mv: Value,
            facts: Vec<Fact>,
            #[serde(deserialize_with = "required")]
            by: Option<Signature>,
        }
        let Draft { step, after, mv, facts, by } = Draft::deserialize(deserializer)?;
        let mv = Move::read(mv).map_err(D::Error::custom)?;
        Ok(Self { step, after, mv, facts, by })
    }
}

/// What a player's own signature is over, of each type of event that a player brings about: the event's data without
/// `by`, `facts`, `player`, `sealed_by` and, for `resigned`, `step`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Command<'a> {
    /// Of `seated`.
    Seated {
        /// As in the event.
        seed_commitment: Option<Hash>,
        /// As in the event.
        key: Option<PublicKey>,
        /// As in the event.
        after: Option<u64>,
    },
    /// Of `left` and of `resigned`.
    After {
        /// As in the event.
        after: Option<u64>,
    },
    /// Of `seed_opened`.
    SeedOpened {
        /// As in the event.
        seed: &'a PlayerSeed,
    },
    /// Of `committed`.
    Committed {
        /// As in the event.
        step: u32,
        /// As in the event.
        commitment: Hash,
    },
    /// Of `opened`.
    Opened {
        /// As in the event.
        step: u32,
        /// As in the event.
        #[serde(rename = "move")]
        mv: &'a Move,
        /// As in the event.
        nonce: &'a Nonce,
    },
    /// Of `moved`.
    Moved {
        /// As in the event.
        step: Option<u32>,
        /// As in the event.
        after: Option<u64>,
        /// As in the event.
        #[serde(rename = "move")]
        mv: &'a Move,
    },
}

impl Body {
    /// What a player signs to bring this event about, and the signature that it bears; `None` for events of the
    /// server.
    pub fn command(&self) -> Option<(Command<'_>, Option<Signature>)> {
        Some(match self {
            Self::Seated(Seated { seed_commitment, key, after, by, .. }) => {
                (Command::Seated { seed_commitment: *seed_commitment, key: *key, after: *after }, *by)
            }
            Self::Left(Left { after, by }) | Self::Resigned(Resigned { after, by, .. }) => {
                (Command::After { after: *after }, *by)
            }
            Self::SeedOpened(SeedOpened { seed, by }) => (Command::SeedOpened { seed }, *by),
            Self::Committed(Committed { step, commitment, by, .. }) => {
                (Command::Committed { step: *step, commitment: *commitment }, *by)
            }
            Self::Opened(Opened { step, mv, nonce, by, .. }) => (Command::Opened { step: *step, mv, nonce }, *by),
            Self::Moved(Moved { step, after, mv, by, .. }) => (Command::Moved { step: *step, after: *after, mv }, *by),
            _ => return None,
        })
    }

    /// Whether the player's own signature on this event is as it must be: good under the seat's key, or absent where
    /// the seat has none.
    pub fn is_signed_by(&self, game: GameId, seat: Seat, key: Option<&PublicKey>) -> bool {
        match (self.command(), key) {
            (None, _) => true,
            (Some((_, by)), None) => by.is_none(),
            (Some((_, None)), Some(_)) => false,
            (Some((command, Some(by))), Some(key)) => {
                key.verifies(command_digest(game, seat, self.event_type(), &command).as_bytes(), &by)
            }
        }
    }

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
