//! The options of Generals.

use serde::{Deserialize, Serialize};

use crate::seat::Seat;

/// GE-1: the cards of a deck beside its jokers.
const SUITED: usize = 52;

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {
    /// How many decks are shuffled together; null: one, and one more for each ten players (GE-4).
    #[serde(default)]
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 4))]
    decks: Option<i64>,
    /// How many jokers each deck has (GE-4).
    #[serde(default = "default_jokers")]
    #[cfg_attr(feature = "server", schema(minimum = 2, maximum = 4, default = 2))]
    jokers: i64,
    /// How many cards each player is dealt (GE-4).
    #[serde(default = "default_hand")]
    #[cfg_attr(feature = "server", schema(minimum = 4, maximum = 8, default = 4))]
    hand: i64,
    /// The seat that deals; null: by lot (GE-5).
    #[serde(default)]
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 19))]
    dealer: Option<i64>,
}

fn default_jokers() -> i64 {
    2
}

fn default_hand() -> i64 {
    4
}

/// Options within their limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsChosen))]
#[serde(try_from = "OptionsDraft")]
pub struct Options {
    /// How many decks are shuffled together; null: by the number of players (GE-4).
    #[cfg_attr(feature = "server", schema(required))]
    decks: Option<u8>,
    /// How many jokers each deck has (GE-4).
    jokers: u8,
    /// How many cards each player is dealt (GE-4).
    hand: u8,
    /// The seat that deals; null: by lot (GE-5).
    #[cfg_attr(feature = "server", schema(required))]
    dealer: Option<Seat>,
}

impl Options {
    /// The decks that so many players play with, 1 to 4 (GE-4).
    pub fn decks(&self, players: usize) -> usize {
        self.decks.map_or(1 + players / 10, usize::from)
    }

    /// The jokers of each deck, 2 to 4 (GE-4).
    pub fn jokers(&self) -> u8 {
        self.jokers
    }

    /// The cards that each player is dealt, 4 to 8 (GE-4).
    pub fn hand(&self) -> usize {
        usize::from(self.hand)
    }

    /// Who deals; `None`: by lot (GE-5).
    pub fn dealer(&self) -> Option<Seat> {
        self.dealer
    }

    /// The cards that so many players play with, all decks together (GE-1, GE-4).
    pub fn cards(&self, players: usize) -> usize {
        self.decks(players) * (SUITED + usize::from(self.jokers))
    }
}

impl TryFrom<OptionsDraft> for Options {
    type Error = &'static str;

    fn try_from(draft: OptionsDraft) -> Result<Self, Self::Error> {
        let within = |number: i64, least: u8, most: u8| {
            u8::try_from(number).ok().filter(|number| (least..=most).contains(number))
        };
        let decks = match draft.decks {
            None => None,
            Some(decks) => Some(within(decks, 1, 4).ok_or("decks must be 1 to 4, or null")?),
        };
        let dealer = match draft.dealer {
            None => None,
            Some(seat) => {
                let seat = usize::try_from(seat).ok().and_then(|seat| Seat::new(seat).ok());
                Some(seat.ok_or("dealer must be a seat, 0 to 19, or null")?)
            }
        };
        Ok(Self {
            decks,
            jokers: within(draft.jokers, 2, 4).ok_or("jokers must be 2 to 4")?,
            hand: within(draft.hand, 4, 8).ok_or("hand must be 4 to 8")?,
            dealer,
        })
    }
}
