//! Cards, decks, the dealer, the deal and the order of turns (GE-1, GE-4 to GE-6), and the draws.

use std::collections::BTreeSet;

use croupier::games::generals::Options;
use croupier::games::{Kind, Options as AnyOptions};
use croupier::table::Refusal;
use serde_json::{Value, json};

use super::{War, pack, packs, texts};
use crate::support::{House, Player, Setup, facts, facts_of, read, seat, types};

fn options(value: Value) -> AnyOptions {
    Kind::Generals.read_options(value).unwrap()
}

#[test]
fn ge_4_two_to_twenty_players() {
    assert_eq!(Kind::Generals.seats(), (2, 20));
    for seats in 0..=30 {
        let fits = options(json!({})).fits(seats);
        assert_eq!(fits.is_ok(), (2..=20).contains(&seats), "{seats}");
        assert!(fits.is_ok() || fits.unwrap_err().clause == "GE-4");
    }
}

#[test]
fn ge_4_the_table_of_decks() {
    let by_number: Options = read(json!({}));
    for players in 2..=20 {
        let decks = match players {
            2..=9 => 1,
            10..=19 => 2,
            _ => 3,
        };
        assert_eq!(by_number.decks(players), decks, "{players}");
        let named: Options = read(json!({"decks": 4}));
        assert_eq!(named.decks(players), 4);
    }
    for (players, value, decks, cards) in [
        (2, json!({}), 1, 54),
        (9, json!({"jokers": 4}), 1, 56),
        (10, json!({"jokers": 3}), 2, 110),
        (20, json!({}), 3, 162),
        (4, json!({"decks": 4, "jokers": 2}), 4, 216),
    ] {
        let game = War::new(players, value, 1);
        let state = game.public();
        assert_eq!(state["decks"], decks);
        let dealt = players * 4;
        assert_eq!(state["deck"], json!({"size": cards - dealt, "cards": null}), "{players}");
        assert_eq!(facts_of(&game.house.events, "generals_deal")[0]["decks"], decks);
    }
}

/// Players, options, whether that can start.
#[test]
fn ge_4_there_must_be_cards_for_all_hands_and_a_dealer() {
    let table = [
        (13, json!({"decks": 1}), true),
        (14, json!({"decks": 1}), false),
        (14, json!({"decks": 1, "jokers": 4}), true),
        (15, json!({"decks": 1, "jokers": 4}), false),
        (6, json!({"hand": 8}), true),
        (7, json!({"hand": 8}), false),
        (7, json!({"hand": 8, "jokers": 4}), true),
        (9, json!({"hand": 6}), true),
        (9, json!({"hand": 7}), false),
        // The number of decks is not raised for bigger hands.
        (19, json!({"hand": 6}), false),
        (20, json!({"hand": 8}), true),
        (20, json!({"hand": 8, "decks": 2}), false),
        (13, json!({"hand": 8}), true),
        (14, json!({"hand": 8}), false),
        (5, json!({"dealer": 4}), true),
        (5, json!({"dealer": 5}), false),
        (2, json!({"dealer": 19}), false),
        (20, json!({"dealer": 19}), true),
    ];
    for (players, value, fits) in table {
        let judged = options(value.clone()).fits(players);
        assert_eq!(judged.is_ok(), fits, "{players} players, {value}");
        assert!(fits || judged.unwrap_err().clause == "GE-4");
    }
}

#[test]
fn ge_4_a_game_that_its_full_table_could_not_start_is_not_created_and_a_start_with_fewer_is_judged_too() {
    let setup = Setup { kind: Kind::Generals, options: json!({"hand": 8}), places: 10, ..Setup::migraine() };
    let host = crate::support::player_id(0);
    let start = croupier::table::Command::Start { player: host };
    // Ten play with two decks, nine or seven with one: that is too few cards for hands of eight.
    for (players, fits) in [(9, false), (7, false), (6, true), (2, true)] {
        let players: Vec<Player> = (0..players).map(Player::new).collect();
        let mut house = House::seated(&setup, &players);
        if fits {
            assert_eq!(types(&house.send(&start)), ["closed", "started"]);
        } else {
            let Refusal::Illegal(illegal) = house.refusal(&start) else { panic!("it can't start") };
            assert_eq!(illegal.clause, "GE-4");
        }
    }
    let created = |options: Value, places: u8| {
        let setup = Setup { kind: Kind::Generals, options, places, ..Setup::migraine() };
        std::panic::catch_unwind(|| drop(House::new(&setup))).is_ok()
    };
    assert!(created(json!({"hand": 8}), 10));
    assert!(!created(json!({"hand": 8}), 9));
    assert!(!created(json!({"dealer": 3}), 3));
}

#[test]
fn ge_1_ge_5_cards_go_round_singly_from_the_left_of_the_dealer() {
    for (players, value) in [
        (2, json!({"dealer": 0})),
        (3, json!({"dealer": 1, "jokers": 4, "hand": 8})),
        (5, json!({"dealer": 4, "decks": 2, "jokers": 3})),
        (20, json!({"dealer": 7, "hand": 8})),
    ] {
        let game = War::new(players, value.clone(), 3);
        let state = game.public();
        let jokers = value["jokers"].as_u64().unwrap_or(2) as usize;
        let hand = value["hand"].as_u64().unwrap_or(4) as usize;
        let decks = state["decks"].as_u64().unwrap() as usize;
        let mut deck = packs(jokers, decks);
        // RU-4: one shuffle of all cards; element 0 is the top.
        game.numbers(1).shuffle(&mut deck);
        let dealer = value["dealer"].as_u64().unwrap() as usize;
        let mut hands = vec![Vec::new(); players];
        for (i, card) in deck[..players * hand].iter().enumerate() {
            hands[(dealer + 1 + i) % players].push(card.clone());
        }
        for (number, expected) in hands.iter().enumerate() {
            assert_eq!(game.hand(number), *expected, "seat {number}");
        }
        let open = serde_json::to_value(game.house.table.open_view(None).state.unwrap()).unwrap();
        assert_eq!(texts(&open["deck"]["cards"]), deck[players * hand..], "GE-6: from the top down");
        // Whoever holds hearts only passes; the first other one from the left of the dealer attacks.
        let order = (1..=players).map(|i| (dealer + i) % players);
        let first = order.into_iter().find(|number| hands[*number].iter().any(|card| !super::is_heart(card))).unwrap();
        assert_eq!(game.to_act(), first);
    }
}

#[test]
fn ge_5_the_dealer_is_named_and_the_deal_is_draw_1_or_drawn_and_it_is_draw_2() {
    let deal = |dealer: Value| json!({"type": "generals_deal", "dealer": dealer, "decks": 1, "hand": 4, "deck": 42});
    let round = json!({"type": "generals_round", "round": 1});
    let game = War::new(3, json!({"dealer": 1}), 4);
    assert_eq!(
        facts(&game.house.events),
        [
            json!({"type": "draw", "draw": 1, "purpose": "deal"}),
            deal(json!(1)),
            json!({"type": "draw", "draw": 2, "purpose": "round"}),
            round.clone(),
        ]
    );
    let mut dealers = BTreeSet::new();
    for root in 0..20 {
        let game = War::new(3, json!({"dealer": null}), root);
        let lot = game.numbers(1).below(3);
        assert_eq!(
            facts(&game.house.events),
            [
                json!({"type": "draw", "draw": 1, "purpose": "first_dealer"}),
                json!({"type": "generals_dealer", "dealer": lot}),
                json!({"type": "draw", "draw": 2, "purpose": "deal"}),
                deal(json!(lot)),
                json!({"type": "draw", "draw": 3, "purpose": "round"}),
                round.clone(),
            ]
        );
        assert_eq!(game.public()["dealer"], lot);
        assert_eq!(game.to_act() as u32, (lot + 1) % 3);
        let mut deck = pack(2);
        game.numbers(2).shuffle(&mut deck);
        assert_eq!(game.hand(game.to_act()), [0, 3, 6, 9].map(|i| deck[i].clone()));
        // Nothing is disclosed before the end.
        assert_eq!(types(&game.house.events)[4..], ["closed", "started"]);
        dealers.insert(lot);
    }
    assert_eq!(dealers.len(), 3, "the lot falls on everybody");
}

#[test]
fn ge_6_a_deal_that_leaves_two_cards_is_legal_and_lost_cards_refill_the_deck() {
    let mut game = War::new(13, json!({"decks": 1}), 5);
    assert_eq!(game.public()["deck"]["size"], 2);
    let mut rng = crate::support::Rng::new(5);
    game.until(&mut rng, |game| game.public()["round"] == 2);
    let draws = facts_of(&game.house.events, "round_draws");
    let drew = draws[0]["seats"].as_array().unwrap().len();
    // Each of the attacks has destroyed a card at least.
    assert!(drew > 2, "{draws:?}");
    game.until(&mut rng, |game| game.public()["round"] == 4);
}

#[test]
fn ge_1_every_joker_is_numbered_in_its_own_deck() {
    let game = War::new(2, json!({"decks": 3, "jokers": 4}), 6);
    let open = serde_json::to_value(game.house.table.open_view(Some(seat(0))).state.unwrap()).unwrap();
    let mut cards = texts(&open["deck"]["cards"]);
    cards.extend([0, 1].into_iter().flat_map(|number| game.hand(number)));
    cards.sort();
    let mut all = packs(4, 3);
    all.sort();
    assert_eq!(cards, all);
    assert_eq!(cards.iter().filter(|card| *card == "X4").count(), 3);
}

#[test]
fn ru_8_before_ended_all_draws_are_disclosed_and_none_before() {
    let mut game = War::new(2, json!({"dealer": null}), 7);
    let mut rng = crate::support::Rng::new(7);
    game.until(&mut rng, |_| false);
    let events = &game.house.events;
    let draws = facts_of(events, "draw");
    let rounds = facts_of(events, "generals_round");
    assert_eq!(draws.len(), 2 + rounds.len(), "one draw for each round that started");
    for (number, draw) in draws.iter().enumerate() {
        let purpose = ["first_dealer", "deal"].get(number).unwrap_or(&"round");
        assert_eq!(*draw, json!({"type": "draw", "draw": number + 1, "purpose": purpose}));
    }
    let disclosed: Vec<_> = types(events).into_iter().filter(|name| *name == "disclosed").collect();
    assert_eq!(disclosed.len(), 1);
    assert_eq!(types(events)[events.len() - 2..], ["disclosed", "ended"]);
    assert_eq!(crate::support::data(&events[events.len() - 2])["draw"], draws.len());
    assert_eq!(game.house.table.result().unwrap().scores, [] as [i64; 0], "GE-16: there are no scores");
}
