//! How a match ends: by its score, by its cap, by a forfeit (MI-9, RU-8, RU-9).

use std::cell::RefCell;
use std::collections::BTreeSet;

use croupier::game::Reason;
use croupier::games::migraine::{Declaration, winner};
use croupier::seat::BySeat;
use croupier::table::Command;
use serde_json::json;

use super::{DEALER, Match, PONE, by_points, cut, declare, hostile};
use crate::support::{Rng, Setup, bytes, facts, facts_of, seat, types};

#[test]
fn mi_9_the_target_and_a_lead_of_two() {
    let scores = |a: i64, b: i64| [a, b].into_iter().collect::<BySeat<i64>>();
    for (a, b, won) in [
        (15, 13, true),
        (15, 14, false),
        (16, 15, false),
        (15, 15, false),
        (16, 14, true),
        (22, 20, true),
        (14, 2, false),
        (22, 21, false),
        (17, 19, true),
        (14, 15, false),
        (3, 15, true),
        (0, 0, false),
    ] {
        let expected = won.then(|| seat(usize::from(b > a)));
        assert_eq!(winner(&scores(a, b), 15), expected, "{a}:{b}");
        assert_eq!(winner(&scores(b, a), 15), won.then(|| seat(usize::from(a > b))), "{b}:{a}");
    }
    // The lead of two holds for every target.
    for (target, a, b, won) in
        [(1, 1, 0, false), (1, 2, 0, true), (1, 2, 1, false), (100, 99, 0, false), (100, 100, 98, true)]
    {
        assert_eq!(winner(&scores(a, b), target).is_some(), won, "{a}:{b} for {target}");
    }
}

#[test]
fn mi_9_matches_end_where_the_rule_says_so_and_nowhere_else() {
    let mut seen = BTreeSet::new();
    let mut rng = Rng::new(9);
    for number in 0..60 {
        let target = i64::from([15, 1, 2, 7][number as usize % 4]);
        let options = json!({"target": target, "first_dealer": null});
        let mut game = Match::with(&Setup { options, root: bytes(&format!("match {number}")), ..Setup::migraine() });
        while !game.house.table.is_over() {
            // A third of the matches is declared at random, where one can fall behind and come back.
            let at_random = number % 3 == 2;
            let luck = RefCell::new(&mut rng);
            let events = game.round(|sabre, hand, field| match at_random {
                true => *luck.borrow_mut().pick(&Declaration::ALL),
                false => by_points(sabre, hand, field, true),
            });
            let scored = facts_of(&events, "migraine_scored").remove(0);
            let [a, b] = [0, 1].map(|i| scored["scores"][i].as_i64().unwrap());
            let won = a.max(b) >= target && (a - b).abs() >= 2;
            seen.insert((target, a.max(b), a.min(b), won));
            assert_eq!(game.house.table.is_over(), won, "{a}:{b} for {target}");
            if !won {
                assert_eq!(types(&events), ["moved", "disclosed"]);
                continue;
            }
            assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
            let result = json!({"winners": [usize::from(b > a)], "scores": [a, b], "reason": "target"});
            assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
            assert_eq!(facts(&events).len(), 1, "no next round begins");
            assert_eq!(game.house.table.step(), None);
        }
    }
    let past = |won: bool| seen.iter().filter(|(target, high, ..)| high >= target).any(|(.., w)| *w == won);
    assert!(past(true) && past(false), "no match went on past its target");
}

#[test]
fn mi_9_the_check_comes_only_after_a_whole_round() {
    // Target 1 with a lead of two: whatever the pone declares, nothing ends before the dealer has declared too.
    let mut game = Match::with(&Setup { options: json!({"target": 1, "first_dealer": 0}), ..Setup::migraine() });
    game.plays(PONE, &cut(0));
    game.each(|game, number| game.house.legal(seat(number))[0].clone());
    game.each(|game, number| game.house.legal(seat(number))[0].clone());
    assert_eq!(types(&game.plays(PONE, &declare("rank"))), ["moved"]);
    assert_eq!(game.state(0)["scores"], json!([0, 0]));
}

#[test]
fn mi_9_ru_8_after_round_1000_the_match_is_a_draw() {
    let mut game = Match::with(&Setup { options: json!({"target": 100, "first_dealer": 0}), ..Setup::migraine() });
    let mut events = Vec::new();
    while !game.house.table.is_over() {
        events = game.round(|sabre, hand, field| by_points(sabre, hand, field, false));
    }
    assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
    assert_eq!(facts(&events).len(), 1);
    assert_eq!(facts(&events)[0]["round"], 1000);
    assert_eq!(crate::support::data(&events[1])["draw"], 1000);
    let result = game.house.table.result().unwrap();
    assert_eq!((result.winners.as_slice(), result.reason), (&[][..], Reason::Cap));
    assert_eq!(json!(result.scores), facts(&events)[0]["scores"]);
}

/// A match in each of its phases.
fn phases() -> Vec<(&'static str, Match)> {
    let mut declared = Match::laid();
    declared.plays(PONE, &declare("suit"));
    let mut committed = Match::dealt();
    let card = committed.hand(DEALER)[0].clone();
    committed.plays(DEALER, &hostile(&card));
    vec![
        ("cut", Match::new()),
        ("hostile discard", Match::dealt()),
        ("hostile discard, one is bound", committed),
        ("pensive discard", Match::given()),
        ("the pone declares", Match::laid()),
        ("the dealer declares", declared),
    ]
}

#[test]
fn ru_9_a_seat_may_resign_at_any_time_and_the_other_wins_at_once() {
    for number in [0, 1] {
        for (phase, mut game) in phases() {
            let step = game.step();
            let events = game.house.send(&game.players[number].resign(&game.house));
            assert_eq!(types(&events), ["resigned", "disclosed", "ended"], "{phase}");
            assert_eq!(
                crate::support::data(&events[0]),
                json!({
                    "step": step, "after": null, "by": null,
                    "facts": [{"type": "forfeit", "seat": number, "reason": "resigned"}],
                }),
                "{phase}"
            );
            let result = json!({"winners": [1 - number], "scores": [0, 0], "reason": "forfeit"});
            assert_eq!(crate::support::data(&events[2]), json!({"result": result}), "{phase}");
            assert_eq!(crate::support::data(&events[1])["draw"], 1, "all draws are disclosed");
        }
    }
}

#[test]
fn ru_9_who_misses_a_deadline_forfeits_and_the_scores_stay() {
    let mut game = Match::new();
    let scored = game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    let scores = facts_of(&scored, "migraine_scored")[0]["scores"].clone();
    game.house.wait_until_due(1);
    // Now the other seat is the pone.
    let events = game.house.send(&game.players[1].call_timeout());
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    assert_eq!(
        crate::support::data(&events[0]),
        json!({"step": 6, "seats": [0], "facts": [{"type": "forfeit", "seat": 0, "reason": "timed_out"}]})
    );
    let result = json!({"winners": [1], "scores": scores, "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}

#[test]
fn ru_9_both_late_for_one_step_is_a_draw() {
    let mut game = Match::given();
    game.house.wait_until_due(1);
    let events = game.house.send(&Command::CallTimeout { player: None });
    assert_eq!(
        facts(&events),
        [
            json!({"type": "forfeit", "seat": 0, "reason": "timed_out"}),
            json!({"type": "forfeit", "seat": 1, "reason": "timed_out"}),
        ]
    );
    let result = json!({"winners": [], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}

#[test]
fn ru_9_an_illegal_opening_forfeits_and_ends_the_step() {
    let mut game = Match::dealt();
    let (nonce, foreign) = (Rng::new(3).nonce(), hostile(&game.hand(PONE)[0]));
    game.house.send(&game.players[DEALER].commit(&game.house, &foreign, &nonce));
    let own = hostile(&game.hand(PONE)[0]);
    game.house.send(&game.players[PONE].commit(&game.house, &own, &nonce));
    let events = game.house.send(&game.players[DEALER].open(&game.house, &foreign, &nonce));
    assert_eq!(types(&events), ["opened", "disclosed", "ended"]);
    assert_eq!(facts(&events), [json!({"type": "forfeit", "seat": DEALER, "reason": "illegal_move"})]);
    let result = json!({"winners": [PONE], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}
