//! Positions that play comes to seldom, set up card by card; each test names the clauses that it tries. Whole games, and
//! everything that needs no position of its own, are tried from outside, in `tests/core`.

use serde_json::{Value, json};

use super::*;

use crate::draw::draw_seed;
use crate::game::{DrawInputs, act, play};
use crate::hex32::ServerSeed;
use crate::seat::BySeat;
use crate::seed_chain::{CHAIN_LENGTH, ServerSeeds};

mod battles;
mod hidden;
mod jokers;
mod laying;
mod turns;

/// A chain of seeds as good as any.
struct Seeds;

impl ServerSeeds for Seeds {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        Some(server_seed(draw))
    }
}

fn server_seed(draw: u32) -> ServerSeed {
    let mut seed = [0x6e; 32];
    seed[..4].copy_from_slice(&draw.to_le_bytes());
    ServerSeed::new(seed)
}

fn seat(number: usize) -> Seat {
    Seat::new(number).unwrap()
}

fn faces(text: &str) -> Vec<Face> {
    text.split_whitespace().map(|face| face.parse().unwrap()).collect()
}

fn shown(faces: &[Face]) -> String {
    faces.iter().map(Face::to_string).collect::<Vec<_>>().join(" ")
}

fn mv(value: Value) -> Move {
    crate::canonical::read_exactly(&value).unwrap()
}

fn attack(target: i64, slots: &[i64]) -> Move {
    mv(json!({"type": "attack", "target": target, "slots": slots}))
}

fn defend(slots: &[i64]) -> Move {
    mv(json!({"type": "defend", "slots": slots}))
}

fn pick(slot: impl Into<Option<i64>>) -> Move {
    mv(json!({"type": "pick", "slot": slot.into()}))
}

fn shuffle_hand() -> Move {
    mv(json!({"type": "shuffle_hand"}))
}

/// The draws that were made before a position: a lot, a deal, and one for each round.
const ROUND: u32 = 5;
const DRAWN: u32 = ROUND + 2;

/// A game in its fifth round, whose first turn has come: it is seat 0's, the last seat having dealt.
struct Position {
    game: Rules,
    inputs: DrawInputs,
    drawn: u32,
}

impl Position {
    /// With these hands, slot by slot, and this deck, from the top down.
    fn new(hands: &[&str], deck: &str) -> Self {
        Self::in_round(ROUND, hands, deck).0
    }

    /// As [`Position::new`], in any round; and what was told on the way to the first turn.
    fn in_round(round: u32, hands: &[&str], deck: &str) -> (Self, Vec<Value>) {
        let players = hands.len();
        let game = "01980000-0000-7000-8000-000000000001".parse().unwrap();
        let inputs = DrawInputs { game, player_seeds: BySeat::from_fn(players, |_| None) };
        let dealer = seat(players - 1);
        let general = |hand: &&str| match hand.is_empty() {
            true => General::Out,
            false => General::In { row: faces(hand), may_shuffle: true },
        };
        let drawn = round + 2;
        let game = Rules {
            options: serde_json::from_value(json!({})).unwrap(),
            dealer,
            round,
            attacked: false,
            numbers: Box::new(numbers(&inputs, drawn)),
            deck: faces(deck),
            generals: hands.iter().map(general).collect(),
            phase: Phase::Attack(dealer),
            last_battle: None,
            last_passes: Vec::new(),
            last_draws: None,
            draws: drawn,
        };
        let mut position = Self { game, inputs, drawn };
        let told = position.lets(|game, chance| game.go_on(None, chance).map(|()| Decided::No)).1;
        (position, told)
    }

    /// Lets something happen, and holds against it what is always so.
    fn lets(
        &mut self,
        act: impl FnOnce(&mut Rules, &mut Chance<'_>) -> Result<Decided, NoDraw>,
    ) -> (Decided, Vec<Value>) {
        let before = self.cards();
        let mut chance = Chance::new(&self.inputs, &Seeds, self.drawn);
        let decided = act(&mut self.game, &mut chance).unwrap();
        self.drawn = chance.drawn();
        let told = chance.into_facts().iter().map(|fact| serde_json::to_value(fact).unwrap()).collect();
        assert_eq!(self.cards(), before, "RU-6");
        (decided, told)
    }

    /// Every card over all places, sorted.
    fn cards(&self) -> Vec<Face> {
        let mut cards = self.game.deck.clone();
        self.game.generals.iter().for_each(|(_, general)| cards.extend(general.row()));
        cards.sort_unstable();
        cards
    }

    /// A legal move, listed and made; the facts.
    #[track_caller]
    fn plays(&mut self, number: usize, mv: &Move) -> Vec<Value> {
        let listed = self.game.legal(seat(number)).contains(&Rules::canonical(mv));
        assert!(listed, "seat {number} may not {mv:?}, but {:?}", self.game.legal(seat(number)));
        let (decided, told) =
            self.lets(|game, chance| Ok(play(game, seat(number), mv, Timestamp::MAX, chance).unwrap()));
        assert_eq!(decided == Decided::Yes, Rules::is_decision(mv), "RU-10");
        told
    }

    /// An attack and its answer.
    #[track_caller]
    fn battle(&mut self, attacker: usize, target: usize, slots: &[i64], answer: &[i64]) -> Vec<Value> {
        assert_eq!(self.plays(attacker, &attack(target as i64, slots)), [] as [Value; 0]);
        self.plays(target, &defend(answer))
    }

    #[track_caller]
    fn clause(&self, number: usize, mv: &Move) -> &'static str {
        let listed = self.game.legal(seat(number)).contains(&Rules::canonical(mv));
        assert!(!listed, "it is listed as legal");
        self.game.judge(seat(number), mv).unwrap_err().clause
    }

    fn forfeits(&mut self, number: usize) -> (Decided, Vec<Value>) {
        self.lets(|game, chance| {
            act(game, Action::Forfeit(seat(number), ForfeitReason::Resigned), Timestamp::MAX, chance)
        })
    }

    /// The deadline of the decision at hand is missed.
    fn times_out(&mut self) -> (Decided, Vec<Value>) {
        let Outcome::Turn(late) = self.game.outcome() else { panic!("nobody is late") };
        self.lets(|game, chance| act(game, Action::TimedOut(vec![late]), Timestamp::MAX, chance))
    }

    /// Whose decision it is.
    fn to_act(&self) -> Option<usize> {
        match self.game.outcome() {
            Outcome::Turn(seat) => Some(seat.index()),
            Outcome::Sealed(_) => panic!("nothing is sealed"),
            Outcome::Over(_) | Outcome::Nobody => None,
        }
    }

    fn row(&self, number: usize) -> String {
        shown(self.game.row(seat(number)))
    }

    fn deck(&self) -> String {
        shown(&self.game.deck)
    }

    fn view(&self, viewer: Viewer) -> Value {
        serde_json::to_value(self.game.view(viewer)).unwrap()
    }

    /// How it ended, as JSON; null if it goes on.
    fn result(&self) -> Value {
        match self.game.outcome() {
            Outcome::Over(result) => serde_json::to_value(result).unwrap(),
            _ => Value::Null,
        }
    }
}

/// The stream of numbers of a draw.
fn numbers(inputs: &DrawInputs, draw: u32) -> Numbers {
    Numbers::new(draw_seed(inputs.game, draw, &server_seed(draw), inputs.player_seeds.as_slice()))
}

/// The types of facts, in order.
fn types(facts: &[Value]) -> Vec<&str> {
    facts.iter().map(|fact| fact["type"].as_str().unwrap()).collect()
}

/// The one fact of this type.
#[track_caller]
fn fact<'a>(facts: &'a [Value], name: &str) -> &'a Value {
    let mut found = facts.iter().filter(|fact| fact["type"] == name);
    let first = found.next().unwrap_or_else(|| panic!("no {name} in {facts:?}"));
    assert!(found.next().is_none());
    first
}

fn texts(value: &Value) -> String {
    let cards = value.as_array().unwrap_or_else(|| panic!("{value} is no list"));
    cards.iter().map(|card| card.as_str().unwrap()).collect::<Vec<_>>().join(" ")
}
