//! Why a request came to nothing.

use std::fmt;

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    /// The address is none that this client can ask: only `http://` is spoken here.
    Address(String),
    /// Nobody answers there.
    Unreachable(String),
    /// The connection was lost, or the answer did not come in time. A write may have been carried out.
    Lost(String),
    /// The service answered with a problem.
    Problem {
        /// The HTTP status.
        status: u16,
        /// What went wrong, for programs.
        code: String,
        /// What went wrong, for people.
        detail: String,
    },
    /// The answer has not the form that it must have.
    Nonsense(String),
}

impl ClientError {
    /// Whether the service answered with this problem.
    pub fn is(&self, code: &str) -> bool {
        matches!(self, Self::Problem { code: found, .. } if found == code)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(url) => write!(f, "{url} is no address that can be asked here: it must begin with http://"),
            Self::Unreachable(url) => write!(f, "no service answers at {url}"),
            Self::Lost(why) => write!(f, "the service did not answer to the end: {why}"),
            Self::Problem { status, code, detail } => write!(f, "the service says no: {detail} ({code}, {status})"),
            Self::Nonsense(why) => write!(f, "the service answered what can't be understood: {why}"),
        }
    }
}

impl std::error::Error for ClientError {}
