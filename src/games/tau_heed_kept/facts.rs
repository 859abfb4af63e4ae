//! What Tau Heed Kept makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cards::Card;
use crate::seat::{BySeat, Seat};

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauHeedKeptFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// TH-6.
    TauFirstCard(TauFirstCard),
    /// TH-7.
    TauTurn(TauTurn),
    /// TH-9.
    TauCorner(TauCorner),
    /// TH-12.
    TauAutomaticPass(TauAutomaticPass),
    /// TH-11, TH-12.
    TauScored(TauScored),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] =
        &["tau_first_card", "tau_turn", "tau_corner", "tau_automatic_pass", "tau_scored"];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::TauFirstCard(TauFirstCard { card, .. }) => json!(card),
            Self::TauTurn(_) | Self::TauCorner(_) | Self::TauAutomaticPass(_) | Self::TauScored(_) => Value::Null,
        }
    }
}

/// The first card was drawn and lies upright at (0, 0) (TH-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TauFirstCard {
    /// Whose deck it is from.
    pub seat: Seat,
    /// The card.
    #[cfg_attr(feature = "server", schema(example = "6C"))]
    pub card: Card,
}

/// A turn begins (TH-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TauTurn {
    /// Whose turn.
    pub seat: Seat,
    /// Whether a card was drawn for it; if not, the seat's deck was empty.
    pub drew: bool,
    /// How many cards the seat's deck has left.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 51))]
    pub deck: usize,
}

/// A corner was encircled, and its cards compared (TH-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TauCorner {
    /// The column of its lower-left cell.
    #[cfg_attr(feature = "server", schema(example = 0))]
    pub x: i16,
    /// The row of its lower-left cell.
    #[cfg_attr(feature = "server", schema(example = 0))]
    pub y: i16,
    /// The four cards round it: lower left, lower right, upper right, upper left.
    #[cfg_attr(feature = "server", schema(value_type = Vec<RankedCard>, min_items = 4, max_items = 4))]
    pub cards: [RankedCard; 4],
    /// The one of them that left its cell and lies on the corner now, face down; null if all places were tied.
    #[cfg_attr(feature = "server", schema(required))]
    pub winner: Option<RankedCard>,
}

/// A card in the ranking of a corner (TH-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauRankedCard))]
#[serde(deny_unknown_fields)]
pub struct RankedCard {
    /// The column of its cell.
    #[cfg_attr(feature = "server", schema(example = 1))]
    pub x: i16,
    /// The row of its cell.
    #[cfg_attr(feature = "server", schema(example = 0))]
    pub y: i16,
    /// Whose deck it is from.
    pub owner: Seat,
    /// The card.
    pub card: Card,
    /// Its place; 1 is the best, and equal cards share one.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 4))]
    pub place: u8,
}

/// A seat passed without being asked: all decks are empty, and it can place nothing (TH-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TauAutomaticPass {
    /// Who.
    pub seat: Seat,
}

/// The game is over and was counted (TH-11, TH-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TauScored {
    /// How many corners each has claimed, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<usize>))]
    pub corners: BySeat<usize>,
    /// How many cards each has left in hand, by seat; of a seat that forfeited, those it took out of the game.
    #[cfg_attr(feature = "server", schema(value_type = Vec<usize>))]
    pub hands: BySeat<usize>,
    /// The scores, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub scores: BySeat<i64>,
}
