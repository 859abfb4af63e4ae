//! The hash chain and the server's signatures over it (protocol, The log).

use crate::event::{Actor, Body, Event, EventSignature, event_hash};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{KeyId, SigningKey};
use crate::timestamp::Timestamp;

/// The server's key for events, with its id.
pub struct EventSigner {
    key: SigningKey,
    id: KeyId,
}

impl EventSigner {
    /// Signs with this key.
    pub fn new(key: SigningKey) -> Self {
        let id = key.public().id();
        Self { key, id }
    }

    /// The key's id.
    pub fn id(&self) -> KeyId {
        self.id
    }
}

/// Where a game's log ends: what the next event is chained to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the next event.
    pub next: u64,
    /// The hash of the newest event; zeros before the first.
    pub hash: Hash,
}

impl Head {
    /// The head of a log without events.
    pub const EMPTY: Self = Self { next: 0, hash: Hash::ZERO };

    /// The head of the log that ends with this event.
    pub fn after(event: &Event) -> Self {
        Self { next: event.seq + 1, hash: event.hash }
    }
}

/// Chains and signs the events of one append.
pub fn seal(head: Head, game: GameId, at: Timestamp, bodies: Vec<(Actor, Body)>, signer: &EventSigner) -> Vec<Event> {
    let mut head = head;
    bodies
        .into_iter()
        .map(|(actor, body)| {
            let hash = event_hash(game, head.next, &head.hash, at, actor, body.event_type(), &body);
            let signature = EventSignature { key: signer.id, value: signer.key.sign(hash.as_bytes()) };
            let event = Event { game, seq: head.next, prev: head.hash, at, actor, body, hash, signature };
            head = Head::after(&event);
            event
        })
        .collect()
}
