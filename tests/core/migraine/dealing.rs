//! The table, the lot, the cut and the deal (MI-1 to MI-4).

use std::collections::BTreeSet;

use croupier::draw::{Numbers, draw_seed};
use croupier::games::{Kind, Move};
use croupier::seed_chain::ServerSeeds;
use croupier::table::{Awaits, Refusal};
use serde_json::{Value, json};

use super::{DEALER, Match, PONE, by_points, cut, declare, hostile, number, pack, pensive, texts};
use crate::support::{Setup, facts, seat, types};

#[test]
fn mi_1_two_players_and_no_other_number() {
    assert_eq!(Kind::Migraine.seats(), (2, 2));
    let options = Kind::Migraine.read_options(json!({})).unwrap();
    for (seats, fits) in [(0, false), (1, false), (2, true), (3, false), (20, false)] {
        assert_eq!(options.fits(seats).is_ok(), fits, "{seats} seats");
        assert!(fits || options.fits(seats).unwrap_err().clause == "MI-1");
    }
}

#[test]
fn mi_1_sixteen_cards_ace_king_queen_and_jack_of_each_suit() {
    let mut game = Match::new();
    game.house.send(&game.players[0].resign(&game.house));
    let view = game.house.table.open_view(None);
    let mut deck = texts(&serde_json::to_value(view.state.unwrap()).unwrap()["deck"]["cards"]);
    assert_ne!(deck, pack(), "the deck was shuffled");
    deck.sort();
    let mut all = pack();
    all.sort();
    assert_eq!(deck, all);
}

#[test]
fn mi_2_the_first_dealer_is_the_seat_that_the_option_names() {
    for dealer in [0, 1] {
        let game = Match::with(&Setup { options: json!({"first_dealer": dealer}), ..Setup::migraine() });
        assert_eq!(game.state(0)["dealer"], dealer);
        assert_eq!(game.state(0)["pone"], 1 - dealer);
        let started = facts(&game.house.events);
        assert_eq!(
            started,
            [
                json!({"type": "draw", "draw": 1, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 1, "dealer": dealer}),
            ]
        );
        assert_eq!(types(&game.house.events), ["created", "seated", "seated", "closed", "started"]);
    }
}

#[test]
fn mi_2_by_lot_the_first_draw_says_who_deals_and_is_disclosed_at_once() {
    let mut dealers = BTreeSet::new();
    for root in 0..12 {
        let setup = Setup { options: json!({}), root: [root; 32], ..Setup::migraine() };
        let game = Match::with(&setup);
        let server_seed = game.house.secrets.seed(1).unwrap();
        let lot = Numbers::new(draw_seed(game.house.table.game(), 1, &server_seed, &[None, None])).below(2);
        assert_eq!(game.state(0)["dealer"], lot);
        assert_eq!(
            facts(&game.house.events),
            [
                json!({"type": "draw", "draw": 1, "purpose": "first_dealer"}),
                json!({"type": "dealer_chosen", "dealer": lot}),
                json!({"type": "draw", "draw": 2, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 1, "dealer": lot}),
            ]
        );
        assert_eq!(types(&game.house.events)[3..], ["closed", "started", "disclosed"]);
        assert_eq!(crate::support::data(&game.house.events[5]), json!({"draw": 1, "seed": server_seed}));
        dealers.insert(lot);
    }
    assert_eq!(dealers.len(), 2, "the lot falls on both");
}

#[test]
fn mi_2_dealer_and_pone_swap_every_round() {
    let mut game = Match::new();
    for round in 1..=6 {
        let state = game.state(0);
        assert_eq!(state["round"], round);
        assert_eq!(state["dealer"], (round - 1) % 2);
        assert_eq!(state["pone"], round % 2);
        game.round(|sabre, hand, field| by_points(sabre, hand, field, false));
    }
}

#[test]
fn mi_3_the_pone_cuts_0_to_15_deep_and_nobody_else_does() {
    let game = Match::new();
    let depths: Vec<Move> = (0..16).map(cut).collect();
    assert_eq!(game.house.legal(seat(PONE)), depths);
    assert_eq!(game.house.legal(seat(DEALER)), []);
    for depth in [-1, 16, 17, 1_000_000, i64::from(i32::MIN), (1 << 53) - 1] {
        assert_eq!(game.clause(PONE, &cut(depth)), "MI-3", "{depth}");
    }
    assert_eq!(game.refusal(DEALER, &cut(3)), Refusal::NotYourTurn);
    assert_eq!(game.house.table.to_act(), [seat(PONE)]);
    assert_eq!(game.house.view(seat(PONE)).awaits, Some(Awaits::Move));
}

#[test]
fn mi_3_before_the_cut_nothing_lies_open_and_no_other_move_is_legal() {
    let game = Match::new();
    let state = game.state(PONE);
    assert_eq!(state["phase"], "cut");
    assert_eq!(state["deck"], json!({"size": 16, "cards": null}));
    assert_eq!(state["middle"], Value::Null);
    assert_eq!(state["sabre"], json!({"size": 0, "cards": null}));
    assert_eq!(state["fields"], json!([[], []]));
    assert_eq!(state["hands"][0]["size"], 0);
    for mv in [hostile("AC"), pensive(&["AC", "JC"]), declare("rank")] {
        assert_eq!(game.clause(PONE, &mv), "MI-3");
    }
}

#[test]
fn mi_3_everybody_sees_the_depth() {
    let mut game = Match::new();
    let events = game.plays(PONE, &cut(11));
    assert_eq!(crate::support::data(&events[0])["move"], json!({"type": "cut", "depth": 11}));
}

/// What lies where after the deal, by the table of MI-4, for a deck from the top.
fn places(deck: &[String], pone: usize) -> Value {
    let at = |indices: &[usize]| indices.iter().map(|i| deck[*i].clone()).collect::<Vec<_>>();
    let (pone_hand, dealer_hand) = (at(&[4, 6, 8, 10, 12, 14]), at(&[5, 7, 9, 11, 13, 15]));
    let by_seat = |of_pone: Value, of_dealer: Value| {
        if pone == 0 { json!([of_pone, of_dealer]) } else { json!([of_dealer, of_pone]) }
    };
    json!({
        "middle": deck[0],
        "sabre": deck[1],
        "fields": by_seat(json!([deck[2]]), json!([deck[3]])),
        "hands": by_seat(json!(pone_hand), json!(dealer_hand)),
    })
}

#[test]
fn mi_3_mi_4_every_cut_and_either_dealer_put_every_card_in_its_place() {
    for dealer in [0, 1] {
        for depth in 0..16 {
            let setup = Setup { options: json!({"first_dealer": dealer}), ..Setup::migraine() };
            let mut game = Match::with(&setup);
            let mut deck = game.deck(1);
            deck.rotate_left(depth);
            let expected = places(&deck, 1 - dealer);
            let events = game.plays(1 - dealer, &cut(i64::try_from(depth).unwrap()));
            let what = format!("dealer {dealer}, cut {depth}");
            let open: Vec<Value> = [0, 1].iter().map(|i| expected["fields"][*i][0].clone()).collect();
            assert_eq!(
                facts(&events),
                [json!({"type": "migraine_deal", "middle": expected["middle"], "fields": open})],
                "{what}"
            );
            for number in [0, 1] {
                let state = game.state(number);
                assert_eq!(state["middle"], expected["middle"], "{what}");
                assert_eq!(state["fields"], expected["fields"], "{what}");
                assert_eq!(state["hands"][number], json!({"size": 6, "cards": expected["hands"][number]}), "{what}");
                assert_eq!(state["hands"][1 - number], json!({"size": 6, "cards": null}), "{what}");
                assert_eq!(state["sabre"], json!({"size": 1, "cards": null}), "{what}");
                assert_eq!(state["deck"], json!({"size": 0, "cards": null}), "{what}");
            }
            // Under the cards: the sabre is the second of the deck.
            game.house.send(&game.players[0].resign(&game.house));
            let open = serde_json::to_value(game.house.table.open_view(None).state.unwrap()).unwrap();
            assert_eq!(open["sabre"], json!({"size": 1, "cards": [expected["sabre"]]}), "{what}");
            assert_eq!(open["hands"][1 - dealer]["cards"], expected["hands"][1 - dealer], "{what}");
        }
    }
}

#[test]
fn mi_4_each_round_is_a_shuffle_of_the_whole_pack_by_the_next_draw() {
    let mut game = Match::new();
    for round in 1..=4 {
        assert_eq!(game.last_draw(), round);
        let mut deck = game.deck(round);
        let pone = number(&game.state(0)["pone"]);
        deck.rotate_left(5);
        game.plays(pone, &cut(5));
        assert_eq!(game.state(0)["middle"], deck[0]);
        assert_eq!(game.state(pone)["hands"][pone]["cards"], places(&deck, pone)["hands"][pone]);
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game.plays(pone, &declare("chuck"));
        game.plays(1 - pone, &declare("chuck"));
    }
}
