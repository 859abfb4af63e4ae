//! Generals, clause by clause: each test names the clauses of `rules-1.md` that it tries. Positions that play comes to
//! seldom are tried beside the rules themselves.
//!
//! Play goes through the table, as in the service. What the cards are is worked out here from the seeds, by the words
//! of the rules text.

mod dealing;
mod forms;
mod playing;
mod shuffling;

use croupier::draw::{Numbers, draw_seed};
use croupier::event::Event;
use croupier::games::{Kind, Move};
use croupier::seed_chain::ServerSeeds;
use croupier::table::{Command, Refusal};
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, mv, seat};

fn attack(target: usize, slots: &[usize]) -> Move {
    mv(json!({"type": "attack", "target": target, "slots": slots}))
}

fn defend(slots: &[usize]) -> Move {
    mv(json!({"type": "defend", "slots": slots}))
}

fn pick(slot: impl Into<Option<usize>>) -> Move {
    mv(json!({"type": "pick", "slot": slot.into()}))
}

fn shuffle_hand() -> Move {
    mv(json!({"type": "shuffle_hand"}))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

/// A deck before a shuffle, as GE-1 and the protocol tell.
fn pack(jokers: usize) -> Vec<String> {
    let suit = |suit: char| "A23456789TJQK".chars().map(move |rank| format!("{rank}{suit}"));
    "CDHS".chars().flat_map(suit).chain((1..=jokers).map(|number| format!("X{number}"))).collect()
}

/// Several decks before a shuffle.
fn packs(jokers: usize, decks: usize) -> Vec<String> {
    (0..decks).flat_map(|_| pack(jokers)).collect()
}

/// The game under test; unless it is said otherwise the last seat deals, so that seat 0 has the first turn.
struct War {
    house: House,
    players: Vec<Player>,
}

impl War {
    fn new(players: usize, options: Value, root: u64) -> Self {
        let mut options = options;
        if options.get("dealer").is_none() {
            options["dealer"] = json!(players - 1);
        }
        let mut rng = Rng::new(root);
        Self::with(&Setup {
            kind: Kind::Generals,
            options,
            places: u8::try_from(players).unwrap(),
            root: rng.bytes(),
            ..Setup::migraine()
        })
    }

    fn with(setup: &Setup) -> Self {
        let players: Vec<Player> = (0..usize::from(setup.places)).map(Player::new).collect();
        Self { house: House::playing(setup, &players), players }
    }

    /// The first game of this size in which it is so.
    fn first(players: usize, options: &Value, so: impl Fn(&Self) -> bool) -> Self {
        let mut games = (0..2000).map(|root| Self::new(players, options.clone(), root));
        games.find(so).expect("one of two thousand deals is so")
    }

    fn state(&self, number: usize) -> Value {
        serde_json::to_value(self.house.view(seat(number)).state.unwrap()).unwrap()
    }

    fn public(&self) -> Value {
        serde_json::to_value(self.house.table.view(None).state.unwrap()).unwrap()
    }

    fn hand(&self, number: usize) -> Vec<String> {
        texts(&self.state(number)["hands"][number]["cards"])
    }

    fn to_act(&self) -> usize {
        self.house.table.to_act()[0].index()
    }

    fn plays(&mut self, number: usize, mv: &Move) -> Vec<Event> {
        let command = self.command(number, mv);
        self.house.send(&command)
    }

    fn command(&self, number: usize, mv: &Move) -> Command {
        let player = &self.players[number];
        if mv.is_decision() { player.decide(&self.house, mv) } else { player.free_move(&self.house, mv) }
    }

    #[track_caller]
    fn refusal(&self, number: usize, mv: &Move) -> Refusal {
        self.house.refusal(&self.command(number, mv))
    }

    /// The clause that a refusal names.
    #[track_caller]
    fn clause(&self, number: usize, mv: &Move) -> &'static str {
        match self.refusal(number, mv) {
            Refusal::Illegal(illegal) => illegal.clause,
            other => panic!("refused by no clause: {other}"),
        }
    }

    /// The slot of a card.
    fn slot(&self, number: usize, fits: impl Fn(&str) -> bool) -> Option<usize> {
        self.hand(number).iter().position(|card| fits(card))
    }

    /// The stream of numbers of a draw, worked out from the server's seed.
    fn numbers(&self, draw: u32) -> Numbers {
        let server_seed = self.house.secrets.seed(draw).unwrap();
        let player_seeds: Vec<_> = self.players.iter().map(|player| player.seed).collect();
        Numbers::new(draw_seed(self.house.table.game(), draw, &server_seed, &player_seeds))
    }

    /// Makes random decisions until it is so, or the game is over.
    fn until(&mut self, rng: &mut Rng, so: impl Fn(&Self) -> bool) {
        while !self.house.table.is_over() && !so(self) {
            let number = self.to_act();
            let legal: Vec<Move> = self.house.legal(seat(number)).into_iter().filter(Move::is_decision).collect();
            let chosen = rng.pick(&legal).clone();
            self.plays(number, &chosen);
        }
    }
}

fn is_joker(card: &str) -> bool {
    card.starts_with('X')
}

fn is_heart(card: &str) -> bool {
    card.ends_with('H')
}
