//! Discards and declarations (MI-5 to MI-7), and the steps that they take (RU-10).

use std::collections::BTreeSet;

use croupier::games::Move;
use croupier::table::Refusal;
use serde_json::{Value, json};

use super::{DEALER, Match, PONE, cut, declare, hostile, number, pack, pensive, texts};
use crate::support::{Rng, facts, facts_of, seat, text, types};

#[test]
fn mi_5_any_card_of_the_own_hand_and_no_other() {
    let game = Match::dealt();
    for number in [0, 1] {
        let own = game.hand(number);
        let legal: Vec<Move> = own.iter().map(|card| hostile(card)).collect();
        assert_eq!(game.house.legal(seat(number)), legal);
        let all = pack();
        for card in all.iter().map(String::as_str).chain(["2C", "TD", "X1", "qs", "QSS", "", "Q", "♠Q", " QS"]) {
            let mv = hostile(card);
            if own.iter().any(|held| held == card) {
                assert!(game.house.ask(&game.players[number].decide(&game.house, &mv)).is_ok(), "{card}");
            } else {
                assert_eq!(game.clause(number, &mv), "MI-5", "{card}");
            }
        }
    }
}

#[test]
fn mi_5_a_refusal_is_the_same_wherever_the_card_lies() {
    let game = Match::dealt();
    let own = game.hand(PONE);
    let refused: BTreeSet<String> = pack()
        .iter()
        .filter(|card| !own.contains(card))
        .map(|card| game.refusal(PONE, &hostile(card)).to_string())
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
}

#[test]
fn mi_5_ru_10_a_choice_is_final_and_the_other_learns_only_that_it_was_made() {
    let mut game = Match::dealt();
    let other_before = game.state(DEALER);
    let own_before = game.state(PONE);
    let chosen = hostile(&game.hand(PONE)[2]);
    let events = game.plays(PONE, &chosen);
    assert_eq!(types(&events), ["committed"]);
    assert!(!text(&events).contains(&game.hand(PONE)[2]), "the log does not name the card");
    assert_eq!(game.house.table.to_act(), [seat(DEALER)]);
    assert_eq!(game.house.view(seat(DEALER)).to_act, [seat(DEALER)]);
    assert_eq!(game.state(DEALER), other_before);
    assert_eq!(game.state(PONE), own_before, "the card stays in the hand until the step is opened");
    assert_eq!(game.house.legal(seat(PONE)), []);
    for mv in [chosen, hostile(&game.hand(PONE)[0])] {
        assert_eq!(game.refusal(PONE, &mv), Refusal::AlreadyDecided);
    }
    let nonce = Rng::new(5).nonce();
    let again = game.players[PONE].commit(&game.house, &hostile(&game.hand(PONE)[1]), &nonce);
    assert_eq!(game.house.refusal(&again), Refusal::AlreadyDecided);
}

#[test]
fn mi_5_both_cards_are_shown_together_and_lie_in_the_others_fields() {
    let mut game = Match::dealt();
    let hands = [game.hand(0), game.hand(1)];
    let fields = game.state(0)["fields"].clone();
    let chosen = [hands[0][3].clone(), hands[1][5].clone()];
    let first = game.plays(0, &hostile(&chosen[0]));
    let last = game.plays(1, &hostile(&chosen[1]));
    assert_eq!(facts(&first), Vec::<Value>::new());
    assert_eq!(types(&last), ["committed", "opened", "opened"]);
    assert_eq!(facts(&last[..2]), Vec::<Value>::new(), "facts come with the step's last opening");
    assert_eq!(facts(&last[2..]), [json!({"type": "hostile_discards", "cards": chosen})]);
    for number in [0, 1] {
        let mut hand = hands[number].clone();
        hand.retain(|card| *card != chosen[number]);
        assert_eq!(game.hand(number), hand);
        let field = json!([fields[number][0], chosen[1 - number]]);
        assert_eq!(game.state(0)["fields"][number], field);
        assert_eq!(game.state(0)["hands"][number]["size"], 5);
    }
    assert_eq!(game.state(0)["phase"], "pensive_discard");
}

#[test]
fn mi_6_any_two_cards_of_the_own_hand_are_one_pair_each() {
    let game = Match::given();
    for number in [0, 1] {
        let deck = pack();
        let mut own = game.hand(number);
        own.sort_by_key(|card| deck.iter().position(|other| other == card));
        let mut pairs = Vec::new();
        for (i, first) in own.iter().enumerate() {
            for second in &own[i + 1..] {
                pairs.push(pensive(&[first, second]));
            }
        }
        assert_eq!(pairs.len(), 10);
        assert_eq!(game.house.legal(seat(number)), pairs);
    }
}

#[test]
fn mi_6_other_pairs_are_refused() {
    let game = Match::given();
    let (own, other) = (game.hand(PONE), game.hand(DEALER));
    let given = texts(&facts_of(&game.house.events, "hostile_discards")[0]["cards"]);
    let middle = game.state(0)["middle"].as_str().unwrap().to_owned();
    for pair in [
        vec![own[0].as_str(), own[0].as_str()],
        vec![own[0].as_str(), given[PONE].as_str()],
        vec![own[0].as_str(), given[DEALER].as_str()],
        vec![own[0].as_str(), other[0].as_str()],
        vec![own[0].as_str(), middle.as_str()],
        vec![own[0].as_str(), "2C"],
        vec![own[0].as_str(), ""],
        vec![own[0].as_str()],
        vec![own[0].as_str(), own[1].as_str(), own[2].as_str()],
        vec![],
    ] {
        assert_eq!(game.clause(PONE, &pensive(&pair)), "MI-6", "{pair:?}");
    }
    assert_eq!(game.clause(PONE, &hostile(&own[0])), "MI-6", "the time of hostile discards is over");
}

#[test]
fn mi_6_not_before_both_hostile_cards_are_shown() {
    let mut game = Match::dealt();
    let pair = |game: &Match| pensive(&[&game.hand(PONE)[0], &game.hand(PONE)[1]]);
    assert_eq!(game.clause(PONE, &pair(&game)), "MI-5");
    let step = game.step();
    game.plays(PONE, &hostile(&game.hand(PONE)[0]));
    assert_eq!(game.refusal(PONE, &pair(&game)), Refusal::AlreadyDecided);
    let early = game.players[PONE].decide_at(&game.house, step + 1, &pair(&game));
    assert_eq!(game.house.refusal(&early), Refusal::WrongStep(step));
}

#[test]
fn mi_6_ru_2_the_pair_is_taken_in_either_order_and_joins_in_deck_order() {
    for reversed in [false, true] {
        let mut game = Match::given();
        let hands = [game.hand(0), game.hand(1)];
        let fields = game.state(0)["fields"].clone();
        let legal = [game.house.legal(seat(0))[4].clone(), game.house.legal(seat(1))[7].clone()];
        let chosen = legal.clone().map(|mv| texts(&serde_json::to_value(&mv).unwrap()["cards"]));
        let send = |pair: &[String]| {
            if reversed { pensive(&[&pair[1], &pair[0]]) } else { pensive(&[&pair[0], &pair[1]]) }
        };
        game.plays(0, &send(&chosen[0]));
        let last = game.plays(1, &send(&chosen[1]));
        assert_eq!(
            crate::support::data(&last[2])["move"],
            serde_json::to_value(send(&chosen[1])).unwrap(),
            "the log has the order that was sent"
        );
        assert_eq!(facts(&last), [json!({"type": "pensive_discards", "cards": chosen})]);
        for number in [0, 1] {
            let mut hand = hands[number].clone();
            hand.retain(|card| !chosen[number].contains(card));
            assert_eq!(game.hand(number), hand, "three cards, in the order in which they joined");
            let field = json!([fields[number][0], fields[number][1], chosen[number][0], chosen[number][1]]);
            assert_eq!(game.state(0)["fields"][number], field);
        }
    }
}

#[test]
fn mi_7_first_the_pone_then_the_dealer_who_knows_what_the_pone_said() {
    let mut game = Match::laid();
    let all: Vec<Move> = ["rank", "suit", "chuck"].into_iter().map(declare).collect();
    assert_eq!(game.house.legal(seat(PONE)), all);
    assert_eq!(game.house.legal(seat(DEALER)), []);
    assert_eq!(game.refusal(DEALER, &declare("rank")), Refusal::NotYourTurn);
    assert_eq!(game.state(DEALER)["pone_declared"], Value::Null);
    game.plays(PONE, &declare("suit"));
    assert_eq!(game.house.legal(seat(DEALER)), all);
    assert_eq!(game.house.legal(seat(PONE)), []);
    assert_eq!(game.state(DEALER)["pone_declared"], "suit");
    assert_eq!(game.refusal(PONE, &declare("rank")), Refusal::NotYourTurn);
}

#[test]
fn mi_7_rank_suit_or_chuck_and_no_other_word() {
    let mut game = Match::laid();
    let wrong = ["", "Rank", "ranks", "rank ", "both", "QS", "null"];
    for word in wrong {
        assert_eq!(game.clause(PONE, &declare(word)), "MI-7", "{word}");
    }
    for mv in [cut(0), hostile(&game.hand(PONE)[0]), pensive(&[&game.hand(PONE)[0], &game.hand(PONE)[1]])] {
        assert_eq!(game.clause(PONE, &mv), "MI-7");
    }
    game.plays(PONE, &declare("rank"));
    for word in wrong {
        assert_eq!(game.clause(DEALER, &declare(word)), "MI-7", "{word}");
    }
    assert_eq!(game.clause(DEALER, &cut(0)), "MI-7");
    game.plays(DEALER, &declare("rank"));
}

#[test]
fn ru_10_steps_count_the_decisions_from_1() {
    let mut game = Match::new();
    for round in 0..3u32 {
        let steps = |game: &Match| game.step() - 5 * round;
        let pone = number(&game.state(0)["pone"]);
        assert_eq!(steps(&game), 1);
        game.plays(pone, &cut(0));
        assert_eq!(steps(&game), 2);
        game.plays(pone, &game.house.legal(seat(pone))[0].clone());
        assert_eq!(steps(&game), 2, "a sealed step of both seats is one decision");
        game.plays(1 - pone, &game.house.legal(seat(1 - pone))[0].clone());
        assert_eq!(steps(&game), 3);
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        assert_eq!(steps(&game), 4);
        game.plays(pone, &declare("chuck"));
        assert_eq!(steps(&game), 5);
        game.plays(1 - pone, &declare("chuck"));
        assert_eq!(steps(&game), 6);
    }
}
