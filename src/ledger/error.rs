//! Why the ledger did not do what it was asked.

use std::fmt;

use diesel::result::DatabaseErrorKind::{
    CheckViolation, ExclusionViolation, ForeignKeyViolation, NotNullViolation, RestrictViolation, UniqueViolation,
};
use diesel::result::Error as DieselError;

/// Why the ledger did not do what it was asked.
///
/// The texts inside are for the log: they may hold messages of the database, which name shards and addresses. What
/// `Display` shows holds none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerError {
    /// Somebody else was first: a row with this key is there already (SQLSTATE 23505). Nothing was written.
    Conflict,
    /// The outcome of a write is not known: the connection was lost, or time ran out, after it was sent. It may have
    /// been done, and may even still be done; only the log tells.
    Unknown(String),
    /// The database can't be reached, or was too slow, or can't do it now. Nothing was written.
    Unavailable(String),
    /// What is stored can't be read.
    Corrupt(String),
    /// A fault of this program or of how the database is set up. Nothing was written.
    Other(String),
}

impl LedgerError {
    /// Whether the very same call may succeed if it is made again.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// What happened in detail, for the log.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Conflict => None,
            Self::Unknown(text) | Self::Unavailable(text) | Self::Corrupt(text) | Self::Other(text) => Some(text),
        }
    }

    pub(super) fn corrupt(what: &str, why: impl fmt::Display) -> Self {
        Self::Corrupt(format!("{what}: {why}"))
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Conflict => "something else was written there first",
            Self::Unknown(_) => "it is not known whether the write was done",
            Self::Unavailable(_) => "the database is not available",
            Self::Corrupt(_) => "what is stored can't be read",
            Self::Other(_) => "the database refused",
        })
    }
}

impl std::error::Error for LedgerError {}

/// Why a statement gave no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// The database, or the way to it, failed.
    Query(DieselError),
    /// It took too long.
    TimedOut,
}

impl Failure {
    /// Whether the database judged the statement, and so the connection is as good as before and nothing was written.
    /// Of all SQLSTATEs, diesel tells only a few apart, so this knows the constraints alone.
    pub(super) fn is_judgement(&self) -> bool {
        match self {
            Self::Query(DieselError::DatabaseError(kind, _)) => matches!(
                kind,
                UniqueViolation
                    | ForeignKeyViolation
                    | NotNullViolation
                    | CheckViolation
                    | RestrictViolation
                    | ExclusionViolation
            ),
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(error) => error.fmt(f),
            Self::TimedOut => f.write_str("no answer in time"),
        }
    }
}

impl From<Failure> for LedgerError {
    fn from(failure: Failure) -> Self {
        match &failure {
            Failure::Query(DieselError::DatabaseError(UniqueViolation, _)) => Self::Conflict,
            // The rest is what operations bring about: a connection lost, a deadlock, a statement cancelled, a node
            // gone, a disk full, a server that starts or stops or only reads.
            Failure::Query(DieselError::DatabaseError(..)) if !failure.is_judgement() => {
                Self::Unavailable(failure.to_string())
            }
            Failure::Query(DieselError::BrokenTransactionManager) | Failure::TimedOut => {
                Self::Unavailable(failure.to_string())
            }
            Failure::Query(DieselError::DeserializationError(_)) => Self::Corrupt(failure.to_string()),
            Failure::Query(_) => Self::Other(failure.to_string()),
        }
    }
}
