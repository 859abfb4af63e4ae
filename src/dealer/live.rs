//! A game as this instance knows it: its table at a known place of its log, with its secrets.

use super::DealerError;
use crate::event::{Body, Event};
use crate::ids::GameId;
use crate::ledger::{GameSecrets, Ledger};
use crate::log::Head;
use crate::replay::{disclosed, replay, resume};
use crate::seed_chain::{SeedChain, ServerSeeds};
use crate::table::{Secrets, Table};

/// A game's table, the end of its log, and what is secret of it.
pub struct Live {
    /// The table after the newest event that is known here.
    pub table: Table,
    /// What the next event is chained to.
    pub head: Head,
    /// What stands in no event yet.
    pub secrets: Secrets,
}

impl Live {
    /// Rebuilds a game from its log; `None` if there is no such game.
    ///
    /// # Errors
    ///
    /// When the database is away, or what it holds is no log.
    pub async fn load(ledger: &Ledger, game: GameId) -> Result<Option<Self>, DealerError> {
        let (events, stored) = read_together(ledger, game, None).await?;
        if events.is_empty() {
            return Ok(None);
        }
        let chain = stored.root.as_ref().map(|root| SeedChain::new(root));
        Self::rebuild(&events, Secrets { chain, sealed: stored.moves.into_iter().collect() }).map(Some)
    }

    fn rebuild(events: &[Event], secrets: Secrets) -> Result<Self, DealerError> {
        let disclosed = disclosed(events);
        let seeds: &dyn ServerSeeds = if secrets.chain.is_some() { &secrets } else { &disclosed };
        let table = replay(events, seeds)?;
        let head = events.last().map_or(Head::EMPTY, Head::after);
        Ok(Self { table, head, secrets })
    }

    /// About what it takes in memory, in bytes: the chain's marks are 2 KiB of it. Measured with idle games (see
    /// docs/performance.md); a bound on memory needs no more exactness.
    pub fn bytes(&self) -> usize {
        const TABLE: usize = 6 * 1024;
        const SEAT: usize = 3 * 1024;
        TABLE + SEAT * self.table.places().iter().count() + self.table.grown()
    }

    /// Takes in what others have appended since, and says what that was.
    ///
    /// # Errors
    ///
    /// As [`Live::load`]; the game is to be loaded anew then.
    pub async fn catch_up(&mut self, ledger: &Ledger) -> Result<Vec<Event>, DealerError> {
        let (events, stored) = read_together(ledger, self.table.game(), Some(self.table.seq())).await?;
        let Some(newest) = events.last() else { return Ok(events) };
        // No awaiting from here on: whoever drops this future leaves the game as it was, or caught up.
        let disclosed = disclosed(&events);
        // The chain of a game that is on is known already; what the server sealed elsewhere is not.
        let seeds: &dyn ServerSeeds = if self.secrets.chain.is_some() { &self.secrets } else { &disclosed };
        resume(&mut self.table, &events, seeds)?;
        self.head = Head::after(newest);
        self.secrets.sealed = stored.moves.into_iter().collect();
        if self.table.is_over() {
            self.secrets.chain = None;
        }
        Ok(events)
    }
}

/// Events after one of them, and the secrets that belong to the newest. Secrets change together with events: if none
/// came while they were read, the two belong together.
pub(super) async fn read_together(
    ledger: &Ledger,
    game: GameId,
    after: Option<u64>,
) -> Result<(Vec<Event>, GameSecrets), DealerError> {
    let mut events = ledger.events(game, after, None).await?;
    while let Some(newest) = events.last() {
        let newest = newest.seq;
        let secrets = ledger.secrets(game).await?;
        let more = ledger.events(game, Some(newest), None).await?;
        if more.is_empty() {
            return Ok((events, secrets));
        }
        events.extend(more);
    }
    Ok((events, GameSecrets::default()))
}

/// An ended game's table as it was after one of its events, or after the last.
///
/// # Errors
///
/// When there is no such game, it has not ended, or it has no such event.
pub fn look_back(events: &[Event], at: Option<u64>) -> Result<Table, DealerError> {
    let newest = events.last().ok_or(DealerError::UnknownGame)?;
    if !matches!(newest.body, Body::Ended(_)) {
        return Err(DealerError::NotEnded);
    }
    let at = at.unwrap_or(newest.seq);
    if at > newest.seq {
        return Err(DealerError::NoSuchEvent);
    }
    Ok(replay(events.iter().take_while(|event| event.seq <= at), &disclosed(events))?)
}
