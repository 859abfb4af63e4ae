//! What the laws have to know of Tau Heed Kept.

use croupier::games::Move;
use croupier::games::tau_heed_kept::{Move as TauMove, Place, TableCard, View};
use serde_json::{Value, json};

use super::pack;
use crate::support::Rng;

/// 52 rounds of eight turns while a deck lasts, after that eight turns for each card that is placed, and what is told
/// at the end.
pub const BOUND: usize = 52 * 8 + 52 * 8 * 8 + 8 + 4;

const RANKS: &str = "A23456789TJQK";

pub fn options(rng: &mut Rng) -> Value {
    let mut options = json!({});
    for (name, values) in [("growth", ["sides", "any"]), ("ace_links", ["algebraic", "listed"])] {
        if !rng.once_in(4) {
            options[name] = json!(rng.pick(&values));
        }
    }
    options
}

/// Every card over all places, as the seat whose deck it is from, and its face.
pub fn cards(value: &Value) -> Vec<String> {
    let mut cards = Vec::new();
    for pile in ["decks", "hands", "removed"] {
        for (owner, pile) in value[pile].as_array().unwrap().iter().enumerate() {
            let own = pile["cards"].as_array().unwrap().iter();
            cards.extend(own.map(|card| format!("{owner} {}", card.as_str().unwrap())));
        }
    }
    for list in ["table", "backs"] {
        let list = value[list].as_array().unwrap().iter();
        cards.extend(list.map(|card| format!("{} {}", card["owner"], card["card"].as_str().unwrap())));
    }
    cards.sort();
    cards
}

/// The decks of all seats.
pub fn all_cards(state: &View) -> Vec<String> {
    let packs = state.decks.seats().map(|owner| (owner, pack(RANKS)));
    packs.flat_map(|(owner, pack)| pack.into_iter().map(move |card| format!("{owner} {card}"))).collect()
}

/// What is nowhere legal, or near the origin. The rest depends on the table: see [`candidates_here`].
pub fn candidates() -> Vec<Value> {
    let far = (1i64 << 53) - 1;
    let place = |card: &str, x: i64, y: i64| json!({"type": "place", "card": card, "x": x, "y": y});
    let mut all = vec![json!({"type": "pass"})];
    for text in ["X1", "", "10S", "7s", "7SS", " 7S", "♠7", "pass"] {
        all.push(place(text, 1, 0));
    }
    for number in [far, -far, 1 << 32, (1 << 32) + 1, 1 << 16, (1 << 16) + 1, 1 << 15, -(1 << 15), 255, 417, -417] {
        all.extend([place("KS", number, 0), place("KS", 0, number), place("QS", number, -number)]);
        let mut ordered = place("JS", 1, 0);
        ordered["corners"] = json!([[number, 0]]);
        all.push(ordered);
    }
    for card in pack("JQK") {
        for (x, y) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)] {
            all.push(place(&card, x, y));
        }
    }
    all
}

/// More that could be sent, where it depends on the state what is worth a try; by chance, where that would be too much
/// to try it all.
pub fn candidates_here(state: &View, legal: &[Move], rng: &mut Rng) -> Vec<Value> {
    let cards = pack(RANKS);
    let reach = |axis: fn(&TableCard) -> i16| {
        let (least, most) = (state.table.iter().map(axis).min().unwrap(), state.table.iter().map(axis).max().unwrap());
        (i64::from(least) - 2, i64::from(most) + 2)
    };
    let (columns, rows) = (reach(|card| card.x), reach(|card| card.y));
    let mut all = Vec::new();
    let within = |(least, most): (i64, i64), rng: &mut Rng| least + rng.below((most - least + 1) as usize) as i64;
    for _ in 0..60 {
        let card = rng.pick(&cards);
        all.push(json!({"type": "place", "card": card, "x": within(columns, rng), "y": within(rows, rng)}));
    }
    // Orders of corners, right and wrong, for a move that is legal without one.
    for _ in 0..20.min(legal.len()) {
        let mut value = serde_json::to_value(rng.pick(legal)).unwrap();
        if value["type"] == "place" {
            let (x, y) = (value["x"].as_i64().unwrap(), value["y"].as_i64().unwrap());
            let count = rng.below(6);
            let corner = |rng: &mut Rng| {
                let off = if rng.once_in(12) { 3 } else { 0 };
                json!([x - rng.below(2) as i64 + off, y - rng.below(2) as i64])
            };
            value["corners"] = (0..count).map(|_| corner(rng)).collect();
            all.push(value);
        }
    }
    all
}

/// The move as lists hold it: without an order of corners, if that is one of the own corners, each at most once (TH-9).
pub fn bare(mv: &TauMove) -> Option<TauMove> {
    let TauMove::Place(place) = mv else { return Some(mv.clone()) };
    let corners = place.corners.clone().unwrap_or_default();
    let own = |[x, y]: &[i64; 2]| [x, &(x + 1)].contains(&&place.x) && [y, &(y + 1)].contains(&&place.y);
    let once = corners.iter().enumerate().all(|(i, corner)| !corners[..i].contains(corner));
    let bare = Place { corners: None, ..place.clone() };
    (corners.iter().all(own) && once).then_some(TauMove::Place(bare))
}
