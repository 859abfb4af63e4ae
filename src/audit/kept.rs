//! The checkpoints that an auditor keeps: a log that was rewritten is seen by whoever kept an earlier one.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::canonical;
use crate::checkpoint::Checkpoint;
use crate::hex32::Hash;
use crate::keys::{Jwk, KeyUse};
use crate::merkle::verify_consistency;

/// That the log of logs at one size is a beginning of the log at another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ConsistencyProof {
    /// The smaller size.
    pub from: u64,
    /// The larger size.
    pub to: u64,
    /// The hashes of the proof (RFC 9162, 2.1.4).
    pub hashes: Vec<Hash>,
}

/// The newest checkpoint that was seen of each log, by its origin. Each is kept as it was signed: together with another
/// that is no extension of it, it convicts the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptCheckpoints {
    checkpoints: BTreeMap<String, String>,
}

/// How a checkpoint goes with the one that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It is the first of its log.
    First(Checkpoint),
    /// It is the one that was kept.
    Same(Checkpoint),
    /// It extends the one that was kept, which had so many entries.
    Extends(u64, Checkpoint),
    /// It is older than the one that was kept, which has so many entries and extends it.
    Extended(u64, Checkpoint),
    /// It is larger or smaller than the one that was kept, and the proof between the two sizes is missing.
    ProofMissing { kept: u64, found: Checkpoint },
}

/// Why a log is refused: it was not shown to be an extension of what was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fork {
    /// Two checkpoints are of one size and have different roots. Together they convict the log.
    TwoRoots { origin: String, size: u64, kept: Hash, found: Hash },
    /// The proof between the two does not hold: the log has changed, or the proof has.
    BadProof { origin: String, from: u64, to: u64 },
    /// What was kept is no checkpoint.
    NothingKept { origin: String },
}

impl Seen {
    /// Whether nothing speaks against the log, and nothing is missing.
    pub const fn is_good(&self) -> bool {
        !matches!(self, Self::ProofMissing { .. })
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First(found) => {
                write!(f, "The first checkpoint seen of {}, of size {}: kept from now on.", found.origin, found.size)
            }
            Self::Same(found) => write!(f, "The very checkpoint of {} that was kept.", found.origin),
            Self::Extends(kept, found) => {
                let Checkpoint { origin, size, .. } = found;
                write!(f, "The log {origin} has grown from {kept} entries, as kept, to {size}; it was not rewritten.")
            }
            Self::Extended(kept, found) => write!(
                f,
                "An older checkpoint of {}, of size {}: the one kept, of size {kept}, extends it.",
                found.origin, found.size
            ),
            Self::ProofMissing { kept, found } => {
                let (from, to) = (kept.min(&found.size), kept.max(&found.size));
                let age = if found.size < *kept { "older" } else { "newer" };
                write!(
                    f,
                    "This checkpoint of {}, of size {}, is {age} than the one kept, of size {kept}: fetch \
                     /v1/log/consistency?from={from}&to={to} and give the answer with --consistency.",
                    found.origin, found.size
                )
            }
        }
    }
}

impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoRoots { origin, size, kept, found } => write!(
                f,
                "The log {origin} was rewritten: over {size} entries it had the root {kept}, and now it has {found}. \
                 Keep both checkpoints: together they convict whoever signed them."
            ),
            Self::BadProof { origin, from, to } => write!(
                f,
                "The log {origin} is refused: the proof from {from} to {to} entries does not lead from one root to the \
                 other, so either the log was rewritten or the proof is not its own."
            ),
            Self::NothingKept { origin } => write!(f, "What was kept of the log {origin} is no checkpoint."),
        }
    }
}

impl KeptCheckpoints {
    /// Reads what was kept.
    ///
    /// # Errors
    ///
    /// When the bytes are not the JSON of kept checkpoints.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let kept: Self = canonical::parse_as(bytes).map_err(|error| error.to_string())?;
        for (origin, note) in &kept.checkpoints {
            let checkpoint = Checkpoint::unverified(note).map_err(|error| format!("{origin}: {error}"))?;
            if checkpoint.origin != *origin {
                return Err(format!("{origin}: the checkpoint is of {}", checkpoint.origin));
            }
        }
        Ok(kept)
    }

    /// What is to be written, to be read again.
    pub fn text(&self) -> String {
        // Texts by texts, so writing it does not fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Looks at a checkpoint, and keeps it if it is newer than what was kept and extends it. `None` where none of the
    /// keys, which the auditor got apart, has signed it: then it says nothing about the log.
    ///
    /// # Errors
    ///
    /// When the log is no extension of what was kept; what was kept stays.
    pub fn look_at(&mut self, note: &str, keys: &[Jwk], proofs: &[ConsistencyProof]) -> Option<Result<Seen, Fork>> {
        let mut keys = keys.iter().filter(|jwk| jwk.croupier_use == KeyUse::Checkpoint);
        let found = keys.find_map(|jwk| Checkpoint::open(note, &jwk.x).ok())?;
        let Some(kept) = self.checkpoints.get(&found.origin) else {
            self.checkpoints.insert(found.origin.clone(), note.to_owned());
            return Some(Ok(Seen::First(found)));
        };
        let seen = compare(kept, found, proofs);
        if let Ok(Seen::Extends(_, found)) = &seen {
            self.checkpoints.insert(found.origin.clone(), note.to_owned());
        }
        Some(seen)
    }
}

fn compare(kept: &str, found: Checkpoint, proofs: &[ConsistencyProof]) -> Result<Seen, Fork> {
    let origin = found.origin.clone();
    let Ok(kept) = Checkpoint::unverified(kept) else { return Err(Fork::NothingKept { origin }) };
    if kept.size == found.size {
        let two = Fork::TwoRoots { origin, size: kept.size, kept: kept.root, found: found.root };
        return if kept.root == found.root { Ok(Seen::Same(found)) } else { Err(two) };
    }
    let (earlier, later) = if kept.size < found.size { (&kept, &found) } else { (&found, &kept) };
    let (from, to) = (earlier.size, later.size);
    let mut asked = proofs.iter().filter(|proof| proof.from == from && proof.to == to).peekable();
    if asked.peek().is_none() {
        return Ok(Seen::ProofMissing { kept: kept.size, found });
    }
    if !asked.any(|proof| verify_consistency(from, &earlier.root, to, &later.root, &proof.hashes)) {
        return Err(Fork::BadProof { origin, from, to });
    }
    Ok(if kept.size < found.size { Seen::Extends(kept.size, found) } else { Seen::Extended(kept.size, found) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SigningKey;
    use crate::merkle::{consistency_proof, leaf_hash, root};

    struct Log(Vec<Hash>);

    impl Log {
        fn new(mark: u8) -> Self {
            Self((0..20).map(|n| leaf_hash(&[if n < 4 { 0 } else { mark }, n])).collect())
        }

        fn note(&self, size: usize) -> String {
            let root = root(&self.0[..size]);
            Checkpoint { origin: "x/log".to_owned(), size: size as u64, root }.sign(&SigningKey::new(&[3; 32]))
        }

        fn proof(&self, from: usize, to: usize) -> ConsistencyProof {
            let hashes = consistency_proof(&self.0[..to], from).unwrap();
            ConsistencyProof { from: from as u64, to: to as u64, hashes }
        }
    }

    #[test]
    fn only_an_extension_is_taken() {
        let (log, other) = (Log::new(1), Log::new(2));
        let keys = [Jwk::new(SigningKey::new(&[3; 32]).public(), KeyUse::Checkpoint, None, None)];
        let mut kept = KeptCheckpoints::default();
        let mut look = |note: &str, proofs: &[ConsistencyProof]| {
            let seen = kept.look_at(note, &keys, proofs);
            // It is read back as it was written.
            kept = KeptCheckpoints::read(kept.text().as_bytes()).unwrap();
            seen
        };
        assert!(matches!(look(&log.note(8), &[]), Some(Ok(Seen::First(_)))));
        assert!(matches!(look(&log.note(8), &[]), Some(Ok(Seen::Same(_)))));
        assert!(matches!(look(&other.note(8), &[]), Some(Err(Fork::TwoRoots { .. }))));
        let missing = look(&log.note(13), &[log.proof(7, 13)]).unwrap().unwrap();
        assert!(!missing.is_good() && missing.to_string().contains("?from=8&to=13"), "{missing}");
        assert!(matches!(look(&other.note(13), &[log.proof(8, 13)]), Some(Err(Fork::BadProof { .. }))));
        assert!(matches!(look(&other.note(13), &[other.proof(8, 13)]), Some(Err(Fork::BadProof { .. }))));
        assert!(matches!(look(&log.note(13), &[log.proof(8, 13)]), Some(Ok(Seen::Extends(8, _)))));
        // An older one takes nothing away.
        assert!(matches!(look(&log.note(8), &[]), Some(Ok(Seen::ProofMissing { kept: 13, .. }))));
        assert!(matches!(look(&log.note(8), &[log.proof(8, 13)]), Some(Ok(Seen::Extended(13, _)))));
        assert!(matches!(look(&other.note(8), &[log.proof(8, 13)]), Some(Err(Fork::BadProof { .. }))));
        assert!(matches!(look(&log.note(13), &[]), Some(Ok(Seen::Same(_)))));
        // Signed by nobody who is known.
        let stranger = Checkpoint::unverified(&log.note(8)).unwrap().sign(&SigningKey::new(&[4; 32]));
        assert!(look(&stranger, &[]).is_none());
    }

    #[test]
    fn what_was_not_kept_is_not_read() {
        let note = Log::new(1).note(3);
        let kept = |origin: &str, note: &str| serde_json::json!({"checkpoints": {origin: note}}).to_string();
        assert!(KeptCheckpoints::read(kept("x/log", &note).as_bytes()).is_ok());
        for wrong in [kept("y/log", &note), kept("x/log", "x"), "{}".to_owned(), String::new()] {
            assert!(KeptCheckpoints::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
