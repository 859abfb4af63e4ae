//! Values, advantage, and who wins (GE-2, GE-3, GE-10, GE-11, GE-13).

use super::*;
use crate::cards::{Card, Rank, Suit};

#[test]
fn ge_2_the_table_of_values() {
    let table = [2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 16, 20];
    for suit in Suit::ALL {
        for (rank, counts) in Rank::ALL[1..].iter().chain([&Rank::Ace]).zip(table) {
            assert_eq!(value(Card::new(*rank, suit)), counts);
        }
    }
}

#[test]
fn ge_3_the_table_of_advantages() {
    let order = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];
    // The attack's suit by line, the answer's by column; 0: neither, 1: the attack doubles, 2: the answer doubles.
    let table = [[0, 2, 0, 1], [1, 0, 0, 2], [0, 0, 0, 0], [2, 1, 0, 0]];
    for (attack, line) in order.iter().zip(table) {
        for (answer, doubles) in order.iter().zip(line) {
            assert_eq!(has_advantage(*attack, *answer), doubles == 1);
            assert_eq!(has_advantage(*answer, *attack), doubles == 2);
            let card = |suit: Suit, rank| [Face::Plain(Card::new(rank, suit))];
            let (attack, answer) = (card(*attack, Rank::Seven), card(*answer, Rank::Nine));
            let Verdict::Compared(totals) = resolve(&attack, &answer) else { panic!("no jokers") };
            let expected = match doubles {
                0 => Totals { attack: 7, answer: 9, doubled: None },
                1 => Totals { attack: 14, answer: 9, doubled: Some(Side::Attack) },
                _ => Totals { attack: 7, answer: 18, doubled: Some(Side::Answer) },
            };
            assert_eq!(totals, expected);
        }
    }
}

/// Attack, answer, the totals, whose total is doubled, who keeps its cards.
#[test]
fn ge_11_the_worked_examples_and_more() {
    let table = [
        ("TD", "KC", 20, 16, Some("attack"), "attack_won"),
        // A draw goes to the defender.
        ("5S", "TD", 10, 10, Some("attack"), "answer_won"),
        ("AC", "TD", 20, 20, Some("answer"), "answer_won"),
        ("AC", "9D", 20, 18, Some("answer"), "attack_won"),
        ("7C", "7C", 7, 7, None, "answer_won"),
        // Several cards.
        ("9D TD JD", "KH", 33, 16, None, "attack_won"),
        ("QC KC AC", "TD JD QD", 51, 78, Some("answer"), "answer_won"),
        // Not the same number of cards.
        ("2S", "2D 3D 4D", 4, 9, Some("attack"), "answer_won"),
        ("QS KS AS", "AH", 51, 20, None, "attack_won"),
        ("KC AC", "TH JH", 36, 24, None, "attack_won"),
        // Hearts suffer no advantage either.
        ("6D", "6H", 6, 6, None, "answer_won"),
        ("7S", "6H", 7, 6, None, "attack_won"),
    ];
    for (attacking, answering, attack, answer, doubled, outcome) in table {
        let (attacking_count, answering_count) = (faces(attacking).len() as i64, faces(answering).len() as i64);
        let (mine, theirs) = (format!("2H {attacking}"), format!("{answering} 3H"));
        let mut position = Position::new(&[&mine, &theirs, "4C"], "5H");
        let slots: Vec<i64> = (1..=attacking_count).collect();
        let told = position.battle(0, 1, &slots, &(0..answering_count).collect::<Vec<_>>());
        let battle = fact(&told, "battle");
        assert_eq!(battle["outcome"], outcome, "{attacking} against {answering}");
        assert_eq!(battle["totals"], json!({"attack": attack, "answer": answer, "doubled": doubled}));
        let won = outcome == "attack_won";
        let lost = if won { answering } else { attacking };
        // The winner's cards are where they were, the loser's under the deck.
        assert_eq!(texts(&battle["destroyed"]), lost);
        assert_eq!(position.deck(), format!("5H {lost}"));
        assert_eq!(position.row(0), if won { mine.as_str() } else { "2H" });
        assert_eq!(position.row(1), if won { "3H" } else { theirs.as_str() });
    }
}

#[test]
fn ge_11_a_battle_is_told_in_full_and_stays_in_every_view() {
    let mut position = Position::new(&["TD 2S", "4C KC", "3H"], "");
    let told = position.battle(0, 1, &[0], &[1]);
    let battle = json!({
        "type": "battle", "round": ROUND, "attacker": 0, "target": 1,
        "attack_slots": [0], "attack": ["TD"], "answer_slots": [1], "answer": ["KC"],
        "outcome": "attack_won", "totals": {"attack": 20, "answer": 16, "doubled": "attack"},
        "picked": null, "destroyed": ["KC"],
    });
    assert_eq!(told, std::slice::from_ref(&battle));
    let mut in_view = battle;
    in_view.as_object_mut().unwrap().remove("type");
    let viewers = [Viewer::Public, Viewer::Seat(seat(0)), Viewer::Seat(seat(1)), Viewer::Everything];
    for viewer in viewers {
        assert_eq!(position.view(viewer)["last_battle"], in_view);
        assert_eq!(position.view(viewer)["attack"], Value::Null, "nothing lies on the table");
    }
    // RU-11: it stays until the next one has ended.
    position.plays(1, &attack(0, &[0]));
    assert_eq!(position.view(Viewer::Public)["last_battle"], in_view);
    position.plays(0, &defend(&[1]));
    assert_eq!(position.view(Viewer::Public)["last_battle"]["attacker"], 1);
}

#[test]
fn ge_11_a_joker_in_defence_destroys_everything_that_was_laid() {
    let mut position = Position::new(&["KS 2H QS JS", "5C X1", "3H"], "4H");
    let told = position.battle(0, 1, &[0, 2, 3], &[1]);
    let battle = fact(&told, "battle");
    assert_eq!(battle["outcome"], "joker_answered");
    assert_eq!(battle["totals"], Value::Null);
    // GE-13: the attacker's first, low to high.
    assert_eq!(texts(&battle["destroyed"]), "JS QS KS X1");
    assert_eq!(position.deck(), "4H JS QS KS X1");
    assert_eq!((position.row(0), position.row(1)), ("2H".to_owned(), "5C".to_owned()));
}

#[test]
fn ge_11_a_joker_against_a_joker_destroys_both_and_nothing_is_picked() {
    let mut position = Position::new(&["X2 9S", "5C X1", "3H"], "4H");
    let told = position.battle(0, 1, &[0], &[1]);
    let battle = fact(&told, "battle");
    assert_eq!((&battle["outcome"], &battle["picked"]), (&json!("joker_answered"), &Value::Null));
    // GE-13: the attacker's first.
    assert_eq!(position.deck(), "4H X2 X1");
    assert_eq!((position.row(0), position.row(1)), ("9S".to_owned(), "5C".to_owned()));
    assert_eq!(position.to_act(), Some(1), "the turn is over");
}

#[test]
fn ge_13_lost_cards_go_under_the_deck_low_to_high_in_whatever_slots_they_lay() {
    // The ace is the highest.
    let mut position = Position::new(&["AC 2H QC KC", "TD QD JD", "3H 4S"], "4H");
    position.battle(0, 1, &[3, 0, 2], &[1, 0, 2]);
    assert_eq!(position.deck(), "4H QC KC AC");
    assert_eq!(position.row(0), "2H");
    let mut position = Position::new(&["7S 8S 9S", "4D 2D 3D 5C", "3H 4S"], "4H");
    position.battle(0, 1, &[0, 1, 2], &[2, 1, 0]);
    assert_eq!(position.deck(), "4H 2D 3D 4D");
    // GE-12: the row closes up.
    assert_eq!(position.row(1), "5C");
}

#[test]
fn ge_10_the_target_must_answer_with_cards_of_its_own() {
    let mut position = Position::new(&["TD 2S", "4C KC 5C X1 AH KH", "3H"], "");
    position.plays(0, &attack(1, &[0]));
    assert_eq!(position.to_act(), Some(1));
    for (slots, clause) in [
        (&[][..], "GE-10"),
        (&[0, 1, 2, 3], "GE-10"),
        (&[6], "GE-10"),
        (&[-1], "GE-10"),
        (&[i64::MAX], "GE-10"),
        (&[i64::MIN, 0], "GE-10"),
        (&[256], "GE-10"),
        (&[1, 1], "GE-10"),
        (&[0, 1], "GE-8"),
        (&[0, 3], "GE-8"),
        (&[1, 5], "GE-8"),
    ] {
        assert_eq!(position.clause(1, &defend(slots)), clause, "{slots:?}");
    }
    for other in [attack(0, &[0]), pick(0), pick(None)] {
        assert_eq!(position.clause(1, &other), "GE-10");
    }
    for number in [0, 2] {
        assert_eq!(position.clause(number, &defend(&[0])), "GE-10", "only the target answers");
    }
    // Hearts defend, in runs too; the slots in any order.
    for slots in [&[5, 4][..], &[4], &[2, 0], &[3], &[1]] {
        assert!(position.game.judge(seat(1), &defend(slots)).is_ok(), "{slots:?}");
    }
}
