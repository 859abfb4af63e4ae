//! The hero, and what towns do for it (WF-2, WF-6).

use serde::{Deserialize, Serialize};

use super::numbers::{self, TOWN_X, TOWNS};

/// A place on the map (WF-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstPlace))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The column, counted to the east.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 8))]
    pub x: i64,
    /// The row, counted to the north.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 254))]
    pub y: i64,
}

impl Place {
    /// Whether a town stands here.
    pub fn is_town(self) -> bool {
        self.x == TOWN_X && TOWNS.contains(&self.y)
    }

    /// The next tile in a direction, if the map has it.
    pub fn next(self, direction: Direction) -> Option<Self> {
        let (x, y) = match direction {
            Direction::N => (self.x, self.y + 1),
            Direction::S => (self.x, self.y - 1),
            Direction::E => (self.x + 1, self.y),
            Direction::W => (self.x - 1, self.y),
        };
        let on_map = (0..numbers::WIDTH).contains(&x) && (0..numbers::HEIGHT).contains(&y);
        on_map.then_some(Self { x, y })
    }
}

/// Where to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// North, to higher rows.
    N,
    /// South.
    S,
    /// East, to higher columns.
    E,
    /// West.
    W,
}

impl Direction {
    /// All four, in the order of lists.
    pub const ALL: [Self; 4] = [Self::N, Self::S, Self::E, Self::W];

    /// The name in moves.
    pub const fn name(self) -> &'static str {
        match self {
            Self::N => "n",
            Self::S => "s",
            Self::E => "e",
            Self::W => "w",
        }
    }
}

/// What a town sells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstItem))]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// One more attack.
    Weapon,
    /// One more armour.
    Armour,
}

impl Item {
    /// Both, in the order of lists.
    pub const ALL: [Self; 2] = [Self::Weapon, Self::Armour];

    /// The name in moves.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weapon => "weapon",
            Self::Armour => "armour",
        }
    }
}

/// The hero (WF-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstHero))]
pub struct Hero {
    /// Where it stands.
    pub place: Place,
    /// The row of the town that it visited last, where it wakes.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 200))]
    pub town: i64,
    /// Hit points.
    pub hp: i64,
    /// The most hit points.
    pub max_hp: i64,
    /// What a blow deals at least, weapons included.
    pub attack: i64,
    /// How many weapons it has bought.
    pub weapons: i64,
    /// What it takes off every blow of an enemy: so many armours it has bought.
    pub armour: i64,
    /// Gold.
    pub gold: i64,
    /// Experience since the level rose.
    pub xp: i64,
    /// Level.
    pub level: i64,
}

impl Hero {
    /// At the start of a run.
    pub(super) const START: Self = Self {
        place: Place { x: TOWN_X, y: TOWNS[0] },
        town: TOWNS[0],
        hp: numbers::START_HP,
        max_hp: numbers::START_HP,
        attack: numbers::START_ATTACK,
        weapons: 0,
        armour: 0,
        gold: 0,
        xp: 0,
        level: 1,
    };

    /// What the next one of an item costs it.
    pub fn price(&self, item: Item) -> i64 {
        numbers::price(match item {
            Item::Weapon => self.weapons,
            Item::Armour => self.armour,
        })
    }

    pub(super) fn buy(&mut self, item: Item) {
        self.gold -= self.price(item);
        match item {
            Item::Weapon => {
                self.weapons += 1;
                self.attack += 1;
            }
            Item::Armour => self.armour += 1,
        }
    }

    /// Says what it cost.
    pub(super) fn rest(&mut self) -> i64 {
        let cost = if self.gold < numbers::REST_PRICE { 0 } else { numbers::REST_PRICE };
        self.gold -= cost;
        self.hp = self.max_hp;
        cost
    }

    /// Takes experience; says whether the level rose.
    pub(super) fn learn(&mut self, xp: i64) -> bool {
        self.xp += xp;
        if self.xp < numbers::level_xp(self.level) {
            return false;
        }
        self.xp = 0;
        self.level += 1;
        self.max_hp += numbers::LEVEL_HP;
        self.attack += numbers::LEVEL_ATTACK;
        true
    }

    /// It was struck down, and wakes in the town visited last.
    pub(super) fn wake(&mut self) {
        self.place = Place { x: TOWN_X, y: self.town };
        self.hp = self.max_hp;
        self.gold /= 2;
    }
}

/// An enemy in a battle (WF-4, WF-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = FatetstEnemy))]
pub struct Enemy {
    /// How strong it is: by its row alone.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 17))]
    pub tier: i64,
    /// Its colour, which means nothing.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 5))]
    pub colour: u32,
    /// Its size, which means nothing.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 5))]
    pub size: i64,
    /// Hit points left.
    pub hp: i64,
    /// Its attack.
    pub attack: i64,
}

impl Enemy {
    /// One that is met in this row.
    pub fn in_row(y: i64, colour: u32) -> Self {
        let tier = numbers::tier(y);
        Self {
            tier,
            colour,
            size: numbers::enemy_size(tier),
            hp: numbers::enemy_hp(tier),
            attack: numbers::enemy_attack(tier),
        }
    }
}
