//! What the laws have to know of each game.

use std::sync::LazyLock;

use croupier::game::Reason;
use croupier::games::{Kind, Move, State};
use serde_json::{Value, json};

use crate::support::Rng;

mod fatetst_rpg;
mod generals;
mod random_chess;
mod tau_heed_kept;

/// How many places the table has.
pub fn places(kind: Kind, rng: &mut Rng) -> u8 {
    let (least, most) = kind.seats();
    match kind {
        Kind::Generals => generals::places(rng),
        _ => least + rng.below(usize::from(most - least) + 1) as u8,
    }
}

/// Options to try: mostly corners. Not all of them need to fit the table.
pub fn options(kind: Kind, places: u8, rng: &mut Rng) -> Value {
    match kind {
        Kind::Migraine => {
            let target = rng.pick(&[json!(1), json!(2), json!(5), json!(5), json!(15), json!(100)]).clone();
            let first_dealer = rng.pick(&[json!(null), json!(0), json!(1)]).clone();
            match rng.below(4) {
                0 => json!({"first_dealer": first_dealer}),
                1 => json!({"target": target}),
                _ => json!({"target": target, "first_dealer": first_dealer}),
            }
        }
        Kind::SpiteAndMalice => {
            let mut options = json!({});
            // A low target and small pay-off piles, or else no random game comes to its end.
            for (name, values) in
                [("target", &[1, 1, 2, 9, 500]), ("decks", &[2, 2, 3, 4, 4]), ("payoff", &[5, 5, 5, 6, 30])]
            {
                if !rng.once_in(5) {
                    options[name] = json!(rng.pick(values));
                }
            }
            options
        }
        Kind::TauHeedKept => tau_heed_kept::options(rng),
        Kind::Generals => generals::options(places, rng),
        Kind::RandomChess => random_chess::options(rng),
        Kind::FatetstRpg => json!({}),
    }
}

/// How many events a game has at most from `started` on.
pub fn bound(kind: Kind) -> usize {
    match kind {
        // 1,000 rounds of a cut, two discards with two commitments and two openings, two declarations and a disclosure.
        Kind::Migraine => 1_000 * (1 + 2 * 4 + 2 + 1) + 4,
        // 500 rounds of 2,000 discards and a disclosure; twelve plays for each draw of the chain, and three stacks.
        Kind::SpiteAndMalice => 500 * (2_000 + 1) + 12 * 4_096 + 3 * 11 + 4,
        Kind::TauHeedKept => tau_heed_kept::BOUND,
        Kind::Generals => generals::BOUND,
        Kind::RandomChess => random_chess::BOUND,
        Kind::FatetstRpg => fatetst_rpg::BOUND,
    }
}

/// Every card of the game, over all places of a state with every card open.
pub fn cards(state: &State) -> Vec<String> {
    let value = serde_json::to_value(state).unwrap();
    let mut cards = Vec::new();
    let places: &[&str] = match state {
        State::Migraine(_) => &["/deck/cards", "/middle", "/sabre/cards", "/fields", "/hands"],
        State::SpiteAndMalice(_) => {
            &["/payoffs/0/cards", "/payoffs/1/cards", "/hands", "/sides", "/centres", "/stock/cards"]
        }
        State::TauHeedKept(_) => return tau_heed_kept::cards(&value),
        State::Generals(_) => &["/hands", "/deck/cards"],
        // Games without cards.
        State::RandomChess(_) | State::FatetstRpg(_) => return cards,
    };
    for place in places {
        gather(value.pointer(place).unwrap_or_else(|| panic!("no {place} in {value}")), &mut cards);
    }
    cards.sort();
    cards
}

/// The texts of cards in a value.
fn gather(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        // What a card stands for is no card.
        Value::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "stands_for" && *name != "needs").for_each(|(_, value)| {
                gather(value, found);
            });
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The cards that a game begins with, sorted as texts.
pub fn all_cards(state: &State) -> Vec<String> {
    let mut cards = match state {
        State::Migraine(_) => pack("AJQK"),
        State::SpiteAndMalice(state) => (0..state.options.decks()).flat_map(|_| pack("A23456789TJQK")).collect(),
        State::TauHeedKept(state) => tau_heed_kept::all_cards(state),
        State::Generals(state) => generals::all_cards(state),
        State::RandomChess(_) | State::FatetstRpg(_) => Vec::new(),
    };
    cards.sort();
    cards
}

fn pack(ranks: &str) -> Vec<String> {
    let mut cards: Vec<String> =
        "CDHS".chars().flat_map(|suit| ranks.chars().map(move |rank| format!("{rank}{suit}"))).collect();
    cards.sort();
    cards
}

/// Whether no draw before this fact is a secret any more, by the rules text.
pub fn ends_secrecy(kind: Kind, fact: &Value) -> bool {
    let fact = fact["type"].as_str().unwrap();
    match kind {
        // A lot hides nothing, and a scored round has shown every card.
        Kind::Migraine => matches!(fact, "dealer_chosen" | "migraine_scored"),
        Kind::SpiteAndMalice => fact == "spite_round_over",
        // Nothing is disclosed before the end.
        Kind::TauHeedKept => false,
        // Cards wander from hand to deck and back, so nothing is open before the end.
        Kind::Generals => false,
        // Each draw is open at once.
        Kind::RandomChess => fact == "draw",
        // Nothing is disclosed before the end.
        Kind::FatetstRpg => false,
    }
}

/// Everything that somebody could send as a move, sense or nonsense, in the game's form: all texts of cards in every
/// field for a card, numbers within and beyond all limits.
pub fn candidates(kind: Kind) -> &'static [Move] {
    static MIGRAINE: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::Migraine, migraine_candidates()));
    static SPITE: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::SpiteAndMalice, spite_candidates()));
    static GENERALS: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::Generals, generals::candidates()));
    static FATETST: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::FatetstRpg, fatetst_rpg::candidates()));
    static CHESS: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::RandomChess, random_chess::candidates()));
    static TAU: LazyLock<Vec<Move>> = LazyLock::new(|| read(Kind::TauHeedKept, tau_heed_kept::candidates()));
    match kind {
        Kind::Migraine => &MIGRAINE,
        Kind::SpiteAndMalice => &SPITE,
        Kind::Generals => &GENERALS,
        Kind::TauHeedKept => &TAU,
        Kind::RandomChess => &CHESS,
        Kind::FatetstRpg => &FATETST,
    }
}

fn read(kind: Kind, values: Vec<Value>) -> Vec<Move> {
    values
        .into_iter()
        .map(|value| kind.read_move(value.clone()).unwrap_or_else(|why| panic!("{value}: {why}")))
        .collect()
}

fn migraine_candidates() -> Vec<Value> {
    let own = pack("AJQK");
    let mut texts = pack("A23456789TJQK");
    texts.extend(["X1", "", "QSS", "sq", "Q", " QS", "rank"].map(str::to_owned));
    let mut all: Vec<Value> = (-2..=18).map(|depth| json!({"type": "cut", "depth": depth})).collect();
    all.extend(
        [i64::from(i32::MAX), -((1 << 53) - 1), (1 << 53) - 1].map(|depth| json!({"type": "cut", "depth": depth})),
    );
    all.extend(texts.iter().map(|card| json!({"type": "hostile_discard", "card": card})));
    for first in &own {
        all.extend(own.iter().map(|second| json!({"type": "pensive_discard", "cards": [first, second]})));
        all.push(json!({"type": "pensive_discard", "cards": [first]}));
        all.push(json!({"type": "pensive_discard", "cards": [first, "2C"]}));
        all.push(json!({"type": "pensive_discard", "cards": [first, own[0], own[1]]}));
    }
    all.push(json!({"type": "pensive_discard", "cards": []}));
    for word in ["rank", "suit", "chuck", "", "Rank", "none", "QS"] {
        all.push(json!({"type": "declare", "declaration": word}));
    }
    all
}

fn spite_candidates() -> Vec<Value> {
    let far: [i64; 6] = [-((1 << 53) - 1), -256, 256, 1 << 32, i64::from(i32::MAX), (1 << 53) - 1];
    let near = || -1..=4;
    let mut texts = pack("A23456789TJQK");
    texts.extend(["X1", "", "10S", "7s", "7SS", " 7S", "0", "♠7", "KING"].map(str::to_owned));
    let mut all = Vec::new();
    for number in near().chain(far) {
        all.push(json!({"type": "play_payoff", "centre": number}));
        all.extend(near().map(|centre| json!({"type": "play_side", "side": number, "centre": centre})));
        all.extend(near().map(|side| json!({"type": "play_side", "side": side, "centre": number})));
    }
    for (i, card) in texts.iter().enumerate() {
        for number in near().chain([far[i % far.len()]]) {
            all.push(json!({"type": "play_hand", "card": card, "centre": number}));
            all.push(json!({"type": "discard", "card": card, "side": number}));
        }
    }
    all
}

/// More that could be sent, where it depends on the state what is worth a try; by chance, where that would be too much
/// to try it all.
pub fn candidates_here(state: Option<&State>, legal: &[Move], rng: &mut Rng) -> Vec<Move> {
    match state {
        Some(State::TauHeedKept(state)) => read(Kind::TauHeedKept, tau_heed_kept::candidates_here(state, legal, rng)),
        Some(State::RandomChess(_)) => read(Kind::RandomChess, random_chess::candidates_here(rng)),
        _ => Vec::new(),
    }
}

/// Whether it takes long to see what comes of a move.
pub fn takes_long(mv: &Move) -> bool {
    match mv {
        Move::RandomChess(mv) => random_chess::takes_long(mv),
        _ => false,
    }
}

/// Whether a move is one of those that a seat's list stands for: the list holds sets in canonical order, and Tau Heed
/// Kept's placements without an order of corners.
pub fn is_listed(legal: &[Move], mv: &Move) -> bool {
    match mv {
        Move::TauHeedKept(mv) => tau_heed_kept::bare(mv).is_some_and(|bare| legal.contains(&Move::TauHeedKept(bare))),
        _ => legal.contains(&mv.canonical()),
    }
}

/// What somebody chooses who plays at random, but in such a way that games get on.
pub fn choose(kind: Kind, legal: &[Move], rng: &mut Rng) -> Move {
    match kind {
        // Plays are listed before discards, those of the pay-off pile first.
        Kind::SpiteAndMalice if !rng.once_in(4) => legal[0].clone(),
        // Passes come last, and would be rare among many placements: then no hand ever got long. Short lists are left to
        // chance, or no hand ever got empty.
        Kind::TauHeedKept if legal.len() > 40 && rng.once_in(6) => legal[legal.len() - 1].clone(),
        // Nobody would ever come to the tree by going to and fro.
        Kind::FatetstRpg => fatetst_rpg::choose(legal, rng),
        _ => rng.pick(legal).clone(),
    }
}

/// Whether a game may end for this reason though no random game comes to it.
pub fn is_rare(kind: Kind, reason: Reason) -> bool {
    match reason {
        // A cap lies far above anything that random players come to.
        Reason::Cap => true,
        // A safeguard, which needs cards that make no whole deck; and the last cards of two players against each other.
        Reason::Stalemate | Reason::AllOut => kind == Kind::Generals,
        // In a few of a hundred games, or fewer.
        Reason::SeventyFiveMoves | Reason::Threefold | Reason::Fivefold => true,
        // It takes a thousand decisions, and one in sixty of a trial ends the run: `tests/core/fatetst_rpg` has whole ones.
        Reason::FoundTheTree => true,
        _ => false,
    }
}
