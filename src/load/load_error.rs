//! Why a load came to nothing.

use std::fmt;
use std::io;

use crate::dealer::inputs::NoEntropy;

/// Why a load came to nothing.
#[derive(Debug)]
pub enum LoadError {
    /// An address that can't be resolved.
    Address(String),
    /// What was asked for makes no sense.
    Setup(String),
    /// No instance answered for too long.
    NobodyAnswers,
    /// Something was refused that nothing can be done without.
    Refused {
        /// What was asked for.
        what: &'static str,
        /// The HTTP status.
        status: u16,
        /// The problem's code.
        code: String,
    },
    /// An answer has not its form.
    Nonsense(&'static str),
    /// A game in which nobody can do anything any more.
    Stuck(String),
    /// A table without players.
    NoPlayers,
    /// Watchers, and no game for them.
    NothingToWatch,
    /// The system fails.
    Io(io::Error),
    /// There is no randomness to play with.
    NoEntropy,
    /// A thread or a task of our own failed.
    Panicked,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(f, "{address} is no address: it is written host:port"),
            Self::Setup(why) => f.write_str(why),
            Self::NobodyAnswers => f.write_str("no instance answers"),
            Self::Refused { what, status, code } => write!(f, "{what} was refused: {status} {code}"),
            Self::Nonsense(what) => write!(f, "the service answered with what is not {what}"),
            Self::Stuck(game) => write!(f, "the game {game} does not go on"),
            Self::NoPlayers => f.write_str("nobody plays"),
            Self::NothingToWatch => f.write_str("there is no game to watch"),
            Self::Io(error) => error.fmt(f),
            Self::NoEntropy => NoEntropy.fmt(f),
            Self::Panicked => f.write_str("a thread of the load failed"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<NoEntropy> for LoadError {
    fn from(_: NoEntropy) -> Self {
        Self::NoEntropy
    }
}
