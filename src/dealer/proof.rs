//! What an auditor needs of a game, and the auditor's report on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::{Dealer, DealerError};
use crate::audit::{Bundle, LogProof, NotABundle, Report, audit};
use crate::event::{Body, Event};
use crate::ids::GameId;
use crate::keys::Jwk;

/// All that an auditor needs of one game, in one file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Bundle)]
pub struct GameFile {
    /// The events, from seq 0 on.
    events: Vec<Event>,
    /// The keys that the signatures name. They come with what they are to prove, so they prove nothing about their
    /// owner: get the keys apart.
    keys: Vec<Jwk>,
    /// Start and end in the log of logs; null while there is nothing to show.
    #[schema(required)]
    log: Option<LogProof>,
}

impl Dealer {
    /// All that an auditor needs of a game: events, the keys that their signatures name, and once it is over and both
    /// are in the log of logs, proofs of its start and its end. Then only the checkpoint, and so the proofs, get newer.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn bundle(&self, game: GameId) -> Result<GameFile, DealerError> {
        let events = self.whole_log(game).await?;
        if events.is_empty() {
            return Err(DealerError::UnknownGame);
        }
        let keys = self.ledger().signing_keys().await?;
        let over = events.last().is_some_and(|last| matches!(last.body, Body::Ended(_) | Body::Voided(_)));
        let log = if over { self.bundle_log(&events, &keys).await? } else { None };
        let mut named: BTreeSet<_> = events.iter().map(|event| event.signature.key).collect();
        named.extend(log.as_ref().map(|(_, key)| key.kid));
        let keys = keys.into_iter().filter(|jwk| named.contains(&jwk.kid)).collect();
        Ok(GameFile { events, keys, log: log.map(|(log, _)| log) })
    }

    /// The auditor's report on a game, with the keys that this service has published.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn audit(&self, game: GameId) -> Result<Report, DealerError> {
        let file = self.bundle(game).await?;
        let keys = self.ledger().signing_keys().await?;
        let report = self.off_the_workers(move || {
            // Written and read again: what is judged is what an auditor gets.
            let text = serde_json::to_vec(&file).map_err(|error| error.to_string())?;
            let bundle = Bundle::read(&text).map_err(|error| error.to_string())?;
            Ok(audit(&bundle, Some(&keys)))
        });
        report.await?.map_err(|why: String| DealerError::corrupt(why))
    }

    /// The auditor's report on a file: its own keys are all there is.
    ///
    /// # Errors
    ///
    /// When the audit is interrupted.
    pub async fn audit_file(
        &self,
        file: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<Result<Report, NotABundle>, DealerError> {
        self.off_the_workers(move || Bundle::read(file.as_ref()).map(|bundle| audit(&bundle, None))).await
    }

    /// An audit takes its time, as does the replay of a game, and the threads that serve requests have none; and memory, so
    /// that only so many are made at once.
    pub(super) async fn off_the_workers<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, DealerError> {
        // The semaphore is never closed.
        let turn = Arc::clone(&self.shared.audits).acquire_owned().await;
        let turn = turn.map_err(|_| DealerError::corrupt("no audits are made"))?;
        // Whoever asked may be gone meanwhile; the turn ends with the work.
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(|_| DealerError::corrupt("an audit was interrupted"))
    }
}
