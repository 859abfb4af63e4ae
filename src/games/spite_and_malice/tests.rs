//! Positions that play comes to seldom, set up card by card; each test names the clauses that it tries. Whole games, and
//! everything that needs no position of its own, are tried from outside, in `tests/core`.

use serde_json::{Value, json};

use super::*;

use crate::draw::Numbers;
use crate::game::{DrawInputs, act};
use crate::hex32::ServerSeed;
use crate::seed_chain::ServerSeeds;

mod hidden;
mod plays;
mod rounds;

/// A chain of seeds as good as any.
struct Seeds;

impl ServerSeeds for Seeds {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        Some(ServerSeed::new([draw as u8; 32]))
    }
}

fn inputs(game: u64) -> DrawInputs {
    let game = format!("01980000-0000-7000-8000-{game:012x}").parse().unwrap();
    DrawInputs { game, player_seeds: BySeat::from_fn(PLAYERS, |_| None) }
}

fn seat(number: usize) -> Seat {
    Seat::new(number).unwrap()
}

/// Cards as people write them: of a pile from the bottom up, of a hand in the order in which they joined.
fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

/// A stack of this height: clubs from the ace on.
fn stack(height: usize) -> Vec<Card> {
    Card::full_deck().take(height).collect()
}

fn mv(value: Value) -> Move {
    serde_json::from_value(value).unwrap()
}

fn payoff(centre: i64) -> Move {
    mv(json!({"type": "play_payoff", "centre": centre}))
}

fn side(side: i64, centre: i64) -> Move {
    mv(json!({"type": "play_side", "side": side, "centre": centre}))
}

fn hand(card: &str, centre: i64) -> Move {
    mv(json!({"type": "play_hand", "card": card, "centre": centre}))
}

fn discard(card: &str, side: i64) -> Move {
    mv(json!({"type": "discard", "card": card, "side": side}))
}

/// A match in its third round, in the middle of seat 0's ninth turn of the round: seat 1 holds five cards, each pay-off
/// pile has seven. Everything else is up to the test.
struct Position {
    game: Rules,
    inputs: DrawInputs,
    drawn: u32,
}

impl Position {
    fn new(own_hand: &str, heights: [usize; 3], stock: &str) -> Self {
        let options = serde_json::from_value(json!({})).unwrap();
        let inputs = inputs(1);
        let mut game = Rules::deal(&options, PLAYERS, Timestamp::MAX, &mut Chance::new(&inputs, &Seeds, 0)).unwrap();
        game.round = 3;
        game.phase = Phase::Turn(Turn { seat: seat(0), number: 17 });
        game.table = Layout {
            payoffs: [cards("2D 3D 4D 5D 6D 7D 8D"), cards("2H 3H 4H 5H 6H 7H 8H")].into_iter().collect(),
            hands: [cards(own_hand), cards("9H TH JH QH KH")].into_iter().collect(),
            sides: BySeat::from_fn(PLAYERS, |_| Default::default()),
            centres: heights.map(stack),
            stock: cards(stock),
        };
        Self { game, inputs, drawn: 10 }
    }

    /// Seat 0's pay-off pile, from the bottom up.
    fn payoff(mut self, own: &str) -> Self {
        self.game.table.payoffs[seat(0)] = cards(own);
        self
    }

    fn table(&self) -> &Layout {
        &self.game.table
    }

    /// The facts of what a seat plays.
    #[track_caller]
    fn plays(&mut self, number: usize, mv: &Move) -> Vec<Value> {
        assert!(self.game.legal(seat(number)).contains(mv), "{mv:?} is not listed");
        let before = self.all_cards();
        let legal = self.game.judge(seat(number), mv).unwrap();
        let round = self.game.round;
        let mut chance = Chance::new(&self.inputs, &Seeds, self.drawn);
        act(&mut self.game, Action::Move(seat(number), legal), Timestamp::MAX, &mut chance).unwrap();
        self.drawn = chance.drawn();
        if self.game.round == round {
            assert_eq!(self.all_cards(), before, "RU-6");
        }
        chance.into_facts().iter().map(|fact| serde_json::to_value(fact).unwrap()).collect()
    }

    /// The clause that a move of seat 0 breaks; nothing has changed then.
    #[track_caller]
    fn clause(&self, mv: &Move) -> &'static str {
        assert!(!self.game.legal(seat(0)).contains(mv), "{mv:?} is listed");
        self.game.judge(seat(0), mv).unwrap_err().clause
    }

    fn all_cards(&self) -> Vec<Card> {
        let table = self.table();
        let piles = table.payoffs.as_slice().iter().chain(table.hands.as_slice()).chain(&table.centres);
        let sides = table.sides.as_slice().iter().flatten();
        let mut all: Vec<Card> = piles.chain(sides).chain([&table.stock]).flatten().copied().collect();
        all.sort();
        all
    }
}

fn types(facts: &[Value]) -> Vec<&str> {
    facts.iter().map(|fact| fact["type"].as_str().unwrap()).collect()
}
