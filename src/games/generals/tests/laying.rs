//! What may be laid (GE-7, GE-8), and the lists of it.

use super::*;
use crate::cards::{Card, Rank, Suit};

#[test]
fn ge_8_the_table_of_what_can_be_laid_together() {
    let table = [
        ("7C", true),
        ("AH", true),
        ("X1", true),
        ("2S 3S", true),
        ("4D 2D 3D", true),
        ("KC AC QC", true),
        ("KH AH", true),
        ("TS 9S JS", true),
        // No wrap-around, and the ace is not a one.
        ("KS AS 2S", false),
        ("AS 2S", false),
        ("AS 2S 3S", false),
        ("4C 6C", false),
        ("4C 5C 7C", false),
        ("2C 4C 6C", false),
        ("5D 6C", false),
        ("5D 6D 7C", false),
        // An ace touches no other suit.
        ("AC 2D", false),
        ("X1 5C", false),
        ("X1 X2", false),
        ("5C X1 6C", false),
        // Of two decks.
        ("5C 5C", false),
        ("5C 5C 6C", false),
        ("2C 3C 4C 5C", false),
        ("", false),
    ];
    for (cards, can_be_laid) in table {
        assert_eq!(is_run(&faces(cards)), can_be_laid, "{cards}");
        let mut backwards = faces(cards);
        backwards.reverse();
        assert_eq!(is_run(&backwards), can_be_laid, "{cards}, in another order");
    }
}

#[test]
fn ge_8_the_refused_examples_are_refused_in_attack_and_in_defence() {
    for cards in ["KS AS 2S", "4C 6C", "5D 6C", "X1 5C", "5C 5C 6C"] {
        let count = faces(cards).len() as i64;
        let slots: Vec<i64> = (0..count).collect();
        let mut position = Position::new(&[cards, cards, "3H"], "");
        assert_eq!(position.clause(0, &attack(1, &slots)), "GE-8", "{cards}");
        position.plays(0, &attack(1, &[0]));
        assert_eq!(position.clause(1, &defend(&slots)), "GE-8", "{cards}");
    }
}

#[test]
fn ge_7_whom_and_with_what_nobody_attacks() {
    let position = Position::new(&["5C 6C X1 9H 7C 8C", "4C", "", "2S"], "3H");
    let own = [0, 1];
    // The own hand, a player who is out, nobody at all.
    for target in [0, 2, 4, 19, 20, 255, 256, -1, i64::MAX, i64::MIN] {
        assert_eq!(position.clause(0, &attack(target, &own)), "GE-7", "{target}");
    }
    for slots in [
        &[][..],
        // A card that is not held.
        &[6],
        &[-1],
        &[0, 6],
        &[i64::MAX],
        &[(1 << 32) + 1],
        // Twice the same.
        &[0, 0],
        &[0, 1, 0],
        // Four cards, though they follow each other.
        &[0, 1, 4, 5],
        // Hearts.
        &[3],
        &[3, 0],
    ] {
        assert_eq!(position.clause(0, &attack(1, slots)), "GE-7", "{slots:?}");
    }
    assert_eq!(position.clause(0, &attack(1, &[2, 0])), "GE-8", "a joker and a card");
    for other in [defend(&[0]), pick(0), pick(None)] {
        assert_eq!(position.clause(0, &other), "GE-7");
    }
    for number in [1, 2, 3, 7] {
        assert_eq!(position.clause(number, &attack(0, &[0])), "GE-7", "it is seat 0's turn");
    }
    for target in [1, 3] {
        for slots in [&[2][..], &[0], &[1, 0], &[4, 0, 1], &[1, 4, 5]] {
            assert!(position.game.judge(seat(0), &attack(target, slots)).is_ok());
        }
    }
}

/// What can be laid of a row, straight from the words of GE-7, GE-8 and GE-10: by trying every set of slots.
fn every_set(row: &[Face], side: Side) -> Vec<Vec<i64>> {
    let rank = |card: Card| if card.rank() == Rank::Ace { 14 } else { card.rank().number() };
    let can_be_laid = |set: &[i64]| {
        let cards: Option<Vec<Card>> = set
            .iter()
            .map(|slot| if let Face::Plain(card) = row[*slot as usize] { Some(card) } else { None })
            .collect();
        let Some(cards) = cards else { return set.len() == 1 };
        let mut ranks: Vec<u8> = cards.iter().map(|card| rank(*card)).collect();
        ranks.sort_unstable();
        cards.iter().all(|card| card.suit() == cards[0].suit())
            && (side == Side::Answer || cards[0].suit() != Suit::Hearts)
            && ranks.iter().enumerate().all(|(i, rank)| usize::from(*rank) == usize::from(ranks[0]) + i)
    };
    let slots = 0..row.len() as i64;
    let mut sets: Vec<Vec<i64>> = slots.clone().map(|a| vec![a]).collect();
    sets.extend(slots.clone().flat_map(|a| (a + 1..slots.end).map(move |b| vec![a, b])));
    let end = slots.end;
    sets.extend(slots.flat_map(|a| (a + 1..end).flat_map(move |b| (b + 1..end).map(move |c| vec![a, b, c]))));
    sets.retain(|set| can_be_laid(set));
    sets
}

#[test]
fn ge_7_ge_8_the_lists_hold_every_set_that_can_be_laid_and_nothing_else() {
    let inputs = DrawInputs {
        game: "01980000-0000-7000-8000-000000000002".parse().unwrap(),
        player_seeds: BySeat::from_fn(3, |_| None),
    };
    for draw in 1..40 {
        let mut pack: Vec<Face> =
            (0..4).flat_map(|_| Card::full_deck().map(Face::Plain).chain((1..=4).map(Face::Joker))).collect();
        numbers(&inputs, draw).shuffle(&mut pack);
        let row = &pack[..draw as usize];
        let mut position = Position::new(&["2C", &shown(row), "3D", "5H"], "");
        let attacks = |target| {
            every_set(row, Side::Attack).into_iter().map(move |set| attack(target, &set)).collect::<Vec<Move>>()
        };
        position.plays(0, &attack(1, &[0]));
        let answers: Vec<Move> = every_set(row, Side::Answer).iter().map(|set| defend(set)).collect();
        assert_eq!(position.game.legal(seat(1)), answers);
        // Any answer, so that the turn is over; then what is left of the row attacks.
        position.game.phase = Phase::Attack(seat(1));
        let mut expected: Vec<Move> = [0, 2, 3].into_iter().flat_map(attacks).collect();
        expected.push(shuffle_hand());
        assert_eq!(position.game.legal(seat(1)), expected);
        for mv in &expected {
            assert!(position.game.judge(seat(1), mv).is_ok());
        }
    }
}

#[test]
fn ru_2_a_set_of_slots_has_one_canonical_form() {
    for (sent, canonical) in [
        (attack(2, &[4, 0, 3]), attack(2, &[0, 3, 4])),
        (attack(-7, &[1 << 40, 5, -3, 5]), attack(-7, &[-3, 5, 5, 1 << 40])),
        (defend(&[2, 1]), defend(&[1, 2])),
        (defend(&[]), defend(&[])),
        (pick(3), pick(3)),
        (pick(None), pick(None)),
        (shuffle_hand(), shuffle_hand()),
    ] {
        assert_eq!(Rules::canonical(&sent), canonical);
        let text = serde_json::to_value(&sent).unwrap();
        assert_eq!(mv(text), sent, "written and read back");
    }
    // Equal lists are equal values, however they are held.
    for slots in [&[][..], &[0], &[255, 0, 7], &[256], &[-1], &[1, 2, 3, 4], &[1, 2, 999]] {
        let sent: SentSlots = slots.to_vec().into();
        assert_eq!(sent, slots.to_vec().into());
        assert_eq!((sent.count(), sent.iter().collect::<Vec<_>>()), (slots.len(), slots.to_vec()));
    }
}
