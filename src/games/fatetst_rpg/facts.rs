//! What The World's Fatetst RPG makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::hero::{Item, Place};

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstRpgFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// WF-4.
    HeroWalked(HeroWalked),
    /// WF-4, WF-5.
    EnemyMet(EnemyMet),
    /// WF-6.
    HeroStruck(HeroStruck),
    /// WF-6.
    EnemyStruck(EnemyStruck),
    /// WF-6.
    EnemyBeaten(EnemyBeaten),
    /// WF-6.
    LevelRose(LevelRose),
    /// WF-6.
    HeroFled(HeroFled),
    /// WF-6.
    HeroWoke(HeroWoke),
    /// WF-6.
    HeroRested(HeroRested),
    /// WF-6.
    HeroBought(HeroBought),
    /// WF-7, WF-8.
    TreeFound(TreeFound),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &[
        "hero_walked",
        "enemy_met",
        "hero_struck",
        "enemy_struck",
        "enemy_beaten",
        "level_rose",
        "hero_fled",
        "hero_woke",
        "hero_rested",
        "hero_bought",
        "tree_found",
    ];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::EnemyMet(EnemyMet { colour, .. }) => json!(colour),
            Self::HeroStruck(HeroStruck { roll, .. }) => json!(roll),
            Self::HeroFled(HeroFled { away }) => json!(away),
            Self::HeroWalked(_)
            | Self::EnemyStruck(_)
            | Self::EnemyBeaten(_)
            | Self::LevelRose(_)
            | Self::HeroWoke(_)
            | Self::HeroRested(_)
            | Self::HeroBought(_)
            | Self::TreeFound(_) => Value::Null,
        }
    }
}

/// What stopped a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstStop))]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// It was as long as it was to be.
    Length,
    /// An enemy.
    Battle,
    /// A town.
    Town,
    /// The tree.
    Tree,
    /// The edge of the map.
    Edge,
}

/// The hero walked (WF-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroWalked {
    /// How many tiles.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 25))]
    pub tiles: i64,
    /// Where it stands now.
    pub place: Place,
    /// What stopped it.
    pub stopped_by: StoppedBy,
}

/// A battle begins (WF-4, WF-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EnemyMet {
    /// How strong it is.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 17))]
    pub tier: i64,
    /// Its colour.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 5))]
    pub colour: u32,
    /// Its hit points.
    pub hp: i64,
    /// Its attack.
    pub attack: i64,
}

/// The hero struck (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroStruck {
    /// The number that was added to the attack.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 3))]
    pub roll: u32,
    /// What the blow dealt.
    pub damage: i64,
    /// The enemy's hit points after it; 0 if it is beaten.
    #[cfg_attr(feature = "server", schema(minimum = 0))]
    pub enemy_hp: i64,
}

/// The enemy struck (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EnemyStruck {
    /// What the blow dealt.
    pub damage: i64,
    /// The hero's hit points after it; 0 if it is struck down.
    #[cfg_attr(feature = "server", schema(minimum = 0))]
    pub hp: i64,
}

/// The enemy is beaten, and leaves something (WF-5, WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EnemyBeaten {
    /// The gold that it left.
    pub gold: i64,
    /// The experience that it left.
    pub xp: i64,
}

/// The level rose (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LevelRose {
    /// The level now.
    pub level: i64,
    /// The most hit points now.
    pub max_hp: i64,
    /// The attack now.
    pub attack: i64,
}

/// The hero tried to flee (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroFled {
    /// Whether it got away.
    pub away: bool,
}

/// The hero was struck down, and woke in the town that it visited last (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroWoke {
    /// Where.
    pub place: Place,
    /// Its hit points: all.
    pub hp: i64,
    /// The gold that is left.
    pub gold: i64,
}

/// The hero rested (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroRested {
    /// What it cost.
    pub cost: i64,
    /// Its hit points: all.
    pub hp: i64,
    /// The gold that is left.
    pub gold: i64,
}

/// The hero bought something (WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeroBought {
    /// What.
    pub item: Item,
    /// What it cost.
    pub price: i64,
    /// The gold that is left.
    pub gold: i64,
}

/// The hero stands on the tree: the run is finished (WF-7, WF-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TreeFound {
    /// The tree's column.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 8))]
    pub x: i64,
    /// How long the run took, in milliseconds: from the time of `started` to that of this event.
    #[cfg_attr(feature = "server", schema(minimum = 0))]
    pub elapsed: i64,
    /// How many steps it took.
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub steps: u64,
}
