//! What the server does by itself: it logs time-outs, and clears away what nobody wants any more.

use super::{Dealer, DealerError};
use crate::ids::GameId;
use crate::table::Command;

/// How many games one sweep looks at.
const BATCH: u32 = 100;
/// After how many seconds an open table where nobody sits is cancelled: 24 hours.
const EMPTY_TABLE_SECONDS: u32 = 24 * 3600;
/// For how many seconds an idempotency key is kept: 24 hours.
const KEY_SECONDS: u32 = 24 * 3600;

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Time-outs and voids logged.
    pub timed_out: usize,
    /// Empty tables cancelled.
    pub cancelled: usize,
}

impl Dealer {
    /// Logs what is overdue. Every instance may sweep at any time: one of them logs each time-out.
    ///
    /// # Errors
    ///
    /// When the database is away. A game that can't be swept is skipped and logged.
    pub async fn sweep(&self) -> Result<Swept, DealerError> {
        let mut swept = Swept::default();
        for game in self.ledger().due_games(self.inputs().now(), BATCH).await? {
            match self.sweep_game(game).await {
                Ok(timed_out) => swept.timed_out += usize::from(timed_out),
                Err(error) => tracing::warn!(%game, %error, "a game could not be swept"),
            }
        }
        let now = self.inputs().now();
        for game in self.ledger().stale_open_games(now.minus_seconds(EMPTY_TABLE_SECONDS), BATCH).await? {
            match self.cancel_empty(game).await {
                Ok(cancelled) => swept.cancelled += usize::from(cancelled),
                Err(error) => tracing::warn!(%game, %error, "an empty table could not be cancelled"),
            }
        }
        self.ledger().forget_idempotency_keys(now.minus_seconds(KEY_SECONDS)).await?;
        Ok(swept)
    }

    /// Logs the time-out of a game, or finds out when to look again.
    async fn sweep_game(&self, game: GameId) -> Result<bool, DealerError> {
        let slot = self.shared.tables.slot(game);
        let mut slot = slot.lock().await;
        self.bring_up(&mut slot, game).await?;
        // Taken out: if anything fails from here on, the next one loads it.
        let Some(mut live) = slot.take() else { return Ok(false) };
        let timed_out = self.time_out(&mut live).await?;
        let next = live.table.no_deadline_before(self.inputs().now());
        *slot = Some(live);
        self.ledger().set_check_at(game, next).await?;
        Ok(timed_out)
    }

    async fn cancel_empty(&self, game: GameId) -> Result<bool, DealerError> {
        let slot = self.shared.tables.slot(game);
        let mut slot = slot.lock().await;
        self.bring_up(&mut slot, game).await?;
        // Taken out: if anything fails from here on, the next one loads it.
        let Some(mut live) = slot.take() else { return Ok(false) };
        let cancelled = match self.decide(&live.table, &Command::Cancel { player: None }, &live.secrets)? {
            Ok(decision) => self.append(&mut live, decision).await.map(|_| true)?,
            // Somebody sat down, or it is over.
            Err(_) => false,
        };
        *slot = Some(live);
        Ok(cancelled)
    }
}
