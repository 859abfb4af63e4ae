//! The ends of rounds, of the match, and of the chain.

use super::*;

#[test]
fn sm_11_the_last_payoff_card_wins_the_round_even_with_an_empty_stock() {
    let mut game = Position::new("2S 3S", [6, 0, 0], "").payoff("7S");
    game.game.table.payoffs[seat(1)] = stack(9);
    let facts = game.plays(0, &payoff(0));
    assert_eq!(types(&facts)[..3], ["centre_play", "spite_round_over", "draw"]);
    let over = json!({
        "type": "spite_round_over", "round": 3, "reason": "payoff", "winner": 0,
        "payoffs": [0, 9], "points": [9, 0], "scores": [9, 0],
    });
    assert_eq!(facts[1], over);
    assert_eq!(facts[2], json!({"type": "draw", "draw": 11, "purpose": "deal"}));
    assert_eq!((facts[3]["type"].as_str(), &facts[3]["round"]), (Some("spite_deal"), &json!(4)));
    assert_eq!(game.game.disclosable(), 10, "the ended round's draws, and not the next one's");
}

#[test]
fn sm_12_a_winning_card_that_completes_a_stack_recycles_nothing_and_uses_no_draw() {
    let mut game = Position::new("2S", [11, 0, 0], "").payoff("QD");
    game.game.scores = [45, 0].into_iter().collect();
    let facts = game.plays(0, &payoff(0));
    assert_eq!(types(&facts), ["centre_play", "spite_round_over"]);
    assert_eq!(game.drawn, 10);
    assert_eq!(game.table().centres[0].len(), 12, "everything lies as it lay");
    let view = game.game.view(Viewer::Everything);
    assert_eq!((view.centres[0].height, view.centres[0].needs), (12, None));
}

#[test]
fn sm_13_a_hand_that_the_stock_can_not_fill_is_a_tie_at_once() {
    // At the start of a turn: three come, and one is missing.
    let mut game = Position::new("9S TS", [0, 0, 0], "2S 3S 4S");
    game.game.table.hands[seat(1)] = cards("9H");
    let facts = game.plays(0, &discard("9S", 0));
    assert_eq!(facts[0], json!({"type": "cards_drawn", "seat": 1, "count": 3, "hand": 4, "stock": 0}));
    let over = json!({
        "type": "spite_round_over", "round": 3, "reason": "stock", "winner": null,
        "payoffs": [7, 7], "points": [0, 0], "scores": [0, 0],
    });
    assert_eq!(facts[1], over);
    // In the middle of a turn, with four and with none in the stock; five are enough.
    for (stock, left) in [("2S 3S 4S 5S", None), ("", None), ("2S 3S 4S 5S 6S", Some(0))] {
        let mut game = Position::new("AS", [0, 0, 0], stock);
        let facts = game.plays(0, &hand("AS", 0));
        let over = facts.iter().find(|fact| fact["type"] == "spite_round_over");
        assert_eq!(over.map(|over| over["reason"].clone()), left.is_none().then(|| json!("stock")), "{stock}");
        assert_eq!(game.game.round, if left.is_none() { 4 } else { 3 });
    }
    // Nobody has to draw: the other's hand is full and the stock empty.
    let mut game = Position::new("9S TS", [0, 0, 0], "");
    assert_eq!(types(&game.plays(0, &discard("9S", 0))), [""; 0]);
    assert_eq!(game.game.outcome(), Outcome::Turn(seat(1)));
}

#[test]
fn sm_15_the_target_is_looked_at_when_a_round_is_won() {
    for (left, expected) in [(6, [50, 49]), (5, [49, 49])] {
        let mut game = Position::new("2S", [6, 0, 0], "").payoff("7S");
        game.game.scores = [44, 49].into_iter().collect();
        game.game.table.payoffs[seat(1)] = stack(left);
        let facts = game.plays(0, &payoff(0));
        assert_eq!(facts[1]["scores"], json!(expected));
        let won = expected[0] == 50;
        assert_eq!(types(&facts).len() == 2, won, "the next round, or none");
        assert_eq!(game.game.round, if won { 3 } else { 4 });
        if won {
            let result = GameResult { winners: vec![seat(0)], scores: vec![50, 49], reason: Reason::Target };
            assert_eq!(game.game.outcome(), Outcome::Over(&result));
            assert_eq!(game.game.disclosable(), 10);
            assert_eq!(game.clause(&discard("2S", 0)), "SM-15");
        }
    }
}

#[test]
fn sm_16_turn_2000_is_the_last_of_a_round_and_ends_with_its_discard() {
    let mut game = Position::new("AS 2S 3S", [0, 0, 0], "4S 5S 6S 7S");
    game.game.phase = Phase::Turn(Turn { seat: seat(0), number: 2_000 });
    assert_eq!(types(&game.plays(0, &hand("AS", 0))), ["centre_play"], "any number of plays");
    let facts = game.plays(0, &discard("2S", 0));
    assert_eq!(facts[0]["reason"], "cap");
    assert_eq!((&facts[0]["winner"], &facts[0]["points"]), (&Value::Null, &json!([0, 0])));
    assert_eq!(types(&facts)[..3], ["spite_round_over", "draw", "spite_deal"], "and the match goes on");
    assert_eq!(game.game.phase.turn().unwrap().number, 1);
    let mut game = Position::new("AS 2S 3S", [0, 0, 0], "4S 5S 6S 7S");
    game.game.phase = Phase::Turn(Turn { seat: seat(0), number: 1_999 });
    assert_eq!(types(&game.plays(0, &discard("2S", 0))), [""; 0]);
    assert_eq!(game.game.phase.turn(), Some(Turn { seat: seat(1), number: 2_000 }));
}

#[test]
fn sm_16_round_500_is_the_last_unless_it_reaches_the_target() {
    for (scores, winners, reason) in [
        ([20, 30], vec![], Reason::Cap),
        ([45, 0], vec![seat(0)], Reason::Target),
        ([43, 49], vec![seat(0)], Reason::Target),
    ] {
        let mut game = Position::new("2S", [6, 0, 0], "").payoff("7S");
        (game.game.round, game.game.scores) = (500, scores.into_iter().collect());
        assert_eq!(types(&game.plays(0, &payoff(0))), ["centre_play", "spite_round_over"]);
        let result = GameResult { winners, scores: vec![scores[0] + 7, scores[1]], reason };
        assert_eq!(game.game.outcome(), Outcome::Over(&result));
    }
}

#[test]
fn ru_8_past_the_chain_s_end_the_move_is_made_and_the_match_is_a_draw() {
    let draw = |scores: [i64; 2]| GameResult { winners: vec![], scores: scores.to_vec(), reason: Reason::Cap };
    // The stack that would be shuffled stays complete.
    let mut game = Position::new("QH 2S", [11, 0, 0], "3S 4S").payoff("5S");
    game.drawn = CHAIN_LENGTH;
    assert_eq!(types(&game.plays(0, &hand("QH", 0))), ["centre_play"]);
    assert_eq!(game.game.outcome(), Outcome::Over(&draw([0, 0])));
    assert_eq!((game.table().centres[0].len(), game.table().stock.len()), (12, 2));
    assert_eq!(game.game.disclosable(), CHAIN_LENGTH);
    // The next round is not dealt; the ended one is scored.
    let mut game = Position::new("2S", [6, 0, 0], "").payoff("7S");
    game.drawn = CHAIN_LENGTH;
    assert_eq!(types(&game.plays(0, &payoff(0))), ["centre_play", "spite_round_over"]);
    assert_eq!(game.game.outcome(), Outcome::Over(&draw([7, 0])));
    assert_eq!((game.game.round, game.table().centres[0].len()), (3, 7));
    // Dealt, but the cards compared are equal, and there is no draw to shuffle them.
    let ends = (0..200).find_map(|number| {
        let mut game = Position::new("2S", [6, 0, 0], "").payoff("7S");
        (game.inputs, game.drawn) = (inputs(number), CHAIN_LENGTH - 1);
        let facts = game.plays(0, &payoff(0));
        matches!(game.game.phase, Phase::Over { .. }).then_some((game, facts))
    });
    let (game, facts) = ends.unwrap();
    assert_eq!(types(&facts), ["centre_play", "spite_round_over", "draw", "spite_deal"]);
    assert_eq!(game.game.outcome(), Outcome::Over(&draw([7, 0])));
    assert_eq!((game.game.disclosable(), game.game.round, game.all_cards().len()), (CHAIN_LENGTH, 4, 104));
    let view = game.game.view(Viewer::Public);
    assert_eq!((view.turn, view.to_move, view.first_turn, view.compared.len()), (None, None, None, 1));
    assert_eq!(json!(view.compared[0]), facts[3]["tops"]);
}
