//! TH-12a, TH-11, RU-9: who forfeits, and what follows on it.

use croupier::game::{Action, Decided, Game, Viewer, act};
use croupier::timestamp::Timestamp;
use serde_json::json;

use super::{Stacked, automatic_pass, forfeit, pass, place, turn, with_chance};
use crate::support::seat;

#[test]
fn th_12a_hand_and_deck_leave_the_game_unseen() {
    let mut game = Stacked::sides(&["KC QC JC", "KD QD JD", "KS QS JS"]).all(&[pass(), pass()]);
    assert_eq!(game.turn(), 0);
    assert_eq!(game.forfeits(1), Decided::No);
    assert_eq!(game.facts, [forfeit(1, "resigned")]);
    let state = game.public();
    assert_eq!(state["removed"][1], json!({"size": 3, "cards": null}));
    assert_eq!((&state["hands"][1]["size"], &state["decks"][1]["size"]), (&json!(0), &json!(0)));
    assert_eq!(state["forfeited"], json!([1]));
    assert_eq!(game.state(Viewer::Everything)["removed"][1]["cards"], json!(["KD", "QD", "JD"]), "hand, then deck");
    assert_eq!(game.state(Viewer::Everything)["removed"][0], json!({"size": 0, "cards": []}));
    assert!(!game.rules.is_in(seat(1)) && game.rules.is_in(seat(0)) && !game.rules.is_in(seat(3)));
    assert_eq!(game.clause_for(1, pass()), "TH-7");
    // Its turns are skipped.
    assert_eq!(game.play(pass()), [turn(2, true, 1)]);
}

#[test]
fn th_12a_its_backs_still_count_for_its_score_but_it_can_not_win() {
    let mut game = Stacked::sides(&["6C 5D", "3H TS JS", "2C"]);
    game = game.all(&[place("3H", 1, 0), pass(), place("5D", 1, 1), place("TS", 0, 1)]);
    assert_eq!(game.public()["scores"], json!([1, 0, 0]));
    assert_eq!(game.turn(), 2);
    assert_eq!(game.forfeits(0), Decided::No);
    assert_eq!(game.backs(), [(0, 0, 0)], "what lies on corners stays");
    assert_eq!(game.card_at(1, 1).as_deref(), Some("5D"), "what lies on the table too");
    game = game.all(&[pass()]);
    assert_eq!(game.turn(), 1);
    game.play(place("JS", 2, 1));
    assert_eq!(game.result(), (vec![1, 2], vec![1, 0, 0], "all_passed".to_owned()));
}

#[test]
fn ru_9_one_seat_left_wins_at_once() {
    let mut game = Stacked::sides(&["KC QC JC", "KD QD JD", "KS QS JS"]);
    assert_eq!(game.forfeits(1), Decided::Yes);
    assert_eq!(game.facts, [forfeit(1, "resigned"), turn(2, true, 2)]);
    assert_eq!(game.forfeits(0), Decided::Yes, "it ends the game, though it was not its turn");
    assert_eq!(game.facts[0], forfeit(0, "resigned"));
    assert_eq!(
        game.facts[1],
        json!({"type": "tau_scored", "corners": [0, 0, 0], "hands": [0, 1, 1], "scores": [0, 0, 0]})
    );
    assert_eq!(game.result(), (vec![2], vec![0, 0, 0], "forfeit".to_owned()));
}

#[test]
fn th_11_alone_a_forfeit_ends_the_game_without_a_winner_and_the_hand_still_counts() {
    let mut game = Stacked::sides(&["KC 2C 3C 4C 5C"]).all(&[pass(), pass()]);
    assert_eq!(game.forfeits(0), Decided::Yes);
    assert_eq!(game.result(), (vec![], vec![-3], "forfeit".to_owned()));
    assert_eq!(game.facts[1]["hands"], json!([3]));
    assert_eq!(game.public()["removed"][0]["size"], 4, "three of the hand, one of the deck");
}

#[test]
fn ru_9_all_late_is_nobodys_game() {
    let mut game = Stacked::sides(&["KC 2C 3C 4C 5C", "2S 3S"]);
    let action = Action::TimedOut(vec![seat(0), seat(1)]);
    let (decided, facts) = with_chance(|chance| act(&mut game.rules, action, Timestamp::MAX, chance));
    assert_eq!(decided, Ok(Decided::Yes));
    assert_eq!(facts[..2], [forfeit(0, "timed_out"), forfeit(1, "timed_out")]);
    assert_eq!(game.result(), (vec![], vec![0, 0], "forfeit".to_owned()));
}

#[test]
fn th_12a_when_the_last_deck_is_taken_out_the_seat_at_turn_may_have_to_pass_at_once() {
    // Only seat 0's deck lasts. Seats 1, 2 and 3 hold what goes nowhere.
    let mut game = Stacked::sides(&["KC QC 2H 3H", "2C", "3C", "4C"]).all(&[pass(), pass()]);
    assert_eq!((game.turn(), game.legal(3)), (3, vec![pass()]));
    assert_eq!(game.forfeits(0), Decided::Yes, "the decision of seat 3 was taken away");
    assert_eq!(
        game.facts[..6],
        [
            forfeit(0, "resigned"),
            automatic_pass(3),
            turn(1, false, 0),
            automatic_pass(1),
            turn(2, false, 0),
            automatic_pass(2)
        ]
    );
    assert_eq!(game.result(), (vec![1, 2, 3], vec![0; 4], "all_passed".to_owned()));
}

#[test]
fn th_12a_when_the_last_deck_is_taken_out_who_can_place_is_still_asked_and_passes_count_from_now_on() {
    let mut game = Stacked::sides(&["KC QC 2H 3H", "JC", "3C", "QS"]).all(&[pass(), pass()]);
    assert_eq!((game.turn(), &game.public()["phase"]), (3, &json!("growing")));
    assert_eq!(game.forfeits(0), Decided::No);
    assert_eq!(game.facts, [forfeit(0, "resigned")]);
    assert_eq!((game.turn(), &game.public()["phase"], &game.public()["passed"]), (3, &json!("vulture"), &json!([])));
    // Seat 3 passes, seat 1 is asked, seat 2 passes by itself: only then have all three passed.
    assert_eq!(game.play(pass()), [turn(1, false, 0)]);
    assert_eq!(game.play(pass())[..2], [turn(2, false, 0), automatic_pass(2)]);
    assert_eq!(game.result().2, "all_passed");
}

#[test]
fn th_12a_when_the_seat_at_turn_takes_the_last_deck_out_the_passes_before_do_not_count() {
    let mut game = Stacked::sides(&["KC QC 2H 3H", "JC", "3C", "QS"]).all(&[pass(), pass(), pass()]);
    assert_eq!(game.turn(), 0);
    assert_eq!(game.forfeits(0), Decided::Yes);
    assert_eq!(game.facts, [forfeit(0, "resigned"), turn(1, false, 0)]);
    assert_eq!(game.public()["passed"], json!([]));
    game = game.all(&[pass(), pass()]);
    assert_eq!(game.result().2, "all_passed");
}

#[test]
fn th_12a_the_end_of_th_12_is_asked_at_once() {
    // All decks are empty; seats 0, 1 and 2 have passed, seat 3 thinks, and gives up: all who hold cards have passed.
    let mut game = Stacked::sides(&["KC QC", "JC", "JD", "JS"]).all(&[pass(), pass(), pass()]);
    assert_eq!((game.turn(), &game.public()["phase"]), (0, &json!("vulture")));
    game = game.all(&[pass(), pass(), pass()]);
    assert_eq!((game.turn(), &game.public()["passed"]), (3, &json!([0, 1, 2])));
    let mut other = game.clone();
    assert_eq!(game.forfeits(3), Decided::Yes);
    assert_eq!(game.result(), (vec![0, 1, 2], vec![0; 4], "all_passed".to_owned()));
    // One of those who have passed gives up: seat 3 is still asked.
    assert_eq!(other.forfeits(1), Decided::No);
    assert_eq!((other.turn(), &other.public()["passed"]), (3, &json!([0, 2])));
    other = other.all(&[pass()]);
    assert_eq!(other.result(), (vec![0, 2, 3], vec![0; 4], "all_passed".to_owned()));
    // Nobody else holds anything: hands are empty at once.
    let mut empty = Stacked::sides(&["KC", "JC", "JD 2D 3D"]).all(&[place("JC", 1, 0)]);
    assert_eq!(empty.turn(), 2);
    assert_eq!(empty.forfeits(2), Decided::Yes);
    assert_eq!(empty.result(), (vec![0, 1], vec![0; 3], "hands_empty".to_owned()));
}

#[test]
fn after_the_end_nothing_changes_the_result() {
    let mut game = Stacked::sides(&["KC QC", "KD QD"]);
    game.forfeits(1);
    let result = game.result();
    assert_eq!(game.forfeits(0), Decided::No);
    assert!(game.facts.is_empty());
    assert_eq!(game.result(), result);
    assert_eq!(game.clause_for(0, pass()), "TH-12");
}
