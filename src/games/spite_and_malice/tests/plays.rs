//! Plays, stacks and hands.

use super::*;

#[test]
fn sm_8_a_king_on_a_ten_is_a_jack_and_queen_or_king_complete_the_stack() {
    for last in ["QH", "KD"] {
        let mut game = Position::new("KS JD QH KD 3S", [10, 0, 4], "2S 3S 4S 5S");
        assert_eq!(game.clause(&hand("QH", 0)), "SM-7");
        let facts = game.plays(0, &hand("KS", 0));
        let play = json!({
            "type": "centre_play", "seat": 0, "from": "hand", "side": null, "card": "KS", "centre": 0, "stands_for": "J",
        });
        assert_eq!(facts, [play]);
        let centre = serde_json::to_value(&game.game.view(Viewer::Public).centres[0]).unwrap();
        assert_eq!((&centre["height"], &centre["needs"]), (&json!(11), &json!("Q")));
        assert_eq!(centre["cards"][10], json!({"card": "KS", "stands_for": "J"}));
        assert_eq!(game.clause(&hand("JD", 0)), "SM-7", "a jack no more");
        let facts = game.plays(0, &hand(last, 0));
        assert_eq!(facts[0]["stands_for"], "Q");
        assert_eq!(types(&facts), ["centre_play", "draw", "stack_recycled"]);
        assert_eq!(facts[1], json!({"type": "draw", "draw": 11, "purpose": "recycle"}));
        assert_eq!(facts[2], json!({"type": "stack_recycled", "centre": 0, "stock": 16}));
        assert!(game.table().centres[0].is_empty());
        assert_eq!(game.table().centres[2].len(), 4, "other stacks stay");
    }
}

#[test]
fn sm_8_a_king_from_anywhere_on_any_stack_and_just_a_king_on_a_side_stack() {
    let mut game = Position::new("KC 2D AS 3C 4C", [0, 5, 11], "").payoff("2C KD");
    game.game.table.sides[seat(0)][2] = cards("9C KH");
    for centre in 0..3 {
        let legal = game.game.legal(seat(0));
        for king in [payoff(centre), side(2, centre), hand("KC", centre)] {
            assert!(legal.contains(&king), "{king:?}");
        }
    }
    game.plays(0, &hand("KC", 0));
    assert_eq!(game.clause(&hand("AS", 0)), "SM-7", "the king is the ace");
    assert_eq!(game.plays(0, &hand("2D", 0))[0]["stands_for"], "2");
    assert_eq!(game.plays(0, &side(2, 1))[0]["stands_for"], "6");
    assert_eq!(game.plays(0, &payoff(1))[0]["stands_for"], "7");
    // A discarded king takes no rank: it fits everywhere again.
    let mut game = Position::new("KC 2D AS 3C 4C", [0, 5, 11], "5C 6C 7C 8C 9C");
    game.plays(0, &discard("KC", 1));
    game.plays(1, &discard("9H", 0));
    for centre in 0..3 {
        assert!(game.game.legal(seat(0)).contains(&side(1, centre)));
    }
}

#[test]
fn sm_9_a_king_as_the_ace_and_eleven_more_are_a_stack() {
    let mut game = Position::new("KC 2D 3D 4D 5D", [0, 0, 0], "2C 3C 4C 5C 6C QS JS TS 9S 8S").payoff("KS 7H 6H");
    let plays = [
        hand("KC", 1),
        hand("2D", 1),
        hand("3D", 1),
        hand("4D", 1),
        hand("5D", 1),
        payoff(1),
        payoff(1),
        hand("8S", 1),
        hand("9S", 1),
        hand("TS", 1),
        hand("JS", 1),
    ];
    for (play, rank) in plays.iter().zip("A23456789TJ".chars()) {
        assert_eq!(game.plays(0, play)[0]["stands_for"], rank.to_string());
    }
    let facts = game.plays(0, &hand("QS", 1));
    assert_eq!(types(&facts), ["centre_play", "draw", "stack_recycled", "cards_drawn"]);
    assert_eq!(facts[2]["stock"], 5 + 12);
    assert_eq!(facts[3], json!({"type": "cards_drawn", "seat": 0, "count": 5, "hand": 5, "stock": 12}));
}

#[test]
fn sm_9_eight_kings_and_four_cards_are_a_stack_and_kings_again_afterwards() {
    let mut game = Position::new("KC KC KD KD KH", [0, 0, 0], "2S 3S 4S 5S QC JC KS KS KH");
    for (card, rank) in ["KC", "KC", "KD", "KD", "KH"].iter().zip("A2345".chars()) {
        assert_eq!(game.plays(0, &hand(card, 2)).first().unwrap()["stands_for"], rank.to_string());
    }
    // Five were drawn: KH KS KS JC QC.
    assert_eq!(game.table().hands[seat(0)], cards("KH KS KS JC QC"));
    game.plays(0, &hand("KH", 2));
    game.game.table.payoffs[seat(0)] = cards("2D 8D 7D");
    game.plays(0, &payoff(2));
    game.plays(0, &payoff(2));
    game.plays(0, &hand("KS", 2));
    game.plays(0, &hand("KS", 2));
    game.plays(0, &hand("JC", 2));
    let facts = game.plays(0, &hand("QC", 2));
    assert_eq!(types(&facts), ["centre_play", "draw", "stack_recycled", "cards_drawn"]);
    let hidden = [&game.table().hands[seat(0)][..], &game.table().stock].concat();
    assert_eq!(hidden.iter().filter(|card| card.rank() == crate::cards::Rank::King).count(), 8);
    assert!(game.table().centres[2].is_empty());
}

#[test]
fn sm_9_what_is_shuffled_is_the_stock_from_the_top_down_and_the_stack_from_the_bottom_up() {
    let mut game = Position::new("QH 2S", [11, 0, 0], "3S 4S 5S");
    let mut pile = cards("5S 4S 3S");
    pile.extend(stack(11));
    pile.extend(cards("QH"));
    let server_seed = Seeds.seed(11).unwrap();
    let seed = crate::draw::draw_seed(game.inputs.game, 11, &server_seed, &[None, None]);
    Numbers::new(seed).shuffle(&mut pile);
    game.plays(0, &hand("QH", 0));
    let stock: Vec<Card> = game.table().stock.iter().rev().copied().collect();
    assert_eq!(stock, pile, "element 0 is the top");
}

#[test]
fn sm_9_two_stacks_can_be_completed_in_one_turn_also_by_the_payoff_card() {
    let mut game = Position::new("QH 2S", [11, 11, 3], "").payoff("9D QD");
    assert_eq!(types(&game.plays(0, &hand("QH", 0))), ["centre_play", "draw", "stack_recycled"]);
    let facts = game.plays(0, &payoff(1));
    assert_eq!(types(&facts), ["centre_play", "payoff_turned", "draw", "stack_recycled"]);
    assert_eq!(facts[1], json!({"type": "payoff_turned", "seat": 0, "card": "9D", "left": 1}));
    assert_eq!(facts[2]["draw"], 12);
    assert_eq!(facts[3], json!({"type": "stack_recycled", "centre": 1, "stock": 24}));
    assert_eq!(game.game.outcome(), Outcome::Turn(seat(0)), "the turn goes on");
}

#[test]
fn sm_10_a_hand_emptied_by_plays_is_filled_at_once_as_often_as_it_happens() {
    let mut game = Position::new("AS", [0, 1, 9], "9S 8S 7S 6S 5S 4S 3S 2S KD KC");
    // Already the ace empties the hand: KC KD 2S 3S 4S come, from the top.
    let facts = game.plays(0, &hand("AS", 0));
    assert_eq!(types(&facts), ["centre_play", "cards_drawn"]);
    assert_eq!(game.table().hands[seat(0)], cards("KC KD 2S 3S 4S"));
    for card in ["2S", "3S", "4S", "KC"] {
        assert_eq!(types(&game.plays(0, &hand(card, 0))), ["centre_play"]);
    }
    let facts = game.plays(0, &hand("KD", 0));
    assert_eq!(facts[1], json!({"type": "cards_drawn", "seat": 0, "count": 5, "hand": 5, "stock": 0}));
    assert_eq!(game.table().hands[seat(0)], cards("5S 6S 7S 8S 9S"));
    // SM-13: an empty stock from which nobody has to draw ends nothing.
    assert_eq!(game.game.outcome(), Outcome::Turn(seat(0)));
}

#[test]
fn sm_10_a_hand_emptied_by_the_discard_is_filled_at_the_next_turn() {
    let mut game = Position::new("9S", [0, 0, 0], "2S 3S 4S 5S 6S 7S");
    assert_eq!(types(&game.plays(0, &discard("9S", 3))), [""; 0], "the other's hand is full");
    assert!(game.table().hands[seat(0)].is_empty());
    assert_eq!(game.game.outcome(), Outcome::Turn(seat(1)));
    assert!(game.game.legal(seat(0)).is_empty());
    let facts = game.plays(1, &discard("9H", 0));
    assert_eq!(facts, [json!({"type": "cards_drawn", "seat": 0, "count": 5, "hand": 5, "stock": 1})]);
    assert_eq!(game.table().hands[seat(0)], cards("7S 6S 5S 4S 3S"), "from the top, SM-5");
}

#[test]
fn sm_12_the_stack_goes_back_before_the_empty_hand_is_filled() {
    // Worked example: the other way round this would be a false tie.
    let mut game = Position::new("KD", [11, 0, 0], "");
    let facts = game.plays(0, &hand("KD", 0));
    assert_eq!(types(&facts), ["centre_play", "draw", "stack_recycled", "cards_drawn"]);
    assert_eq!(facts[3], json!({"type": "cards_drawn", "seat": 0, "count": 5, "hand": 5, "stock": 7}));
    assert_eq!(game.game.outcome(), Outcome::Turn(seat(0)));
}

#[test]
fn ru_1_a_move_names_the_pile_and_of_equal_hand_cards_the_first_is_taken() {
    let start = || {
        let mut game = Position::new("9S 7S 8S 7S 6S", [6, 6, 0], "2C 3C 4C 5C").payoff("2D 7S");
        game.game.table.sides[seat(0)][1] = cards("7S");
        game
    };
    let mut game = start();
    game.plays(0, &payoff(0));
    assert_eq!(game.table().payoffs[seat(0)], cards("2D"));
    assert_eq!(game.table().hands[seat(0)], cards("9S 7S 8S 7S 6S"));
    assert_eq!(game.table().sides[seat(0)][1], cards("7S"));
    let mut game = start();
    game.plays(0, &side(1, 1));
    assert_eq!((game.table().payoffs[seat(0)].len(), game.table().hands[seat(0)].len()), (2, 5));
    for play in [hand("7S", 0), discard("7S", 2)] {
        let mut game = start();
        assert_eq!(game.game.legal(seat(0)).iter().filter(|mv| **mv == play).count(), 1, "one move");
        game.plays(0, &play);
        assert_eq!(game.table().hands[seat(0)], cards("9S 8S 7S 6S"));
        assert_eq!((game.table().payoffs[seat(0)].len(), game.table().sides[seat(0)][1].len()), (2, 1));
    }
}
