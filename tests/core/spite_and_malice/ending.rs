//! Rounds and matches, and how they end (SM-11 to SM-16, RU-8).

use std::collections::BTreeSet;

use croupier::cards::Card;
use croupier::game::{Chance, DrawInputs, Game, Outcome, Reason, Viewer, play};
use croupier::games::Kind;
use croupier::games::spite_and_malice::{Move as SpiteMove, Options, Rules, View as SpiteView};
use croupier::seat::BySeat;
use croupier::seed_chain::SeedChain;
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use super::{Match, number};
use crate::support::{Rng, bytes, data, facts, facts_of, game_id, read, types};

// SM-11, SM-15.

#[test]
fn sm_11_sm_15_matches_go_from_round_to_round_until_a_player_has_the_target() {
    let mut rng = Rng::new(11);
    let mut reasons = BTreeSet::new();
    for (i, target) in [1, 4, 9, 17].into_iter().enumerate() {
        let mut game = Match::new(json!({"target": target, "decks": 4, "payoff": 5}), &format!("match {i}"));
        let (mut round, mut scores) = (1, [0, 0]);
        let mut draws = facts_of(&game.house.events, "draw").len();
        while !game.house.table.is_over() {
            let own = game.to_move();
            let before = game.open();
            let events = game.play_on(&mut rng);
            let told = facts(&events);
            let Some(at) = told.iter().position(|fact| fact["type"] == "spite_round_over") else {
                draws += facts_of(&events, "draw").len();
                assert_eq!(types(&events), ["moved"]);
                continue;
            };
            let won = told[at]["reason"] == "payoff";
            let left = number(&before["payoffs"][1 - own]["size"]);
            assert_eq!(won, told[0]["from"] == "payoff" && before["payoffs"][own]["size"] == 1);
            let mut points = [0, 0];
            points[own] = if won { left } else { 0 };
            scores = [scores[0] + points[0], scores[1] + points[1]];
            let mut payoffs = [left, left];
            payoffs[own] = number(&before["payoffs"][own]["size"]) - usize::from(won);
            let over = json!({
                "type": "spite_round_over", "round": round, "reason": told[at]["reason"],
                "winner": won.then_some(own), "payoffs": payoffs, "points": points, "scores": scores,
            });
            assert_eq!(told[at], over);
            // Before the next round's deal everything drawn so far is disclosed, and no card is shown.
            draws += told[..at].iter().filter(|fact| fact["type"] == "draw").count();
            assert_eq!(data(&events[1])["draw"], draws);
            let mut kept = over;
            kept.as_object_mut().unwrap().remove("type");
            assert_eq!(game.state(0)["last_round"], kept, "RU-11");
            assert_eq!(game.state(1)["scores"], json!(scores));
            reasons.insert(told[at]["reason"].as_str().unwrap().to_owned());
            if won && scores[own] >= target {
                assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
                let result = json!({"winners": [own], "scores": scores, "reason": "target"});
                assert_eq!(data(&events[2]), json!({"result": result}));
                assert_eq!(told.len(), at + 1, "no next round begins");
                assert_eq!(game.house.table.step(), None);
                continue;
            }
            assert_eq!(types(&events), ["moved", "disclosed"]);
            draws += told[at..].iter().filter(|fact| fact["type"] == "draw").count();
            round += 1;
            assert_eq!(
                told[at + 1],
                json!({"type": "draw", "draw": data(&events[1])["draw"].as_u64().unwrap() + 1, "purpose": "deal"})
            );
            assert_eq!((&told[at + 2]["type"], &told[at + 2]["round"]), (&json!("spite_deal"), &json!(round)));
            assert_eq!(told.last().unwrap(), &json!({"type": "first_turn", "seat": game.to_move()}));
            let state = game.state(0);
            assert_eq!((&state["round"], &state["turn"]), (&json!(round), &json!(1)));
            assert_eq!(state["stock"]["size"], 188, "all cards are dealt anew");
        }
        assert!(scores.iter().max().unwrap() >= &target);
    }
    assert!(reasons.contains("payoff"));
}

// SM-13, SM-14.

#[test]
fn sm_13_when_nobody_plays_the_stock_runs_out_and_the_round_is_a_tie() {
    let mut game = Match::new(json!({"payoff": 30}), "stock");
    for round in 1..=3 {
        // 34 cards in the stock: one drawn in each turn from the third on. Turn 36 takes the last, turn 37 finds none.
        for turn in 1..=35 {
            assert_eq!(game.state(0)["turn"], turn);
            let events = game.only_discards(turn);
            let drawn: Vec<Value> = facts_of(&events, "cards_drawn");
            let stock = if turn == 1 { None } else { Some(json!(34 - (turn - 1))) };
            assert_eq!(drawn.first().map(|fact| fact["stock"].clone()), stock);
            assert!(facts_of(&events, "spite_round_over").is_empty());
        }
        assert_eq!(game.state(0)["stock"]["size"], 0, "that alone ends nothing");
        let other = 1 - game.to_move();
        let events = game.only_discards(36);
        let told = facts(&events);
        let drawn = json!({"type": "cards_drawn", "seat": other, "count": 0, "hand": 4, "stock": 0});
        let over = json!({
            "type": "spite_round_over", "round": round, "reason": "stock", "winner": null,
            "payoffs": [30, 30], "points": [0, 0], "scores": [0, 0],
        });
        assert_eq!(told[..2], [drawn, over]);
        assert_eq!(types(&events), ["moved", "disclosed"]);
        assert_eq!(game.state(0)["round"], round + 1);
    }
}

#[test]
fn sm_14_there_is_always_a_discard_and_no_pass() {
    let mut game = Match::new(json!({}), "no pass");
    let mut rng = Rng::new(14);
    let mut both = 0;
    for _ in 0..200 {
        let legal = game.legal();
        let discards = legal.iter().filter(|mv| json!(mv)["type"] == "discard").count();
        assert!(discards >= 4 && discards % 4 == 0);
        both += usize::from(discards < legal.len());
        game.play_on(&mut rng);
    }
    assert!(both > 50, "and one may discard although plays exist");
    for name in ["pass", "draw", "end_turn"] {
        assert!(Kind::SpiteAndMalice.read_move(json!({"type": name})).is_err());
    }
}

// SM-16, RU-8: long matches, without a table.

struct Bare {
    game: Rules,
    inputs: DrawInputs,
    chain: SeedChain,
    drawn: u32,
}

impl Bare {
    fn new(options: Value) -> Self {
        let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(2, |_| None) };
        let chain = SeedChain::new(&bytes("bare"));
        let options: Options = read(options);
        let mut chance = Chance::new(&inputs, &chain, 0);
        let game = Rules::deal(&options, 2, Timestamp::MAX, &mut chance).unwrap();
        let drawn = chance.drawn();
        Self { game, inputs, chain, drawn }
    }

    fn plays(&mut self, mv: &SpiteMove) -> Vec<Value> {
        let Outcome::Turn(seat) = self.game.outcome() else { panic!("it is over") };
        let mut chance = Chance::new(&self.inputs, &self.chain, self.drawn);
        play(&mut self.game, seat, mv, Timestamp::MAX, &mut chance).unwrap();
        self.drawn = chance.drawn();
        chance.into_facts().iter().map(|fact| json!(fact)).collect()
    }

    fn legal(&self) -> Vec<SpiteMove> {
        let Outcome::Turn(seat) = self.game.outcome() else { return Vec::new() };
        self.game.legal(seat)
    }
}

#[test]
fn sm_16_after_round_500_the_match_is_a_draw() {
    let mut bare = Bare::new(json!({"payoff": 30}));
    let (mut last, mut turns) = (Vec::new(), 0);
    while let Some(mv) = bare.legal().pop() {
        last = bare.plays(&mv);
        turns += 1;
    }
    assert_eq!(turns, 500 * 36, "nobody ever plays");
    assert_eq!((&last[1]["type"], &last[1]["round"]), (&json!("spite_round_over"), &json!(500)));
    assert_eq!(last.len(), 2);
    let Outcome::Over(result) = bare.game.outcome() else { panic!("it goes on") };
    assert_eq!(
        (result.winners.as_slice(), result.scores.as_slice(), result.reason),
        (&[][..], &[0, 0][..], Reason::Cap)
    );
    assert_eq!(bare.game.disclosable(), bare.drawn);
}

#[test]
fn sm_16_after_turn_2000_the_round_is_a_tie_and_the_match_goes_on() {
    let mut bare = Bare::new(json!({"decks": 4, "payoff": 5}));
    let (turn, told) = loop {
        let view = bare.game.view(Viewer::Public);
        let mv = gets_nowhere(&view, &bare.legal());
        let told = bare.plays(&mv);
        if told.iter().any(|fact| fact["type"] == "spite_round_over") {
            assert!(matches!(mv, SpiteMove::Discard(_)), "the turn has ended with its discard");
            break (view.turn.unwrap(), told);
        }
    };
    assert_eq!(turn, 2_000);
    let over = json!({
        "type": "spite_round_over", "round": 1, "reason": "cap", "winner": null,
        "payoffs": [5, 5], "points": [0, 0], "scores": [0, 0],
    });
    assert_eq!(told[0], over, "and nobody draws before it");
    assert_eq!(told[1]["purpose"], "deal");
    let view = bare.game.view(Viewer::Public);
    assert_eq!((view.round, view.turn), (2, Some(1)));
}

/// Any play that leaves the pay-off pile alone, or else the discard that buries the least: best on a card that is one
/// higher, then on an empty place, then on the smallest stack.
fn gets_nowhere(view: &SpiteView, legal: &[SpiteMove]) -> SpiteMove {
    let own = view.to_move.unwrap();
    let cost = |mv: &&SpiteMove| match mv {
        SpiteMove::PlaySide(_) | SpiteMove::PlayHand(_) => 0,
        SpiteMove::Discard(discard) => {
            let stack = &view.sides[own][usize::try_from(discard.side).unwrap()];
            let rank = |card: &Card| usize::from(card.rank().number());
            match stack.last() {
                Some(top) if rank(top) == rank(&discard.card.parse().unwrap()) + 1 => 1,
                None => 2,
                Some(_) => 3 + stack.len(),
            }
        }
        SpiteMove::PlayPayoff(_) => usize::MAX,
    };
    legal.iter().min_by_key(cost).unwrap().clone()
}
