//! The moves of Migraine, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

use super::{Declaration, PENSIVE};
use crate::cards::Card;

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// MI-3.
    Cut(Cut),
    /// MI-5.
    HostileDiscard(HostileDiscard),
    /// MI-6.
    PensiveDiscard(PensiveDiscard),
    /// MI-7.
    Declare(Declare),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["cut", "hostile_discard", "pensive_discard", "declare"];
}

/// The pone cuts the deck, or declines to (MI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// How many cards go from the top to the bottom; 0 declines.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 15, example = 7))]
    pub depth: i64,
}

/// A hand card for the opponent's field (MI-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostileDiscard {
    /// The card.
    #[cfg_attr(feature = "server", schema(pattern = "^[AJQK][CDHS]$", example = "QS"))]
    pub card: String,
}

/// Two hand cards for the own field, in any order (MI-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PensiveDiscard {
    /// The two cards; lists of legal moves hold them in the order of a deck.
    #[cfg_attr(feature = "server", schema(min_items = 2, max_items = 2, example = json!(["KD", "AS"])))]
    pub cards: Vec<String>,
}

/// What to score (MI-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// `rank`, `suit` or `chuck`.
    #[cfg_attr(feature = "server", schema(pattern = "^(rank|suit|chuck)$", example = "rank"))]
    pub declaration: String,
}

/// A move that the rules allow.
#[derive(Debug, Clone)]
pub enum Legal {
    /// MI-3: 0 to 15.
    Cut(usize),
    /// MI-5: a card of the hand.
    Hostile(Card),
    /// MI-6: two cards of the hand, in the order of a deck.
    Pensive([Card; PENSIVE]),
    /// MI-7.
    Declare(Declaration),
}
