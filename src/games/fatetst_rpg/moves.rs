//! The moves of The World's Fatetst RPG, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

use super::hero::{Direction, Item};

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstRpgMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// WF-4.
    Walk(Walk),
    /// WF-6.
    Strike(Strike),
    /// WF-6.
    Flee(Flee),
    /// WF-6.
    Rest(Rest),
    /// WF-6.
    Buy(Buy),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["walk", "strike", "flee", "rest", "buy"];
}

/// The hero walks, until a battle, a town, the tree or the edge of the map stops it (WF-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Walk {
    /// Where to: n, s, e or w.
    #[cfg_attr(feature = "server", schema(pattern = "^[nsew]$", example = "n"))]
    pub direction: String,
    /// How many tiles at most.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 25, example = 1))]
    pub tiles: i64,
}

/// The hero strikes, and the enemy strikes back if it lives (WF-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Strike {}

/// The hero tries to flee; if it fails, the enemy strikes (WF-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Flee {}

/// The hero rests in a town (WF-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Rest {}

/// The hero buys something in a town (WF-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Buy {
    /// What: weapon or armour.
    #[cfg_attr(feature = "server", schema(pattern = "^(weapon|armour)$", example = "weapon"))]
    pub item: String,
}

/// A move that the rules allow.
#[derive(Debug, Clone, Copy)]
pub enum Legal {
    /// A first tile that is on the map, and how many at most.
    Walk(Direction, i64),
    /// In a battle.
    Strike,
    /// In a battle.
    Flee,
    /// In a town.
    Rest,
    /// In a town, with gold enough.
    Buy(Item),
}
