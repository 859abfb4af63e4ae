//! The options of Spite & Malice.

use serde::{Deserialize, Serialize};

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMaliceOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {
    /// The points that a player must reach to win the match (SM-15).
    #[serde(default = "default_target")]
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 500, default = 50))]
    target: i64,
    /// How many decks of 52 cards are shuffled together (SM-1).
    #[serde(default = "default_decks")]
    #[cfg_attr(feature = "server", schema(minimum = 2, maximum = 4, default = 2))]
    decks: i64,
    /// How many cards a pay-off pile has at the deal (SM-2).
    #[serde(default = "default_payoff")]
    #[cfg_attr(feature = "server", schema(minimum = 5, maximum = 30, default = 20))]
    payoff: i64,
}

fn default_target() -> i64 {
    50
}

fn default_decks() -> i64 {
    2
}

fn default_payoff() -> i64 {
    20
}

/// Options within their limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMaliceChosen))]
#[serde(try_from = "OptionsDraft")]
pub struct Options {
    /// The points that a player must reach to win the match (SM-15).
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 500))]
    target: u16,
    /// How many decks of 52 cards are shuffled together (SM-1).
    #[cfg_attr(feature = "server", schema(minimum = 2, maximum = 4))]
    decks: u8,
    /// How many cards a pay-off pile has at the deal (SM-2).
    #[cfg_attr(feature = "server", schema(minimum = 5, maximum = 30))]
    payoff: u8,
}

impl Options {
    /// The points to reach, 1 to 500 (SM-15).
    pub fn target(&self) -> u16 {
        self.target
    }

    /// The number of decks, 2 to 4 (SM-1).
    pub fn decks(&self) -> u8 {
        self.decks
    }

    /// The number of cards in a pay-off pile at the deal, 5 to 30 (SM-2).
    pub fn payoff(&self) -> u8 {
        self.payoff
    }
}

impl TryFrom<OptionsDraft> for Options {
    type Error = &'static str;

    fn try_from(draft: OptionsDraft) -> Result<Self, Self::Error> {
        let target = u16::try_from(draft.target).ok().filter(|target| (1..=500).contains(target));
        let decks = u8::try_from(draft.decks).ok().filter(|decks| (2..=4).contains(decks));
        let payoff = u8::try_from(draft.payoff).ok().filter(|payoff| (5..=30).contains(payoff));
        Ok(Self {
            target: target.ok_or("target must be 1 to 500")?,
            decks: decks.ok_or("decks must be 2 to 4")?,
            payoff: payoff.ok_or("payoff must be 5 to 30")?,
        })
    }
}
