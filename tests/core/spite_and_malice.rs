//! Spite & Malice, clause by clause: each test names the clauses of `rules-1.md` that it tries. Positions that have to be
//! set up card by card are tried inside the crate, in `games/spite_and_malice/tests`.
//!
//! Play goes through the table, as in the service. What the cards are is worked out here from the seeds, by the table
//! of places in SM-3.

mod building;
mod dealing;
mod ending;
mod forfeits;
mod forms;
mod knowing;

use croupier::draw::{Numbers, draw_seed};
use croupier::event::Event;
use croupier::games::{Kind, Move};
use croupier::seed_chain::ServerSeeds;
use croupier::table::Refusal;
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, bytes, mv, seat};

fn play_payoff(centre: i64) -> Move {
    mv(json!({"type": "play_payoff", "centre": centre}))
}

fn play_side(side: i64, centre: i64) -> Move {
    mv(json!({"type": "play_side", "side": side, "centre": centre}))
}

fn play_hand(card: &str, centre: i64) -> Move {
    mv(json!({"type": "play_hand", "card": card, "centre": centre}))
}

fn discard(card: &str, side: i64) -> Move {
    mv(json!({"type": "discard", "card": card, "side": side}))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn size(pile: &Value) -> usize {
    number(&pile["size"])
}

/// So many decks before a shuffle, as the rules text writes them.
fn pack(decks: usize) -> Vec<String> {
    let deck = || "CDHS".chars().flat_map(|suit| "A23456789TJQK".chars().map(move |rank| format!("{rank}{suit}")));
    (0..decks).flat_map(|_| deck()).collect()
}

fn setup(options: Value, root: &str) -> Setup {
    Setup { kind: Kind::SpiteAndMalice, options, root: bytes(root), ..Setup::migraine() }
}

/// The match under test.
struct Match {
    house: House,
    players: [Player; 2],
}

impl Match {
    fn new(options: Value, root: &str) -> Self {
        let players = [Player::new(0), Player::new(1).with_seed()];
        Self { house: House::playing(&setup(options, root), &players), players }
    }

    #[track_caller]
    fn plays(&mut self, mv: &Move) -> Vec<Event> {
        let number = self.to_move();
        self.house.plays(&self.players[number].clone(), mv)
    }

    /// The clause that a refusal of the seat to move names.
    #[track_caller]
    fn clause(&self, mv: &Move) -> &'static str {
        let player = &self.players[self.to_move()];
        match self.house.refusal(&player.decide(&self.house, mv)) {
            Refusal::Illegal(illegal) => illegal.clause,
            other => panic!("refused by no clause: {other}"),
        }
    }

    fn to_move(&self) -> usize {
        self.house.table.to_act()[0].index()
    }

    fn legal(&self) -> Vec<Move> {
        self.house.legal(seat(self.to_move()))
    }

    fn state(&self, number: usize) -> Value {
        json!(self.house.view(seat(number)).state)
    }

    /// The state with every card open.
    fn open(&self) -> Value {
        json!(self.house.table.open_view(None).state)
    }

    /// A pile, shuffled by a draw: worked out from the server's seed.
    fn shuffled(&self, draw: u32, piles: &mut [&mut Vec<String>]) {
        let mut numbers = self.numbers(draw);
        piles.iter_mut().for_each(|pile| numbers.shuffle(pile));
    }

    fn numbers(&self, draw: u32) -> Numbers {
        let server_seed = self.house.secrets.seed(draw).unwrap();
        let player_seeds: Vec<_> = self.players.iter().map(|player| player.seed).collect();
        Numbers::new(draw_seed(self.house.table.game(), draw, &server_seed, &player_seeds))
    }

    /// Plays the first legal move that is no discard, or else a discard by chance.
    fn play_on(&mut self, rng: &mut Rng) -> Vec<Event> {
        let legal = self.legal();
        let mv = match &legal[0] {
            first if json!(first)["type"] != "discard" => first,
            _ => rng.pick(&legal),
        };
        self.plays(mv)
    }

    /// The first discard of the list, each on the side stack of its number.
    fn only_discards(&mut self, number: i64) -> Vec<Event> {
        let card = texts(&self.state(self.to_move())["hands"][self.to_move()]["cards"])[0].clone();
        self.plays(&discard(&card, number % 4))
    }
}

/// Matches in several places: before the first move, in the middle of a turn, in another's turn, in a second round.
fn places() -> Vec<Match> {
    let mut all = vec![Match::new(json!({}), "forfeit")];
    for (decisions, payoff) in [(1, 20), (2, 20), (30, 20), (150, 5)] {
        let mut game = Match::new(json!({"payoff": payoff, "target": 500}), "forfeit");
        let mut rng = Rng::new(decisions);
        (0..decisions).for_each(|_| drop(game.play_on(&mut rng)));
        all.push(game);
    }
    all
}
