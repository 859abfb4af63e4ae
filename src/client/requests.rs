//! What a client sends, as the service takes it.

use serde::Serialize;
use serde_json::Value;

use crate::games::{Kind, Move};
use crate::hex32::{Hash, Nonce, PlayerSeed};
use crate::keys::{PublicKey, Signature};
use crate::ledger::Visibility;
use crate::seat::Seat;

/// What to play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewGame {
    /// The game.
    pub kind: Kind,
    /// What was chosen; an object. What is left out has its default.
    pub options: Value,
    /// The number of places.
    pub seats: u8,
    /// Who finds it.
    pub visibility: Visibility,
    /// How long a decision may take, in seconds.
    pub move_seconds: Option<u32>,
}

/// How to sit down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SitDown {
    /// Where; the first free seat if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The commitment to a seed.
    pub seed_commitment: Option<Hash>,
    /// The key that signs what this seat sends.
    pub key: Option<PublicKey>,
    /// The newest event that the caller knows; needed with a key.
    pub after: Option<u64>,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}

/// The seed that was committed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenSeed {
    /// The seed.
    pub seed: PlayerSeed,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}

/// A move in the open, or one for the server to seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MakeMove {
    /// The decision; `None` for a move that is none.
    pub step: Option<u32>,
    /// For a move that is no decision: the newest event that the caller knows.
    pub after: Option<u64>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}

/// The commitment to a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// The decision.
    pub step: u32,
    /// The commitment.
    pub commitment: Hash,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}

/// What opens a commitment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenMove {
    /// The decision.
    pub step: u32,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What blinded the commitment.
    pub nonce: Nonce,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}

/// How to give up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Resign {
    /// The newest event that the caller knows; needed with a key.
    pub after: Option<u64>,
    /// The caller's signature; needed with a key.
    pub by: Option<Signature>,
}
