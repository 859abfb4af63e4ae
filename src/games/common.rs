//! What all games have in common: facts, and texts that are none.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Fact;
use crate::game::{Draw, Forfeit};

/// Why a JSON value is no move, no option or no fact: the form is not one that the game has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// A fact that every game can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CommonFact {
    /// Chance was used.
    Draw(Draw),
    /// A seat left the game for good.
    Forfeit(Forfeit),
}

impl CommonFact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &["draw", "forfeit"];

    pub(super) fn drawn(&self) -> Value {
        match self {
            Self::Draw(Draw { draw, purpose }) => json!([draw, purpose]),
            Self::Forfeit(_) => Value::Null,
        }
    }
}

impl From<Draw> for Fact {
    fn from(draw: Draw) -> Self {
        Self::Common(CommonFact::Draw(draw))
    }
}

impl From<Forfeit> for Fact {
    fn from(forfeit: Forfeit) -> Self {
        Self::Common(CommonFact::Forfeit(forfeit))
    }
}
