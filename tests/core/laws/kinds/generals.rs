//! What the laws have to know of Generals.

use croupier::games::generals::View;
use serde_json::{Value, json};

use super::pack;
use crate::support::Rng;

/// How many places: seldom a large table, whose games take long.
pub fn places(rng: &mut Rng) -> u8 {
    if rng.once_in(8) { 2 + rng.below(19) as u8 } else { 2 + rng.below(3) as u8 }
}

pub fn options(places: u8, rng: &mut Rng) -> Value {
    let mut options = json!({});
    if !rng.once_in(3) {
        options["decks"] = rng.pick(&[json!(null), json!(1), json!(2), json!(3), json!(4)]).clone();
    }
    if !rng.once_in(3) {
        options["jokers"] = json!(2 + rng.below(3));
    }
    if !rng.once_in(2) {
        options["hand"] = json!(4 + rng.below(5));
    }
    if !rng.once_in(3) {
        options["dealer"] = json!(rng.below(usize::from(places)));
    }
    options
}

/// All cards of the decks that were shuffled together, by GE-1 and GE-4.
pub fn all_cards(state: &View) -> Vec<String> {
    let players = state.hands.len();
    let options = serde_json::to_value(&state.options).unwrap();
    let decks = options["decks"].as_u64().unwrap_or(1 + players as u64 / 10);
    let mut deck = pack("A23456789TJQK");
    deck.extend((1..=options["jokers"].as_u64().unwrap()).map(|number| format!("X{number}")));
    (0..decks).flat_map(|_| deck.clone()).collect()
}

/// 1,000 rounds of twenty turns, each with an attack, an answer, a pick, and a shuffle by every hand; twenty forfeits,
/// the first shuffles, and the end.
pub const BOUND: usize = 1_000 * 20 * (3 + 20) + 20 + 20 + 3;

pub fn candidates() -> Vec<Value> {
    let far = [-((1 << 53) - 1), -256, -1, 19, 20, 255, 256, 1 << 32, (1 << 53) - 1];
    let mut lists: Vec<Vec<i64>> = vec![vec![], vec![0, 1, 2, 3], vec![3, 2, 1, 0], (0..40).collect()];
    lists.extend((0..10).chain(far).map(|slot| vec![slot]));
    for first in 0..5 {
        lists.extend((0..5).map(|second| vec![first, second]));
        lists.extend((0..5).map(|third| vec![third, first, (third + 1) % 4]));
    }
    lists.extend([vec![0, -1], vec![0, 1 << 40], vec![256, 0], vec![0, 1, 1 << 53]].into_iter().map(|mut list| {
        list.iter_mut().for_each(|slot| *slot = (*slot).min((1 << 53) - 1));
        list
    }));
    let attack = |target: i64, slots: &Vec<i64>| json!({"type": "attack", "target": target, "slots": slots});
    let mut all: Vec<Value> = (0..3).flat_map(|target| lists.iter().map(move |slots| attack(target, slots))).collect();
    all.extend((3..20).chain(far).map(|target| attack(target, &vec![0])));
    all.extend(lists.iter().map(|slots| json!({"type": "defend", "slots": slots})));
    all.extend((0..12).chain(far).map(|slot| json!({"type": "pick", "slot": slot})));
    all.push(json!({"type": "pick", "slot": null}));
    all.push(json!({"type": "shuffle_hand"}));
    all
}
