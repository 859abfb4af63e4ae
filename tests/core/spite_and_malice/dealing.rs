//! The deal, and who begins (SM-1 to SM-5).

use std::collections::BTreeSet;

use croupier::cards::Card;
use croupier::games::Kind;
use croupier::games::spite_and_malice::first_turn;
use croupier::seat::BySeat;
use serde_json::{Value, json};

use super::{Match, pack, texts};
use crate::support::{Rng, data, facts, facts_of, seat, types};

// SM-1 to SM-3.

#[test]
fn sm_1_two_players_and_no_other_number() {
    assert_eq!(Kind::SpiteAndMalice.seats(), (2, 2));
    let options = Kind::SpiteAndMalice.read_options(json!({})).unwrap();
    for (seats, fits) in [(0, false), (1, false), (2, true), (3, false), (20, false)] {
        assert_eq!(options.fits(seats).is_ok(), fits, "{seats} seats");
        assert!(fits || options.fits(seats).unwrap_err().clause == "SM-1");
    }
}

#[test]
fn sm_1_sm_2_sm_3_every_card_of_the_deal_is_in_its_place() {
    for (decks, payoff, stock) in [(2, 20, 54), (2, 30, 34), (2, 5, 84), (3, 7, 132), (4, 5, 188), (4, 30, 138)] {
        let options = json!({"decks": decks, "payoff": payoff});
        // A deal whose first tops differ, so that the pay-off piles lie as they were dealt.
        let game = (0..)
            .map(|i| Match::new(options.clone(), &format!("deal {i}")))
            .find(|game| facts_of(&game.house.events, "payoffs_reshuffled").is_empty());
        let game = game.unwrap();
        let mut deck = pack(decks);
        assert_eq!(deck.len(), 52 * decks);
        game.shuffled(1, &mut [&mut deck]);
        let open = game.open();
        let (hands, rest) = (&deck[2 * payoff..2 * payoff + 10], &deck[2 * payoff + 10..]);
        for number in [0, 1] {
            let pile = &deck[number * payoff..(number + 1) * payoff];
            assert_eq!(open["payoffs"][number], json!({"size": payoff, "top": pile[0], "cards": pile}));
            let hand = &hands[5 * number..5 * number + 5];
            assert_eq!(open["hands"][number], json!({"size": 5, "cards": hand}));
            // What each sees: the tops, the own hand, and sizes.
            let state = game.state(number);
            for other in [0, 1] {
                let top = &deck[other * payoff];
                assert_eq!(state["payoffs"][other], json!({"size": payoff, "top": top, "cards": null}));
                let seen = if other == number { json!(hand) } else { Value::Null };
                assert_eq!(state["hands"][other], json!({"size": 5, "cards": seen}));
            }
            assert_eq!(state["stock"], json!({"size": stock, "cards": null}));
            assert_eq!(state["sides"], json!([[[], [], [], []], [[], [], [], []]]));
            let empty = json!({"height": 0, "needs": "A", "cards": []});
            assert_eq!(state["centres"], json!([empty, empty, empty]));
        }
        assert_eq!(open["stock"], json!({"size": stock, "cards": rest}));
        assert_eq!(rest.len(), stock, "SM-2: 54 with the default options");
        let started = facts(&game.house.events);
        assert_eq!(started[0], json!({"type": "draw", "draw": 1, "purpose": "deal"}));
        assert_eq!(started[1], json!({"type": "spite_deal", "round": 1, "tops": [deck[0], deck[payoff]]}));
        assert_eq!(types(&game.house.events), ["created", "seated", "seated", "closed", "seed_opened", "started"]);
    }
}

// SM-4.

#[test]
fn sm_4_the_higher_pay_off_card_has_the_first_turn_and_a_king_is_the_lowest() {
    // From the lowest.
    let order = "KA23456789TJQ";
    for (i, first) in order.chars().enumerate() {
        for (j, second) in order.chars().enumerate() {
            for suits in ["CC", "SH"] {
                let suits: Vec<char> = suits.chars().collect();
                let cards = [format!("{first}{}", suits[0]), format!("{second}{}", suits[1])];
                let tops: BySeat<Card> = cards.iter().map(|card| card.parse().unwrap()).collect();
                let expected = if i == j { None } else { Some(seat(usize::from(j > i))) };
                assert_eq!(first_turn(&tops), expected, "{cards:?}");
            }
        }
    }
}

#[test]
fn sm_4_equal_tops_are_shuffled_again_until_they_differ_and_every_pair_is_public() {
    let mut rounds = BTreeSet::new();
    let mut firsts = BTreeSet::new();
    for root in 0..120 {
        let game = Match::new(json!({"payoff": 6}), &format!("tops {root}"));
        let told = facts(&game.house.events);
        let mut deck = pack(2);
        game.shuffled(1, &mut [&mut deck]);
        let mut piles = [deck[..6].to_vec(), deck[6..12].to_vec()];
        let mut expected = vec![
            json!({"type": "draw", "draw": 1, "purpose": "deal"}),
            json!({"type": "spite_deal", "round": 1, "tops": [piles[0][0], piles[1][0]]}),
        ];
        let mut compared = vec![json!([piles[0][0], piles[1][0]])];
        while piles[0][0][..1] == piles[1][0][..1] {
            let draw = u32::try_from(compared.len()).unwrap() + 1;
            let [first, second] = &mut piles;
            game.shuffled(draw, &mut [first, second]);
            expected.push(json!({"type": "draw", "draw": draw, "purpose": "first_turn"}));
            expected.push(json!({"type": "payoffs_reshuffled", "tops": [piles[0][0], piles[1][0]]}));
            compared.push(json!([piles[0][0], piles[1][0]]));
        }
        let order = |card: &str| "KA23456789TJQ".find(&card[..1]).unwrap();
        let first = usize::from(order(&piles[1][0]) > order(&piles[0][0]));
        expected.push(json!({"type": "first_turn", "seat": first}));
        assert_eq!(told, expected);
        assert_eq!(game.to_move(), first);
        for view in [game.state(0), game.state(1), json!(game.house.table.view(None).state)] {
            assert_eq!(view["compared"], json!(compared));
            assert_eq!(
                (&view["first_turn"], &view["to_move"], &view["turn"]),
                (&json!(first), &json!(first), &json!(1))
            );
        }
        let open = game.open();
        for number in [0, 1] {
            assert_eq!(open["payoffs"][number]["cards"], json!(piles[number]));
        }
        rounds.insert(compared.len());
        firsts.insert((first, piles[first][0][..1].to_owned(), piles[1 - first][0][..1].to_owned()));
    }
    assert!(rounds.contains(&1) && rounds.contains(&2), "{rounds:?}");
    assert!(firsts.iter().any(|(_, _, lower)| lower == "K"), "no king was compared");
}

// SM-5, SM-6.

#[test]
fn sm_5_each_turn_begins_with_a_full_hand_drawn_from_the_top() {
    let mut game = Match::new(json!({}), "turns");
    let mut rng = Rng::new(5);
    let mut drew = BTreeSet::new();
    for _ in 0..150 {
        let before = game.open();
        let own = game.to_move();
        let events = game.play_on(&mut rng);
        let drawn = facts_of(&events, "cards_drawn");
        if data(&events[0])["move"]["type"] != "discard" || !facts_of(&events, "spite_round_over").is_empty() {
            continue;
        }
        let other = 1 - own;
        let (old, stock) = (texts(&before["hands"][other]["cards"]), texts(&before["stock"]["cards"]));
        let count = 5 - old.len();
        let expected = json!({
            "type": "cards_drawn", "seat": other, "count": count, "hand": 5, "stock": stock.len() - count,
        });
        // At the first turns there is nothing to draw.
        assert_eq!(drawn, if count == 0 { vec![] } else { vec![expected] });
        let hand = [old, stock[..count].to_vec()].concat();
        assert_eq!(game.open()["hands"][other]["cards"], json!(hand), "the new ones join last, the top one first");
        assert_eq!(game.open()["stock"]["cards"], json!(stock[count..]));
        assert_eq!(game.state(own)["hands"][other], json!({"size": 5, "cards": null}));
        drew.insert(count);
    }
    assert!(drew.len() > 2, "{drew:?}");
}
