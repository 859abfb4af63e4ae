//! What each may know, and for how long (RU-5, RU-11).

use std::collections::BTreeSet;

use croupier::table::{Status, View};
use serde_json::{Value, json};

use super::{DEALER, Match, PONE, by_points, cut, declare, hostile, number, pack, pensive, texts};
use crate::support::{Setup, seat, text};

#[test]
fn before_declaring_a_player_knows_twelve_cards_and_four_are_unknown() {
    let game = Match::laid();
    for own in [0, 1] {
        let state = game.state(own);
        let mut known = vec![state["middle"].as_str().unwrap().to_owned()];
        known.extend(texts(&state["fields"][0]));
        known.extend(texts(&state["fields"][1]));
        known.extend(texts(&state["hands"][own]["cards"]));
        let known: BTreeSet<String> = known.into_iter().collect();
        assert_eq!(known.len(), 12);
        let unknown: BTreeSet<String> = pack().into_iter().filter(|card| !known.contains(card)).collect();
        let mut hidden: BTreeSet<String> = game.hand(1 - own).into_iter().collect();
        hidden.insert(game.deck(1)[1].clone());
        assert_eq!(unknown, hidden);
        let shown = text(&game.house.view(seat(own)));
        assert!(unknown.iter().all(|card| !shown.contains(card.as_str())));
    }
}

/// Everything that anybody is told before the scoring: views, legal moves, events, and the answers to all kinds of
/// wrong moves.
#[test]
fn the_sabre_is_in_no_view_log_or_answer_before_the_scoring() {
    for root in 0..4u8 {
        let mut game = Match::with(&Setup { root: [root; 32], ..Setup::migraine() });
        let sabre = game.deck(1)[1].clone();
        let mut told = 0;
        let mut check = |game: &Match| {
            let mut all = vec![
                [None, Some(seat(0)), Some(seat(1))].map(|seat| text(&game.house.table.view(seat))).join(" "),
                text(&game.house.events),
            ];
            for number in [0, 1] {
                for mv in [cut(99), hostile(&sabre), pensive(&[&sabre, &sabre]), declare("sabre")] {
                    let command = game.players[number].decide(&game.house, &mv);
                    all.push(game.house.ask(&command).err().map(|refusal| refusal.to_string()).unwrap_or_default());
                }
            }
            told += all.len();
            all.iter().for_each(|text| assert!(!text.contains(&sabre), "{text}"));
        };
        check(&game);
        game.plays(PONE, &cut(0));
        for _ in 0..2 {
            for number in [0, 1] {
                check(&game);
                game.plays(number, &game.house.legal(seat(number))[1].clone());
            }
        }
        check(&game);
        game.plays(PONE, &declare("rank"));
        check(&game);
        let scored = game.plays(DEALER, &declare("rank"));
        assert!(text(&scored).contains(&sabre), "now it is shown");
        assert!(told > 50);
    }
}

#[test]
fn ru_5_the_public_sees_no_hand_and_a_seat_only_its_own() {
    let game = Match::given();
    let view = |view: View| serde_json::to_value(view.state.unwrap()).unwrap();
    let public = view(game.house.table.view(None));
    for number in [0, 1] {
        assert_eq!(public["hands"][number], json!({"size": 5, "cards": null}));
        assert_eq!(game.state(number)["hands"][1 - number], json!({"size": 5, "cards": null}));
        let mut own = game.state(number);
        own["hands"][number]["cards"] = Value::Null;
        assert_eq!(own, public, "but for the own hand all see the same");
    }
}

#[test]
fn ru_11_an_ended_game_can_be_looked_at_with_every_card_open() {
    let mut game = Match::given();
    game.house.send(&game.players[0].resign(&game.house));
    assert_eq!(game.house.table.status(), Status::Ended);
    let open = serde_json::to_value(game.house.table.open_view(None).state.unwrap()).unwrap();
    assert_eq!(open["sabre"]["cards"], json!([game.deck(1)[1]]));
    assert_eq!(open["hands"][0]["size"], texts(&open["hands"][0]["cards"]).len());
    // The players' own views open no further, and a seat that is out sees what the public sees.
    assert_eq!(game.state(1)["hands"][0]["cards"], Value::Null);
    assert_eq!(game.state(1)["sabre"]["cards"], Value::Null);
    assert_eq!(game.house.view(seat(0)).state, game.house.table.view(None).state);
}

#[test]
fn ru_11_what_the_pone_declared_stays_in_view_when_the_dealer_forfeits() {
    let mut game = Match::laid();
    game.plays(PONE, &declare("suit"));
    game.house.send(&game.players[DEALER].resign(&game.house));
    assert_eq!(game.state(PONE)["pone_declared"], "suit");
    // A round that is scored has it in full, and the next one begins without.
    let mut game = Match::new();
    game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    assert_eq!(game.state(PONE)["pone_declared"], Value::Null);
    while !game.house.table.is_over() {
        game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    }
    let state = game.state(PONE);
    let pone = number(&state["pone"]);
    assert_eq!(state["pone_declared"], state["last_round"]["declarations"][pone]);
}
