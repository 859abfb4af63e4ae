//! A plain strategy: fight near the first town until level 6, then go north, and rest in every town.

use croupier::draw::draw_seed;
use croupier::game::{Action, Chance, DrawInputs, Game, Outcome, Viewer, act};
use croupier::games::fatetst_rpg::{Buy, Direction, Flee, Item, Move, Options, Rest, Rules, Strike, View, Walk};
use croupier::hex32::ServerSeed;
use croupier::ids::GameId;
use croupier::seat::{BySeat, Seat};
use croupier::seed_chain::ServerSeeds;
use croupier::timestamp::Timestamp;

/// The level at which it goes north.
const LEVEL: i64 = 6;
/// What it keeps for a rest.
const PURSE: i64 = 5;

/// What it does with its gold.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the test needs less than the example does")]
pub enum Plan {
    /// Buys what it can afford in every town, armour and weapon by turns.
    Spend,
    /// Rests, and buys nothing.
    Save,
    /// Goes north from the start, and flees from everything.
    Run,
}

/// How a run went.
#[allow(dead_code, reason = "the test needs less than the example does")]
pub struct Ran {
    pub steps: u64,
    pub moves: u32,
    pub deaths: u32,
    pub level: i64,
    pub weapons: i64,
    pub armour: i64,
}

/// Seeds of a run of this number: any 32 bytes do.
struct Seeds(u32);

impl ServerSeeds for Seeds {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&self.0.to_le_bytes());
        seed[4] = draw as u8;
        Some(ServerSeed::new(draw_seed(game(), draw, &ServerSeed::new(seed), &[None])))
    }
}

fn game() -> GameId {
    "01980000-0000-7000-8000-000000000001".parse().unwrap()
}

/// Plays the run of this number to its end, or until it has taken 20,000 steps.
pub fn play(number: u32, plan: Plan) -> Ran {
    let inputs = DrawInputs { game: game(), player_seeds: BySeat::from_fn(1, |_| None) };
    let seeds = Seeds(number);
    let options: Options = serde_json::from_value(serde_json::json!({})).unwrap();
    let now = Timestamp::from_millis(0).unwrap();
    let mut rules = Rules::deal(&options, 1, now, &mut Chance::new(&inputs, &seeds, 0)).unwrap();
    let (mut moves, mut deaths, mut east) = (0, 0, false);
    loop {
        let view = rules.view(Viewer::Seat(Seat::FIRST));
        deaths +=
            u32::from(view.latest.iter().any(|fact| matches!(fact, croupier::games::fatetst_rpg::Fact::HeroWoke(_))));
        if matches!(rules.outcome(), Outcome::Over(_)) || view.steps >= 20_000 {
            let hero = view.hero;
            return Ran {
                steps: view.steps,
                moves,
                deaths,
                level: hero.level,
                weapons: hero.weapons,
                armour: hero.armour,
            };
        }
        let mv = choose(&view, plan, &mut east);
        let legal = rules.judge(Seat::FIRST, &mv).unwrap();
        act(&mut rules, Action::Move(Seat::FIRST, legal), now, &mut Chance::new(&inputs, &seeds, 2)).unwrap();
        moves += 1;
    }
}

fn walk(direction: Direction, tiles: i64) -> Move {
    Move::Walk(Walk { direction: direction.name().to_owned(), tiles })
}

fn choose(view: &View, plan: Plan, east: &mut bool) -> Move {
    let hero = &view.hero;
    if view.enemy.is_some() {
        return if plan == Plan::Run { Move::Flee(Flee {}) } else { Move::Strike(Strike {}) };
    }
    if let Some(town) = &view.town {
        if hero.hp < hero.max_hp {
            return Move::Rest(Rest {});
        }
        let (item, price) =
            if hero.armour <= hero.weapons { (Item::Armour, town.armour) } else { (Item::Weapon, town.weapon) };
        if plan == Plan::Spend && hero.gold >= price + PURSE {
            return Move::Buy(Buy { item: item.name().to_owned() });
        }
    }
    let (x, y) = (hero.place.x, hero.place.y);
    if plan != Plan::Run && hero.level < LEVEL {
        // To and fro before the town, and home when it hurts.
        let home = 2 * hero.hp <= hero.max_hp;
        return if y == 0 || y == 1 && !home { walk(Direction::N, 1) } else { walk(Direction::S, 1) };
    }
    if y < 254 {
        *east = false;
        // Back to the towns' column first, if the last row was left by a death.
        return walk(Direction::N, 25);
    }
    *east |= x == 0;
    walk(if *east { Direction::E } else { Direction::W }, 25)
}
