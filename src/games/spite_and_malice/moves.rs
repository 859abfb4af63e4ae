//! The moves of Spite & Malice, as the API takes them and as the rules allow them.

use serde::{Deserialize, Serialize};

/// A move, by [`Move::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMaliceMove))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Move {
    /// SM-6 (a).
    PlayPayoff(PlayPayoff),
    /// SM-6 (b).
    PlaySide(PlaySide),
    /// SM-6 (c).
    PlayHand(PlayHand),
    /// SM-6 (d).
    Discard(Discard),
}

impl Move {
    /// The names of these moves.
    pub const TYPES: &'static [&'static str] = &["play_payoff", "play_side", "play_hand", "discard"];
}

/// The top of the own pay-off pile goes to a centre stack (SM-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlayPayoff {
    /// The centre stack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 2, example = 0))]
    pub centre: i64,
}

/// The top of an own side stack goes to a centre stack (SM-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlaySide {
    /// The own side stack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 3, example = 3))]
    pub side: i64,
    /// The centre stack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 2, example = 1))]
    pub centre: i64,
}

/// A hand card goes to a centre stack (SM-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlayHand {
    /// The card.
    #[cfg_attr(feature = "server", schema(pattern = "^[A2-9TJQK][CDHS]$", example = "7S"))]
    pub card: String,
    /// The centre stack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 2, example = 2))]
    pub centre: i64,
}

/// A hand card goes to an own side stack, which ends the turn (SM-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Discard {
    /// The card.
    #[cfg_attr(feature = "server", schema(pattern = "^[A2-9TJQK][CDHS]$", example = "7S"))]
    pub card: String,
    /// The own side stack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 3, example = 0))]
    pub side: i64,
}

/// A move that the rules allow to the seat whose turn it is: places in its own piles and in the centre, which are
/// there. Only judging makes one.
#[derive(Debug, Clone, Copy)]
pub struct Legal(pub(super) Step);

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// SM-6 (a) to (c): a card that fits.
    Play { from: Source, centre: usize },
    /// SM-6 (d): the hand card at this place.
    Discard { hand: usize, side: usize },
}

/// Where a card that is played lies: always an own one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// On top of the pay-off pile.
    Payoff,
    /// On top of this side stack.
    Side(usize),
    /// At this place of the hand.
    Hand(usize),
}
