//! TH-11, TH-12: how a game ends.

use serde_json::json;

use super::{Stacked, automatic_pass, pass, place, three_of_the_example, turn};

fn scored(corners: &[usize], hands: &[usize], scores: &[i64]) -> serde_json::Value {
    json!({"type": "tau_scored", "corners": corners, "hands": hands, "scores": scores})
}

#[test]
fn th_11_the_turn_of_the_last_card_is_the_last() {
    let mut game = three_of_the_example("6C 3H 5D TS 5S");
    assert_eq!(game.public()["phase"], "growing");
    game.play(place("TS", 0, 1));
    assert_eq!(game.public()["phase"], "last_turn", "the last card is drawn");
    assert_eq!(game.play(place("5S", 0, 0)), [scored(&[1], &[0], &[1])]);
    assert_eq!(game.result(), (vec![0], vec![1], "last_turn".to_owned()));
    assert_eq!(game.public()["turn"], json!(null));
    assert_eq!(game.clause_for(0, pass()), "TH-11");
    assert!(game.legal(0).is_empty());
}

#[test]
fn th_11_cards_left_in_hand_count_against_the_score() {
    let mut game = three_of_the_example("6C 3H 5D TS 5S").all(&[place("TS", 0, 1)]);
    assert_eq!(game.public()["scores"], json!([0]), "one corner, one card in hand");
    assert_eq!(game.play(pass()), [scored(&[1], &[1], &[0])], "who may place may pass, on the last turn too");
    assert_eq!(game.result(), (vec![0], vec![0], "last_turn".to_owned()));
}

#[test]
fn edge_a_solitaire_score_may_be_negative() {
    let game = Stacked::sides(&["KC 2C 3C 4C QC"]).all(&[pass(), pass(), pass(), pass()]);
    assert_eq!(game.result(), (vec![0], vec![-4], "last_turn".to_owned()));
}

#[test]
fn th_11_who_can_place_nothing_on_the_last_turn_is_not_asked() {
    let mut game = Stacked::sides(&["KC 2C 3C 4C"]).all(&[pass()]);
    assert_eq!(game.play(pass()), [turn(0, true, 0), automatic_pass(0), scored(&[0], &[3], &[-3])]);
    assert_eq!(game.result(), (vec![0], vec![-3], "last_turn".to_owned()));
    // While the deck lasts, one is asked.
    let game = Stacked::sides(&["KC 2C 3C 4C"]);
    assert_eq!(game.legal(0), [pass()]);
}

#[test]
fn th_12_who_has_neither_hand_nor_deck_is_skipped() {
    let mut game = Stacked::sides(&["KC QC 2C KS", "JC", "QD KD 3S JS"]);
    game = game.all(&[place("JC", 1, 0), place("QD", -1, 0)]);
    // Seat 1 has nothing left: after seat 0 comes seat 2.
    assert_eq!(game.play(place("QC", 1, 1)), [turn(2, true, 2)]);
    assert_eq!(game.turn(), 2);
    let mut game = game.all(&[pass(), pass()]);
    assert_eq!(game.turn(), 2);
    assert_eq!(game.play(pass()), [turn(0, true, 0)]);
}

#[test]
fn edge_a_player_with_an_empty_deck_still_has_turns_while_it_holds_cards() {
    let mut game = Stacked::sides(&["KC QC", "JC 2D 3D KD"]);
    game = game.all(&[pass(), pass(), pass()]);
    assert_eq!(game.turn(), 0);
    assert_eq!(game.facts, [turn(0, false, 0)], "nothing to draw");
    assert_eq!(game.public()["turn"], json!({"seat": 0, "drew": false}));
    assert_eq!(game.public()["phase"], "growing", "another deck lasts");
    game.play(place("QC", 1, 0));
    assert_eq!(game.turn(), 1);
}

#[test]
fn th_12_the_game_ends_when_all_hands_are_empty() {
    let mut game = Stacked::sides(&["6C 5D", "3H TS"]);
    game = game.all(&[place("3H", 1, 0), place("5D", 1, 1)]);
    assert_eq!(game.public()["phase"], "vulture");
    let facts = game.play(place("TS", 0, 1)).to_vec();
    assert_eq!(facts[1..], [scored(&[1, 0], &[0, 0], &[1, 0])]);
    assert_eq!(game.result(), (vec![0], vec![1, 0], "hands_empty".to_owned()));
    assert_eq!(game.clause_for(0, pass()), "TH-12");
}

#[test]
fn th_12_the_game_ends_when_everybody_who_holds_cards_has_passed_since_the_last_placement() {
    let mut game = Stacked::any(&["KC 2C QC", "2D JD", "2H KH"]);
    // Everybody can pass twice while decks last, and nothing comes of it.
    game = game.all(&[pass(), pass(), pass(), pass(), pass()]);
    assert_eq!((game.turn(), &game.public()["phase"], &game.public()["passed"]), (0, &json!("vulture"), &json!([])));
    game = game.all(&[pass(), pass()]);
    assert_eq!(game.public()["passed"], json!([0, 1]));
    // A placement begins the count anew.
    game.play(place("KH", 1, 0));
    assert_eq!(game.public()["passed"], json!([]));
    assert_eq!(game.public()["last_pass"], json!(null));
    game = game.all(&[pass(), pass()]);
    // Seat 2 holds a 2, which goes nowhere: it passes by itself, and that was everybody.
    assert_eq!(game.facts, [turn(2, false, 0), automatic_pass(2), scored(&[0, 0, 0], &[2, 2, 1], &[0, 0, 0])]);
    assert_eq!(game.result(), (vec![0, 1, 2], vec![0, 0, 0], "all_passed".to_owned()));
    assert_eq!(game.public()["passed"], json!([0, 1, 2]), "why it ended stays in view");
    assert_eq!(game.public()["last_pass"], json!({"seat": 2, "automatic": true}));
}

#[test]
fn edge_the_end_comes_on_the_pass_of_the_last_one_also_when_it_was_asked() {
    let mut game = Stacked::sides(&["KC QC", "JC KD"]);
    game = game.all(&[pass(), pass()]);
    assert_eq!((game.turn(), &game.public()["phase"]), (1, &json!("vulture")));
    // Seat 1 passes with all decks empty; seat 0's pass was made while a deck lasted.
    assert_eq!(game.play(pass()), [turn(0, false, 0)]);
    assert_eq!(game.play(pass()), [scored(&[0, 0], &[1, 2], &[0, 0])]);
    assert_eq!(game.result(), (vec![0, 1], vec![0, 0], "all_passed".to_owned()));
}

#[test]
fn th_12_a_pass_on_the_turn_of_the_last_drawn_card_counts() {
    let mut game = Stacked::sides(&["KC", "QC JC"]);
    // Seat 0 has nothing; seat 1 draws the last card, passes, and is the only one that holds cards.
    game.play(pass());
    assert_eq!((game.turn(), &game.public()["phase"]), (1, &json!("vulture")));
    game.play(pass());
    assert_eq!(game.result(), (vec![0, 1], vec![0, 0], "all_passed".to_owned()));
}

#[test]
fn th_12_forced_passes_are_made_in_a_row_until_somebody_can_place() {
    let mut game = Stacked::sides(&["KC 2C", "3C 4C", "5C", "JC"]);
    // Seats 1, 2 and 3 pass, seat 0 too; then seat 1 draws the last card of all.
    game = game.all(&[pass(), pass(), pass()]);
    assert_eq!(game.turn(), 0);
    let facts = game.play(pass()).to_vec();
    assert_eq!(
        facts,
        [turn(1, true, 0), automatic_pass(1), turn(2, false, 0), automatic_pass(2), turn(3, false, 0)],
        "seat 3 holds a jack and is asked"
    );
    assert_eq!((game.turn(), &game.public()["passed"]), (3, &json!([1, 2])));
    // It places the jack: the count begins anew, and now nobody can do anything; seat 3 is skipped.
    let facts = game.play(place("JC", 1, 0)).to_vec();
    assert_eq!(
        facts,
        [
            turn(0, false, 0),
            automatic_pass(0),
            turn(1, false, 0),
            automatic_pass(1),
            turn(2, false, 0),
            automatic_pass(2),
            scored(&[0, 0, 0, 0], &[1, 2, 1, 0], &[0, 0, 0, 0]),
        ]
    );
    assert_eq!(game.result().2, "all_passed");
}

#[test]
fn th_12_while_any_deck_lasts_everybody_is_asked() {
    let game = Stacked::sides(&["KC 2C 3D 4D", "3C 4C", "5C"]);
    assert_eq!((game.turn(), game.legal(1)), (1, vec![pass()]));
    let game = game.all(&[pass(), pass(), pass(), pass()]);
    assert_eq!((game.turn(), game.legal(2)), (2, vec![pass()]), "its own deck is empty, but another lasts");
}

#[test]
fn th_12_hand_cards_cost_nothing_and_the_highest_score_wins() {
    let mut game = Stacked::sides(&["6C 5D 2C 2H 2S", "3H TS"]);
    game = game.all(&[place("3H", 1, 0), place("5D", 1, 1), place("TS", 0, 1)]);
    assert_eq!(game.public()["scores"], json!([1, 0]));
    game = game.all(&[pass(), pass()]);
    assert_eq!(game.result(), (vec![0], vec![1, 0], "all_passed".to_owned()), "three 2s are left, and cost nothing");
}
