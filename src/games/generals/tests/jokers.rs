//! The joker's pick and the shuffling of hands (GE-12, GE-12a).

use super::*;

/// Seat 0 has laid a joker against seat 1, which holds an ace, a three and a ten, and has answered with the ace.
fn at_the_pick() -> Position {
    let mut position = Position::new(&["9S X2", "AH 3C TD", "4H 5S"], "6H");
    let told = position.battle(0, 1, &[1], &[0]);
    let shown = json!({
        "type": "joker_shown", "attacker": 0, "target": 1, "attack_slots": [1], "attack": ["X2"],
        "answer_slots": [0], "answer": ["AH"],
    });
    assert_eq!(told, [shown]);
    position
}

#[test]
fn ge_12_the_answer_goes_back_to_its_slot_and_can_be_picked() {
    let table = [(0, "AH", "3C TD"), (1, "3C", "AH TD"), (2, "TD", "AH 3C")];
    for (slot, card, left) in table {
        let mut position = at_the_pick();
        assert_eq!(position.to_act(), Some(0));
        assert_eq!(position.row(1), "AH 3C TD");
        let told = position.plays(0, &pick(slot));
        let battle = json!({
            "type": "battle", "round": ROUND, "attacker": 0, "target": 1, "attack_slots": [1], "attack": ["X2"],
            "answer_slots": [0], "answer": ["AH"], "outcome": "joker_picked", "totals": null,
            "picked": {"slot": slot, "card": card, "by": "attacker"}, "destroyed": ["X2", card],
        });
        assert_eq!(told, [battle]);
        assert_eq!(position.row(1), left, "the row closes up");
        assert_eq!(position.row(0), "9S");
        // GE-13: the joker, then the picked card.
        assert_eq!(position.deck(), format!("6H X2 {card}"));
        assert_eq!(position.to_act(), Some(1));
    }
}

#[test]
fn ge_12_the_pick_is_a_slot_of_the_row_or_one_at_random_and_cannot_be_declined() {
    let position = at_the_pick();
    assert_eq!(position.game.legal(seat(0)), [pick(0), pick(1), pick(2), pick(None)]);
    for number in [1, 2] {
        assert_eq!(position.game.legal(seat(number)), []);
        assert_eq!(position.clause(number, &pick(0)), "GE-12");
    }
    for slot in [-1, 3, 255, 256, i64::MAX, i64::MIN] {
        assert_eq!(position.clause(0, &pick(slot)), "GE-12", "{slot}");
    }
    for other in [attack(1, &[0]), attack(2, &[0]), defend(&[0])] {
        assert_eq!(position.clause(0, &other), "GE-12");
    }
}

#[test]
fn ge_12_a_pick_at_random_is_one_number_below_the_length_of_the_row() {
    for (mut position, by) in [(at_the_pick(), "lot"), (at_the_pick(), "deadline")] {
        let slot = numbers(&position.inputs, DRAWN).below(3) as usize;
        let card = ["AH", "3C", "TD"][slot];
        let (decided, told) = match by {
            "lot" => (Decided::Yes, position.plays(0, &pick(None))),
            // A missed deadline makes the decision, and nobody forfeits.
            _ => position.times_out(),
        };
        assert_eq!(decided, Decided::Yes);
        assert_eq!(types(&told), ["battle"]);
        assert_eq!(told[0]["picked"], json!({"slot": slot, "card": card, "by": by}));
        assert!(position.game.is_in(seat(0)));
        assert_eq!(position.to_act(), Some(1));
    }
}

#[test]
fn ge_12_until_the_pick_joker_and_answer_stay_in_everybody_s_view() {
    let position = at_the_pick();
    for viewer in [Viewer::Public, Viewer::Seat(seat(0)), Viewer::Seat(seat(1)), Viewer::Seat(seat(2))] {
        let view = position.view(viewer);
        assert_eq!(view["phase"], "pick");
        assert_eq!(
            view["attack"],
            json!({
                "attacker": 0, "target": 1, "attack_slots": [1], "attack": ["X2"],
                "answer_slots": [0], "answer": ["AH"],
            })
        );
    }
}

#[test]
fn ge_12_an_only_card_goes_back_is_picked_and_its_owner_is_out() {
    let mut position = Position::new(&["9S X2", "AH", "4H 5S"], "6H");
    position.battle(0, 1, &[1], &[0]);
    assert_eq!(position.game.legal(seat(0)), [pick(0), pick(None)]);
    let told = position.plays(0, &pick(0));
    assert_eq!(types(&told), ["battle", "generals_out"]);
    assert_eq!(told[1], json!({"type": "generals_out", "seat": 1}));
    assert_eq!(position.view(Viewer::Public)["standings"], json!(["in", "out", "in"]));
    assert_eq!(position.to_act(), Some(2), "seat 1, whose turn would come, is out");
}

#[test]
fn ge_12_ge_14_the_attacker_s_last_card_is_the_joker() {
    // The target has another card: the attacker is out, and the target wins.
    let mut position = Position::new(&["X2", "AH 3C"], "6H");
    position.battle(0, 1, &[0], &[0]);
    let told = position.plays(0, &pick(1));
    assert_eq!(types(&told), ["battle", "generals_out"]);
    assert_eq!(position.result(), json!({"winners": [1], "scores": [], "reason": "last_standing"}));
    // It has not: nobody is left.
    let mut position = Position::new(&["X2", "AH"], "6H");
    position.battle(0, 1, &[0], &[0]);
    let told = position.plays(0, &pick(None));
    assert_eq!(types(&told), ["battle", "generals_out", "generals_out"]);
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "all_out"}));
}

#[test]
fn ge_12_several_cards_of_an_answer_go_back_to_their_slots() {
    let mut position = Position::new(&["9S X2", "7C AH 5C 3D 6C", "4H 5S"], "6H");
    position.battle(0, 1, &[1], &[4, 0, 2]);
    let view = position.view(Viewer::Public);
    assert_eq!(view["attack"]["answer_slots"], json!([0, 2, 4]));
    assert_eq!(texts(&view["attack"]["answer"]), "7C 5C 6C", "slot by slot");
    position.plays(0, &pick(2));
    assert_eq!(position.row(1), "7C AH 3D 6C");
}

#[test]
fn ge_12_drawn_cards_join_at_the_end_of_the_row() {
    let mut position = Position::new(&["9S 2D", "AH 3C"], "6H 7H 8H");
    position.battle(0, 1, &[1], &[0]);
    position.battle(1, 0, &[1], &[0]);
    assert_eq!((position.row(0), position.row(1)), ("9S 6H".to_owned(), "AH 7H".to_owned()));
}

#[test]
fn ge_12a_once_from_the_start_and_once_after_each_battle() {
    let mut position = Position::new(&["9S 2D 4S", "AH 3C 5C", "7H 8C", "9D TD"], "6H");
    assert_eq!(position.view(Viewer::Public)["may_shuffle"], json!([true, true, true, true]));
    // In turn and out of turn.
    for number in [2, 0] {
        assert_eq!(position.plays(number, &shuffle_hand()), [] as [Value; 0], "the log shows that, not how");
        assert_eq!(position.clause(number, &shuffle_hand()), "GE-12a", "a second time");
    }
    assert_eq!(position.view(Viewer::Public)["may_shuffle"], json!([false, true, false, true]));
    assert_eq!(position.to_act(), Some(0), "it is no decision");
    // Not while an attack lies.
    position.plays(0, &attack(1, &[0]));
    for number in 0..4 {
        assert_eq!(position.clause(number, &shuffle_hand()), "GE-12a");
    }
    position.plays(1, &defend(&[0]));
    // Once more for everybody; what was not used is not saved up.
    for number in 0..4 {
        position.plays(number, &shuffle_hand());
        assert_eq!(position.clause(number, &shuffle_hand()), "GE-12a");
    }
}

#[test]
fn ge_12a_nor_between_answer_and_pick_nor_when_out_nor_when_it_is_over() {
    let position = at_the_pick();
    for number in 0..3 {
        assert_eq!(position.clause(number, &shuffle_hand()), "GE-12a");
    }
    let mut position = Position::new(&["9S 2D", "AH 3C", "", "4C"], "6H");
    for number in [2, 4, 19] {
        assert_eq!(position.clause(number, &shuffle_hand()), "GE-12a");
    }
    position.forfeits(3);
    assert_eq!(position.clause(3, &shuffle_hand()), "GE-12a");
    position.forfeits(0);
    assert_eq!(position.clause(1, &shuffle_hand()), "GE-14");
    assert_eq!(position.game.legal(seat(1)), []);
}

#[test]
fn ge_12a_one_stream_serves_all_shuffles_and_picks_of_a_round_in_the_order_of_the_log() {
    let mut position = Position::new(&["9S X1 4D", "AH 3C TD", "7H 8C 9C", "6D 6S"], "6H KD QD JD 2S");
    let mut stream = numbers(&position.inputs, DRAWN);
    let mut rows = ["9S X1 4D", "AH 3C TD", "7H 8C 9C", "6D 6S"].map(faces);
    for number in [3, 0, 1] {
        position.plays(number, &shuffle_hand());
        stream.shuffle(&mut rows[number]);
        assert_eq!(position.row(number), shown(&rows[number]));
    }
    let joker = position.game.row(seat(0)).iter().position(|face| matches!(face, Face::Joker(_))).unwrap();
    position.battle(0, 2, &[joker as i64], &[0]);
    let told = position.plays(0, &pick(None));
    let slot = stream.below(3) as usize;
    assert_eq!(told[0]["picked"]["slot"], slot);
    rows[2].remove(slot);
    position.plays(2, &shuffle_hand());
    stream.shuffle(&mut rows[2]);
    assert_eq!(position.row(2), shown(&rows[2]));
    // The next round has a stream of its own.
    let mut told = Vec::new();
    for number in 1..4 {
        let row = position.game.row(seat(number));
        let slot = row.iter().position(|face| Side::Attack.takes(*face)).unwrap();
        let target = if number == 1 { 3 } else { 1 };
        told = position.battle(number, target, &[slot as i64], &[0]);
    }
    assert_eq!(fact(&told, "draw"), &json!({"type": "draw", "draw": DRAWN + 1, "purpose": "round"}));
    let mut row = position.game.row(seat(0)).to_vec();
    position.plays(0, &shuffle_hand());
    numbers(&position.inputs, DRAWN + 1).shuffle(&mut row);
    assert_eq!(position.row(0), shown(&row));
}

#[test]
fn ge_12a_a_row_of_one_takes_no_number_and_uses_up_the_right() {
    let mut position = Position::new(&["9S", "AH 3C TD", "7H"], "6H");
    position.plays(0, &shuffle_hand());
    assert_eq!(position.clause(0, &shuffle_hand()), "GE-12a");
    position.plays(1, &shuffle_hand());
    let mut row = faces("AH 3C TD");
    numbers(&position.inputs, DRAWN).shuffle(&mut row);
    assert_eq!(position.row(1), shown(&row), "the stream's first numbers");
}

#[test]
fn ge_12_a_card_is_followed_through_a_joker_attack_and_lost_from_sight_by_a_shuffle() {
    // Seat 0 sees the ace go back into slot 1 and picks slot 0; what moves up is for everybody to see, a shuffle is not.
    for shuffled in [false, true] {
        let mut found = std::collections::BTreeSet::new();
        for round in 1..20 {
            let (mut position, _) = Position::in_round(round, &["X1 X2 4S", "3C AH TD 5C", "7H 8C"], "6H 2H 3H");
            position.battle(0, 1, &[0], &[1]);
            position.plays(0, &pick(0));
            if shuffled {
                position.plays(1, &shuffle_hand());
            }
            let at = |position: &Position, number: usize, face: &str| {
                position.game.row(seat(number)).iter().position(|held| *held == faces(face)[0]).unwrap() as i64
            };
            position.battle(1, 2, &[at(&position, 1, "5C")], &[0]);
            position.battle(2, 0, &[1], &[1]);
            // The second joker goes after the ace.
            position.battle(0, 1, &[0], &[at(&position, 1, "TD")]);
            found.insert(at(&position, 1, "AH"));
            if !shuffled {
                let told = position.plays(0, &pick(0));
                assert_eq!(told[0]["picked"]["card"], "AH");
            }
        }
        assert_eq!(found.len() > 1, shuffled, "{found:?}");
    }
}
