//! What the log of logs proves: inclusion of a game's entries, and consistency between two sizes.

use super::log_of_logs::open_note;
use super::{Dealer, DealerError};
use crate::audit::{ConsistencyProof, LogProof, Proof, entry_of};
use crate::checkpoint::verifier_key;
use crate::event::Event;
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{Jwk, KeyUse};
use crate::ledger::{LogEntry, StoredCheckpoint};
use crate::merkle::leaf_hash;

impl Dealer {
    /// The newest checkpoint.
    ///
    /// # Errors
    ///
    /// When there is none yet, or the database is away.
    pub async fn checkpoint(&self) -> Result<StoredCheckpoint, DealerError> {
        self.ledger().newest_checkpoint().await?.ok_or(DealerError::NoCheckpoint)
    }

    /// The keys of checkpoints in the form that verifiers of signed notes take, the one that signs now first.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn verifier_keys(&self) -> Result<Vec<String>, DealerError> {
        let now = self.inputs().now();
        let keys = self.ledger().signing_keys().await?;
        let mut keys: Vec<&Jwk> = keys.iter().filter(|jwk| jwk.croupier_use == KeyUse::Checkpoint).collect();
        keys.sort_by_key(|jwk| !jwk.signs_at(now));
        Ok(keys.into_iter().map(|jwk| verifier_key(&self.shared.log.notary.origin, &jwk.x)).collect())
    }

    /// Entries of the log of logs from one on.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn log_entries(&self, start: u64, limit: u32) -> Result<Vec<LogEntry>, DealerError> {
        Ok(self.ledger().log_entries(start, limit).await?)
    }

    /// The newest checkpoint, and proofs that a game's entries are under it, as many as are in the log.
    ///
    /// # Errors
    ///
    /// When there is no such game or no checkpoint yet, or the database is away.
    pub async fn log_proof(&self, game: GameId) -> Result<LogProof, DealerError> {
        let events = self.ledger().milestones(&[game]).await?.remove(&game).ok_or(DealerError::UnknownGame)??;
        self.proofs(self.checkpoint().await?, &events).await
    }

    /// That the log at one size is a beginning of the log at another, by default at the newest checkpoint's.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint yet, or the sizes are not in order and within its size, or the database is away.
    pub async fn log_consistency(&self, from: u64, to: Option<u64>) -> Result<ConsistencyProof, DealerError> {
        let newest = self.checkpoint().await?;
        let to = to.unwrap_or(newest.size);
        if from > to || to > newest.size {
            return Err(DealerError::NoSuchSize(newest.size));
        }
        self.know_log_of(newest.size).await?;
        let hashes = self.shared.log.tree().consistency_proof(place(from), place(to));
        let hashes = hashes.ok_or_else(|| DealerError::log("it has shrunk"))?;
        Ok(ConsistencyProof { from, to, hashes })
    }

    /// For the file of a game that is over: its proofs, once all its entries are in the log, and the key that signed
    /// the checkpoint.
    pub(super) async fn bundle_log(
        &self,
        events: &[Event],
        keys: &[Jwk],
    ) -> Result<Option<(LogProof, Jwk)>, DealerError> {
        let needed = events.iter().filter(|event| entry_of(events, event).is_some()).count();
        let Some(stored) = self.ledger().newest_checkpoint().await?.filter(|_| needed > 0) else { return Ok(None) };
        let Some(key) = open_note(&stored.note, keys).map(|(_, jwk)| jwk.clone()) else { return Ok(None) };
        let log = self.proofs(stored, events).await?;
        Ok((log.proofs.len() == needed).then_some((log, key)))
    }

    async fn proofs(&self, checkpoint: StoredCheckpoint, events: &[Event]) -> Result<LogProof, DealerError> {
        let entries: Vec<String> = events.iter().filter_map(|event| entry_of(events, event)).collect();
        let leaves: Vec<Hash> = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        let places = self.ledger().log_places(&leaves).await?;
        self.know_log_of(checkpoint.size).await?;
        let tree = self.shared.log.tree();
        let proof = |(entry, leaf): (String, &Hash)| {
            let (_, index) = places.iter().find(|(there, _)| there == leaf)?;
            let hashes = tree.inclusion_proof(place(*index), place(checkpoint.size))?;
            Some(Proof { entry, index: *index, hashes })
        };
        let proofs = entries.into_iter().zip(&leaves).filter_map(proof).collect();
        Ok(LogProof { checkpoint: checkpoint.note, proofs })
    }

    /// Sees to it that this instance knows the log as far as this size.
    async fn know_log_of(&self, size: u64) -> Result<(), DealerError> {
        if self.shared.log.tree().size() < place(size) {
            self.sync_log().await?;
        }
        let known = self.shared.log.tree().size();
        if known < place(size) {
            return Err(DealerError::log(format!("it has {known} entries, and a checkpoint of {size}")));
        }
        Ok(())
    }
}

/// A place in memory, where no log is longer than memory.
fn place(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}
