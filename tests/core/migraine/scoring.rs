//! What a round scores (MI-8).

use croupier::cards::Card;
use croupier::games::migraine::{Declaration, points};
use serde_json::{Value, json};

use super::{DEALER, Match, PONE, cards, declare, pack, texts};
use crate::support::{facts, types};

#[test]
fn mi_8_the_worked_examples() {
    use Declaration::{Chuck, Rank, Suit};
    for (declaration, own, sabre, expected) in [
        (Chuck, "AS KS QS JS", "AH", 3),
        (Chuck, "AS KS QS JH", "JS", 5),
        (Chuck, "AS AH AD JH", "AC", 5),
        (Chuck, "AS AH AD JH", "KC", 0),
        (Rank, "AS AH KD", "AC", 3),
        (Suit, "AC KC QC", "JC", 7),
        (Rank, "KS QH JD", "AC", 0),
        // Both seven in one round.
        (Rank, "AS AH AD", "AC", 7),
        (Suit, "KC QC JC", "AC", 7),
    ] {
        let own = cards(own);
        assert_eq!(
            points(declaration, &own, &own, sabre.parse().unwrap()),
            expected,
            "{declaration:?} {own:?} {sabre}"
        );
    }
}

#[test]
fn mi_8_hand_cards_with_the_sabres_rank_or_suit_1_3_7() {
    let (rank, suit) = (cards("AD AH AS"), cards("JC QC KC"));
    let none = cards("JD QH KS");
    for (count, expected) in [0, 1, 3, 7].into_iter().enumerate() {
        let sabre = "AC".parse().unwrap();
        let hand = |line: &[Card]| [&line[..count], &none[count..]].concat();
        assert_eq!(points(Declaration::Rank, &hand(&rank), &[], sabre), expected);
        assert_eq!(points(Declaration::Suit, &hand(&suit), &[], sabre), expected);
        // Neither line counts for the other.
        assert_eq!(points(Declaration::Suit, &hand(&rank), &[], sabre), 0);
        assert_eq!(points(Declaration::Rank, &hand(&suit), &[], sabre), 0);
    }
}

#[test]
fn mi_8_one_attribute_is_common_to_all_four() {
    // Each card shares something with another one here, but no one attribute is common to all.
    for field in ["AS AH KH KS", "AS KS KH QH", "AC AD KC KD", "AS AH AD KD"] {
        assert_eq!(points(Declaration::Chuck, &[], &cards(field), "JC".parse().unwrap()), 0, "{field}");
    }
}

#[test]
fn mi_8_of_all_21840_fields_and_sabres_96_give_3_and_384_give_5_and_none_both() {
    let deck: Vec<Card> = pack().iter().map(|card| card.parse().unwrap()).collect();
    let (mut pairs, mut threes, mut fives, mut both) = (0, 0, 0, 0);
    for mask in 0..1u32 << 16 {
        if mask.count_ones() != 4 {
            continue;
        }
        let (field, rest): (Vec<_>, Vec<_>) = (0..16).partition(|i| mask >> i & 1 == 1);
        let field: Vec<Card> = field.into_iter().map(|i| deck[i]).collect();
        for sabre in rest.into_iter().map(|i| deck[i]) {
            let same = |a: Card, b: Card| [a.rank() == b.rank(), a.suit() == b.suit()];
            // Written out once more: a line is a rank or a suit.
            let line = |attribute: usize| {
                let four = field.iter().all(|card| same(*card, field[0])[attribute]);
                let three = field.iter().filter(|card| same(**card, sabre)[attribute]).count() >= 3;
                (four, three)
            };
            let (three, five) = (line(0).0 || line(1).0, line(0).1 || line(1).1);
            let expected = if three { 3 } else { 0 } + if five { 5 } else { 0 };
            assert_eq!(points(Declaration::Chuck, &[], &field, sabre), expected, "{field:?} {sabre}");
            pairs += 1;
            threes += i32::from(three);
            fives += i32::from(five);
            both += i32::from(three && five);
        }
    }
    assert_eq!((pairs, threes, fives, both), (21_840, 96, 384, 0));
}

#[test]
fn mi_8_sabre_and_hands_are_shown_and_each_scores_its_own_cards() {
    for (pone, dealer) in [("rank", "suit"), ("chuck", "rank"), ("suit", "chuck")] {
        let mut game = Match::laid();
        let hands = [game.hand(0), game.hand(1)];
        let fields = game.state(0)["fields"].clone();
        let sabre = game.deck(1)[1].clone();
        assert_eq!(facts(&game.plays(PONE, &declare(pone))), Vec::<Value>::new());
        let events = game.plays(DEALER, &declare(dealer));
        let declared = |number: usize| if number == PONE { pone } else { dealer };
        let score = |number: usize| {
            let declaration = Declaration::ALL.into_iter().find(|d| d.name() == declared(number)).unwrap();
            let field = cards(&texts(&fields[number]).join(" "));
            points(declaration, &cards(&hands[number].join(" ")), &field, sabre.parse().unwrap())
        };
        let scored = json!({
            "type": "migraine_scored",
            "round": 1,
            "dealer": DEALER,
            "middle": game.deck(1)[0],
            "sabre": sabre,
            "hands": hands,
            "fields": fields,
            "declarations": [declared(0), declared(1)],
            "points": [score(0), score(1)],
            "scores": [score(0), score(1)],
        });
        assert_eq!(
            facts(&events),
            [
                scored.clone(),
                json!({"type": "draw", "draw": 2, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 2, "dealer": 1 - DEALER}),
            ]
        );
        assert_eq!(types(&events), ["moved", "disclosed"]);
        assert_eq!(crate::support::data(&events[1])["draw"], 1, "the round's draw is disclosed with its scoring");
        // MI-9, RU-11: the round scored last stays in everybody's view.
        let mut kept = scored;
        kept.as_object_mut().unwrap().remove("type");
        assert_eq!(game.state(0)["last_round"], kept);
        assert_eq!(serde_json::to_value(game.house.table.view(None).state).unwrap()["last_round"], kept);
        assert_eq!(game.state(1)["scores"], kept["scores"]);
    }
}
