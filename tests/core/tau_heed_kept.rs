//! Tau Heed Kept, clause by clause: each test names the clauses of `rules-1.md` that it tries.
//!
//! Positions are played out from stacked decks, through `judge` and `apply` as a table does it; what needs a table,
//! seeds or a log is played at one.

use croupier::cards::Card;
use croupier::game::{Action, Decided, ForfeitReason, Game};
use croupier::game::{Chance, DrawInputs, Outcome, Refused, Viewer, act, play};
use croupier::games::tau_heed_kept::{Move, Options, Rules};
use croupier::seat::{BySeat, Seat};
use croupier::seed_chain::SeedChain;
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use crate::support::{game_id, read, seat};

mod corners;
mod endings;
mod everywhere;
mod forfeits;
mod forms;
mod growth;
mod ranking;
mod turns;
mod views;

fn place(card: &str, x: i64, y: i64) -> Value {
    json!({"type": "place", "card": card, "x": x, "y": y})
}

fn place_in_order(card: &str, x: i64, y: i64, corners: &[[i64; 2]]) -> Value {
    json!({"type": "place", "card": card, "x": x, "y": y, "corners": corners})
}

fn pass() -> Value {
    json!({"type": "pass"})
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

/// A fact of a turn that begins.
fn turn(seat: usize, drew: bool, deck: usize) -> Value {
    json!({"type": "tau_turn", "seat": seat, "drew": drew, "deck": deck})
}

fn automatic_pass(seat: usize) -> Value {
    json!({"type": "tau_automatic_pass", "seat": seat})
}

fn forfeit(seat: usize, reason: &str) -> Value {
    json!({"type": "forfeit", "seat": seat, "reason": reason})
}

/// A game from stacked decks, and the facts of the last thing that happened.
#[derive(Clone)]
struct Stacked {
    rules: Rules,
    facts: Vec<Value>,
}

impl Stacked {
    /// Decks from the top down, one a seat, as short as a test needs them.
    fn new(options: Value, decks: &[&str]) -> Self {
        let options: Options = read(options);
        let decks: BySeat<Vec<Card>> = decks.iter().map(|deck| cards(deck)).collect();
        let (rules, facts) = with_chance(|chance| Rules::begin(&options, decks, chance));
        Self { rules, facts }
    }

    /// Any four neighbours link, so that a test can build what it likes.
    fn any(decks: &[&str]) -> Self {
        Self::new(json!({"growth": "any"}), decks)
    }

    fn sides(decks: &[&str]) -> Self {
        Self::new(json!({}), decks)
    }

    /// A legal move, by the seat that has the turn.
    #[track_caller]
    fn play(&mut self, mv: Value) -> &[Value] {
        let (turn, mv): (Seat, Move) = (seat(self.turn()), read(mv));
        let (result, facts) = with_chance(|chance| play(&mut self.rules, turn, &mv, Timestamp::MAX, chance));
        assert_eq!(result, Ok(Decided::Yes), "{mv:?}");
        self.facts = facts;
        &self.facts
    }

    #[track_caller]
    fn all(mut self, moves: &[Value]) -> Self {
        for mv in moves {
            self.play(mv.clone());
        }
        self
    }

    /// The clause that a move of the seat at turn breaks.
    #[track_caller]
    fn clause(&self, mv: Value) -> &'static str {
        self.clause_for(self.turn(), mv)
    }

    #[track_caller]
    fn clause_for(&self, number: usize, mv: Value) -> &'static str {
        let mut copy = self.clone();
        let mv: Move = read(mv);
        let before = format!("{:?}", self.rules);
        let (result, facts) = with_chance(|chance| play(&mut copy.rules, seat(number), &mv, Timestamp::MAX, chance));
        let Err(Refused::Illegal(illegal)) = result else { panic!("{mv:?} was accepted") };
        assert!(facts.is_empty() && format!("{:?}", copy.rules) == before, "RU-3: a refusal changed something");
        assert!(!self.rules.legal(seat(number)).contains(&mv), "{mv:?} is listed");
        illegal.clause
    }

    fn forfeits(&mut self, number: usize) -> Decided {
        let action = Action::Forfeit(seat(number), ForfeitReason::Resigned);
        let (decided, facts) = with_chance(|chance| act(&mut self.rules, action, Timestamp::MAX, chance));
        self.facts = facts;
        decided.unwrap()
    }

    /// The seat that has the turn.
    #[track_caller]
    fn turn(&self) -> usize {
        match self.rules.outcome() {
            Outcome::Turn(seat) => seat.index(),
            other => panic!("nobody's turn: {other:?}"),
        }
    }

    /// Winners, scores and reason, once it is over.
    #[track_caller]
    fn result(&self) -> (Vec<usize>, Vec<i64>, String) {
        let Outcome::Over(result) = self.rules.outcome() else { panic!("{:?}", self.rules.outcome()) };
        let reason = serde_json::to_value(result.reason).unwrap().as_str().unwrap().to_owned();
        (result.winners.iter().map(|seat| seat.index()).collect(), result.scores.clone(), reason)
    }

    fn legal(&self, number: usize) -> Vec<Value> {
        self.rules.legal(seat(number)).iter().map(|mv| serde_json::to_value(mv).unwrap()).collect()
    }

    /// The cells that the seat at turn may lay this card on.
    fn cells(&self, card: &str) -> Vec<(i64, i64)> {
        let legal = self.legal(self.turn()).into_iter().filter(|mv| mv["card"] == card);
        legal.map(|mv| (mv["x"].as_i64().unwrap(), mv["y"].as_i64().unwrap())).collect()
    }

    fn state(&self, viewer: Viewer) -> Value {
        serde_json::to_value(self.rules.view(viewer)).unwrap()
    }

    fn public(&self) -> Value {
        self.state(Viewer::Public)
    }

    fn hand(&self, number: usize) -> Vec<String> {
        let state = self.state(Viewer::Seat(seat(number)));
        serde_json::from_value(state["hands"][number]["cards"].clone()).unwrap()
    }

    /// What lies on a cell.
    fn card_at(&self, x: i64, y: i64) -> Option<String> {
        let state = self.public();
        let table = state["table"].as_array().unwrap();
        let card = table.iter().find(|card| card["x"] == x && card["y"] == y);
        card.map(|card| card["card"].as_str().unwrap().to_owned())
    }

    /// The corners with a card on them and their owners.
    fn backs(&self) -> Vec<(i64, i64, u64)> {
        let state = self.public();
        let backs = state["backs"].as_array().unwrap().iter();
        backs.map(|b| (b["x"].as_i64().unwrap(), b["y"].as_i64().unwrap(), b["owner"].as_u64().unwrap())).collect()
    }

    /// The corners that the last placement settled, with the card that claimed each.
    fn settled(&self) -> Vec<(i64, i64, Option<String>)> {
        let corners = self.facts.iter().filter(|fact| fact["type"] == "tau_corner");
        let winner = |fact: &Value| fact["winner"]["card"].as_str().map(str::to_owned);
        corners.map(|fact| (fact["x"].as_i64().unwrap(), fact["y"].as_i64().unwrap(), winner(fact))).collect()
    }
}

/// What happens, and the facts that it tells. The decks being stacked, no draw is made.
fn with_chance<T>(what: impl FnOnce(&mut Chance<'_>) -> T) -> (T, Vec<Value>) {
    let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(0, |_| None) };
    let seeds = SeedChain::new(&[0; 32]);
    let mut chance = Chance::new(&inputs, &seeds, 0);
    let result = what(&mut chance);
    (result, chance.into_facts().iter().map(|fact| serde_json::to_value(fact).unwrap()).collect())
}

/// A claimed corner, in short.
fn claimed(x: i64, y: i64, card: &str) -> (i64, i64, Option<String>) {
    (x, y, Some(card.to_owned()))
}

/// The worked example up to the last card but one: a 6 upright at the origin, a 3 on it, a 5 on that, and a ten in hand.
fn three_of_the_example(deck: &str) -> Stacked {
    Stacked::sides(&[deck]).all(&[place("3H", 1, 0), place("5D", 1, 1)])
}
