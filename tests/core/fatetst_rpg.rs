//! The World's Fatetst RPG, clause by clause: each test names the clauses of `rules-1.md` that it tries.

use croupier::draw::{Numbers, draw_seed};
use croupier::games::{Kind, Move};
use croupier::seed_chain::{SeedChain, ServerSeeds};
use serde_json::{Value, json};

use crate::support::{House, Player, Setup, bytes, facts, game_id, mv};

mod clock;
mod forms;
mod model;
mod strategy;
mod world;

/// A run of this number, with one player.
fn run_of(number: u64, player: Player) -> (House, Player) {
    let root = bytes(&format!("run {number}"));
    let setup = Setup { kind: Kind::FatetstRpg, options: json!({}), places: 1, root, ..Setup::migraine() };
    (House::playing(&setup, std::slice::from_ref(&player)), player)
}

fn run(number: u64) -> (House, Player) {
    run_of(number, Player::new(0))
}

/// The streams of draws 1 and 2 of a run, from the protocol alone.
fn streams(number: u64) -> [Numbers; 2] {
    let chain = SeedChain::new(&bytes(&format!("run {number}")));
    [1, 2].map(|draw| Numbers::new(draw_seed(game_id(1), draw, &chain.seed(draw).unwrap(), &[None])))
}

fn walk(direction: &str, tiles: i64) -> Move {
    mv(json!({"type": "walk", "direction": direction, "tiles": tiles}))
}

fn strike() -> Move {
    mv(json!({"type": "strike"}))
}

fn flee() -> Move {
    mv(json!({"type": "flee"}))
}

fn rest() -> Move {
    mv(json!({"type": "rest"}))
}

fn buy(item: &str) -> Move {
    mv(json!({"type": "buy", "item": item}))
}

fn state(house: &House) -> Value {
    serde_json::to_value(house.table.view(None).state.unwrap()).unwrap()
}

/// A move, and what it leads to.
fn plays(house: &mut House, player: &Player, mv: &Move) -> Vec<Value> {
    facts(&house.plays(player, mv))
}

/// The clause by which a move is refused.
#[track_caller]
fn clause(house: &House, player: &Player, mv: &Move) -> &'static str {
    assert!(!house.legal(player.seat).contains(mv), "{mv:?} is listed");
    match house.refusal(&player.decide(house, mv)) {
        croupier::table::Refusal::Illegal(illegal) => illegal.clause,
        other => panic!("{other:?}"),
    }
}

/// Walks until an enemy is met, to the north and back; says what the walk led to.
fn meet(house: &mut House, player: &Player) -> Vec<Value> {
    loop {
        let north = state(house)["hero"]["place"]["y"].as_i64().unwrap() < 3;
        let told = plays(house, player, &walk(if north { "n" } else { "s" }, 1));
        if !state(house)["enemy"].is_null() {
            return told;
        }
    }
}
