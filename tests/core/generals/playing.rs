//! Attacks, answers and picks through the table: who is to act, what the log tells, time, and leaving the game (GE-7 to
//! GE-12, GE-14, GE-17, RU-9 to RU-11).

use croupier::table::{Awaits, Refusal};
use serde_json::{Value, json};

use super::{War, attack, defend, is_heart, is_joker, pick, shuffle_hand};
use crate::support::{Rng, data, facts_of, mv, seat, types};

/// Seat 0 has laid a joker against seat 1, which has answered with a card.
fn at_the_pick() -> War {
    let mut game = War::first(3, &json!({"jokers": 4}), |game| {
        game.slot(0, is_joker).is_some() && game.slot(1, |card| !is_joker(card)).is_some()
    });
    let joker = game.slot(0, is_joker).unwrap();
    let answer = game.slot(1, |card| !is_joker(card)).unwrap();
    assert_eq!(types(&game.plays(0, &attack(1, &[joker]))), ["moved"]);
    game.plays(1, &defend(&[answer]));
    game
}

#[test]
fn ge_9_the_log_holds_the_slots_as_they_were_sent_and_views_and_facts_hold_them_ascending() {
    let pair = |game: &War| {
        game.house.legal(seat(0)).iter().any(|mv| json!(mv)["slots"].as_array().is_some_and(|s| s.len() == 2))
    };
    let mut game = War::first(3, &json!({"hand": 8}), pair);
    let legal = game.house.legal(seat(0));
    let chosen =
        legal.iter().map(|mv| json!(mv)).find(|mv| mv["slots"].as_array().is_some_and(|s| s.len() == 2)).unwrap();
    let ascending = chosen["slots"].clone();
    let descending: Vec<Value> = ascending.as_array().unwrap().iter().rev().cloned().collect();
    let mut sent = chosen.clone();
    sent["slots"] = json!(descending);
    let events = game.plays(0, &mv(sent.clone()));
    assert_eq!(data(&events[0])["move"], sent);
    assert_eq!(data(&events[0])["facts"], json!([]), "no more is told than the move itself");
    let target = chosen["target"].as_u64().unwrap() as usize;
    for number in 0..3 {
        let laid = &game.state(number)["attack"];
        assert_eq!(laid["attack_slots"], ascending);
        assert_eq!(laid["attack"].is_null(), number != 0, "only the attacker sees the faces");
    }
    assert_eq!(game.to_act(), target);
    let events = game.plays(target, &defend(&[0]));
    let facts = data(&events[0])["facts"].clone();
    assert_eq!(facts[0]["attack_slots"], ascending);
    assert_eq!(facts[0]["attack"].as_array().unwrap().len(), 2, "now it is turned up");
}

#[test]
fn ge_7_ge_10_only_who_is_asked_decides() {
    let mut game = War::new(3, json!({}), 11);
    let view = game.house.view(seat(1));
    assert_eq!((view.awaits, view.to_act.as_slice()), (Some(Awaits::Move), &[seat(0)][..]));
    assert_eq!(view.legal, [shuffle_hand()]);
    assert_eq!(game.refusal(1, &attack(2, &[0])), Refusal::NotYourTurn);
    assert_eq!(game.clause(0, &attack(0, &[0])), "GE-7");
    assert_eq!(game.clause(0, &defend(&[0])), "GE-7");
    let first = game.house.legal(seat(0))[0].clone();
    game.plays(0, &first);
    assert_eq!(game.house.table.to_act(), [seat(1)]);
    assert_eq!(game.refusal(0, &defend(&[0])), Refusal::NotYourTurn);
    assert_eq!(game.refusal(2, &defend(&[0])), Refusal::NotYourTurn);
    assert_eq!(game.clause(1, &pick(0)), "GE-10");
    assert_eq!(game.house.legal(seat(0)), []);
    assert_eq!(game.house.legal(seat(2)), []);
}

#[test]
fn ru_10_each_attack_answer_and_pick_is_a_step_and_a_shuffle_is_none() {
    let mut game = at_the_pick();
    assert_eq!(game.house.step(), 3);
    let events = game.plays(0, &pick(None));
    assert_eq!(data(&events[0])["step"], 3);
    assert_eq!(game.house.step(), 4);
    let events = game.plays(2, &shuffle_hand());
    assert_eq!(data(&events[0])["step"], Value::Null);
    assert_eq!(data(&events[0])["facts"], json!([]));
    assert_eq!(game.house.step(), 4);
}

#[test]
fn ge_12_the_picked_slot_is_in_the_log_and_its_card_in_the_battle() {
    let mut game = at_the_pick();
    let row = game.hand(1);
    assert_eq!(game.house.legal(seat(0)).len(), row.len() + 1);
    assert_eq!(game.clause(0, &pick(row.len())), "GE-12");
    let events = game.plays(0, &pick(2));
    assert_eq!(data(&events[0])["move"], json!({"type": "pick", "slot": 2}));
    let battle = &facts_of(&events, "battle")[0];
    assert_eq!(battle["picked"], json!({"slot": 2, "card": row[2], "by": "attacker"}));
    assert_eq!(battle["destroyed"].as_array().unwrap().len(), 2);
    let mut left = row;
    left.remove(2);
    assert_eq!(game.hand(1), left);
    assert_eq!(game.public()["last_battle"]["picked"]["slot"], 2);
}

#[test]
fn ge_12_a_missed_deadline_at_the_pick_is_a_pick_at_random_and_no_forfeit() {
    let mut game = at_the_pick();
    let row = game.hand(1);
    // The round's draw is the second, and this is its first number.
    let slot = game.numbers(2).below(row.len() as u32) as usize;
    game.house.wait_until_due(1);
    let command = game.players[2].call_timeout();
    let events = game.house.send(&command);
    assert_eq!(types(&events), ["timed_out"]);
    let event = data(&events[0]);
    assert_eq!((&event["step"], &event["seats"]), (&json!(3), &json!([0])));
    assert_eq!(event["facts"][0]["picked"], json!({"slot": slot, "card": row[slot], "by": "deadline"}));
    assert_eq!(facts_of(&events, "forfeit"), [] as [Value; 0]);
    assert_eq!(game.house.step(), 4, "it makes the decision");
    assert_eq!(game.public()["standings"][0], "in");
}

#[test]
fn ru_9_every_other_missed_deadline_is_a_forfeit_and_the_game_goes_on() {
    let mut game = War::new(3, json!({}), 12);
    let first = game.house.legal(seat(0))[0].clone();
    game.plays(0, &first);
    game.house.wait_until_due(1);
    let command = game.players[0].call_timeout();
    let events = game.house.send(&command);
    assert_eq!(types(&events), ["timed_out"]);
    let facts = data(&events[0])["facts"].clone();
    assert_eq!(facts[0], json!({"type": "forfeit", "seat": 1, "reason": "timed_out"}));
    assert_eq!((&facts[1]["outcome"], &facts[1]["attack"]), (&json!("called_off"), &Value::Null));
    assert_eq!(game.to_act(), 2);
    // The last but one to leave makes the last one win.
    game.house.wait_until_due(1);
    let command = game.players[0].call_timeout();
    let events = game.house.send(&command);
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    assert_eq!(data(&events[2])["result"], json!({"winners": [0], "scores": [], "reason": "forfeit"}));
}

#[test]
fn ru_9_ru_10_a_resignation_has_a_step_only_where_it_takes_the_decision_away() {
    // Who resigns, and whether the decision at hand is taken away; seat 0 attacks seat 1.
    for (number, taken) in [(0, true), (1, true), (2, false)] {
        let mut game = War::new(4, json!({}), 13);
        let first = game.house.legal(seat(0))[0].clone();
        game.plays(0, &first);
        let command = game.players[number].resign(&game.house);
        let events = game.house.send(&command);
        assert_eq!(types(&events), ["resigned"]);
        assert_eq!(data(&events[0])["step"], if taken { json!(2) } else { Value::Null });
        assert_eq!(game.house.step(), if taken { 3 } else { 2 });
        assert_eq!(game.public()["attack"].is_null(), taken);
        assert_eq!(game.public()["standings"][number], "forfeited");
    }
    // Out of turn, before any attack.
    let mut game = War::new(4, json!({}), 13);
    let command = game.players[3].resign(&game.house);
    let events = game.house.send(&command);
    assert_eq!((&data(&events[0])["step"], game.house.step()), (&Value::Null, 1));
}

#[test]
fn ru_11_who_is_out_sees_what_the_public_sees_and_has_nothing_to_do() {
    let mut game = War::new(3, json!({}), 14);
    let mut rng = Rng::new(14);
    let out = |game: &War| {
        let standings = game.public()["standings"].clone();
        (0..3).find(|number| standings[*number] == "out")
    };
    game.until(&mut rng, |game| out(game).is_some());
    assert!(!game.house.table.is_over());
    let number = out(&game).unwrap();
    assert_eq!(game.state(number), game.public());
    assert_eq!(game.house.legal(seat(number)), []);
    for command in [game.command(number, &shuffle_hand()), game.players[number].resign(&game.house)] {
        assert_eq!(game.house.refusal(&command), Refusal::OutOfGame);
    }
    assert!(!facts_of(&game.house.events, "generals_out").is_empty());
}

#[test]
fn ge_7_a_hand_of_hearts_passes_in_the_event_that_leads_to_its_turn() {
    // Seat 1 was dealt hearts only; with hands of four that is one deal among four hundred.
    let mut game = War::first(3, &json!({"jokers": 2}), |game| {
        game.hand(1).iter().all(|card| is_heart(card)) && game.slot(0, |card| !is_heart(card)).is_some()
    });
    let slot = game.slot(0, |card| !is_heart(card) && !is_joker(card)).unwrap();
    game.plays(0, &attack(2, &[slot]));
    let answer = game.slot(2, |card| !is_joker(card)).unwrap();
    let events = game.plays(2, &defend(&[answer]));
    assert_eq!(facts_of(&events, "generals_pass"), [json!({"type": "generals_pass", "round": 1, "seat": 1})]);
    assert_eq!(game.to_act(), 2);
    assert_eq!(game.house.step(), 3, "a pass is no decision");
    assert_eq!(game.public()["last_passes"], json!([{"round": 1, "seat": 1}]));
}

#[test]
fn ge_14_the_last_one_standing_wins() {
    let mut game = War::new(4, json!({}), 15);
    game.until(&mut Rng::new(15), |_| false);
    let result = serde_json::to_value(game.house.table.result().unwrap()).unwrap();
    let state = game.public();
    let left: Vec<usize> = (0..4).filter(|number| state["standings"][*number] == "in").collect();
    assert_eq!(result, json!({"winners": left, "scores": [], "reason": "last_standing"}));
    assert_eq!(left.len(), 1);
    assert_eq!(facts_of(&game.house.events, "generals_out").len(), 3);
}
