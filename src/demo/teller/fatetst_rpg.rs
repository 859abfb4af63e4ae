//! The World's Fatetst RPG, told in sentences.

use std::cell::Cell;

use serde_json::Value;

use super::Teller;
use crate::demo::words::{Names, count};
use crate::draw::Numbers;
use crate::game::{Draw, GameResult, Purpose, Reason};
use crate::games::fatetst_rpg::numbers::{LONGEST_WALK, TREE_Y};
use crate::games::fatetst_rpg::{Fact as FatetstFact, Item, Move as FatetstMove, StoppedBy};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// The level at which the hero goes north.
const LEVEL: i64 = 6;
/// The gold that is kept for a rest.
const PURSE: i64 = 5;

/// Tells a run of The World's Fatetst RPG.
#[derive(Default)]
pub struct FatetstRpg {
    /// Whether the western end of the last row was seen.
    seen_west: Cell<bool>,
}

impl Teller for FatetstRpg {
    fn title(&self) -> String {
        "a run of The World's Fatetst RPG".to_owned()
    }

    fn told_move(&mut self, _: &Names, _: Seat, _: &Move) -> Vec<String> {
        // The facts tell it.
        Vec::new()
    }

    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String> {
        let fact = match fact {
            Fact::Common(CommonFact::Draw(Draw { draw, purpose: Purpose::Tree })) => {
                return vec![format!("The tree takes root somewhere in the last row: draw {draw}.")];
            }
            Fact::Common(CommonFact::Draw(Draw { draw, .. })) => {
                return vec![format!("All else that chance has in store is draw {draw}.")];
            }
            Fact::FatetstRpg(fact) => fact,
            _ => return Vec::new(),
        };
        vec![told(names.of(Seat::FIRST), fact)]
    }

    fn told_result(&mut self, names: &Names, result: &GameResult) -> Vec<String> {
        match (result.reason, result.scores.first()) {
            (Reason::FoundTheTree, Some(elapsed)) => {
                let (seconds, millis) = (elapsed / 1000, elapsed % 1000);
                vec![format!("{} has found the tree, in {seconds}.{millis:03} seconds.", names.of(Seat::FIRST))]
            }
            _ => vec!["The tree was not found.".to_owned()],
        }
    }

    fn choose(&self, legal: &[Move], state: &Value, chance: &mut Numbers) -> Option<usize> {
        let place = |axis: &str| state.pointer(&format!("/hero/place/{axis}")).and_then(Value::as_i64);
        if place("y") != Some(TREE_Y) {
            self.seen_west.set(false);
        } else if place("x") == Some(0) {
            self.seen_west.set(true);
        }
        let wanted = plan(state, self.seen_west.get());
        legal.iter().position(|mv| is(mv, &wanted)).or_else(|| chance.pick(legal.len()))
    }
}

fn told(name: &str, fact: &FatetstFact) -> String {
    match fact {
        FatetstFact::HeroWalked(walked) => {
            let (x, y) = (walked.place.x, walked.place.y);
            let stop = match walked.stopped_by {
                StoppedBy::Length => "",
                StoppedBy::Battle => ", and somebody stands in the way",
                StoppedBy::Town => ", and comes to a town",
                StoppedBy::Tree => ", and there is a tree",
                StoppedBy::Edge => ", and the world ends there",
            };
            format!("{name} walks {}, to column {x}, row {y}{stop}.", count(walked.tiles, "tile"))
        }
        FatetstFact::EnemyMet(met) => {
            let colour = ["red", "orange", "yellow", "green", "blue", "violet"];
            let colour = usize::try_from(met.colour).ok().and_then(|at| colour.get(at)).unwrap_or(&"grey");
            format!("  It is a square, {colour}, of tier {}, with {} hit points.", met.tier, met.hp)
        }
        FatetstFact::HeroStruck(struck) => {
            format!("  {name} strikes for {}; it has {} left.", struck.damage, struck.enemy_hp)
        }
        FatetstFact::EnemyStruck(struck) => {
            format!("  The square strikes for {}; {name} has {} left.", struck.damage, struck.hp)
        }
        FatetstFact::EnemyBeaten(beaten) => {
            format!("  It is beaten, and leaves {} gold and {} experience.", beaten.gold, beaten.xp)
        }
        FatetstFact::LevelRose(rose) => format!("  {name} comes to level {}.", rose.level),
        FatetstFact::HeroFled(fled) if fled.away => format!("  {name} gets away."),
        FatetstFact::HeroFled(_) => format!("  {name} does not get away."),
        FatetstFact::HeroWoke(woke) => {
            format!(
                "  {name} is struck down, wakes in the town of row {}, and has {} gold left.",
                woke.place.y, woke.gold
            )
        }
        FatetstFact::HeroRested(rested) => format!("{name} rests, for {} gold.", rested.cost),
        FatetstFact::HeroBought(bought) => {
            let what = match bought.item {
                Item::Weapon => "a better weapon",
                Item::Armour => "a better armour",
            };
            format!("{name} buys {what}, for {} gold.", bought.price)
        }
        FatetstFact::TreeFound(found) => {
            format!("{name} stands under the tree, in column {}, after {} steps.", found.x, found.steps)
        }
    }
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Strike,
    Rest,
    Buy(&'static str),
    Walk(&'static str, i64),
}

fn is(mv: &Move, plan: &Plan) -> bool {
    match (mv, plan) {
        (Move::FatetstRpg(FatetstMove::Strike(_)), Plan::Strike)
        | (Move::FatetstRpg(FatetstMove::Rest(_)), Plan::Rest) => true,
        (Move::FatetstRpg(FatetstMove::Buy(buy)), Plan::Buy(item)) => buy.item == *item,
        (Move::FatetstRpg(FatetstMove::Walk(walk)), Plan::Walk(direction, tiles)) => {
            walk.direction == *direction && walk.tiles == *tiles
        }
        _ => false,
    }
}

/// Fights near the first town, then goes north, rests in every town and buys what it can; in the last row it looks to the
/// west first.
fn plan(state: &Value, seen_west: bool) -> Plan {
    let number = |path: &str| state.pointer(path).and_then(Value::as_i64).unwrap_or_default();
    if !state["enemy"].is_null() {
        return Plan::Strike;
    }
    let (hp, most) = (number("/hero/hp"), number("/hero/max_hp"));
    if !state["town"].is_null() {
        if hp < most {
            return Plan::Rest;
        }
        let armour = number("/hero/armour") <= number("/hero/weapons");
        let (item, price) =
            if armour { ("armour", number("/town/armour")) } else { ("weapon", number("/town/weapon")) };
        if number("/hero/gold") >= price + PURSE {
            return Plan::Buy(item);
        }
    }
    let y = number("/hero/place/y");
    if number("/hero/level") < LEVEL {
        return if y == 0 || y == 1 && 2 * hp > most { Plan::Walk("n", 1) } else { Plan::Walk("s", 1) };
    }
    let direction = if y < TREE_Y {
        "n"
    } else if seen_west {
        "e"
    } else {
        "w"
    };
    Plan::Walk(direction, LONGEST_WALK)
}
