//! Hand shuffles through the table (GE-12a, RU-10): moves that are no decision.

use croupier::table::{Command, Refusal};
use serde_json::{Value, json};

use super::{War, shuffle_hand};
use crate::support::{Rng, data, seat, types};

#[test]
fn ge_12a_the_new_order_is_the_protocol_s_shuffle_of_the_row_in_the_order_of_the_log() {
    let mut game = War::new(4, json!({"hand": 6}), 21);
    let mut stream = game.numbers(2);
    for number in [2, 0, 3] {
        let mut row = game.hand(number);
        stream.shuffle(&mut row);
        let before = game.public();
        let events = game.plays(number, &shuffle_hand());
        assert_eq!(types(&events), ["moved"]);
        assert_eq!(data(&events[0])["move"], json!({"type": "shuffle_hand"}));
        assert_eq!(data(&events[0])["facts"], json!([]));
        assert_eq!(game.hand(number), row);
        let mut after = game.public();
        assert_eq!(after["may_shuffle"][number], false);
        after["may_shuffle"] = before["may_shuffle"].clone();
        assert_eq!(after, before, "that, and no more, is to be seen");
    }
}

#[test]
fn ge_12a_a_second_shuffle_and_one_under_attack_are_refused() {
    let mut game = War::new(3, json!({}), 22);
    game.plays(0, &shuffle_hand());
    assert_eq!(game.clause(0, &shuffle_hand()), "GE-12a");
    let first = game.house.legal(seat(0))[0].clone();
    game.plays(0, &first);
    for number in 0..3 {
        assert_eq!(game.clause(number, &shuffle_hand()), "GE-12a");
        assert!(!game.house.legal(seat(number)).contains(&shuffle_hand()));
    }
    game.until(&mut Rng::new(22), |game| game.public()["phase"] == "attack");
    for number in 0..3 {
        assert!(game.house.legal(seat(number)).contains(&shuffle_hand()));
    }
}

#[test]
fn ru_10_a_shuffle_names_no_step_is_never_late_and_moves_no_deadline() {
    let mut game = War::new(3, json!({}), 23);
    let due = game.house.table.due_at();
    let player = game.players[1].clone();
    let with_step = player.decide(&game.house, &shuffle_hand());
    assert!(matches!(game.house.refusal(&with_step), Refusal::StepForm(_)));
    game.house.wait_until_due(1);
    game.plays(1, &shuffle_hand());
    assert_eq!(game.house.table.due_at(), due);
    let first = game.house.legal(seat(0))[0].clone();
    assert_eq!(game.refusal(0, &first), Refusal::TooLate, "the attack is late all the same");
    game.plays(0, &shuffle_hand());
    let events = game.house.send(&Command::CallTimeout { player: None });
    assert_eq!(data(&events[0])["seats"], json!([0]));
    assert_eq!(data(&events[0])["step"], 1);
}

#[test]
fn ge_12a_a_round_opens_one_draw_and_its_stream_begins_anew() {
    let mut game = War::new(3, json!({}), 24);
    game.until(&mut Rng::new(24), |game| game.public()["round"] == 3);
    // With a given dealer round r opens draw r + 1.
    assert_eq!(game.house.table.draws_made(), 4);
    let number = game.to_act();
    let mut row = game.hand(number);
    game.numbers(4).shuffle(&mut row);
    game.plays(number, &shuffle_hand());
    assert_eq!(game.hand(number), row);
    assert_eq!(game.state(number)["hands"][(number + 1) % 3]["cards"], Value::Null);
}
