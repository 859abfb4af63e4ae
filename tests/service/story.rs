//! Players, games and events to store. What they say is not played by any rules; that they have the right form is
//! enough here.

use std::sync::atomic::{AtomicU64, Ordering};

use croupier::event::{Actor, Body, Created, Event, Moved, PlayerRef, RulesRef, SeatLimits, Seated};
use croupier::games::{Kind, Move};
use croupier::hex32::{Hash, Nonce};
use croupier::ids::{GameId, PlayerId};
use croupier::keys::SigningKey;
use croupier::ledger::{Append, GameChange, Ledger, NewGame, Player, Visibility};
use croupier::log::{EventSigner, Head, seal};
use croupier::seat::Seat;
use croupier::table::{SealedMove, Status};
use croupier::timestamp::Timestamp;
use serde_json::json;
use uuid::{Builder, Uuid};

/// So many seconds after the stories begin.
pub fn at(seconds: u32) -> Timestamp {
    "2026-01-02T03:04:05.006Z".parse::<Timestamp>().unwrap().plus_seconds(seconds)
}

/// An id that no other has.
pub fn fresh_uuid() -> Uuid {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut random = [0; 10];
    random[..8].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    Builder::from_unix_timestamp_millis(1_767_323_045_006, &random).into_uuid()
}

pub fn fresh_game() -> GameId {
    GameId::new(fresh_uuid()).unwrap()
}

pub fn seat(number: usize) -> Seat {
    Seat::new(number).unwrap()
}

pub fn player(name: &str) -> Player {
    Player {
        id: PlayerId::new(fresh_uuid()).unwrap(),
        name: name.to_owned(),
        name_key: name.to_lowercase(),
        password_hash: None,
        identity: None,
        token_generation: 0,
        tokens_ended_at: None,
        created_at: at(0),
    }
}

/// A player who is stored.
pub async fn stored_player(ledger: &Ledger, name: &str) -> PlayerId {
    let player = player(name);
    ledger.insert_player(&player).await.unwrap();
    player.id
}

/// The events of one game, one after the other.
pub struct Story {
    pub game: GameId,
    pub host: PlayerId,
    head: Head,
    signer: EventSigner,
}

impl Story {
    pub fn new(host: PlayerId) -> Self {
        let signer = EventSigner::new(SigningKey::new(&[7; 32]));
        Self { game: fresh_game(), host, head: Head::EMPTY, signer }
    }

    /// A public game that is stored, with its first event.
    pub async fn stored(ledger: &Ledger, host: PlayerId) -> Self {
        let mut story = Self::new(host);
        ledger.append(&story.created(0, Visibility::Public)).await.unwrap();
        story
    }

    /// These are the game's next events; another story may say so too.
    pub fn next(&self, seconds: u32, bodies: Vec<(Actor, Body)>) -> Vec<Event> {
        seal(self.head, self.game, at(seconds), bodies, &self.signer)
    }

    /// The game's next events, which happened.
    pub fn goes_on(&mut self, seconds: u32, bodies: Vec<(Actor, Body)>) -> Vec<Event> {
        let events = self.next(seconds, bodies);
        self.head = Head::after(events.last().unwrap());
        events
    }

    /// The game's creation.
    pub fn created(&mut self, seconds: u32, visibility: Visibility) -> Append {
        let created = Created {
            protocol: 1,
            kind: Kind::Migraine,
            rules: RulesRef { version: 1, text: Hash::new([3; 32]) },
            options: Kind::Migraine.read_options(json!({"target": 21})).unwrap(),
            seats: SeatLimits { min: 2, max: 2 },
            anchor: Hash::new([4; 32]),
            chain: 4096,
            move_seconds: Some(60),
            host: self.host,
        };
        let events = self.goes_on(seconds, vec![(Actor::Server, created.into())]);
        Append { created: Some(NewGame { visibility }), ..Append::of(events) }
    }
}

/// A change of what the lobby shows, by this append.
pub fn with_status(events: Vec<Event>, status: Status) -> Append {
    let game = Some(GameChange { status, result: None, check_at: None });
    Append { game, ..Append::of(events) }
}

/// A hostile discard with this text for a card.
pub fn discard(card: &str) -> Move {
    Move::read(json!({"type": "hostile_discard", "card": card})).unwrap()
}

pub fn moved(number: usize, step: u32, card: &str) -> (Actor, Body) {
    let moved = Moved { step: Some(step), after: None, mv: discard(card), facts: Vec::new(), by: None };
    (Actor::Seat(seat(number)), moved.into())
}

pub fn seated(number: usize, id: PlayerId, name: &str) -> (Actor, Body) {
    let player = PlayerRef { id, name: name.to_owned() };
    (Actor::Seat(seat(number)), Seated { player, seed_commitment: None, key: None, after: None, by: None }.into())
}

pub fn sealed_move(step: u32, card: &str) -> SealedMove {
    SealedMove { step, mv: discard(card), nonce: Nonce::new([6; 32]) }
}
