//! Turns, rounds, passes, going out, forfeits and the end (GE-5 to GE-7, GE-14 to GE-17).

use super::*;

#[test]
fn ge_5_turns_go_round_from_the_left_of_the_dealer_in_every_round() {
    let mut position = Position::new(&["AC KC", "AD KD", "AS KS"], "2H 3H 4H 5H 6H 7H");
    // Seat 2 has dealt. Everybody attacks with an ace and loses nothing for good: the answers are low.
    position.game.dealer = seat(1);
    position.game.phase = Phase::Attack(seat(2));
    for round in ROUND..ROUND + 3 {
        for number in [2, 0, 1] {
            assert_eq!(position.to_act(), Some(number));
            let view = position.view(Viewer::Public);
            assert_eq!((&view["round"], &view["turn"]), (&json!(round), &json!(number)));
            let to_come = [2, 0, 1].into_iter().skip_while(|other| *other != number).skip(1);
            assert_eq!(view["to_come"], json!(to_come.collect::<Vec<_>>()));
            let target = (number + 1) % 3;
            position.battle(number, target, &[0], &[position.game.row(seat(target)).len() as i64 - 1]);
        }
    }
}

#[test]
fn ge_7_a_hand_of_hearts_passes_by_itself_and_draws_at_the_end_of_the_round() {
    let mut position = Position::new(&["9S 2D", "2H 9H", "4C 5C"], "6H 7H 8H");
    // Seat 0 attacks seat 2 and wins; seat 1's turn is passed at once.
    let told = position.battle(0, 2, &[0], &[0]);
    assert_eq!(types(&told), ["battle", "generals_pass"]);
    assert_eq!(told[1], json!({"type": "generals_pass", "round": ROUND, "seat": 1}));
    assert_eq!(position.to_act(), Some(2));
    assert_eq!(position.view(Viewer::Public)["last_passes"], json!([{"round": ROUND, "seat": 1}]));
    let told = position.battle(2, 0, &[0], &[0]);
    assert_eq!(types(&told), ["battle", "round_draws", "draw", "generals_round"]);
    assert_eq!(position.row(1), "2H 9H 7H");
}

#[test]
fn ge_7_with_a_joker_there_is_no_pass() {
    let position = Position::new(&["2H X1", "2D"], "");
    assert_eq!(position.game.legal(seat(0)), [attack(1, &[1]), shuffle_hand()]);
}

#[test]
fn ge_7_passes_come_before_the_first_attack_too() {
    let (position, told) = Position::in_round(ROUND, &["2H", "3H 4H", "4C 5C"], "6H 7H 8H");
    assert_eq!(types(&told), ["generals_pass", "generals_pass"]);
    assert_eq!(position.to_act(), Some(2));
    assert_eq!(
        position.view(Viewer::Public)["last_passes"],
        json!([{"round": ROUND, "seat": 0}, {"round": ROUND, "seat": 1}])
    );
}

#[test]
fn ge_7_the_last_passes_stay_in_view_until_the_next_ones() {
    let mut position = Position::new(&["9S TS 2D", "2H 9H 8H", "4C 5C 6C"], "6H 7H 8H 9H TH JH QH KH");
    position.battle(0, 2, &[0], &[0]);
    let first = json!([{"round": ROUND, "seat": 1}]);
    assert_eq!(position.view(Viewer::Public)["last_passes"], first);
    position.battle(2, 0, &[0], &[0]);
    assert_eq!(position.view(Viewer::Public)["last_passes"], first);
    position.battle(0, 2, &[0], &[0]);
    assert_eq!(position.view(Viewer::Public)["last_passes"], json!([{"round": ROUND + 1, "seat": 1}]));
}

#[test]
fn ge_15_everybody_draws_one_card_in_turn_order_as_long_as_there_is_one() {
    // The deck; the three rows and who drew after a round in which the three of hearts was lost, the deck then.
    let table = [
        ("QH KH AH", ["4S 5S QH", "2H KH", "7H 8H AH"], &[0, 1, 2][..], "3H"),
        ("QH KH", ["4S 5S QH", "2H KH", "7H 8H 3H"], &[0, 1, 2], ""),
        ("QH", ["4S 5S QH", "2H 3H", "7H 8H"], &[0, 1], ""),
        ("", ["4S 5S 3H", "2H", "7H 8H"], &[0], ""),
    ];
    for (deck, rows, seats, left) in table {
        let mut position = Position::new(&["4S 5S", "2H 3H", "7H 8H"], deck);
        let told = position.battle(0, 1, &[0], &[1]);
        let names = ["battle", "generals_pass", "generals_pass", "round_draws", "draw", "generals_round"];
        assert_eq!(types(&told), names);
        let draws = json!({"type": "round_draws", "round": ROUND, "seats": seats, "deck": faces(left).len()});
        assert_eq!(fact(&told, "round_draws"), &draws);
        assert_eq!([0, 1, 2].map(|number| position.row(number)), rows, "drawn cards join at the end (GE-12)");
        assert_eq!(position.deck(), left);
    }
}

#[test]
fn ge_15_the_draws_are_told_without_faces() {
    let mut position = Position::new(&["9S 2D", "AH 3C"], "6H 7H 8H");
    position.battle(0, 1, &[1], &[0]);
    let told = position.battle(1, 0, &[1], &[0]);
    assert_eq!(types(&told), ["battle", "round_draws", "draw", "generals_round"]);
    assert_eq!(told[1], json!({"type": "round_draws", "round": ROUND, "seats": [0, 1], "deck": 3}));
    assert_eq!(told[2], json!({"type": "draw", "draw": DRAWN + 1, "purpose": "round"}));
    assert_eq!(told[3], json!({"type": "generals_round", "round": ROUND + 1}));
    assert_eq!(position.view(Viewer::Public)["last_draws"], json!({"round": ROUND, "seats": [0, 1], "deck": 3}));
}

#[test]
fn ge_14_a_player_without_cards_is_out_at_once_is_skipped_and_draws_no_more() {
    let mut position = Position::new(&["9S 2D", "3C", "4C 5C"], "6H 7H 8H");
    let told = position.battle(0, 1, &[0], &[0]);
    assert_eq!(types(&told), ["battle", "generals_out"]);
    assert_eq!(position.to_act(), Some(2), "seat 1's turn does not come");
    assert!(!position.game.is_in(seat(1)));
    assert_eq!(position.view(Viewer::Public)["hands"][1], json!({"size": 0, "cards": null}));
    assert_eq!(position.clause(2, &attack(1, &[0])), "GE-7");
    let told = position.battle(2, 0, &[0], &[0]);
    assert_eq!(fact(&told, "round_draws")["seats"], json!([0, 2]));
}

#[test]
fn ge_14_cards_on_the_table_still_belong_to_their_owner() {
    let mut position = Position::new(&["9S", "3C", "4C 5C"], "6H");
    position.plays(0, &attack(1, &[0]));
    assert!(position.game.is_in(seat(0)), "its last card lies on the table");
    assert_eq!(position.view(Viewer::Public)["hands"][0]["size"], 1);
    let told = position.plays(1, &defend(&[0]));
    assert_eq!(fact(&told, "generals_out"), &json!({"type": "generals_out", "seat": 1}));
    assert_eq!(position.row(0), "9S");
}

#[test]
fn ge_14_the_last_one_with_cards_wins_at_once_also_in_mid_round() {
    let mut position = Position::new(&["9S 2D", "3C", ""], "6H 7H");
    let told = position.battle(0, 1, &[0], &[0]);
    assert_eq!(types(&told), ["battle", "generals_out"], "no further turns, no draws");
    assert_eq!(position.result(), json!({"winners": [0], "scores": [], "reason": "last_standing"}));
    assert_eq!((position.row(0).as_str(), position.deck().as_str()), ("9S 2D", "6H 7H 3C"));
    assert_eq!(position.drawn, DRAWN);
    let view = position.view(Viewer::Public);
    assert_eq!((&view["phase"], &view["turn"], &view["to_come"]), (&json!("over"), &Value::Null, &json!([])));
    assert_eq!(view["last_battle"]["outcome"], "attack_won");
    for mv in [attack(1, &[0]), defend(&[0]), pick(0), shuffle_hand()] {
        assert_eq!(position.clause(0, &mv), "GE-14");
    }
}

#[test]
fn ge_14_the_attacker_may_be_the_one_who_is_left_without() {
    let mut position = Position::new(&["2S", "3S AH"], "6H 7H");
    let told = position.battle(0, 1, &[0], &[0]);
    assert_eq!(fact(&told, "generals_out")["seat"], 0);
    assert_eq!(position.result(), json!({"winners": [1], "scores": [], "reason": "last_standing"}));
}

#[test]
fn ge_14_the_last_cards_of_both_are_destroyed_together_and_nobody_wins() {
    let mut position = Position::new(&["7D", "X1"], "");
    let told = position.battle(0, 1, &[0], &[0]);
    assert_eq!(types(&told), ["battle", "generals_out", "generals_out"]);
    assert_eq!((&told[1]["seat"], &told[2]["seat"]), (&json!(0), &json!(1)));
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "all_out"}));
    assert_eq!(position.deck(), "7D X1");
    // At a larger table the others play on, and one of them may be the last.
    let mut position = Position::new(&["7D", "X1", "2H", "3H 4C"], "");
    position.battle(0, 1, &[0], &[0]);
    assert_eq!(position.result(), Value::Null);
    let mut position = Position::new(&["7D", "X1", "2H"], "");
    position.battle(0, 1, &[0], &[0]);
    assert_eq!(position.result(), json!({"winners": [2], "scores": [], "reason": "last_standing"}));
}

#[test]
fn ge_15_who_is_out_in_mid_round_gets_no_card_at_its_end() {
    let mut position = Position::new(&["2S", "AH 9S", "3S 4S 5S"], "6H 7H 8H");
    position.battle(0, 1, &[0], &[0]);
    assert!(!position.game.is_in(seat(0)));
    position.battle(1, 2, &[1], &[0]);
    let told = position.battle(2, 1, &[0], &[0]);
    assert_eq!(fact(&told, "round_draws")["seats"], json!([1, 2]));
}

#[test]
fn ge_16_a_round_without_attack_and_draw_is_a_stalemate() {
    let (position, told) = Position::in_round(ROUND, &["2H", "3H 4H", ""], "");
    assert_eq!(types(&told), ["generals_pass", "generals_pass", "round_draws"]);
    assert_eq!(told[2], json!({"type": "round_draws", "round": ROUND, "seats": [], "deck": 0}));
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "stalemate"}));
    // One of the two is enough to go on: here one card is drawn, and the next round is the one without.
    let (position, told) = Position::in_round(ROUND, &["2H", "3H 4H"], "5H");
    assert_eq!(told[2]["seats"], json!([0]));
    assert_eq!(position.result()["reason"], "stalemate");
    assert_eq!(position.game.round, ROUND + 1);
    // A drawn card that can attack.
    let (position, _) = Position::in_round(ROUND, &["2H", "3H 4H"], "5C");
    assert_eq!((position.game.round, position.to_act()), (ROUND + 1, Some(0)));
    // An attack in the round before, though nothing is left to draw.
    let mut position = Position::new(&["2C", "3H 4H"], "");
    position.plays(0, &attack(1, &[0]));
    position.plays(1, &defend(&[0]));
    assert_eq!(position.result()["reason"], "last_standing");
    let mut position = Position::new(&["5C 2H", "3H 4H"], "");
    let told = position.battle(0, 1, &[0], &[0]);
    assert_eq!(types(&told)[..4], ["battle", "generals_pass", "round_draws", "draw"]);
    assert_eq!((position.result(), position.game.round), (Value::Null, ROUND + 1));
}

#[test]
fn ge_16_the_cap_comes_after_the_draws_of_round_1000() {
    let hands = ["9S 2D", "AH 3C"];
    let (mut position, _) = Position::in_round(999, &hands, "6H 7H 8H");
    position.battle(0, 1, &[1], &[0]);
    position.battle(1, 0, &[1], &[0]);
    assert_eq!((position.result(), position.game.round), (Value::Null, 1000));
    let (mut position, _) = Position::in_round(1000, &hands, "6H 7H 8H");
    position.battle(0, 1, &[1], &[0]);
    let told = position.battle(1, 0, &[1], &[0]);
    assert_eq!(types(&told), ["battle", "round_draws"], "no draw is opened for a round that does not start");
    assert_eq!((position.row(0), position.row(1)), ("9S 6H".to_owned(), "AH 7H".to_owned()));
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "cap"}));
    assert_eq!(position.game.disclosable(), position.drawn);
    // GE-16: where both fall together it is a stalemate.
    let (position, _) = Position::in_round(1000, &["2H", "3H 4H"], "");
    assert_eq!(position.result()["reason"], "stalemate");
    // And a win goes before both.
    let (mut position, _) = Position::in_round(1000, &["9S", "3C"], "");
    position.battle(0, 1, &[0], &[0]);
    assert_eq!(position.result()["reason"], "last_standing");
}

#[test]
fn ru_8_past_the_end_of_the_chain_the_game_is_a_draw_with_the_move_made() {
    let mut position = Position::new(&["9S 2D", "AH 3C"], "6H 7H 8H");
    position.drawn = CHAIN_LENGTH;
    position.battle(0, 1, &[1], &[0]);
    let told = position.battle(1, 0, &[1], &[0]);
    assert_eq!(types(&told), ["battle", "round_draws"]);
    assert_eq!((position.row(0), position.row(1)), ("9S 6H".to_owned(), "AH 7H".to_owned()));
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "cap"}));
    assert_eq!(position.view(Viewer::Everything)["round"], ROUND);
}

// GE-17, RU-9, RU-10.

fn four() -> Position {
    Position::new(&["9S X1 2D", "AH 3C", "4S 5S 6S", "7D 8D"], "6H")
}

#[test]
fn ge_17_a_forfeit_by_the_seat_whose_turn_it_is_ends_the_turn() {
    let mut position = four();
    position.plays(1, &shuffle_hand());
    let (decided, told) = position.forfeits(0);
    assert_eq!(decided, Decided::Yes, "the decision is taken away");
    assert_eq!(told, [json!({"type": "forfeit", "seat": 0, "reason": "resigned"})]);
    assert_eq!(position.to_act(), Some(1));
    // The row goes under the deck in the order of its slots.
    assert_eq!(position.deck(), "6H 9S X1 2D");
    assert_eq!(position.view(Viewer::Public)["standings"], json!(["forfeited", "in", "in", "in"]));
    // It was no battle: the right to shuffle is not renewed.
    assert_eq!(position.clause(1, &shuffle_hand()), "GE-12a");
    assert!(!position.game.attacked, "nor an attack");
}

#[test]
fn ge_17_a_forfeit_of_the_last_in_the_round_ends_the_round() {
    let mut position = Position::new(&["2H", "3H", "9S X1 2D"], "6H 7H");
    assert_eq!(position.to_act(), Some(2));
    let (decided, told) = position.forfeits(2);
    assert_eq!(decided, Decided::Yes);
    assert_eq!(types(&told)[..2], ["forfeit", "round_draws"]);
    assert_eq!(told[1]["seats"], json!([0, 1]));
}

#[test]
fn ge_17_a_forfeit_by_another_seat_changes_nothing_for_who_decides() {
    for (mut position, to_act) in [
        (four(), 0),
        {
            let mut position = four();
            position.plays(0, &attack(1, &[0]));
            (position, 1)
        },
        {
            let mut position = four();
            position.battle(0, 1, &[1], &[0]);
            (position, 0)
        },
    ] {
        let before = position.view(Viewer::Public);
        let (decided, told) = position.forfeits(3);
        assert_eq!((decided, types(&told)), (Decided::No, vec!["forfeit"]));
        assert_eq!(position.to_act(), Some(to_act));
        assert_eq!(position.deck(), "6H 7D 8D");
        let after = position.view(Viewer::Public);
        assert_eq!(after["attack"], before["attack"], "the battle goes on");
        assert_eq!(after["phase"], before["phase"]);
    }
}

#[test]
fn ge_17_attacker_or_target_forfeits_and_the_battle_is_off() {
    for loser in [0, 1] {
        let mut position = four();
        position.plays(2, &shuffle_hand());
        let six = position.row(2);
        position.plays(0, &attack(1, &[0]));
        let (decided, told) = position.forfeits(loser);
        assert_eq!(decided, Decided::Yes);
        assert_eq!(types(&told), ["forfeit", "battle"]);
        // Nothing more is shown.
        let battle = json!({
            "type": "battle", "round": ROUND, "attacker": 0, "target": 1, "attack_slots": [0], "attack": null,
            "answer_slots": null, "answer": null, "outcome": "called_off", "totals": null, "picked": null,
            "destroyed": [],
        });
        assert_eq!(told[1], battle);
        // What the other one had laid is in its slots; the forfeited row is under the deck, slot by slot.
        assert_eq!(position.row(1 - loser), ["9S X1 2D", "AH 3C"][1 - loser]);
        assert_eq!(position.deck(), ["6H 9S X1 2D", "6H AH 3C"][loser]);
        // The turn is over; it was an attack; everybody may shuffle once more.
        assert_eq!(position.to_act(), Some(if loser == 0 { 1 } else { 2 }));
        assert!(position.game.attacked);
        assert_eq!(position.view(Viewer::Public)["attack"], Value::Null);
        assert_eq!(position.view(Viewer::Public)["last_battle"]["outcome"], "called_off");
        assert_eq!(position.row(2), six);
        position.plays(2, &shuffle_hand());
    }
}

#[test]
fn ge_17_at_the_pick_what_was_shown_stays_told_and_nothing_more() {
    for loser in [0, 1] {
        let mut position = four();
        position.battle(0, 1, &[1], &[0]);
        let (decided, told) = position.forfeits(loser);
        assert_eq!(decided, Decided::Yes);
        assert_eq!(types(&told), ["forfeit", "battle"]);
        assert_eq!((texts(&told[1]["attack"]), texts(&told[1]["answer"])), ("X1".to_owned(), "AH".to_owned()));
        assert_eq!((&told[1]["outcome"], &told[1]["picked"]), (&json!("called_off"), &Value::Null));
        assert_eq!(told[1]["destroyed"], json!([]));
        // The joker of an attacker who stays is not lost.
        assert_eq!(position.row(1 - loser), ["9S X1 2D", "AH 3C"][1 - loser]);
        assert_eq!(position.to_act(), Some(if loser == 0 { 1 } else { 2 }));
    }
}

#[test]
fn ge_16_an_attack_alone_keeps_a_round_from_being_a_stalemate() {
    // Every battle puts a card under the deck that somebody draws, so that play does not come to a round with an attack
    // and without a draw; the rules know what to do all the same.
    for attacked in [false, true] {
        let mut position = Position::new(&["5C", "3H"], "");
        position.game.attacked = attacked;
        position.game.generals[seat(0)] = General::In { row: faces("2H"), may_shuffle: true };
        let (_, told) = position.lets(|game, chance| game.go_on(Some(seat(1)), chance).map(|()| Decided::No));
        assert_eq!(types(&told).contains(&"generals_round"), attacked);
        // In the next round nobody attacks.
        assert_eq!(position.result()["reason"], "stalemate");
        assert_eq!(position.game.round, ROUND + u32::from(attacked));
    }
}

#[test]
fn ru_9_a_missed_deadline_is_a_forfeit_but_for_the_pick() {
    let mut position = four();
    let (_, told) = position.times_out();
    assert_eq!(told[0], json!({"type": "forfeit", "seat": 0, "reason": "timed_out"}));
    let mut position = four();
    position.plays(0, &attack(1, &[0]));
    let (decided, told) = position.times_out();
    assert_eq!(decided, Decided::Yes);
    assert_eq!(told[0], json!({"type": "forfeit", "seat": 1, "reason": "timed_out"}));
    assert_eq!(told[1]["outcome"], "called_off");
    let mut position = four();
    position.battle(0, 1, &[1], &[0]);
    let (decided, told) = position.times_out();
    assert_eq!(decided, Decided::Yes);
    assert!(!types(&told).contains(&"forfeit"));
    assert_eq!(told[0]["picked"]["by"], "deadline");
}

#[test]
fn ru_9_as_soon_as_a_forfeit_leaves_one_seat_it_wins() {
    for number in [0, 1] {
        let mut position = Position::new(&["9S 2D", "AH 3C", ""], "6H");
        let (decided, told) = position.forfeits(number);
        assert_eq!((decided, types(&told)), (Decided::Yes, vec!["forfeit"]));
        assert_eq!(position.result(), json!({"winners": [1 - number], "scores": [], "reason": "forfeit"}));
        // Also with an attack on the table.
        let mut position = Position::new(&["9S 2D", "AH 3C", ""], "6H");
        position.plays(0, &attack(1, &[0]));
        let (_, told) = position.forfeits(number);
        assert_eq!(types(&told), ["forfeit", "battle"]);
        assert_eq!(position.result()["winners"], json!([1 - number]));
        assert_eq!(position.game.disclosable(), DRAWN);
    }
    let mut position = four();
    for number in [2, 0] {
        position.forfeits(number);
        assert_eq!((position.result(), position.game.disclosable()), (Value::Null, 0));
    }
    position.forfeits(3);
    assert_eq!(position.result(), json!({"winners": [1], "scores": [], "reason": "forfeit"}));
}

#[test]
fn ru_9_if_nobody_is_left_the_game_is_a_draw() {
    // One seat at a time owes a decision, so a table does not come to this; the rules know what to do all the same.
    let mut position = four();
    position.forfeits(2);
    position.forfeits(3);
    let both = Action::TimedOut(vec![seat(0), seat(1)]);
    let (decided, told) = position.lets(|game, chance| act(game, both, Timestamp::MAX, chance));
    assert_eq!((decided, types(&told)), (Decided::Yes, vec!["forfeit", "forfeit"]));
    assert_eq!(position.result(), json!({"winners": [], "scores": [], "reason": "forfeit"}));
    assert_eq!(position.deck(), "6H 4S 5S 6S 7D 8D 9S X1 2D AH 3C");
}
