//! What the service answers, as far as a client needs it.

use serde::Deserialize;
use serde_json::Value;

use crate::event::Event;
use crate::game::GameResult;
use crate::games::{Kind, Move};
use crate::hex32::Nonce;
use crate::ids::{GameId, PlayerId};
use crate::keys::Jwk;
use crate::seat::Seat;
use crate::table::{Awaits, Status};
use crate::timestamp::Timestamp;

/// A game as the service shows it to one viewer. Nothing in it is signed: what counts is the log.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[allow(missing_docs, reason = "the fields are those of `crate::table::View`, which says what they are")]
pub struct View {
    pub game: GameId,
    pub kind: Kind,
    pub seq: u64,
    pub status: Status,
    pub to_act: Vec<Seat>,
    pub awaits: Option<Awaits>,
    pub step: Option<u32>,
    pub due_at: Option<Timestamp>,
    pub seat: Option<Seat>,
    pub legal: Vec<Move>,
    /// The game's own state, as JSON: each game has another.
    pub state: Value,
    pub result: Option<GameResult>,
}

/// What a write made. The events are signed: a client keeps them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Receipt {
    /// The events that it appended.
    pub events: Vec<Event>,
    /// The game as the caller sees it now.
    pub view: View,
    /// For a move that the server sealed: what opens the commitment.
    pub nonce: Option<Nonce>,
}

/// A page of a game's log.
#[derive(Debug, Deserialize)]
pub(super) struct Events {
    pub events: Vec<Event>,
    pub next: Option<u64>,
}

/// A part of the table of high scores.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Scores {
    /// The runs, the best first.
    pub scores: Vec<Score>,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Score {
    /// Its place, counted from 1.
    pub place: u64,
    /// The game.
    pub game: GameId,
    /// How long it took by the log's clock, in milliseconds.
    pub elapsed: u64,
    /// How many steps it took.
    pub steps: u64,
}

/// The published keys.
#[derive(Debug, Deserialize)]
pub(super) struct Keys {
    pub keys: Vec<Jwk>,
}

/// A new player and its token.
#[derive(Deserialize)]
pub(super) struct SignedUp {
    pub player: NamedPlayer,
    pub token: String,
}

/// A player, as anybody may see it.
#[derive(Debug, Deserialize)]
pub(super) struct NamedPlayer {
    pub id: PlayerId,
    pub name: String,
}

/// An error (RFC 9457).
#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    pub code: String,
    pub detail: String,
}
