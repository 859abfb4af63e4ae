//! The options of The World's Fatetst RPG: there are none.

use serde::{Deserialize, Serialize};

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstRpgOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {}

/// Options within their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstRpgChosen))]
#[serde(from = "OptionsDraft")]
pub struct Options {}

impl From<OptionsDraft> for Options {
    fn from(OptionsDraft {}: OptionsDraft) -> Self {
        Self {}
    }
}
