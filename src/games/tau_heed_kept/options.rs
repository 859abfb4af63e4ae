//! The options of Tau Heed Kept.

use serde::{Deserialize, Serialize};

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauHeedKeptOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {
    /// Where a card grows: over its two long sides, or over any of its four edges (TH-8).
    #[serde(default = "default_growth")]
    #[cfg_attr(feature = "server", schema(value_type = Growth, default = "sides"))]
    growth: String,
    /// Whether aces and twos link by algebra alone (TH-2).
    #[serde(default = "default_ace_links")]
    #[cfg_attr(feature = "server", schema(value_type = AceLinks, default = "algebraic"))]
    ace_links: String,
}

fn default_growth() -> String {
    Growth::Sides.name().to_owned()
}

fn default_ace_links() -> String {
    AceLinks::Algebraic.name().to_owned()
}

/// Where a card grows (TH-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauGrowth))]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// Over its two long sides.
    Sides,
    /// Over any of its four edges.
    Any,
}

impl Growth {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sides, Self::Any];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sides => "sides",
            Self::Any => "any",
        }
    }
}

/// Which links aces have with aces and twos (TH-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauAceLinks))]
#[serde(rename_all = "snake_case")]
pub enum AceLinks {
    /// All that the algebra gives.
    Algebraic,
    /// Not ace on ace, ace on two and two on ace.
    Listed,
}

impl AceLinks {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Algebraic, Self::Listed];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Algebraic => "algebraic",
            Self::Listed => "listed",
        }
    }
}

/// Options within their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauHeedKeptChosen))]
#[serde(try_from = "OptionsDraft")]
pub struct Options {
    growth: Growth,
    ace_links: AceLinks,
}

impl Options {
    /// Where a card grows (TH-8).
    pub fn growth(&self) -> Growth {
        self.growth
    }

    /// Which links aces have with aces and twos (TH-2).
    pub fn ace_links(&self) -> AceLinks {
        self.ace_links
    }
}

impl TryFrom<OptionsDraft> for Options {
    type Error = &'static str;

    fn try_from(draft: OptionsDraft) -> Result<Self, Self::Error> {
        let growth = Growth::ALL.into_iter().find(|growth| growth.name() == draft.growth);
        let ace_links = AceLinks::ALL.into_iter().find(|links| links.name() == draft.ace_links);
        Ok(Self {
            growth: growth.ok_or("growth must be \"sides\" or \"any\"")?,
            ace_links: ace_links.ok_or("ace_links must be \"algebraic\" or \"listed\"")?,
        })
    }
}
