//! Migraine, clause by clause: each test names the clauses of `rules-1.md` that it tries.
//!
//! Play goes through the table, as in the service. What the cards are is worked out here from the seeds, by the table
//! of places in MI-4.

mod choosing;
mod dealing;
mod ending;
mod forms;
mod knowing;
mod scoring;

use croupier::cards::Card;
use croupier::draw::{Numbers, draw_seed};
use croupier::games::Move;
use croupier::games::migraine::{Declaration, points};
use croupier::seed_chain::ServerSeeds;
use croupier::table::Refusal;
use serde_json::{Value, json};

use crate::support::{House, Player, Setup, facts_of, mv, seat};

const DEALER: usize = 0;
const PONE: usize = 1;

fn cut(depth: i64) -> Move {
    mv(json!({"type": "cut", "depth": depth}))
}

fn hostile(card: &str) -> Move {
    mv(json!({"type": "hostile_discard", "card": card}))
}

fn pensive(cards: &[&str]) -> Move {
    mv(json!({"type": "pensive_discard", "cards": cards}))
}

fn declare(declaration: &str) -> Move {
    mv(json!({"type": "declare", "declaration": declaration}))
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

/// The sixteen cards before a shuffle, as the rules text writes them.
fn pack() -> Vec<String> {
    "AC JC QC KC AD JD QD KD AH JH QH KH AS JS QS KS".split(' ').map(str::to_owned).collect()
}

/// The match under test. Seat 0 deals first, so seat 1 is the pone of the first round.
struct Match {
    house: House,
    players: [Player; 2],
}

impl Match {
    fn new() -> Self {
        Self::with(&Setup::migraine())
    }

    fn with(setup: &Setup) -> Self {
        let players = [Player::new(0), Player::new(1)];
        Self { house: House::playing(setup, &players), players }
    }

    /// At the hostile discards, everything dealt without a cut.
    fn dealt() -> Self {
        let mut game = Self::new();
        game.plays(PONE, &cut(0));
        game
    }

    /// At the pensive discards: each gave away its first card.
    fn given() -> Self {
        let mut game = Self::dealt();
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game
    }

    /// At the pone's declaration: each has laid down its first pair.
    fn laid() -> Self {
        let mut game = Self::given();
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game
    }

    fn plays(&mut self, number: usize, mv: &Move) -> Vec<croupier::event::Event> {
        self.house.plays(&self.players[number], mv)
    }

    /// Both seats make the decision at hand.
    fn each(&mut self, choose: impl Fn(&Self, usize) -> Move) -> Vec<croupier::event::Event> {
        let moves = [0, 1].map(|number| choose(self, number));
        self.plays(0, &moves[0]);
        self.plays(1, &moves[1])
    }

    fn refusal(&self, number: usize, mv: &Move) -> Refusal {
        self.house.refusal(&self.players[number].decide(&self.house, mv))
    }

    /// The clause that a refusal names.
    fn clause(&self, number: usize, mv: &Move) -> &'static str {
        match self.refusal(number, mv) {
            Refusal::Illegal(illegal) => illegal.clause,
            other => panic!("refused by no clause: {other}"),
        }
    }

    /// A seat's view of the game's state, as JSON.
    fn state(&self, number: usize) -> Value {
        serde_json::to_value(self.house.view(seat(number)).state.unwrap()).unwrap()
    }

    fn hand(&self, number: usize) -> Vec<String> {
        texts(&self.state(number)["hands"][number]["cards"])
    }

    fn step(&self) -> u32 {
        self.house.step()
    }

    /// The deck of a draw, shuffled, from the top: worked out from the server's seed.
    fn deck(&self, draw: u32) -> Vec<String> {
        let server_seed = self.house.secrets.seed(draw).unwrap();
        let player_seeds: Vec<_> = self.players.iter().map(|player| player.seed).collect();
        let mut deck = pack();
        Numbers::new(draw_seed(self.house.table.game(), draw, &server_seed, &player_seeds)).shuffle(&mut deck);
        deck
    }

    /// Plays a whole round with the first legal discards; the declarations are what `declare` makes of the sabre, the
    /// hand and the field of each seat.
    fn round(&mut self, choose: impl Fn(Card, &[Card], &[Card]) -> Declaration) -> Vec<croupier::event::Event> {
        let draw = self.last_draw();
        let sabre: Card = self.deck(draw)[1].parse().unwrap();
        let state = self.state(0);
        let (pone, dealer) = (number(&state["pone"]), number(&state["dealer"]));
        self.plays(pone, &cut(0));
        self.each(|game, number| game.house.legal(seat(number))[0].clone());
        self.each(|game, number| game.house.legal(seat(number))[0].clone());
        let mut last = Vec::new();
        for number in [pone, dealer] {
            let hand: Vec<Card> = self.hand(number).iter().map(|card| card.parse().unwrap()).collect();
            let field: Vec<Card> = cards(&texts(&self.state(number)["fields"][number]).join(" "));
            last = self.plays(number, &declare(choose(sabre, &hand, &field).name()));
        }
        last
    }

    fn last_draw(&self) -> u32 {
        let draw = |event| facts_of(std::slice::from_ref(event), "draw").pop();
        let last = self.house.events.iter().rev().find_map(draw).unwrap();
        u32::try_from(last["draw"].as_u64().unwrap()).unwrap()
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The declaration that scores the least, or the most.
fn by_points(sabre: Card, hand: &[Card], field: &[Card], most: bool) -> Declaration {
    let score = |d: &Declaration| points(*d, hand, field, sabre);
    let all = Declaration::ALL.into_iter();
    if most { all.max_by_key(score) } else { all.min_by_key(score) }.unwrap()
}
