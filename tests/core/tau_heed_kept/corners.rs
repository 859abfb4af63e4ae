//! TH-G3, TH-9, TH-10: corners that are encircled, settled, and left.

use croupier::game::Viewer;
use serde_json::json;

use super::{Stacked, claimed, pass, place, place_in_order, three_of_the_example, turn};

/// Round the cell (0, 1) lie fours at its edges and other cards at its corners, no corner encircled yet; the deck's next
/// card is drawn. With growth `any`, each card on the one before.
fn ring(lower_left: &str, next: &str) -> Stacked {
    let deck = format!("4C 8C 4D 8D 4H 8H 4S {lower_left} {next} 2S 2H 2D");
    let game = Stacked::any(&[&deck]);
    let cells = [("8C", 1, 0), ("4D", 1, 1), ("8D", 1, 2), ("4H", 0, 2), ("8H", -1, 2), ("4S", -1, 1)];
    let mut game = game.all(&cells.map(|(card, x, y)| place(card, x, y)));
    game.play(place(lower_left, -1, 0));
    assert!(game.backs().is_empty() && game.settled().is_empty());
    game
}

#[test]
fn th_9_the_worked_example() {
    let mut game = three_of_the_example("6C 3H 5D TS 5S KS");
    assert!(game.settled().is_empty());
    let ranked = |x, y, card, place| json!({"x": x, "y": y, "owner": 0, "card": card, "place": place});
    let round = [ranked(0, 0, "6C", 1), ranked(1, 0, "3H", 4), ranked(1, 1, "5D", 3), ranked(0, 1, "TS", 2)];
    let corner = json!({"type": "tau_corner", "x": 0, "y": 0, "cards": round, "winner": ranked(0, 0, "6C", 1)});
    assert_eq!(game.play(place("TS", 0, 1)), [corner.clone(), turn(0, true, 1)]);
    assert_eq!(game.backs(), [(0, 0, 0)]);
    assert_eq!(game.card_at(0, 0), None, "the winner has left its cell");
    let state = game.public();
    assert_eq!(state["corners"], json!([1]));
    let mut shown = corner;
    shown.as_object_mut().unwrap().remove("type");
    assert_eq!(state["last_corners"], json!([shown]), "RU-11: the corner stays in view in full");
}

#[test]
fn th_10_an_emptied_cell_may_be_filled_again_and_a_corner_with_a_back_is_never_settled_again() {
    let mut game = three_of_the_example("6C 3H 5D TS 5S KS").all(&[place("TS", 0, 1)]);
    assert!(game.cells("5S").contains(&(0, 0)), "the ten lies sideways, its lower side faces the cell");
    assert_eq!(game.play(place("5S", 0, 0)), [turn(0, true, 0)], "encircled again, but it has a back");
    assert_eq!(game.backs(), [(0, 0, 0)]);
    assert_eq!(game.card_at(0, 0).as_deref(), Some("5S"));
    assert_eq!(game.state(Viewer::Everything)["backs"][0]["card"], "6C", "still the same card");
}

#[test]
fn th_10_a_back_can_not_be_grown_on_and_encircles_nothing() {
    let game = three_of_the_example("6C 3H 5D TS 8S KS").all(&[place("TS", 0, 1)]);
    // The 6 has left: what only the 6 would accept (an 8) has no cell beside it, and the 6's open sides are gone.
    assert_eq!(game.cells("8S"), [(0, 0), (0, 2)], "on the ten");
    assert_eq!(game.clause(place("8S", -1, 0)), "TH-8", "nobody grows there any more");
    // The corner to the left of the left cell has three cards and a back at most: never encircled.
    let game = game.all(&[pass()]);
    assert!(!game.cells("KS").contains(&(-1, 0)));
}

#[test]
fn th_g3_a_corner_needs_all_four_cells() {
    let mut game = Stacked::any(&["4C 8C 4D 2H 8S KS"]);
    for (card, x, y) in [("8C", 1, 0), ("4D", 1, 1)] {
        game.play(place(card, x, y));
        assert!(game.settled().is_empty());
    }
    // Three cards round (0, 0); the fourth, elsewhere, closes nothing.
    game.play(place("2H", 2, 1));
    assert!(game.settled().is_empty());
    game.play(place("8S", 0, 1));
    assert_eq!(game.settled(), [(0, 0, None)], "8 8 / 4 4: nobody claims it");
    assert!(game.backs().is_empty());
    assert_eq!(game.public()["last_corners"][0]["winner"], json!(null), "but it was compared, and shown");
}

#[test]
fn edge_four_corners_at_once_are_settled_one_by_one_in_the_usual_order() {
    let mut game = ring("8S", "2C");
    game.play(place("2C", 0, 1));
    let expected = [claimed(-1, 0, "8S"), claimed(0, 0, "8C"), claimed(-1, 1, "8H"), claimed(0, 1, "8D")];
    assert_eq!(game.settled(), expected, "lower left, lower right, upper left, upper right");
    assert_eq!(game.backs(), [(-1, 0, 0), (-1, 1, 0), (0, 0, 0), (0, 1, 0)]);
    assert_eq!(game.public()["last_corners"].as_array().unwrap().len(), 4);
    assert_eq!(game.public()["corners"], json!([4]));
}

#[test]
fn edge_the_new_card_wins_the_first_corner_and_opens_the_other_three() {
    let mut game = ring("2C", "6C");
    game.play(place("6C", 0, 1));
    assert_eq!(game.settled(), [claimed(-1, 0, "6C")], "6 / 4 4 / 2");
    assert_eq!(game.card_at(0, 1), None);
    // The other three were encircled and are not any more; a card laid anew settles them.
    let mut game = game.all(&[place("2S", 0, 1)]);
    assert_eq!(game.settled(), [claimed(0, 0, "8C"), claimed(-1, 1, "8H"), claimed(0, 1, "8D")]);
    assert_eq!(game.play(pass()).len(), 1);
    assert_eq!(game.public()["last_corners"].as_array().unwrap().len(), 3, "RU-11: in view until the next corner");
}

#[test]
fn th_9_the_mover_gives_the_order() {
    type Case<'a> = (&'a [[i64; 2]], Vec<(i64, i64, Option<String>)>);
    let [ll, lr, ul, ur] = [[-1, 0], [0, 0], [-1, 1], [0, 1]];
    let wins = |corner: [i64; 2]| match corner {
        [-1, 0] => claimed(-1, 0, "6C"),
        [0, 0] => claimed(0, 0, "8C"),
        [-1, 1] => claimed(-1, 1, "8H"),
        _ => claimed(0, 1, "8D"),
    };
    let cases: [Case<'_>; 8] = [
        (&[], vec![wins(ll)]),
        (&[ll], vec![wins(ll)]),
        (&[ll, lr, ul, ur], vec![wins(ll)]),
        (&[ur], vec![wins(ur), wins(ll)]),
        (&[ur, ul], vec![wins(ur), wins(ul), wins(ll)]),
        (&[ul, ll, ur, lr], vec![wins(ul), wins(ll)]),
        (&[ur, ul, lr], vec![wins(ur), wins(ul), wins(lr), wins(ll)]),
        (&[lr, ur, ul, ll], vec![wins(lr), wins(ur), wins(ul), wins(ll)]),
    ];
    for (corners, expected) in cases {
        let mut game = ring("2C", "6C");
        game.play(place_in_order("6C", 0, 1, corners));
        assert_eq!(game.settled(), expected, "{corners:?}");
        assert_eq!(game.public()["corners"], json!([expected.len()]));
    }
}

#[test]
fn th_9_corners_not_due_are_skipped_and_those_left_out_follow() {
    // Only the corner (0, 0) is due; the ten's other three corners are open.
    for corners in [&[][..], &[[0, 1]], &[[-1, 0], [-1, 1]], &[[0, 1], [0, 0]], &[[0, 0], [-1, 0], [-1, 1], [0, 1]]] {
        let mut game = three_of_the_example("6C 3H 5D TS 5S KS");
        game.play(place_in_order("TS", 0, 1, corners));
        assert_eq!(game.settled(), [claimed(0, 0, "6C")], "{corners:?}");
    }
    // A corner that has its back is not due either.
    let mut game = three_of_the_example("6C 3H 5D TS 5S KS").all(&[place("TS", 0, 1)]);
    game.play(place_in_order("5S", 0, 0, &[[0, 0], [-1, -1]]));
    assert!(game.settled().is_empty());
}

#[test]
fn th_9_any_other_entry_makes_the_move_illegal() {
    let far = (1i64 << 53) - 1;
    let game = three_of_the_example("6C 3H 5D TS 5S KS");
    let wrong: [&[[i64; 2]]; 9] = [
        &[[0, 2]],
        &[[1, 1]],
        &[[0, -1]],
        &[[0, 0], [0, 0]],
        &[[0, 0], [0, 1], [-1, 0], [-1, 1], [0, 0]],
        &[[0, 0], [0, 1], [-1, 0], [-1, 1], [5, 5]],
        &[[-1, 0], [0, 1], [-1, 0]],
        &[[far, far]],
        &[[0, 0], [-far, 1]],
    ];
    for corners in wrong {
        assert_eq!(game.clause(place_in_order("TS", 0, 1, corners)), "TH-9", "{corners:?}");
    }
    // The same corner by other coordinates that would be equal if they were cut to 16 bits.
    assert_eq!(game.clause(place_in_order("TS", 0, 1, &[[1 << 16, 0]])), "TH-9");
}

#[test]
fn edge_an_all_tied_corner_is_settled_anew_after_a_card_has_left_it() {
    let mut game = Stacked::any(&["4C 8C 4D 8D 4H 2C 6C 2H 2S"]);
    game = game.all(&[place("8C", 1, 0), place("4D", 1, 1), place("8D", 0, 1)]);
    assert_eq!(game.settled(), [(0, 0, None)]);
    // The next corner's winner leaves the tied one.
    game = game.all(&[place("4H", 2, 0), place("2C", 2, 1)]);
    assert_eq!(game.settled(), [claimed(1, 0, "8C")], "8 / 4 4 / 2");
    game.play(place("6C", 1, 0));
    assert_eq!(game.settled(), [claimed(0, 0, "8D")], "8 / 6 / 4 4; the other corner has its back");
    assert_eq!(game.backs(), [(0, 0, 0), (1, 0, 0)]);
}

#[test]
fn th_10_no_corner_is_marked_as_tied_but_nothing_settles_it_without_a_placement_beside_it() {
    let mut game = Stacked::any(&["4C 8C 4D 8D 8H 2C 2S"]);
    game = game.all(&[place("8C", 1, 0), place("4D", 1, 1), place("8D", 0, 1)]);
    assert_eq!(game.settled(), [(0, 0, None)]);
    game.play(place("8H", 0, -1));
    assert!(game.settled().is_empty(), "the new card does not touch it");
}

#[test]
fn edge_another_players_card_wins_on_my_turn() {
    let mut game = Stacked::sides(&["6C 5D 2C KC", "3H TS KD 2D"]);
    game = game.all(&[place("3H", 1, 0), place("5D", 1, 1)]);
    assert_eq!(game.turn(), 1);
    game.play(place("TS", 0, 1));
    assert_eq!(game.settled(), [claimed(0, 0, "6C")]);
    assert_eq!(game.facts[0]["winner"]["owner"], 0);
    assert_eq!(game.backs(), [(0, 0, 0)], "the corner is the owner's, whoever laid the last card");
    assert_eq!(game.public()["scores"], json!([1, 0]));
}

#[test]
fn th_9_with_growth_sides_the_ring_of_the_other_example() {
    // 5, ten, jack, queen: J and Q tie for first, the ten is second and claims.
    let game = Stacked::sides(&["5C TC JC QC 2C 2D"]);
    let mut game = game.all(&[place("TC", 1, 0), place("JC", 1, 1)]);
    game.play(place("QC", 0, 1));
    assert_eq!(game.settled(), [claimed(0, 0, "TC")]);
    assert_eq!(game.card_at(1, 0), None);
}

#[test]
fn th_g3_negative_corners_are_named_by_their_lower_left_cell_too() {
    let game = Stacked::sides(&["5C TC JC QC 2C 2D"]);
    let mut game = game.all(&[place("TC", -1, 0), place("JC", -1, -1)]);
    game.play(place("QC", 0, -1));
    assert_eq!(game.settled(), [claimed(-1, -1, "TC")]);
    let cells: Vec<_> = game.facts[0]["cards"].as_array().unwrap().iter().map(|c| (&c["x"], &c["y"])).collect();
    let (m, o) = (&json!(-1), &json!(0));
    assert_eq!(cells, [(m, m), (o, m), (o, o), (m, o)], "round from the lower-left cell on");
}
