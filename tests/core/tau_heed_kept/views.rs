//! RU-5, RU-11: who sees what.

use croupier::game::Viewer;
use croupier::games::Kind;
use serde_json::{Value, json};

use super::turns::{plays, state, table};
use super::{Stacked, pass, place};
use crate::support::{House, Rng, seat};

/// The texts of cards in a value.
fn cards_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.parse::<croupier::cards::Card>().is_ok() => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(cards_in).collect(),
        Value::Object(fields) => fields.values().flat_map(cards_in).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn ru_5_hands_are_seen_by_their_owner_alone_and_decks_by_nobody() {
    let (mut house, players) = table(3, json!({}));
    let mut rng = Rng::new(5);
    for _ in 0..60 {
        let player = house.table.to_act()[0];
        let mv = rng.pick(&house.legal(player)).clone();
        house.plays(&players[player.index()], &mv);
        let everything = serde_json::to_value(house.table.open_view(None).state.unwrap()).unwrap();
        for viewer in [None, Some(0), Some(1), Some(2)] {
            let state = state(&house, viewer);
            for number in 0..3 {
                let sees = viewer == Some(number);
                let hand = &state["hands"][number];
                assert_eq!(hand["size"], everything["hands"][number]["size"]);
                assert_eq!(
                    hand["cards"],
                    if sees { everything["hands"][number]["cards"].clone() } else { json!(null) }
                );
                let deck = &state["decks"][number];
                assert_eq!((&deck["size"], &deck["cards"]), (&everything["decks"][number]["size"], &json!(null)));
            }
            for back in state["backs"].as_array().unwrap() {
                assert_eq!(back["card"], json!(null), "a back shows its owner, and no more");
            }
            // No other card is anywhere in the view.
            let mut known = cards_in(&state["table"]);
            known.extend(cards_in(&state["last_corners"]));
            known.extend(cards_in(&state["last_placement"]));
            known.extend(viewer.map(|number| cards_in(&state["hands"][number])).unwrap_or_default());
            assert!(cards_in(&state).iter().all(|card| known.contains(card)));
        }
    }
}

#[test]
fn ru_5_hands_are_listed_in_the_order_in_which_cards_joined() {
    let game = Stacked::sides(&["KC 9C 2C AC"]).all(&[pass(), pass()]);
    assert_eq!(game.hand(0), ["9C", "2C", "AC"]);
}

#[test]
fn ru_11_a_seat_that_forfeited_sees_what_the_public_sees() {
    let (mut house, players) = table(3, json!({}));
    plays(&mut house, &players, pass());
    house.send(&players[1].resign(&house));
    assert_eq!(state(&house, Some(1)), state(&house, None));
    assert_ne!(state(&house, Some(0)), state(&house, None));
}

#[test]
fn ru_11_after_the_end_views_open_no_further_and_every_card_can_be_looked_at() {
    let (mut house, players) = table(2, json!({}));
    for _ in 0..6 {
        plays(&mut house, &players, pass());
    }
    house.send(&players[0].resign(&house));
    let public = state(&house, None);
    assert_eq!((&public["phase"], &public["turn"]), (&json!("over"), &json!(null)));
    assert_eq!(public["hands"][1]["cards"], json!(null));
    assert_eq!(state(&house, Some(1))["hands"][0]["cards"], json!(null));
    let open = open(&house);
    assert_eq!(open["hands"][1]["cards"].as_array().unwrap().len(), 3 + 1);
    assert_eq!(open["removed"][0]["cards"].as_array().unwrap().len(), 51);
    assert_eq!(
        cards_in(&open["decks"]).len() + cards_in(&open["hands"]).len() + cards_in(&open["removed"]).len() + 1,
        104
    );
}

fn open(house: &House) -> Value {
    serde_json::to_value(house.table.open_view(None).state.unwrap()).unwrap()
}

#[test]
fn ru_11_the_last_placement_stays_in_view_until_the_next() {
    let mut game = Stacked::sides(&["KC QC JC 2C", "KD QD 2D"]);
    let first = json!({"seat": 0, "card": "KC", "x": 0, "y": 0, "orientation": "upright"});
    assert_eq!(game.public()["last_placement"], first);
    game.play(pass());
    assert_eq!(game.public()["last_placement"], first);
    game.play(place("QC", -1, 0));
    let second = json!({"seat": 0, "card": "QC", "x": -1, "y": 0, "orientation": "sideways"});
    assert_eq!(game.public()["last_placement"], second);
    assert_eq!(game.public()["last_pass"], json!(null));
}

#[test]
fn the_table_is_a_list_in_one_order() {
    let mut game = Stacked::any(&["KC QC JC KD QD JD 2C"]);
    for (card, x, y) in [("QC", 0, 1), ("JC", -1, 0), ("KD", 1, 0), ("QD", 0, -1), ("JD", -1, -1)] {
        game.play(place(card, x, y));
    }
    let state = game.state(Viewer::Seat(seat(0)));
    let cells = state["table"].as_array().unwrap().iter().map(|c| (c["x"].as_i64().unwrap(), c["y"].as_i64().unwrap()));
    assert_eq!(cells.collect::<Vec<_>>(), [(-1, -1), (-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)], "by column, then row");
    assert_eq!(Kind::TauHeedKept.name(), state["kind"]);
}
