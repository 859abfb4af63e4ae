//! What a player's own signature is over (protocol, A player's own signature).

use serde::Serialize;

use super::{Body, Committed, Left, Moved, Opened, Resigned, Seated, SeedOpened};
use crate::commitment::command_digest;
use crate::games::Move;
use crate::hex32::{Hash, Nonce, PlayerSeed};
use crate::ids::GameId;
use crate::keys::{PublicKey, Signature};
use crate::seat::Seat;

/// What a player's own signature is over, of each type of event that a player brings about: the event's data without
/// `by`, `facts`, `player`, `sealed_by` and, for `resigned`, `step`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, never a list of them")]
pub enum Command<'a> {
    /// Of `seated`.
    Seated {
        /// As in the event.
        seed_commitment: Option<Hash>,
        /// As in the event.
        key: Option<PublicKey>,
        /// As in the event.
        after: Option<u64>,
    },
    /// Of `left` and of `resigned`.
    After {
        /// As in the event.
        after: Option<u64>,
    },
    /// Of `seed_opened`.
    SeedOpened {
        /// As in the event.
        seed: &'a PlayerSeed,
    },
    /// Of `committed`.
    Committed {
        /// As in the event.
        step: u32,
        /// As in the event.
        commitment: Hash,
    },
    /// Of `opened`.
    Opened {
        /// As in the event.
        step: u32,
        /// As in the event.
        #[serde(rename = "move")]
        mv: &'a Move,
        /// As in the event.
        nonce: &'a Nonce,
    },
    /// Of `moved`.
    Moved {
        /// As in the event.
        step: Option<u32>,
        /// As in the event.
        after: Option<u64>,
        /// As in the event.
        #[serde(rename = "move")]
        mv: &'a Move,
    },
}

impl Body {
    /// What a player signs to bring this event about, and the signature that it bears; `None` for events of the
    /// server.
    pub fn command(&self) -> Option<(Command<'_>, Option<Signature>)> {
        Some(match self {
            Self::Seated(Seated { seed_commitment, key, after, by, .. }) => {
                (Command::Seated { seed_commitment: *seed_commitment, key: *key, after: *after }, *by)
            }
            Self::Left(Left { after, by }) | Self::Resigned(Resigned { after, by, .. }) => {
                (Command::After { after: *after }, *by)
            }
            Self::SeedOpened(SeedOpened { seed, by }) => (Command::SeedOpened { seed }, *by),
            Self::Committed(Committed { step, commitment, by, .. }) => {
                (Command::Committed { step: *step, commitment: *commitment }, *by)
            }
            Self::Opened(Opened { step, mv, nonce, by, .. }) => (Command::Opened { step: *step, mv, nonce }, *by),
            Self::Moved(Moved { step, after, mv, by, .. }) => (Command::Moved { step: *step, after: *after, mv }, *by),
            _ => return None,
        })
    }

    /// Whether the player's own signature on this event is as it must be: good under the seat's key, or absent where
    /// the seat has none.
    pub fn is_signed_by(&self, game: GameId, seat: Seat, key: Option<&PublicKey>) -> bool {
        match (self.command(), key) {
            (None, _) => true,
            (Some((_, by)), None) => by.is_none(),
            (Some((_, None)), Some(_)) => false,
            (Some((command, Some(by))), Some(key)) => {
                key.verifies(command_digest(game, seat, self.event_type(), &command).as_bytes(), &by)
            }
        }
    }
}
