//! The moves of Tau Heed Kept, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

use super::cell::{Cell, Corner};
use crate::cards::{Card, CardText};

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauHeedKeptMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// TH-8.
    Place(Place),
    /// TH-7.
    Pass(Pass),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["place", "pass"];
}

/// A hand card grows onto the table (TH-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The card.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[A2-9TJQK][CDHS]$", example = "3H"))]
    pub card: CardText,
    /// The column of the cell that it is laid on; the first card lies at 0.
    #[cfg_attr(feature = "server", schema(example = 1))]
    pub x: i64,
    /// The row of the cell that it is laid on, counted upwards; the first card lies at 0.
    #[cfg_attr(feature = "server", schema(example = 0))]
    pub y: i64,
    /// The order in which to settle the corners of the card's cell, each named by the column and the row of its
    /// lower-left cell; those left out follow in the order lower left, lower right, upper left, upper right (TH-9).
    /// Lists of legal moves hold placements without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "server",
        schema(value_type = Vec<[i64; 2]>, required = false, nullable = false, max_items = 4, example = json!([[0, 0], [0, -1]]))
    )]
    pub corners: Option<Vec<[i64; 2]>>,
}

/// The turn is over without a placement (TH-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Pass {}

/// A move that the rules allow.
#[derive(Debug, Clone, Copy)]
pub enum Legal {
    /// TH-8: a card of the hand, a cell that it may be laid on, and all corners of the cell in the order in which they
    /// are settled.
    Place(Card, Cell, [Corner; 4]),
    /// TH-7.
    Pass,
}
