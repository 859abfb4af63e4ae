//! What Migraine makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{PENSIVE, ScoredRound};
use crate::cards::Card;
use crate::seat::{BySeat, Seat};

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// MI-2.
    DealerChosen(DealerChosen),
    /// MI-9.
    MigraineRound(MigraineRound),
    /// MI-4.
    MigraineDeal(MigraineDeal),
    /// MI-5.
    HostileDiscards(HostileDiscards),
    /// MI-6.
    PensiveDiscards(PensiveDiscards),
    /// MI-8.
    MigraineScored(ScoredRound),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &[
        "dealer_chosen",
        "migraine_round",
        "migraine_deal",
        "hostile_discards",
        "pensive_discards",
        "migraine_scored",
    ];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::DealerChosen(DealerChosen { dealer }) => json!(dealer),
            Self::MigraineDeal(MigraineDeal { middle, fields }) => json!([middle, fields]),
            Self::MigraineScored(ScoredRound { middle, sabre, hands, fields, .. }) => {
                json!([middle, sabre, hands, fields])
            }
            Self::MigraineRound(_) | Self::HostileDiscards(_) | Self::PensiveDiscards(_) => Value::Null,
        }
    }
}

/// The lot fell on the first dealer (MI-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DealerChosen {
    /// Who deals the first round.
    pub dealer: Seat,
}

/// A round begins; the dealer has shuffled (MI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MigraineRound {
    /// Counted from 1.
    pub round: u32,
    /// Who deals.
    pub dealer: Seat,
}

/// The cards are dealt; these lie face up (MI-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MigraineDeal {
    /// The card in the middle.
    #[cfg_attr(feature = "server", schema(example = "AH"))]
    pub middle: Card,
    /// The first card of each field, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Card>))]
    pub fields: BySeat<Card>,
}

/// Both hostile discards are shown (MI-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostileDiscards {
    /// The card that each seat chose; it lies in the other's field now.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Card>))]
    pub cards: BySeat<Card>,
}

/// Both pensive discards are shown (MI-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PensiveDiscards {
    /// The two cards that each seat chose, in the order of a deck; they lie in its own field now.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Card>>))]
    pub cards: BySeat<[Card; PENSIVE]>,
}
