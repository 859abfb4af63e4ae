//! What an auditor needs of a game, and the auditor's report on it.

use std::collections::BTreeSet;

use super::{Dealer, DealerError};
use crate::audit::{Bundle, LogProof, Report, audit};
use crate::event::{Body, Event};
use crate::ids::GameId;
use crate::keys::Jwk;

impl Dealer {
    /// All that an auditor needs of a game: events, the keys that their signatures name, and once it is over and both
    /// are in the log of logs, proofs of its start and its end. Then only the checkpoint, and so the proofs, get newer.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn bundle(&self, game: GameId) -> Result<Bundle, DealerError> {
        let events = self.ledger().events(game, None, None).await?;
        if events.is_empty() {
            return Err(DealerError::UnknownGame);
        }
        let keys = self.ledger().signing_keys().await?;
        let over = events.last().is_some_and(|last| matches!(last.body, Body::Ended(_) | Body::Voided(_)));
        let log = if over { self.bundle_log(&events, &keys).await? } else { None };
        bundle_of(&events, keys, log)
    }

    /// The auditor's report on a game, with the keys that this service has published.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn audit(&self, game: GameId) -> Result<Report, DealerError> {
        let bundle = self.bundle(game).await?;
        let keys = self.ledger().signing_keys().await?;
        off_the_workers(move || audit(&bundle, Some(&keys))).await
    }

    /// The auditor's report on a file: its own keys are all there is.
    ///
    /// # Errors
    ///
    /// When the audit is interrupted.
    pub async fn audit_bundle(&self, bundle: Bundle) -> Result<Report, DealerError> {
        off_the_workers(move || audit(&bundle, None)).await
    }
}

/// An audit takes its time, and the threads that serve requests have none.
async fn off_the_workers<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DealerError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| DealerError::corrupt("an audit was interrupted"))
}

fn bundle_of(events: &[Event], keys: Vec<Jwk>, log: Option<(LogProof, Jwk)>) -> Result<Bundle, DealerError> {
    let mut named: BTreeSet<_> = events.iter().map(|event| event.signature.key).collect();
    named.extend(log.as_ref().map(|(_, key)| key.kid));
    let keys = keys.into_iter().filter(|jwk| named.contains(&jwk.kid)).collect();
    let values = events.iter().map(serde_json::to_value).collect::<Result<_, _>>();
    let events = values.map_err(|error| DealerError::corrupt(error.to_string()))?;
    Ok(Bundle { events, keys, log: log.map(|(log, _)| log) })
}
