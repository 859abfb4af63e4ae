//! What a viewer of The World's Fatetst RPG sees.

use serde::Serialize;

use super::facts::Fact;
use super::hero::{Enemy, Hero, Place};
use super::numbers::{HEIGHT, TOWN_X, TOWNS, WIDTH};
use super::{Phase, Rules};
use crate::game::Viewer;
use crate::games::Kind;
use crate::timestamp::Timestamp;

/// The world, and the hero in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstRpgState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// The map's columns.
    pub width: i64,
    /// The map's rows.
    pub height: i64,
    /// The towns, from the south on; all are alike.
    pub towns: Vec<Place>,
    /// When the clock began to run (WF-8).
    pub started_at: Timestamp,
    /// The hero.
    pub hero: Hero,
    /// The enemy in the battle at hand; null where there is none.
    #[cfg_attr(feature = "server", schema(required))]
    pub enemy: Option<Enemy>,
    /// What a town offers the hero now; null outside of towns.
    #[cfg_attr(feature = "server", schema(required))]
    pub town: Option<Town>,
    /// How many steps were made (WF-3).
    pub steps: u64,
    /// The tree's column; null as long as it is hidden (WF-1).
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 8))]
    pub tree: Option<i64>,
    /// What the newest move led to, in order.
    #[cfg_attr(feature = "server", schema(value_type = Vec<crate::games::Fact>))]
    pub latest: Vec<Fact>,
}

/// What a town offers: the same in every town (WF-1, WF-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstTown))]
pub struct Town {
    /// What a rest costs the hero: nothing, if it has less than a rest costs.
    pub rest: i64,
    /// What the next weapon costs.
    pub weapon: i64,
    /// What the next armour costs.
    pub armour: i64,
}

pub(super) fn view(game: &Rules, viewer: Viewer) -> View {
    let enemy = match &game.phase {
        Phase::Battle(enemy) => Some(*enemy),
        Phase::Walking | Phase::Over(_) => None,
    };
    let found = game.latest.iter().any(|fact| matches!(fact, Fact::TreeFound(_)));
    View {
        kind: Kind::FatetstRpg,
        width: WIDTH,
        height: HEIGHT,
        towns: TOWNS.iter().map(|y| Place { x: TOWN_X, y: *y }).collect(),
        started_at: game.started_at,
        hero: game.hero,
        enemy,
        town: (matches!(game.phase, Phase::Walking) && game.hero.place.is_town()).then(|| game.town()),
        steps: game.steps,
        tree: (found || viewer == Viewer::Everything).then_some(game.tree),
        latest: game.latest.clone(),
    }
}
