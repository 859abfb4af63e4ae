//! The pairs of worlds of each kind of game, and how far they are played: until something is shown that differs.

use std::collections::BTreeMap;

use croupier::game::{Chance, DrawInputs, Viewer};
use croupier::games::{AnyGame, Kind};
use croupier::hex32::PlayerSeed;
use croupier::seat::{BySeat, Seat};
use croupier::seed_chain::SeedChain;
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use super::{Deal, Pair, World};
use crate::clients::bytes;

/// Moves of every game that are illegal at all times, or at most.
pub fn nobodys_moves() -> Vec<Value> {
    vec![
        json!({ "type": "hostile_discard", "card": "2C" }),
        json!({ "type": "hostile_discard", "card": "AS" }),
        json!({ "type": "hostile_discard", "card": "JD" }),
        json!({ "type": "pensive_discard", "cards": ["KC", "QD"] }),
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

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Enough was compared, or the test is no test.
fn enough(pair: &Pair<'_>) {
    println!("{}: {} answers compared", pair.view()["kind"], pair.compared);
    assert!(pair.differ, "these worlds are the same");
    assert!(pair.compared >= 60, "only {} answers were compared", pair.compared);
}

/// The seeds are found as in the law suite (`search` in `tests/core/laws/worlds.rs`), with the ids of these games.
fn migraine() -> [(Deal, [u32; 2]); 2] {
    let deal = |number, viewer| Deal {
        kind: "migraine",
        options: json!({ "first_dealer": 0 }),
        places: 2,
        number,
        root: "root",
        viewer,
        hidden: 1 - viewer,
    };
    [(deal(4, 1), [56907, 96226]), (deal(2, 0), [19978, 134355])]
}

fn play_migraine(mut pair: Pair<'_>) {
    let (viewer, hidden) = (pair.viewer, pair.hidden);
    // In one of the games the hidden player seals at home.
    let seals = hidden == 1;
    pair.worlds.iter_mut().for_each(|world| world.seats[hidden].seals = seals);
    let cut = json!({ "type": "cut", "depth": 0 });
    pair.decides(1, [&cut, &cut]);
    let (own, other) = (pair.common(viewer)[0].clone(), pair.common(hidden)[0].clone());
    pair.decides(hidden, [&other, &other]);
    pair.decides(viewer, [&own, &own]);
    if seals {
        let opening = pair.worlds[0].seats[hidden].open(&pair.game, 2, &other);
        pair.writes(hidden, &[opening.clone(), opening]);
    }
    // Sealed, the hidden player may do in each world what it likes.
    let [one, two] = pair.views(hidden).map(|view| view["legal"].as_array().unwrap().clone());
    assert_eq!(pair.view()["awaits"], "commitment");
    let last = two.last().unwrap();
    assert_ne!(&one[0], last);
    pair.decides(hidden, [&one[0], last]);
    enough(&pair);
}

/// The seeds are those of the law suite (`tests/core/laws/worlds/spite_and_malice.rs`), where every game has the id 1.
fn spite_and_malice() -> [(Deal, [u32; 2]); 2] {
    let deal = |viewer| Deal {
        kind: "spite_and_malice",
        options: json!({}),
        places: 2,
        number: 1,
        root: "worlds of kings",
        viewer,
        hidden: 1 - viewer,
    };
    [(deal(0), [41497, 4031584]), (deal(1), [1480463, 4728758])]
}

fn play_spite_and_malice(mut pair: Pair<'_>) {
    pair.everybody_looks();
    let mut viewer_discarded = false;
    while let Some((seat, mv)) = next_of_spite(&pair) {
        let discard = mv["type"] == "discard";
        if discard && seat != pair.viewer && viewer_discarded {
            // Now the viewer would draw.
            break;
        }
        viewer_discarded |= discard && seat == pair.viewer;
        pair.decides(seat, [&mv, &mv]);
    }
    enough(&pair);
}

/// A move that is possible in both worlds and turns up no card that the viewer has not seen: none of the pay-off pile,
/// and not the last one of the viewer's hand.
fn next_of_spite(pair: &Pair<'_>) -> Option<(usize, Value)> {
    let seat = pair.to_act();
    let last = pair.view()["state"]["hands"][seat]["size"] == 1;
    let mut moves = pair.common(seat);
    moves.retain(|mv| mv["type"] != "play_payoff" && !(last && seat == pair.viewer && mv["type"] == "play_hand"));
    // Plays are listed first.
    moves.into_iter().next().map(|mv| (seat, mv))
}

/// The seeds are found by [`search`].
fn generals() -> [(Deal, [u32; 2]); 3] {
    let deal = |viewer: usize| Deal {
        kind: "generals",
        options: json!({ "dealer": 0 }),
        places: 3,
        number: [5, 6, 7][viewer],
        root: "worlds of war",
        viewer,
        hidden: (viewer + 1) % 3,
    };
    [(deal(0), [1564, 3737]), (deal(1), [1955, 5436]), (deal(2), [1253, 1630])]
}

fn play_generals(mut pair: Pair<'_>) {
    pair.everybody_looks();
    let others = [pair.hidden, (pair.viewer + 2) % 3];
    for other in others {
        pair.moves_freely(other, &json!({ "type": "shuffle_hand" }));
    }
    // An attack lies face down.
    let attacker = pair.to_act();
    let attack = pair.common(attacker).into_iter().find(|mv| mv["type"] == "attack").unwrap();
    pair.decides(attacker, [&attack, &attack]);
    // A hand goes under the deck.
    let resigns = pair.worlds[0].seats[others[1]].resign(&pair.worlds[0].app, &pair.game);
    pair.writes(others[1], &[resigns.clone(), resigns]);
    enough(&pair);
}

/// The seeds are found by [`search`].
fn tau_heed_kept() -> [(Deal, [u32; 2]); 3] {
    let deal = |viewer: usize| Deal {
        kind: "tau_heed_kept",
        options: json!({}),
        places: 3,
        number: [8, 9, 10][viewer],
        root: "worlds of growth",
        viewer,
        hidden: (viewer + 1) % 3,
    };
    [(deal(0), [219, 342]), (deal(1), [797, 972]), (deal(2), [289, 346])]
}

fn play_tau_heed_kept(mut pair: Pair<'_>) {
    pair.everybody_looks();
    for _ in 0..6 {
        // A placement, if the same can be made in both worlds, or else a pass.
        let seat = pair.to_act();
        let mv = pair.common(seat).swap_remove(0);
        pair.decides(seat, [&mv, &mv]);
    }
    enough(&pair);
}

#[test]
fn who_cannot_tell_two_worlds_apart_is_answered_the_same_to_the_byte() {
    let mut worlds = [World::new(), World::new()];
    let mut play = |deals: &[(Deal, [u32; 2])], play: fn(Pair<'_>)| {
        for (deal, seeds) in deals {
            play(Pair::new(&mut worlds, deal, seeds.map(seed)));
        }
    };
    for kind in Kind::ALL {
        match kind {
            Kind::Migraine => play(&migraine(), play_migraine),
            Kind::SpiteAndMalice => {
                let [one, (deal, seeds)] = spite_and_malice();
                play(&[one], play_spite_and_malice);
                // Another game of the same id needs worlds of its own.
                let mut worlds = [World::new(), World::new()];
                play_spite_and_malice(Pair::new(&mut worlds, &deal, seeds.map(seed)));
            }
            Kind::Generals => play(&generals(), play_generals),
            Kind::TauHeedKept => play(&tau_heed_kept(), play_tau_heed_kept),
            // No seat sees what another does not; what nobody sees is looked for in the laws of the core.
            Kind::RandomChess | Kind::FatetstRpg => {}
        }
    }
}

/// A game as it begins where one seat has a seed and nobody else.
fn dealt(deal: &Deal, kind: Kind, number: u32, chain: &SeedChain) -> AnyGame {
    let of = |seat: Seat| (seat.index() == deal.hidden).then(|| PlayerSeed::new(seed(number)));
    let inputs = DrawInputs { game: deal.game().parse().unwrap(), player_seeds: BySeat::from_fn(deal.places, of) };
    let options = kind.read_options(deal.options.clone()).unwrap();
    AnyGame::deal(&options, deal.places, Timestamp::MAX, &mut Chance::new(&inputs, chain, 0)).unwrap()
}

/// What the viewer sees of a deal until the game's comparison is over.
fn seen(deal: &Deal, game: &AnyGame) -> String {
    let view = game.view(Viewer::Seat(Seat::new(deal.viewer).unwrap()));
    let decks = json!(game.view(Viewer::Everything))["decks"][deal.viewer]["cards"].clone();
    // Of Tau Heed Kept two cards more, which the viewer draws while two rounds are played.
    let drawn = decks.as_array().map(|cards| text(&&cards[..2]));
    text(&view) + &drawn.unwrap_or_default()
}

/// Prints seeds of Generals and Tau Heed Kept that show the viewer the same. `cargo test --test service search --
/// --ignored --nocapture`.
#[test]
#[ignore = "made the lists above"]
fn search() {
    let deals = [
        (Kind::Generals, generals().map(|(deal, _)| deal)),
        (Kind::TauHeedKept, tau_heed_kept().map(|(deal, _)| deal)),
    ];
    for (kind, deals) in deals {
        for deal in deals {
            let chain = SeedChain::new(&bytes(deal.root));
            let mut known = BTreeMap::new();
            let same = |number| {
                known.insert(seen(&deal, &dealt(&deal, kind, number, &chain)), number).map(|one| [one, number])
            };
            println!("{}, game {}: {:?}", deal.kind, deal.number, (0..100_000).find_map(same));
        }
    }
}
