//! What somebody asks of a table, and what the server knows that stands in no event yet.

use std::collections::BTreeMap;

use crate::event::PlayerRef;
use crate::games::Move;
use crate::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use crate::ids::PlayerId;
use crate::keys::{PublicKey, Signature};
use crate::seat::Seat;
use crate::seed_chain::{SeedChain, ServerSeeds};

/// What somebody asks of a table.
#[derive(Debug, Clone)]
pub enum Command {
    /// Sit down, on a certain seat or on the first that is free.
    Sit {
        /// Who.
        player: PlayerRef,
        /// Where; anywhere if `None`.
        seat: Option<Seat>,
        /// The commitment to a seed that the player contributes.
        seed_commitment: Option<Hash>,
        /// The key that signs what this seat sends from now on, this included.
        key: Option<PublicKey>,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Get up again.
    GetUp {
        /// Who.
        player: PlayerId,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Close the table before every place is taken.
    Start {
        /// Who asks; the host may.
        player: PlayerId,
    },
    /// Call the game off; `None` is the server itself, where nobody is left.
    Cancel {
        /// Who asks; the host may.
        player: Option<PlayerId>,
    },
    /// Open the seed.
    OpenSeed {
        /// Who.
        player: PlayerId,
        /// The seed.
        seed: PlayerSeed,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Make a move in the open, or one for the server to seal.
    Move {
        /// Who.
        player: PlayerId,
        /// The decision; `None` for a move that is none.
        step: Option<u32>,
        /// For a move that is no decision: the event that the player knew last.
        after: Option<u64>,
        /// The move.
        mv: Move,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Bind oneself to a move.
    Commit {
        /// Who.
        player: PlayerId,
        /// The decision.
        step: u32,
        /// The commitment.
        commitment: Hash,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Open the move that one is bound to.
    Open {
        /// Who.
        player: PlayerId,
        /// The decision.
        step: u32,
        /// The move.
        mv: Move,
        /// What blinded the commitment.
        nonce: Nonce,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Give up.
    Resign {
        /// Who.
        player: PlayerId,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Have it logged that somebody is late; `None` is the server itself.
    CallTimeout {
        /// Who asks; any seat may.
        player: Option<PlayerId>,
    },
}

/// A move that the server sealed, secret until it is opened.
#[derive(Clone)]
pub struct SealedMove {
    /// The decision.
    pub step: u32,
    /// The move.
    pub mv: Move,
    /// What blinded the commitment.
    pub nonce: Nonce,
}

/// What the server knows of a game that stands in no event yet.
#[derive(Clone)]
pub struct Secrets {
    /// The game's chain of seeds; `None` once the game is over and the root is deleted.
    pub chain: Option<SeedChain>,
    /// The moves that the server sealed and has not opened, by seat.
    pub sealed: BTreeMap<Seat, SealedMove>,
}

impl ServerSeeds for Secrets {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        self.chain.as_ref()?.seed(draw)
    }
}
