//! The hash chain and the server's signatures over it (protocol, The log).

use crate::event::{Actor, Body, Event, EventSignature, event_hash};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{KeyId, KeyUse, SigningKey, SigningKeys};
use crate::timestamp::Timestamp;

/// The server's keys for events, of which one signs at a time.
pub struct EventSigner {
    keys: SigningKeys,
}

impl EventSigner {
    /// Signs with this key, whatever the time.
    pub fn new(key: SigningKey) -> Self {
        Self { keys: SigningKeys::new(key, KeyUse::Event) }
    }

    /// Signs each event with the key in whose period it is.
    pub fn with_periods(keys: SigningKeys) -> Self {
        Self { keys }
    }

    /// The id of the first key.
    pub fn id(&self) -> KeyId {
        self.keys.first().0
    }

    /// Whether there is a key that signs at this moment.
    pub fn signs_at(&self, at: Timestamp) -> bool {
        self.keys.at(at).is_some()
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

/// Chains and signs the events of one append. Whoever has keys with periods asks first whether one of them signs then
/// ([`EventSigner::signs_at`]); if none does it is the first, and no auditor will take it.
pub fn seal(head: Head, game: GameId, at: Timestamp, bodies: Vec<(Actor, Body)>, signer: &EventSigner) -> Vec<Event> {
    let mut head = head;
    let (id, key) = signer.keys.at(at).unwrap_or(signer.keys.first());
    bodies
        .into_iter()
        .map(|(actor, body)| {
            let hash = event_hash(game, head.next, &head.hash, at, actor, body.event_type(), &body);
            let signature = EventSignature { key: id, value: key.sign(hash.as_bytes()) };
            let event = Event { game, seq: head.next, prev: head.hash, at, actor, body, hash, signature };
            head = Head::after(&event);
            event
        })
        .collect()
}
