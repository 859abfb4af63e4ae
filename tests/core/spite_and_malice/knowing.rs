//! What each may know (RU-5, RU-11).

use serde_json::{Value, json};

use super::{Match, places, size, texts};
use crate::support::{Rng, facts, facts_of};

// RU-5, RU-11: what each may know.

#[test]
fn ru_5_the_public_sees_no_hand_and_a_seat_only_its_own() {
    let mut game = Match::new(json!({}), "views");
    let mut rng = Rng::new(50);
    for _ in 0..60 {
        game.play_on(&mut rng);
        let public = json!(game.house.table.view(None).state);
        for number in [0, 1] {
            assert_eq!(public["hands"][number]["cards"], Value::Null);
            assert_eq!(public["payoffs"][number]["cards"], Value::Null);
            let mut own = game.state(number);
            assert_eq!(own["hands"][number]["cards"].as_array().unwrap().len(), size(&own["hands"][number]));
            own["hands"][number]["cards"] = Value::Null;
            assert_eq!(own, public, "but for the own hand all see the same");
        }
        assert_eq!(public["stock"]["cards"], Value::Null);
    }
}

#[test]
fn ru_11_an_ended_match_can_be_looked_at_with_every_card_open() {
    let mut game = places().remove(3);
    let before = [game.state(0), game.state(1)];
    game.house.send(&game.players[0].resign(&game.house));
    let open = game.open();
    for number in [0, 1] {
        for pile in [&open["hands"][number], &open["payoffs"][number], &open["stock"]] {
            assert_eq!(texts(&pile["cards"]).len(), size(pile));
        }
    }
    // The winner's own view opens no further, and the loser sees what the public sees.
    let mut expected = before[1].clone();
    (expected["phase"], expected["to_move"]) = (json!("over"), Value::Null);
    assert_eq!(game.state(1), expected);
    assert_eq!(game.state(0), json!(game.house.table.view(None).state));
}

#[test]
fn ru_11_the_pairs_that_were_compared_stay_until_the_next_round() {
    let game = (0..)
        .map(|i| Match::new(json!({"payoff": 30}), &format!("pairs {i}")))
        .find(|game| facts_of(&game.house.events, "payoffs_reshuffled").len() == 1);
    let mut game = game.unwrap();
    let compared = game.state(0)["compared"].clone();
    assert_eq!(compared.as_array().unwrap().len(), 2);
    for turn in 1..=36 {
        assert_eq!(game.state(0)["compared"], compared);
        game.only_discards(turn);
    }
    let tops = facts(&game.house.events).into_iter().rev().find_map(|fact| fact.get("tops").cloned());
    assert_eq!(game.state(0)["compared"].as_array().unwrap().last(), tops.as_ref());
}
