//! The moves of Generals, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

use super::slots::{SentSlots, Slots};
use crate::seat::Seat;

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// GE-7.
    Attack(Attack),
    /// GE-10.
    Defend(Defend),
    /// GE-12.
    Pick(Pick),
    /// GE-12a.
    ShuffleHand(ShuffleHand),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["attack", "defend", "pick", "shuffle_hand"];
}

/// The seat whose turn it is lays cards face down against another (GE-7 to GE-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// Whom it attacks: another seat that is still in.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 19, example = 2))]
    pub target: i64,
    /// The slots of its own hand, in any order, none twice; lists of legal moves hold them ascending.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>, min_items = 1, max_items = 3, example = json!([0, 1])))]
    pub slots: SentSlots,
}

/// The target answers face up (GE-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Defend {
    /// The slots of its own hand, in any order, none twice; lists of legal moves hold them ascending.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>, min_items = 1, max_items = 3, example = json!([1])))]
    pub slots: SentSlots,
}

/// The attacker's joker takes one card of the target's hand with it (GE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The slot in the target's hand, the answer's slots among them; null asks for one at random.
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 223, example = 3))]
    pub slot: Option<i64>,
}

/// A seat shuffles its own hand (GE-12a). It is no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShuffleHand {}

/// A move that the rules allow.
#[derive(Debug, Clone)]
pub enum Legal {
    /// GE-7: against a seat that is in, with cards of the own row.
    Attack(Seat, Slots),
    /// GE-10: with cards of the own row.
    Defend(Slots),
    /// GE-12: a slot of the target's row; `None`: one at random.
    Pick(Option<usize>),
    /// GE-12a.
    ShuffleHand,
}
