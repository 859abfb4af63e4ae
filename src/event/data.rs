//! The data of each type of event, by the table of the protocol: closed objects, no field beyond these, none missing.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::game::GameResult;
use crate::games::{Fact, Kind, Move, Options};
use crate::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use crate::ids::PlayerId;
use crate::keys::{PublicKey, Signature};
use crate::seat::Seat;
use crate::timestamp::Timestamp;

/// A nullable field that must be there: serde alone would take a missing one for null.
fn required<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// The game is created; the anchor of its chain is public before anybody sits down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
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
    /// How long a decision may take, in seconds, or null.
    #[cfg_attr(feature = "server", schema(required, minimum = 10, maximum = 604800))]
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
        // That all defaults are filled in is seen by `Body::read`, which takes nothing that it would not write.
        let options = kind.read_options(options).map_err(D::Error::custom)?;
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
    #[cfg_attr(feature = "server", schema(required))]
    pub seed_commitment: Option<Hash>,
    /// The key that signs what this seat sends, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub key: Option<PublicKey>,
    /// The event that the player knew last, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
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
    #[cfg_attr(feature = "server", schema(required))]
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
    #[cfg_attr(feature = "server", schema(required))]
    pub open_by: Option<Timestamp>,
}

/// A player opens its seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeedOpened {
    /// The seed.
    pub seed: PlayerSeed,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
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
    pub commitment: Hash,
    /// Who sealed it.
    pub sealed_by: SealedBy,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub by: Option<Signature>,
}

/// A sealed move is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The decision.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub step: u32,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What blinded the commitment.
    pub nonce: Nonce,
    /// What became public by it: empty but for the step's last opening.
    pub facts: Vec<Fact>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub by: Option<Signature>,
}

/// A seat moves in the open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The decision; null for a move that is none.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(minimum = 1, required))]
    pub step: Option<u32>,
    /// For a move that is no decision: the event that the player knew last, or null.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
    pub after: Option<u64>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What became public by it.
    pub facts: Vec<Fact>,
    /// The player's signature, or null without a key.
    #[serde(deserialize_with = "required")]
    #[cfg_attr(feature = "server", schema(required))]
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
    #[cfg_attr(feature = "server", schema(required))]
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
