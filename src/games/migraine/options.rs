//! The options of Migraine.

use serde::{Deserialize, Serialize};

use crate::seat::Seat;

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {
    /// The points that a player must reach, with a lead of two, to win (MI-9).
    #[serde(default = "default_target")]
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 100, default = 15))]
    target: i64,
    /// The seat that deals the first round; null: by lot (MI-2).
    #[serde(default)]
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 1))]
    first_dealer: Option<i64>,
}

fn default_target() -> i64 {
    15
}

/// Options within their limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineChosen))]
#[serde(try_from = "OptionsDraft")]
pub struct Options {
    target: u32,
    first_dealer: Option<Seat>,
}

impl Options {
    /// The points to reach, 1 to 100 (MI-9).
    pub fn target(&self) -> u32 {
        self.target
    }

    /// Who deals first; `None`: by lot (MI-2).
    pub fn first_dealer(&self) -> Option<Seat> {
        self.first_dealer
    }
}

impl TryFrom<OptionsDraft> for Options {
    type Error = &'static str;

    fn try_from(draft: OptionsDraft) -> Result<Self, Self::Error> {
        let target = u32::try_from(draft.target).ok().filter(|target| (1..=100).contains(target));
        let first_dealer = match draft.first_dealer {
            None => None,
            Some(0) => Some(Seat::FIRST),
            Some(1) => Some(Seat::FIRST.left(2)),
            Some(_) => return Err("first_dealer must be 0, 1 or null"),
        };
        Ok(Self { target: target.ok_or("target must be 1 to 100")?, first_dealer })
    }
}
