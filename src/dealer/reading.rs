//! Looking at games: at the newest event, or back.

use super::live::{self, Live};
use super::{Dealer, DealerError, forget_if_broken};
use crate::event::{Body, Event};
use crate::ids::{GameId, PlayerId};
use crate::table::{Table, View};

impl Dealer {
    /// The newest view of a game.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn view(&self, game: GameId, caller: Option<PlayerId>) -> Result<View, DealerError> {
        self.read(game, |table| table.view(caller.and_then(|player| table.seat_of(player)))).await
    }

    /// An ended game as it was after one of its events, with every card open if asked for.
    ///
    /// # Errors
    ///
    /// When there is no such game, or it has not ended, or it has no such event.
    pub async fn view_at(
        &self,
        game: GameId,
        caller: Option<PlayerId>,
        at: Option<u64>,
        open: bool,
    ) -> Result<View, DealerError> {
        let events = self.whole_log(game).await?;
        let table = self.off_the_workers(move || live::look_back(&events, at)).await??;
        let seat = caller.and_then(|player| table.seat_of(player));
        Ok(if open { table.open_view(seat) } else { table.view(seat) })
    }

    /// A game's log from the first event on; that of an ended game from the replica, if there is one and it has it whole.
    pub(super) async fn whole_log(&self, game: GameId) -> Result<Vec<Event>, DealerError> {
        if let Some(replica) = self.ledger().replica()
            && let Ok(events) = replica.events(game, None, None).await
            && events.last().is_some_and(|last| matches!(last.body, Body::Ended(_) | Body::Voided(_)))
        {
            return Ok(events);
        }
        Ok(self.ledger().events(game, None, None).await?)
    }

    /// The number of a game's newest event, and whether the game is over.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn newest(&self, game: GameId) -> Result<(u64, bool), DealerError> {
        self.read(game, |table| (table.seq(), table.is_over())).await
    }

    /// The events of a game after one of them.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn events(&self, game: GameId, after: Option<u64>, limit: u32) -> Result<Vec<Event>, DealerError> {
        let events = self.ledger().events(game, after, Some(limit)).await?;
        if events.is_empty() && self.ledger().newest_seq(game).await?.is_none() {
            return Err(DealerError::UnknownGame);
        }
        Ok(events)
    }

    /// Reads a game at the newest event of its log.
    pub(super) async fn read<T>(&self, game: GameId, look: impl FnOnce(&Table) -> T) -> Result<T, DealerError> {
        let slot = self.shared.tables.slot(game);
        let mut slot = slot.lock().await;
        let live = self.bring_up(&mut slot, game).await;
        forget_if_broken(&mut slot, &live);
        live?;
        slot.as_ref().map(|live| look(&live.table)).ok_or(DealerError::UnknownGame)
    }

    /// Reads a game that has this event at least: without a question to the database where that is known here.
    pub(super) async fn read_from<T>(
        &self,
        game: GameId,
        seq: u64,
        look: impl FnOnce(&Table) -> T,
    ) -> Result<T, DealerError> {
        {
            let slot = self.shared.tables.slot(game);
            let slot = slot.lock().await;
            if let Some(live) = slot.as_ref().filter(|live| live.table.seq() >= seq) {
                return Ok(look(&live.table));
            }
        }
        self.read(game, look).await
    }

    /// Loads the game, or catches up with its log.
    pub(super) async fn bring_up(&self, slot: &mut Option<Live>, game: GameId) -> Result<(), DealerError> {
        match slot.as_mut() {
            Some(live) => {
                // Mostly nobody else has appended, and many are asked about in one question.
                if self.ledger().goes_on(game, live.table.seq().saturating_add(1)).await? {
                    self.catch_up(live).await?;
                }
                Ok(())
            }
            None => {
                *slot = Some(self.load(game).await?);
                Ok(())
            }
        }
    }
}
