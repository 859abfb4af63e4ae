//! Why a use case failed.

use std::fmt;

use super::inputs::NoEntropy;
use crate::games::Move;
use crate::ledger::LedgerError;
use crate::replay::ReplayError;
use crate::table::{Refusal, Stop};

/// Why a use case failed.
#[derive(Debug)]
pub enum DealerError {
    /// There is no such game.
    UnknownGame,
    /// The table refuses the command. `legal` are the moves that the caller may make.
    Refused { refusal: Refusal, legal: Vec<Move> },
    /// An idempotency key came again with another body.
    IdempotencyKeyReused,
    /// The game was not over when the database was restored from a backup: it is never continued.
    CutShort,
    /// A rematch is for players of a game that is over.
    NotOver,
    /// One looks back in, and opens, ended games only.
    NotEnded,
    /// The game has no event with this number.
    NoSuchEvent,
    /// The name is taken.
    NameTaken,
    /// Name and password do not belong together.
    WrongCredentials,
    /// The ledger failed.
    Ledger(LedgerError),
    /// What is stored is no log of this protocol, or this program is wrong.
    Corrupt(String),
    /// The operating system gave no randomness.
    NoEntropy,
    /// Too many others were faster.
    Busy,
    /// The caller hosts this many open games already.
    TooManyGames(u32),
    /// The caller sits at this many games already that are not over.
    TooManySeats(u32),
    /// The log of logs has no checkpoint yet.
    NoCheckpoint,
    /// The log of logs has a checkpoint of this size, and was asked about others.
    NoSuchSize(u64),
    /// What is stored of the log of logs is not what it was.
    Log(String),
}

impl DealerError {
    pub(super) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    pub(super) fn log(what: impl Into<String>) -> Self {
        Self::Log(what.into())
    }
}

impl fmt::Display for DealerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownGame => f.write_str("there is no such game"),
            Self::Refused { refusal, .. } => refusal.fmt(f),
            Self::IdempotencyKeyReused => f.write_str("this Idempotency-Key came before with another body"),
            Self::CutShort => f.write_str(
                "the service was restored from a backup while this game was on, and the log may have lost its end: it is \
                 never continued",
            ),
            Self::NotOver => f.write_str("the game is not over"),
            Self::NotEnded => f.write_str("one looks back in, and opens, games that have ended"),
            Self::NoSuchEvent => f.write_str("the game has no event with this number"),
            Self::NameTaken => f.write_str("this name is taken"),
            Self::WrongCredentials => f.write_str("name and password do not belong together"),
            Self::Ledger(error) => error.fmt(f),
            Self::Corrupt(what) => write!(f, "a stored game can't be read: {what}"),
            Self::NoEntropy => NoEntropy.fmt(f),
            Self::Busy => f.write_str("too many others were faster"),
            Self::TooManyGames(most) => write!(f, "a player may host {most} open games at once"),
            Self::TooManySeats(most) => write!(f, "a player may sit at {most} games at once that are not over"),
            Self::NoCheckpoint => f.write_str("the log of logs has no checkpoint yet"),
            Self::NoSuchSize(size) => {
                write!(f, "from must not be larger than to, and to not than {size}, the newest checkpoint's size")
            }
            Self::Log(what) => write!(f, "the log of logs can't be trusted: {what}"),
        }
    }
}

impl std::error::Error for DealerError {}

impl From<LedgerError> for DealerError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<NoEntropy> for DealerError {
    fn from(_: NoEntropy) -> Self {
        Self::NoEntropy
    }
}

impl From<ReplayError> for DealerError {
    fn from(error: ReplayError) -> Self {
        Self::Corrupt(error.to_string())
    }
}

impl From<Stop> for DealerError {
    fn from(stop: Stop) -> Self {
        Self::Corrupt(format!("{stop:?}"))
    }
}
