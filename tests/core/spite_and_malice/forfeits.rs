//! Giving up, being late, and what counts as a step (RU-9, RU-10).

use serde_json::json;

use super::{Match, discard, places, texts};
use crate::support::{Rng, data, facts_of, types};

// RU-9: forfeits.

#[test]
fn ru_9_a_seat_may_resign_at_any_time_and_the_other_wins_at_once() {
    let mut scored = 0;
    for number in [0, 1] {
        for mut game in places() {
            let (step, scores) = (game.house.step(), game.state(0)["scores"].clone());
            let draws = facts_of(&game.house.events, "draw").len();
            let events = game.house.send(&game.players[number].resign(&game.house));
            assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
            assert_eq!(
                data(&events[0]),
                json!({
                    "step": step, "after": null, "by": null,
                    "facts": [{"type": "forfeit", "seat": number, "reason": "resigned"}],
                })
            );
            assert_eq!(data(&events[1])["draw"], draws, "all draws are disclosed");
            let result = json!({"winners": [1 - number], "scores": scores, "reason": "forfeit"});
            assert_eq!(data(&events[2]), json!({"result": result}));
            scored += usize::from(scores != json!([0, 0]));
        }
    }
    assert!(scored > 0, "no match with points was resigned");
}

#[test]
fn ru_9_who_misses_the_deadline_forfeits() {
    let mut game = Match::new(json!({}), "late");
    let own = game.to_move();
    game.plays(&discard(&texts(&game.state(own)["hands"][own]["cards"])[0], 0));
    game.house.wait_until_due(1);
    let events = game.house.send(&game.players[own].call_timeout());
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    let late = json!({"type": "forfeit", "seat": 1 - own, "reason": "timed_out"});
    assert_eq!(data(&events[0]), json!({"step": 2, "seats": [1 - own], "facts": [late]}));
    let result = json!({"winners": [own], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(data(&events[2]), json!({"result": result}));
}

// RU-10.

#[test]
fn ru_10_every_play_and_every_discard_is_one_step() {
    let mut game = Match::new(json!({"payoff": 5, "target": 500}), "steps");
    let mut rng = Rng::new(10);
    for step in 1..=200 {
        assert_eq!(game.house.step(), step);
        let events = game.play_on(&mut rng);
        assert_eq!(data(&events[0])["step"], step);
    }
    assert!(game.state(0)["round"].as_u64() > Some(1), "also over the end of a round");
}
