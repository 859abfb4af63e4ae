//! What the laws have to know of The World's Fatetst RPG.

use croupier::games::Move;
use serde_json::{Value, json};

use crate::support::Rng;

/// A run may go on for a day; those who go north by chance need some ten thousand decisions at most.
pub const BOUND: usize = 40_000;

/// All moves there are, and what is none within and beyond all limits.
pub fn candidates() -> Vec<Value> {
    let far: [i64; 6] = [-((1 << 53) - 1), -256, 256, 257, 1 << 32, (1 << 53) - 1];
    let mut all = vec![json!({"type": "strike"}), json!({"type": "flee"}), json!({"type": "rest"})];
    for direction in ["n", "s", "e", "w"] {
        all.extend((-2..=28).chain(far).map(|tiles| json!({"type": "walk", "direction": direction, "tiles": tiles})));
    }
    for direction in ["", "N", "north", "ne", " n", "x", "n\u{0}"] {
        all.push(json!({"type": "walk", "direction": direction, "tiles": 1}));
    }
    for item in ["weapon", "armour", "armor", "", "Weapon", "tree", "rest"] {
        all.push(json!({"type": "buy", "item": item}));
    }
    all
}

/// Mostly north, and in the last row to both sides; a battle is fought, a town is made use of.
pub fn choose(legal: &[Move], rng: &mut Rng) -> Move {
    let values: Vec<Value> = legal.iter().map(|mv| serde_json::to_value(mv).unwrap()).collect();
    let find = |wanted: &dyn Fn(&Value) -> bool, rng: &mut Rng| {
        let found: Vec<usize> = (0..legal.len()).filter(|at| wanted(&values[*at])).collect();
        (!found.is_empty()).then(|| legal[*rng.pick(&found)].clone())
    };
    let purchase = find(&|value| value["type"] == "buy", rng);
    let rest = find(&|value| value["type"] == "rest", rng);
    let north = find(&|value| value["direction"] == "n", rng);
    match rng.below(8) {
        0 => rng.pick(legal).clone(),
        1 if rest.is_some() => rest.unwrap(),
        1..=6 if purchase.is_some() => purchase.unwrap(),
        1..=6 if north.is_some() => north.unwrap(),
        _ => find(&|value| value["type"] == "strike", rng).unwrap_or_else(|| rng.pick(legal).clone()),
    }
}
