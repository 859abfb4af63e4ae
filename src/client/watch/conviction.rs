//! The proof that a server cheated.

use super::check_hash;
use crate::event::Event;
use crate::keys::Jwk;

/// Two different events for one place in one game's log, both signed by the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conviction {
    /// What the server said to one.
    pub one: Event,
    /// What it said to another.
    pub other: Event,
}

impl Conviction {
    /// The conviction that two events amount to, if they do. Whether the keys signed in their period does not matter
    /// here: that a key signed both is bad enough.
    pub fn of(one: &Event, other: &Event, keys: &[Jwk]) -> Option<Self> {
        let signed = |event: &Event| {
            let key = keys.iter().find(|key| key.kid == event.signature.key);
            // A hash that is not of this event says nothing about its place.
            check_hash(event).is_ok()
                && key.is_some_and(|key| key.x.verifies(event.hash.as_bytes(), &event.signature.value))
        };
        let one_place = one.game == other.game && one.seq == other.seq && one.hash != other.hash;
        (one_place && signed(one) && signed(other)).then(|| Self { one: one.clone(), other: other.clone() })
    }
}
