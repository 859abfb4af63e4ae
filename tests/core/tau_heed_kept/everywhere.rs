//! TH-8 and TH-9 in random games: every card on every cell, against the clauses read once more, from the view alone.

use croupier::game::Viewer;
use croupier::games::tau_heed_kept::{Growth, Move, Options};
use serde_json::{Value, json};

use super::growth::TABLE;
use super::{Stacked, place};
use crate::support::{Rng, read, seat};

const GROWTH: [&str; 2] = ["sides", "any"];
const LINKS: [&str; 2] = ["algebraic", "listed"];

/// A shuffled deck of 52, as a text.
fn deck(rng: &mut Rng) -> String {
    let mut cards: Vec<String> = croupier::cards::Card::full_deck().map(|card| card.to_string()).collect();
    for i in (1..cards.len()).rev() {
        cards.swap(i, rng.below(i + 1));
    }
    cards.join(" ")
}

fn rank(card: &str) -> char {
    card.chars().next().unwrap()
}

/// Whether a card may be laid on a cell, by what lies on the table (TH-2, TH-8).
fn may_lie(state: &Value, card: &str, (x, y): (i64, i64), options: &Options) -> bool {
    let table = state["table"].as_array().unwrap();
    let listed = state["ace_links"] == "listed";
    let accepts = |on: char| {
        let link = TABLE.iter().any(|(table, hands)| *table == on && hands.contains(rank(card)));
        let gone = listed && ["AA", "A2", "2A"].contains(&&*format!("{}{on}", rank(card)));
        "JQK".contains(rank(card)) || (link && !gone)
    };
    let mut parent = false;
    for other in table {
        let (dx, dy) = (x - other["x"].as_i64().unwrap(), y - other["y"].as_i64().unwrap());
        let faces = match (options.growth(), other["orientation"].as_str().unwrap()) {
            (Growth::Any, _) => dx.abs() + dy.abs() == 1,
            (Growth::Sides, "upright") => dx.abs() == 1 && dy == 0,
            (Growth::Sides, _) => dx == 0 && dy.abs() == 1,
        };
        if (dx, dy) == (0, 0) {
            return false;
        }
        parent |= faces && accepts(rank(other["card"].as_str().unwrap()));
    }
    parent
}

/// The columns or rows that are in use, and two more on either side.
fn around(state: &Value, axis: &str) -> std::ops::RangeInclusive<i64> {
    let all = || state["table"].as_array().unwrap().iter().map(|card| card[axis].as_i64().unwrap());
    all().min().unwrap() - 2..=all().max().unwrap() + 2
}

#[test]
fn th_8_every_card_on_every_cell_of_random_tables() {
    let mut rng = Rng::new(8);
    let (mut tried, mut legal_ones) = (0, 0);
    for number in 0..8 {
        let options = json!({"growth": GROWTH[number % 2], "ace_links": LINKS[number / 2 % 2]});
        let decks: Vec<String> = (0..1 + number % 3).map(|_| deck(&mut rng)).collect();
        let decks: Vec<&str> = decks.iter().map(String::as_str).collect();
        let mut game = Stacked::new(options.clone(), &decks);
        let options: Options = read(options);
        while game.public()["phase"] == "growing" {
            let turn = game.turn();
            let listed = game.legal(turn);
            if rng.once_in(20) {
                let state = game.state(Viewer::Seat(seat(turn)));
                let hand = game.hand(turn);
                for card in croupier::cards::Card::full_deck().map(|card| card.to_string()) {
                    for x in around(&state, "x") {
                        for y in around(&state, "y") {
                            let expected = hand.contains(&card) && may_lie(&state, &card, (x, y), &options);
                            let mv = place(&card, x, y);
                            assert_eq!(listed.contains(&mv), expected, "{mv}");
                            let mv: Move = read(mv);
                            use croupier::game::Game;
                            assert_eq!(game.rules.judge(seat(turn), &mv).is_ok(), expected, "{mv:?}");
                            tried += 1;
                            legal_ones += usize::from(expected);
                        }
                    }
                }
            }
            let mv = if rng.once_in(5) { listed[listed.len() - 1].clone() } else { rng.pick(&listed).clone() };
            game.play(mv);
        }
    }
    assert!(tried > 50_000 && legal_ones > 500, "{tried} {legal_ones}");
}

/// What a placement settles, worked out from the table before it (TH-3, TH-4, TH-9).
fn settles(state: &Value, card: &str, owner: usize, (x, y): (i64, i64), corners: &[(i64, i64)]) -> Vec<Value> {
    let mut table: Vec<(i64, i64, String, u64)> = Vec::new();
    for lies in state["table"].as_array().unwrap() {
        let card = lies["card"].as_str().unwrap().to_owned();
        table.push((lies["x"].as_i64().unwrap(), lies["y"].as_i64().unwrap(), card, lies["owner"].as_u64().unwrap()));
    }
    table.push((x, y, card.to_owned(), owner as u64));
    let backs: Vec<(i64, i64)> = state["backs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["x"].as_i64().unwrap(), b["y"].as_i64().unwrap()))
        .collect();
    let mut all = Vec::new();
    for (cx, cy) in corners.iter().copied() {
        let round: Vec<_> = [(0, 0), (1, 0), (1, 1), (0, 1)]
            .iter()
            .filter_map(|(dx, dy)| table.iter().find(|lies| (lies.0, lies.1) == (cx + dx, cy + dy)).cloned())
            .collect();
        if round.len() < 4 || backs.contains(&(cx, cy)) {
            continue;
        }
        let letters: Vec<char> = round.iter().map(|lies| rank(&lies.2)).collect();
        let groups = super::ranking::by_the_words(letters.clone().try_into().unwrap());
        let alone = groups.iter().find(|group| group.len() == 1).map(|group| group[0]);
        let winner = round.iter().find(|lies| Some(rank(&lies.2)) == alone);
        table.retain(|lies| Some(lies) != winner);
        all.push(json!([cx, cy, winner.map(|(x, y, card, owner)| json!([x, y, card, owner]))]));
    }
    all
}

#[test]
fn th_9_what_every_placement_of_random_games_settles() {
    let mut rng = Rng::new(9);
    let mut seen = 0;
    for number in 0..12 {
        let decks: Vec<String> = (0..1 + number % 4).map(|_| deck(&mut rng)).collect();
        let decks: Vec<&str> = decks.iter().map(String::as_str).collect();
        let mut game = Stacked::new(json!({"growth": GROWTH[number % 2]}), &decks);
        while game.public()["phase"] != "over" {
            let turn = game.turn();
            let state = game.public();
            let mut mv = rng.pick(&game.legal(turn)).clone();
            let mut expected = Vec::new();
            if mv["type"] == "place" {
                let (x, y) = (mv["x"].as_i64().unwrap(), mv["y"].as_i64().unwrap());
                let mut corners = vec![(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)];
                if rng.once_in(2) {
                    // The mover names some of them, in an order of its own; the rest follows as usual.
                    let named = rng.below(5);
                    for i in 0..named {
                        let at = i + rng.below(4 - i);
                        let corner = corners.remove(at);
                        corners.insert(i, corner);
                    }
                    mv["corners"] = corners[..named].iter().map(|(x, y)| json!([x, y])).collect();
                }
                expected = settles(&state, mv["card"].as_str().unwrap(), turn, (x, y), &corners);
            }
            game.play(mv);
            let corners = game.facts.iter().filter(|fact| fact["type"] == "tau_corner");
            let found: Vec<Value> = corners
                .map(|fact| {
                    let winner = &fact["winner"];
                    let winner =
                        winner.is_object().then(|| json!([winner["x"], winner["y"], winner["card"], winner["owner"]]));
                    json!([fact["x"], fact["y"], winner])
                })
                .collect();
            assert_eq!(found, expected);
            seen += found.len();
        }
    }
    assert!(seen > 200, "{seen}");
}
