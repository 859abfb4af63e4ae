//! Every number of the world, in one place: version 1 of the rules.

/// The map's columns, x from 0 on (WF-1).
pub const WIDTH: i64 = 9;
/// The map's rows, y from 0 on (WF-1).
pub const HEIGHT: i64 = 255;
/// The column of the start and of every town (WF-1).
pub const TOWN_X: i64 = 4;
/// The rows of the towns, from the south on; the run starts in the first (WF-1).
pub const TOWNS: [i64; 5] = [0, 50, 100, 150, 200];
/// The row of the tree (WF-1).
pub const TREE_Y: i64 = 254;

/// Once in so many tiles a battle begins (WF-4).
pub const ENCOUNTER: u32 = 5;
/// How many colours enemies have (WF-4).
pub const COLOURS: u32 = 6;
/// So many values a blow adds to the attack, from 0 on (WF-6).
pub const BLOW: u32 = 4;
/// Once in so many times a flight succeeds (WF-6).
pub const FLIGHT: u32 = 2;

/// How many tiles a move walks at most.
pub const LONGEST_WALK: i64 = 25;
/// How long a run may take, in seconds (WF-9).
pub const LONGEST_SECONDS: u32 = 24 * 3600;

/// The hero at the start (WF-2).
pub const START_HP: i64 = 20;
/// The hero's attack at the start (WF-2).
pub const START_ATTACK: i64 = 4;
/// What a new level adds to the most hit points (WF-6).
pub const LEVEL_HP: i64 = 5;
/// What a new level adds to the attack (WF-6).
pub const LEVEL_ATTACK: i64 = 1;
/// What a rest costs; nothing, if the hero has less (WF-6).
pub const REST_PRICE: i64 = 5;

/// The tier of enemies in a row (WF-5).
pub const fn tier(y: i64) -> i64 {
    1 + y / 15
}

/// An enemy's hit points (WF-5).
pub const fn enemy_hp(tier: i64) -> i64 {
    3 * tier + 3
}

/// An enemy's attack (WF-5).
pub const fn enemy_attack(tier: i64) -> i64 {
    tier + 1
}

/// The gold that an enemy leaves (WF-5).
pub const fn enemy_gold(tier: i64) -> i64 {
    2 * tier
}

/// The experience that an enemy leaves (WF-5).
pub const fn enemy_xp(tier: i64) -> i64 {
    tier
}

/// An enemy's size, which means nothing (WF-5).
pub const fn enemy_size(tier: i64) -> i64 {
    1 + tier / 4
}

/// The experience at which a level rises (WF-6).
pub const fn level_xp(level: i64) -> i64 {
    10 * level
}

/// What the next weapon or armour costs, by the bonus so far (WF-6).
pub const fn price(bonus: i64) -> i64 {
    10 * (bonus + 1)
}
