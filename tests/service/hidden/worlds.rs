//! The pairs of worlds of each kind of game, and how far they are played: until something is shown that differs.

use std::collections::BTreeMap;

use croupier::game::{Chance, DrawInputs, Viewer};
use croupier::games::{AnyGame, Kind};
use croupier::hex32::PlayerSeed;
use croupier::seat::{BySeat, Seat};
use croupier::seed_chain::SeedChain;
use serde_json::{Value, json};

use super::{GAME, House, Pair};
use crate::clients::bytes;

/// Moves of every game that are illegal at all times, or at most.
pub fn nobodys_moves() -> Vec<Value> {
    vec![
        json!({ "type": "hostile_discard", "card": "2C" }),
        json!({ "type": "pensive_discard", "cards": ["QS", "QS"] }),
        json!({ "type": "cut", "depth": 99 }),
        json!({ "type": "play_hand", "card": "AS", "centre": 9 }),
        json!({ "type": "discard", "card": "X1", "side": 0 }),
        json!({ "type": "attack", "target": 7, "slots": [0] }),
        json!({ "type": "defend", "slots": [9] }),
        json!({ "type": "pick", "slot": 9 }),
        json!({ "type": "place", "card": "AS", "x": 50, "y": 0 }),
    ]
}

fn seed(number: u32) -> [u8; 32] {
    let mut seed = [0x5e; 32];
    seed[..4].copy_from_slice(&number.to_le_bytes());
    seed
}

/// A game as it begins where one seat has a seed and nobody else.
fn dealt(house: &House, kind: Kind, seeded: usize, number: u32, chain: &SeedChain) -> AnyGame {
    let of = |seat: Seat| (seat.index() == seeded).then(|| PlayerSeed::new(seed(number)));
    let inputs = DrawInputs { game: GAME.parse().unwrap(), player_seeds: BySeat::from_fn(house.places, of) };
    let options = kind.read_options(house.options.clone()).unwrap();
    AnyGame::deal(&options, house.places, &mut Chance::new(&inputs, chain, 0)).unwrap()
}

/// Two seeds of a seat by which the same is seen.
fn find(house: &House, seeded: usize, seen: impl Fn(&AnyGame) -> String) -> [[u8; 32]; 2] {
    let kind = *Kind::ALL.iter().find(|kind| kind.name() == house.kind).unwrap();
    let chain = SeedChain::new(&bytes(house.root));
    let mut known = BTreeMap::new();
    for number in 0..100_000 {
        if let Some(earlier) = known.insert(seen(&dealt(house, kind, seeded, number, &chain)), number) {
            return [seed(earlier), seed(number)];
        }
    }
    panic!("no two seeds show the same");
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Ends a game's comparison: enough was compared, or the test is no test.
fn enough(pair: &Pair, least: usize) {
    println!("{} answers compared", pair.compared);
    assert!(pair.differ, "these worlds are the same");
    assert!(pair.compared >= least, "only {} answers were compared", pair.compared);
}

/// The seeds of the law suite (`tests/core/laws/worlds.rs`): for the pone as viewer, and the dealer.
#[test]
fn of_migraine() {
    let house = House { kind: "migraine", options: json!({ "first_dealer": 0 }), places: 2, root: "root" };
    for (viewer, seeds) in [(1, [19546, 124832]), (0, [89132, 138033])] {
        let hidden = 1 - viewer;
        let mut pair = Pair::new(&house, viewer, hidden, seeds.map(seed));
        // In one of the games the hidden player seals at home.
        pair.worlds.iter_mut().for_each(|world| world.seats[hidden].seals = hidden == 1);
        let cut = json!({ "type": "cut", "depth": 0 });
        pair.decides(1, [&cut, &cut]);
        let (own, other) = (pair.common(viewer)[0].clone(), pair.common(hidden)[0].clone());
        pair.decides(hidden, [&other, &other]);
        pair.decides(viewer, [&own, &own]);
        if pair.worlds[0].seats[hidden].seals {
            let opening = pair.worlds[0].seats[hidden].open(GAME, 2, &other);
            pair.writes(hidden, &[opening.clone(), opening]);
        }
        // Sealed, the hidden player may do in each world what it likes.
        let [one, two] = pair.views(hidden).map(|view| view["legal"].as_array().unwrap().clone());
        assert_eq!(pair.view()["awaits"], "commitment");
        let last = two.last().unwrap();
        assert_ne!(&one[0], last);
        pair.decides(hidden, [&one[0], last]);
        enough(&pair, 150);
    }
}

/// The seeds of the law suite (`tests/core/laws/worlds/spite_and_malice.rs`), for each seat.
#[test]
fn of_spite_and_malice() {
    let house = House { kind: "spite_and_malice", options: json!({}), places: 2, root: "worlds of kings" };
    for (viewer, seeds) in [(0, [41497, 4031584]), (1, [1480463, 4728758])] {
        let mut pair = Pair::new(&house, viewer, 1 - viewer, seeds.map(seed));
        pair.everybody_looks();
        let mut discards = [0, 0];
        while let Some((seat, mv)) = next_of_spite(&pair) {
            let discard = mv["type"] == "discard";
            if discard && seat != viewer && discards[viewer] > 0 {
                // Now the viewer would draw.
                break;
            }
            discards[seat] += usize::from(discard);
            pair.decides(seat, [&mv, &mv]);
        }
        enough(&pair, 100);
    }
}

/// A move that is possible in both worlds and turns up no card that the viewer has not seen: none of the pay-off pile,
/// and not the last one of the viewer's hand.
fn next_of_spite(pair: &Pair) -> Option<(usize, Value)> {
    let seat = pair.to_act();
    let last = pair.view()["state"]["hands"][seat]["size"] == 1;
    let mut moves = pair.common(seat);
    moves.retain(|mv| mv["type"] != "play_payoff" && !(last && seat == pair.viewer && mv["type"] == "play_hand"));
    // Plays are listed first.
    moves.into_iter().next().map(|mv| (seat, mv))
}

#[test]
fn of_generals() {
    let house = House { kind: "generals", options: json!({ "dealer": 0 }), places: 3, root: "worlds of war" };
    for viewer in 0..3 {
        let hidden = (viewer + 1) % 3;
        let eye = Viewer::Seat(Seat::new(viewer).unwrap());
        let seeds = find(&house, hidden, |game| text(&game.view(eye)));
        let mut pair = Pair::new(&house, viewer, hidden, seeds);
        pair.everybody_looks();
        let others = [hidden, (viewer + 2) % 3];
        pair.moves_freely(others[0], &json!({ "type": "shuffle_hand" }));
        pair.moves_freely(others[1], &json!({ "type": "shuffle_hand" }));
        // An attack lies face down.
        let attacker = pair.to_act();
        let attack = pair.common(attacker).into_iter().find(|mv| mv["type"] == "attack").unwrap();
        pair.decides(attacker, [&attack, &attack]);
        // A hand goes under the deck.
        let resigns = pair.worlds[0].seats[others[1]].resign(&pair.worlds[0].app, GAME);
        pair.writes(others[1], &[resigns.clone(), resigns]);
        enough(&pair, 200);
    }
}

#[test]
fn of_tau_heed_kept() {
    let house = House { kind: "tau_heed_kept", options: json!({}), places: 3, root: "worlds of growth" };
    for viewer in 0..3 {
        let hidden = (viewer + 1) % 3;
        let eye = Viewer::Seat(Seat::new(viewer).unwrap());
        // Two cards more are drawn by each while two rounds are played.
        let seeds = find(&house, hidden, |game| {
            let decks = json!(game.view(Viewer::Everything))["decks"][viewer]["cards"].clone();
            text(&game.view(eye)) + &text(&&decks.as_array().unwrap()[..2])
        });
        let mut pair = Pair::new(&house, viewer, hidden, seeds);
        pair.everybody_looks();
        for _ in 0..6 {
            // A placement, if the same can be made in both worlds, or else a pass.
            let seat = pair.to_act();
            let mv = pair.common(seat).swap_remove(0);
            pair.decides(seat, [&mv, &mv]);
        }
        enough(&pair, 200);
    }
}
