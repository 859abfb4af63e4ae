//! The file that an auditor reads: a game's events, the keys that their signatures name, and what the log of logs
//! says of them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::{self, read_exactly};
use crate::hex32::Hash;
use crate::keys::Jwk;

/// How long a file may be, in bytes: 32 MiB.
pub const MAX_BUNDLE_BYTES: usize = 32 * 1024 * 1024;

/// All that an auditor needs of one game.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The events as they were sent, from seq 0 on.
    pub events: Vec<Value>,
    /// The keys that the signatures name. They come with what they are to prove, so they prove nothing about their
    /// owner.
    pub keys: Vec<Jwk>,
    /// Start and end in the log of logs; null while there is nothing to show.
    pub log: Option<LogProof>,
}

/// A checkpoint of the log of logs, and proofs that entries are in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LogProof {
    /// The signed note.
    pub checkpoint: String,
    /// One proof an entry.
    pub proofs: Vec<Proof>,
}

/// That an entry is in the log of logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The entry, as canonical JSON.
    pub entry: String,
    /// Its place.
    pub index: u64,
    /// The hashes from the leaf up to the root.
    pub hashes: Vec<Hash>,
}

/// Why bytes are no bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotABundle {
    /// Longer than [`MAX_BUNDLE_BYTES`].
    TooLong,
    /// Not the JSON of a bundle.
    Form(String),
}

impl fmt::Display for NotABundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the file is longer than {MAX_BUNDLE_BYTES} bytes"),
            Self::Form(why) => write!(f, "the file is no bundle: {why}"),
        }
    }
}

impl std::error::Error for NotABundle {}

impl Bundle {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it is too long, or not the JSON of a bundle.
    pub fn read(bytes: &[u8]) -> Result<Self, NotABundle> {
        if bytes.len() > MAX_BUNDLE_BYTES {
            return Err(NotABundle::TooLong);
        }
        let value = canonical::parse(bytes).map_err(|error| NotABundle::Form(error.to_string()))?;
        let form = |why: &str| NotABundle::Form(why.to_owned());
        let Value::Object(mut fields) = value else { return Err(form("it must be an object")) };
        let (events, keys, log) = (fields.remove("events"), fields.remove("keys"), fields.remove("log"));
        let (Some(Value::Array(events)), Some(keys), Some(log), true) = (events, keys, log, fields.is_empty()) else {
            return Err(form("it must have exactly events, which are a list, keys and log"));
        };
        let keys: Vec<Jwk> = read_exactly(&keys).map_err(|error| form(&format!("keys: {error}")))?;
        let log = read_exactly(&log).map_err(|error| form(&format!("log: {error}")))?;
        let bundle = Self { events, keys, log };
        match bundle.keys.iter().position(|jwk| jwk.kid != jwk.x.id()) {
            None => Ok(bundle),
            Some(index) => Err(NotABundle::Form(format!("the kid of keys[{index}] is not the thumbprint of its x"))),
        }
    }
}
