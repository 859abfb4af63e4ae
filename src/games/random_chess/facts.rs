//! What Random Chess makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::man::Side;
use crate::game::Reason;

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = RandomChessFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// RC-7.
    ChessStart(ChessStart),
    /// RC-1, RC-3.
    ChessPly(ChessPly),
    /// RC-4.
    ChessOver(ChessOver),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &["chess_start", "chess_ply", "chess_over"];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::ChessStart(ChessStart { draw: Some(_), fen, .. }) => json!(fen),
            Self::ChessPly(ChessPly { draw: Some(_), uci, .. }) => json!(uci),
            Self::ChessStart(ChessStart { draw: None, .. })
            | Self::ChessPly(ChessPly { draw: None, .. })
            | Self::ChessOver(_) => Value::Null,
        }
    }
}

/// The men stand so (RC-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChessStart {
    /// The draw that chose how the men stand; null where no draw did.
    #[cfg_attr(feature = "server", schema(required, minimum = 1, maximum = 1))]
    pub draw: Option<u32>,
    /// The number of the array in `chess960`; null in other variants.
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 959))]
    pub number: Option<u16>,
    /// The position.
    #[cfg_attr(feature = "server", schema(example = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))]
    pub fen: String,
}

/// A move was made on the board (RC-1, RC-3, RC-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChessPly {
    /// Its number in the game, counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 4000))]
    pub ply: usize,
    /// Whose move.
    pub side: Side,
    /// The draw that chose it; null for a move of seat 0.
    #[cfg_attr(feature = "server", schema(required, minimum = 1, maximum = 4096))]
    pub draw: Option<u32>,
    /// How many legal moves there were.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub choices: usize,
    /// The move in UCI.
    #[cfg_attr(feature = "server", schema(example = "g1f3"))]
    pub uci: String,
    /// The move in SAN.
    #[cfg_attr(feature = "server", schema(example = "Nf3"))]
    pub san: String,
    /// The position after it.
    #[cfg_attr(feature = "server", schema(example = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"))]
    pub fen: String,
}

/// The game ended on the board (RC-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChessOver {
    /// Why.
    pub reason: Reason,
    /// The side that won; null for a draw.
    #[cfg_attr(feature = "server", schema(required))]
    pub winner: Option<Side>,
}
