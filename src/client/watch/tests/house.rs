//! A server with one table, for a client to watch.

use super::super::{Agreed, Watch};
use super::watch;
use crate::client::OwnSeat;
use crate::client::watch::Hold;
use crate::event::{Created, Event, PROTOCOL, PlayerRef};
use crate::games::Kind;
use crate::hex32::{Nonce, PlayerSeed};
use crate::ids::{GameId, PlayerId};
use crate::keys::{Jwk, KeyUse, SigningKey};
use crate::log::{EventSigner, Head, seal};
use crate::seat::Seat;
use crate::seed_chain::{CHAIN_LENGTH, SeedChain};
use crate::table::{Command, Secrets, Table};
use crate::timestamp::Timestamp;

pub fn seat(number: usize) -> Seat {
    Seat::new(number).unwrap()
}

pub fn game_id(number: u64) -> GameId {
    format!("01980000-0000-7000-8000-{number:012x}").parse().unwrap()
}

pub fn player(number: u64) -> PlayerRef {
    let id: PlayerId = format!("01980000-0000-7000-9000-{number:012x}").parse().unwrap();
    PlayerRef { id, name: format!("player {number}") }
}

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + millis).unwrap()
}

pub fn server_key() -> SigningKey {
    SigningKey::new(&[1; 32])
}

pub fn player_key() -> SigningKey {
    SigningKey::new(&[3; 32])
}

pub fn signer() -> EventSigner {
    EventSigner::new(server_key())
}

pub fn keys() -> Vec<Jwk> {
    vec![Jwk::new(server_key().public(), KeyUse::Event, Some(at(-1)), Some(at(1_000_000)))]
}

pub fn agreed() -> Agreed {
    let options = Kind::Migraine.read_options(serde_json::json!({"target": 1, "first_dealer": 0})).unwrap();
    Agreed::newest(options, 2, None).unwrap()
}

/// A server with one table of Migraine: seat 0 signs, seals and seeds by itself, seat 1 leaves all to the server.
pub struct House {
    pub table: Table,
    pub events: Vec<Event>,
    secrets: Secrets,
    pub own: OwnSeat,
    pub nonces: u8,
}

impl House {
    pub fn new() -> Self {
        let chain = SeedChain::new(&[2; 32]);
        let Agreed { kind, rules, options, seats, move_seconds } = agreed();
        let (anchor, host) = (chain.anchor(), player(0).id);
        let created = Created {
            protocol: PROTOCOL,
            kind,
            rules,
            options,
            seats,
            anchor,
            chain: CHAIN_LENGTH,
            move_seconds,
            host,
        };
        let opened = Table::open_new(game_id(1), created, at(0)).unwrap();
        let events = seal(Head::EMPTY, game_id(1), at(0), opened.bodies, &signer());
        let secrets = Secrets { chain: Some(chain), sealed: Default::default() };
        let (key, seed) = (player_key(), PlayerSeed::new([4; 32]));
        let own = OwnSeat::new(game_id(1), seat(0), player(0), Some(key), Some(seed));
        Self { table: opened.table, events, secrets, own, nonces: 0 }
    }

    pub fn nonce(&mut self) -> Nonce {
        self.nonces += 1;
        Nonce::new([self.nonces; 32])
    }

    pub fn send(&mut self, command: &Command) {
        let now = at(self.events.len() as i64);
        let nonce = self.nonce();
        let Ok(decision) = self.table.decide(command, now, nonce, &self.secrets) else { panic!("{command:?}") };
        let head = Head::after(self.events.last().unwrap());
        self.events.extend(seal(head, game_id(1), decision.at, decision.bodies, &signer()));
        self.table = decision.table;
        for seat in decision.unsealed {
            self.secrets.sealed.remove(&seat);
        }
        self.secrets.sealed.extend(decision.sealed);
    }

    pub fn seated() -> Self {
        let mut house = Self::new();
        let sit = house.own.sit(house.table.seq());
        let (seed_commitment, key, after, by) = (sit.seed_commitment, sit.key, sit.after, sit.by);
        house.send(&Command::Sit { player: player(0), seat: sit.seat, seed_commitment, key, after, by });
        house
    }

    pub fn closed() -> Self {
        let mut house = Self::seated();
        let (seed_commitment, key, after, by) = (None, None, None, None);
        house.send(&Command::Sit { player: player(1), seat: None, seed_commitment, key, after, by });
        house
    }

    pub fn playing() -> Self {
        let mut house = Self::closed();
        let opening = house.own.open_seed(&house.watch()).unwrap();
        house.send(&Command::OpenSeed { player: player(0).id, seed: opening.seed, by: opening.by });
        house
    }

    /// Both discards of one kind are to be made.
    pub fn sealing() -> Self {
        let mut house = Self::playing();
        house.move_openly();
        house
    }

    pub fn move_openly(&mut self) {
        let actor = self.table.to_act()[0];
        let (step, mv) = (self.table.step(), self.table.legal(actor)[0].clone());
        let by = if actor == seat(0) { self.own.make_move(step, None, mv.clone()).by } else { None };
        self.send(&Command::Move { player: player(actor.index() as u64).id, step, after: None, mv, by });
    }

    pub fn commit(&mut self) {
        let (step, mv) = (self.table.step().unwrap(), self.table.legal(seat(0))[0].clone());
        let nonce = self.nonce();
        let commit = self.own.commit(step, mv, nonce);
        self.send(&Command::Commit { player: player(0).id, step, commitment: commit.commitment, by: commit.by });
    }

    pub fn let_commit(&mut self) {
        let (step, mv) = (self.table.step(), self.table.legal(seat(1))[0].clone());
        self.send(&Command::Move { player: player(1).id, step, after: None, mv, by: None });
    }

    pub fn open(&mut self) {
        let opening = self.own.open_move(&self.watch()).unwrap();
        let (player, step) = (player(0).id, opening.step);
        self.send(&Command::Open { player, step, mv: opening.mv, nonce: opening.nonce, by: opening.by });
    }

    pub fn ended() -> Self {
        let mut house = Self::playing();
        while !house.table.is_over() {
            if !house.table.legal(seat(0)).is_empty() && !house.table.legal(seat(1)).is_empty() {
                house.commit();
                house.let_commit();
                house.open();
            } else {
                house.move_openly();
            }
        }
        house
    }

    pub fn watch(&self) -> Watch {
        watch(&self.events).unwrap()
    }

    pub fn may_open_move(&self) -> Result<(), Hold> {
        self.own.open_move(&self.watch()).map(drop)
    }
}
