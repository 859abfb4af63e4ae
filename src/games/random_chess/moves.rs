//! The moves of Random Chess, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

use super::position::ChessMove;

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = RandomChessMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// RC-8.
    Advance(Advance),
    /// RC-9.
    Play(Play),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["advance", "play"];
}

/// The program plays on (RC-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Advance {
    /// How many plies at most; it stops at the end of the game.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 200, example = 1))]
    pub plies: i64,
}

/// Seat 0 makes a move of the side that it plays (RC-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The move in UCI.
    #[cfg_attr(feature = "server", schema(pattern = "^[a-h][1-8][a-h][1-8][abmnqr]?$", example = "e2e4"))]
    pub uci: String,
}

/// A move that the rules allow.
#[derive(Debug, Clone, Copy)]
pub enum Legal {
    /// RC-8: 1 to 200 plies.
    Advance(u8),
    /// RC-9: a move that is legal on the board, for the side of seat 0.
    Play(ChessMove),
}
