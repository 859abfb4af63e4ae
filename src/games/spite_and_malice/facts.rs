//! What Spite & Malice makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::moves::Source;
use crate::cards::{Card, Rank};
use crate::seat::{BySeat, Seat};

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMaliceFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// SM-3.
    SpiteDeal(SpiteDeal),
    /// SM-4.
    PayoffsReshuffled(PayoffsReshuffled),
    /// SM-4.
    FirstTurn(FirstTurn),
    /// SM-6 to SM-8.
    CentrePlay(CentrePlay),
    /// SM-3.
    PayoffTurned(PayoffTurned),
    /// SM-9.
    StackRecycled(StackRecycled),
    /// SM-5, SM-10.
    CardsDrawn(CardsDrawn),
    /// SM-11, SM-13, SM-16.
    SpiteRoundOver(RoundOver),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &[
        "spite_deal",
        "payoffs_reshuffled",
        "first_turn",
        "centre_play",
        "payoff_turned",
        "stack_recycled",
        "cards_drawn",
        "spite_round_over",
    ];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::SpiteDeal(SpiteDeal { tops, .. }) | Self::PayoffsReshuffled(PayoffsReshuffled { tops }) => {
                json!(tops)
            }
            Self::PayoffTurned(PayoffTurned { card, .. }) => json!(card),
            Self::FirstTurn(_)
            | Self::CentrePlay(_)
            | Self::StackRecycled(_)
            | Self::CardsDrawn(_)
            | Self::SpiteRoundOver(_) => Value::Null,
        }
    }
}

/// A round is dealt; the top cards of the pay-off piles lie face up and are compared (SM-3, SM-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SpiteDeal {
    /// The round, counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 500))]
    pub round: u32,
    /// The top card of each pay-off pile, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Card>, min_items = 2, max_items = 2))]
    pub tops: BySeat<Card>,
}

/// The top cards were equal, so the pay-off piles were shuffled; these lie on top now and are compared (SM-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PayoffsReshuffled {
    /// The top card of each pay-off pile, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Card>, min_items = 2, max_items = 2))]
    pub tops: BySeat<Card>,
}

/// The top cards differ, so it is settled who has the round's first turn (SM-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FirstTurn {
    /// Who.
    pub seat: Seat,
}

/// Where a card came from that was played to the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpitePlayedFrom))]
#[serde(rename_all = "snake_case")]
pub enum PlayedFrom {
    /// The own pay-off pile.
    Payoff,
    /// An own side stack.
    Side,
    /// The own hand.
    Hand,
}

/// A card was played to a centre stack (SM-6 to SM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CentrePlay {
    /// Who played it.
    pub seat: Seat,
    /// Where it came from.
    pub from: PlayedFrom,
    /// Which side stack it came from; null if it came from elsewhere.
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 3))]
    pub side: Option<u8>,
    /// The card.
    #[cfg_attr(feature = "server", schema(example = "KS"))]
    pub card: Card,
    /// The centre stack that it went to.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 2))]
    pub centre: u8,
    /// The rank that it stands for there; for all but kings its own.
    pub stands_for: Rank,
}

impl CentrePlay {
    pub(super) fn new(seat: Seat, from: Source, card: Card, centre: usize, stands_for: Rank) -> Self {
        let (from, side) = match from {
            Source::Payoff => (PlayedFrom::Payoff, None),
            // A side stack is one of four and a centre stack one of three, so the casts lose nothing.
            Source::Side(side) => (PlayedFrom::Side, Some(side as u8)),
            Source::Hand(_) => (PlayedFrom::Hand, None),
        };
        Self { seat, from, side, card, centre: centre as u8, stands_for }
    }
}

/// The top of a pay-off pile was played; the next card lies face up now (SM-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PayoffTurned {
    /// Whose pile it is.
    pub seat: Seat,
    /// The card on top now.
    pub card: Card,
    /// How many cards the pile has, with that one.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 29))]
    pub left: usize,
}

/// A centre stack was completed and went into the stock, which was shuffled with it (SM-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StackRecycled {
    /// The centre stack, which is empty now.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 2))]
    pub centre: u8,
    /// How many cards the stock has after it.
    pub stock: usize,
}

/// A player had to fill up the hand from the stock, and drew (SM-5, SM-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CardsDrawn {
    /// Who drew.
    pub seat: Seat,
    /// How many cards; fewer than the hand lacked if the stock ran out.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 5))]
    pub count: usize,
    /// How many cards the hand has after it.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 5))]
    pub hand: usize,
    /// How many cards the stock has after it.
    pub stock: usize,
}

/// Why a round ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteRoundReason))]
#[serde(rename_all = "snake_case")]
pub enum RoundReason {
    /// A player has played the last pay-off card (SM-11).
    Payoff,
    /// The stock could not fill up a hand (SM-13).
    Stock,
    /// The last turn that a round can have is over (SM-16).
    Cap,
}

/// A round ended (SM-11, SM-13, SM-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteRoundOver))]
#[serde(deny_unknown_fields)]
pub struct RoundOver {
    /// The round, counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 500))]
    pub round: u32,
    /// Why it ended.
    pub reason: RoundReason,
    /// Who won it; null for a tie.
    #[cfg_attr(feature = "server", schema(required))]
    pub winner: Option<Seat>,
    /// How many cards each pay-off pile had left, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<usize>, min_items = 2, max_items = 2))]
    pub payoffs: BySeat<usize>,
    /// The points of this round, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>, min_items = 2, max_items = 2))]
    pub points: BySeat<i64>,
    /// The points of the match after this round, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>, min_items = 2, max_items = 2))]
    pub scores: BySeat<i64>,
}
