//! What may be played where, and what it does (SM-6 to SM-9).

use std::collections::BTreeSet;

use croupier::cards::{Card, Rank};
use croupier::games::spite_and_malice::{next_rank, stands_for};
use croupier::table::{Awaits, Refusal};
use serde_json::{Value, json};

use super::{Match, discard, number, pack, play_hand, play_payoff, play_side, texts};
use crate::support::{Rng, facts, facts_of, seat, types};

/// What the seat to move may do, written out once more from SM-6 to SM-8.
fn moves(open: &Value, own: usize) -> Vec<Value> {
    let heights: Vec<usize> = (0..3).map(|i| open["centres"][i]["cards"].as_array().unwrap().len()).collect();
    let fits = |card: &str| -> Vec<usize> {
        let rank = "A23456789TJQK".find(&card[..1]).unwrap();
        (0..3).filter(|centre| rank == 12 || rank == heights[*centre]).collect()
    };
    let mut moves = Vec::new();
    let top = open["payoffs"][own]["top"].as_str().unwrap();
    moves.extend(fits(top).iter().map(|centre| json!({"type": "play_payoff", "centre": centre})));
    for side in 0..4 {
        if let Some(top) = open["sides"][own][side].as_array().unwrap().last() {
            let to = fits(top.as_str().unwrap());
            moves.extend(to.iter().map(|centre| json!({"type": "play_side", "side": side, "centre": centre})));
        }
    }
    let mut hand: Vec<String> = Vec::new();
    for card in texts(&open["hands"][own]["cards"]) {
        if !hand.contains(&card) {
            hand.push(card);
        }
    }
    for card in &hand {
        moves.extend(fits(card).iter().map(|centre| json!({"type": "play_hand", "card": card, "centre": centre})));
    }
    for card in &hand {
        moves.extend((0..4).map(|side| json!({"type": "discard", "card": card, "side": side})));
    }
    moves
}

#[test]
fn sm_6_sm_7_sm_8_the_legal_moves_in_their_order() {
    let mut rng = Rng::new(6);
    let mut seen = BTreeSet::new();
    for root in 0..4 {
        let mut game = Match::new(json!({"payoff": 8, "target": 500}), &format!("moves {root}"));
        for _ in 0..120 {
            let own = game.to_move();
            let legal = game.legal();
            assert_eq!(json!(legal), json!(moves(&game.open(), own)));
            assert_eq!(game.house.legal(seat(1 - own)), []);
            seen.extend(legal.iter().map(|mv| json!(mv)["type"].as_str().unwrap().to_owned()));
            let among = if rng.once_in(2) { legal.len() } else { 1 };
            let mv = rng.pick(&legal[..among]).clone();
            game.plays(&mv);
        }
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn sm_6_a_play_moves_its_card_and_tells_what_it_stands_for() {
    let mut game = Match::new(json!({"decks": 3}), "plays");
    let mut rng = Rng::new(61);
    let mut sources = BTreeSet::new();
    for _ in 0..250 {
        let own = game.to_move();
        let before = game.open();
        let legal = game.legal();
        let mv = if rng.once_in(3) { rng.pick(&legal).clone() } else { legal[0].clone() };
        let events = game.plays(&mv);
        let mv = json!(mv);
        let Some(centre) = mv["centre"].as_u64() else { continue };
        let from = mv["type"].as_str().unwrap().trim_start_matches("play_");
        let card = match from {
            "payoff" => before["payoffs"][own]["top"].clone(),
            "side" => before["sides"][own][number(&mv["side"])].as_array().unwrap().last().unwrap().clone(),
            _ => mv["card"].clone(),
        };
        let height = number(&before["centres"][number(&json!(centre))]["height"]);
        let rank = "A23456789TJQ".chars().nth(height).unwrap().to_string();
        let side = mv.get("side").cloned().unwrap_or(Value::Null);
        let expected = json!({
            "type": "centre_play", "seat": own, "from": from, "side": side, "card": card, "centre": centre,
            "stands_for": rank,
        });
        let told = facts(&events);
        assert_eq!(told[0], expected);
        // RU-11: it stays in view, whatever the card led to.
        let mut kept = expected;
        kept.as_object_mut().unwrap().remove("type");
        assert_eq!(json!(game.house.table.view(None).state)["last_play"], kept);
        sources.insert((from.to_owned(), card.as_str().unwrap().starts_with('K')));
        if from == "payoff" && facts_of(&events, "spite_round_over").is_empty() {
            let pile = texts(&before["payoffs"][own]["cards"]);
            let turned = json!({"type": "payoff_turned", "seat": own, "card": pile[1], "left": pile.len() - 1});
            assert_eq!(told[1], turned);
            assert_eq!(game.state(1 - own)["payoffs"][own]["top"], pile[1], "for both players");
        }
        if height < 11 && facts_of(&events, "spite_round_over").is_empty() {
            let cards = json!(game.house.table.view(None).state)["centres"][number(&json!(centre))]["cards"].clone();
            assert_eq!(cards[height], json!({"card": card, "stands_for": rank}));
            assert_eq!(cards.as_array().unwrap().len(), height + 1);
        }
    }
    assert_eq!(sources.len(), 6, "kings and others, from everywhere: {sources:?}");
}

#[test]
fn sm_6_there_are_no_other_moves() {
    let mut game = Match::new(json!({}), "refused");
    let own = game.to_move();
    for side in 0..4 {
        for centre in 0..3 {
            assert_eq!(game.clause(&play_side(side, centre)), "SM-6", "an empty side stack");
        }
    }
    let state = game.state(own);
    let hand = texts(&state["hands"][own]["cards"]);
    // Neither the pay-off card nor a card of the opponent can be discarded or played from the hand.
    let mut foreign = texts(&game.open()["hands"][1 - own]["cards"]);
    foreign.extend(state["payoffs"][own]["top"].as_str().map(str::to_owned));
    foreign.extend(["X1", "", "10S", "qs", " QS", "QSS"].map(str::to_owned));
    for card in foreign.iter().filter(|card| !hand.contains(card)) {
        assert_eq!(game.clause(&discard(card, 0)), "SM-6", "{card}");
        assert_eq!(game.clause(&play_hand(card, 0)), "SM-6", "{card}");
    }
    for far in [-1, 3, 4, 255, 256, 1 << 32, (1 << 53) - 1, -((1 << 53) - 1)] {
        assert_eq!(game.clause(&play_payoff(far)), "SM-2", "{far}");
        assert_eq!(game.clause(&play_hand(&hand[0], far)), "SM-2", "{far}");
        assert_eq!(game.clause(&play_side(0, far)), "SM-2", "{far}");
        if far != 3 {
            assert_eq!(game.clause(&play_side(far, 0)), "SM-2", "{far}");
            assert_eq!(game.clause(&discard(&hand[0], far)), "SM-2", "{far}");
        }
    }
    // Out of turn.
    let other = &game.players[1 - own];
    let theirs = texts(&game.open()["hands"][1 - own]["cards"])[0].clone();
    for mv in [discard(&theirs, 0), play_payoff(0)] {
        assert_eq!(game.house.refusal(&other.decide(&game.house, &mv)), Refusal::NotYourTurn);
    }
    assert_eq!(game.house.view(seat(own)).awaits, Some(Awaits::Move));
    // Nothing is left of what was refused.
    assert_eq!(game.state(own), state);
    game.plays(&discard(&hand[0], 3));
    assert_eq!(game.to_move(), 1 - own, "the discard ends the turn");
    assert_eq!(game.state(0)["sides"][own], json!([[], [], [], [hand[0]]]));
    // The opponent's side stack is out of reach: the own one of that number is empty.
    assert_eq!(game.clause(&play_side(3, 0)), "SM-6");
}

#[test]
fn ru_5_a_refusal_is_the_same_wherever_the_card_lies() {
    let game = Match::new(json!({}), "answers");
    let own = texts(&game.state(game.to_move())["hands"][game.to_move()]["cards"]);
    let player = &game.players[game.to_move()];
    let refused: BTreeSet<String> = pack(1)
        .iter()
        .filter(|card| !own.contains(card))
        .map(|card| game.house.refusal(&player.decide(&game.house, &discard(card, 0))).to_string())
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
}

// SM-7, SM-8.

#[test]
fn sm_7_sm_8_what_fits_on_which_height_and_what_it_stands_for() {
    let next = "A23456789TJQ";
    for height in 0..=12 {
        assert_eq!(next_rank(height).map(|rank| rank.to_string()), next.chars().nth(height).map(String::from));
        for card in Card::full_deck() {
            let fits = height < 12 && (card.rank() == Rank::King || usize::from(card.rank().number()) == height + 1);
            let rank = next.chars().nth(height).filter(|_| fits).map(String::from);
            assert_eq!(stands_for(card, height).map(|rank| rank.to_string()), rank, "{card} on {height}");
        }
    }
}

#[test]
fn sm_7_sm_8_the_worked_examples_of_building() {
    let put = |card: &str, height: usize| stands_for(card.parse().unwrap(), height).map(|rank| rank.to_string());
    for (card, height, stands) in [
        ("AD", 0, Some("A")),
        ("2S", 1, Some("2")),
        ("3H", 2, Some("3")),
        ("KS", 10, Some("J")),
        ("JD", 11, None),
        ("QH", 11, Some("Q")),
        ("KD", 11, Some("Q")),
        ("QH", 10, None),
        ("KC", 0, Some("A")),
        ("2D", 1, Some("2")),
        ("AS", 1, None),
        ("QS", 12, None),
        ("KS", 12, None),
    ] {
        assert_eq!(put(card, height).as_deref(), stands, "{card} on height {height}");
    }
}

// SM-9.

#[test]
fn sm_9_a_complete_stack_goes_into_the_stock_by_the_next_draw() {
    let mut game = Match::new(json!({"decks": 4, "payoff": 30}), "recycled");
    let mut rng = Rng::new(9);
    let (mut draws, mut recycled) = (facts_of(&game.house.events, "draw").len(), 0);
    while recycled < 6 {
        let before = game.open();
        let mv = game.legal()[0].clone();
        let complete = json!(mv)["centre"]
            .as_u64()
            .filter(|centre| before["centres"][usize::try_from(*centre).unwrap()]["height"] == 11);
        let events = game.play_on(&mut rng);
        assert!(facts_of(&events, "spite_round_over").is_empty(), "these piles are large");
        let Some(centre) = complete else {
            assert!(facts_of(&events, "draw").is_empty());
            continue;
        };
        draws += 1;
        recycled += 1;
        let played = facts_of(&events, "centre_play")[0].clone();
        assert_eq!(played["stands_for"], "Q", "a queen, or a king on a jack");
        let draw = json!({"type": "draw", "draw": draws, "purpose": "recycle"});
        assert_eq!(facts_of(&events, "draw"), [draw]);
        let mut pile = texts(&before["stock"]["cards"]);
        let stack = before["centres"][usize::try_from(centre).unwrap()]["cards"].as_array().unwrap().clone();
        pile.extend(stack.iter().map(|card| card["card"].as_str().unwrap().to_owned()));
        pile.push(played["card"].as_str().unwrap().to_owned());
        game.shuffled(u32::try_from(draws).unwrap(), &mut [&mut pile]);
        let told = json!({"type": "stack_recycled", "centre": centre, "stock": pile.len()});
        assert_eq!(facts_of(&events, "stack_recycled"), [told]);
        let drawn = facts_of(&events, "cards_drawn").iter().map(|fact| number(&fact["count"])).sum::<usize>();
        assert_eq!(game.open()["stock"]["cards"], json!(pile[drawn..]));
        // Nobody sees more of it than its size.
        let empty = json!({"height": 0, "needs": "A", "cards": []});
        for state in [game.state(0), game.state(1), json!(game.house.table.view(None).state)] {
            assert_eq!(state["stock"], json!({"size": pile.len() - drawn, "cards": null}));
            assert_eq!(state["centres"][usize::try_from(centre).unwrap()], empty);
            assert_eq!(state["last_recycled"], json!({"centre": centre, "stock": pile.len()}));
        }
        assert_eq!(types(&events), ["moved"], "the draw stays a secret while the round is on");
    }
}
