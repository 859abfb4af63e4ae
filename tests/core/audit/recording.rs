//! Plays the games that are recorded in `tests/bundles`, always the same way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use croupier::canonical::to_jcs;
use croupier::games::{Kind, Move};
use croupier::hex32::Nonce;
use croupier::keys::Jwk;
use croupier::seat::Seat;
use croupier::table::{Awaits, Command};
use serde_json::{Value, json};

use super::forging;
use crate::support::{House, Player, Rng, Setup, bytes, player_id};

/// What comes to pass in a recorded game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    /// It is played to its end, or for so many decisions, after which the last seat resigns.
    Played(u32),
    /// After so many decisions seat 0 gives up, in turn or out of it.
    Resigned(u32),
    /// After so many decisions time runs out.
    TimedOut(u32),
    /// Seat 0 withholds its seed.
    Void,
    /// The host calls it off.
    Cancelled,
    /// Seat 0 binds itself to a move that breaks the rules, where moves are sealed.
    Illegal,
}

/// A game's log and all the server's secrets about it.
pub struct Game {
    pub name: String,
    pub house: House,
    events: Vec<Value>,
}

impl Game {
    /// The events as JSON.
    pub fn events(&self) -> Vec<Value> {
        self.events.clone()
    }

    /// The bundle's text.
    pub fn text(&self) -> Vec<u8> {
        to_jcs(&forging::bundle(&self.events))
    }
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bundles")
}

/// The published keys: an event key that was replaced in the midst of the recorded games, its successor, and the key
/// of the log of logs.
pub fn keys() -> Vec<Jwk> {
    forging::jwks()
}

/// The key set as the server publishes it.
pub fn key_set() -> Vec<u8> {
    to_jcs(&json!({"keys": keys()}))
}

/// Options under which a game is short, and has a deadline where one is missed. A game that is not named here takes its
/// defaults.
fn short(kind: Kind, plot: Plot) -> Value {
    match kind.name() {
        "random_chess" if plot == Plot::TimedOut(2) => json!({"play": "white"}),
        "random_chess" => json!({"variant": "hecatomb"}),
        "migraine" => json!({"target": 2}),
        "spite_and_malice" => json!({"target": 1, "decks": 2, "payoff": 5}),
        _ => json!({}),
    }
}

/// The recorded games of a kind; played once.
pub fn games(kind: Kind) -> &'static [Game] {
    static GAMES: LazyLock<BTreeMap<Kind, Vec<Game>>> =
        LazyLock::new(|| Kind::ALL.iter().map(|kind| (*kind, play(*kind))).collect());
    &GAMES[&kind]
}

fn play(kind: Kind) -> Vec<Game> {
    let (least, most) = kind.seats();
    let seats = usize::from(3.clamp(least, most));
    let all = |make: &dyn Fn(Player, usize) -> Player| -> Vec<Player> {
        (0..seats).map(|number| make(Player::new(number), number)).collect()
    };
    let thin = all(&|player, _| player);
    let seeded = all(&|player, _| player.with_seed());
    let keyed = all(&|player, _| player.with_key().with_seed());
    // One of each sort.
    let mixed = all(&|player, number| match number {
        0 => player.with_key().with_seed(),
        1 => player,
        _ => player.with_seed(),
    });
    let first = kind == Kind::ALL[0];
    // Some moves of Random Chess are several at once.
    let most = if kind == Kind::RandomChess { 8 } else { 40 };
    let mut list = vec![
        ("whole", mixed.clone(), Plot::Played(most)),
        ("resigned", keyed, Plot::Resigned(3)),
        ("late", thin.clone(), Plot::TimedOut(2)),
        ("void", seeded.clone(), Plot::Void),
    ];
    if first {
        list.push(("seeded", seeded, Plot::Played(40)));
        list.push(("illegal", mixed, Plot::Illegal));
        list.push(("cancelled", thin, Plot::Cancelled));
    }
    list.into_iter().map(|(name, players, plot)| record(kind, name, &players, plot)).collect()
}

fn record(kind: Kind, name: &str, players: &[Player], plot: Plot) -> Game {
    let name = format!("{}-{name}", kind.name());
    let numbers = bytes(&name);
    let game = u64::from(u16::from_be_bytes([numbers[0], numbers[1]]));
    let setup = Setup {
        game,
        kind,
        options: short(kind, plot),
        places: kind.seats().1.min(4),
        move_seconds: Some(60),
        root: bytes(&format!("root of {name}")),
    };
    let mut play = Play {
        kind,
        players: players.to_vec(),
        plot,
        rng: Rng::new(game),
        house: House::new(&setup),
        kept: BTreeMap::new(),
        free: 0,
    };
    play.sit_down();
    play.on();
    let mut events: Vec<Value> = play.house.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    forging::reseal(&mut events);
    Game { name, house: play.house, events }
}

struct Play {
    kind: Kind,
    players: Vec<Player>,
    plot: Plot,
    rng: Rng,
    house: House,
    /// What clients that seal by themselves keep.
    kept: BTreeMap<Seat, (Move, Nonce)>,
    /// How many moves were made that are no decisions.
    free: u32,
}

impl Play {
    fn send(&mut self, command: &Command) {
        self.house.send(command);
        self.house.wait(1500);
    }

    fn sit_down(&mut self) {
        // The last one sits down, gets up, and comes back, unless the table is full by it.
        let last = self.players[self.players.len() - 1].clone();
        if self.house.table.created().seats.max > 1 {
            self.send(&last.sit(&self.house));
            self.send(&last.get_up(&self.house));
        }
        for player in self.players.clone() {
            self.send(&player.sit(&self.house));
            if self.plot == Plot::Cancelled {
                self.send(&Command::Cancel { player: Some(player_id(0)) });
                return;
            }
        }
    }

    fn on(&mut self) {
        let open = self.house.ask(&Command::Start { player: player_id(0) }).is_ok();
        if open {
            self.send(&Command::Start { player: player_id(0) });
        }
        let seeded: Vec<Player> = self.players.iter().filter(|player| player.seed.is_some()).cloned().collect();
        for player in seeded.iter().rev() {
            if self.plot == Plot::Void && player.seat.index() == 0 {
                self.house.wait_until_due(1);
                let caller = self.players[self.players.len() - 1].clone();
                self.send(&caller.call_timeout());
                return;
            }
            self.send(&player.open_seed(&self.house));
        }
        while !self.house.table.is_over() {
            self.act();
        }
    }

    fn act(&mut self) {
        let step = self.house.table.step().unwrap_or(self.free + 1);
        let in_game: Vec<Player> =
            self.players.iter().filter(|player| self.house.ask(&player.resign(&self.house)).is_ok()).cloned().collect();
        let leaves = match self.plot {
            Plot::Played(most) if step > most => in_game.last(),
            Plot::Resigned(after) if step > after => in_game.first(),
            Plot::Illegal if step > 40 => in_game.last(),
            Plot::TimedOut(after) if step > after => {
                self.house.wait_until_due(1);
                self.send(&Command::CallTimeout { player: None });
                return;
            }
            _ => None,
        };
        if let Some(player) = leaves.cloned() {
            self.kept.remove(&player.seat);
            self.send(&player.resign(&self.house));
            return;
        }
        if self.makes_a_free_move(&in_game) {
            return;
        }
        self.decide();
    }

    /// Now and then somebody makes a move that is no decision, if the game has such.
    fn makes_a_free_move(&mut self, in_game: &[Player]) -> bool {
        let nobody_decides = self.house.table.step().is_none();
        for player in in_game {
            let free: Vec<Move> = self.house.legal(player.seat).into_iter().filter(|mv| !mv.is_decision()).collect();
            let Some(first) = free.first() else { continue };
            if nobody_decides || self.rng.once_in(6) {
                let mv = if nobody_decides { self.rng.pick(&free[..free.len().min(3)]) } else { first }.clone();
                self.send(&player.free_move(&self.house, &mv));
                self.free += 1;
                return true;
            }
        }
        false
    }

    fn decide(&mut self) {
        let to_act = self.house.table.to_act();
        let player = self.players[to_act[self.rng.below(to_act.len())].index()].clone();
        let awaits = self.house.table.view(None).awaits;
        if awaits == Some(Awaits::Opening) {
            let (mv, nonce) = self.kept.remove(&player.seat).unwrap();
            self.send(&player.open(&self.house, &mv, &nonce));
            return;
        }
        let legal: Vec<Move> = self.house.legal(player.seat).into_iter().filter(Move::is_decision).collect();
        // What a game lists first gets it on.
        let mut chosen = if self.rng.once_in(3) { self.rng.pick(&legal).clone() } else { legal[0].clone() };
        // Every second player without a key seals by itself too.
        if awaits == Some(Awaits::Commitment) && (player.has_key() || self.rng.once_in(2)) {
            if self.plot == Plot::Illegal && player.seat.index() == 0 && self.house.step() > 2 {
                chosen = self.kind.read_move(json!({"type": "pensive_discard", "cards": ["AS", "AS"]})).unwrap();
            }
            let nonce = self.rng.nonce();
            self.send(&player.commit(&self.house, &chosen, &nonce));
            self.kept.insert(player.seat, (chosen, nonce));
        } else {
            self.send(&player.decide(&self.house, &chosen));
        }
    }
}
