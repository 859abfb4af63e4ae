//! The digests that bind somebody to something before it is shown (protocol: seeds, sealed moves, commands).

use serde::Serialize;

use crate::canonical::digest;
use crate::hex32::{Hash, Nonce, PlayerSeed};
use crate::ids::GameId;
use crate::seat::Seat;

/// The commitment to a player's seed, bound to its game and seat.
pub fn seed_commitment(game: GameId, seat: Seat, seed: &PlayerSeed) -> Hash {
    #[derive(Serialize)]
    struct SeedCommitment<'a> {
        kind: &'static str,
        game: GameId,
        seat: Seat,
        seed: &'a PlayerSeed,
    }
    digest(&SeedCommitment { kind: "croupier/v1/seed-commitment", game, seat, seed })
}

/// The commitment to a move, bound to its game, seat and step. `mv` is the move as it was sent.
pub fn move_commitment<M: Serialize>(game: GameId, seat: Seat, step: u32, mv: &M, nonce: &Nonce) -> Hash {
    #[derive(Serialize)]
    struct MoveCommitment<'a, M> {
        kind: &'static str,
        game: GameId,
        seat: Seat,
        step: u32,
        #[serde(rename = "move")]
        mv: &'a M,
        nonce: &'a Nonce,
    }
    digest(&MoveCommitment { kind: "croupier/v1/move-commitment", game, seat, step, mv, nonce })
}

/// What a player's own signature is over (protocol, A player's own signature): `command` is the event's data without
/// `by`, `facts`, `player`, `sealed_by` and, for `resigned`, `step`.
pub fn command_digest<C: Serialize>(game: GameId, seat: Seat, event_type: &str, command: &C) -> Hash {
    #[derive(Serialize)]
    struct Command<'a, C> {
        kind: &'static str,
        game: GameId,
        seat: Seat,
        #[serde(rename = "type")]
        event_type: &'a str,
        command: &'a C,
    }
    digest(&Command { kind: "croupier/v1/command", game, seat, event_type, command })
}
