//! WF-7 to WF-9: the end, the clock, and the day that a run may take.

use croupier::audit::{Bundle, Verdict, audit};
use croupier::seat::Seat;
use croupier::table::Refusal;
use serde_json::{Value, json};

use super::{plays, run, run_of, state, walk};
use crate::audit::forging;
use crate::audit::recorded::faults;
use crate::laws::kinds;
use crate::support::{House, Player, Rng, data, moment, types};

/// Plays a run to its end, with so many milliseconds before each move.
fn finish(number: u64, pause: impl Fn(usize) -> i64) -> House {
    let (mut house, player) = run(number);
    let mut rng = Rng::new(number);
    let mut moves = 0;
    while !house.table.is_over() {
        house.wait(pause(moves));
        let chosen = kinds::choose(croupier::games::Kind::FatetstRpg, &house.legal(Seat::FIRST), &mut rng);
        plays(&mut house, &player, &chosen);
        moves += 1;
    }
    house
}

#[test]
fn wf_7_wf_8_the_score_is_the_log_s_time() {
    let house = finish(2, |_| 7);
    let started = house.events.iter().find(|event| event.body.event_type() == "started").unwrap().at;
    let [.., moved, disclosed, ended] = &house.events[..] else { panic!() };
    assert_eq!(types(&[moved.clone(), disclosed.clone(), ended.clone()]), ["moved", "disclosed", "ended"]);
    let elapsed = moved.at.millis() - started.millis();
    assert!(elapsed > 0);
    let result = json!({"winners": [0], "scores": [elapsed], "reason": "found_the_tree"});
    assert_eq!(data(ended)["result"], result);
    assert_eq!(data(disclosed)["draw"], json!(2));
    let found = data(moved)["facts"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&found["elapsed"], &found["steps"]), (&json!(elapsed), &state(&house)["steps"]));
    assert_eq!(state(&house)["tree"], found["x"], "it was found");
}

#[test]
fn wf_8_equal_draws_and_moves_are_equal_but_for_the_time() {
    let [quick, slow] = [finish(2, |_| 1), finish(2, |moves| 400 + moves as i64 % 3)];
    assert_eq!(quick.events.len(), slow.events.len());
    let mut last = (0, 0);
    for (one, other) in quick.events.iter().zip(&slow.events) {
        let [mut one, mut other] = [data(one), data(other)];
        for value in [&mut one, &mut other] {
            if let Some(found) = value["facts"].as_array_mut().and_then(|facts| facts.last_mut())
                && found["type"] == "tree_found"
            {
                last.0 = found["elapsed"].as_i64().unwrap();
                found["elapsed"] = json!(null);
            }
            if value.get("result").is_some() {
                value["result"]["scores"] = json!(null);
            }
        }
        assert_eq!(one, other);
    }
    last.1 = quick.table.result().unwrap().scores[0];
    assert!(last.0 > 100 * last.1, "only the clock tells them apart: {last:?}");
}

#[test]
fn wf_9_a_run_takes_a_day_at_most() {
    for pause in [0, 3_600_000, 20 * 3_600_000] {
        let (mut house, player) = run(4);
        assert_eq!(house.table.due_at(), Some(moment(24 * 3_600_000)), "no move_seconds");
        house.wait(pause);
        plays(&mut house, &player, &walk("n", 1));
        assert_eq!(house.table.due_at(), Some(moment(24 * 3_600_000)), "a move gives no more time");
        assert!(house.table.no_deadline_before(house.now).unwrap() <= house.table.due_at().unwrap());
        house.wait_until_due(0);
        assert_eq!(house.refusal(&player.call_timeout()), Refusal::NothingOverdue);
        house.wait(1);
        let late = house.legal(Seat::FIRST)[0].clone();
        assert_eq!(house.refusal(&player.decide(&house, &late)), Refusal::TooLate);
        let events = house.send(&player.call_timeout());
        assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
        assert_eq!(data(&events[2])["result"], json!({"winners": [], "scores": [], "reason": "forfeit"}));
        assert_eq!(state(&house)["tree"], json!(null), "RU-11: it opens no further");
        let open = serde_json::to_value(house.table.open_view(None).state.unwrap()).unwrap();
        assert!(open["tree"].is_i64());
    }
}

#[test]
fn wf_9_a_shorter_deadline_holds_until_the_day_is_over() {
    let setup = crate::support::Setup {
        kind: croupier::games::Kind::FatetstRpg,
        options: json!({}),
        places: 1,
        move_seconds: Some(3600),
        ..crate::support::Setup::migraine()
    };
    let player = Player::new(0);
    let mut house = House::playing(&setup, std::slice::from_ref(&player));
    for hour in 1..=23 {
        assert_eq!(house.table.due_at(), Some(moment(hour * 3_600_000)));
        house.wait_until_due(0);
        let mv = house.legal(Seat::FIRST)[0].clone();
        plays(&mut house, &player, &mv);
    }
    assert_eq!(house.table.due_at(), Some(moment(24 * 3_600_000)));
    house.wait(1_800_000);
    let mv = house.legal(Seat::FIRST)[0].clone();
    plays(&mut house, &player, &mv);
    assert_eq!(house.table.due_at(), Some(moment(24 * 3_600_000)), "half an hour, not a whole one");
}

#[test]
fn ru_9_who_gives_up_has_no_score() {
    let (mut house, player) = run_of(4, Player::new(0).with_key().with_seed());
    plays(&mut house, &player, &walk("n", 3));
    let events = house.send(&player.resign(&house));
    assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
    assert_eq!(data(&events[0])["step"], json!(2), "the decision at hand was taken away");
    assert_eq!(data(&events[2])["result"], json!({"winners": [], "scores": [], "reason": "forfeit"}));
    assert!(house.legal(Seat::FIRST).is_empty());
}

/// A run's log with something changed and all hashes and signatures made anew by somebody who holds the keys; what the
/// auditor says of it, and which event it names.
fn audited(events: &[Value], change: impl FnOnce(&mut Vec<Value>), reseal: bool) -> (Verdict, Option<u64>) {
    let mut events = events.to_vec();
    forging::reseal(&mut events);
    change(&mut events);
    if reseal {
        forging::reseal(&mut events);
    }
    let text = croupier::canonical::to_jcs(&forging::bundle(&events));
    let report = audit(&Bundle::read(&text).unwrap(), Some(&forging::jwks()));
    (report.verdict, faults(&report).iter().map(|(_, seq)| *seq).min())
}

#[test]
fn a_forged_score_a_faster_clock_and_a_rewritten_run_are_found() {
    let house = finish(2, |_| 1000);
    let events: Vec<Value> = house.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let (moved, ended) = (events.len() - 3, events.len() - 1);
    let elapsed = events[ended]["data"]["result"]["scores"][0].as_i64().unwrap();
    let (verdict, _) = audited(&events, |_| {}, true);
    assert_eq!(verdict, Verdict::Yes);
    // The score alone, and the score with the fact that it comes from.
    let forged = |events: &mut Vec<Value>| events[ended]["data"]["result"]["scores"][0] = json!(elapsed - 1);
    assert_eq!(audited(&events, forged, true), (Verdict::No, Some(ended as u64)));
    let both = |events: &mut Vec<Value>| {
        forged(events);
        events[moved]["data"]["facts"].as_array_mut().unwrap().last_mut().unwrap()["elapsed"] = json!(elapsed - 1);
    };
    assert_eq!(audited(&events, both, true), (Verdict::No, Some(moved as u64)));
    // A clock that went back, by somebody who holds no key; and one with the score as it was.
    let faster = |events: &mut Vec<Value>| events[moved]["at"] = events[moved - 1]["at"].clone();
    assert_eq!(audited(&events, faster, false), (Verdict::No, Some(moved as u64)));
    assert_eq!(audited(&events, faster, true), (Verdict::No, Some(moved as u64)));
    // Another walk in the middle of the run.
    let at = (100..moved).find(|at| events[*at]["data"]["move"]["type"] == "walk").unwrap();
    let rewritten = |events: &mut Vec<Value>| events[at]["data"]["move"] = json!({"type": "rest"});
    assert_eq!(audited(&events, rewritten, true), (Verdict::No, Some(at as u64)));
    // One that leaves a battle out: nothing follows from it as it is told.
    let cut = |events: &mut Vec<Value>| drop(events.drain(at..at + 2));
    assert_eq!(audited(&events, cut, true).0, Verdict::No);
}
