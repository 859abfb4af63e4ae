//! Players and a house for them to play in: the smallest thing that runs a table as the service does, with a clock and
//! with chance that a test holds in its hand.

use std::collections::BTreeMap;

use croupier::canonical::{digest, to_jcs};
use croupier::commitment::{move_commitment, seed_commitment};
use croupier::event::{Actor, Body, Created, Event, PROTOCOL, PlayerRef, RulesRef, SealedBy, SeatLimits};
use croupier::games::{Kind, Move};
use croupier::hex32::{Hash, Nonce, PlayerSeed};
use croupier::ids::{GameId, PlayerId};
use croupier::keys::{Signature, SigningKey};
use croupier::log::{EventSigner, Head, seal};
use croupier::seat::Seat;
use croupier::seed_chain::{CHAIN_LENGTH, SeedChain};
use croupier::table::{Command, Decision, Denied, Refusal, Secrets, Table, View};
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

// Said where it is, since a benchmark and an example read this file by its path.
#[path = "support/chance.rs"]
mod chance;

pub use chance::Rng;

/// 32 bytes that a name stands for.
pub fn bytes(name: &str) -> [u8; 32] {
    Sha256::digest(name).into()
}

pub fn seat(number: usize) -> Seat {
    Seat::new(number).unwrap()
}

pub fn game_id(number: u64) -> GameId {
    format!("01980000-0000-7000-8000-{number:012x}").parse().unwrap()
}

pub fn player_id(number: u64) -> PlayerId {
    format!("01980000-0000-7000-9000-{number:012x}").parse().unwrap()
}

/// So many milliseconds after the moment at which every test begins.
pub fn moment(millis: i64) -> Timestamp {
    let start: Timestamp = "2026-01-01T00:00:00.000Z".parse().unwrap();
    Timestamp::from_millis(start.millis() + millis).unwrap()
}

/// What a test writes as JSON, as the type that reads it.
pub fn read<T: for<'de> serde::Deserialize<'de>>(value: Value) -> T {
    croupier::canonical::parse_as(&to_jcs(&value)).unwrap_or_else(|why| panic!("{value}: {why}"))
}

pub fn mv(value: Value) -> Move {
    Move::read(value.clone()).unwrap_or_else(|why| panic!("{value}: {why}"))
}

pub fn text<T: serde::Serialize>(value: &T) -> String {
    String::from_utf8(to_jcs(value)).unwrap()
}

/// Somebody who plays, with what only its own client knows.
#[derive(Clone)]
pub struct Player {
    pub seat: Seat,
    pub id: PlayerId,
    pub name: String,
    key: Option<[u8; 32]>,
    pub seed: Option<PlayerSeed>,
}

impl Player {
    /// A player with neither key nor seed.
    pub fn new(number: usize) -> Self {
        Self {
            seat: seat(number),
            id: player_id(number as u64),
            name: format!("player {number}"),
            key: None,
            seed: None,
        }
    }

    pub fn with_key(self) -> Self {
        Self { key: Some(bytes(&format!("key of {}", self.name))), ..self }
    }

    pub fn with_seed(self) -> Self {
        Self { seed: Some(PlayerSeed::new(bytes(&format!("seed of {}", self.name)))), ..self }
    }

    pub fn with_this_seed(self, seed: [u8; 32]) -> Self {
        Self { seed: Some(PlayerSeed::new(seed)), ..self }
    }

    pub fn on(self, number: usize) -> Self {
        Self { seat: seat(number), ..self }
    }

    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    pub fn key(&self) -> Option<SigningKey> {
        self.key.as_ref().map(SigningKey::new)
    }

    /// What a keyed seat writes into `after`; another seat leaves it out.
    fn after(&self, house: &House) -> Option<u64> {
        self.has_key().then(|| house.table.seq())
    }

    /// The player's signature over a command that is written out here by hand, from the protocol's page.
    pub fn sign(&self, game: GameId, event_type: &str, command: Value) -> Option<Signature> {
        self.key().map(|key| {
            let object = json!({
                "kind": "croupier/v1/command",
                "game": game,
                "seat": self.seat,
                "type": event_type,
                "command": command,
            });
            key.sign(digest(&object).as_bytes())
        })
    }

    pub fn seed_commitment(&self, game: GameId) -> Option<Hash> {
        self.seed.as_ref().map(|seed| seed_commitment(game, self.seat, seed))
    }

    pub fn sit(&self, house: &House) -> Command {
        let game = house.table.game();
        let (seed_commitment, after) = (self.seed_commitment(game), self.after(house));
        let key = self.key().map(|key| key.public());
        let by = self.sign(game, "seated", json!({"seed_commitment": seed_commitment, "key": key, "after": after}));
        let player = PlayerRef { id: self.id, name: self.name.clone() };
        Command::Sit { player, seat: Some(self.seat), seed_commitment, key, after, by }
    }

    pub fn get_up(&self, house: &House) -> Command {
        let after = self.after(house);
        let by = self.sign(house.table.game(), "left", json!({"after": after}));
        Command::GetUp { player: self.id, after, by }
    }

    pub fn open_seed(&self, house: &House) -> Command {
        let seed = self.seed.expect("a player with a seed");
        let by = self.sign(house.table.game(), "seed_opened", json!({"seed": seed}));
        Command::OpenSeed { player: self.id, seed, by }
    }

    /// A decision in the open, or one for the server to seal.
    pub fn decide(&self, house: &House, mv: &Move) -> Command {
        self.decide_at(house, house.step(), mv)
    }

    pub fn decide_at(&self, house: &House, step: u32, mv: &Move) -> Command {
        let by = self.sign(house.table.game(), "moved", json!({"step": step, "after": null, "move": mv}));
        Command::Move { player: self.id, step: Some(step), after: None, mv: mv.clone(), by }
    }

    /// A move that is no decision.
    pub fn free_move(&self, house: &House, mv: &Move) -> Command {
        let after = Some(house.table.seq());
        let by = self.sign(house.table.game(), "moved", json!({"step": null, "after": after, "move": mv}));
        Command::Move { player: self.id, step: None, after, mv: mv.clone(), by }
    }

    pub fn commit(&self, house: &House, mv: &Move, nonce: &Nonce) -> Command {
        let (game, step) = (house.table.game(), house.step());
        let commitment = move_commitment(game, self.seat, step, mv, nonce);
        let by = self.sign(game, "committed", json!({"step": step, "commitment": commitment}));
        Command::Commit { player: self.id, step, commitment, by }
    }

    pub fn open(&self, house: &House, mv: &Move, nonce: &Nonce) -> Command {
        let step = house.step();
        let by = self.sign(house.table.game(), "opened", json!({"step": step, "move": mv, "nonce": nonce}));
        Command::Open { player: self.id, step, mv: mv.clone(), nonce: *nonce, by }
    }

    pub fn resign(&self, house: &House) -> Command {
        let after = self.after(house);
        let by = self.sign(house.table.game(), "resigned", json!({"after": after}));
        Command::Resign { player: self.id, after, by }
    }

    pub fn call_timeout(&self) -> Command {
        Command::CallTimeout { player: Some(self.id) }
    }
}

/// How a game is set up.
pub struct Setup {
    pub game: u64,
    pub kind: Kind,
    pub options: Value,
    pub places: u8,
    pub move_seconds: Option<u32>,
    /// The root of the chain.
    pub root: [u8; 32],
}

impl Setup {
    /// A match of Migraine in which seat 0 deals first.
    pub fn migraine() -> Self {
        Self {
            game: 1,
            kind: Kind::Migraine,
            options: json!({"first_dealer": 0}),
            places: 2,
            move_seconds: None,
            root: bytes("root"),
        }
    }

    pub fn created(&self, chain: &SeedChain) -> Created {
        let rules = self.kind.rules(self.kind.rules_version()).unwrap();
        Created {
            protocol: PROTOCOL,
            kind: self.kind,
            rules: RulesRef { version: rules.version, text: rules.sha256 },
            options: self.kind.read_options(self.options.clone()).unwrap(),
            seats: SeatLimits { min: self.kind.seats().0, max: self.places },
            anchor: chain.anchor(),
            chain: CHAIN_LENGTH,
            move_seconds: self.move_seconds,
            host: player_id(0),
        }
    }
}

/// One table, its log, and the server's secrets about it.
#[derive(Clone)]
pub struct House {
    pub table: Table,
    pub events: Vec<Event>,
    pub secrets: Secrets,
    pub now: Timestamp,
    pub rng: Rng,
}

pub fn event_key() -> SigningKey {
    SigningKey::new(&bytes("event key"))
}

impl House {
    pub fn new(setup: &Setup) -> Self {
        let chain = SeedChain::new(&setup.root);
        let created = setup.created(&chain);
        let Decision { at, bodies, table, .. } =
            Table::open_new(game_id(setup.game), created, moment(0)).unwrap_or_else(|why| panic!("{why}"));
        let events = seal(Head::EMPTY, table.game(), at, bodies, &EventSigner::new(event_key()));
        let secrets = Secrets { chain: Some(chain), sealed: BTreeMap::new() };
        Self { table, events, secrets, now: at, rng: Rng::new(1) }
    }

    /// A house in which these players have sat down.
    pub fn seated(setup: &Setup, players: &[Player]) -> Self {
        let mut house = Self::new(setup);
        for player in players {
            house.send(&player.sit(&house));
        }
        house
    }

    /// A house in which these players play: all seats taken, all seeds opened.
    pub fn playing(setup: &Setup, players: &[Player]) -> Self {
        let mut house = Self::seated(setup, players);
        for player in players.iter().filter(|player| player.seed.is_some()) {
            house.send(&player.open_seed(&house));
        }
        house
    }

    /// What the table makes of a command; nothing changes by the question.
    pub fn ask(&self, command: &Command) -> Result<Decision, Refusal> {
        let nonce = self.rng.clone().nonce();
        match self.table.decide(command, self.now, nonce, &self.secrets) {
            Ok(decision) => Ok(decision),
            Err(Denied::Refused(refusal)) => Err(refusal),
            Err(Denied::Broken(stop)) => panic!("{command:?} broke the table: {stop:?}"),
        }
    }

    /// Has a command carried out: decided, chained and signed, and its secrets kept or thrown away.
    pub fn try_send(&mut self, command: &Command) -> Result<Vec<Event>, Refusal> {
        let decision = self.ask(command)?;
        self.rng.next();
        Ok(self.append(decision))
    }

    pub fn append(&mut self, decision: Decision) -> Vec<Event> {
        let Decision { at, bodies, table, sealed, unsealed } = decision;
        let head = Head::after(self.events.last().unwrap());
        let new = seal(head, table.game(), at, bodies, &EventSigner::new(event_key()));
        self.events.extend(new.iter().cloned());
        self.table = table;
        self.secrets.sealed.extend(sealed);
        unsealed.iter().for_each(|seat| drop(self.secrets.sealed.remove(seat)));
        new
    }

    /// As [`House::try_send`], for what has to succeed.
    #[track_caller]
    pub fn send(&mut self, command: &Command) -> Vec<Event> {
        match self.try_send(command) {
            Ok(events) => events,
            Err(refusal) => panic!("{command:?} was refused: {refusal}"),
        }
    }

    /// Why a command is refused. The table must be the same before and after.
    #[track_caller]
    pub fn refusal(&self, command: &Command) -> Refusal {
        let before = snapshot(&self.table);
        let Err(refusal) = self.ask(command) else { panic!("{command:?} was accepted") };
        assert!(before == snapshot(&self.table), "a refusal changed the table");
        refusal
    }

    /// A decision that a seat makes in the open, or that the server seals for it.
    #[track_caller]
    pub fn plays(&mut self, player: &Player, mv: &Move) -> Vec<Event> {
        self.send(&player.decide(self, mv))
    }

    /// The clock goes on.
    pub fn wait(&mut self, millis: i64) {
        self.now = Timestamp::from_millis(self.now.millis() + millis).unwrap();
    }

    /// The clock stands so many milliseconds after what is asked for now is due.
    pub fn wait_until_due(&mut self, and_then: i64) {
        let due = self.table.due_at().expect("something is due");
        self.now = Timestamp::from_millis(due.millis() + and_then).unwrap();
    }

    pub fn step(&self) -> u32 {
        self.table.step().expect("a decision is at hand")
    }

    /// What a seat sees.
    pub fn view(&self, seat: Seat) -> View {
        self.table.view(Some(seat))
    }

    /// The legal moves of a seat.
    pub fn legal(&self, seat: Seat) -> Vec<Move> {
        self.table.legal(seat)
    }
}

/// The types of these events, in order.
pub fn types(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.body.event_type()).collect()
}

/// The facts of these events, in order, as JSON.
pub fn facts(events: &[Event]) -> Vec<Value> {
    events.iter().flat_map(|event| event.body.facts()).map(|fact| serde_json::to_value(fact).unwrap()).collect()
}

/// The facts of one type.
pub fn facts_of(events: &[Event], fact_type: &str) -> Vec<Value> {
    facts(events).into_iter().filter(|fact| fact["type"] == fact_type).collect()
}

/// An event's data, as JSON.
pub fn data(event: &Event) -> Value {
    serde_json::to_value(&event.body).unwrap()
}

/// All that can be seen of a table: by the public, by every seat, and with every card open; and who sits where.
pub fn snapshot(table: &Table) -> (Vec<View>, String) {
    let seats = table.places().seats();
    let mut views = vec![table.view(None), table.open_view(None)];
    views.extend(seats.map(|seat| table.view(Some(seat))));
    let rest = format!("{:?} {:?} {:?} {:?}", table.at(), table.places(), table.seeds_opened(), table.result());
    (views, rest)
}

/// Whether an event of this type by this actor binds or opens for a client that sealed by itself.
pub fn sealed_by(event: &Event) -> Option<SealedBy> {
    match &event.body {
        Body::Committed(committed) => Some(committed.sealed_by),
        _ => None,
    }
}

pub fn actor_seat(event: &Event) -> Option<Seat> {
    match event.actor {
        Actor::Seat(seat) => Some(seat),
        Actor::Server => None,
    }
}
